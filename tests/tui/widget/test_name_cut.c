/* Names are shortened, but never by the part that distinguishes them. */
#include "model/base/text.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/screens.h"
#include "tui/app/views.h"
#include "tui/widget/name_cut.h"
#include <string.h>

TEST(generics_are_folded)
{
	/* clang-format off */
	static const struct { const char *name, *wanted; } rows[] = {
		{ "Dictionary<string, List<int>>[]", "Dictionary<…>[]" },
		{ "Outer<A>.Inner<B, C>",            "Outer<…>.Inner<…>" },
		{ "List<Größe>",                     "List<…>" },
		{ "Größe<int>",                      "Größe<…>" },
		{ "_<int>",                          "_<…>" },
		{ "string",                          NULL },
		{ "",                                NULL },
		{ "<Main>d__0",                      NULL },
		{ "Program.<Main>d__0<int>",         "Program.<Main>d__0<…>" },
		{ "List<int",                        NULL },
		{ "List>int<",                       NULL },
		{ "<",                               NULL },
	};
	/* clang-format on */
	char out[64];

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const char *got = name_fold(rows[i].name, 0, out, sizeof out);

		if (!rows[i].wanted != !got || (got && strcmp(got, rows[i].wanted) != 0))
			fail_msg("%s: %s", rows[i].name, got ? got : "NULL");
	}
	assert_null(name_fold("Dictionary<int>", 0, out, 13));
	assert_non_null(name_fold("Dictionary<int>", 0, out, 16));
}

/* Names of a hostile heap: brackets without end, and far too many of them. */
TEST(long_names_stay)
{
	char name[1024], out[2 * sizeof name];

	for (size_t i = 0; i < sizeof name; i++)
		name[i] = i % 2 ? '<' : 'a';
	name[sizeof name - 1] = '\0';
	assert_null(name_fold(name, 0, out, sizeof out));
	/* Of them all the last but one ends, */
	memcpy(name + sizeof name - 4, "b<c", 3);
	name[sizeof name - 1] = '\0';
	assert_null(name_fold(name, 0, out, sizeof out));
	memcpy(name + sizeof name - 5, "<bc>", 4);
	assert_non_null(name_fold(name, 0, out, sizeof out));
	assert_string_equal(out + sizeof name - 7, "<a<…>");
	/* and with one more byte none is looked at. */
	memset(out, 'a', sizeof name);
	memcpy(out, "List<int>", 9);
	out[sizeof name] = '\0';
	assert_null(name_fold(out, 0, name, sizeof name));
}

/* Only so much that those beside it look different. */
TEST(folded_names_differ)
{
	/* clang-format off */
	static const struct { const char *name, *before, *behind, *wanted; } rows[] = {
		{ "Task<int>",               "",              "List<int>",     "Task<…>" },
		{ "Task<int>",               "Task<int>",     "Task<int>",     "Task<…>" },
		{ "Task<int>",               "Task<string>",  "",              NULL },
		{ "Task<List<int>>",         "",              "Task<string>",  "Task<List<…>>" },
		{ "Task<List<A<int>>>",      "Task<List<A<B>>>", "Task<string>", NULL },
		{ "Task<List<A<int>, B<C>>>", "Task<List<D<int>, B<C>>>", "", "Task<List<A<…>, B<…>>>" },
		{ "A<int>.B<C<D>>",          "A<int>.B<C<E>>", "A<X>.B<C<D>>", NULL },
		{ "A<int>.B<C<D>>[]",        "A<X>.B<C<D>>[]", "",             "A<int>.B<C<…>>[]" },
		{ "<Main>d__0<C<int>>",      "<Main>d__0<D<int>>", "",         "<Main>d__0<C<…>>" },
		{ "string",                  "",              "",              NULL },
	};
	/* clang-format on */
	char out[64];

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const char *got =
		    name_fold_apart(rows[i].name, rows[i].before, rows[i].behind, out, sizeof out);

		if (!rows[i].wanted != !got || (got && strcmp(got, rows[i].wanted) != 0))
			fail_msg("row %zu: %s: %s", i, rows[i].name, got ? got : "NULL");
	}
}

TEST(platforms_are_known)
{
	/* clang-format off */
	static const struct { const char *name, *brief; size_t wanted; } rows[] = {
		{ "System.Threading.Tasks.Task<My.Thing>", "Task<Thing>", 23 },
		{ "System.Threading.Timer[]",     "Timer[]",        17 },
		{ "System.A.Outer.Inner",         "Outer.Inner",    9 },
		{ "Microsoft.Win32.Handle",       "Handle",         16 },
		{ "Leaky.Session",                "Session",        0 },
		{ "Systematic.Thing",             "Thing",          0 },
		{ "List<System.Thing>",           "List<Thing>",    0 },
		{ "System.Odd",                   "Something else", 0 },
		{ "System.",                      "System.",        0 },
	};
	/* clang-format on */
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct type t = { .name = rows[i].name, .short_name = rows[i].brief };

		assert_int_equal(name_platform_bytes(&t), rows[i].wanted);
	}
}

TEST(cuts_tell_apart)
{
	/* clang-format off */
	static const struct {
		const char *text, *other;
		int width;
		const char *wanted;
	} rows[] = {
		{ "Leaky.Session", "Leaky.Child", 20, "Leaky.Session" },
		{ "Leaky.SomeLongNamespace.FirstThing.Handler", "", 20, "Leaky.S…hing.Handler" },
		{ "Leaky.SomeLongNamespace.FirstKindOfThings.Handler",
		  "Leaky.SomeLongNamespace.OtherKindOfThings.Handler", 20, "Leak….Fir…gs.Handler" },
		{ "Leaky.SomeLongNamespace.OtherKindOfThings.Handler",
		  "Leaky.SomeLongNamespace.FirstKindOfThings.Handler", 20, "Leak….Oth…gs.Handler" },
		/* The ends tell already. */
		{ "Leaky.SomeLongNamespace.OtherKindOfThings.Handler",
		  "Leaky.SomeLongNamespace.OtherKindOfThings.Hundler", 20, "Leaky.S…ings.Handler" },
	};
	/* clang-format on */
	char out[64];

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		assert_string_equal(
		    name_fit_apart(rows[i].text, rows[i].other, rows[i].width, out, sizeof out),
		    rows[i].wanted);
}

/* Namespaces go before letters of names do. */
TEST(sentences_lose_namespaces)
{
	/* clang-format off */
	static const struct {
		const char *text;
		int width;
		const char *wanted;
	} rows[] = {
		{ "5,000 of 5,001 Leaky.Session", 28, "5,000 of 5,001 Leaky.Session" },
		{ "5,000 of 5,001 Leaky.Session", 27, "5,000 of 5,001 Session" },
		{ "5,000 of 5,001 Leaky.Session", 20, "5,000 o…,001 Session" },
		{ "6,000 Shop.Web.Orders.Job<Shop.Web.Order>", 30, "6,000 Job<Shop.Web.Order>" },
		{ "6,000 Shop.Web.Orders.Job<Shop.Web.Order>", 20, "6,000 Job<Web.Order>" },
		{ "6,000 Shop.Web.Orders.Job<Shop.Web.Order>", 37, "6,000 Web.Orders.Job<Shop.Web.Order>" },
		{ "9 copies of \"www.example.org\"", 20, "9 copie…example.org\"" },
		{ "82.0% of 4.29 MiB", 10, "82.…29 MiB" },
		{ "static Größe.Ä.Wert", 12, "static Wert" },
		{ "Leaky.Session..ctor ← Leaky.Program.Grow ← Leaky.Program.Main", 55, "Leaky.Session..ctor ← Leaky.Program.Grow ← Program.Main" },
		{ "Leaky.Session..ctor ← Leaky.Program.Grow ← Leaky.Program.Main", 33, "Leaky.Session..ctor ← Grow ← Main" },
		{ "Leaky.Session..ctor ← Leaky.Program.Grow ← Leaky.Program.Main", 27, "Session..ctor ← Grow ← Main" },
		{ "Leaky.Session..ctor ← Leaky.Program.Grow ← Leaky.Program.Main", 10, "Ses…← Main" },
		{ " ← Leaky.Program.Main", 7, " ← Main" },
		{ "A..B.", 3, "…B." },
		{ "", 3, "" },
	};
	/* clang-format on */
	char out[64];

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		assert_string_equal(name_fit_short(rows[i].text, rows[i].width, out, sizeof out),
				    rows[i].wanted);
}

/* Names that differ in one place, wherever that is, look different. */
TEST(no_two_look_the_same)
{
	char a[256], b[256], cut_a[256], cut_b[256];

	for (int len = 12; len < 50; len++)
		for (int at = 0; at < len; at++)
			for (int width = 10; width <= len; width++) {
				memset(a, 'n', (size_t)len);
				a[len] = '\0';
				memcpy(b, a, sizeof b);
				a[at] = 'a';
				b[at] = 'x';
				name_fit_apart(a, b, width, cut_a, sizeof cut_a);
				name_fit_apart(b, a, width, cut_b, sizeof cut_b);
				if (!strcmp(cut_a, cut_b))
					fail_msg("%s %s %d: %s", a, b, width, cut_a);
				assert_true(text_width(cut_a) <= width);
			}
}

TEST(screens)
{
	struct screen *s = screen_for_test(14, 40, false);
	struct app *app = app_on(leaky_heap());

	expect_steps(app, s, ":filter_Task|List z z", "names-short");
	expect_steps(app, s, "z z", "names-folded");
	expect_steps(app, s, "j", "names-folded-row");
	expect_steps(app, s, ":search_int>", "names-folded-search");
	app_steps(app, s, "z z :filter_^System g");
	expect_screen(app, s, "names-full", true);
	app_end(app);
}
