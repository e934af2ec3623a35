/* Methods as the program calls them. */
#include "model/heap/name_method.h"
#include "tests/drive/run_tests.h"

/* clang-format off */
static const struct row {
	const char *type, *method, *wanted;
} rows[] = {
	{ "Leaky.Cache", "Evict", "Leaky.Cache.Evict" },
	{ "System.Console", "WriteLine", "Console.WriteLine" },
	{ "Foo.Bar+<>c__DisplayClass1_0", "<Run>b__2", "Foo.Bar.Run lambda 2" },
	{ "Foo.Bar+<>c", "<Run>b__5_2", "Foo.Bar.Run lambda 5_2" },
	{ "Foo.Bar+[]c", "<Run>b__5_2", "Foo.Bar.Run lambda 5_2" },
	{ "Foo.Bar", "<Run>g__Local|5_1", "Foo.Bar.Run.Local" },
	{ "Foo.Bar+<>c", "<.cctor>b__15_0", "Foo.Bar..cctor lambda 15_0" },
	{ "Foo.Map<System.Int32>+<>c<System.Int32>", "<Add>b__1_0", "Foo.Map<int>.Add lambda 1_0" },
	{ "Foo.Map<Foo.Bar+<>c>", "Add", "Foo.Map<lambdas in Foo.Bar>.Add" },
	{ "Foo.Bar+<>c", "<<Run>b__1>g__Inner|2", "Foo.Bar.<<Run>b__1>g__Inner|2" },
	{ "Foo.Speaker", "Foo.ISpeaker.Speak", "Foo.Speaker.Foo.ISpeaker.Speak" },
	{ "Foo.Bar+<Run>d__5", "MoveNext", "Foo.Bar.Run" },
	{ "AsyncStateMachineBox<System.Int32,Foo.Bar+<Run>d__5>", "MoveNext", "Foo.Bar.Run" },
	{ "Foo.Bar+<>c+<<Run>b__3_0>d", "MoveNext", "Foo.Bar.Run lambda 3_0" },
	{ "Foo.Bar+<>c__DisplayClass1_0+<<Run>b__2>d", "MoveNext", "Foo.Bar.Run lambda 2" },
	{ "AsyncStateMachineBox<System.Int32,Foo.Bar+<>c+<<Run>b__3_0>d>", "MoveNext", "Foo.Bar.Run lambda 3_0" },
	{ "Foo.Bar+<<Run>g__Local|4_0>d", "MoveNext", "Foo.Bar.Run.Local" },
	{ "Foo.Bar+<>c", "MoveNext", "Foo.Bar.MoveNext" },
	{ "Foo.Bar+<Run>d__5", "Dispose", "state machine of Foo.Bar.Run().Dispose" },
	{ "Foo.Bar", "MoveNext", "Foo.Bar.MoveNext" },
	{ "Foo.Bar", "<Run>", "Foo.Bar.<Run>" },
	{ "Foo.Bar", "<", "Foo.Bar.<" },
	{ "Foo.Bar", "<>b__1", "Foo.Bar.<>b__1" },
	{ "", "", "." },
};
/* clang-format on */

TEST(names)
{
	struct arena a;
	struct error err = { 0 };

	arena_init(&a, 0);
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		assert_string_equal(name_method(rows[i].type, rows[i].method, &a, &err),
				    rows[i].wanted);
	arena_clear(&a);
}
