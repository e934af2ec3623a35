/*
 * How many keys it takes from the first screen to the answer of a question, on programs that have
 * the fault and on two dumps of one program. A question takes at most KEYS_MAX; the table is
 * printed.
 */
#include "tests/drive/captures.h"
#include "tests/drive/heaps.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/screens.h"
#include "tests/drive/ways.h"
#include "tui/session/snapshots.h"
#include "tui/app/views.h"
#include <stdio.h>
#include <string.h>

enum { KEYS_MAX = 4, ROWS = 24, COLUMNS = 80 };

/* NULL for a program: the two dumps. */
static const struct question {
	const char *text, *program, *keys;
	const char *answers[3]; /* all are on the screen; NULL: no more */
} questions[] = {
	{ "what grows", NULL, "=", { "Leaky.Session", "+440,000 B", "grows" } },
	{ "who keeps it", NULL, "= r", { "who holds the", "static Sessions" } },
	{ "since when is it there", NULL, "= Enter", { "5,000 objects", "where new" } },
	{ "what would be freed", NULL, "9 R", { "Retained", "would free" } },
	{ "what is in this cache", "shop", "3 j w", { "contents", "Shop.Quote", "Entries" } },
	{ "why is the finalizer stuck",
	  "ingester",
	  "9",
	  { "thread is in Ingest.NativeDoc.Close", "stuck-worker" } },
	{ "who waits for whom", "ingester", "9 j", { "30 threads wait for one lock", "hoarder" } },
	{ "how much is fragmented",
	  "ingester",
	  "9 j j j",
	  { "of the large object heap is free", "holes" } },
	{ "what do equal strings waste",
	  "ingester",
	  "9",
	  { "duplicate", " strings ", "2.67 MiB" } },
	{ "what did this release change", NULL, "= Z", { "my code", "Session", "grows" } },
};

static int
keys_count(const char *keys)
{
	int count = 1;

	for (; *keys; keys++)
		count += *keys == ' ';
	return count;
}

/* Press the keys, and wait after each as a user would. */
static void
press(struct app *app, struct screen *s, const char *keys)
{
	char step[64];

	while (*keys) {
		int len = (int)strcspn(keys, " ");

		snprintf(step, sizeof step, "%.*s wait", len, keys);
		app_steps(app, s, step);
		keys += len + (keys[len] == ' ');
	}
}

static void
expect_answer(struct app *app, const struct question *q)
{
	struct screen *s = screen_for_test(ROWS, COLUMNS, false);
	char text[64 * 1024];
	char *styled;

	press(app, s, q->keys);
	for (int i = 0; i < 3 && q->answers[i]; i++) {
		if (app_has_text(app, s, q->answers[i]))
			continue;
		styled = app_screen_text(app, s);
		snprintf(text, sizeof text, "%s", styled);
		fail_msg("%s: no \"%s\" after %s in\n%s", q->text, q->answers[i], q->keys, text);
	}
	printf("%-30s %-12s %d\n", q->text, q->keys, keys_count(q->keys));
	assert_in_range(keys_count(q->keys), 1, KEYS_MAX);
}

static void
ask_dumps(const struct question *q)
{
	static const char *const paths[] = { LEAKY_10, LEAKY_LATER };
	struct snapshots all;
	struct error err = { 0 };
	struct app *app;

	snapshots_init(&all, (struct waker){ 0 });
	for (size_t i = 0; i < COUNT_OF(paths); i++) {
		struct loader loader = { .path = paths[i], .load = load_path };
		struct session *s = snapshots_add(&all, &loader, &err);

		assert_non_null(s);
		assert_ok(session_require(s, NEED_OBJECTS, &err), &err);
	}
	snapshots_note_arrival(&all);
	app = app_new_on(all.sessions[0], &view_types, &err);
	assert_ok(app, &err);
	expect_answer(app, q);
	app_free(app);
	snapshots_clear(&all);
}

static void
ask_program(const struct question *q)
{
	const char *const arguments[] = { "--faults", "all", NULL };
	struct target *t;
	struct app *app;

	if (!target_program_exists(q->program, "10.0")) {
		printf("skipped: no %s for .NET 10.0\n", q->program);
		return;
	}
	t = target_start_program(q->program, "10.0", arguments);
	app = app_on(heap_by(BY_MEMORY, target_pid(t)));
	expect_answer(app, q);
	app_end(app);
	target_free(t);
}

TEST_ROWS(test_questions, questions)
{
	const struct question *q = *state;

	if (q->program)
		ask_program(q);
	else
		ask_dumps(q);
}
