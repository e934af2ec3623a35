/*
 * Differences between open heaps: one row for each type, group, root or path from a root, with its
 * objects and bytes in every heap. The view belongs to the session of the last heap, and rows open
 * in that heap.
 */
#include "tui/tables/diff_columns.h"
#include "tui/tables/diff_heading.h"
#include "tui/widget/request.h"
#include "tui/widget/view.h"
#include "model/base/hash.h"
#include "model/base/text.h"
#include <stdio.h>
#include <string.h>

enum { ID_BYTES = 16 };

/* --- rows ---------------------------------------------------------------- */

/* Returns the key of a row, which is the same in every comparison. */
static uint64_t
name_key(const struct diff_row *row)
{
	uint64_t key = hash_text(HASH_START, row->name);

	return hash_text(key, row->module ? row->module : "");
}

static void
row_of_diff(const struct view *v, uint32_t item, struct row *out)
{
	const struct diff_view *state = v->state;
	const struct diff *d = &state->diff;

	*out = row_of(ROW_PLAIN);
	out->data = item;
	out->key = name_key(&d->rows[item]);
	if (d->by == DIFF_TYPE && state->heaps[d->heaps_count - 1] == v->session->heap)
		out->type = d->keys[(size_t)item * d->heaps_count + d->heaps_count - 1];
}

static bool
arrange(struct view *v, struct error *err)
{
	struct diff_view *state = v->state;
	const struct diff *d = &state->diff;
	uint32_t *shown = memory_new((size_t)d->rows_count + 1, sizeof *shown, err);
	size_t count = 0;

	if (!shown)
		return false;
	state->equal_count = 0;
	for (uint32_t i = 0; i < d->rows_count; i++) {
		bool is_equal = diff_state(d, i) == DIFF_EQUAL;

		/* With `mine`, rows of the framework count nothing. */
		if (d->left_out && is_equal && !diff_sums(d, i)->count)
			continue;
		if (state->c.shows_equal || !is_equal)
			shown[count++] = i;
		else
			state->equal_count++;
	}
	return view_show_items(v, shown, count, err);
}

/* The input and the result of the job that compares. */
struct comparing {
	struct diff_heap heaps[COMPARISON_MAX];
	struct made_with made_with[COMPARISON_MAX];
	uint32_t count;
	struct diff diff;
	bool is_made;
};

static bool
compare_heaps(void *context, struct progress *progress, struct error *err)
{
	struct comparing *c = context;

	c->is_made = diff_compute(&c->diff, c->heaps, c->count, c->diff.by, progress, err);
	return c->is_made;
}

/* Adds up the rows of a heap. Each object is in exactly one row, and a heap that has only types
   keeps no other total. */
static struct diff_sum
sum_rows(const struct diff *d, uint32_t heap)
{
	struct diff_sum sum = d->left_out ? d->left_out[heap] : (struct diff_sum){ 0 };

	for (uint32_t i = 0; i < d->rows_count; i++) {
		sum.count += diff_sums(d, i)[heap].count;
		sum.bytes += diff_sums(d, i)[heap].bytes;
	}
	return sum;
}

/* Returns to the grouping of the rows on screen after a cancelled comparison. */
static void
restore_grouping(struct view *v)
{
	struct diff_view *state = v->state;

	if (!state->is_made)
		return;
	state->c.by = state->diff.by;
	diff_columns_tell(v);
}

/* Returns whether the heaps are there and new objects are not told yet. */
static bool
must_tell_new(const struct view *v)
{
	const struct diff_view *state = v->state;

	return !state->has_survival && diff_can_tell_new(state) && state->diff.by == DIFF_TYPE &&
	       state->c.sessions[0]->has & NEED_OBJECTS && v->session->has & NEED_OBJECTS &&
	       state->heaps[0] != state->heaps[state->c.count - 1];
}

static void
take_diff(struct view *v, void *context, bool ok)
{
	struct diff_view *state = v->state;
	struct comparing *c = context;
	struct error ignored = { 0 };

	if (ok) {
		diff_clear(&state->diff);
		state->diff = c->diff;
		state->is_made = true;
		for (uint32_t i = 0; i < c->count; i++) {
			state->heaps[i] = c->heaps[i].heap;
			state->made_with[i] = c->made_with[i];
		}
		state->first = sum_rows(&state->diff, 0);
		state->last = sum_rows(&state->diff, c->count - 1);
		survival_clear(&state->survival);
		state->has_survival = false;
		diff_columns_tell(v);
		diff_columns_order(v);
		/* The old order refers to rows that are gone. */
		v->rows_count = 0;
		(void)arrange(v, &ignored);
		v->is_stale |= must_tell_new(v);
	} else {
		if (c->is_made)
			diff_clear(&c->diff);
		restore_grouping(v);
	}
	memory_free(c);
}

/* Requests the missing `needs` of a heap. Sets `is_waiting` if they come later; false sets `err`.
 */
static bool
request_needs(struct session *s, unsigned needs, bool *is_waiting, struct error *err)
{
	if (!(needs & ~s->has))
		return true;
	if (session_only_types(s))
		return error_set(err, ERROR_USAGE, "%.60s: %s", s->name, session_only_types(s));
	/* A session without threads computes them at once. */
	if (!s->waker.wake)
		return session_require(s, needs, err);
	*is_waiting = true;
	return session_want(s, needs, err);
}

static bool
counts_mine(const struct diff_view *state, const struct session *s)
{
	return state->c.shows_mine || s->shows_mine;
}

/* Returns what must be computed for a heap. The heading shows dead bytes of heaps from memory,
   whatever is compared. */
static unsigned
needs_of(const struct diff_view *state, const struct session *s)
{
	return comparison_needs(state->c.by) |
	       (s->heap && s->heap->memory ? NEED_OBJECTS | NEED_REACH : 0U) |
	       (counts_mine(state, s) && !session_unavailable(s, NEED_OBJECTS | NEED_RETAINED)
		    ? NEED_OBJECTS | NEED_RETAINED
		    : 0U);
}

static void
take_heap(struct comparing *c, const struct session *s, unsigned needs, bool is_mine)
{
	struct diff_heap *heap = &c->heaps[c->count];
	struct made_with *with = &c->made_with[c->count++];

	*heap = (struct diff_heap){ .heap = s->heap };
	*with = (struct made_with){ 0 };
	heap->counts_mine = with->counts_mine = is_mine;
	if (is_mine)
		heap->my_modules = with->my_modules = s->my_modules;
	if (needs & NEED_REACH) {
		heap->reach = s->reach;
		with->reach_version = s->reach_version;
		with->knows_dead = s->heap->memory != NULL;
		with->dead_bytes = s->heap->bytes_count - s->reach->reachable_bytes;
	}
	if (needs & NEED_RETAINED) {
		heap->dominators = s->retention->dominators;
		with->retention = s->retention;
		with->reach_version = s->reach_version;
	}
}

/* Collects the heaps to compare. Sets `is_waiting` if one is not ready. */
static bool
gather(const struct view *v, struct comparing *c, bool *is_waiting, struct error *err)
{
	const struct diff_view *state = v->state;

	for (uint32_t i = 0; i < state->c.count; i++) {
		struct session *s = state->c.sessions[i];
		unsigned needs = needs_of(state, s);

		if (s->heap && !request_needs(s, needs, is_waiting, err))
			return false;
		if (!s->heap || needs & ~s->has)
			*is_waiting = true;
		else
			take_heap(c, s, needs, counts_mine(state, s));
	}
	return true;
}

/* Leaves out heaps that could not be read; fails if fewer than two remain. */
static bool
leave_out_failed(struct view *v, struct error *err)
{
	struct diff_view *state = v->state;
	const struct session *unread;
	uint32_t number;

	bool has_dropped = comparison_drop_failed(&state->c);

	if (state->c.count < 2) {
		unread = comparison_unread(v->session->snapshots, &number);
		*err = unread->job_errors[JOB_LOAD];
		return false;
	}
	if (!has_dropped)
		return true;
	v->session = state->c.sessions[state->c.count - 1];
	return diff_columns_rename(v, err);
}

static bool
is_made_of(const struct diff_view *state, const struct comparing *c)
{
	if (!state->is_made || state->diff.by != state->c.by || c->count != state->c.count)
		return false;
	for (uint32_t i = 0; i < c->count; i++)
		if (state->heaps[i] != c->heaps[i].heap ||
		    state->made_with[i].reach_version != c->made_with[i].reach_version ||
		    state->made_with[i].retention != c->made_with[i].retention ||
		    state->made_with[i].counts_mine != c->made_with[i].counts_mine ||
		    state->made_with[i].my_modules != c->made_with[i].my_modules)
			return false;
	return true;
}

/* Drops the comparison if one of its heaps, which has only types, is about to be replaced: the rows
   borrow names from it. */
static void
forget_types(struct view *v)
{
	struct diff_view *state = v->state;
	unsigned needs = comparison_needs(state->c.by);

	for (uint32_t i = 0; i < state->c.count; i++) {
		const struct session *s = state->c.sessions[i];

		if (!s->heap || !(needs & ~s->has & NEED_OBJECTS))
			continue;
		v->rows_count = 0;
		diff_clear(&state->diff);
		state->is_made = false;
	}
}

/* --- new objects --------------------------------------------------------- */

/* The input and the result of the job that finds them. */
struct telling {
	const struct heap *heaps[COMPARISON_MAX];
	uint32_t count;
	struct survival survival;
};

static bool
find_new(void *context, struct progress *progress, struct error *err)
{
	struct telling *t = context;
	struct type_match match;
	bool ok;

	if (!type_match_init(&match, t->heaps, t->count, err))
		return false;
	ok = survival_compute(&t->survival, &match, t->heaps, 0, t->count - 1, progress, err);
	type_match_clear(&match);
	return ok;
}

/* Tells both sessions, for the words `new`, `gone` and `survived` of filters. */
static bool
tell_sessions(const struct diff_view *state, struct error *err)
{
	const struct survival *s = &state->survival;

	return session_set_fates(state->c.sessions[0], s->is_gone, true, s->is_estimate, err) &&
	       session_set_fates(state->c.sessions[state->c.count - 1], s->is_new, false,
				 s->is_estimate, err);
}

static void
take_new(struct view *v, void *context, bool ok)
{
	struct diff_view *state = v->state;
	struct telling *t = context;
	struct error ignored = { 0 };

	/* If it was stopped because rows are made anew, it starts again with these. */
	if (ok) {
		survival_clear(&state->survival);
		state->survival = t->survival;
		state->has_survival = true;
		v->is_stale = true;
	} else {
		survival_clear(&t->survival);
	}
	if (ok && t->survival.is_known)
		(void)tell_sessions(state, &ignored);
	memory_free(t);
}

static bool
tell_new(struct view *v, struct error *err)
{
	const struct diff_view *state = v->state;
	struct telling *t = memory_new(1, sizeof *t, err);

	if (!t)
		return false;
	t->count = state->c.count;
	for (uint32_t i = 0; i < t->count; i++)
		t->heaps[i] = state->heaps[i];
	return view_run_on_rows(v, "looking for new objects", find_new, take_new, t, err);
}

/* --- making the rows ----------------------------------------------------- */

static bool
diff_rows(struct view *v, struct error *err)
{
	const struct diff_view *state = v->state;
	struct comparing *c = memory_new(1, sizeof *c, err);
	bool is_waiting = false, ok;

	if (!c)
		return false;
	c->diff.by = state->c.by;
	forget_types(v);
	ok = leave_out_failed(v, err) && gather(v, c, &is_waiting, err);
	if (ok && !is_waiting && !is_made_of(state, c)) {
		ok = view_run(v, "comparing heaps", compare_heaps, take_diff, c, err);
		/* A session without threads has compared them already. */
		return ok && (v->session->waker.wake || !must_tell_new(v) || tell_new(v, err));
	}
	if (ok && !is_waiting)
		ok = arrange(v, err) && (!must_tell_new(v) || tell_new(v, err));
	v->is_stale = ok && is_waiting;
	if (!ok)
		restore_grouping(v);
	memory_free(c);
	return ok;
}

/* --- life ---------------------------------------------------------------- */

static bool
diff_open(struct view *v, struct error *err)
{
	struct diff_view *state = arena_new(&v->arena, struct diff_view, err);

	v->state = state;
	if (!state || !comparison_parse(&state->c, v->session, v->target.topic, &v->arena, err))
		return false;
	state->opened_by = state->c.by;
	state->heaps = arena_array(&v->arena, const struct heap *, state->c.count, err);
	state->made_with = arena_array(&v->arena, struct made_with, state->c.count, err);
	v->session = state->c.sessions[state->c.count - 1];
	return state->heaps && state->made_with && diff_columns_make(v, err);
}

static void
diff_close(struct view *v)
{
	struct diff_view *state = v->state;

	if (!state)
		return;
	diff_clear(&state->diff);
	survival_clear(&state->survival);
}

/* --- commands ------------------------------------------------------------ */

/* Returns the last heap that has objects in this row. */
static uint32_t
last_heap_with(const struct diff *d, uint32_t row)
{
	const struct diff_sum *sums = diff_sums(d, row);
	uint32_t h = d->heaps_count - 1;

	while (h && !sums[h].count)
		h--;
	return h;
}

/* Lists the objects of a root, path or dominator in the last heap. */
static bool
open_nodes(const struct call *call, uint32_t row, struct error *err)
{
	const struct diff_view *state = call->view->state;
	const struct diff *d = &state->diff;
	struct target target = target_none;

	if (!diff_sums(d, row)[d->heaps_count - 1].count)
		return error_set(err, ERROR_USAGE, "the last heap has no objects of this row");
	target.compared = d->nodes;
	target.compared_row = row;
	target.nodes_title = d->rows[row].name;
	return request_open_in(call, state->c.sessions[d->heaps_count - 1], "objects", &target);
}

static enum grouping
grouping_of(enum diff_by by)
{
	return by == DIFF_NAMESPACE    ? GROUP_NAMESPACE
	       : by == DIFF_MODULE     ? GROUP_MODULE
	       : by == DIFF_GENERATION ? GROUP_GENERATION
				       : GROUP_ROOT;
}

/* Returns "new" or "gone", whichever objects make up the change of the row; NULL: neither, or it is
   not known which they are. */
static const char *
fate_to_list(const struct diff_view *state, uint32_t row)
{
	const struct survival *s = &state->survival;
	const struct survival_sum *sum;

	if (state->diff.by != DIFF_TYPE || !state->has_survival || !s->is_known)
		return NULL;
	sum = &s->rows[row];
	if (sum->gone_count > sum->new_count)
		return "gone";
	return sum->new_count ? "new" : NULL;
}

/* Lists the objects of a type with one fate: new ones in the last heap, gone ones in the first. */
static bool
open_fate(const struct call *call, uint32_t row, const char *fate)
{
	const struct diff_view *state = call->view->state;
	const struct diff *d = &state->diff;
	uint32_t heap = *fate == 'n' ? d->heaps_count - 1 : 0;
	struct target target = target_of_type(d->keys[(size_t)row * d->heaps_count + heap]);

	target.nodes_title = fate;
	(void)request_open_where(call, "objects", &target, "%s", fate);
	call->request->session = state->c.sessions[heap];
	return true;
}

/* Lists all objects of a type in a heap. If there are fewer than before, says that these are not
   the ones that are gone. */
static bool
open_type(const struct call *call, uint32_t row, uint32_t heap)
{
	const struct diff_view *state = call->view->state;
	const struct diff *d = &state->diff;
	const struct diff_sum *sums = diff_sums(d, row);
	struct target target = target_of_type(d->keys[(size_t)row * d->heaps_count + heap]);

	if (heap && sums[heap].count < sums[0].count)
		request_message(call, STYLE_WARNING, "these are left; which ones are gone is %s",
				must_tell_new(call->view) ? "not known yet" : "unknown");
	return request_open_in(call, state->c.sessions[heap], "objects", &target);
}

static bool
open_row(const struct call *call, struct error *err)
{
	const struct diff_view *state = call->view->state;
	const struct diff *d = &state->diff;
	struct target target = target_none;
	const char *fate;
	struct row row;
	uint32_t index, heap, what;

	if (!view_selected(call->view, &row))
		return error_set(err, ERROR_USAGE, "nothing is selected");
	index = (uint32_t)row.data;
	if (d->nodes)
		return open_nodes(call, index, err);
	heap = last_heap_with(d, index);
	what = d->keys[(size_t)index * d->heaps_count + heap];
	if (d->by == DIFF_TYPE && what == DIFF_NONE)
		return error_set(err, ERROR_USAGE, "no heap has objects of this row");
	fate = fate_to_list(state, index);
	if (fate)
		return open_fate(call, index, fate);
	if (d->by == DIFF_TYPE)
		return open_type(call, index, heap);
	target.group = (struct group_id){ (uint8_t)grouping_of(d->by), what };
	return request_open_in(call, state->c.sessions[heap], "types", &target);
}

static bool
regroup(struct view *v, enum diff_by by, struct error *err)
{
	struct diff_view *state = v->state;

	view_cancel(v);
	state->c.by = by;
	v->has_moved = false;
	diff_columns_tell(v);
	return view_reload(v, err);
}

/* Lists all groupings, with the chosen one in brackets. */
static bool
tell_groupings(const struct call *call, enum diff_by by)
{
	char bytes[160];
	struct text text = text_in(bytes, sizeof bytes);

	for (int i = 0; i < DIFF_BY_COUNT; i++)
		text_addf(&text, i == (int)by ? "%s[%s]" : "%s%s", i ? " " : "", diff_by_ids[i]);
	return request_message(call, STYLE_STATUS, "by %s; Esc goes back", bytes);
}

/* Goes back to the grouping that the view was opened with. */
static bool
diff_step_out(struct view *v, struct error *err)
{
	const struct diff_view *state = v->state;

	return state->c.by != state->opened_by && regroup(v, state->opened_by, err);
}

static bool
change_grouping(const struct call *call, struct error *err)
{
	struct view *v = call->view;
	const struct diff_view *state = v->state;
	enum diff_by by = (state->c.by + 1) % DIFF_BY_COUNT;

	if (*call->arg && !comparison_parse_by(call->arg, strlen(call->arg), &by))
		return error_set(
		    err, ERROR_USAGE,
		    "cannot compare by \"%.30s\"; choose type, namespace, module, generation, "
		    "kind, root, path or dominator",
		    call->arg);
	return regroup(v, by, err) && (*call->arg || tell_groupings(call, by));
}

static bool
show_equal(const struct call *call, struct error *err)
{
	struct diff_view *state = call->view->state;

	state->c.shows_equal = !state->c.shows_equal;
	state->has_turned_equal = !state->has_turned_equal;
	return view_reload(call->view, err);
}

static void
diff_replay(const struct view *v, replay_fn *add, void *to)
{
	const struct diff_view *state = v->state;
	char command[64];

	snprintf(command, sizeof command, "by %s", diff_by_ids[state->c.by]);
	add(to, command);
	if (state->has_turned_equal)
		add(to, "equal");
}

static bool
sort_by_delta(const struct call *call, struct error *err)
{
	return view_sort(call->view, column_by_id(call->view->ops->table->columns, "size_delta"),
			 err);
}

/* Sorts by the last heap's size or count, with which the command's name ends. */
static bool
sort_by_last(const struct call *call, struct error *err)
{
	const struct diff_view *state = call->view->state;
	char id[ID_BYTES];

	snprintf(id, sizeof id, "%s_%u", strchr(call->command->name, '-') + 1, state->c.count);
	return view_sort(call->view, column_by_id(call->view->ops->table->columns, id), err);
}

/* clang-format off */
static const struct command commands[] = {
	/* name          keys     bar        help, .run, then other fields */
	{ "open",       "Enter", "objects", "list the objects of the row that are new in the last heap or, if there are fewer than before, those that are gone; 2 lists all of them, P shows who holds them", .run = open_row, .replay = REPLAY_ROWS },
	{ "by",         "B",     "by",      "compare by type, namespace, module, generation, kind, root, path or dominator; B: the next, Esc: back", .run = change_grouping, .args = { MAY_BE("WHAT", diff_by_ids) }, .replay = REPLAY_HEAP },
	{ "equal",      "a",     "all",     "show or hide rows that are equal in all heaps", .run = show_equal, .flags = COMMAND_MAKES_ROWS, .replay = REPLAY_ROWS },
	{ "sort-delta", "D",     "",        "sort by growth in bytes", .run = sort_by_delta },
	{ "last-size",  "S",     "",        "sort by size in the last heap", .run = sort_by_last },
	{ "last-count", "C",     "",        "sort by count in the last heap", .run = sort_by_last },
	{ 0 },
};
/* clang-format on */

static const struct view_code diff_code = {
	.needs_for = comparison_needs_of,
	.open = diff_open,
	.close = diff_close,
	.rows = diff_rows,
	.item_row = row_of_diff,
	.heading = diff_heading,
	.step_out = diff_step_out,
	.replay = diff_replay,
};

const struct view_ops view_diff = {
	.command = { .name = "diff",
		     .keys = "= 8",
		     .args = { MAY_BE("WHAT", diff_by_ids), MAY_AS(ARG_TEXT, "HEAPS") },
		     .bar = "compare",
		     .flags = COMMAND_ANSWERS,
		     .help = "what changed between heaps, by type, namespace, module, generation, "
			     "kind, root, path or dominator" },
	.table = &diff_table,
	.commands = commands,
	.words = { .no_rows = "nothing differs; :equal shows the rows that are equal, :by compares "
			      "by something else" },
	.list = { .needs = NEED_TYPES | NEED_SNAPSHOTS,
		  .flags = VIEW_LIVE | VIEW_PRINTS_HEADING | VIEW_MINE,
		  .sort = "size_delta" },
	.code = &diff_code,
};
