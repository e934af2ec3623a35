// Threads that stand still in methods of every kind: started in place of the other samples with SAMPLES=stacks. What is on
// their stacks is compared with ClrMD (tests/io/runtime/test_stack_walk.c).
using System;
using System.Collections.Generic;
using System.Linq;
using System.Linq.Expressions;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;

namespace Stacks
{
    interface IWork { void Do(int depth, Action end); }
    class Work : IWork { [MethodImpl(MethodImplOptions.NoInlining)] public void Do(int depth, Action end) { if (depth == 0) end(); else ((IWork)this).Do(depth - 1, end); GC.KeepAlive(this); } }
    class Generic<T> { [MethodImpl(MethodImplOptions.NoInlining)] public T Call<U>(T value, U other, Action end) { end(); return value; } }
    struct Large { public object A; public long B; public object C; public Guid D; }
    class Initialised { public static readonly object Value = Wait(); static object Wait() { Program.Stand(); return new object(); } }

    static class Suspended
    {
        public static async Task Run() { await Task.Yield(); var held = new object(); Program.Stand(); await Task.Yield(); GC.KeepAlive(held); }
    }

    static unsafe class Program
    {
        static readonly List<object> kept = new();
        static readonly ManualResetEventSlim never = new();
        static CountdownEvent standing;
        static readonly object monitor = new();
        static readonly List<(string Name, Action Run)> works = new();

        // The end of every stack.
        [MethodImpl(MethodImplOptions.NoInlining)]
        public static void Stand() { standing.Signal(); Thread.Sleep(Timeout.Infinite); }

        [DllImport("libc")] static extern void qsort(void* items, nint count, nint size, delegate* unmanaged<void*, void*, int> compare);
        [DllImport("libc", EntryPoint = "qsort")] static extern void qsort_delegate(void* items, nint count, nint size, Compare compare);
        delegate int Compare(nint a, nint b);

        [UnmanagedCallersOnly] static int CompareOnly(void* a, void* b) { Stand(); return 0; }
        static void Sort() { var items = stackalloc int[2]; qsort(items, 2, 4, &CompareOnly); }
        static void SortByDelegate() { var items = stackalloc int[2]; Compare c = (a, b) => { Stand(); return 0; }; qsort_delegate(items, 2, 4, c); GC.KeepAlive(c); }

        [MethodImpl(MethodImplOptions.NoInlining)] static int Recurse(int depth, object held) { int r = depth == 0 ? End() : Recurse(depth - 1, new object()); GC.KeepAlive(held); return r + depth; }
        static int End() { Stand(); return 1; }
        [MethodImpl(MethodImplOptions.NoInlining)] static long Many(object a, int b, object c, long d, object e, object f, Large g, object h, double i, object j) { Stand(); GC.KeepAlive(a); GC.KeepAlive(c); GC.KeepAlive(e); GC.KeepAlive(f); GC.KeepAlive(h); GC.KeepAlive(j); return b + d + g.B + (long)i; }
        [MethodImpl(MethodImplOptions.NoInlining)] static void Throw(int depth) { if (depth == 0) throw new InvalidOperationException("on purpose"); Throw(depth - 1); GC.KeepAlive(depth); }
        [MethodImpl(MethodImplOptions.NoInlining)] static int Fault(Work w, int[] zero) => w == null ? w.GetHashCode() : 1 / zero[0];
        static bool Filter(Exception e) { Stand(); return true; }

        static void Catch() { var held = new object(); try { Throw(3); } catch (InvalidOperationException e) { Stand(); GC.KeepAlive(e); } GC.KeepAlive(held); }
        static void Finally() { var held = new object(); try { try { Throw(3); } finally { Stand(); GC.KeepAlive(held); } } catch (InvalidOperationException) { } }
        static void Filtered() { try { Throw(3); } catch (Exception e) when (Filter(e)) { } }
        static void Nested() { try { Throw(1); } catch (Exception a) { try { Throw(2); } catch (Exception b) { try { Fault(null, null); } catch (NullReferenceException c) { Stand(); GC.KeepAlive(a); GC.KeepAlive(b); GC.KeepAlive(c); } } } }
        static void Null() { try { Fault(null, null); } catch (NullReferenceException) { Stand(); } }
        static void Divide() { try { Fault(new Work(), new int[1]); } catch (DivideByZeroException) { Stand(); } }
        static void Ordinary() { try { GC.KeepAlive(works); } finally { Stand(); } }
        static void RethrowIn() { try { try { Throw(2); } catch (Exception) { throw; } } catch (Exception e) { Stand(); GC.KeepAlive(e); } }

        static void Dynamic()
        {
            var m = new DynamicMethod("Made", typeof(void), new[] { typeof(object), typeof(Action) }, typeof(Program).Module);
            var il = m.GetILGenerator();
            il.Emit(OpCodes.Ldarg_1); il.Emit(OpCodes.Callvirt, typeof(Action).GetMethod("Invoke")); il.Emit(OpCodes.Ldarg_0); il.Emit(OpCodes.Call, typeof(GC).GetMethod("KeepAlive")); il.Emit(OpCodes.Ret);
            m.CreateDelegate<Action<object, Action>>()(new object(), Stand);
        }
        static void Compiled() { var p = Expression.Parameter(typeof(Action)); Expression.Lambda<Action<Action>>(Expression.Invoke(p), p).Compile()(Stand); }
        static void Reflected() => typeof(Program).GetMethod(nameof(Stand)).Invoke(null, null);
        static IEnumerable<int> Iterate() { yield return 1; Stand(); yield return 2; }
        static void Spans() { Span<int> span = stackalloc int[100]; Span<object> of = new object[3]; ref var inner = ref of[1]; Stand(); inner = span.Length; }

        // Those that stand in the runtime's or the library's own waits; they signal before.
        static void Enter() { standing.Signal(); lock (monitor) { } }
        static void Waits() { var own = new object(); lock (own) { standing.Signal(); Monitor.Wait(own); } }
        static void Joins() { var t = new Thread(() => Thread.Sleep(Timeout.Infinite)) { IsBackground = true }; t.Start(); standing.Signal(); t.Join(); }
        static void Tasks() { standing.Signal(); new TaskCompletionSource().Task.Wait(); }
        static void Semaphore() { standing.Signal(); new SemaphoreSlim(0).Wait(); }
        static void Events() { standing.Signal(); WaitHandle.WaitAny(new WaitHandle[] { new AutoResetEvent(false), new ManualResetEvent(false) }); }
        static void Slim() { standing.Signal(); never.Wait(); }

        public static void Start()
        {
            void Add(string name, Action run) => works.Add((name, run));
            Add("interface", () => new Work().Do(20, Stand)); Add("generic", () => new Generic<string>().Call("a", 1, Stand)); Add("generic values", () => new Generic<Large>().Call(default, new object(), Stand));
            Add("generic shared", () => new Generic<object>().Call("a", new Dictionary<string, object>(), Stand)); Add("recursion", () => Recurse(60, null)); Add("arguments", () => Many("a", 1, "b", 2, "c", "d", new Large { A = "e", C = "f" }, "g", 3.0, "h"));
            Add("callback", Sort); Add("callback by delegate", SortByDelegate);
            Add("catch", Catch); Add("finally", Finally); Add("nested", Nested); Add("null", Null); Add("divide", Divide); Add("ordinary finally", Ordinary); Add("rethrow", RethrowIn);
            if (Environment.GetEnvironmentVariable("SAMPLES_FILTER") == "1") Add("filter", Filtered);
            Add("dynamic", Dynamic); Add("compiled", Compiled); Add("reflection", Reflected); Add("iterator", () => { foreach (int i in Iterate()) GC.KeepAlive(i); }); Add("spans", Spans);
            Add("query", () => kept.AddRange(Enumerable.Range(0, 3).Select(i => { Stand(); return (object)i; }).Where(o => o != null)));
            Add("sort", () => { var l = new List<int> { 3, 1, 2 }; l.Sort((a, b) => { Stand(); return a - b; }); });
            Add("initialiser", () => GC.KeepAlive(Initialised.Value)); Add("pool", () => { Task.Run(Stand); Thread.Sleep(Timeout.Infinite); }); Add("async", () => { Suspended.Run(); Thread.Sleep(Timeout.Infinite); });
            Add("enter", Enter); Add("wait", Waits); Add("join", Joins); Add("task", Tasks); Add("semaphore", Semaphore); Add("events", Events); Add("slim", Slim);
            standing = new CountdownEvent(works.Count);
            Monitor.Enter(monitor);
            foreach (var (name, run) in works)
            {
                var thread = new Thread(() => run()) { IsBackground = true, Name = name };
                thread.Start();
                kept.Add(thread);
            }
            standing.Wait();
            Thread.Sleep(200);
            // There has been no collection yet: it would find the callers of native code that it passes.
            if (Environment.GetEnvironmentVariable("SAMPLES_FIRST") == "1") { Console.WriteLine($"ready {Environment.ProcessId}"); while (Console.ReadLine() != null) Console.WriteLine("grown"); Environment.Exit(0); }
        }
    }
}
