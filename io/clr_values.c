#include "io/clr_values.h"
#include "io/clr_fields.h"
#include "io/clr_type_index.h"
#include "io/metadata_fields.h"
#include "io/nettrace_map.h"
#include "io/walk_name.h"
#include "model/hash.h"
#include "model/names.h"
#include "model/seed.h"
#include <inttypes.h>
#include <string.h>

enum {
	FIELDS_MAX = 4096,           /* of one class */
	PARTS_MAX = 16384,           /* of one type */
	CHAIN_MAX = 64,              /* base types */
	DEPTH_MAX = 8,               /* structures in structures */
	PLANS_BYTES_MAX = 256 << 20, /* of all types */

	OFFSET_MAX = 0x7ffffff - 16, /* beyond it: not laid out */
	KIND_POINTER = 0x0f,
	KIND_INT = 0x18,
	KIND_UINT = 0x19,
	KIND_FUNCTION = 0x1b,

	HANDLE_IS_DESCRIPTION = 2,
	CATEGORY_ENUM = 0x60000,
	BOX_BYTES = 16, /* of a box's size, what is not the value */
	POINTER_BYTES = 8,
	MINUTES_BYTES = 2,
};
#define NO_OFFSET UINT32_MAX

struct clr_values {
	const struct clr_runtime *rt;
	const struct clr_names *names;
	struct arena arena, scratch;
	struct nettrace_map objects, elements;
	const struct clr_plan **plans;
	size_t plans_count, plans_room;
	struct clr_type_index types;
};

struct clr_values *
clr_values_new(const struct clr_runtime *rt, const struct clr_names *names,
	       struct error *err)
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
	nettrace_map_clear(&v->objects);
	nettrace_map_clear(&v->elements);
	memory_free(v->plans);
	clr_type_index_clear(&v->types);
	arena_clear(&v->arena);
	arena_clear(&v->scratch);
	memory_free(v);
}

static const struct clr_layout *
layout_of(const struct clr_values *v)
{
	return &v->rt->layout;
}

/* --- method tables --- */

static uint32_t
flags_of(const struct clr_values *v, uint64_t table)
{
	uint32_t flags;

	return clr_u32(layout_of(v), v->rt->reader, table, CLR_MT_FLAGS, &flags)
		   ? flags
		   : 0;
}

static bool
is_enum(const struct clr_values *v, uint64_t table)
{
	return table && (flags_of(v, table) & CLR_MT_CATEGORY) == CATEGORY_ENUM;
}

static bool
is_value_type(const struct clr_values *v, uint64_t table)
{
	return table && clr_is_value_type(flags_of(v, table));
}

/* --- the fields of one class --- */

/* A class, or a structure in it, while its fields are made parts of. */
struct level {
	struct arena_mark mark; /* of the scratch, before it was opened */
	struct clr_field_record *fields;
	uint32_t count, next;
	uint32_t base, end; /* offsets of its first byte, and behind its last */
	/* Of a buffer, which has its field many times: how often, or in how
	   many bytes; and which one this is. */
	uint32_t copies_max, copies_bytes, copy, stride;
	size_t element; /* its first part */
	const struct metadata *metadata;
	const char *arguments[CLR_ARGUMENTS_MAX];
	unsigned arguments_count;
};

/* The rows that its fields may have: behind them something else may lie. */
static bool
find_rows(const struct clr_values *v, uint64_t table, const struct level *l,
	  uint32_t *first, uint32_t *end)
{
	return l->metadata &&
	       metadata_fields_of(l->metadata, clr_name_token(v->names, table),
				  first, end);
}

/*
 * As many as name the class, which has them one behind the other, and no more
 * than it has rows: each is a field once.
 */
static bool
read_fields(struct clr_values *v, uint64_t table, struct level *l,
	    struct error *err)
{
	uint64_t class, at, owner;
	uint32_t first, end, max;

	owner = clr_fields_owner(layout_of(v), v->rt->reader, table, &class);
	if (!class || !find_rows(v, table, l, &first, &end) ||
	    !clr_u64(layout_of(v), v->rt->reader, class, CLR_CLASS_FIELDS, &at))
		return true;
	max = end - first < FIELDS_MAX ? end - first : FIELDS_MAX;
	l->fields = arena_array(&v->scratch, struct clr_field_record,
				(size_t)max + 1, err);
	for (; l->fields && l->count < max; at += CLR_FIELD_BYTES) {
		struct clr_field_record *f = &l->fields[l->count];

		if (!at ||
		    !clr_field_record_read(v->rt->reader, at, owner, f) ||
		    f->is_static || f->row < first || f->row >= end)
			break;
		if (f->offset < OFFSET_MAX)
			l->count++;
	}
	return l->fields != NULL;
}

static bool
read_arguments(struct clr_values *v, uint64_t table, struct level *l,
	       struct error *err)
{
	uint64_t handles[CLR_ARGUMENTS_MAX];
	unsigned flags;

	l->arguments_count = clr_name_arguments(v->names, table, handles);
	for (unsigned i = 0; i < l->arguments_count; i++) {
		const char *name = clr_name_raw(v->names, handles[i],
						&v->scratch, &flags, err);

		if (!name)
			return false;
		l->arguments[i] = flags ? NULL : name;
	}
	return true;
}

static bool
level_open(struct clr_values *v, uint64_t table, uint32_t base, uint32_t end,
	   struct level *l, struct error *err)
{
	const struct clr_module *module = clr_modules_find(
	    v->names->modules, clr_name_module(v->names, table), err);

	if (!module)
		return false;
	*l = (struct level){ .mark = arena_mark(&v->scratch),
			     .base = base,
			     .end = end,
			     .metadata = module->metadata };
	if (!read_fields(v, table, l, err) || !read_arguments(v, table, l, err))
		return false;
	if (l->count == 1 && !l->fields[0].offset && l->metadata)
		metadata_is_buffer(l->metadata, clr_name_token(v->names, table),
				   &l->copies_max, &l->copies_bytes);
	return true;
}

/* --- from a declared type to a part --- */

struct declared {
	const char *name; /* spelt as heaps have it; "" if unknown */
	uint64_t table;   /* if it is known */
	uint8_t kind;
};

static uint8_t
literal_of_kind(uint8_t kind)
{
	static const uint8_t literals[] = {
		[2] = LITERAL_BOOL,    [3] = LITERAL_CHAR,
		[4] = LITERAL_INT8,    [5] = LITERAL_UINT8,
		[6] = LITERAL_INT16,   [7] = LITERAL_UINT16,
		[8] = LITERAL_INT32,   [9] = LITERAL_UINT32,
		[10] = LITERAL_INT64,  [11] = LITERAL_UINT64,
		[12] = LITERAL_SINGLE, [13] = LITERAL_DOUBLE,
	};

	if (kind == KIND_POINTER || kind == KIND_INT || kind == KIND_UINT ||
	    kind == KIND_FUNCTION)
		return LITERAL_POINTER;
	return kind >= 2 && kind < sizeof(literals) ? literals[kind]
						    : LITERAL_KIND_COUNT;
}

static void
part_is_literal(struct clr_part *part, uint8_t literal)
{
	part->kind = CONTENT_VALUE;
	part->literal = literal;
	part->bytes = (uint32_t)literal_len((enum literal_kind)literal);
}

/* The field of that name in a structure; NO_OFFSET if there is none. */
static uint32_t
offset_of(const struct level *l, const char *name)
{
	for (uint32_t i = 0; l->metadata && i < l->count; i++)
		if (!strcmp(metadata_field_name(l->metadata, l->fields[i].row),
			    name))
			return l->fields[i].offset;
	return NO_OFFSET;
}

/* "System.Nullable<X>" → X; NULL: it is none. */
static const char *
nullable_of(struct clr_values *v, const char *name, struct error *err)
{
	static const char before[] = "System.Nullable<";
	size_t len = strlen(name), before_len = strlen(before);

	if (len <= before_len + 1 || strncmp(name, before, before_len) != 0 ||
	    name[len - 1] != '>')
		return NULL;
	return arena_strndup(&v->scratch, name + before_len,
			     len - before_len - 1, err);
}

/*
 * A bool in front of the value, which is aligned as itself. Where the table is
 * known it says so; else that is true of what literals there are.
 */
static bool
open_nullable(struct clr_values *v, struct clr_part *part, struct declared *d,
	      struct error *err)
{
	const char *inner = nullable_of(v, d->name, err);
	uint32_t has_value = 0, value = 8;
	struct level l;

	if (!inner)
		return err->kind == ERROR_NONE;
	if (d->table) {
		if (!level_open(v, d->table, 0, 0, &l, err))
			return false;
		has_value = offset_of(&l, "hasValue");
		value = offset_of(&l, "value");
	} else if (literal_of_type(inner) != LITERAL_KIND_COUNT) {
		value = (uint32_t)literal_len(literal_of_type(inner));
		value = value > 8 ? 8 : value;
		if (literal_of_type(inner) == LITERAL_GUID)
			value = 4;
	} else {
		return true;
	}
	if (has_value == NO_OFFSET || value == NO_OFFSET)
		return true;
	part->has_value = part->offset + has_value;
	part->offset += value;
	d->name = inner;
	d->kind = CLR_FIELD_STRUCT;
	return clr_type_index_find(&v->types, inner, &d->table, err);
}

/* *is_it: the part is one. */
static bool
take_time_offset(struct clr_values *v, struct clr_part *part,
		 const struct declared *d, bool *is_it, struct error *err)
{
	uint32_t time, minutes;
	struct level l;

	*is_it = false;
	if (!d->table || strcmp(d->name, "System.DateTimeOffset") != 0)
		return true;
	if (!level_open(v, d->table, 0, 0, &l, err))
		return false;
	time = offset_of(&l, "_dateTime");
	minutes = offset_of(&l, "_offsetMinutes");
	if (time == NO_OFFSET || minutes == NO_OFFSET)
		return true;
	part_is_literal(part, LITERAL_DATE_TIME);
	part->is_time_offset = *is_it = true;
	part->minutes = part->offset + minutes;
	part->offset += time;
	return true;
}

static uint32_t
value_bytes_of(const struct clr_values *v, uint64_t table)
{
	uint32_t bytes;

	return clr_u32(layout_of(v), v->rt->reader, table, CLR_MT_BASE_SIZE,
		       &bytes) &&
		       bytes > BOX_BYTES
		   ? bytes - BOX_BYTES
		   : 0;
}

/* A structure: a literal of its own, an enumeration, or to be taken apart. */
static bool
take_structure(struct clr_values *v, struct clr_part *part,
	       const struct declared *d, struct error *err)
{
	enum literal_kind literal = literal_of_type(d->name);
	bool is_taken;

	if (literal != LITERAL_KIND_COUNT) {
		part_is_literal(part, (uint8_t)literal);
		return true;
	}
	if (!take_time_offset(v, part, d, &is_taken, err))
		return false;
	if (is_taken || !is_value_type(v, d->table))
		return true;
	if (is_enum(v, d->table)) {
		struct level l;

		if (!level_open(v, d->table, 0, 0, &l, err))
			return false;
		if (l.count != 1 ||
		    literal_of_kind(l.fields[0].kind) == LITERAL_KIND_COUNT)
			return true;
		part_is_literal(part, literal_of_kind(l.fields[0].kind));
		part->enum_table = d->table;
		return true;
	}
	part->kind = CONTENT_STRUCT;
	part->bytes = value_bytes_of(v, d->table);
	return true;
}

/* Of primitives the field says what they are, of enumerations the name. */
static bool
take_primitive(struct clr_values *v, struct clr_part *part,
	       const struct declared *d, uint8_t literal, struct error *err)
{
	uint64_t table;

	part_is_literal(part, literal);
	if (!*d->name || literal == LITERAL_POINTER ||
	    literal_of_type(d->name) != LITERAL_KIND_COUNT)
		return true;
	if (!clr_type_index_find(&v->types, d->name, &table, err))
		return false;
	if (is_enum(v, table))
		part->enum_table = table;
	return true;
}

static void
part_is_raw(struct clr_part *part, uint32_t start, uint32_t end)
{
	part->kind = CONTENT_RAW;
	part->offset = start;
	part->bytes = end > start ? end - start : 0;
	part->enum_table = 0;
	part->is_time_offset = false;
	part->has_value = NO_OFFSET;
}

static bool
is_before(uint32_t offset, uint32_t bytes, uint32_t end)
{
	return offset < end && bytes <= end - offset;
}

/* What does not fit is not what it seems. */
static bool
is_inside(const struct clr_part *part, uint32_t end)
{
	return is_before(part->offset, part->bytes, end) &&
	       (part->has_value == NO_OFFSET ||
		is_before(part->has_value, 1, end)) &&
	       (!part->is_time_offset ||
		is_before(part->minutes, MINUTES_BYTES, end));
}

/* `end`: where the next one begins. *table: of a structure to be opened. */
static bool
take_declared(struct clr_values *v, struct clr_part *part, struct declared *d,
	      uint32_t end, uint64_t *table, struct error *err)
{
	uint8_t literal = literal_of_kind(d->kind);
	uint32_t start = part->offset;

	*table = 0;
	part_is_raw(part, start, end);
	if (d->kind == CLR_FIELD_REFERENCE) {
		part->kind = CONTENT_REFERENCE;
		part->bytes = POINTER_BYTES;
	} else if (literal != LITERAL_KIND_COUNT) {
		if (!take_primitive(v, part, d, literal, err))
			return false;
	} else if (d->kind == CLR_FIELD_STRUCT) {
		if (!open_nullable(v, part, d, err) ||
		    !take_structure(v, part, d, err))
			return false;
		if (part->kind == CONTENT_STRUCT)
			*table = d->table;
	}
	/* A box's size is a multiple of 8, a structure's need not be. */
	if (part->kind == CONTENT_STRUCT && part->offset < end &&
	    part->bytes > end - part->offset &&
	    part->bytes - (end - part->offset) < POINTER_BYTES)
		part->bytes = end - part->offset;
	if (!is_inside(part, end)) {
		*table = 0;
		part_is_raw(part, start, end);
	}
	return true;
}

/* --- plans --- */

struct building {
	struct clr_values *v;
	struct clr_part *parts;
	size_t count, room;
	struct error *err;
};

static bool
add_part(struct building *b, const struct clr_part *part)
{
	if (!memory_make_room(&b->parts, b->count, &b->room, sizeof(*b->parts),
			      b->err))
		return false;
	b->parts[b->count++] = *part;
	return true;
}

/*
 * Where the next field of the level begins, or the level ends. What is no
 * structure is as large as its kind, and another field may begin within it.
 */
static uint32_t
end_of_field(const struct level *l, const struct clr_field_record *f)
{
	uint32_t end = l->end - l->base;

	if (f->kind == CLR_FIELD_REFERENCE ||
	    literal_of_kind(f->kind) != LITERAL_KIND_COUNT)
		return l->end;
	for (uint32_t i = 0; i < l->count; i++)
		if (l->fields[i].offset > f->offset &&
		    l->fields[i].offset < end)
			end = l->fields[i].offset;
	return l->base + end;
}

/* Name and type of a field, in the arena of all plans. */
static bool
name_part(struct building *b, const struct level *l, uint32_t row,
	  struct clr_part *part, const char **spelt)
{
	struct clr_values *v = b->v;
	struct display_name shown;
	const char *raw = NULL;

	*spelt = "";
	part->type = "";
	part->name = l->metadata ? metadata_field_name(l->metadata, row) : "";
	part->name =
	    *part->name ? name_field(part->name, &v->arena, b->err)
			: arena_printf(&v->arena, b->err, "#04%06" PRIx32, row);
	if (!part->name)
		return false;
	if (l->metadata)
		raw = metadata_field_type(l->metadata, row, l->arguments,
					  l->arguments_count, &v->scratch,
					  b->err);
	if (!raw)
		return b->err->kind == ERROR_NONE;
	*spelt = walk_name_spell(raw, &v->scratch, b->err);
	if (!*spelt || !name_display(*spelt, &v->arena, &shown, b->err))
		return false;
	part->type = shown.full;
	return true;
}

static bool
take_field(struct building *b, const struct level *l, unsigned depth,
	   const struct clr_field_record *f, uint64_t *table)
{
	struct clr_part part = { .offset = l->base + f->offset,
				 .depth = (uint8_t)depth };
	struct declared d = { .kind = f->kind };

	*table = 0;
	if (l->base + f->offset >= l->end)
		return true;
	if (!name_part(b, l, f->row, &part, &d.name))
		return false;
	if (d.kind == CLR_FIELD_STRUCT && *d.name &&
	    !clr_type_index_find(&b->v->types, d.name, &d.table, b->err))
		return false;
	if (l->copy) {
		part.name = arena_printf(&b->v->arena, b->err, "[%" PRIu32 "]",
					 l->copy);
		if (!part.name)
			return false;
	}
	return take_declared(b->v, &part, &d, end_of_field(l, f), table,
			     b->err) &&
	       add_part(b, &part);
}

/*
 * Bytes from one element of a buffer to the next. What is known of a structure
 * is its size in a box, which may be more than its own: then 0, if its fields
 * do not reach up to there.
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

/* Of a buffer its field once more, behind the last one. */
static bool
next_copy(const struct building *b, struct level *l)
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

/* All fields from a class on, structures opened where they stand. */
static bool
take_level(struct building *b, uint64_t table, uint32_t base, uint32_t end,
	   unsigned depth)
{
	struct level *levels =
	    arena_array(&b->v->scratch, struct level, DEPTH_MAX, b->err);
	unsigned open = 1;

	if (!levels || !level_open(b->v, table, base, end, &levels[0], b->err))
		return false;
	while (open) {
		struct level *l = &levels[open - 1];
		const struct clr_part *part;
		struct arena_mark mark = arena_mark(&b->v->scratch);

		if (l->next == l->count && !next_copy(b, l)) {
			arena_reset(&b->v->scratch, l->mark);
			open--;
			continue;
		}
		if (b->count >= PARTS_MAX)
			return true;
		if (!take_field(b, l, depth + open - 1, &l->fields[l->next++],
				&table))
			return false;
		arena_reset(&b->v->scratch, mark);
		if (!l->copy && b->count)
			l->element = b->count - 1;
		if (!table || open == DEPTH_MAX)
			continue;
		part = &b->parts[b->count - 1];
		if (!level_open(b->v, table, part->offset,
				part->offset + part->bytes, &levels[open],
				b->err))
			return false;
		open++;
	}
	return true;
}

static const struct clr_plan *
finish_plan(struct building *b, struct nettrace_map *map, uint64_t key,
	    bool is_good)
{
	struct clr_values *v = b->v;
	struct clr_part *parts = NULL;
	struct clr_plan *plan = arena_new(&v->arena, struct clr_plan, b->err);

	if (is_good && plan)
		parts = arena_array(&v->arena, struct clr_part, b->count + 1,
				    b->err);
	if (parts && b->count)
		memcpy(parts, b->parts, b->count * sizeof(*parts));
	memory_free(b->parts);
	if (!parts ||
	    !memory_make_room(&v->plans, v->plans_count, &v->plans_room,
			      sizeof(*v->plans), b->err) ||
	    !nettrace_map_put(map, key, (uint32_t)v->plans_count, b->err))
		return NULL;
	*plan = (struct clr_plan){ parts, (uint32_t)b->count };
	v->plans[v->plans_count++] = plan;
	return plan;
}

/* From the base type on, as one declares them. */
static bool
take_chain(struct building *b, uint64_t table, uint32_t bytes)
{
	const struct clr_values *v = b->v;
	uint64_t chain[CHAIN_MAX];
	unsigned count = 0;

	while (table && count < CHAIN_MAX) {
		chain[count++] = table;
		if (!clr_u64(layout_of(v), v->rt->reader, table, CLR_MT_PARENT,
			     &table))
			break;
	}
	while (count)
		if (!take_level(b, chain[--count], 0, bytes, 0))
			return false;
	return true;
}

/* What ends a field depends on how much room there is: of an element less than
 * in a box. */
static uint64_t
plan_key(uint64_t table, uint32_t bytes)
{
	const uint64_t both[2] = { table, bytes };

	return hash_bytes(seed_random(), both, sizeof(both));
}

const struct clr_plan *
clr_values_of_object(struct clr_values *v, uint64_t table, uint32_t bytes,
		     struct error *err)
{
	struct building b = { .v = v, .err = err };
	struct arena_mark mark = arena_mark(&v->scratch);
	uint64_t key = plan_key(table, bytes);
	uint32_t found = nettrace_map_get(&v->objects, key);
	bool is_good;

	if (found != NETTRACE_MAP_NONE)
		return v->plans[found];
	is_good = take_chain(&b, table, bytes);
	arena_reset(&v->scratch, mark);
	return finish_plan(&b, &v->objects, key, is_good);
}

static bool
take_element(struct building *b, uint64_t handle, uint32_t bytes)
{
	struct clr_values *v = b->v;
	struct clr_part part = { .name = "" };
	struct declared d = { .name = "", .kind = CLR_FIELD_REFERENCE };
	struct display_name shown;
	uint64_t table;
	unsigned flags;

	d.name = clr_name_of(v->names, handle, &v->scratch, &flags, b->err);
	if (!d.name || !name_display(d.name, &v->arena, &shown, b->err))
		return false;
	part.type = shown.full;
	if (handle & HANDLE_IS_DESCRIPTION)
		d.kind = KIND_POINTER;
	else if (is_value_type(v, handle)) {
		d.kind = CLR_FIELD_STRUCT;
		d.table = handle;
	}
	if (!take_declared(v, &part, &d, bytes, &table, b->err) ||
	    !add_part(b, &part))
		return false;
	return !table ||
	       take_level(b, table, part.offset, part.offset + part.bytes, 1);
}

const struct clr_plan *
clr_values_of_element(struct clr_values *v, uint64_t handle, uint32_t bytes,
		      struct error *err)
{
	struct building b = { .v = v, .err = err };
	struct arena_mark mark = arena_mark(&v->scratch);
	uint64_t key = plan_key(handle, bytes);
	uint32_t found = nettrace_map_get(&v->elements, key);
	bool is_good;

	if (found != NETTRACE_MAP_NONE)
		return v->plans[found];
	is_good = take_element(&b, handle, bytes);
	arena_reset(&v->scratch, mark);
	return finish_plan(&b, &v->elements, key, is_good);
}
