#include "io/clr/static_values.h"
#include "io/runtime/bounds.h"
#include "io/runtime/loaded.h"
#include "io/clr/rows.h"
#include "io/runtime/static_type.h"
#include "io/clr/values_state.h"
#include "model/heap/names.h"
#include <inttypes.h>
#include <string.h>

enum {
	FIELDS_MAX = 1 << 16,  /* of one type */
	STATICS_MAX = 1 << 20, /* of all types */
	STEPS_MAX = 1 << 22,   /* fields per thread, and methods */
	STEPS_EACH = 256,      /* the same for each variable wanted, if few are */
	FIELDS_AT_ONCE = 256,  /* read before others get the lock */
	BOX_HEADER = 8,
	BOX_BYTES = 16, /* overhead of a boxed value */
	VALUE_BYTES_MAX = 16,
};

struct reading {
	struct clr_contents *c;
	struct heap_statics *out;
	struct clr_static_thread *threads; /* `thread` 0: has no statics */
	struct clr_static_starts *starts;  /* of the type starts_of, by thread */
	uint64_t starts_of;                /* method table; 0: none */
	uint32_t threads_count;
	struct clr_bounds bounds;
	struct arena *arena;
	struct error *err;
};

/* The type whose fields are being listed. */
struct declaring {
	struct clr_static_type type;
	struct clr_level level;
	const char *name;
	bool is_ready; /* no class constructor has yet to run */
};

/* --- variables ------------------------------------------------------------ */

static const char in_image[] = "unknown: in the image of its module",
		  not_there[] = "unknown: class not initialized",
		  of_no_thread[] = "unknown: no thread has it yet",
		  unloadable[] = "unknown: its class is collectible",
		  no_storage[] = "unknown: the storage of its class was not found",
		  not_read[] = "unknown: not in memory", no_box[] = "unknown: not boxed yet",
		  box_not_read[] = "unknown: its box is not in memory";

static void
set_unknown(struct heap_static *s, const char *why)
{
	s->content.kind = CONTENT_RAW;
	s->content.text = why;
	s->content.bytes = 0;
	s->slot = s->content.address = 0;
}

/* The box of a struct has the exact method table. */
static bool
show_box(struct reading *g, struct heap_static *s)
{
	struct clr_contents *c = g->c;
	struct memory_reader *r = clr_contents_reader(c);
	struct content *row = &s->content;
	const char *name = row->name, *type = row->type;
	const struct clr_plan *plan;
	uint64_t box, table = 0;
	uint32_t size = 0;

	if (!memory_u64(r, s->slot, &box))
		set_unknown(s, not_read);
	else if (!box)
		set_unknown(s, no_box);
	else if (!memory_u64(r, box, &table) ||
		 !clr_u32(&c->runtime->layout, r, table & ~CLR_OBJECT_MARKS, CLR_MT_BASE_SIZE,
			  &size) ||
		 size <= BOX_BYTES)
		set_unknown(s, box_not_read);
	if (!s->slot)
		return true;
	plan =
	    clr_values_of_element(c->values, table & ~CLR_OBJECT_MARKS, size - BOX_BYTES, g->err);
	if (!plan || !clr_rows_of_value(c, plan, box + BOX_HEADER, row, g->arena, g->err))
		return false;
	row->name = name;
	row->type = *type ? type : row->type;
	row->pointer = box;
	row->target = heap_find(c->heap, box);
	return true;
}

static bool
show_variable(struct reading *g, const struct clr_part *part, const struct clr_field_record *f,
	      struct heap_static *s)
{
	uint8_t bytes[VALUE_BYTES_MAX];

	if (f->kind == CLR_FIELD_STRUCT)
		return show_box(g, s);
	if (part->bytes > sizeof(bytes) ||
	    !memory_read(clr_contents_reader(g->c), s->slot, bytes, part->bytes)) {
		set_unknown(s, not_read);
		return true;
	}
	return clr_rows_of_part(g->c, part, s->slot, &s->content, g->arena, g->err);
}

static bool
add(struct reading *g, const struct declaring *d, const struct clr_part *part,
    const struct clr_field_record *f, struct heap_static s, const char *why)
{
	struct heap_statics *out = g->out;

	if (out->count >= (out->max ? out->max : STATICS_MAX)) {
		g->bounds.is_used_up = true;
		return false;
	}
	s.owner = d->name;
	s.table = d->type.table;
	s.is_thread_static = f->is_thread_static;
	s.is_initialized = d->is_ready;
	s.content = (struct content){
		.name = part->name, .type = part->type, .text = "", .target = NODE_NONE
	};
	if (!s.slot)
		set_unknown(&s, why);
	else if (!show_variable(g, part, f, &s))
		return false;
	return APPEND(out->items, out->count, out->room, g->err, s);
}

static const char *
why_unknown(const struct declaring *d, const struct clr_field_record *f)
{
	if (f->is_in_image)
		return in_image;
	if (f->is_thread_static)
		return of_no_thread;
	if (d->type.has_storage)
		return not_there;
	return d->type.is_collectible ? unloadable : no_storage;
}

/* Finds each thread's storage, once for all fields of a type. */
static bool
find_starts(struct reading *g, const struct declaring *d)
{
	if (g->starts_of == d->type.table)
		return true;
	g->starts_of = 0;
	for (uint32_t i = 0; i < g->threads_count; i++) {
		if (!clr_bounds_step(&g->bounds))
			return false;
		g->starts[i] = (struct clr_static_starts){ 0 };
		if (g->threads[i].thread)
			clr_static_thread_starts(clr_types_names(g->c->types), &d->type,
						 &g->threads[i], &g->starts[i]);
	}
	g->starts_of = d->type.table;
	return true;
}

/* Adds one row for each thread that has the variable, or else one that says that none has. */
static bool
add_of_threads(struct reading *g, const struct declaring *d, const struct clr_part *part,
	       const struct clr_field_record *f)
{
	bool has_any = false;

	if (!find_starts(g, d))
		return false;
	for (uint32_t i = 0; i < g->threads_count; i++) {
		struct heap_static s = { .thread = i };

		if (!clr_bounds_step(&g->bounds))
			return false;
		s.slot = clr_static_address(&g->starts[i], f);
		if (!s.slot)
			continue;
		has_any = true;
		if (!add(g, d, part, f, s, NULL))
			return false;
	}
	return has_any ||
	       add(g, d, part, f, (struct heap_static){ .thread = UINT32_MAX }, why_unknown(d, f));
}

static bool
add_field(struct reading *g, struct declaring *d, const struct clr_field_record *f)
{
	struct heap_static s = { .thread = UINT32_MAX };
	struct clr_part part;

	if (!clr_part_of_static(g->c->values, &d->level, f, &part, g->arena, g->err))
		return false;
	if (f->is_thread_static && !f->is_in_image)
		return add_of_threads(g, d, &part, f);
	if (!f->is_in_image)
		s.slot = clr_static_address(&d->type.ordinary, f);
	return add(g, d, &part, f, s, why_unknown(d, f));
}

/* --- types ---------------------------------------------------------------- */

/* *has: the class has a constructor, or that is unknown. */
static bool
find_constructor(struct reading *g, const struct declaring *d, bool *has)
{
	const struct metadata *m = d->level.metadata;
	uint32_t row, end, token = clr_name_token(clr_types_names(g->c->types), d->type.table);

	*has = !m;
	if (!m || !metadata_methods_of(m, token, &row, &end))
		return true;
	for (; row < end && !*has; row++) {
		if (!clr_bounds_step(&g->bounds))
			return false;
		*has = !strcmp(metadata_method_name(m, row), ".cctor");
	}
	return true;
}

/* *is_shared: the method table is a shared canonical one (System.__Canon) or an
 * open generic one; neither has variables. */
static bool
name_type(struct reading *g, struct declaring *d, bool *is_shared)
{
	struct display_name shown;
	unsigned flags;
	bool has_constructor = false;
	const char *raw =
	    clr_name_of(clr_types_names(g->c->types), d->type.table, g->arena, &flags, g->err);

	if (!raw || !name_display(raw, g->arena, &shown, g->err))
		return false;
	d->name = shown.full;
	if (!d->type.is_initialized && !find_constructor(g, d, &has_constructor))
		return false;
	d->is_ready = !has_constructor;
	*is_shared = (strstr(raw, "System.__Canon") || strstr(raw, "!#")) &&
		     !d->type.ordinary.references && !d->type.ordinary.values;
	return true;
}

/* Closes the level first, since its scratch memory is used by others. */
static bool
yield_lock(struct reading *g, struct declaring *d)
{
	clr_level_close(g->c->values, &d->level);
	pthread_mutex_unlock(&g->c->lock);
	pthread_mutex_lock(&g->c->lock);
	return clr_level_open_bare(g->c->values, d->type.table, &d->level, g->err);
}

static bool
add_fields(struct reading *g, struct declaring *d)
{
	struct memory_reader *r = clr_contents_reader(g->c);
	uint32_t first, end;
	struct clr_field_record f;
	bool is_shared;

	if (!clr_level_field_rows(g->c->values, d->type.table, &d->level, &first, &end)) {
		first = 0;
		end = UINT32_MAX;
	}
	for (int i = 0; i < FIELDS_MAX; i++) {
		if (!clr_bounds_step(&g->bounds) ||
		    (i % FIELDS_AT_ONCE == FIELDS_AT_ONCE - 1 && !yield_lock(g, d)))
			return false;
		if (!clr_fields_next(r, &d->type.fields, &f) || f.row >= end)
			return true;
		if (!f.is_static || f.row < first)
			continue;
		if (!d->name) {
			if (!name_type(g, d, &is_shared))
				return false;
			if (is_shared)
				return true;
		}
		if (!add_field(g, d, &f))
			return false;
	}
	return true;
}

static bool
add_open(struct reading *g, struct declaring *d)
{
	struct clr_values *v = g->c->values;
	bool is_good;

	if (!clr_level_open_bare(v, d->type.table, &d->level, g->err))
		return false;
	is_good = add_fields(g, d);
	clr_level_close(v, &d->level);
	return is_good;
}

static bool
add_type(struct reading *g, uint64_t table)
{
	struct clr_contents *c = g->c;
	struct declaring d = { 0 };
	bool is_good = true;

	pthread_mutex_lock(&c->lock);
	if (clr_static_type_open(clr_types_names(c->types), table, &d.type))
		is_good = add_open(g, &d);
	pthread_mutex_unlock(&c->lock);
	return is_good;
}

static bool
add_all(struct reading *g)
{
	struct clr_loaded loaded;
	bool is_good;

	pthread_mutex_lock(&g->c->lock);
	is_good = clr_loaded_read(&loaded, g->c->runtime, g->bounds.progress, g->err);
	pthread_mutex_unlock(&g->c->lock);
	if (!is_good)
		return false;
	g->out->missing_count += loaded.missing_count;
	for (size_t i = 0; is_good && i < loaded.count; i++)
		is_good = add_type(g, loaded.tables[i]);
	clr_loaded_clear(&loaded);
	return is_good;
}

static bool
read_threads(struct reading *g)
{
	const struct heap_memory *m = g->c->heap->memory;
	const struct clr_names *names = clr_types_names(g->c->types);

	g->threads = memory_new(m->threads_count + (size_t)1, sizeof(*g->threads), g->err);
	g->starts = memory_new(m->threads_count + (size_t)1, sizeof(*g->starts), g->err);
	if (!g->threads || !g->starts)
		return false;
	g->threads_count = m->threads_count;
	pthread_mutex_lock(&g->c->lock);
	for (uint32_t i = 0; i < m->threads_count; i++)
		if (!clr_static_thread_read(names, m->threads[i].address, &g->threads[i]))
			g->threads[i].thread = 0;
	pthread_mutex_unlock(&g->c->lock);
	return true;
}

/* Accepts a method table, or an EEClass, which leads to one. */
static bool
find_table(struct clr_contents *c, uint64_t *address, struct error *err)
{
	const struct clr_layout *layout = &c->runtime->layout;
	struct memory_reader *r = clr_contents_reader(c);
	enum clr_class_answer answer;
	uint64_t table, owner, class, owner_there, class_there;

	answer = clr_class_find(layout, r, *address, &owner, &class);
	if (answer == CLR_CLASS_FOUND)
		return true;
	if (clr_u64(layout, r, *address, CLR_CLASS_MT, &table) &&
	    clr_class_find(layout, r, table, &owner_there, &class_there) == CLR_CLASS_FOUND &&
	    class_there == *address) {
		*address = table;
		return true;
	}
	if (answer == CLR_CLASS_ABSENT && class)
		return memory_missing(c->runtime->memory, class, "the class of the method table",
				      err);
	return error_set(err, ERROR_USAGE, "no method table or class is at %" PRIx64, *address);
}

static bool
add_one(struct reading *g, uint64_t table)
{
	struct clr_contents *c = g->c;
	bool is_there;

	pthread_mutex_lock(&c->lock);
	is_there = find_table(c, &table, g->err);
	pthread_mutex_unlock(&c->lock);
	return is_there && add_type(g, table);
}

bool
clr_static_values_read(struct clr_contents *c, uint64_t table, struct heap_statics *out,
		       struct progress *progress, struct arena *a, struct error *err)
{
	struct reading g = {
		.c = c,
		.out = out,
		.bounds = { .steps_left = out->max ? (uint64_t)out->max * STEPS_EACH : STEPS_MAX,
			    .progress = progress,
			    .err = err },
		.arena = a,
		.err = err,
	};
	bool is_good;

	is_good = read_threads(&g) && (table ? add_one(&g, table) : add_all(&g));
	memory_free(g.threads);
	memory_free(g.starts);
	clr_bounds_clear(&g.bounds);
	if (g.bounds.is_used_up) {
		out->missing_count++;
		return true;
	}
	if (is_good)
		return true;
	memory_free(out->items);
	*out = (struct heap_statics){ 0 };
	return false;
}
