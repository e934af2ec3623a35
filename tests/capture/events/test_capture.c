/*
 * Captures from a fake runtime: the orders given to each kind of runtime, and what becomes of the
 * heap and of the sessions when something goes wrong.
 */
#define _GNU_SOURCE /* syscall() */
#include "capture/events/live.h"
#include "tests/drive/fake_captures.h"
#include "tests/drive/run_tests.h"
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* ---- a clock
 * --------------------------------------------------------------------- */

static atomic_bool has_own_clock;
static atomic_int_fast64_t own_ms, look_takes_ms = 20;

/*
 * In place of the library's: on request a clock that is looked at so often
 * that it goes by this alone. How long a test takes says nothing then.
 */
int
clock_gettime(clockid_t clock, struct timespec *t)
{
	int64_t ms;

	if (!atomic_load(&has_own_clock))
		return (int)syscall(SYS_clock_gettime, clock, t);
	ms = atomic_fetch_add(&own_ms, atomic_load(&look_takes_ms));
	*t = (struct timespec){ ms / 1000, ms % 1000 * 1000000 };
	return 0;
}

/* ---- orders
 * --------------------------------------------------------------------- */

static const char *
kind_of(uint64_t keywords)
{
	if (!keywords)
		return "?"; /* not known */
	if (keywords & 0x100000)
		return keywords & 0x800000 ? "LC" : "L";
	return keywords & 0x800000 ? "C" : "F";
}

/* Its commands are tried, so each answer is waited for. */
static const char asked[] = "10.0.0-rc.1";

/* What a log of commands looks like: "F2 L5 C5 S1 S2 S0". */
static void
spell_log(const struct fake_log *log, char text[200])
{
	size_t len = 0;

	text[0] = '\0';
	for (unsigned i = 0; i < log->count && len < 150; i++) {
		const struct fake_entry *e = &log->entries[i];
		bool is_stop = e->command == 1;

		len += (size_t)snprintf(text + len, 200 - len, "%s%u ",
					is_stop ? "S" : kind_of(e->keywords),
					is_stop ? (unsigned)e->session & 0xff : e->command - 1u);
	}
}

TEST(gives_each_runtime_its_orders)
{
	static const struct {
		const char *version;
		unsigned info, collect;
		const char *log;
		enum live_plan plan;
		unsigned collections;
	} rows[] = {
		/* F flushes types, L listens, C collects, S ends a session;
		   ? is not known */
		{ "10.0.9", 3, 5, "F2 L5 C5 S1 S0 ", PLAN_TWO_SESSIONS, 1 },
		{ "9.0.20", 3, 4, "LC4 S0 ", PLAN_ONE_SESSION, 2 },
		{ "8.0.31", 3, 2, "LC2 S0 ", PLAN_ONE_SESSION, 2 },
		{ "3.1.0", 0, 2, "F2 ?6 ?5 ?4 ?3 L2 S0 C2 S1 S2 ", PLAN_TWO_SESSIONS, 1 },
		{ "11.0.0", 3, 6, "LC6 S0 ", PLAN_BLOCKING, 1 },
		{ asked, 3, 4, "F2 ?6 ?5 L4 S0 C4 S1 S2 ", PLAN_TWO_SESSIONS, 1 },
		{ "11.0.0-preview", 3, 5, "?6 F2 ?6 L5 C5 S1 S0 S2 ", PLAN_TWO_SESSIONS, 1 },
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct fake_script script = fake_script_of(&walks.whole, NULL);
		struct fake_run r;
		char log[200];

		script.version = rows[i].version;
		script.newest_info = rows[i].info;
		script.newest_collect = rows[i].collect;
		r = fake_run(&script, NULL);
		check_fake_heap(r.h, &r.err);
		spell_log(fake_log(r.f), log);
		assert_string_equal(log, rows[i].log);
		check_fake_sessions(r.f);
		assert_true(r.cost.is_complete);
		assert_int_equal(r.cost.attempts, 1);
		assert_int_equal(r.cost.plan, rows[i].plan);
		assert_int_equal(r.cost.collections, rows[i].collections);
		assert_int_equal(r.cost.bytes, walks.whole.out.len);
		assert_non_null(strstr(r.h->info.source, fake_program(r.f)));
		assert_non_null(strstr(r.h->info.log, "forced"));
		fake_run_end(&r);
	}
}

TEST(captures_from_who_connects)
{
	struct fake_script script = fake_script_of(&walks.whole, NULL);
	struct capture_options options = { 0 };
	struct live_target target = { 0 };
	struct capture_cost cost;
	struct fake_server *f;
	const struct heap *h;
	struct error err = { 0 };
	char path[80], log[200];

	snprintf(path, sizeof(path), "%.40s/test_capture.%d.port", fake_folder(), getpid());
	script.port = target.port = path;
	f = fake_start(&script);
	h = capture_load(&target, &options, NULL, NULL, NULL, &cost, &err);
	check_fake_heap(h, &err);
	/* It was asked only who it is, so its version had to be found. */
	spell_log(fake_log(f), log);
	assert_string_equal(log, "F2 ?6 L5 C5 S1 S2 S0 ");
	heap_free(h);
	fake_free(f);
}

/* What did not happen takes no room. */
TEST(says_what_it_cost)
{
	static const char wanted[] = "paused 5.2 ms, 1 collection forced, 1.2 MiB read in 136 ms";
	struct capture_cost cost = { .collections = 1,
				     .bytes = 1258291,
				     .stream_ns = 136000000,
				     .walk.pause_ns = 5200000,
				     .resident_before = 50 << 20,
				     .resident_peak = (51 << 20) - 1 };
	char text[200];

	assert_string_equal(capture_cost_text(&cost, text, sizeof(text)), wanted);
	cost.resident_peak = 53 << 20;
	capture_cost_text(&cost, text, sizeof(text));
	assert_memory_equal(text, wanted, strlen(wanted));
	assert_string_equal(text + strlen(wanted), ", meanwhile the process grew by 3 MiB");
	cost.resident_peak = 0;
	assert_string_equal(capture_cost_text(&cost, text, sizeof(text)), wanted);
	/* Its end was not seen. */
	cost.walk.pause_ns = 0;
	assert_memory_equal(capture_cost_text(&cost, text, sizeof(text)), "pause unknown, 1 ", 17);
}

TEST(fills_the_card)
{
	struct fake_script script = fake_script_of(&walks.whole, NULL);
	struct fake_server *f = fake_start(&script);
	struct live_target target = { .pid = fake_pid(f) };
	struct capture_options options = { 0 };
	struct live_card card;
	struct error err = { 0 };

	assert_ok(capture_preflight(&card, &target, &options, NULL, &err), &err);
	assert_string_equal(card.runtime, "10.0.9");
	assert_int_equal(card.major, 10);
	assert_int_equal(card.collections, 1);
	assert_int_equal(card.heaps_count, 1);
	assert_true(card.heap_bytes > 0 && card.objects > 0);
	assert_true(card.target.headroom_bytes > 0);
	/* Nothing was done to it. */
	assert_int_equal(fake_log(f)->count, 0);
	fake_free(f);
}

/* A collection is not forced for what cannot become a heap here. */
TEST(leaves_it_alone_without_room)
{
	struct fake_script script = fake_script_of(&walks.whole, NULL);
	struct fake_server *f = fake_start(&script);
	struct live_target target = { .pid = fake_pid(f) };
	struct capture_options options = { .memory_bytes = 40 << 20 };
	struct error err = { 0 };

	assert_null(capture_load(&target, &options, NULL, NULL, NULL, NULL, &err));
	assert_int_equal(err.kind, ERROR_SYSTEM);
	assert_string_equal(
	    err.message,
	    "events of any heap need more than 64 MiB, but only 40 MiB may be used: nothing was "
	    "done to the process; -m needs less, -o FILE.nettrace keeps its events, or allow more "
	    "with --mem");
	assert_int_equal(fake_log(f)->count, 0);
	fake_free(f);
}

/* Nothing is asked of who has not the memory for it. */
TEST(leaves_it_alone_without_memory)
{
	struct fake_script script = fake_script_of(&walks.whole, NULL);
	struct fake_server *f = fake_start(&script);
	struct live_target target = { .pid = fake_pid(f) };
	struct live_card card;
	struct capture_options options = { .known = &card };
	struct error err = { 0 };

	assert_true(capture_preflight(&card, &target, &(struct capture_options){ 0 }, NULL, &err));
	assert_int_equal(card.refusal.kind, ERROR_NONE);
	assert_true(card.need.bytes > card.need.range_bytes);
	/* An array of a terabyte, which a collection may need once more. */
	card.need.range_bytes = UINT64_C(1) << 40;
	assert_null(capture_load(&target, &options, NULL, NULL, NULL, NULL, &err));
	assert_int_equal(err.kind, ERROR_ATTACH);
	assert_non_null(strstr(err.message, "nothing was done to the process"));
	assert_int_equal(fake_log(f)->count, 0);
	fake_free(f);
}

static const struct process *
listed(const struct process_list *list, int32_t pid)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->processes[i].pid == pid)
			return &list->processes[i];
	fail_msg("%" PRId32 " is not listed", pid);
	return NULL;
}

TEST(asks_for_versions)
{
	enum { TRIES = 300 };
	struct fake_script script = fake_script_of(&walks.whole, NULL);
	struct fake_server *f = fake_start(&script);
	const struct process *p;
	struct process_list list;
	struct error err = { 0 };

	assert_true(process_list(&list, PROC_FOLDER, &err));
	p = listed(&list, fake_pid(f));
	assert_string_equal(p->name, fake_program(f));
	/* Who does not answer in a moment may be asked again. */
	for (int i = 0; i < TRIES && !p->runtime[0]; i++)
		capture_ask_versions(&list, PROC_FOLDER, NULL);
	assert_string_equal(p->runtime, "10.0.9");
	process_list_clear(&list);
	fake_free(f);
}

struct captured {
	struct fake_server *f;
	struct progress progress;
	struct error err;
};

static void *
capture_for_ever(void *argument)
{
	struct captured *c = argument;
	struct live_target target = { .pid = fake_pid(c->f) };
	struct capture_options options = { 0 };

	error_clear(&c->err);
	heap_free(capture_load(&target, &options, NULL, &c->progress, NULL, NULL, &c->err));
	return NULL;
}

TEST(captures_one_at_a_time)
{
	struct fake_script script = fake_script_of(&walks.whole, NULL);
	struct captured first = { 0 };
	struct capture_cost cost;
	struct error err;
	const char *stage;
	pthread_t thread;

	script.command = FAKE_COLLECT;
	script.fault = FAULT_SILENT; /* a collection that takes for ever */
	script.version = asked;
	first.f = fake_start(&script);
	assert_int_equal(pthread_create(&thread, NULL, capture_for_ever, &first), 0);
	do {
		sched_yield();
		stage = atomic_load(&first.progress.stage);
	} while (!stage || !strstr(stage, "collecting"));
	assert_null(fake_capture(first.f, &cost, &err));
	assert_non_null(strstr(err.message, "another heaptop is capturing"));
	assert_int_equal(err.kind, ERROR_ATTACH);
	progress_cancel(&first.progress);
	pthread_join(thread, NULL);
	assert_int_equal(first.err.kind, ERROR_CANCELLED);
	check_fake_sessions(first.f);
	fake_free(first.f);
}

/* ---- what goes wrong
 * -------------------------------------------------------------- */

TEST(says_why_there_is_no_heap)
{
	static const struct {
		enum fake_command command;
		enum fake_fault fault;
		const char *message;
		const char *version; /* NULL: as in the script */
	} rows[] = {
		{ FAKE_INFO, FAULT_CLOSE, "closed the connection", NULL },
		{ FAKE_LISTEN, FAULT_REFUSE, "no room for another", NULL },
		{ FAKE_LISTEN, FAULT_CLOSE, "closed the connection", NULL },
		{ FAKE_LISTEN, FAULT_WRONG_PAYLOAD, "has 4 bytes", NULL },
		{ FAKE_COLLECT, FAULT_REFUSE, "no room for another", asked },
		{ FAKE_COLLECT, FAULT_CLOSE, "closed the connection", asked },
		{ FAKE_COLLECT, FAULT_MAGIC, "is not a .NET runtime", asked },
		{ FAKE_COLLECT, FAULT_CUT_PAYLOAD, "has 65515 bytes", asked },
		{ FAKE_COLLECT, FAULT_REFUSE, "no walk of its heap", NULL },
		{ FAKE_COLLECT, FAULT_CLOSE, "no walk of its heap", NULL },
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct fake_script script = fake_script_of(&walks.whole, NULL);
		struct fake_run r;

		script.command = rows[i].command;
		script.fault = rows[i].fault;
		if (rows[i].version)
			script.version = rows[i].version;
		r = fake_run(&script, NULL);
		assert_null(r.h);
		assert_int_equal(r.err.kind, ERROR_ATTACH);
		if (!strstr(r.err.message, rows[i].message))
			fail_msg("%zu: %s", i, r.err.message);
		if (rows[i].command != FAKE_INFO)
			check_fake_sessions(r.f);
		fake_run_end(&r);
	}
}

TEST(says_that_the_target_died)
{
	struct fake_script script = fake_script_of(&walks.whole, NULL);
	struct fake_run r;

	script.command = FAKE_COLLECT;
	script.fault = FAULT_DIE;
	r = fake_run(&script, NULL);
	assert_null(r.h);
	assert_int_equal(r.err.kind, ERROR_ATTACH);
	assert_non_null(strstr(r.err.message, " has ended before "));
	fake_run_end(&r);
}

TEST(gives_up_on_who_is_stopped)
{
	struct fake_script script = fake_script_of(&walks.whole, NULL);
	struct capture_cost cost;
	struct fake_server *f;
	struct error err;

	script.command = FAKE_COLLECT;
	script.fault = FAULT_STOP_SELF;
	f = fake_start(&script);
	atomic_store(&has_own_clock, true);
	assert_null(fake_capture(f, &cost, &err));
	atomic_store(&has_own_clock, false);
	assert_non_null(strstr(err.message, "has done nothing for 5 s: it is stopped"));
	/* When it goes on, it does what it was told before. */
	kill(fake_pid(f), SIGCONT);
	check_fake_sessions(f);
	fake_free(f);
}

/* ---- streams that do not end
 * ----------------------------------------------------------- */

/* Returns where what follows may be repeated. */
static size_t
make_endless(struct trace *t, bool has_walk)
{
	struct bulk_writer objects;
	struct blob nothing = { 0 };
	size_t at;

	trace_begin(t, TRACE_6, 8);
	if (has_walk) {
		trace_gc_start(t, 7, 2);
		trace_type(t, FAKE_TYPE, 0, 0x02000001, "Fake.Node");
		bulk_begin(&objects, t, KIND_OBJECTS, 100);
		for (uint64_t i = 0; i < FAKE_OBJECTS; i++)
			bulk_object(&objects, fake_address(i), 24, FAKE_TYPE, 0);
		bulk_end(&objects);
		trace_gc_end(t, 7, 2);
	}
	trace_flush(t);
	at = t->out.len;
	blob_text16(&nothing, "nothing");
	for (int i = 0; i < 200; i++)
		trace_event(t, KIND_OTHER, &nothing);
	trace_flush(t);
	blob_free(&nothing);
	return at;
}

static const struct {
	const char *what;
	bool has_walk, has_own_clock, is_silent, is_kept;
	const char *says; /* NULL: the walk is taken */
} endless[] = {
	{ "events", false, false, false, false, "does not stop sending events: " },
	{ "events, kept", false, false, false, true, "does not stop sending events: " },
	{ "events, and time goes by", false, true, false, false,
	  "has sent events for 30 s, but none of them describes its heap" },
	{ "events behind a walk", true, false, false, false, NULL },
	{ "events behind a walk, kept", true, true, false, true, NULL },
	{ "silence behind a walk", true, true, true, false, NULL },
	{ "silence", false, true, true, false, "has done nothing for 30 s" },
};

TEST(bounds_what_does_not_end)
{
	static const char kept[] = "/tmp/test_capture.endless";

	for (size_t i = 0; i < COUNT_OF(endless); i++) {
		struct capture_options options = { .keep_path = endless[i].is_kept ? kept : NULL };
		struct live_target target = { 0 };
		struct capture_cost cost;
		struct fake_script script;
		struct fake_server *f;
		const struct heap *h;
		struct trace t;
		struct error err = { 0 };
		size_t at = make_endless(&t, endless[i].has_walk);
		struct stat st;

		script = fake_script_of(&t, NULL);
		script.repeat_at = endless[i].is_silent ? 0 : at;
		script.fault = endless[i].is_silent ? FAULT_SILENT : FAULT_NONE;
		script.fault_at = endless[i].is_silent ? at : 0;
		f = fake_start(&script);
		target.pid = fake_pid(f);
		/* Where bytes are the bound no time goes by, however slow the machine is. */
		atomic_store(&look_takes_ms, !endless[i].has_own_clock ? 0
					     : endless[i].is_silent    ? 500
								       : 20);
		atomic_store(&has_own_clock, true);
		h = capture_load(&target, &options, NULL, NULL, NULL, &cost, &err);
		atomic_store(&has_own_clock, false);
		atomic_store(&look_takes_ms, 20);
		if (!endless[i].says != (h != NULL) ||
		    (!h && !strstr(err.message, endless[i].says)))
			fail_msg("%s: %s", endless[i].what, err.message);
		if (h) {
			assert_int_equal(h->nodes_count, FAKE_OBJECTS);
			assert_non_null(strstr(h->info.warnings[0], "were not all read"));
		} else {
			assert_int_equal(err.kind, ERROR_ATTACH);
		}
		assert_int_equal(cost.attempts, 1);
		/* A trace is kept of a walk only, and its end is cut. */
		if (!stat(kept, &st))
			assert_true(st.st_size < 1 << 30);
		assert_int_equal(!unlink(kept), h && endless[i].is_kept);
		heap_free(h);
		fake_free(f);
		trace_free(&t);
	}
}

static void *
cancel_when_collecting(void *argument)
{
	struct progress *p = argument;
	const char *stage;

	do {
		sched_yield();
		stage = atomic_load(&p->stage);
	} while (!stage || !strstr(stage, "collecting"));
	progress_cancel(p);
	return NULL;
}

TEST(leaves_nothing_when_cancelled)
{
	struct fake_script script = fake_script_of(&walks.whole, NULL);
	struct capture_options options = { 0 };
	struct live_target target = { 0 };
	struct progress progress = { 0 };
	struct fake_server *f;
	struct error err = { 0 };
	pthread_t thread;

	script.command = FAKE_COLLECT;
	script.fault = FAULT_SILENT; /* a collection that takes for ever */
	script.version = asked;
	f = fake_start(&script);
	target.pid = fake_pid(f);
	assert_int_equal(pthread_create(&thread, NULL, cancel_when_collecting, &progress), 0);
	assert_null(capture_load(&target, &options, NULL, &progress, NULL, NULL, &err));
	pthread_join(thread, NULL);
	assert_int_equal(err.kind, ERROR_CANCELLED);
	check_fake_sessions(f);
	fake_free(f);
}

TESTS_BETWEEN(fake_walks_make, fake_walks_free);
