// Delegates and collections, and what a reader of the heap should say is in them: the same as C# itself. A test finds the objects
// of type Samples.Called and Samples.Filled.
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Linq;
using System.Reflection;
using System.Reflection.Emit;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace Samples
{
    // The delegate "Value" calls, of "Count" the number "Index", the method "Name" of the type "Type".
    public class Called { public object Value; public int Count, Index; public string Type, Name; public object Target; }

    public interface ISpeaker { string Speak(int times); }
    public class Speaker : ISpeaker
    {
        public virtual string Speak(int times) => "…";
        string ISpeaker.Speak(int times) => "!";
        public static int Twice(int x) => 2 * x;
        public T Same<T>(T x) => x;
        public static T SameStatic<T>(T x) => x;
        public event EventHandler Spoken;
        public void Raise() => Spoken?.Invoke(this, EventArgs.Empty);
    }
    public class Loud : Speaker { public override string Speak(int times) => "LOUD"; public void Hear(object sender, EventArgs e) { } }
    public class Holder<T> { public T Value; public T Get() => Value; public static T None() => default; public class Nested<U> { public (T, U) Both() => default; } }
    public struct Counter { public int Count; public int Next() => ++Count; }
    public static class Extensions { public static int Half(this string s) => s.Length / 2; }

    public static class Delegates
    {
        static readonly List<object> all = new();
        static readonly List<object> kept = new();

        public static int LocalStatic(int x) => x + 1;
        public static async Task<int> Later(int x) { await Task.Yield(); return x; }

        static void Add(Delegate d)
        {
            var list = d.GetInvocationList();
            for (int i = 0; i < list.Length; i++)
                all.Add(new Called { Value = d, Count = list.Length, Index = i, Type = list[i].Method.DeclaringType == null ? "" : list[i].Method.DeclaringType.FullName, Name = list[i].Method.Name, Target = list[i].Target });
        }

        public static void Make()
        {
            int captured = 5;
            string text = "captured";
            var loud = new Loud();
            ISpeaker speaker = new Speaker();
            int Local(int x) => x + captured;
            static int LocalAlone(int x) => x;
            Add((Func<int, int>)LocalStatic); Add((Func<int, int>)Speaker.Twice); Add((Func<int, string>)loud.Speak); Add((Func<int, string>)speaker.Speak); Add((Func<int, string>)new Speaker().Speak);
            Add((Func<int, int>)Local); Add((Func<int, int>)LocalAlone); Add((Func<int, int>)(x => x * 3)); Add((Func<int>)(() => captured + text.Length)); Add((Func<int, Func<int>>)(x => () => x)); Add(((Func<int, Func<int>>)(x => () => x))(4));
            Add((Func<string, string>)loud.Same); Add((Func<int, int>)loud.Same); Add((Func<int, int>)Speaker.SameStatic); Add((Func<string, string>)Speaker.SameStatic);
            Add((Func<int>)new Holder<int>().Get); Add((Func<string>)new Holder<string>().Get); Add((Func<object>)Holder<object>.None); Add((Func<Guid>)Holder<Guid>.None); Add((Func<(int, string)>)new Holder<int>.Nested<string>().Both); Add((Func<(string, object)>)new Holder<string>.Nested<object>().Both);
            Add((Func<int>)new Counter().Next); Add((Func<int>)"four".Half); Add((Func<Task<int>>)(() => Later(1))); Add((Func<int, Task<int>>)(async x => await Later(x)));
            Add((Action<string>)Console.WriteLine); Add((Func<string>)"x".ToString); Add((Func<string>)new object().ToString); Add((Func<int>)new object().GetHashCode); Add((Func<int>)5.GetHashCode); Add((Func<string, string>)string.Intern); Add((Action)new List<int>().Clear); Add((Action<string>)new List<string>().Add); Add((Action)new HashSet<int>().TrimExcess); Add((Func<double, double>)Math.Sqrt); Add((Action)GC.Collect); Add((Func<string, bool>)string.IsNullOrEmpty); Add((Func<string, string, bool>)string.Equals);
            Add((Func<Speaker, int, string>)Delegate.CreateDelegate(typeof(Func<Speaker, int, string>), typeof(Speaker).GetMethod("Speak"))); Add(Delegate.CreateDelegate(typeof(Func<ISpeaker, int, string>), typeof(ISpeaker).GetMethod("Speak"))); Add(Delegate.CreateDelegate(typeof(Func<int>), "closed", typeof(Extensions).GetMethod("Half"))); Add(Delegate.CreateDelegate(typeof(Func<string, int>), typeof(Extensions).GetMethod("Half")));
            Action none = () => { };
            Add(none + (() => kept.Clear()) + loud.Raise + GC.Collect);
            EventHandler heard = loud.Hear;
            Add(heard + heard + ((s, e) => { }));
            loud.Spoken += loud.Hear; loud.Spoken += (s, e) => kept.Add(s);
            // Hot ones, whose code is made again.
            Func<int, int> hot = LocalStatic; Func<int, string> hotVirtual = loud.Speak; Func<int, int> hotLambda = x => x + captured;
            long sum = 0;
            for (int round = 0; round < 40; round++) { for (int i = 0; i < 2000; i++) sum += hot(i) + hotVirtual(1).Length + hotLambda(2); if (round % 10 == 0) Thread.Sleep(30); }
            Add(hot); Add(hotVirtual); Add(hotLambda);
            var made = new DynamicMethod("Made", typeof(int), Type.EmptyTypes, typeof(Delegates).Module);
            var il = made.GetILGenerator(); il.Emit(OpCodes.Ldc_I4_7); il.Emit(OpCodes.Ret);
            var called = (Func<int>)made.CreateDelegate(typeof(Func<int>)); called();
            all.Add(new Called { Value = called, Count = 1, Type = "", Name = "Made" });
            kept.Add(loud); kept.Add(sum);
        }
    }
}
