// A small server under load, to see what a capture costs those who wait for it.
//   server serve OBJECTS MICROS   prints "ready PID PORT"; each request allocates 16 KiB in small pieces and
//                                 takes so many microseconds of a processor
//   server load PORT RATE SECONDS asks RATE times a second over 16 connections; prints
//                                 "p50 MS p99 MS max MS requests N"
// Latency counts from when a request was due, so that waiting for an answer hides no other request.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Net;
using System.Net.Sockets;
using System.Threading;

class Item { public Item Next; public long Value; }

static class Server
{
    const int Connections = 16, PiecesARequest = 256;
    static Item kept;
    static readonly byte[][] recent = new byte[1 << 14][];
    static int place;

    static int Main(string[] args)
    {
        if (args.Length == 3 && args[0] == "serve") return Serve(int.Parse(args[1]), int.Parse(args[2]));
        if (args.Length == 4 && args[0] == "load")
            return Load(int.Parse(args[1]), int.Parse(args[2]), int.Parse(args[3]));
        Console.Error.WriteLine("server serve OBJECTS MICROS | server load PORT RATE SECONDS");
        return 2;
    }

    static int Serve(int objects, int micros)
    {
        for (int i = 0; i < objects; i++) kept = new Item { Next = kept, Value = i };
        var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        Console.WriteLine($"ready {Environment.ProcessId} {((IPEndPoint)listener.LocalEndpoint).Port}");
        new Thread(() => { while (Console.In.ReadLine() != null) { } Environment.Exit(0); }) { IsBackground = true }.Start();
        for (;;)
        {
            var client = listener.AcceptTcpClient();
            new Thread(() => Answer(client, micros)) { IsBackground = true }.Start();
        }
    }

    static void Answer(TcpClient client, int micros)
    {
        client.NoDelay = true;
        var stream = client.GetStream();
        for (int got; (got = stream.ReadByte()) >= 0;)
        {
            for (int i = 0; i < PiecesARequest; i++)
                recent[(Interlocked.Increment(ref place) & int.MaxValue) % recent.Length] = new byte[40];
            long until = Stopwatch.GetTimestamp() + micros * Stopwatch.Frequency / 1000000;
            while (Stopwatch.GetTimestamp() < until) { }
            stream.WriteByte((byte)got);
        }
    }

    static int Load(int port, int rate, int seconds)
    {
        var all = new List<double>[Connections];
        long start = Stopwatch.GetTimestamp() + Stopwatch.Frequency / 10;
        var threads = Enumerable.Range(0, Connections).Select(n => new Thread(() =>
        {
            var mine = all[n] = new List<double>();
            using var client = new TcpClient("127.0.0.1", port) { NoDelay = true };
            var stream = client.GetStream();
            for (long k = n; k < (long)rate * seconds; k += Connections)
            {
                long due = start + k * Stopwatch.Frequency / rate, wait;
                while ((wait = due - Stopwatch.GetTimestamp()) > 0)
                    Thread.Sleep((int)((wait * 1000 + Stopwatch.Frequency - 1) / Stopwatch.Frequency));
                stream.WriteByte(1);
                if (stream.ReadByte() < 0) return;
                mine.Add((Stopwatch.GetTimestamp() - due) * 1000.0 / Stopwatch.Frequency);
            }
        })).ToList();
        threads.ForEach(t => t.Start());
        threads.ForEach(t => t.Join());
        var sorted = all.SelectMany(l => l).OrderBy(x => x).ToArray();
        double At(double share) => sorted.Length > 0 ? sorted[Math.Min(sorted.Length - 1, (int)(sorted.Length * share))] : -1;
        Console.WriteLine(FormattableString.Invariant(
            $"p50 {At(0.5):F1} p99 {At(0.99):F1} max {At(1):F1} requests {sorted.Length}"));
        return 0;
    }
}
