// Objects that live and die in every way: arrays of 64 types with nearly unique sizes, some of them pinned, large, or on
// the pinned heap, from several threads; and, on request, collections of every kind. Prints "ready <pid>" and answers each
// line with "grown". The line "pause" stops everything.
using System;
using System.Runtime;
using System.Runtime.InteropServices;
using System.Threading;

namespace Sites
{
    struct Cell<A, B> { public long Value; }

    static class Mix
    {
        const int Slots = 12000, SlotsPinned = 2000, SlotsLarge = 60;
        static volatile bool pauses;
        static readonly CountdownEvent running = new(1);

        static object Small<A, B>(int n) => new Cell<A, B>[n];
        static object Pinned<A, B>(int n) => GC.AllocateArray<Cell<A, B>>(n, pinned: true);

        static Func<int, object>[] Row<A>(bool pinned) => new Func<int, object>[]
        {
            pinned ? Pinned<A, byte> : Small<A, byte>, pinned ? Pinned<A, sbyte> : Small<A, sbyte>,
            pinned ? Pinned<A, short> : Small<A, short>, pinned ? Pinned<A, ushort> : Small<A, ushort>,
            pinned ? Pinned<A, int> : Small<A, int>, pinned ? Pinned<A, uint> : Small<A, uint>,
            pinned ? Pinned<A, long> : Small<A, long>, pinned ? Pinned<A, ulong> : Small<A, ulong>,
        };

        static Func<int, object>[] Makers(bool pinned)
        {
            Func<int, object>[][] rows =
            {
                Row<byte>(pinned), Row<sbyte>(pinned), Row<short>(pinned), Row<ushort>(pinned),
                Row<int>(pinned), Row<uint>(pinned), Row<long>(pinned), Row<ulong>(pinned),
            };
            var all = new Func<int, object>[64];
            for (int i = 0; i < 64; i++)
                all[i] = rows[i / 8][i % 8];
            return all;
        }

        // All pairs of type and length, in cells of 8 bytes, before any comes again: a test can then tell objects apart.
        class Sizes
        {
            readonly int low, count;
            long next;

            public Sizes(int low, int high, int seed)
            {
                this.low = low;
                count = 64 * (high - low);
                next = seed * 1_000_003L;
            }

            public object Make(Func<int, object>[] makers)
            {
                long pair = next++ * 48271 % count;
                return makers[pair % 64](low + (int)(pair / 64));
            }
        }

        static void Churn(int seed)
        {
            var random = new Random(seed);
            Func<int, object>[] small = Makers(false), pinned = Makers(true);
            var kept = new object[Slots];
            var keptPinned = new object[SlotsPinned];
            var large = new object[SlotsLarge];
            var handles = new GCHandle[50];
            Sizes tiny = new(1, 40, seed), middle = new(40, 1000, seed), big = new(1000, 9000, seed);
            Sizes huge = new(11000, 60000, seed), fixedOnes = new(1, 2000, seed);
            while (!pauses)
            {
                int kind = random.Next(100);
                object made = (kind < 50 ? tiny : kind < 95 ? middle : big).Make(small);
                int chance = random.Next(1000);
                if (chance < 300)
                    kept[random.Next(chance < 200 ? Slots / 10 : Slots)] = made;
                if (chance < 3)
                {
                    int at = random.Next(handles.Length);
                    if (handles[at].IsAllocated)
                        handles[at].Free();
                    handles[at] = GCHandle.Alloc(made, GCHandleType.Pinned);
                }
                if (chance >= 990)
                    keptPinned[random.Next(SlotsPinned)] = fixedOnes.Make(pinned);
                if (chance == 500)
                    large[random.Next(SlotsLarge)] = huge.Make(small);
                if (chance == 501 && random.Next(200) == 0)
                    Array.Clear(kept, 0, Slots);
            }
            running.Signal();
            Thread.Sleep(Timeout.Infinite);
            GC.KeepAlive(kept);
            GC.KeepAlive(keptPinned);
            GC.KeepAlive(large);
        }

        static void Collect()
        {
            var random = new Random(7);
            while (!pauses)
            {
                Thread.Sleep(random.Next(30));
                switch (random.Next(20))
                {
                case < 8: GC.Collect(0); break;
                case < 14: GC.Collect(1); break;
                case < 17: GC.Collect(2, GCCollectionMode.Forced, false); break;
                case 17: GC.Collect(2, GCCollectionMode.Forced, true, true); break;
                case 18:
                    GCSettings.LargeObjectHeapCompactionMode = GCLargeObjectHeapCompactionMode.CompactOnce;
                    GC.Collect(2, GCCollectionMode.Forced, true, true);
                    break;
                default: GC.Collect(2, GCCollectionMode.Forced, true); break;
                }
            }
            running.Signal();
        }

        static void Start(ThreadStart run)
        {
            running.AddCount();
            new Thread(run) { IsBackground = true }.Start();
        }

        public static void Run(int threads, bool collects)
        {
            for (int i = 0; i < threads; i++)
            {
                int seed = i + 1;
                Start(() => Churn(seed));
            }
            if (collects)
                Start(Collect);
            Console.WriteLine($"ready {Environment.ProcessId}");
            for (string line; (line = Console.ReadLine()) != null;)
            {
                if (line == "pause" && !pauses)
                {
                    pauses = true;
                    running.Signal();
                    running.Wait();
                }
                Console.WriteLine("grown");
            }
        }
    }
}
