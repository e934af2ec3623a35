#include "tui/cli/check_findings.h"
#include "model/analysis/finding_id.h"
#include "model/analysis/finding_table.h"
#include "model/analysis/finding_text.h"
#include "model/base/format.h"
#include "model/base/nearest.h"
#include "model/heap/root_gaps.h"
#include "model/table/table.h"
#include "tui/session/session.h"
#include <string.h>

enum {
	NAMED_MAX = 10,
	NAME_BYTES = 120,
	GROWN_PART = 10, /* captures differ by less than a tenth */
};

/* --- kinds --------------------------------------------------------------- */

static bool
is_in_list(const char *word, const char *list)
{
	size_t len = strlen(word);

	while (list && *list) {
		size_t item_len = strcspn(list, ",");

		if (item_len == len && !memcmp(list, word, len))
			return true;
		list += item_len + (list[item_len] == ',');
	}
	return false;
}

static bool
is_kind(const char *word, size_t len)
{
	for (int i = 0; i < FINDING_KIND_COUNT; i++)
		if (strlen(finding_kinds[i]->id) == len && !memcmp(finding_kinds[i]->id, word, len))
			return true;
	return false;
}

bool
check_kinds(const char *list, struct error *err)
{
	struct nearest near;
	size_t len = strcspn(list, ",");

	while (is_kind(list, len) && list[len]) {
		list += len + 1;
		len = strcspn(list, ",");
	}
	if (is_kind(list, len))
		return true;
	nearest_init(&near, list, len);
	for (int i = 0; i < FINDING_KIND_COUNT; i++)
		nearest_try(&near, finding_kinds[i]->id);
	return error_set(err, ERROR_USAGE,
			 "--allow wants kinds of findings such as dominator,pinned, not "
			 "\"%.*s\"%s%s",
			 len > 40 ? 40 : (int)len, list, near.best ? "; perhaps: " : "",
			 near.best ? near.best : "");
}

/* --- the findings of the baseline ---------------------------------------- */

struct known {
	struct known_finding {
		char id[FINDING_ID_BYTES];
		uint64_t weight, count;
	} * items;
	uint32_t count;
};

/*
 * Lists the findings of the baseline, or none. memory_free() the items. All of them: what is among
 * the largest of its kind now may not have been before. `lower` and `ignores_shares` as in struct
 * findings_input.
 */
static bool
list_known(const struct session *before, const struct findings_limits *lower, bool ignores_shares,
	   struct known *out, struct error *err)
{
	struct findings_input in;
	struct findings *all;
	struct facts facts;

	*out = (struct known){ NULL, 0 };
	if (!before)
		return true;
	facts = session_facts(before);
	in = findings_input_of(&facts);
	in.has_no_limit = true;
	in.lower = lower;
	in.ignores_shares = ignores_shares;
	all = findings_find(&in, NULL, err);
	if (!all)
		return false;
	out->items = memory_new((size_t)all->count + 1, sizeof *out->items, err);
	for (; out->items && out->count < all->count; out->count++) {
		const struct finding *f = &all->items[out->count];
		struct known_finding *k = &out->items[out->count];

		finding_id(&facts, f, k->id);
		k->weight = finding_weight(f);
		k->count = f->count;
	}
	findings_free(all);
	return out->items != NULL;
}

static bool
is_no_more(uint64_t now, uint64_t before)
{
	return now <= before + before / GROWN_PART;
}

/* Returns true if the baseline has a finding with this id and, if `has_not_grown`, of about this
   size at least. */
static bool
is_known(const struct known *known, const char *id, const struct finding *f, bool has_not_grown)
{
	for (uint32_t i = 0; i < known->count; i++) {
		const struct known_finding *k = &known->items[i];

		if (!strcmp(k->id, id) &&
		    (!has_not_grown ||
		     (is_no_more(finding_weight(f), k->weight) && is_no_more(f->count, k->count))))
			return true;
	}
	return false;
}

/*
 * Marks the findings of which the baseline has none with the same id. Limits depend on the size of
 * the heap and on the number of other objects: where another leak was fixed, the same objects may
 * exceed them now. So what is left is compared with what the baseline has by the limits of now,
 * then with what it has whatever its share.
 */
static bool
mark_new(const struct session *before, const struct facts *facts, const struct findings *all,
	 bool *is_new, struct error *err)
{
	enum { SAME_IDS, LOWER_LIMITS, ANY_SHARE, PASSES };
	uint32_t left = before ? all->count : 0;

	for (int pass = 0; pass < PASSES && left; pass++) {
		struct known known;
		char id[FINDING_ID_BYTES];

		if (!list_known(before, pass >= LOWER_LIMITS ? &all->limits : NULL,
				pass >= ANY_SHARE, &known, err))
			return false;
		for (uint32_t i = 0; i < all->count; i++) {
			const struct finding *f = &all->items[i];

			if (!is_new[i] ||
			    !is_known(&known, finding_id(facts, f, id), f, pass != SAME_IDS))
				continue;
			is_new[i] = false;
			left--;
		}
		memory_free(known.items);
	}
	return true;
}

/* --- the rules ----------------------------------------------------------- */

/* Describes the first findings, the largest first. */
static void
name_findings(const struct facts *facts, const struct finding *const *named, uint32_t count,
	      bool are_new, struct text *out)
{
	char number[FORMAT_BYTES];

	text_addf(out, "%s%s finding%s", format_count(count, number), are_new ? " new" : "",
		  plural(count));
	for (uint32_t i = 0; i < count && i < NAMED_MAX; i++) {
		char name[NAME_BYTES + 1];
		struct text what = text_in(name, sizeof name);

		finding_what(facts, named[i], &what);
		text_addf(out, "%s%s %s", i ? ", " : ": ", named[i]->kind->id, name);
	}
	if (count > NAMED_MAX)
		text_addf(out, " and %s more", format_count(count - NAMED_MAX, number));
}

/* Without contents of objects a baseline lacks whole kinds of findings: these are neither new nor
   known. Returns their number. */
static uint32_t
leave_out_uncompared(const struct session *before, const struct findings *all, bool *is_new)
{
	uint32_t count = 0;

	if (!before)
		return 0;
	for (uint32_t i = 0; i < all->count; i++)
		if (!table_heaps_include((enum table_heaps)all->items[i].kind->heaps,
					 before->heap)) {
			count += is_new[i];
			is_new[i] = false;
		}
	return count;
}

static void
report_uncompared(uint32_t count, struct text *out)
{
	char number[FORMAT_BYTES];

	if (count)
		text_addf(out, "; %s not compared: the baseline has no values of objects",
			  format_count(count, number));
}

/* Unknown roots may hide leaks, so no finding proves nothing then. */
static void
report_none(const struct heap *h, bool are_new, uint32_t others_count, bool *is_unknown,
	    struct text *out)
{
	char number[FORMAT_BYTES];

	*is_unknown = !heap_knows_roots(h);
	if (*is_unknown) {
		text_add(out, "it could not be measured: roots are unknown, which may hide leaks");
		return;
	}
	text_addf(out, "0%s findings", are_new ? " new" : "");
	if (others_count)
		text_addf(out, ", %s known or allowed", format_count(others_count, number));
}

/* Counts the findings that break the rule, and describes them. */
static void
judge(const char *allowed, const struct facts *facts, const struct findings *all,
      const bool *is_new, uint32_t uncompared, bool has_baseline, struct check_result *result)
{
	struct text text = text_in(result->text, sizeof result->text);
	const struct finding *named[NAMED_MAX];
	uint32_t count = 0;

	for (uint32_t i = 0; i < all->count; i++) {
		const struct finding *f = &all->items[i];

		if (!is_new[i] || is_in_list(f->kind->id, allowed))
			continue;
		if (count < NAMED_MAX)
			named[count] = f;
		count++;
	}
	result->has_failed = count > 0;
	if (count)
		name_findings(facts, named, count, has_baseline, &text);
	else
		report_none(facts->heap, has_baseline, all->count - uncompared, &result->is_unknown,
			    &text);
	report_uncompared(uncompared, &text);
}

static bool
lacks_data(const struct heap *h)
{
	return losses_are_incomplete(&h->info.losses) || !heap_knows_roots(h);
}

/* Counts and describes the findings of a heap whose baseline can be used. */
static bool
compare_findings(const char *allowed, const struct session *s, const struct session *before,
		 struct check_result *result, struct error *err)
{
	const struct facts facts = session_facts(s);
	const struct findings_input in = findings_input_of(&facts);
	struct findings *all = findings_find(&in, NULL, err);
	bool *is_new = all ? memory_new((size_t)all->count + 1, sizeof *is_new, err) : NULL;
	bool ok = is_new != NULL;
	uint32_t uncompared;

	if (ok)
		memset(is_new, true, all->count);
	ok = ok && mark_new(before, &facts, all, is_new, err);
	if (ok) {
		uncompared = leave_out_uncompared(before, all, is_new);
		judge(allowed, &facts, all, is_new, uncompared, before != NULL, result);
	}
	memory_free(is_new);
	findings_free(all);
	return ok;
}

bool
check_findings(const char *allowed, const struct session *s, const struct session *before,
	       struct check_result *result, struct error *err)
{
	if (!before || !lacks_data(before->heap))
		return compare_findings(allowed, s, before, result, err);
	result->is_unknown = true;
	snprintf(result->text, sizeof result->text,
		 "it could not be measured: the baseline is incomplete, so nothing shows what is "
		 "new");
	return true;
}
