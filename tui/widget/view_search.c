#include "tui/widget/view_search.h"
#include "model/base/format.h"
#include "model/table/matches.h"
#include "tui/widget/view_job.h"
#include <stdio.h>
#include <string.h>

enum {
	SEARCH_AT_ONCE = 5000,  /* rows of short texts; else a job */
	SEARCH_LOADING = 50000, /* rows while there can be no job: 20 ms */
	LOOK_EVERY = 4096,
	MISS_BYTES = 128
};

/* The state that the rows' text depends on: if it changes, other rows may match. */
struct shown_as {
	uint32_t rows_version, session_version;
	bool has_short_names;
	uint8_t bytes_shown;
	/* Columns on screen that may match, besides the names. */
	int columns[COLUMNS_MAX], columns_count;
};

struct view_search {
	const struct view *view; /* its rows are fixed while the job runs */
	struct pattern *pattern;
	struct shown_as as;
	struct matches matches;
	/* The last text of each column that did not match: it often repeats. */
	char misses[COLUMNS_MAX][MISS_BYTES];
	atomic_bool is_awaited; /* wake the UI thread at the next match */

	/* Used by the UI thread only. */
	bool is_wanted;               /* the next match after `from` is wanted */
	bool is_backwards, has_begun; /* has_begun: for n and N */
	size_t from;
	size_t hit, number; /* row of the match, SIZE_MAX: none; its number, 0: unknown */
	bool is_due;        /* rows have changed or will */
	bool is_stopped;
};

/* --- one row ------------------------------------------------------------- */

static bool
row_matches(const struct view *v, const struct row *row, struct pattern *p)
{
	struct value name;
	struct arena a;
	bool found;

	arena_init(&a, 0);
	view_whole_cell(v, table_name_column(v->ops->table), row, &a, &name);
	found = name.kind == VALUE_TEXT &&
		(pattern_matches(p, name.text, name.text != name.buffer) ||
		 (name.also && pattern_matches(p, name.also, !name.is_brief)) ||
		 (name.type && pattern_matches(p, name.type->name, true)));
	arena_clear(&a);
	return found;
}

/* Numbers are formatted, which is slow, only if the pattern has a digit. */
static bool
may_be_number(const char *regex)
{
	return regex[strcspn(regex, "0123456789")] != '\0';
}

static void
read_shown_as(const struct view *v, struct shown_as *as)
{
	const struct column *name = table_name_column(v->ops->table);

	memset(as, 0, sizeof *as);
	as->rows_version = v->rows_version;
	as->session_version = v->session->version;
	as->has_short_names = v->session->shows_short_names;
	as->bytes_shown = v->session->bytes_shown;
	for (int i = 0; v->ops->table->columns[i].id; i++) {
		const struct column *c = &v->ops->table->columns[i];

		if (c != name && v->widths[i] && !(c->needs & ~v->session->has))
			as->columns[as->columns_count++] = i;
	}
}

/* True if the searched rows are still shown in the same way. */
static bool
is_searched(const struct view *v)
{
	const struct view_search *s = v->found;
	struct shown_as as;

	if (!s || s->is_due)
		return false;
	read_shown_as(v, &as);
	return as.rows_version == s->as.rows_version &&
	       as.session_version == s->as.session_version &&
	       as.has_short_names == s->as.has_short_names && as.bytes_shown == s->as.bytes_shown &&
	       as.columns_count == s->as.columns_count &&
	       !memcmp(as.columns, s->as.columns, sizeof as.columns);
}

/* Searches all texts of the row as they are shown. */
static bool
row_has(struct view_search *s, const struct row *row, bool with_numbers)
{
	const struct view *v = s->view;
	char out[VALUE_TEXT_BYTES];
	const char *text;
	struct value value;

	if (row_matches(v, row, s->pattern))
		return true;
	for (int i = 0; i < s->as.columns_count; i++) {
		view_cell(v, &v->ops->table->columns[s->as.columns[i]], row, &value);
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

/* --- all rows ------------------------------------------------------------ */

static void
wake_if_awaited(struct view_search *s)
{
	const struct waker *waker = &s->view->session->waker;

	if (atomic_load(&s->is_awaited) && atomic_exchange(&s->is_awaited, false) && waker->wake)
		waker->wake(waker->context);
}

static bool
look_at_rows(void *context, struct progress *progress, struct error *err)
{
	struct view_search *s = context;
	struct matches *m = &s->matches;
	bool with_numbers = may_be_number(pattern_text(s->pattern));
	struct row row;

	progress_begin(progress, "searching", "rows", m->rows_count);
	for (size_t i = 0; i < m->rows_count; i++) {
		/* One row may have millions of characters. */
		if (progress_is_cancelled(progress))
			return error_cancelled(err);
		view_row(s->view, matches_row(m, i), &row);
		if (!row.goes_on && row_has(s, &row, with_numbers)) {
			matches_add(m, i);
			wake_if_awaited(s);
		}
		if ((i + 1) % LOOK_EVERY)
			continue;
		matches_advance(m, i + 1);
		(void)progress_add(progress, LOOK_EVERY);
	}
	matches_advance(m, m->rows_count);
	return true;
}

/* The view owns the search. */
static void
look_done(struct view *v, void *context, bool ok)
{
	(void)v, (void)context, (void)ok;
}

bool
view_is_searching(const struct view *v)
{
	return v->job && v->job->done == look_done;
}

void
view_search_clear(struct view *v)
{
	struct view_search *s = v->found;

	if (view_is_searching(v))
		view_job_stop(v);
	v->found = NULL;
	if (!s)
		return;
	pattern_free(s->pattern);
	matches_clear(&s->matches);
	memory_free(s);
}

/* Replaces the previous search. */
static struct view_search *
new_search(struct view *v, bool backwards, struct error *err)
{
	struct view_search *s = memory_new(1, sizeof *s, err);

	view_search_clear(v);
	if (!s)
		return NULL;
	v->found = s;
	s->view = v;
	s->hit = SIZE_MAX;
	read_shown_as(v, &s->as);
	s->pattern = pattern_new(pattern_text(v->search), err);
	if (s->pattern && matches_init(&s->matches, v->rows_count, v->cursor, backwards, err))
		return s;
	view_search_clear(v);
	return NULL;
}

/* Returns what was searched, and where else to look. */
static const char *
where_else(const struct view *v)
{
	if (v->filter)
		return "row that passes the filter; Esc clears the filter, n searches again";
	if (!v->session->heap)
		return "row yet; n searches again when more is read";
	if (view_code(v->ops)->tree)
		return "open row; closed ones are not searched: + opens one";
	return pattern_is_case_sensitive(v->search)
		   ? "row with these capitals; lowercase letters match both"
		   : "row; / searches for something else";
}

/* --- what is next -------------------------------------------------------- */

static void
set_number(struct view_search *s)
{
	if (s->hit != SIZE_MAX && !s->number)
		s->number = matches_number(&s->matches, s->hit);
}

/* The user has moved the cursor meanwhile: leave it there. */
static void
forget_if_moved(const struct view *v)
{
	struct view_search *s = v->found;

	s->is_wanted = s->is_wanted && (s->is_due || v->cursor == s->from);
}

/* Moves to the wanted match if it is known; else waits for it. */
static bool
go_to_match(struct view *v, struct error *err)
{
	struct view_search *s = v->found;
	bool are_all;
	size_t at;

	if (!s->is_wanted)
		return true;
	atomic_store(&s->is_awaited, true);
	/* Read this first: the job may finish in between. */
	are_all = matches_complete(&s->matches);
	at = matches_nearest(&s->matches, s->from, s->is_backwards);
	if (at == SIZE_MAX && !are_all)
		return true;
	atomic_store(&s->is_awaited, false);
	s->is_wanted = false;
	if (at == SIZE_MAX)
		return error_set(err, ERROR_USAGE, "\"%.80s\" is in no %s",
				 pattern_text(s->pattern), where_else(v));
	s->hit = at;
	s->number = 0;
	set_number(s);
	if (at == s->from && s->has_begun)
		return error_set(err, ERROR_USAGE, "this is the only match");
	view_move_to(v, at);
	return true;
}

static void
want_match(struct view *v, bool backwards, bool has_begun)
{
	struct view_search *s = v->found;

	s->is_wanted = true;
	s->is_backwards = backwards;
	s->has_begun = has_begun;
	s->from = v->cursor;
}

/* Short searches run at once. A whole text may take about 10 ms. */
static bool
is_done_at_once(const struct view *v)
{
	return (v->rows_count <= SEARCH_AT_ONCE && !table_has_long_texts(v->ops->table)) ||
	       !view_can_run_on_rows(v);
}

/* Searches from the selected row on, by a job if it may take long and there is a heap. */
static bool
look(struct view *v, bool backwards, struct error *err)
{
	struct view_search *s = new_search(v, backwards, err);

	if (!s)
		return false;
	if (is_done_at_once(v))
		return look_at_rows(s, NULL, err);
	return view_run_on_rows(v, "searching", look_at_rows, look_done, s, err);
}

/* Types that are still loading are read under the loader's lock, which blocks it. */
static bool
can_look(const struct view *v, struct error *err)
{
	return v->session->heap || v->rows_count <= SEARCH_LOADING ||
	       error_set(err, ERROR_USAGE, "too many rows to search while the file is being read");
}

static bool
search_anew(struct view *v, bool backwards, bool has_begun, struct error *err)
{
	if (!look(v, backwards, err))
		return false;
	want_match(v, backwards, has_begun);
	return go_to_match(v, err);
}

static bool
search_from(struct view *v, bool backwards, bool has_begun, struct error *err)
{
	if (!v->search)
		return error_set(err, ERROR_USAGE, "nothing to search for yet; type / first");
	if (v->job && !view_is_searching(v))
		return error_set(err, ERROR_USAGE, "the rows are being %s; Esc stops that",
				 v->job->kind == JOB_READS_ROWS ? "written" : "made");
	if (!can_look(v, err))
		return false;
	if (!is_searched(v))
		return search_anew(v, backwards, has_begun, err);
	want_match(v, backwards, has_begun);
	if (!go_to_match(v, err))
		return false;
	if (!v->found->is_wanted ||
	    (view_is_searching(v) &&
	     matches_lead_to_nearest(&v->found->matches, v->cursor, backwards)))
		return true;
	return search_anew(v, backwards, has_begun, err);
}

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
		view_search_clear(v);
		pattern_free(v->search);
		v->search = p;
	}
	/* Rows are being made: search when they are complete. */
	if (v->job && !view_is_searching(v)) {
		if (!new_search(v, false, err))
			return false;
		want_match(v, false, false);
		v->found->is_due = true;
		return true;
	}
	return search_from(v, false, false, err);
}

/* --- what is left of it -------------------------------------------------- */

void
view_search_leave(struct view *v)
{
	struct view_search *s = v->found;

	if (!s)
		return;
	forget_if_moved(v);
	if (s->is_due)
		return;
	if (!s->is_stopped && (s->is_wanted || s->hit == v->cursor)) {
		s->is_due = true;
		s->hit = SIZE_MAX;
	} else {
		view_search_clear(v);
	}
}

void
view_search_stop(struct view *v)
{
	struct view_search *s = v->found;

	if (!s)
		return;
	s->is_stopped = s->is_due || !matches_complete(&s->matches);
	s->is_due = s->is_wanted = false;
}

/* Searches the new rows for the wanted match, or only counts matches there. */
static bool
begin_again(struct view *v, struct error *err)
{
	const struct view_search *s = v->found;
	struct error ignored = { 0 };
	bool is_wanted = s->is_wanted;

	if (is_wanted ? search_from(v, s->is_backwards, s->has_begun, err)
		      : can_look(v, &ignored) && look(v, s->is_backwards, &ignored))
		return true;
	view_search_clear(v);
	return !is_wanted;
}

/* True if another job has replaced the search, or rows changed. */
static bool
is_interrupted(const struct view *v)
{
	const struct view_search *s = v->found;

	return s->is_due || (!v->job && !s->is_stopped && !matches_complete(&s->matches));
}

bool
view_search_update(struct view *v, struct error *err)
{
	struct view_search *s = v->found;

	if (!s || (v->job && !view_is_searching(v)))
		return true;
	if (!s->is_due && !is_searched(v))
		view_search_leave(v);
	else
		forget_if_moved(v);
	if (v->found && is_interrupted(v) && !begin_again(v, err))
		return false;
	s = v->found;
	if (!s)
		return true;
	if (s->hit == SIZE_MAX && matches_has(&s->matches, v->cursor))
		s->hit = v->cursor;
	set_number(s);
	return go_to_match(v, err);
}

bool
view_search_is_due(const struct view *v)
{
	return v->found && v->found->is_due;
}

void
view_search_text(const struct view *v, char *out, size_t out_size)
{
	const struct view_search *s = v->found;
	char number[FORMAT_BYTES], count[FORMAT_BYTES];
	const char *more;

	out[0] = '\0';
	if (!s || s->hit != v->cursor || !is_searched(v))
		return;
	more = matches_complete(&s->matches) ? "" : s->is_stopped ? "+" : "+ …";
	format_count(atomic_load(&s->matches.count), count);
	if (s->number)
		snprintf(out, out_size, "match %s of %s%s  ", format_count(s->number, number),
			 count, more);
	else
		snprintf(out, out_size, "one of %s%s matches  ", count, more);
}
