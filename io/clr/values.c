#include "io/clr/values_state.h"
#include "io/runtime/continuations.h"
#include "io/runtime/fields.h"
#include "io/runtime/native.h"
#include "io/runtime/refs.h"
#include "model/base/hash.h"
#include "model/base/seed.h"
#include "model/heap/names.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	PARTS_MAX = 16384,           /* of one type */
	CHAIN_MAX = 64,              /* base types */
	DEPTH_MAX = 8,               /* nested structs */
	PLANS_BYTES_MAX = 256 << 20, /* of all types */

	HANDLE_IS_DESCRIPTION = 2,
	KIND_POINTER = 0x0f,
};

struct clr_values *
clr_values_new(const struct clr_runtime *rt, const struct clr_names *names, struct error *err)
{
	struct clr_values *v = memory_new(1, sizeof(*v), err);

	if (!v)
		return NULL;
	v->rt = rt;
	v->names = names;
	clr_type_index_init(&v->types, rt, names);
	arena_init(&v->arena, PLANS_BYTES_MAX);
	arena_init(&v->scratch, 0);
	return v;
}

void
clr_values_free(struct clr_values *v)
{
	if (!v)
		return;
	u64_map_clear(&v->objects);
	u64_map_clear(&v->elements);
	memory_free(v->plans);
	clr_type_index_clear(&v->types);
	arena_clear(&v->arena);
	arena_clear(&v->scratch);
	memory_free(v);
}

/* --- plans --- */

struct building {
	struct clr_values *v;
	struct clr_part *parts;
	size_t count, room;
	uint32_t absent_count;
	uint64_t flags_table;
	struct memory_refused before;
	struct error *err;
};

static bool
add_part(struct building *b, const struct clr_part *part)
{
	return APPEND(b->parts, b->count, b->room, b->err, *part);
}

/*
 * The start of the next field, or the end of the level. Only structs and unknown kinds need it;
 * other fields have the size of their kind and may overlap the next one.
 */
static uint32_t
end_of_field(const struct clr_level *l, const struct clr_field_record *f)
{
	uint32_t end = l->end - l->base;

	if (f->kind == CLR_FIELD_REFERENCE || clr_literal_of_kind(f->kind) != LITERAL_KIND_COUNT)
		return l->end;
	for (uint32_t i = 0; i < l->count; i++)
		if (l->fields[i].offset > f->offset && l->fields[i].offset < end)
			end = l->fields[i].offset;
	return l->base + end;
}

static bool
add_field(struct building *b, const struct clr_level *l, unsigned depth,
	  const struct clr_field_record *f, uint64_t *table)
{
	struct clr_part part = { .offset = l->base + f->offset, .depth = (uint8_t)depth };
	struct clr_declared d = { .kind = f->kind };

	*table = 0;
	if (l->base + f->offset >= l->end)
		return true;
	if (!clr_part_name(b->v, l, f->row, &part, &d.name, &b->v->arena, b->err))
		return false;
	if (d.kind == CLR_FIELD_STRUCT && *d.name &&
	    !clr_type_index_find(&b->v->types, d.name, &d.table, b->err))
		return false;
	if (l->copy) {
		part.name = arena_printf(&b->v->arena, b->err, "[%" PRIu32 "]", l->copy);
		if (!part.name)
			return false;
	}
	return clr_part_declare(b->v, &part, &d, end_of_field(l, f), table, b->err) &&
	       add_part(b, &part);
}

/*
 * The distance between the elements of an inline buffer; 0: unknown. A struct's size is known only
 * boxed, which may be larger, so it counts only if the struct's fields extend to its end.
 */
static uint32_t
stride_of(const struct building *b, size_t element)
{
	const struct clr_part *part = &b->parts[element];
	uint32_t end = part->offset + part->bytes;

	if (part->kind != CONTENT_STRUCT)
		return part->kind == CONTENT_RAW ? 0 : part->bytes;
	for (size_t i = element + 1; i < b->count; i++)
		if (b->parts[i].kind != CONTENT_STRUCT &&
		    b->parts[i].offset + b->parts[i].bytes == end)
			return part->bytes;
	return 0;
}

/* Repeats the single field of an inline buffer after its last copy. */
static bool
next_copy(const struct building *b, struct clr_level *l)
{
	uint32_t max = l->copies_max;

	if (!max && !l->copies_bytes)
		return false;
	if (!l->copy)
		l->stride = b->count ? stride_of(b, l->element) : 0;
	if (!max && l->stride)
		max = l->copies_bytes / l->stride;
	if (!l->stride || l->copy + 1 >= max || l->end - l->base < l->stride ||
	    l->end - l->base - l->stride < l->stride)
		return false;
	l->copy++;
	l->base += l->stride;
	l->next = 0;
	return true;
}

/* Adds a part for absent fields; Object has none to miss. */
static bool
add_absent(struct building *b, const struct clr_level *l, uint64_t table, unsigned depth)
{
	const struct clr_values *v = b->v;
	struct clr_part part = { .type = "",
				 .offset = l->base,
				 .has_value_at = UINT32_MAX,
				 .depth = (uint8_t)depth,
				 .kind = CONTENT_RAW };
	struct display_name shown;
	const char *name;
	uint64_t parent;
	unsigned flags;

	if (!l->is_absent ||
	    (clr_u64(&v->rt->layout, v->rt->reader, table, CLR_MT_PARENT, &parent) && !parent))
		return true;
	name = clr_name_of(v->names, table, &b->v->scratch, &flags, b->err);
	if (!name || !name_display(name, &b->v->arena, &shown, b->err))
		return false;
	part.name = arena_printf(&b->v->arena, b->err, "(fields of %s)", shown.full);
	b->absent_count++;
	return part.name && add_part(b, &part);
}

/* Adds all fields of a class, expanding structs in place. */
static bool
add_level(struct building *b, uint64_t table, uint32_t base, uint32_t end, unsigned depth)
{
	struct clr_level *levels = arena_array(&b->v->scratch, struct clr_level, DEPTH_MAX, b->err);
	unsigned open = 1;

	if (!levels || !clr_level_open(b->v, table, base, end, &levels[0], b->err) ||
	    !add_absent(b, &levels[0], table, depth))
		return false;
	while (open) {
		struct clr_level *l = &levels[open - 1];
		const struct clr_part *part;
		struct arena_mark mark = arena_mark(&b->v->scratch);

		if (l->next == l->count && !next_copy(b, l)) {
			clr_level_close(b->v, l);
			open--;
			continue;
		}
		if (b->count >= PARTS_MAX)
			return true;
		if (!add_field(b, l, depth + open - 1, &l->fields[l->next++], &table))
			return false;
		arena_reset(&b->v->scratch, mark);
		if (!l->copy && b->count)
			l->element = b->count - 1;
		if (!table || open == DEPTH_MAX)
			continue;
		part = &b->parts[b->count - 1];
		if (!clr_level_open(b->v, table, part->offset, part->offset + part->bytes,
				    &levels[open], b->err) ||
		    !add_absent(b, &levels[open], table, depth + open))
			return false;
		open++;
	}
	return true;
}

static int
compare_offsets(const void *a, const void *b)
{
	const struct clr_part *const *x = a, *const *y = b;

	return ((*x)->offset > (*y)->offset) - ((*x)->offset < (*y)->offset);
}

/*
 * Marks overlapping fields of explicit layouts: in order of offset, each is compared with the one
 * before it that extends farthest. Structs are covered by their fields.
 */
static bool
mark_overlaps(const struct building *b)
{
	struct clr_part **by_offset = memory_new(b->count + 1, sizeof(struct clr_part *), b->err);
	struct clr_part *far = NULL;
	size_t count = 0;

	if (!by_offset)
		return false;
	for (size_t i = 0; i < b->count; i++)
		if (b->parts[i].kind != CONTENT_STRUCT && b->parts[i].bytes)
			by_offset[count++] = &b->parts[i];
	qsort(by_offset, count, sizeof(*by_offset), compare_offsets);
	for (size_t i = 0; i < count; i++) {
		struct clr_part *part = by_offset[i];

		if (far && part->offset - far->offset < far->bytes)
			far->overlaps = part->overlaps = true;
		if (!far || part->offset + part->bytes > far->offset + far->bytes)
			far = part;
	}
	memory_free(by_offset);
	return true;
}

/* The fields of a BigInteger follow it. */
static void
mark_big_integer(const struct building *b, struct clr_part *big)
{
	const struct clr_part *end = b->parts + b->count;
	const struct clr_part *sign = NULL, *bits = NULL;

	for (const struct clr_part *p = big + 1; p < end && p->depth > big->depth; p++) {
		if (!strcmp(p->name, "_sign") && p->literal == LITERAL_INT32 &&
		    p->kind == CONTENT_VALUE)
			sign = p;
		if (!strcmp(p->name, "_bits") && p->kind == CONTENT_REFERENCE)
			bits = p;
	}
	big->is_big = sign && bits;
	if (big->is_big) {
		big->sign_at = sign->offset;
		big->bits_at = bits->offset;
	}
}

static void
mark_big_integers(const struct building *b)
{
	static const char type[] = "System.Numerics.BigInteger";
	size_t len = sizeof(type) - 1;

	for (size_t i = 0; i < b->count; i++) {
		const char *name = b->parts[i].type;

		if (b->parts[i].kind == CONTENT_STRUCT && !strncmp(name, type, len) &&
		    (!name[len] || !strcmp(name + len, "?")))
			mark_big_integer(b, &b->parts[i]);
	}
}

static const struct clr_plan *
finish_plan(struct building *b, struct u64_map *map, uint64_t key, bool is_good)
{
	struct clr_values *v = b->v;
	struct clr_part *parts = NULL;
	struct clr_plan *plan = arena_new(&v->arena, struct clr_plan, b->err);

	mark_big_integers(b);
	if (is_good && plan && mark_overlaps(b) && memory_was_enough(b->before, b->err))
		parts = arena_array(&v->arena, struct clr_part, b->count + 1, b->err);
	if (parts && b->count)
		memcpy(parts, b->parts, b->count * sizeof(*parts));
	memory_free(b->parts);
	if (!parts || !MAKE_ROOM(v->plans, v->plans_count + 1, v->plans_room, b->err) ||
	    !u64_map_put(map, key, (uint32_t)v->plans_count, b->err))
		return NULL;
	*plan = (struct clr_plan){ parts, (uint32_t)b->count, b->absent_count, b->flags_table };
	v->plans[v->plans_count++] = plan;
	return plan;
}

/* --- suspended calls --- */

/* Adds a word of the data. The method's variables have no names in it. */
static bool
add_word(struct building *b, uint32_t offset, uint32_t bytes, bool is_reference)
{
	struct clr_part part = {
		.type = "",
		.offset = offset,
		.bytes = bytes,
		.has_value_at = UINT32_MAX,
		.kind = is_reference ? CONTENT_REFERENCE : CONTENT_RAW,
		.literal = LITERAL_KIND_COUNT,
	};

	part.name = arena_printf(&b->v->arena, b->err, "+%" PRIu32, offset + CLR_FIELDS_AT);
	return part.name && add_part(b, &part);
}

/* Adds plain words from *at up to `end`. */
static bool
add_plain_words(struct building *b, uint32_t *at, uint32_t end)
{
	while (*at < end && b->count < PARTS_MAX) {
		uint32_t len =
		    end - *at < CLR_CONTINUATION_WORD ? end - *at : CLR_CONTINUATION_WORD;

		if (!add_word(b, *at, len, false))
			return false;
		*at += len;
	}
	return true;
}

/* Adds the data of a suspended call, word by word: references where the type says so. */
static bool
add_data(struct building *b, uint64_t table, uint32_t bytes)
{
	const struct clr_shape shape = { table, bytes + 2 * CLR_FIELDS_AT, 0 };
	uint32_t at = CLR_CONTINUATION_DATA - CLR_FIELDS_AT;
	struct clr_refs refs = { .kind = CLR_REFS_NONE };
	struct clr_refs_walk walk;
	uint64_t offset, count;
	const char *why;

	for (size_t i = 0; i < b->count; i++)
		if (b->parts[i].offset + CLR_FIELDS_AT == CLR_CONTINUATION_FLAGS)
			b->flags_table = b->parts[i].enum_table;
	if (!clr_refs_decode(&refs, b->v->rt->reader, &shape, &b->v->scratch, &why, b->err))
		refs.kind = CLR_REFS_NONE;
	clr_refs_begin(&walk, &refs, shape.base_bytes);
	while (clr_refs_next(&walk, &offset, &count))
		for (; count; count--, offset += CLR_CONTINUATION_WORD) {
			uint32_t field = (uint32_t)offset - CLR_FIELDS_AT;

			if (offset < CLR_FIELDS_AT || field < at || b->count >= PARTS_MAX)
				continue; /* Next, a field of the base */
			if (!add_plain_words(b, &at, field) ||
			    !add_word(b, field, CLR_CONTINUATION_WORD, true))
				return false;
			at = field + CLR_CONTINUATION_WORD;
		}
	return b->err->kind == ERROR_NONE && add_plain_words(b, &at, bytes);
}

/* Adds the fields of base types first, in order of declaration. */
static bool
add_chain(struct building *b, uint64_t table, uint32_t bytes)
{
	const struct clr_values *v = b->v;
	unsigned data_levels = clr_is_continuation(&v->rt->layout, v->rt->reader, table) ? 1 : 0;
	uint64_t chain[CHAIN_MAX];
	unsigned count = 0;

	while (table && count < CHAIN_MAX) {
		chain[count++] = table;
		if (!clr_u64(&v->rt->layout, v->rt->reader, table, CLR_MT_PARENT, &table))
			break;
	}
	while (count > data_levels)
		if (!add_level(b, chain[--count], 0, bytes, 0))
			return false;
	return !count || add_data(b, chain[0], bytes);
}

/* The size is part of the key: it limits the last field, and an element is smaller than a box. */
static uint64_t
plan_key(uint64_t table, uint32_t bytes)
{
	const uint64_t both[2] = { table, bytes };

	return hash_bytes(seed_random(), both, sizeof(both));
}

/* The plan in `map`, or a new one with the parts that `take` adds. */
static const struct clr_plan *
find_plan(struct clr_values *v, struct u64_map *map, uint64_t table, uint32_t bytes,
	  bool (*take)(struct building *b, uint64_t table, uint32_t bytes), struct error *err)
{
	struct building b = { .v = v, .before = memory_refused(), .err = err };
	struct arena_mark mark = arena_mark(&v->scratch);
	uint64_t key = plan_key(table, bytes);
	uint32_t found = u64_map_get(map, key);
	bool is_good;

	if (found != U64_MAP_NONE)
		return v->plans[found];
	is_good = take(&b, table, bytes);
	arena_reset(&v->scratch, mark);
	return finish_plan(&b, map, key, is_good);
}

/* --- Native AOT: nothing describes fields --- */

static bool
add_native_object(struct building *b, uint64_t table, uint32_t bytes)
{
	const struct clr_part part = {
		.name = "(fields)",
		.type = "unknown: Native AOT does not describe fields",
		.bytes = bytes,
		.has_value_at = UINT32_MAX,
		.kind = CONTENT_RAW,
		.literal = LITERAL_KIND_COUNT,
	};

	(void)table;
	return add_part(b, &part);
}

static bool
add_native_element(struct building *b, uint64_t table, uint32_t bytes)
{
	const struct clr_runtime *rt = b->v->rt;
	struct clr_part part = {
		.name = "", .type = "", .bytes = bytes, .has_value_at = UINT32_MAX
	};
	struct display_name shown;
	struct native_name name;
	uint32_t flags = 0;
	uint8_t kind;

	(void)!clr_u32(&rt->layout, rt->reader, table, CLR_MT_FLAGS, &flags);
	if (!clr_native_name(rt->native, table, &b->v->scratch, &name, b->err))
		return false;
	if (name.name && !name_display(name.name, &b->v->arena, &shown, b->err))
		return false;
	if (name.name)
		part.type = shown.full;
	kind = clr_native_kind(flags);
	part.literal = clr_literal_of_kind(kind);
	if (part.literal != LITERAL_KIND_COUNT) {
		part.kind = CONTENT_VALUE;
		part.bytes = (uint32_t)literal_len((enum literal_kind)part.literal);
	} else {
		part.kind = kind == CLR_FIELD_STRUCT ? CONTENT_RAW : CONTENT_REFERENCE;
	}
	if (part.bytes > bytes)
		part.kind = CONTENT_RAW;
	return add_part(b, &part);
}

const struct clr_plan *
clr_values_of_object(struct clr_values *v, uint64_t table, uint32_t bytes, struct error *err)
{
	return find_plan(v, &v->objects, table, bytes,
			 v->rt->native ? add_native_object : add_chain, err);
}

static bool
add_element(struct building *b, uint64_t handle, uint32_t bytes)
{
	struct clr_values *v = b->v;
	struct clr_part part = { .name = "" };
	struct clr_declared d = { .name = "", .kind = CLR_FIELD_REFERENCE };
	struct display_name shown;
	uint64_t table;
	unsigned flags;

	d.name = clr_name_of(v->names, handle, &v->scratch, &flags, b->err);
	if (!d.name || !name_display(d.name, &v->arena, &shown, b->err))
		return false;
	part.type = shown.full;
	if (handle & HANDLE_IS_DESCRIPTION)
		d.kind = KIND_POINTER;
	else if (clr_is_value_table(v, handle)) {
		d.kind = CLR_FIELD_STRUCT;
		d.table = handle;
	}
	if (!clr_part_declare(v, &part, &d, bytes, &table, b->err) || !add_part(b, &part))
		return false;
	return !table || add_level(b, table, part.offset, part.offset + part.bytes, 1);
}

const struct clr_plan *
clr_values_of_element(struct clr_values *v, uint64_t handle, uint32_t bytes, struct error *err)
{
	return find_plan(v, &v->elements, handle, bytes,
			 v->rt->native ? add_native_element : add_element, err);
}
