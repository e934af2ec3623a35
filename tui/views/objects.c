/*
 * Lists of objects: of the heap or a type, the referrers or the references of an object. A list
 * takes 4 bytes an object; cells are computed for the rows on screen only, so millions of rows page
 * without a pause.
 */
#include "model/base/format.h"
#include "model/tables/tables.h"
#include "tui/session/describe.h"
#include "tui/tables/object_commands.h"
#include "tui/tables/object_list.h"
#include "tui/tables/subject_title.h"
#include "tui/widget/request.h"
#include "tui/widget/text_column.h"
#include "tui/widget/view.h"
#include "model/analysis/async.h"
#include "model/heap/contents.h"
#include "model/analysis/diff.h"
#include "model/analysis/held_types.h"
#include <string.h>

/* --- the views ----------------------------------------------------------- */

static bool
are_texts(const struct view *v, enum object_list_kind what)
{
	const struct session *s = v->session;

	return (what == LIST_OF_TYPE || what == LIST_OF_THESE || what == LIST_OF_HELD) &&
	       v->target.type != TYPE_NONE && s->heap && contents_exist(s->heap) &&
	       s->types[v->target.type].flags & TYPE_STRING;
}

static bool
open_list(struct view *v, enum object_list_kind what, struct error *err)
{
	struct object_list *state = arena_new(&v->arena, struct object_list, err);

	v->state = state;
	if (!state)
		return false;
	state->what = what;
	return !are_texts(v, what) || text_names_rows(v, "text", "type", err);
}

static bool
these_open(struct view *v, struct error *err)
{
	struct object_list *state;

	snprintf(v->title, sizeof v->title, "%s", v->target.nodes_title);
	if (!open_list(v, LIST_OF_THESE, err))
		return false;
	state = v->state;
	return view_take_nodes(v, &state->these, &state->these_count, err);
}

/* Opens a list of objects that it shares with the view before, by counting. */
static bool
shared_open(struct view *v, enum object_list_kind what, struct error *err)
{
	struct target *t = &v->target;
	struct async_calls *calls = t->calls;
	struct diff_nodes *compared = t->compared;
	struct held_objects *held = t->held;

	snprintf(v->title, sizeof v->title, "%s", t->nodes_title);
	t->nodes_title = NULL;
	t->calls = NULL; /* close() frees only what is held */
	t->compared = NULL;
	t->held = NULL;
	if (!open_list(v, what, err))
		return false;
	t->calls = calls ? async_hold(calls) : NULL;
	t->compared = compared ? diff_nodes_hold(compared) : NULL;
	t->held = held ? held_objects_hold(held) : NULL;
	return true;
}

/* Adds the group to the title, as in "objects Leaky.Session of gen2". A type implies its module and
   namespace. */
static void
add_group_to_title(struct view *v)
{
	char name[GROUP_NAME_BYTES];
	size_t len = strlen(v->title);

	if (v->target.group.by != GROUP_NAMESPACE && v->target.group.by != GROUP_MODULE)
		snprintf(v->title + len, sizeof v->title - len, " %.100s",
			 group_phrase(v->session->heap, v->target.group, name));
}

/* Returns whether a comparison opens the list of new or gone objects. */
static bool
names_fate(const struct target *t)
{
	return t->nodes_title &&
	       (!strcmp(t->nodes_title, "new") || !strcmp(t->nodes_title, "gone"));
}

static bool
objects_open(struct view *v, struct error *err)
{
	bool is_typed = v->target.type != TYPE_NONE;
	char words[32] = "objects";

	/* A selected object stands for its type. */
	v->target.node = NODE_NONE;
	if (v->target.nodes)
		return these_open(v, err);
	if (v->target.calls)
		return shared_open(v, LIST_OF_CALLS, err);
	if (v->target.compared)
		return shared_open(v, LIST_OF_COMPARED, err);
	if (v->target.held)
		return shared_open(v, LIST_OF_HELD, err);
	if (names_fate(&v->target))
		snprintf(words, sizeof words, "%.20s objects", v->target.nodes_title);
	v->target.nodes_title = NULL;
	subject_title(v, words);
	if (v->target.group.by != GROUP_NONE)
		add_group_to_title(v);
	return open_list(v, is_typed ? LIST_OF_TYPE : LIST_ALL, err);
}

static bool
referrers_open(struct view *v, struct error *err)
{
	subject_title(v, "referrers of");
	return open_list(v, LIST_REFERRERS, err);
}

static bool
references_open(struct view *v, struct error *err)
{
	subject_title(v, "references of");
	return open_list(v, LIST_REFERENCES, err);
}

static bool
objects_rows(struct view *v, struct error *err)
{
	return object_list_make(v, v->state, err);
}

static void
objects_close(struct view *v)
{
	struct object_list *state = v->state;

	if (state)
		id_list_free(&state->list);
	async_free(v->target.calls);
	diff_nodes_free(v->target.compared);
	held_objects_free(v->target.held);
}

/* Selects the whole list, whatever the row, if it is part of the type. */
static bool
objects_selection(const struct view *v, const struct row *row, struct target *out, char *title,
		  size_t title_size)
{
	const struct object_list *state = v->state;

	if (state->what != LIST_OF_THESE || row->type != v->target.type)
		return false;
	*out = target_of_type(row->type);
	out->nodes = state->these;
	out->nodes_count = state->these_count;
	out->nodes_title = title;
	snprintf(title, title_size, "%s", v->title);
	return true;
}

/* Exclude the reference from the selected referrer to the object. */
static uint32_t
referrers_exclusions(const struct view *v, const struct row *row, bool as_reference,
		     struct ignored_entry *entries, uint32_t max)
{
	if (!as_reference || !max)
		return 0;
	entries[0] = (struct ignored_entry){ IGNORED_REF, row->node, v->target.node };
	return 1;
}

static void
objects_row(const struct view *v, size_t index, struct row *out)
{
	const struct object_list *state = v->state;

	*out = row_of_node(v->session->heap, state->list.ids[index]);
}

static size_t
objects_find(const struct view *v, uint64_t key)
{
	const struct object_list *state = v->state;

	for (size_t i = 0; i < v->rows_count; i++)
		if (state->list.ids[i] == key)
			return i;
	return SIZE_MAX;
}

/* Says that the filter asks for objects of the other heap, or that addresses do not say which
   objects are new. */
static bool
warn_fates(const struct view *v, struct value *out)
{
	const struct session *s = v->session;
	const struct filter *f = v->shown.filter;
	const struct facts facts = session_facts(s);

	if (!f || !filter_asks_for_fates(f))
		return false;
	if (filter_other_heap(f, &facts)) {
		value_text(out, STYLE_WARNING, filter_other_heap(f, &facts));
		return true;
	}
	if (!s->are_fates_estimates)
		return false;
	value_text(out, STYLE_WARNING,
		   "an estimate: the collector has moved objects, so contents and referrers were "
		   "compared");
	return true;
}

static bool
objects_heading(const struct view *v, unsigned line, struct value *out)
{
	const struct object_list *state = v->state;
	const struct filter *f = v->shown.filter;
	bool lacks_something = view_row_needs(v) & ~v->session->has;
	uint64_t all = v->session->heap->bytes_count;
	char count[32], size[32], refs[FORMAT_BYTES + 16] = "", part[FORMAT_BYTES], unknown[48];

	if (line)
		return line == 1 && warn_fates(v, out);
	if (!state->list.count && (view_is_busy(v) || lacks_something)) {
		value_pending(out);
		if (view_was_stopped(v))
			out->text = "?";
		return true;
	}
	if (state->objects_count != state->list.count)
		snprintf(refs, sizeof refs, "%s references to ",
			 format_count(state->list.count, part));
	value_count(out, state->objects_count);
	snprintf(count, sizeof count, "%s", value_for_people(out, out->buffer));
	value_bytes(out, state->objects_bytes);
	snprintf(size, sizeof size, "%s", value_for_people(out, out->buffer));
	value_printf(out, STYLE_DIM, "%s%s object%s, %s, %s of the heap%s%s%s", refs, count,
		     plural(state->objects_count), size,
		     format_share(state->objects_bytes, all, part),
		     !f                          ? ""
		     : !filter_is_pattern(f)     ? ", where "
		     : are_texts(v, state->what) ? ", that match "
						 : ", of types that match ",
		     filter_value(f).text,
		     f && !view_is_busy(v) ? filter_remark(f, unknown, sizeof unknown) : "");
	return true;
}

static bool
inspect(const struct call *call, struct error *err)
{
	struct target target = view_target(call->view);

	if (target.node == NODE_NONE)
		return error_set(err, ERROR_USAGE, "no object is selected");
	return request_open(call, "inspect", &target);
}

/* clang-format off */
static const struct command commands[] = {
	/* name    keys       bar        help, .run, then other fields */
	{ "open", "Enter i", "inspect", "inspect this object", .run = inspect, .replay = REPLAY_ROWS },
	OBJECT_SHORT,
	{ 0 },
};
/* clang-format on */

static const struct view_code objects_code = {
	.open = objects_open,
	.close = objects_close,
	.rows = objects_rows,
	.row = objects_row,
	.has_own_rows = true,
	.find = objects_find,
	.selection = objects_selection,
	.heading = objects_heading,
};

const struct view_ops view_objects = {
	.command = { .name = "objects",
		     .keys = "2",
		     .args = { MAY(ARG_TYPE) },
		     .bar = "objects",
		     .help = "objects of a type, or all objects" },
	.table = &objects_table,
	.commands = commands,
	.words = { .no_rows = "there is no such object in the heap; :types shows what there is" },
	.list = { .needs = NEED_OBJECTS, .flags = VIEW_OBJECTS },
	.code = &objects_code,
};

static const struct view_code referrers_code = {
	.open = referrers_open,
	.close = objects_close,
	.rows = objects_rows,
	.row = objects_row,
	.has_own_rows = true,
	.find = objects_find,
	.exclusions = referrers_exclusions,
	.heading = objects_heading,
};

const struct view_ops view_referrers = {
	.command = { .name = "referrers",
		     .args = { MUST(ARG_OBJECT) },
		     .help = "objects that refer to it, as a list" },
	.table = &objects_table,
	.commands = commands,
	.words = { .no_rows = "no object refers to it; :paths shows which roots do" },
	.list = { .needs = NEED_OBJECTS | NEED_REVERSE, .flags = VIEW_OBJECTS },
	.code = &referrers_code,
};

static const struct view_code references_code = {
	.open = references_open,
	.close = objects_close,
	.rows = objects_rows,
	.row = objects_row,
	.has_own_rows = true,
	.find = objects_find,
	.heading = objects_heading,
};

const struct view_ops view_references = {
	.command = { .name = "references",
		     .keys = "o",
		     .args = { MUST(ARG_OBJECT) },
		     .bar = "outgoing",
		     .help = "objects that it refers to, in order" },
	.table = &objects_table,
	.commands = commands,
	.words = { .no_rows = "it refers to no object; :referrers lists the objects that refer to "
			      "it" },
	.list = { .needs = NEED_OBJECTS, .flags = VIEW_OBJECTS },
	.code = &references_code,
};
