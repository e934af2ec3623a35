/* Every view in every order, opened in it and put into it, on any screen. */
#include "tests/drive/run_tests.h"
#include "tests/drive/screens.h"
#include "tui/app/settings.h"
#include "tui/session/snapshots.h"
#include "tui/app/views.h"
#include <string.h>

static const char *const arguments[] = { "", " System.String", " Leaky.Session",
					 " 0x7fe01c001d70" };

static const struct heap *
load_heap(const struct loader *from, enum load_what what, struct progress *progress,
	  struct preview *preview, struct error *err)
{
	(void)what;
	(void)progress;
	(void)preview;
	(void)err;
	return *from->path == 'a' ? awkward_heap() : leaky_heap();
}

static struct app *
app_on_three(struct snapshots *all, struct settings *settings)
{
	/* Not in the order of their names. */
	static const char *const paths[] = { "leaky", "a", "leaky" };
	struct error err = { 0 };
	struct app *app;

	settings_init(settings);
	snapshots_init(all, (struct waker){ 0 });
	all->settings = settings;
	for (int i = 0; i < 3; i++) {
		struct loader loader = { .path = paths[i], .load = load_heap };
		struct session *s = snapshots_add(all, &loader, &err);

		assert_non_null(s);
		assert_true(session_require(s, NEED_RETAINED, &err));
	}
	snapshots_note_arrival(all);
	app = app_new(all->sessions[0], &err);
	assert_non_null(app);
	return app;
}

/* Whether there is such a view now. */
static bool
run(struct app *app, const char *command, const char *name, const char *rest)
{
	uint64_t before = app->views_opened;
	struct error err = { 0 };
	char line[200];

	snprintf(line, sizeof line, "%s%s%s", command, name, rest);
	return app_command(app, line, &err) && app->views_opened > before;
}

static void
draw(struct app *app, struct screen *const screens[4])
{
	for (int i = 0; i < 4; i++) {
		app_poll(app);
		app_draw(app, screens[i]);
	}
	app_key(app, 'G');
	app_draw(app, screens[0]);
}

static void
close_all(struct app *app)
{
	while (app->current)
		app_close(app);
}

/* Checks a list: its rows are in the order of the sort column. */
static void
expect_in_order(const struct view *v)
{
	enum { ROWS = 300 };
	const struct column *c = &v->ops->table->columns[v->sort < 0 ? 0 : v->sort];
	uint64_t before = 0;

	for (size_t i = 0; v->sort >= 0 && i < v->rows_count && i < ROWS; i++) {
		struct value value;
		struct row row;

		view_row(v, i, &row);
		if (row.kind != ROW_OBJECT || row.depth)
			return;
		view_cell(v, c, &row, &value);
		if (!value_is_number(&value) || value.kind == VALUE_PENDING)
			return;
		if (i && (v->is_descending ? value_order(&value) > before
					   : value_order(&value) < before))
			fail_msg("%s is not sorted by %s, row %zu", v->ops->command.name, c->id, i);
		before = value_order(&value);
	}
}

/* How many there were. */
static int
try_orders(struct app *app, struct screen *const screens[4], const char *view, const char *argument)
{
	const struct column *columns = app_view(app)->ops->table->columns;
	char ids[COLUMNS_MAX][40], setting[64];
	int count = 0;

	for (; columns[count].id; count++)
		snprintf(ids[count], sizeof ids[0], "%s", columns[count].id);
	for (int i = 0; i < count; i++) {
		run(app, "sort ", ids[i], "");
		draw(app, screens);
		expect_in_order(app_view(app));
		close_all(app);
		snprintf(setting, sizeof setting, "set sort.%s=", view);
		run(app, setting, ids[i], "");
		if (run(app, "", view, argument))
			draw(app, screens);
		run(app, setting, "", "");
		close_all(app);
		run(app, "", view, argument);
	}
	return count;
}

TEST(every_view_has_every_order)
{
	static const int sizes[4][2] = { { 24, 80 }, { 10, 40 }, { 5, 20 }, { 60, 200 } };
	struct screen *screens[4];
	struct settings settings;
	struct snapshots all;
	struct app *app = app_on_three(&all, &settings);
	int opened = 0, orders = 0;

	for (int i = 0; i < 4; i++)
		screens[i] = screen_for_test(sizes[i][0], sizes[i][1], false);
	for (const struct view_ops *const *v = all_views; *v; v++)
		for (size_t i = 0; i < COUNT_OF(arguments); i++) {
			const char *name = (*v)->command.name;

			close_all(app);
			if (!run(app, "", name, arguments[i]))
				continue;
			opened++;
			orders += try_orders(app, screens, name, arguments[i]);
		}
	assert_in_range(opened, 45, 1000);
	assert_in_range(orders, 300, 10000);
	app_free(app);
	snapshots_clear(&all);
}

/* The number of a heap is what :heap goes to, in any order. */
TEST(heaps_keep_their_numbers)
{
	static const char *const orders[] = { "number", "name", "objects" };
	struct screen *screen = screen_for_test(24, 80, false);
	struct settings settings;
	struct snapshots all;
	struct app *app = app_on_three(&all, &settings);

	for (size_t i = 0; i < COUNT_OF(orders); i++) {
		assert_true(run(app, "", "snapshots", ""));
		run(app, "sort ", orders[i], "");
		app_draw(app, screen);
		for (size_t at = 0; at < 3; at++) {
			const struct view *v = app_view(app);
			struct value number;
			struct row row;

			view_row(v, at, &row);
			view_cell(v, &v->ops->table->columns[0], &row, &number);
			assert_int_equal(number.number, row.data + 1);
		}
		close_all(app);
	}
	app_free(app);
	snapshots_clear(&all);
}
