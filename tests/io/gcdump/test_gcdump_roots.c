/* Pseudo-nodes of a .gcdump become roots, whoever wrote it. */
#include "tests/made/dump_writer.h"
#include "tests/drive/run_tests.h"
#include "io/gcdump/gcdump.h"
#include <stdlib.h>
#include <string.h>

static const struct heap *
read_dump(const struct dump *d)
{
	struct blob b = { 0 };
	struct error err = { 0 };
	const struct heap *h;

	dump_write(d, &b, NULL);
	h = gcdump_read(b.data, b.len, NULL, &(struct load_how){ .path = "test", .what = LOAD_ALL },
			&err);
	blob_free(&b);
	assert_ok(h && heap_check(h, &err), &err);
	return h;
}

/* --- names --- */

/* Below "[.NET Roots]": the names on the way to one object. */
struct name_row {
	const char *path[4];
	enum root_kind kind;
	bool is_pinned;
	const char *name, *label;
};

/* clang-format off */
static const struct name_row name_rows[] = {
	/* dotnet-gcdump, and PerfView from events */
	{ { "[static vars]", "[static var Leaky.Sessions.s_all]" }, ROOT_STATIC, false, "Sessions.s_all", "static var Leaky.Sessions.s_all" },
	{ { "[static vars]", "[static var System.DefaultBinder.<DefaultBinder>k__BackingField]" }, ROOT_STATIC, false, "DefaultBinder.DefaultBinder", "static var System.DefaultBinder.<DefaultBinder>k__BackingField" },
	{ { "[static vars]", "[static var A.B<C.D>.<I.J>k__BackingField]" }, ROOT_STATIC, false, "B<D>.I.J", "static var A.B<C.D>.<I.J>k__BackingField" },
	{ { "[static vars]", "[static var []c.<>9]" }, ROOT_STATIC, false, "lambdas (<>c).lambdas", "static var []c.<>9" },
	{ { "[static vars]", "[static var My.Outer+[]c.<>9__2_0]" }, ROOT_STATIC, false, "Outer.lambda 2_0", "static var My.Outer+[]c.<>9__2_0" },
	{ { "[static vars]", "[static var Foo.s_own]" }, ROOT_STATIC, false, "s_own", "static var Foo.s_own" },
	{ { "[static vars]", "[static var System.String[].s_args]" }, ROOT_STATIC, false, "string[].s_args", "static var System.String[].s_args" },
	{ { "[static vars]", "[static var nodot]" }, ROOT_STATIC, false, "nodot", "static var nodot" },
	{ { "[static vars]" }, ROOT_STATIC, false, "", "static vars" },
	{ { "[thread static vars]", "[static var A.B.t_x]" }, ROOT_THREAD_STATIC, false, "B.t_x", "static var A.B.t_x" },
	{ { "[local vars]" }, ROOT_STACK, false, "", "local vars" },
	{ { "[COM/WinRT Objects]" }, ROOT_REF_COUNTED, false, "", "COM/WinRT Objects" },
	{ { "[other roots]", "[finalizer Handles]" }, ROOT_FINALIZER, false, "", "finalizer Handles" },
	{ { "[other roots]", "[strong Handles]" }, ROOT_STRONG, false, "", "strong Handles" },
	{ { "[other roots]", "[pinning Handles]" }, ROOT_PINNED, true, "", "pinning Handles" },
	{ { "[other roots]", "[other Handles]" }, ROOT_OTHER, false, "", "other Handles" },
	{ { "[other roots]", "[Dependent Handles]" }, ROOT_DEPENDENT, false, "", "Dependent Handles" },
	{ { "[other roots]", "[FinalizerQueue]" }, ROOT_FINALIZER, false, "", "FinalizerQueue" },
	{ { "[other roots]", "[PinnedHandle]" }, ROOT_PINNED, true, "", "PinnedHandle" },
	{ { "[other roots]", "[StrongHandle]" }, ROOT_STRONG, false, "", "StrongHandle" },
	{ { "[other roots]" }, ROOT_OTHER, false, "", "other roots" },
	/* PerfView from memory */
	{ { "[Pinned local vars]" }, ROOT_STACK, true, "", "Pinned local vars" },
	{ { "[AsyncPinnedHandle]" }, ROOT_ASYNC_PINNED, true, "", "AsyncPinnedHandle" },
	{ { "[SizedRefHandle]" }, ROOT_SIZED_REF, false, "", "SizedRefHandle" },
	{ { "[None]" }, ROOT_OTHER, false, "", "None" },
	/* older PerfView */
	{ { "[appdomain x]", "[static vars]", "[static vars M]", "T+f [static var]" }, ROOT_STATIC, false, "T.f", "T+f [static var]" },
	{ { "[appdomain x]", "[threadStatic vars]", "[threadStatic vars M]", "T+f [static var]" }, ROOT_THREAD_STATIC, false, "T.f", "T+f [static var]" },
	{ { "[local vars M]", "T+Run name [local var]" }, ROOT_STACK, false, "T+Run name", "T+Run name [local var]" },
	{ { "[finalizer handles]" }, ROOT_FINALIZER, false, "", "finalizer handles" },
	{ { "[Pinned handles]" }, ROOT_PINNED, true, "", "Pinned handles" },
	{ { "[Strong handles]" }, ROOT_STRONG, false, "", "Strong handles" },
	/* heapview, and names that nobody knows: the nearest known above */
	{ { "[MonoVM Roots]" }, ROOT_OTHER, false, "", "MonoVM Roots" },
	{ { "[static vars]", "[group 7]" }, ROOT_STATIC, false, "", "group 7" },
	{ { "[static vars]", "[static var A.x]", "[group 7]" }, ROOT_STATIC, false, "A.x", "group 7" },
	{ { "[strong Handles]", "[static var A.x]" }, ROOT_STATIC, false, "A.x", "static var A.x" },
	{ { NULL }, ROOT_OTHER, false, "", ".NET Roots" },
	{ { "[" }, ROOT_OTHER, false, "", "" },
};
/* clang-format on */

static void
check_name_row(const struct name_row *row)
{
	static const uint32_t targets[] = { 1, 2, 3, 4, 5 };
	struct dump_type types[7] = { { "UNDEFINED", 0, NULL }, { "[.NET Roots]", 0, NULL } };
	struct dump_node nodes[6];
	uint32_t depth = 0, count;
	struct dump d = { .version = 10,
			  .oldest_reader = 8,
			  .types = types,
			  .nodes = nodes,
			  .total = DUMP_TYPE_SIZE };
	const struct heap *h;
	const struct root *r;

	for (; depth < 4 && row->path[depth]; depth++)
		types[2 + depth] = (struct dump_type){ row->path[depth], 0, NULL };
	types[2 + depth] = (struct dump_type){ "Foo", 24, "/foo.dll" };
	for (uint32_t i = 0; i < depth + 2; i++)
		nodes[i] = (struct dump_node){
			.type = i + 1, .size = DUMP_TYPE_SIZE, .refs = &targets[i], .refs_count = 1
		};
	nodes[depth + 1].address = 0x1000;
	nodes[depth + 1].refs_count = 0;
	d.types_count = depth + 3;
	d.nodes_count = depth + 2;
	h = read_dump(&d);
	assert_int_equal(h->nodes_count, 1);
	assert_int_equal(h->roots_count, 1);
	r = heap_roots_of(h, 0, &count);
	assert_string_equal(r->label, row->label);
	assert_string_equal(r->name, row->name);
	assert_int_equal(r->kind, row->kind);
	assert_int_equal(r->is_pinned, row->is_pinned);
	heap_free(h);
}

TEST(test_names_of_all_producers)
{
	for (size_t i = 0; i < COUNT_OF(name_rows); i++)
		check_name_row(&name_rows[i]);
}

/*
 * Ten variables, of which some stand behind the type of their object: nearly all must, before the
 * type is taken for the object's and left out.
 */
static void
check_owners(uint32_t own_count, const char *first, const char *last)
{
	enum { FIELDS = 10 };
	static const uint32_t groups[FIELDS] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };
	static const uint32_t object = FIELDS + 1;
	struct dump_type types[FIELDS + 3] = { { "UNDEFINED", 0, NULL },
					       { "[.NET Roots]", 0, NULL } };
	struct dump_node nodes[FIELDS + 2];
	char names[FIELDS][32];
	struct dump d = { .version = 10,
			  .oldest_reader = 8,
			  .types = types,
			  .types_count = FIELDS + 3,
			  .nodes = nodes,
			  .nodes_count = FIELDS + 2,
			  .total = DUMP_TYPE_SIZE };
	const struct heap *h;

	nodes[0] = (struct dump_node){
		.type = 1, .size = DUMP_TYPE_SIZE, .refs = groups, .refs_count = FIELDS
	};
	for (uint32_t i = 0; i < FIELDS; i++) {
		snprintf(names[i], sizeof(names[i]), "[static var %s.f%u]",
			 i < own_count ? "My.Foo" : "My.Owner", i);
		types[2 + i] = (struct dump_type){ names[i], 0, NULL };
		nodes[1 + i] = (struct dump_node){
			.type = 2 + i, .size = DUMP_TYPE_SIZE, .refs = &object, .refs_count = 1
		};
	}
	types[FIELDS + 2] = (struct dump_type){ "My.Foo (Bytes > 1K)", 2000, "/foo.dll" };
	nodes[object] =
	    (struct dump_node){ .type = FIELDS + 2, .size = DUMP_TYPE_SIZE, .address = 0x1000 };
	h = read_dump(&d);
	assert_int_equal(h->roots_count, FIELDS);
	assert_string_equal(h->roots[0].name, first);
	assert_string_equal(h->roots[FIELDS - 1].name, last);
	heap_free(h);
}

TEST(test_owners_of_fields)
{
	check_owners(10, "f0", "f9");
	check_owners(9, "f0", "f9");
	check_owners(8, "Foo.f0", "Owner.f9");
	check_owners(0, "Owner.f0", "Owner.f9");
}

/* --- what is an object --- */

struct object_row {
	const char *title, *type;
	int64_t size;
	uint64_t address;
	bool is_object;
};

/* clang-format off */
static const struct object_row object_rows[] = {
	{ "a pseudo-node",              "[static vars]",             0,    0,      false },
	{ "a closure",                  "[]c__DisplayClass11_0",     24,   0x1000, true },
	{ "a closure without address",  "[]c",                       0,    0,      true },
	{ "a COM wrapper",              "[CCW 0x55 for type Foo]",   200,  0x1000, true },
	{ "a wrapper of the runtime",   "[RCW Foo]",                 1024, 0x1000, true },
	{ "a size makes an object",     "[static vars]",             8,    0,      true },
	{ "an address makes an object", "[static vars]",             0,    0x1000, true },
	{ "an old dependent handle",    "Dependent Handle",          16,   0x1000, true },
	{ "an old static",              "T+f [static var]",          0,    0,      false },
	{ "a native static",            "TypeID(0x5) (static var)",  0,    0,      false },
	{ "a name inside the text",     "Foo [static var] Bar",      0,    0,      true },
	{ "an empty name",              "",                          0,    0,      true },
};
/* clang-format on */

TEST(test_objects_and_pseudo_nodes)
{
	for (size_t i = 0; i < COUNT_OF(object_rows); i++) {
		const struct object_row *row = &object_rows[i];
		struct dump_type types[] = { { "UNDEFINED", 0, NULL },
					     { "[.NET Roots]", 0, NULL },
					     { row->type, 0, NULL } };
		uint32_t target = 1;
		struct dump_node nodes[] = {
			{ 1, 0, 0, &target, 1, false },
			{ 2, row->size, row->address, NULL, 0, false },
		};
		struct dump d = { .version = 10,
				  .oldest_reader = 8,
				  .types = types,
				  .types_count = 3,
				  .nodes = nodes,
				  .nodes_count = 2,
				  .total = DUMP_TYPE_SIZE };
		const struct heap *h = read_dump(&d);

		if (h->nodes_count != row->is_object)
			fail_msg("%s", row->title);
		assert_int_equal(h->roots_count, row->is_object);
		heap_free(h);
	}
}

/* The wrapper is an object below the ref-counted roots; what it wraps is not.
 */
TEST(test_com_wrappers)
{
	static const struct dump_type types[] = {
		{ "UNDEFINED", 0, NULL },           { "[.NET Roots]", 0, NULL },
		{ "[COM/WinRT Objects]", 0, NULL }, { "[CCW 0x1000 for type Foo]", 200, NULL },
		{ "Foo", 24, "/foo.dll" },
	};
	const struct dump_node nodes[] = {
		{ 1, 0, 0, (const uint32_t[]){ 1 }, 1, false },
		{ 2, 0, 0, (const uint32_t[]){ 2 }, 1, false },
		{ 3, 200, 0x1000, (const uint32_t[]){ 3 }, 1, false },
		{ 4, 24, 0x2000, NULL, 0, false },
	};
	struct dump d = { .version = 10,
			  .oldest_reader = 8,
			  .types = types,
			  .types_count = COUNT_OF(types),
			  .nodes = nodes,
			  .nodes_count = COUNT_OF(nodes),
			  .total = DUMP_TYPE_SIZE };
	const struct heap *h = read_dump(&d);
	uint32_t count;

	assert_int_equal(h->nodes_count, 2);
	assert_int_equal(h->refs_count, 1);
	assert_int_equal(h->roots_count, 1);
	assert_int_equal(heap_roots_of(h, 0, &count)->kind, ROOT_REF_COUNTED);
	assert_null(heap_roots_of(h, 1, &count));
	heap_free(h);
}

/* --- shapes --- */

enum { TYPE_ROOT = 1, TYPE_GROUP, TYPE_OBJECT, TYPE_STATIC };
static const struct dump_type shape_types[] = {
	{ "UNDEFINED", 0, NULL },  { "[.NET Roots]", 0, NULL },     { "[strong Handles]", 0, NULL },
	{ "Foo", 24, "/foo.dll" }, { "[static var A.f]", 0, NULL },
};

static struct dump
shape_dump(const struct dump_node *nodes, uint32_t nodes_count)
{
	return (struct dump){ .version = 10,
			      .oldest_reader = 8,
			      .types = shape_types,
			      .types_count = COUNT_OF(shape_types),
			      .nodes = nodes,
			      .nodes_count = nodes_count,
			      .total = DUMP_TYPE_SIZE };
}

TEST(test_cycles_and_sharing)
{
	/* Groups refer to each other, to themselves, and to the root; the object to the root as
	   well. */
	const struct dump_node nodes[] = {
		{ TYPE_ROOT, 0, 0, (const uint32_t[]){ 1, 2, 0 }, 3, false },
		{ TYPE_GROUP, 0, 0, (const uint32_t[]){ 2, 1, 3 }, 3, false },
		{ TYPE_STATIC, 0, 0, (const uint32_t[]){ 1, 3, 0 }, 3, false },
		{ TYPE_OBJECT, 24, 0x1000, (const uint32_t[]){ 0 }, 1, false },
	};
	struct dump d = shape_dump(nodes, COUNT_OF(nodes));
	const struct heap *h = read_dump(&d);

	assert_int_equal(h->nodes_count, 1);
	assert_int_equal(h->roots_count, 2);
	assert_int_equal(h->refs_count, 0);
	assert_int_equal(h->info.losses.damaged_refs, 1);
	heap_free(h);
}

TEST(test_a_shared_group_counts_once)
{
	const struct dump_node nodes[] = {
		{ TYPE_ROOT, 0, 0, (const uint32_t[]){ 1, 2 }, 2, false },
		{ TYPE_GROUP, 0, 0, (const uint32_t[]){ 2, 3 }, 2, false },
		{ TYPE_STATIC, 0, 0, (const uint32_t[]){ 1, 3, 2 }, 3, false },
		{ TYPE_OBJECT, 24, 0x1000, NULL, 0, false },
	};
	struct dump d = shape_dump(nodes, COUNT_OF(nodes));
	const struct heap *h = read_dump(&d);
	const struct root *r;
	uint32_t count;

	r = heap_roots_of(h, 0, &count);
	assert_int_equal(count, 2);
	assert_int_equal(r[0].kind, ROOT_STATIC);
	assert_string_equal(r[0].name, "A.f");
	assert_int_equal(r[1].kind, ROOT_STRONG);
	heap_free(h);
}

/* A chain of groups, then as many roots as there are nodes. */
struct deep {
	uint32_t groups, next;
	uint32_t *objects;
	uint32_t objects_count;
};

static void
deep_node(void *context, uint32_t index, struct dump_node *node)
{
	struct deep *deep = context;

	node->type = index == 0 ? TYPE_ROOT : index < deep->groups ? TYPE_GROUP : TYPE_OBJECT;
	deep->next = index + 1;
	if (index + 1 < deep->groups) {
		node->refs = &deep->next;
		node->refs_count = 1;
	} else if (index + 1 == deep->groups) {
		node->refs = deep->objects;
		node->refs_count = deep->objects_count;
	} else {
		node->address = 0x10000 + (uint64_t)index * 24;
	}
}

TEST(test_deep_and_wide)
{
	enum { GROUPS = 200000, OBJECTS = 300000 };
	struct deep deep = { .groups = GROUPS, .objects_count = OBJECTS };
	struct dump d = shape_dump(NULL, GROUPS + OBJECTS);
	const struct heap *h;

	deep.objects = malloc(OBJECTS * sizeof(*deep.objects));
	assert_non_null(deep.objects);
	for (uint32_t i = 0; i < OBJECTS; i++)
		deep.objects[i] = GROUPS + i;
	d.node = deep_node;
	d.node_context = &deep;
	h = read_dump(&d);
	assert_int_equal(h->nodes_count, OBJECTS);
	assert_int_equal(h->roots_count, OBJECTS);
	assert_int_equal(h->roots[0].kind, ROOT_STRONG);
	assert_string_equal(h->roots[OBJECTS - 1].label, "strong Handles");
	heap_free(h);
	free(deep.objects);
}

/* A name of a megabyte on a group of 100,000 roots is not copied for each. */
TEST(test_long_names_are_cut)
{
	enum { NAME_BYTES = 1 << 20, OBJECTS = 100000 };
	struct deep deep = { .groups = 2, .objects_count = OBJECTS };
	struct dump d = shape_dump(NULL, 2 + OBJECTS);
	struct dump_type types[COUNT_OF(shape_types)];
	char *name = malloc(NAME_BYTES + 1);
	const struct heap *h;

	deep.objects = malloc(OBJECTS * sizeof(*deep.objects));
	assert_true(deep.objects && name);
	for (uint32_t i = 0; i < OBJECTS; i++)
		deep.objects[i] = 2 + i;
	memset(name, 'x', NAME_BYTES);
	memcpy(name, "[static var T.\xc3\xa9", 16);
	name[NAME_BYTES] = '\0';
	memcpy(types, shape_types, sizeof(types));
	types[TYPE_GROUP].name = name;
	d.types = types;
	d.node = deep_node;
	d.node_context = &deep;
	h = read_dump(&d);
	assert_int_equal(h->roots_count, OBJECTS);
	assert_int_equal(strlen(h->roots[0].name), 1000);
	assert_true(heap_bytes(h) < 30 << 20);
	heap_free(h);
	free(deep.objects);
	free(name);
}

/* --- the root itself --- */

TEST(test_undefined_roots)
{
	const struct dump_node nodes[] = {
		{ TYPE_ROOT, 0, 0, (const uint32_t[]){ 1, 1, 2 }, 3, false },
		{ 0, 0, 0, NULL, 0, true },
		{ TYPE_OBJECT, 24, 0x1000, (const uint32_t[]){ 2, 1 }, 2, false },
	};
	struct dump d = shape_dump(nodes, COUNT_OF(nodes));
	const struct heap *h = read_dump(&d);

	assert_int_equal(h->roots_count, 1);
	assert_int_equal(h->refs_count, 1);
	assert_int_equal(h->info.losses.undefined_nodes, 1);
	assert_int_equal(h->info.losses.undefined_roots, 2);
	assert_int_equal(h->info.losses.undefined_refs, 1);
	assert_int_equal(h->info.losses.damaged_refs, 0);
	heap_free(h);
}

struct root_row {
	int32_t root;
	uint32_t roots_count, warnings_count;
	enum root_kind kind;
	const char *label;
};

/* clang-format off */
static const struct root_row root_rows[] = {
	{ 0,         1, 0, ROOT_STATIC, "static var MyApp.Node.s_head" },
	{ 1,         1, 0, ROOT_STATIC, "static var MyApp.Node.s_head" },
	{ 3,         1, 0, ROOT_OTHER,  "root of the graph" },
	{ -1,        1, 1, ROOT_STATIC, "static var MyApp.Node.s_head" },
	{ 6,         1, 1, ROOT_STATIC, "static var MyApp.Node.s_head" },
	{ INT32_MIN, 1, 1, ROOT_STATIC, "static var MyApp.Node.s_head" },
};
/* clang-format on */

TEST(test_root_index)
{
	for (size_t i = 0; i < COUNT_OF(root_rows); i++) {
		const struct root_row *row = &root_rows[i];
		struct dump d = dump_tiny;
		const struct heap *h;

		d.root = row->root;
		h = read_dump(&d);
		assert_int_equal(h->roots_count, row->roots_count);
		assert_int_equal(h->roots[0].kind, row->kind);
		assert_int_equal(h->roots[0].object, 0);
		assert_string_equal(h->roots[0].label, row->label);
		assert_int_equal(h->info.warnings_count, row->warnings_count);
		heap_free(h);
	}
}
