/* Enter on each part of the resident memory: the view that shows more of it,
   or why none does. Growth is a column only if there is an earlier capture. */
#include "model/analysis/resident.h"
#include "tests/drive/screens.h"
#include "tests/made/suspects.h"
#include "tui/app/views.h"
#include <string.h>

/* clang-format off */
static const struct part {
	const char *kind, *wanted; /* a made heap has none of these views */
} parts[] = {
	{ "managed",   "this heap has no segments" },
	{ "live",      "this heap has no segments" },
	{ "dead",      "this heap has no segments" },
	{ "kept",      "this heap has no segments" },
	{ "collector", "collector: the collector's own tables" },
	{ "code",      "this heap has no modules" },
	{ "images",    "this heap has no modules" },
	{ "stacks",    "this heap has no threads" },
	{ "files",     "files: only the sum is kept; /proc/PID/maps" },
	{ "malloc",    "malloc: native memory has no objects" },
	{ "other",     "other: nothing is known of its owners" },
};
/* clang-format on */

static bool
select_part(struct app *app, struct screen *s, const char *kind)
{
	for (int i = 0; i < 20; i++, app_steps(app, s, "j")) {
		const struct resident_rows *rows = app_view(app)->made;
		struct row row;

		if (view_selected(app_view(app), &row) && !strcmp(rows->items[row.data].id, kind))
			return true;
	}
	return false;
}

TEST_ROWS(test_enter, parts)
{
	const struct part *p = *state;
	struct error err = { 0 };
	struct app *app = app_on(heap_made(make_native, 128));
	struct screen *s = screen_new(40, 100, &err);

	app_steps(app, s, ":resident");
	assert_true(select_part(app, s, p->kind));
	app_steps(app, s, "Enter");
	if (!strstr(app->message, p->wanted))
		fail_msg("%s", app->message);
	screen_free(s);
	app_end(app);
}

TEST(test_growth_needs_an_earlier_capture)
{
	struct error err = { 0 };
	struct app *app = app_on(heap_made(make_native, 128));
	struct screen *s = screen_new(40, 100, &err);

	app_steps(app, s, ":resident");
	assert_false(app_has_text(app, s, "Growth"));
	app_session(app)->earlier = app_session(app)->heap->info.resident;
	app_steps(app, s, "Esc :resident");
	assert_true(app_has_text(app, s, "Growth"));
	app_session(app)->earlier.bytes += 3 << 20;
	app_steps(app, s, "Esc :resident");
	assert_true(app_has_text(app, s, "3.00 MiB less than in the capture"));
	screen_free(s);
	app_end(app);
}
