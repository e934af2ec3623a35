/* Numbers for people: exact at the edges, rounded to the nearest. */
#include "model/base/duration.h"
#include "model/base/format.h"
#include "tests/drive/run_tests.h"

#include <string.h>
TEST(counts_have_commas)
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
		{ UINT64_MAX, "18,446,744,073,709,551,615", "18446744073709551615" },
	};
	char text[FORMAT_BYTES];

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		assert_string_equal(format_count(rows[i].n, text), rows[i].wanted);
		assert_string_equal(format_plain(rows[i].n, text), rows[i].plain);
	}
}

TEST(sizes_are_exact_then_short)
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
		{ 1000000, "976.56 KiB" },
		{ (UINT64_C(1) << 20) - 513, "1,023.5 KiB" },
		{ (UINT64_C(1) << 20) - 512, "1.00 MiB" },
		{ UINT64_C(1) << 20, "1.00 MiB" },
		{ (UINT64_C(1) << 20) + 5242, "1.00 MiB" },
		{ (UINT64_C(1) << 20) + 5243, "1.01 MiB" },
		{ (UINT64_C(10) << 20) - 5243, "9.99 MiB" },
		{ (UINT64_C(10) << 20) - 5242, "10.00 MiB" },
		{ UINT64_C(10) << 20, "10.00 MiB" },
		{ (UINT64_C(100) << 20) - 52429, "99.95 MiB" },
		{ (UINT64_C(100) << 20) - 1, "100.00 MiB" },
		{ UINT64_C(100) << 20, "100.00 MiB" },
		{ UINT64_C(1000) << 20, "1,000.0 MiB" },
		{ UINT64_C(1009) << 20, "1,009.0 MiB" },
		{ (UINT64_C(1) << 30) - (1 << 19) - 1, "1,023.5 MiB" },
		{ (UINT64_C(1) << 30) - 1, "1.00 GiB" },
		{ UINT64_C(1) << 30, "1.00 GiB" },
		{ UINT64_C(1300000000), "1.21 GiB" },
		{ (UINT64_C(1) << 60) - 1, "1.00 EiB" },
		{ UINT64_C(1) << 60, "1.00 EiB" },
		{ UINT64_MAX, "16.00 EiB" },
	};
	char text[FORMAT_BYTES];

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		assert_string_equal(format_size(rows[i].bytes, text), rows[i].wanted);
		assert_true(strlen(text) <= 11);
	}
}

TEST(a_column_has_one_unit)
{
	const uint64_t mib = UINT64_C(1) << 20, gib = UINT64_C(1) << 30;
	/* The first size that rounds to 1,000.00 MiB. */
	const uint64_t edge = (1000 << 20) - 5242;
	const struct {
		uint64_t bytes, largest;
		const char *wanted;
	} rows[] = {
		{ 0, 0, "0 B" },
		{ 24, 0, "24 B" }, /* more than the largest: no less true */
		{ 24, 9999999, "24 B" },
		{ 9999999, 9999999, "9,999,999 B" },
		{ 9999999, 10000000, "9.54 MiB" },
		{ 10000000, 10000000, "9.54 MiB" },
		{ 0, 10000000, "0 MiB" },
		{ 1, 10000000, "1 B" },
		{ 5242, 10000000, "5,242 B" },
		{ 5243, 10000000, "0.01 MiB" },
		{ 586 << 10, 10000000, "0.57 MiB" },
		{ edge - 1, edge - 1, "999.99 MiB" },
		{ edge, edge - 1, "1,000.00 MiB" },
		{ edge, edge, "1,000.0 MiB" },
		{ 52428, edge, "52,428 B" },
		{ 52429, edge, "0.1 MiB" },
		{ 0, edge, "0 MiB" },
		{ 10000 * mib - 52429, 10000 * mib - 52429, "9,999.9 MiB" },
		{ 10000 * mib - 52428, 10000 * mib - 52428, "9.77 GiB" },
		{ mib, 10000 * mib, "1.00 MiB" },
		{ 100 * mib, 10000 * mib, "0.10 GiB" },
		{ 999 * gib, 999 * gib, "999.00 GiB" },
		{ 1023 * gib, 1023 * gib, "1,023.0 GiB" },
		{ 10000 * gib, 10000 * gib, "9.77 TiB" },
		{ UINT64_MAX, UINT64_MAX, "16.00 EiB" },
		{ UINT64_MAX / 2, UINT64_MAX, "8.00 EiB" },
		{ 1, UINT64_MAX, "1 B" },
		{ UINT64_MAX, 10000000, "17,592,186,044,416.00 MiB" },
		{ UINT64_MAX, 0, "18,446,744,073,709,551,615 B" },
	};
	char text[FORMAT_BYTES];

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		format_size_among(rows[i].bytes, rows[i].largest, text);
		assert_string_equal(text, rows[i].wanted);
		if (rows[i].bytes <= rows[i].largest)
			assert_true(strlen(text) <= 11);
	}
}

TEST(shares_are_rounded)
{
	static const struct {
		uint64_t part, whole;
		const char *wanted;
	} rows[] = {
		{ 0, 0, "-" },
		{ 5, 0, "-" },
		{ 0, 7, "0.0%" },
		{ 1, UINT64_MAX, "<0.1%" },
		{ 1, 2001, "<0.1%" },
		{ 1, 2000, "0.1%" },
		{ 1, 1000, "0.1%" },
		{ 1, 3, "33.3%" },
		{ 2, 3, "66.7%" },
		{ 9994, 10000, "99.9%" },
		{ 9996, 10000, "99.9%" },
		{ 999, 1000, "99.9%" },
		{ 9999999, 10000000, "99.9%" },
		{ UINT64_MAX - 1, UINT64_MAX, "99.9%" },
		{ UINT64_MAX / 2, UINT64_MAX, "50.0%" },
		{ UINT64_C(1) << 63, UINT64_MAX, "50.0%" },
		{ UINT64_MAX, UINT64_MAX, "100%" },
		{ 1, 1, "100%" },
		{ 3, 2, "150.0%" },
		{ 10001, 10000, "100.0%" },
		{ 10005, 10000, "100.1%" },
	};
	char text[FORMAT_BYTES];

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		assert_string_equal(format_share(rows[i].part, rows[i].whole, text),
				    rows[i].wanted);
	format_share(UINT64_MAX, 1, text);
	assert_true(strlen(text) < FORMAT_BYTES);
}

TEST(seconds_have_a_unit)
{
	static const struct {
		double seconds;
		const char *wanted;
	} rows[] = {
		{ 0, "0.0 ms" },       { 0.0004, "0.4 ms" }, { 0.001, "1.0 ms" }, { 0.05, "50 ms" },
		{ 0.35, "350 ms" },    { 0.9999, "999 ms" }, { 1, "1.0 s" },      { 1.25, "1.2 s" },
		{ 99.99, "99.9 s" },   { 100, "100 s" },     { 599.9, "599 s" },  { 600, "10 min" },
		{ 86400, "1440 min" }, { -1, "-" },
	};
	char text[DURATION_BYTES];

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		assert_string_equal(duration_text(rows[i].seconds, text), rows[i].wanted);
	assert_string_equal(duration_text(1e300 * 1e300, text), "-");
}
