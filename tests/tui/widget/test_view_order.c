/* A view's order and filter: what is shown when keys come before the rows. */
#include "tests/made/graphs.h"
#include "tests/drive/jobs.h"
#include "tests/drive/heaps.h"
#include "tests/drive/run_tests.h"
#include "tui/app/views.h"
#include "tui/widget/drawn_cell.h"
#include "tui/widget/view_job.h"

#include <sched.h>
#include <string.h>

static struct view *
open_view(const struct view_ops *ops)
{
	const struct heap *h = heap_of_graph(graph_mixed(7, 1000));
	struct error err = { 0 };
	struct session *s = session_on_threads(h);
	struct view *v;

	assert_non_null(s);
	v = view_open(ops, s, &target_none, &err);
	assert_non_null(v);
	return v;
}

static void
close_view(struct view *v)
{
	struct session *s = v->session;

	view_close(v);
	session_free(s);
}

static uint64_t
selected_key(const struct view *v)
{
	struct row row;

	assert_true(view_selected(v, &row));
	return row.key;
}

/* --- rows whose job ends when a test says so ------------------------------ */

enum { LISTED = 100, FILTERED = 10, BACKWARDS = 1 };

struct list_state {
	atomic_bool waits;   /* until it is cancelled */
	atomic_bool noticed; /* its order changed while it ran */
	bool is_backwards;   /* of the rows that are shown */
	uint64_t opened;     /* the row that was opened last; 0: none */
};
struct listing_work {
	struct view *view;
	struct list_state *listing;
	int sort;
	size_t count;
};

static void
number_cell(const struct cells *in, const struct row *row, struct value *out)
{
	(void)in;
	value_count(out, row->data);
}

static bool
listing_open(struct view *v, struct error *err)
{
	v->state = arena_new(&v->arena, struct list_state, err);
	return v->state != NULL;
}

static bool
run_listing(void *context, struct progress *progress, struct error *err)
{
	struct listing_work *w = context;

	while (w->listing->waits && !progress_is_cancelled(progress))
		if (*(const volatile int *)&w->view->sort != w->sort)
			w->listing->noticed = true;
	return !w->listing->waits || error_cancelled(err);
}

static void
listing_done(struct view *v, void *context, bool ok)
{
	struct listing_work *w = context;

	if (ok) {
		w->listing->is_backwards = w->sort == BACKWARDS;
		v->rows_count = w->count;
	}
	memory_free(w);
}

static bool
listing_rows(struct view *v, struct error *err)
{
	struct listing_work *w = memory_new(1, sizeof *w, err);

	if (!w)
		return false;
	*w = (struct listing_work){ v, v->state, v->sort, v->filter ? FILTERED : LISTED };
	return view_run(v, "listing", run_listing, listing_done, w, err);
}

static void
list_row(const struct view *v, size_t index, struct row *out)
{
	const struct list_state *l = v->state;

	*out = row_of(ROW_OBJECT);
	out->data = l->is_backwards ? v->rows_count - index : index + 1;
	out->key = out->data;
	out->fold = FOLD_CLOSED;
}

static bool
listing_fold(struct view *v, size_t index, bool open, struct error *err)
{
	struct list_state *l = v->state;
	struct row row;

	(void)err;
	assert_true(open && index < v->rows_count);
	list_row(v, index, &row);
	l->opened = row.key;
	return true;
}

/* clang-format off */
static const struct column listing_columns[] = {
	{ "forwards",  "Forwards",  9,    UP, CELL(VALUE_COUNT, number_cell), "", 0, 0, 0 },
	{ "backwards", "Backwards", FILL, UP, CELL(VALUE_COUNT, number_cell), "", 0, 0, 0 },
	{ "held",      "Held",      9,    UP, CELL(VALUE_COUNT, number_cell), "", 0, 0, NEED_RETAINED },
	{ 0 },
};
static const struct table listing_table = { .name = "listing", .columns = listing_columns };
/* clang-format on */
static const struct view_code listing_ops_code = {
	.open = listing_open,
	.rows = listing_rows,
	.row = list_row,
	.tree = &(const struct view_tree){ .fold = listing_fold },
};

static const struct view_ops listing_ops = {
	.command = { .name = "listing", .keys = "", .bar = "", .help = "" },
	.table = &listing_table,
	.words = { .no_rows = "" },
	.code = &listing_ops_code,
};

static struct view *
open_listing(void)
{
	struct view *v = open_view(&listing_ops);

	update_until_idle(v);
	view_move_to(v, 6);
	assert_int_equal(selected_key(v), 7);
	return v;
}

static void
set_waits(struct view *v, bool waits)
{
	((struct list_state *)v->state)->waits = waits;
}

static void
expect_shown(const struct view *v, int sort, const char *filter)
{
	struct row row;

	assert_int_equal(v->sort, sort);
	assert_int_equal(v->shown.sort, sort);
	assert_string_equal(v->filter ? filter_text(v->filter) : "", filter);
	assert_ptr_equal(v->shown.filter, v->filter);
	assert_int_equal(v->rows_count, *filter ? FILTERED : LISTED);
	view_row(v, 0, &row);
	assert_int_equal(row.key, sort == BACKWARDS ? v->rows_count : 1);
	assert_int_equal(selected_key(v), 7);
}

TEST(test_ended_before_next_order)
{
	struct view *v = open_listing();
	struct error err = { 0 };

	/* It ends, and nobody looks before the next key. */
	assert_true(view_sort_to(v, BACKWARDS, false, &err));
	while (!job_is_done(v->job->job))
		sched_yield();
	set_waits(v, true);
	assert_true(view_sort_to(v, 0, false, &err));
	assert_int_equal(v->shown.sort, BACKWARDS);
	assert_int_equal(selected_key(v), 7);
	assert_true(view_cancel(v));
	expect_shown(v, BACKWARDS, "");
	close_view(v);
}

TEST(test_ended_before_next_filter)
{
	struct view *v = open_listing();
	struct error err = { 0 };

	assert_true(view_filter(v, "a", &err));
	while (!job_is_done(v->job->job))
		sched_yield();
	set_waits(v, true);
	assert_true(view_filter(v, "", &err));
	assert_true(view_cancel(v));
	expect_shown(v, -1, "a");
	/* What was wanted is still wanted, where that was not done. */
	assert_true(view_sort_to(v, BACKWARDS, false, &err));
	assert_true(view_filter(v, "b", &err));
	set_waits(v, false);
	update_until_idle(v);
	expect_shown(v, BACKWARDS, "b");
	close_view(v);
}

TEST(test_ended_before_escape)
{
	struct view *v = open_listing();
	struct error err = { 0 };

	assert_true(view_sort_to(v, BACKWARDS, false, &err));
	while (!job_is_done(v->job->job))
		sched_yield();
	view_cancel(v);
	expect_shown(v, BACKWARDS, "");
	assert_false(view_was_stopped(v));
	assert_true(view_sort_to(v, 0, false, &err));
	while (!job_is_done(v->job->job))
		sched_yield();
	/* What it was made of is replaced. */
	view_restart(v);
	set_waits(v, true);
	assert_true(view_update(v, &err));
	assert_true(view_cancel(v));
	expect_shown(v, 0, "");
	close_view(v);
}

/* The row that was meant is elsewhere by then, or is no more. */
TEST(test_ended_before_a_row_opens)
{
	struct view *v = open_listing();
	struct list_state *l = v->state;
	struct error err = { 0 };

	assert_true(view_sort_to(v, BACKWARDS, false, &err));
	while (!job_is_done(v->job->job))
		sched_yield();
	assert_true(view_fold(v, v->cursor, true, &err));
	assert_int_equal(l->opened, 7);
	expect_shown(v, BACKWARDS, "");
	l->opened = 0;
	assert_true(view_filter(v, "a", &err));
	while (!job_is_done(v->job->job))
		sched_yield();
	assert_true(view_fold(v, LISTED - 50, true, &err));
	assert_int_equal(v->rows_count, FILTERED);
	assert_int_equal(l->opened, 0);
	close_view(v);
}

/* Both change at once, and not below a worker. */
TEST(test_undo_while_rows_are_made)
{
	struct view *v = open_listing();
	struct list_state *l = v->state;
	struct error err = { 0 };

	assert_true(view_filter(v, "first", &err));
	update_until_idle(v);
	assert_true(view_filter(v, "second", &err));
	update_until_idle(v);
	for (int i = 0; i < 200; i++) {
		set_waits(v, true);
		assert_true(view_sort_to(v, BACKWARDS, false, &err));
		for (int spin = 0; spin < 100; spin++)
			sched_yield();
		assert_true(view_undo(v, &err));
		assert_false(l->noticed);
		set_waits(v, false);
		update_until_idle(v);
		expect_shown(v, -1, "first");
		assert_true(view_redo(v, &err));
		update_until_idle(v);
		expect_shown(v, -1, "second");
	}
	close_view(v);
}

/* Workers make cells, too, and know nothing of what else runs. */
TEST(test_drawing_says_what_comes)
{
	struct view *v = open_listing();
	const struct column *held = &listing_columns[2];
	char out[VALUE_TEXT_BYTES];
	struct error err = { 0 };
	struct value value;
	struct row row;

	assert_string_equal(drawn_text_of(v, held, 0, &value, out), "?");
	set_waits(v, true);
	assert_true(view_sort_to(v, BACKWARDS, false, &err));
	assert_string_equal(drawn_text_of(v, held, 0, &value, out), "…");
	view_row(v, 0, &row);
	view_cell(v, held, &row, &value);
	assert_int_equal(value.kind, VALUE_PENDING);
	assert_string_equal(value.text, "?");
	close_view(v);
}

/* --- rows that are sorted on a worker ------------------------------------- */

enum { MANY = 1000000, FEW = 50 };

struct many {
	size_t count;
};

static bool
many_open(struct view *v, struct error *err)
{
	v->state = arena_new(&v->arena, struct many, err);
	return v->state != NULL;
}

static void
many_item(const struct view *v, uint32_t item, struct row *out)
{
	(void)v;
	*out = row_of(ROW_OBJECT);
	out->data = out->key = item;
}

static bool
many_rows(struct view *v, struct error *err)
{
	struct many *m = v->state;

	return view_list_all(v, m->count, err);
}

/* Several of each, and some unknown. */
static uint64_t
rest_of(uint64_t item)
{
	return item * 2654435761U % 7;
}

static void
rest_cell(const struct cells *in, const struct row *row, struct value *out)
{
	(void)in;
	if (rest_of(row->data))
		value_count(out, rest_of(row->data));
	else
		value_blank(out);
}

static void
text_cell(const struct cells *in, const struct row *row, struct value *out)
{
	static const char *const texts[] = { "", "b", "a", "f", "e", "d", "c" };

	(void)in;
	value_text(out, STYLE_NORMAL, texts[rest_of(row->data)]);
}

/* clang-format off */
static const struct column many_columns[] = {
	{ "rest", "Rest", 9,    DOWN, CELL(VALUE_COUNT, rest_cell), "", 0, 0, 0 },
	{ "text", "Text", FILL, UP,   CELL(VALUE_TEXT, text_cell), "", 0, 0, 0 },
	{ 0 },
};
static const struct table many_table = { .name = "many", .columns = many_columns };
/* clang-format on */
static const struct view_code many_ops_code = {
	.open = many_open,
	.rows = many_rows,
	.item_row = many_item,
};

static const struct view_ops many_ops = {
	.command = { .name = "many", .keys = "", .bar = "", .help = "" },
	.table = &many_table,
	.words = { .no_rows = "" },
	.code = &many_ops_code,
};

static struct view *
open_many(size_t count)
{
	struct view *v = open_view(&many_ops);

	((struct many *)v->state)->count = count;
	update_until_idle(v);
	assert_int_equal(v->rows_count, count);
	return v;
}

TEST(test_equal_rows_stay_in_order)
{
	static const struct {
		int column;
		bool is_descending;
		const char *rests; /* from first to last */
	} rows[] = {
		{ 0, false, "1234560" },
		{ 0, true, "6543210" },
		{ 1, false, "0216543" },
		{ 1, true, "3456120" },
	};
	static const size_t counts[] = { 0, 1, 2, 3, FEW, 2001, 4096, 5000 };

	for (size_t r = 0; r < COUNT_OF(rows); r++)
		for (size_t c = 0; c < COUNT_OF(counts); c++) {
			struct view *v = open_many(counts[c]);
			struct error err = { 0 };
			size_t at = 0;

			assert_true(view_sort_to(v, rows[r].column, rows[r].is_descending, &err));
			update_until_idle(v);
			for (size_t i = 0; rows[r].rests[i]; i++)
				for (size_t item = 0; item < counts[c]; item++) {
					struct row row;

					if (rest_of(item) != (uint64_t)(rows[r].rests[i] - '0'))
						continue;
					view_row(v, at++, &row);
					assert_int_equal(row.data, item);
				}
			assert_int_equal(at, counts[c]);
			close_view(v);
		}
}

/* Sorting, too: not only what comes before it. */
TEST(test_escape_stops_sorting)
{
	struct view *v = open_many(MANY);
	struct error err = { 0 };
	bool is_stopped = false;

	/* On a busy machine it may have ended before we look. */
	for (int tries = 0; !is_stopped && tries < 20; tries++) {
		const struct progress *p;

		assert_true(view_sort_to(v, 1, false, &err));
		p = job_progress(v->job->job);
		while (!job_is_done(v->job->job) &&
		       (!p->stage || strcmp(p->stage, "sorting rows") != 0))
			sched_yield();
		assert_true(view_cancel(v));
		is_stopped = v->sort < 0;
		if (is_stopped)
			continue;
		assert_true(view_sort_to(v, -1, false, &err));
		update_until_idle(v);
	}
	assert_true(is_stopped);
	close_view(v);
}

/* If there were more steps than are kept, only the latest can be undone. */
TEST(test_the_oldest_step_goes)
{
	struct view *v = open_listing();
	struct error err = { 0 };
	char filter[16];

	for (int i = 1; i <= VIEW_STEPS_MAX + 1; i++) {
		snprintf(filter, sizeof filter, "f%d", i);
		assert_true(view_filter(v, filter, &err));
		update_until_idle(v);
	}
	for (int i = VIEW_STEPS_MAX; i > 1; i--) {
		assert_true(view_undo(v, &err));
		update_until_idle(v);
		snprintf(filter, sizeof filter, "f%d", i);
		assert_string_equal(filter_text(v->filter), filter);
	}
	assert_false(view_undo(v, &err));
	close_view(v);
}
