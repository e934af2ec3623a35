#include "tests/drive/files.h"
#include "tests/drive/heaps.h"
#include "tests/drive/screens.h"
#include "io/formats/sources.h"
#include "model/heap/stream.h"
#include "tests/drive/run_tests.h"
#include "tui/widget/spot.h"
#include "tui/widget/view_print.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int
screens_begin(void **state)
{
	(void)state;
	return 0; /* the constructor has done it */
}

/* clang-format off */
static const struct {
	uint64_t address;
	const char *type;
	uint64_t size;
	uint64_t refs[4];
} objects[] = {
	{ 0x1000, "Cache",                                      32,      { 0x1100, 0x2000 } },
	{ 0x1100, "Demo.Entry[]",                               64,      { 0x1200, 0x1240, 0x1280 } },
	{ 0x1200, "Demo.Entry",                                 24,      { 0x1300 } },
	{ 0x1240, "Demo.Entry",                                 24,      { 0x1200, 0x1240 } },
	{ 0x1280, "Demo.Entry",                                 24,      { 0x1100 } },
	{ 0x1300, "System.String",                              22,      { 0 } },
	{ 0x1400, "Demo.\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e",  40,      { 0x1300 } },
	{ 0x1500, "Demo.Evil\x1b]0;owned\x07",                  40,      { 0x1300 } },
	{ 0x1600, "Demo.Cafe\xcc\x81",                          40,      { 0 } },
	{ 0x1700, "Demo.Lonely",                                40,      { 0x1700 } },
	{ 0x2000, "System.Collections.Generic.Dictionary<System.String,System.Collections.Generic.List<Demo.VeryLongTypeNameThatDoesNotFitAnywhere>>", 80, { 0 } },
	{ 0x9000, "System.Byte[]",                              5000000, { 0 } },
};
/* clang-format on */
enum { OBJECTS_COUNT = COUNT_OF(objects) };

static void
add_object(struct heap_stream *s, size_t i)
{
	struct error err = { 0 };
	type_id type =
	    heap_builder_type(heap_stream_builder(s), objects[i].type, "/app/demo.dll", &err);
	uint64_t refs = 0;

	assert_true(type != TYPE_NONE);
	while (refs < 4 && objects[i].refs[refs])
		refs++;
	assert_true(heap_stream_object(s, objects[i].address, type, objects[i].size, refs, &err));
	for (uint64_t r = 0; r < refs; r++)
		assert_true(heap_stream_ref(s, objects[i].refs[r], &err));
}

const struct heap *
awkward_heap(void)
{
	struct error err = { 0 };
	struct heap_stream *s = heap_stream_new(&err);
	const struct heap *h;

	assert_non_null(s);
	for (size_t i = 0; i < OBJECTS_COUNT; i++)
		add_object(s, i);
	assert_true(heap_stream_range(s, 0x1000, 0x1200, GEN_0, -1, &err));
	assert_true(heap_stream_range(s, 0x1200, 0x3000, GEN_2, -1, &err));
	assert_true(heap_stream_range(s, 0x9000, 0x9000 + 5000000, GEN_LOH, -1, &err));
	assert_true(heap_stream_root(s, 0x1000, ROOT_STATIC, false, "Instance", "", &err));
	assert_true(heap_stream_root(s, 0x1400, ROOT_STACK, false, "Main", "", &err));
	assert_true(heap_stream_root(s, 0x1500, ROOT_STRONG, true, "", "", &err));
	assert_true(heap_stream_root(s, 0x1600, ROOT_FINALIZER, false, "", "", &err));
	assert_true(heap_stream_root(s, 0x9000, ROOT_PINNED, true, "", "", &err));
	heap_builder_info(heap_stream_builder(s))->source = "awkward.gcdump";
	h = heap_stream_finish(s, NULL, &err);
	assert_ok(h, &err);
	return h;
}

const struct heap *
leaky_heap(void)
{
	return heap_of_file(LEAKY_10);
}

const struct heap *
load_path(const struct loader *from, enum load_what what, struct progress *progress,
	  struct preview *preview, struct error *err)
{
	const struct load_how how = {
		.path = from->path, .what = what, .progress = progress, .preview = preview
	};

	return sources_load(&how, err);
}

const struct heap *
load_for_ever(const struct loader *from, enum load_what what, struct progress *progress,
	      struct preview *preview, struct error *err)
{
	(void)from;
	(void)what;
	(void)preview;
	while (!progress_is_cancelled(progress))
		sched_yield();
	error_cancelled(err);
	return NULL;
}

struct app *
app_on(const struct heap *h)
{
	struct error err = { 0 };
	struct session *s = session_new_of_heap(h, (struct waker){ NULL, NULL }, &err);
	struct app *app;

	assert_non_null(s);
	assert_true(session_require(s, NEED_REVERSE | NEED_REACH, &err));
	app = app_new(s, &err);
	assert_ok(app, &err);
	app->settings->names = NAMES_FULL; /* as the session has them */
	return app;
}

struct app *
app_with_retention(const struct heap *h)
{
	struct app *app = app_on(h);
	struct error err = { 0 };

	assert_ok(session_require(app->session, NEED_RETAINED, &err), &err);
	app_poll(app);
	return app;
}

void
app_end(struct app *app)
{
	struct session *s = app->session;

	app_free(app);
	session_free(s);
}

static void
app_step(struct app *app, const char *step)
{
	int key = strcmp(step, "wait") ? key_parse(step) : TK_TIMEOUT;
	struct error err = { 0 };

	if (step[0] == ':' && step[1]) {
		if (!app_command(app, step, &err))
			app_show_error(app, &err);
		app_poll(app);
		return;
	}
	if (!key)
		fail_msg("\"%s\" is not a key", step);
	app_key(app, key);
	app_poll(app);
}

void
app_steps(struct app *app, struct screen *s, const char *steps)
{
	char step[256];

	while (*steps) {
		size_t len = strcspn(steps, " ");

		assert_true(len < sizeof step);
		memcpy(step, steps, len);
		step[len] = '\0';
		for (size_t i = 1; step[0] == ':' && i < len; i++)
			if (step[i] == '_')
				step[i] = ' ';
		/* Keys such as ^F move by what was drawn. */
		app_draw(app, s);
		if (len)
			app_step(app, step);
		steps += len;
		steps += strspn(steps, " ");
	}
}

size_t
app_click_everywhere(struct app *app, struct screen *s)
{
	bool was_selected[256] = { false };
	size_t seen = 0;

	for (int row = 0; row < s->rows; row++)
		for (int column = 0; column < s->columns; column++) {
			const struct mouse press = { MOUSE_PRESS, row, column };
			struct spot spot;

			app_draw(app, s);
			spot = spot_at(app_view(app), row, column);
			if (spot.kind != SPOT_ROW)
				continue;
			assert_true(app_mouse(app, &press));
			assert_int_equal(app_view(app)->cursor, spot.row);
			app_steps(app, s, "wait");
			app->mouse.clicked = NULL; /* or it were a second */
			seen += !was_selected[spot.row % 256];
			was_selected[spot.row % 256] = true;
		}
	return seen;
}

/* --- golden files -------------------------------------------------------- */

/* The first line that differs, both ways. */
static void
compare_golden(const char *path, const char *wanted, const char *got)
{
	int line = 1;

	if (!wanted) {
		fail_msg("%s is missing; `make golden` writes it:\n%s", path, got);
		return;
	}
	while (*wanted && *wanted == *got) {
		line += *wanted == '\n';
		wanted++;
		got++;
	}
	if (*wanted == *got)
		return;
	fail_msg("%s:%d differs from here on\nwanted: %.*s\n   got: %.*s", path, line,
		 (int)strcspn(wanted, "\n"), wanted, (int)strcspn(got, "\n"), got);
}

static void
release_screen(void *screen)
{
	screen_free(screen);
}

struct screen *
screen_for_test(int rows, int columns, bool is_ascii)
{
	struct error err = { 0 };
	struct screen *s = screen_new(rows, columns, &err);

	if (!s) {
		fail_msg("%s", err.message);
		abort();
	}
	s->is_ascii = is_ascii;
	test_owns(s, release_screen);
	return s;
}

void
expect_text(const char *text, const char *name)
{
	char path[256], *wanted;

	snprintf(path, sizeof path, "tests/golden/%s", name);
	if (getenv("HEAPTOP_GOLDEN")) {
		file_write(path, text, strlen(text));
		return;
	}
	wanted = access(path, F_OK) ? NULL : file_read(path, NULL);
	compare_golden(path, wanted, text);
	free(wanted);
}

void
expect_screen(struct app *app, struct screen *s, const char *name, bool with_styles)
{
	struct error err = { 0 };
	char file[256], *got;

	app_draw(app, s);
	got = screen_dump(s, with_styles, &err);
	assert_non_null(got);
	snprintf(file, sizeof file, "%s.screen", name);
	expect_text(got, file);
	memory_free(got);
}

void
expect_steps(struct app *app, struct screen *s, const char *steps, const char *name)
{
	app_steps(app, s, steps);
	expect_screen(app, s, name, false);
}

void
expect_screens(const struct screen_case *cases, size_t count,
	       struct app *(*open)(const struct heap *))
{
	for (const struct screen_case *c = cases; c < cases + count; c++) {
		struct app *app = open(c->heap());
		struct screen *s = screen_for_test(c->rows, c->columns, c->is_ascii);

		app_steps(app, s, c->steps);
		expect_screen(app, s, c->name, c->with_styles);
		app_end(app);
	}
}

void
test_screen_case(void **state)
{
	expect_screens(*state, 1, app_on);
}

void
test_retained_screen_case(void **state)
{
	expect_screens(*state, 1, app_with_retention);
}

char *
app_screen_text(struct app *app, struct screen *s)
{
	struct error err = { 0 };
	char *text;

	app->message[0] = '\0';
	app_draw(app, s);
	text = screen_dump(s, true, &err);
	assert_non_null(text);
	return text;
}

char *
view_printed(const struct view *v, enum table_format format, const char *columns, uint64_t rows_max)
{
	struct error err = { 0 };
	struct table_writer table;
	char *out = NULL;
	size_t len = 0;
	FILE *to = open_memstream(&out, &len);

	assert_non_null(to);
	assert_ok(view_print_init(&table, v, format, columns, &err), &err);
	table.rows_max = rows_max;
	view_print(to, &table, v);
	fclose(to);
	return out;
}

bool
app_has_text(struct app *app, struct screen *s, const char *text)
{
	struct error err = { 0 };
	bool is_there;
	char *dump;

	app_draw(app, s);
	dump = screen_dump(s, false, &err);
	assert_non_null(dump);
	is_there = strstr(dump, text) != NULL;
	memory_free(dump);
	return is_there;
}

void
expect_same_views(const struct app *a, const struct app *b)
{
	assert_int_equal(a->views_count, b->views_count);
	assert_int_equal(a->current, b->current);
	for (size_t i = 0; i < a->views_count; i++) {
		assert_string_equal(a->views[i]->title, b->views[i]->title);
		assert_int_equal(a->views[i]->rows_count, b->views[i]->rows_count);
		assert_int_equal(a->views[i]->cursor, b->views[i]->cursor);
		assert_int_equal(a->views[i]->top, b->views[i]->top);
	}
}

void
expect_kinds(const struct view *v)
{
	const struct column *columns = v->ops->table->columns;
	struct value value;

	for (size_t i = 0; i < v->rows_count; i++) {
		struct row row;

		view_row(v, i, &row);
		for (const struct column *c = columns; c->id; c++) {
			view_cell(v, c, &row, &value);
			if (!(c->flags & COLUMN_MIXED) && value.kind != column_kind(c) &&
			    value.kind != VALUE_BLANK && value.kind != VALUE_PENDING)
				fail_msg("%s: %s is of kind %d, not %d", v->ops->command.name,
					 c->id, value.kind, column_kind(c));
		}
	}
}
