#ifndef IO_GCLOG_INDEX_H
#define IO_GCLOG_INDEX_H

/*
 * What a GC log defines: sections, their types, and which objects there are.
 * Made before the log is read for its contents, since a record may name what
 * comes later. One or two quick passes over the text; about 1.5 bytes an
 * object, most of what the heap's own addresses take.
 *
 * Ids are unique in their section only: an object's address is its id plus its
 * section's base.
 */
#include "model/base/u64_map.h"
#include "io/gclog/scan.h"
#include "io/gclog/text.h"
#include "model/base/progress.h"
#include "model/heap/addresses.h"

#define GCLOG_NONE UINT32_MAX

struct gclog_type {
	uint64_t id;
	uint32_t section, next; /* of the section; GCLOG_NONE: the last */
	const char *name;
	const char *statics; /* what roots call those it declares; or NULL */
	uint64_t line;       /* of its record; 0: nothing defines it */
	uint64_t used_line;
	size_t used_column;           /* where an undefined one is used first */
	uint64_t objects, containers; /* how often */
};

struct gclog_section {
	const char *name;  /* in UTF-8, as it stands there */
	const char *label; /* the same, and " #2" if another is called so */
	uint64_t line, base, version;
	uint32_t time; /* milliseconds since the device was started */
	bool has_time;
	struct u64_map types;           /* id → index->types[] */
	uint32_t first_type, last_type; /* in the order of the log */
	uint64_t types_count;           /* records */
	/* Counted while the log is read. */
	uint64_t objects, bytes, refs, nulls, roots, weak_roots;
};

/* An object that is defined more than once; the first one counts. */
struct gclog_first {
	uint64_t line; /* 0: not met yet */
	const uint8_t *text;
	size_t text_len;
};

struct gclog_index {
	struct gclog_text text;
	struct arena arena; /* names */
	struct gclog_section *sections;
	uint32_t sections_count;
	size_t sections_room;
	struct gclog_type *types;
	uint32_t types_count;
	size_t types_room;
	struct addresses *objects;
	struct u64_map doubles; /* address → firsts[] */
	struct gclog_first *firsts;
	size_t firsts_count, firsts_room;
	unsigned base_shift;
	uint64_t id_max;
	/* Made when a section names what it does not define. */
	struct u64_map all_objects, all_types;
	bool has_all_objects, has_all_types;
};

/* `text` is borrowed. False sets `err`; clear it in any case. */
bool gclog_index_build(struct gclog_index *x, const struct gclog_text *text,
		       struct progress *progress, struct error *err) MUST_USE;
void gclog_index_clear(struct gclog_index *x);

/* Ids are below this. */
uint64_t gclog_index_id_end(const struct gclog_index *x);

/* GCLOG_NONE: the section knows no such type. */
uint32_t gclog_index_type(const struct gclog_index *x, uint32_t section,
			  uint64_t id);
/* One more type, that no record defines, at the end of the section's. */
uint32_t gclog_index_add_type(struct gclog_index *x, uint32_t section,
			      uint64_t id, const char *name, uint64_t line,
			      struct error *err) MUST_USE;
/*
 * What exactly one other section defines: its type, the section of its object;
 * GCLOG_NONE in `found` if there is none. False: out of memory.
 */
bool gclog_index_foreign_type(struct gclog_index *x, uint64_t id,
			      uint32_t *found, struct error *err) MUST_USE;
bool gclog_index_foreign_object(struct gclog_index *x, uint64_t id,
				uint32_t *found, struct error *err) MUST_USE;

/* The elements every object record has; false: it defines none. */
bool gclog_object_head(const struct gclog_record *r, uint64_t id_end,
		       struct gclog_element head[3]);
/* Where a type's name is, behind its id: the rest of the line. */
struct gclog_name gclog_type_name(const struct gclog_record *r,
				  struct gclog_cursor rest);

#endif
