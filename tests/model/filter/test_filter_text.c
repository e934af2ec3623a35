/*
 * The text of filters: mistakes and where they are, what is an expression and what a pattern,
 * numbers, completion; and filters that need what is not there.
 */
#include "tests/drive/jobs.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/screens.h"
#include "tui/app/views.h"
#include "model/filter/filter_code.h"
#include "model/tables/tables.h"
#include "tui/widget/view_print.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* --- mistakes ------------------------------------------------------------ */

/* clang-format off */
static const struct {
	const char *view, *text, *message;
} mistakes[] = {
	{ "objects", "size >",                "at character 7: found nothing, expected a value" },
	{ "objects", "size 5",                "at character 6: found \"5\", expected an operator: = != < <= > >= ~ !~ in" },
	{ "objects", "count > 5",             "at character 1: \"count\" is not a column of objects; it has address, type, size" },
	{ "types",   "size > 1 and in > 2",   "at character 14: \"in\" is not a column of types; it has type, module, count, size, share" },
	{ "types",   "size > 1 and coutn > 2", "at character 14: \"coutn\" is not a column of types; perhaps: count; it has type, module" },
	{ "objects", "Size > 2ms",            "at character 8: size is not a time; expected a number without us, ms or s" },
	{ "objects", "size > 5 and",          "at character 13: found nothing, expected a column or a condition" },
	{ "objects", "and size > 5",          "at character 1: \"and\" is not a column of objects; it has address, type, size" },
	{ "objects", "size > 5 in < 3",       "at character 10: found \"in\", expected \"and\" or \"or\" before the next condition" },
	{ "objects", "type ~ /a/ size > 3",   "at character 12: found \"size\", expected \"and\", \"or\" or the end" },
	{ "objects", "(size > 5",             "at character 1: this ( is not closed; expected a )" },
	{ "objects", "size > 5 or (in > 1 and out = 2", "at character 13: this ( is not closed; expected a )" },
	{ "objects", "size > 5)",             "at character 9: this ) has no matching (" },
	{ "objects", "",                      NULL },
	{ "objects", "()",                    "at character 2: found \")\", expected a column or a condition" },
	{ "objects", "type = 'x",             "at character 8: this ' is not closed" },
	{ "objects", "type ~ /x",             "at character 8: this regular expression is not closed; expected another /" },
	{ "objects", "type ~ /(/",            "at character 8: \"(\" is not a regular expression: a ( or ) is unmatched; as plain text: \\(" },
	{ "objects", "type ~ /foo[/",         "at character 8: \"foo[\" is not a regular expression: a [ is not closed; as plain text: foo\\[" },
	{ "objects", "type ~ /int[],[/",      "at character 8: \"int[],[\" is not a regular expression: a [ is not closed; as plain text: int[],\\[" },
	{ "objects", "type ~ /[[:foo/",       "at character 8: \"[[:foo\" is not a regular expression: a [ is not closed; as plain text: \\[\\[:foo" },
	{ "objects", "type ~ /a[]{1,30000}/", "at character 8: \"a[]{1,30000}\" has so many repetitions" },
	{ "objects", "type ~ /(a{1,255}){1,255}/", "at character 8: \"(a{1,255}){1,255}\" has so many repetitions that it would take too long" },
	{ "objects", "type ~ /a+++++++++++++++++++++++++/", "at character 8: \"a+++++++++++++++++++++++++\" has so many repetitions" },
	{ "objects", "type ~ /(((((((((((((a+)+)+)+)+)+)+)+)+)+)+)+)+)+/", "at character 8: \"(((" },
	{ "objects", "type ~ /a{1,}{1,}{1,}{1,}{1,}{1,}{1,}{1,}{1,}{1,}{1,}{1,}{1,}{1,}{1,}{1,}{1,}{1,}/", "at character 8: \"a{1,}" },
	{ "objects", "type ~ /(+++++++++++++++++++++++++)/", "at character 8: \"(++" },
	{ "objects", "type ~ /a{++++++++++++++++++++++/", "at character 8: \"a{+++" },
	{ "objects", "type ~ a{1,30000}",     "at character 8: \"a{1,30000}\" has so many repetitions" },
	{ "objects", "type ~ /((a|b)*{1,100}){1,30}/", "at character 8: \"((a|b)*{1,100}){1,30}\" has so many repetitions" },
	{ "objects", "type ~ /((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((a))))/", "at character 8: \"((((" },
	{ "objects", "type ~ /(.*)(.*)\\1\\2z/", "at character 8: \"(.*)(.*)\\1\\2z\" is not an extended regular expression: these do not support \\1" },
	{ "objects", "size > abc",            "at character 8: \"abc\" is not a number; size needs one: 85000, 1.5k, 2 MiB" },
	{ "objects", "size > 5MB",            "at character 8: \"5MB\" is not a number; size needs one: 85000, 1.5k, 2 MiB" },
	{ "objects", "size > 10%",            "at character 8: size is not a share; expected a number without %" },
	{ "types",   "share > x",             "at character 9: \"x\" is not a number; share needs one: 85000, 1.5k, 2 MiB, 10%" },
	{ "objects", "size in 5",             "at character 10: found nothing, expected \"..\" and the end of the range" },
	{ "objects", "size in 5..x",          "at character 12: \"x\" is not a number; size needs one: 85000, 1.5k, 2 MiB" },
	{ "objects", "address = xyz",         "at character 11: \"xyz\" is not an address; address needs one: 7fe01c001d70, #3" },
	{ "objects", "gen = 2",               "at character 1: \"gen\" is not available: this heap does not record the generations of objects" },
	{ "objects", "holds Leaky.Sesion",    "at character 7: no type \"Leaky.Sesion\"; nearest: Leaky.Session [leaky.dll]" },
	{ "types",   "size > 1 and holds string", "at character 14: this condition is about objects, but the rows of types are not" },
	{ "types",   "#3",                    "at character 1: this condition is about objects, but the rows of types are not" },
	{ "types",   "not dead",              "at character 5: this condition is about objects, but the rows of types are not; /dead/ searches names" },
	{ "objects", "under Leaky.Link",      "at character 7: \"Leaky.Link\" is not an address; expected 7fe01c001d70 or #3" },
	{ "objects", "under 123",             "at character 7: no object starts at 123" },
	{ "objects", "held by",               "at character 8: found nothing, expected the name of a type, or a /REGEX/" },
	{ "objects", "holds '' or size > 3",  "at character 7: no type has an empty name" },
	{ "objects", "size > 99999999999999999999", "at character 8: \"99999999999999999999\" is not a number" },
	{ "objects", "\xc3\xa9 > 5",          "at character 1: found \"\xc3\xa9\", expected a column or a condition" },
	{ "objects", "type = '\xc3\xa9\xc3\xa9' or x > 5", "at character 16: \"x\" is not a column of objects" },
	{ "objects", "((((((((((((((((((((((((((((((((((((((((size > 5", "at character 33: more than 32 nested brackets and operators" },
};
/* clang-format on */

TEST(test_mistakes)
{
	struct app *app = app_on(leaky_heap());
	struct error err;

	for (size_t i = 0; i < COUNT_OF(mistakes); i++) {
		bool ok;

		error_clear(&err);
		assert_true(app_command(app, mistakes[i].view, &err));
		ok = view_where(app_view(app), mistakes[i].text, &err);
		if (ok != !mistakes[i].message)
			fail_msg("%s: %s", mistakes[i].text, ok ? "no error" : err.message);
		if (!ok &&
		    strncmp(err.message, mistakes[i].message, strlen(mistakes[i].message)) != 0)
			fail_msg("%s:\n%s\nand not\n%s", mistakes[i].text, err.message,
				 mistakes[i].message);
		assert_null(app_view(app)->filter);
	}
	app_end(app);
}

/* clang-format off */
static const struct {
	const char *view, *text;
	size_t rows;
} accepted[] = {
	{ "types",   "type = Leaky.Link and(count>5)",       1 },
	{ "types",   "type = async Leaky.X(a, b) or type = Leaky.Link", 1 },
	{ "types",   "not(not(type=\"Leaky.Link\"))",        1 },
	{ "types",   "  count in 10,000 .. 10k and module = leaky.dll  ", 1 },
	{ "objects", "type ~ /x\\/y/ or address = 0x7fe019c05b18", 1 },
	{ "objects", "address = 00007fe0`19c05b18",          1 },
	{ "objects", "address in 7fe019c05b1..7fe019c05b1",  1 },
	{ "objects", "address in 0x7fe019c05b1..0x7fe019c05b1", 0 },
	{ "types",   "type ~ /^[{}()]{0,200}L[^]x]{1,2}aky\\.(Link){1,500}$/", 1 },
	{ "types",   "type ~ /^Leaky.Link\\{?$/",            1 },
	{ "types",   "type ~ /^(([A-Za-z]+)+\\.?)+[.]Link+$/", 1 },
	{ "summary", "name = objects and value = 31867",     1 },
	{ "summary", "value = 31,867",                       1 },
	{ "path 7fe019c05b18", "distance = 0",               1 },
	{ "roots",   "name = Sessions",                      2 },
	{ "roots",   "holds 'Leaky.Session[]'",              4 },
};
/* clang-format on */

/* Valid filters, also in views that the long tests leave out. */
TEST(test_accepted)
{
	struct app *app = app_on(leaky_heap());
	struct error err = { 0 };

	for (size_t i = 0; i < COUNT_OF(accepted); i++) {
		assert_true(app_command(app, accepted[i].view, &err));
		if (!view_where(app_view(app), accepted[i].text, &err))
			fail_msg("%s: %s", accepted[i].text, err.message);
		if (app_view(app)->rows_count != accepted[i].rows)
			fail_msg("%s: %zu rows, not %zu", accepted[i].text,
				 app_view(app)->rows_count, accepted[i].rows);
		assert_true(view_where(app_view(app), "", &err));
	}
	app_end(app);
}

TEST(test_limits)
{
	struct app *app = app_on(awkward_heap());
	struct error err = { 0 };
	char text[FILTER_TEXT_MAX + 100] = "";

	for (int i = 0; i < 65; i++)
		strcat(text, i ? " or size = 1" : "size = 1");
	assert_false(view_where(app_view(app), text, &err));
	assert_string_equal(err.message, "at character 769: more than 64 conditions");
	text[strlen(text) - strlen(" or size = 1")] = '\0';
	assert_true(view_where(app_view(app), text, &err));
	memset(text, 'x', FILTER_TEXT_MAX + 1);
	text[FILTER_TEXT_MAX + 1] = '\0';
	error_clear(&err);
	assert_false(view_filter(app_view(app), text, &err));
	assert_string_equal(err.message, "the filter is longer than 2000 bytes");
	app_end(app);
}

/* --- expression or pattern? ---------------------------------------------- */

/* clang-format off */
static const struct {
	const char *text;
	bool is_expression;
} languages[] = {
	{ "Session", false },           { "size", false },
	{ "type", false },              { "^Leaky.Session$", false },
	{ "List<Session>", false },     { "list<int>", false },
	{ "(foo|bar)", false },         { "(size|type)", false },
	{ "System.Byte\\[", false },    { "closure in Foo.Bar()", false },
	{ "async Foo.BarAsync", false },{ "not", false },
	{ "in", false },                { "held", false },
	{ "holds", false },             { "under", false },
	{ "/foo", false },              { "Foo/Bar/", false },
	{ "#", false },                 { "this and that", false },
	{ "byte|entry", false },        { "size > 5", true },
	{ "size>5", true },             { "size<5", true },
	{ "  size = 5", true },         { "(size > 5)", true },
	{ "not size > 5", true },       { "not (size > 5)", true },
	{ "count > 5", true },          { "kind = static", true },
	{ "foo > 5", true },            { "type ~ x", true },
	{ "address in 7f00..7fff", true }, { "held by X", true },
	{ "holds X", true },            { "under 7f00", true },
	{ "#3", true },                 { "/Session/", true },
	{ "/in<T>/ and size > 3", true }, { "Session and size > 5", true },
	{ "Session or not (held by X)", true }, { "dead", true },
	{ "not live", true },           { "(dead)", true },
	{ "unreachable and in = 0", true }, { "deadline", false },
	{ "dead letter", false },       { "Dead", false },
};
/* clang-format on */

TEST(test_languages)
{
	for (size_t i = 0; i < COUNT_OF(languages); i++)
		if (filter_is_expression(&objects_table, languages[i].text) !=
		    languages[i].is_expression)
			fail_msg("%s is %sexpression", languages[i].text,
				 languages[i].is_expression ? "an " : "no ");
}

/* A bare text does what it did before there was a language. */
TEST(test_patterns)
{
	static const struct {
		const char *bare, *same;
	} rows[] = {
		{ "Session", "type ~ /Session/" },
		{ "leaky\\.", "/leaky\\./" },
		{ "System\\.Byte\\[", "raw ~ /System\\.Byte\\[/" },
	};
	struct app *app = app_on(leaky_heap());
	struct error err = { 0 };

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		char *one, *other;

		assert_true(view_filter(app_view(app), rows[i].bare, &err));
		assert_true(filter_is_pattern(app_view(app)->filter));
		one = view_printed(app_view(app), TABLE_TSV, NULL, UINT64_MAX);
		assert_true(view_filter(app_view(app), rows[i].same, &err));
		assert_false(filter_is_pattern(app_view(app)->filter));
		other = view_printed(app_view(app), TABLE_TSV, NULL, UINT64_MAX);
		assert_true(app_view(app)->rows_count > 0);
		assert_string_equal(one, other);
		free(one);
		free(other);
	}
	app_end(app);
}

/* --- brackets of arrays --------------------------------------------------- */

/* clang-format off */
static const struct {
	const char *pattern, *text;
	size_t from, to; /* both 0: it does not match */
} brackets[] = {
	{ "byte[]",        "sbyte[]",       1, 7 },  { "byte[]",       "byte",          0, 0 },
	{ "Byte[]",        "Byte[]",        0, 6 },  { "Byte[]",       "byte[]",        0, 0 },
	{ "string[][]",    "string[]",      0, 0 },  { "string[][]",   "string[][]",    0, 10 },
	{ "string[][]",    "string[",       0, 0 },  { "int[,]",       "int[,]",        0, 6 },
	{ "int[,]",        "int,",          0, 0 },  { "int[,,]",      "int[,]",        0, 0 },
	{ "^int[,,]$",     "int[,,]",       0, 7 },  { "s.*t[]$",      "List<short[]>", 0, 0 },
	{ "s.*t[]",        "List<short[]>", 2, 12 }, { "(a|b)[]",      "xb[]",          1, 4 },
	{ "x[]*y",         "x[]]y",         0, 5 },  { "byte\\[\\]",   "byte[]",        0, 6 },
	{ "\\[]",          "[]",            0, 2 },  { "[a-c]x[]",     "bx[]",          0, 4 },
	{ "[^]a]b",        "]b",            0, 0 },  { "[^]a]b",       "cb",            0, 2 },
	{ "[[]x",          "[x",            0, 2 },  { "[a[]x",        "[x",            0, 2 },
	{ "[[:digit:]]x[]", "7x[]",         0, 4 },  { "[[:digit:][]x", "[x",           0, 2 },
	{ "[[.].]]x",      "]x",            0, 2 },  { "[,;]x",        ";x",            0, 2 },
	{ "[a[:digit:]b]x[]", "bx[]",       0, 4 },  { "[[:digit:]-]+[]", "7-[]",       0, 4 },
};
/* clang-format on */

TEST(test_brackets)
{
	struct error err = { 0 };
	size_t from, to;

	for (size_t i = 0; i < COUNT_OF(brackets); i++) {
		struct pattern *p = pattern_new(brackets[i].pattern, &err);
		bool found;

		assert_ok(p, &err);
		found = pattern_find(p, brackets[i].text, &from, &to);
		if (found != (brackets[i].to > 0) ||
		    (found && (from != brackets[i].from || to != brackets[i].to)))
			fail_msg("%s in %s: %d, from %zu to %zu", brackets[i].pattern,
				 brackets[i].text, found, from, to);
		pattern_free(p);
	}
}

/* --- numbers ------------------------------------------------------------- */

/* clang-format off */
static const struct {
	const char *text;
	bool has_number, has_address;
	double number;
} literals[] = {
	{ "0",        true,  true,  0 },            { "85000",  true,  true,  85000 },
	{ "1,234",    true,  false, 1234 },         { "1,2345", false, false, 0 },
	{ "1.5",      true,  false, 1.5 },          { "1.",     false, false, 0 },
	{ ".5",       false, false, 0 },            { "1k",     true,  false, 1024 },
	{ "1K",       true,  false, 1024 },         { "2 MiB",  true,  false, 2097152 },
	{ "2Mi",      false, false, 0 },            { "1.5G",   true,  false, 1610612736 },
	{ "3t",       true,  false, 3298534883328 },{ "1KB",    false, false, 0 },
	{ "12 B",     true,  false, 12 },           { "10%",    true,  false, 0.1 },
	{ "12.5 %",   true,  false, 0.125 },        { "-5",     true,  false, -5 },
	{ "--5",      false, false, 0 },            { "7fe0",   false, true,  0 },
	{ "0x10",     false, true,  0 },            { "#3",     false, true,  0 },
	{ "",         false, false, 0 },            { "5 6",    false, false, 0 },
	{ "1.1234567891", false, false, 0 },
	{ "18446744073709551615", true, false, 18446744073709551615.0 },
	{ "18446744073709551616", false, false, 0 },
};
/* clang-format on */

TEST(test_literals)
{
	for (size_t i = 0; i < COUNT_OF(literals); i++) {
		struct literal l = { .text = literals[i].text };
		double n;

		literal_read(&l);
		if (l.has_number != literals[i].has_number ||
		    l.has_address != literals[i].has_address)
			fail_msg("%s is %s number and %s address", l.text,
				 l.has_number ? "a" : "no", l.has_address ? "an" : "no");
		n = (double)l.number / (double)l.scale;
		n = l.is_negative ? -n : n;
		if (l.has_number && n != literals[i].number)
			fail_msg("%s is %g, not %g", l.text, n, literals[i].number);
	}
}

/* Two ways to compare numbers say the same, up to the largest. */
TEST(test_intervals)
{
	static const char *const texts[] = { "0",
					     "1",
					     "2",
					     "0.5",
					     "1.5",
					     "-1",
					     "18446744073709551615",
					     "18446744073709551614.5",
					     "20000000000G",
					     "7",
					     "1k" };
	static const uint64_t numbers[] = { 0,         1,    2,    3,    7,
					    8,         1023, 1024, 1025, UINT64_MAX - 1,
					    UINT64_MAX };
	enum { ALL = COUNT_OF(texts) };

	for (unsigned i = 0; i < ALL * ALL * (COMPARE_WITHIN + 1); i++) {
		struct condition c = { 0 };
		struct interval interval;

		c.comparison = (enum comparison)(i / (ALL * ALL));
		if (c.comparison == COMPARE_MATCHES || c.comparison == COMPARE_MATCHES_NOT)
			continue;
		c.low.text = texts[i % ALL];
		c.high.text = texts[i / ALL % ALL];
		literal_read(&c.low);
		literal_read(&c.high);
		assert_true(condition_interval(&c, &interval));
		for (size_t n = 0; n < COUNT_OF(numbers); n++) {
			struct value v;

			value_count(&v, numbers[n]);
			if (condition_compare(&c, &v) !=
			    truth_of(interval_has(&interval, numbers[n])))
				fail_msg("%llu, comparison %d, %s..%s",
					 (unsigned long long)numbers[n], (int)c.comparison,
					 c.low.text, c.high.text);
		}
	}
}

/* --- what is not there yet ----------------------------------------------- */

/* Polls until nothing is running any more. */
static void
settle_down(struct session *s, struct view *v)
{
	struct error err = { 0 };

	for (;;) {
		unsigned ended = session_ended(s);

		if (ended && session_is_replacing(s, ended))
			view_restart(v);
		session_poll(s, ended);
		assert_ok(view_update(v, &err), &err);
		if (!session_job(s) && !view_is_busy(v))
			return;
		sched_yield();
	}
}

/* Unknown at first, and counted; asked for, and shown once it is there. */
TEST(test_needs)
{
	struct error err = { 0 };
	struct session *s = session_on_threads(leaky_heap());
	struct view *v = view_open(&view_objects, s, &target_none, &err);

	assert_non_null(v);
	assert_true(view_update(v, &err));
	settle_down(s, v);
	assert_int_equal(v->rows_count, 31867);
	assert_false(s->has & NEED_REVERSE);
	assert_true(view_filter(v, "in > 4000", &err));
	settle_down(s, v);
	assert_true(s->has & NEED_REVERSE);
	assert_int_equal(filter_unknown_count(v->filter), 0);
	assert_true(v->rows_count > 0 && v->rows_count < 10);
	/* Without asking: neither this nor its opposite. */
	s->has &= ~(unsigned)NEED_REVERSE;
	assert_true(view_reload(v, &err));
	while (view_is_busy(v))
		assert_true(view_update(v, &err));
	assert_int_equal(v->rows_count, 0);
	assert_int_equal(filter_unknown_count(v->filter), 31867);
	s->has |= NEED_REVERSE;
	view_close(v);
	session_free(s);
}

/* Before there is a heap: what a column needs, whatever joins it. */
TEST(test_needs_of)
{
	static const struct {
		const struct view_ops *ops;
		const char *text;
		unsigned needs;
	} rows[] = {
		{ &view_types, "size > 1", 0 },
		{ &view_types, "gen2 > 1", NEED_OBJECTS },
		{ &view_types, "Session", 0 },
		{ &view_types, "size > ", 0 },
		{ &view_objects, "size > 1 or not (in > 1 and gen = 2)", NEED_REVERSE },
		{ &view_objects, "distance > 1 or root ~ x", NEED_REACH },
		{ &view_objects, "holds string", NEED_OBJECTS },
		{ &view_objects, "under 7f00", NEED_OBJECTS | NEED_RETAINED },
		{ &view_objects, "held by string", NEED_OBJECTS | NEED_REVERSE },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (view_filter_needs(rows[i].ops, rows[i].text) != rows[i].needs)
			fail_msg("%s needs %x", rows[i].text,
				 view_filter_needs(rows[i].ops, rows[i].text));
}

/* --- completion ---------------------------------------------------------- */

struct words {
	char text[65536]; /* "|word|word|" */
};

static void
add_word(void *to, const char *word)
{
	struct words *w = to;
	size_t len = strlen(w->text);

	if (len + strlen(word) + 2 < sizeof w->text)
		snprintf(w->text + len, sizeof w->text - len, "%s|", word);
}

/* clang-format off */
static const struct {
	const char *view, *text;
	const char *word, *other; /* offered; not offered. NULL: any, none */
} completions[] = {
	{ "objects", "",                      "|size|",    "|=|" },
	{ "objects", "(",                     "|held by|", "|and|" },
	{ "objects", "si",                    "|size|",    "|count|" },
	{ "objects", "Foo bar",               NULL,        "|" },
	{ "objects", "size ",                 "|>=|",      "|size|" },
	{ "objects", "size > 5 ",             "|and|",     "|size|" },
	{ "objects", "size > 5 and ",         "|in|",      "|and|" },
	{ "objects", "(size > 5) and not (o", "|out|",     "|and|" },
	{ "objects", "size > 5 and type ",    "|~|",       "|size|" },
	{ "objects", "type = Le",             "|Leaky.Session|", "|size|" },
	{ "objects", "held by Le",            "|Leaky.Session|", "|size|" },
	{ "objects", "holds ",                "|Leaky.Session|", "|size|" },
	{ "objects", "/x/ and ",              "|size|",    "|=|" },
	{ "types",   "module = ",             "|leaky.dll|", "|size|" },
	{ "types",   "x > 3",                 NULL,        "|" },
};
/* clang-format on */

TEST(test_completion)
{
	struct app *app = app_on(leaky_heap());
	struct error err = { 0 };
	static struct words w;

	for (size_t i = 0; i < COUNT_OF(completions); i++) {
		const char *text = completions[i].text;
		struct listing l;

		assert_true(app_command(app, completions[i].view, &err));
		l = view_listing(app_view(app));
		strcpy(w.text, completions[i].word ? "|" : "");
		filter_complete(&l, text, add_word, &w);
		if (completions[i].word && !strstr(w.text, completions[i].word))
			fail_msg("\"%s\" does not offer %s but %.200s", text, completions[i].word,
				 w.text);
		if (strstr(w.text, completions[i].other))
			fail_msg("\"%s\" offers %s", text, completions[i].other);
	}
	app_end(app);
}
