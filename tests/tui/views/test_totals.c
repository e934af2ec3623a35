/* Lists of objects added up by type: every list, with every filter. */
#include "tests/drive/jobs.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/lists.h"
#include "model/analysis/groups.h"
#include "tui/app/command.h"
#include "tui/app/views.h"
#include <string.h>

static const char *const lines[] = {
	"dumpheap",
	"dumpheap -type Session",
	"dumpheap -live",
	"dumpheap -dead",
	"dumpheap -min 100",
	"dumpheap -min 100 -max 0x200 -live",
	"dumpheap -type Session -min 100",
	"dumpheap -strings",
	"dumpheap -strings -max 100",
};

TEST(stat_is_what_is_listed)
{
	struct app *app = app_on(leaky_heap());

	for (size_t i = 0; i < COUNT_OF(lines); i++)
		if (!list_expect_stat(app, lines[i]))
			fail_msg("%s lists nothing", lines[i]);
	app_end(app);
}

/* Referrers and the like have no -stat: what is typed is totals. */
TEST(other_lists_have_totals)
{
	static const char *const lists[] = { "objects string", "references", "referrers" };
	struct app *app = app_on(leaky_heap());

	for (size_t i = 0; i < COUNT_OF(lists); i++) {
		const struct heap *h = app->session->heap;
		struct type_sum *listed, *told;
		const struct view *v;
		char line[64], at[24];
		node_id n = 0;

		while (!heap_refs(h, n).left || !reverse_count(app->session->reverse, n))
			n++;
		snprintf(line, sizeof line, "%s %s", lists[i],
			 i ? address_format(heap_address(h, n), at) : "");
		v = list_open(app, line);
		listed = list_new_sums(v);
		told = list_new_sums(v);
		list_sum_objects(v, listed);
		v = list_open(app, "totals");
		assert_true(v->rows_count > 0);
		list_read_sums(v, told);
		list_expect_same(v, line, told, listed);
		memory_free(listed);
		memory_free(told);
	}
	app_end(app);
}

/* Enter lists them again, with the filter of the list. */
TEST(a_row_opens_its_objects)
{
	static const char *const of[] = { "dumpheap -min 100 -stat",
					  "objects; filter Leaky; totals",
					  "objects; where size > 50; totals",
					  "objects string; totals" };
	struct app *app = app_on(leaky_heap());

	for (size_t i = 0; i < COUNT_OF(of); i++) {
		const struct view *v;
		struct row row, object;
		struct value count;

		app_commands(app, of[i]);
		v = app_view(app);
		assert_ptr_equal(v->ops, &view_totals);
		assert_true(view_selected(v, &row));
		view_cell(v, &v->ops->table->columns[2], &row, &count);
		assert_true(app_key(app, TK_ENTER));
		v = app_view(app);
		assert_ptr_equal(v->ops, &view_objects);
		assert_int_equal(v->rows_count, count.number);
		for (size_t k = 0; k < v->rows_count; k++) {
			view_row(v, k, &object);
			assert_int_equal(object.type, row.type);
		}
	}
	app_end(app);
}

/* A view that lists no objects has no totals, and the message says so. */
TEST(what_lists_no_objects_has_none)
{
	struct app *app = app_on(leaky_heap());
	struct error err = { 0 };

	assert_false(app_command(app, "totals", &err));
	assert_non_null(strstr(err.message, "adds up a list of objects"));
	assert_non_null(strstr(err.message, "-b objects -x totals"));
	list_open(app, "objects");
	list_open(app, "totals");
	error_clear(&err);
	assert_true(app_command(app, "totals", &err));
	assert_non_null(strstr(app->message, "already"));
	/* Its own rows are sorted and filtered as any table's. */
	assert_true(app_command(app, "where count > 5000", &err));
	assert_int_equal(app_view(app)->rows_count, 4);
	app_end(app);
}

/* Rows of the list made anew since then: by another filter, and none. */
TEST(numbers_follow_the_list)
{
	static const char *const changes[] = {
		"objects; totals; back; where type = 'string'; forward",
		"back; where size > 50; forward",
		"back; filter; forward",
	};
	struct app *app = app_on(leaky_heap());

	for (size_t i = 0; i < COUNT_OF(changes); i++) {
		struct type_sum *listed, *told;
		const struct view *v;

		app_commands(app, changes[i]);
		v = app_view(app);
		assert_ptr_equal(v->ops, &view_totals);
		listed = list_new_sums(v);
		told = list_new_sums(v);
		list_sum_objects(v->source, listed);
		list_read_sums(v, told);
		list_expect_same(v, changes[i], told, listed);
		memory_free(listed);
		memory_free(told);
	}
	app_end(app);
}

static bool
wait_until_cancelled(void *context, struct progress *progress, struct error *err)
{
	(void)context;
	while (!progress_is_cancelled(progress))
		;
	return error_cancelled(err);
}

static void
note_end(struct view *v, void *context, bool ok)
{
	(void)v;
	assert_false(ok);
	*(bool *)context = true;
}

static void
wait_for_view(struct app *app)
{
	while (view_is_busy(app_view(app)))
		app_poll(app);
}

/* The job is the list's; what is stopped does not begin again by itself. */
TEST(esc_stops_the_list_as_well)
{
	struct app *app = app_on(leaky_heap());
	struct error err = { 0 };
	bool has_ended = false;
	char out[VALUE_TEXT_BYTES];
	const struct view *v;

	app->session->waker = jobs_on_threads();
	app_commands(app, "objects");
	wait_for_view(app);
	assert_true(view_run_on_rows(app_view(app), "waiting", wait_until_cancelled, note_end,
				     &has_ended, &err));
	app_commands(app, "totals");
	v = app_view(app);
	assert_string_equal(job_what(app_running_job(app)), "waiting");
	assert_string_equal(view_empty_text(v, out), "waiting …; Esc stops that");
	assert_true(app_key(app, TK_ESCAPE));
	assert_true(has_ended);
	app_poll(app);
	assert_ptr_equal(app_view(app), v);
	assert_false(view_is_busy(v));
	assert_string_equal(view_empty_text(v, out),
			    "stopped before it was finished; :totals starts it again");
	app_commands(app, "totals");
	assert_ptr_equal(app_view(app), v);
	wait_for_view(app);
	assert_int_equal(v->rows_count, 163);
	app_end(app);
}

/* The totals stay open when the pane whose list they sum closes. */
TEST(the_pane_is_added_up)
{
	struct app *app = app_on(leaky_heap());
	struct screen *s = screen_for_test(24, 160, false);
	const struct view *v;

	app_steps(app, s, "Tab :totals");
	v = app_view(app);
	assert_string_equal(v->ops->command.name, "totals");
	assert_int_equal(v->rows_count, 1);
	assert_null(app->pane);
	app_steps(app, s, ":sort_type Esc");
	assert_string_equal(app_view(app)->ops->command.name, "objects");
	app_steps(app, s, "Esc");
	assert_ptr_equal(app_view(app)->ops, &view_types);
	app_end(app);
}
