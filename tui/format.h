#ifndef TUI_FORMAT_H
#define TUI_FORMAT_H

/* Numbers for people, and for machines. Never locale-dependent. */
#include <stddef.h>
#include <stdint.h>

enum { FORMAT_BYTES = 32 };
/* "1,234,567" */
const char *format_count(uint64_t n, char out[FORMAT_BYTES]);
/* "880,088 B", "859 KiB", "1.21 GiB": at most 9 columns from 1 MB on. */
const char *format_size(uint64_t bytes, char out[FORMAT_BYTES]);
/* "1,234,567,890 B": all of it. */
const char *format_bytes(uint64_t bytes, char out[FORMAT_BYTES]);
/* "12.3%"; rounded down, so that 100% means all. */
const char *format_share(uint64_t part, uint64_t whole, char out[FORMAT_BYTES]);
/* "1234567": for CSV and the like. */
const char *format_plain(uint64_t n, char out[FORMAT_BYTES]);
/* "1,234.56": milliseconds, rounded down. */
const char *format_ms(uint64_t ns, char out[FORMAT_BYTES]);
/* "1.2 s", "350 ms" */
const char *format_seconds(double seconds, char out[FORMAT_BYTES]);
/* "s" behind the name of so many things, or "". */
const char *plural(uint64_t count);

#endif
