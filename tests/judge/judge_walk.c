#include "tests/judge/judge_walk.h"
#include "tests/judge/judge_code.h"
#include "tests/judge/judge_frames.h"
#include "tests/drive/run_tests.h"
#include "capture/memory/probe.h"
#include "io/runtime/walk.h"
#include "io/memory/core.h"
#include "tests/drive/cores.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The words of the two sides for one thing. */
static const char *const generation_words[GEN_COUNT] = { "Generation0", "Generation1",
							 "Generation2", "Large",
							 "Pinned",      "Frozen" };

/* A core, opened as far as heaps. */
struct opened {
	struct memory *memory;
	struct clr_runtime *runtime;
	struct clr_heaps *heaps;
};

static void
open_all(struct opened *o, const struct core *c)
{
	struct error err = { 0 };

	o->memory = core_at(c->path, NULL, &err);
	if (!o->memory)
		fail_msg("%s: %s", c->setup->name, err.message);
	o->runtime = clr_runtime_open(o->memory, &err);
	if (!o->runtime)
		fail_msg("%s: %s", c->setup->name, err.message);
	o->heaps = clr_heaps_open(o->runtime, &err);
	if (!o->heaps)
		fail_msg("%s: %s", c->setup->name, err.message);
}

static void
close_all(struct opened *o)
{
	clr_heaps_close(o->heaps);
	clr_runtime_close(o->runtime);
	memory_close(o->memory);
}

/* The next object of the oracle must be this one. */
static void
compare_object(const struct core *c, const char **at, const struct clr_object *o)
{
	struct oracle_line line;
	const char *word = generation_words[o->generation];

	if (!oracle_next(c->oracle, "object", at, &line))
		fail_msg("%s: 0x%" PRIx64 " is an object too many", c->setup->name, o->address);
	if (oracle_hex(&line, 0) != o->address || oracle_hex(&line, 1) != o->table ||
	    oracle_number(&line, 2) != o->size || !oracle_is(&line, 3, word) ||
	    oracle_is(&line, 4, "Free") != o->is_free)
		fail_msg("%s: 0x%" PRIx64 " of table 0x%" PRIx64 ", %" PRIu64
			 " bytes, %s%s, should be %.*s",
			 c->setup->name, o->address, o->table, o->size, word,
			 o->is_free ? ", free" : "", (int)line.rest_len, line.rest);
}

static void
walk_range(const struct core *c, struct clr_walk *w, const struct clr_range *range, const char **at)
{
	struct clr_object objects[64];
	const struct clr_walk_sums *s = clr_walk_sums(w);
	size_t count;

	clr_walk_start(w, range);
	while (clr_walk_next(w, objects, 64, &count)) {
		for (size_t i = 0; i < count; i++) {
			if (c->oracle)
				compare_object(c, at, &objects[i]);
			assert_int_equal(objects[i].bytes_len, objects[i].size);
		}
	}
	assert_int_equal(s->holes_count, 0);
	assert_int_equal(s->objects_bytes + s->free_bytes + s->contexts_bytes,
			 range->end - range->start);
}

static void
compare_objects(const struct core *c, const struct opened *o)
{
	struct error err = { 0 };
	struct clr_tables *tables;
	struct clr_walk *w;
	struct oracle_line line;
	const char *at = NULL;

	tables = clr_tables_new(o->heaps, &err);
	w = clr_walk_new(o->heaps, tables, &err);
	assert_non_null(w);
	for (size_t i = 0; i < o->heaps->ranges_count; i++)
		walk_range(c, w, &o->heaps->ranges[i], &at);
	if (c->oracle && oracle_next(c->oracle, "object", &at, &line))
		fail_msg("%s: not found: %.*s", c->setup->name, (int)line.rest_len, line.rest);
	clr_walk_free(w);
	clr_tables_free(tables);
}

static const struct clr_range *
range_of(const struct clr_heaps *h, uint64_t start)
{
	for (size_t i = 0; i < h->ranges_count; i++) {
		if (h->ranges[i].start == start)
			return &h->ranges[i];
	}
	return NULL;
}

static void
compare_ranges(const struct core *c, const struct clr_heaps *h)
{
	struct oracle_line line;
	const char *at = NULL;

	if (!c->oracle)
		return;
	assert_int_equal(oracle_count(c->oracle, "segment"), h->ranges_count);
	while (oracle_next(c->oracle, "segment", &at, &line)) {
		const struct clr_range *r = range_of(h, oracle_hex(&line, 1));

		if (!r || r->end != oracle_hex(&line, 2) || r->committed != oracle_hex(&line, 4) ||
		    r->heap != oracle_number(&line, 5) ||
		    !oracle_is(&line, 0,
			       r->is_ephemeral && !h->has_regions
				   ? "Ephemeral"
				   : generation_words[r->generation]))
			fail_msg("%s: not found: %.*s", c->setup->name, (int)line.rest_len,
				 line.rest);
	}
	at = NULL;
	assert_int_equal(oracle_count(c->oracle, "context"), h->contexts_count);
	for (size_t i = 0; oracle_next(c->oracle, "context", &at, &line); i++) {
		assert_int_equal(oracle_hex(&line, 0), h->contexts[i].pointer);
		assert_int_equal(oracle_hex(&line, 1), h->contexts[i].limit);
	}
}

static void
compare_threads(const struct core *c, const struct clr_runtime *rt)
{
	struct oracle_line line;
	const char *at = NULL;

	assert_true(rt->are_threads_known);
	if (!c->oracle)
		return;
	assert_int_equal(oracle_count(c->oracle, "thread"), rt->threads_count);
	while (oracle_next(c->oracle, "thread", &at, &line)) {
		const struct clr_thread *t = NULL;

		for (size_t i = 0; i < rt->threads_count; i++) {
			if (rt->threads[i].address == oracle_hex(&line, 0))
				t = &rt->threads[i];
		}
		if (!t || t->os_id != oracle_number(&line, 1) || t->id != oracle_number(&line, 2))
			fail_msg("%s: not found: %.*s", c->setup->name, (int)line.rest_len,
				 line.rest);
	}
}

/* One that ends in a line with it. */
static void
assert_line(const char *text, const char *line)
{
	const char *at = strstr(text, line);

	if (!at || (at != text && at[-1] != '\n') || at[strlen(line)] != '\n')
		fail_msg("no line \"%s\" in:\n%s", line, text);
}

void
judge_probe(const struct core_setup *s, const char *text)
{
	char version[32];

	assert_line(text, s->is_server
			      ? s->has_segments ? "gc server, segments" : "gc server, regions"
			  : s->has_segments ? "gc workstation, segments"
					    : "gc workstation, regions");
	assert_line(text, s->is_server ? "heaps 2" : "heaps 1");
	assert_line(text, "gc_state at rest");
	assert_line(text, strstr(s->version, "single") ? "flavour single file" : "flavour folder");
	snprintf(version, sizeof(version), "\nversion %.*s.", (int)strcspn(s->version, "-"),
		 s->version);
	assert_non_null(strstr(text, version));
	assert_null(strstr(text, "doubt"));
}

static void
compare_probe(const struct core *c)
{
	char *text;
	size_t len;
	FILE *to = open_memstream(&text, &len);
	struct error err = { 0 };

	if (!probe_core(c->path, NULL, 0, to, NULL, &err))
		fail_msg("%s: %s", c->setup->name, err.message);
	fclose(to);
	judge_probe(c->setup, text);
	free(text);
}

/*
 * What is built in was measured on other releases; each release that tells of itself must say the
 * same. .NET 9 as a single file tells nothing, and of a heap core the file must tell it.
 */
static void
compare_layout(const struct core *c, const struct clr_runtime *rt)
{
	struct clr_layout built_in;
	struct error err = { 0 };

	assert_true(clr_layout_init(&built_in, (int)rt->version[0], rt->memory->machine, &err));
	for (size_t i = 0; i < CLR_FIELDS_COUNT; i++) {
		if (rt->layout.offset[i] != built_in.offset[i])
			fail_msg("%s: %s is at %u, not %u", c->setup->name,
				 clr_field_name((enum clr_field)i), rt->layout.offset[i],
				 built_in.offset[i]);
	}
	if (rt->version[0] < 9 || !strcmp(c->setup->version, "9.0-single")) {
		assert_int_equal(rt->descriptor_source, CLR_DESCRIPTOR_NONE);
		return;
	}
	assert_true(rt->layout.described_fields >= 36);
	/* createdump's cores of the heap have it since .NET 11. */
	assert_int_equal(rt->descriptor_source, c->setup->writer == CORE_HEAP && rt->version[0] < 11
						    ? CLR_DESCRIPTOR_IN_FILE
						    : CLR_DESCRIPTOR_IN_MEMORY);
	assert_int_equal(rt->described_globals, 5);
}

/* Without the runtime's file, what is built in does. */
static void
open_without_files(const struct core *c)
{
	struct clr_runtime *rt;
	struct memory *m;
	struct error err = { 0 };

	m = core_at(c->path, "/nowhere", &err);
	assert_non_null(m);
	rt = clr_runtime_open(m, &err);
	if (!rt)
		fail_msg("%s: %s", c->setup->name, err.message);
	assert_int_equal(rt->descriptor_source,
			 rt->version[0] < 11 ? CLR_DESCRIPTOR_NONE : CLR_DESCRIPTOR_IN_MEMORY);
	assert_true(rt->are_threads_known);
	clr_runtime_close(rt);
	memory_close(m);
}

void
judge_walk(const struct core *c)
{
	const struct core_setup *setup = c->setup;
	struct opened o;

	open_all(&o, c);
	assert_int_equal(o.runtime->version[0], strtoul(setup->version, NULL, 10));
	assert_int_equal(o.runtime->is_single_file, strstr(setup->version, "single") != NULL);
	assert_int_equal(o.heaps->is_server, setup->is_server);
	assert_int_equal(o.heaps->has_regions, !setup->has_segments);
	assert_int_equal(o.heaps->invalid_count, 0);
	for (size_t i = 0; i < o.runtime->doubts.count; i++)
		fail_msg("%s: %s", setup->name, o.runtime->doubts.texts[i]);
	for (size_t i = 0; i < o.heaps->doubts.count; i++)
		fail_msg("%s: %s", setup->name, o.heaps->doubts.texts[i]);
	compare_layout(c, o.runtime);
	compare_threads(c, o.runtime);
	compare_ranges(c, o.heaps);
	compare_objects(c, &o);
	if (c->oracle) {
		judge_code(setup->name, c->oracle, o.memory);
		judge_frames(setup->name, c->oracle, o.memory);
	}
	close_all(&o);
	compare_probe(c);
	if (setup->writer == CORE_HEAP)
		open_without_files(c);
}
