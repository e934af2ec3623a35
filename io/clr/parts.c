#include "io/clr/values_state.h"
#include "io/pe/name_spelling.h"
#include "model/heap/names.h"
#include <inttypes.h>
#include <string.h>

enum {
	FIELDS_MAX = 4096, /* of one class */

	OFFSET_MAX = 0x7ffffff - 16, /* larger values mark fields without a place */
	KIND_POINTER = 0x0f,
	KIND_INT = 0x18,
	KIND_UINT = 0x19,
	KIND_FUNCTION = 0x1b,

	CATEGORY_ENUM = 0x60000,
	BOX_BYTES = 16, /* overhead of a boxed value */
	POINTER_BYTES = 8,
	MINUTES_BYTES = 2,
};
#define NO_OFFSET UINT32_MAX

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

	return clr_u32(layout_of(v), v->rt->reader, table, CLR_MT_FLAGS, &flags) ? flags : 0;
}

static bool
is_enum(const struct clr_values *v, uint64_t table)
{
	return table && (flags_of(v, table) & CLR_MT_CATEGORY) == CATEGORY_ENUM;
}

bool
clr_is_value_table(const struct clr_values *v, uint64_t table)
{
	return table && clr_is_value_type(flags_of(v, table));
}

/* --- fields of a class --- */

bool
clr_level_field_rows(const struct clr_values *v, uint64_t table, const struct clr_level *l,
		     uint32_t *first, uint32_t *end)
{
	return l->metadata &&
	       metadata_fields_of(l->metadata, clr_name_token(v->names, table), first, end);
}

/* Reads consecutive records that name the class, but no more than the class has metadata rows, so
 * that no field comes twice. */
static bool
read_fields(struct clr_values *v, uint64_t table, struct clr_level *l, struct error *err)
{
	uint64_t class, owner;
	uint32_t first, end, max;
	struct clr_fields fields;

	l->is_absent =
	    clr_class_find(layout_of(v), v->rt->reader, table, &owner, &class) == CLR_CLASS_ABSENT;
	if (!class)
		return true;
	if (!clr_level_field_rows(v, table, l, &first, &end)) {
		l->is_absent = true;
		return true;
	}
	clr_fields_open(layout_of(v), v->rt->reader, owner, class, &fields);
	max = end - first < FIELDS_MAX ? end - first : FIELDS_MAX;
	l->fields = arena_array(&v->scratch, struct clr_field_record, (size_t)max + 1, err);
	while (l->fields && l->count < max) {
		struct clr_field_record *f = &l->fields[l->count];

		if (!clr_fields_next(v->rt->reader, &fields, f) || f->is_static || f->row < first ||
		    f->row >= end)
			break;
		if (f->offset < OFFSET_MAX)
			l->count++;
	}
	return l->fields != NULL;
}

static bool
read_arguments(struct clr_values *v, uint64_t table, struct clr_level *l, struct error *err)
{
	uint64_t handles[CLR_ARGUMENTS_MAX];
	unsigned flags;

	l->arguments_count = clr_name_arguments(v->names, table, handles);
	for (unsigned i = 0; i < l->arguments_count; i++) {
		const char *name = clr_name_raw(v->names, handles[i], &v->scratch, &flags, err);

		if (!name)
			return false;
		l->arguments[i] = flags ? NULL : name;
	}
	return true;
}

bool
clr_level_open_bare(struct clr_values *v, uint64_t table, struct clr_level *l, struct error *err)
{
	const struct clr_module *module =
	    clr_modules_find(v->names->modules, clr_name_module(v->names, table), err);

	if (!module)
		return false;
	*l = (struct clr_level){ .mark = arena_mark(&v->scratch), .metadata = module->metadata };
	return read_arguments(v, table, l, err);
}

bool
clr_level_open(struct clr_values *v, uint64_t table, uint32_t base, uint32_t end,
	       struct clr_level *l, struct error *err)
{
	if (!clr_level_open_bare(v, table, l, err) || !read_fields(v, table, l, err))
		return false;
	l->base = base;
	l->end = end;
	if (l->count == 1 && !l->fields[0].offset && l->metadata)
		metadata_is_buffer(l->metadata, clr_name_token(v->names, table), &l->copies_max,
				   &l->copies_bytes);
	return true;
}

void
clr_level_close(struct clr_values *v, const struct clr_level *l)
{
	arena_reset(&v->scratch, l->mark);
}

/* --- parts by declared type --- */

uint8_t
clr_literal_of_kind(uint8_t kind)
{
	static const uint8_t literals[] = {
		[2] = LITERAL_BOOL,    [3] = LITERAL_CHAR,    [4] = LITERAL_INT8,
		[5] = LITERAL_UINT8,   [6] = LITERAL_INT16,   [7] = LITERAL_UINT16,
		[8] = LITERAL_INT32,   [9] = LITERAL_UINT32,  [10] = LITERAL_INT64,
		[11] = LITERAL_UINT64, [12] = LITERAL_SINGLE, [13] = LITERAL_DOUBLE,
	};

	if (kind == KIND_POINTER || kind == KIND_INT || kind == KIND_UINT || kind == KIND_FUNCTION)
		return LITERAL_POINTER;
	return kind >= 2 && kind < sizeof(literals) ? literals[kind] : LITERAL_KIND_COUNT;
}

static void
part_is_literal(struct clr_part *part, uint8_t literal)
{
	part->kind = CONTENT_VALUE;
	part->literal = literal;
	part->bytes = (uint32_t)literal_len((enum literal_kind)literal);
}

/* The offset of the struct's field with this name, or NO_OFFSET. */
static uint32_t
offset_of(const struct clr_level *l, const char *name)
{
	for (uint32_t i = 0; l->metadata && i < l->count; i++)
		if (!strcmp(metadata_field_name(l->metadata, l->fields[i].row), name))
			return l->fields[i].offset;
	return NO_OFFSET;
}

/* "System.Nullable<X>" gives X; NULL: not a Nullable, or no memory. */
static const char *
nullable_of(struct clr_values *v, const char *name, struct error *err)
{
	static const char before[] = "System.Nullable<";
	size_t len = strlen(name), before_len = strlen(before);

	if (len <= before_len + 1 || strncmp(name, before, before_len) != 0 || name[len - 1] != '>')
		return NULL;
	return arena_strndup(&v->scratch, name + before_len, len - before_len - 1, err);
}

/* A Nullable is a bool followed by the value, aligned as its type requires. Without a method table
 * the offset follows from the literal's size. */
static bool
open_nullable(struct clr_values *v, struct clr_part *part, struct clr_declared *d,
	      struct error *err)
{
	const char *inner = nullable_of(v, d->name, err);
	uint32_t has_value = 0, value = 8;
	struct clr_level l;

	if (!inner)
		return err->kind == ERROR_NONE;
	if (d->table) {
		if (!clr_level_open(v, d->table, 0, 0, &l, err))
			return false;
		has_value = offset_of(&l, "hasValue");
		value = offset_of(&l, "value");
	} else if (literal_of_type(inner) != LITERAL_KIND_COUNT) {
		value = (uint32_t)literal_len(literal_of_type(inner));
		value = value > 8 ? 8 : value;
		if (literal_of_type(inner) == LITERAL_GUID ||
		    literal_of_type(inner) == LITERAL_RANGE)
			value = 4;
	} else {
		return true;
	}
	if (has_value == NO_OFFSET || value == NO_OFFSET)
		return true;
	part->has_value_at = part->offset + has_value;
	part->offset += value;
	d->name = inner;
	d->kind = CLR_FIELD_STRUCT;
	return clr_type_index_find(&v->types, inner, &d->table, err);
}

/* *is_time_offset: the part is a DateTimeOffset. */
static bool
add_time_offset(struct clr_values *v, struct clr_part *part, const struct clr_declared *d,
		bool *is_time_offset, struct error *err)
{
	uint32_t time, minutes;
	struct clr_level l;

	*is_time_offset = false;
	if (!d->table || strcmp(d->name, "System.DateTimeOffset") != 0)
		return true;
	if (!clr_level_open(v, d->table, 0, 0, &l, err))
		return false;
	time = offset_of(&l, "_dateTime");
	minutes = offset_of(&l, "_offsetMinutes");
	if (time == NO_OFFSET || minutes == NO_OFFSET)
		return true;
	part_is_literal(part, LITERAL_DATE_TIME);
	part->is_time_offset = *is_time_offset = true;
	part->minutes_at = part->offset + minutes;
	part->offset += time;
	return true;
}

static uint32_t
value_bytes_of(const struct clr_values *v, uint64_t table)
{
	uint32_t bytes;

	return clr_u32(layout_of(v), v->rt->reader, table, CLR_MT_BASE_SIZE, &bytes) &&
		       bytes > BOX_BYTES
		   ? bytes - BOX_BYTES
		   : 0;
}

/* A struct is a literal, an enum, or is expanded into its fields. */
static bool
add_structure(struct clr_values *v, struct clr_part *part, const struct clr_declared *d,
	      struct error *err)
{
	enum literal_kind literal = literal_of_type(d->name);
	bool is_taken;

	if (literal != LITERAL_KIND_COUNT) {
		part_is_literal(part, (uint8_t)literal);
		return true;
	}
	if (!add_time_offset(v, part, d, &is_taken, err))
		return false;
	if (is_taken || !clr_is_value_table(v, d->table))
		return true;
	if (is_enum(v, d->table)) {
		struct clr_level l;

		if (!clr_level_open(v, d->table, 0, 0, &l, err))
			return false;
		if (l.count != 1 || clr_literal_of_kind(l.fields[0].kind) == LITERAL_KIND_COUNT)
			return true;
		part_is_literal(part, clr_literal_of_kind(l.fields[0].kind));
		part->enum_table = d->table;
		return true;
	}
	part->kind = CONTENT_STRUCT;
	part->bytes = value_bytes_of(v, d->table);
	return true;
}

/* The field record has the kind of a primitive; only the declared name shows that it is an enum. */
static bool
add_primitive(struct clr_values *v, struct clr_part *part, const struct clr_declared *d,
	      uint8_t literal, struct error *err)
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
	part->has_value_at = NO_OFFSET;
}

static bool
is_before(uint32_t offset, uint32_t bytes, uint32_t end)
{
	return offset < end && bytes <= end - offset;
}

/* A part that exceeds its end is not what it seems. */
static bool
is_inside(const struct clr_part *part, uint32_t end)
{
	return is_before(part->offset, part->bytes, end) &&
	       (part->has_value_at == NO_OFFSET || is_before(part->has_value_at, 1, end)) &&
	       (!part->is_time_offset || is_before(part->minutes_at, MINUTES_BYTES, end));
}

bool
clr_part_declare(struct clr_values *v, struct clr_part *part, struct clr_declared *d, uint32_t end,
		 uint64_t *table, struct error *err)
{
	uint8_t literal = clr_literal_of_kind(d->kind);
	uint32_t start = part->offset;

	*table = 0;
	part_is_raw(part, start, end);
	if (d->kind == CLR_FIELD_REFERENCE) {
		part->kind = CONTENT_REFERENCE;
		part->bytes = POINTER_BYTES;
	} else if (literal != LITERAL_KIND_COUNT) {
		if (!add_primitive(v, part, d, literal, err))
			return false;
	} else if (d->kind == CLR_FIELD_STRUCT) {
		if (!open_nullable(v, part, d, err) || !add_structure(v, part, d, err))
			return false;
		if (part->kind == CONTENT_STRUCT)
			*table = d->table;
	}
	/* Boxed sizes are multiples of 8, so bytes may exceed the struct by up to 7. */
	if (part->kind == CONTENT_STRUCT && part->offset < end &&
	    part->bytes > end - part->offset && part->bytes - (end - part->offset) < POINTER_BYTES)
		part->bytes = end - part->offset;
	if (!is_inside(part, end)) {
		*table = 0;
		part_is_raw(part, start, end);
	}
	return true;
}

bool
clr_part_name(struct clr_values *v, const struct clr_level *l, uint32_t row, struct clr_part *part,
	      const char **spelt, struct arena *a, struct error *err)
{
	struct display_name shown;
	const char *raw = NULL;

	*spelt = "";
	part->type = "";
	part->name = l->metadata ? metadata_field_name(l->metadata, row) : "";
	part->name = *part->name ? name_field(part->name, a, err)
				 : arena_printf(a, err, "#04%06" PRIx32, row);
	if (!part->name)
		return false;
	if (l->metadata)
		raw = metadata_field_type(l->metadata, row, l->arguments, l->arguments_count,
					  &v->scratch, err);
	if (!raw)
		return err->kind == ERROR_NONE;
	*spelt = name_spell(raw, &v->scratch, err);
	if (!*spelt || !name_display(*spelt, a, &shown, err))
		return false;
	part->type = shown.full;
	return true;
}

bool
clr_part_of_static(struct clr_values *v, const struct clr_level *l,
		   const struct clr_field_record *f, struct clr_part *out, struct arena *a,
		   struct error *err)
{
	struct arena_mark mark = arena_mark(&v->scratch);
	struct clr_declared d = { .kind = f->kind };
	uint64_t table;
	bool is_good;

	*out = (struct clr_part){ 0 };
	part_is_raw(out, 0, POINTER_BYTES);
	is_good = clr_part_name(v, l, f->row, out, &d.name, a, err) &&
		  (f->kind == CLR_FIELD_STRUCT ||
		   clr_part_declare(v, out, &d, POINTER_BYTES, &table, err));
	arena_reset(&v->scratch, mark);
	return is_good;
}
