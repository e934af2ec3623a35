/*
 * Handles, finalizer queue, threads and static variables in cores of real
 * programs, beside what ClrMD says of the same core; and in memory that is
 * made up to be wrong.
 */
#include "io/clr_finalizers.h"
#include "io/clr_heaps.h"
#include "io/clr_loaded.h"
#include "io/clr_thread_names.h"
#include "io/core.h"
#include "tests/cores.h"
// clang-format off
#include "tests/run_tests.h"
// clang-format on
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { HANDLE_MAP = 232 };

/* --- a core, as far as these readers need it --- */

struct opened {
	const struct core *core;
	struct memory *memory;
	struct clr_runtime *runtime;
	struct clr_heaps *heaps;
	struct clr_handles handles;
	struct arena arena;
};

static bool
open_core(struct opened *o, const struct core_setup *setup)
{
	struct error err;
	uint64_t map;

	memset(o, 0, sizeof(*o));
	arena_init(&o->arena, 0);
	o->core = core_of(setup);
	if (!o->core)
		return false;
	error_clear(&err);
	o->memory = core_open(o->core->path, NULL, NULL, &err);
	if (o->memory)
		o->runtime = clr_runtime_open(o->memory, &err);
	if (o->runtime)
		o->heaps = clr_heaps_open(o->runtime, &err);
	if (!o->heaps)
		fail_msg("%s: %s", setup->name, err.message);
	assert_true(memory_u64(o->runtime->reader,
			       o->runtime->gc_vars + HANDLE_MAP, &map));
	assert_true(clr_handles_read(&o->handles, o->runtime->reader, map,
				     o->heaps->is_server, &err));
	return true;
}

static void
close_core(struct opened *o)
{
	clr_handles_clear(&o->handles);
	clr_heaps_close(o->heaps);
	clr_runtime_close(o->runtime);
	memory_close(o->memory);
	arena_clear(&o->arena);
}

/* --- handles --- */

static unsigned
handle_kind(const struct oracle_line *line)
{
	/* clang-format off */
	static const struct { const char *name; unsigned kind; } kinds[] = {
		{ "WeakShort", HANDLE_WEAK_SHORT }, { "WeakLong", HANDLE_WEAK_LONG },
		{ "Strong", HANDLE_STRONG }, { "Pinned", HANDLE_PINNED },
		{ "RefCounted", HANDLE_REF_COUNTED }, { "Dependent", HANDLE_DEPENDENT },
		{ "AsyncPinned", HANDLE_ASYNC_PINNED }, { "SizedRef", HANDLE_SIZED_REF },
		{ "WeakWinRT", HANDLE_WEAK_NATIVE_COM },
	};
	/* clang-format on */

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (oracle_is(line, 0, kinds[i].name))
			return kinds[i].kind;
	return (unsigned)oracle_number(line, 0);
}

static void
compare_handles(const struct opened *o)
{
	const char *what = o->core->setup->name, *at = NULL;
	struct oracle_line line;
	size_t count = 0;

	assert_int_equal(o->handles.missing_count, 0);
	while (oracle_next(o->core->oracle, "handle", &at, &line)) {
		uint64_t address = oracle_hex(&line, 1);
		const struct clr_handle *h =
		    clr_handles_find(&o->handles, address);

		count++;
		if (!h || h->object != oracle_hex(&line, 2) ||
		    h->kind != handle_kind(&line) ||
		    h->second != oracle_hex(&line, 3))
			fail_msg("%s: handle %.*s: kind %u of %" PRIx64
				 " to %" PRIx64,
				 what, (int)line.rest_len, line.rest,
				 h ? h->kind : 99, h ? h->object : 0,
				 h ? h->second : 0);
	}
	if (count != o->handles.count)
		fail_msg("%s: %zu handles, not %zu", what, o->handles.count,
			 count);
}

static void
compare_finalizers(const struct opened *o)
{
	static const char *const words[] = { "registered", "ready" };
	struct clr_finalizers found = { 0 };
	struct error err;
	size_t counts[2] = { 0 };

	error_clear(&err);
	for (uint32_t i = 0; i < o->heaps->heaps_count; i++)
		assert_true(clr_finalizers_add(
		    &found, o->memory, o->heaps->heaps[i].finalize_queue,
		    &err));
	assert_int_equal(found.missing_count, 0);
	for (size_t i = 0; i < found.count; i++)
		counts[clr_finalizer_is_ready(&found.items[i])]++;
	for (int i = 0; i < 2; i++)
		if (counts[i] != oracle_count(o->core->oracle, words[i]))
			fail_msg("%s: %zu objects %s", o->core->setup->name,
				 counts[i], words[i]);
	assert_true(counts[1] > 0);
	clr_finalizers_clear(&found);
}

static void
compare_threads(const struct opened *o)
{
	struct clr_thread_names names;
	struct oracle_line line;
	struct error err;
	const char *at = NULL;
	unsigned named = 0;

	error_clear(&err);
	assert_true(clr_thread_names_read(&names, o->runtime, &o->handles,
					  (struct arena *)(uintptr_t)&o->arena,
					  &err));
	while (oracle_next(o->core->oracle, "thread", &at, &line)) {
		const struct clr_thread_name *t =
		    clr_thread_names_find(&names, oracle_number(&line, 1));

		if (!t || t->address != oracle_hex(&line, 0) ||
		    t->id != oracle_number(&line, 2))
			fail_msg("%s: thread %.*s", o->core->setup->name,
				 (int)line.rest_len, line.rest);
	}
	for (size_t i = 0; i < names.count; i++) {
		named += !strncmp(names.items[i].name, "leaky-", 6);
		if (o->core->setup == core_setups)
			printf("%s, %" PRIu32 " %" PRIx64 "\n",
			       names.items[i].title, names.items[i].id,
			       names.items[i].object);
	}
	assert_int_equal(named, 3);
	clr_thread_names_clear(&names);
}

static void
finds_what_clrmd_finds(void **state)
{
	(void)state;
	for (unsigned i = 0; i < core_setups_count; i++) {
		struct opened o;
		struct clr_loaded loaded;
		struct error err;

		if (!open_core(&o, &core_setups[i]))
			continue;
		error_clear(&err);
		compare_handles(&o);
		compare_finalizers(&o);
		compare_threads(&o);
		assert_true(clr_loaded_read(&loaded, o.runtime, &err));
		printf("%s: %zu handles, %zu types of %u modules missing %u\n",
		       core_setups[i].name, o.handles.count, loaded.count,
		       loaded.modules_count, loaded.missing_count);
		clr_loaded_clear(&loaded);
		close_core(&o);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_what_clrmd_finds),
	};

	return run_tests(tests);
}
