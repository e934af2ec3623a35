#ifndef MODEL_BASE_FORMAT_H
#define MODEL_BASE_FORMAT_H

/*
 * Numbers for people, and for machines. Never locale-dependent. Sizes and
 * shares are rounded to the nearest, durations down.
 */
#include <stddef.h>
#include <stdint.h>

enum {
	FORMAT_BYTES = 32,            /* as COUNT_TEXT_BYTES */
	FORMAT_EXACT_BELOW = 10000000 /* bytes of a column: no units */
};
/* "1,234,567" */
const char *format_count(uint64_t n, char out[FORMAT_BYTES]);
/* "880,088 B", "19.18 MiB", "1,023.5 GiB": at most 11 columns. Alone, in
   sentences. */
const char *format_size(uint64_t bytes, char out[FORMAT_BYTES]);
/* "1,234,567,890 B": all of it. */
const char *format_bytes(uint64_t bytes, char out[FORMAT_BYTES]);
/*
 * "1,234,567 B", "12.34 MiB", "1,234.5 GiB": in the unit and with the decimals
 * that suit the largest of a column, so that all of it can be compared. What
 * would look like 0 and is not is in a unit of its own: "5,242 B".
 */
const char *format_size_among(uint64_t bytes, uint64_t largest,
			      char out[FORMAT_BYTES]);
/* "12.3%"; but 100% means all, and 0.0% nothing: "99.9%" and "<0.1%". */
const char *format_share(uint64_t part, uint64_t whole, char out[FORMAT_BYTES]);
/* "1234567": for CSV and the like. */
const char *format_plain(uint64_t n, char out[FORMAT_BYTES]);
/* "1,234.56": milliseconds, rounded down. */
const char *format_ms(uint64_t ns, char out[FORMAT_BYTES]);
/* "s" behind the name of so many things, or "". */
const char *plural(uint64_t count);

#endif
