/* Most of what malloc() has from the system is free: its arenas do not return it. */
#include "model/analysis/finder.h"
#include "model/analysis/resident.h"
#include "model/base/format.h"
#include "model/table/table.h"

enum {
	FREE_PARTS = 2,     /* "half" of the arenas */
	ARENAS_ADVISED = 2, /* more arenas than these can be made fewer */
};
#define FREE_MIN (UINT64_C(64) << 20)

static bool
find_arenas(struct finder *f, struct error *err)
{
	const struct heap_malloc *m = &f->heap->memory->malloc;
	uint64_t idle = resident_idle(f->heap);
	struct finding *out;

	if (idle < FREE_MIN || m->free_bytes < m->system_bytes / FREE_PARTS)
		return true;
	out = finder_add(f, &finding_arena, err);
	if (!out)
		return false;
	out->bytes = idle;
	out->count = m->arenas_count;
	return true;
}

static bool
knows_arenas(const struct heap *h)
{
	return h->memory->malloc.arenas_count;
}

/* --- in words ------------------------------------------------------------ */

static void
what_arena(struct finding_words *w, struct text *out)
{
	text_addf(out, "%s arena%s of malloc", words_count(w, w->finding->count),
		  plural(w->finding->count));
}

static void
why_arena(struct finding_words *w, struct text *out)
{
	const struct heap *h = w->facts->heap;
	const struct heap_malloc *m = &h->memory->malloc;
	const struct resident r = resident_of(h);

	text_addf(out,
		  "%s %s of %s in use and %s the rest, %s resident: %smalloc_trim() returns it",
		  verb_for(w->finding->count, "has", "have"),
		  words_size(w, m->system_bytes - m->free_bytes), words_size(w, m->system_bytes),
		  verb_for(w->finding->count, "keeps", "keep"),
		  words_size(w, r.parts[RESIDENT_MALLOC].bytes),
		  w->finding->count > ARENAS_ADVISED ? "MALLOC_ARENA_MAX=2 makes fewer, " : "");
}

/* Half of what glibc's malloc() has from the system is free, and at least 64 MiB of that are
   resident. No evidence, `subject` or types. `bytes`: free and resident, at most; `count`:
   arenas. */
const struct finding_kind finding_arena = {
	.id = "arena",
	.title = "free memory of malloc",
	.harmless = "no leak: native code has freed it, and malloc uses it again; only the threads "
		    "of an arena do",
	.heaps = OF_MEMORY,
	.find = find_arenas,
	.is_sought = knows_arenas,
	.what = what_arena,
	.why = why_arena,
	.is_of_all = true,
	.table = "resident",
};
