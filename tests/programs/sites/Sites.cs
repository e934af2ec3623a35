// A program that allocates at ten known sites, each at its own rate, and counts for itself.
//   sites [--rate FACTOR] [--each BYTES] [--for SECONDS] [--counts SECONDS]
//   sites --busy WORK [--depth FRAMES]     one thread allocates arrays as fast as it can, with WORK rounds of a loop for each
//   sites --mix [--collect] [--threads N]   objects that live and die in every way: Mix.cs
// Prints "ready <pid>" and answers each line with "grown": after "counts" with a line "site <name> <objects> <bytes>
// <kept objects>" for each site before it, after "stacks" with "stack <site>" and Environment.StackTrace at that site. A
// line "clock <ticks>" comes before the counts: the monotonic clock that time stamps of events have, too. It lives until
// its standard input closes or the seconds of --for are over, and then prints the counts; with --counts that often, too. With
// --each every site allocates so many bytes a second.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace Sites
{
    class Small { public long Number; }                       // 24 bytes

    class Pair<K, V> { public K Key; public V Value; }

    static class Factory<T>
    {
        [MethodImpl(MethodImplOptions.NoInlining)]
        public static Pair<T, long> Make(T key)
        {
            Program.Note("generic");
            return new Pair<T, long> { Key = key };
        }
    }

    // A method that allocates one object, and what it has done.
    class Site
    {
        public readonly string Name;
        public readonly double BytesPerSecond;
        public readonly int KeepEvery;                        // 0: keeps none
        public readonly double KeepSeconds;                   // double.PositiveInfinity: a leak
        public readonly int Threads;
        readonly Func<object> make;
        readonly Queue<(double Until, object Kept)> kept = new();
        long objects, bytesEach;

        public Site(string name, double bytesPerSecond, Func<object> make, int keepEvery = 0, double keepSeconds = 0,
                    int threads = 1)
        {
            Name = name;
            BytesPerSecond = bytesPerSecond;
            this.make = make;
            KeepEvery = keepEvery;
            KeepSeconds = keepSeconds;
            Threads = threads;
        }

        // The runtime says how large an object is; what the measurement allocates is counted, too.
        public void Measure()
        {
            const int Count = 64;
            make();
            long before = GC.GetAllocatedBytesForCurrentThread();
            for (int i = 0; i < Count; i++)
                make();
            bytesEach = (GC.GetAllocatedBytesForCurrentThread() - before) / Count;
            Interlocked.Add(ref objects, Count + 1);
        }

        public void Run(double bytesPerSecond)
        {
            var clock = Stopwatch.StartNew();
            Program.Notes = true;
            double perSecond = bytesPerSecond / bytesEach / Threads;
            for (long done = 0; !Program.Ends; Thread.Sleep(5))
            {
                long due = (long)(clock.Elapsed.TotalSeconds * perSecond) - done;
                for (long i = 0; i < due && !Program.Ends; i++, done++)
                    Keep(make(), done, clock.Elapsed.TotalSeconds);
            }
        }

        // Never waits, below so many calls of itself.
        [MethodImpl(MethodImplOptions.NoInlining)]
        public int RunBusy(int work, int depth)
        {
            uint x = 1;
            if (depth > 0)
                return RunBusy(work, depth - 1) + 1;
            while (!Program.Ends)
            {
                make();
                Interlocked.Increment(ref objects);
                for (int i = 0; i < work; i++)
                    x = x * 1664525 + 1013904223;
            }
            return (int)x;
        }

        void Keep(object made, long number, double now)
        {
            Interlocked.Increment(ref objects);
            if (KeepEvery == 0 || number % KeepEvery != 0)
                return;
            lock (kept)
            {
                kept.Enqueue((now + KeepSeconds, made));
                while (kept.Peek().Until < now)
                    kept.Dequeue();
            }
        }

        public string Counts()
        {
            long count = Interlocked.Read(ref objects);
            lock (kept)
                return $"site {Name} {count} {count * bytesEach} {kept.Count}";
        }
    }

    static class Program
    {
        public static volatile bool Ends;
        static readonly Dictionary<string, string> stacks = new();
        static int number;

        // Set in the first call of a site by its own thread.
        [ThreadStatic] public static bool Notes;

        public static void Note(string site)
        {
            if (!Notes)
                return;
            Notes = false;
            lock (stacks)
                stacks[site] = Environment.StackTrace;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static object MakeSmall()
        {
            Note("small");
            return new Small();
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static object MakeString()
        {
            Note("string");
            return new string('x', 100);
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static object MakeArray()
        {
            Note("array");
            return new byte[1000];
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static object MakeBox()
        {
            Note("box");
            return number;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static object MakeClosure()
        {
            Note("closure");
            int captured = number;
            return (Func<int>)(() => captured);
        }

        [ThreadStatic] static TaskCompletionSource wait;

        // Each has a task of its own to wait for, which ends it.
        [MethodImpl(MethodImplOptions.NoInlining)]
        static async Task<int> MakeAsyncBox()
        {
            Note("async");
            wait = new TaskCompletionSource();
            await wait.Task;
            return number;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static object MakeAsync()
        {
            Task<int> made = MakeAsyncBox();
            wait.SetResult();
            return made;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static object MakeGeneric()
        {
            return Factory<string>.Make("key");
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static object MakeLarge()
        {
            Note("large");
            return new byte[1 << 20];
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static object MakePinned()
        {
            Note("pinned");
            return GC.AllocateUninitializedArray<byte>(4000, pinned: true);
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static object MakeFast()
        {
            Note("fast");
            return new long[500];
        }

        static readonly Site[] sites =
        {
            new("small", 1e3, MakeSmall, 10, 20),
            new("string", 1e5, MakeString, 2, double.PositiveInfinity),
            new("box", 1e6, MakeBox),
            new("closure", 1e6, MakeClosure),
            new("async", 1e6, MakeAsync),
            new("generic", 3e6, MakeGeneric, 100, 5),
            new("array", 1e7, MakeArray, 10, 10),
            new("pinned", 2e6, MakePinned, 10, 5),
            new("large", 5e7, MakeLarge, 50, 5),
            new("fast", 5e8, MakeFast, 0, 0, 2),
        };

        static void PrintCounts()
        {
            var text = new StringBuilder($"clock {Stopwatch.GetTimestamp()}\n");
            foreach (Site site in sites)
                text.Append(site.Counts()).Append('\n');
            Console.Write(text);
        }

        static void PrintCountsEvery(double seconds)
        {
            for (; !Ends; Thread.Sleep(TimeSpan.FromSeconds(seconds)))
                PrintCounts();
        }

        static string Option(string[] args, string name, string otherwise)
        {
            int at = Array.IndexOf(args, name);
            return at >= 0 && at + 1 < args.Length ? args[at + 1] : otherwise;
        }

        static void Main(string[] args)
        {
            if (Array.IndexOf(args, "--mix") >= 0)
            {
                Mix.Run(int.Parse(Option(args, "--threads", "2")), Array.IndexOf(args, "--collect") >= 0);
                return;
            }
            double factor = double.Parse(Option(args, "--rate", "1"));
            int work = int.Parse(Option(args, "--busy", "-1"));
            int depth = int.Parse(Option(args, "--depth", "0"));
            double each = double.Parse(Option(args, "--each", "0"));
            double seconds = double.Parse(Option(args, "--for", "0"));
            double between = double.Parse(Option(args, "--counts", "0"));
            foreach (Site site in sites)
                site.Measure();
            if (work >= 0)
                new Thread(() => Array.Find(sites, s => s.Name == "array").RunBusy(work, depth)) { IsBackground = true }.Start();
            foreach (Site site in work >= 0 ? Array.Empty<Site>() : sites)
            {
                double rate = each > 0 ? each : site.BytesPerSecond * factor;
                for (int i = 0; i < site.Threads; i++)
                    new Thread(() => site.Run(rate)) { IsBackground = true }.Start();
            }
            if (seconds > 0)
                new Timer(_ => { PrintCounts(); Environment.Exit(0); }, null, (long)(seconds * 1000), Timeout.Infinite);
            Console.WriteLine($"ready {Environment.ProcessId}");
            if (between > 0)
                new Thread(() => PrintCountsEvery(between)) { IsBackground = true }.Start();
            for (string line; (line = Console.ReadLine()) != null;)
            {
                if (line == "counts")
                    PrintCounts();
                if (line == "stacks")
                    lock (stacks)
                        foreach (var (site, stack) in stacks)
                            Console.WriteLine($"stack {site}\n{stack}");
                Console.WriteLine("grown");
            }
            Ends = true;
            PrintCounts();
        }
    }
}
