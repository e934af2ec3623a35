/*
 * What is in it: what an object, the objects of a type or a list of objects hold, by type. Enter
 * lists the objects of a row.
 */
#include "model/analysis/held_table.h"
#include "model/graph/retention.h"
#include "tui/tables/subject_title.h"
#include "tui/widget/request.h"
#include "tui/widget/view.h"
#include <string.h>

struct contents_state {
	/* Objects of the row that a key took last, or NULL. Listing them is a pass over the
	   holders, so they are kept until another row or the rows change. */
	node_id *selected;
	uint64_t selected_data; /* that row's */
	uint32_t rows_version;
	struct held_objects *listed; /* by Enter, last */
};

static bool
is_raw(const struct view *v)
{
	return !strcmp(v->target.topic, HELD_RAW);
}

/* Writes "Foo in Bar 7fe0…". */
static const char *
title_of(const struct view *v, const struct row *row, char *title, size_t title_size)
{
	snprintf(title, title_size, "%s in %s", session_type_name(v->session, row->type),
		 v->title + strlen("contents "));
	return title;
}

/* Sets the target to the objects of a row. */
static bool
select_objects(const struct view *v, const struct row *row, struct target *out, char *title,
	       size_t title_size, struct error *err)
{
	const struct held_made *made = v->made;
	struct contents_state *state = v->state;
	const struct held_type *type = &made->held.items[row->data];
	const struct subject holders = view_subject(v);

	if (!view_made_is_current(v) || !v->session->retention)
		return error_set(err, ERROR_USAGE, "the rows are being made again");
	if (state->selected_data != row->data || state->rows_version != v->rows_version) {
		memory_free(state->selected);
		state->selected = NULL;
	}
	if (!state->selected)
		state->selected = held_type_objects(v->session->retention->retained, &holders,
						    !is_raw(v), type, NULL, err);
	if (!state->selected)
		return false;
	state->selected_data = row->data;
	state->rows_version = v->rows_version;
	*out = target_of_type(row->type);
	out->nodes = state->selected;
	out->nodes_count = (uint32_t)type->count;
	out->nodes_title = title_of(v, row, title, title_size);
	return true;
}

/* Sets the target to the subject of the view if the row has just its objects. */
static bool
select_subject(const struct view *v, const struct row *row, struct target *out)
{
	const struct heap *h = v->session->heap;
	const struct held_made *made = v->made;
	uint64_t count = made->held.items[row->data].count;
	node_id n = v->target.node;

	if (v->nodes)
		return false;
	if (n != NODE_NONE && heap_type_of(h, n) == row->type && count == 1) {
		*out = target_of_node(v->session, n);
		return true;
	}
	*out = target_of_type(row->type);
	return n == NODE_NONE && row->type == v->target.type && count == h->types[row->type].count;
}

static bool
contents_selection(const struct view *v, const struct row *row, struct target *out, char *title,
		   size_t title_size)
{
	struct error ignored = { 0 };

	return select_subject(v, row, out) ||
	       select_objects(v, row, out, title, title_size, &ignored);
}

/* The pass over the holders is a job of the list. */
static bool
list_objects(const struct call *call, struct error *err)
{
	struct view *v = call->view;
	struct contents_state *state = v->state;
	const struct held_made *made = v->made;
	const struct subject holders = view_subject(v);
	char title[VALUE_TEXT_BYTES];
	struct target target;
	struct row row;

	if (!view_selected(v, &row))
		return true;
	if (!view_made_is_current(v) || !v->session->retention)
		return error_set(err, ERROR_USAGE, "the rows are being made again");
	held_objects_free(state->listed);
	state->listed = held_objects_new(&holders, !is_raw(v), &made->held.items[row.data], err);
	target = target_of_type(row.type);
	target.held = state->listed;
	target.nodes_title = title_of(v, &row, title, sizeof title);
	return state->listed && request_open(call, "objects", &target);
}

/* Switches between collections and the objects that they are made of. */
static bool
switch_raw(const struct call *call, struct error *err)
{
	struct view *v = call->view;

	view_cancel(v);
	snprintf(v->target.topic, sizeof v->target.topic, "%s", is_raw(v) ? "" : HELD_RAW);
	view_make_again(v);
	return view_reload(v, err) &&
	       request_message(call, STYLE_STATUS, "%s",
			       is_raw(v) ? "collections count as the objects that they are made of"
					 : "a collection is one row with its parts");
}

static void
contents_replay(const struct view *v, replay_fn *add, void *to)
{
	if (is_raw(v))
		add(to, "raw");
}

static bool
contents_open(struct view *v, struct error *err)
{
	v->state = arena_new(&v->arena, struct contents_state, err);
	/* A list of objects has named the view already. */
	if (!v->nodes)
		subject_title(v, "contents");
	return v->state != NULL;
}

static void
contents_close(struct view *v)
{
	struct contents_state *state = v->state;

	if (!state)
		return;
	memory_free(state->selected);
	held_objects_free(state->listed);
}

/* clang-format off */
static const struct command commands[] = {
	/* name    keys     bar        help, .run, then other fields */
	{ "open", "Enter", "objects", "list the objects of this row", .run = list_objects, .replay = REPLAY_ROWS },
	{ "raw",  "f",     "parts",   "switch between collections and the objects that they are made of", .run = switch_raw, .replay = REPLAY_ROWS },
	{ 0 },
};
/* clang-format on */

static const struct view_code contents_code = {
	.open = contents_open,
	.close = contents_close,
	.selection = contents_selection,
	.replay = contents_replay,
};

const struct view_ops view_contents = {
	.command = { .name = "contents",
		     .keys = "w",
		     .args = { MUST(ARG_OBJECT_OR_TYPE) },
		     .help = "what is in it: what it holds, by type, with collections as one row" },
	.table = &held_table,
	.commands = commands,
	.words = { .no_rows = "it holds nothing; :inspect shows what it is" },
	.list = { .takes_also = TAKES_SET,
		  .flags = VIEW_PRINTS_HEADING | VIEW_ONE_UNIT,
		  .sort = "retained" },
	.code = &contents_code,
};
