#ifndef MODEL_BASE_FORMAT_H
#define MODEL_BASE_FORMAT_H

/*
 * Numbers as text, for people and for machines. Independent of the locale. Sizes and shares are
 * rounded to nearest, durations down.
 */
#include <stddef.h>
#include <stdint.h>

enum {
	FORMAT_BYTES = 32,
	FORMAT_EXACT_BELOW = 10000000 /* columns up to here show bytes */
};
/* "1,234,567" */
const char *format_count(uint64_t n, char out[FORMAT_BYTES]);
/* "880,088 B", "19.18 MiB", "1,023.5 GiB": at most 11 columns. For single values. */
const char *format_size(uint64_t bytes, char out[FORMAT_BYTES]);
/* "1,234,567,890 B" */
const char *format_bytes(uint64_t bytes, char out[FORMAT_BYTES]);
/*
 * "1,234,567 B", "12.34 MiB", "1,234.5 GiB": in the unit and with the decimals that suit the
 * largest value of a column, so that values are comparable. A value that would round to 0 has a
 * unit of its own: "5,242 B".
 */
const char *format_size_among(uint64_t bytes, uint64_t largest, char out[FORMAT_BYTES]);
/* The same for columns that keep to their unit: "<0.01 MiB". */
const char *format_size_in_unit(uint64_t bytes, uint64_t largest, char out[FORMAT_BYTES]);
/* "12.3%". Only all is "100%" and only nothing "0.0%": "99.9%" and "<0.1%". */
const char *format_share(uint64_t part, uint64_t whole, char out[FORMAT_BYTES]);
/* "1234567": for CSV and the like. */
const char *format_plain(uint64_t n, char out[FORMAT_BYTES]);
/* "1,234.56": milliseconds, rounded down. */
const char *format_ms(uint64_t ns, char out[FORMAT_BYTES]);
/* "s", or "" for a count of 1. */
const char *plural(uint64_t count);

#endif
