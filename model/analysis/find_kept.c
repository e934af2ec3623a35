/* Most resident memory of the process holds no objects: the collector keeps it for new ones. */
#include "model/analysis/finder.h"
#include "model/analysis/resident.h"
#include "model/table/table.h"
#include "model/base/less.h"

enum { KEPT_PARTS = 2 }; /* "half" of the resident memory */
/* A busy server has budgets for new objects of some tens of MiB for each heap. */
#define KEPT_MIN (UINT64_C(128) << 20)

static uint64_t
kept_bytes(const struct heap *h)
{
	const struct resident r = resident_of(h);
	uint64_t used = h->bytes_count;

	/* Fragmentation is a finding of its own. */
	for (uint32_t i = 0; i < h->memory->segments_count; i++)
		used += h->memory->segments[i].free_bytes;
	return less(r.parts[RESIDENT_MANAGED].bytes, used);
}

/* Returns the number of heaps that the collector has, 1 for workstation GC. */
static uint32_t
heaps_count(const struct heap *h)
{
	uint32_t count = 1;

	for (uint32_t i = 0; i < h->memory->segments_count; i++)
		if (h->memory->segments[i].heap_number >= (int32_t)count)
			count = (uint32_t)h->memory->segments[i].heap_number + 1;
	return count;
}

static bool
find_kept(struct finder *f, struct error *err)
{
	uint64_t kept = kept_bytes(f->heap);
	struct finding *out;

	if (kept < KEPT_MIN || kept < resident_of(f->heap).bytes / KEPT_PARTS)
		return true;
	out = finder_add(f, &finding_kept, err);
	if (!out)
		return false;
	out->bytes = kept;
	out->count = heaps_count(f->heap);
	return true;
}

static bool
knows_kept(const struct heap *h)
{
	return h->info.resident.detail == RESIDENT_MAPPINGS ||
	       h->info.resident.detail == RESIDENT_PRESENT;
}

/* --- in words ------------------------------------------------------------ */

static void
what_kept(struct finding_words *w, struct text *out)
{
	text_addf(out, "%s of %s %s", words_size(w, w->finding->bytes),
		  words_size(w, resident_of(w->facts->heap).bytes),
		  resident_of(w->facts->heap).detail == RESIDENT_PRESENT ? "memory in the core"
									 : "resident memory");
}

static void
why_kept(struct finding_words *w, struct text *out)
{
	const struct finding *f = w->finding;

	text_add(out, "holds no objects: the collector keeps it for new ones");
	if (f->count > 1)
		text_addf(out,
			  ", with a budget for each of its %s heaps (server GC); "
			  "DOTNET_GCHeapCount, DOTNET_GCDynamicAdaptationMode=1 or "
			  "DOTNET_GCConserveMemory make it keep less",
			  words_count(w, f->count));
	else
		text_add(out, "; DOTNET_GCConserveMemory makes it keep less, and an aggressive "
			      "GC.Collect returns it");
}

/* At least half of the resident memory, and 128 MiB, belongs to the collector and holds no objects.
   No evidence, `subject` or types. `bytes`: that memory; `count`: the heaps of server GC, else
   1. */
const struct finding_kind finding_kept = {
	.id = "kept",
	.title = "memory kept by the collector",
	.harmless = "no leak: new objects are allocated there, and the collector returns it little "
		    "by little while the program is idle",
	.heaps = OF_MEMORY,
	.find = find_kept,
	.is_sought = knows_kept,
	.what = what_kept,
	.why = why_kept,
	.is_of_all = true,
	.is_waste = true,
	.table = "resident",
};
