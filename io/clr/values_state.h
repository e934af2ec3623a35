#ifndef IO_CLR_VALUES_STATE_H
#define IO_CLR_VALUES_STATE_H

/* Shared by the files that compute layouts: a class whose fields become parts (parts.c), and the
 * levels of a type, one after another (values.c). */
#include "io/clr/values.h"
#include "io/pe/metadata_fields.h"
#include "io/runtime/fields.h"
#include "io/runtime/type_index.h"

struct clr_values {
	const struct clr_runtime *rt;
	const struct clr_names *names;
	struct arena arena, scratch;
	struct u64_map objects, elements;
	const struct clr_plan **plans;
	size_t plans_count, plans_room;
	struct clr_type_index types;
};

/* A class or a nested struct whose fields are being converted to parts. */
struct clr_level {
	struct arena_mark mark; /* of the scratch arena, before opening */
	struct clr_field_record *fields;
	uint32_t count, next;
	uint32_t base, end; /* offsets of its first byte and its end */
	/* Inline buffer, whose field repeats: the number of copies or their total bytes, and the
	 * current copy. */
	uint32_t copies_max, copies_bytes, copy, stride;
	size_t element; /* its first part */
	bool is_absent; /* some of its fields may be missing */
	const struct metadata *metadata;
	const char *arguments[CLR_ARGUMENTS_MAX];
	unsigned arguments_count;
};

bool clr_level_open(struct clr_values *v, uint64_t table, uint32_t base, uint32_t end,
		    struct clr_level *l, struct error *err) MUST_USE;
/* Opens a level without reading its fields, to name records that the caller has. */
bool clr_level_open_bare(struct clr_values *v, uint64_t table, struct clr_level *l,
			 struct error *err) MUST_USE;
/* The metadata rows of the class's fields, which bound its field records. False: unknown. */
bool clr_level_field_rows(const struct clr_values *v, uint64_t table, const struct clr_level *l,
			  uint32_t *first, uint32_t *end) MUST_USE;

/* Releases the level's scratch memory. */
void clr_level_close(struct clr_values *v, const struct clr_level *l);

struct clr_declared {
	const char *name; /* in the heap's spelling, or "" */
	uint64_t table;   /* 0: unknown */
	uint8_t kind;
};

/* LITERAL_KIND_COUNT: the element type is not a primitive. */
uint8_t clr_literal_of_kind(uint8_t kind);
bool clr_is_value_table(const struct clr_values *v, uint64_t table);
/* Sets the part's name and declared type, in `a`; *spelt is the type in the heap's spelling, in
 * scratch memory. */
bool clr_part_name(struct clr_values *v, const struct clr_level *l, uint32_t row,
		   struct clr_part *part, const char **spelt, struct arena *a,
		   struct error *err) MUST_USE;
/*
 * Sets the part's kind by its declared type; the part is at part->offset, and `end` is where the
 * next field starts. *table is a struct to be expanded, or
 * 0.
 */
bool clr_part_declare(struct clr_values *v, struct clr_part *part, struct clr_declared *d,
		      uint32_t end, uint64_t *table, struct error *err) MUST_USE;
/* The part of a static field, at offset 0. A struct stays raw, since a box holds it, which has a
 * plan of its own. Texts are in `a`. */
bool clr_part_of_static(struct clr_values *v, const struct clr_level *l,
			const struct clr_field_record *f, struct clr_part *out, struct arena *a,
			struct error *err) MUST_USE;

#endif
