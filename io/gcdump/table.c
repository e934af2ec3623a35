#include "io/gcdump/table.h"
#include "io/gcdump/roots.h"
#include <inttypes.h>

enum { SIZE_NAMES = 7 };
static const struct {
	int32_t above;
	const char *suffix;
} size_names[SIZE_NAMES] = {
	{ 0, "" },
	{ 1000, " (Bytes > 1K)" },
	{ 10000, " (Bytes > 10K)" },
	{ 100000, " (Bytes > 100K)" },
	{ 1000000, " (Bytes > 1M)" },
	{ 10000000, " (Bytes > 10M)" },
	{ 100000000, " (Bytes > 100M)" },
};

static int
size_name_of(uint64_t size)
{
	int i = 0;

	while (i + 1 < SIZE_NAMES && size > (uint64_t)size_names[i + 1].above)
		i++;
	return i;
}

static bool
refuse_size(const struct heap *h, node_id n, uint64_t largest, struct error *err)
{
	char text[24];

	return error_set(err, ERROR_USAGE,
			 "the %.60s at %s has %" PRIu64 " bytes, but in a .gcdump an object has at "
			 "most %" PRIu64 ": save the heap as FILE.heaptop",
			 heap_type(h, n)->name, address_format(heap_address(h, n), text),
			 heap_size(h, n), largest);
}

/* Finds the first nonzero size for each type and size name; -1: none. */
static bool
find_sizes(const struct heap *h, int32_t *sizes, uint64_t largest, struct progress *progress,
	   struct error *err)
{
	for (size_t i = 0; i < (size_t)h->types_count * SIZE_NAMES; i++)
		sizes[i] = -1;
	for (node_id n = 0; n < h->nodes_count; n++) {
		uint64_t size = heap_size(h, n);
		int32_t *first = &sizes[(size_t)heap_type_of(h, n) * SIZE_NAMES];

		if (size > largest)
			return refuse_size(h, n, largest, err);
		if (size > (uint64_t)size_names[1].above)
			first += size_name_of(size);
		if (*first <= 0)
			*first = (int32_t)size;
		if (n % CHUNK_NODES == 0 && !progress_add(progress, 0))
			return error_cancelled(err);
	}
	return true;
}

/* Unused types that the file has anyway, or that were a pseudo-node's. */
static bool
is_left_out(const struct type *type)
{
	return !type->count &&
	       (!strcmp(type->raw, "UNDEFINED") || gcdump_name_is_pseudo(type->raw));
}

static void
add_types(struct gcdump_table *t, type_id id, const int32_t *sizes)
{
	bool is_unused = !t->heap->types[id].count;

	for (int i = 0; i < SIZE_NAMES; i++) {
		if (sizes[i] < 0 && (i || !is_unused))
			continue;
		t->types[t->types_count++] = (struct gcdump_row){
			.id = id,
			.size = sizes[i],
			.high = i + 1 < SIZE_NAMES ? size_names[i + 1].above : INT32_MAX,
			.suffix = size_names[i].suffix,
		};
	}
}

static bool
make_types(struct gcdump_table *t, uint64_t largest, struct progress *progress, struct error *err)
{
	const struct heap *h = t->heap;
	size_t count = (size_t)h->types_count * SIZE_NAMES;
	int32_t *sizes = memory_new(count, sizeof(*sizes), err);
	bool is_good = false;

	t->types = sizes ? memory_new(count + 1, sizeof(*t->types), err) : NULL;
	t->starts = memory_new(h->types_count, sizeof(*t->starts), err);
	if (t->types && t->starts && find_sizes(h, sizes, largest, progress, err)) {
		t->types[t->types_count++] = (struct gcdump_row){
			.id = TYPE_NONE,
		};
		for (type_id id = 0; id < h->types_count; id++) {
			t->starts[id] = t->types_count;
			if (!is_left_out(&h->types[id]))
				add_types(t, id, sizes + (size_t)id * SIZE_NAMES);
		}
		is_good = true;
	}
	memory_free(sizes);
	return is_good;
}

const char *
gcdump_table_name(const struct gcdump_table *t, uint32_t type, const char **suffix,
		  const char **module)
{
	const struct gcdump_row *row = &t->types[type];

	*suffix = *module = "";
	if (row->id == TYPE_NONE)
		return "UNDEFINED";
	*suffix = row->suffix;
	*module = t->heap->types[row->id].module;
	return t->heap->types[row->id].raw;
}

void
gcdump_table_put(const struct gcdump_table *t, struct serializer *s)
{
	for (uint32_t i = 0; i < t->types_count; i++) {
		const char *suffix, *module;
		const char *name = gcdump_table_name(t, i, &suffix, &module);

		serializer_strings(s, name, suffix);
		serializer_i32(s, t->types[i].size);
		serializer_strings(s, module, "");
	}
}

bool
gcdump_table_init(struct gcdump_table *t, const struct heap *h, uint64_t largest,
		  struct progress *progress, struct error *err)
{
	*t = (struct gcdump_table){ .heap = h };
	return make_types(t, largest, progress, err);
}

void
gcdump_table_clear(struct gcdump_table *t)
{
	memory_free(t->types);
	memory_free(t->starts);
	*t = (struct gcdump_table){ 0 };
}
