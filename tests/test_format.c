/* Numbers for people: exact at the edges, always rounded down. */
#include "tests/run_tests.h"
#include "tui/format.h"

#include <string.h>
static void
counts_have_commas(void **state)
{
	static const struct {
		uint64_t n;
		const char *wanted, *plain;
	} rows[] = {
		{ 0, "0", "0" },
		{ 999, "999", "999" },
		{ 1000, "1,000", "1000" },
		{ 999999, "999,999", "999999" },
		{ 1234567, "1,234,567", "1234567" },
		{ UINT32_MAX, "4,294,967,295", "4294967295" },
		{ UINT64_MAX, "18,446,744,073,709,551,615",
		  "18446744073709551615" },
	};
	char text[FORMAT_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_string_equal(format_count(rows[i].n, text),
				    rows[i].wanted);
		assert_string_equal(format_plain(rows[i].n, text),
				    rows[i].plain);
	}
}

static void
sizes_are_exact_then_short(void **state)
{
	static const struct {
		uint64_t bytes;
		const char *wanted;
	} rows[] = {
		{ 0, "0 B" },
		{ 24, "24 B" },
		{ 1023, "1,023 B" },
		{ 1024, "1,024 B" },
		{ 880088, "880,088 B" },
		{ 999999, "999,999 B" },
		{ 1000000, "976 KiB" },
		{ (UINT64_C(1) << 20) - 1, "1,023 KiB" },
		{ UINT64_C(1) << 20, "1.00 MiB" },
		{ (UINT64_C(1) << 20) + 10485, "1.00 MiB" },
		{ (UINT64_C(1) << 20) + 10486, "1.01 MiB" },
		{ (UINT64_C(10) << 20) - 1, "9.99 MiB" },
		{ UINT64_C(10) << 20, "10.0 MiB" },
		{ (UINT64_C(100) << 20) - 1, "99.9 MiB" },
		{ UINT64_C(100) << 20, "100 MiB" },
		{ UINT64_C(1000) << 20, "1,000 MiB" },
		{ UINT64_C(1009) << 20, "1,009 MiB" },
		{ (UINT64_C(1) << 30) - 1, "1,023 MiB" },
		{ UINT64_C(1) << 30, "1.00 GiB" },
		{ UINT64_C(1300000000), "1.21 GiB" },
		{ (UINT64_C(1) << 60) - 1, "1,023 PiB" },
		{ UINT64_C(1) << 60, "1.00 EiB" },
		{ UINT64_MAX, "15.9 EiB" },
	};
	char text[FORMAT_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_string_equal(format_size(rows[i].bytes, text),
				    rows[i].wanted);
		assert_true(strlen(text) <= 9);
	}
}

static void
shares_are_rounded_down(void **state)
{
	static const struct {
		uint64_t part, whole;
		const char *wanted;
	} rows[] = {
		{ 0, 0, "-" },
		{ 5, 0, "-" },
		{ 0, 7, "0.0%" },
		{ 1, 1001, "0.0%" },
		{ 1, 1000, "0.1%" },
		{ 1, 3, "33.3%" },
		{ 2, 3, "66.6%" },
		{ 999, 1000, "99.9%" },
		{ 9999999, 10000000, "99.9%" },
		{ UINT64_MAX - 1, UINT64_MAX, "99.9%" },
		{ UINT64_MAX / 2, UINT64_MAX, "49.9%" },
		{ UINT64_C(1) << 63, UINT64_MAX, "50.0%" },
		{ UINT64_MAX, UINT64_MAX, "100%" },
		{ 1, 1, "100%" },
		{ 3, 2, "150.0%" },
	};
	char text[FORMAT_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(
		    format_share(rows[i].part, rows[i].whole, text),
		    rows[i].wanted);
	format_share(UINT64_MAX, 1, text);
	assert_true(strlen(text) < FORMAT_BYTES);
}

static void
seconds_have_a_unit(void **state)
{
	static const struct {
		double seconds;
		const char *wanted;
	} rows[] = {
		{ 0, "0.0 ms" },       { 0.0004, "0.4 ms" },
		{ 0.001, "1.0 ms" },   { 0.05, "50 ms" },
		{ 0.35, "350 ms" },    { 0.9999, "999 ms" },
		{ 1, "1.0 s" },        { 1.25, "1.2 s" },
		{ 99.99, "99.9 s" },   { 100, "100 s" },
		{ 599.9, "599 s" },    { 600, "10 min" },
		{ 86400, "1440 min" }, { -1, "-" },
	};
	char text[FORMAT_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(format_seconds(rows[i].seconds, text),
				    rows[i].wanted);
	assert_string_equal(format_seconds(1e300 * 1e300, text), "-");
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_have_commas),
		cmocka_unit_test(sizes_are_exact_then_short),
		cmocka_unit_test(shares_are_rounded_down),
		cmocka_unit_test(seconds_have_a_unit),
	};

	return run_tests(tests);
}
