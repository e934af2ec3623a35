#include "tui/widget/view.h"
#include "tui/session/snapshots.h"
#include "tui/widget/view_job.h"
#include "tui/widget/view_search.h"
#include <string.h>

/* --- the selected row ---------------------------------------------------- */

static struct row_place
selected_place(const struct view *v)
{
	struct row_place p = { 0 };
	struct row row;

	if (!view_selected(v, &row))
		return p;
	p.has_key = true;
	p.key = row.key;
	p.line = v->cursor >= v->top ? v->cursor - v->top : 0;
	return p;
}

/* Remember the selected row before rows are made anew. */
static void
anchor_take(struct view *v)
{
	v->anchor = v->has_moved ? selected_place(v) : (struct row_place){ 0 };
	v->gone.has_key = v->gone.has_key && v->has_moved;
}

static size_t
find_row(const struct view *v, uint64_t key)
{
	struct row row;

	if (view_code(v->ops)->find)
		return view_code(v->ops)->find(v, key);
	for (size_t i = 0; i < v->rows_count; i++) {
		view_row(v, i, &row);
		if (row.key == key)
			return i;
	}
	return SIZE_MAX;
}

static bool
go_to_place(struct view *v, const struct row_place *p)
{
	size_t at = p->has_key ? find_row(v, p->key) : SIZE_MAX;

	if (at == SIZE_MAX)
		return false;
	v->cursor = at;
	v->top = at > p->line ? at - p->line : 0;
	return true;
}

/* True if the selection has not changed since a row disappeared. */
static bool
is_instead(const struct view *v)
{
	return v->gone.has_key && v->anchor.has_key == v->instead.has_key &&
	       v->anchor.key == v->instead.key;
}

static void
anchor_restore(struct view *v)
{
	bool has_gone = is_instead(v);

	if (has_gone && go_to_place(v, &v->gone)) {
		v->gone.has_key = false;
	} else if (go_to_place(v, &v->anchor)) {
		v->gone.has_key = has_gone;
	} else {
		if (!has_gone)
			v->gone = v->anchor;
		if (!v->has_moved)
			v->cursor = v->top = 0;
	}
	if (v->cursor >= v->rows_count)
		v->cursor = v->rows_count ? v->rows_count - 1 : 0;
	v->instead = selected_place(v);
}

void
view_select_key(struct view *v, uint64_t key)
{
	size_t at = find_row(v, key);

	v->cursor = at == SIZE_MAX ? 0 : at;
}

/* --- what runs for it ---------------------------------------------------- */

/* Adopt the wanted order and filter if rows were made, else go back to those shown. */
static void
settle(struct view *v, bool ok)
{
	if (v->filter != v->shown.filter)
		filter_free(ok ? v->shown.filter : v->filter);
	if (ok) {
		v->shown.filter = v->filter;
		v->shown.sort = v->sort;
		v->shown.is_descending = v->is_descending;
	} else {
		v->filter = v->shown.filter;
		v->sort = v->shown.sort;
		v->is_descending = v->shown.is_descending;
	}
	view_undo_note(v);
}

/* Stops the source's job for this view; it does not start again. */
static bool
cancel_source(struct view *v)
{
	if (!v->source || !view_cancel(v->source))
		return false;
	v->was_stopped = v->is_stale;
	v->is_stale = false;
	return true;
}

/* Records whether rows were made. */
static void
note_outcome(struct view *v, bool ok, const struct error *err)
{
	v->was_stopped = !ok && (!err || err->kind == ERROR_CANCELLED);
	snprintf(v->trouble, sizeof v->trouble, "%s", ok || v->was_stopped ? "" : err->message);
}

static bool
is_making_rows(const struct view *v)
{
	return v->job && v->job->begun_by_rows;
}

/* Stops the job but keeps the wanted order and filter. Returns false if rows were being made and
   are not. */
static bool
stop_job(struct view *v)
{
	bool makes_rows = is_making_rows(v);
	bool reads_rows = v->job && v->job->kind == JOB_READS_ROWS;
	const struct error none = { 0 };

	if (!v->job)
		return true;
	anchor_take(v);
	if (!view_job_stop(v) || reads_rows)
		return !makes_rows;
	/* The job ended before it could be stopped: show its rows. */
	if (makes_rows) {
		note_outcome(v, true, &none);
		settle(v, true);
	}
	anchor_restore(v);
	return true;
}

/* Stops the job and gives up the rows it was making. */
static void
stop_work(struct view *v)
{
	if (stop_job(v))
		return;
	v->was_stopped = true;
	settle(v, false);
}

bool
view_cancel(struct view *v)
{
	bool was_busy = v->job != NULL;

	if (!was_busy && cancel_source(v))
		return true;
	stop_work(v);
	view_search_stop(v);
	settle(v, false);
	v->awaited.is_set = false;
	return was_busy;
}

void
view_rows_change(struct view *v)
{
	stop_work(v);
	view_search_leave(v);
	v->rows_version++;
}

/* --- opening and closing ------------------------------------------------- */

unsigned
view_own_needs(const struct view_ops *ops, const struct session *s)
{
	unsigned some = s->has & NEED_PROCESS ? NEED_PROCESS : NEED_TYPES;

	return ops->list.flags & VIEW_OF_TYPES && s->has_only_types ? some : view_needs(ops);
}

struct view *
view_open(const struct view_ops *ops, struct session *s, const struct target *target,
	  struct error *err)
{
	struct view *v = memory_new(1, sizeof *v, err);

	if (!v)
		return NULL;
	v->ops = ops;
	v->session = s;
	v->target = *target;
	v->is_stale = true;
	v->row_lines = 1;
	arena_init(&v->arena, 0);
	strncpy(v->title, ops->command.name, sizeof v->title - 1);
	if (!view_accepts(v, err) || (view_code(ops)->open && !view_code(ops)->open(v, err)) ||
	    !session_want(v->session, view_own_needs(v->ops, v->session), err)) {
		view_close(v);
		return NULL;
	}
	ops = v->ops;
	v->sort = ops->list.sort ? column_by_id(ops->table->columns, ops->list.sort) : -1;
	v->is_descending = v->sort >= 0 && ops->table->columns[v->sort].sort == DOWN;
	v->shown.sort = v->sort;
	v->shown.is_descending = v->is_descending;
	return v;
}

void
view_close(struct view *v)
{
	if (!v)
		return;
	view_job_stop(v);
	if (view_code(v->ops)->close)
		view_code(v->ops)->close(v);
	view_made_free(v);
	if (v->shown.filter != v->filter)
		filter_free(v->shown.filter);
	filter_free(v->filter);
	view_search_clear(v);
	pattern_free(v->search);
	memory_free(v->items);
	arena_clear(&v->arena);
	memory_free(v);
}

void
view_restart(struct view *v)
{
	bool makes_rows = is_making_rows(v);

	stop_job(v);
	v->is_stale = v->is_stale || makes_rows;
}

/* --- rows ---------------------------------------------------------------- */

/* Returns the needs of order and filter, without which the rows are not
   final. */
static unsigned
extra_needs(const struct view *v)
{
	int sort = v->awaited.is_set ? v->awaited.sort : v->sort;

	return (sort < 0 ? 0U : v->ops->table->columns[sort].needs) |
	       (v->filter ? filter_needs(v->filter) : 0U);
}

unsigned
view_row_needs(const struct view *v)
{
	return view_own_needs(v->ops, v->session) | extra_needs(v);
}

bool
view_has_settled(const struct view *v)
{
	return !v->is_waiting && !v->is_stale && !view_is_busy(v) &&
	       !((extra_needs(v) | v->ops->list.wants) & ~v->session->has);
}

static bool
make_rows(struct view *v, struct error *err)
{
	struct listing l;
	bool ok;

	anchor_take(v);
	view_restart(v);
	v->is_stale = false;
	view_search_leave(v);
	v->rows_version++;
	l = view_listing(v);
	ok = (!v->filter || filter_bind(v->filter, &l, err)) && view_make_rows(v, err);
	if (v->job)
		v->job->begun_by_rows = v->job->kind != JOB_READS_ROWS;
	if (!v->job || v->job->kind != JOB_MAKES_ROWS) {
		note_outcome(v, ok, err);
		settle(v, ok);
		anchor_restore(v);
	}
	return ok;
}

static bool
end_work(struct view *v, struct error *err)
{
	bool reads_rows = v->job->kind == JOB_READS_ROWS;
	bool makes_rows = is_making_rows(v), ok;

	anchor_take(v);
	ok = view_job_finish(v, err);
	if (reads_rows)
		return ok;
	if (makes_rows)
		note_outcome(v, ok, err);
	settle(v, ok);
	anchor_restore(v);
	return ok;
}

/* Returns a version that changes with anything the rows may be made from. */
static uint32_t
version_of(const struct view *v)
{
	const struct snapshots *all = v->session->snapshots;
	uint32_t version = 0;

	if (v->source)
		return v->session->version + v->source->rows_version;
	if (v->ops->list.flags & VIEW_MARKS)
		return v->session->version + v->session->marks.version;
	if (!(view_needs(v->ops) & NEED_SNAPSHOTS) || !all)
		return v->session->version;
	for (size_t i = 0; i < all->count; i++)
		version += all->sessions[i]->version;
	return version;
}

/* Uses the awaited order if its needs are met; drops it if nothing computes
   them. */
static void
settle_order(struct view *v)
{
	const struct session *s = v->session;
	unsigned needs;

	if (!v->awaited.is_set)
		return;
	needs = v->ops->table->columns[v->awaited.sort].needs;
	if (needs & ~s->has && session_job(s))
		return;
	v->awaited.is_set = false;
	if (needs & ~s->has)
		return;
	v->sort = v->awaited.sort;
	v->is_descending = v->awaited.is_descending;
	v->is_stale = true;
}

/* If the data of the current order is being recomputed, the rows stay until it is back. */
static bool
keeps_order(const struct view *v)
{
	const struct session *s = v->session;

	return session_job(s) && v->rows_count && v->sort >= 0 &&
	       v->ops->table->columns[v->sort].needs & ~s->has && v->sort == v->shown.sort &&
	       v->filter == v->shown.filter && s->has & NEED_OBJECTS;
}

/* Drops an order whose data is missing and not on its way: its column is
   hidden. */
static void
leave_order(struct view *v)
{
	const struct session *s = v->session;
	unsigned needs = v->sort < 0 ? 0 : v->ops->table->columns[v->sort].needs;

	if (!(needs & ~s->has) || session_job(s) || s->waiting & needs)
		return;
	v->sort = view_order_left(v, &v->is_descending);
	v->is_stale = true;
}

static bool
update_rows(struct view *v, struct error *err)
{
	struct session *s = v->session;
	unsigned needs = view_row_needs(v);
	uint32_t version = version_of(v);

	if (v->session_version != version) {
		v->session_version = version;
		/* Distances can change permanently: `:set nostatics`. So can `mymodules`. */
		if (v->ops->list.flags & VIEW_LIVE || needs & (NEED_REACH | NEED_RETAINED) ||
		    extra_needs(v) || (v->made && !view_made_is_current(v)))
			v->is_stale = true;
	}
	v->is_waiting = !(v->ops->list.flags & VIEW_LIVE) && view_own_needs(v->ops, s) & ~s->has;
	if (!v->is_waiting) {
		settle_order(v);
		leave_order(v);
	}
	if (!v->is_stale || v->is_waiting)
		return true;
	v->is_stale = keeps_order(v);
	return v->is_stale || make_rows(v, err);
}

bool
view_update(struct view *v, struct error *err)
{
	if (v->source && !view_update(v->source, err))
		return false;
	if (v->job && job_is_done(v->job->job) && !end_work(v, err))
		return false;
	if (!update_rows(v, err))
		return false;
	view_measure(v);
	return v->is_waiting || view_search_update(v, err);
}

bool
view_reload(struct view *v, struct error *err)
{
	v->is_stale = true;
	return view_update(v, err);
}

/* --- unfolding --------------------------------------------------------- */

/* Stops the job and returns the row's new index: a job that had already ended has added its rows.
 */
static size_t
stop_work_at(struct view *v, size_t index)
{
	struct row before, now = { 0 };

	if (!v->job)
		return index;
	view_row(v, index, &before);
	stop_work(v);
	if (index < v->rows_count)
		view_row(v, index, &now);
	return index < v->rows_count && now.key == before.key ? index : find_row(v, before.key);
}

static bool
can_fold(const struct view *v, size_t index, bool open, struct error *err)
{
	struct row row;

	view_row(v, index, &row);
	if (row.fold == FOLD_NONE)
		return error_set(err, ERROR_USAGE, "nothing is below this row");
	return (row.fold == FOLD_OPEN) != open ||
	       error_set(err, ERROR_USAGE, "this row is %s already", open ? "open" : "closed");
}

bool
view_fold(struct view *v, size_t index, bool open, struct error *err)
{
	if (!view_code(v->ops)->tree || index >= v->rows_count)
		return true;
	/* A refused key stops no job. */
	if (!can_fold(v, index, open, err))
		return false;
	index = stop_work_at(v, index);
	if (index >= v->rows_count)
		return true;
	if (!can_fold(v, index, open, err))
		return false;
	view_rows_change(v);
	return view_code(v->ops)->tree->fold(v, index, open, err);
}

bool
view_command_unfold(const struct call *call, struct error *err)
{
	return view_fold(call->view, call->view->cursor, true, err);
}

bool
view_command_fold(const struct call *call, struct error *err)
{
	return view_fold(call->view, call->view->cursor, false, err);
}
