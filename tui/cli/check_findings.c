#include "tui/cli/check_findings.h"
#include "model/analysis/finding_id.h"
#include "model/analysis/finding_table.h"
#include "model/analysis/finding_text.h"
#include "model/base/format.h"
#include "model/base/nearest.h"
#include "model/heap/root_gaps.h"
#include "tui/session/session.h"
#include <string.h>

enum { NAMED_MAX = 3, NAME_BYTES = 120 };

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
		if (strlen(finding_kinds[i].id) == len &&
		    !memcmp(finding_kinds[i].id, word, len))
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
		nearest_try(&near, finding_kinds[i].id);
	return error_set(err, ERROR_USAGE,
			 "--allow wants kinds of findings such as "
			 "dominator,pinned, not \"%.*s\"%s%s",
			 len > 40 ? 40 : (int)len, list,
			 near.best ? "; perhaps: " : "",
			 near.best ? near.best : "");
}

/* --- ids ----------------------------------------------------------------- */

struct ids {
	char (*items)[FINDING_ID_BYTES];
	uint32_t count;
};

/* Lists the ids of the baseline, or none. memory_free() the items. All of them:
   what is among the largest of its kind now may not have been before. */
static bool
list_ids(const struct session *before, struct ids *out, struct error *err)
{
	struct findings_input in;
	struct findings *all;
	struct facts facts;

	*out = (struct ids){ NULL, 0 };
	if (!before)
		return true;
	facts = session_facts(before);
	in = findings_input_of(&facts);
	in.has_no_limit = true;
	all = findings_find(&in, NULL, err);
	if (!all)
		return false;
	out->items =
	    memory_new((size_t)all->count + 1, sizeof *out->items, err);
	if (out->items)
		for (; out->count < all->count; out->count++)
			finding_id(&facts, &all->items[out->count],
				   out->items[out->count]);
	findings_free(all);
	return out->items != NULL;
}

static bool
has_id(const struct ids *ids, const char *id)
{
	for (uint32_t i = 0; i < ids->count; i++)
		if (!strcmp(ids->items[i], id))
			return true;
	return false;
}

/* --- the rules ----------------------------------------------------------- */

/* Describe the first findings, the largest first. */
static void
name_findings(const struct facts *facts, const struct finding *const *named,
	      uint32_t count, bool are_new, struct check_result *result)
{
	char number[FORMAT_BYTES], what[FINDING_PART_BYTES];
	size_t len;

	snprintf(result->text, sizeof result->text, "%s%s finding%s",
		 format_count(count, number), are_new ? " new" : "",
		 plural(count));
	for (uint32_t i = 0; i < count && i < NAMED_MAX; i++) {
		len = strlen(result->text);
		snprintf(result->text + len, sizeof result->text - len,
			 "%s%s %.*s", i ? ", " : ": ",
			 finding_kinds[named[i]->kind].id, NAME_BYTES,
			 finding_what(facts, named[i], what));
	}
	len = strlen(result->text);
	if (count > NAMED_MAX)
		snprintf(result->text + len, sizeof result->text - len, " …");
}

/* Unknown roots may hide leaks, so no finding proves nothing then. */
static void
report_none(const struct heap *h, bool are_new, uint32_t others_count,
	    struct check_result *result)
{
	char number[FORMAT_BYTES], others[FORMAT_BYTES + 16] = "";

	if (!heap_knows_roots(h)) {
		result->is_unknown = true;
		snprintf(result->text, sizeof result->text,
			 "it could not be measured: roots are unknown, which "
			 "may hide leaks");
		return;
	}
	if (others_count)
		snprintf(others, sizeof others, ", %s known or allowed",
			 format_count(others_count, number));
	snprintf(result->text, sizeof result->text, "0%s findings%s",
		 are_new ? " new" : "", others);
}

bool
check_findings(const char *allowed, const struct session *s,
	       const struct session *before, struct check_result *result,
	       struct error *err)
{
	const struct facts facts = session_facts(s);
	const struct findings_input in = findings_input_of(&facts);
	const struct finding *named[NAMED_MAX];
	struct findings *all = findings_find(&in, NULL, err);
	char id[FINDING_ID_BYTES];
	uint32_t count = 0;
	struct ids ids;

	if (!all || !list_ids(before, &ids, err)) {
		findings_free(all);
		return false;
	}
	for (uint32_t i = 0; i < all->count; i++) {
		const struct finding *f = &all->items[i];

		if (is_in_list(finding_kinds[f->kind].id, allowed) ||
		    has_id(&ids, finding_id(&facts, f, id)))
			continue;
		if (count < NAMED_MAX)
			named[count] = f;
		count++;
	}
	result->has_failed = count > 0;
	if (count)
		name_findings(&facts, named, count, before != NULL, result);
	else
		report_none(facts.heap, before != NULL, all->count, result);
	memory_free(ids.items);
	findings_free(all);
	return true;
}
