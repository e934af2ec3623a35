#ifndef IO_GCLOG_READER_H
#define IO_GCLOG_READER_H

/*
 * State of the reader of a GC log, shared by gclog.c (bytes to a heap), records.c (record by
 * record) and resolve.c (ids).
 */
#include "io/gclog/index.h"
#include "io/gclog/report.h"
#include "model/heap/stream.h"

/* An object that this section refers to, but no section defines. */
struct gclog_undefined {
	uint64_t address, id, refs;
	struct gclog_place used;
};

struct gclog_reader {
	struct gclog_index index;
	struct gclog_report report;
	struct heap_stream *stream;
	struct gclog_section *section; /* of the current record */
	uint32_t section_number;
	const struct gclog_record *record;
	uint64_t *refs; /* addresses, of the current object */
	size_t refs_count, refs_room;
	struct gclog_undefined *undefined;
	size_t undefined_count, undefined_room;
	size_t undefined_reported;        /* of earlier sections */
	struct u64_map undefined_numbers; /* address → undefined[] */
	struct addresses_page page;
	struct losses *losses;
	uint64_t objects_count, bad_lines;
	uint64_t unknown_flags; /* already reported */
	type_id *map;           /* index->types[] → the heap's types */
};

/* A place in the current record. */
struct gclog_place gclog_place_at(const struct gclog_reader *r, size_t column);
const char *gclog_quote_element(const struct gclog_reader *r, const struct gclog_element *e,
				char text[GCLOG_QUOTE_BYTES]);

/*
 * The type, or the address, of an id in this section or else in another; an undefined one is
 * recorded. GCLOG_NONE or false: no memory.
 */
uint32_t gclog_resolve_type(struct gclog_reader *r, const struct gclog_element *e,
			    struct error *err) MUST_USE;
bool gclog_resolve_object(struct gclog_reader *r, const struct gclog_element *e, uint64_t *address,
			  struct error *err) MUST_USE;
/* Ends the section: reports undefined ids. */
bool gclog_resolve_end(struct gclog_reader *r, struct error *err) MUST_USE;

/* Reads all records. */
bool gclog_take_records(struct gclog_reader *r, struct gclog_scan *scan, struct progress *progress,
			struct error *err) MUST_USE;

#endif
