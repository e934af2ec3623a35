/* Rows as text, CSV and TSV: names from a dump harm neither file nor screen. */
#include "tests/run_tests.h"
#include "tests/screens.h"
#include "tui/table_records.h"
#include "tui/views.h"

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

static void
test_fields(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
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

static void
test_strings(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof strings / sizeof strings[0]; i++) {
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
	struct error err = { 0 };
	struct table table;
	char *out = NULL;
	size_t len = 0;
	FILE *to = open_memstream(&out, &len);

	assert_non_null(to);
	if (!table_init(&table, v, format, NULL, &err))
		fail_msg("%s", err.message);
	table.rows_max = rows_max;
	table_print(to, &table, v);
	fclose(to);
	return out;
}

static const char wanted_text[] =
    "Type          Module    Count      Size  Share       Avg       Max  Gen0"
    "  Gen1  Gen2  LOH  POH  Frozen\n"
    "byte[]        demo.dll      1  4.76 MiB  99.9%  4.76 MiB  4.76 MiB     0"
    "     0     0    1    0       0\n"
    "Demo.Entry    demo.dll      3      72 B   0.0%      24 B      24 B     0"
    "     0     3    0    0       0\n"
    "Demo.Entry[]  demo.dll      1      64 B   0.0%      64 B      64 B     1"
    "     0     0    0    0       0\n";

static const char wanted_csv[] =
    "type,raw,module,count,size,share,avg,max,gen0,gen1,gen2,loh,poh,frozen\n"
    "byte[],System.Byte[],demo.dll,1,5000000,0.999914,5000000,5000000,0,0,0,1,"
    "0,0\n"
    "Demo.Entry,Demo.Entry,demo.dll,3,72,0.000014,24,24,0,0,3,0,0,0\n"
    "Demo.Entry[],Demo.Entry[],demo.dll,1,64,0.000013,64,64,1,0,0,0,0,0\n";

static void
test_views(void **state)
{
	struct app *app = app_on(awkward_heap());
	struct error err = { 0 };
	char *out;

	(void)state;
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

/* No control character of a name reaches standard output, in any format. */
static void
test_nothing_escapes(void **state)
{
	struct app *app = app_on(awkward_heap());

	(void)state;
	for (int format = TABLE_TEXT; format <= TABLE_TSV; format++) {
		char *out = print_view(app_view(app), (enum table_format)format,
				       UINT64_MAX);

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

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_views),
		cmocka_unit_test(test_nothing_escapes),
	};

	return run_tests(tests);
}
