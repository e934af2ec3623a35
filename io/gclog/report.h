#ifndef IO_GCLOG_REPORT_H
#define IO_GCLOG_REPORT_H

/*
 * Reports errors in a GC log in the form of compilers, so that editors find the
 * place: FILE:LINE:COL: error|warning: text [code]. LINE counts from 1, COL
 * from 1 in bytes: the start of the offending element, or one past the line's
 * end if an element is missing. The messages become warnings of the heap, at
 * most 20 for each code; the rest are counted.
 */
#include "io/gclog/lines.h"
#include "model/heap/build.h"

enum gclog_code {
	GCLOG_UNKNOWN_RECORD,
	GCLOG_UPPER_CASE,
	GCLOG_NUL,
	GCLOG_BAD_LINE,
	GCLOG_BAD_REF,
	GCLOG_LONG_ID,
	GCLOG_ZERO_ID,
	GCLOG_ZERO_SIZE,
	GCLOG_ZERO_ROOT,
	GCLOG_BAD_KIND,
	GCLOG_BAD_FLAGS,
	GCLOG_NO_CONTAINER,
	GCLOG_EXTRA,
	GCLOG_NO_SECTION,
	GCLOG_MISSING_END,
	GCLOG_END_MISMATCH,
	GCLOG_STRAY_END,
	GCLOG_UNDEFINED_TYPE,
	GCLOG_UNDEFINED_OBJECT,
	GCLOG_FOREIGN_ID,
	GCLOG_DUPLICATE_TYPE,
	GCLOG_DUPLICATE_OBJECT,
	GCLOG_VERSION,
	GCLOG_ENCODING,
	GCLOG_TRUNCATED,
	GCLOG_NOT_GCLOG,
	GCLOG_CODES_COUNT
};

struct gclog_report {
	const char *file;             /* as the user wrote it */
	struct heap_builder *builder; /* receives the warnings */
	struct error *err;            /* no memory */
	uint64_t counts[GCLOG_CODES_COUNT];
	bool has_failed;
};

/* A place in the log; columns count from 0 here. */
struct gclog_place {
	uint64_t line;
	size_t column;
};

void gclog_error(struct gclog_report *r, enum gclog_code code,
		 struct gclog_place at, const char *format, ...)
    PRINTF_LIKE(4, 5);
void gclog_warning(struct gclog_report *r, enum gclog_code code,
		   struct gclog_place at, const char *format, ...)
    PRINTF_LIKE(4, 5);
/* Was this code reported? For messages that are reported only once. */
bool gclog_report_has(const struct gclog_report *r, enum gclog_code code);
/* Reports how many messages were suppressed. */
void gclog_report_end(struct gclog_report *r);

/* Sets `err` in the same form if the log cannot be read; returns false. */
bool gclog_refuse(const char *file, enum gclog_code code, struct gclog_place at,
		  struct error *err, const char *format, ...) PRINTF_LIKE(5, 6);

/* Quotes bytes of the log, truncated and sanitized. Returns `text`. */
enum { GCLOG_QUOTE_BYTES = 64 };
const char *gclog_quote(const uint8_t *bytes, size_t len,
			char text[GCLOG_QUOTE_BYTES]);

#endif
