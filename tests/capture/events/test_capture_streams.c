/*
 * What a fake runtime may send: a walk in another order, two of them, parts
 * of one, each byte of a small one the last; and what the program says of it, by its exit code and
 * in words.
 */
#include "tests/drive/fake_captures.h"
#include "tests/drive/started.h"
#include <inttypes.h>
#include <string.h>

enum { TINY = 3, MANY = 1200000, A_FULL_EVENT = 100 };

/* ---- streams --------------------------------------------------------------
 */

enum lost { LOST_NOTHING, LOST_OBJECTS, LOST_REFS, LOST_ROOTS, LOST_END };

/* A walk, as it is ordered and what does not arrive of it. */
struct recipe {
	uint64_t count;
	bool has_types_last, has_refs_first;
	enum lost lost;
};

static void
put_objects(struct trace *t, const struct recipe *r)
{
	struct bulk_writer objects;

	bulk_begin(&objects, t, KIND_OBJECTS, A_FULL_EVENT);
	for (uint64_t i = 0; i < r->count; i++) {
		t->is_losing = r->lost == LOST_OBJECTS && i > 1000 && i < 1200;
		bulk_object(&objects, fake_address(i), 24, FAKE_TYPE, 1);
	}
	t->is_losing = false;
	bulk_end(&objects);
}

/* Each to the next. A whole block is lost: from one flush to another. */
static void
put_refs(struct trace *t, const struct recipe *r)
{
	struct bulk_writer refs;

	bulk_begin(&refs, t, KIND_REFS, A_FULL_EVENT);
	for (uint64_t i = 0; i < r->count; i++) {
		if (i % 1000 == 0)
			trace_flush(t);
		t->is_losing = r->lost == LOST_REFS && i / 1000 == 1;
		bulk_ref(&refs, fake_address((i + 1) % r->count));
	}
	t->is_losing = false;
	bulk_end(&refs);
}

static void
put_roots(struct trace *t, const struct recipe *r)
{
	struct bulk_writer roots;

	bulk_begin(&roots, t, KIND_ROOTS, 2);
	for (uint64_t i = 0; i < 6; i++) {
		t->is_losing = r->lost == LOST_ROOTS && i / 2 == 1;
		bulk_root(&roots, fake_address(i % r->count), 2, 0, 0x900 + i);
	}
	t->is_losing = false;
	bulk_end(&roots);
}

static void
put_walk(struct trace *t, const struct recipe *r, uint32_t number)
{
	trace_gc_start(t, number, 2);
	if (!r->has_types_last)
		trace_type(t, FAKE_TYPE, 0, 0x02000001, "Fake.Node");
	if (r->has_refs_first)
		put_refs(t, r);
	put_objects(t, r);
	if (!r->has_refs_first)
		put_refs(t, r);
	put_roots(t, r);
	if (r->has_types_last)
		trace_type(t, FAKE_TYPE, 0, 0x02000001, "Fake.Node");
	t->is_losing = r->lost == LOST_END;
	trace_gc_end(t, number, 2);
	t->is_losing = false;
}

/* One walk or two; count 0: none. */
static void
make_stream(struct trace *t, const struct recipe recipes[2])
{
	trace_begin(t, TRACE_4, 8);
	for (uint32_t i = 0; i < 2 && recipes[i].count; i++)
		put_walk(t, &recipes[i], 7 + i);
	trace_end(t);
}

/* ---- whole or not ----------------------------------------------------------
 */

static const struct row {
	const char *name;
	struct recipe recipes[2];
	uint64_t objects; /* in the heap */
	const char *says; /* the first warning; NULL: complete */
} rows[] = {
	{ "in order", { { .count = FAKE_OBJECTS } }, FAKE_OBJECTS, NULL },
	{ "types after the objects",
	  { { .count = FAKE_OBJECTS, .has_types_last = true } },
	  FAKE_OBJECTS,
	  NULL },
	{ "a million references before the first object",
	  { { .count = MANY, .has_refs_first = true } },
	  MANY,
	  NULL },
	{ "two walks: the first one",
	  { { .count = FAKE_OBJECTS }, { .count = TINY } },
	  FAKE_OBJECTS,
	  NULL },
	{ "two walks, the first one lossy: the second one",
	  { { .count = FAKE_OBJECTS, .lost = LOST_REFS }, { .count = TINY } },
	  TINY,
	  NULL },
	{ "a block of references lost",
	  { { .count = FAKE_OBJECTS, .lost = LOST_REFS } },
	  FAKE_OBJECTS,
	  "references" },
	{ "objects lost",
	  { { .count = FAKE_OBJECTS, .lost = LOST_OBJECTS } },
	  FAKE_OBJECTS - 200,
	  "objects" },
	{ "roots lost", { { .count = FAKE_OBJECTS, .lost = LOST_ROOTS } }, FAKE_OBJECTS, "roots" },
	{ "the end lost", { { .count = FAKE_OBJECTS, .lost = LOST_END } }, FAKE_OBJECTS, "end" },
};

static void
check_row(const struct row *r)
{
	struct trace t;
	struct fake_script script;
	struct fake_run run;

	make_stream(&t, r->recipes);
	script = fake_script_of(&t, NULL);
	run = fake_run(&script, NULL);
	if (!run.h)
		fail_msg("%s: %s", r->name, run.err.message);
	assert_true(heap_check(run.h, &run.err));
	if (run.cost.is_complete != !r->says || run.h->nodes_count > r->objects ||
	    (!r->says && run.h->nodes_count != r->objects))
		fail_msg("%s: %u objects, %s; %s", r->name, run.h->nodes_count,
			 run.cost.is_complete ? "complete" : "not complete",
			 run.h->info.warnings_count ? run.h->info.warnings[0] : "");
	assert_int_equal(run.h->info.warnings_count > 0, r->says != NULL);
	if (r->says && !strstr(run.h->info.warnings[0], r->says))
		fail_msg("%s: %s", r->name, run.h->info.warnings[0]);
	assert_int_equal(run.cost.attempts, r->says ? 2 : 1);
	assert_string_equal(heap_type(run.h, 0)->name, "Fake.Node");
	check_fake_sessions(run.f);
	fake_run_end(&run);
	trace_free(&t);
}

TEST(takes_what_comes)
{
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		check_row(&rows[i]);
}

/* Cut after every byte: a heap that says that it is not whole, or a sentence.
 */
TEST(survives_every_cut)
{
	static const struct recipe tiny[2] = { { .count = TINY } };
	struct trace t;

	make_stream(&t, tiny);
	for (size_t at = 1; at < t.out.len; at++) {
		struct fake_script script = fake_script_of(&t, NULL);
		struct fake_run r;

		script.fault_at = at;
		r = fake_run(&script, NULL);
		if (!r.h)
			assert_true(r.err.kind == ERROR_ATTACH && r.err.message[0]);
		else if (!heap_check(r.h, &r.err))
			fail_msg("cut at %zu: %s", at, r.err.message);
		/* The walk is over before the stream ends: all of it came. */
		if (r.h && !r.cost.is_complete && !r.h->info.warnings_count)
			fail_msg("cut at %zu: not complete, and no word of it", at);
		if (r.h && r.cost.is_complete && r.h->nodes_count != TINY)
			fail_msg("cut at %zu: %u objects are complete", at, r.h->nodes_count);
		check_fake_sessions(r.f);
		fake_run_end(&r);
	}
	trace_free(&t);
}

/* ---- the program -----------------------------------------------------------
 */

/* Both streams of output in one; returns the exit status. */
static int
run_heaptop(const char *arguments, char *text, size_t size)
{
	return shell_prints(text, size, "%s %s 2>&1 </dev/null", program_path(), arguments);
}

TEST(ends_with_a_code)
{
	static const struct {
		struct recipe recipe;
		enum fake_fault fault;
		bool is_cut;
		int status;
		const char *says[2];
	} ends[] = {
		{ { .count = FAKE_OBJECTS }, 0, false, 0, { "Fake.Node", "forced" } },
		{ { .count = FAKE_OBJECTS, .lost = LOST_REFS },
		  0,
		  false,
		  4,
		  { "Fake.Node", "incomplete" } },
		{ { .count = FAKE_OBJECTS },
		  0,
		  true,
		  4,
		  { "before the collection ended, because ", "closed the connection" } },
		{ { .count = FAKE_OBJECTS },
		  FAULT_DIE,
		  true,
		  3,
		  { " has ended before its heap was described", NULL } },
		{ { .count = FAKE_OBJECTS },
		  FAULT_REFUSE,
		  false,
		  3,
		  { "no walk of its heap", NULL } },
		{ { .count = FAKE_OBJECTS },
		  FAULT_DIE,
		  false,
		  3,
		  { " has ended before its heap was described", NULL } },
	};
	for (size_t i = 0; i < COUNT_OF(ends); i++) {
		const struct recipe recipes[2] = { ends[i].recipe };
		static char text[1 << 16];
		struct fake_script script;
		struct fake_server *f;
		struct trace t;
		char arguments[64];
		int status;

		make_stream(&t, recipes);
		script = fake_script_of(&t, NULL);
		script.fault = ends[i].fault;
		script.command = ends[i].fault && !ends[i].is_cut ? FAKE_COLLECT : FAKE_NO_COMMAND;
		script.fault_at = ends[i].is_cut ? t.out.len * 3 / 4 : 0;
		f = fake_start(&script);
		snprintf(arguments, sizeof(arguments), "-b types %" PRId32, fake_pid(f));
		status = run_heaptop(arguments, text, sizeof(text));
		if (status != ends[i].status)
			fail_msg("row %zu ended with %d\n%s", i, status, text);
		for (int k = 0; k < 2 && ends[i].says[k]; k++)
			if (!strstr(text, ends[i].says[k]))
				fail_msg("row %zu: no \"%s\" in\n%s", i, ends[i].says[k], text);
		fake_free(f);
		trace_free(&t);
	}
}

/* One process of a name is meant by it; of two it must be said which. */
TEST(finds_a_process_by_its_name)
{
	static const struct recipe tiny[2] = { { .count = TINY } };
	static char text[1 << 16];
	char arguments[80], called[80];
	struct fake_server *one, *two;
	struct fake_script script;
	struct trace t;
	char number[16];
	int status;

	make_stream(&t, tiny);
	script = fake_script_of(&t, NULL);
	one = fake_start(&script);
	snprintf(arguments, sizeof(arguments), "-b types %s", fake_program(one));
	snprintf(called, sizeof(called), "have the name %s", fake_program(one));
	status = run_heaptop(arguments, text, sizeof(text));
	/* Others may run these tests here, too. */
	if (!strstr(text, " processes have the name ") && (status || !strstr(text, "Fake.Node")))
		fail_msg("ended with %d\n%s", status, text);
	two = fake_start(&script);
	assert_int_equal(run_heaptop(arguments, text, sizeof(text)), 2);
	assert_non_null(strstr(text, called));
	snprintf(number, sizeof(number), "%" PRId32, fake_pid(one));
	assert_non_null(strstr(text, number));
	snprintf(number, sizeof(number), "%" PRId32, fake_pid(two));
	assert_non_null(strstr(text, number));
	assert_int_equal(fake_log(two)->count, 0);
	fake_free(one);
	fake_free(two);
	trace_free(&t);
}

/* Before anything is done to it. */
TEST_AT_HOME(asks_on_a_terminal)
{
	static const struct {
		const char *answer;
		int status; /* -1: the screen comes */
	} answers[] = {
		{ "n", 130 },    { "N", 130 },  { "\033", 130 }, { "\003", 130 },
		{ "\004", 130 }, { "\r", 130 }, { "y", -1 },     { "x\033[AY", -1 },
	};
	static const struct recipe tiny[2] = { { .count = TINY } };
	struct trace t;

	make_stream(&t, tiny);
	for (size_t i = 0; i < COUNT_OF(answers); i++) {
		struct fake_script script = fake_script_of(&t, NULL);
		struct fake_server *f = fake_start(&script);
		char pid[16];
		const char *const arguments[] = { pid, NULL };
		struct pty *p;

		snprintf(pid, sizeof(pid), "%" PRId32, fake_pid(f));
		p = started(arguments, NULL, 24, 80);
		assert_true(pty_wait_text(p, "force a collection and capture? [y/N]"));
		assert_int_equal(fake_log(f)->count, 0);
		pty_send(p, answers[i].answer);
		if (answers[i].status < 0) {
			assert_true(pty_wait_text(p, "Node"));
			pty_send(p, "QQ");
		}
		pty_exits(p, answers[i].status < 0 ? 0 : answers[i].status);
		assert_int_equal(fake_log(f)->count > 0, answers[i].status < 0);
		check_fake_sessions(f);
		fake_free(f);
	}
	trace_free(&t);
}
