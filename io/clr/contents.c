#include "io/clr/contents.h"
#include "io/clr/contents_state.h"
#include "io/clr/delegates.h"
#include "io/clr/lock_objects.h"
#include "io/clr/rows.h"
#include "io/clr/static_values.h"
#include "io/clr/verify.h"
#include "io/runtime/locks.h"
#include "io/runtime/method_table.h"
#include "io/runtime/methods.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
	AROUND_FIELDS = 16, /* the table, and the next object's header */
	COUNT_AT = 8,
	BOUNDS_BYTES = 8, /* of each dimension: length, lower bound */
	ARRAY_BASE_BYTES = 24,
	NESTING_MAX = 16, /* of structures in structures, what a plan has */
	MT_SZ_ARRAY = 0x20000,
};

struct clr_contents *
clr_contents_new(struct clr_runtime *rt, struct clr_types *types,
		 struct error *err)
{
	struct clr_contents *c = memory_new(1, sizeof(*c), err);

	if (!c)
		return NULL;
	c->values = clr_values_new(rt, clr_types_names(types), err);
	if (!c->values) {
		memory_free(c);
		return NULL;
	}
	c->runtime = rt;
	c->types = types;
	pthread_mutex_init(&c->lock, NULL);
	return c;
}

void
clr_contents_free(struct clr_contents *c)
{
	if (!c)
		return;
	clr_values_free(c->values);
	clr_types_free(c->types);
	clr_runtime_close(c->runtime);
	memory_close(c->owned);
	pthread_mutex_destroy(&c->lock);
	memory_free(c);
}

void
clr_contents_start(struct clr_contents *c, const struct heap *h,
		   struct memory *m)
{
	c->heap = h;
	c->owned = m;
}

/* --- objects -------------------------------------------------------------- */

/* Sets `err`: bytes of the object are absent. */
static bool
clr_object_missing(const struct clr_contents *c, const struct clr_object *o,
		   struct error *err)
{
	return memory_missing(c->runtime->memory, o->address, "the object",
			      err);
}

bool
clr_object_open(const struct clr_contents *c, node_id n, struct clr_object *o,
		struct error *err)
{
	const struct clr_layout *layout = &c->runtime->layout;
	struct memory_reader *r = clr_contents_reader(c);

	*o = (struct clr_object){ .address = heap_address(c->heap, n),
				  .bytes = heap_size(c->heap, n) };
	if (!memory_u64(r, o->address, &o->table))
		return clr_object_missing(c, o, err);
	o->table &= ~CLR_OBJECT_MARKS;
	if (!clr_u32(layout, r, o->table, CLR_MT_FLAGS, &o->flags) ||
	    !clr_u32(layout, r, o->table, CLR_MT_BASE_SIZE, &o->base_bytes))
		return memory_missing(c->runtime->memory, o->table,
				      "the method table of the object", err);
	if (o->flags & CLR_MT_HAS_COMPONENTS &&
	    !memory_u32(r, o->address + COUNT_AT, &o->count))
		return clr_object_missing(c, o, err);
	return true;
}

bool
clr_object_is_possible(const struct clr_object *o)
{
	return (uint64_t)clr_object_component_bytes(o) * o->count <= o->bytes;
}

/* --- what lies where ------------------------------------------------------ */

bool
clr_part_is_null(const struct clr_contents *c, const struct clr_part *part,
		 uint64_t base)
{
	uint8_t has_value;

	return part->has_value != UINT32_MAX &&
	       memory_u8(clr_contents_reader(c), base + part->has_value,
			 &has_value) &&
	       !has_value;
}

static uint32_t
bytes_of_fields(const struct clr_object *o)
{
	uint64_t left = o->bytes > AROUND_FIELDS ? o->bytes - AROUND_FIELDS : 0;

	return left < UINT32_MAX ? (uint32_t)left : 0;
}

const struct clr_plan *
clr_object_boxed_plan(struct clr_contents *c, const struct clr_object *o,
		      struct error *err)
{
	return clr_values_of_element(c->values, o->table, bytes_of_fields(o),
				     err);
}

/* A value in a box is like an element: a number has no fields. */
const struct clr_plan *
clr_object_plan(struct clr_contents *c, const struct clr_object *o,
		struct error *err)
{
	const struct clr_plan *plan;

	if (clr_is_value_type(o->flags)) {
		plan = clr_object_boxed_plan(c, o, err);
		if (!plan || plan->parts[0].kind == CONTENT_VALUE)
			return plan;
	}
	return clr_values_of_object(c->values, o->table, bytes_of_fields(o),
				    err);
}

/* False: its bounds are absent, or do not agree with its length. */
static bool
read_bounds(const struct clr_contents *c, const struct clr_object *o,
	    struct clr_array *array)
{
	struct memory_reader *r = clr_contents_reader(c);
	uint64_t at = o->address + CLR_ARRAY_ITEMS, product = 1;

	*array = (struct clr_array){
		o->address + CLR_ARRAY_ITEMS, 1, { o->count }, { 0 }
	};
	if (o->flags & MT_SZ_ARRAY)
		return true;
	array->rank = (o->base_bytes - ARRAY_BASE_BYTES) / BOUNDS_BYTES;
	if (o->base_bytes < ARRAY_BASE_BYTES + BOUNDS_BYTES ||
	    array->rank > CLR_RANK_MAX)
		return false;
	for (uint32_t i = 0; i < array->rank; i++) {
		uint32_t low;

		if (!memory_u32(r, at + 4 * (uint64_t)i, &array->lengths[i]) ||
		    !memory_u32(r, at + 4 * (uint64_t)(array->rank + i),
				&low) ||
		    __builtin_mul_overflow(product, array->lengths[i],
					   &product))
			return false;
		array->lows[i] = (int32_t)low;
	}
	array->elements = o->address + o->base_bytes - CLR_DATA_BEHIND_TABLE;
	return product == o->count;
}

/* The plan of its elements; NULL sets `err`. */
const struct clr_plan *
clr_object_array(struct clr_contents *c, const struct clr_object *o,
		 struct clr_array *array, struct error *err)
{
	uint32_t each = clr_object_component_bytes(o);
	uint64_t handle;

	if (!each || !clr_object_is_possible(o) || !read_bounds(c, o, array) ||
	    !clr_u64(&c->runtime->layout, clr_contents_reader(c), o->table,
		     CLR_MT_PER_INST, &handle)) {
		error_set(err, ERROR_INPUT,
			  "the array at %" PRIx64 " makes no sense: %" PRIu32
			  " elements of %" PRIu32 " bytes",
			  o->address, o->count, each);
		return NULL;
	}
	return clr_values_of_element(c->values, handle, each, err);
}

/* One at a time is answered. */
static struct memory_refused
begin_answer(struct clr_contents *c)
{
	pthread_mutex_lock(&c->lock);
	return memory_refused();
}

/* What had no room looks like what is not there: it is no answer. */
static bool
end_answer(struct clr_contents *c, struct memory_refused before, bool is_good,
	   struct error *err)
{
	pthread_mutex_unlock(&c->lock);
	return memory_was_enough(before, err) && is_good;
}

static bool
rows(const void *source, node_id n, uint64_t first, size_t count,
     struct content *out, size_t *out_count, uint64_t *total, struct arena *a,
     struct error *err)
{
	struct clr_contents *c = (struct clr_contents *)(uintptr_t)source;
	struct memory_refused before;
	struct clr_page p = { first, count, out, out_count, total };
	struct clr_object o;
	bool is_good;

	*out_count = 0;
	*total = 0;
	before = begin_answer(c);
	is_good = clr_object_open(c, n, &o, err) &&
		  clr_rows_read(c, n, &o, &p, a, err);
	return end_answer(c, before, is_good, err);
}

/* A box around it, of which just the value is looked at. */
static bool
open_value(const struct clr_contents *c, uint64_t table, uint64_t address,
	   struct clr_object *o, struct arena *a, struct error *err)
{
	struct content_table about;
	uint8_t byte;

	if (!clr_method_table_read(&about, c->runtime,
				   clr_types_names(c->types), table, a, err))
		return false;
	if (!clr_is_value_type(about.flags))
		return error_set(err, ERROR_USAGE,
				 "%.100s at %" PRIx64 " is no value type",
				 about.name, table);
	*o = (struct clr_object){ .address = address - CLR_DATA_BEHIND_TABLE,
				  .table = table,
				  .bytes = about.base_bytes,
				  .flags = about.flags,
				  .base_bytes = about.base_bytes };
	return memory_u8(clr_contents_reader(c), address, &byte) ||
	       memory_missing(c->runtime->memory, address, "the value", err);
}

static bool
value(const void *source, uint64_t table, uint64_t address, uint64_t first,
      size_t count, struct content *out, size_t *out_count, uint64_t *total,
      struct arena *a, struct error *err)
{
	struct clr_contents *c = (struct clr_contents *)(uintptr_t)source;
	struct memory_refused before;
	struct clr_page p = { first, count, out, out_count, total };
	struct clr_object o;
	bool is_good;

	*out_count = 0;
	*total = 0;
	before = begin_answer(c);
	is_good = open_value(c, table, address, &o, a, err) &&
		  clr_rows_of_fields(c, &o, &p, a, err);
	return end_answer(c, before, is_good, err);
}

/* --- one field --- */

/*
 * Of two of one name the last: base types come first. What a value or an
 * element is itself has no name, and its fields are one deeper.
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
	const struct clr_part *next = part + 1,
			      *end = plan->parts + plan->count;

	while (next < end && next->depth > part->depth)
		next++;
	return (uint32_t)(next - part);
}

bool
clr_object_field(struct clr_contents *c, const struct clr_object *o,
		 const char *name, struct content_field *out, struct error *err)
{
	uint64_t base = o->address + CLR_DATA_BEHIND_TABLE;
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
		.stride =
		    clr_object_is_array(o) ? clr_object_component_bytes(o) : 0,
		.row = (uint64_t)(part - plan->parts),
		.rows_count = rows_of_part(plan, part),
		.kind = part->kind,
		.literal = part->literal,
		.is_null = clr_part_is_null(c, part, base),
	};
	return true;
}

static bool
field(const void *source, node_id n, const char *name,
      struct content_field *out, struct error *err)
{
	struct clr_contents *c = (struct clr_contents *)(uintptr_t)source;
	struct memory_refused before;
	struct clr_object o;
	bool is_found;

	*out = (struct content_field){ 0 };
	before = begin_answer(c);
	is_found = clr_object_open(c, n, &o, err) &&
		   clr_object_field(c, &o, name, out, err);
	return end_answer(c, before, is_found, err);
}

static bool
method(const void *source, node_id n, struct content_method *out,
       struct arena *a, struct error *err)
{
	struct clr_contents *c = (struct clr_contents *)(uintptr_t)source;
	struct memory_refused before;
	struct clr_object o;
	bool is_one = false;

	before = begin_answer(c);
	is_one = clr_object_open(c, n, &o, err) &&
		 clr_delegate_read(c, &o, out, &is_one, a, err) && is_one;
	return end_answer(c, before, is_one, err);
}

/* --- the rest ------------------------------------------------------------- */

static bool
text(const void *source, node_id n, uint32_t units_max, const char **out,
     uint32_t *units, struct arena *a, struct error *err)
{
	struct clr_contents *c = (struct clr_contents *)(uintptr_t)source;
	struct memory_refused before;
	struct clr_object o;
	bool is_good, is_whole;

	before = begin_answer(c);
	is_good = clr_object_open(c, n, &o, err);
	if (is_good &&
	    (!clr_contents_is_string(c, n) || !clr_object_is_possible(&o)))
		is_good = error_set(err, ERROR_USAGE,
				    "the object at %" PRIx64 " is no string",
				    o.address);
	if (is_good) {
		*units = o.count;
		*out = clr_rows_text(c, &o, units_max, &is_whole, a, err);
		is_good = *out && (is_whole || clr_object_missing(c, &o, err));
	}
	return end_answer(c, before, is_good, err);
}

static bool
header(const void *source, node_id n, struct content_header *out,
       struct error *err)
{
	struct clr_contents *c = (struct clr_contents *)(uintptr_t)source;
	struct memory_refused before;
	struct clr_object o;
	uint32_t word;
	bool is_good;

	before = begin_answer(c);
	is_good = clr_object_open(c, n, &o, err) &&
		  (memory_u32(clr_contents_reader(c), o.address - 4, &word) ||
		   clr_object_missing(c, &o, err));
	if (!end_answer(c, before, is_good, err))
		return false;
	clr_header_read(word, out);
	out->table = o.table;
	return true;
}

/* --- layouts -------------------------------------------------------------- */

static bool
copy_parts(const struct clr_plan *plan, uint32_t before,
	   struct content_layout *out, struct arena *a, struct error *err)
{
	struct content_part *parts =
	    arena_array(a, struct content_part, plan->count + 1UL, err);

	if (!parts)
		return false;
	for (uint32_t i = 0; i < plan->count; i++) {
		const struct clr_part *p = &plan->parts[i];

		parts[i] = (struct content_part){
			.name = p->name,
			.type = p->type,
			.offset = before + p->offset,
			.bytes = p->bytes,
			.depth = p->depth,
			.has_value = p->has_value == UINT32_MAX
					 ? UINT32_MAX
					 : before + p->has_value,
			.kind = p->kind,
			.literal =
			    p->is_time_offset ? LITERAL_KIND_COUNT : p->literal,
		};
	}
	out->parts = parts;
	out->parts_count = plan->count;
	return true;
}

static bool
lay_out_elements(struct clr_contents *c, const struct clr_object *o,
		 struct content_layout *out, struct arena *a, struct error *err)
{
	const struct clr_plan *plan;
	uint64_t handle;

	out->count_at = COUNT_AT;
	out->element_bytes = clr_object_component_bytes(o);
	if (!clr_object_is_array(o)) {
		out->elements_at = CLR_UNITS_AT;
		return true;
	}
	out->elements_at = o->base_bytes - CLR_DATA_BEHIND_TABLE;
	if (!out->element_bytes || o->base_bytes < ARRAY_BASE_BYTES ||
	    !clr_u64(&c->runtime->layout, clr_contents_reader(c), o->table,
		     CLR_MT_PER_INST, &handle))
		return error_set(err, ERROR_INPUT,
				 "the array at %" PRIx64 " makes no sense",
				 o->address);
	plan =
	    clr_values_of_element(c->values, handle, out->element_bytes, err);
	return plan && copy_parts(plan, 0, out, a, err);
}

static bool
layout(const void *source, node_id n, struct content_layout *out,
       struct arena *a, struct error *err)
{
	struct clr_contents *c = (struct clr_contents *)(uintptr_t)source;
	struct memory_refused before;
	const struct clr_plan *plan;
	struct clr_object o;
	bool is_good;

	*out = (struct content_layout){ 0 };
	before = begin_answer(c);
	is_good = clr_object_open(c, n, &o, err);
	out->table = o.table;
	if (is_good && o.flags & CLR_MT_HAS_COMPONENTS) {
		is_good = lay_out_elements(c, &o, out, a, err);
	} else if (is_good) {
		out->is_boxed = clr_is_value_type(o.flags);
		plan = clr_object_plan(c, &o, err);
		is_good = plan &&
			  copy_parts(plan, CLR_DATA_BEHIND_TABLE, out, a, err);
	}
	return end_answer(c, before, is_good, err);
}

static size_t
bytes(const void *source, uint64_t address, void *to, size_t len)
{
	const struct clr_contents *c = source;

	return memory_copy(c->runtime->memory, address, to, len);
}

/* Reads with a reader of its own, so that others need not wait. */
static bool
verify(const void *source, node_id object, struct faults *out,
       struct progress *progress, struct error *err)
{
	const struct clr_contents *c = source;

	return clr_verify(c->runtime, c->types, c->heap, object, out, progress,
			  err);
}

/* Likewise, but for the objects that are locks. */
static bool
locks(const void *source, struct heap_locks *out, struct progress *progress,
      struct error *err)
{
	struct clr_contents *c = (struct clr_contents *)(uintptr_t)source;

	return clr_locks_read(c->runtime, c->heap, out, progress, err) &&
	       clr_lock_objects_read(c, out, progress, err);
}

static bool
table(const void *source, uint64_t address, struct content_table *out,
      struct arena *a, struct error *err)
{
	struct clr_contents *c = (struct clr_contents *)(uintptr_t)source;
	struct memory_refused before;
	bool is_good;

	before = begin_answer(c);
	is_good = clr_method_table_read(
	    out, c->runtime, clr_types_names(c->types), address, a, err);
	return end_answer(c, before, is_good, err);
}

static bool
statics(const void *source, uint64_t table, struct heap_statics *out,
	struct progress *progress, struct arena *a, struct error *err)
{
	struct clr_contents *c = (struct clr_contents *)(uintptr_t)source;

	return clr_static_values_read(c, table, out, progress, a, err);
}

static bool
methods(const void *source, uint64_t address, struct content_methods *out,
	struct arena *a, struct error *err)
{
	struct clr_contents *c = (struct clr_contents *)(uintptr_t)source;
	struct memory_refused before;
	const struct clr_names *names = clr_types_names(c->types);
	struct content_table about;
	bool is_good;

	before = begin_answer(c);
	is_good =
	    clr_method_table_read(&about, c->runtime, names, address, a, err) &&
	    clr_methods_read(names, &about, out, a, err);
	return end_answer(c, before, is_good, err);
}

const struct contents_ops clr_contents_ops = {
	.rows = rows,
	.value = value,
	.field = field,
	.method = method,
	.text = text,
	.header = header,
	.layout = layout,
	.bytes = bytes,
	.verify = verify,
	.locks = locks,
	.statics = statics,
	.table = table,
	.methods = methods,
};
