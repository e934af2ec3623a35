/*
 * The mouse: what terminals tell of it, what that does on the screen, and that no way out leaves it
 * switched on.
 */
#include "tests/drive/home.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/screens.h"
#include "tests/drive/started.h"
#include "tui/widget/spot.h"
#include "tui/term/mouse.h"
#include "model/base/text.h"
#include <signal.h>
#include <string.h>

#define DUMP "tests/data/leaky-10.gcdump"

/* --- what terminals tell -------------------------------------------------- */

TEST(sequences_are_events)
{
	/* clang-format off */
	static const struct {
		const char *bytes;
		bool wanted;
		struct mouse mouse;
	} rows[] = {
		{ "[<0;1;1M",        true,  { MOUSE_PRESS, 0, 0 } },
		{ "[<0;80;24m",      true,  { MOUSE_RELEASE, 23, 79 } },
		{ "[<32;400;7M",     true,  { MOUSE_DRAG, 6, 399 } },
		{ "[<64;2;3M",       true,  { MOUSE_WHEEL_UP, 2, 1 } },
		{ "[<65;9999;9999M", true,  { MOUSE_WHEEL_DOWN, 9998, 9998 } },
		{ "[<65;10000;1M",   false, { 0 } },
		{ "[<0;1;99999999999999999999M", false, { 0 } },
		{ "[<4294967296;1;1M", false, { 0 } },
		{ "[<0;0;1M",        false, { 0 } },
		{ "[<0;1;0M",        false, { 0 } },
		{ "[<0;-1;1M",       false, { 0 } },
		{ "[<0;1;1",         false, { 0 } },
		{ "[<0;1M",          false, { 0 } },
		{ "[<0;1;M",         false, { 0 } },
		{ "[<;1;1M",         false, { 0 } },
		{ "[<0;1;1;1M",      false, { 0 } },
		{ "[<0:1:1M",        false, { 0 } },
		{ "[<M",             false, { 0 } },
		{ "[<",              false, { 0 } },
		{ "[",               false, { 0 } },
		{ "[0;1;1M",         false, { 0 } },
		{ "[<0;1;1A",        false, { 0 } },
		{ "[<1;1;1M",        false, { 0 } }, /* other buttons */
		{ "[<2;1;1m",        false, { 0 } },
		{ "[<128;1;1M",      false, { 0 } },
		{ "[<35;1;1M",       false, { 0 } }, /* moved with none */
		{ "[<66;1;1M",       false, { 0 } }, /* the wheel to the left */
		{ "[<4;1;1M",        false, { 0 } }, /* with Shift */
		{ "[<64;1;1m",       false, { 0 } },
	};
	/* clang-format on */

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct mouse m = { 0 };

		if (mouse_parse(rows[i].bytes, strlen(rows[i].bytes), &m) != rows[i].wanted)
			fail_msg("%s", rows[i].bytes);
		if (rows[i].wanted)
			assert_memory_equal(&m, &rows[i].mouse, sizeof m);
	}
}

/* --- what is done --------------------------------------------------------- */

/* Where a text stands on the screen. */
static struct mouse
place_of(struct app *app, struct screen *s, const char *text)
{
	struct mouse m = { MOUSE_PRESS, 0, 0 };
	struct error err = { 0 };
	char *dump, *line, *end, *found = NULL;

	app_draw(app, s);
	dump = screen_dump(s, false, &err);
	assert_non_null(dump);
	for (line = dump; *line; line = end + 1, m.row++) {
		end = strchr(line, '\n');
		*end = '\0';
		found = strstr(line, text);
		if (found)
			break;
	}
	if (!found)
		fail_msg("%s is not on the screen", text);
	else
		*found = '\0';
	m.column = text_width(line) - 1; /* of what marks the cursor */
	memory_free(dump);
	return m;
}

static void
press(struct app *app, struct screen *s, const char *text)
{
	struct mouse m = place_of(app, s, text);

	assert_true(app_mouse(app, &m));
	m.kind = MOUSE_RELEASE;
	assert_true(app_mouse(app, &m));
}

static void
wheel(struct app *app, struct screen *s, enum mouse_kind kind, int row, int column)
{
	const struct mouse m = { kind, row, column };

	app_draw(app, s);
	assert_true(app_mouse(app, &m));
}

TEST(clicks_select_and_open)
{
	struct screen *s = screen_for_test(24, 80, false);
	struct app *app = app_on(leaky_heap());

	press(app, s, "Leaky.Link ");
	assert_int_equal(app_view(app)->cursor, 3);
	assert_string_equal(app_view(app)->ops->command.name, "types");
	/* Only the same row again is Enter, */
	press(app, s, "string ");
	press(app, s, "Leaky.Link ");
	assert_string_equal(app_view(app)->ops->command.name, "types");
	/* with no key between. */
	app_steps(app, s, "j k");
	press(app, s, "Leaky.Link ");
	assert_string_equal(app_view(app)->ops->command.name, "types");
	press(app, s, "Leaky.Link ");
	assert_string_equal(app_view(app)->title, "objects Leaky.Link");
	/* A third one is the first in the new view. */
	press(app, s, "Leaky.Link  ");
	assert_string_equal(app_view(app)->title, "objects Leaky.Link");
	press(app, s, "q close");
	assert_string_equal(app_view(app)->ops->command.name, "types");
	app_end(app);
}

/* Rows made anew between two clicks, without a key: another stands there. */
TEST(what_took_its_place_is_not_opened)
{
	struct screen *s = screen_for_test(24, 80, false);
	struct app *app = app_on(leaky_heap());
	struct error err = { 0 };
	struct mouse m = place_of(app, s, "Leaky.Link ");

	assert_true(app_mouse(app, &m));
	assert_int_equal(app_view(app)->cursor, 3);
	assert_true(view_filter(app_view(app), "System", &err));
	assert_true(app_mouse(app, &m));
	assert_int_equal(app_view(app)->cursor, 3);
	assert_string_equal(app_view(app)->ops->command.name, "types");
	assert_true(app_mouse(app, &m));
	assert_string_equal(app_view(app)->ops->command.name, "objects");
	app_end(app);
}

TEST(titles_sort)
{
	struct screen *s = screen_for_test(24, 80, false);
	struct app *app = app_on(leaky_heap());
	struct view *v = app_view(app);

	press(app, s, "Count");
	assert_string_equal(v->ops->table->columns[v->sort].id, "count");
	assert_true(v->is_descending);
	press(app, s, "Count");
	assert_false(v->is_descending);
	press(app, s, "Type");
	assert_string_equal(v->ops->table->columns[v->sort].id, "type");
	app_steps(app, s, "?");
	press(app, s, "Command");
	assert_true(strstr(app->message, "does not sort") || strstr(app->message, "order"));
	app_end(app);
}

/* From behind the title of a column to `by` cells on. */
static void
drag_edge(struct app *app, struct screen *s, const char *title, int by)
{
	struct mouse m = place_of(app, s, title);

	m.column += text_width(title);
	assert_true(app_mouse(app, &m));
	m.kind = MOUSE_DRAG;
	for (int step = by < 0 ? -1 : 1; by; by -= step) {
		m.column += step;
		assert_true(app_mouse(app, &m));
		app_draw(app, s);
	}
	m.kind = MOUSE_RELEASE;
	assert_true(app_mouse(app, &m));
}

TEST(edges_are_dragged)
{
	struct screen *s = screen_for_test(24, 80, false);
	struct app *app = app_on(leaky_heap());
	const char *columns = app->settings->columns[0];
	struct mouse m = { MOUSE_DRAG, 5, 60 };

	assert_true(app_mouse(app, &m)); /* of nothing */
	assert_string_equal(columns, "");
	drag_edge(app, s, "Count", 3);
	assert_non_null(strstr(columns, ",count:13,"));
	drag_edge(app, s, "Count", -100);
	assert_non_null(strstr(columns, ",count:2,"));
	drag_edge(app, s, "Size▼", 2000);
	assert_non_null(strstr(columns, ",size:500,"));
	app_steps(app, s, ":set_columns.types=count,size,type");
	drag_edge(app, s, "Size▼", 4);
	assert_string_equal(columns, "count,size:15,type");
	/* Released, it stays. */
	assert_true(app_mouse(app, &m));
	assert_string_equal(columns, "count,size:15,type");
	/* F2 shows what was dragged, and goes on from there. */
	app_steps(app, s, "F2 j +");
	assert_string_equal(columns, "count,size:17,type");
	app_end(app);
}

TEST(the_wheel_moves)
{
	struct screen *s = screen_for_test(24, 80, false);
	struct app *app = app_on(leaky_heap());
	int cursor;

	wheel(app, s, MOUSE_WHEEL_DOWN, 10, 10);
	assert_int_equal(app_view(app)->cursor, 3);
	wheel(app, s, MOUSE_WHEEL_UP, 10, 10);
	wheel(app, s, MOUSE_WHEEL_UP, 10, 10);
	assert_int_equal(app_view(app)->cursor, 0);
	app_steps(app, s, "s");
	assert_true(app->menu.is_open);
	cursor = app->menu.cursor;
	wheel(app, s, MOUSE_WHEEL_UP, 10, 10);
	assert_int_equal(app->menu.cursor, cursor - 1);
	press(app, s, "│ Count");
	assert_false(app->menu.is_open);
	assert_string_equal(app_view(app)->ops->table->columns[app_view(app)->sort].id, "count");
	app_steps(app, s, "s");
	wheel(app, s, MOUSE_PRESS, 1, 1); /* beside it */
	assert_false(app->menu.is_open);
	/* The line that is being typed stays. */
	app_steps(app, s, ":");
	cursor = (int)app_view(app)->cursor;
	wheel(app, s, MOUSE_WHEEL_DOWN, 10, 10);
	wheel(app, s, MOUSE_PRESS, 10, 10);
	wheel(app, s, MOUSE_PRESS, 23, 1);
	assert_true(app->is_prompting);
	assert_int_equal(app_view(app)->cursor, cursor);
	app_steps(app, s, "Esc");
	app_end(app);
}

TEST(keys_at_the_bottom)
{
	struct screen *s = screen_for_test(24, 80, false);
	struct app *app = app_on(leaky_heap());
	struct mouse m = { MOUSE_PRESS, 23, 79 };

	press(app, s, "? help");
	assert_string_equal(app_view(app)->ops->command.name, "help");
	press(app, s, "q close");
	press(app, s, "objects  ");
	assert_string_equal(app_view(app)->ops->command.name, "objects");
	assert_true(app_mouse(app, &m)); /* behind the last: none */
	assert_string_equal(app_view(app)->ops->command.name, "objects");
	/* Without the bar a row of the view is there. */
	app_steps(app, s, "q :set_nobar :set_nofacts");
	wheel(app, s, MOUSE_PRESS, 22, 1);
	assert_int_equal(app_view(app)->cursor, 19);
	app_steps(app, s, ":set_bar");
	m = place_of(app, s, "q quit");
	assert_false(app_mouse(app, &m));
	app_end(app);
}

TEST(panes_take_the_focus)
{
	struct screen *s = screen_for_test(40, 160, false);
	struct app *app = app_on(leaky_heap());

	app_steps(app, s, ":objects_Leaky.Session Tab");
	assert_true(app->has_pane_focus);
	wheel(app, s, MOUSE_PRESS, 10, 5);
	assert_false(app->has_pane_focus);
	wheel(app, s, MOUSE_PRESS, 12, 79); /* the line between them */
	assert_false(app->has_pane_focus);
	wheel(app, s, MOUSE_PRESS, 5, 100);
	assert_true(app->has_pane_focus);
	assert_string_equal(app_view(app)->ops->command.name, "inspect");
	wheel(app, s, MOUSE_WHEEL_DOWN, 10, 5);
	assert_false(app->has_pane_focus);
	app_end(app);
}

TEST(pictures_are_clicked)
{
	static const char *const views[] = { "M", "H" };

	for (size_t i = 0; i < COUNT_OF(views); i++) {
		struct screen *s = screen_for_test(24, 80, false);
		struct app *app = app_with_retention(leaky_heap());

		app_steps(app, s, views[i]);
		app_draw(app, s);
		assert_int_equal(app_view(app)->is_picture, i == 0);
		assert_true(app_click_everywhere(app, s) > 5);
		app_end(app);
	}
}

/* Whatever comes, at whatever moment. */
TEST(nothing_is_too_far_out)
{
	static const char *const views[] = { "",     ":objects", "Tab", "M",  "q q q", "H",
					     ":map", ":heapmap", "?",   "F2", "s",     "Esc :" };
	static const int places[] = { -1, 0,  1,  2,  3,  4,  7,   12,   21,   22,
				      23, 24, 39, 78, 79, 80, 399, 9998, 9999, -9999 };
	static const enum mouse_kind kinds[] = { MOUSE_WHEEL_DOWN, MOUSE_PRESS, MOUSE_DRAG,
						 MOUSE_RELEASE, MOUSE_WHEEL_UP };
	static const int sizes[][2] = { { 24, 80 }, { 10, 40 }, { 4, 15 } };

	for (size_t size = 0; size < COUNT_OF(sizes); size++) {
		struct screen *s = screen_for_test(sizes[size][0], sizes[size][1], false);
		struct app *app = app_with_retention(leaky_heap());
		bool goes_on = true;

		for (size_t v = 0; v < COUNT_OF(views) && goes_on; v++) {
			app_steps(app, s, views[v]);
			for (size_t i = 0;
			     i < COUNT_OF(places) * COUNT_OF(places) * COUNT_OF(kinds) && goes_on;
			     i++) {
				const struct mouse m = {
					kinds[i % COUNT_OF(kinds)],
					places[i / COUNT_OF(kinds) % COUNT_OF(places)],
					places[i / COUNT_OF(kinds) / COUNT_OF(places)]
				};

				goes_on = app_mouse(app, &m);
				if (i % 7 == 0)
					app_draw(app, s);
			}
		}
		app_end(app);
	}
}

/* --- on a terminal -------------------------------------------------------- */

static struct pty *
start(const char *term, const char *option, const char *argument)
{
	const char *const arguments[] = { DUMP, option, argument, NULL };
	const char *const variables[] = { term, NULL };
	struct pty *p = started(arguments, variables, 24, 80);

	/* The last that is computed, in three lines above the types. */
	assert_true(pty_wait_text(p, "kept by static Sessions"));
	assert_true(pty_wait_text(p, "1/163"));
	return p;
}

static void
end(struct pty *p)
{
	pty_send(p, "Q");
	assert_int_equal(pty_wait_end(p), 0);
	assert_false(pty_has_mouse(p));
	assert_true(pty_modes_are_kept(p));
	pty_free(p);
}

TEST_AT_HOME(clicks_arrive)
{
	struct pty *p = start("TERM=xterm-256color", "-x", "set mouse");

	assert_true(pty_wait_bytes(p, MOUSE_ON));
	assert_true(pty_has_mouse(p));
	assert_true(pty_wait_text(p, "kept by static misc")); /* the last line above the types */
	pty_types(p, "\033[<65;10;10M", " 4/163");
	pty_types(p, "\033[<0;3;8M\033[<0;3;8m", " 1/163"); /* the first row */
	pty_types(p, "\033[<0;3;9M\033[<0;3;9m\033[<0;3;9M\033[<0;3;9m", " 1/5,001");
	pty_types(p, ":set nomouse\r", "mouse=off");
	assert_false(pty_has_mouse(p));
	pty_types(p, "\033[<65;10;10Mj", " 2/5,001");
	end(p);
}

/* One that is cut, wrong, or of another form is no key at all. */
static const char *const strays[] = {
	"\033[<0;1;1M",
	"\033[<0;1;1m",
	"\033[<3;1;1M",
	"\033[<0;99999999999999999999;3M",
	"\033[<0;-7;3M",
	"\033[<0;0;0M",
	"\033[<;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;;M",
	"\033[<0;0000000000000000000000000000000000000000000000000000000001;1M",
	"\033[<0;12\033[<0;1;1m", /* cut by the next */
	"\033[<0;1;1q",
	"\033[0;1;1M",
	"\033[M !!",
	"\033[M\xff\xff\xff",
	"\033[?1;2c",
	"\033[>41;350;0c",
};

TEST_AT_HOME(strays_do_nothing)
{
	struct pty *p = start("TERM=xterm-256color", NULL, NULL);

	assert_false(pty_has_sent(p, "\033[?1000"));
	for (size_t i = 0; i < COUNT_OF(strays); i++) {
		char place[32];

		pty_send(p, strays[i]);
		pty_send(p, "j");
		snprintf(place, sizeof place, " %zu/163", i + 2);
		assert_true(pty_wait_text(p, place));
		assert_true(pty_find(p, "gcdump › types") >= 0);
		assert_int_equal(pty_find(p, "› types ›"), -1);
	}
	end(p);
}

/* With the mouse on: none of these is on a row or a key. */
TEST_AT_HOME(hostile_ones_do_nothing)
{
	static const char *const hostile[] = {
		"\033[<0;1;9999M",     "\033[<65;9999;9999M",
		"\033[<0;99999999;1M", "\033[<32;1;1M\033[<32;9999;9999M",
		"\033[<0;-1;-1M",      "\033[<0;0;6M",
		"\033[<2;3;6M",        "\033[<66;3;6M",
		"\033[<255;3;6M",      "\033[<0;3;\033[<0;3;",
		"\033[<0;1;24\033[C", /* cut by a key */
		"\033[<0;1;24\001",
	};
	struct pty *p = start("TERM=xterm-256color", "-x", "set mouse");

	for (size_t i = 0; i < COUNT_OF(hostile); i++) {
		pty_send(p, hostile[i]);
		pty_send(p, "\033[<65;3;6M");
	}
	assert_true(pty_wait_text(p, " 37/163"));
	assert_true(pty_find(p, "gcdump › types") >= 0);
	end(p);
}

/* Faster than they can be drawn. */
TEST_AT_HOME(floods_are_survived)
{
	static const char one[] = "\033[<65;3;6M\033[<32;70;4M\033[<64;3;6M\033[<0;3;6m";
	struct pty *p = start("TERM=xterm-256color", "-x", "set mouse");

	for (int i = 0; i < 600; i++) {
		pty_send(p, one);
		while (i % 30 == 0 && pty_sends_within(p, 20))
			;
	}
	pty_types(p, "\033[<65;3;6M", " 4/163");
	end(p);
}

/* As little as a key does; and what changes nothing sends nothing. */
TEST_AT_HOME(the_wheel_costs_little)
{
	enum { BYTES_MOST = 400, STEPS = 12, QUIET_MS = 400 };
	struct pty *p = start("TERM=xterm-256color", "-x", "set mouse");
	size_t before;

	assert_true(pty_wait_quiet(p, QUIET_MS));
	before = pty_sent_count(p);
	for (int i = 1; i <= STEPS; i++) {
		char place[32];

		pty_send(p, "\033[<65;3;6M");
		snprintf(place, sizeof place, " %d/163", 3 * i + 1);
		assert_true(pty_wait_text(p, place));
	}
	print_message("%zu bytes a step\n", (pty_sent_count(p) - before) / STEPS);
	assert_true((pty_sent_count(p) - before) / STEPS <= BYTES_MOST);
	assert_true(pty_wait_quiet(p, QUIET_MS));
	before = pty_sent_count(p);
	pty_send(p, "\033[<0;3;6m\033[<32;4;7M\033[<32;5;7M\033[<0;5;7m"
		    "\033[<0;70;1M\033[<0;9;2M\033[<0;9;24m");
	assert_true(pty_wait_quiet(p, QUIET_MS));
	assert_int_equal(pty_sent_count(p), before);
	end(p);
}

/* --- off again, whatever happens ------------------------------------------ */

TEST_AT_HOME(every_end_switches_it_off)
{
	static const int signals[] = { SIGTERM, SIGHUP, SIGSEGV, SIGABRT, SIGBUS, SIGQUIT, SIGFPE };

	for (size_t i = 0; i < COUNT_OF(signals); i++) {
		struct pty *p = start("TERM=xterm-256color", "-x", "set mouse");

		assert_true(pty_wait_bytes(p, MOUSE_ON));
		assert_true(pty_has_mouse(p));
		pty_signal(p, signals[i]);
		assert_int_not_equal(pty_wait_end(p), -1);
		assert_false(pty_has_mouse(p));
		assert_true(pty_modes_are_kept(p));
		pty_free(p);
	}
}

TEST_AT_HOME(others_do_not_have_it)
{
	struct pty *p = started_in_shell("-x 'set mouse' " DUMP);
	size_t from;

	assert_true(pty_wait_bytes(p, MOUSE_ON));
	pty_types(p, "\032", "Stopped");
	assert_false(pty_has_mouse(p));
	from = pty_sent_count(p);
	pty_send(p, "fg\n");
	assert_true(pty_wait_sent(p, from, MOUSE_ON));
	assert_true(pty_has_mouse(p));
	/* A shell, and plain lines until a key. */
	pty_types(p, "!echo it has; echo the terminal\r", "any key");
	assert_false(pty_has_mouse(p));
	from = pty_sent_count(p);
	pty_send(p, " ");
	assert_true(pty_wait_sent(p, from, MOUSE_ON));
	pty_types(p, "Y", "press any key to return");
	assert_false(pty_has_mouse(p));
	from = pty_sent_count(p);
	pty_send(p, " ");
	assert_true(pty_wait_sent(p, from, MOUSE_ON));
	pty_types(p, "Q", "ready>");
	pty_send(p, "exit\n");
	assert_int_equal(pty_wait_end(p), 0);
	assert_false(pty_has_mouse(p));
	pty_free(p);
}

/* Only where it is known to be there; never as lines. */
TEST_AT_HOME(not_every_terminal_has_it)
{
	static const struct {
		const char *term;
		bool has_it;
	} rows[] = {
		{ "TERM=xterm", true },         { "TERM=tmux-256color", true },
		{ "TERM=screen", true },        { "TERM=xterm-kitty", true },
		{ "TERM=putty", true },         { "TERM=linux", false },
		{ "TERM=vt220", false },        { "TERM=vt100", false },
		{ "TERM=nobody-knows", false },
	};
	const char *const linear[] = { "--linear", "-x", "set mouse", DUMP, NULL };
	struct pty *p;

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		p = start(rows[i].term, "-x", "set mouse");
		if (!rows[i].has_it)
			assert_true(pty_wait_text(p, "not known to support a mouse"));
		else
			assert_true(pty_wait_bytes(p, MOUSE_ON));
		assert_int_equal(pty_has_sent(p, MOUSE_ON), rows[i].has_it);
		assert_int_equal(pty_has_mouse(p), rows[i].has_it);
		end(p);
	}
	p = started(linear, NULL, 24, 80);
	assert_true(pty_wait_text(p, "31,867 objects"));
	pty_send(p, "Q");
	assert_int_equal(pty_wait_end(p), 0);
	assert_false(pty_has_sent(p, "\033[?1000"));
	pty_free(p);
}
