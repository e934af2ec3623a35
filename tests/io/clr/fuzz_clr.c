/*
 * A made-up runtime, damaged: a heap that passes heap_check(), or an error with a message, and
 * memory within a bound; and of each object contents, or a message again. The input is a byte that
 * says which runtime, its highest bit whether pairs have fields, then changes, 12 bytes each:
 *
 *   u8 what (see enum change)   u8 where (see places)   u16 offset
 *   u64 value; of a pointer u8 place and u16 offset
 */
#include "tests/drive/fuzz.h"
#include "tests/made/made_beside.h"
#include "tests/made/made_fields.h"
#include "tests/made/made_roots.h"
#include "tests/made/made_types.h"
#include "io/clr/graph.h"
#include "model/heap/memory.h"
#include "model/analysis/strings.h"
#include "model/analysis/value_search.h"
#include <string.h>

enum { CHANGE_BYTES = 12, CHANGES_MAX = 64 };
enum { NODES_MAX = 400, ROWS_MAX = 48, UNITS_MAX = 300, TABLES_MAX = 16 };
#define HEAP_BYTES_MAX     (UINT64_C(16) << 20)
#define CONTENTS_BYTES_MAX (UINT64_C(16) << 20) /* of one page of rows */

enum change {
	CHANGE_U8,
	CHANGE_U16,
	CHANGE_U32,
	CHANGE_U64,
	CHANGE_POINTER,
	CHANGE_LOSE,
	CHANGES_COUNT
};

static const uint64_t places[] = {
	MADE_LIBRARY,
	MADE_LIBRARY + 0x400,
	MADE_TABLE,
	MADE_VARIABLE,
	MADE_GC,
	MADE_CELL,
	MADE_OFFSETS,
	MADE_STORE,
	MADE_THREAD,
	MADE_METHODS,
	MADE_METHOD_TABLE(MADE_PAIR),
	MADE_METHOD_TABLE(MADE_ARRAY),
	MADE_METHOD_TABLE(MADE_SHARED) - 32,
	MADE_MODULE_RECORD,
	MADE_IMAGE,
	MADE_IMAGE + 0x2000,
	MADE_DICTIONARY,
	MADE_ALLOCATOR,
	MADE_FAR_TABLE - 32,
	MADE_HEAP + 0x1000,
	MADE_SEGMENT,
	MADE_SEGMENT + 0x100,
	MADE_SEGMENT + 0x200,
	MADE_RANGE,
	MADE_RANGE + 0x400000,
	MADE_RANGE + 0x800000,
	MADE_RANGE + 0xc00000,
	MADE_ROOTS,
	MADE_ROOTS + 0x1000,
	MADE_ROOTS + 0x2000,
	MADE_ROOTS + 0x3000,
	MADE_HANDLE_SEGMENT,
	MADE_HANDLE_SEGMENT + 0x1000,
	MADE_STACK,
	MADE_FIELDS,
	MADE_STRUCT,
	MADE_CARDS - 64,
	MADE_LIST,
	MADE_SYNC,
	MADE_SYNC + 0x1000,
};
enum { PLACES_COUNT = sizeof(places) / sizeof(places[0]) };

static uint64_t
place(uint8_t number, uint16_t offset)
{
	return places[number % PLACES_COUNT] + offset % 0x1000;
}

static uint16_t
load_u16(const uint8_t *at)
{
	return (uint16_t)(at[0] | at[1] << 8);
}

static void
change(struct made_memory *m, const uint8_t *at)
{
	uint64_t address = place(at[1], load_u16(at + 2));
	uint64_t value = bytes_load_u64(at + 4);

	switch ((enum change)(at[0] % CHANGES_COUNT)) {
	case CHANGE_U8:
		made_memory_u8(m, address, (uint8_t)value);
		break;
	case CHANGE_U16:
		made_memory_u16(m, address, (uint16_t)value);
		break;
	case CHANGE_U32:
		made_memory_u32(m, address, (uint32_t)value);
		break;
	case CHANGE_U64:
		made_memory_u64(m, address, value);
		break;
	case CHANGE_POINTER:
		made_memory_u64(m, address & ~UINT64_C(7), place(at[4], load_u16(at + 5)));
		break;
	case CHANGE_LOSE:
	case CHANGES_COUNT:
		made_memory_lose(m, address, 1 + value % 0x1000);
		break;
	}
}

/* What is absent or damaged is the object itself; of a field it is a row. */
static bool
is_of_object(const struct error *err)
{
	static const char *const beginnings[] = {
		"the array at ",
		"the class of the object at ",
		"the object at ",
		"the method table of the object at ",
	};

	for (size_t i = 0; i < sizeof(beginnings) / sizeof(*beginnings); i++)
		if (!strncmp(err->message, beginnings[i], strlen(beginnings[i])))
			return err->kind == ERROR_INPUT;
	return false;
}

static void
check_rows(const struct heap *h, node_id n, uint64_t first, uint64_t *total, struct arena *a)
{
	struct content rows[ROWS_MAX];
	struct error err = { 0 };
	size_t count;

	if (!h->memory->contents->rows(h->memory->source, n, first, ROWS_MAX, rows, &count, total,
				       a, &err)) {
		if (!is_of_object(&err))
			fuzz_fail("no rows", &err);
		return;
	}
	if (err.kind != ERROR_NONE)
		fuzz_fail("rows and an error", &err);
	if (count > ROWS_MAX || count > *total)
		fuzz_fail("too many rows", &err);
	for (size_t i = 0; i < count; i++) {
		if (!rows[i].name || !rows[i].type || !rows[i].text)
			fuzz_fail("a row without a text", &err);
		if (rows[i].kind > CONTENT_STRUCT)
			fuzz_fail("a row of no kind", &err);
		if (rows[i].target != NODE_NONE && rows[i].target >= h->nodes_count)
			fuzz_fail("a reference to nowhere", &err);
	}
}

/* The object's own bytes as a value of its type: rows, or a word why not. */
static void
check_value(const struct heap *h, node_id n, uint64_t table, struct arena *a)
{
	const struct heap_memory *m = h->memory;
	struct content rows[ROWS_MAX];
	struct error err = { 0 };
	uint64_t total;
	size_t count;

	if (!m->contents->value(m->source, table, heap_address(h, n), 0, ROWS_MAX, rows, &count,
				&total, a, &err) &&
	    (err.kind == ERROR_NONE || !err.message[0]))
		fuzz_fail("no value, without a word", &err);
	if (count > ROWS_MAX || count > total)
		fuzz_fail("too many rows of a value", &err);
}

/* A field, and what a delegate calls: nothing, or an error with a word. */
static void
check_meaning(const struct heap *h, node_id n, struct arena *a)
{
	const struct heap_memory *m = h->memory;
	struct content_method method;
	struct content_field field;
	struct error err = { 0 };

	if (m->contents->field(m->source, n, "a.b", &field, &err) &&
	    (err.kind != ERROR_NONE || !field.rows_count))
		fuzz_fail("a field and an error", &err);
	error_clear(&err);
	if (!m->contents->method(m->source, n, &method, a, &err))
		return;
	if (!method.text || !method.name || !method.type ||
	    (method.entries != NODE_NONE && method.entries >= h->nodes_count))
		fuzz_fail("a method without a text", &err);
}

static void
check_object(const struct heap *h, node_id n, struct arena *a)
{
	const struct heap_memory *m = h->memory;
	struct content_header header;
	struct error err = { 0 };
	const char *text;
	uint32_t units;
	uint64_t total = 0;
	uint8_t bytes[64];

	check_rows(h, n, 0, &total, a);
	check_rows(h, n, total / 2, &total, a);
	check_meaning(h, n, a);
	if (!m->contents->text(m->source, n, UNITS_MAX, &text, &units, a, &err)) {
		if (err.kind == ERROR_NONE || !err.message[0])
			fuzz_fail("no text, without a word", &err);
	} else if (*text != '"') {
		fuzz_fail("no text", &err);
	}
	error_clear(&err);
	if (m->contents->header(m->source, n, &header, &err))
		check_value(h, n, header.table, a);
	else if (err.kind == ERROR_NONE)
		fuzz_fail("no header, without a word", &err);
	if (m->contents->bytes(m->source, heap_address(h, n), bytes, sizeof(bytes)) > sizeof(bytes))
		fuzz_fail("too many bytes", &err);
	if (a->used_bytes > CONTENTS_BYTES_MAX)
		fuzz_fail("too much memory for what is shown", &err);
}

static void
check_contents(const struct heap *h)
{
	struct arena a;

	arena_init(&a, 0);
	for (node_id n = 0; n < h->nodes_count && n < NODES_MAX; n++) {
		check_object(h, n, &a);
		arena_clear(&a);
		arena_init(&a, 0);
	}
	arena_clear(&a);
}

/* Passes over all bytes: they end, and tell of objects that are there. */
static void
check_values(const struct heap *h)
{
	struct value_matches *found;
	struct strings *strings;
	struct value_query q;
	struct error err = { 0 };

	strings = strings_find(h, NULL, false, NULL, &err);
	if (!strings)
		fuzz_fail("no strings", &err);
	for (uint32_t i = 0; i < strings->groups_count; i++)
		if (!strings->groups[i].count || strings->groups[i].subject >= h->nodes_count)
			fuzz_fail("a text without strings", &err);
	strings_free(strings);
	if (!value_query_parse("0", &q, &err))
		fuzz_fail("no number", &err);
	found = value_search(h, &q, NULL, &err);
	if (!found)
		fuzz_fail("no values", &err);
	for (uint32_t i = 0; i < found->count; i++)
		if (found->items[i].node >= h->nodes_count || !found->items[i].field)
			fuzz_fail("a value without an object", &err);
	value_matches_free(found);
}

/* Whatever is found: it ends, and says of each what it is. */
static void
check_verify(const struct heap *h)
{
	const struct heap_memory *m = h->memory;
	struct faults f = { 0 };
	struct error err = { 0 };

	if (!m->contents->verify(m->source, NODE_NONE, &f, NULL, &err) &&
	    (err.kind == ERROR_NONE || !err.message[0]))
		fuzz_fail("not verified, without a word", &err);
	for (size_t i = 0; i < f.count; i++)
		if (f.items[i].kind >= FAULT_KIND_COUNT ||
		    (f.items[i].is_excused && !fault_excuse((enum fault_kind)f.items[i].kind)))
			fuzz_fail("a finding of no kind", &err);
	faults_clear(&f);
}

/* Of one type or, with table 0, of all. */
static void
check_statics(const struct heap *h, uint64_t table)
{
	const struct heap_memory *m = h->memory;
	struct heap_statics found = { 0 };
	struct error err = { 0 };
	struct arena a;

	arena_init(&a, 0);
	if (!m->contents->statics(m->source, table, &found, NULL, &a, &err) &&
	    (err.kind == ERROR_NONE || !err.message[0]))
		fuzz_fail("no static variables, without a word", &err);
	for (size_t i = 0; i < found.count; i++) {
		const struct heap_static *s = &found.items[i];

		if (!s->owner || !s->content.name || !s->content.type || !s->content.text)
			fuzz_fail("a static variable without a text", &err);
		if (s->thread != UINT32_MAX && s->thread >= m->threads_count)
			fuzz_fail("a variable of no thread", &err);
		if (s->content.target != NODE_NONE && s->content.target >= h->nodes_count)
			fuzz_fail("a variable that leads nowhere", &err);
	}
	if (a.used_bytes > CONTENTS_BYTES_MAX)
		fuzz_fail("too much memory for static variables", &err);
	memory_free(found.items);
	arena_clear(&a);
}

static void
check_all_statics(const struct heap *h)
{
	const struct heap_memory *m = h->memory;

	check_statics(h, 0);
	for (uint32_t i = 0; i < m->tables_count && i < TABLES_MAX; i++)
		check_statics(h, m->tables[i].address);
}

static void
check_load(struct made_runtime *rt, enum load_what what, bool is_forced)
{
	const struct memory *m = made_memory_open(rt->memory);
	const struct clr_graph_options options = {
		.what = what,
		.is_forced = is_forced,
		.kept = (struct memory *)(uintptr_t)m,
	};
	const struct heap *h;
	struct error err = { 0 };

	h = clr_graph_load(m, "fuzz", &options, &err);
	if (!fuzz_has_heap(h, &err, HEAP_BYTES_MAX))
		return;
	if (what == LOAD_ALL)
		fuzz_check_heap(h);
	if (h->memory && h->memory->contents) {
		check_contents(h);
		if (h->has_objects)
			check_values(h);
		check_verify(h);
		check_all_statics(h);
	}
	heap_free(h);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t kind = size ? data[0] : 0;
	const struct made_setup setup = { 8 + kind % 4, kind >> 2 & 1, kind >> 3 & 1 };
	struct made_runtime *rt = made_runtime_new(&setup);

	made_types_put(rt, kind >> 4 & 1);
	made_roots_put(rt);
	made_beside_put(rt);
	made_far_put(rt, made_runtime_range(rt, 0, GEN_2)->start);
	made_pair_refs(rt, 1, made_pair_at(rt, 2), made_pair_at(rt, 3));
	if (kind >> 7)
		made_fields_put(rt);
	made_memory_set_views(rt->memory, kind >> 5 & 1);
	for (size_t i = 1; i + CHANGE_BYTES <= size && i < CHANGES_MAX * CHANGE_BYTES;
	     i += CHANGE_BYTES)
		change(rt->memory, data + i);
	check_load(rt, LOAD_ALL, kind >> 6 & 1);
	check_load(rt, LOAD_TYPES, true);
	made_runtime_free(rt);
	return 0;
}
