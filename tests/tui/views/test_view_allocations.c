/*
 * Allocations on the screen: a recorded trace at several sizes, its callers as trees, and a
 * recording whose copies the test itself makes.
 */
#include "io/events/allocation_events.h"
#include "model/allocations/tally.h"
#include "tests/drive/heaps.h"
#include "tests/drive/jobs.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/screens.h"
#include "tui/app/views.h"
#include "tui/session/recording_view.h"
#include "tui/session/snapshots.h"
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define SHOP  "tests/data/allocations-10.nettrace.zst"
#define LEAKY "tests/data/survival-10.nettrace.zst"

/* --- a trace -------------------------------------------------------------- */

static bool
allocations_of_trace(const struct loader *from, struct allocation_sink sink,
		     struct progress *progress, struct error *err)
{
	struct allocations *a = allocations_load(from->path, NULL, progress, err);

	if (a)
		sink.publish(sink.context, a);
	return a != NULL;
}

static struct app *
app_on_trace(const char *path)
{
	const struct loader loader = { .path = path, .allocations = allocations_of_trace };
	struct error err = { 0 };
	struct session *s = session_new(&loader, (struct waker){ 0 }, &err);
	struct app *app;

	assert_non_null(s);
	s->is_empty = true;
	app = app_new(s, &err);
	assert_non_null(app);
	app_poll(app);
	return app;
}

static const struct {
	const char *name, *steps;
	int rows, columns;
	bool is_ascii;
	const char *trace; /* NULL: SHOP */
} screens[] = {
	{ "allocations-80x24", "", 24, 80, false, NULL },
	{ "allocations-200x60", "", 60, 200, false, NULL },
	{ "allocations-40x10", "", 10, 40, false, NULL },
	{ "allocations-ascii", "", 12, 80, true, NULL },
	{ "allocations-types", "t", 12, 120, false, NULL },
	{ "allocations-by-samples", ":sort_samples", 12, 120, false, NULL },
	{ "allocations-filtered", ":where_module_=_shop.dll", 12, 120, false, NULL },
	{ "callers-80x24", "j Enter", 24, 80, false, NULL },
	{ "callers-200x60", "Enter", 60, 200, false, NULL },
	{ "callers-40x10", "Enter", 10, 40, false, NULL },
	{ "callers-ascii", "Enter", 12, 80, true, NULL },
	{ "callers-folded", "Enter Enter", 12, 80, false, NULL },
	{ "callers-type", "t Enter", 24, 120, false, NULL },
	{ "callees-80x24", "d", 24, 80, false, NULL },
	{ "callees-opened", "d j +", 24, 120, false, NULL },
	{ "callees-all", ":callees", 24, 120, false, NULL },
	{ "callers-unknown", ":callers_Nothing", 12, 80, false, NULL },
	{ "alive-160x12", ":sort_growth", 12, 160, false, LEAKY },
	{ "alive-80x24", "", 24, 80, false, LEAKY },
	{ "alive-types", "t", 24, 80, false, LEAKY },
	{ "alive-40x10", "", 10, 40, false, LEAKY },
	{ "alive-200x60", "", 60, 200, false, LEAKY },
};

TEST(shows_a_trace)
{
	for (size_t i = 0; i < COUNT_OF(screens); i++) {
		const char *trace = screens[i].trace;
		struct app *app = app_on_trace(trace ? trace : SHOP);
		struct screen *s =
		    screen_for_test(screens[i].rows, screens[i].columns, screens[i].is_ascii);

		app_draw(app, s);
		app_steps(app, s, screens[i].steps);
		expect_screen(app, s, screens[i].name, false);
		app_end(app);
	}
}

/* The selected row's text in a column. */
static const char *
selected(struct app *app, const char *column)
{
	static char text[VALUE_TEXT_BYTES];
	const struct view *v = app_view(app);
	const struct column *columns = v->ops->table->columns;
	struct value value;
	struct row row;

	assert_true(view_selected(v, &row));
	view_cell(v, &columns[column_by_id(columns, column)], &row, &value);
	snprintf(text, sizeof text, "%s", value.text);
	return text;
}

/* A site is followed to the type that it shows, and a type to its site. */
TEST(the_cursor_follows_to_types)
{
	struct app *app = app_on_trace(LEAKY);
	struct screen *s = screen_for_test(24, 80, false);

	app_draw(app, s);
	app_steps(app, s, "j j t");
	assert_string_equal(selected(app, "type"), "Dictionary<string, List<int>>");
	assert_int_equal(app_view(app)->cursor, 1);
	/* Back to where it was, though the type shows another site. */
	app_steps(app, s, "t");
	assert_string_equal(selected(app, "site"), "Leaky.Session..ctor");
	app_steps(app, s, "t j t");
	assert_string_equal(selected(app, "site"), "Leaky.Program.Grow");
	/* A filter hides its type. */
	app_steps(app, s, "g G :where_samples_>_33 t");
	assert_string_equal(selected(app, "type"), "byte[]");
	app_end(app);
}

/* The site is the innermost method of the modules that the user names. */
TEST(my_modules_choose_the_site)
{
	struct app *app = app_on_trace(SHOP);
	struct screen *s = screen_for_test(24, 120, false);

	app_draw(app, s);
	assert_true(app_has_text(app, s, "Program.Serve"));
	assert_false(app_has_text(app, s, "RedirectHandler.SendAsync"));
	app_steps(app, s, ":set_mymodules=System.Net.Http");
	assert_false(app_has_text(app, s, "Program.Serve"));
	assert_true(app_has_text(app, s, "RedirectHandler.SendAsync"));
	app_end(app);
}

TEST(a_heap_without_samples)
{
	struct app *app = app_on(awkward_heap());
	struct error err = { 0 };

	assert_false(app_command(app, "allocations", &err));
	assert_string_equal(err.message,
			    "allocations can only be recorded in a process: heaptop -a PID");
	app_end(app);
}

/* --- a recording ---------------------------------------------------------- */

static _Atomic(struct allocations *) offered;
static atomic_bool ends, refuses, has_stopped;

static struct live_process *
list_none(size_t *count, struct progress *progress, struct error *err)
{
	(void)progress, (void)err;
	*count = 0;
	return NULL;
}

static uint64_t stop_ns; /* of the plan */

static bool
plan_made(const struct live_target *target, struct live_allocations *plan,
	  struct progress *progress, struct error *err)
{
	(void)progress, (void)err;
	assert_int_equal(target->pid, 4711);
	snprintf(plan->who, sizeof plan->who, "process 4711 (api)");
	plan->buffer_mb = 64;
	plan->is_random = true;
	plan->sessions = 1;
	plan->target.headroom_bytes = 1 << 30;
	plan->survival_stop_ns = stop_ns;
	return true;
}

static bool
name(void *context, uint64_t address, struct arena *scratch, struct allocation_method *out,
     struct error *err)
{
	static const struct allocation_method methods[] = {
		{ "Shop.Main", "shop.dll", false, false },
		{ "Shop.Cart.Add", "shop.dll", false, false },
		{ "Shop.Page.Draw", "shop.dll", false, false },
	};

	(void)context, (void)scratch, (void)err;
	*out = methods[address - 1];
	return true;
}

enum { SECOND = 1000000000 };

/* So many samples by each of two sites, after so many seconds. If it `is_recent`, those by the
   first are of its first second, by the other of its last, and rates are of the last seconds. */
static struct allocations *
make_copy(unsigned seconds, unsigned adds, unsigned draws, const char *end, bool is_recent)
{
	static const uint64_t add[] = { 2, 1 }, draw[] = { 3, 1 };
	struct allocation_sample s = { .type = "System.Byte[]", .size = 10000, .frames_count = 2 };
	struct allocation_namer namer = { name, NULL };
	struct error err = { 0 };
	struct allocation_tally *t = allocation_tally_new(&err);
	struct allocations *a;
	uint32_t cell;

	assert_non_null(t);
	t->facts.is_random = true;
	t->clock_hz = SECOND;
	t->facts.time_ns = t->until = seconds * (uint64_t)SECOND;
	assert_true(!is_recent || allocation_tally_keep_recent(t, &err));
	snprintf(t->facts.who, sizeof t->facts.who, "process 4711 (api)");
	snprintf(t->facts.end, sizeof t->facts.end, "%s", end);
	for (unsigned i = 0; i < adds + draws; i++) {
		s.frames = i < adds ? add : draw;
		s.time = i < adds ? SECOND : t->until;
		assert_true(allocation_tally_add(t, &s, &cell, &err));
	}
	a = allocations_name(t, namer, &err);
	assert_non_null(a);
	allocation_tally_free(t);
	return a;
}

static struct allocations *
copy_of(unsigned seconds, unsigned adds, unsigned draws, const char *end)
{
	return make_copy(seconds, adds, draws, end, false);
}

static bool
record_made(const struct live_target *target, const struct live_allocations *plan,
	    struct allocation_sink sink, struct progress *progress, struct error *err)
{
	struct allocations *a;

	assert_int_equal(target->pid, 4711);
	assert_string_equal(plan->who, "process 4711 (api)");
	assert_true(sink.interval_ns > 0);
	if (refuses)
		return error_set(err, ERROR_ATTACH, "not now");
	while (!ends && !progress_is_cancelled(progress)) {
		a = atomic_exchange(&offered, NULL);
		if (a)
			sink.publish(sink.context, a);
		if (sink.counts_anew(sink.context))
			sink.publish(sink.context, copy_of(1, 30, 0, ""));
		poll(NULL, 0, 1);
	}
	has_stopped = true;
	return true;
}

static struct live_capture *
open_made(const struct live_target *target, const struct live_options *options,
	  const struct live_capture *before, struct progress *progress, struct error *err)
{
	(void)target, (void)options, (void)before, (void)progress;
	return memory_new(1, 1, err);
}

static const struct live_card *
card_of_made(const struct live_capture *c)
{
	static const struct live_card card = { .pid = 4711, .who = "process 4711 (api)" };

	(void)c;
	return &card;
}

static void
free_made(struct live_capture *c)
{
	memory_free(c);
}

static const struct live_ops made_ops = { .list = list_none,
					  .open = open_made,
					  .card = card_of_made,
					  .free = free_made,
					  .plan_allocations = plan_made,
					  .allocations = record_made };

struct recorded_screen {
	struct snapshots all;
	struct app *app;
	struct screen *screen;
};

static void
open_card(struct recorded_screen *r)
{
	struct error err = { 0 };

	r->screen = screen_for_test(16, 80, false);
	ends = refuses = has_stopped = false;
	snapshots_init(&r->all, jobs_on_threads());
	r->all.live = &made_ops;
	r->app = app_new_on(snapshots_add_empty(&r->all, &err), &view_processes, &err);
	assert_non_null(r->app);
	assert_true(app_command(r->app, "record 4711", &err));
	poll_while(r->app, view_is_busy(app_view(r->app)));
	app_draw(r->app, r->screen);
}

static void
begin(struct recorded_screen *r)
{
	open_card(r);
	app_steps(r->app, r->screen, "y");
	assert_true(view_is(app_view(r->app), &view_allocations));
}

static void
finish(struct recorded_screen *r)
{
	allocations_free(atomic_exchange(&offered, NULL));
	app_free(r->app);
	snapshots_clear(&r->all);
}

static struct session *
recorded_session(const struct recorded_screen *r)
{
	return r->all.sessions[r->all.count - 1];
}

/* Until the screen has it, and shows it unless it is held still. */
static void
offer(const struct recorded_screen *r, struct allocations *a)
{
	const struct recording *to = recorded_session(r)->recording;

	offered = a;
	poll_while(r->app, to->newest != a);
	poll_once(r->app);
	poll_while(r->app, view_is_busy(app_view(r->app)));
}

/* Types keys, and waits for the rows that they ask for. */
static void
type(const struct recorded_screen *r, const char *keys)
{
	app_steps(r->app, r->screen, keys);
	poll_once(r->app);
	poll_while(r->app, view_is_busy(app_view(r->app)));
}

static atomic_bool may_read;

static bool
read_slowly(const struct loader *from, struct allocation_sink sink, struct progress *progress,
	    struct error *err)
{
	(void)from;
	while (!may_read && !progress_is_cancelled(progress))
		poll(NULL, 0, 1);
	if (progress_is_cancelled(progress))
		return error_cancelled(err);
	sink.publish(sink.context, copy_of(1, 3, 2, ""));
	return true;
}

/* Closing its view early must not leave a trace that can never be shown. */
TEST(a_trace_is_read_on_without_a_view)
{
	const struct loader loader = { .path = "", .allocations = read_slowly };
	struct error err = { 0 };
	struct session *s = session_new(&loader, jobs_on_threads(), &err);
	struct recording_view w = { 0 };

	assert_non_null(s);
	assert_ok(recording_view_open(&w, s, &err), &err);
	recording_view_close(&w);
	may_read = true;
	assert_ok(recording_view_open(&w, s, &err), &err);
	while (!w.of->has_ended) {
		recording_poll(w.of);
		poll(NULL, 0, 1);
	}
	assert_ok(w.of->newest != NULL, &w.of->err);
	recording_view_close(&w);
	session_free(s);
}

TEST(a_card_comes_first)
{
	struct recorded_screen r;

	open_card(&r);
	expect_screen(r.app, r.screen, "record-80x16", false);
	app_steps(r.app, r.screen, "Enter");
	assert_string_equal(r.app->message, "y records what this process allocates, q cancels");
	assert_int_equal(r.all.count, 1);
	finish(&r);
}

/* The first row changes, the selected one does not. */
TEST(rows_follow_and_the_cursor_stays)
{
	struct recorded_screen r;

	begin(&r);
	expect_screen(r.app, r.screen, "allocations-waiting", false);
	offer(&r, copy_of(1, 40, 20, ""));
	assert_string_equal(selected(r.app, "site"), "Shop.Cart.Add");
	type(&r, "j");
	assert_string_equal(selected(r.app, "site"), "Shop.Page.Draw");
	offer(&r, copy_of(2, 50, 90, ""));
	assert_string_equal(selected(r.app, "site"), "Shop.Page.Draw");
	assert_int_equal(app_view(r.app)->cursor, 0);
	expect_screen(r.app, r.screen, "allocations-live", false);
	finish(&r);
}

/* The site that allocates now comes first, even if another allocated more. */
TEST(rates_are_of_the_last_seconds)
{
	struct recorded_screen r;

	begin(&r);
	offer(&r, make_copy(3, 400, 40, "", true));
	assert_string_equal(selected(r.app, "site"), "Shop.Cart.Add");
	assert_true(app_has_text(r.app, r.screen, "last 3.0 s: about"));
	offer(&r, make_copy(60, 400, 40, "", true));
	assert_string_equal(selected(r.app, "site"), "Shop.Page.Draw");
	expect_screen(r.app, r.screen, "allocations-recent", false);
	type(&r, ":callees");
	expect_screen(r.app, r.screen, "callees-recent", false);
	type(&r, "q");
	offer(&r, make_copy(80, 400, 0, "", true));
	assert_true(app_has_text(r.app, r.screen,
				 "last 10.0 s: nothing was sampled; 400 samples in 80.0 s"));
	finish(&r);
}

/* In a calm process collections may be rare; the user can force one. */
TEST(warming_up_says_what_it_waits_for)
{
	struct recorded_screen r;
	struct allocations *a;

	begin(&r);
	a = copy_of(60, 40, 20, "");
	a->facts.survival.collections = 4;
	a->facts.survival.gen2_collections = 1;
	a->facts.survival.points.count = 1;
	offer(&r, a);
	expect_screen(r.app, r.screen, "allocations-warming", false);
	/* Reading memory forces none. */
	r.all.options.from_memory = true;
	assert_false(app_has_text(r.app, r.screen, "which forces one"));
	r.all.options.from_memory = false;
	a = copy_of(61, 40, 20, "");
	a->facts.is_not_followed = true;
	offer(&r, a);
	assert_true(app_has_text(r.app, r.screen, "what stays alive is not followed"));
	assert_false(app_has_text(r.app, r.screen, "which forces one"));
	finish(&r);
}

TEST(space_holds_the_rows_still)
{
	struct recorded_screen r;

	begin(&r);
	offer(&r, copy_of(1, 40, 20, ""));
	type(&r, "Space");
	/* Heaps are joined with what the recording has meanwhile. */
	offer(&r, copy_of(7, 50, 90, ""));
	assert_true(app_has_text(r.app, r.screen, "60 samples in 1.0 s"));
	type(&r, "t t");
	assert_true(app_has_text(r.app, r.screen, "60 samples in 1.0 s"));
	expect_screen(r.app, r.screen, "allocations-still", false);
	type(&r, "Space");
	assert_true(app_has_text(r.app, r.screen, "140 samples in 7.0 s"));
	assert_false(app_has_text(r.app, r.screen, "goes on"));
	finish(&r);
}

TEST(counting_starts_anew)
{
	struct recorded_screen r;

	begin(&r);
	offer(&r, copy_of(9, 40, 20, ""));
	type(&r, "z");
	assert_string_equal(r.app->message, "counting from now on");
	poll_while(r.app, !app_has_text(r.app, r.screen, "30 samples in 1.0 s"));
	ends = true;
	poll_while(r.app, recording_is_on(recorded_session(&r)->recording));
	type(&r, "z");
	assert_string_equal(r.app->message, "no process is being recorded any more");
	finish(&r);
}

/* Rows of the tree that were closed stay closed. */
TEST(callers_follow)
{
	struct recorded_screen r;

	begin(&r);
	offer(&r, copy_of(1, 40, 20, ""));
	type(&r, ":callees");
	assert_int_equal(app_view(r.app)->rows_count, 4);
	type(&r, "j -");
	assert_int_equal(app_view(r.app)->rows_count, 3);
	offer(&r, copy_of(2, 40, 200, ""));
	app_draw(r.app, r.screen);
	expect_screen(r.app, r.screen, "callees-live", false);
	finish(&r);
}

/* The recording goes on meanwhile. */
TEST(a_heap_is_captured_meanwhile)
{
	struct recorded_screen r;

	begin(&r);
	offer(&r, copy_of(1, 40, 20, ""));
	type(&r, "c");
	poll_while(r.app, view_is_busy(app_view(r.app)));
	assert_ptr_equal(app_view(r.app)->ops, &view_card);
	offer(&r, copy_of(3, 40, 20, ""));
	type(&r, "q");
	assert_true(view_is(app_view(r.app), &view_allocations));
	assert_true(app_has_text(r.app, r.screen, "60 samples in 3.0 s"));
	assert_false(has_stopped);
	finish(&r);
}

TEST(one_process_is_recorded_once)
{
	struct recorded_screen r;
	struct error err = { 0 };

	begin(&r);
	assert_int_equal(r.all.count, 2);
	type(&r, "a");
	poll_while(r.app, view_is_busy(app_view(r.app)));
	/* The one that is open is no other tool's. */
	type(&r, "G");
	assert_true(app_has_text(r.app, r.screen, "1 event session of heaptop itself open"));
	assert_false(app_has_text(r.app, r.screen, "other event session"));
	type(&r, "y");
	assert_int_equal(r.all.count, 2);
	assert_true(view_is(app_view(r.app), &view_allocations));
	type(&r, "q");
	/* Another view still shows it. */
	assert_true(recording_is_on(recorded_session(&r)->recording));
	assert_true(app_command(r.app, "close", &err));
	poll_while(r.app, !has_stopped);
	finish(&r);
}

TEST(the_table_stays_when_the_process_ends)
{
	struct recorded_screen r;

	begin(&r);
	offer(&r, copy_of(9, 40, 20, "process 4711 (api) has ended"));
	ends = true;
	poll_while(r.app, recording_is_on(recorded_session(&r)->recording));
	poll_while(r.app, view_is_busy(app_view(r.app)));
	expect_screen(r.app, r.screen, "allocations-ended", false);
	finish(&r);
}

TEST(a_refusal_closes_the_view)
{
	struct recorded_screen r;

	open_card(&r);
	refuses = true;
	type(&r, "y");
	poll_while(r.app, view_is(app_view(r.app), &view_allocations));
	assert_string_equal(r.app->message, "not now");
	finish(&r);
}

TEST(a_stop_above_the_budget_is_refused)
{
	struct recorded_screen r;

	stop_ns = 142000000;
	open_card(&r);
	r.all.options.budget_ms = 100;
	assert_true(app_has_text(r.app, r.screen, "142 ms"));
	type(&r, "y");
	assert_false(view_is(app_view(r.app), &view_allocations));
	assert_non_null(strstr(r.app->message, "budget of 100 ms"));
	stop_ns = 0;
	finish(&r);
}
