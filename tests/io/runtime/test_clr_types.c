/* Types of a made-up runtime: names, modules, damage of every kind. */
#include "tests/drive/run_tests.h"
#include "tests/made/made_types.h"
#include "io/runtime/types.h"
#include <string.h>

/* What reads the types of one made-up runtime. */
struct reading {
	struct made_runtime *rt;
	struct memory_reader *reader;
	struct heap_builder *builder;
	struct clr_types *types;
	struct error err;
};

static void
begin(struct reading *r, int version, bool is_mapped)
{
	const struct made_setup setup = { .version = version };

	error_clear(&r->err);
	r->rt = made_runtime_new(&setup);
	made_types_put(r->rt, is_mapped);
	r->reader = NULL;
}

static const struct clr_type *
read_type(struct reading *r, uint64_t method_table)
{
	const struct clr_type *type;

	if (!r->reader) {
		r->reader = memory_reader_new(made_memory_open(r->rt->memory), &r->err);
		r->builder = heap_builder_new(&r->err);
		r->types = clr_types_new(&r->rt->layout, r->reader, r->builder, &r->err);
		assert_non_null(r->types);
	}
	type = clr_types_add(r->types, method_table, &r->err);
	if (!type)
		fail_msg("%s", r->err.message);
	assert_ptr_equal(clr_types_find(r->types, method_table), type);
	return type;
}

static const struct type *
model_type(struct reading *r, uint64_t method_table)
{
	type_id id = read_type(r, method_table)->id;

	return &heap_builder_types(r->builder)[id];
}

static void
end(struct reading *r)
{
	clr_types_free(r->types);
	heap_builder_free(r->builder);
	memory_reader_free(r->reader);
	made_runtime_free(r->rt);
}

static const struct {
	enum made_table table;
	const char *raw;
	enum clr_refs_kind refs;
} good_rows[] = {
	{ MADE_STRING, "A.Point", CLR_REFS_NONE },
	{ MADE_OBJECT, "A.Base", CLR_REFS_NONE },
	{ MADE_PAIR, "A.Session", CLR_REFS_FIXED },
	{ MADE_ARRAY, "A.Session[]", CLR_REFS_ARRAY },
	{ MADE_SHARED, "A.Table<A.Session>", CLR_REFS_FIXED },
};
enum { GOOD_COUNT = COUNT_OF(good_rows) };

TEST(test_good)
{
	for (int i = 0; i < 3 * 2 * 2; i++) {
		struct reading r;

		begin(&r, 8 + i / 4, i % 2);
		made_memory_set_views(r.rt->memory, i / 2 % 2);
		for (int k = 0; k < GOOD_COUNT; k++) {
			uint64_t at = MADE_METHOD_TABLE(good_rows[k].table);
			const struct type *type = model_type(&r, at);

			assert_string_equal(type->raw, good_rows[k].raw);
			assert_string_equal(type->module, "test.dll");
			assert_int_equal(type->flags & TYPE_UNNAMED, 0);
			assert_int_equal(read_type(&r, at)->refs.kind, good_rows[k].refs);
		}
		assert_int_equal(clr_types_losses(r.types)->unnamed, 0);
		assert_int_equal(clr_types_losses(r.types)->damaged_refs, 0);
		end(&r);
	}
}

/* --- damage --- */

static void
lose_image(struct made_runtime *rt)
{
	made_memory_lose(rt->memory, MADE_IMAGE, 0x4000);
}

static void
damage_image(struct made_runtime *rt)
{
	made_memory_u16(rt->memory, MADE_IMAGE, 0);
}

static void
lose_module(struct made_runtime *rt)
{
	made_memory_lose(rt->memory, MADE_MODULE_RECORD, 0x1000);
}

static void
absurd_token(struct made_runtime *rt)
{
	made_type_token(rt, MADE_METHOD_TABLE(MADE_PAIR), 5000);
}

static void
no_token(struct made_runtime *rt)
{
	made_type_token(rt, MADE_METHOD_TABLE(MADE_PAIR), 0);
}

static void
array_of_itself(struct made_runtime *rt)
{
	made_memory_u64(rt->memory,
			MADE_METHOD_TABLE(MADE_ARRAY) + rt->layout.offset[CLR_MT_PER_INST],
			MADE_METHOD_TABLE(MADE_ARRAY));
}

static void
argument_is_itself(struct made_runtime *rt)
{
	made_memory_u64(rt->memory, MADE_DICTIONARY + 16, MADE_METHOD_TABLE(MADE_SHARED));
}

static void
many_arguments(struct made_runtime *rt)
{
	made_memory_u16(rt->memory, MADE_DICTIONARY + 6, 60000);
}

static void
two_hundred_arguments(struct made_runtime *rt)
{
	made_memory_u16(rt->memory, MADE_DICTIONARY + 6, 200);
	for (uint64_t i = 0; i < 200; i++)
		made_memory_u64(rt->memory, MADE_DICTIONARY + 16 + 8 * i,
				MADE_METHOD_TABLE(MADE_SHARED));
}

static void
no_arguments(struct made_runtime *rt)
{
	made_memory_lose(rt->memory, MADE_DICTIONARY, 16);
}

static void
argument_nowhere(struct made_runtime *rt)
{
	made_memory_u64(rt->memory, MADE_DICTIONARY + 16, 0x123450);
}

static void
argument_null(struct made_runtime *rt)
{
	made_memory_u64(rt->memory, MADE_DICTIONARY + 16, 0);
}

/* A pointer to a pointer to itself … */
static void
pointer_to_itself(struct made_runtime *rt)
{
	uint64_t at = MADE_DICTIONARY + 0x100;

	made_memory_u64(rt->memory, MADE_DICTIONARY + 16, at | 2);
	made_memory_zeros(rt->memory, at, 0x40);
	made_memory_u32(rt->memory, at, 0x0f);
	made_memory_u64(rt->memory, at + (rt->setup.version > 8 ? 16 : 8), at | 2);
}

static void
pointer(struct made_runtime *rt)
{
	pointer_to_itself(rt);
	made_memory_u64(rt->memory, MADE_DICTIONARY + 0x100 + (rt->setup.version > 8 ? 16 : 8),
			MADE_METHOD_TABLE(MADE_PAIR));
}

static void
function(struct made_runtime *rt)
{
	pointer_to_itself(rt);
	made_memory_u32(rt->memory, MADE_DICTIONARY + 0x100, 0x1b);
}

static void
odd_description(struct made_runtime *rt)
{
	pointer_to_itself(rt);
	made_memory_u32(rt->memory, MADE_DICTIONARY + 0x100, 0x77);
}

static void
three_dimensions(struct made_runtime *rt)
{
	uint64_t at = MADE_METHOD_TABLE(MADE_ARRAY);

	made_memory_u32(rt->memory, at + rt->layout.offset[CLR_MT_FLAGS],
			CLR_MT_HAS_COMPONENTS | CLR_MT_HAS_POINTERS | 0x80000 | 8);
	made_memory_u32(rt->memory, at + rt->layout.offset[CLR_MT_BASE_SIZE], 24 + 3 * 8);
}

static void
dimension_with_bounds(struct made_runtime *rt)
{
	three_dimensions(rt);
	made_memory_u32(rt->memory,
			MADE_METHOD_TABLE(MADE_ARRAY) + rt->layout.offset[CLR_MT_BASE_SIZE],
			24 + 8);
}

static void
many_dimensions(struct made_runtime *rt)
{
	three_dimensions(rt);
	made_memory_u32(rt->memory,
			MADE_METHOD_TABLE(MADE_ARRAY) + rt->layout.offset[CLR_MT_BASE_SIZE],
			UINT32_MAX);
}

static void
no_series(struct made_runtime *rt)
{
	made_memory_u64(rt->memory, MADE_METHOD_TABLE(MADE_PAIR) - 8, 0);
}

static void
lose_series(struct made_runtime *rt)
{
	made_memory_lose(rt->memory, MADE_METHOD_TABLE(MADE_PAIR) - 24, 24);
}

#define COMMAS "[,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,]"
static const struct {
	const char *name;
	void (*damage)(struct made_runtime *rt);
	enum made_table table;
	const char *raw; /* or how it begins */
	uint32_t unnamed, cut, damaged_refs;
} damage_rows[] = {
	{ "no image", lose_image, MADE_PAIR, "!#02000003", 1, 0, 0 },
	{ "no image, and arguments", lose_image, MADE_SHARED, "!#02000006<!#02000003>", 1, 0, 0 },
	{ "something else in place of it", damage_image, MADE_PAIR, "!#02000003", 1, 0, 0 },
	{ "no module", lose_module, MADE_PAIR, "!#02000003", 1, 0, 0 },
	{ "a token beyond the table", absurd_token, MADE_PAIR, "test.dll!#02001388", 1, 0, 0 },
	{ "no token", no_token, MADE_PAIR, "test.dll!#overflow", 1, 0, 0 },
	{ "an array of itself", array_of_itself, MADE_ARRAY, "[][][]", 0, 1, 0 },
	{ "an argument of itself", argument_is_itself, MADE_SHARED,
	  "A.Table`1[A.Table`1[A.Table`1[", 0, 1, 0 },
	{ "60,000 arguments", many_arguments, MADE_SHARED, "A.Table", 1, 0, 0 },
	{ "200 arguments that have 200 each", two_hundred_arguments, MADE_SHARED,
	  "A.Table`1[A.Table`1", 0, 1, 0 },
	{ "arguments that are absent", no_arguments, MADE_SHARED, "A.Table", 1, 0, 0 },
	{ "an argument that is absent", argument_nowhere, MADE_SHARED, "A.Table<?>", 1, 0, 0 },
	{ "an argument of nothing", argument_null, MADE_SHARED, "A.Table<?>", 1, 0, 0 },
	{ "a pointer", pointer, MADE_SHARED, "A.Table<A.Session*>", 0, 0, 0 },
	{ "a pointer to itself", pointer_to_itself, MADE_SHARED, "A.Table`1[", 0, 1, 0 },
	{ "a function", function, MADE_SHARED, "A.Table<FNPTR>", 0, 0, 0 },
	{ "something unheard of", odd_description, MADE_SHARED, "A.Table<?>", 1, 0, 0 },
	{ "three dimensions", three_dimensions, MADE_ARRAY, "A.Session[,,]", 0, 0, 1 },
	{ "a dimension with bounds", dimension_with_bounds, MADE_ARRAY, "A.Session[*]", 0, 0, 1 },
	{ "half a billion dimensions", many_dimensions, MADE_ARRAY, "A.Session" COMMAS, 0, 0, 1 },
	{ "no series of references", no_series, MADE_PAIR, "A.Session", 0, 0, 1 },
	{ "absent series of references", lose_series, MADE_PAIR, "A.Session", 0, 0, 1 },
};

TEST(test_damage)
{
	enum { COUNT = COUNT_OF(damage_rows) };

	for (int i = 0; i < COUNT * 3; i++) {
		uint64_t at = MADE_METHOD_TABLE(damage_rows[i / 3].table);
		const char *raw = damage_rows[i / 3].raw;
		const struct clr_types_losses *losses;
		const struct type *type;
		struct reading r;

		print_message("%s, .NET %d\n", damage_rows[i / 3].name, 8 + i % 3);
		begin(&r, 8 + i % 3, true);
		damage_rows[i / 3].damage(r.rt);
		type = model_type(&r, at);
		losses = clr_types_losses(r.types);
		assert_int_equal(losses->unnamed, damage_rows[i / 3].unnamed);
		assert_int_equal(losses->cut, damage_rows[i / 3].cut);
		assert_int_equal(losses->damaged_refs, damage_rows[i / 3].damaged_refs);
		if (!losses->cut)
			assert_string_equal(type->raw, raw);
		else
			assert_memory_equal(type->raw, raw, strlen(raw));
		assert_int_equal((type->flags & TYPE_UNNAMED) != 0,
				 losses->unnamed + losses->cut > 0);
		if (losses->damaged_refs)
			assert_int_equal(read_type(&r, at)->refs.kind, CLR_REFS_NONE);
		end(&r);
	}
}

/* Two types whose names are too long, and alike as far as they go. */
TEST(test_cut_names_differ)
{
	uint64_t other = MADE_FAR_TABLE;
	struct reading r;
	uint32_t at;

	begin(&r, 10, true);
	two_hundred_arguments(r.rt);
	at = r.rt->layout.offset[CLR_MT_PER_INST];
	made_memory_zeros(r.rt->memory, other - 0x40, 0x200);
	made_table_put(r.rt, other, CLR_MT_HAS_POINTERS | 0x10, 40, MADE_GENERIC);
	made_memory_u64(r.rt->memory, other + at, MADE_DICTIONARY + 8);
	assert_non_null(strstr(model_type(&r, MADE_METHOD_TABLE(MADE_SHARED))->raw, "…#"));
	assert_int_not_equal(read_type(&r, MADE_METHOD_TABLE(MADE_SHARED))->id,
			     read_type(&r, other)->id);
	end(&r);
}

/* --- the paths of modules ------------------------------------------------- */

static const char *const path_rows[][2] = {
	{ "/app/test.dll", "/app/test.dll" },
	{ "/app/test.dll (deleted)", "/app/test.dll (deleted)" },
	{ "/dev/zero (deleted)", "test.dll" }, /* unpacked there */
	{ "/memfd:x (deleted)", "test.dll" },
	{ "/app/program", "test.dll" },
};

TEST(test_mapped_paths)
{
	for (size_t i = 0; i < COUNT_OF(path_rows); i++) {
		struct reading r;

		begin(&r, 10, true);
		made_memory_map(r.rt->memory, MADE_IMAGE, MADE_IMAGE + 0x4000, 0,
				MEMORY_READ | MEMORY_FILE, path_rows[i][0]);
		assert_string_equal(model_type(&r, MADE_METHOD_TABLE(MADE_PAIR))->module,
				    path_rows[i][1]);
		end(&r);
	}
}

/* --- other builds --------------------------------------------------------- */

enum { MAP_TYPES, MAP_METHODS, MAP_REFS, MAP_FIELDS, MAPS_COUNT };
#define MADE_ENTRIES (MADE_MODULE_RECORD + 0x1000) /* of the map of types */
#define MADE_RECORDS (MADE_MODULE_RECORD + 0x1200) /* of a class */

static uint64_t
map_at(const struct made_runtime *rt, int map)
{
	const uint32_t *offset = rt->layout.offset;
	const uint32_t offsets[MAPS_COUNT] = {
		[MAP_TYPES] = offset[CLR_MODULE_TYPE_DEFS],
		[MAP_METHODS] = offset[CLR_MODULE_TYPE_DEFS] + 32,
		[MAP_REFS] = offset[CLR_MODULE_TYPE_REFS],
		[MAP_FIELDS] = offset[CLR_MODULE_FIELD_DEFS],
	};

	return MADE_MODULE_RECORD + offsets[map];
}

/* The runtime's maps of the module, which has one loaded type. */
static void
put_maps(struct made_runtime *rt)
{
	struct blob b = { 0 };
	struct error err = { 0 };
	struct metadata *metadata;
	struct metadata_counts counts;

	made_module_put(&b, true, NULL);
	metadata = metadata_open(b.data, b.len, &err);
	assert_non_null(metadata);
	counts = metadata_counts(metadata);
	metadata_close(metadata);
	blob_free(&b);
	assert_int_equal(counts.types, MADE_TYPES_COUNT);
	assert_int_equal(counts.methods, MADE_METHODS_COUNT);
	made_memory_zeros(rt->memory, MADE_ENTRIES, 0x400);
	made_memory_u32(rt->memory, map_at(rt, MAP_TYPES) + 16, MADE_TYPES_COUNT + 1);
	made_memory_u32(rt->memory, map_at(rt, MAP_METHODS) + 16, MADE_METHODS_COUNT + 1);
	made_memory_u32(rt->memory, map_at(rt, MAP_REFS) + 16, counts.type_refs + 1);
	made_memory_u32(rt->memory, map_at(rt, MAP_FIELDS) + 16, counts.fields + 1);
	made_memory_u64(rt->memory, map_at(rt, MAP_TYPES) + 8, MADE_ENTRIES);
	made_memory_u64(rt->memory, map_at(rt, MAP_TYPES) + 24, 1);
	made_memory_u64(rt->memory, MADE_ENTRIES + 8 * MADE_SESSION,
			MADE_METHOD_TABLE(MADE_PAIR) | 1);
}

/* The loaded type has a class with one record, of this row. */
static void
put_record(struct made_runtime *rt, enum clr_field list, uint32_t row)
{
	const uint32_t *offset = rt->layout.offset;
	uint64_t table = MADE_METHOD_TABLE(MADE_PAIR);
	uint64_t class = MADE_RECORDS + 0x100;

	made_memory_u64(rt->memory, table + offset[CLR_MT_CLASS_OR_CANON], class);
	made_memory_u64(rt->memory, class + offset[CLR_CLASS_MT], table);
	made_memory_u64(rt->memory, class + offset[list], MADE_RECORDS);
	made_memory_u64(rt->memory, MADE_RECORDS, table);
	made_memory_u32(rt->memory, MADE_RECORDS + (list == CLR_CLASS_FIELDS ? 8 : 24), row);
}

static void
a_type_more(struct made_runtime *rt)
{
	made_memory_u32(rt->memory, map_at(rt, MAP_TYPES) + 16, MADE_TYPES_COUNT + 2);
}

static void
a_method_less(struct made_runtime *rt)
{
	made_memory_u32(rt->memory, map_at(rt, MAP_METHODS) + 16, MADE_METHODS_COUNT);
}

static void
a_reference_more(struct made_runtime *rt)
{
	made_memory_u32(rt->memory, map_at(rt, MAP_REFS) + 16, 1000);
}

static void
a_field_more(struct made_runtime *rt)
{
	made_memory_u32(rt->memory, map_at(rt, MAP_FIELDS) + 16, 1000);
}

static void
a_field_of_another_class(struct made_runtime *rt)
{
	put_record(rt, CLR_CLASS_FIELDS, 1);
}

static void
its_method(struct made_runtime *rt)
{
	put_record(rt, CLR_CLASS_METHODS, MADE_WALK);
}

static void
a_method_of_another_class(struct made_runtime *rt)
{
	put_record(rt, CLR_CLASS_METHODS, MADE_RUN);
}

/* Hot reload adds rows behind those of the file. */
static void
an_added_method(struct made_runtime *rt)
{
	put_record(rt, CLR_CLASS_METHODS, MADE_METHODS_COUNT + 1);
}

static void
no_entries(struct made_runtime *rt)
{
	made_memory_lose(rt->memory, MADE_ENTRIES, 0x400);
}

static const struct {
	void (*change)(struct made_runtime *rt); /* NULL: none */
	bool is_other;
} build_rows[] = {
	{ NULL, false },
	{ a_type_more, true },
	{ a_method_less, true },
	{ a_reference_more, true },
	{ a_field_more, true },
	{ a_field_of_another_class, true },
	{ its_method, false },
	{ a_method_of_another_class, true },
	{ an_added_method, false },
	{ no_entries, false },
};

/* A file that was replaced or overwritten gives no names at all. */
TEST(test_builds)
{
	for (size_t i = 0; i < COUNT_OF(build_rows) * 4; i++) {
		bool is_other = build_rows[i / 4].is_other;
		const struct clr_module *module;
		const struct type *type;
		struct reading r;

		begin(&r, 8 + (int)i % 4, true);
		put_maps(r.rt);
		if (build_rows[i / 4].change)
			build_rows[i / 4].change(r.rt);
		type = model_type(&r, MADE_METHOD_TABLE(MADE_PAIR));
		assert_string_equal(type->raw, is_other ? "test.dll!#02000003" : "A.Session");
		module =
		    clr_modules_find(clr_types_names(r.types)->modules, MADE_MODULE_RECORD, &r.err);
		assert_int_equal(module->trust, is_other ? MEMORY_REPLACED : MEMORY_TRUSTED);
		end(&r);
	}
}

/* Emitted at run time: no image, but a copy of the metadata. */
TEST(test_emitted)
{
	for (int version = 8; version <= 11; version++) {
		uint64_t at = MADE_IMAGE + 0x100, record = MADE_MODULE_RECORD;
		struct blob b = { 0 };
		struct reading r;

		begin(&r, version, true);
		made_metadata_put(&b);
		made_memory_zeros(r.rt->memory, record, 0x1000);
		made_memory_u64(r.rt->memory, record + 0x3e8, at);
		made_memory_u32(r.rt->memory, at, (uint32_t)b.len);
		if (version >= 9) {
			made_memory_put(r.rt->memory, at + 4, b.data, b.len);
		} else {
			made_memory_u64(r.rt->memory, at + 16, at + 0x80);
			made_memory_put(r.rt->memory, at + 0x80, b.data, b.len);
		}
		assert_string_equal(model_type(&r, MADE_METHOD_TABLE(MADE_PAIR))->raw, "A.Session");
		assert_string_equal(model_type(&r, MADE_METHOD_TABLE(MADE_PAIR))->module, "test");
		blob_free(&b);
		end(&r);
	}
}

TEST(test_collectible)
{
	for (int version = 8; version <= 11; version++) {
		const struct clr_type *type;
		struct reading r;

		begin(&r, version, false);
		made_far_put(r.rt, made_runtime_range(r.rt, 0, GEN_2)->start);
		type = read_type(&r, MADE_FAR_TABLE);
		assert_int_equal(type->loader_allocator, made_pair_at(r.rt, 0));
		assert_int_equal(model_type(&r, MADE_FAR_TABLE)->flags & TYPE_COLLECTIBLE,
				 TYPE_COLLECTIBLE);
		assert_int_equal(clr_types_losses(r.types)->loader_allocators, 0);
		end(&r);

		/* Its handle is gone: that is said. */
		begin(&r, version, false);
		made_far_put(r.rt, made_runtime_range(r.rt, 0, GEN_2)->start);
		made_memory_u64(r.rt->memory, MADE_ALLOCATOR + 0x208, 0);
		assert_int_equal(read_type(&r, MADE_FAR_TABLE)->loader_allocator, 0);
		assert_int_equal(clr_types_losses(r.types)->loader_allocators, 1);
		end(&r);
	}
}
