#include "io/clr/statics.h"
#include "io/pe/name_spelling.h"
#include "io/runtime/bounds.h"
#include "io/runtime/native.h"
#include "io/runtime/static_type.h"
#include "model/base/hash.h"
#include "model/heap/names.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	FIELDS_MAX = 1 << 16, /* one type */
	STATICS_MAX = 1 << 20,
	STEPS_MAX = 1 << 24, /* fields of all types */
};

/* A thread and its statics. */
struct known_thread {
	const struct clr_thread_name *name;
	struct clr_static_thread has;
};

struct statics {
	struct clr_statics *out;
	const struct clr_heaps *heaps;
	const struct clr_names *names;
	struct memory_reader *reader;
	struct arena *arena;
	struct arena scratch;
	struct known_thread *threads;
	size_t threads_count;
	struct clr_bounds bounds;
	struct error *err;
};

/* The type whose fields are being read. */
struct declaring {
	struct clr_static_type type;
	const char *name; /* NULL until needed */
	const struct metadata *metadata;
};

/* --- names --- */

static bool
name_type(struct statics *s, struct declaring *d)
{
	const struct clr_module *module;
	struct display_name shown;
	unsigned flags;
	const char *raw;

	if (d->name)
		return true;
	raw = clr_name_of(s->names, d->type.table, &s->scratch, &flags, s->err);
	if (!raw || !name_display(raw, &s->scratch, &shown, s->err))
		return false;
	d->name = shown.full;
	module =
	    clr_modules_find(s->names->modules, clr_name_module(s->names, d->type.table), s->err);
	if (module)
		d->metadata = module->metadata;
	return module != NULL;
}

/* "Leaky.Cache.Sessions"; NULL: no memory. */
static const char *
name_static(struct statics *s, struct declaring *d, uint32_t row)
{
	uint32_t before = row - 1;
	const char *raw;

	if (!name_type(s, d))
		return NULL;
	if (!row || !d->metadata || !metadata_next_static(d->metadata, &before, &raw) ||
	    before != row)
		return arena_printf(s->arena, s->err, "%s.#04%06" PRIx32, d->name, row);
	raw = name_field(raw, &s->scratch, s->err);
	return raw ? arena_printf(s->arena, s->err, "%s.%s", d->name, raw) : NULL;
}

/* --- fields --- */

/* Every variable is an element of an array on the heap; ignore other slots. */
static bool
add_static(struct statics *s, struct declaring *d, const struct clr_field_record *f, uint64_t slot,
	   const struct clr_thread_name *thread)
{
	struct clr_static found = { .slot = slot, .thread = thread };
	struct clr_statics *out = s->out;

	if (!slot || slot % 8 || !clr_heaps_range_at(s->heaps, slot) ||
	    !memory_u64(s->reader, slot, &found.object) || !found.object)
		return true;
	if (out->count >= STATICS_MAX) {
		out->missing_count++;
		return true;
	}
	found.name = name_static(s, d, f->row);
	return found.name && APPEND(out->items, out->count, out->room, s->err, found);
}

static bool
add_field(struct statics *s, struct declaring *d, const struct clr_field_record *f)
{
	if (!f->is_static || f->is_in_image || !clr_static_is_reference(f))
		return true;
	if (!f->is_thread_static)
		return add_static(s, d, f, clr_static_address(&d->type.ordinary, f), NULL);
	for (size_t i = 0; i < s->threads_count; i++) {
		const struct known_thread *t = &s->threads[i];
		struct clr_static_starts starts;

		if (!clr_bounds_step(&s->bounds))
			return false;
		clr_static_thread_starts(s->names, &d->type, &t->has, &starts);
		if (!add_static(s, d, f, clr_static_address(&starts, f), t->name))
			return false;
	}
	return true;
}

/* Two method tables with the same fields and storage: one is damaged. */
static bool
add_variables(struct statics *s, const struct clr_static_type *type, bool *is_new)
{
	const uint64_t both[2] = { type->fields.at, type->ordinary.references };

	*is_new = true;
	if (!type->ordinary.references)
		return true;
	return clr_bounds_visit(&s->bounds, hash_bytes(HASH_START, both, sizeof(both)), is_new);
}

static bool
add_type(struct statics *s, uint64_t table)
{
	struct declaring d = { 0 };
	struct arena_mark mark = arena_mark(&s->scratch);
	struct clr_field_record f;
	bool is_new;

	if (!clr_static_type_open(s->names, table, &d.type) || !d.type.has_storage)
		return true;
	if (!add_variables(s, &d.type, &is_new))
		return false;
	for (int i = 0; is_new && i < FIELDS_MAX; i++) {
		if (!clr_bounds_step(&s->bounds))
			return false;
		if (!clr_fields_next(s->reader, &d.type.fields, &f))
			break;
		if (!add_field(s, &d, &f))
			return false;
	}
	arena_reset(&s->scratch, mark);
	return true;
}

static bool
add_thread(struct statics *s, const struct clr_thread_name *name)
{
	struct known_thread t = { .name = name };
	struct clr_statics *out = s->out;

	if (!clr_static_thread_read(s->names, name->address, &t.has))
		return true;
	s->threads[s->threads_count++] = t;
	if (!t.has.array)
		return true;
	return APPEND(out->arrays, out->arrays_count, out->arrays_room, s->err,
		      (struct clr_thread_array){ t.has.array, name });
}

/* --- all variables --- */

static int
compare_statics(const void *a, const void *b)
{
	const struct clr_static *x = a, *y = b;

	if (x->slot != y->slot)
		return x->slot < y->slot ? -1 : 1;
	return strcmp(x->name, y->name);
}

static void
sort_statics(struct clr_statics *out)
{
	size_t kept = 0;

	if (out->count)
		qsort(out->items, out->count, sizeof(*out->items), compare_statics);
	for (size_t i = 0; i < out->count; i++)
		if (!kept || out->items[kept - 1].slot != out->items[i].slot)
			out->items[kept++] = out->items[i];
	out->count = kept;
}

/* Returns the class as heaps spell it; NULL: no memory. */
static const char *
name_native_class(struct statics *s, size_t i)
{
	const struct clr_native *n = s->heaps->runtime->native;
	struct native_name class;
	struct display_name shown;
	const char *name;

	if (!native_types_static_name(n->types, i, &s->scratch, &class, s->err))
		return NULL;
	name = name_spell(class.name, &s->scratch, s->err);
	return name && name_display(name, &s->scratch, &shown, s->err)
		   ? arena_printf(s->arena, s->err, "%s", shown.full)
		   : NULL;
}

/*
 * One object has all static variables of a class of a Native AOT program, whose fields have no
 * names; the class has one. A pointer with marks is that of a class that has not run its
 * initializer.
 */
static bool
add_native(struct statics *s)
{
	const struct clr_native *n = s->heaps->runtime->native;
	uint64_t offset;

	for (size_t i = 0; n && native_types_static(n->types, i, &offset); i++) {
		struct clr_static found = { .slot = n->base + offset };

		if (!memory_u64(s->reader, found.slot, &found.object) || found.object % 8 ||
		    !clr_heaps_range_at(s->heaps, found.object))
			continue;
		found.name = name_native_class(s, i);
		if (!found.name ||
		    !APPEND(s->out->items, s->out->count, s->out->room, s->err, found))
			return false;
	}
	return true;
}

static bool
add_all(struct statics *s, const struct clr_loaded *loaded, const struct clr_thread_names *threads)
{
	s->threads = memory_new(threads->count, sizeof(*s->threads), s->err);
	if (!s->threads)
		return false;
	for (size_t i = 0; i < threads->count; i++)
		if (!add_thread(s, &threads->items[i]))
			return false;
	for (size_t i = 0; i < loaded->count; i++)
		if (!add_type(s, loaded->tables[i]))
			return false;
	return add_native(s);
}

bool
clr_statics_read(struct clr_statics *out, const struct clr_heaps *heaps,
		 const struct clr_names *names, const struct clr_loaded *loaded,
		 const struct clr_thread_names *threads, struct arena *a, struct progress *progress,
		 struct error *err)
{
	struct statics s = {
		.out = out,
		.heaps = heaps,
		.names = names,
		.reader = heaps->runtime->reader,
		.arena = a,
		.bounds = { .steps_left = STEPS_MAX,
			    .progress = progress,
			    .missing_count = &out->missing_count,
			    .err = err },
		.err = err,
	};
	bool is_good;

	memset(out, 0, sizeof(*out));
	arena_init(&s.scratch, 0);
	is_good = add_all(&s, loaded, threads) || s.bounds.is_used_up;
	out->missing_count += s.bounds.is_used_up;
	clr_bounds_clear(&s.bounds);
	memory_free(s.threads);
	arena_clear(&s.scratch);
	if (is_good)
		sort_statics(out);
	else
		clr_statics_clear(out);
	return is_good;
}

void
clr_statics_clear(struct clr_statics *statics)
{
	memory_free(statics->items);
	memory_free(statics->arrays);
	memset(statics, 0, sizeof(*statics));
}
