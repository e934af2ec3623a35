#include "tests/drive/fake_captures.h"
#include "tests/drive/run_tests.h"
#include <string.h>

enum { SMALL = 40 };
struct fake_walks walks;

enum lost { LOST_NOTHING, LOST_OBJECTS, LOST_REFS };

/* Objects that refer to the next one; some get lost, or their references. */
static void
make_walk(struct trace *t, uint64_t count, enum lost lost, uint64_t lost_count)
{
	struct bulk_writer objects, refs, roots;
	uint64_t end = 100 + lost_count;

	trace_begin(t, TRACE_4, 8);
	trace_gc_start(t, 7, 2);
	trace_type(t, FAKE_TYPE, 0, 0x02000001, "Fake.Node");
	bulk_begin(&objects, t, KIND_OBJECTS, 100);
	bulk_begin(&refs, t, KIND_REFS, 100);
	for (uint64_t i = 0; i < count; i++) {
		t->is_losing = lost == LOST_OBJECTS && i > 100 && i < end;
		bulk_object(&objects, fake_address(i), 24, FAKE_TYPE, 1);
	}
	for (uint64_t i = 0; i < count; i++) {
		t->is_losing = lost == LOST_REFS && i > 100 && i < end;
		bulk_ref(&refs, fake_address((i + 1) % count));
	}
	t->is_losing = false;
	bulk_begin(&roots, t, KIND_ROOTS, 100);
	bulk_root(&roots, fake_address(0), 2, 0, 0x900);
	bulk_end(&objects);
	bulk_end(&refs);
	bulk_end(&roots);
	trace_gc_end(t, 7, 2);
	trace_end(t);
}

struct fake_script
fake_script_of(const struct trace *first, const struct trace *second)
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
capture_keeping(struct fake_server *f, const char *keep_path, struct capture_cost *cost,
		struct error *err)
{
	struct live_target target = { .pid = fake_pid(f) };
	struct capture_options options = { .keep_path = keep_path };

	error_clear(err);
	return capture_load(&target, &options, NULL, NULL, NULL, cost, err);
}

const struct heap *
fake_capture(struct fake_server *f, struct capture_cost *cost, struct error *err)
{
	return capture_keeping(f, NULL, cost, err);
}

struct fake_run
fake_run(const struct fake_script *script, const char *keep_path)
{
	struct fake_run r = { .f = fake_start(script) };

	r.h = capture_keeping(r.f, keep_path, &r.cost, &r.err);
	return r;
}

void
fake_run_end(struct fake_run *r)
{
	heap_free(r->h);
	fake_free(r->f);
}

void
check_fake_heap(const struct heap *h, struct error *err)
{
	assert_ok(h, err);
	assert_true(heap_check(h, err));
	assert_int_equal(h->nodes_count, FAKE_OBJECTS);
	assert_int_equal(h->refs_count, FAKE_OBJECTS);
	assert_int_equal(h->roots_count, 1);
	assert_string_equal(heap_type(h, 0)->name, "Fake.Node");
}

void
check_fake_sessions(struct fake_server *f)
{
	const struct fake_log *log = fake_log(f);

	assert_int_equal(log->open_sessions, 0);
	assert_true(log->collecting_peak <= 1);
}

int
fake_walks_make(void **state)
{
	(void)state;
	make_walk(&walks.whole, FAKE_OBJECTS, LOST_NOTHING, 0);
	make_walk(&walks.lossy, FAKE_OBJECTS, LOST_REFS, FAKE_LOST);
	make_walk(&walks.worse, FAKE_OBJECTS, LOST_REFS, 5 * FAKE_LOST);
	make_walk(&walks.fewer, FAKE_OBJECTS, LOST_OBJECTS, FAKE_LOST);
	make_walk(&walks.small, SMALL, LOST_NOTHING, 0);
	return 0;
}

int
fake_walks_free(void **state)
{
	(void)state;
	trace_free(&walks.whole);
	trace_free(&walks.lossy);
	trace_free(&walks.worse);
	trace_free(&walks.fewer);
	trace_free(&walks.small);
	return 0;
}
