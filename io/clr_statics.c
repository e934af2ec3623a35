#include "io/clr_statics.h"
#include "io/clr_bounds.h"
#include "io/clr_fields.h"
#include "io/clr_statics_8.h"
#include "model/hash.h"
#include "model/names.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	FIELDS_MAX = 1 << 16, /* of a type */
	STATICS_MAX = 1 << 20,
	STEPS_MAX = 1 << 24, /* fields, of all types */

	GENERIC = 0x30, /* flags of a type that is no array: */
	GENERIC_DEFINITION = 0x30,
	FLAGS2_STATICS = 2,
	STATICS_BELOW = 24, /* the auxiliary data */
	STATICS_TABLE_BELOW = 8,
	THREAD_PLACE_BELOW = 36,

	THREAD_ELEMENTS = 0,
	THREAD_HANDLES = 4,
	THREAD_ARRAY = 8,
	THREAD_HANDLE_ARRAY = 16,
	THREAD_BACK = 24,
	ARRAY_ITEMS = 16, /* of a managed array */
	FIRST_ELEMENT = 2,
	PLACE_SHIFT = 24,
	PLACE_MASK = 0xffffff,
	PLACE_ELEMENT = 0,
	PLACE_HANDLE = 1,
};

/* What a thread has, checked. */
struct thread_data {
	const struct clr_thread_name *thread;
	uint64_t array, handles;
	uint32_t elements_count, handles_count;
};

struct statics {
	struct clr_statics *out;
	const struct clr_heaps *heaps;
	const struct clr_runtime *rt;
	const struct clr_layout *layout;
	const struct clr_names *names;
	struct memory_reader *reader;
	struct arena *arena;
	struct arena scratch;
	struct thread_data *threads;
	size_t threads_count;
	struct clr_bounds bounds;
	struct error *err;
};

/* A type while its fields are looked at. */
struct declaring {
	uint64_t table;
	uint64_t owner, class; /* see clr_fields_owner() */
	uint64_t references;   /* 0: none of all threads */
	uint32_t place;        /* if has_place: in each thread */
	bool has_place;
	struct clr_statics_8 of_8; /* of .NET 8, in place of these two */
	const char *name;          /* once it is needed */
	const struct metadata *metadata;
};

/* --- names --- */

static bool
name_type(struct statics *s, struct declaring *d)
{
	const struct clr_module *module;
	struct display_name shown;
	uint64_t address;
	unsigned flags;
	const char *raw;

	if (d->name)
		return true;
	raw = clr_name_of(s->names, d->table, &s->scratch, &flags, s->err);
	if (!raw || !name_display(raw, &s->scratch, &shown, s->err))
		return false;
	d->name = shown.full;
	if (!clr_u64(s->layout, s->reader, d->table, CLR_MT_MODULE, &address))
		return true;
	module = clr_modules_find(s->names->modules, address, s->err);
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
	if (!row || !d->metadata ||
	    !metadata_next_static(d->metadata, &before, &raw) || before != row)
		return arena_printf(s->arena, s->err, "%s.#04%06" PRIx32,
				    d->name, row);
	raw = name_field(raw, &s->scratch, s->err);
	return raw ? arena_printf(s->arena, s->err, "%s.%s", d->name, raw)
		   : NULL;
}

/* --- fields --- */

/* All variables are elements of arrays: what lies elsewhere is none. */
static bool
add_static(struct statics *s, struct declaring *d,
	   const struct clr_field_record *f, uint64_t slot,
	   const struct clr_thread_name *thread)
{
	struct clr_static found = { .slot = slot, .thread = thread };
	struct clr_statics *out = s->out;

	if (slot % 8 || !clr_heaps_range_at(s->heaps, slot) ||
	    !memory_u64(s->reader, slot, &found.object) || !found.object)
		return true;
	if (out->count >= STATICS_MAX) {
		out->missing_count++;
		return true;
	}
	found.name = name_static(s, d, f->row);
	if (!found.name ||
	    !memory_make_room(&out->items, out->count, &out->room,
			      sizeof(*out->items), s->err))
		return false;
	out->items[out->count++] = found;
	return true;
}

/* The object that has the type's variables of a thread. */
static bool
find_element(struct statics *s, const struct thread_data *t, uint32_t place,
	     uint64_t *storage)
{
	uint32_t kind = place >> PLACE_SHIFT;
	uint64_t n = place & PLACE_MASK, handle;

	if (kind == PLACE_ELEMENT)
		return n >= FIRST_ELEMENT && n < t->elements_count &&
		       memory_u64(s->reader,
				  t->array + ARRAY_ITEMS +
				      8 * (n - FIRST_ELEMENT),
				  storage);
	return kind == PLACE_HANDLE && n < t->handles_count &&
	       memory_u64(s->reader, t->handles + 8 * n, &handle) && handle &&
	       memory_u64(s->reader, handle, storage);
}

/* What the offsets of the type's fields in a thread count from. */
static bool
find_storage(struct statics *s, const struct declaring *d,
	     const struct thread_data *t, uint64_t *storage)
{
	if (s->layout->version == 8)
		return clr_statics_8_of_thread(s->layout, s->reader,
					       t->thread->address, &d->of_8,
					       storage);
	return d->has_place && find_element(s, t, d->place, storage) &&
	       *storage;
}

static bool
take_field(struct statics *s, struct declaring *d,
	   const struct clr_field_record *f)
{
	uint64_t storage;

	if (!f->is_static || f->is_in_image ||
	    (f->kind != CLR_FIELD_STRUCT && f->kind != CLR_FIELD_REFERENCE))
		return true;
	if (!f->is_of_thread)
		return !d->references ||
		       add_static(s, d, f, d->references + f->offset, NULL);
	for (size_t i = 0; i < s->threads_count; i++) {
		if (!clr_bounds_step(&s->bounds, s->err))
			return false;
		if (find_storage(s, d, &s->threads[i], &storage) &&
		    !add_static(s, d, f, storage + f->offset,
				s->threads[i].thread))
			return false;
	}
	return true;
}

/* Two tables with the same fields and the same variables: one is wrong. */
static bool
see_variables(struct statics *s, const struct declaring *d, uint64_t fields,
	      bool *is_new)
{
	const uint64_t both[2] = { fields, d->references };

	*is_new = true;
	if (!d->references)
		return true;
	if (!clr_bounds_see(&s->bounds,
			    hash_bytes(HASH_START, both, sizeof(both)), is_new,
			    s->err))
		return false;
	s->out->missing_count += !*is_new;
	return true;
}

/* As many as name the class: which has them one behind the other. */
static bool
take_fields(struct statics *s, struct declaring *d)
{
	uint64_t at;
	bool is_new;

	at = d->of_8.fields;
	if (!at &&
	    (!clr_u64(s->layout, s->reader, d->class, CLR_CLASS_FIELDS, &at) ||
	     !at))
		return true;
	if (!see_variables(s, d, at, &is_new))
		return false;
	if (!is_new)
		return true;
	for (int i = 0; i < FIELDS_MAX; i++, at += CLR_FIELD_BYTES) {
		struct clr_field_record f;

		if (!clr_bounds_step(&s->bounds, s->err))
			return false;
		if (!clr_field_record_read(s->reader, at, d->owner, &f))
			return true;
		if (!take_field(s, d, &f))
			return false;
	}
	return true;
}

/* --- types --- */

/* These two: false: it has no variables. */
static bool
find_references_8(struct statics *s, struct declaring *d, uint32_t flags)
{
	if (!clr_statics_8_find(s->layout, s->reader, d->table, flags,
				&d->of_8))
		return false;
	d->references = d->of_8.references;
	if (d->of_8.is_dynamic)
		d->owner = d->table;
	return true;
}

static bool
find_references(struct statics *s, struct declaring *d)
{
	uint64_t auxiliary, table;
	uint32_t flags2;

	if (!clr_u32(s->layout, s->reader, d->table, CLR_MT_FLAGS2, &flags2) ||
	    !(flags2 & FLAGS2_STATICS) ||
	    !clr_u64(s->layout, s->reader, d->table, CLR_MT_AUXILIARY,
		     &auxiliary) ||
	    !memory_u64(s->reader, auxiliary - STATICS_TABLE_BELOW, &table) ||
	    table != d->table)
		return false;
	if (!memory_u64(s->reader, auxiliary - STATICS_BELOW, &d->references))
		d->references = 0;
	d->references &= ~UINT64_C(1);
	d->has_place =
	    memory_u32(s->reader, auxiliary - THREAD_PLACE_BELOW, &d->place);
	return d->references || d->has_place;
}

static bool
take_type(struct statics *s, uint64_t table)
{
	struct declaring d = { .table = table };
	struct arena_mark mark = arena_mark(&s->scratch);
	uint32_t flags;
	bool is_good;

	if (!clr_u32(s->layout, s->reader, table, CLR_MT_FLAGS, &flags) ||
	    (flags & CLR_MT_ARRAY_MASK) == CLR_MT_ARRAY)
		return true;
	/* Strings have a length in the place of those flags. */
	if (flags & CLR_MT_HAS_COMPONENTS)
		flags &= ~(uint32_t)GENERIC;
	if ((flags & GENERIC) == GENERIC_DEFINITION)
		return true;
	d.owner = clr_fields_owner(s->layout, s->reader, table, &d.class);
	if (s->layout->version == 8 ? !find_references_8(s, &d, flags)
				    : !find_references(s, &d))
		return true;
	is_good = take_fields(s, &d);
	arena_reset(&s->scratch, mark);
	return is_good;
}

/* --- threads --- */

static bool
take_thread(struct statics *s, const struct clr_thread_name *thread)
{
	struct thread_data t = { .thread = thread };
	struct clr_statics *out = s->out;
	uint64_t data, back;

	if (thread->address && s->layout->version == 8)
		s->threads[s->threads_count++] = t;
	if (!thread->address ||
	    !clr_u64(s->layout, s->reader, thread->address,
		     CLR_THREAD_LOCAL_DATA, &data) ||
	    !memory_u64(s->reader, data + THREAD_BACK, &back) ||
	    back != thread->address ||
	    !memory_u32(s->reader, data + THREAD_ELEMENTS, &t.elements_count) ||
	    !memory_u32(s->reader, data + THREAD_HANDLES, &t.handles_count) ||
	    !memory_u64(s->reader, data + THREAD_ARRAY, &t.array) ||
	    !memory_u64(s->reader, data + THREAD_HANDLE_ARRAY, &t.handles))
		return true;
	s->threads[s->threads_count++] = t;
	if (!t.array)
		return true;
	if (!memory_make_room(&out->arrays, out->arrays_count,
			      &out->arrays_room, sizeof(*out->arrays), s->err))
		return false;
	out->arrays[out->arrays_count++] =
	    (struct clr_thread_array){ t.array, thread };
	return true;
}

/* --- all of them --- */

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
		qsort(out->items, out->count, sizeof(*out->items),
		      compare_statics);
	for (size_t i = 0; i < out->count; i++)
		if (!kept || out->items[kept - 1].slot != out->items[i].slot)
			out->items[kept++] = out->items[i];
	out->count = kept;
}

static bool
take_all(struct statics *s, const struct clr_loaded *loaded,
	 const struct clr_thread_names *threads)
{
	s->threads = memory_new(threads->count, sizeof(*s->threads), s->err);
	if (!s->threads)
		return false;
	for (size_t i = 0; i < threads->count; i++)
		if (!take_thread(s, &threads->items[i]))
			return false;
	for (size_t i = 0; i < loaded->count; i++)
		if (!take_type(s, loaded->tables[i]))
			return false;
	return true;
}

bool
clr_statics_read(struct clr_statics *out, const struct clr_heaps *heaps,
		 const struct clr_names *names, const struct clr_loaded *loaded,
		 const struct clr_thread_names *threads, struct arena *a,
		 struct progress *progress, struct error *err)
{
	struct statics s = {
		.out = out,
		.heaps = heaps,
		.rt = heaps->runtime,
		.layout = &heaps->runtime->layout,
		.names = names,
		.reader = heaps->runtime->reader,
		.arena = a,
		.bounds = { .steps_left = STEPS_MAX, .progress = progress },
		.err = err,
	};
	bool is_good;

	memset(out, 0, sizeof(*out));
	arena_init(&s.scratch, 0);
	is_good = take_all(&s, loaded, threads) || s.bounds.is_used_up;
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
