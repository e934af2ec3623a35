#include "tests/judge/judge_graph.h"
#include "tests/drive/run_tests.h"
#include "tests/judge/judge.h"
#include "model/heap/memory.h"
#include "tests/drive/heaps.h"
#include "io/formats/sources.h"
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct heap *
load(const struct core *c, enum load_what what)
{
	const struct heap *h;
	struct error err = { 0 };

	h = heap_at(c->path, what, &err);
	if (!h)
		fail_msg("%s: %s", c->setup->name, err.message);
	/* A core by gdb lacks what the builds of files are compared with. */
	for (uint32_t i = 0; i < h->info.warnings_count; i++)
		if (c->setup->writer != CORE_GDB ||
		    !strstr(h->info.warnings[i], "the builds of these files cannot be compared"))
			fail_msg("%s: %s", c->setup->name, h->info.warnings[i]);
	assert_false(losses_any(&h->info.losses));
	return h;
}

/* The same totals without the objects. */
static void
compare_types(const struct core *c, const struct heap *h)
{
	const struct heap *types = load(c, LOAD_TYPES);
	size_t cells = (size_t)h->types_count * GEN_COUNT;

	assert_false(types->has_objects);
	assert_int_equal(types->types_count, h->types_count);
	assert_int_equal(types->bytes_count, h->bytes_count);
	for (type_id t = 0; t < h->types_count; t++) {
		assert_string_equal(types->types[t].name, h->types[t].name);
		assert_int_equal(types->types[t].count, h->types[t].count);
		assert_int_equal(types->types[t].bytes, h->types[t].bytes);
	}
	assert_memory_equal(types->generation_counts, h->generation_counts,
			    cells * sizeof(uint64_t));
	assert_memory_equal(types->generation_bytes, h->generation_bytes, cells * sizeof(uint64_t));
	heap_free(types);
}

/* What a core lacks comes from files; without them there are numbers. */
static void
check_without_files(const struct core *c, const struct heap *h)
{
	const struct load_how how = { .path = c->path, .what = LOAD_ALL, .sysroot = "/nowhere" };
	const struct heap *other;
	struct error err;

	if (c->setup->writer != CORE_GDB)
		return;
	error_clear(&err);
	other = sources_load(&how, &err);
	if (!other)
		fail_msg("%s: %s", c->setup->name, err.message);
	assert_int_equal(other->nodes_count, h->nodes_count);
	assert_int_equal(other->refs_count, h->refs_count);
	assert_int_equal(other->types_count, h->types_count);
	assert_int_equal(other->bytes_count, h->bytes_count);
	assert_true(other->info.warnings_count > 0);
	assert_non_null(strstr(other->info.warnings[other->info.warnings_count - 1],
			       "types are named by numbers: the metadata of "));
	for (type_id t = 0; t < other->types_count; t++)
		assert_true(other->types[t].flags & TYPE_UNNAMED ||
			    !strcmp(other->types[t].module, "Plugin"));
	heap_free(other);
}

/* What the reference program is known to have, on every runtime. */
static const struct {
	const char *name, *module;
	uint32_t flags; /* of those that only memory tells */
	uint64_t count; /* at least */
} known_types[] = {
	{ "Leaky.Session", "leaky.dll", 0, 5000 },
	{ "Leaky.Holder<List<Leaky.Session>>.Inner<int[]>", "leaky.dll", 0, 1 },
	{ "int[,]", "System.Private.CoreLib.dll", TYPE_ARRAY, 1 },
	{ "Leaky.Pending", "leaky.dll", TYPE_FINALIZABLE, 1 },
	{ "EventHandler", "System.Private.CoreLib.dll", TYPE_DELEGATE, 200 },
	{ "Plugin.Thing", "Plugin", TYPE_COLLECTIBLE, 1 },
};

static void
check_known_types(const struct heap *h)
{
	const uint32_t told =
	    TYPE_ARRAY | TYPE_DELEGATE | TYPE_FINALIZABLE | TYPE_COLLECTIBLE | TYPE_UNNAMED;

	for (size_t i = 0; i < COUNT_OF(known_types); i++) {
		const struct type *found = NULL;

		for (type_id t = 0; t < h->types_count; t++)
			if (!strcmp(h->types[t].name, known_types[i].name))
				found = &h->types[t];
		if (!found)
			fail_msg("there is no %s", known_types[i].name);
		assert_string_equal(type_module_file(found), known_types[i].module);
		assert_int_equal(found->flags & told, known_types[i].flags);
		if (found->count < known_types[i].count)
			fail_msg("only %" PRIu64 " of %s", found->count, found->name);
	}
}

/* Real heaps are sound. */
static void
check_sound(const struct heap *h)
{
	const struct heap_memory *m = h->memory;
	struct faults f = { 0 };
	struct error err = { 0 };

	assert_ok(m->contents->verify(m->source, NODE_NONE, &f, NULL, &err), &err);
	if (f.total)
		fail_msg("%" PRIu64 " findings; the first is %s at %" PRIx64, f.total,
			 fault_name((enum fault_kind)f.items[0].kind), f.items[0].address);
	assert_int_equal(f.objects_count, h->nodes_count);
	assert_true(f.refs_count > 0 && f.refs_count <= h->refs_count);
	assert_int_equal(f.unchecked_syncs, 0);
	assert_true(f.has_cards && f.cards_count > 0);
	assert_true(f.has_free_lists && f.listed_count > 0);
	faults_clear(&f);
}

/*
 * All that are loaded, with and without objects. ClrMD has no name for what was emitted, and none
 * of what gcore has no pages of.
 */
static void
compare_modules(const struct core *c, const struct heap_memory *m)
{
	struct oracle_line line;
	const char *at = NULL;

	assert_int_equal(oracle_count(c->oracle, "module"), m->modules_count);
	while (oracle_next(c->oracle, "module", &at, &line)) {
		const struct heap_module *found = NULL;

		for (uint32_t i = 0; i < m->modules_count; i++)
			if (m->modules[i].address == oracle_hex(&line, 0))
				found = &m->modules[i];
		if (!found || found->image != oracle_hex(&line, 1) ||
		    found->image_bytes != oracle_number(&line, 2) ||
		    (found->image && !oracle_is(&line, 3, found->path)))
			fail_msg("%s: not found: %.*s (%s, %" PRIu64 " bytes)", c->setup->name,
				 (int)line.rest_len, line.rest, found ? found->path : "",
				 found ? found->image_bytes : 0);
	}
}

/*
 * gdb puts the list of files at the end: without it the runtime's own paths lead to the same names.
 * .NET 8 does not say where it keeps those.
 */
static void
check_cut(const struct core *c)
{
	const struct heap *h;
	bool is_said = false;
	struct error err = { 0 };

	h = heap_at(c->path, LOAD_ALL, &err);
	if (!h)
		fail_msg("%s: %s", c->setup->name, err.message);
	check_known_types(h);
	assert_true(h->info.losses.missing_bytes > 0);
	for (uint32_t i = 0; i < h->info.warnings_count; i++)
		is_said |= strstr(h->info.warnings[i],
				  "the builds of these files cannot be compared") != NULL;
	assert_true(is_said);
	heap_free(h);
}

/* The core is whole again afterwards. */
static void
cut_core(const struct core *c)
{
	enum { CUT_BYTES = 100000 };
	static char cut[CUT_BYTES];
	struct stat st;
	int fd;

	if (c->setup->writer != CORE_GDB || c->setup->version[0] == '8')
		return;
	fd = open(c->path, O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	st.st_size -= CUT_BYTES;
	assert_int_equal(pread(fd, cut, CUT_BYTES, st.st_size), CUT_BYTES);
	assert_int_equal(ftruncate(fd, st.st_size), 0);
	check_cut(c);
	assert_int_equal(pwrite(fd, cut, CUT_BYTES, st.st_size), CUT_BYTES);
	close(fd);
}

void
judge_graph(const struct core *c)
{
	const struct core_setup *setup = c->setup;
	const struct heap *h;
	struct error err;

	error_clear(&err);
	h = load(c, LOAD_ALL);
	if (!heap_check(h, &err))
		fail_msg("%s: %s", setup->name, err.message);
	check_known_types(h);
	check_sound(h);
	if (c->oracle) {
		judge_heap(setup->name, c->oracle, h);
		compare_modules(c, h->memory);
	}
	compare_types(c, h);
	check_without_files(c, h);
	heap_free(h);
	cut_core(c);
}
