// Threads that hold numbered objects in every way that a method can: no number is given twice, so that one which is
// garbage at some moment must be gone after the next collection. Started with SAMPLES=numbers.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Numbers
{
    class Numbered
    {
        static long last;
        public readonly long Number = Interlocked.Increment(ref last);
        public Numbered Next;
    }
    struct Pair { public Numbered First, Second; }

    static class Program
    {
        static volatile object sink;
        static void Check(bool good) { if (!good) Environment.FailFast("a number is wrong"); }

        static long Descend(int depth, Numbered above)
        {
            var here = new Numbered { Next = above };
            long sum = depth == 0 ? 0 : Descend(depth - 1, here);
            return sum + here.Number + above.Number;
        }

        [MethodImpl(MethodImplOptions.AggressiveOptimization)]
        static long Loop()
        {
            var a = new Numbered(); var b = new Numbered();
            long sum = 0;
            for (int i = 0; i < 300; i++)
            {
                var c = new Numbered { Next = a };
                if ((i & 3) == 0) b.Next = c;
                a = b; b = c;
                sum += a.Number ^ b.Number;
            }
            return sum;
        }

        static Numbered[] Row() => new Numbered[8];

        // No allocation and no call: it can be interrupted everywhere.
        [MethodImpl(MethodImplOptions.AggressiveOptimization)]
        static long Spin()
        {
            var first = new Numbered { Next = new Numbered { Next = new Numbered() } };
            long sum = 0;
            for (int i = 0; i < 5000; i++) for (var n = first; n != null; n = n.Next) sum += n.Number + i;
            return sum;
        }

        [MethodImpl(MethodImplOptions.AggressiveOptimization)]
        static long Interior()
        {
            ref Numbered third = ref Row()[3];
            long sum = 0;
            for (int i = 0; i < 200; i++) { third = new Numbered { Next = i % 20 == 0 ? null : third }; sum += third.Number; }
            Span<Pair> pairs = new Pair[5];
            foreach (ref Pair p in pairs) { p.First = third; p.Second = new Numbered(); }
            return sum + pairs[4].Second.Number;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static long Many(Numbered a, Numbered b, Numbered c, Numbered d, Numbered e, Numbered f, Numbered g, Pair pair, Numbered h)
        {
            sink = new Numbered();
            return a.Number + b.Number + c.Number + d.Number + e.Number + f.Number + g.Number + pair.First.Number + pair.Second.Number + h.Number;
        }

        static Numbered New() => new();
        static long Arguments() => Many(New(), New(), New(), New(), New(), New(), New(), new Pair { First = New(), Second = New() }, New());

        static long Throw(int depth)
        {
            var outside = new Numbered();
            try
            {
                var inside = new Numbered();
                try { if (depth == 0) throw new InvalidOperationException(); return Throw(depth - 1) + inside.Number; }
                finally { sink = new Numbered { Next = inside }; outside.Next = inside; Thread.Yield(); }
            }
            catch (InvalidOperationException) when (Filter(outside))
            {
                var late = new Numbered { Next = outside };
                if (depth % 3 != 2) throw;
                return late.Number + outside.Next.Number;
            }
        }
        static bool Filter(Numbered n) { sink = new Numbered { Next = n }; return n.Number > 0; }

        static IEnumerable<Numbered> Iterate() { for (int i = 0; i < 50; i++) { var n = new Numbered(); yield return n; sink = n.Next; } }
        static long Generic<T>(T item, Func<T, long> number) { var more = new Numbered(); return number(item) + more.Number; }
        static long Lambdas()
        {
            var captured = new Numbered();
            long sum = Iterate().Where(n => (n.Number & 1) == 0).Sum(n => n.Number ^ captured.Number);
            return sum + Generic(new Numbered(), n => n.Number) + Generic(new Pair { First = captured, Second = new Numbered() }, p => p.Second.Number);
        }

        // Long copies: threads stand in native code that leaves no trace.
        static long Copy()
        {
            var from = new Numbered[20000];
            for (int i = 0; i < from.Length; i += 100) from[i] = new Numbered();
            var to = new Numbered[from.Length];
            for (int i = 0; i < 20; i++) { Array.Copy(from, 0, to, 0, from.Length); Array.Copy(to, 0, to, 7, to.Length - 7); }
            return to[from.Length - 93]?.Number ?? 0;
        }

        static long Locks()
        {
            var gate = new Numbered();
            lock (gate) { var held = new Numbered(); Monitor.Wait(gate, 1); return held.Number + gate.Number; }
        }

        static async Task<long> Await(int depth)
        {
            var before = new Numbered();
            await Task.Yield();
            long sum = depth == 0 ? 0 : await Await(depth - 1);
            var after = new Numbered { Next = before };
            return sum + after.Next.Number;
        }

        static object Reflect() => typeof(Program).GetMethod("New", System.Reflection.BindingFlags.NonPublic | System.Reflection.BindingFlags.Static).Invoke(null, null);

        static long All()
        {
            long sum = Descend(40, new Numbered()) + Loop() + Spin() + Interior() + Arguments() + Throw(5) + Lambdas() + ((Numbered)Reflect()).Number;
            return sum + Copy();
        }

        static void Repeat(Func<long> what) { new Thread(() => { for (;;) Check(what() > 0); }) { IsBackground = true }.Start(); }

        public static void Start()
        {
            Repeat(() => Descend(60, new Numbered()));
            Repeat(Loop); Repeat(Spin); Repeat(Interior); Repeat(Arguments); Repeat(() => Throw(5)); Repeat(Lambdas);
            Repeat(() => Copy() + 1); Repeat(Locks); Repeat(() => Await(10).Result); Repeat(All);
        }
    }
}
