#include "tui/format.h"
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

const char *
format_plain(uint64_t n, char out[FORMAT_BYTES])
{
	snprintf(out, FORMAT_BYTES, "%llu", (unsigned long long)n);
	return out;
}

const char *
format_count(uint64_t n, char out[FORMAT_BYTES])
{
	char digits[FORMAT_BYTES];
	size_t len, at = 0;

	format_plain(n, digits);
	len = strlen(digits);
	for (size_t i = 0; i < len; i++) {
		if (i > 0 && (len - i) % 3 == 0)
			out[at++] = ',';
		out[at++] = digits[i];
	}
	out[at] = '\0';
	return out;
}

const char *
format_bytes(uint64_t bytes, char out[FORMAT_BYTES])
{
	format_count(bytes, out); /* at most 26 characters */
	strcat(out, " B");
	return out;
}

/*
 * Exact below a million, so that it can be compared with what other tools
 * print; three digits from there on, rounded down.
 */
const char *
format_size(uint64_t bytes, char out[FORMAT_BYTES])
{
	static const char *const units[] = { "KiB", "MiB", "GiB",
					     "TiB", "PiB", "EiB" };
	unsigned unit = 0, shift = 10;
	uint64_t fraction;
	unsigned whole, tenth, hundredth;

	if (bytes < 1000000)
		return format_bytes(bytes, out);
	while (unit < 5 && bytes >> shift >= 1024) {
		unit++;
		shift += 10;
	}
	whole = (unsigned)(bytes >> shift);
	fraction = (bytes & ((UINT64_C(1) << shift) - 1)) * 10; /* < 2^64 */
	tenth = (unsigned)(fraction >> shift);
	fraction = (fraction & ((UINT64_C(1) << shift) - 1)) * 10;
	hundredth = (unsigned)(fraction >> shift);
	if (whole < 10)
		snprintf(out, FORMAT_BYTES, "%u.%u%u %s", whole, tenth,
			 hundredth, units[unit]);
	else if (whole < 100)
		snprintf(out, FORMAT_BYTES, "%u.%u %s", whole, tenth,
			 units[unit]);
	else if (whole < 1000)
		snprintf(out, FORMAT_BYTES, "%u %s", whole, units[unit]);
	else
		snprintf(out, FORMAT_BYTES, "1,%03u %s", whole % 1000,
			 units[unit]);
	return out;
}

/* *rest * 10 / whole, and what is left; exact where the product overflows. */
static unsigned
next_digit(uint64_t *rest, uint64_t whole)
{
	uint64_t sum = 0, step = *rest; /* sum and step are below whole */
	unsigned digit = 0;

	for (int i = 0; i < 10; i++) {
		if (sum >= whole - step) {
			sum -= whole - step;
			digit++;
		} else {
			sum += step;
		}
	}
	*rest = sum;
	return digit;
}

const char *
format_share(uint64_t part, uint64_t whole, char out[FORMAT_BYTES])
{
	uint64_t rest, percent;
	unsigned digit;

	if (whole == 0) {
		strcpy(out, "-");
		return out;
	}
	if (part == whole) {
		strcpy(out, "100%");
		return out;
	}
	rest = part % whole;
	percent = next_digit(&rest, whole) * 10;
	percent += next_digit(&rest, whole);
	digit = next_digit(&rest, whole);
	percent += part / whole * 100;
	if (part / whole > UINT64_MAX / 100 - 1)
		snprintf(out, FORMAT_BYTES, "> 10^17%%");
	else
		snprintf(out, FORMAT_BYTES, "%llu.%u%%",
			 (unsigned long long)percent, digit);
	return out;
}

const char *
format_ms(uint64_t ns, char out[FORMAT_BYTES])
{
	char whole[FORMAT_BYTES];

	/* At most 2^64 ns: 18,446,744,073,709.55 ms. */
	snprintf(out, FORMAT_BYTES, "%.28s.%02u",
		 format_count(ns / 1000000, whole),
		 (unsigned)(ns / 10000 % 100));
	return out;
}

/* In whole units and tenths, without the decimal point of the locale. */
static const char *
format_tenths(double value, bool has_tenth, const char *unit,
	      char out[FORMAT_BYTES])
{
	unsigned long long tenths = (unsigned long long)(value * 10);

	if (has_tenth)
		snprintf(out, FORMAT_BYTES, "%llu.%llu %s", tenths / 10,
			 tenths % 10, unit);
	else
		snprintf(out, FORMAT_BYTES, "%llu %s", tenths / 10, unit);
	return out;
}

const char *
format_seconds(double seconds, char out[FORMAT_BYTES])
{
	if (!isfinite(seconds) || seconds < 0 || seconds > 1e12) {
		strcpy(out, "-");
		return out;
	}
	if (seconds < 1) {
		double ms = seconds * 1000 + 1e-9; /* 0.001 s is 1 ms */

		return format_tenths(ms, ms < 10, "ms", out);
	}
	if (seconds < 600)
		return format_tenths(seconds, seconds < 100, "s", out);
	return format_tenths(seconds / 60, false, "min", out);
}

const char *
plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}
