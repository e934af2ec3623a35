#ifndef IO_GCLOG_INDEX_H
#define IO_GCLOG_INDEX_H

/*
 * Index of what a GC log defines: sections, their types, and object addresses. Built before the
 * records are read, since a record may refer to later ones. One or two fast passes over the text;
 * about 1.5 bytes an object, most of it for addresses that the heap keeps.
 *
 * Ids are unique within a section only: an object's address is its id plus the section's base.
 */
#include "model/base/u64_map.h"
#include "io/gclog/scan.h"
#include "io/gclog/text.h"
#include "model/base/progress.h"
#include "model/heap/addresses.h"

#define GCLOG_NONE UINT32_MAX

struct gclog_type {
	uint64_t id;
	uint32_t section, next; /* in the section; GCLOG_NONE: the last */
	const char *name;
	const char *statics; /* "name.?", for its static roots; or NULL */
	uint64_t line;       /* of its record; 0: not defined */
	uint64_t used_line;
	size_t used_column;           /* first use, if it is not defined */
	uint64_t objects, containers; /* uses */
};

struct gclog_section {
	const char *name;  /* in UTF-8, as written */
	const char *label; /* the name, with " #2" if another has the same */
	uint64_t line, base, version;
	uint32_t time; /* milliseconds since the device started */
	bool has_time;
	struct u64_map types;           /* id → index->types[] */
	uint32_t first_type, last_type; /* in the order of the log */
	uint64_t types_count;           /* records */
	/* Counted while the records are read. */
	uint64_t objects, bytes, refs, nulls, roots, weak_roots;
};

/* The first definition of an object that is defined more than once. */
struct gclog_first {
	uint64_t line; /* 0: not read yet */
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
	/* Built when a section refers to something it does not define. */
	struct u64_map all_objects, all_types;
	bool has_all_objects, has_all_types;
};

/* `text` is borrowed. False sets `err`; clear it in any case. */
bool gclog_index_build(struct gclog_index *x, const struct gclog_text *text,
		       struct progress *progress, struct error *err) MUST_USE;
void gclog_index_clear(struct gclog_index *x);

/* All ids are below this. */
uint64_t gclog_index_id_end(const struct gclog_index *x);

/* GCLOG_NONE if the section has no such type. */
uint32_t gclog_index_type(const struct gclog_index *x, uint32_t section, uint64_t id);
/* Appends a type that no record defines to the section's types. */
uint32_t gclog_index_add_type(struct gclog_index *x, uint32_t section, uint64_t id,
			      const char *name, uint64_t line, struct error *err) MUST_USE;
/*
 * The type, or the section of the object, that exactly one other section defines; GCLOG_NONE in
 * `found` if there is none. False: no memory.
 */
bool gclog_index_foreign_type(struct gclog_index *x, uint64_t id, uint32_t *found,
			      struct error *err) MUST_USE;
bool gclog_index_foreign_object(struct gclog_index *x, uint64_t id, uint32_t *found,
				struct error *err) MUST_USE;

/* Reads id, type and size of an object record; false: it defines none. */
bool gclog_object_head(const struct gclog_record *r, uint64_t id_end, struct gclog_element head[3]);
/* The name behind a type's id: the rest of the line. */
struct gclog_name gclog_type_name(const struct gclog_record *r, struct gclog_cursor rest);

#endif
