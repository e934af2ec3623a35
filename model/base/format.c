#include "model/base/format.h"
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
	size_t len = strlen(format_plain(n, digits)), at = 0;

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

static const char prefixes[] = " KMGTPE"; /* by powers of 2^10 */

/* bytes / 2^shift * 10^decimals, rounded to nearest; shift is at most 60. */
static uint64_t
scaled(uint64_t bytes, unsigned shift, int decimals)
{
	const uint64_t one = UINT64_C(1) << shift;
	uint64_t n = bytes >> shift, rest = bytes & (one - 1);

	for (int i = 0; i < decimals; i++) {
		rest *= 10; /* < 2^64 */
		n = n * 10 + (rest >> shift);
		rest &= one - 1;
	}
	return n + (rest >= one / 2);
}

static const char *
format_scaled(uint64_t bytes, unsigned shift, int decimals, char out[FORMAT_BYTES])
{
	const unsigned one = decimals == 2 ? 100 : decimals ? 10 : 1;
	uint64_t n = scaled(bytes, shift, decimals);
	size_t used;

	format_count(n / one, out); /* < 2^44: 18 characters */
	used = strlen(out);
	if (decimals)
		used += (size_t)snprintf(out + used, FORMAT_BYTES - used, ".%0*u", decimals,
					 (unsigned)(n % one));
	snprintf(out + used, FORMAT_BYTES - used, " %ciB", prefixes[shift / 10]);
	return out;
}

/*
 * Exact below a million, to be comparable with the output of other tools; above, with the decimals
 * that columns have.
 */
const char *
format_size(uint64_t bytes, char out[FORMAT_BYTES])
{
	unsigned shift = 10;
	int decimals = 2;

	if (bytes < 1000000)
		return format_bytes(bytes, out);
	while (shift < 60 && scaled(bytes, shift, 0) >= 1024)
		shift += 10;
	if (scaled(bytes, shift, decimals) >= 100000)
		decimals = 1;
	return format_scaled(bytes, shift, decimals, out);
}

/* Returns the unit of a column, as a power of 2, and its decimals. */
static unsigned
unit_of(uint64_t largest, int *decimals)
{
	unsigned shift = 20;

	while (shift < 60 && scaled(largest, shift, 1) >= 100000)
		shift += 10;
	*decimals = scaled(largest, shift, 2) < 100000 ? 2 : 1;
	return shift;
}

const char *
format_size_among(uint64_t bytes, uint64_t largest, char out[FORMAT_BYTES])
{
	unsigned shift;
	int decimals;

	if (largest < FORMAT_EXACT_BELOW)
		return format_bytes(bytes, out);
	shift = unit_of(largest, &decimals);
	if (!bytes)
		return format_scaled(0, shift, 0, out);
	if (scaled(bytes, shift, decimals))
		return format_scaled(bytes, shift, decimals, out);
	return format_size(bytes, out);
}

const char *
format_size_in_unit(uint64_t bytes, uint64_t largest, char out[FORMAT_BYTES])
{
	unsigned shift;
	int decimals;

	if (!bytes || largest < FORMAT_EXACT_BELOW)
		return format_size_among(bytes, largest, out);
	shift = unit_of(largest, &decimals);
	if (scaled(bytes, shift, decimals))
		return format_scaled(bytes, shift, decimals, out);
	snprintf(out, FORMAT_BYTES, "<%s %ciB", decimals == 2 ? "0.01" : "0.1",
		 prefixes[shift / 10]);
	return out;
}

/* *rest * 10 / whole, and the remainder; avoids overflow of the product. */
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
	uint64_t rest, tenths = 0;

	if (whole == 0) {
		strcpy(out, "-");
		return out;
	}
	if (part == whole) {
		strcpy(out, "100%");
		return out;
	}
	if (part / whole > UINT64_MAX / 1000 - 1) {
		strcpy(out, "> 10^17%");
		return out;
	}
	rest = part % whole;
	for (int i = 0; i < 3; i++)
		tenths = tenths * 10 + next_digit(&rest, whole);
	tenths += part / whole * 1000 + (rest >= whole - rest);
	if (tenths == 0 && part) {
		strcpy(out, "<0.1%");
		return out;
	}
	if (tenths == 1000 && part < whole)
		tenths = 999;
	snprintf(out, FORMAT_BYTES, "%llu.%u%%", (unsigned long long)(tenths / 10),
		 (unsigned)(tenths % 10));
	return out;
}

const char *
format_ms(uint64_t ns, char out[FORMAT_BYTES])
{
	char whole[FORMAT_BYTES];

	/* At most 2^64 ns: 18,446,744,073,709.55 ms. */
	snprintf(out, FORMAT_BYTES, "%.28s.%02u", format_count(ns / 1000000, whole),
		 (unsigned)(ns / 10000 % 100));
	return out;
}

const char *
plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}
