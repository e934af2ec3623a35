// Objects with fields of every kind, and what each field should be shown as: loaded into the reference program by
// DOTNET_STARTUP_HOOKS=samples.dll, so that one library serves every runtime. A test finds the objects of type Samples.Case:
// "Path" of the object "Value" is "Wanted".
using System;
using System.Collections.Generic;
using System.Globalization;
using System.Numerics;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;
using System.Threading;

internal class StartupHook
{
    public static void Initialize()
    {
        if (Environment.GetEnvironmentVariable("SAMPLES") == "waits") Waits.Program.Start();
        else if (Environment.GetEnvironmentVariable("SAMPLES") == "locks") Locks.Program.Start();
        else if (Environment.GetEnvironmentVariable("SAMPLES") == "stacks") Stacks.Program.Start();
        else if (Environment.GetEnvironmentVariable("SAMPLES") == "storm") Storm.Program.Start();
        else if (Environment.GetEnvironmentVariable("SAMPLES") == "numbers") Numbers.Program.Start();
        else Samples.Program.Start();
    }
}

namespace Samples
{
    public class Case { public string Path, Wanted; public object Value; }

    public enum Signed { Minus = -2, Zero = 0, One = 1 }
    public enum Small : byte { A, B, C = 255 }
    public enum Long : long { Lowest = long.MinValue, Highest = long.MaxValue }
    public enum ULong : ulong { Highest = ulong.MaxValue }
    public enum Short : short { Minus = -1 }
    public enum Plain { A = 1, B = 2, C = 4 }
    [Flags] public enum Colors { None = 0, Red = 1, Green = 2, Blue = 4, Cyan = Green | Blue }
    [Flags] public enum Bits : byte { Low = 1, High = 128 }

    public class Integers
    {
        public bool No, Yes = true;
        public sbyte SByteMin = sbyte.MinValue, SByteMax = sbyte.MaxValue;
        public byte ByteMax = byte.MaxValue;
        public short ShortMin = short.MinValue, ShortMax = short.MaxValue;
        public ushort UShortMax = ushort.MaxValue;
        public int IntMin = int.MinValue, IntMax = int.MaxValue, Zero;
        public uint UIntMax = uint.MaxValue;
        public long LongMin = long.MinValue, LongMax = long.MaxValue;
        public ulong ULongMax = ulong.MaxValue;
        public Int128 Int128Min = Int128.MinValue, Int128Max = Int128.MaxValue, Int128One = -1;
        public UInt128 UInt128Max = UInt128.MaxValue;
        public nint NativeMinus = -1, Native = 0x1234;
        public nuint NativeU = 0xffff;
        public char Letter = 'x', Cyrillic = 'Ж', Quote = '\'', Newline = '\n', Surrogate = '\ud800';
        public Rune Rune = new(0x1f600), RuneA = new('a');
    }

    public class Reals
    {
        public double Tenth = 0.1, Max = double.MaxValue, Min = double.MinValue, Epsilon = double.Epsilon, NaN = double.NaN, Infinity = double.PositiveInfinity,
                      MinusInfinity = double.NegativeInfinity, MinusZero = -0.0, Zero = 0.0, Large = 1e15, Larger = 1e16, Small = 1e-4, Smaller = 1e-5, Third = 1 / 3.0, Whole = 123456789, E14 = 1e14, D16 = 1234567890123456, D17 = 12345678901234568, D18 = 123456789012345680, E5 = 0.00012345, E6 = 0.000012345, Two = 2, Hundred = 100;
        public float FTenth = 0.1f, FMax = float.MaxValue, FEpsilon = float.Epsilon, FNaN = float.NaN, FInfinity = float.PositiveInfinity, FMinusZero = -0.0f, FThird = 1 / 3f, F1e7 = 1e7f, F16777216 = 16777216f, FLong = 123456789f, F1e6 = 1e6f, FTiny = 1.17549435E-38f;
        public Half HTenth = (Half)0.1, HMax = Half.MaxValue, HEpsilon = Half.Epsilon, HNaN = Half.NaN, HMinus = Half.NegativeInfinity, H1000 = (Half)1000, H2048 = (Half)2048, H2050 = (Half)2050, H10000 = (Half)10000, HThird = (Half)(1 / 3.0), HNormal = (Half)6.104e-05, HSmall = (Half)0.001;
        public decimal DZero, DOne = 1.0m, DTrailing = 1.500m, DMax = decimal.MaxValue, DMin = decimal.MinValue, DSmall = 0.0000000000000000000000000001m, DMinus = -12.34m;
    }

    public class Times
    {
        public DateTime Utc = new(2024, 2, 29, 23, 59, 59, DateTimeKind.Utc), Local = new(1999, 12, 31, 1, 2, 3, DateTimeKind.Local), Unspecified = new(2000, 1, 1), Min = DateTime.MinValue,
                        Max = DateTime.MaxValue, Ticks = new DateTime(2020, 6, 15, 12, 0, 0, DateTimeKind.Utc).AddTicks(1234567), Milli = new DateTime(1900, 3, 1).AddMilliseconds(5);
        public DateTimeOffset East = new(2024, 5, 6, 7, 8, 9, TimeSpan.FromMinutes(345)), West = new(2024, 1, 1, 0, 30, 0, TimeSpan.FromHours(-9.5)), UtcOffset = DateTimeOffset.UnixEpoch,
                              OffsetMin = DateTimeOffset.MinValue, OffsetMax = DateTimeOffset.MaxValue;
        public TimeSpan Span = new(1, 2, 3, 4, 5), SpanMinus = TimeSpan.FromTicks(-1), SpanMin = TimeSpan.MinValue, SpanMax = TimeSpan.MaxValue, SpanZero, SpanHour = TimeSpan.FromHours(25);
        public DateOnly Date = new(2024, 2, 29), DateMin = DateOnly.MinValue, DateMax = DateOnly.MaxValue;
        public TimeOnly Time = new(23, 59, 59), TimeMax = TimeOnly.MaxValue, TimeMin = TimeOnly.MinValue;
        public Guid Guid = new("00112233-4455-6677-8899-aabbccddeeff"), Empty;
    }

    public class Enums
    {
        public Signed Minus = Signed.Minus, Zero = Signed.Zero, Unknown = (Signed)77, UnknownMinus = (Signed)(-5), Three = (Signed)3;
        public Small B = Small.B, C = Small.C, SmallUnknown = (Small)7;
        public Long Lowest = Long.Lowest, Highest = Long.Highest, LongUnknown = (Long)5;
        public ULong UHighest = ULong.Highest;
        public Short ShortMinus = Short.Minus, ShortUnknown = (Short)(-9);
        public Colors None, Red = Colors.Red, RedBlue = Colors.Red | Colors.Blue, Cyan = Colors.Cyan, All = Colors.Cyan | Colors.Red, Some = (Colors)8, More = (Colors)9;
        public Bits Both = Bits.Low | Bits.High, NoBits;
        public Plain PlainB = Plain.B, PlainBoth = (Plain)3, PlainMore = (Plain)12;
        public DayOfWeek Day = DayOfWeek.Friday;
        public BindingFlags Binding = BindingFlags.Instance | BindingFlags.Public;
    }

    public struct Point { public int X, Y; }
    public struct Deep { public byte First; public Point Where; public string Name; public Pair<Point, long> Pair; public DateTime? When; }
    public struct Pair<K, V> { public K Key; public V Value; }
    public struct Triple<A, B, C> { public A First; public Pair<B, C> Rest; }
    public struct Odd { public byte A; public long B; public byte C; }
    public struct Nothing { }

    public class Nullables
    {
        public bool? Bool = true, NoBool; public byte? Byte = 200, NoByte; public short? Short = -3, NoShort; public int? Int = 5, NoInt; public long? Long = -6, NoLong; public char? Char = 'q', NoChar;
        public double? Double = 2.5, NoDouble; public float? Float = 1.5f, NoFloat; public decimal? Decimal = 7.25m, NoDecimal; public Guid? Guid = new Guid("ffeeddcc-bbaa-9988-7766-554433221100"), NoGuid;
        public DateTime? Date = new DateTime(2024, 1, 2), NoDate; public DateTimeOffset? Offset = new DateTimeOffset(2024, 1, 2, 3, 4, 5, TimeSpan.FromHours(1)), NoOffset; public TimeSpan? Span = TimeSpan.FromDays(2), NoSpan;
        public DateOnly? Day = new DateOnly(2000, 1, 1), NoDay; public TimeOnly? Time = new TimeOnly(1, 2), NoTime; public Int128? Wide = 99, NoWide; public Half? Half = (System.Half)3.5, NoHalf; public Rune? Rune = new Rune('r'), NoRune;
        public Signed? Enum = Signed.Minus, NoEnum; public Small? SmallEnum = Small.B, NoSmallEnum; public Colors? Flags = Colors.Red | Colors.Blue, NoFlags; public Point? Point = new Point { X = 1, Y = 2 }, NoPoint;
        public Pair<int, string>? Pair = new Pair<int, string> { Key = 8, Value = "eight" }, NoPair; public (int, long)? Tuple = (3, 4), NoTuple; public nint? Native = 5, NoNative;
    }

    public class Structs
    {
        public Point Point = new() { X = -1, Y = 1 };
        public Deep Deep = new() { First = 1, Where = new Point { X = 2, Y = 3 }, Name = "deep", Pair = new Pair<Point, long> { Key = new Point { X = 4, Y = 5 }, Value = 6 }, When = new DateTime(2021, 1, 1) };
        public Pair<string, int> Pair = new() { Key = "key", Value = 12 };
        public Pair<Pair<byte, string>, Pair<string, Guid>> Nested = new() { Key = new Pair<byte, string> { Key = 1, Value = "v" }, Value = new Pair<string, Guid> { Key = "k", Value = new Guid(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11) } };
        public Triple<int, Small, double> Triple = new() { First = 1, Rest = new Pair<Small, double> { Key = Small.C, Value = 0.25 } };
        public KeyValuePair<string, int> KeyValue = new("a", 1);
        public KeyValuePair<Guid, DateTime> KeyValue2 = new(new Guid("12345678-1234-1234-1234-123456789abc"), DateTime.UnixEpoch);
        public (int A, string B, (byte, bool) C) Tuple = (1, "two", (3, true));
        public (int, int, int, int, int, int, int, int, int) LongTuple = (1, 2, 3, 4, 5, 6, 7, 8, 9);
        public Memory<byte> Memory = new byte[10].AsMemory(2, 5);
        public ArraySegment<char> Segment = new("abc".ToCharArray(), 1, 2);
        public Odd Odd = new() { A = 1, B = 2, C = 3 };
        public Index Index = ^3; public Range Range = 1..^2;
        public HashCode Hash; public GCHandle Handle;
        public Nothing Nothing; public int AfterNothing = 5;
    }

    [StructLayout(LayoutKind.Explicit)] public struct Union { [FieldOffset(0)] public int Whole; [FieldOffset(0)] public short Low; [FieldOffset(2)] public short High; [FieldOffset(8)] public long Next; [FieldOffset(8)] public double Real; }
    [StructLayout(LayoutKind.Sequential, Pack = 1)] public struct Packed { public byte A; public int B; public long C; public short D; }
    [StructLayout(LayoutKind.Explicit)] public class Explicit { [FieldOffset(16)] public int At16 = 16; [FieldOffset(4)] public int At4 = 4; [FieldOffset(24)] public string Text = "at 24"; }
    public unsafe struct Fixed { public fixed int Five[5]; public byte After; }
    [InlineArray(4)] public struct Inline { public long First; }
    [InlineArray(5)] public struct InlineBytes { public byte First; }
    [InlineArray(2)] public struct InlinePoints { public Point First; }
    public unsafe struct FixedBytes { public fixed byte Some[5]; }
    public class Buffers { public Inline Longs; public InlineBytes Bytes; public InlinePoints Points; public FixedBytes Fixed; public InlineBytes LastBytes; }
    public class Layouts { public Union Union = new() { Whole = 0x00020001, Next = 0x3ff0000000000000 }; public Packed Packed = new() { A = 1, B = 2, C = 3, D = 4 }; public byte Last = 9; public Fixed Fixed; public Inline Inline; public int AfterInline = 11; }

    public class Base { private int hidden = 1; protected string Name = "base"; public int Get() => hidden; }
    public class Derived : Base { private int hidden = 2; public new string Name = "derived"; public int Own = 3; public string Auto { get; set; } = "auto"; public int ReadOnly { get; } = 7; public int Hidden() => hidden; }
    public class Generic<T> { public T Value; public T[] Many; public Generic<T> Next; public Pair<T, int> Pair; public class Inside<U> { public T First; public U Second; public Pair<U, T> Both; } }
    public class GenericDerived : Generic<DateTime> { public int Own = 4; }
    public record Record(int Id, string Name, decimal Price);
    public record struct RecordStruct(int Id, Colors Color);
    public class Known
    {
        public Version Two = new(1, 2), Three = new(1, 2, 3), Four = new(10, 0, 2147483647, 4), Zero = new();
        public Uri Uri = new("https://example.com/a%20b?c=1#d"), Relative = new("a/b", UriKind.Relative), Unicode = new("http://пример.рф/путь");
        public System.Net.IPAddress Local = System.Net.IPAddress.Loopback, Any = System.Net.IPAddress.Any, High = System.Net.IPAddress.Parse("254.1.200.255");
        public System.Net.IPAddress[] Addresses = Array.ConvertAll(new[] { "::", "::1", "1::", "fe80::1%7", "2001:db8::1:0:0:1", "2001:db8:0:1:1:1:1:1", "1:0:0:2:0:0:0:3", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6::", "::ffff:192.0.2.128", "::192.0.2.128", "::1:0", "::ffff:0:1.2.3.4", "fe80::5efe:10.0.0.1", "2001:db8::5efe:10.0.0.1%3", "0:1::", "::2:0:0:3", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff%4294967295", "::ffff:0:0", "0:0:1::5efe:1.2.3.4" }, System.Net.IPAddress.Parse);
        public System.Net.IPEndPoint Here = new(System.Net.IPAddress.Loopback, 65535), There = new(System.Net.IPAddress.Parse("fe80::2%3"), 80), Everywhere = new(System.Net.IPAddress.IPv6Any, 0);
        public BigInteger BigZero = 0, BigSmall = -5, BigMin = int.MinValue, BigInt = int.MaxValue, BigWord = 4294967296, BigNegative = -BigInteger.Pow(10, 40), BigPower = BigInteger.Pow(2, 4095) - 1, BigTens = BigInteger.Pow(10, 27), BigHuge = -BigInteger.Pow(2, 5000);
        public BigInteger? BigMaybe = BigInteger.Pow(7, 77), NoBig;
        public Lazy<int> NotYet = new(() => 3), Made = Get(new Lazy<int>(() => 4));
        public Lazy<string> Text = Get(new Lazy<string>(() => "lazy")), NoText = Get(new Lazy<string>(() => null)), Given = new("given");
        public Lazy<DateTime> Date = Get(new Lazy<DateTime>(() => DateTime.UnixEpoch)), NoDate = new();
        public Lazy<Small?> Enum = Get(new Lazy<Small?>(() => Small.B));
        public Range? MaybeRange = 2..; public Index? MaybeIndex = ^1, NoIndex;
        static Lazy<T> Get<T>(Lazy<T> lazy) { _ = lazy.Value; return lazy; }
        public void Throw() { try { _ = Failed.Value; } catch (InvalidOperationException) { } }
        public Lazy<int> Failed = new(() => throw new InvalidOperationException());
    }
    public class Words { public string Null, Empty = "", Plain = "plain", Quotes = "say \"hi\"", Lines = "a\nb\tc\\", Cyrillic = "Привет", Face = "😀", Lone = "\ud800x", Nul = "a\0b"; public object Boxed = 42; public object Nobody; }
    public class Closure { public Func<int> Make(int captured, string text) { return () => captured + text.Length; } }

    public static class Program
    {
        static readonly List<Case> cases = new();
        static readonly List<object> others = new();

        public static void Start()
        {
            Catch();
            Delegates.Make();
            Collections.Make();
            MakeBuffers();
            var known = new Known(); known.Throw();
            foreach (object o in new object[] { known, new Integers(), new Reals(), new Times(), new Enums(), new Nullables(), new Structs(), MakeLayouts(), new Explicit(), new Derived(), new GenericDerived { Value = DateTime.UnixEpoch, Pair = new() { Key = DateTime.MaxValue, Value = 3 } },
                new Generic<string> { Value = "t", Pair = new() { Key = "k", Value = 1 } }, new Generic<int> { Value = 5, Pair = new() { Key = 6, Value = 7 } }, new Generic<Point> { Value = new Point { X = 8, Y = 9 }, Pair = new() { Key = new Point { X = 1, Y = 2 }, Value = 3 } },
                new Generic<Colors?> { Value = Colors.Blue, Pair = new() { Value = 3 } }, new Generic<Pair<string, Small>> { Value = new() { Key = "x", Value = Small.B }, Pair = new() { Key = new() { Key = "y", Value = Small.C }, Value = 4 } },
                new Generic<string>.Inside<int> { First = "f", Second = 2, Both = new() { Key = 3, Value = "b" } }, new Generic<Guid>.Inside<string> { Second = "s", Both = new() { Key = "k" } },
                new Record(1, "record", 9.99m), new RecordStruct(2, Colors.Red | Colors.Green), new Words(),
                5, -7L, 2.5, 'c', true, (byte)9, 1.25f, 3.5m, DateTime.UnixEpoch, TimeSpan.FromSeconds(1.5), Guid.Empty, Signed.Minus, Colors.Red | Colors.Blue, new Point { X = 1, Y = 2 }, (Int128)(-5), (Half)1.5, new Rune('z'), (nint)16, new KeyValuePair<int, string>(1, "one"), (1, "tuple"), DateTimeOffset.UnixEpoch, new DateOnly(2024, 1, 1), new Pair<Guid, int?> { Value = 4 } })
                Walk(o, o, "");
            foreach (Array a in new Array[] { known.Addresses, new[] { 1, -2, 3 }, new bool[] { true, false }, new[] { 'a', '\'' }, new[] { "one", null, "three" }, new double?[] { 1.5, null }, new int?[] { null, 4 }, new[] { Signed.One, Signed.Minus }, new[] { Colors.Red | Colors.Blue, Colors.None }, new Small?[] { Small.C, null },
                new[] { new Point { X = 1, Y = 2 }, new Point { X = 3, Y = 4 } }, new Point?[] { new Point { X = 5, Y = 6 }, null }, new[] { new Pair<string, int> { Key = "k", Value = 1 }, default }, new[] { new KeyValuePair<int, Guid>(1, Guid.Empty) }, new[] { (1, "a", 2.5m), (2, null, 0m) },
                new[] { DateTime.UnixEpoch, DateTime.MaxValue }, new[] { 1.5m, -2m }, new[] { new Guid("00112233-4455-6677-8899-aabbccddeeff") }, new[] { DateTimeOffset.UnixEpoch }, new Half[] { (Half)1 }, new[] { new Deep { Name = "d", Pair = new() { Value = 3 } } }, new DateTime?[] { DateTime.UnixEpoch, null },
                new int[2, 3] { { 1, 2, 3 }, { 4, 5, 6 } }, new string[2, 1, 2] { { { "a", "b" } }, { { "c", null } } }, new Point[1, 2], Lower(), LowerOne(), new nint[] { 1 }, new ulong[] { ulong.MaxValue }, new sbyte[] { -1 }, new float[] { 0.1f }, new Odd[] { new() { A = 1, B = 2, C = 3 }, new() { A = 4, B = 5, C = 6 } }, new Union[] { new() { Whole = 5 } } })
                foreach (var indexes in Indexes(a)) WalkValue(a, a.GetType().GetElementType(), a.GetValue(indexes), "[" + string.Join(',', indexes) + "]");
            others.Add(new int[][] { new[] { 1 }, null, new[] { 2, 3 } });
            others.Add(new Closure().Make(5, "captured")); others.Add((Action<string>)Console.WriteLine); others.Add(Sequence().GetEnumerator());
            others.Add(new object[] { 1, "two", null, 3.0 }); others.Add(new Dictionary<Colors, (int, DateTime?)> { [Colors.Red] = (1, null), [Colors.Blue] = (2, DateTime.UnixEpoch) });
            others.Add(new SortedDictionary<string, List<int?>> { ["a"] = new() { 1, null } }); others.Add(new Lazy<int>(() => 3)); others.Add(new WeakReference("weak")); others.Add(new Exception("message"));
        }

        // A thread that is at work on an exception, for ever.
        static void Catch()
        {
            using var caught = new ManualResetEventSlim();
            new Thread(() => { try { throw new FormatException("kept"); } catch (FormatException) { caught.Set(); Thread.Sleep(Timeout.Infinite); } }) { IsBackground = true, Name = "in catch" }.Start();
            caught.Wait();
        }

        // What reflection does not tell: all elements of buffers.
        static unsafe void MakeBuffers()
        {
            var b = new Buffers();
            for (int i = 0; i < 4; i++) { b.Longs[i] = 100 + i; Add(b, i == 0 ? "Longs.First" : $"Longs.[{i}]", (100 + i).ToString()); }
            for (int i = 0; i < 5; i++) { b.Bytes[i] = (byte)(10 + i); Add(b, i == 0 ? "Bytes.First" : $"Bytes.[{i}]", (10 + i).ToString()); }
            for (int i = 0; i < 5; i++) { b.LastBytes[i] = (byte)(20 + i); Add(b, i == 0 ? "LastBytes.First" : $"LastBytes.[{i}]", (20 + i).ToString()); }
            for (int i = 0; i < 5; i++) { b.Fixed.Some[i] = (byte)(30 + i); Add(b, i == 0 ? "Fixed.Some.FixedElementField" : $"Fixed.Some.[{i}]", (30 + i).ToString()); }
            for (int i = 0; i < 2; i++) { b.Points[i] = new Point { X = i, Y = -i }; Add(b, (i == 0 ? "Points.First" : $"Points.[{i}]") + ".Y", (-i).ToString()); }
        }

        static unsafe Layouts MakeLayouts()
        {
            var l = new Layouts();
            for (int i = 0; i < 5; i++) l.Fixed.Five[i] = 10 + i;
            l.Fixed.After = 77;
            for (int i = 0; i < 4; i++) l.Inline[i] = 100 + i;
            return l;
        }

        static IEnumerable<int> Sequence() { for (int i = 0; i < 3; i++) yield return i; }
        static Array Lower() { var a = Array.CreateInstance(typeof(long), new[] { 2, 2 }, new[] { -1, 5 }); a.SetValue(7L, 0, 6); return a; }
        static Array LowerOne() { var a = Array.CreateInstance(typeof(int), new[] { 3 }, new[] { 10 }); a.SetValue(7, 11); return a; }

        static IEnumerable<int[]> Indexes(Array a)
        {
            var at = new int[a.Rank];
            for (int k = 0; k < a.Rank; k++) at[k] = a.GetLowerBound(k);
            for (int i = 0; i < a.Length; i++)
            {
                yield return (int[])at.Clone();
                for (int k = a.Rank - 1; k >= 0; k--) { if (++at[k] <= a.GetUpperBound(k)) break; at[k] = a.GetLowerBound(k); }
            }
        }

        static void Walk(object root, object value, string path)
        {
            if (root == value && Say(value) is string whole) { Add(root, "", whole); return; }
            var seen = new HashSet<string>();
            for (var type = value.GetType(); type != null; type = type.BaseType)
                foreach (var f in type.GetFields(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly))
                    if (!f.FieldType.IsPointer && seen.Add(f.Name)) WalkValue(root, f.FieldType, f.GetValue(value), path + (path == "" ? "" : ".") + Plain(f.Name));
        }

        static void WalkValue(object root, Type type, object value, string path)
        {
            if (value == null) Add(root, path, "null");
            else if (type == typeof(object)) return;
            else if (Say(value) is string text) Add(root, path, text);
            else if (type.IsValueType) Walk(root, value, path);
        }

        static string Plain(string name) => name.EndsWith(">k__BackingField") ? name[1..name.IndexOf('>')] : name;
        static void Add(object root, string path, string wanted) => cases.Add(new Case { Value = root, Path = path, Wanted = wanted });

        static string Say(object value) => value switch
        {
            bool b => b ? "true" : "false",
            char c => "'" + Escape(c.ToString(), '\'') + "'",
            Rune r => "'" + Escape(r.ToString(), '\'') + "'",
            string s => "\"" + Escape(s, '"') + "\"",
            nint n => "0x" + ((ulong)n).ToString("x"),
            nuint n => "0x" + ((ulong)n).ToString("x"),
            Enum e => e.ToString().Replace(", ", " | "),
            DateTime d => d.ToString("yyyy-MM-dd HH:mm:ss.FFFFFFF", CultureInfo.InvariantCulture) + (d.Kind == DateTimeKind.Utc ? "Z" : d.Kind == DateTimeKind.Local ? " local" : ""),
            DateTimeOffset d => d.ToString("yyyy-MM-dd HH:mm:ss.FFFFFFF zzz", CultureInfo.InvariantCulture),
            TimeSpan t => t.Ticks % TimeSpan.TicksPerSecond == 0 ? t.ToString("c") : t.ToString("c").TrimEnd('0'),
            DateOnly d => d.ToString("yyyy-MM-dd", CultureInfo.InvariantCulture),
            TimeOnly t => t.ToString("HH:mm:ss.FFFFFFF", CultureInfo.InvariantCulture),
            Guid g => g.ToString("D"),
            Version or System.Net.IPAddress or System.Net.IPEndPoint or Index or Range => value.ToString(),
            BigInteger b when b.GetBitLength() > 4096 => (b.Sign < 0 ? "-" : "") + "(up to " + (b.GetBitLength() + 31) / 32 * 32 + " bits)",
            BigInteger b => b.ToString(CultureInfo.InvariantCulture),
            Uri u => Say(u.OriginalString),
            Lazy<int> l => l.IsValueCreated ? Say(l.Value) : "not created",
            Lazy<DateTime> l => l.IsValueCreated ? Say(l.Value) : "not created",
            Lazy<Small?> l => l.IsValueCreated ? Say(l.Value) : "not created",
            Lazy<string> l => !l.IsValueCreated ? "not created" : l.Value == null ? "null" : Say(l.Value),
            float or double or Half => ((IFormattable)value).ToString(null, CultureInfo.InvariantCulture).Replace("Infinity", "∞"),
            sbyte or byte or short or ushort or int or uint or long or ulong or decimal or Int128 or UInt128 => ((IFormattable)value).ToString(null, CultureInfo.InvariantCulture),
            _ => null,
        };

        static string Escape(string s, char quote)
        {
            var text = new StringBuilder();
            for (int i = 0; i < s.Length; i++)
                text.Append(s[i] switch
                {
                    '\n' => "\\n", '\t' => "\\t", '\0' => "\\0", '\\' => "\\\\",
                    char c when c == quote => "\\" + c,
                    char c when char.IsSurrogate(c) && !char.IsSurrogatePair(s, i < s.Length - 1 && char.IsHighSurrogate(c) ? i : Math.Max(i - 1, 0)) => "\\u" + ((int)c).ToString("X4"),
                    char c => c.ToString(),
                });
            return text.ToString();
        }
    }
}
