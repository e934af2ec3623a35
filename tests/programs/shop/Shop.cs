// A small web shop with the faults that its command line names. It serves its own requests before it is ready. Without a
// fault the same requests are served correctly, so that each finding is proved by a run that has the fault and one that has
// not.
//   shop [--faults NAME,NAME…|all] [--requests N] [--renamed] [--look-alikes]
// --renamed plants the same faults with types of other names; --look-alikes adds healthy structures that resemble faults.
// Prints "ready PID" and lives until its standard input closes; it answers each line with "grown".
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Linq;
using System.Net.Http;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;

namespace Shop
{
    public class PriceFeed
    {
        public event EventHandler Changed;
        public void Raise() => Changed?.Invoke(this, EventArgs.Empty);
    }
    public class PriceView
    {
        public readonly byte[] Page = new byte[2000];
        public int Seen;
        public void OnChanged(object sender, EventArgs e) => Seen++;
    }
    public class Quote { public string Key; public readonly byte[] Lines = new byte[1500]; }
    public class Reservation
    {
        public readonly byte[] Items = new byte[700];
        public bool IsOver;
        public Timer Timer;   // without a reference to it, the timer would end by its finalizer
        public void Expire(object state) => IsOver = true;
    }
    public class TenantGate
    {
        protected readonly SemaphoreSlim slots = new(1);
        public int Waiting;
        public virtual async Task EnterAsync()
        {
            var page = new byte[300];
            Interlocked.Increment(ref Waiting);
            await slots.WaitAsync();
            GC.KeepAlive(page);
        }
        public void Leave() => slots.Release();
    }
}

namespace Zz   // the same with names that say nothing
{
    public class B1 : Shop.PriceFeed { }
    public class B2 : Shop.PriceView { }
    public class B3 : Shop.Quote { }
    public class B4 : Shop.Reservation { }
    public class B5 : Shop.TenantGate
    {
        public override async Task EnterAsync()
        {
            var page = new byte[300];
            Interlocked.Increment(ref Waiting);
            await slots.WaitAsync();
            GC.KeepAlive(page);
        }
    }
}

static class Program
{
    const int CacheMax = 64, Checkouts = 120;
    static readonly string[] all = { "handlers", "cache", "semaphore", "timers" };
    static readonly ConcurrentDictionary<string, Shop.Quote> quotes = new();
    static readonly ConcurrentQueue<string> oldest = new();
    static readonly List<object> healthy = new();
    static readonly List<Task> checkouts = new();
    static string[] faults = Array.Empty<string>();
    static bool isRenamed;

    static async Task<int> Main(string[] args)
    {
        int at = Array.IndexOf(args, "--faults"), requests = 1500;
        if (at >= 0) faults = args[at + 1] == "all" ? all : args[at + 1].Split(',');
        foreach (var unknown in faults.Except(all)) { Console.Error.WriteLine($"no fault {unknown}; there are {string.Join(", ", all)}"); return 2; }
        at = Array.IndexOf(args, "--requests");
        if (at >= 0) requests = int.Parse(args[at + 1]);
        isRenamed = args.Contains("--renamed");
        if (args.Contains("--look-alikes")) LookAlikes();
        var app = Build();
        await app.StartAsync();
        await Serve(app.Urls.First(), requests, app.Services.GetRequiredService<Shop.TenantGate>());
        Collect();
        Console.WriteLine("ready {0}", Environment.ProcessId);
        while (await Console.In.ReadLineAsync() is string line)
        {
            if (line == "gc") Collect();
            Console.WriteLine("grown");
        }
        Console.Out.Flush();
        System.Diagnostics.Process.GetCurrentProcess().Kill();   // requests that wait forever would hold up an ordinary exit
        return 0;
    }

    static bool Has(string fault) => faults.Contains(fault);
    static void Collect() { GC.Collect(); GC.WaitForPendingFinalizers(); GC.Collect(); }

    static WebApplication Build()
    {
        var builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.WebHost.UseKestrelCore().UseUrls("http://127.0.0.1:0");
        builder.Services.AddRoutingCore();
        builder.Services.AddSingleton(isRenamed ? new Zz.B1() : new Shop.PriceFeed());
        builder.Services.AddSingleton(isRenamed ? new Zz.B5() : new Shop.TenantGate());
        var app = builder.Build();
        app.UseRouting();
        bool hasHandlers = Has("handlers"), hasCache = Has("cache"), hasSemaphore = Has("semaphore"), hasTimers = Has("timers");

        app.MapGet("/price", context =>
        {
            var feed = context.RequestServices.GetRequiredService<Shop.PriceFeed>();
            var view = isRenamed ? new Zz.B2() : new Shop.PriceView();
            feed.Changed += view.OnChanged;
            if (!hasHandlers) feed.Changed -= view.OnChanged;
            return context.Response.WriteAsync("price");
        });
        app.MapGet("/quote/{key}", context =>
        {
            string key = (string)context.Request.RouteValues["key"];
            var quote = isRenamed ? new Zz.B3() : new Shop.Quote();
            quote.Key = key;
            quotes[key] = quote;
            oldest.Enqueue(key);
            if (!hasCache)
                while (quotes.Count > CacheMax && oldest.TryDequeue(out var old)) quotes.TryRemove(old, out _);
            else
                oldest.TryDequeue(out _);
            return context.Response.WriteAsync("quote");
        });
        app.MapGet("/reserve", context =>
        {
            var reservation = isRenamed ? new Zz.B4() : new Shop.Reservation();
            var timer = new Timer(reservation.Expire, null, 3600_000, 3600_000);
            reservation.Timer = timer;
            if (!hasTimers) timer.Dispose();
            return context.Response.WriteAsync("reserved");
        });
        app.MapGet("/checkout", async context =>
        {
            var gate = context.RequestServices.GetRequiredService<Shop.TenantGate>();
            await gate.EnterAsync();
            if (!hasSemaphore) gate.Leave();
            await context.Response.WriteAsync("paid");
        });
        return app;
    }

    static async Task Serve(string url, int requests, Shop.TenantGate gate)
    {
        var client = new HttpClient();
        for (int i = 0; i < requests; i++)
        {
            await client.GetStringAsync(url + "/price");
            await client.GetStringAsync(url + "/quote/" + i);
            await client.GetStringAsync(url + "/reserve");
        }
        for (int i = 0; i < Checkouts; i++) checkouts.Add(client.GetStringAsync(url + "/checkout"));
        if (!Has("semaphore")) await Task.WhenAll(checkouts);
        while (Volatile.Read(ref gate.Waiting) < Checkouts) await Task.Delay(1);
        if (!Has("semaphore")) { checkouts.Clear(); client.Dispose(); }
        else healthy.Add(client);
    }

    // Healthy structures that resemble the faults.
    static void LookAlikes()
    {
        // Publishers with a few handlers each.
        for (int i = 0; i < 60; i++)
        {
            var feed = new Shop.PriceFeed();
            for (int k = 0; k < 5; k++) feed.Changed += new Shop.PriceView().OnChanged;
            healthy.Add(feed);
        }
        // A cache with a limit.
        for (int i = 0; i < CacheMax; i++) quotes["fixed" + i] = new Shop.Quote { Key = "fixed" + i };
        // Timers that were disposed and are kept.
        for (int i = 0; i < 90; i++)
        {
            var timer = new Timer(new Shop.Reservation().Expire, null, 3600_000, 3600_000);
            timer.Dispose();
            healthy.Add(timer);
        }
        // One caller each that waits for its own gate.
        for (int i = 0; i < 10; i++)
        {
            var gate = new Shop.TenantGate();
            gate.EnterAsync().Wait();
            healthy.Add(gate);
            healthy.Add(gate.EnterAsync());
        }
    }
}
