#include "model/analysis/finding_past.h"
#include "model/analysis/finding_id.h"
#include "model/base/arena.h"
#include "model/table/table.h"
#include <string.h>

enum { GROWN_PART = 10 }; /* captures differ by less than a tenth */

/* The findings of the earlier heap. */
struct known {
	struct known_finding {
		char id[FINDING_ID_BYTES];
		uint64_t weight, count;
		bool is_paired;
	} * items;
	uint32_t count;
};

static void
note_known(const struct facts *before, const struct finding *f, struct known_finding *out)
{
	finding_id(before, f, out->id);
	out->weight = finding_weight(f);
	out->count = f->count;
	out->is_paired = false;
}

/*
 * Lists the findings of the earlier heap; memory_free() the items. All of them: what is among the
 * largest of its kind now may not have been before. `lower` and `ignores_shares` as in struct
 * findings_input.
 */
static bool
list_known(const struct facts *before, const struct findings_limits *lower, bool ignores_shares,
	   struct known *out, struct progress *progress, struct error *err)
{
	struct findings_input in = findings_input_of(before);
	struct findings *all;

	in.has_no_limit = true;
	in.lower = lower;
	in.ignores_shares = ignores_shares;
	*out = (struct known){ NULL, 0 };
	all = findings_find(&in, progress, err);
	if (!all)
		return false;
	out->items = memory_new((size_t)all->count + 1, sizeof *out->items, err);
	for (; out->items && out->count < all->count; out->count++)
		note_known(before, &all->items[out->count], &out->items[out->count]);
	findings_free(all);
	return out->items != NULL;
}

static bool
is_no_more(uint64_t now, uint64_t before)
{
	return now <= before + before / GROWN_PART;
}

/* Returns the earlier finding with this id and, if `has_not_grown`, of about this size at least.
   NULL: there is none. One that is not paired yet comes first. */
static struct known_finding *
find_known(const struct known *known, const char *id, const struct finding *f, bool has_not_grown)
{
	struct known_finding *found = NULL;

	for (uint32_t i = 0; i < known->count; i++) {
		struct known_finding *k = &known->items[i];

		if (strcmp(k->id, id) != 0 ||
		    (has_not_grown &&
		     !(is_no_more(finding_weight(f), k->weight) && is_no_more(f->count, k->count))))
			continue;
		if (!k->is_paired)
			return k;
		found = found ? found : k;
	}
	return found;
}

/* Looks for the findings that are new so far. Returns how many remain new. */
static uint32_t
pair(const struct facts *facts, struct findings *all, const struct known *known, bool has_not_grown)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < all->count; i++) {
		struct finding *f = &all->items[i];
		struct known_finding *found;
		char id[FINDING_ID_BYTES];

		if (f->past != PAST_NEW)
			continue;
		found = find_known(known, finding_id(facts, f, id), f, has_not_grown);
		if (found) {
			f->past = PAST_KNOWN;
			f->before = found->is_paired ? 0 : found->weight;
			found->is_paired = true;
		}
		left += !found;
	}
	return left;
}

/* Without the contents of objects a heap lacks whole kinds of findings. Returns the number of
   others, which are new so far. */
static uint32_t
begin(struct findings *all, const struct heap *before)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < all->count; i++) {
		struct finding *f = &all->items[i];
		bool can_be = table_heaps_include((enum table_heaps)f->kind->heaps, before);

		f->past = can_be ? PAST_NEW : PAST_UNKNOWN;
		left += can_be;
	}
	return left;
}

bool
findings_compare(const struct facts *facts, struct findings *all, const struct facts *before,
		 struct progress *progress, struct error *err)
{
	enum { SAME_IDS, LOWER_LIMITS, ANY_SHARE, PASSES };
	uint32_t left = begin(all, before->heap);

	for (int pass = SAME_IDS; pass < PASSES && left; pass++) {
		struct known known;

		if (!list_known(before, pass >= LOWER_LIMITS ? &all->limits : NULL,
				pass >= ANY_SHARE, &known, progress, err))
			return false;
		left = pair(facts, all, &known, pass != SAME_IDS);
		memory_free(known.items);
	}
	return true;
}
