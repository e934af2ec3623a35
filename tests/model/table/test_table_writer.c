/* Rows as text, CSV and TSV: names from a dump harm neither file nor screen. */
#include "tests/drive/run_tests.h"
#include "tests/drive/screens.h"
#include "model/base/text.h"
#include "model/heap/stream.h"
#include "tui/app/views.h"
#include "model/table/table_writer_records.h"
#include "tui/widget/view_print.h"

#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const struct {
	const char *text, *csv, *tsv;
} fields[] = {
	{ "",                    "",                            "" },
	{ "plain",               "plain",                       "plain" },
	{ "two words",           "two words",                   "two words" },
	{ "a,b",                 "\"a,b\"",                     "a,b" },
	{ "say \"x\"",           "\"say \"\"x\"\"\"",           "say \"x\"" },
	{ "a\tb",                "a\\x09b",                     "a\\x09b" },
	{ "a\nb\r",              "a\\x0ab\\x0d",                "a\\x0ab\\x0d" },
	{ "\x1b]0;x\x07",        "\\x1b]0;x\\x07",              "\\x1b]0;x\\x07" },
	{ "\xc2\x9b""31m",       "\\xc2\\x9b31m",               "\\xc2\\x9b31m" },
	{ "\xff\xfe",            "\\xff\\xfe",                  "\\xff\\xfe" },
	{ "\xe6\x97\xa5,\xc3\xa9", "\"\xe6\x97\xa5,\xc3\xa9\"", "\xe6\x97\xa5,\xc3\xa9" },
};
/* clang-format on */

static void
expect_field(enum table_format format, const char *text, const char *wanted)
{
	char *out = NULL;
	size_t len = 0;
	FILE *to = open_memstream(&out, &len);

	assert_non_null(to);
	table_print_field(to, format, text);
	fclose(to);
	assert_string_equal(out, wanted);
	free(out);
}

TEST(test_fields)
{
	for (size_t i = 0; i < COUNT_OF(fields); i++) {
		expect_field(TABLE_CSV, fields[i].text, fields[i].csv);
		expect_field(TABLE_TSV, fields[i].text, fields[i].tsv);
	}
}

/* clang-format off */
static const struct {
	const char *text, *json;
} strings[] = {
	{ "", "\"\"" },
	{ "a, b", "\"a, b\"" },
	{ "\"quoted\" \\ back", "\"\\\"quoted\\\" \\\\ back\"" },
	{ "\x1b[31m", "\"\\u001b[31m\"" },
	{ "\x7f \xc2\x9b", "\"\\u007f \\u009b\"" },
	{ "\xff\xc3", "\"\\ufffd\\ufffd\"" },
	{ "Größe ⟨é⟩", "\"Größe ⟨é⟩\"" },
};
/* clang-format on */

TEST(test_strings)
{
	for (size_t i = 0; i < COUNT_OF(strings); i++) {
		char *out = NULL;
		size_t len = 0;
		FILE *to = open_memstream(&out, &len);

		assert_non_null(to);
		table_print_string(to, strings[i].text);
		fclose(to);
		assert_string_equal(out, strings[i].json);
		free(out);
	}
}

static char *
print_view(const struct view *v, enum table_format format, uint64_t rows_max)
{
	return view_printed(v, format, NULL, rows_max);
}

/* clang-format off */
static const char wanted_text[] =
    "Type          Module    Count         Size  Share          Avg          Max  Gen0  Gen1  Gen2  LOH  POH  Frozen\n"
    "byte[]        demo.dll      1  5,000,000 B  99.9%  5,000,000 B  5,000,000 B     0     0     0    1    0       0\n"
    "Demo.Entry    demo.dll      3         72 B  <0.1%         24 B         24 B     0     0     3    0    0       0\n"
    "Demo.Entry[]  demo.dll      1         64 B  <0.1%         64 B         64 B     1     0     0    0    0       0\n"
    "\n3 of 10 types, 5 objects, 4.77 MiB, 99.9% of the heap\n";
/* clang-format on */

/* clang-format off */
static const char wanted_groups[] =
    "Group  Count  Share\n"
    "Demo       8  <0.1%\n"
    "\n1 of 4 groups, 8 objects, 296 B, <0.1% of the heap\n";
static const char wanted_types[] =
    "Type        Share\n"
    "Demo.Entry  24.3%\n"
    "\n6 types, 8 objects, 296 B, <0.1% of the heap; Share is of these\n";
static const char wanted_some_types[] =
    "Type        Share\n"
    "Demo.Entry  24.3%\n"
    "\n2 of 6 types, 4 objects, 136 B, 45.9% of the 296 B without the filter\n";
static const char wanted_objects[] =
    "Type        Size\n"
    "Demo.Entry  24 B\n"
    "\n4 objects, 94 B, <0.1% of the heap, where size < 30\n";
static const char wanted_names[] =
    "Type                                                                   Count\n"
    "Dictionary<string, List<Demo.VeryLongTypeNameThatDoesNotFitAnywhere>>      1\n"
    "Cache                                                                      1\n"
    "\n2 of 10 types, 2 objects, 112 B, <0.1% of the heap\n";
/* clang-format on */

static const char wanted_csv[] =
    "type,raw,module,count,size,share,avg,max,gen0,gen1,gen2,loh,poh,frozen\n"
    "byte[],System.Byte[],demo.dll,1,5000000,0.999914,5000000,5000000,0,0,0,1,0,0\n"
    "Demo.Entry,Demo.Entry,demo.dll,3,72,0.000014,24,24,0,0,3,0,0,0\n"
    "Demo.Entry[],Demo.Entry[],demo.dll,1,64,0.000013,64,64,1,0,0,0,0,0\n";

TEST(test_views)
{
	struct app *app = app_on(awkward_heap());
	struct error err = { 0 };
	char *out;

	assert_true(view_filter(app_view(app), "byte|entry", &err));
	out = print_view(app_view(app), TABLE_TEXT, UINT64_MAX);
	assert_string_equal(out, wanted_text);
	free(out);
	out = print_view(app_view(app), TABLE_CSV, UINT64_MAX);
	assert_string_equal(out, wanted_csv);
	free(out);
	out = print_view(app_view(app), TABLE_CSV, 0);
	assert_string_equal(out, "type,raw,module,count,size,share,avg,max,"
				 "gen0,gen1,gen2,loh,poh,frozen\n");
	free(out);
	app_end(app);
}

/* An object of each size, and each of another type. */
static const struct heap *
heap_of_sizes(const uint64_t *sizes, size_t count)
{
	struct error err = { 0 };
	struct heap_stream *stream = heap_stream_new(&err);
	const struct heap *h;
	uint64_t at = 0x1000;
	char name[24];

	assert_non_null(stream);
	for (size_t i = 0; i < count; i++) {
		type_id type;

		snprintf(name, sizeof name, "T%zu", i);
		type = heap_builder_type(heap_stream_builder(stream), name, "", &err);
		assert_true(heap_stream_object(stream, at, type, sizes[i], 0, &err));
		at += sizes[i] + 64;
	}
	h = heap_stream_finish(stream, NULL, &err);
	assert_ok(h, &err);
	return h;
}

/* clang-format off */
enum { SIZES_MAX = 4 };
static const struct {
	uint64_t sizes[SIZES_MAX];
	const char *wanted;
} columns_of_bytes[] = {
	{ { 9999999, 24 },
	  "Type         Size  Share          Max\n"
	  "T0    9,999,999 B  99.9%  9,999,999 B\n"
	  "T1           24 B  <0.1%         24 B\n" },
	{ { 10000000, 5243, 5242 },
	  "Type      Size  Share       Max\n"
	  "T0    9.54 MiB  99.9%  9.54 MiB\n"
	  "T1    0.01 MiB   0.1%  0.01 MiB\n"
	  "T2     5,242 B   0.1%   5,242 B\n" },
	/* A byte below what would be 1,000.00 MiB, and that. */
	{ { 1048570757, 1048576 },
	  "Type        Size  Share         Max\n"
	  "T0    999.99 MiB  99.9%  999.99 MiB\n"
	  "T1      1.00 MiB   0.1%    1.00 MiB\n" },
	{ { 1048570758, 1048576 },
	  "Type         Size  Share          Max\n"
	  "T0    1,000.0 MiB  99.9%  1,000.0 MiB\n"
	  "T1        1.0 MiB   0.1%      1.0 MiB\n" },
	{ { UINT64_C(40) << 30, UINT64_C(20) << 30, UINT64_C(20) << 30, 24 },
	  "Type       Size  Share        Max\n"
	  "T0    40.00 GiB  50.0%  40.00 GiB\n"
	  "T1    20.00 GiB  25.0%  20.00 GiB\n"
	  "T2    20.00 GiB  25.0%  20.00 GiB\n"
	  "T3         24 B  <0.1%       24 B\n" },
};
/* clang-format on */

/* Bytes that are compared are in one unit, but for what it makes nothing. */
TEST(test_units)
{
	for (size_t i = 0; i < COUNT_OF(columns_of_bytes); i++) {
		size_t count = 0;
		struct app *app;
		char *out;

		while (count < SIZES_MAX && columns_of_bytes[i].sizes[count])
			count++;
		app = app_on(heap_of_sizes(columns_of_bytes[i].sizes, count));
		out = view_printed(app_view(app), TABLE_TEXT, "type,size,share,max", UINT64_MAX);
		assert_string_equal(out, columns_of_bytes[i].wanted);
		free(out);
		app_end(app);
	}
}

/* The heading names the whole of Share if that is not the heap. */
TEST(test_sums)
{
	struct app *app = app_on(awkward_heap());
	struct error err = { 0 };
	struct value value;
	char *out;

	assert_false(view_describe_sum(app_view(app), &value));
	assert_true(app_command(app, "groups", &err));
	assert_true(app_command(app, "filter demo", &err));
	out = view_printed(app_view(app), TABLE_TEXT, "name,count,share", 1);
	assert_string_equal(out, wanted_groups);
	free(out);
	assert_true(app_command(app, "open", &err));
	out = view_printed(app_view(app), TABLE_TEXT, "type,share", 1);
	assert_string_equal(out, wanted_types);
	free(out);
	assert_true(app_command(app, "filter entry", &err));
	out = view_printed(app_view(app), TABLE_TEXT, "type,share", 1);
	assert_string_equal(out, wanted_some_types);
	free(out);
	assert_true(app_command(app, "objects", &err));
	assert_true(app_command(app, "where size < 30", &err));
	out = view_printed(app_view(app), TABLE_TEXT, "type,size", 1);
	assert_string_equal(out, wanted_objects);
	free(out);
	app_end(app);
}

/* A column is as wide as its longest name. */
TEST(test_names)
{
	struct app *app = app_on(awkward_heap());
	struct error err = { 0 };
	char *out;

	assert_true(view_filter(app_view(app), "dictionary|cache", &err));
	out = view_printed(app_view(app), TABLE_TEXT, "type,count", UINT64_MAX);
	assert_string_equal(out, wanted_names);
	free(out);
	app_end(app);
}

enum { LEFT_OUT_BYTES = 256 };

/* Prints the view as text of so many columns, and names those left out. */
static char *
printed_to_fit(const struct view *v, const char *chosen, int columns, char left_out[LEFT_OUT_BYTES])
{
	struct error err = { 0 };
	struct table_writer table;
	char *out = NULL;
	size_t len = 0;
	FILE *to = open_memstream(&out, &len);

	assert_non_null(to);
	assert_true(view_print_init(&table, v, TABLE_TEXT, chosen, &err));
	view_print_fit(&table, v, columns, left_out, LEFT_OUT_BYTES);
	view_print(to, &table, v);
	fclose(to);
	return out;
}

static void
expect_width(char *text, int columns)
{
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		assert_true(text_width(line) <= columns);
}

/* No line is longer than the terminal is wide, and none is cut in silence. */
TEST(test_fits_terminal)
{
	static const struct {
		int columns;
		const char *chosen, *left_out;
	} rows[] = {
		{ 200, NULL, "" },
		{ 80, NULL, "frozen, poh, loh, gen2, gen1" },
		{ 40, "type,count", "" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct app *app = app_on(awkward_heap());
		char left_out[LEFT_OUT_BYTES] = "", *out;

		out = printed_to_fit(app_view(app), rows[i].chosen, rows[i].columns, left_out);
		assert_string_equal(left_out, rows[i].left_out);
		expect_width(out, rows[i].columns);
		free(out);
		app_end(app);
	}
}

/* A sentence that does not fit beside its row continues below it. */
TEST(test_texts_go_below)
{
	static const struct {
		int columns;
		const char *wanted;
	} rows[] = {
		{ 200, "Session                   are in one List<Leaky.Session>    " },
		{ 80, "\ncollection  5,000 of 5,001 Leaky.Session                     5,000  "
		      "440,000 B\n"
		      "            are in one List<Leaky.Session>, kept by static Sessions\n" },
		{ 48, "\n            async Leaky.Program.WaitForever()\n" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct app *app = app_on(leaky_heap());
		struct screen *s = screen_for_test(24, 80, false);
		char left_out[LEFT_OUT_BYTES] = "", *out;

		app_steps(app, s, ":findings");
		out = printed_to_fit(app_view(app), NULL, rows[i].columns, left_out);
		if (!strstr(out, rows[i].wanted))
			fail_msg("%d columns:\n%s", rows[i].columns, out);
		expect_width(out, rows[i].columns);
		free(out);
		app_end(app);
	}
}

/* No control character of a name reaches standard output, in any format. */
TEST(test_nothing_escapes)
{
	struct app *app = app_on(awkward_heap());

	for (int format = TABLE_TEXT; format <= TABLE_TSV; format++) {
		char *out = print_view(app_view(app), (enum table_format)format, UINT64_MAX);

		assert_non_null(strstr(out, "owned"));
		for (const char *c = out; *c; c++)
			if ((*c > 0 && *c < 0x20 && *c != '\n' &&
			     !(*c == '\t' && format == TABLE_TSV)) ||
			    *c == 0x7f)
				fail_msg("a byte %d in %s", *c, out);
		free(out);
	}
	app_end(app);
}
