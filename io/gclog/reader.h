#ifndef IO_GCLOG_READER_H
#define IO_GCLOG_READER_H

/*
 * What the reader of a GC log holds while it reads; shared by gclog.c, from
 * bytes to a heap, records.c, record by record, and resolve.c,
 * from ids to what they stand for.
 */
#include "io/gclog/index.h"
#include "io/gclog/report.h"
#include "model/heap/stream.h"

/* Referred to in this section, and not defined; one for each id. */
struct gclog_undefined {
	uint64_t address, id, refs;
	struct gclog_place used;
};

struct gclog_reader {
	struct gclog_index index;
	struct gclog_report report;
	struct heap_stream *stream;
	struct gclog_section *section; /* of this record */
	uint32_t section_number;
	const struct gclog_record *record;
	uint64_t *refs; /* addresses, of one object */
	size_t refs_count, refs_room;
	struct gclog_undefined *undefined;
	size_t undefined_count, undefined_room;
	size_t undefined_told;            /* of sections before */
	struct u64_map undefined_numbers; /* address → undefined[] */
	struct addresses_page page;
	struct losses *losses;
	uint64_t objects_count, bad_lines, last_line;
	uint64_t unknown_flags; /* that were told */
	type_id *map;           /* our types → the heap's */
};

/* Of the record that is being read. */
struct gclog_place gclog_place_at(const struct gclog_reader *r, size_t column);
const char *gclog_quote_element(const struct gclog_reader *r,
				const struct gclog_element *e,
				char text[GCLOG_QUOTE_BYTES]);

/*
 * The type or the address that an id stands for in this section, or else in
 * another; one that nothing defines is noted. GCLOG_NONE, false: out of memory.
 */
uint32_t gclog_resolve_type(struct gclog_reader *r,
			    const struct gclog_element *e,
			    struct error *err) MUST_USE;
bool gclog_resolve_object(struct gclog_reader *r, const struct gclog_element *e,
			  uint64_t *address, struct error *err) MUST_USE;
/* The section ends: tells of what it names and nothing defines. */
bool gclog_resolve_end(struct gclog_reader *r, struct error *err) MUST_USE;

/* Reads all records, sections resolved at their ends. */
bool gclog_take_records(struct gclog_reader *r, struct gclog_scan *scan,
			struct progress *progress, struct error *err) MUST_USE;

#endif
