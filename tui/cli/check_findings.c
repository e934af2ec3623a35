#include "tui/cli/check_findings.h"
#include "model/analysis/finding_past.h"
#include "model/analysis/finding_table.h"
#include "model/analysis/finding_text.h"
#include "model/base/format.h"
#include "model/base/nearest.h"
#include "model/heap/root_gaps.h"
#include "model/table/table.h"
#include "tui/session/session.h"
#include <string.h>

enum { NAMED_MAX = 10, NAME_BYTES = 120 };

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

/* Returns whether the baseline has such a finding. Without one, none is known. */
static bool
is_new(const struct finding *f)
{
	return f->past == PAST_NOT_COMPARED || f->past == PAST_NEW;
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
judge(const char *allowed, const struct facts *facts, const struct findings *all, bool has_baseline,
      struct check_result *result)
{
	struct text text = text_in(result->text, sizeof result->text);
	const struct finding *named[NAMED_MAX];
	uint32_t count = 0, uncompared = 0;

	for (uint32_t i = 0; i < all->count; i++) {
		const struct finding *f = &all->items[i];

		uncompared += f->past == PAST_UNKNOWN;
		if (!is_new(f) || is_in_list(f->kind->id, allowed))
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
	bool ok = all != NULL;

	if (ok && before) {
		const struct facts baseline = session_facts(before);

		ok = findings_compare(&facts, all, &baseline, NULL, err);
	}
	if (ok)
		judge(allowed, &facts, all, before != NULL, result);
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
