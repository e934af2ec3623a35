/*
 * What users of SOS type about cores of real processes: lists and their sums by type, beside those
 * of the objects that ClrMD finds.
 */
#include "tests/drive/run_tests.h"
#include "tests/drive/cores.h"
#include "tests/drive/lists.h"
#include "tests/drive/screens.h"
#include "model/analysis/groups.h"
#include "model/heap/memory.h"
#include "tui/app/views.h"
#include "tests/drive/heaps.h"
#include <inttypes.h>
#include <string.h>

static const char *const setups[] = { ".NET 9.0, server", ".NET 10.0" };

/* Selects lines of the oracle. */
struct choice {
	const char *generation; /* the oracle's word; NULL: all */
	uint64_t start, end;    /* addresses; 0: all */
	uint64_t table, least_bytes;
};

static type_id
type_of_table(const struct heap *h, uint64_t table)
{
	const struct heap_memory *m = h->memory;

	for (uint32_t i = 0; i < m->tables_count; i++)
		if (m->tables[i].address == table)
			return m->tables[i].type;
	fail_msg("no table 0x%" PRIx64, table);
	return TYPE_NONE;
}

/* The oracle rounds them up to 8. */
static uint64_t
exact_size(const struct heap *h, const struct oracle_line *line)
{
	node_id n = heap_find(h, oracle_hex(line, 0));

	assert_true(n != NODE_NONE);
	assert_int_equal((heap_size(h, n) + 7) & ~UINT64_C(7), oracle_number(line, 2));
	return heap_size(h, n);
}

static bool
is_chosen(const struct oracle_line *line, const struct choice *by)
{
	uint64_t address = oracle_hex(line, 0);

	return !oracle_is(line, 4, "Free") &&
	       (!by->generation || oracle_is(line, 3, by->generation)) &&
	       (!by->end || (address >= by->start && address < by->end)) &&
	       (!by->table || oracle_hex(line, 1) == by->table);
}

static void
sum_oracle(const struct core *c, const struct heap *h, const struct choice *by,
	   struct type_sum *sums)
{
	struct oracle_line line;
	const char *at = NULL;

	while (oracle_next(c->oracle, "object", &at, &line)) {
		uint64_t bytes;
		type_id type;

		if (!is_chosen(&line, by))
			continue;
		bytes = exact_size(h, &line);
		if (bytes < by->least_bytes)
			continue;
		type = type_of_table(h, oracle_hex(&line, 1));
		sums[type].count++;
		sums[type].bytes += bytes;
	}
}

static void
expect_oracle(struct app *app, const struct core *c, const char *command, const struct choice *by)
{
	const struct heap *h = app->session->heap;
	struct type_sum *told, *wanted;
	const struct view *v;
	char line[200];

	list_expect_stat(app, command);
	if (!c->oracle)
		return;
	snprintf(line, sizeof line, "%s -stat", command);
	v = list_open(app, line);
	told = list_new_sums(v);
	wanted = list_new_sums(v);
	list_read_sums(v, told);
	sum_oracle(c, h, by, wanted);
	list_expect_same(v, line, told, wanted);
	memory_free(told);
	memory_free(wanted);
}

static void
check_generations(struct app *app, const struct core *c)
{
	static const struct {
		const char *command;
		struct choice by;
	} rows[] = {
		{ "dumpheap -gen 0", { .generation = "Generation0" } },
		{ "dumpgen gen1 -short", { .generation = "Generation1" } },
		{ "dumpgen gen2 -short", { .generation = "Generation2" } },
		{ "dumpgen loh -short", { .generation = "Large" } },
		{ "dumpgen poh -short", { .generation = "Pinned" } },
		{ "dumpheap", { 0 } },
		{ "dumpheap -min 1000", { .least_bytes = 1000 } },
		{ "dumpgen gen2 -min 100 -short",
		  { .generation = "Generation2", .least_bytes = 100 } },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		expect_oracle(app, c, rows[i].command, &rows[i].by);
}

/* Checks the segment with the most objects, by any address in it. */
static void
check_places(struct app *app, const struct core *c)
{
	const struct heap_memory *m = app->session->heap->memory;
	const struct heap_segment *s = m->segments;
	struct choice by = { 0 };
	char line[100];

	for (uint32_t i = 1; i < m->segments_count; i++)
		if (m->segments[i].objects_count > s->objects_count)
			s = &m->segments[i];
	by = (struct choice){ .start = s->start, .end = s->allocated };
	snprintf(line, sizeof line, "dumpheap -segment %" PRIx64, s->start + 9);
	expect_oracle(app, c, line, &by);
	by.end = s->start + (s->allocated - s->start) / 2;
	snprintf(line, sizeof line, "dumpheap %" PRIx64 " %" PRIx64, by.start, by.end);
	expect_oracle(app, c, line, &by);
	snprintf(line, sizeof line, "dumpheap %" PRIx64 " L%" PRIx64, by.start, by.end - by.start);
	expect_oracle(app, c, line, &by);
	by = (struct choice){ .table = m->tables[m->tables_count / 2].address };
	snprintf(line, sizeof line, "dumpheap -mt %" PRIx64, by.table);
	expect_oracle(app, c, line, &by);
}

/* All heaps together are the heap. */
static void
check_heaps(struct app *app)
{
	const struct heap *h = app->session->heap;
	uint64_t objects = 0;
	int32_t last = 0;
	char line[60];

	for (uint32_t i = 0; i < h->memory->segments_count; i++)
		if (h->memory->segments[i].heap_number > last)
			last = h->memory->segments[i].heap_number;
	for (int32_t i = 0; i <= last; i++) {
		snprintf(line, sizeof line, "dumpheap -heap %d", (int)i);
		objects += list_open(app, line)->rows_count;
		list_expect_stat(app, line);
	}
	assert_int_equal(objects, h->nodes_count);
}

static void
sum_handles(const struct core *c, const struct heap *h, struct type_sum *sums)
{
	struct oracle_line line;
	const char *at = NULL;

	while (oracle_next(c->oracle, "handle", &at, &line)) {
		node_id n = heap_find(h, oracle_hex(&line, 2));

		if (n == NODE_NONE)
			continue;
		sums[heap_type_of(h, n)].count++;
		sums[heap_type_of(h, n)].bytes += heap_size(h, n);
	}
}

/* Handles and finalizable objects, added up by the objects that they see. */
static void
check_lists(struct app *app, const struct core *c)
{
	static const char *const lines[] = {
		"gchandles",      "gchandles -type WeakShort",         "finalizequeue",
		"dumpheap -live", "dumpheap -type Leaky -live -gen 2", "dumpexceptions",
	};
	struct type_sum *told, *wanted;
	const struct view *v;

	for (size_t i = 0; i < COUNT_OF(lines); i++)
		if (!list_expect_stat(app, lines[i]))
			fail_msg("%s lists nothing", lines[i]);
	if (!c->oracle)
		return;
	v = list_open(app, "gchandles -stat");
	told = list_new_sums(v);
	wanted = list_new_sums(v);
	list_read_sums(v, told);
	sum_handles(c, app->session->heap, wanted);
	list_expect_same(v, "gchandles -stat", told, wanted);
	memory_free(told);
	memory_free(wanted);
}

/* Checks the exceptions that the runtime allocates in advance. */
static void
check_exceptions(struct app *app)
{
	const struct view *v = list_open(app, "dumpexceptions");
	bool has_memory_one = false;
	struct row row;

	for (size_t i = 0; i < v->rows_count; i++) {
		const char *name;

		view_row(v, i, &row);
		name = v->session->heap->types[row.type].raw;
		assert_non_null(strstr(name, "Exception"));
		has_memory_one |= !strcmp(name, "System.OutOfMemoryException");
	}
	assert_true(has_memory_one);
}

/* By its address or in it, it is told for what it is. */
static void
check_free_block(struct app *app)
{
	const struct heap_memory *m = app->session->heap->memory;
	struct error err = { 0 };
	char line[60];

	assert_true(m->free_blocks_count > 0);
	for (uint64_t in = 0; in <= 8; in += 8) {
		snprintf(line, sizeof line, "dumpobj %" PRIx64, m->free_blocks[0].address + in);
		error_clear(&err);
		assert_false(app_command(app, line, &err));
		if (!strstr(err.message, in ? "is in a free block of " : "is a free block of ") ||
		    !strstr(err.message, ", between "))
			fail_msg("%s: %s", line, err.message);
	}
}

/* For explicit implementations of an interface, ClrMD has the last part of
   the name. */
static bool
is_method(const struct content_declared *m, const struct oracle_line *line)
{
	size_t len = strlen(m->name), told = line->lens[3];

	return m->record == oracle_hex(line, 1) && m->token == oracle_hex(line, 2) && told &&
	       told <= len && !memcmp(m->name + len - told, line->fields[3], told) &&
	       (told == len || m->name[len - told - 1] == '.');
}

/* Each method that ClrMD has of a type must be there; it has those with a slot.
 */
static void
compare_methods(const struct content_methods *m, const struct oracle *o, const char **at,
		struct oracle_line *line, bool *is_line)
{
	uint64_t table = oracle_hex(line, 0);

	while (*is_line && oracle_hex(line, 0) == table) {
		uint32_t i = 0;

		while (i < m->count && !is_method(&m->items[i], line))
			i++;
		if (i == m->count)
			fail_msg("0x%" PRIx64 " has no %.*s", table, (int)line->rest_len,
				 line->rest);
		*is_line = oracle_next(o, "method", at, line);
	}
}

static void
check_methods(const struct app *app, const struct core *c)
{
	static const char *const sections[] = { "methods", NULL };
	const struct heap_memory *m = app->session->heap->memory;
	struct oracle_line line;
	struct oracle *o;
	const char *at = NULL;
	unsigned types = 0;
	bool is_line;

	if (!c->oracle)
		return;
	o = oracle_ask(c->path, c->setup->version, sections);
	is_line = oracle_next(o, "method", &at, &line);
	while (is_line) {
		struct content_methods methods;
		struct error err = { 0 };
		struct arena a;

		arena_init(&a, 0);
		if (!m->contents->methods(m->source, oracle_hex(&line, 0), &methods, &a, &err))
			fail_msg("%.*s: %s", (int)line.rest_len, line.rest, err.message);
		assert_int_equal(methods.count, methods.recorded_count);
		compare_methods(&methods, o, &at, &line, &is_line);
		arena_clear(&a);
		types++;
	}
	assert_true(types > 50);
	oracle_free(o);
}

/* Views of an object or a type are about the first string. */
static void
check_kinds(struct app *app)
{
	const struct heap *h = app->session->heap;
	struct error err;
	int with_rows = 0;
	char line[96];
	node_id n = 0;

	while (n < h->nodes_count && strcmp(heap_type(h, n)->raw, "System.String"))
		n++;
	assert_true(n < h->nodes_count);
	for (const struct view_ops *const *ops = all_views; *ops; ops++) {
		const char *name = (*ops)->command.name;

		snprintf(line, sizeof line,
			 view_takes(*ops) & (TAKES_OBJECT | TAKES_TYPE) ? "%s %" PRIx64 : "%s",
			 name, heap_address(h, n));
		if ((*ops)->command.args[0].kind == ARG_TYPE)
			snprintf(line, sizeof line, "%s System.String", name);
		error_clear(&err);
		if (!app_command(app, line, &err))
			continue;
		app_poll(app);
		expect_kinds(app_view(app));
		with_rows += app_view(app)->rows_count > 0;
		while (app->current)
			app_close(app);
	}
	assert_true(with_rows >= 34);
}

TEST_ROWS(test_core, setups)
{
	const char *name = *(const char *const *)*state;
	const struct core_setup *setup = core_setups;
	struct error err = { 0 };
	const struct core *c;
	const struct heap *h;
	struct app *app;

	while (strcmp(setup->name, name) != 0)
		setup++;
	c = core_judged(setup);
	if (!c)
		skip();
	h = heap_at(c->path, LOAD_ALL, &err);
	if (!h)
		fail_msg("%s: %s", name, err.message);
	app = app_on(h);
	check_generations(app, c);
	check_places(app, c);
	check_heaps(app);
	check_lists(app, c);
	check_exceptions(app);
	check_free_block(app);
	check_methods(app, c);
	check_kinds(app);
	app_end(app);
}
