/* Most memory of the process, or most of its growth, is not managed. */
#include "model/analysis/finder.h"
#include "model/analysis/resident.h"
#include "model/base/text.h"
#include "model/heap/contents.h"
#include <string.h>

enum { NATIVE_PER_CENT = 60, WRAPPERS_MIN = 20, FIELDS_ASKED = 64, OBJECTS_ASKED = 8 };
/* An idle ASP.NET program takes 22 MiB for code, stacks and native heaps; load may double that. */
#define RUNTIME_BYTES (UINT64_C(64) << 20)
#define NATIVE_MIN    (UINT64_C(64) << 20)
/* Compiling code takes up to 20 MiB in the first minutes. */
#define GROWTH_MIN (UINT64_C(32) << 20)

static bool
is_most(uint64_t part, uint64_t whole)
{
	return part >= whole / 100 * NATIVE_PER_CENT;
}

/* Returns how much native memory grew, if that is most of the growth. */
static uint64_t
growth_of(const struct resident *now, const struct resident *before)
{
	uint64_t native = resident_native(now), all = now->bytes;
	uint64_t native_before, all_before;

	if (!before || before->detail != now->detail)
		return 0;
	native_before = resident_native(before);
	all_before = before->bytes;
	if (native < native_before + GROWTH_MIN || all < all_before ||
	    !is_most(native - native_before, all - all_before))
		return 0;
	return native - native_before;
}

/* --- likely owners -------------------------------------------------------- */

/* Returns true for a field of an integer of the size of a pointer, or of a pointer. */
static bool
is_pointer(const struct content *c)
{
	return c->kind != CONTENT_REFERENCE && c->bytes == 8 &&
	       (!strcmp(c->type, "nint") || !strcmp(c->type, "IntPtr") ||
		!strcmp(c->type, "nuint") || text_ends(c->type, strlen(c->type), "*"));
}

/* Returns true if the object has a pointer that is not null. */
static bool
has_pointer(struct finder *f, node_id n)
{
	const struct heap_memory *m = f->heap->memory;
	struct content rows[FIELDS_ASKED];
	struct error ignored = { 0 };
	uint64_t total;
	size_t count;

	if (!m->contents->rows(m->source, n, 0, FIELDS_ASKED, rows, &count, &total, &f->scratch,
			       &ignored))
		return false;
	for (size_t i = 0; i < count; i++)
		if (is_pointer(&rows[i]) && strcmp(rows[i].text, "0") &&
		    strcmp(rows[i].text, "0x0"))
			return true;
	return false;
}

/* Tallies reachable objects of the application and its libraries that have a finalizer to run. */
static void
tally_finalizables(struct finder *f)
{
	const struct heap_memory *m = f->heap->memory;

	for (uint32_t i = 0; i < m->finalizables_count; i++) {
		node_id n = m->finalizables[i].object;

		if (f->is_own[heap_type_of(f->heap, n)] && finder_is_live(f, n))
			tally_add(&f->tally, f->heap, n);
	}
}

/* Returns the first object of a type that has a finalizer to run and a pointer, or NODE_NONE. A few
   are looked at, as one that was disposed has none. */
static node_id
first_with_pointer(struct finder *f, type_id type)
{
	const struct heap_memory *m = f->heap->memory;
	int left = OBJECTS_ASKED;

	for (uint32_t i = 0; i < m->finalizables_count && left; i++) {
		node_id n = m->finalizables[i].object;

		if (heap_type_of(f->heap, n) != type || !finder_is_live(f, n))
			continue;
		if (has_pointer(f, n))
			return n;
		left--;
	}
	return NODE_NONE;
}

/* Names the type with the most finalizable objects that have a pointer: what they point to is freed
   with them. */
static void
set_owners(struct finder *f, struct finding *out)
{
	struct tally *t = &f->tally;

	if (!contents_have_fields(f->heap))
		return;
	tally_finalizables(f);
	for (uint32_t i = 0; i < t->types_count; i++) {
		type_id type = t->types[i];
		node_id first;

		if (t->counts[type] < WRAPPERS_MIN || t->counts[type] <= out->type_count)
			continue;
		first = first_with_pointer(f, type);
		if (first == NODE_NONE)
			continue;
		out->type = type;
		out->type_count = t->counts[type];
		out->subject = first;
	}
	tally_clear(t);
}

static bool
find_native(struct finder *f, struct error *err)
{
	const struct resident r = resident_of(f->heap);
	uint64_t native = resident_native(&r);
	uint64_t growth = growth_of(&r, f->earlier);
	/* Free memory of malloc() is a finding of its own. */
	uint64_t used = native - resident_idle(f->heap);
	struct finding *out;

	if (!growth && (used < RUNTIME_BYTES + NATIVE_MIN || !is_most(used, r.bytes)))
		return true;
	out = finder_add(f, &finding_native, err);
	if (!out)
		return false;
	out->bytes = native;
	out->count = growth;
	set_owners(f, out);
	return true;
}

static bool
shows_memory(const struct heap *h)
{
	return h->info.resident.detail != RESIDENT_UNKNOWN;
}

/* --- in words ------------------------------------------------------------ */

static void
what_native(struct finding_words *w, struct text *out)
{
	text_addf(out, "%s of %s resident memory", words_size(w, w->finding->bytes),
		  words_size(w, resident_of(w->facts->heap).bytes));
}

static void
why_native(struct finding_words *w, struct text *out)
{
	const struct resident r = resident_of(w->facts->heap);
	char parts[RESIDENT_TEXT_BYTES];

	text_addf(out, "is native, %s is managed: %s",
		  words_size(w, r.parts[RESIDENT_MANAGED].bytes), resident_native_text(&r, parts));
	if (w->finding->count)
		text_addf(out, "; it grew by %s since the capture before",
			  words_size(w, w->finding->count));
	if (w->finding->type_count)
		text_addf(
		    out,
		    "; perhaps much of it belongs to %s %s, finalizable, each with a field for "
		    "a pointer",
		    words_count(w, w->finding->type_count), words_type(w));
}

/*
 * Most resident memory of the process, or most of its growth since an earlier capture, is native
 * (resident_native()): at least 60 %, and 64 MiB more than the 64 MiB of a plain runtime; of the
 * growth 32 MiB. No evidence. `bytes`: native memory; `count`: by how much it
 * grew if most of the growth is native, else 0. `type`: of which most objects have a field for
 * a pointer and a finalizer, WRAPPERS_MIN or more; `type_count`: how many; `subject`: the first
 * whose pointer is not null.
 */
const struct finding_kind finding_native = {
	.id = "native",
	.title = "native memory",
	.harmless = "no leak in itself: native libraries, threads and mapped files take memory "
		    "that no heap shows; a second capture shows what grows",
	.find = find_native,
	.is_sought = shows_memory,
	.what = what_native,
	.why = why_native,
	.held = held_by_root,
	.is_of_all = true,
	.table = "resident",
};
