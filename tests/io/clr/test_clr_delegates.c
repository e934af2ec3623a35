/*
 * What delegates of a made-up runtime call: its method by a stub and the runtime's record of it, or
 * nothing where one of these is none.
 */
#include "tests/drive/run_tests.h"
#include "tests/made/made_fields.h"
#include "io/clr/graph.h"
#include "model/heap/memory.h"
#include <string.h>

#define CODE      UINT64_C(0x78a000000000)
#define CHUNK     (CODE + 0x100)
#define HANDLER   (CODE + 0x1000)
#define MULTICAST (CODE + 0x2000)
#define RECORDS   (CODE + 0x3000) /* of fields */

enum { NATIVE_INT = 0x18, OBJECT = 0x12 };
enum { PAIR = 4, OBJECT_BYTES = 64 }; /* a pair and the array behind it */
enum { TARGET = 8, CODE_AT = 16, OTHER_AT = 24, LIST_AT = 32, COUNT_AT = 40 };
enum { PLACE = 3, LAST = 5 };
#define RECORD (CHUNK + 24 + 8 * PLACE)

/* mov r10, [rip + the literal's distance], as on x64; jmp before it, or not. */
static void
put_stub(struct made_memory *m, uint64_t at, uint64_t literal)
{
	static const uint8_t load[] = { 0x4c, 0x8b, 0x15 };

	made_memory_put(m, at, load, sizeof(load));
	made_memory_u32(m, at + 3, (uint32_t)(literal - (at + 7)));
}

/* In a chunk of records: the row of MethodDef, in two halves. */
static void
put_record(struct made_memory *m, uint64_t table, uint32_t row)
{
	made_memory_u64(m, CHUNK, table);
	made_memory_u8(m, CHUNK + 16, LAST);
	made_memory_u16(m, CHUNK + 18, (uint16_t)(row >> 12 | 0xf000));
	made_memory_u16(m, RECORD, (uint16_t)((row & 0xfff) | 0xf000));
	made_memory_u8(m, RECORD + 2, PLACE);
}

static void
put_types(struct made_runtime *rt)
{
	static const uint32_t kinds[] = { OBJECT, NATIVE_INT, NATIVE_INT, OBJECT, NATIVE_INT };
	const uint32_t *offset = rt->layout.offset;
	struct made_memory *m = rt->memory;

	made_table_put(rt, HANDLER, 0, OBJECT_BYTES, MADE_HANDLER);
	made_table_put(rt, MULTICAST, 0, OBJECT_BYTES, MADE_MULTICAST);
	made_memory_u64(m, HANDLER + offset[CLR_MT_PARENT], MULTICAST);
	made_memory_u64(m, MULTICAST + 0x60 + offset[CLR_CLASS_FIELDS], RECORDS);
	for (unsigned i = 0; i < COUNT_OF(kinds); i++)
		made_field_put(rt, RECORDS, i, MULTICAST, MADE_MULTICAST_ROW + i, 8 * i, kinds[i]);
}

static uint64_t
delegate_at(const struct made_runtime *rt)
{
	return made_pair_at(rt, PAIR);
}

/* Of A.Session's method, called on the first pair. */
static struct made_runtime *
begin(void)
{
	const struct made_setup setup = { .version = 10 };
	struct made_runtime *rt = made_runtime_new(&setup);
	struct made_memory *m = rt->memory;
	uint64_t at = delegate_at(rt);

	made_types_put(rt, true);
	made_roots_put(rt);
	made_memory_zeros(m, CODE, 0x4000);
	put_types(rt);
	put_record(m, MADE_METHOD_TABLE(MADE_PAIR), MADE_WALK);
	put_stub(m, CODE, CODE + 0x40);
	made_memory_u64(m, CODE + 0x40, RECORD);
	made_memory_zeros(m, at, OBJECT_BYTES);
	made_memory_u64(m, at, HANDLER);
	made_memory_u64(m, at + TARGET, made_pair_at(rt, 0));
	made_memory_u64(m, at + CODE_AT, CODE);
	return rt;
}

static void
as_it_is(struct made_runtime *rt)
{
	(void)rt;
}

static void
behind_jump(struct made_runtime *rt)
{
	made_memory_u8(rt->memory, CODE, 0xff);
	made_memory_u8(rt->memory, CODE + 1, 0x25);
	put_stub(rt->memory, CODE + 6, CODE + 0x40);
}

static void
other_jump(struct made_runtime *rt)
{
	behind_jump(rt);
	made_memory_u8(rt->memory, CODE + 1, 0x24);
}

static void
other_code(struct made_runtime *rt)
{
	made_memory_u8(rt->memory, CODE + 2, 0x14);
}

static void
code_absent(struct made_runtime *rt)
{
	made_memory_u64(rt->memory, delegate_at(rt) + CODE_AT, 0x1000);
}

static void
literal_before(struct made_runtime *rt)
{
	put_stub(rt->memory, CODE, CODE - 0x40);
	made_memory_zeros(rt->memory, CODE - 0x40, 8);
	made_memory_u64(rt->memory, CODE - 0x40, RECORD);
}

static void
literal_absent(struct made_runtime *rt)
{
	put_stub(rt->memory, CODE, CODE - 0x40);
}

static void
record_out_of_step(struct made_runtime *rt)
{
	made_memory_u64(rt->memory, CODE + 0x40, RECORD + 4);
	made_memory_u8(rt->memory, RECORD + 4 + 2, PLACE);
}

static void
place_is_last(struct made_runtime *rt)
{
	made_memory_u8(rt->memory, CHUNK + 16, PLACE);
}

static void
place_behind_last(struct made_runtime *rt)
{
	made_memory_u8(rt->memory, CHUNK + 16, PLACE - 1);
}

static void
chunk_absent(struct made_runtime *rt)
{
	made_memory_lose(rt->memory, CHUNK, 8);
}

static void
row_before(struct made_runtime *rt)
{
	put_record(rt->memory, MADE_METHOD_TABLE(MADE_PAIR), MADE_STOP);
}

/* That of A.Session is behind those of A.Cache. */
static void
row_behind(struct made_runtime *rt)
{
	made_type_token(rt, MADE_METHOD_TABLE(MADE_PAIR), MADE_CACHE);
}

static void
row_high(struct made_runtime *rt)
{
	put_record(rt->memory, MADE_METHOD_TABLE(MADE_PAIR), MADE_WALK | 1 << 12);
}

static void
table_of_nobody(struct made_runtime *rt)
{
	put_record(rt->memory, CODE + 0x80, MADE_WALK);
}

/* A static method: the stub before it is of no interest. */
static void
is_static(struct made_runtime *rt)
{
	made_memory_u64(rt->memory, delegate_at(rt) + CODE_AT, 0x1000);
	made_memory_u64(rt->memory, delegate_at(rt) + OTHER_AT, CODE);
}

static void
is_virtual(struct made_runtime *rt)
{
	made_memory_u64(rt->memory, delegate_at(rt) + OTHER_AT, 0x1000);
	made_memory_u64(rt->memory, delegate_at(rt) + COUNT_AT, RECORD);
}

static void
put_list(struct made_runtime *rt, uint64_t list, uint64_t count)
{
	made_memory_u64(rt->memory, delegate_at(rt) + LIST_AT, list);
	made_memory_u64(rt->memory, delegate_at(rt) + COUNT_AT, count);
}

/* Behind pair 3 is an array of three. */
static uint64_t
array_at(const struct made_runtime *rt)
{
	return made_pair_at(rt, 3) + 40;
}

static void
list_full(struct made_runtime *rt)
{
	put_list(rt, array_at(rt), 3);
}

static void
list_too_short(struct made_runtime *rt)
{
	put_list(rt, array_at(rt), 4);
}

static void
list_empty(struct made_runtime *rt)
{
	put_list(rt, array_at(rt), 0);
}

static void
list_is_none(struct made_runtime *rt)
{
	put_list(rt, made_pair_at(rt, 3), 1);
}

static void
list_elsewhere(struct made_runtime *rt)
{
	put_list(rt, CODE, 1);
}

static void
field_absent(struct made_runtime *rt)
{
	made_memory_u64(rt->memory, RECORDS + 16 * 4, 0);
}

static void
field_too_small(struct made_runtime *rt)
{
	made_field_put(rt, RECORDS, 4, MULTICAST, MADE_MULTICAST_ROW + 4, 32, 0x08);
}

static void
other_parent(struct made_runtime *rt)
{
	made_memory_u64(rt->memory, HANDLER + rt->layout.offset[CLR_MT_PARENT],
			MADE_METHOD_TABLE(MADE_OBJECT));
}

static void
is_value(struct made_runtime *rt)
{
	made_memory_u32(rt->memory, HANDLER + rt->layout.offset[CLR_MT_FLAGS], 0x40000);
}

/* ldr x12 with the distance of a literal, the second of four instructions. */
static void
put_arm(struct made_runtime *rt, uint64_t literal, uint32_t register_number)
{
	uint32_t distance = (uint32_t)(literal - (CODE + 4)) / 4 & 0x7ffff;

	made_memory_zeros(rt->memory, CODE, 16);
	made_memory_u32(rt->memory, CODE + 4, 0x58000000 | distance << 5 | register_number);
}

static void
arm_stub(struct made_runtime *rt)
{
	put_arm(rt, CODE + 0x40, 12);
}

static void
arm_literal_before(struct made_runtime *rt)
{
	literal_before(rt);
	put_arm(rt, CODE - 0x40, 12);
}

static void
arm_other_code(struct made_runtime *rt)
{
	put_arm(rt, CODE + 0x40, 11);
}

#define WALK "A.Session.Walk"
enum { NOT_ONE, NOBODY, PAIR_0 };

/* clang-format off */
#define ROW(put) #put, put
static const struct row {
	const char *name;
	void (*put)(struct made_runtime *rt);
	const char *text;	/* NULL: it is no delegate */
	int target;
	uint32_t entries;
	enum memory_machine machine;
} rows[] = {
	{ ROW(as_it_is),           WALK, PAIR_0, 0, MEMORY_X64 },
	{ ROW(behind_jump),        WALK, PAIR_0, 0, MEMORY_X64 },
	{ ROW(other_jump),         "",   PAIR_0, 0, MEMORY_X64 },
	{ ROW(other_code),         "",   PAIR_0, 0, MEMORY_X64 },
	{ ROW(code_absent),        "",   PAIR_0, 0, MEMORY_X64 },
	{ ROW(literal_before),     WALK, PAIR_0, 0, MEMORY_X64 },
	{ ROW(literal_absent),     "",   PAIR_0, 0, MEMORY_X64 },
	{ ROW(record_out_of_step), "",   PAIR_0, 0, MEMORY_X64 },
	{ ROW(place_is_last),      WALK, PAIR_0, 0, MEMORY_X64 },
	{ ROW(place_behind_last),  "",   PAIR_0, 0, MEMORY_X64 },
	{ ROW(chunk_absent),       "",   PAIR_0, 0, MEMORY_X64 },
	{ ROW(row_before),         "",   PAIR_0, 0, MEMORY_X64 },
	{ ROW(row_behind),         "",   PAIR_0, 0, MEMORY_X64 },
	{ ROW(row_high),           "",   PAIR_0, 0, MEMORY_X64 },
	{ ROW(table_of_nobody),    "",   PAIR_0, 0, MEMORY_X64 },
	{ ROW(is_static),          WALK, NOBODY, 0, MEMORY_X64 },
	{ ROW(is_virtual),         WALK, NOBODY, 0, MEMORY_X64 },
	{ ROW(list_full),          "",   NOBODY, 3, MEMORY_X64 },
	{ ROW(list_too_short),     WALK, PAIR_0, 0, MEMORY_X64 },
	{ ROW(list_empty),         WALK, PAIR_0, 0, MEMORY_X64 },
	{ ROW(list_is_none),       WALK, PAIR_0, 0, MEMORY_X64 },
	{ ROW(list_elsewhere),     WALK, PAIR_0, 0, MEMORY_X64 },
	{ ROW(field_absent),       NULL, NOT_ONE, 0, MEMORY_X64 },
	{ ROW(field_too_small),    NULL, NOT_ONE, 0, MEMORY_X64 },
	{ ROW(other_parent),       NULL, NOT_ONE, 0, MEMORY_X64 },
	{ ROW(is_value),           NULL, NOT_ONE, 0, MEMORY_X64 },
	{ ROW(arm_stub),           WALK, PAIR_0, 0, MEMORY_ARM64 },
	{ ROW(arm_literal_before), WALK, PAIR_0, 0, MEMORY_ARM64 },
	{ ROW(arm_other_code),     "",   PAIR_0, 0, MEMORY_ARM64 },
};
/* clang-format on */

static void
check(const struct row *row, const struct heap *h, const struct made_runtime *rt, struct arena *a)
{
	node_id node = heap_find(h, delegate_at(rt));
	struct content_method method;
	struct error err = { 0 };
	bool is_one;

	assert_int_not_equal(node, NODE_NONE);
	is_one = h->memory->contents->method(h->memory->source, node, &method, a, &err);
	assert_int_equal(err.kind, ERROR_NONE);
	assert_int_equal(is_one, row->text != NULL);
	if (!is_one)
		return;
	assert_string_equal(method.text, row->text);
	assert_int_equal(method.target,
			 row->target == PAIR_0 ? heap_find(h, made_pair_at(rt, 0)) : NODE_NONE);
	assert_int_equal(method.entries_count, row->entries);
	assert_int_equal(method.entries, row->entries ? heap_find(h, array_at(rt)) : NODE_NONE);
}

TEST_ROWS(test_delegate, rows)
{
	const struct row *row = *state;
	struct made_runtime *rt = begin();
	struct clr_graph_options options = { .what = LOAD_ALL };
	struct error err = { 0 };
	const struct heap *h;
	struct memory m;
	struct arena a;

	row->put(rt);
	m = *made_memory_open(rt->memory);
	m.machine = row->machine;
	options.kept = &m;
	h = clr_graph_load(&m, "made up", &options, &err);
	assert_ok(h, &err);
	arena_init(&a, 0);
	check(row, h, rt, &a);
	arena_clear(&a);
	heap_free(h);
	made_runtime_free(rt);
}
