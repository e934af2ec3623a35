#include "model/heap/names.h"
#include "tests/drive/run_tests.h"

#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const struct {
	const char *raw, *full, *brief; /* brief NULL: the same */
} display_rows[] = {
	/* keywords, arrays, namespaces */
	{ "System.Int32", "int", NULL },
	{ "System.String", "string", NULL },
	{ "System.Boolean[]", "bool[]", NULL },
	{ "System.IntPtr[]", "nint[]", NULL },
	{ "System.UIntPtr", "nuint", NULL },
	{ "System.Void*", "void*", NULL },
	{ "System.Single[][]", "float[][]", NULL },
	{ "System.Int32<,>", "int[,]", NULL },
	{ "System.String<,>", "string[,]", NULL },
	{ "System.Double[,,]", "double[,,]", NULL },
	{ "System.Int32<,>[]", "int[][,]", NULL },
	{ "System.Int32[][,]", "int[,][]", NULL },
	{ "System.Int32*[]", "int*[]", NULL },
	{ "System.Int32Enum", "Int32Enum", NULL },
	{ "Leaky.Session", "Leaky.Session", "Session" },
	{ "Leaky.Session[]", "Leaky.Session[]", "Session[]" },
	{ "Bucket[]", "Bucket[]", NULL },
	{ "System.Reflection.RuntimeModule", "System.Reflection.RuntimeModule",
	  "RuntimeModule" },
	{ "System.Threading.Timer", "Timer", NULL },
	{ "System.Timers.Timer", "System.Timers.Timer", "Timer" },
	{ "Free", "Free", NULL },
	/* generics */
	{ "System.Collections.Generic.Dictionary<System.String,System.Int32>",
	  "Dictionary<string, int>", NULL },
	{ "System.Collections.Generic.Dictionary<System.String, System.Int32>",
	  "Dictionary<string, int>", NULL },
	{ "System.Collections.Generic.Dictionary`2+Entry<System.Char,My.Key>[]",
	  "Dictionary.Entry<char, My.Key>[]", "Dictionary.Entry<char, Key>[]" },
	{ "System.Collections.Generic.Dictionary<System.String,"
	  "System.Collections.Generic.List<System.Int32>>+Entry[]",
	  "Dictionary<string, List<int>>.Entry[]", NULL },
	{ "Inner<System.Collections.Generic.List<Leaky.Session>,System.Int32[]>",
	  "Inner<List<Leaky.Session>, int[]>", "Inner<List<Session>, int[]>" },
	{ "System.Collections.Generic.List<System.Int32<,>>[]",
	  "List<int[,]>[]", NULL },
	{ "System.Collections.Generic.List`1[[Shop.Item, Shop, Version=1.0.0.0, Culture=neutral, "
	  "PublicKeyToken=null]]",
	  "List<Shop.Item>", "List<Item>" },
	{ "A.Map`2[[System.Int32[], mscorlib],[A.List`1[[B.C, D]][], D]][]",
	  "A.Map<int[], A.List<B.C>[]>[]", "Map<int[], List<C>[]>[]" },
	{ "A.Map`2[[B, X], [C, Y]]", "A.Map<B, C>", "Map<B, C>" },
	{ "A.Map`2[[B, X],[C, Y]", "A.Map`2[[B, X],[C, Y]", NULL },
	{ "A.Map[[B, X]]", "A.Map[[B, X]]", NULL },
	{ "System.Collections.Generic.List<System.Int32[,]>",
	  "List<int[,]>", NULL },
	{ "Entry<System.Guid,System.Diagnostics.Tracing.EventSource+Metadata>[]",
	  "Entry<Guid, System.Diagnostics.Tracing.EventSource.Metadata>[]",
	  "Entry<Guid, EventSource.Metadata>[]" },
	{ "System.Nullable<System.Int32>", "int?", NULL },
	{ "System.Nullable`1<My.Point>[]", "My.Point?[]", "Point?[]" },
	{ "System.ValueTuple<System.Int64,System.DateTime>",
	  "(long, DateTime)", NULL },
	{ "System.Func<System.Nullable<System.ValueTuple<System.Int32,A.B>>>",
	  "Func<(int, A.B)?>", "Func<(int, B)?>" },
	{ "System.ValueTuple<System.Int32>", "ValueTuple<int>", NULL },
	{ "System.ValueTuple<A,B,C,D,E,F,G,H>",
	  "ValueTuple<A, B, C, D, E, F, G, H>", NULL },
	{ "System.ValueTuple", "ValueTuple", NULL },
	{ "System.ValueTupleX<A,B>", "ValueTupleX<A, B>", NULL },
	/* made by the compiler */
	{ "[]c__DisplayClass11_0", "closure (c__DisplayClass11_0)", NULL },
	{ "[]c__DisplayClass1_0<System.Int32>[]",
	  "closure (c__DisplayClass1_0<int>)[]", NULL },
	{ "Leaky.Program+<>c__DisplayClass14_0",
	  "closure in Leaky.Program (c__DisplayClass14_0)",
	  "closure in Program (c__DisplayClass14_0)" },
	{ "[]c", "lambdas (<>c)", NULL },
	{ "<>c", "lambdas (<>c)", NULL },
	{ "[]c<System.Int32>", "lambdas (<>c<int>)", NULL },
	{ "Leaky.Program+<>c", "lambdas in Leaky.Program",
	  "lambdas in Program" },
	{ "[]O", "cached delegates (<>O)", NULL },
	{ "A.B+<>O", "cached delegates in A.B", "cached delegates in B" },
	{ "[]f__AnonymousType0<System.Int32,A.B>", "AnonymousType0<int, A.B>",
	  "AnonymousType0<int, B>" },
	{ "<>z__ReadOnlyArray<System.Int32>", "<>z__ReadOnlyArray<int>", NULL },
	{ "[]z__ReadOnlyArray<System.Int32>", "<>z__ReadOnlyArray<int>", NULL },
	{ "<WaitForever>d__16", "state machine of WaitForever()", NULL },
	{ "A.B+<Run>d__5", "state machine of A.B.Run()",
	  "state machine of B.Run()" },
	{ "A.B.<Run>d__5", "state machine of A.B.Run()",
	  "state machine of B.Run()" },
	{ "<System-IDisposable-Dispose>d__1",
	  "state machine of System.IDisposable.Dispose()", NULL },
	{ "AsyncStateMachineBox<System.Threading.Tasks.VoidTaskResult,"
	  "Leaky.Program+<WaitForever>d__16>",
	  "async Leaky.Program.WaitForever()", "async Program.WaitForever()" },
	{ "AsyncStateMachineBox<System.Threading.Tasks.VoidTaskResult, "
	  "<WaitForever>d__15>", "async WaitForever()", NULL },
	{ "System.Runtime.CompilerServices.AsyncTaskMethodBuilder`1"
	  "<System.Int32>+AsyncStateMachineBox`1<A.B+<Run>d__5<System.Char>>",
	  "async A.B.Run<char>()", "async B.Run<char>()" },
	{ "AsyncStateMachineBox<System.Int32,P+[]c+<<Foo>b__0_0>d>",
	  "async lambda in P.Foo()", NULL },
	{ "AsyncStateMachineBox<System.Int32,P+<<Main>$>d__0>",
	  "async P.Main()", NULL },
	{ "AsyncStateMachineBox<System.Int32,P+<<Main>g__Loop|0_1>d>",
	  "async P.Main.Loop()", NULL },
	{ "StateMachineBox<System.Boolean,A.Reader+<ReadAsync>d__12>",
	  "async A.Reader.ReadAsync()", "async Reader.ReadAsync()" },
	{ "System.Runtime.CompilerServices.Continuation<A.B+<Run>d__5>",
	  "async A.B.Run()", "async B.Run()" },
	{ "System.Runtime.CompilerServices.Continuation<A.B+[]c+<<Run>b__1_0>d__7>",
	  "async lambda in A.B.Run()", "async lambda in B.Run()" },
	{ "System.Runtime.CompilerServices.Continuation", "Continuation", NULL },
	{ "AsyncStateMachineBox<System.Int32,A.B>",
	  "AsyncStateMachineBox<int, A.B>", "AsyncStateMachineBox<int, B>" },
	{ "<Main>g__Local|0_1", "Main.Local()", NULL },
	{ "A.B+<Buffer>e__FixedBuffer", "fixed buffer A.B.Buffer",
	  "fixed buffer B.Buffer" },
	{ "<Program>F0123456789ABCDEF__Hidden", "Hidden", NULL },
	{ "<Module>", "<Module>", NULL },
	{ "<PrivateImplementationDetails>", "<PrivateImplementationDetails>",
	  NULL },
	/* not understood: as they are */
	{ "", "", NULL },
	{ "UNKNOWN 0x7f8a", "UNKNOWN 0x7f8a", NULL },
	{ "Type(0x2000041)", "Type(0x2000041)", NULL },
	{ "ArrayType(0x2000041)", "ArrayType(0x2000041)", NULL },
	{ "[RCW My.dll!Foo RefCnt: 1]", "[RCW My.dll!Foo RefCnt: 1]", NULL },
	{ "[CCW 0x12 for type A.B]", "[CCW 0x12 for type A.B]", NULL },
	{ "[]", "[]", NULL },
	{ "A.B<", "A.B<", NULL },
	{ "A.B>", "A.B>", NULL },
	{ "A.B<C,>", "A.B<C,>", NULL },
	{ "A.B<,C>", "A.B<,C>", NULL },
	{ "A.B,C", "A.B,C", NULL },
	{ "A.B[C", "A.B[C", NULL },
	{ "A.B[]C", "A.B[]C", NULL },
	{ "A..", "A..", NULL },
	{ "A++B", "A++B", NULL },
	{ "+A.B", "+A.B", NULL },
	{ "A.B+", "A.B+", NULL },
	{ "A.B<C><D>", "A.B<C><D>", NULL },
	{ "A.B C", "A.B C", NULL },
	{ "*", "*", NULL },
	{ "`", "`", NULL },
	{ "A`", "A`", NULL },
};

static const struct {
	const char *raw, *wanted;
} fold_rows[] = {
	{ "System.Byte[]", "System.Byte[]" },
	{ "System.Byte[] (Bytes > 10K)", "System.Byte[]" },
	{ "System.Char[] (NoPtrs,ElemSize=2)", "System.Char[]" },
	{ "System.Object[] (Bytes > 10K,Ptrs,ElemSize=4)", "System.Object[]" },
	{ "Foo (Bar)", "Foo (Bar)" },
	{ "Foo(Bytes > 1K)", "Foo(Bytes > 1K)" },
	{ "Foo (Bytes > 1K) ", "Foo (Bytes > 1K) " },
	{ "Foo (ElemSize)", "Foo (ElemSize)" },
	{ "(Bytes > 1K)", "(Bytes > 1K)" },
	{ " (Bytes > 1K)", "" },
	{ ")", ")" },
	{ "", "" },
};

static const struct {
	const char *raw, *wanted;
} field_rows[] = {
	{ "Sessions", "Sessions" },
	{ "s_items", "s_items" },
	{ "<DefaultBinder>k__BackingField", "DefaultBinder" },
	{ "<0>__TimerThread", "TimerThread" },
	{ "<>9", "lambdas" },
	{ "[]9", "lambdas" },
	{ "<>9__215_0", "lambda 215_0" },
	{ "<>4__this", "this" },
	{ "<count>5__2", "count" },
	{ "<>1__state", "<>1__state" },
	{ "<oops", "<oops" },
	{ "<>", "<>" },
	{ "[]", "[]" },
	{ "", "" },
};
/* clang-format on */

TEST(test_display)
{
	struct error err = { 0 };
	struct arena a;

	arena_init(&a, 0);
	for (size_t i = 0; i < COUNT_OF(display_rows); i++) {
		const char *brief = display_rows[i].brief;
		struct display_name name;

		assert_true(name_display(display_rows[i].raw, &a, &name, &err));
		assert_string_equal(name.full, display_rows[i].full);
		assert_string_equal(name.brief, brief ? brief : display_rows[i].full);
		assert_true(!brief == (name.full == name.brief));
	}
	arena_clear(&a);
}

TEST(test_folded)
{
	for (size_t i = 0; i < COUNT_OF(fold_rows); i++) {
		const char *raw = fold_rows[i].raw;
		size_t len = name_folded_len(raw, strlen(raw));

		assert_int_equal(len, strlen(fold_rows[i].wanted));
		assert_memory_equal(raw, fold_rows[i].wanted, len);
	}
}

TEST(test_fields)
{
	struct error err = { 0 };
	struct arena a;

	arena_init(&a, 0);
	for (size_t i = 0; i < COUNT_OF(field_rows); i++) {
		const char *name = name_field(field_rows[i].raw, &a, &err);

		assert_non_null(name);
		assert_string_equal(name, field_rows[i].wanted);
	}
	arena_clear(&a);
}

/* `count` times `open`, then `middle`, then `count` times `close`. */
static char *
nest(const char *open, const char *middle, const char *close, size_t count)
{
	size_t open_len = strlen(open), close_len = strlen(close);
	size_t len = count * (open_len + close_len) + strlen(middle);
	char *name = malloc(len + 1), *at = name;

	assert_non_null(name);
	for (size_t i = 0; i < count; i++, at += open_len)
		memcpy(at, open, open_len);
	memcpy(at, middle, strlen(middle));
	at += strlen(middle);
	for (size_t i = 0; i < count; i++, at += close_len)
		memcpy(at, close, close_len);
	*at = '\0';
	return name;
}

/* Whatever is quadratic in the length takes minutes here. */
TEST(test_hostile_shapes)
{
	static const struct {
		const char *open, *middle, *close;
		size_t count;
		const char *ending; /* of the display name */
	} rows[] = {
		{ "A<", "System.Int32", ">", 300000, "<int>" },
		{ "System.Nullable<", "System.Int32", ">", 60000, "int??" },
		{ "System.ValueTuple<B,", "C", ">", 50000, "(B, C)" },
		{ "A,", "B", "", 400000, NULL },
		{ "", "B<A", ",A", 400000, NULL },
		{ "A+", "B", "", 400000, "A.B" },
		{ "A.", "B", "", 400000, "A.B" },
		{ "[]c+", "B", "", 200000, "B" },
		{ "[]c__DisplayClass1_0<", "B", ">", 40000, NULL },
		{ "<A>d__1<", "B", ">", 100000, NULL },
		{ "<", "A", ">d", 300000, NULL },
		{ "AsyncStateMachineBox<X,", "<A>d__1", ">", 40000, NULL },
		{ "", "A", "[]", 400000, "A[][]" },
		{ "", "A", "[,]", 300000, "A[,][,]" },
		{ "", "A", "*[]", 300000, "*[]" },
		{ "<", "", "", 1000000, NULL },
		{ ">", "", "", 1000000, NULL },
		{ "[", "", "", 1000000, NULL },
		{ "`1", "", "", 500000, NULL },
		{ "<x>F+", "", "<x>F__y", 150000, NULL },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		char *raw = nest(rows[i].open, rows[i].middle, rows[i].close, rows[i].count);
		struct error err = { 0 };
		struct display_name name;
		struct arena a;

		arena_init(&a, 0);
		assert_true(name_display(raw, &a, &name, &err));
		assert_non_null(name.full);
		if (rows[i].ending)
			assert_non_null(strstr(name.full, rows[i].ending));
		arena_clear(&a);
		free(raw);
	}
}

/* Damaged names give some name; the sanitizers watch the reading. */
TEST(test_mutations)
{
	static const char letters[] = "<>[]+,.*& `|cdO_1A";
	uint32_t seed = 12345;
	struct error err = { 0 };
	struct arena a;

	arena_init(&a, 0);
	for (size_t round = 0; round < 40000; round++) {
		size_t row = round % (COUNT_OF(display_rows));
		struct arena_mark mark = arena_mark(&a);
		struct display_name name;
		char raw[256];
		size_t len;

		snprintf(raw, sizeof(raw), "%s", display_rows[row].raw);
		len = strlen(raw);
		for (int i = 0; i < 3 && len; i++) {
			seed = seed * 1664525 + 1013904223;
			raw[(seed >> 8) % len] = letters[(seed >> 24) % (sizeof(letters) - 1)];
		}
		assert_true(name_display(raw, &a, &name, &err));
		assert_true(!len == !*name.full);
		assert_true(!len == !*name.brief);
		assert_non_null(name_field(raw, &a, &err));
		assert_true(name_folded_len(raw, len) <= len);
		arena_reset(&a, mark);
	}
	arena_clear(&a);
}

TEST(test_no_memory)
{
	struct error err = { 0 };
	struct display_name name;
	struct arena a;

	arena_init(&a, 1);
	assert_false(name_display("System.Int32", &a, &name, &err));
	assert_int_equal(err.kind, ERROR_SYSTEM);
	assert_null(name_field("<A>k__BackingField", &a, &err));
	arena_clear(&a);
}
