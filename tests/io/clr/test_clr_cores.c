/*
 * Cores of real processes on every runtime and collector, beside what ClrMD says of them. The tests
 * of a core follow one another and share it.
 */
#include "tests/drive/run_tests.h"
#include "tests/drive/cores.h"
#include "tests/drive/home.h"
#include "tests/drive/targets.h"
#include "tests/judge/judge_delegates.h"
#include "tests/judge/judge_graph.h"
#include "tests/judge/judge_names.h"
#include "tests/judge/judge_statics.h"
#include "tests/judge/judge_strings.h"
#include "tests/judge/judge_values.h"
#include "tests/judge/judge_walk.h"
#include "capture/memory/probe.h"
#include "tests/drive/heaps.h"
#include "io/formats/sources.h"
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

TEST_CORES(walks, NULL)
{
	const struct core *c = core_judged(*state);

	if (!c)
		skip();
	judge_walk(c);
}

TEST_CORES(loads, NULL)
{
	const struct core *c = core_judged(*state);

	if (!c)
		skip();
	judge_graph(c);
}

TEST_CORES(names, NULL)
{
	const struct core *c = core_judged(*state);

	if (!c || !c->oracle)
		skip();
	judge_names(c);
}

/* Fields, elements and strings of every object, and static variables. */
TEST_CORES(values, core_has_values)
{
	const struct core_setup *setup = *state;
	const struct core *c = core_judged(setup);
	struct error err = { 0 };
	const struct heap *h;

	if (!c || !c->oracle)
		skip();
	h = heap_at(c->path, LOAD_ALL, &err);
	if (!h)
		fail_msg("%s: %s", setup->name, err.message);
	judge_values(setup->name, c->oracle, h, NULL);
	judge_strings(setup->name, c->oracle, h);
	judge_delegates(setup->name, c->oracle, h);
	judge_statics(setup->name, c->oracle, h);
	heap_free(h);
}

/* The process itself, and it goes on. */
TEST(test_process)
{
	const struct core_setup *s = &core_setups[0];
	struct target *t;
	struct error err;
	char *text;
	size_t len;
	FILE *to;

	if (!target_exists(s->version))
		skip();
	error_clear(&err);
	t = target_start(s->version, TARGET_HERE, NULL, s->variables);
	to = open_memstream(&text, &len);
	assert_ok(probe_process("/proc", target_pid(t), 0, to, NULL, &err), &err);
	fclose(to);
	judge_probe(s, text);
	free(text);
	target_tell(t, "gc");
	target_free(t);
}

/* --- while it is being read ----------------------------------------------- */

/* The first that the screen gets to see. */
struct first_seen {
	struct preview preview;
	uint64_t objects, counted;
	bool is_final, has_names;
};

static void
note_first(void *context)
{
	struct first_seen *f = context;
	const struct preview *p = &f->preview;

	if (f->objects)
		return;
	f->objects = p->objects_seen;
	f->is_final = p->is_final;
	f->has_names = true;
	for (uint32_t i = 0; i < p->types_count; i++) {
		f->counted += p->types[i].count;
		f->has_names &= p->types[i].name && *p->types[i].name;
	}
}

/* In a heap that takes a while there is something to see before its end. */
TEST_AT_HOME(shows_what_it_has)
{
	static const char *const list[] = { "--list", "2000000", NULL };
	struct first_seen f = { .preview.wake = note_first, .preview.wake_context = &f };
	const struct heap *h;
	const char *path = in_folder("core");
	char command[600];
	struct target *t;
	struct error err;

	if (!target_exists("10.0"))
		skip();
	t = target_start("10.0", TARGET_HERE, list, NULL);
	snprintf(command, sizeof command,
		 "%.250s/leaky-10.0/createdump -h -f %s %" PRId32 " >/dev/null", targets_folder(),
		 path, target_pid(t));
	assert_int_equal(system(command), 0);
	target_free(t);
	error_clear(&err);
	pthread_mutex_init(&f.preview.lock, NULL);
	h = sources_load(
	    &(struct load_how){ .path = path, .what = LOAD_ALL, .preview = &f.preview }, &err);
	unlink(path);
	assert_ok(h, &err);
	assert_ok(heap_check(h, &err), &err);
	assert_true(f.objects && f.objects < h->nodes_count);
	assert_int_equal(f.counted, f.objects);
	assert_true(f.has_names && !f.is_final);
	assert_true(f.preview.is_final);
	assert_int_equal(f.preview.objects_seen, h->nodes_count);
	assert_int_equal(f.preview.types_count, h->types_count);
	for (type_id i = 0; i < h->types_count; i++) {
		assert_int_equal(f.preview.types[i].count, h->types[i].count);
		assert_int_equal(f.preview.types[i].bytes, h->types[i].bytes);
	}
	preview_clear(&f.preview);
	heap_free(h);
}
