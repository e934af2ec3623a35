/* A card claims only what is known. */
#include "capture/events/preflight.h"
#include "capture/process/target_need.h"
#include "io/events/walk.h"
#include "tests/drive/jobs.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/screens.h"
#include "tui/session/snapshots.h"
#include "tui/tables/card_lines.h"
#include "tui/app/views.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *
line_of(const struct card_line *lines, int count, const char *label)
{
	const char *found = NULL;

	for (int i = 0; i < count; i++) {
		if (strcmp(lines[i].label, label) != 0)
			continue;
		if (found)
			fail_msg("there are two lines %s", label);
		found = lines[i].text;
	}
	if (!found)
		fail_msg("there is no %s", label);
	return found;
}

TEST(says_how_it_knows)
{
	static const struct {
		bool is_counted, is_seen;
		enum live_plan plan;
		const char *objects;
	} rows[] = {
		{ false, false, PLAN_TWO_SESSIONS,
		  "about 36,000, estimated from 2.44 MiB of private memory" },
		{ false, true, PLAN_TWO_SESSIONS,
		  "about 36,000 in 2.44 MiB now, dead ones included" },
		{ true, false, PLAN_TWO_SESSIONS, "35,517 in 2.44 MiB at the previous capture" },
		{ false, true, PLAN_COPY, "about 36,000 in 2.44 MiB" },
		{ false, false, PLAN_COPY,
		  "about 36,000, estimated from 2.44 MiB of private memory" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct live_card card = { .is_counted = rows[i].is_counted,
					  .is_seen = rows[i].is_seen,
					  .plan = rows[i].plan,
					  .objects = 35517,
					  .heap_bytes = 2558525,
					  .pause_ms = 47,
					  .collections = 1 };
		struct card_line lines[CARD_LINES_MAX];
		int count = card_lines(&card, NULL, 0, lines);

		assert_string_equal(line_of(lines, count, "objects"), rows[i].objects);
		assert_string_equal(line_of(lines, count, "pause"),
				    "about 47 ms, an estimate; 1 collection forced");
	}
}

/* Where its work has to wait nothing is the most, and the reason is told. */
static const struct {
	enum live_plan plan;
	struct live_load load;
	const char *pause; /* of the card */
	uint64_t most_ms;  /* what a budget has to allow */
	const char *refusal;
} delays[] = {
	{ PLAN_TWO_SESSIONS,
	  { 0 },
	  "about 47 ms, an estimate; 1 collection forced",
	  47,
	  "the pause may be 47 ms, more than the budget of 46 ms: " },
	{ PLAN_TWO_SESSIONS,
	  { .threads = 2, .cpus = 2 },
	  "about 47 ms, an estimate; 1 collection forced",
	  47,
	  "the pause may be 47 ms, more than the budget of 46 ms: " },
	{ PLAN_COPY,
	  { .threads = 18, .cpus = 2 },
	  "about 47 ms, an estimate; 1 collection forced; this machine is overloaded (load 18 on 2 "
	  "CPUs): may take 446 ms or more",
	  446,
	  "this machine is overloaded (load 18 on 2 CPUs): the pause may be 446 ms, more than the "
	  "budget of 445 ms: " },
	{ PLAN_TWO_SESSIONS,
	  { .threads = 1, .cpus = 2, .throttled_percent = 50 },
	  "about 47 ms, an estimate; 1 collection forced; a CPU limit throttles the process 50% of "
	  "the time: may take 194 ms or more",
	  194,
	  "a CPU limit throttles the process 50% of the time: the pause may be 194 ms, more than "
	  "the budget of 193 ms: " },
	{ PLAN_COPY,
	  { .threads = 2, .cpus = 1, .throttled_percent = 100 },
	  "about 47 ms, an estimate; 1 collection forced; this machine is overloaded (load 2 on 1 "
	  "CPU), a CPU limit throttles heaptop 100% of the time: may take 14.2 s or more",
	  14200,
	  "this machine is overloaded (load 2 on 1 CPU), a CPU limit throttles heaptop 100% of the "
	  "time: the pause may be 14.2 s, more than the budget of 14.1 s: " },
};

TEST(tells_delays)
{
	for (size_t i = 0; i < COUNT_OF(delays); i++) {
		struct live_card card = { .plan = delays[i].plan,
					  .pause_ms = 47,
					  .collections = 1,
					  .load = delays[i].load };
		struct live_options options = { .budget_ms = delays[i].most_ms };
		struct card_line lines[CARD_LINES_MAX];
		int count = card_lines(&card, NULL, 0, lines);
		struct error err = { 0 };
		char refusal[240];

		assert_string_equal(line_of(lines, count, "pause"), delays[i].pause);
		assert_true(card_is_within(&card, &options, &err));
		options.budget_ms--;
		assert_false(card_is_within(&card, &options, &err));
		snprintf(refusal, sizeof refusal, "%snothing was done to the process",
			 delays[i].refusal);
		assert_string_equal(err.message, refusal);
	}
}

/* --- on the screen -------------------------------------------------------- */

static const struct live_card made_card = {
	.pid = 4711,
	.who = "process 4711 (api)",
	.runtime = "10.0.12",
	.machine = "x64",
	.is_seen = true,
	.heaps_count = 1,
	.objects = 35020,
	.heap_bytes = 2558525,
	.pause_ms = 47,
	.collections = 1,
	.buffer_mb = 2048,
};

static struct live_process *
list_none(size_t *count, struct progress *progress, struct error *err)
{
	(void)progress;
	(void)err;
	*count = 0;
	return NULL;
}

static struct live_capture *
open_made(const struct live_target *target, const struct live_options *options,
	  const struct live_capture *before, struct progress *progress, struct error *err)
{
	(void)target;
	(void)options;
	(void)before;
	(void)progress;
	return memory_new(1, 1, err);
}

static const struct live_card *
card_of_made(const struct live_capture *c)
{
	(void)c;
	return &made_card;
}

static void
free_made(struct live_capture *c)
{
	memory_free(c);
}

static const struct live_ops made_ops = {
	.list = list_none, .open = open_made, .card = card_of_made, .free = free_made
};

static void
await_card(struct app *app)
{
	poll_while(app, view_is_busy(app_view(app)));
}

static struct app *
app_at_card(struct snapshots *all, const struct live_ops *ops)
{
	struct error err = { 0 };
	struct app *app;

	snapshots_init(all, jobs_on_threads());
	all->live = ops;
	app = app_new_on(snapshots_add_empty(all, &err), &view_processes, &err);
	assert_true(app_command(app, "capture 4711", &err));
	await_card(app);
	return app;
}

static const struct {
	int rows, columns;
	const char *name;
} sizes[] = { { 16, 40, "card-40x16" }, { 16, 80, "card-80x16" } };

/* Text that is cut in the middle tells no number; on any screen, in turn. */
TEST(all_can_be_read)
{
	struct snapshots all;
	struct app *app = app_at_card(&all, &made_ops);

	for (int i = 0; i < 4; i++) {
		struct screen *screen =
		    screen_for_test(sizes[i % 2].rows, sizes[i % 2].columns, false);

		expect_screen(app, screen, sizes[i % 2].name, false);
	}
	app_free(app);
	snapshots_clear(&all);
}

/* The selected line stays selected when lines are broken elsewhere. */
TEST(keeps_the_line)
{
	struct snapshots all;
	struct app *app = app_at_card(&all, &made_ops);

	for (int i = 0; i < 4; i++) {
		struct screen *screen =
		    screen_for_test(sizes[i % 2].rows, sizes[i % 2].columns, false);
		const struct view *v = app_view(app);
		struct value value;
		struct row row;

		app_steps(app, screen, i ? "wait" : "j j");
		assert_true(view_selected(v, &row));
		view_cell(v, &v->ops->table->columns[0], &row, &value);
		assert_string_equal(value.text, "objects");
	}
	app_free(app);
	snapshots_clear(&all);
}

static int refusals;

static struct live_capture *
open_refused(const struct live_target *target, const struct live_options *options,
	     const struct live_capture *before, struct progress *progress, struct error *err)
{
	(void)target;
	(void)options;
	(void)before;
	(void)progress;
	refusals++;
	error_set(err, ERROR_ATTACH, "not now");
	return NULL;
}

/* Drawn, and on another screen, it is not asked for again. */
TEST(a_process_that_refuses_is_asked_once)
{
	static const struct live_ops ops = {
		.list = list_none, .open = open_refused, .card = card_of_made, .free = free_made
	};
	struct snapshots all;
	struct app *app = app_at_card(&all, &ops);

	for (int i = 0; i < 4; i++) {
		struct screen *screen =
		    screen_for_test(sizes[i % 2].rows, sizes[i % 2].columns, false);

		app_steps(app, screen, "wait");
		await_card(app);
	}
	assert_int_equal(refusals, 1);
	app_free(app);
	snapshots_clear(&all);
}

/* A capture that may pause it for longer is not begun. */
TEST(the_budget_is_kept_by_a_key)
{
	struct screen *screen = screen_for_test(16, 80, false);
	struct snapshots all;
	struct app *app = app_at_card(&all, &made_ops);

	/* A key that opened the card neither takes the heap nor opens another.
	 */
	for (int i = 0; i < 2; i++) {
		const struct view *card = app_view(app);

		app_steps(app, screen, i ? "c" : "Enter");
		assert_non_null(strstr(app->message, "y captures the heap"));
		assert_int_equal(all.count, 1);
		assert_ptr_equal(app_view(app), card);
		app_steps(app, screen, "j");
	}
	app_steps(app, screen, ":set_budget=46ms y");
	assert_non_null(strstr(app->message, "the pause may be 47 ms"));
	assert_int_equal(all.count, 1);
	assert_ptr_equal(app_view(app)->ops, &view_card);
	app_free(app);
	snapshots_clear(&all);
}

/*
 * Peaks that were measured with all that is computed: covered, and not far off where it is more
 * than what has to be allowed anyway.
 */
TEST(need_covers_the_peak)
{
	static const struct {
		uint64_t objects, peak_bytes;
	} rows[] = {
		{ 28035, 13312 << 10 },
		{ 525032, 31216 << 10 },
		{ 3025032, 113480 << 10 },
		{ 7600000, 281028 << 10 },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct live_card card = { .objects = rows[i].objects, .is_counted = true };

		preflight_estimate(&card);
		assert_true(card.our_bytes >= rows[i].peak_bytes);
		assert_true(card.our_bytes >= walk_memory(card.objects, card.objects));
		assert_true(card.our_bytes <= rows[i].peak_bytes / 10 * 13 ||
			    card.our_bytes == walk_memory(card.objects, card.objects));
	}
}

/* An array of numbers costs a walk nothing, and one of references much. Their walks were measured:
   27 ms and 6 MiB; 3.3 s and 327 MiB. */
TEST(estimates_go_by_objects_and_references)
{
	static const struct {
		uint64_t ref_mb, pause_max_ms, grew_mb, need_max_mb;
	} rows[] = { { 0, 20, 6, 64 }, { 200, 2000, 327, 512 } };

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct live_card card = { .objects = 2100,
					  .is_seen = true,
					  .heap_bytes = UINT64_C(2000) << 20,
					  .ref_bytes = rows[i].ref_mb << 20,
					  .buffer_mb = 2048 };

		card.need.private_bytes = card.heap_bytes;
		card.need.range_bytes = 4 << 20;
		preflight_estimate(&card);
		target_need_judge(&card);
		assert_true(card.pause_ms <= rows[i].pause_max_ms);
		assert_true(card.pause_ms >= rows[i].ref_mb * 5);
		assert_true(card.need.bytes >= rows[i].grew_mb << 20);
		assert_true(card.need.bytes <= rows[i].need_max_mb << 20);
	}
}

/*
 * What processes of so many small objects grew by was measured; where a walk is allowed at all, the
 * room is larger.
 */
TEST(need_of_the_target_covers_its_growth)
{
	static const struct {
		uint64_t objects, private_mb, range_mb, grew_mb;
	} rows[] = {
		{ 2000000, 70, 4, 61 },
		{ 5000000, 160, 4, 114 },
		{ 5000000, 240, 38, 158 },
		{ 12000000, 600, 92, 192 },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct live_card card = { .buffer_mb = 64 };
		uint64_t mb = 1;

		card.need.private_bytes = rows[i].private_mb << 20;
		card.need.range_bytes = rows[i].range_mb << 20;
		do {
			card.target.headroom_bytes = mb++ << 20;
			target_need_judge(&card);
		} while (card.refusal.kind != ERROR_NONE);
		if (card.target.headroom_bytes <= rows[i].grew_mb << 20)
			fail_msg("%" PRIu64 ": allowed with %" PRIu64 " MiB", rows[i].objects,
				 card.target.headroom_bytes >> 20);
		/* No more is asked for than what is free leaves. */
		card.buffer_mb = target_need_buffer_mb(&card, 2048);
		assert_in_range(card.buffer_mb, 64, 66);
	}
}

TEST(what_does_not_fit_is_refused)
{
	struct live_card card = {
		.buffer_mb = 64,
		.target = { .limit_bytes = 512 << 20,
			    .headroom_bytes = 80 << 20,
			    .limit = "memory.max of its cgroup" },
		.need = { .private_bytes = 160 << 20, .swapped_bytes = 1, .range_bytes = 4 << 20 }
	};
	struct live_options options = { .budget_ms = UINT64_MAX };
	struct card_line lines[CARD_LINES_MAX];
	struct error err = { 0 };
	int count;

	target_need_judge(&card);
	assert_false(card_is_within(&card, &options, &err));
	assert_int_equal(err.kind, ERROR_ATTACH);
	assert_string_equal(
	    err.message,
	    "memory.max of its cgroup, 512 MiB, leaves the process 80 MiB, and describing its heap "
	    "takes about 101 MiB there, with 18 MiB in reserve: nothing was done to the process; "
	    "-m needs none of its memory");
	count = card_lines(&card, &options, 0, lines);
	assert_string_equal(line_of(lines, count, "target"),
			    "80.00 MiB of memory free until the limit of 512.00 MiB (memory.max of "
			    "its cgroup); needs about 100.00 MiB, with 18.00 MiB kept in reserve");
	/* heaptop runs under the same limit and takes part of the same
	   memory. */
	card.need.shared_bytes = 90 << 20;
	target_need_judge(&card);
	assert_non_null(
	    strstr(card.refusal.message, "takes about 101 MiB there and 90 MiB here, "));
	count = card_lines(&card, &options, 0, lines);
	assert_non_null(
	    strstr(line_of(lines, count, "target"), ", and heaptop shares its limit: 90.00 MiB, "));
	card.target.headroom_bytes = 200 << 20;
	target_need_judge(&card);
	assert_int_equal(card.refusal.kind, ERROR_ATTACH);
	card.need.shared_bytes = 0;
	/* More of it is no reason to refuse; nor is nothing known. */
	card.target.headroom_bytes = 200 << 20;
	card.target.is_hidden = true;
	target_need_judge(&card);
	assert_true(card_is_within(&card, &options, &err));
	count = card_lines(&card, &options, 0, lines);
	assert_non_null(strstr(line_of(lines, count, "target"),
			       "; a limit of its cgroup cannot be read from here"));
	card.target = (struct live_room){ 0 };
	target_need_judge(&card);
	assert_true(card_is_within(&card, &options, &err));
}

/* Advice for processes elsewhere is possible there. */
TEST(a_heap_that_may_not_fit)
{
	const struct live_card card = { .our_bytes = UINT64_C(2) << 30,
					.ours = { .headroom_bytes = 1 << 30 } };
	struct live_options options = { .budget_ms = UINT64_MAX };
	struct card_line lines[CARD_LINES_MAX];
	int count = card_lines(&card, &options, 0, lines);

	assert_string_equal(
	    line_of(lines, count, "heaptop"),
	    "1.00 GiB of memory free; needs up to 2.00 GiB: it may not fit; -o FILE.nettrace keeps "
	    "its events");
	options.memory_bytes = 512 << 20;
	count = card_lines(&card, &options, 0, lines);
	assert_non_null(strstr(line_of(lines, count, "heaptop"),
			       "needs up to 2.00 GiB, and 512.00 MiB may be used: it may not fit"));
	options.memory_bytes = 0;
	options.is_elsewhere = true;
	count = card_lines(&card, &options, 0, lines);
	assert_string_equal(line_of(lines, count, "heaptop"),
			    "1.00 GiB of memory free; needs up to 2.00 GiB: it may not fit; -m "
			    "needs less");
}
