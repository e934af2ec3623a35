#ifndef IO_GCLOG_REPORT_H
#define IO_GCLOG_REPORT_H

/*
 * Reports errors in a GC log in the form of compilers, so that editors find the place:
 * FILE:LINE:COL: error|warning: text [code]. LINE counts from 1, COL from 1 in bytes: the start of
 * the offending element, or one past the line's end if an element is missing. The messages become
 * warnings of the heap, at most 20 for each code; the rest are counted.
 */
#include "io/gclog/lines.h"
#include "model/heap/build.h"

/* Codes, and their names in messages. */
/* clang-format off */
#define GCLOG_CODES(X) \
	X(UNKNOWN_RECORD, "unknown-record") \
	X(UPPER_CASE, "upper-case") \
	X(NUL, "nul") \
	X(BAD_LINE, "bad-line") \
	X(BAD_REF, "bad-ref") \
	X(LONG_ID, "long-id") \
	X(ZERO_ID, "zero-id") \
	X(ZERO_SIZE, "zero-size") \
	X(ZERO_ROOT, "zero-root") \
	X(BAD_KIND, "bad-kind") \
	X(BAD_FLAGS, "bad-flags") \
	X(NO_CONTAINER, "no-container") \
	X(EXTRA, "extra") \
	X(NO_SECTION, "no-section") \
	X(MISSING_END, "missing-end") \
	X(END_MISMATCH, "end-mismatch") \
	X(STRAY_END, "stray-end") \
	X(UNDEFINED_TYPE, "undefined-type") \
	X(UNDEFINED_OBJECT, "undefined-object") \
	X(FOREIGN_ID, "foreign-id") \
	X(DUPLICATE_TYPE, "duplicate-type") \
	X(DUPLICATE_OBJECT, "duplicate-object") \
	X(VERSION, "version") \
	X(ENCODING, "encoding") \
	X(TRUNCATED, "truncated") \
	X(NOT_GCLOG, "not-gclog")
/* clang-format on */
enum gclog_code {
#define GCLOG_CODE(name, text) GCLOG_##name,
	GCLOG_CODES(GCLOG_CODE)
#undef GCLOG_CODE
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

void gclog_error(struct gclog_report *r, enum gclog_code code, struct gclog_place at,
		 const char *format, ...) PRINTF_LIKE(4, 5);
void gclog_warning(struct gclog_report *r, enum gclog_code code, struct gclog_place at,
		   const char *format, ...) PRINTF_LIKE(4, 5);
/* Was this code reported? For messages that are reported only once. */
bool gclog_report_has(const struct gclog_report *r, enum gclog_code code);
/* Reports how many messages were suppressed. */
void gclog_report_end(struct gclog_report *r);

/* Sets `err` in the same form if the log cannot be read; returns false. */
bool gclog_refuse(const char *file, enum gclog_code code, struct gclog_place at, struct error *err,
		  const char *format, ...) PRINTF_LIKE(5, 6);

/* Quotes bytes of the log, truncated and sanitized. Returns `text`. */
enum { GCLOG_QUOTE_BYTES = 64 };
const char *gclog_quote(const uint8_t *bytes, size_t len, char text[GCLOG_QUOTE_BYTES]);

#endif
