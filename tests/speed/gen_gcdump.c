/*
 * Writes a made-up .gcdump of any size, as dotnet-gcdump would: records in address order, indexes
 * in the order of first mention, roots as pseudo-nodes. The same arguments give the same bytes. For
 * the benchmark and for trying sizes that no real dump at hand has.
 *
 *   gen_gcdump [--shape mixed|list|hub] [--types N] OBJECTS SEED FILE
 *
 * mixed  a service: collections of entities with strings, dictionaries,
 *        delegates, back references, hubs, one with a tenth of all objects as
 *        referrers, one linked list of 5 % of the objects, large arrays;
 *        41 % strings, about 1.7 references an object, 3 in 4 with one referrer
 * list   one linked list of half the objects, each link with a string
 * hub    every object refers to one, and an array refers to all of them
 */
#include "tests/speed/gen_graph.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
#define CORELIB "/usr/share/dotnet/System.Private.CoreLib.dll"
#define CACHE   "/app/Contoso.Cache.dll"
#define ORDERS  "/app/Contoso.Orders.dll"
static const struct {
	const char *name, *module;
} bases[BASE_FIXED_COUNT] = {
	{ "System.String",         CORELIB },
	{ "System.Byte[]",         CORELIB },
	{ "System.Int32[]",        CORELIB },
	{ "System.Int32",          CORELIB },
	{ "System.Object[]",       CORELIB },
	{ "Contoso.Cache.Link",    CACHE },
	{ "Contoso.Tenant",        CACHE },
	{ "System.Action",         CORELIB },
	{ "[]c__DisplayClass11_0", CACHE },
	{ "System.Collections.Generic.Dictionary<System.String,System.Object>",
	                           CORELIB },
	{ "Entry<System.String,System.Object>[]", CORELIB },
};
static const char *const suffixes[BUCKETS] = {
	"", " (Bytes > 1K)", " (Bytes > 10K)", " (Bytes > 100K)",
	" (Bytes > 1M)", " (Bytes > 10M)", " (Bytes > 100M)",
};
/* clang-format on */

static const struct {
	const char *name;
	enum pseudo parent;
} pseudos[PSEUDO_COUNT] = {
	{ "[.NET Roots]", PSEUDO_ROOT },          { "[static vars]", PSEUDO_ROOT },
	{ "[local vars]", PSEUDO_ROOT },          { "[other roots]", PSEUDO_ROOT },
	{ "[finalizer Handles]", PSEUDO_OTHERS }, { "[strong Handles]", PSEUDO_OTHERS },
	{ "[COM/WinRT Objects]", PSEUDO_ROOT },
};

/* Indexes in the file: the order in which the tool first hears of a node. */
struct numbering {
	uint32_t *index_of; /* object → index, 0: not yet */
	uint32_t pseudo_index[PSEUDO_COUNT];
	uint32_t *static_index; /* one pseudo-node a static root */
	uint32_t undefined_index, count;
};

static void
mention(struct numbering *num, uint32_t object)
{
	if (object == NONE)
		return;
	if (object == UNDEFINED_TARGET) {
		if (!num->undefined_index)
			num->undefined_index = num->count++;
	} else if (!num->index_of[object]) {
		num->index_of[object] = num->count++;
	}
}

static void
number_nodes(const struct graph *g, struct numbering *num)
{
	const uint32_t *slot = g->slots;

	for (int p = 0; p < PSEUDO_COUNT; p++)
		num->pseudo_index[p] = num->count++;
	for (uint32_t i = 0; i < g->roots_count; i++) {
		if (g->roots[i].kind == PSEUDO_STATICS)
			num->static_index[i] = num->count++;
		mention(num, g->roots[i].object);
	}
	for (uint32_t i = 0; i < g->count; i++) {
		mention(num, i);
		for (uint32_t k = g->objects[i].slots_count; k > 0; k--)
			mention(num, *slot++);
	}
}

/* The compressed integer of the format: big-endian groups of seven bits. */
static uint8_t *
put_compressed(uint8_t *at, int32_t v)
{
	uint32_t bits = (uint32_t)v;

	if (v >= -64 && v < 64) {
		*at++ = (uint8_t)(v & 0x7f);
		return at;
	}
	if (v < -134217728 || v >= 134217728)
		*at++ = (uint8_t)(0x80 | (v < 0 ? 0x70 : 0) | (bits >> 28));
	if (v < -1048576 || v >= 1048576)
		*at++ = (uint8_t)(0x80 | ((bits >> 21) & 0x7f));
	if (v < -8192 || v >= 8192)
		*at++ = (uint8_t)(0x80 | ((bits >> 14) & 0x7f));
	*at++ = (uint8_t)(0x80 | ((bits >> 7) & 0x7f));
	*at++ = (uint8_t)(bits & 0x7f);
	return at;
}

struct blob {
	uint8_t *bytes;
	uint64_t len, capacity;
	uint32_t *labels; /* by index */
	int32_t *type_sizes;
};

static uint8_t *
blob_reserve(struct blob *b, uint64_t bytes)
{
	if (b->len + bytes > b->capacity) {
		b->capacity += b->capacity / 2 + bytes + (1 << 20);
		b->bytes = grow(b->bytes, b->capacity, 1);
	}
	return b->bytes + b->len;
}

static uint8_t *
put_record(struct blob *b, uint32_t index, uint32_t type, uint32_t size, uint32_t children)
{
	uint8_t *at = blob_reserve(b, 20 + 5 * (uint64_t)children);
	bool is_explicit;

	if (b->len > INT32_MAX)
		fail("the format cannot hold so many records");
	b->labels[index] = (uint32_t)b->len;
	if (b->type_sizes[type] < 0)
		b->type_sizes[type] = (int32_t)size;
	is_explicit = b->type_sizes[type] != (int32_t)size;
	at = put_compressed(at, (int32_t)(type * 2 + is_explicit));
	if (is_explicit)
		at = put_compressed(at, (int32_t)size);
	return put_compressed(at, (int32_t)children);
}

/* Children are relative to their parent. */
static uint8_t *
put_child(uint8_t *at, uint32_t child, uint32_t parent)
{
	return put_compressed(at, (int32_t)(child - parent));
}

static void
put_objects(const struct graph *g, const struct numbering *num, struct blob *b)
{
	const uint32_t *slot = g->slots;

	for (uint32_t i = 0; i < g->count; i++) {
		const struct object *o = &g->objects[i];
		uint32_t index = num->index_of[i], children = 0;
		uint8_t *at;

		for (uint32_t k = 0; k < o->slots_count; k++)
			children += slot[k] != NONE;
		at = put_record(b, index, o->type, o->size, children);
		for (uint32_t k = 0; k < o->slots_count; k++) {
			if (slot[k] == NONE)
				continue;
			at = put_child(at, num->index_of[slot[k]], index);
		}
		slot += o->slots_count;
		b->len = (uint64_t)(at - b->bytes);
	}
}

static uint32_t
root_target(const struct numbering *num, const struct root *r)
{
	return r->object == UNDEFINED_TARGET ? num->undefined_index : num->index_of[r->object];
}

static uint32_t
pseudo_children(const struct graph *g, uint32_t pseudo)
{
	uint32_t children = 0;

	for (uint32_t p = 1; p < PSEUDO_COUNT; p++)
		children += pseudos[p].parent == pseudo;
	for (uint32_t i = 0; i < g->roots_count; i++)
		children += g->roots[i].kind == pseudo;
	return children;
}

static void
put_pseudo(const struct graph *g, const struct numbering *num, struct blob *b, uint32_t pseudo)
{
	uint32_t index = num->pseudo_index[pseudo], child;
	uint8_t *at = put_record(b, index, g->types_count + pseudo, 0, pseudo_children(g, pseudo));

	for (uint32_t p = 1; p < PSEUDO_COUNT; p++) {
		if (pseudos[p].parent == pseudo)
			at = put_child(at, num->pseudo_index[p], index);
	}
	for (uint32_t i = 0; i < g->roots_count; i++) {
		if (g->roots[i].kind != pseudo)
			continue;
		child = pseudo == PSEUDO_STATICS ? num->static_index[i]
						 : root_target(num, &g->roots[i]);
		at = put_child(at, child, index);
	}
	b->len = (uint64_t)(at - b->bytes);
}

/* Pseudo-nodes come last, when all their children are known. */
static void
put_pseudos(const struct graph *g, const struct numbering *num, struct blob *b)
{
	for (uint32_t i = 0; i < g->roots_count; i++) {
		uint32_t index = num->static_index[i];
		uint8_t *at;

		if (g->roots[i].kind != PSEUDO_STATICS)
			continue;
		at = put_record(b, index, g->types_count + PSEUDO_COUNT + i, 0, 1);
		at = put_child(at, root_target(num, &g->roots[i]), index);
		b->len = (uint64_t)(at - b->bytes);
	}
	for (uint32_t p = 0; p < PSEUDO_COUNT; p++)
		put_pseudo(g, num, b, p);
}

/* Little-endian machines only: so are all that run .NET on Linux today. */
static void
write_raw(FILE *out, const void *bytes, uint64_t len)
{
	if (fwrite(bytes, 1, (size_t)len, out) != len)
		fail("cannot write the file");
}

static void
write_u8(FILE *out, uint8_t v)
{
	write_raw(out, &v, sizeof(v));
}

static void
write_u32(FILE *out, uint32_t v)
{
	write_raw(out, &v, sizeof(v));
}

static void
write_u64(FILE *out, uint64_t v)
{
	write_raw(out, &v, sizeof(v));
}

static void
write_string(FILE *out, const char *text)
{
	write_u32(out, text ? (uint32_t)strlen(text) : NONE);
	if (text)
		write_raw(out, text, strlen(text));
}

/* An object's start: its type, written out at its first and only use. */
static void
write_begin(FILE *out, const char *type, uint32_t version, uint32_t reader)
{
	write_raw(out, "\4\4\1", 3);
	write_u32(out, version);
	write_u32(out, reader);
	write_string(out, type);
	write_u8(out, 6);
}

static void
write_type_name(FILE *out, uint32_t key)
{
	uint32_t base = key / BUCKETS, entity;
	const char *suffix = suffixes[key % BUCKETS];
	char name[160];

	if (base < BASE_FIXED_COUNT) {
		snprintf(name, sizeof(name), "%s%s", bases[base].name, suffix);
		write_string(out, name);
		return;
	}
	base -= BASE_FIXED_COUNT;
	entity = base / 3;
	snprintf(name, sizeof(name), "%sContoso.Module%02u.Entity%u%s%s",
		 base % 3 == 1 ? "System.Collections.Generic.List<" : "", entity % 40, entity,
		 base % 3 == 1   ? ">"
		 : base % 3 == 2 ? "[]"
				 : "",
		 suffix);
	write_string(out, name);
}

static void
write_types(FILE *out, const struct graph *g, const struct blob *b)
{
	uint32_t first_pseudo = g->types_count;
	char name[64];

	write_u32(out, first_pseudo + PSEUDO_COUNT + g->roots_count);
	write_string(out, "UNDEFINED");
	write_u32(out, 0);
	write_string(out, NULL);
	for (uint32_t t = 1; t < first_pseudo; t++) {
		uint32_t base = g->keys[t] / BUCKETS;

		write_type_name(out, g->keys[t]);
		write_u32(out, (uint32_t)b->type_sizes[t]);
		write_string(out, base < BASE_FIXED_COUNT ? bases[base].module : ORDERS);
	}
	for (int p = 0; p < PSEUDO_COUNT; p++) {
		write_string(out, pseudos[p].name);
		write_u32(out, 0);
		write_string(out, NULL);
	}
	for (uint32_t i = 0; i < g->roots_count; i++) {
		snprintf(name, sizeof(name), "[static var System.Object[].s_cache%" PRIu32 "]", i);
		write_string(out, name);
		write_u32(out, 0);
		write_string(out, NULL);
	}
}

static void
write_addresses(FILE *out, const struct graph *g, const struct numbering *num)
{
	uint64_t *addresses = calloc(num->count, sizeof(*addresses));

	if (!addresses)
		fail("out of memory");
	for (uint32_t i = 0; i < g->count; i++)
		addresses[num->index_of[i]] = g->objects[i].address;
	write_u32(out, num->count);
	write_raw(out, addresses, (uint64_t)num->count * sizeof(*addresses));
	free(addresses);
}

static void
write_tail(FILE *out)
{
	uint64_t table, region_end;

	write_u8(out, 1);           /* Is64Bit again */
	write_u32(out, 0x3f800000); /* average multipliers: 1.0 */
	write_u32(out, 0x3f800000);
	write_raw(out, "\1\1", 2);           /* no JSHeapInfo, no segments */
	write_string(out, NULL);             /* log */
	write_u64(out, 0);                   /* time */
	write_string(out, NULL);             /* machine */
	write_string(out, NULL);             /* process */
	write_u32(out, 0);                   /* pid */
	write_u64(out, 0);                   /* commit */
	write_u64(out, 0);                   /* working set */
	write_u32(out, 0);                   /* multipliers by type */
	write_raw(out, "\x0c\0\0\0\0\1", 6); /* no InteropInfo */
	region_end = (uint64_t)ftell(out);
	write_u8(out, 13);
	write_string(out, "dotnet-gcdump");
	write_raw(out, "\6\6", 2);
	table = (uint64_t)ftell(out);
	if (table > UINT32_MAX - 16)
		fail("the format cannot hold such a large file");
	write_u32(out, 1);
	write_u32(out, (uint32_t)region_end);
	write_u32(out, (uint32_t)table);
	write_u32(out, (uint32_t)(table + 8));
}

static uint64_t
total_bytes(const struct graph *g)
{
	uint64_t total = 0;

	for (uint32_t i = 0; i < g->count; i++)
		total += g->objects[i].size;
	return total;
}

static void
write_dump(FILE *out, const struct graph *g, const struct numbering *num, const struct blob *b)
{
	write_u32(out, 20);
	write_raw(out, "!FastSerialization.1", 20);
	write_begin(out, "GCHeapDump", 10, 8);
	write_begin(out, "Graphs.MemoryGraph", 1, 0);
	write_u64(out, total_bytes(g));
	write_u32(out, num->pseudo_index[PSEUDO_ROOT]);
	write_types(out, g, b);
	write_u32(out, num->count);
	write_raw(out, b->labels, (uint64_t)num->count * sizeof(*b->labels));
	write_u32(out, (uint32_t)b->len);
	write_raw(out, b->bytes, b->len);
	write_addresses(out, g, num);
	write_raw(out, "\x08\1\6", 3); /* Is64Bit; end of the graph */
	write_tail(out);
}

static void
save(const struct graph *g, const char *path)
{
	uint32_t types_count = g->types_count + PSEUDO_COUNT + g->roots_count;
	struct numbering num = {
		.index_of = calloc(g->count + 1, sizeof(uint32_t)),
		.static_index = calloc(g->roots_count + 1, sizeof(uint32_t)),
	};
	struct blob b = {
		.type_sizes = grow(NULL, types_count, sizeof(int32_t)),
	};
	FILE *out = fopen(path, "wb");

	if (!num.index_of || !num.static_index)
		fail("out of memory");
	if (!out || setvbuf(out, NULL, _IOFBF, 1 << 20) != 0)
		fail("cannot create the file");
	number_nodes(g, &num);
	b.labels = calloc(num.count, sizeof(*b.labels));
	if (!b.labels)
		fail("out of memory");
	for (uint32_t t = 0; t < types_count; t++)
		b.type_sizes[t] = t >= g->types_count ? 0 : -1;
	memset(blob_reserve(&b, 2), 0, 2); /* the undefined node */
	b.len = 2;
	put_objects(g, &num, &b);
	put_pseudos(g, &num, &b);
	write_dump(out, g, &num, &b);
	if (fclose(out) != 0)
		fail("cannot write the file");
	free(num.index_of);
	free(num.static_index);
	free(b.labels);
	free(b.type_sizes);
	free(b.bytes);
}

static void
print_totals(const struct graph *g)
{
	uint64_t refs = 0, strings = 0;

	for (uint64_t i = 0; i < g->slots_count; i++)
		refs += g->slots[i] != NONE;
	for (uint32_t i = 0; i < g->count; i++)
		strings += g->keys[g->objects[i].type] / BUCKETS == BASE_STRING;
	printf("objects %" PRIu32 "\nbytes %" PRIu64 "\nreferences %" PRIu64 "\nroots %" PRIu32
	       "\nstrings %" PRIu64 "\n",
	       g->count, total_bytes(g), refs, g->roots_count, strings);
}

static uint32_t
parse_number(const char *text, uint32_t smallest)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (end == text || *end || n < smallest || n > 1000000000)
		fail("a number is not one, or out of range");
	return (uint32_t)n;
}

int
main(int argc, char **argv)
{
	struct graph g = { 0 };
	const char *shape = "mixed";
	int i = 1;

	for (; i + 1 < argc && argv[i][0] == '-'; i += 2) {
		if (strcmp(argv[i], "--shape") == 0)
			shape = argv[i + 1];
		else if (strcmp(argv[i], "--types") == 0)
			g.entity_types = parse_number(argv[i + 1], 1);
	}
	if (argc - i != 3)
		fail("usage: gen_gcdump [--shape mixed|list|hub] [--types N] OBJECTS SEED FILE");
	g.wanted = parse_number(argv[i], 4);
	g.random = (parse_number(argv[i + 1], 0) + UINT64_C(1)) * UINT64_C(0x9e3779b97f4a7c15);
	graph_make(&g, shape);
	save(&g, argv[i + 2]);
	print_totals(&g);
	graph_clear(&g);
	return 0;
}
