/*
 * Programs whose memory grows outside of the managed heap: the use of their resident memory, by
 * every way to it, and the finding about it. The same amount of objects is no such finding.
 */
#include "model/analysis/findings.h"
#include "model/analysis/resident.h"
#include "tests/drive/captures.h"
#include "tests/drive/cores.h"
#include "tests/drive/kept.h"
#include "tests/drive/ways.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/heaps.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define VERSION "10.0"
#define MIB     (UINT64_C(1) << 20)

/* Those that tell the use of memory. */
static const enum way ways[] = { BY_MEMORY, BY_EVENTS, BY_CORE };

/* clang-format off */
static const struct leak {
	const char *name;
	enum resident_kind kind; /* that has most of it */
	uint64_t mib, count;     /* at least */
	unsigned ways;           /* that find native memory, as bits */
	bool is_endless;         /* createdump takes minutes */
} leaks[] = {
	/* name         kind              MiB  count  found by */
	{ "malloc",     RESIDENT_MALLOC,  180, 8,     1 << BY_MEMORY | 1 << BY_EVENTS | 1 << BY_CORE, false },
	{ "blocks",     RESIDENT_OTHER,   180, 1,     1 << BY_MEMORY | 1 << BY_EVENTS | 1 << BY_CORE, false },
	{ "threads",    RESIDENT_STACKS,  180, 2000,  1 << BY_MEMORY | 1 << BY_EVENTS, true },
	{ "files",      RESIDENT_FILES,   200, 1,     1 << BY_MEMORY | 1 << BY_EVENTS | 1 << BY_CORE, false },
	{ "assemblies", RESIDENT_CODE,    50,  1,     1 << BY_MEMORY | 1 << BY_EVENTS | 1 << BY_CORE, false },
	{ "managed",    RESIDENT_MANAGED, 180, 1,     0, false },
	{ "none",       RESIDENT_IMAGES,  1,   1,     0, false },
};
/* clang-format on */

/* --- what is found ------------------------------------------------------- */

/* Returns the finding about native memory; `kind` NULL: none. */
static struct finding
find_native_of(const struct heap *h, const struct resident *earlier)
{
	struct finding native = { 0 };
	struct findings_input in = { .heap = h, .earlier = earlier };
	struct error err = { 0 };
	struct findings *found;

	in.reverse = reverse_compute(h, NULL, &err);
	in.reach = reach_compute(h, true, NULL, &err);
	assert_true(in.reverse && in.reach);
	found = findings_find(&in, NULL, &err);
	if (!found)
		fail_msg("%s", err.message);
	for (uint32_t i = 0; i < found->count; i++)
		if (found->items[i].kind == &finding_native) {
			/* No other is larger. */
			assert_int_equal(i, 0);
			native = found->items[i];
		}
	findings_free(found);
	reach_free(in.reach);
	reverse_free(in.reverse);
	return native;
}

static void
check_sums(const struct resident *r, enum way way)
{
	uint64_t bytes = 0;

	assert_int_equal(r->detail, way == BY_CORE ? RESIDENT_PRESENT : RESIDENT_MAPPINGS);
	for (int i = 0; i < RESIDENT_KIND_COUNT; i++)
		bytes += r->parts[i].bytes;
	assert_int_equal(bytes, r->bytes);
}

static void
check_leak(const struct leak *l, const struct heap *h, enum way way)
{
	const struct resident r = resident_of(h);
	const struct resident_part *p = &r.parts[l->kind];
	/* In a core, neighbours are joined: some of it counts as other. */
	uint64_t mib = way == BY_CORE ? l->mib / 2 : l->mib;
	char text[RESIDENT_TEXT_BYTES];

	check_sums(&r, way);
	/* A core has hardly any pages of files. */
	if (!(l->kind == RESIDENT_FILES || l->kind == RESIDENT_IMAGES) || way != BY_CORE)
		if (p->bytes < mib * MIB || p->count < l->count)
			fail_msg("%s, %s: %s", l->name, way_names[way], resident_text(h, text));
	if ((find_native_of(h, NULL).kind == &finding_native) != (l->ways >> way & 1))
		fail_msg("%s, %s: %s; native memory is %sfound", l->name, way_names[way],
			 resident_text(h, text), l->ways >> way & 1 ? "not " : "");
}

static struct target *
start_leak(const char *leak)
{
	const char *const arguments[] = { "--leak", leak, NULL };

	if (target_program_exists("native", VERSION))
		return target_start_program("native", VERSION, arguments);
	printf("skipped: no program with native leaks\n");
	return NULL;
}

/*
 * The collector counts committed memory, we what is resident of it: less where it has not written
 * yet. Its tables are in its count, and in COLLECTOR here.
 */
static void
check_collector(const struct target *t, const struct resident *r)
{
	uint64_t committed = (uint64_t)target_fact(t, "committed");
	uint64_t heap = (uint64_t)target_fact(t, "heap");
	uint64_t ours = r->parts[RESIDENT_MANAGED].bytes + r->parts[RESIDENT_COLLECTOR].bytes;

	if (ours > committed + MIB || ours + MIB < heap)
		fail_msg("%llu resident, %llu committed, %llu heap", (unsigned long long)ours,
			 (unsigned long long)committed, (unsigned long long)heap);
}

TEST_ROWS(test_leaks, leaks)
{
	const struct leak *l = *state;
	struct target *t = start_leak(l->name);

	for (size_t i = 0; t && i < COUNT_OF(ways); i++) {
		const struct heap *h;

		if (ways[i] == BY_CORE && l->is_endless)
			continue;
		h = heap_by(ways[i], target_pid(t));
		check_leak(l, h, ways[i]);
		if (ways[i] == BY_MEMORY)
			check_collector(t, &h->info.resident);
		heap_free(h);
	}
	target_free(t);
}

/* --- growth and files ---------------------------------------------------- */

TEST(test_growth_native)
{
	struct target *t = start_leak("malloc");
	struct resident earlier;
	const struct heap *h;
	struct finding f;

	if (!t)
		return;
	h = heap_by(BY_MEMORY, target_pid(t));
	earlier = resident_of(h);
	/* Nothing has grown since then. */
	assert_int_equal(find_native_of(h, &earlier).count, 0);
	heap_free(h);
	target_tell(t, "more");
	h = heap_by(BY_MEMORY, target_pid(t));
	f = find_native_of(h, &earlier);
	assert_ptr_equal(f.kind, &finding_native);
	assert_in_range(f.count, 180 * MIB, 240 * MIB);
	heap_free(h);
	target_free(t);
}

TEST(test_growth_managed)
{
	struct target *t = start_leak("managed");
	struct resident earlier;
	const struct heap *h;

	if (!t)
		return;
	h = heap_by(BY_MEMORY, target_pid(t));
	earlier = resident_of(h);
	heap_free(h);
	target_tell(t, "more");
	h = heap_by(BY_MEMORY, target_pid(t));
	assert_true(resident_of(h).bytes > earlier.bytes + 180 * MIB);
	assert_null(find_native_of(h, &earlier).kind);
	heap_free(h);
	target_free(t);
}

static bool
is_by_gdb(const void *setup)
{
	return ((const struct core_setup *)setup)->writer == CORE_GDB;
}

/* gdb saves 64 MiB for each heap of malloc(), most of them only reserved, and
   8 MiB for each stack. */
TEST_CORES(test_reserved, is_by_gdb)
{
	const struct core *c = core_of(*state);
	char text[RESIDENT_TEXT_BYTES];
	struct error err = { 0 };
	const struct heap *h;
	struct stat st;

	if (!c)
		return;
	h = heap_at(c->path, LOAD_ALL, &err);
	assert_ok(h, &err);
	assert_int_equal(stat(c->path, &st), 0);
	assert_true((uint64_t)st.st_size > 500 * MIB);
	if (h->info.resident.bytes > 64 * MIB || h->info.resident.parts[RESIDENT_MALLOC].count < 3)
		fail_msg("%s: %s", c->setup->name, resident_text(h, text));
	assert_null(find_native_of(h, NULL).kind);
	heap_free(h);
}

TEST(test_saved)
{
	struct target *t = start_leak("none");
	const struct heap *h, *again;
	struct error err = { 0 };
	struct bytes_kept kept;

	if (!t)
		return;
	h = heap_by(BY_MEMORY, target_pid(t));
	kept = kept_save(h);
	again = kept_load(&kept, LOAD_ALL, &err);
	assert_non_null(again);
	assert_memory_equal(&h->info.resident, &again->info.resident, sizeof(h->info.resident));
	assert_int_equal(again->info.pid, target_pid(t));
	heap_free(again);
	free(kept.data);
	heap_free(h);
	target_free(t);
}
