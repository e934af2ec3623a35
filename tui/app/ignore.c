#include "tui/app/ignore.h"
#include "tui/app/app.h"
#include "tui/app/script.h"
#include "tui/session/what_if_text.h"
#include "tui/base/quoting.h"
#include <string.h>

enum wish { WISH_ROW, WISH_REFERENCE, WISH_REFERRER, WISH_TYPE, WISH_KIND };

static bool
read_wish(const char *arg, enum wish *out, struct error *err)
{
	static const char *const words[] = { "", "reference", "referrer", "type", "kind" };

	for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++)
		if (!strcmp(arg, words[i])) {
			*out = (enum wish)i;
			return true;
		}
	return error_set(err, ERROR_USAGE,
			 "ignore takes reference, referrer, type, kind or nothing, not \"%.40s\"",
			 arg);
}

/* Collects the roots that share object, kind and name: a row stands for all. */
static uint32_t
entries_of_root(const struct heap *h, uint32_t root, struct ignored_entry *entries)
{
	const struct root *roots = h->roots, *wanted = &roots[root];
	uint32_t count = 0;

	while (root > 0 && roots[root - 1].object == wanted->object)
		root--;
	for (; root < h->roots_count && count < IGNORE_ENTRIES_MAX &&
	       roots[root].object == wanted->object;
	     root++)
		if (roots[root].kind == wanted->kind && !strcmp(roots[root].name, wanted->name))
			entries[count++] = (struct ignored_entry){ IGNORED_ROOT, root, 0 };
	return count;
}

static uint32_t
entries_of_row(const struct view *v, const struct row *row, enum wish wish,
	       struct ignored_entry *entries)
{
	const struct heap *h = v->session->heap;
	struct ignored_entry e = { IGNORED_REFERRER, row->node, 0 };

	if (wish == WISH_KIND && row->root != ROOT_NONE)
		e = (struct ignored_entry){ IGNORED_ROOT_KIND, h->roots[row->root].kind, 0 };
	else if (wish == WISH_TYPE && row->type != TYPE_NONE)
		e = (struct ignored_entry){ IGNORED_TYPE, row->type, 0 };
	else if (wish == WISH_KIND || wish == WISH_TYPE)
		return 0;
	else if (wish == WISH_ROW && row->root != ROOT_NONE)
		return entries_of_root(h, row->root, entries);
	else if (wish == WISH_REFERENCE || row->node == NODE_NONE) {
		uint32_t count = view_code(v->ops)->exclusions
				     ? view_code(v->ops)->exclusions(v, row, wish == WISH_REFERENCE,
								     entries, IGNORE_ENTRIES_MAX)
				     : 0;

		if (count || wish != WISH_ROW || row->type == TYPE_NONE)
			return count;
		e = (struct ignored_entry){ IGNORED_TYPE, row->type, 0 };
	}
	entries[0] = e;
	return 1;
}

/* --- named in words ------------------------------------------------------- */

static bool
name_object(const struct session *s, const char **rest, node_id *out, struct error *err)
{
	char word[SCRIPT_COMMAND_BYTES];
	struct target t;

	if (!quoting_argument(rest, word, sizeof word))
		return error_set(err, ERROR_USAGE, "the address of an object is missing");
	if (!target_parse(s, TAKES_OBJECT, word, &t, err))
		return false;
	*out = t.node;
	return true;
}

static bool
name_kind(const char **rest, uint8_t *out, struct error *err)
{
	char word[SCRIPT_COMMAND_BYTES] = "";

	if (quoting_argument(rest, word, sizeof word))
		for (*out = 0; *out < ROOT_KIND_COUNT; ++*out)
			if (!strcmp(root_kinds[*out].id, word))
				return true;
	return error_set(err, ERROR_USAGE, "no kind of root is called \"%.40s\"", word);
}

/* Parses ADDRESS [KIND [NAME]]: the first such root, and those equal to it. */
static bool
name_root(const struct heap *h, const struct session *s, const char *rest,
	  struct ignored_entry *entries, uint32_t *count, struct error *err)
{
	char name[SCRIPT_COMMAND_BYTES];
	uint8_t kind = ROOT_KIND_COUNT;
	bool has_name;
	node_id node;

	if (!name_object(s, &rest, &node, err) ||
	    (rest[strspn(rest, " \t")] && !name_kind(&rest, &kind, err)))
		return false;
	has_name = quoting_argument(&rest, name, sizeof name);
	for (uint32_t i = 0; i < h->roots_count; i++) {
		const struct root *r = &h->roots[i];

		if (r->object != node || (kind != ROOT_KIND_COUNT && r->kind != kind) ||
		    (has_name && strcmp(r->name, name) != 0))
			continue;
		*count = entries_of_root(h, i, entries);
		return true;
	}
	return error_set(err, ERROR_USAGE, "no such root refers to this object");
}

/* Parses KIND NAME: roots of all objects. */
static bool
name_roots(const struct heap *h, const char *rest, struct ignored_entry *entries, uint32_t *count,
	   struct error *err)
{
	char name[SCRIPT_COMMAND_BYTES];
	uint8_t kind;

	if (!name_kind(&rest, &kind, err))
		return false;
	if (!quoting_argument(&rest, name, sizeof name))
		return error_set(err, ERROR_USAGE, "the name of the roots is missing");
	*count = what_if_entries_of_roots(h, kind, name, entries, IGNORE_ENTRIES_MAX);
	return true;
}

bool
ignore_parse(const struct session *s, const char *arg, struct ignored_entry *entries,
	     uint32_t *count, struct error *err)
{
	struct ignored_entry e = { .kind = IGNORED_REFERRER };
	char what[SCRIPT_COMMAND_BYTES];
	const char *rest = arg;
	struct target t;
	uint8_t kind;

	if (!quoting_argument(&rest, what, sizeof what))
		return error_set(err, ERROR_USAGE, "ignore what?");
	rest += strspn(rest, " \t");
	if (!strcmp(what, "root"))
		return name_root(s->heap, s, rest, entries, count, err);
	if (!strcmp(what, "roots"))
		return name_roots(s->heap, rest, entries, count, err);
	if (!strcmp(what, "kind")) {
		if (!name_kind(&rest, &kind, err))
			return false;
		e = (struct ignored_entry){ IGNORED_ROOT_KIND, kind, 0 };
	} else if (!strcmp(what, "type")) {
		if (!target_parse(s, TAKES_TYPE, rest, &t, err))
			return false;
		e = (struct ignored_entry){ IGNORED_TYPE, t.type, 0 };
	} else if (!strcmp(what, "referrer") || !strcmp(what, "reference")) {
		if (!name_object(s, &rest, &e.what, err))
			return false;
		if (!strcmp(what, "reference")) {
			e.kind = IGNORED_REF;
			if (!name_object(s, &rest, &e.target, err))
				return false;
		}
	} else {
		return error_set(err, ERROR_USAGE,
				 "ignore takes type NAME, kind KIND, referrer ADDRESS, reference "
				 "ADDRESS ADDRESS or root ADDRESS, not \"%.40s\"",
				 what);
	}
	entries[0] = e;
	*count = 1;
	return true;
}

/* --- of the selected row -------------------------------------------------- */

static bool
cannot_ignore(enum wish wish, struct error *err)
{
	static const char *const why[] = {
		[WISH_ROW] = "this row cannot be ignored: it is not an object, a type or a root",
		[WISH_REFERENCE] =
		    ("this row is not a single reference; tree, paths and referrers have "
		     "those"),
		[WISH_REFERRER] = "this row is not an object",
		[WISH_TYPE] = "this row has no type",
		[WISH_KIND] = "this row is not a root",
	};

	return error_set(err, ERROR_USAGE, "%s", why[wish]);
}

void
ignore_report(struct app *app, struct session *s)
{
	size_t items = s->what_if.shown.items_count;
	char text[512];

	if (!s->what_if.has_changed)
		return;
	s->what_if.has_changed = false;
	app_message(app, STYLE_STATUS, "%s%s", what_if_summary(s, text, sizeof text),
		    !items       ? ""
		    : items == 1 ? "; X clears it"
				 : "; X clears them");
}

/* A session without a waker has already run the job: no poll follows. */
bool
ignore_report_now(struct app *app, struct session *s, struct error *err)
{
	if (s->waker.wake)
		return true;
	if (!session_take_at_once(s, err))
		return false;
	ignore_report(app, s);
	return true;
}

/* Without threads nothing else computes the paths to roots. */
static bool
can_ignore(struct session *s, struct error *err)
{
	if (!s->heap)
		return error_set(err, ERROR_USAGE, "no heap is loaded yet: nothing can be ignored");
	return s->waker.wake || session_require(s, NEED_OBJECTS | NEED_REACH, err);
}

static bool
ignore_named(const struct call *call, struct error *err)
{
	struct session *s = call->view->session;
	struct ignored_entry *entries;
	uint32_t count = 0;
	bool ok;

	if (!can_ignore(s, err))
		return false;
	entries = memory_new(IGNORE_ENTRIES_MAX, sizeof *entries, err);
	if (!entries)
		return false;
	ok = ignore_parse(s, call->arg, entries, &count, err) &&
	     what_if_ignore(s, entries, count, err);
	memory_free(entries);
	return ok && ignore_report_now(call->app, s, err);
}

bool
ignore_selected(const struct call *call, struct error *err)
{
	struct view *v = call->view;
	struct ignored_entry *entries;
	enum wish wish = WISH_ROW;
	uint32_t count;
	struct row row;
	bool ok;

	if (strpbrk(call->arg, " \t"))
		return ignore_named(call, err);
	if (!strcmp(call->arg, "nothing"))
		return ignore_nothing(call, err);
	if (!read_wish(call->arg, &wish, err))
		return false;
	if (!can_ignore(v->session, err))
		return false;
	if (!view_selected(v, &row))
		return error_set(err, ERROR_USAGE, "no row is selected");
	entries = memory_new(IGNORE_ENTRIES_MAX, sizeof *entries, err);
	if (!entries)
		return false;
	count = wish == WISH_REFERRER && row.node == NODE_NONE
		    ? 0
		    : entries_of_row(v, &row, wish, entries);
	ok = count ? what_if_ignore(v->session, entries, count, err) : cannot_ignore(wish, err);
	memory_free(entries);
	return ok && ignore_report_now(call->app, v->session, err);
}

bool
ignore_nothing(const struct call *call, struct error *err)
{
	struct session *s = call->view->session;

	return what_if_stop_ignoring(s, SIZE_MAX, err) && ignore_report_now(call->app, s, err);
}
