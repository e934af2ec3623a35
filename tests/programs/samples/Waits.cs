// Async calls that wait in every way, and timers: started in place of the other samples with SAMPLES=waits. A test knows how
// many calls of each method there are (tests/io/clr/test_waits.c).
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Channels;
using System.Threading.Tasks;

namespace Waits
{
    // Runs what is posted at once, on the thread that posts.
    class Context : SynchronizationContext { public override void Post(SendOrPostCallback call, object state) => call(state); }

    class Owner
    {
        public int Calls;
        public void Tick(object state) => Calls++;
        public static void TickStatic(object state) { }
    }

    static class Program
    {
        static readonly List<object> kept = new();
        static readonly TaskCompletionSource<int> never = new(), other = new();
        static readonly SemaphoreSlim gate = new(0);
        static readonly Channel<int> channel = Channel.CreateUnbounded<int>();
        static readonly CancellationTokenSource source = new(TimeSpan.FromHours(2));
        const int Hour = 3600_000;

        static async Task Leaf(int n) { await never.Task; GC.KeepAlive(n); }
        static async Task Outer() { await Middle(1); }
        static async Task<int> Middle(int n) { return await Inner(n.ToString()) + n; }
        static async Task<int> Inner(string s) { await Task.Delay(Hour); return s.Length; }
        static async Task Fan() { await Task.WhenAll(Part(1), Part(2), Part(3)); }
        static async Task Part(int n) { await Task.Delay(Hour + n); }
        static async Task First() { await Task.WhenAny(Part(4), never.Task); }
        static async Task Gate() { await gate.WaitAsync(); }
        static async Task<int> Reader() { return await channel.Reader.ReadAsync(); }
        static async Task ValueOuter() { await ValueInner(); }
        static async ValueTask<int> ValueInner() { return await other.Task; }
        static async Task PooledOuter() { await PooledInner(); }
        [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
        static async ValueTask<int> PooledInner() { await Task.Yield(); return await other.Task; }
        [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
        static async ValueTask PooledDone() { await Task.Yield(); }
        static async Task PooledUser() { await PooledDone(); }
        static async IAsyncEnumerable<int> Numbers() { yield return 1; await never.Task; yield return 2; }
        static async Task Consume() { await foreach (int n in Numbers()) GC.KeepAlive(n); }
        static async Task Second() { await Task.Yield(); await never.Task; }
        static async void Forgotten() { await never.Task; }
        static async Task<T> Generic<T>(T value) { await never.Task; return value; }
        static async Task<int> Done() { await Task.Yield(); return 1; }
        static async Task Fails() { await Task.Yield(); throw new InvalidOperationException("meant"); }
        static async Task Cancelled() { await Task.Yield(); throw new OperationCanceledException(); }
        static async Task InContext() { await never.Task; }
        static async Task Tokened() { await never.Task.WaitAsync(source.Token); }
        static async Task Periodic(PeriodicTimer timer) { await timer.WaitForNextTickAsync(); }
        static async Task Joined(Task task) { await task; }
        static async Task Ends(Task task) { try { await task; } catch { } }
        // Its own task awaits it by way of another one.
        static Task first;
        static async Task Circle() { await Task.Yield(); while (Volatile.Read(ref first) == null) Thread.Yield(); await first; }

        static void Keep(int count, Func<object> make) { for (int i = 0; i < count; i++) kept.Add(make()); }

        public static void Start()
        {
            long worked = ThreadPool.CompletedWorkItemCount;
            Keep(300, () => Leaf(1));
            Keep(100, Outer);
            Keep(20, Fan);
            Keep(10, First);
            Keep(40, Gate);
            Keep(30, Reader);
            Keep(25, ValueOuter);
            Keep(25, PooledOuter);
            Keep(15, Consume);
            Keep(12, Second);
            for (int i = 0; i < 5; i++) Forgotten();
            Keep(7, () => Generic("text"));
            Keep(6, () => Generic(1));
            Keep(8, Tokened);
            Keep(4, () => Task.Run(async () => { await never.Task; }));
            Keep(9, () => Leaf(2).ContinueWith(task => GC.KeepAlive(task)));
            Task shared = Outer();
            Keep(6, () => Joined(shared));
            var before = SynchronizationContext.Current;
            SynchronizationContext.SetSynchronizationContext(new Context());
            Keep(11, InContext);
            SynchronizationContext.SetSynchronizationContext(before);
            var ended = new List<Task>();
            for (int i = 0; i < 10; i++) { ended.Add(Done()); ended.Add(Fails()); ended.Add(Cancelled()); }
            for (int i = 0; i < 3; i++) ended.Add(PooledUser());
            kept.Add(ended);
            foreach (Task task in ended) Ends(task).Wait();
            Task circle = Circle();
            Volatile.Write(ref first, circle);
            kept.Add(circle);
            for (int i = 0; i < 3; i++) kept.Add(Periodic(Held(new PeriodicTimer(TimeSpan.FromMinutes(90)))));
            var owner = new Owner();
            Keep(5, () => new Timer(owner.Tick, "state", Hour, 60_000));
            Keep(4, () => new Timer(Owner.TickStatic, owner, 7_200_000, Timeout.Infinite));
            Keep(2, () => new Timer(_ => owner.Calls++, null, Timeout.Infinite, Timeout.Infinite));
            // Each Yield() and Run() is a piece of work, which is complete once it waits: of the pooled, of Second, of Run, of
            // those that end, and of the circle.
            while (ThreadPool.CompletedWorkItemCount - worked < 25 + 12 + 4 + 30 + 3 + 1) Thread.Sleep(1);
        }

        static T Held<T>(T value) { kept.Add(value); return value; }
    }
}
