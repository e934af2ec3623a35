// Locks of every kind, held and waited for: started in place of the other samples with SAMPLES=locks. A test knows who holds
// what (tests/io/clr/test_locks.c).
using System;
using System.Collections.Generic;
using System.Reflection;
using System.Threading;

namespace Locks
{
    class Guarded { }

    static class Program
    {
        static readonly List<object> kept = new();
        // There is none in .NET 8.
        static readonly Type type = typeof(object).Assembly.GetType("System.Threading.Lock");

        static object New() { object made = type == null ? new Guarded() : Activator.CreateInstance(type); kept.Add(made); return made; }
        static Action Bound(object of, string name) => type == null ? () => GC.KeepAlive(of) : type.GetMethod(name, Type.EmptyTypes).CreateDelegate<Action>(of);

        static Thread Begin(string name, Action run)
        {
            var thread = new Thread(() => run()) { IsBackground = true, Name = name };
            thread.Start();
            kept.Add(thread);
            return thread;
        }

        // Held for ever, so many times, by a thread of that name; and waited for by others.
        static void Hold(string name, int times, int waiters, Action enter)
        {
            using var entered = new ManualResetEventSlim();
            Begin(name, () => { for (int i = 0; i < times; i++) enter(); entered.Set(); Thread.Sleep(Timeout.Infinite); });
            entered.Wait();
            for (int i = 0; i < waiters; i++)
            {
                var waiter = Begin("waiter", enter);
                while ((waiter.ThreadState & ThreadState.WaitSleepJoin) == 0) Thread.Sleep(1);
            }
        }

        // In Monitor.Wait on it, for ever.
        static void WaitFor(object on, int threads)
        {
            kept.Add(on);
            for (int i = 0; i < threads; i++)
            {
                var waiter = Begin("in wait", () => { lock (on) Monitor.Wait(on); });
                while ((waiter.ThreadState & ThreadState.WaitSleepJoin) == 0) Thread.Sleep(1);
                lock (on) { }
            }
        }

        public static void Start()
        {
            object once = New(), again = New(), released = New(), block = new Guarded(), thin = new Guarded(), left = new Guarded();
            bool has = type != null;
            Hold("holds once", 1, has ? 3 : 0, Bound(once, "Enter"));
            Hold("holds again", 4, 0, Bound(again, "Enter"));
            Bound(released, "Enter")();
            Bound(released, "Exit")();
            New();
            Hold("holds block", 2, 2, () => Monitor.Enter(block));
            // In Monitor.Wait, of one that is held by another, and of one that nobody holds.
            object pulsed = new Guarded(), idle = new Guarded();
            WaitFor(pulsed, 2);
            WaitFor(idle, 3);
            Hold("holds pulsed", 1, 0, () => Monitor.Enter(pulsed));
            Hold("holds thin", 3, 0, () => Monitor.Enter(thin));
            // It keeps its sync block: the hash has been there before.
            left.GetHashCode();
            Monitor.Enter(left);
            Monitor.Exit(left);
            kept.AddRange(new[] { block, thin, left });
        }
    }
}
