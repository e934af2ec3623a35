#ifndef IO_GCLOG_SCAN_H
#define IO_GCLOG_SCAN_H

/*
 * Reads the records of a GC log, one a line, and assigns them to sections. The log is scanned more
 * than once, always with the same result.
 *
 *   a VERSION NAME [TIME]              begins a section: an application domain
 *   t ID NAME                          a type; its name may contain blanks
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
	struct gclog_cursor rest; /* after the letter */
	/* Start of the last element of a text that ends within the line; it is left out, as it may
	   be cut short. Else GCLOG_NOWHERE. */
	size_t dropped_at;
	bool is_upper;                /* the letter */
	bool is_opener;               /* an unnamed section was opened for it */
	bool was_open;                /* BEGIN and END: a section was open before */
	bool is_bad;                  /* BEGIN without a version: begins no section */
	struct gclog_element version; /* of BEGIN, if not is_bad */
};

struct gclog_scan {
	struct gclog_lines lines;
	bool is_open;
	uint32_t sections_count; /* so far, including an open one */
	uint64_t records_count;  /* lines that are not empty */
};

void gclog_scan_init(struct gclog_scan *s, const uint8_t *data, size_t len);
/* The next line that is not empty. */
bool gclog_scan_next(struct gclog_scan *s, struct gclog_record *r);

/*
 * Call it after each record: reports progress since `reported` and checks for cancelling, once in
 * 256 KiB. False sets `err`.
 */
bool gclog_scan_report(const struct gclog_scan *s, uint64_t *reported, struct progress *progress,
		       struct error *err) MUST_USE;

/* A domain's name, and the time after it. */
struct gclog_name {
	size_t at, len; /* in the line; one past its end and 0: no name */
	size_t time_at; /* GCLOG_NOWHERE: no time */
	uint32_t time;
};
/* Splits the rest of a line into a name and perhaps a number at its end. */
struct gclog_name gclog_name_split(const struct gclog_record *r, struct gclog_cursor rest);

/* Do the first lines look like a GC log? */
bool gclog_scan_sniff(const uint8_t *data, size_t len);

#endif
