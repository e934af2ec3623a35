// A program whose memory grows outside of the managed heap.
//   native [--leak malloc|blocks|threads|files|assemblies|managed|none]
// It leaks about 200 MiB of that kind, prints what its collector says of itself and "ready PID", and lives until its
// standard input closes. It leaks as much again for the line "more", and answers each line with "grown". `managed` is the healthy
// look-alike: the same amount of objects.
using System;
using System.Collections.Generic;
using System.IO;
using System.IO.MemoryMappedFiles;
using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.InteropServices;
using System.Threading;

static unsafe class Program
{
    static readonly List<object> kept = new();

    static int Main(string[] args)
    {
        string leak = args.Length > 1 && args[0] == "--leak" ? args[1] : "none";

        Leak(leak);
        GC.Collect();
        var info = GC.GetGCMemoryInfo(GCKind.FullBlocking);
        Console.WriteLine($"fact committed {info.TotalCommittedBytes}");
        Console.WriteLine($"fact heap {info.HeapSizeBytes}");
        Console.WriteLine($"fact fragmented {info.FragmentedBytes}");
        Console.WriteLine($"ready {Environment.ProcessId}");
        for (string line; (line = Console.ReadLine()) != null;)
        {
            if (line == "more") Leak(leak);
            Console.WriteLine("grown");
        }
        return 0;
    }

    static void Leak(string kind)
    {
        switch (kind)
        {
            case "malloc": OnThreads(8, () => Allocate(400, 60_000)); break;
            case "blocks": Allocate(24, 8 << 20); break;
            case "threads": StartThreads(2000); break;
            case "files": MapFile(200 << 20); break;
            case "assemblies": LoadAssemblies(1500); break;
            case "managed":
                for (int i = 0; i < 400; i++)
                {
                    var array = new byte[500_000];
                    Array.Fill(array, (byte)7);   // untouched pages would not be resident
                    kept.Add(array);
                }
                break;
        }
    }

    static void Allocate(int count, int bytes)
    {
        for (int i = 0; i < count; i++) new Span<byte>(NativeMemory.Alloc((nuint)bytes), bytes).Fill(7);
    }

    // Each thread allocates from an arena of its own, and all live until the end.
    static void OnThreads(int count, Action run)
    {
        using var done = new CountdownEvent(count);
        for (int i = 0; i < count; i++)
            new Thread(() => { run(); done.Signal(); Thread.Sleep(Timeout.Infinite); }) { IsBackground = true }.Start();
        done.Wait();
    }

    static void StartThreads(int count)
    {
        OnThreads(count, () => { byte* frame = stackalloc byte[100_000]; new Span<byte>(frame, 100_000).Fill(7); });
    }

    static void MapFile(long bytes)
    {
        var file = new FileStream(Path.GetTempFileName(), FileMode.Open, FileAccess.ReadWrite, FileShare.Read, 1, FileOptions.DeleteOnClose);
        file.SetLength(bytes);
        var map = MemoryMappedFile.CreateFromFile(file, null, bytes, MemoryMappedFileAccess.ReadWrite, HandleInheritability.None, false);
        var view = map.CreateViewAccessor();
        byte* at = null;
        view.SafeMemoryMappedViewHandle.AcquirePointer(ref at);
        for (long i = 0; i < bytes; i += 4096) at[i] = 7;
        File.Delete(file.Name);
        kept.Add(map); kept.Add(view); kept.Add(file);
    }

    static void LoadAssemblies(int count)
    {
        for (int i = 0; i < count; i++)
        {
            var module = AssemblyBuilder.DefineDynamicAssembly(new AssemblyName("made" + i), AssemblyBuilderAccess.Run).DefineDynamicModule("m");
            var type = module.DefineType("Rules");
            for (int m = 0; m < 20; m++)
            {
                var il = type.DefineMethod("M" + m, MethodAttributes.Public | MethodAttributes.Static, typeof(long), new[] { typeof(long) }).GetILGenerator();
                for (int n = 0; n < 100; n++) { il.Emit(OpCodes.Ldarg_0); il.Emit(OpCodes.Ldc_I8, (long)n * m); il.Emit(OpCodes.Mul); il.Emit(OpCodes.Starg_S, (byte)0); }
                il.Emit(OpCodes.Ldarg_0);
                il.Emit(OpCodes.Ret);
            }
            var made = type.CreateType();
            for (int m = 0; m < 20; m++) made.GetMethod("M" + m).CreateDelegate<Func<long, long>>()(i);
        }
    }
}
