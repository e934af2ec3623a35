#include "tui/view.h"
#include "tui/snapshots.h"
#include <string.h>

enum {
	SEARCH_AT_ONCE = 5000,   /* rows; more are searched by a job */
	SEARCH_LOADING = 50000,  /* rows, while there can be no job: 20 ms */
	SEARCH_COUNTED = 200000, /* rows; of more, matches are not counted */
	MISS_BYTES = 128
};

struct view_job {
	struct job *job;
	view_work *work;
	view_done *done;
	void *context;
	bool makes_rows, reads_rows;
};

/* --- jobs ---------------------------------------------------------------- */

static bool
run_work(void *context, struct progress *progress, struct error *err)
{
	struct view_job *vj = context;

	return vj->work(vj->context, progress, err);
}

/* Waits for the job, hands its result to the view. */
static bool
finish_work(struct view *v, struct error *err)
{
	struct view_job *vj = v->job;
	bool ok;

	v->job = NULL;
	v->rows_version += !vj->reads_rows;
	ok = job_finish(vj->job, err);
	vj->done(v, vj->context, ok);
	memory_free(vj);
	return ok;
}

/* What was wanted is shown, or did not come about: back to what is shown. */
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
	view_past_note(v);
}

/* True if it had done what it should before it could be stopped. */
static bool
stop_work(struct view *v)
{
	if (!v->job)
		return false;
	job_cancel(v->job->job);
	return finish_work(v, NULL);
}

static bool
start_work(struct view *v, const char *what, view_work *work, view_done *done,
	   void *context, bool reads_rows, struct error *err)
{
	struct view_job *vj;

	stop_work(v);
	vj = memory_new(1, sizeof *vj, err);
	if (vj) {
		*vj = (struct view_job){ NULL,    work,  done,
					 context, false, reads_rows };
		vj->job = job_start(what, run_work, vj, v->session->waker, err);
	}
	if (!vj || !vj->job) {
		memory_free(vj);
		done(v, context, false);
		return false;
	}
	v->job = vj;
	return v->session->waker.wake || finish_work(v, err);
}

bool
view_run(struct view *v, const char *what, view_work *work, view_done *done,
	 void *context, struct error *err)
{
	return start_work(v, what, work, done, context, false, err);
}

bool
view_run_on_rows(struct view *v, const char *what, view_work *work,
		 view_done *done, void *context, struct error *err)
{
	return start_work(v, what, work, done, context, true, err);
}

static const struct view_job *
job_for(const struct view *v)
{
	return v->job || !v->source ? v->job : v->source->job;
}

bool
view_is_busy(const struct view *v)
{
	return job_for(v) != NULL;
}

const struct job *
view_job(const struct view *v)
{
	const struct view_job *vj = job_for(v);

	return vj ? vj->job : NULL;
}

/* What its source did for it, or would before that; not to begin again. */
static bool
cancel_source(struct view *v)
{
	if (!v->source || !view_cancel(v->source))
		return false;
	v->was_stopped = v->is_stale;
	v->is_stale = false;
	return true;
}

bool
view_cancel(struct view *v)
{
	bool was_busy = v->job != NULL;
	bool makes_rows = was_busy && v->job->makes_rows;

	if (!was_busy && cancel_source(v))
		return true;
	if (!stop_work(v) && makes_rows)
		v->was_stopped = true;
	v->is_search_due = false;
	settle(v, false);
	return was_busy;
}

/* --- opening and closing ------------------------------------------------- */

int
view_column_by_id(const struct view_ops *ops, const char *id)
{
	for (int i = 0; ops->columns[i].id; i++)
		if (!strcmp(ops->columns[i].id, id))
			return i;
	return -1;
}

struct view *
view_open(const struct view_ops *ops, struct session *s,
	  const struct target *target, struct error *err)
{
	struct view *v = memory_new(1, sizeof *v, err);

	if (!v)
		return NULL;
	v->ops = ops;
	v->session = s;
	v->target = *target;
	v->is_stale = true;
	arena_init(&v->arena, 0);
	strncpy(v->title, ops->command.name, sizeof v->title - 1);
	if ((ops->open && !ops->open(v, err)) ||
	    !session_want(v->session, v->ops->needs, err)) {
		view_close(v);
		return NULL;
	}
	ops = v->ops;
	v->sort = ops->sort ? view_column_by_id(ops, ops->sort) : -1;
	v->is_descending = v->sort >= 0 && ops->columns[v->sort].sort == DOWN;
	v->shown.sort = v->sort;
	v->shown.is_descending = v->is_descending;
	return v;
}

void
view_close(struct view *v)
{
	if (!v)
		return;
	stop_work(v);
	if (v->ops->close)
		v->ops->close(v);
	if (v->shown.filter != v->filter)
		filter_free(v->shown.filter);
	filter_free(v->filter);
	pattern_free(v->search);
	arena_clear(&v->arena);
	memory_free(v);
}

/* --- search -------------------------------------------------------------- */

static bool
row_matches(const struct view *v, const struct row *row, struct pattern *p)
{
	struct value name;
	struct arena a;
	bool found;

	arena_init(&a, 0);
	view_whole_cell(v, view_name_column(v->ops), row, &a, &name);
	found = name.kind == VALUE_TEXT &&
		(pattern_matches(p, name.text, name.text != name.buffer) ||
		 (name.also && pattern_matches(p, name.also, !name.is_brief)));
	arena_clear(&a);
	return found;
}

struct search {
	const struct view *view; /* its rows stay until the job has ended */
	struct pattern *pattern;
	size_t rows_count, start, found;
	size_t number, count; /* it is this match, from 1, of all; 0: unknown */
	bool is_backwards, has_begun; /* begun: this is n or N */
	/* Columns on the screen that may have it, beside the names. */
	int columns[COLUMNS_MAX], columns_count;
	/* What was in them last and does not match: often it is so again. */
	char misses[COLUMNS_MAX][MISS_BYTES];
};

/* Numbers are many and slow to write: only for what may be part of one. */
static bool
may_be_number(const char *regex)
{
	return regex[strcspn(regex, "0123456789")] != '\0';
}

static void
choose_columns(const struct view *v, struct search *s)
{
	const struct column *name = view_name_column(v->ops);

	for (int i = 0; v->ops->columns[i].id; i++) {
		const struct column *c = &v->ops->columns[i];

		if (c != name && v->widths[i] && !(c->needs & ~v->session->has))
			s->columns[s->columns_count++] = i;
	}
}

/* In any text of the row, as it is shown. */
static bool
row_has(struct search *s, const struct row *row, bool with_numbers)
{
	const struct view *v = s->view;
	char out[VALUE_TEXT_BYTES];
	const char *text;
	struct value value;

	if (row_matches(v, row, s->pattern))
		return true;
	for (int i = 0; i < s->columns_count; i++) {
		view_cell(v, &v->ops->columns[s->columns[i]], row, &value);
		if (value.kind != VALUE_TEXT && !with_numbers)
			continue;
		text = value_for_people(&value, out);
		if (!strcmp(text, s->misses[i]))
			continue;
		if (pattern_matches(s->pattern, text, false))
			return true;
		if (strlen(text) < MISS_BYTES)
			strcpy(s->misses[i], text);
	}
	return false;
}

/* What was searched, and where it may be instead. */
static const char *
where_else(const struct view *v)
{
	if (v->filter)
		return "row that the filter lets through; Esc clears that, n "
		       "searches again";
	if (!v->session->heap)
		return "row yet; n searches again when more is read";
	return v->ops->fold ? "open row; + opens one, n searches again"
			    : "row; / searches for something else";
}

/* Which of how many it is; where there are more rows nobody waits for that. */
static void
count_hits(struct search *s, bool with_numbers)
{
	struct row row;

	if (s->rows_count > SEARCH_COUNTED)
		return;
	for (size_t i = 0; i < s->rows_count; i++) {
		s->view->ops->row(s->view, i, &row);
		if (!row_has(s, &row, with_numbers))
			continue;
		s->count++;
		s->number += i <= s->found;
	}
}

static bool
search_rows(void *context, struct progress *progress, struct error *err)
{
	struct search *s = context;
	bool with_numbers = may_be_number(pattern_text(s->pattern));
	size_t n = s->rows_count;
	struct row row;

	progress_begin(progress, "searching", n);
	for (size_t i = 1; i <= n; i++) {
		size_t at = s->is_backwards ? (s->start + n - i) % n
					    : (s->start + i) % n;

		s->view->ops->row(s->view, at, &row);
		if (row_has(s, &row, with_numbers)) {
			s->found = at;
			count_hits(s, with_numbers);
			return i < n || !s->has_begun ||
			       error_set(err, ERROR_USAGE,
					 "this is the only match");
		}
		if (i % 65536 == 0 && !progress_add(progress, 65536))
			return error_cancelled(err);
	}
	return error_set(err, ERROR_USAGE, "\"%.80s\" is in no %s",
			 pattern_text(s->pattern), where_else(s->view));
}

static void
search_done(struct view *v, void *context, bool ok)
{
	struct search *s = context;

	if (ok) {
		v->hits.row = s->found;
		v->hits.rows_count = s->rows_count;
		v->hits.number = s->number;
		v->hits.count = s->count;
		view_move_to(v, s->found);
	}
	pattern_free(s->pattern);
	memory_free(s);
}

static bool
search_from(struct view *v, bool backwards, bool has_begun, struct error *err)
{
	struct search *s;

	if (!v->search)
		return error_set(err, ERROR_USAGE,
				 "nothing to search for yet; type / first");
	if (v->job && v->job->done != search_done)
		return error_set(err, ERROR_USAGE,
				 "the rows are being %s; Esc stops that",
				 v->job->reads_rows ? "written" : "made");
	/* The loader's types: read under its lock, which it is waiting for. */
	if (!v->session->heap && v->rows_count > SEARCH_LOADING)
		return error_set(err, ERROR_USAGE,
				 "too many rows to search them while the file "
				 "is being read");
	v->is_search_due = false;
	s = memory_new(1, sizeof *s, err);
	if (!s)
		return false;
	s->view = v;
	s->rows_count = v->rows_count;
	s->start = v->cursor;
	s->is_backwards = backwards;
	s->has_begun = has_begun;
	choose_columns(v, s);
	s->pattern = pattern_new(pattern_text(v->search), err);
	if (!s->pattern) {
		memory_free(s);
		return false;
	}
	if (s->rows_count <= SEARCH_AT_ONCE || !v->session->heap) {
		bool ok = search_rows(s, NULL, err);

		search_done(v, s, ok);
		return ok;
	}
	return view_run_on_rows(v, "searching", search_rows, search_done, s,
				err);
}

void
view_restart(struct view *v)
{
	bool is_search = v->job && v->job->done == search_done;
	bool makes_rows = v->job && v->job->makes_rows;

	if (!v->job)
		return;
	if (is_search) {
		const struct search *s = v->job->context;

		v->is_due_backwards = s->is_backwards;
		v->has_due_begun = s->has_begun;
	}
	/* What was found in the meantime is found. */
	v->is_search_due = !stop_work(v) && is_search;
	v->is_stale = v->is_stale || makes_rows;
}

/* --- rows ---------------------------------------------------------------- */

/* Which row was selected and where on screen, to find it again. */
struct anchor {
	bool has_key;
	uint64_t key;
	size_t line;
};

static struct anchor
anchor_take(const struct view *v)
{
	struct anchor a = { 0 };
	struct row row;

	if (!v->has_moved || !view_selected(v, &row))
		return a;
	a.has_key = true;
	a.key = row.key;
	a.line = v->cursor >= v->top ? v->cursor - v->top : 0;
	return a;
}

static size_t
find_row(const struct view *v, uint64_t key)
{
	struct row row;

	if (v->ops->find)
		return v->ops->find(v, key);
	for (size_t i = 0; i < v->rows_count; i++) {
		v->ops->row(v, i, &row);
		if (row.key == key)
			return i;
	}
	return SIZE_MAX;
}

static void
anchor_restore(struct view *v, const struct anchor *a)
{
	size_t at = a->has_key ? find_row(v, a->key) : SIZE_MAX;

	if (at != SIZE_MAX) {
		v->cursor = at;
		v->top = at > a->line ? at - a->line : 0;
	} else if (!v->has_moved) {
		v->cursor = v->top = 0;
	}
	if (v->cursor >= v->rows_count)
		v->cursor = v->rows_count ? v->rows_count - 1 : 0;
}

/* What order and filter need: with less, the rows are not what they will be. */
static unsigned
extra_needs(const struct view *v)
{
	return (v->sort < 0 ? 0U : v->ops->columns[v->sort].needs) |
	       (v->filter ? filter_needs(v->filter) : 0U);
}

/* Of rows that were to be made. */
static void
note_outcome(struct view *v, bool ok, const struct error *err)
{
	v->was_stopped = !ok && (!err || err->kind == ERROR_CANCELLED);
	snprintf(v->trouble, sizeof v->trouble, "%s",
		 ok || v->was_stopped ? "" : err->message);
}

static bool
make_rows(struct view *v, struct error *err)
{
	struct anchor a = anchor_take(v);
	bool ok;

	view_restart(v);
	v->is_stale = false;
	v->rows_version++;
	v->hits.count = 0;
	ok = (!v->filter || filter_bind(v->filter, v, err)) &&
	     v->ops->rows(v, err);
	if (v->job && !v->job->reads_rows) {
		v->job->makes_rows = true;
	} else {
		note_outcome(v, ok, err);
		settle(v, ok);
		anchor_restore(v, &a);
	}
	return ok;
}

static bool
end_work(struct view *v, struct error *err)
{
	struct anchor a = anchor_take(v);
	bool reads_rows = v->job->reads_rows, makes_rows = v->job->makes_rows;
	bool ok = finish_work(v, err);

	if (reads_rows)
		return ok;
	if (makes_rows)
		note_outcome(v, ok, err);
	settle(v, ok);
	anchor_restore(v, &a);
	return ok;
}

/* Changes with whatever the rows may be made of. */
static uint32_t
version_of(const struct view *v)
{
	const struct snapshots *all = v->session->snapshots;
	uint32_t version = 0;

	if (v->source)
		return v->session->version + v->source->rows_version;
	if (!(v->ops->needs & NEED_SNAPSHOTS) || !all)
		return v->session->version;
	for (size_t i = 0; i < all->count; i++)
		version += all->sessions[i]->version;
	return version;
}

static bool
update_rows(struct view *v, struct error *err)
{
	struct session *s = v->session;
	unsigned needs = v->ops->needs | extra_needs(v);
	uint32_t version = version_of(v);

	if (v->session_version != version) {
		v->session_version = version;
		/* Distances can change for good: `:set nostatics`. */
		if (v->ops->flags & VIEW_LIVE || needs & NEED_REACH ||
		    extra_needs(v))
			v->is_stale = true;
	}
	v->is_waiting = !(v->ops->flags & VIEW_LIVE) && v->ops->needs & ~s->has;
	if (!v->is_stale || v->is_waiting)
		return true;
	v->is_stale = false;
	return make_rows(v, err);
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
	if (!v->is_search_due || v->job || v->is_waiting)
		return true;
	return search_from(v, v->is_due_backwards, v->has_due_begun, err);
}

bool
view_reload(struct view *v, struct error *err)
{
	v->is_stale = true;
	return view_update(v, err);
}

/* --- columns ------------------------------------------------------------- */

static bool
knows_generations(const struct view *v)
{
	const struct heap *h = v->session->heap;

	return h && h->generation_counts;
}

static bool
is_from_memory(const struct view *v)
{
	return v->session->heap && v->session->heap->memory;
}

bool
view_column_is_wanted(const struct column *c, const char *ids)
{
	size_t len = strlen(c->id);

	for (; *ids; ids += strcspn(ids, ","), ids += *ids == ',')
		if (strcspn(ids, ",:") == len && !strncmp(ids, c->id, len))
			return true;
	return false;
}

bool
view_has_column(const struct view *v, const struct column *c, bool for_machines)
{
	unsigned hidden = for_machines ? COLUMN_SCREEN : COLUMN_MACHINE;

	if (c->flags & hidden)
		return false;
	/* What a row is about is always there. */
	if (!for_machines && v->wanted && *v->wanted && c->width != FILL &&
	    !view_column_is_wanted(c, v->wanted))
		return false;
	/* It will not come, or nobody is there to wait for it. */
	if (c->flags & COLUMN_DEAR && c->needs & ~v->session->has &&
	    (!v->session->waker.wake || session_lacks(v->session, c->needs)))
		return false;
	if (c->flags & (COLUMN_MEMORY | COLUMN_CAPTURE) &&
	    !(c->flags & COLUMN_MEMORY) == is_from_memory(v))
		return false;
	/* Views without such columns may do without a session. */
	if (!(c->flags & COLUMN_RANGES))
		return true;
	if (knows_generations(v))
		return true;
	return for_machines && c->flags & COLUMN_BLANK;
}

const struct column *
view_name_column(const struct view_ops *ops)
{
	for (const struct column *c = ops->columns; c->id; c++)
		if (c->width == FILL)
			return c;
	return ops->columns;
}

/* As a share only what is a part of the heap. */
static void
show_bytes_as_set(const struct view *v, struct value *out)
{
	const struct heap *h = v->session->heap;

	out->bytes_shown = v->session->bytes_shown;
	if (h && v->ops->needs & (NEED_TYPES | NEED_OBJECTS))
		out->whole = h->bytes_count;
}

void
view_cell(const struct view *v, const struct column *c, const struct row *row,
	  struct value *out)
{
	bool has_generations = c->flags & COLUMN_RANGES && knows_generations(v);

	/* Some files tell those of types without their objects. */
	if (c->needs & ~v->session->has && !has_generations)
		value_pending(out);
	else if (c->flags & COLUMN_RANGES && !has_generations)
		value_blank(out);
	else if (c->cell)
		c->cell(v, row, out);
	else
		v->ops->cell(v, c, row, out);
	if (out->kind == VALUE_BYTES)
		show_bytes_as_set(v, out);
}

void
view_whole_cell(const struct view *v, const struct column *c,
		const struct row *row, struct arena *a, struct value *out)
{
	const char *whole;

	view_cell(v, c, row, out);
	if (!v->ops->whole_name || c != view_name_column(v->ops) ||
	    !v->ops->whole_name(v, row, a, &whole))
		return;
	out->also = whole;
	out->is_brief = true;
}

void
view_type_cell(const struct view *v, type_id type, struct value *out)
{
	value_text(out, STYLE_TYPE, session_type_name(v->session, type));
	out->type = &v->session->types[type];
	out->also = out->type->raw;
}

/* --- moving -------------------------------------------------------------- */

void
view_move_to(struct view *v, size_t index)
{
	v->has_moved = true;
	v->cursor = index;
	if (v->cursor >= v->rows_count)
		v->cursor = v->rows_count ? v->rows_count - 1 : 0;
}

void
view_move_by(struct view *v, long long rows)
{
	if (rows < 0 && v->cursor < (size_t)-rows)
		view_move_to(v, 0);
	else
		view_move_to(v, v->cursor + (size_t)rows);
}

bool
view_selected(const struct view *v, struct row *out)
{
	if (v->cursor >= v->rows_count)
		return false;
	v->ops->row(v, v->cursor, out);
	return true;
}

struct target
view_target(const struct view *v)
{
	struct row row;

	if (view_selected(v, &row)) {
		if (row.node != NODE_NONE)
			return target_of_node(v->session, row.node);
		if (row.type != TYPE_NONE)
			return target_of_type(row.type);
	}
	return v->target;
}

bool
view_fold(struct view *v, size_t index, bool open, struct error *err)
{
	struct row row;

	if (!v->ops->fold || index >= v->rows_count)
		return true;
	stop_work(v);
	v->ops->row(v, index, &row);
	if (row.fold == FOLD_NONE)
		return error_set(err, ERROR_USAGE, "nothing is below this row");
	if ((row.fold == FOLD_OPEN) == open)
		return error_set(err, ERROR_USAGE, "this row is %s already",
				 open ? "open" : "closed");
	v->rows_version++;
	return v->ops->fold(v, index, open, err);
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

/* --- order and filter ---------------------------------------------------- */

bool
view_sort_to(struct view *v, int column, bool is_descending, struct error *err)
{
	stop_work(v);
	v->sort = column;
	v->is_descending = is_descending;
	return view_reload(v, err);
}

static bool
cannot_sort_by(const struct view *v, const char *id, struct error *err)
{
	char ids[160] = "";
	size_t len = 0;

	for (const struct column *c = v->ops->columns; c->id; c++)
		if (c->sort != UNSORTED && view_has_column(v, c, false) &&
		    len < sizeof ids)
			len += (size_t)snprintf(
			    ids + len, sizeof ids - len, "%s%s",
			    len ? ", " : ": it has ", c->id);
	return error_set(err, ERROR_USAGE, "%s does not sort by \"%.30s\"%s",
			 v->ops->command.name, id,
			 len ? ids : ", nor by anything else");
}

bool
view_find_sort(const struct view *v, const char *text, int *column,
	       bool *is_descending, struct error *err)
{
	bool is_reversed = *text == '-',
	     has_sign = *text && strchr("+-", *text);
	enum sort sort;

	*column = view_column_by_id(v->ops, text + has_sign);
	sort = *column < 0 ? UNSORTED : v->ops->columns[*column].sort;
	if (sort == UNSORTED)
		return cannot_sort_by(v, text, err);
	if (v->ops->columns[*column].flags & COLUMN_RANGES &&
	    v->session->heap && !knows_generations(v))
		return error_set(err, ERROR_USAGE,
				 "this heap does not say in which generation "
				 "an object is");
	*is_descending = (sort == DOWN) != is_reversed;
	return true;
}

bool
view_sort(struct view *v, int column, struct error *err)
{
	bool is_descending = v->ops->columns[column].sort == DOWN;

	if (v->ops->columns[column].sort == UNSORTED)
		return cannot_sort_by(v, v->ops->columns[column].id, err);
	if (column == v->sort)
		is_descending = !v->is_descending;
	return view_sort_to(v, column, is_descending, err);
}

static bool
filter_by(struct view *v, const char *text, enum filter_language language,
	  struct error *err)
{
	struct filter *f = NULL;

	if (*text) {
		f = filter_new(v, text, language, err);
		if (!f)
			return false;
		if (!session_want(v->session, filter_needs(f), err)) {
			filter_free(f);
			return false;
		}
	}
	stop_work(v);
	if (v->filter != v->shown.filter)
		filter_free(v->filter);
	v->filter = f;
	return view_reload(v, err);
}

bool
view_filter(struct view *v, const char *text, struct error *err)
{
	return filter_by(v, text, FILTER_ANY, err);
}

bool
view_where(struct view *v, const char *text, struct error *err)
{
	return filter_by(v, text, FILTER_EXPRESSION, err);
}

bool
view_filter_opening(struct view *v, const char *text, struct error *err)
{
	v->opened_with = arena_strndup(&v->arena, text, strlen(text), err);
	return v->opened_with && view_where(v, text, err);
}

bool
view_filter_less(struct view *v, struct error *err)
{
	const char *least = v->opened_with ? v->opened_with : "";

	return v->filter && strcmp(filter_text(v->filter), least) != 0 &&
	       view_where(v, least, err);
}

bool
view_sort_and_filter(struct view *v, const char *sort, const char *filter,
		     struct error *err)
{
	bool is_descending;
	int column;

	if (filter && !view_filter(v, filter, err))
		return false;
	return !sort ||
	       (view_find_sort(v, sort, &column, &is_descending, err) &&
		view_sort_to(v, column, is_descending, err));
}

bool
view_lets_through(const struct view *v, const struct row *row)
{
	return !v->filter || filter_lets_through(v->filter, v, row);
}

/* --- search, from outside ----------------------------------------------- */

bool
view_search_again(struct view *v, bool backwards, struct error *err)
{
	return search_from(v, backwards, true, err);
}

bool
view_search(struct view *v, const char *regex, struct error *err)
{
	struct pattern *p;

	if (*regex) {
		p = pattern_new(regex, err);
		if (!p)
			return false;
		if (v->job && v->job->done == search_done)
			stop_work(v);
		pattern_free(v->search);
		v->search = p;
		v->hits.count = 0;
	}
	/* Rows are on their way: they are searched when they have come. */
	if (v->job && v->job->done != search_done) {
		v->is_search_due = true;
		v->is_due_backwards = v->has_due_begun = false;
		return true;
	}
	return search_from(v, false, false, err);
}
