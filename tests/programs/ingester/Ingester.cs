// A batch job with the faults that its command line names. Without a fault the same code does the same work correctly, so
// that each finding is proved by a run that has the fault and one that has not.
//   ingester [--faults NAME,NAME…|all] [--renamed] [--look-alikes] [--disposed]
// --renamed plants the same faults with types of other names; --look-alikes adds healthy structures that resemble faults;
// --disposed keeps streams that were disposed, which only their fields tell from open ones.
// Prints "ready PID" and lives until its standard input closes; it answers each line with "grown".
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net.Http;
using System.Net.Sockets;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Channels;
using System.Threading.Tasks;

namespace Ingest
{
    public class Job
    {
        public readonly byte[] Rows = new byte[400];
        public bool IsAborted;
        public CancellationToken Token;
        public void Abort() => IsAborted = true;
    }

    public class TenantGate
    {
        protected readonly SemaphoreSlim slots = new(1);
        public volatile int Entered;
        public virtual async Task EnterAsync(int n)
        {
            var row = new byte[256 + n % 64];
            await slots.WaitAsync();
            Entered++;
            GC.KeepAlive(row);
        }
        public void Leave() => slots.Release();
    }

    public class NativeDoc
    {
        public static readonly object Lock = new();
        public static volatile bool HasStarted;
        public readonly byte[] Handle = new byte[200];
        ~NativeDoc() => Close();
        public static void Close() { HasStarted = true; lock (Lock) { } }
    }

    public class Ledger
    {
        readonly object gate = new();
        public virtual void Post(Action whileLocked) { lock (gate) whileLocked(); }
    }
#if NET9_0_OR_GREATER
    public class NewLedger : Ledger
    {
        readonly Lock gate = new();
        public override void Post(Action whileLocked) { lock (gate) whileLocked(); }
    }
#endif

    public class Feed
    {
        protected readonly Channel<int> rows = Channel.CreateUnbounded<int>();
        protected readonly TaskCompletionSource<int> loaded = new();
        public void Complete(int calls) { for (int i = 0; i < calls; i++) rows.Writer.TryWrite(i); loaded.TrySetResult(1); }
        public virtual async Task ReadAsync(int n) { GC.KeepAlive(await rows.Reader.ReadAsync() + n); }
        public virtual async Task LoadAsync(int n) { GC.KeepAlive(await loaded.Task + n); }
        readonly TaskCompletionSource<int> answer = new();
        async Task AskAsync(int n) { GC.KeepAlive(await answer.Task + n); }
        public void Load(int n) { AskAsync(n).GetAwaiter().GetResult(); GC.KeepAlive(n); }
        public virtual async Task LoadAllAsync(int n) { await LoadAsync(n); GC.KeepAlive(n); }
        public virtual async Task RestAsync(int n, int ms) { await Task.Delay(ms); GC.KeepAlive(n); }
        public virtual async Task ReceiveAsync(Socket from) { GC.KeepAlive(await from.ReceiveAsync(new byte[16].AsMemory(), SocketFlags.None)); }
    }

    public class Record { public Record Next; public readonly byte[] Text = new byte[1000]; }
}

namespace Zz   // the same with names that say nothing
{
    public class A1 : Ingest.Job { }
    public class A2 : Ingest.TenantGate
    {
        public override async Task EnterAsync(int n)
        {
            var row = new byte[256 + n % 64];
            await slots.WaitAsync();
            Entered++;
            GC.KeepAlive(row);
        }
    }
    public class A3 { public readonly byte[] B = new byte[200]; ~A3() => Ingest.NativeDoc.Close(); }
    public class A4 : CancellationTokenSource
    {
        readonly CancellationTokenRegistration link;
        public A4(CancellationToken parent) { link = parent.Register(static s => ((A4)s).Cancel(), this); }
        protected override void Dispose(bool disposing) { link.Dispose(); base.Dispose(disposing); }
    }
    public class A5 : FileStream { public A5() : base("/dev/null", FileMode.Open, FileAccess.Read) { } }
    public class A6 : HttpClient { }
    public class A7 : Socket { public A7() : base(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp) { } }
    public class A8 : Ingest.Record { }
    public class A9 : Ingest.Ledger { readonly object o = new(); public override void Post(Action a) { lock (o) a(); } }
    public class B1 : Ingest.Feed
    {
        public override async Task ReadAsync(int n) { GC.KeepAlive(await rows.Reader.ReadAsync() + n); }
        public override async Task LoadAsync(int n) { GC.KeepAlive(await loaded.Task + n); }
        public override async Task LoadAllAsync(int n) { await LoadAsync(n); GC.KeepAlive(n); }
        public override async Task RestAsync(int n, int ms) { await Task.Delay(ms); GC.KeepAlive(n); }
        public override async Task ReceiveAsync(Socket from) { GC.KeepAlive(await from.ReceiveAsync(new byte[16].AsMemory(), SocketFlags.None)); }
    }
}

static class Program
{
    const int Jobs = 5000, Buffers = 300, KeptBuffers = 60, Pins = 2000, Texts = 40, Strings = 20000, Docs = 4000, Calls = 500,
        Disposables = 150, Records = 20000, BlockedCalls = 12;
    static readonly string[] all = { "cancellation", "fragmentation", "pins", "strings", "finalizer", "async", "disposables", "rootless",
        "locks", "awaits", "blocked" };
    static readonly CancellationTokenSource shutdown = new();
    static readonly Ingest.TenantGate gate = new(), renamedGate = new Zz.A2();
    static readonly Array[] buffers = new Array[KeptBuffers];
    static readonly List<GCHandle> pins = new();
    static readonly List<byte[]> pinnedBuffers = new();
    static readonly string[][] columns = new string[Strings / 500][];
    static readonly List<IDisposable> open = new();
    static readonly List<object> healthy = new();
    static Ingest.Record[] batches;
    static bool isRenamed;
    static string[] faults = Array.Empty<string>();

    static int Main(string[] args)
    {
        int at = Array.IndexOf(args, "--faults");
        if (at >= 0) faults = args[at + 1] == "all" ? all : args[at + 1].Split(',');
        foreach (var unknown in faults.Except(all)) { Console.Error.WriteLine($"no fault {unknown}; there are {string.Join(", ", all)}"); return 2; }
        isRenamed = args.Contains("--renamed");
        Cancellation(Has("cancellation"));
        Fragmentation(Has("fragmentation"));
        Pinned(Has("pins"));
        DuplicateStrings(Has("strings"));
        NeverCompleted(Has("async"));
        Undisposed(Has("disposables"));
        ManyWait(Has("locks"), args.Contains("--new-lock"));
        Awaits(Has("awaits"));
        Blocked(Has("blocked"));
        if (args.Contains("--look-alikes")) { LookAlikes(); WaitingLookAlikes(); }
        if (args.Contains("--disposed")) KeepDisposed();
        Finalizer(Has("finalizer"));
        Collect();
        Rootless(Has("rootless"));   // the last: a collection would free what it leaves
        Console.WriteLine("ready {0}", Environment.ProcessId);
        while (Console.ReadLine() is string line)
        {
            if (line == "gc" && !Has("rootless")) Collect();
            Console.WriteLine("grown");
        }
        Console.Out.Flush();
        System.Diagnostics.Process.GetCurrentProcess().Kill();   // a stuck finalizer would hold up an ordinary exit
        return 0;
    }

    static bool Has(string fault) => faults.Contains(fault);
    // Large arrays and pinned objects stay where they are.
    static void Collect() { GC.Collect(2, GCCollectionMode.Forced, true, false); }

    // ---- linked sources of cancellation that nobody disposes stay registered with the source that lives longest

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Cancellation(bool isFaulty)
    {
        for (int i = 0; i < Jobs; i++)
        {
            var linked = isRenamed ? new Zz.A4(shutdown.Token) : CancellationTokenSource.CreateLinkedTokenSource(shutdown.Token);
            var job = isRenamed ? new Zz.A1() : new Ingest.Job();
            job.Token = linked.Token;
            var registration = linked.Token.Register(job.Abort);
            if (isFaulty) continue;
            registration.Dispose();
            linked.Dispose();
        }
    }

    // ---- buffers of growing sizes of which every fifth is kept; without the fault a few are used again and again

    static Array NewBuffer(int i) => isRenamed ? new long[(100_000 + i * 256) / 8] : new byte[100_000 + i * 256];

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Fragmentation(bool isFaulty)
    {
        var batch = new List<Array>();
        for (int i = 0; i < Buffers; i++)
        {
            if (isFaulty) batch.Add(NewBuffer(i));
            else buffers[i % KeptBuffers] ??= NewBuffer(i);
        }
        for (int i = 0; isFaulty && i < KeptBuffers; i++) buffers[i] = batch[i * Buffers / KeptBuffers];
        batch.Clear();
        Collect();
    }

    // ---- small pinned arrays among memory that dies; without the fault they are in the heap for pinned objects

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Pinned(bool isFaulty)
    {
        var between = new List<byte[]>();
        for (int i = 0; i < Pins; i++)
        {
            if (isFaulty) pins.Add(GCHandle.Alloc(new byte[64], GCHandleType.Pinned));
            else pinnedBuffers.Add(GC.AllocateArray<byte>(64, pinned: true));
            between.Add(new byte[6000]);
        }
        GC.Collect(); GC.Collect();
        between.Clear();
        Collect();
    }

    // ---- the same few texts read anew for each row

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void DuplicateStrings(bool isFaulty)
    {
        var known = new Dictionary<string, string>();
        for (int i = 0; i < Strings; i++)
        {
            string text = new string($"customer {i % Texts:D6} of the northern region, with a long address".ToCharArray());
            if (!isFaulty && !known.TryAdd(text, text)) text = known[text];
            (columns[i / 500] ??= new string[500])[i % 500] = text;
        }
    }

    // ---- a finalizer that waits for a lock, and a thread that keeps it

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void NewDocs() { for (int i = 0; i < Docs; i++) _ = isRenamed ? (object)new Zz.A3() : new Ingest.NativeDoc(); }

    static void Finalizer(bool isFaulty)
    {
        using var has = new ManualResetEventSlim();
        var worker = new Thread(() =>
        {
            lock (Ingest.NativeDoc.Lock)
            {
                has.Set();
                if (isFaulty) Thread.Sleep(Timeout.Infinite);
            }
            Thread.Sleep(Timeout.Infinite);
        }) { IsBackground = true, Name = "stuck-worker" };
        worker.Start();
        has.Wait();
        NewDocs();
        GC.Collect();
        if (!isFaulty) GC.WaitForPendingFinalizers();
        while (!Ingest.NativeDoc.HasStarted) Thread.Sleep(1);
    }

    // ---- calls that wait for a semaphore that nobody releases

    static void NeverCompleted(bool isFaulty)
    {
        var g = isRenamed ? renamedGate : gate;
        for (int i = 0; i < Calls; i++)
        {
            var call = g.EnterAsync(i);
            if (isFaulty) continue;
            call.Wait();
            g.Leave();
        }
    }

    // ---- one lock that a thread keeps while thirty others wait for it; without the fault each has it for a moment

    const int Waiters = 30;
    static readonly List<Thread> threads = new();

    static void Begin(string name, Action run)
    {
        var thread = new Thread(() => { run(); Thread.Sleep(Timeout.Infinite); }) { IsBackground = true, Name = name };
        thread.Start();
        threads.Add(thread);
    }

    static void AwaitThreads() { foreach (var t in threads) while ((t.ThreadState & ThreadState.WaitSleepJoin) == 0) Thread.Sleep(1); }

    static Ingest.Ledger ledger;

    static void ManyWait(bool isFaulty, bool isNew)
    {
        ledger = isRenamed ? new Zz.A9() : new Ingest.Ledger();
#if NET9_0_OR_GREATER
        if (isNew) ledger = new Ingest.NewLedger();
#endif
        using var has = new ManualResetEventSlim();
        Begin("hoarder", () => ledger.Post(() => { has.Set(); if (isFaulty) Thread.Sleep(Timeout.Infinite); }));
        has.Wait();
        for (int i = 0; i < Waiters; i++) Begin("poster", () => ledger.Post(() => { }));
        AwaitThreads();
    }

    // ---- calls that wait for a channel, a promise, a time and sockets; without the fault these complete

    const int AwaitedCalls = 300, Sockets = 60, Hour = 3600_000;
    static readonly List<Task> awaits = new();
    static readonly List<Socket> sockets = new();
    static readonly Ingest.Feed feed = new(), renamedFeed = new Zz.B1();

    // Workers of the pool that wait for what only another worker could complete.
    static void Blocked(bool isFaulty)
    {
        if (!isFaulty) return;
        var f = isRenamed ? renamedFeed : feed;
        ThreadPool.SetMinThreads(BlockedCalls, 4);
        using var started = new CountdownEvent(BlockedCalls);
        for (int i = 0; i < BlockedCalls; i++) ThreadPool.QueueUserWorkItem(n => { started.Signal(); f.Load((int)n); }, i);
        started.Wait();
        Thread.Sleep(300);
    }

    static void Awaits(bool isFaulty)
    {
        var f = isRenamed ? renamedFeed : feed;
        for (int i = 0; i < AwaitedCalls; i++)
        {
            awaits.Add(f.ReadAsync(i));
            awaits.Add(f.LoadAllAsync(i));
            awaits.Add(f.RestAsync(i, isFaulty ? Hour : 1));
        }
        for (int i = 0; i < Sockets; i++)
        {
            var s = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
            s.Bind(new System.Net.IPEndPoint(System.Net.IPAddress.Loopback, 0));
            sockets.Add(s);
            awaits.Add(f.ReceiveAsync(s));
            if (!isFaulty) s.SendTo(new byte[1], s.LocalEndPoint);
        }
        if (isFaulty) return;
        f.Complete(AwaitedCalls);
        Task.WaitAll(awaits.ToArray());
    }

    // Threads that wait for a pulse or an event, which holds nobody up; and calls that are few.
    static void WaitingLookAlikes()
    {
        var pulse = new object();
        var signal = new ManualResetEventSlim();
        healthy.Add(pulse);
        for (int i = 0; i < Waiters; i++)
        {
            Begin("consumer", () => { lock (pulse) Monitor.Wait(pulse); });
            Begin("idler", () => signal.Wait());
        }
        Begin("keeper", () => { lock (healthy) { signal.Wait(); } });
        AwaitThreads();
        for (int i = 0; i < 3; i++) Begin("patient", () => { lock (healthy) { } });
        for (int i = 0; i < 10; i++) awaits.Add(feed.RestAsync(i, Hour));
        AwaitThreads();
    }

    // ---- disposables of the framework that are kept instead of disposed

    static void Undisposed(bool isFaulty)
    {
        for (int i = 0; i < Disposables; i++)
        {
            var mine = isRenamed
                ? new IDisposable[] { new Zz.A5(), new Zz.A6(), new Zz.A7() }
                : new IDisposable[] { new FileStream("/dev/null", FileMode.Open, FileAccess.Read), new HttpClient(),
                                      new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp) };
            foreach (var d in mine)
                if (isFaulty) open.Add(d);
                else d.Dispose();
        }
    }

    static void KeepDisposed()
    {
        for (int i = 0; i < Disposables; i++)
        {
            var stream = new FileStream("/dev/null", FileMode.Open, FileAccess.Read);
            stream.Dispose();
            open.Add(stream);
        }
    }

    // ---- what survived two collections and then lost its last reference; without the fault the next collection frees it

    [MethodImpl(MethodImplOptions.NoInlining)]
    // Short chains: a stale word on a stack keeps no more than one of them.
    static void NewRecords()
    {
        batches = new Ingest.Record[Records / 50];
        for (int i = 0; i < batches.Length * 50; i++)
        {
            var record = isRenamed ? new Zz.A8() : new Ingest.Record();
            record.Next = batches[i / 50];
            batches[i / 50] = record;
        }
    }

    static void Rootless(bool isFaulty)
    {
        NewRecords();
        GC.Collect(); GC.Collect();
        batches = null;
        if (!isFaulty) GC.Collect();
    }

    // ---- healthy structures that resemble the faults

    static async Task<int> Done(int n) { await Task.Yield(); return n; }

    sealed class Quiet { public readonly byte[] Data = new byte[200]; public Quiet() => GC.SuppressFinalize(this); ~Quiet() { } }

    static void LookAlikes()
    {
        // Linked sources, each with a short-lived source of its own.
        for (int i = 0; i < 50; i++)
        {
            var own = new CancellationTokenSource();
            healthy.Add(CancellationTokenSource.CreateLinkedTokenSource(own.Token));
        }
        // Large arrays side by side.
        for (int i = 0; i < 40; i++) healthy.Add(new byte[120_000]);
        // Strings of one length and different texts.
        var names = new string[20][];
        for (int i = 0; i < 2000; i++) (names[i / 100] ??= new string[100])[i % 100] = $"customer {i:D6} of the northern region, with a long address";
        healthy.Add(names);
        // Objects whose finalizers are not needed any more.
        var quiet = new Quiet[16][];
        for (int i = 0; i < 800; i++) (quiet[i / 50] ??= new Quiet[50])[i % 50] = new Quiet();
        healthy.Add(quiet);
        // Calls that completed.
        var done = new Task<int>[10][];
        for (int i = 0; i < 500; i++) (done[i / 50] ??= new Task<int>[50])[i % 50] = Done(i);
        Task.WaitAll(done.SelectMany(d => d).ToArray());
        healthy.Add(done);
        // A few disposables that are in use.
        for (int i = 0; i < 3; i++) healthy.Add(new FileStream("/dev/null", FileMode.Open, FileAccess.Read));
        // Records that only a stack refers to, and a lock that nobody waits for.
        using var has = new ManualResetEventSlim();
        new Thread(() =>
        {
            Ingest.Record mine = null;
            for (int i = 0; i < 8000; i++) mine = new Ingest.Record { Next = mine };
            lock (new object())
            {
                has.Set();
                Thread.Sleep(Timeout.Infinite);
            }
            GC.KeepAlive(mine);
        }) { IsBackground = true, Name = "reader" }.Start();
        has.Wait();
    }
}
