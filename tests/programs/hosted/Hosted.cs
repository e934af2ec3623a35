// A small hosted program with the faults that its command line names, each under the roots that services, pools and handles have.
// Without a fault the same work is done correctly, so that each finding is proved by a run that has the fault and one that has
// not.
//   hosted [--faults NAME,NAME…|all] [--renamed]
// --renamed plants the same faults with types of other names.
// Prints "ready PID" and lives until its standard input closes; it answers each line with "grown".
using System;
using System.Buffers;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Channels;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.Caching.Memory;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;

namespace Depot
{
    public class Feed { public GCHandle Handle; public readonly byte[] Buffer = new byte[1500]; }
    public class Rates { public int Step { get; set; } }
    public class Page
    {
        public readonly byte[] Text = new byte[2000];
        Rates rates;
        public Page() { }
        public IDisposable Follow(IOptionsMonitor<Rates> monitor) { rates = monitor.CurrentValue; return monitor.OnChange(r => rates = r); }
    }
    public class Parcel { public readonly byte[] Label = new byte[900]; }
    public class Belt
    {
        readonly Channel<Parcel> parcels = Channel.CreateUnbounded<Parcel>(new UnboundedChannelOptions { SingleReader = true });
        public void Put(Parcel p) => parcels.Writer.TryWrite(p);
        public ChannelReader<Parcel> Reader => parcels.Reader;
    }
    public class Sorter : BackgroundService
    {
        readonly Belt belt;
        public static int Sorted;
        public Sorter(Belt belt) { this.belt = belt; }
        protected override async Task ExecuteAsync(CancellationToken stop)
        {
            await foreach (var p in belt.Reader.ReadAllAsync(stop)) { if (++Sorted == 10 && Program.Has("queue")) throw new FormatException("no label"); }
        }
    }
    public class Tariff { public readonly byte[] Table = new byte[1200]; }
    public class Tariffs
    {
        public readonly MemoryCache Cache = new(new MemoryCacheOptions());
    }
    public class Session : IDisposable
    {
        readonly List<byte[]> rows = new();
        bool disposed;
        public Session() { for (int i = 0; i < 20; i++) rows.Add(new byte[1000]); }
        public void Dispose() { disposed = true; }
        public bool IsOver => disposed;
    }
    public class Ticket : IDisposable { readonly byte[] print = new byte[1100]; public void Dispose() { GC.KeepAlive(print); } }
    public unsafe class Bitmap
    {
        readonly IntPtr pixels = (IntPtr)NativeMemory.Alloc(Size);
        const int Size = 500_000;
        public Bitmap() { new Span<byte>((void*)pixels, Size).Fill(7); }
        public void Free() { GC.SuppressFinalize(this); NativeMemory.Free((void*)pixels); }
        ~Bitmap() { NativeMemory.Free((void*)pixels); }
    }
    public class Visitor { public readonly byte[] Profile = new byte[3000]; }
}

namespace Zz   // the same with names that say nothing
{
    public class C1 : Depot.Feed { }
    public class C2 : Depot.Page { }
    public class C3 : Depot.Parcel { }
    public class C4 : Depot.Tariff { }
    public class C5 : Depot.Session { }
    public class C6 : Depot.Visitor { }
    public class C7 : Depot.Ticket { }
    public class C8 : Depot.Bitmap { }
}

static class Program
{
    static readonly string[] all = { "handles", "options", "queue", "cache", "disposed", "timers", "pool", "transients", "assemblies", "wrappers", "arenas" };
    static readonly AsyncLocal<Depot.Visitor> visitor = new();
    static readonly List<Action> undo = new();
    static readonly Dictionary<int, Depot.Session> recent = new();
    static string[] faults = Array.Empty<string>();
    static bool isRenamed;

    public static bool Has(string fault) => faults.Contains(fault);
    static void Collect() { GC.Collect(); GC.WaitForPendingFinalizers(); GC.Collect(); }

    static async Task<int> Main(string[] args)
    {
        int at = Array.IndexOf(args, "--faults");
        if (at >= 0) faults = args[at + 1] == "all" ? all : args[at + 1].Split(',');
        foreach (var unknown in faults.Except(all)) if (unknown != "none") { Console.Error.WriteLine($"no fault {unknown}; there are {string.Join(", ", all)}"); return 2; }
        isRenamed = args.Contains("--renamed");
        var builder = Host.CreateEmptyApplicationBuilder(null);
        builder.Services.AddOptions<Depot.Rates>();
        builder.Services.AddSingleton<Depot.Belt>();
        builder.Services.AddSingleton<Depot.Tariffs>();
        if (isRenamed) builder.Services.AddTransient<Depot.Ticket, Zz.C7>(); else builder.Services.AddTransient<Depot.Ticket>();
        builder.Services.AddHostedService<Depot.Sorter>();
        builder.Services.Configure<HostOptions>(o => o.BackgroundServiceExceptionBehavior = BackgroundServiceExceptionBehavior.Ignore);
        using var host = builder.Build();
        await host.StartAsync();
        Handles();
        Pages(host.Services.GetRequiredService<IOptionsMonitor<Depot.Rates>>());
        await Parcels(host.Services.GetRequiredService<Depot.Belt>());
        Cache(host.Services.GetRequiredService<Depot.Tariffs>());
        Sessions();
        Tickets(host.Services);
        await Task.Run(Timers);
        Pool();
        Assemblies();
        Wrappers();
        Arenas();
        Collect();
        Console.WriteLine("ready {0}", Environment.ProcessId);
        while (await Console.In.ReadLineAsync() is string line)
        {
            if (line == "gc") Collect();
            Console.WriteLine("grown");
        }
        return 0;
    }

    static void Handles()
    {
        for (int i = 0; i < 500; i++)
        {
            var feed = isRenamed ? new Zz.C1() : new Depot.Feed();
            feed.Handle = GCHandle.Alloc(feed);
            if (!Has("handles")) feed.Handle.Free();
        }
    }

    static void Pages(IOptionsMonitor<Depot.Rates> monitor)
    {
        for (int i = 0; i < 500; i++)
        {
            var subscription = (isRenamed ? new Zz.C2() : new Depot.Page()).Follow(monitor);
            if (!Has("options")) subscription.Dispose();
        }
    }

    static async Task Parcels(Depot.Belt belt)
    {
        for (int i = 0; i < 3000; i++) belt.Put(isRenamed ? new Zz.C3() : new Depot.Parcel());
        while (Volatile.Read(ref Depot.Sorter.Sorted) < (Has("queue") ? 10 : 3000)) await Task.Delay(1);
    }

    static void Cache(Depot.Tariffs tariffs)
    {
        for (int i = 0; i < 3000; i++)
            using (var entry = tariffs.Cache.CreateEntry(i))
            {
                entry.Value = isRenamed ? new Zz.C4() : new Depot.Tariff();
                if (!Has("cache")) entry.AbsoluteExpirationRelativeToNow = TimeSpan.FromTicks(1);
            }
        if (!Has("cache")) tariffs.Cache.Compact(1);
    }

    static void Sessions()
    {
        for (int i = 0; i < 200; i++)
        {
            using var session = isRenamed ? new Zz.C5() : new Depot.Session();
            recent[Has("disposed") ? i : 0] = session;
        }
    }

    // The container keeps disposable services until their scope ends; the root scope never does.
    static void Tickets(IServiceProvider services)
    {
        for (int i = 0; i < 500; i++)
        {
            if (Has("transients")) { services.GetRequiredService<Depot.Ticket>(); continue; }
            using var scope = services.CreateScope();
            scope.ServiceProvider.GetRequiredService<Depot.Ticket>();
        }
    }

    // A timer keeps the context in which it was made.
    static void Timers()
    {
        for (int i = 0; i < 300; i++)
        {
            visitor.Value = isRenamed ? new Zz.C6() : new Depot.Visitor();
            var timer = new Timer(_ => { }, null, 3600_000, 3600_000);
            if (Has("timers")) undo.Add(timer.Dispose);
            else timer.Dispose();
        }
        visitor.Value = null;
    }

    // What a serializer or a proxy does that makes an assembly for each use.
    static void Assemblies()
    {
        for (int i = 0; i < (Has("assemblies") ? 80 : 1); i++)
        {
            var made = AssemblyBuilder.DefineDynamicAssembly(new AssemblyName(isRenamed ? "Zz.L_" + i : "Depot.Labels_" + i), AssemblyBuilderAccess.Run);
            var type = made.DefineDynamicModule("m").DefineType("T", TypeAttributes.Public).CreateType();
            Activator.CreateInstance(type);
        }
    }

    static readonly List<Depot.Bitmap> gallery = new();

    static void Wrappers()
    {
        for (int i = 0; i < 300; i++)
        {
            var bitmap = isRenamed ? new Zz.C8() : new Depot.Bitmap();
            if (Has("wrappers")) gallery.Add(bitmap);
            else bitmap.Free();
        }
    }

    // Each thread frees all but its last block, which keeps malloc's arena from shrinking.
    static unsafe void Arenas()
    {
        var together = new Barrier(8);
        var threads = Enumerable.Range(0, 8).Select(n => new Thread(() =>
        {
            var blocks = new IntPtr[400];
            together.SignalAndWait();
            if (!Has("arenas")) return;
            for (int i = 0; i < blocks.Length; i++)
            {
                blocks[i] = (IntPtr)NativeMemory.Alloc(60_000);
                new Span<byte>((void*)blocks[i], 60_000).Fill(7);
            }
            together.SignalAndWait();
            for (int i = 0; i < blocks.Length - 1; i++) NativeMemory.Free((void*)blocks[i]);
        })).ToList();
        threads.ForEach(t => t.Start());
        threads.ForEach(t => t.Join());
    }

    static void Pool()
    {
        var threads = new List<Thread>();
        var done = new ManualResetEvent(false);
        if (!Has("pool")) return;
        for (int i = 0; i < 4; i++)
        {
            var all = Enumerable.Range(0, 3).Select(n => ArrayPool<byte>.Shared.Rent(1 << 20)).ToArray();
            var returned = new ManualResetEvent(false);
            var thread = new Thread(() => { foreach (var a in all) ArrayPool<byte>.Shared.Return(a); all = null; returned.Set(); done.WaitOne(); }) { IsBackground = true };
            thread.Start();
            returned.WaitOne();
        }
    }
}
