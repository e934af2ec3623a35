/* The method of a code address, in code that is made up, whole and damaged. */
#include "io/runtime/methods.h"
#include "tests/made/made_code.h"
#include "tests/made/made_runtime.h"
#include "tests/drive/run_tests.h"
#include <inttypes.h>
#include <string.h>

#define NOTHING "no managed code is there"
#define STUB    "the runtime generated the code there"
#define UNKNOWN "the runtime has no method for the precompiled code there"

enum { NO_METHOD = -1 };

static const struct address {
	uint64_t address;
	enum clr_code_kind kind;
	int method; /* enum made_method, or NO_METHOD */
	uint64_t offset;
	const char *why;
} addresses[] = {
	/* clang-format off */
	{ MADE_JITTED + 0xff,     CLR_CODE_NONE,   NO_METHOD,  0, NOTHING },
	{ MADE_JITTED + 0x100,    CLR_CODE_JITTED, MADE_SHORT, 0, NULL },
	{ MADE_JITTED + 0x17f,    CLR_CODE_JITTED, MADE_SHORT, 0x7f, NULL },
	{ MADE_JITTED + 0x19f,    CLR_CODE_JITTED, MADE_SHORT, 0x9f, NULL },
	{ MADE_JITTED + 0x1a0,    CLR_CODE_NONE,   NO_METHOD,  0, NOTHING },
	{ MADE_JITTED + 0x1c3,    CLR_CODE_NONE,   NO_METHOD,  0, NOTHING },
	{ MADE_JITTED + 0x1c4,    CLR_CODE_JITTED, MADE_LONG,  0, NULL },
	{ MADE_JITTED + 0x1e0,    CLR_CODE_JITTED, MADE_LONG,  0x1c, NULL },
	{ MADE_JITTED + 0x200,    CLR_CODE_JITTED, MADE_LONG,  0x3c, NULL },
	{ MADE_JITTED + 0x11c3,   CLR_CODE_JITTED, MADE_LONG,  0xfff, NULL },
	{ MADE_JITTED + 0x11c4,   CLR_CODE_NONE,   NO_METHOD,  0, NOTHING },
	{ MADE_JITTED + 0x1240,   CLR_CODE_STUB,   NO_METHOD,  0, STUB },
	{ MADE_JITTED + 0x1f000,  CLR_CODE_STUB,   NO_METHOD,  0, STUB },
	{ MADE_STUBS + 8,         CLR_CODE_STUB,   NO_METHOD,  0, STUB },
	{ MADE_COMPILED,          CLR_CODE_NONE,   NO_METHOD,  0, NOTHING },
	{ MADE_COMPILED + 0x1000, CLR_CODE_PRECOMPILED, MADE_CALLED, 0, NULL },
	{ MADE_COMPILED + 0x10ff, CLR_CODE_PRECOMPILED, MADE_CALLED, 0xff, NULL },
	{ MADE_COMPILED + 0x113f, CLR_CODE_PRECOMPILED, MADE_CALLED, 0x13f, NULL },
	{ MADE_COMPILED + 0x1140, CLR_CODE_PRECOMPILED, NO_METHOD, 0, UNKNOWN },
	{ MADE_COMPILED + 0x1180, CLR_CODE_PRECOMPILED, MADE_OTHER, 0, NULL },
	{ MADE_COMPILED + 0x11ff, CLR_CODE_PRECOMPILED, MADE_OTHER, 0x7f, NULL },
	{ MADE_COMPILED + 0x1200, CLR_CODE_PRECOMPILED, NO_METHOD, 0, UNKNOWN },
	{ MADE_COMPILED + 0x123f, CLR_CODE_PRECOMPILED, NO_METHOD, 0, UNKNOWN },
	{ MADE_COMPILED + 0x1240, CLR_CODE_NONE,   NO_METHOD,  0, NOTHING },
	{ MADE_COMPILED + 0x1300, CLR_CODE_PRECOMPILED, MADE_OTHER, 0x80, NULL },
	{ MADE_COMPILED + 0x1340, CLR_CODE_PRECOMPILED, MADE_OTHER, 0xc0, NULL },
	{ MADE_COMPILED + 0x1360, CLR_CODE_NONE,   NO_METHOD,  0, NOTHING },
	{ MADE_COMPILED + 0x20000, CLR_CODE_NONE,  NO_METHOD,  0, NOTHING },
	{ 0,                      CLR_CODE_NONE,   NO_METHOD,  0, NOTHING },
	{ UINT64_MAX,             CLR_CODE_NONE,   NO_METHOD,  0, NOTHING },
	{ MADE_JITTED + 0x100 + (UINT64_C(1) << 57), CLR_CODE_NONE, NO_METHOD, 0, NOTHING },
	/* clang-format on */
};

static void
check_address(struct made_code *code, const struct address *a)
{
	bool is_known = a->method != NO_METHOD;
	uint64_t record = is_known ? MADE_RECORD(a->method) : 0;
	uint64_t image = a->kind == CLR_CODE_PRECOMPILED ? MADE_COMPILED : 0;
	struct clr_code c;

	if (made_code_find(code, a->address, &c) != is_known || c.kind != a->kind ||
	    c.record != record || (is_known && c.image != image) ||
	    (is_known ? c.start + c.offset != a->address && a->address < MADE_COMPILED + 0x1300
		      : strcmp(c.why, a->why) != 0) ||
	    (is_known && (c.offset != a->offset || c.why)))
		fail_msg("%" PRIx64 ": kind %d, method %" PRIx64 " + %" PRIx64 ": %s", a->address,
			 (int)c.kind, c.record, c.offset, c.why ? c.why : "found");
}

TEST(finds_methods)
{
	for (int version = 8; version <= 10; version++) {
		struct made_code *code = made_code_new(version);

		for (size_t i = 0; i < COUNT_OF(addresses); i++)
			check_address(code, &addresses[i]);
		made_code_free(code);
	}
}

/* --- damage -------------------------------------------------------------- */

#define CYCLIC "the runtime's lists of code are too long, or cyclic"
#define ABSENT "what the runtime knows about the code there is not in memory"
#define MAP    "the runtime's map of code is damaged"
#define STARTS "the map of the code is damaged"
#define HEADER "the header of the code is damaged"
#define IMAGE  "the description of the precompiled image is damaged"
#define COLD   "the map of cold code is damaged"
#define LENGTH "the length of the method before it is not in memory"

#define SHORT_AT  (MADE_JITTED + 0x120)
#define LONG_AT   (MADE_JITTED + 0x1000)
#define CALLED_AT (MADE_COMPILED + 0x1010)
#define INNER_AT  (MADE_COMPILED + 0x1120) /* its funclet */
#define OTHER_AT  (MADE_COMPILED + 0x1190)
#define COLD_AT   (MADE_COMPILED + 0x1350)
#define LEVEL(i)  (MADE_CODE_MAP + 0x800 * (i))

enum { LOSE, SELF = CLR_FIELDS_COUNT };

static const struct damage {
	const char *name;
	uint64_t base;
	unsigned field; /* enum clr_field, or SELF: at the base */
	unsigned bytes; /* that are overwritten, or LOSE: 8 are lost */
	uint64_t value;
	uint64_t address; /* of code that is looked up */
	const char *why;
} damages[] = {
	/* clang-format off */
	{ "no level",          LEVEL(4), SELF, 8, 0, SHORT_AT, NOTHING },
	{ "level lost",        LEVEL(4), SELF, LOSE, 0, SHORT_AT, ABSENT },
	{ "level nowhere",     LEVEL(4), SELF, 8, 0x1000, SHORT_AT, ABSENT },
	{ "level in a circle", LEVEL(4), SELF, 8, LEVEL(0), SHORT_AT, NOTHING },
	{ "fragment elsewhere", MADE_FRAGMENT, CLR_FRAGMENT_END, 8, MADE_JITTED, SHORT_AT, NOTHING },
	{ "section nowhere",   MADE_FRAGMENT, CLR_FRAGMENT_SECTION, 8, 0x1000, SHORT_AT, ABSENT },
	{ "section elsewhere", MADE_SECTION, CLR_SECTION_END, 8, MADE_JITTED, SHORT_AT, MAP },
	{ "section of nothing", MADE_SECTION, CLR_SECTION_HEAP, 8, 0, SHORT_AT, NOTHING },
	{ "section unloaded",  MADE_SECTION, CLR_SECTION_DELETED, 8, 8, SHORT_AT, "the code there is being unloaded" },
	{ "base above",        MADE_CODE_HEAP, CLR_CODE_HEAP_BASE, 8, LONG_AT, SHORT_AT, NOTHING },
	{ "base of 0",         MADE_CODE_HEAP, CLR_CODE_HEAP_BASE, 8, 0, LONG_AT, ABSENT },
	{ "map nowhere",       MADE_CODE_HEAP, CLR_CODE_HEAP_MAP, 8, UINT64_MAX - 3, LONG_AT, ABSENT },
	{ "no starts",         MADE_STARTS + 4, SELF, 4, 0, SHORT_AT, NOTHING },
	{ "start after it",    MADE_STARTS + 4, SELF, 4, 0xfffffff9, SHORT_AT, STARTS },
	{ "starts too large",  MADE_STARTS + 4, SELF, 4, 0xfdfdf0f0, SHORT_AT, NOTHING },
	{ "header nowhere",    MADE_JITTED + 0xf8, SELF, 8, 0x1000, SHORT_AT, ABSENT },
	{ "header lost",       MADE_JITTED + 0xf8, SELF, LOSE, 0, SHORT_AT, ABSENT },
	{ "header of a stub",  MADE_JITTED + 0xf8, SELF, 8, 15, SHORT_AT, STUB },
	{ "header elsewhere",  MADE_JITTED + 0xf8, SELF, 8, MADE_HEADER + 0x100, SHORT_AT, HEADER },
	{ "no entries",        MADE_HEADER, CLR_CODE_HEADER_COUNT, 4, 0, SHORT_AT, HEADER },
	{ "many entries",      MADE_HEADER, CLR_CODE_HEADER_COUNT, 4, 4097, SHORT_AT, HEADER },
	{ "entries lost",      MADE_HEADER, CLR_CODE_HEADER_ENTRIES, LOSE, 0, SHORT_AT, ABSENT },
	{ "no description",    MADE_READY, CLR_MODULE_READY, 8, 0, CALLED_AT, ABSENT },
	{ "no composite",      MADE_READY_INFO, CLR_READY_COMPOSITE, 8, 0, CALLED_AT, ABSENT },
	{ "no functions",      MADE_COMPOSITE, CLR_READY_FUNCTIONS_COUNT, 4, 0, CALLED_AT, IMAGE },
	{ "few functions",     MADE_COMPOSITE, CLR_READY_FUNCTIONS_COUNT, 4, 3, OTHER_AT, NOTHING },
	{ "many functions",    MADE_COMPOSITE, CLR_READY_FUNCTIONS_COUNT, 4, UINT32_MAX, CALLED_AT, IMAGE },
	{ "more functions",    MADE_COMPOSITE, CLR_READY_FUNCTIONS_COUNT, 4, 1 << 26, CALLED_AT, ABSENT },
	{ "functions nowhere", MADE_COMPOSITE, CLR_READY_FUNCTIONS, 8, UINT64_MAX - 5, CALLED_AT, ABSENT },
	{ "empty hash map",    MADE_BUCKETS, SELF, 4, 0, CALLED_AT, IMAGE },
	{ "hash map of 1",     MADE_BUCKETS, SELF, 4, 1, CALLED_AT, IMAGE },
	{ "huge hash map",     MADE_BUCKETS, SELF, 4, UINT32_MAX, CALLED_AT, IMAGE },
	{ "large hash map",    MADE_BUCKETS, SELF, 4, 1 << 24, CALLED_AT, ABSENT },
	{ "no GC info",        MADE_UNWIND + 12, SELF, LOSE, 0, INNER_AT, LENGTH },
	{ "length of 0",       MADE_UNWIND + 12, SELF, 8, 0, INNER_AT, UNKNOWN },
	{ "cold map lost",     MADE_COLD_MAP, SELF, LOSE, 0, COLD_AT, ABSENT },
	{ "cold map leads on", MADE_COLD_MAP + 4, SELF, 4, 9, COLD_AT, COLD },
	{ "cold map too long", MADE_COMPOSITE, CLR_READY_COLD_COUNT, 4, UINT32_MAX, CALLED_AT, IMAGE },
	{ "no cold map",       MADE_COMPOSITE, CLR_READY_COLD_COUNT, 4, 0, COLD_AT, UNKNOWN },
	/* clang-format on */
};

static void
apply_damage(struct made_code *code, const struct damage *d)
{
	uint64_t at =
	    d->field == SELF ? d->base : made_code_field(code, d->base, (enum clr_field)d->field);

	if (d->bytes == LOSE)
		made_memory_lose(code->memory, at, 8);
	else if (d->bytes == 4)
		made_memory_u32(code->memory, at, (uint32_t)d->value);
	else
		made_memory_u64(code->memory, at, d->value);
}

TEST_ROWS(test_damage, damages)
{
	const struct damage *d = *state;
	struct made_code *code = made_code_new(10);
	struct clr_code c;

	apply_damage(code, d);
	if (made_code_find(code, d->address, &c))
		fail_msg("%s: found", d->name);
	assert_string_equal(c.why, d->why);
	assert_int_equal(c.record, 0);
	made_code_free(code);
}

TEST(gc_info_is_for_funclets)
{
	struct made_code *code = made_code_new(10);
	struct clr_code c;

	made_memory_lose(code->memory, MADE_UNWIND + 12, 8);
	assert_true(made_code_find(code, CALLED_AT, &c));
	made_code_free(code);
}

/* --- lists without an end ------------------------------------------------ */

TEST(cyclic_fragments)
{
	struct made_code *code = made_code_new(10);
	struct clr_code c;

	made_memory_u64(code->memory, made_code_field(code, MADE_FRAGMENT, CLR_FRAGMENT_END), 0);
	made_memory_u64(code->memory, made_code_field(code, MADE_FRAGMENT, CLR_FRAGMENT_NEXT),
			MADE_FRAGMENT | 1);
	assert_false(made_code_find(code, SHORT_AT, &c));
	assert_string_equal(c.why, CYCLIC);
	made_code_free(code);
}

/* A map of zeros for more code than any method has. */
TEST(code_without_a_start)
{
	enum { ZEROS = 1 << 19 };
	struct made_code *code = made_code_new(8);
	struct clr_code c;

	made_memory_zeros(code->memory, MADE_STARTS, ZEROS);
	made_memory_u64(code->memory, made_code_field(code, MADE_CODE_HEAP, CLR_CODE_HEAP_BASE),
			MADE_JITTED - 64 * ZEROS + 0x1000);
	assert_false(made_code_find(code, SHORT_AT, &c));
	assert_string_equal(c.why, CYCLIC);
	made_code_free(code);
}

/* More functions without a key than any method has funclets. */
TEST(functions_without_a_method)
{
	enum { COUNT = 3000, FIRST = 0x1400 };
	const uint64_t functions = MADE_COMPILED + 0x8000;
	struct made_code *code = made_code_new(10);
	struct clr_code c;

	made_memory_zeros(code->memory, functions, 12 * COUNT);
	for (uint32_t i = 0; i < COUNT; i++) {
		uint64_t at = functions + 12 * (uint64_t)i;

		made_memory_u32(code->memory, at, FIRST + 4 * i);
		made_memory_u32(code->memory, at + 4, FIRST + 4 * i + 4);
	}
	made_memory_u64(code->memory, made_code_field(code, MADE_COMPOSITE, CLR_READY_FUNCTIONS),
			functions);
	made_memory_u32(code->memory,
			made_code_field(code, MADE_COMPOSITE, CLR_READY_FUNCTIONS_COUNT), COUNT);
	made_memory_u32(code->memory, made_code_field(code, MADE_COMPOSITE, CLR_READY_COLD_COUNT),
			0);
	assert_false(made_code_find(code, MADE_COMPILED + FIRST + 4 * 2500, &c));
	assert_string_equal(c.why, UNKNOWN);
	made_code_free(code);
}

/* Each bucket says that more follow. */
TEST(hash_map_without_an_end)
{
	struct made_code *code = made_code_new(10);
	struct clr_code c;

	for (uint64_t i = 1; i <= MADE_BUCKETS_COUNT; i++)
		made_memory_u64(code->memory, MADE_BUCKETS + 64 * i + 32, UINT64_MAX);
	assert_false(made_code_find(code, MADE_COMPILED + 0x1150, &c));
	assert_string_equal(c.why, UNKNOWN);
	made_code_free(code);
}

/* --- the runtime --------------------------------------------------------- */

TEST(no_map)
{
	struct made_code *code = made_code_new(10);
	struct clr_code c;

	code->runtime.code_map = 0;
	assert_false(made_code_find(code, SHORT_AT, &c));
	assert_string_equal(c.why, "where the runtime keeps its code is unknown");
	made_code_free(code);
}

/* The first slot of g_dacTable, unless a descriptor tells. */
TEST(map_of_a_runtime)
{
	static const struct made_setup setup = { 10, false, false };
	static const uint64_t pointers[] = { 0, 0x4000 };
	struct made_runtime *rt = made_runtime_new(&setup);
	struct clr_runtime *opened;
	struct error err = { 0 };

	made_memory_u64(rt->memory, MADE_TABLE, 0x2000);
	opened = clr_runtime_open(made_memory_open(rt->memory), &err);
	assert_non_null(opened);
	assert_int_equal(opened->code_map, 0x2000);
	clr_runtime_close(opened);
	made_runtime_describe(rt, "{\"globals\":{\"ExecutionManagerCodeRangeMapAddress\":[1]}}",
			      pointers, COUNT_OF(pointers));
	opened = clr_runtime_open(made_memory_open(rt->memory), &err);
	assert_non_null(opened);
	assert_int_equal(opened->code_map, 0x4000);
	clr_runtime_close(opened);
	made_runtime_free(rt);
}

/* --- names --------------------------------------------------------------- */

TEST(name_of_a_dynamic_method)
{
	static const struct {
		uint16_t flags;
		uint64_t text;
		const char *name;
	} rows[] = {
		{ 7, MADE_RECORD(1), "lambda_method1" },
		{ 0x10, MADE_RECORD(1), "" }, /* another kind */
		{ 7, 0, "" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct made_code *code = made_code_new(8);
		struct clr_names n = { .layout = &code->runtime.layout };
		struct error err = { 0 };
		struct arena a;

		arena_init(&a, 0);
		made_memory_zeros(code->memory, MADE_RECORD(0), 0x100);
		made_memory_u16(code->memory, MADE_RECORD(0) + 6, rows[i].flags);
		made_memory_u64(code->memory, MADE_RECORD(0) + 24, rows[i].text);
		made_memory_put(code->memory, MADE_RECORD(1), "lambda_method1", 15);
		n.reader = memory_reader_new(made_memory_open(code->memory), &err);
		assert_non_null(n.reader);
		assert_string_equal(clr_method_dynamic_name(&n, MADE_RECORD(0), &a, &err),
				    rows[i].name);
		memory_reader_free(n.reader);
		arena_clear(&a);
		made_code_free(code);
	}
}
