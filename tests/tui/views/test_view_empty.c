/*
 * What every view says where it has no rows. Driven by the table of views: one that is added has to
 * have its sentence, and its lines in the golden file.
 */
#include "tests/made/made_contents.h"
#include "tests/drive/jobs.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/screens.h"
#include "tui/app/command.h"
#include "tui/session/snapshots.h"
#include "tui/app/views.h"
#include "model/heap/stream.h"
#include <ctype.h>
#include <string.h>

enum { TEXT_BYTES = 64 << 10, LONGEST = 150 };

/* --- the sentences -------------------------------------------------------- */

/* The commands in it, all of which work in that view. */
static int
count_commands(const struct view_ops *view, const char *sentence)
{
	int count = 0;

	for (const char *at = strchr(sentence, ':'); at; at = strchr(at + 1, ':')) {
		size_t len = strspn(at + 1, "abcdefghijklmnopqrstuvwxyz-");
		struct error err = { 0 };

		if (!len)
			continue;
		if (!command_by_name(view, at + 1, len, &err).command)
			fail_msg("%s: there is no %.*s: %s", view->command.name, (int)len + 1, at,
				 err.message);
		count++;
	}
	return count;
}

TEST(all_say_what_to_do)
{
	for (const struct view_ops *const *v = all_views; *v; v++) {
		const char *name = (*v)->command.name, *text = (*v)->words.no_rows;

		if (!text || !*text || strlen(text) > LONGEST)
			fail_msg("%s: no sentence, or a long one", name);
		if (isupper((unsigned char)*text) || text[strlen(text) - 1] == '.')
			fail_msg("%s: not as others: %s", name, text);
		if (!count_commands(*v, text) && !strstr(text, ": sudo "))
			fail_msg("%s: what to do? %s", name, text);
	}
}

/* --- all of them on a heap ------------------------------------------------ */

struct report {
	char text[TEXT_BYTES];
	size_t len;
};

static void
report_add(struct report *r, const char *name, const char *what, const char *text)
{
	r->len += (size_t)snprintf(r->text + r->len, sizeof r->text - r->len, "%-13s %s%s%s\n",
				   name, what, *text ? ": " : "", text);
	assert_true(r->len < sizeof r->text);
}

/* What a view that needs something is about, here. */
static const char *
argument_of(const struct view_ops *ops, const char *address)
{
	if (!strcmp(ops->command.name, "find"))
		return "12345";
	if (!strcmp(ops->command.name, "value"))
		return "3000 7f0000001008";
	if (view_takes(ops) & TAKES_OPTIONAL || view_takes(ops) == TAKES_NOTHING)
		return "";
	return ops->command.args[0].kind == ARG_TYPE ? "int" : address;
}

/* False: it does not open, which is reported. */
static bool
open_view(struct app *app, const struct view_ops *ops, const char *address, struct report *r)
{
	struct error err = { 0 };
	char line[128];

	snprintf(line, sizeof line, "%s %s", ops->command.name, argument_of(ops, address));
	line[strlen(line) - !line[strlen(ops->command.name) + 1]] = '\0';
	if (app_command(app, line, &err)) {
		app_poll(app);
		return true;
	}
	report_add(r, ops->command.name, "refused", err.message);
	return false;
}

static void
close_all(struct app *app)
{
	while (app->current)
		app_close(app);
}

static void
report_rows(const struct view *v, struct report *r)
{
	char out[VALUE_TEXT_BYTES];

	report_add(r, v->ops->command.name, v->rows_count ? "rows" : "empty",
		   v->rows_count ? "" : view_empty_text(v, out));
}

static void
report_all(struct app *app, const char *address, struct report *r)
{
	for (const struct view_ops *const *ops = all_views; *ops; ops++) {
		if (open_view(app, *ops, address, r)) {
			report_rows(app_view(app), r);
			expect_kinds(app_view(app));
		}
		close_all(app);
	}
}

/* One object of memory that nothing keeps, and nothing else at all. */
TEST(on_next_to_nothing)
{
	static struct report r;
	struct made_contents *m = made_contents_new(1);
	int32_t number = 7;
	char address[32];
	struct app *app;

	r.len = 0;
	snprintf(address, sizeof address, "%llx",
		 (unsigned long long)made_contents_put(m, MADE_BOX, &number, sizeof number, false));
	app = app_on(made_contents_heap(m));
	report_all(app, address, &r);
	expect_text(r.text, "views-lonely.txt");
	app->session->heap = NULL; /* it belongs to `m` */
	app_end(app);
	made_contents_free(m);
}

/* A heap of no objects. */
TEST(on_nothing)
{
	static struct report r;
	struct error err = { 0 };
	struct heap_stream *s = heap_stream_new(&err);
	struct app *app;

	r.len = 0;
	app = app_on(heap_stream_finish(s, NULL, &err));
	report_all(app, "1000", &r);
	expect_text(r.text, "views-nothing.txt");
	app_end(app);
}

/* --- nothing matches ------------------------------------------------------ */

/*
 * Esc, and all is as before. False: it is a tree, whose top and whose rows that are not there yet
 * stay.
 */
static bool
says_how_to_go_on(struct app *app)
{
	struct view *v = app_view(app);
	size_t before = v->rows_count;
	struct error err = { 0 };
	char out[VALUE_TEXT_BYTES];
	bool is_told;

	if (!view_filter(v, "xyzzy", &err))
		fail_msg("%s: %s", v->title, err.message);
	is_told = !v->rows_count;
	if (!is_told && !view_code(v->ops)->tree)
		fail_msg("%s has rows", v->title);
	if (is_told)
		assert_string_equal(view_empty_text(v, out),
				    "no row matches the filter; Esc clears it, & changes it");
	assert_true(app_key(app, TK_ESCAPE));
	assert_ptr_equal(app_view(app), v);
	assert_int_equal(v->rows_count, before);
	return is_told;
}

TEST(filtered_to_nothing)
{
	static struct report r;
	struct app *app = app_on(leaky_heap());
	int count = 0;

	for (const struct view_ops *const *ops = all_views; *ops; ops++) {
		if (open_view(app, *ops, "7fe01c001758", &r) && app_view(app)->rows_count) {
			expect_kinds(app_view(app));
			count += says_how_to_go_on(app);
		}
		close_all(app);
	}
	assert_true(count > 15);
	app_end(app);
}

/* --- not there yet -------------------------------------------------------- */

TEST(while_it_is_read)
{
	static const struct loader loader = { .path = "b.gcdump", .load = load_for_ever };
	static struct report r;
	struct error err = { 0 };
	struct session *s = session_new(&loader, jobs_on_threads(), &err);
	struct app *app = app_new(s, &err);

	r.len = 0;
	assert_true(session_start(s, &err));
	report_all(app, "1000", &r);
	expect_text(r.text, "views-reading.txt");
	session_stop(s);
	app_end(app);
}

/* --- stopped, failed ------------------------------------------------------ */

TEST(begins_again)
{
	struct app *app = app_on(awkward_heap());
	struct error err = { 0 };
	char out[VALUE_TEXT_BYTES];
	struct view *v;

	assert_true(app_command(app, "groups", &err));
	v = app_view(app);
	v->was_stopped = true;
	v->rows_count = 0;
	assert_string_equal(view_empty_text(v, out),
			    "stopped before it was finished; :groups starts it again");
	assert_true(app_command(app, "groups", &err));
	assert_ptr_equal(app_view(app), v); /* not one more of them */
	assert_true(v->rows_count > 0);
	assert_false(view_was_stopped(v));
	app_end(app);
}

/* Where the lines of one text end depends on the width; none is cut. */
TEST(is_told_to_its_end)
{
	static const int widths[] = { 200, 80, 40, 20 };
	struct app *app = app_on(leaky_heap());

	for (size_t i = 0; i < COUNT_OF(widths); i++) {
		struct screen *s = screen_for_test(12, widths[i], false);
		struct error err = { 0 };
		char *text;

		app_steps(app, s, ":marks");
		app_draw(app, s);
		text = screen_dump(s, false, &err);
		assert_non_null(text);
		assert_non_null(strstr(text, "nothing is"));
		assert_non_null(strstr(text, "note"));
		memory_free(text);
	}
	app_end(app);
}

/* The reason stays on the screen when the message has gone. */
TEST(failure_is_told)
{
	static const struct loader loader = { .path = "b.gcdump", .load = load_for_ever };
	struct error err = { 0 };
	struct session *s = session_new(&loader, jobs_on_threads(), &err);
	struct app *app = app_new(s, &err);
	const struct heap *h = awkward_heap();
	char out[VALUE_TEXT_BYTES];

	assert_true(app_command(app, "threads", &err));
	s->heap = h;
	s->has = NEED_TYPES | NEED_OBJECTS | NEED_PROCESS;
	s->version++;
	assert_false(view_update(app_view(app), &err));
	assert_string_equal(view_empty_text(app_view(app), out), err.message);
	assert_non_null(strstr(err.message, "(heaptop -m PID)"));
	app_end(app);
}
