#ifndef IO_GCLOG_SCAN_H
#define IO_GCLOG_SCAN_H

/*
 * The records of a GC log, one a line, and which section they belong to. The
 * log is read more than once; every time this says the same.
 *
 *   a VERSION NAME [TIME]              begins a section: an application domain
 *   t ID NAME                          a type; blanks in its name are kept
 *   o ID TYPE SIZE REFERENCE…          an object
 *   r OBJECT KIND FLAGS [TYPE]         a root; TYPE declares the static
 *   c NAME [TIME]                      ends the section
 *
 * All numbers are hexadecimal. A record outside any section opens one.
 */
#include "io/gclog/lines.h"
#include "model/base/progress.h"

enum gclog_kind {
	GCLOG_UNKNOWN,
	GCLOG_BEGIN,
	GCLOG_TYPE,
	GCLOG_OBJECT,
	GCLOG_ROOT,
	GCLOG_END,
};

struct gclog_record {
	enum gclog_kind kind;
	struct gclog_line line;
	size_t letter_at;
	struct gclog_cursor rest; /* behind the letter */
	/* The text ends in this line; its last element was here and is left
	   out, since it may be cut. Else GCLOG_NOWHERE. */
	size_t dropped_at;
	bool is_upper;  /* the letter */
	bool is_opener; /* a section without a name was opened for it */
	bool was_open;  /* BEGIN and END: a section was open before */
	bool is_bad;    /* BEGIN without a version: begins nothing */
	struct gclog_element version; /* of BEGIN, if not is_bad */
};

struct gclog_scan {
	struct gclog_lines lines;
	bool is_open;
	uint32_t sections_count; /* so far; the last may be open */
	uint64_t records_count;  /* lines that are not empty */
};

void gclog_scan_init(struct gclog_scan *s, const uint8_t *data, size_t len);
/* The next line that is not empty. */
bool gclog_scan_next(struct gclog_scan *s, struct gclog_record *r);

/*
 * After each record: reports what was read since `told` and asks whether to
 * stop, once in 256 KiB, however few records that is. False sets `err`.
 */
bool gclog_scan_report(const struct gclog_scan *s, uint64_t *told,
		       struct progress *progress, struct error *err) MUST_USE;

/* A domain's name, and the time behind it. */
struct gclog_name {
	size_t at, len; /* in the line; one past its end and 0: no name */
	size_t time_at; /* GCLOG_NOWHERE: no time */
	uint32_t time;
};
/* What the cursor stands before: all of it, or all before a number at the end.
 */
struct gclog_name gclog_name_split(const struct gclog_record *r,
				   struct gclog_cursor rest);

/* Do the first lines look like a GC log? */
bool gclog_scan_sniff(const uint8_t *data, size_t len);

#endif
