// Delegates and collections, and what a reader of the heap should say is in them: the same as C# itself. A test finds the objects
// of type Samples.Called and Samples.Filled.
using System;
using System.Collections.Concurrent;
using System.Collections.Frozen;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Collections.ObjectModel;
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

namespace Samples
{
    // What is in the collection "Value", a line each: "[3] = value" or "[key] = value", as C# goes through it.
    public class Filled { public object Value; public string[] Wanted; public int Count; }
    public enum Level { Low, High }
    public struct Place { public int X, Y; }
    public struct Big { public long A, B, C, D; public string Name; }

    public static class Collections
    {
        static readonly List<object> all = new();
        static readonly System.Globalization.CultureInfo Invariant = System.Globalization.CultureInfo.InvariantCulture;

        static string Say(object o) => o switch
        {
            null => "null", string s => "\"" + s + "\"", char c => "'" + c + "'", bool b => b ? "true" : "false", Place p => "{" + p.X + ", " + p.Y + "}", Guid g => g.ToString(), DateTime d => d.ToString("yyyy-MM-dd HH:mm:ss", Invariant),
            ValueTuple<int, string> t => "{" + t.Item1 + ", " + Say(t.Item2) + "}", Big b => "{" + b.A + ", " + b.B + ", " + b.C + ", " + b.D + ", " + Say(b.Name) + "}", Enum e => e.ToString(), IFormattable f => f.ToString(null, Invariant), _ => o.GetType().Name,
        };
        static void Each<T>(IEnumerable<T> values) => all.Add(new Filled { Value = values, Wanted = values.Select((v, i) => "[" + i + "] = " + Say(v)).ToArray(), Count = values.Count() });
        static void Slice<T>(object slice, IEnumerable<T> values) { Each(values); ((Filled)all[^1]).Value = slice; }
        static void Pairs<K, V>(IEnumerable<KeyValuePair<K, V>> values) => all.Add(new Filled { Value = values, Wanted = values.Select(p => "[" + Say(p.Key) + "] = " + Say(p.Value)).ToArray(), Count = values.Count() });

        public static void Make()
        {
            var random = new Random(42);
            Each(new List<int>()); Each(new List<int> { 1, 2, 3 }); Each(new List<string>(100) { "a", null, "c" }); Each(new List<Place> { new() { X = 1, Y = 2 }, new() { X = 3 } }); Each(new List<int?> { 1, null }); Each(new List<object> { 1, "two", null }); Each(new List<(int, string)> { (1, "a"), (2, null) }); Each(Enumerable.Range(0, 5000).ToList()); Each(new List<Big> { new() { A = 1, Name = "big" } }); Each(new List<List<int>> { new() { 1 }, null });
            var removed = Enumerable.Range(0, 100).ToList(); removed.RemoveAll(x => x % 3 == 0); Each(removed);
            Each(new Stack<int>(new[] { 1, 2, 3 })); Each(new Stack<string>()); Each(new Queue<int>(new[] { 1, 2, 3 })); Each(new Queue<string>());
            var ring = new Queue<int>(8); for (int i = 0; i < 30; i++) { ring.Enqueue(i); if (ring.Count > 6) ring.Dequeue(); } Each(ring);
            Each(new HashSet<int> { 5, 3, 9 }); Each(new HashSet<string> { "x", "y" }); Each(new HashSet<Place> { new() { X = 7, Y = 8 } }); Each(new HashSet<Guid>());
            var holes = new HashSet<int>(Enumerable.Range(0, 200)); for (int i = 0; i < 200; i += 2) holes.Remove(i); holes.Add(1000); Each(holes);
            Each(new LinkedList<int>(new[] { 1, 2, 3 })); Each(new LinkedList<string>()); Each(new LinkedList<Place>(new[] { new Place { X = 1, Y = 1 } })); Each(new SortedSet<int>(Enumerable.Range(0, 1000).OrderBy(_ => random.Next()))); Each(new SortedSet<string> { "b", "a" }); Each(new SortedSet<int>());
            Pairs(new Dictionary<int, string>()); Pairs(new Dictionary<int, string> { [1] = "one", [2] = null }); Pairs(new Dictionary<string, int> { ["a"] = 1, ["b"] = 2 }); Pairs(new Dictionary<Level, Place> { [Level.High] = new() { X = 1, Y = 2 } }); Pairs(new Dictionary<Place, string> { [new() { X = 1, Y = 2 }] = "here", [new() { X = 3, Y = 4 }] = "there" }); Pairs(new Dictionary<Guid, DateTime> { [new Guid(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)] = new DateTime(2024, 1, 2) }); Pairs(new Dictionary<char, bool> { ['x'] = true }); Pairs(new Dictionary<string, object> { ["n"] = 5, ["s"] = "text", ["null"] = null }); Pairs(new Dictionary<(int, string), int?> { [(1, "k")] = 4, [(2, null)] = null }); Pairs(new Dictionary<long, Big> { [4] = new() { D = 4, Name = "d" } });
            var many = Enumerable.Range(0, 3000).ToDictionary(i => "key" + i, i => i); for (int i = 0; i < 3000; i += 7) many.Remove("key" + i); many["again"] = -1; Pairs(many);
            Pairs(new SortedDictionary<string, int> { ["b"] = 2, ["a"] = 1, ["c"] = 3 }); Pairs(new SortedDictionary<int, Place>()); Pairs(new SortedList<string, int> { ["b"] = 2, ["a"] = 1 }); Pairs(new SortedList<int, string>(20) { [3] = "c", [1] = "a" });
            Pairs(new ConcurrentDictionary<string, int>(new Dictionary<string, int> { ["a"] = 1, ["b"] = 2, ["c"] = 3 })); Pairs(new ConcurrentDictionary<int, string>()); Pairs(new ConcurrentDictionary<Place, Level> { [new() { X = 5 }] = Level.High });
            var concurrent = new ConcurrentDictionary<int, int>(); for (int i = 0; i < 2000; i++) concurrent[i] = -i; for (int i = 0; i < 2000; i += 3) concurrent.TryRemove(i, out _); Pairs(concurrent);
            Each(new List<object>(new System.Collections.ArrayList { 1, "x" }.ToArray()));
            var urgent = new PriorityQueue<int, string>(); foreach (int i in new[] { 3, 1, 2 }) urgent.Enqueue(i, "p" + i);
            all.Add(new Filled { Value = urgent, Wanted = urgent.UnorderedItems.Select((v, i) => "[" + i + "] = {" + v.Element + ", " + Say(v.Priority) + "}").ToArray(), Count = 3 });
            all.Add(new Filled { Value = new System.Collections.ArrayList { "x", null, "y" }, Wanted = new[] { "[0] = \"x\"", "[1] = null", "[2] = \"y\"" }, Count = 3 });
            // It says them from the last bucket to the first.
            var table = new System.Collections.Hashtable(); for (int i = 0; i < 50; i++) table["key" + i] = "value" + i;
            for (int i = 0; i < 50; i += 3) table.Remove("key" + i);
            all.Add(new Filled { Value = table, Wanted = table.Cast<System.Collections.DictionaryEntry>().Reverse().Select(p => "[" + Say(p.Key) + "] = " + Say(p.Value)).ToArray(), Count = table.Count });
            Each(ImmutableArray.Create(1, 2, 3)); Each(ImmutableArray.Create("a", null)); Each(ImmutableArray<Place>.Empty); Each(ImmutableArray.Create(new Place { X = 1, Y = 2 }, default)); Each((IEnumerable<int?>)ImmutableArray.Create<int?>(1, null));
            var digits = Enumerable.Range(0, 10).ToArray(); var words = new[] { "a", "b", null, "d" };
            Each(new ArraySegment<int>(digits, 3, 4)); Each(new ArraySegment<string>(words, 1, 2)); Each(new ArraySegment<int>(digits, 10, 0)); Each(new ArraySegment<int>(digits)); Each(new ArraySegment<Place>(new Place[] { default, new() { X = 5 } }, 1, 1));
            Slice(digits.AsMemory(2, 5), digits[2..7]); Slice((ReadOnlyMemory<string>)words.AsMemory(1), words[1..]); Slice(digits.AsMemory(10), new int[0]); Slice(System.Runtime.InteropServices.MemoryMarshal.CreateFromPinnedArray(GC.AllocateArray<long>(6, true), 4, 2), new long[2]);
            Each(new ReadOnlyCollection<int>(new List<int>(50) { 1, 2 })); Each(new ReadOnlyCollection<string>(words)); Each(Array.AsReadOnly(new[] { new Place { X = 6 } })); Each(new ReadOnlyCollection<int>(new ReadOnlyCollection<int>(digits))); Each(new Collection<string> { "x", null }); Each(new ObservableCollection<int> { 7, 8 }); Each(new ReadOnlyObservableCollection<int>(new ObservableCollection<int> { 9 })); Each(new Collection<long>(new long[] { 4, 5 }));
            Pairs(new ReadOnlyDictionary<string, int>(new Dictionary<string, int> { ["a"] = 1, ["b"] = 2 })); Pairs(new ReadOnlyDictionary<int, Place>(new SortedDictionary<int, Place> { [3] = new() { Y = 1 }, [1] = default }));
            Each(ImmutableList.Create(3, 1, 2)); Each(ImmutableList<string>.Empty); Each(ImmutableList.CreateRange(Enumerable.Range(0, 3000).Select(i => i % 5 == 0 ? null : "item" + i)).RemoveRange(100, 700).Insert(3, "new")); Each(ImmutableList.Create(new Place { X = 4 }, default));
            Pairs(ImmutableDictionary<string, int>.Empty); Pairs(ImmutableDictionary.CreateRange(many.Take(500)).Remove("key9").SetItem("key10", -10)); Pairs(ImmutableDictionary<int, Place>.Empty.Add(7, new() { X = 1 }).Add(-7, default)); Pairs(ImmutableDictionary<Place, string>.Empty.Add(new() { Y = 3 }, "three").Add(default, null));
            Pairs(ImmutableSortedDictionary.CreateRange(many.Take(100))); Pairs(ImmutableSortedDictionary<int, Level>.Empty); Each(ImmutableSortedSet.Create(5, 1, 9)); Each(ImmutableSortedSet<string>.Empty); Each(ImmutableHashSet.CreateRange(Enumerable.Range(0, 300).Select(i => i * 77))); Each(ImmutableHashSet<string>.Empty.Add("a").Add("b")); Each(ImmutableHashSet<long>.Empty);
            Pairs(new Dictionary<string, int> { ["a"] = 1, ["b"] = 2 }.ToFrozenDictionary()); Pairs(many.Take(200).ToFrozenDictionary()); Pairs(many.Take(20).ToFrozenDictionary(StringComparer.OrdinalIgnoreCase)); Pairs(new[] { "x", "xy", "xyz", "abcd", "abcde" }.ToFrozenDictionary(w => w, w => w.Length)); Pairs(Enumerable.Range(0, 5).ToFrozenDictionary(i => i * 1000, i => "n" + i)); Pairs(Enumerable.Range(0, 50).ToFrozenDictionary(i => i * 1000, i => -i)); Pairs(Enumerable.Range(10, 50).ToFrozenDictionary(i => i, i => i * 2)); Pairs(Enumerable.Range(1, 30).ToFrozenDictionary(i => (long)i * i * 1000, i => i)); Pairs(Enumerable.Range(1, 30).ToFrozenDictionary(i => new Place { X = i }, i => "at" + i)); Pairs(new Dictionary<Level, int> { [Level.High] = 1 }.ToFrozenDictionary());
            Each(new[] { "a", "bc", "def" }.ToFrozenSet()); Each(many.Keys.Take(300).ToFrozenSet()); Each(Enumerable.Range(0, 100).Select(i => i * i).ToFrozenSet()); Each(Enumerable.Range(5, 40).ToFrozenSet()); Each(new[] { 1, 7 }.ToFrozenSet()); Each(Enumerable.Range(0, 20).Select(i => new Place { Y = i }).ToFrozenSet());
            var text = new StringBuilder(); for (int i = 0; i < 5000; i++) text.Append("part ").Append(i).Append(' ');
            text.Remove(10, 5); text.Insert(3, "inserted");
            foreach (var b in new[] { text, new StringBuilder(), new StringBuilder("short") }) all.Add(new Filled { Value = b, Wanted = new[] { " = " + Say(b.ToString()) }, Count = 1 });
        }
    }
}
