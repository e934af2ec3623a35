// A program that is mostly in the middle of something: threads that make small and large objects, others that are born and
// die, and collections of every kind. Started in place of the other samples with SAMPLES=storm.
using System;
using System.Collections.Generic;
using System.Threading;

namespace Storm
{
    class Node { public Node Next; public object Value; }

    static class Program
    {
        static readonly object[] large = new object[64];
        static readonly Thread[] unstarted = new Thread[2000];
        static volatile object last;

        // Chains, arrays and strings that refer to each other, none of them for long.
        static void MakeSmall()
        {
            var random = new Random(1);
            var ring = new object[500];
            for (int i = 0; ; i = (i + 1) % 100_000)
            {
                object other = ring[random.Next(ring.Length)];
                ring[random.Next(ring.Length)] = random.Next(3) switch
                {
                    0 => new byte[random.Next(300)],
                    1 => new Node { Next = other as Node, Value = new string('x', random.Next(60)) },
                    _ => new object[] { other is object[] ? null : other, new Node() },
                };
                if (i % 1000 == 0) Array.Clear(ring);
            }
        }

        // Each is cleared before it is an object; where it lies, there was another before.
        static void MakeLarge()
        {
            var random = new Random(2);
            for (;;)
            {
                var made = new object[random.Next(11_000, 60_000)];
                for (int i = 0; i < made.Length; i += 50) made[i] = new Node();
                large[random.Next(large.Length)] = made;
                large[random.Next(large.Length)] = new byte[random.Next(1_000_000)];
                if (random.Next(20) == 0) Array.Clear(large);
            }
        }

        static void MakeThreads()
        {
            for (;;)
            {
                Run(() =>
                {
                    var list = new List<object>();
                    for (int i = 0; i < 300; i++) list.Add(new Node { Value = i > 3 ? list[i / 2] : null });
                    last = list;
                }).Join();
            }
        }

        static void Collect()
        {
            for (int i = 0; ; i++)
            {
                GC.Collect(i % 3, GCCollectionMode.Forced, blocking: i % 2 == 0, compacting: i % 4 == 0);
                Thread.Sleep(2);
            }
        }

        static Thread Run(ThreadStart start)
        {
            var thread = new Thread(start) { IsBackground = true };
            thread.Start();
            return thread;
        }

        // More of what the runtime has of each than it would allocate in one piece, and finalizers behind it.
        static void MakeUnstarted()
        {
            for (int i = 0; i < unstarted.Length; i++) unstarted[i] = new Thread(() => { });
        }

        public static void Start()
        {
            Run(MakeUnstarted).Join();
            Run(MakeSmall);
            Run(MakeLarge);
            Run(MakeThreads);
            Run(Collect);
        }
    }
}
