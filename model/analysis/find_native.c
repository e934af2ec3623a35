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

bool
find_native(struct finder *f, struct error *err)
{
	const struct resident r = resident_of(f->heap);
	uint64_t native = resident_native(&r);
	uint64_t growth = growth_of(&r, f->earlier);
	struct finding *out;

	if (!growth && (native < RUNTIME_BYTES + NATIVE_MIN || !is_most(native, r.bytes)))
		return true;
	out = finder_add(f, FINDING_NATIVE, err);
	if (!out)
		return false;
	out->bytes = native;
	out->whole = r.bytes;
	out->count = growth;
	return true;
}
