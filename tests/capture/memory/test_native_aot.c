/*
 * Heaps of Native AOT programs from memory and from cores: nothing else reads them, so what they
 * have is compared with the same program on CoreCLR, and by one way with another.
 */
#include "model/graph/reach.h"
#include "model/heap/contents.h"
#include "model/heap/root_gaps.h"
#include "tests/drive/captures.h"
#include "tests/drive/files.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/shell.h"
#include "tests/drive/ways.h"
#include "io/formats/sources.h"
#include "tests/drive/heaps.h"
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

static const char *const natives[VERSIONS] = { "8.0-native", "9.0-native", "10.0-native",
					       "11.0-native" };
static const char *const cored[] = { "10.0-native", "11.0-native" };
static const char *const servers[] = { "10.0-native-server", "11.0-native-server" };

/* Made after the collection, and dead again. */
enum { UNREACHED_MAX = 20 };

static type_id
type_of(const struct heap *h, const char *raw)
{
	for (type_id t = 0; t < h->types_count; t++)
		if (h->types[t].count && !strcmp(h->types[t].raw, raw))
			return t;
	fail_msg("no type %s", raw);
	return TYPE_NONE;
}

/* The largest object of a type. */
static node_id
object_of(const struct heap *h, const char *raw)
{
	type_id t = type_of(h, raw);
	node_id largest = NODE_NONE;

	for (node_id n = 0; n < h->nodes_count; n++)
		if (heap_type_of(h, n) == t &&
		    (largest == NODE_NONE || heap_size(h, n) > heap_size(h, largest)))
			largest = n;
	return largest;
}

static const struct heap *
heap_of_target(const char *version)
{
	struct target *t = target_start(version, TARGET_HERE, NULL, NULL);
	struct error err = { 0 };
	const struct heap *h = heap_of_memory(target_pid(t), &err);

	assert_ok(h, &err);
	check_facts(h, t, version);
	target_free(t);
	return h;
}

/* A collection has just run, so everything has a root. */
static void
check_roots(const struct heap *h)
{
	struct error err = { 0 };
	const struct reach *reach = reach_compute(h, true, NULL, &err);

	assert_ok(reach, &err);
	assert_true(heap_knows_roots(h));
	if (reach->reachable_count + UNREACHED_MAX < h->nodes_count)
		fail_msg("%" PRIu64 " of %" PRIu32 " objects have a root", reach->reachable_count,
			 h->nodes_count);
	reach_free(reach);
}

/* --- against CoreCLR --- */

/* Types of which one of the two has other objects: those of a plugin, those that only a stack
   keeps, and those that were not collected yet. */
static bool
may_differ(const char *raw)
{
	static const char *const names[] = {
		"Leaky.Session",   "Leaky.Finalizable", "Leaky.Unreachable",
		"Leaky.OnStack",   "Leaky.Program+<>c", "Leaky.Pending",
		"Leaky.Session[]", "Leaky.Child[]",     "Leaky.Program+<>c__DisplayClass20_0",
	};

	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (!strcmp(raw, names[i]))
			return true;
	return false;
}

TEST(has_the_objects_of_core)
{
	for (size_t i = 0; i < VERSIONS; i++) {
		const struct heap *native, *core;
		unsigned count = 0;

		if (is_skipped(natives[i]) || is_skipped(versions[i]))
			continue;
		native = heap_of_target(natives[i]);
		core = heap_of_target(versions[i]);
		for (type_id t = 0; t < core->types_count; t++) {
			const struct type *c = &core->types[t], *n;

			if (!c->count || strncmp(c->raw, "Leaky.", 6) != 0 || may_differ(c->raw))
				continue;
			n = &native->types[type_of(native, c->raw)];
			if (n->count != c->count || n->bytes != c->bytes)
				fail_msg("%s, %s: %" PRIu64 " objects of %" PRIu64
					 " bytes, not %" PRIu64 " of %" PRIu64,
					 natives[i], c->raw, n->count, n->bytes, c->count,
					 c->bytes);
			count++;
		}
		assert_true(count >= 14);
		assert_int_equal(native->info.losses.damaged_refs, 0);
		assert_int_equal(native->info.losses.damaged_nodes, 0);
		heap_free(native);
		heap_free(core);
	}
}

/* --- contents --- */

static void
check_string(const struct heap *h)
{
	static const char wanted[] = "the same string, three hundred times";
	struct error err = { 0 };
	type_id t = type_of(h, "System.String");
	unsigned count = 0;
	struct arena a;

	arena_init(&a, 0);
	assert_true(h->types[t].flags & TYPE_STRING);
	for (node_id n = 0; n < h->nodes_count; n++) {
		const char *text;
		uint32_t units;

		if (heap_type_of(h, n) != t)
			continue;
		assert_true(
		    h->memory->contents->text(h->memory->source, n, 100, &text, &units, &a, &err));
		count += strstr(text, wanted) != NULL;
	}
	assert_true(count >= 300);
	arena_clear(&a);
}

static void
check_array(const struct heap *h)
{
	struct error err = { 0 };
	struct content rows[4];
	size_t count;
	uint64_t total;
	struct arena a;
	node_id n = object_of(h, "Leaky.Session[]");

	arena_init(&a, 0);
	assert_true(
	    h->memory->contents->rows(h->memory->source, n, 0, 4, rows, &count, &total, &a, &err));
	assert_true(total >= 16);
	assert_string_equal(rows[0].type, "Leaky.Session");
	assert_int_equal(rows[0].kind, CONTENT_REFERENCE);
	n = object_of(h, "System.Int32[,]");
	assert_true(
	    h->memory->contents->rows(h->memory->source, n, 0, 4, rows, &count, &total, &a, &err));
	assert_int_equal(total, 12);
	assert_string_equal(rows[1].name, "[0,1]");
	assert_string_equal(rows[1].text, "0");
	assert_int_equal(rows[1].kind, CONTENT_VALUE);
	arena_clear(&a);
}

static void
check_fields(const struct heap *h)
{
	struct error err = { 0 };
	struct content rows[4];
	size_t count;
	uint64_t total;
	struct arena a;
	node_id n = object_of(h, "Leaky.Session");
	int64_t id;

	arena_init(&a, 0);
	assert_true(contents_exist(h) && !contents_have_fields(h));
	assert_true(
	    h->memory->contents->rows(h->memory->source, n, 0, 4, rows, &count, &total, &a, &err));
	assert_int_equal(total, 1);
	assert_int_equal(rows[0].kind, CONTENT_RAW);
	assert_non_null(strstr(rows[0].type, "does not describe fields"));
	assert_false(contents_integer(h, n, "Id", &id, &err));
	assert_int_equal(err.kind, ERROR_NONE);
	arena_clear(&a);
}

/* The objects of [ThreadStatic] have roots. */
static void
check_thread_statics(const struct heap *h)
{
	unsigned count = 0;

	for (uint32_t i = 0; i < h->roots_count; i++)
		count += h->roots[i].kind == ROOT_THREAD_STATIC;
	assert_true(count >= 3);
}

/* The static variables of a class are one object, named after the class. */
static void
check_statics(const struct heap *h)
{
	type_id list = type_of(h, "System.Collections.Generic.List<Leaky.Session>");
	unsigned count = 0, lists = 0;

	for (uint32_t i = 0; i < h->roots_count; i++) {
		const struct root *r = &h->roots[i];
		struct refs refs = heap_refs(h, r->object);
		node_id to;

		if (r->kind != ROOT_STATIC)
			continue;
		count++;
		assert_false(strncmp(heap_type(h, r->object)->raw, "StaticVariables(", 16));
		assert_null(strchr(r->name, '`'));
		while (!strcmp(r->name, "Leaky.Cache") && refs_next(&refs, &to))
			lists += heap_type_of(h, to) == list;
	}
	assert_true(count >= 100);
	assert_int_equal(lists, 1);
}

TEST(reads_contents)
{
	for (size_t i = 0; i < VERSIONS; i++) {
		const struct heap *h;

		if (is_skipped(natives[i]))
			continue;
		h = heap_of_target(natives[i]);
		check_string(h);
		check_array(h);
		check_fields(h);
		check_thread_statics(h);
		check_statics(h);
		check_roots(h);
		assert_int_equal(h->memory->modules_count, 1);
		heap_free(h);
	}
}

TEST_ROWS(reads_server_heaps, servers)
{
	const char *version = *(const char *const *)*state;
	/* Else a small program has only one heap. */
	static const char *const fixed[] = { "DOTNET_GCDynamicAdaptationMode=0",
					     "DOTNET_GCHeapCount=2", NULL };
	struct error err = { 0 };
	const struct heap *h;
	struct target *t;
	unsigned second = 0;

	if (is_skipped(version))
		return;
	t = target_start(version, TARGET_HERE, NULL, fixed);
	h = heap_of_memory(target_pid(t), &err);
	assert_ok(h, &err);
	check_facts(h, t, version);
	check_statics(h);
	check_roots(h);
	for (uint32_t i = 0; i < h->ranges_count; i++)
		second += h->ranges[i].heap_number == 1;
	assert_true(second > 0);
	assert_int_equal(h->info.losses.damaged_refs, 0);
	assert_int_equal(h->info.losses.damaged_nodes, 0);
	heap_free(h);
	target_free(t);
}

/* --- cores --- */

static void
check_same(const struct heap *core, const struct heap *memory)
{
	assert_int_equal(core->nodes_count, memory->nodes_count);
	assert_int_equal(core->refs_count, memory->refs_count);
	assert_int_equal(core->roots_count, memory->roots_count);
	for (node_id n = 0; n < core->nodes_count; n++) {
		struct refs ours = heap_refs(core, n);
		struct refs theirs = heap_refs(memory, n);
		node_id a = NODE_NONE, b = NODE_NONE;

		assert_int_equal(heap_address(core, n), heap_address(memory, n));
		assert_int_equal(heap_size(core, n), heap_size(memory, n));
		assert_string_equal(heap_type(core, n)->raw, heap_type(memory, n)->raw);
		while (refs_next(&ours, &a) && refs_next(&theirs, &b))
			assert_int_equal(a, b);
	}
}

/* By gdb, whose cores lack the pages of the program's file. */
BEGIN_TEST(agrees_with_its_core, ROWS_OF(cored), .before = folder_make, .after = folder_remove)
{
	const char *version = *(const char *const *)*state;
	struct error err = { 0 };
	const struct heap *memory, *core;
	struct target *t;
	char text[256], path[300];

	if (is_skipped(version))
		return;
	if (shell_prints(text, sizeof(text), "command -v gcore")) {
		printf("skipped: no gdb\n");
		return;
	}
	t = target_start(version, TARGET_HERE, NULL, NULL);
	snprintf(path, sizeof(path), "%s.%d", in_folder("core"), (int)target_pid(t));
	assert_int_equal(shell_prints(text, sizeof(text), "gcore -o %s %d >%s 2>&1; rm %s",
				      in_folder("core"), (int)target_pid(t), in_folder("said"),
				      in_folder("said")),
			 0);
	memory = heap_of_memory(target_pid(t), &err);
	assert_ok(memory, &err);
	core = heap_at(path, LOAD_ALL, &err);
	assert_ok(core, &err);
	check_same(core, memory);
	heap_free(core);
	heap_free(memory);
	unlink(path);
	target_free(t);
}
