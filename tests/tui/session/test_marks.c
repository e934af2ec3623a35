/* Marks: finding them, their notes, what they keep together, their screens. */
#include "model/graph/objsize.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/screens.h"
#include "tui/app/command.h"
#include "tui/app/script.h"
#include "tui/session/marks.h"
#include "tui/base/quoting.h"
#include <string.h>

static struct error err;

TEST(are_found_however_they_came)
{
	struct marks m = { 0 };

	for (uint32_t i = 0; i < 1000; i++)
		assert_true(marks_put(&m, i * 7919 % 1000 * 3, 1, NULL, &err));
	for (type_id t = 20; t-- > 0;)
		assert_true(marks_put(&m, NODE_NONE, t * 2, NULL, &err));
	assert_int_equal(m.count, 1020);
	for (node_id n = 0; n < 3000; n++)
		assert_int_equal(marks_find(&m, n, 1) != NULL, n % 3 == 0);
	for (type_id t = 0; t < 40; t++)
		assert_int_equal(marks_find(&m, NODE_NONE, t) != NULL, t % 2 == 0);
	assert_null(marks_find(&m, NODE_NONE, TYPE_NONE));
	assert_false(marks_remove(&m, 1, 1));
	for (node_id n = 0; n < 3000; n += 3)
		assert_true(marks_remove(&m, n, 1));
	assert_int_equal(m.count, 20);
	assert_int_equal(m.items[0].node, NODE_NONE);
	marks_clear(&m);
	assert_null(marks_find(&m, NODE_NONE, 0));
}

TEST(keep_their_notes)
{
	struct marks m = { 0 };
	char text[2 * MARK_NOTE_BYTES];

	assert_true(marks_put(&m, 5, 1, "why?", &err));
	assert_true(marks_put(&m, 5, 1, NULL, &err));
	assert_int_equal(m.count, 1);
	assert_string_equal(marks_find(&m, 5, 1)->note, "why?");
	assert_true(marks_put(&m, 5, 1, "", &err));
	assert_string_equal(marks_find(&m, 5, 1)->note, "");
	/* Never half a character. */
	text[0] = '\0';
	for (size_t i = 0; i < sizeof text / 2 - 1; i++)
		strcat(text, "é");
	assert_true(marks_put(&m, 5, 1, text, &err));
	assert_int_equal(strlen(m.items[0].note), (MARK_NOTE_BYTES - 1) & ~1);
	assert_memory_equal(m.items[0].note, text, (MARK_NOTE_BYTES - 1) & ~1);
	marks_clear(&m);
}

TEST(are_bounded)
{
	struct marks m = { 0 };

	for (node_id n = 0; n < MARKS_MAX; n++)
		assert_true(marks_put(&m, n, 1, NULL, &err));
	assert_false(marks_put(&m, MARKS_MAX, 1, NULL, &err));
	assert_non_null(strstr(err.message, "4096 marks already"));
	error_clear(&err);
	assert_true(marks_put(&m, 7, 1, "of one that is there", &err));
	marks_clear(&m);
}

/* A type and one of its objects: each byte counts once. */
TEST(keep_each_byte_once)
{
	struct app *app = app_on(leaky_heap());
	const struct heap *h = app->session->heap;
	struct target t;
	struct objsize size, all;
	struct mark marks[2];
	struct id_list list;

	assert_true(target_parse(app->session, TAKES_TYPE, "Leaky.Session", &t, &err));
	marks[1] = (struct mark){ .node = NODE_NONE, .type = t.type };
	assert_true(marks_objects(&marks[1], 1, h, &list, NULL, &err));
	assert_true(list.count > 1);
	assert_true(objsize_compute(&all, h, list.ids, list.count, NULL, NULL, &err));
	marks[0] = (struct mark){ .node = list.ids[1], .type = t.type };
	id_list_free(&list);
	assert_true(marks_objects(marks, 2, h, &list, NULL, &err));
	assert_true(objsize_compute(&size, h, list.ids, list.count, NULL, NULL, &err));
	assert_int_equal(size.set_count, all.set_count);
	assert_int_equal(size.exclusive_bytes, all.exclusive_bytes);
	id_list_free(&list);
	app_end(app);
}

/* Of all views only theirs makes its rows anew. */
TEST(change_no_other_rows)
{
	struct app *app = app_with_retention(leaky_heap());
	struct screen *s = screen_for_test(24, 80, false);
	const struct view *v;
	uint32_t rows_version;

	app_steps(app, s, ":sort_retained");
	v = app_view(app);
	rows_version = v->rows_version;
	app_steps(app, s, "Space :mark_why? :unmark Space");
	assert_int_equal(app->session->marks.count, 1);
	assert_int_equal(v->rows_version, rows_version);
	app_steps(app, s, "'");
	v = app_view(app);
	assert_int_equal(v->rows_count, 1);
	app_steps(app, s, ":mark-at_System.String_too");
	assert_int_equal(v->rows_count, 2);
	app_end(app);
}

/* At the prompt the rest of the line, with ';', unless quotes end it. */
TEST(take_the_rest_of_the_line)
{
	struct app *app = app_with_retention(leaky_heap());
	struct screen *s = screen_for_test(24, 80, false);
	const struct marks *marks = &app->session->marks;

	app_steps(app, s, "m a ; Space b Enter");
	assert_string_equal(marks->items[0].note, "a; b");
	app_steps(app, s, ": m a r k Space \" c ; \" ; o b j e c t s Enter");
	assert_string_equal(marks->items[0].note, "c;");
	assert_string_equal(app_view(app)->ops->command.name, "objects");
	app_end(app);
}

/* Whatever bytes a name has: one command, and the same name again. */
TEST(are_quoted_safely)
{
	char name[256], quoted[4 * sizeof name + 3], line[sizeof quoted + 8];
	char out[SCRIPT_COMMAND_BYTES];
	struct script s;
	const char *rest;

	for (int c = 1; c < 256; c++)
		name[c - 1] = (char)c;
	name[255] = '\0';
	assert_true(quoting_encode(name, quoted, sizeof quoted));
	snprintf(line, sizeof line, "mark %s", quoted);
	script_init(&s, line);
	assert_true(script_next(&s, out, &err));
	assert_string_equal(out, line);
	assert_false(script_next(&s, out, &err));
	rest = line + 4;
	assert_true(quoting_argument(&rest, out, sizeof out));
	assert_string_equal(out, name);
	assert_string_equal(rest, "");
	assert_false(quoting_argument(&rest, out, sizeof out));
	assert_false(quoting_encode(name, quoted, 20));
}

/* clang-format off */
static const struct screen_case screens[] = {
	{ "marks-none",    leaky_heap,   12, 80,  false, false, "'" },
	{ "marks-types",   leaky_heap,   12, 80,  false, true,  "Space j Space" },
	{ "marks-80x24",   leaky_heap,   24, 80,  false, false, "Space Enter Space j :mark_\"held;_why?\" '" },
	{ "marks-200x60",  leaky_heap,   60, 200, false, false, "Space Enter Space j :mark_why? ' wait" },
	{ "marks-40x10",   leaky_heap,   10, 40,  true,  false, "Space Enter Space j :mark_why? ' wait" },
	{ "marks-removed", leaky_heap,   12, 80,  false, false, "Space Space ' x" },
	{ "marks-note",    leaky_heap,   12, 80,  false, false, ":mark_\"a;b\" m" },
	{ "marks-named",   awkward_heap, 12, 80,  false, false, ":mark-at_\"System.\\x42yte[]\"_big :mark-at_1000_root :objsize_marked <  '" },
	{ "marks-unmark",  leaky_heap,   12, 80,  false, false, "Space Space :unmark" },
	{ "marks-objsize", leaky_heap,   12, 100, false, false, "Space Space :objsize_marked" },
	{ "marks-tree",    leaky_heap,   16, 100, false, false, "j r Space j Space" },
};
/* clang-format on */

TEST(are_seen)
{
	expect_screens(screens, COUNT_OF(screens), app_on);
}
