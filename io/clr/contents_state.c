#include "io/clr/contents_state.h"
#include "io/runtime/method_table.h"
#include <inttypes.h>
#include <string.h>

enum {
	AROUND_FIELDS = 16, /* method table, and the next object's header */
	BOUNDS_BYTES = 8,   /* per dimension: length, lower bound */
	NESTING_MAX = 16,   /* at least the depth of any plan */
	MT_SZ_ARRAY = 0x20000,
};

bool
clr_object_missing(const struct clr_contents *c, const struct clr_object *o, struct error *err)
{
	return memory_missing(c->runtime->memory, o->address, "the object", err);
}

bool
clr_object_open(const struct clr_contents *c, node_id n, struct clr_object *o, struct error *err)
{
	const struct clr_layout *layout = &c->runtime->layout;
	struct memory_reader *r = clr_contents_reader(c);

	*o = (struct clr_object){ .address = heap_address(c->heap, n),
				  .bytes = heap_size(c->heap, n) };
	if (!memory_u64(r, o->address, &o->table))
		return clr_object_missing(c, o, err);
	o->table &= ~CLR_OBJECT_MARKS;
	if (!clr_table_flags(c->runtime, o->table, &o->flags) ||
	    !clr_u32(layout, r, o->table, CLR_MT_BASE_SIZE, &o->base_bytes))
		return memory_missing(c->runtime->memory, o->table,
				      "the method table of the object", err);
	if (o->flags & CLR_MT_HAS_COMPONENTS &&
	    !memory_u32(r, o->address + CLR_LENGTH_AT, &o->count))
		return clr_object_missing(c, o, err);
	return true;
}

bool
clr_object_has_room(const struct clr_object *o)
{
	return (uint64_t)clr_object_component_bytes(o) * o->count <= o->bytes;
}

bool
clr_part_is_null(const struct clr_contents *c, const struct clr_part *part, uint64_t base)
{
	uint8_t has_value;

	return part->has_value_at != UINT32_MAX &&
	       memory_u8(clr_contents_reader(c), base + part->has_value_at, &has_value) &&
	       !has_value;
}

static uint32_t
bytes_of_fields(const struct clr_object *o)
{
	uint64_t left = o->bytes > AROUND_FIELDS ? o->bytes - AROUND_FIELDS : 0;

	return left < UINT32_MAX ? (uint32_t)left : 0;
}

const struct clr_plan *
clr_object_boxed_plan(struct clr_contents *c, const struct clr_object *o, struct error *err)
{
	return clr_values_of_element(c->values, o->table, bytes_of_fields(o), err);
}

/* A boxed value has the layout of an element; a primitive has no fields. */
const struct clr_plan *
clr_object_plan(struct clr_contents *c, const struct clr_object *o, struct error *err)
{
	const struct clr_plan *plan;

	if (clr_is_value_type(o->flags)) {
		plan = clr_object_boxed_plan(c, o, err);
		if (!plan || plan->parts[0].kind == CONTENT_VALUE)
			return plan;
	}
	return clr_values_of_object(c->values, o->table, bytes_of_fields(o), err);
}

/* False: the bounds are absent or disagree with the length. */
static bool
read_bounds(const struct clr_contents *c, const struct clr_object *o, struct clr_array *array)
{
	struct memory_reader *r = clr_contents_reader(c);
	uint64_t at = o->address + CLR_ARRAY_ITEMS, product = 1;

	*array = (struct clr_array){ o->address + CLR_ARRAY_ITEMS, 1, { o->count }, { 0 } };
	if (o->flags & MT_SZ_ARRAY)
		return true;
	array->rank = (o->base_bytes - CLR_ARRAY_BASE_BYTES) / BOUNDS_BYTES;
	if (o->base_bytes < CLR_ARRAY_BASE_BYTES + BOUNDS_BYTES || array->rank > CLR_RANK_MAX)
		return false;
	for (uint32_t i = 0; i < array->rank; i++) {
		uint32_t low;

		if (!memory_u32(r, at + 4 * (uint64_t)i, &array->lengths[i]) ||
		    !memory_u32(r, at + 4 * (uint64_t)(array->rank + i), &low) ||
		    __builtin_mul_overflow(product, array->lengths[i], &product))
			return false;
		array->lows[i] = (int32_t)low;
	}
	array->elements = o->address + o->base_bytes - CLR_FIELDS_AT;
	return product == o->count;
}

const struct clr_plan *
clr_object_array(struct clr_contents *c, const struct clr_object *o, struct clr_array *array,
		 struct error *err)
{
	uint32_t each = clr_object_component_bytes(o);
	uint64_t handle;

	if (!each || !clr_object_has_room(o) || !read_bounds(c, o, array) ||
	    !clr_u64(&c->runtime->layout, clr_contents_reader(c), o->table, CLR_MT_PER_INST,
		     &handle)) {
		error_set(err, ERROR_INPUT,
			  "the array at %" PRIx64 " is damaged: %" PRIu32 " elements of %" PRIu32
			  " bytes",
			  o->address, o->count, each);
		return NULL;
	}
	return clr_values_of_element(c->values, handle, each, err);
}

/*
 * Takes the last of several parts with the same name, since base types come first. A value or
 * element itself has no name, and its fields are one level deeper.
 */
static const struct clr_part *
find_part(const struct clr_plan *plan, const char *path)
{
	bool has_itself = plan->count && !*plan->parts[0].name;
	const char *wanted[NESTING_MAX + 1] = { NULL };
	const struct clr_part *found = NULL;

	if (!*path)
		return has_itself ? plan->parts : NULL;
	wanted[has_itself] = path;
	for (uint32_t i = has_itself; i < plan->count; i++) {
		const struct clr_part *part = &plan->parts[i];
		size_t len = strlen(part->name);
		const char *rest;

		if (part->depth >= NESTING_MAX)
			continue;
		rest = wanted[part->depth];
		wanted[part->depth + 1] = NULL;
		if (!rest || strncmp(rest, part->name, len) != 0)
			continue;
		if (!rest[len])
			found = part;
		else if (rest[len] == '.')
			wanted[part->depth + 1] = rest + len + 1;
	}
	return found;
}

static uint32_t
rows_of_part(const struct clr_plan *plan, const struct clr_part *part)
{
	const struct clr_part *next = part + 1, *end = plan->parts + plan->count;

	while (next < end && next->depth > part->depth)
		next++;
	return (uint32_t)(next - part);
}

bool
clr_object_field(struct clr_contents *c, const struct clr_object *o, const char *name,
		 struct content_field *out, struct error *err)
{
	uint64_t base = o->address + CLR_FIELDS_AT;
	const struct clr_plan *plan;
	const struct clr_part *part;
	struct clr_array array;

	plan = clr_object_is_array(o) ? clr_object_array(c, o, &array, err)
				      : clr_object_plan(c, o, err);
	part = plan ? find_part(plan, name) : NULL;
	if (!part)
		return false;
	if (clr_object_is_array(o))
		base = array.elements;
	*out = (struct content_field){
		.address = base + part->offset,
		.bytes = part->bytes,
		.count = clr_object_is_array(o) ? o->count : 1,
		.stride = clr_object_is_array(o) ? clr_object_component_bytes(o) : 0,
		.row = (uint64_t)(part - plan->parts),
		.rows_count = rows_of_part(plan, part),
		.kind = part->kind,
		.literal = part->literal,
		.is_null = clr_part_is_null(c, part, base),
	};
	return true;
}
