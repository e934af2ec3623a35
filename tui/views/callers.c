/*
 * The callers of a site of allocations, or what it calls, as a tree. A job makes it anew from each
 * copy of the recording; open rows stay open.
 */
#include "model/allocations/sentences.h"
#include "model/allocations/stacks.h"
#include "tui/session/recording_view.h"
#include "tui/widget/tree.h"
#include <string.h>

enum {
	/* At first a row opens if it has 1/MOST_OF of its parent's bytes; in batch mode, if it has
	   1/ENOUGH_OF of all. */
	MOST_OF = 2,
	ENOUGH_OF = 100,
};

struct callers_state {
	struct tree tree;
	struct allocation_stacks stacks; /* v->made, which the cells read */
	struct recording_view source;
	struct u64_map folds; /* by key of a row: whether it is open */
};

/* --- rows ----------------------------------------------------------------- */

static struct callers_state *
state_of(const struct view *v)
{
	return v->state;
}

static uint32_t
children_count(const struct allocation_stacks *s, uint32_t node)
{
	return s->first[node + 1] - s->first[node];
}

/* Opens what has most of the bytes, unless the user has chosen. */
static bool
is_open(const struct view *v, const struct row *row, uint32_t parent)
{
	const struct callers_state *state = state_of(v);
	const struct allocation_row *items = state->stacks.rows.items;
	uint32_t chosen = u64_map_get(&state->folds, row->key);
	double bytes = items[row->data].sum.bytes;

	if (chosen != U64_MAP_NONE)
		return chosen;
	if (v->session->is_batch)
		return bytes * ENOUGH_OF >= items[0].sum.bytes;
	return bytes * MOST_OF >= items[parent].sum.bytes;
}

struct level {
	uint64_t key; /* of the row */
	uint32_t node, next;
};

/* Appends the next row below a level, and makes the row's own level. */
static bool
add_row(struct view *v, struct level *above, uint32_t depth, struct row *out, struct level *own,
	struct error *err)
{
	struct callers_state *state = state_of(v);
	const struct allocation_stacks *s = &state->stacks;
	uint32_t node = s->order[s->first[above->node] + above->next++];

	*out = row_of(ROW_PLAIN);
	out->depth = depth;
	out->data = node;
	out->key = row_key(above->key, allocation_stacks_hash(s, node));
	if (children_count(s, node))
		out->fold = is_open(v, out, above->node) ? FOLD_OPEN : FOLD_CLOSED;
	*own = (struct level){ out->key, node, 0 };
	return rows_append(&state->tree.rows, out, err);
}

/*
 * On the screen, appends callers that are the only ones of each other at one depth, as stacks are
 * deep and the screen is narrow; `own` becomes the level of the last one. In batch mode the depth
 * is that of the stack.
 */
static bool
add_chain(struct view *v, uint32_t depth, struct row *last, struct level *own, struct error *err)
{
	const struct callers_state *state = state_of(v);
	const struct rows *rows = &state->tree.rows;

	while (!v->session->is_batch && children_count(&state->stacks, own->node) == 1) {
		struct level above = *own;

		if (!add_row(v, &above, depth, last, own, err))
			return false;
		if (children_count(&state->stacks, own->node) == 1)
			rows->items[rows->count - 1].fold = FOLD_NONE;
	}
	return true;
}

/* Appends all rows that are shown, with a stack of our own, as the program's may be deep. */
static bool
add_rows(struct view *v, struct error *err)
{
	const struct allocation_stacks *s = &state_of(v)->stacks;
	struct level levels[ALLOCATION_FRAMES + 3] = { 0 };
	uint32_t depth = 0;

	for (;;) {
		struct level *l = &levels[depth], own;
		struct row row;

		if (l->next == children_count(s, l->node)) {
			if (!depth--)
				return true;
			continue;
		}
		if (!add_row(v, l, depth, &row, &own, err))
			return false;
		if (row.fold != FOLD_OPEN)
			continue;
		if (children_count(s, own.node) == 1 && !v->session->is_batch) {
			if (!add_chain(v, depth + 1, &row, &own, err))
				return false;
			/* The chain itself has no further rows. */
			levels[++depth] = (struct level){ .node = own.node };
			levels[depth].next = children_count(s, own.node);
		}
		if (row.fold == FOLD_OPEN)
			levels[++depth] = own;
	}
}

static bool
begin(struct view *v, struct error *err)
{
	tree_clear(&state_of(v)->tree);
	return !state_of(v)->stacks.first || add_rows(v, err);
}

/* The key has stopped the job that was making rows of a newer copy. */
static void
make_up(struct view *v)
{
	const struct recording_view *w = &state_of(v)->source;

	v->is_stale |= w->shown != w->of->newest;
}

static bool
choose(struct view *v, size_t at, bool open, struct error *err)
{
	struct callers_state *state = state_of(v);

	make_up(v);
	return u64_map_put(&state->folds, state->tree.rows.items[at].key, open, err) &&
	       begin(v, err) && tree_show(&state->tree, v, err);
}

static bool
expand(struct view *v, size_t at, enum tree_rule rule, struct error *err)
{
	(void)rule;
	return choose(v, at, true, err);
}

/* If memory runs out the row opens again with the next copy. */
static void
closed(struct view *v, size_t at)
{
	struct callers_state *state = state_of(v);
	struct error ignored = { 0 };
	bool is_put = u64_map_put(&state->folds, state->tree.rows.items[at].key, false, &ignored);

	(void)is_put;
	make_up(v);
}

static const struct tree_source source = {
	.begin = begin,
	.expand = expand,
	.closed = closed,
	.is_lasting = true,
};

/* --- the view ------------------------------------------------------------- */

static bool
callers_open(struct view *v, struct error *err)
{
	struct callers_state *state = tree_new(v, &source, sizeof *state, err);

	if (!state || !recording_view_open(&state->source, v->session, err))
		return false;
	snprintf(v->title, sizeof v->title, "%s%s%.200s", v->ops->command.name,
		 *v->target.topic ? " " : "", v->target.topic);
	return true;
}

static void
callers_close(struct view *v)
{
	struct callers_state *state = v->state;

	v->made = NULL;
	if (!state)
		return;
	tree_clear(&state->tree);
	allocation_stacks_clear(&state->stacks);
	u64_map_clear(&state->folds);
	recording_view_close(&state->source);
}

/* A tree that a job makes. */
struct making {
	struct allocations *of; /* held */
	const char *name;       /* the view's */
	enum stacks_direction direction;
	const char *my_modules;
	struct allocation_stacks stacks;
};

static bool
run_making(void *context, struct progress *progress, struct error *err)
{
	struct making *m = context;

	return allocation_stacks_make(&m->stacks, m->of, m->name, m->direction, m->my_modules,
				      progress, err);
}

static void
take_made(struct view *v, void *context, bool ok)
{
	struct callers_state *state = state_of(v);
	struct making *m = context;
	struct error ignored = { 0 };

	if (ok) {
		allocation_stacks_clear(&state->stacks);
		state->stacks = m->stacks;
		v->made = &state->stacks;
		recording_view_show(&state->source, m->of);
		/* Without memory there are fewer rows. */
		if (!begin(v, &ignored) || !tree_show(&state->tree, v, &ignored))
			v->rows_count = 0;
	} else {
		allocation_stacks_clear(&m->stacks);
	}
	allocations_free(m->of);
	memory_free(m);
}

static bool
callers_rows(struct view *v, struct error *err)
{
	struct callers_state *state = state_of(v);
	const struct recording *r = state->source.of;
	struct making *m;

	if (!recording_view_check(&state->source, err))
		return false;
	if (!r->newest)
		return begin(v, err) && tree_show(&state->tree, v, err);
	m = memory_new(1, sizeof *m, err);
	if (!m)
		return false;
	m->of = allocations_hold(recording_shown(r));
	m->name = v->target.topic;
	m->direction = strcmp(v->ops->command.name, "callees") ? STACKS_CALLERS : STACKS_CALLEES;
	m->my_modules = v->session->my_modules;
	return view_run(v, "making rows", run_making, take_made, m, err);
}

static bool
callers_heading(const struct view *v, unsigned line, struct value *out)
{
	const struct callers_state *state = state_of(v);
	const struct allocation_row *all = state->stacks.rows.items;
	char text[ALLOCATION_TEXT_BYTES];

	if (line || !state->source.shown)
		return false;
	allocation_sum_text(&all->sum, &all->rate, state->source.shown, text);
	value_printf(out, STYLE_DIM, "%s%s%s", recording_still_text(state->source.of), text,
		     recording_end_text(state->source.of));
	return true;
}

/* --- commands ------------------------------------------------------------- */

static bool
turn(const struct call *call, struct error *err)
{
	struct row row;

	if (!view_selected(call->view, &row))
		return true;
	return view_fold(call->view, call->view->cursor, row.fold != FOLD_OPEN, err);
}

/* clang-format off */
static const struct command commands[] = {
	/* name      keys     bar     help, .run, then other fields */
	{ "enter",  "Enter", "open",  "open the row, or close it", .run = turn },
	{ "unfold", "+",     "",      "open the row", .run = view_command_unfold },
	{ "fold",   "-",     "",      "close the row", .run = view_command_fold },
	{ 0 },
};
/* clang-format on */

static const struct view_code callers_code = {
	.open = callers_open,
	.close = callers_close,
	.rows = callers_rows,
	.row = tree_view_row,
	.heading = callers_heading,
	.tree = &(const struct view_tree){ .fold = tree_fold },
};

#define NO_STACKS "no sampled stack goes on from here; :allocations lists all sites"

const struct view_ops view_callers = {
	.command = { .name = "callers",
		     .args = { MAY_AS(ARG_TEXT, "SITE|TYPE") },
		     .help = "the callers of a site of allocations, or of what allocates a type, "
			     "outwards; without an argument of all" },
	.table = &allocation_callers_table,
	.commands = commands,
	.words = { .no_rows = NO_STACKS },
	.list = { .flags = VIEW_WITHOUT_HEAP | VIEW_LIVE | VIEW_GROWS | VIEW_QUERIES_PROCESSES },
	.code = &callers_code,
};

const struct view_ops view_callees = {
	.command = { .name = "callees",
		     .args = { MAY_AS(ARG_TEXT, "SITE|TYPE") },
		     .help = "what a site of allocations calls, down to the types; for a type or "
			     "without an argument, from the program inwards" },
	.table = &allocation_callees_table,
	.commands = commands,
	.words = { .no_rows = NO_STACKS },
	.list = { .flags = VIEW_WITHOUT_HEAP | VIEW_LIVE | VIEW_GROWS | VIEW_QUERIES_PROCESSES },
	.code = &callers_code,
};
