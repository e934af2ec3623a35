#ifndef IO_CLR_VALUES_STATE_H
#define IO_CLR_VALUES_STATE_H

/*
 * What the files share that say what lies where: a class whose fields are made
 * parts of (parts.c), one after another (values.c).
 */
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

/* A class, or a structure in it, while its fields are made parts of. */
struct clr_level {
	struct arena_mark mark; /* of the scratch, before it was opened */
	struct clr_field_record *fields;
	uint32_t count, next;
	uint32_t base, end; /* offsets of its first byte, and behind its last */
	/* Of a buffer, which has its field many times: how often, or in how
	   many bytes; and which one this is. */
	uint32_t copies_max, copies_bytes, copy, stride;
	size_t element; /* its first part */
	bool is_absent; /* some of its fields may be missing */
	const struct metadata *metadata;
	const char *arguments[CLR_ARGUMENTS_MAX];
	unsigned arguments_count;
};

bool clr_level_open(struct clr_values *v, uint64_t table, uint32_t base,
		    uint32_t end, struct clr_level *l,
		    struct error *err) MUST_USE;
/*
 * The same without its own fields: for names and declared types of records
 * that the caller has.
 */
bool clr_level_open_bare(struct clr_values *v, uint64_t table,
			 struct clr_level *l, struct error *err) MUST_USE;
/*
 * The rows that the fields of its class may have: behind them something else
 * may lie. False: nothing tells.
 */
bool clr_level_field_rows(const struct clr_values *v, uint64_t table,
			  const struct clr_level *l, uint32_t *first,
			  uint32_t *end) MUST_USE;

/* Gives back what it has in the scratch. */
void clr_level_close(struct clr_values *v, const struct clr_level *l);

struct clr_declared {
	const char *name; /* spelt as heaps have it; "" if unknown */
	uint64_t table;   /* if it is known */
	uint8_t kind;
};

/* LITERAL_KIND_COUNT: a field of that kind is no number. */
uint8_t clr_literal_of_kind(uint8_t kind);
bool clr_is_value_table(const struct clr_values *v, uint64_t table);
/* Name and declared type of a field, in `a`; *spelt as heaps spell it, in the
 * scratch. */
bool clr_part_name(struct clr_values *v, const struct clr_level *l,
		   uint32_t row, struct clr_part *part, const char **spelt,
		   struct arena *a, struct error *err) MUST_USE;
/*
 * What a field of that declared type is, at part->offset; `end`: where the next
 * one begins. *table: of a structure to be opened; or 0.
 */
bool clr_part_declare(struct clr_values *v, struct clr_part *part,
		      struct clr_declared *d, uint32_t end, uint64_t *table,
		      struct error *err) MUST_USE;
/*
 * A static field, by its record, at offset 0. Of a structure it is raw: that is
 * in a box, which has a plan. Texts are in `a`.
 */
bool clr_part_of_static(struct clr_values *v, const struct clr_level *l,
			const struct clr_field_record *f, struct clr_part *out,
			struct arena *a, struct error *err) MUST_USE;

#endif
