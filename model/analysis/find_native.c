/* Most memory of the process, or most of its growth, is not managed. */
#include "model/analysis/finder.h"
#include "model/analysis/resident.h"

enum { NATIVE_PER_CENT = 60 };
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

static bool
find_native(struct finder *f, struct error *err)
{
	const struct resident r = resident_of(f->heap);
	uint64_t native = resident_native(&r);
	uint64_t growth = growth_of(&r, f->earlier);
	struct finding *out;

	if (!growth && (native < RUNTIME_BYTES + NATIVE_MIN || !is_most(native, r.bytes)))
		return true;
	out = finder_add(f, &finding_native, err);
	if (!out)
		return false;
	out->bytes = native;
	out->count = growth;
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
}

/*
 * Most resident memory of the process, or most of its growth since an earlier capture, is native
 * (resident_native()): at least 60 %, and 64 MiB more than the 64 MiB of a plain runtime; of the
 * growth 32 MiB. No evidence, `subject` or types. `bytes`: native memory; `count`: by how much it
 * grew if most of the growth is native, else 0.
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
	.is_of_all = true,
	.table = "resident",
};
