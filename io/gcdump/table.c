#include "io/gcdump/table.h"
#include "io/gcdump/roots.h"
#include "io/gcdump/types.h"
#include "model/base/sorted.h"
#include <inttypes.h>

/* --- which type an object has --------------------------------------------- */

uint32_t
gcdump_table_odd(const struct gcdump_table *t, node_id n, uint32_t otherwise)
{
	const struct gcdump_odd *odd = t->origin->odd;
	uint32_t at;

	LOWER_BOUND(at, 0, t->origin->odd_count, odd[at].id < n);
	return at < t->origin->odd_count && odd[at].id == n ? odd[at].type
							    : otherwise;
}

/* Has objects, by its bounds; of the heap's types others are for nothing. */
static bool
is_for_objects(const struct gcdump_table *t, uint32_t type)
{
	return t->types[type].id < t->heap->types_count &&
	       t->types[type].low <= t->types[type].high;
}

/*
 * Rows of one type are in the order of their bounds; not more than there are
 * names for sizes, as others have no objects (types_bound() in types.c).
 */
static void
rows_insert(struct gcdump_table *t, uint32_t type, uint32_t *count)
{
	uint32_t *row = &t->rows[t->starts[t->types[type].id]];
	uint32_t at = (*count)++;

	for (; at && t->types[row[at - 1]].low > t->types[type].low; at--)
		row[at] = row[at - 1];
	row[at] = type;
}

static bool
index_types(struct gcdump_table *t, struct error *err)
{
	uint32_t types_count = t->heap->types_count;
	uint32_t *counts = memory_new(types_count, sizeof(*counts), err);

	t->starts =
	    memory_new((size_t)types_count + 1, sizeof(*t->starts), err);
	t->rows = memory_new(t->types_count, sizeof(*t->rows), err);
	if (counts && t->starts && t->rows) {
		for (uint32_t i = 0; i < t->types_count; i++)
			if (is_for_objects(t, i))
				t->starts[t->types[i].id + 1]++;
		for (uint32_t i = 0; i < types_count; i++)
			t->starts[i + 1] += t->starts[i];
		for (uint32_t i = 0; i < t->types_count; i++)
			if (is_for_objects(t, i))
				rows_insert(t, i, &counts[t->types[i].id]);
	}
	memory_free(counts);
	return counts && t->starts && t->rows;
}

/* --- a table of our own ----------------------------------------------------
 */

static int
size_name_of(uint64_t size)
{
	int i = 0;

	while (i + 1 < GCDUMP_SIZE_NAMES &&
	       size > (uint64_t)gcdump_size_names[i + 1].above)
		i++;
	return i;
}

static bool
refuse_size(const struct heap *h, node_id n, uint64_t largest,
	    struct error *err)
{
	char text[24];

	return error_set(err, ERROR_USAGE,
			 "the %.60s at %s has %" PRIu64 " bytes, and in a "
			 ".gcdump an object has at most %" PRIu64
			 ": keep the heap as FILE.heaptop",
			 heap_type(h, n)->name,
			 address_format(heap_address(h, n), text),
			 heap_size(h, n), largest);
}

/* Of each type and name for sizes the first size that is not 0; -1: none. */
static bool
find_sizes(const struct heap *h, int32_t *sizes, uint64_t largest,
	   struct progress *progress, struct error *err)
{
	for (size_t i = 0; i < (size_t)h->types_count * GCDUMP_SIZE_NAMES; i++)
		sizes[i] = -1;
	for (node_id n = 0; n < h->nodes_count; n++) {
		uint64_t size = heap_size(h, n);
		int32_t *first =
		    &sizes[(size_t)heap_type_of(h, n) * GCDUMP_SIZE_NAMES];

		if (size > largest)
			return refuse_size(h, n, largest, err);
		if (size > (uint64_t)gcdump_size_names[1].above)
			first += size_name_of(size);
		if (*first <= 0)
			*first = (int32_t)size;
		if (n % CHUNK_NODES == 0 && !progress_add(progress, 0))
			return error_cancelled(err);
	}
	return true;
}

/* What every .gcdump has, or what was a pseudo-node's, is not the heap's. */
static bool
is_left_out(const struct type *type)
{
	return !type->count && (!strcmp(type->raw, "UNDEFINED") ||
				gcdump_name_is_pseudo(type->raw));
}

static void
add_types(struct gcdump_table *t, type_id id, const int32_t *sizes)
{
	bool is_unused = !t->heap->types[id].count;

	for (int i = 0; i < GCDUMP_SIZE_NAMES; i++) {
		if (sizes[i] < 0 && (i || !is_unused))
			continue;
		t->made[t->types_count++] = (struct gcdump_type){
			.id = id,
			.size = sizes[i],
			.low = i ? gcdump_size_names[i].above + 1 : 0,
			.high = i + 1 < GCDUMP_SIZE_NAMES
				    ? gcdump_size_names[i + 1].above
				    : INT32_MAX,
		};
	}
}

static bool
make_types(struct gcdump_table *t, uint64_t largest, struct progress *progress,
	   struct error *err)
{
	const struct heap *h = t->heap;
	size_t count = (size_t)h->types_count * GCDUMP_SIZE_NAMES;
	int32_t *sizes = memory_new(count, sizeof(*sizes), err);
	bool is_good = false;

	t->made = sizes ? memory_new(count + 1, sizeof(*t->made), err) : NULL;
	t->types = t->made;
	if (t->made && find_sizes(h, sizes, largest, progress, err)) {
		t->made[t->types_count++] = (struct gcdump_type){
			.id = TYPE_NONE,
			.name = NAME_UNDEFINED,
		};
		for (type_id id = 0; id < h->types_count; id++)
			if (!is_left_out(&h->types[id]))
				add_types(t, id,
					  sizes +
					      (size_t)id * GCDUMP_SIZE_NAMES);
		is_good = true;
	}
	memory_free(sizes);
	return is_good;
}

const char *
gcdump_table_name(const struct gcdump_table *t, uint32_t type,
		  const char **suffix, const char **module)
{
	const struct gcdump_type *row = &t->types[type];

	*suffix = *module = "";
	if (row->id == TYPE_NONE)
		return "UNDEFINED";
	for (int i = 1; i < GCDUMP_SIZE_NAMES; i++)
		if (row->low == gcdump_size_names[i].above + 1)
			*suffix = gcdump_size_names[i].suffix;
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

/* --- both -------------------------------------------------------------------
 */

bool
gcdump_table_init(struct gcdump_table *t, const struct heap *h,
		  const struct gcdump_origin *origin, uint64_t largest,
		  struct progress *progress, struct error *err)
{
	*t = (struct gcdump_table){ .heap = h, .origin = origin };
	if (origin) {
		t->types = origin->types;
		t->types_count = origin->types_count;
	} else if (!make_types(t, largest, progress, err)) {
		return false;
	}
	return index_types(t, err);
}

void
gcdump_table_clear(struct gcdump_table *t)
{
	memory_free(t->made);
	memory_free(t->starts);
	memory_free(t->rows);
	*t = (struct gcdump_table){ 0 };
}
