/*
 * Objects that have been disposed, by a field of their own that says so, and are still reachable in
 * numbers: they are nearly always forgotten somewhere. Only heaps with values know.
 */
#include "model/analysis/finder.h"
#include "model/base/load.h"
#include "model/heap/object_bytes.h"
#include "model/table/table.h"
#include <string.h>

enum {
	DISPOSED_MIN = 10,
	BYTES_MIN = 8 << 10, /* retained, if most objects of the type are disposed */
	POOL_STEPS = 8,      /* from an object to the pool that keeps it */
	LOOK_EVERY = 4096,
};

/* Where the objects of a type say that they are disposed. */
struct flag {
	uint32_t offset;
	uint8_t bytes; /* 0: the layout has not been read */
};

struct disposed {
	struct finder *f;
	struct object_bytes bytes;
	struct flag *flags; /* by type_id */
	bool *is_skipped;   /* by type_id: of the framework, or without such a field */
	struct members found;
};

/* Returns true for names as they are usual, whatever their prefix: "_disposed", "m_isDisposed",
   "disposedValue", "<IsDisposed>k__BackingField". */
static bool
says_disposed(const char *name)
{
	static const char *const ends[] = { "disposed",    "Disposed",    "disposedValue",
					    "isDisposed",  "IsDisposed",  "_disposedValue",
					    "hasDisposed", "wasDisposed", "DisposedValue" };
	char property[64];
	const char *end;

	if (*name == '<' && (end = strchr(name, '>')) && (size_t)(end - name) < sizeof property) {
		memcpy(property, name + 1, (size_t)(end - name - 1));
		property[end - name - 1] = '\0';
		return says_disposed(property);
	}
	if (!strncmp(name, "m_", 2))
		name += 2;
	else if (*name == '_')
		name++;
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		if (!strcmp(name, ends[i]))
			return true;
	return false;
}

/* Finds the field by the layout of an object; a type without a field is skipped from now on. */
static void
find_flag(struct disposed *d, node_id n, struct flag *flag)
{
	const struct content_layout *layout = object_bytes_layout(&d->bytes, n);

	/* The next object of this type may have a layout. */
	if (!layout)
		return;
	for (uint32_t i = 0; i < layout->parts_count && !flag->bytes; i++) {
		const struct content_part *part = &layout->parts[i];

		if (part->depth || part->kind != CONTENT_VALUE || !says_disposed(part->name) ||
		    (part->bytes != 1 && part->bytes != 4))
			continue;
		flag->offset = part->offset;
		flag->bytes = (uint8_t)part->bytes;
	}
	d->is_skipped[heap_type_of(d->f->heap, n)] = !flag->bytes;
}

/* Returns true if the object is disposed; of numbers, only 1 means that for certain. */
static bool
is_disposed(struct disposed *d, node_id n)
{
	struct flag *flag = &d->flags[heap_type_of(d->f->heap, n)];
	const uint8_t *at;

	if (!flag->bytes)
		find_flag(d, n, flag);
	if (!flag->bytes)
		return false;
	at = object_bytes_at(&d->bytes, object_bytes_address(&d->bytes, n) + flag->offset,
			     flag->bytes);
	return at && load_bytes(at, flag->bytes) == 1;
}

/* Returns true if a pool keeps the object: it will be used again. */
static bool
waits_in_pool(const struct finder *f, node_id n)
{
	for (int i = 0; i < POOL_STEPS && f->reach->distance[n]; i++) {
		n = f->reach->next[n];
		if (f->roles[heap_type_of(f->heap, n)] == ROLE_POOL)
			return true;
	}
	return false;
}

static bool
look_at_all(struct disposed *d, struct error *err)
{
	struct finder *f = d->f;
	const struct heap *h = f->heap;

	progress_begin(f->progress, "looking for disposed objects", "objects", h->nodes_count);
	for (node_id n = 0; n < h->nodes_count; n++) {
		type_id type = heap_type_of(h, n);

		if (n % LOOK_EVERY == 0 && !progress_add(f->progress, LOOK_EVERY))
			return error_cancelled(err);
		if (d->is_skipped[type] || !finder_is_live(f, n) || !is_disposed(d, n) ||
		    waits_in_pool(f, n))
			continue;
		if (!members_add(&d->found, (struct member){ .key = type, .node = n }, err))
			return false;
	}
	return true;
}

static bool
report_type(void *context, const struct members *m, uint32_t from, uint32_t end, struct error *err)
{
	struct finder *f = context;
	type_id type = (type_id)m->items[from].key;
	bool are_most = end - from >= f->heap->types[type].count / 2;
	struct finding *out;
	uint64_t bytes;

	if (end - from < DISPOSED_MIN)
		return true;
	if (!finder_retained(f, m, from, end, &bytes, err))
		return false;
	if (bytes < f->much && !(are_most && bytes >= BYTES_MIN))
		return true;
	out = finder_add(f, &finding_disposed, err);
	if (!out)
		return false;
	out->type = type;
	out->count = end - from;
	out->all_count = f->heap->types[type].count;
	out->subject = m->items[from].node;
	return finding_set_members(f, out, m, from, end, err);
}

static bool
find_disposed(struct finder *f, struct error *err)
{
	size_t types = (size_t)f->heap->types_count + 1;
	struct disposed d = { .f = f };
	bool ok;

	d.flags = arena_array(&f->scratch, struct flag, types, err);
	d.is_skipped = arena_array(&f->scratch, bool, types, err);
	for (type_id t = 0; d.is_skipped && t < f->heap->types_count; t++)
		d.is_skipped[t] = !f->is_own[t];
	ok = d.flags && d.is_skipped && object_bytes_init(&d.bytes, f->heap, err) &&
	     look_at_all(&d, err) && members_report(&d.found, report_type, f, err);
	memory_free(d.found.items);
	object_bytes_clear(&d.bytes);
	return ok;
}

/* --- in words ------------------------------------------------------------ */

static void
why_disposed(struct finding_words *w, struct text *out)
{
	text_add(out, verb_for(w->finding->count, "is disposed and still reachable",
			       "are disposed and still reachable"));
}

/*
 * 10 or more objects of one type of the application have a field that says that they are disposed,
 * and retain `much`, or 8 KiB if they are half of the type's objects. Those that a pool keeps do
 * not count. In types of the framework such fields also mean that something has been completed.
 * `subject`: the first of them.
 */
const struct finding_kind finding_disposed = {
	.id = "disposed",
	.title = "disposed objects",
	.harmless =
	    "no leak if they have been disposed just now, or wait in a pool of their own to "
	    "be used again",
	.heaps = OF_FIELDS,
	.find = find_disposed,
	.what = what_part,
	.why = why_disposed,
	.held = held_by_root,
	.id_parts = ID_TYPE,
};
