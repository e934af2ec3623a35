#include "io/clr/contents.h"
#include "io/clr/contents_state.h"
#include "io/clr/delegates.h"
#include "io/clr/frames.h"
#include "io/clr/lock_objects.h"
#include "io/clr/rows.h"
#include "io/clr/static_values.h"
#include "io/clr/verify.h"
#include "io/runtime/locks.h"
#include "io/runtime/method_table.h"
#include "io/runtime/methods.h"
#include <inttypes.h>

struct clr_contents *
clr_contents_new(struct clr_runtime *rt, struct clr_types *types, struct error *err)
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
clr_contents_start(struct clr_contents *c, const struct heap *h, struct memory *m)
{
	c->heap = h;
	c->owned = m;
}

static struct memory_refused
begin_answer(struct clr_contents *c)
{
	pthread_mutex_lock(&c->lock);
	return memory_refused();
}

/* An allocation that failed looks like absent memory, so it fails the call. */
static bool
end_answer(struct clr_contents *c, struct memory_refused before, bool is_good, struct error *err)
{
	pthread_mutex_unlock(&c->lock);
	return memory_was_enough(before, err) && is_good;
}

static bool
rows(const void *source, node_id n, uint64_t first, size_t count, struct content *out,
     size_t *out_count, uint64_t *total, struct arena *a, struct error *err)
{
	struct clr_contents *c = (struct clr_contents *)(uintptr_t)source;
	struct memory_refused before;
	struct clr_page p = { first, count, out, out_count, total };
	struct clr_object o;
	bool is_good;

	*out_count = 0;
	*total = 0;
	before = begin_answer(c);
	is_good = clr_object_open(c, n, &o, err) && clr_rows_read(c, n, &o, &p, a, err);
	return end_answer(c, before, is_good, err);
}

/* Treats the value as boxed; only the value in the box is read. */
static bool
open_value(const struct clr_contents *c, uint64_t table, uint64_t address, struct clr_object *o,
	   struct arena *a, struct error *err)
{
	struct content_table about;
	uint8_t byte;

	if (!clr_method_table_read(&about, c->runtime, clr_types_names(c->types), table, a, err))
		return false;
	if (!clr_is_value_type(about.flags))
		return error_set(err, ERROR_USAGE, "%.100s at %" PRIx64 " is not a value type",
				 about.name, table);
	*o = (struct clr_object){ .address = address - CLR_FIELDS_AT,
				  .table = table,
				  .bytes = about.base_bytes,
				  .flags = about.flags,
				  .base_bytes = about.base_bytes };
	return memory_u8(clr_contents_reader(c), address, &byte) ||
	       memory_missing(c->runtime->memory, address, "the value", err);
}

static bool
value(const void *source, uint64_t table, uint64_t address, uint64_t first, size_t count,
      struct content *out, size_t *out_count, uint64_t *total, struct arena *a, struct error *err)
{
	struct clr_contents *c = (struct clr_contents *)(uintptr_t)source;
	struct memory_refused before;
	struct clr_page p = { first, count, out, out_count, total };
	struct clr_object o;
	bool is_good;

	*out_count = 0;
	*total = 0;
	before = begin_answer(c);
	is_good =
	    open_value(c, table, address, &o, a, err) && clr_rows_of_fields(c, &o, &p, a, err);
	return end_answer(c, before, is_good, err);
}

/* --- fields --- */

static bool
field(const void *source, node_id n, const char *name, struct content_field *out, struct error *err)
{
	struct clr_contents *c = (struct clr_contents *)(uintptr_t)source;
	struct memory_refused before;
	struct clr_object o;
	bool is_found;

	*out = (struct content_field){ 0 };
	before = begin_answer(c);
	is_found = clr_object_open(c, n, &o, err) && clr_object_field(c, &o, name, out, err);
	return end_answer(c, before, is_found, err);
}

static bool
method(const void *source, node_id n, struct content_method *out, struct arena *a,
       struct error *err)
{
	struct clr_contents *c = (struct clr_contents *)(uintptr_t)source;
	struct memory_refused before;
	struct clr_object o;
	bool is_delegate = false;

	before = begin_answer(c);
	is_delegate = clr_object_open(c, n, &o, err) &&
		      clr_delegate_read(c, &o, out, &is_delegate, a, err) && is_delegate;
	return end_answer(c, before, is_delegate, err);
}

/* --- texts and headers ---------------------------------------------------- */

static bool
text(const void *source, node_id n, uint32_t units_max, const char **out, uint32_t *units,
     struct arena *a, struct error *err)
{
	struct clr_contents *c = (struct clr_contents *)(uintptr_t)source;
	struct memory_refused before;
	struct clr_object o;
	bool is_good, is_whole;

	before = begin_answer(c);
	is_good = clr_object_open(c, n, &o, err);
	if (is_good && (!clr_contents_is_string(c, n) || !clr_object_has_room(&o)))
		is_good = error_set(err, ERROR_USAGE, "the object at %" PRIx64 " is not a string",
				    o.address);
	if (is_good) {
		*units = o.count;
		*out = clr_rows_text(c, &o, units_max, &is_whole, a, err);
		is_good = *out && (is_whole || clr_object_missing(c, &o, err));
	}
	return end_answer(c, before, is_good, err);
}

static bool
header(const void *source, node_id n, struct content_header *out, struct error *err)
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
copy_parts(const struct clr_plan *plan, uint32_t before, struct content_layout *out,
	   struct arena *a, struct error *err)
{
	struct content_part *parts = arena_array(a, struct content_part, plan->count + 1UL, err);

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
			.has_value =
			    p->has_value_at == UINT32_MAX ? UINT32_MAX : before + p->has_value_at,
			.kind = p->kind,
			.literal = p->is_time_offset ? LITERAL_KIND_COUNT : p->literal,
		};
	}
	out->parts = parts;
	out->parts_count = plan->count;
	return true;
}

static bool
lay_out_elements(struct clr_contents *c, const struct clr_object *o, struct content_layout *out,
		 struct arena *a, struct error *err)
{
	const struct clr_plan *plan;
	uint64_t handle;

	out->count_at = CLR_LENGTH_AT;
	out->element_bytes = clr_object_component_bytes(o);
	if (!clr_object_is_array(o)) {
		out->elements_at = CLR_UNITS_AT;
		return true;
	}
	out->elements_at = o->base_bytes - CLR_FIELDS_AT;
	if (!out->element_bytes || o->base_bytes < CLR_ARRAY_BASE_BYTES ||
	    !clr_u64(&c->runtime->layout, clr_contents_reader(c), o->table, CLR_MT_PER_INST,
		     &handle))
		return error_set(err, ERROR_INPUT, "the array at %" PRIx64 " is damaged",
				 o->address);
	plan = clr_values_of_element(c->values, handle, out->element_bytes, err);
	return plan && copy_parts(plan, 0, out, a, err);
}

static bool
layout(const void *source, node_id n, struct content_layout *out, struct arena *a,
       struct error *err)
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
		is_good = plan && copy_parts(plan, CLR_FIELDS_AT, out, a, err);
	}
	return end_answer(c, before, is_good, err);
}

static size_t
bytes(const void *source, uint64_t address, void *to, size_t len)
{
	const struct clr_contents *c = source;

	return memory_copy(c->runtime->memory, address, to, len);
}

/* False sets `err`: passes over objects need some. */
static bool
has_objects(const struct clr_contents *c, struct error *err)
{
	return !heap_lacks_objects(c->heap) ||
	       error_set(err, ERROR_USAGE, "%s", c->heap->memory->lacks_objects);
}

/* Uses a reader of its own, so that other calls need not wait. */
static bool
verify(const void *source, node_id object, struct faults *out, struct progress *progress,
       struct error *err)
{
	const struct clr_contents *c = source;

	return has_objects(c, err) &&
	       clr_verify(c->runtime, c->types, c->heap, object, out, progress, err);
}

/* Only the objects that are locks need the mutex. */
static bool
locks(const void *source, struct heap_locks *out, struct progress *progress, struct error *err)
{
	struct clr_contents *c = (struct clr_contents *)(uintptr_t)source;

	return has_objects(c, err) && clr_locks_read(c->runtime, c->heap, out, progress, err) &&
	       clr_lock_objects_read(c, out, progress, err);
}

/* Keeps only the locks with waiters. */
static void
drop_unawaited(struct heap_locks *locks)
{
	size_t kept = 0;

	for (size_t i = 0; i < locks->count; i++)
		if (locks->items[i].waiters)
			locks->items[kept++] = locks->items[i];
	locks->count = kept;
}

static bool
awaited_locks(const void *source, struct heap_locks *out, struct progress *progress,
	      struct error *err)
{
	struct clr_contents *c = (struct clr_contents *)(uintptr_t)source;

	if (!has_objects(c, err) ||
	    !clr_locks_read_awaited(c->runtime, c->heap, out, progress, err) ||
	    !clr_lock_objects_read(c, out, progress, err))
		return false;
	drop_unawaited(out);
	return true;
}

static bool
frames(const void *source, uint64_t os_id, uint32_t max, struct content_frames *out,
       struct arena *a, struct error *err)
{
	struct clr_contents *c = (struct clr_contents *)(uintptr_t)source;
	struct memory_refused before;
	bool is_good;

	before = begin_answer(c);
	is_good = clr_frames_read(c->runtime, clr_types_names(c->types), os_id, max, out, a, err);
	return end_answer(c, before, is_good, err);
}

static bool
code(const void *source, uint64_t address, struct content_frame *out, struct arena *a,
     struct error *err)
{
	struct clr_contents *c = (struct clr_contents *)(uintptr_t)source;
	struct memory_refused before;
	bool is_good;

	before = begin_answer(c);
	is_good = clr_frame_at(c->runtime, clr_types_names(c->types), address, out, a, err);
	return end_answer(c, before, is_good, err);
}

static bool
table(const void *source, uint64_t address, struct content_table *out, struct arena *a,
      struct error *err)
{
	struct clr_contents *c = (struct clr_contents *)(uintptr_t)source;
	struct memory_refused before;
	bool is_good;

	before = begin_answer(c);
	is_good =
	    clr_method_table_read(out, c->runtime, clr_types_names(c->types), address, a, err);
	return end_answer(c, before, is_good, err);
}

static bool
statics(const void *source, uint64_t table, struct heap_statics *out, struct progress *progress,
	struct arena *a, struct error *err)
{
	struct clr_contents *c = (struct clr_contents *)(uintptr_t)source;

	return has_objects(c, err) && clr_static_values_read(c, table, out, progress, a, err);
}

static bool
methods(const void *source, uint64_t address, struct content_methods *out, struct arena *a,
	struct error *err)
{
	struct clr_contents *c = (struct clr_contents *)(uintptr_t)source;
	struct memory_refused before;
	const struct clr_names *names = clr_types_names(c->types);
	struct content_table about;
	bool is_good;

	before = begin_answer(c);
	is_good = clr_method_table_read(&about, c->runtime, names, address, a, err) &&
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
	.awaited_locks = awaited_locks,
	.frames = frames,
	.code = code,
	.statics = statics,
	.table = table,
	.methods = methods,
};
