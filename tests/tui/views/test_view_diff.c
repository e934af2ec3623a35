/* The view of differences on the screen, and what follows from its rows. */
#include "model/heap/bits.h"
#include "model/heap/stream.h"
#include "tests/made/graphs.h"
#include "tests/made/made_contents.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/screens.h"
#include "tui/session/snapshots.h"
#include "tui/app/views.h"
#include "tui/widget/drawn_cell.h"
#include "io/formats/sources.h"

#include <string.h>

#define LEAKY "tests/data/leaky-10"

/* clang-format off */
static const struct made_type made_rows[] = {
	{ 0, "Shop.Order", "shop.dll", 10 },   { 1, "Shop.Order", "shop.dll", 20 },   { 2, "Shop.Order", "shop.dll", 40 },
	{ 0, "Shop.Cart", "shop.dll", 30 },    { 1, "Shop.Cart", "shop.dll", 20 },    { 2, "Shop.Cart", "shop.dll", 2 },
	{ 0, "Shop.Session", "shop.dll", 7 },  { 1, "Shop.Session", "shop.dll", 9 },  { 2, "Shop.Session", "shop.dll", 8 },
	{ 1, "Shop.Batch", "shop.dll", 50 },   { 2, "Shop.Late", "shop.dll", 3 },     { 0, "Shop.Early", "shop.dll", 3 },
	{ 0, "Shop.Fixed", "shop.dll", 5 },    { 1, "Shop.Fixed", "shop.dll", 5 },    { 2, "Shop.Fixed", "shop.dll", 5 },
	{ 0, "Shop.Bare", "", 5 },             { 1, "Shop.Bare", "shop.dll", 6 },     { 2, "Shop.Bare", "shop.dll", 7 },
};
/* clang-format on */

/* "monday", "tuesday", "wednesday": made up; else a file. */
/* The contents of "memory" and "memory-later": arrays, some of them dead. */
static struct made_contents *made[2];

static const struct heap *
load_memory(bool is_later)
{
	enum { LIVE = 2, DEAD = 5, MORE_LIVE = 1, MORE_DEAD = 7 };
	struct made_contents *m = made_contents_new(1);
	int live = LIVE + (is_later ? MORE_LIVE : 0);
	int dead = DEAD + (is_later ? MORE_DEAD : 0);

	for (int i = 0; i < live + dead; i++)
		made_contents_put(m, MADE_NUMBERS, "12345678", 2, i < live);
	made[is_later] = m;
	return made_contents_heap(m);
}

static const struct heap *
heap_of_bytes(uint32_t bytes)
{
	struct error err = { 0 };
	struct heap_stream *s = heap_stream_new(&err);
	type_id type;

	assert_non_null(s);
	type = heap_builder_type(heap_stream_builder(s), "Shop.Blob", "shop.dll", &err);
	assert_true(heap_stream_object(s, 0x1000, type, bytes, 0, &err));
	return heap_stream_finish(s, NULL, &err);
}

static const struct heap *
load_heap(const struct loader *from, enum load_what what, struct progress *progress,
	  struct preview *preview, struct error *err)
{
	static const char *const days[] = { "monday", "tuesday", "wednesday" };
	struct load_how how;

	for (unsigned i = 0; i < 3; i++)
		if (!strcmp(from->path, days[i]))
			return made_heap(made_rows, COUNT_OF(made_rows), i);
	if (!strcmp(from->path, "small") || !strcmp(from->path, "large"))
		return heap_of_bytes(*from->path == 's' ? 1 << 20 : 30 << 20);
	if (!strncmp(from->path, "memory", strlen("memory")))
		return load_memory(!strcmp(from->path, "memory-later"));
	how = (struct load_how){
		.path = from->path, .what = what, .progress = progress, .preview = preview
	};
	return sources_load(&how, err);
}

static struct app *
app_on_heaps(struct snapshots *all, const char *const *paths, bool is_first)
{
	const struct view_ops *first = is_first ? &view_diff : &view_types;
	struct error err = { 0 };
	struct app *app;

	snapshots_init(all, (struct waker){ 0 });
	for (; *paths; paths++) {
		struct loader loader = { .path = *paths, .load = load_heap };
		struct session *s = snapshots_add(all, &loader, &err);

		assert_non_null(s);
		assert_ok(session_require(s, NEED_RETAINED, &err), &err);
	}
	snapshots_note_arrival(all);
	app = app_new_on(all->sessions[0], first, &err);
	assert_ok(app, &err);
	return app;
}

#define TWO                                                                                        \
	{                                                                                          \
		LEAKY ".gcdump", LEAKY "-later.gcdump.zst"                                         \
	}
#define THREE                                                                                      \
	{                                                                                          \
		"monday", "tuesday", "wednesday"                                                   \
	}
/* clang-format off */
static const struct diff_case {
	const char *name;
	const char *paths[4];
	int rows, columns;
	bool is_ascii;
	const char *steps;
} cases[] = {
	/* name               heaps                rows cols ascii  steps */
	{ "diff-80x24",       TWO,                 24,  80,  false, "" },
	{ "diff-40x10",       TWO,                 10,  40,  false, "" },
	{ "diff-200x60",      TWO,                 60,  200, false, "" },
	{ "diff-three",       THREE,               16,  80,  false, "" },
	{ "diff-three-40x10", THREE,               10,  40,  false, "" },
	{ "diff-three-wide",  THREE,               16,  140, false, "" },
	{ "diff-three-ascii", THREE,               16,  140, true,  "" },
	{ "diff-all",         THREE,               16,  80,  false, "a" },
	{ "diff-by-name",     THREE,               16,  80,  false, ":sort_type" },
	{ "diff-sorted",      THREE,               16,  80,  false, "D" },
	{ "diff-last-size",   THREE,               16,  80,  false, "S" },
	{ "diff-last-count",  THREE,               16,  80,  false, "C" },
	{ "diff-filtered",    THREE,               16,  80,  false, ":filter_Order" },
	{ "diff-chosen",      THREE,               16,  80,  false, ":diff_3_1" },
	{ "diff-stretch",     THREE,               16,  80,  false, ":diff_module_3-1_all" },
	{ "diff-marked",      THREE,               16,  80,  false, ":snapshots Space j Space =" },
	{ "diff-marks",       THREE,               10,  80,  false, ":snapshots j Space" },
	{ "diff-equal",       { "monday", "monday" }, 10, 80, false, "" },
	{ "diff-root",        TWO,                 16,  80,  false, ":by_root" },
	{ "diff-path",        TWO,                 16,  80,  false, ":diff_path" },
	{ "diff-dominator",   TWO,                 16,  80,  false, ":by_dominator" },
	{ "diff-words",       THREE,               10,  80,  false, ": d i f f Space Tab" },
	{ "diff-words-ignore", THREE,              10,  80,  false, ": i g n o r e Space Tab" },
	{ "diff-words-async", THREE,               10,  80,  false, ": a s y n c Space Tab" },
	{ "diff-objects",     TWO,                 12,  80,  false, "Enter" },
	{ "diff-merged",      TWO,                 12,  80,  false, "P" },
	{ "diff-gone",        THREE,               12,  80,  false, ":search_Early Enter" },
	{ "diff-types",       TWO,                 12,  80,  false, "B Enter" },
	{ "diff-path-nodes",  TWO,                 12,  80,  false, ":by_path Enter" },
	{ "diff-path-gone",   TWO,                 12,  80,  false, ":by_path :search_ParameterInfo...$ Enter" },
	{ "diff-columns",     THREE,               16,  80,  false, "F2 j j Space j j Space j j Space" },
	{ "diff-columns-chosen", THREE,            16,  80,  false, "F2 j j Space j j Space j j Space q" },
	{ "diff-columns-name", THREE,              16,  80,  false, ":by_module F2 j j Space q" },
	{ "diff-one-number",  THREE,               10,  80,  false, ":diff_2" },
	{ "diff-no-number",   THREE,               10,  80,  false, ":diff_2_4" },
	{ "diff-twice",       THREE,               10,  80,  false, ":diff_2_2" },
	{ "diff-unknown",     THREE,               10,  80,  false, ":diff_xyzzy" },
	{ "diff-mine",        TWO,                 16,  80,  false, ":diff_mine" },
	{ "diff-mine-key",    TWO,                 16,  80,  false, "Z :by_namespace" },
	{ "diff-mine-off",    TWO,                 10,  80,  false, "Z Z" },
	{ "diff-by-unknown",  THREE,               10,  80,  false, ":by_xyzzy" },
};
/* clang-format on */

TEST_ROWS(test_screens, cases)
{
	const struct diff_case *c = *state;
	struct screen *s = screen_for_test(c->rows, c->columns, c->is_ascii);
	struct snapshots all;
	struct app *app = app_on_heaps(&all, c->paths, true);

	expect_steps(app, s, c->steps, c->name);
	app_free(app);
	snapshots_clear(&all);
}

TEST(test_one_heap)
{
	static const char *const paths[] = { "monday", NULL };
	struct snapshots all;
	struct app *app = app_on_heaps(&all, paths, false);
	struct error err = { 0 };

	assert_false(app_command(app, "diff", &err));
	assert_non_null(strstr(err.message, "there is only one heap"));
	app_free(app);
	snapshots_clear(&all);
}

/* The view is there before its heaps, and one of them never comes. */
TEST(test_heap_that_fails)
{
	static const char *const paths[] = { "monday", "/none", "wednesday" };
	struct error err = { 0 };
	struct snapshots all;
	struct value said;
	struct app *app;
	struct view *v;

	snapshots_init(&all, (struct waker){ 0 });
	for (int i = 0; i < 3; i++) {
		struct loader loader = { .path = paths[i], .load = load_heap };

		assert_non_null(snapshots_add(&all, &loader, &err));
	}
	app = app_new_on(all.sessions[0], &view_diff, &err);
	assert_non_null(app);
	v = app_view(app);
	assert_true(session_require(all.sessions[0], NEED_OBJECTS, &err));
	assert_true(session_require(all.sessions[2], NEED_OBJECTS, &err));
	assert_true(view_reload(v, &err));
	assert_int_equal(v->rows_count, 0);
	assert_false(session_require(all.sessions[1], NEED_OBJECTS, &err));
	error_clear(&err);
	error_clear(&err);
	assert_true(view_reload(v, &err));
	assert_int_equal(v->rows_count, 6);
	assert_true(view_code(v->ops)->heading(v, 1, &said));
	assert_string_equal(said.text, "2 none is left out: cannot open /none: No such file or "
				       "directory");
	error_clear(&err);
	assert_false(app_command(app, "diff 1 2", &err));
	assert_non_null(strstr(err.message, "No such file"));
	assert_true(app_command(app, "diff", &err));
	assert_int_equal(app_view(app)->rows_count, 6);
	/* Not one view more each time. */
	assert_ptr_equal(app_view(app), v);
	assert_non_null(strstr(app->message, "is already on the screen"));
	app_free(app);
	snapshots_clear(&all);
}

/* The view is one of the last heap: if that fails, of the last that is there.
 */
TEST(test_last_heap_fails)
{
	static const char *const paths[] = { "monday", "tuesday", "/none" };
	struct error err = { 0 };
	struct snapshots all;
	struct app *app;

	snapshots_init(&all, (struct waker){ 0 });
	for (int i = 0; i < 3; i++) {
		struct loader loader = { .path = paths[i], .load = load_heap };

		assert_non_null(snapshots_add(&all, &loader, &err));
	}
	app = app_new_on(all.sessions[0], &view_diff, &err);
	assert_non_null(app);
	for (int i = 0; i < 3; i++)
		assert_int_equal(session_require(all.sessions[i], NEED_OBJECTS, &err), i < 2);
	error_clear(&err);
	assert_true(view_reload(app_view(app), &err));
	assert_int_equal(app_view(app)->rows_count, 6);
	assert_ptr_equal(app_view(app)->session, all.sessions[1]);
	assert_string_equal(app_view(app)->title, "diff 2 heaps by type");
	app_free(app);
	snapshots_clear(&all);
}

/* A row opens objects of its own heap. */
TEST(test_opens_in_the_later_heap)
{
	static const char *const paths[] = { "monday", "tuesday", "wednesday", NULL };
	struct screen *s = screen_for_test(24, 80, false);
	struct snapshots all;
	struct app *app = app_on_heaps(&all, paths, false);

	assert_ptr_equal(app_session(app), all.sessions[0]);
	app_steps(app, s, "=");
	assert_ptr_equal(app_session(app), all.sessions[2]);
	app_steps(app, s, ":search_Order Enter");
	assert_ptr_equal(app_session(app), all.sessions[2]);
	assert_int_equal(app_view(app)->rows_count, 40);
	app_steps(app, s, "Esc Esc :diff_2_1 :search_Batch Enter");
	assert_ptr_equal(app_session(app), all.sessions[1]);
	assert_int_equal(app_view(app)->rows_count, 50);
	app_steps(app, s, "Esc");
	assert_ptr_equal(app_session(app), all.sessions[0]);
	app_free(app);
	snapshots_clear(&all);
}

/* A row that has shrunk lists what is gone, from the heap that has it. */
TEST(test_opens_what_is_gone)
{
	static const char *const paths[] = { LEAKY ".gcdump", LEAKY "-later.gcdump.zst", NULL };
	struct screen *s = screen_for_test(24, 80, false);
	struct snapshots all;
	struct app *app = app_on_heaps(&all, paths, false);

	/* The heap has shrunk: what shrank most stands first. */
	app_steps(app, s, ":diff_2_1 wait");
	assert_false(app_view(app)->is_descending);
	app_steps(app, s, "D");
	assert_true(app_view(app)->is_descending);
	app_steps(app, s, ":search_^Leaky.Session$ Enter wait");
	assert_ptr_equal(app_session(app), all.sessions[1]);
	assert_int_equal(app_view(app)->rows_count, 5000);
	assert_string_equal(app_view(app)->title, "gone objects Leaky.Session");
	assert_true(app_has_text(app, s, "where gone"));
	/* The words for objects of the other heap match nothing, and say so. */
	app_steps(app, s, "Esc :heap_2 :objects_Leaky.Session wait :filter_new wait");
	assert_int_equal(app_view(app)->rows_count, 0);
	assert_true(app_has_text(app, s, "this is the earlier heap"));
	app_steps(app, s, "Esc Esc :heap_1 :objects_Leaky.Session wait");
	app_steps(app, s, ":filter_gone wait");
	assert_int_equal(app_view(app)->rows_count, 0);
	assert_true(app_has_text(app, s, "this is the later heap"));
	app_free(app);
	snapshots_clear(&all);
}

/* Heaps of two processes do not say which objects are gone: say so. */
TEST(test_opens_what_is_left)
{
	static const char *const paths[] = { "monday", "tuesday", NULL };
	struct screen *s = screen_for_test(24, 80, false);
	struct snapshots all;
	struct app *app = app_on_heaps(&all, paths, false);

	app_steps(app, s, "= wait :search_Cart Enter wait");
	assert_ptr_equal(app_session(app), all.sessions[1]);
	assert_int_equal(app_view(app)->rows_count, 20);
	assert_string_equal(app->message, "these are left; which ones are gone is unknown");
	app_free(app);
	snapshots_clear(&all);
}

static uint64_t
statics_in_first(const struct view *v)
{
	int column = column_by_id(v->ops->table->columns, "count_1");
	uint64_t sum = 0;

	for (size_t i = 0; i < v->rows_count; i++) {
		struct value name, count;
		struct row row;

		view_row(v, i, &row);
		view_cell(v, &v->ops->table->columns[0], &row, &name);
		view_cell(v, &v->ops->table->columns[column], &row, &count);
		if (!strncmp(name.text, "static ", 7))
			sum += count.number;
	}
	return sum;
}

static const char *const two[] = { LEAKY ".gcdump", LEAKY "-later.gcdump.zst", NULL };

/* References ignored in one heap change the roots by which all are compared. */
TEST(test_other_ways_in_the_first_heap)
{
	const struct ignored_entry statics = { IGNORED_ROOT_KIND, ROOT_STATIC, 0 };
	struct error err = { 0 };
	struct snapshots all;
	struct app *app = app_on_heaps(&all, two, false);

	assert_true(app_command(app, "diff root all", &err));
	app_poll(app);
	assert_true(statics_in_first(app_view(app)) > 10000);
	assert_true(what_if_ignore(all.sessions[0], &statics, 1, &err));
	app_poll(app);
	assert_int_equal(statics_in_first(app_view(app)), 0);
	app_free(app);
	snapshots_clear(&all);
}

/* A list of some objects is not the list of all. */
TEST(test_opens_all_from_some)
{
	struct screen *screen = screen_for_test(24, 80, false);
	struct snapshots all;
	struct app *app = app_on_heaps(&all, two, true);
	struct error err = { 0 };
	size_t some;

	app_steps(app, screen, ":by_path Enter");
	assert_ptr_equal(app_view(app)->ops, &view_objects);
	some = app_view(app)->rows_count;
	assert_true(app_command(app, "objects", &err));
	assert_string_equal(app->message, "");
	assert_true(app_view(app)->rows_count > some);
	/* Once more it is the same. */
	assert_true(app_command(app, "objects", &err));
	assert_string_equal(app->message, "objects is already on the screen");
	app_free(app);
	snapshots_clear(&all);
}

/* Garbage is told apart where all heaps know of it, and else of none. */
TEST(test_growth_that_lives)
{
	static const char *const paths[] = { "memory", "memory-later", "monday", NULL };
	static const struct {
		const char *command, *heading, *live;
	} rows[] = {
		{ "diff 1 2",
		  "+256 B, +8 objects (+224 B without a root): 1 memory → 2 memory-later",
		  "+32 B" },
		{ "diff 2 1",
		  "-256 B, -8 objects (-224 B without a root): 2 memory-later → 1 memory",
		  "-32 B" },
		{ "diff module 1 2",
		  "+256 B, +8 objects (+224 B without a root): 1 memory → 2 memory-later", NULL },
		{ "diff 3 1", NULL, NULL },
	};
	struct snapshots all;
	struct app *app = app_on_heaps(&all, paths, false);

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		char out[VALUE_TEXT_BYTES];
		struct error err = { 0 };
		const struct column *live;
		struct value value;
		struct view *v;
		struct row row;

		if (!app_command(app, rows[i].command, &err))
			fail_msg("%s: %s", rows[i].command, err.message);
		v = app_view(app);
		assert_true(v->rows_count);
		assert_true(view_code(v->ops)->heading(v, 0, &value));
		if (rows[i].heading)
			assert_string_equal(value.text, rows[i].heading);
		else
			assert_null(strstr(value.text, "root"));
		live = &v->ops->table->columns[column_by_id(v->ops->table->columns, "live_delta")];
		assert_int_equal(view_has_column(v, live, false), rows[i].live != NULL);
		view_row(v, 0, &row);
		view_cell(v, live, &row, &value);
		if (rows[i].live)
			assert_string_equal(value_for_people(&value, out), rows[i].live);
	}
	app_free(app);
	for (int i = 0; i < 2; i++)
		all.sessions[i]->heap = NULL; /* it belongs to `made` */
	snapshots_clear(&all);
	made_contents_free(made[0]);
	made_contents_free(made[1]);
}

/* Numbers that are compared with one another: 1 MiB alone would be in bytes. */
TEST(test_sizes_in_one_unit)
{
	static const char *const paths[] = { "small", "large", NULL };
	static const char *const columns[] = { "size_1", "size_2", "size_delta" };
	static const char *const wanted[] = { "1.00 MiB", "30.00 MiB", "+29.00 MiB" };
	struct screen *s = screen_for_test(16, 80, false);
	struct snapshots all;
	struct app *app = app_on_heaps(&all, paths, true);
	struct view *v = app_view(app);

	app_steps(app, s, "wait");
	for (int i = 0; i < 3; i++) {
		char out[VALUE_TEXT_BYTES];
		struct value value;

		assert_string_equal(
		    drawn_text_of(
			v,
			&v->ops->table->columns[column_by_id(v->ops->table->columns, columns[i])],
			0, &value, out),
		    wanted[i]);
	}
	app_free(app);
	snapshots_clear(&all);
}

/* An open list follows what a comparison tells, and says when it is a guess, whatever else the
   filter asks for. */
TEST(test_list_of_new_objects)
{
	static const char *const filters[] = { ":where_new", ":where_new_and_size_>_0",
					       ":where_(survived_or_gone)", ":where_not_new" };
	struct app *app = app_on(leaky_heap());
	struct screen *s = screen_for_test(24, 80, false);
	struct session *session = app_session(app);
	uint64_t *bits = memory_new(bits_words(session->heap->nodes_count), sizeof *bits, NULL);
	struct error err = { 0 };

	assert_non_null(bits);
	bits_add(bits, 0);
	assert_ok(session_set_fates(session, bits, false, false, &err) &&
		      session_set_fates(session, bits, true, false, &err),
		  &err);
	app_steps(app, s, ":objects :where_new wait");
	assert_int_equal(app_view(app)->rows_count, 1);
	assert_false(app_has_text(app, s, "an estimate"));
	bits_add(bits, 1);
	assert_ok(session_set_fates(session, bits, false, true, &err), &err);
	app_steps(app, s, "wait");
	assert_int_equal(app_view(app)->rows_count, 2);
	for (size_t i = 0; i < COUNT_OF(filters); i++) {
		app_steps(app, s, filters[i]);
		assert_true(app_has_text(app, s, "an estimate"));
	}
	app_steps(app, s, ":where_type_~_/newest/");
	assert_false(app_has_text(app, s, "an estimate"));
	memory_free(bits);
	app_end(app);
}
