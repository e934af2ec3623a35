#include "tests/judge/judge_names.h"
#include "io/clr/roots.h"
#include "io/clr/stacks.h"
#include "io/runtime/walk.h"
#include "io/memory/core.h"
#include "model/heap/names.h"
#include "model/heap/builder.h"
#include "tests/made/made_roots.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/cores.h"
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

static void
open_core(struct opened *o, const struct core *c)
{
	struct error err;
	uint64_t map;

	memset(o, 0, sizeof(*o));
	arena_init(&o->arena, 0);
	o->core = c;
	error_clear(&err);
	o->memory = core_at(o->core->path, NULL, &err);
	if (o->memory)
		o->runtime = clr_runtime_open(o->memory, &err);
	if (o->runtime)
		o->heaps = clr_heaps_open(o->runtime, &err);
	if (!o->heaps)
		fail_msg("%s: %s", c->setup->name, err.message);
	assert_true(memory_u64(o->runtime->reader, o->runtime->gc_vars + HANDLE_MAP, &map));
	assert_true(clr_handles_read(&o->handles, o->runtime->reader, map, o->heaps->is_server,
				     NULL, &err));
	assert_int_equal(o->handles.missing_count, 0);
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

/* --- threads --- */

/*
 * The reference program has given names to some of its own. Its first has that of the process, and
 * the collector's has one that no core says.
 */
static void
check_thread_names(const struct clr_thread_names *names, const struct opened *o)
{
	unsigned named = 0, finalizers = 0, first = 0;

	for (size_t i = 0; i < names->count; i++) {
		const struct clr_thread_name *t = &names->items[i];

		named += !strncmp(t->name, "leaky-", 6);
		finalizers += !strcmp(t->name, ".NET Finalizer") && t->id == 2;
		first += !strcmp(t->name, "leaky") && t->os_id == (uint64_t)o->core->pid;
	}
	assert_int_equal(named, 3);
	assert_int_equal(finalizers, 1);
	assert_int_equal(first, 1);
}

/* --- statics --- */

static int
compare_slots(const void *a, const void *b)
{
	const struct clr_static *x = a, *y = b;

	return (x->slot > y->slot) - (x->slot < y->slot);
}

/* "Leaky.Cache.Sessions", of a type and a field as ClrMD writes them. */
static const char *
static_name(const struct oracle_line *line, unsigned type, struct arena *a)
{
	struct error err = { 0 };
	struct display_name shown;
	const char *raw, *field;

	raw = arena_strndup(a, line->fields[type], line->lens[type], &err);
	field = arena_strndup(a, line->fields[type + 1], line->lens[type + 1], &err);
	assert_true(name_display(raw, a, &shown, &err));
	field = name_field(field, a, &err);
	return arena_printf(a, &err, "%s.%s", shown.full, field);
}

/* Does it hold an object or, in a box, a structure? */
static bool
is_reference(const struct oracle_line *line, unsigned field)
{
	static const char *const kinds[] = { "Class", "Object",  "String",
					     "Array", "SZArray", "Struct" };

	for (size_t i = 0; i < COUNT_OF(kinds); i++)
		if (oracle_is(line, field, kinds[i]))
			return true;
	return false;
}

/* Variables that hold something, all of them with their names. */
static void
compare_statics(struct opened *o, const struct clr_statics *statics, const char *word,
		unsigned address_at)
{
	struct oracle_line line;
	const char *at = NULL;
	unsigned count = 0;

	while (oracle_next(o->core->oracle, word, &at, &line)) {
		struct clr_static key = { .slot = oracle_hex(&line, address_at) };
		const struct clr_static *s;
		const char *name;
		uint64_t object;

		if (!key.slot || !is_reference(&line, address_at + 1) ||
		    !memory_u64(o->runtime->reader, key.slot, &object) || !object)
			continue;
		count++;
		s = bsearch(&key, statics->items, statics->count, sizeof(key), compare_slots);
		name = static_name(&line, address_at + 2, &o->arena);
		if (!s || s->object != object || strcmp(s->name, name))
			fail_msg("%s: %.*s is %s here", o->core->setup->name, (int)line.rest_len,
				 line.rest, s ? s->name : "nothing");
	}
	printf("%s: %u of %s\n", o->core->setup->name, count, word);
	assert_true(count > 0);
}

/*
 * Of .NET 8 ClrMD says nothing of generic types: each of the program's lists has its empty array of
 * its own kind, as in the others.
 */
static void
count_generic(const struct opened *o, const struct clr_statics *statics)
{
	unsigned of_threads = 0, lists = 0;

	for (size_t i = 0; i < statics->count; i++) {
		const struct clr_static *s = &statics->items[i];

		of_threads += s->thread != NULL;
		lists += !strcmp(s->name, "List<Leaky.Session>.s_emptyArray");
	}
	printf("%s: %zu, of them %u of threads\n", o->core->setup->name, statics->count,
	       of_threads);
	assert_int_equal(lists, 1);
	assert_true(of_threads >= 4);
}

static void
check_statics(struct opened *o)
{
	struct clr_loaded loaded;
	struct clr_thread_names threads;
	struct clr_statics statics;
	struct clr_names names = { &o->runtime->layout, o->runtime->reader, NULL };
	struct error err = { 0 };

	names.modules = clr_modules_new(names.layout, names.reader, &err);
	assert_non_null(names.modules);
	assert_true(clr_loaded_read(&loaded, o->runtime, NULL, &err));
	assert_int_equal(loaded.missing_count, 0);
	assert_true(clr_thread_names_read(&threads, o->runtime, &o->handles, &o->arena, &err));
	assert_true(
	    clr_statics_read(&statics, o->heaps, &names, &loaded, &threads, &o->arena, NULL, &err));
	assert_int_equal(statics.missing_count, 0);
	check_thread_names(&threads, o);
	compare_statics(o, &statics, "static", 0);
	compare_statics(o, &statics, "threadstatic", 1);
	count_generic(o, &statics);
	clr_statics_clear(&statics);
	clr_thread_names_clear(&threads);
	clr_loaded_clear(&loaded);
	clr_modules_free(names.modules);
}

void
judge_names(const struct core *c)
{
	struct opened o;

	open_core(&o, c);
	check_statics(&o);
	close_core(&o);
}
