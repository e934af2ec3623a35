/*
 * Captures from a fake runtime: the orders given to each kind of runtime, and
 * what becomes of the heap and of the sessions when something goes wrong.
 */
#define _GNU_SOURCE /* syscall() */
#include "capture/events/live.h"
#include "tests/made/fake_server.h"
#include "tests/drive/run_tests.h"
#include "tests/made/traces.h"
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define TYPE_ID UINT64_C(0x7f0000001000)
enum { OBJECTS = 3000, SMALL = 40, LOST = 200 };

static uint64_t
address_of(uint64_t i)
{
	return 0x7f0000400000 + 32 * i;
}

/* ---- streams
 * ------------------------------------------------------------------ */

enum lost { LOST_NOTHING, LOST_OBJECTS, LOST_REFS };

/* Objects that refer to the next one; some get lost, or their references. */
static void
make_walk(struct trace *t, uint64_t count, enum lost lost, uint64_t lost_count)
{
	struct bulk_writer objects, refs, roots;
	uint64_t end = 100 + lost_count;

	trace_begin(t, TRACE_4, 8);
	trace_gc_start(t, 7, 2);
	trace_type(t, TYPE_ID, 0, 0x02000001, "Fake.Node");
	bulk_begin(&objects, t, KIND_OBJECTS, 100);
	bulk_begin(&refs, t, KIND_REFS, 100);
	for (uint64_t i = 0; i < count; i++) {
		t->is_losing = lost == LOST_OBJECTS && i > 100 && i < end;
		bulk_object(&objects, address_of(i), 24, TYPE_ID, 1);
	}
	for (uint64_t i = 0; i < count; i++) {
		t->is_losing = lost == LOST_REFS && i > 100 && i < end;
		bulk_ref(&refs, address_of((i + 1) % count));
	}
	t->is_losing = false;
	bulk_begin(&roots, t, KIND_ROOTS, 100);
	bulk_root(&roots, address_of(0), 2, 0, 0x900);
	bulk_end(&objects);
	bulk_end(&refs);
	bulk_end(&roots);
	trace_gc_end(t, 7, 2);
	trace_end(t);
}

struct walks {
	struct trace whole, lossy, worse, fewer, small;
};

static struct walks walks;

static struct fake_script
script_of(const struct trace *first, const struct trace *second)
{
	struct fake_script s = { .version = "10.0.9",
				 .newest_info = 3,
				 .newest_collect = 5,
				 .streams = { first->out.data },
				 .stream_lens = { first->out.len } };

	if (second) {
		s.streams[1] = second->out.data;
		s.stream_lens[1] = second->out.len;
	}
	return s;
}

static const struct heap *
capture_from(struct fake_server *f, struct capture_cost *cost,
	     struct error *err)
{
	struct live_target target = { .pid = fake_pid(f) };
	struct capture_options options = { 0 };

	error_clear(err);
	return capture_load(&target, &options, NULL, NULL, NULL, cost, err);
}

static void
check_whole(const struct heap *h, struct error *err)
{
	if (!h)
		fail_msg("%s", err->message);
	assert_true(heap_check(h, err));
	assert_int_equal(h->nodes_count, OBJECTS);
	assert_int_equal(h->refs_count, OBJECTS);
	assert_int_equal(h->roots_count, 1);
	assert_string_equal(heap_type(h, 0)->name, "Fake.Node");
}

/* Nothing is left behind, and never two that collect. */
static void
check_sessions(struct fake_server *f)
{
	const struct fake_log *log = fake_log(f);

	assert_int_equal(log->open_sessions, 0);
	assert_true(log->collecting_peak <= 1);
}

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
					is_stop ? (unsigned)e->session & 0xff
						: e->command - 1u);
	}
}

static void
gives_each_runtime_its_orders(void **state)
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
		{ "3.1.0", 0, 2, "F2 ?6 ?5 ?4 ?3 L2 S0 C2 S1 S2 ",
		  PLAN_TWO_SESSIONS, 1 },
		{ "11.0.0", 3, 6, "LC6 S0 ", PLAN_BLOCKING, 1 },
		{ asked, 3, 4, "F2 ?6 ?5 L4 S0 C4 S1 S2 ", PLAN_TWO_SESSIONS,
		  1 },
		{ "11.0.0-preview", 3, 5, "?6 F2 ?6 L5 C5 S1 S0 S2 ",
		  PLAN_TWO_SESSIONS, 1 },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fake_script script = script_of(&walks.whole, NULL);
		struct capture_cost cost;
		const struct heap *h;
		struct fake_server *f;
		struct error err;
		char log[200];

		script.version = rows[i].version;
		script.newest_info = rows[i].info;
		script.newest_collect = rows[i].collect;
		f = fake_start(&script);
		h = capture_from(f, &cost, &err);
		check_whole(h, &err);
		spell_log(fake_log(f), log);
		assert_string_equal(log, rows[i].log);
		check_sessions(f);
		assert_true(cost.is_complete);
		assert_int_equal(cost.attempts, 1);
		assert_int_equal(cost.plan, rows[i].plan);
		assert_int_equal(cost.collections, rows[i].collections);
		assert_int_equal(cost.bytes, walks.whole.out.len);
		assert_non_null(strstr(h->info.source, fake_program(f)));
		assert_non_null(strstr(h->info.log, "forced"));
		heap_free(h);
		fake_free(f);
	}
}

static void
captures_from_who_connects(void **state)
{
	struct fake_script script = script_of(&walks.whole, NULL);
	struct capture_options options = { 0 };
	struct live_target target = { 0 };
	struct capture_cost cost;
	struct fake_server *f;
	const struct heap *h;
	struct error err;
	char path[80], log[200];

	(void)state;
	snprintf(path, sizeof(path), "%.40s/test_capture.%d.port",
		 fake_folder(), getpid());
	script.port = target.port = path;
	f = fake_start(&script);
	error_clear(&err);
	h = capture_load(&target, &options, NULL, NULL, NULL, &cost, &err);
	check_whole(h, &err);
	/* It was asked only who it is, so its version had to be found. */
	spell_log(fake_log(f), log);
	assert_string_equal(log, "F2 ?6 L5 C5 S1 S2 S0 ");
	heap_free(h);
	fake_free(f);
}

/* What did not happen takes no room. */
static void
says_what_it_cost(void **state)
{
	static const char wanted[] = "paused 5.2 ms, 1 collection forced, 1.2 "
				     "MiB read in 136 ms";
	struct capture_cost cost = { .collections = 1,
				     .bytes = 1258291,
				     .stream_ns = 136000000,
				     .walk.pause_ns = 5200000,
				     .resident_before = 50 << 20,
				     .resident_peak = (51 << 20) - 1 };
	char text[200];

	(void)state;
	assert_string_equal(capture_cost_text(&cost, text, sizeof(text)),
			    wanted);
	cost.resident_peak = 53 << 20;
	capture_cost_text(&cost, text, sizeof(text));
	assert_memory_equal(text, wanted, strlen(wanted));
	assert_string_equal(text + strlen(wanted),
			    ", meanwhile the process grew by 3 MiB");
	cost.resident_peak = 0;
	assert_string_equal(capture_cost_text(&cost, text, sizeof(text)),
			    wanted);
	/* Its end was not seen. */
	cost.walk.pause_ns = 0;
	assert_memory_equal(capture_cost_text(&cost, text, sizeof(text)),
			    "pause unknown, 1 ", 17);
}

static void
fills_the_card(void **state)
{
	struct fake_script script = script_of(&walks.whole, NULL);
	struct fake_server *f = fake_start(&script);
	struct live_target target = { .pid = fake_pid(f) };
	struct capture_options options = { 0 };
	struct live_card card;
	struct error err;

	(void)state;
	error_clear(&err);
	if (!capture_preflight(&card, &target, &options, NULL, &err))
		fail_msg("%s", err.message);
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
static void
leaves_it_alone_without_room(void **state)
{
	struct fake_script script = script_of(&walks.whole, NULL);
	struct fake_server *f = fake_start(&script);
	struct live_target target = { .pid = fake_pid(f) };
	struct capture_options options = { .memory_bytes = 40 << 20 };
	struct error err;

	(void)state;
	error_clear(&err);
	assert_null(
	    capture_load(&target, &options, NULL, NULL, NULL, NULL, &err));
	assert_int_equal(err.kind, ERROR_SYSTEM);
	assert_string_equal(
	    err.message,
	    "events of any heap need more than 64 MiB, but only 40 MiB may be "
	    "used: "
	    "nothing was done to the process; -m needs less, -o FILE.nettrace "
	    "keeps its events, or allow more with --mem");
	assert_int_equal(fake_log(f)->count, 0);
	fake_free(f);
}

/* Nothing is asked of who has not the memory for it. */
static void
leaves_it_alone_without_memory(void **state)
{
	struct fake_script script = script_of(&walks.whole, NULL);
	struct fake_server *f = fake_start(&script);
	struct live_target target = { .pid = fake_pid(f) };
	struct live_card card;
	struct capture_options options = { .known = &card };
	struct error err;

	(void)state;
	error_clear(&err);
	assert_true(capture_preflight(
	    &card, &target, &(struct capture_options){ 0 }, NULL, &err));
	assert_int_equal(card.refusal.kind, ERROR_NONE);
	assert_true(card.need.bytes > card.need.range_bytes);
	/* An array of a terabyte, which a collection may need once more. */
	card.need.range_bytes = UINT64_C(1) << 40;
	assert_null(
	    capture_load(&target, &options, NULL, NULL, NULL, NULL, &err));
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

static void
asks_for_versions(void **state)
{
	enum { TRIES = 300 };
	struct fake_script script = script_of(&walks.whole, NULL);
	struct fake_server *f = fake_start(&script);
	const struct process *p;
	struct process_list list;
	struct error err;

	(void)state;
	error_clear(&err);
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
	heap_free(capture_load(&target, &options, NULL, &c->progress, NULL,
			       NULL, &c->err));
	return NULL;
}

static void
captures_one_at_a_time(void **state)
{
	struct fake_script script = script_of(&walks.whole, NULL);
	struct captured first = { 0 };
	struct capture_cost cost;
	struct error err;
	const char *stage;
	pthread_t thread;

	(void)state;
	script.command = FAKE_COLLECT;
	script.fault = FAULT_SILENT; /* a collection that takes for ever */
	script.version = asked;
	first.f = fake_start(&script);
	assert_int_equal(
	    pthread_create(&thread, NULL, capture_for_ever, &first), 0);
	do {
		sched_yield();
		stage = atomic_load(&first.progress.stage);
	} while (!stage || !strstr(stage, "collecting"));
	assert_null(capture_from(first.f, &cost, &err));
	assert_non_null(strstr(err.message, "another heaptop is capturing"));
	assert_int_equal(err.kind, ERROR_ATTACH);
	progress_cancel(&first.progress);
	pthread_join(thread, NULL);
	assert_int_equal(first.err.kind, ERROR_CANCELLED);
	check_sessions(first.f);
	fake_free(first.f);
}

/* ---- what gets lost
 * --------------------------------------------------------------- */

static void
tries_again_with_more_room(void **state)
{
	struct fake_script script = script_of(&walks.lossy, &walks.whole);
	struct fake_server *f = fake_start(&script);
	const struct fake_log *log;
	struct capture_cost cost;
	const struct heap *h;
	struct error err;

	(void)state;
	h = capture_from(f, &cost, &err);
	check_whole(h, &err);
	assert_true(cost.is_complete);
	assert_int_equal(cost.attempts, 2);
	assert_int_equal(cost.collections, 2);
	assert_int_equal(h->info.warnings_count, 0);
	log = fake_log(f);
	assert_int_equal(log->count, 10);
	assert_true(log->entries[6].buffer_mb > log->entries[1].buffer_mb);
	check_sessions(f);
	heap_free(h);
	fake_free(f);
}

static void
labels_what_is_missing(void **state)
{
	struct fake_script script = script_of(&walks.lossy, NULL);
	struct fake_server *f = fake_start(&script);
	struct capture_cost cost;
	const struct heap *h;
	struct error err;

	(void)state;
	h = capture_from(f, &cost, &err);
	if (!h)
		fail_msg("%s", err.message);
	assert_true(heap_check(h, &err));
	assert_false(cost.is_complete);
	assert_int_equal(cost.attempts, 2);
	assert_int_equal(h->nodes_count, OBJECTS);
	assert_true(h->info.warnings_count > 0);
	assert_non_null(strstr(h->info.warnings[0], "incomplete"));
	assert_true(losses_are_incomplete(&h->info.losses));
	assert_int_equal(h->info.losses.lost_refs, OBJECTS - h->refs_count);
	assert_int_equal(h->info.losses.lost_refs, LOST);
	assert_int_equal(h->info.losses.partial_nodes, LOST);
	check_sessions(f);
	heap_free(h);
	fake_free(f);
}

/* More room did not help: the attempt that got more is the one to show. */
static void
shows_the_better_attempt(void **state)
{
	const struct trace *const orders[][2] = {
		{ &walks.lossy, &walks.worse },
		{ &walks.worse, &walks.lossy },
		/* Objects count, whatever of references there is. */
		{ &walks.lossy, &walks.fewer },
		{ &walks.fewer, &walks.lossy },
	};

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct fake_script script =
		    script_of(orders[i][0], orders[i][1]);
		struct fake_server *f = fake_start(&script);
		struct capture_cost cost;
		const struct heap *h;
		struct error err;

		h = capture_from(f, &cost, &err);
		if (!h)
			fail_msg("%s", err.message);
		assert_int_equal(cost.attempts, 2);
		assert_int_equal(cost.keep_errnum, 0);
		assert_int_equal(h->nodes_count, OBJECTS);
		assert_int_equal(h->info.losses.lost_refs, LOST);
		check_sessions(f);
		heap_free(h);
		fake_free(f);
	}
}

/* Cut anywhere: a heap that says that it is not whole, or a sentence. */
static void
survives_streams_that_end_early(void **state)
{
	size_t len = walks.small.out.len;

	(void)state;
	for (size_t at = 1; at < len; at += at < 300 ? 13 : len / 40 + 1) {
		struct fake_script script = script_of(&walks.small, NULL);
		struct capture_cost cost;
		const struct heap *h;
		struct fake_server *f;
		struct error err;

		script.fault_at = at;
		f = fake_start(&script);
		h = capture_from(f, &cost, &err);
		if (!h)
			assert_true(err.kind == ERROR_ATTACH && err.message[0]);
		else
			assert_true(heap_check(h, &err));
		if (h && !cost.is_complete)
			assert_true(h->info.warnings_count > 0);
		check_sessions(f);
		heap_free(h);
		fake_free(f);
	}
}

/* The second attempt is not even granted: the first one is shown. */
static void
falls_back_on_the_first_attempt(void **state)
{
	struct fake_script script = script_of(&walks.lossy, NULL);
	struct capture_cost cost;
	struct fake_server *f;
	const struct heap *h;
	struct error err;

	(void)state;
	script.walks_max = 1;
	f = fake_start(&script);
	h = capture_from(f, &cost, &err);
	if (!h)
		fail_msg("%s", err.message);
	assert_int_equal(cost.attempts, 2);
	assert_false(cost.is_complete);
	assert_int_equal(cost.keep_errnum, 0); /* nothing was to be kept */
	assert_int_equal(h->nodes_count, OBJECTS);
	check_sessions(f);
	heap_free(h);
	fake_free(f);
}

/* What came is no heap, but its raw events are all that there will ever be. */
static void
keeps_what_the_dead_have_sent(void **state)
{
	static const char *const kept[] = { NULL, "/tmp/test_capture.dead" };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct fake_script script = script_of(&walks.whole, NULL);
		struct capture_options options = { .keep_path = kept[i] };
		struct live_target target = { 0 };
		struct capture_cost cost;
		struct fake_server *f;
		struct error err;

		script.fault = FAULT_DIE;
		script.fault_at = walks.whole.out.len * 3 / 4;
		f = fake_start(&script);
		target.pid = fake_pid(f);
		error_clear(&err);
		assert_null(capture_load(&target, &options, NULL, NULL, NULL,
					 &cost, &err));
		assert_int_equal(err.kind, ERROR_ATTACH);
		assert_non_null(strstr(
		    err.message, " has ended before its heap was described"));
		assert_null(strstr(err.message, "lost"));
		assert_int_equal(cost.attempts, 1);
		if (kept[i]) {
			assert_non_null(strstr(err.message, kept[i]));
			assert_int_equal(unlink(kept[i]), 0);
		}
		fake_free(f);
	}
}

/* ---- what goes wrong
 * -------------------------------------------------------------- */

static void
says_why_there_is_no_heap(void **state)
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
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fake_script script = script_of(&walks.whole, NULL);
		struct capture_cost cost;
		const struct heap *h;
		struct fake_server *f;
		struct error err;

		script.command = rows[i].command;
		script.fault = rows[i].fault;
		if (rows[i].version)
			script.version = rows[i].version;
		f = fake_start(&script);
		h = capture_from(f, &cost, &err);
		assert_null(h);
		assert_int_equal(err.kind, ERROR_ATTACH);
		if (!strstr(err.message, rows[i].message))
			fail_msg("%zu: %s", i, err.message);
		if (rows[i].command != FAKE_INFO)
			check_sessions(f);
		fake_free(f);
	}
}

static void
says_that_the_target_died(void **state)
{
	struct fake_script script = script_of(&walks.whole, NULL);
	struct capture_cost cost;
	struct fake_server *f;
	struct error err;

	(void)state;
	script.command = FAKE_COLLECT;
	script.fault = FAULT_DIE;
	f = fake_start(&script);
	assert_null(capture_from(f, &cost, &err));
	assert_int_equal(err.kind, ERROR_ATTACH);
	assert_non_null(strstr(err.message, " has ended before "));
	fake_free(f);
}

static void
gives_up_on_who_is_stopped(void **state)
{
	struct fake_script script = script_of(&walks.whole, NULL);
	struct capture_cost cost;
	struct fake_server *f;
	struct error err;

	(void)state;
	script.command = FAKE_COLLECT;
	script.fault = FAULT_STOP_SELF;
	f = fake_start(&script);
	atomic_store(&has_own_clock, true);
	assert_null(capture_from(f, &cost, &err));
	atomic_store(&has_own_clock, false);
	assert_non_null(
	    strstr(err.message, "has done nothing for 5 s: it is stopped"));
	/* When it goes on, it does what it was told before. */
	kill(fake_pid(f), SIGCONT);
	check_sessions(f);
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
		trace_type(t, TYPE_ID, 0, 0x02000001, "Fake.Node");
		bulk_begin(&objects, t, KIND_OBJECTS, 100);
		for (uint64_t i = 0; i < OBJECTS; i++)
			bulk_object(&objects, address_of(i), 24, TYPE_ID, 0);
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
	{ "events", false, false, false, false,
	  "does not stop sending events: " },
	{ "events, kept", false, false, false, true,
	  "does not stop sending events: " },
	{ "events, and time goes by", false, true, false, false,
	  "has sent events for 30 s, but none of them describes its heap" },
	{ "events behind a walk", true, false, false, false, NULL },
	{ "events behind a walk, kept", true, true, false, true, NULL },
	{ "silence behind a walk", true, true, true, false, NULL },
	{ "silence", false, true, true, false, "has done nothing for 30 s" },
};

static void
bounds_what_does_not_end(void **state)
{
	static const char kept[] = "/tmp/test_capture.endless";

	(void)state;
	for (size_t i = 0; i < sizeof(endless) / sizeof(endless[0]); i++) {
		struct capture_options options = {
			.keep_path = endless[i].is_kept ? kept : NULL
		};
		struct live_target target = { 0 };
		struct capture_cost cost;
		struct fake_script script;
		struct fake_server *f;
		const struct heap *h;
		struct trace t;
		struct error err;
		size_t at = make_endless(&t, endless[i].has_walk);
		struct stat st;

		script = script_of(&t, NULL);
		script.repeat_at = endless[i].is_silent ? 0 : at;
		script.fault = endless[i].is_silent ? FAULT_SILENT : FAULT_NONE;
		script.fault_at = endless[i].is_silent ? at : 0;
		f = fake_start(&script);
		target.pid = fake_pid(f);
		error_clear(&err);
		/* Where bytes are the bound no time goes by, however slow the
		   machine is. */
		atomic_store(&look_takes_ms, !endless[i].has_own_clock ? 0
					     : endless[i].is_silent    ? 500
								       : 20);
		atomic_store(&has_own_clock, true);
		h = capture_load(&target, &options, NULL, NULL, NULL, &cost,
				 &err);
		atomic_store(&has_own_clock, false);
		atomic_store(&look_takes_ms, 20);
		if (!endless[i].says != (h != NULL) ||
		    (!h && !strstr(err.message, endless[i].says)))
			fail_msg("%s: %s", endless[i].what, err.message);
		if (h) {
			assert_int_equal(h->nodes_count, OBJECTS);
			assert_non_null(
			    strstr(h->info.warnings[0], "were not all read"));
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

static void
leaves_nothing_when_cancelled(void **state)
{
	struct fake_script script = script_of(&walks.whole, NULL);
	struct capture_options options = { 0 };
	struct live_target target = { 0 };
	struct progress progress = { 0 };
	struct fake_server *f;
	struct error err;
	pthread_t thread;

	(void)state;
	script.command = FAKE_COLLECT;
	script.fault = FAULT_SILENT; /* a collection that takes for ever */
	script.version = asked;
	f = fake_start(&script);
	target.pid = fake_pid(f);
	error_clear(&err);
	assert_int_equal(
	    pthread_create(&thread, NULL, cancel_when_collecting, &progress),
	    0);
	assert_null(
	    capture_load(&target, &options, NULL, &progress, NULL, NULL, &err));
	pthread_join(thread, NULL);
	assert_int_equal(err.kind, ERROR_CANCELLED);
	check_sessions(f);
	fake_free(f);
}

/* ---- the raw events
 * ------------------------------------------------------------------ */

static void
keep_name(char path[80])
{
	snprintf(path, 80, "%.40s/test_capture.%d.nettrace", fake_folder(),
		 getpid());
}

static const struct heap *
capture_keeping(struct fake_server *f, const char *path,
		struct capture_cost *cost, struct error *err)
{
	struct live_target target = { .pid = fake_pid(f) };
	struct capture_options options = { .keep_path = path };

	error_clear(err);
	return capture_load(&target, &options, NULL, NULL, NULL, cost, err);
}

static void
keeps_the_raw_events(void **state)
{
	/* The first attempt is not kept. */
	struct fake_script script = script_of(&walks.lossy, &walks.whole);
	struct fake_server *f = fake_start(&script);
	struct capture_cost cost;
	const struct heap *h;
	struct error err;
	struct stat st;
	char path[80];
	uint8_t *data;
	int fd;

	(void)state;
	keep_name(path);
	h = capture_keeping(f, path, &cost, &err);
	check_whole(h, &err);
	heap_free(h);
	fd = open(path, O_RDONLY);
	assert_true(fd >= 0 && !fstat(fd, &st));
	assert_int_equal(st.st_size, walks.whole.out.len);
	assert_int_equal(st.st_mode & 0777, 0600);
	data = malloc(walks.whole.out.len);
	assert_non_null(data);
	assert_int_equal(read(fd, data, walks.whole.out.len),
			 (int)walks.whole.out.len);
	assert_memory_equal(data, walks.whole.out.data, walks.whole.out.len);
	free(data);
	close(fd);
	unlink(path);
	fake_free(f);
}

static void
goes_on_when_the_disk_is_full(void **state)
{
	struct fake_script script = script_of(&walks.whole, NULL);
	struct rlimit old, small = { 1000, 1000 };
	struct fake_server *f = fake_start(&script);
	struct capture_cost cost;
	const struct heap *h;
	struct error err;
	char path[80], part[120];

	(void)state;
	keep_name(path);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	small.rlim_max = old.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	h = capture_keeping(f, path, &cost, &err);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	check_whole(h, &err);
	assert_true(cost.keep_errnum != 0);
	assert_int_equal(access(path, F_OK), -1);
	snprintf(part, sizeof(part), "%s.%d.part", path, getpid());
	assert_int_equal(access(part, F_OK), -1);
	heap_free(h);
	fake_free(f);
}

static int
begin(void **state)
{
	(void)state;
	make_walk(&walks.whole, OBJECTS, LOST_NOTHING, 0);
	make_walk(&walks.lossy, OBJECTS, LOST_REFS, LOST);
	make_walk(&walks.worse, OBJECTS, LOST_REFS, 5 * LOST);
	make_walk(&walks.fewer, OBJECTS, LOST_OBJECTS, LOST);
	make_walk(&walks.small, SMALL, LOST_NOTHING, 0);
	return 0;
}

static int
end(void **state)
{
	(void)state;
	trace_free(&walks.whole);
	trace_free(&walks.lossy);
	trace_free(&walks.worse);
	trace_free(&walks.fewer);
	trace_free(&walks.small);
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gives_each_runtime_its_orders),
		cmocka_unit_test(captures_from_who_connects),
		cmocka_unit_test(says_what_it_cost),
		cmocka_unit_test(fills_the_card),
		cmocka_unit_test(leaves_it_alone_without_room),
		cmocka_unit_test(leaves_it_alone_without_memory),
		cmocka_unit_test(asks_for_versions),
		cmocka_unit_test(captures_one_at_a_time),
		cmocka_unit_test(tries_again_with_more_room),
		cmocka_unit_test(labels_what_is_missing),
		cmocka_unit_test(shows_the_better_attempt),
		cmocka_unit_test(survives_streams_that_end_early),
		cmocka_unit_test(falls_back_on_the_first_attempt),
		cmocka_unit_test(keeps_what_the_dead_have_sent),
		cmocka_unit_test(says_why_there_is_no_heap),
		cmocka_unit_test(says_that_the_target_died),
		cmocka_unit_test(gives_up_on_who_is_stopped),
		cmocka_unit_test(bounds_what_does_not_end),
		cmocka_unit_test(leaves_nothing_when_cancelled),
		cmocka_unit_test(keeps_the_raw_events),
		cmocka_unit_test(goes_on_when_the_disk_is_full),
	};
	int failed;

	begin(NULL);
	failed = run_tests(tests);
	end(NULL);
	return failed;
}
