/*
 * The collections of a program as a table: how many elements each has, and the bytes of places that
 * hold none. Heaps read from memory have them. Each collection of the heap is opened, a few
 * microseconds, but its elements are not searched: the count is what the collection claims.
 */
#include "model/analysis/collection_places.h"
#include "model/table/object_columns.h"
#include "model/analysis/tables.h"

enum { OBJECTS_A_STEP = 4096 };

enum storage { IN_ARRAY, IN_ENTRIES, IN_NODES };
static const char *const storages[] = {
	[IN_ARRAY] = "array",
	[IN_ENTRIES] = "keys and values",
	[IN_NODES] = "nodes",
};

struct collection_row {
	node_id node;
	uint8_t storage; /* enum storage */
	uint64_t count, capacity, wasted_bytes;
};

struct collections_made {
	struct collection_row *rows;
	size_t count, room;
};

/* Returns the bytes of one place in the array of a part; 0: unknown. */
static uint64_t
place_bytes(const struct collection *c, enum collection_part_kind part)
{
	const struct heap_memory *m = c->heap->memory;
	struct content_field element;
	struct error ignored = { 0 };

	return c->parts[part].array != NODE_NONE &&
		       m->contents->field(m->source, c->parts[part].array, "", &element, &ignored)
		   ? element.stride
		   : 0;
}

/* Keys have an array of their own, or are in that of the values. */
static uint64_t
wasted_bytes(const struct collection *c)
{
	uint64_t bytes;

	if (c->has_nodes || c->capacity <= c->count)
		return 0;
	bytes = place_bytes(c, PART_VALUE);
	if (c->kind->key && c->parts[PART_KEY].array != c->parts[PART_VALUE].array)
		bytes += place_bytes(c, PART_KEY);
	return bytes * (c->capacity - c->count);
}

static bool
add(struct collections_made *m, const struct heap *h, node_id n, struct error *err)
{
	struct collection *c = collection_open(h, n, err);
	struct collection_row row = { .node = n };

	if (!c) {
		/* `fields` shows what is damaged. */
		if (err->kind == ERROR_INPUT)
			error_clear(err);
		return err->kind == ERROR_NONE;
	}
	row.count = c->count;
	row.capacity = c->capacity;
	row.wasted_bytes = wasted_bytes(c);
	row.storage = c->has_nodes ? IN_NODES : c->kind->key ? IN_ENTRIES : IN_ARRAY;
	collection_close(c);
	return APPEND(m->rows, m->count, m->room, err, row);
}

/* Marks the types that are collections with elements. */
static uint8_t *
find_types(const struct heap *h, struct error *err)
{
	uint8_t *are = memory_new((size_t)h->types_count + 1, sizeof *are, err);

	for (type_id t = 0; are && t < h->types_count; t++) {
		const struct collection_kind *kind = collection_kind_named(h->types[t].raw);

		are[t] = kind && !kind->noun;
	}
	return are;
}

static bool
make(void *made, const struct facts *f, const struct subject *about, struct progress *progress,
     struct error *err)
{
	const struct heap *h = f->heap;
	uint8_t *are = find_types(h, err);
	bool ok = are != NULL;

	(void)about;
	progress_begin(progress, "opening collections", "objects", h->nodes_count);
	for (node_id n = 0; ok && n < h->nodes_count; n++) {
		if (!(n % OBJECTS_A_STEP) && !progress_add(progress, OBJECTS_A_STEP))
			ok = error_cancelled(err);
		else if (are[heap_type_of(h, n)])
			ok = add(made, h, n, err);
	}
	memory_free(are);
	return ok;
}

static void
clear(void *made)
{
	struct collections_made *m = made;

	memory_free(m->rows);
}

/* --- cells --------------------------------------------------------------- */

/* Nodes need no places, and not every collection tells how many it has. */
static void
cell_capacity(const struct cells *in, const struct row *row, struct value *out)
{
	const struct collections_made *m = in->rows;
	const struct collection_row *r = &m->rows[row->data];

	if (r->capacity || !r->count)
		value_count(out, r->capacity);
	else
		value_blank(out);
}

static void
cell_full(const struct cells *in, const struct row *row, struct value *out)
{
	const struct collections_made *m = in->rows;
	const struct collection_row *r = &m->rows[row->data];

	if (r->capacity && r->count <= r->capacity)
		value_share(out, r->count, r->capacity);
	else
		value_blank(out);
}

/* clang-format off */
static const struct column columns[] = {
	/* id         title       width sorts  cell                                                     help                                                   rank flags needs */
	{ "count",    "Count",    11,   DOWN,  COUNT_AT(struct collection_row, count),                  "its elements",                                        0, 0, 0 },
	{ "capacity", "Capacity", 11,   DOWN,  CELL(VALUE_COUNT, cell_capacity),                        "the elements that it has places for",                 1, 0, 0 },
	{ "full",     "Full",     7,    UP,    CELL(VALUE_SHARE, cell_full),                            "share of the places that hold an element",            2, 0, 0 },
	{ "wasted",   "Wasted",   11,   DOWN,  BYTES_AT(struct collection_row, wasted_bytes),           "bytes of the places that hold none",                  0, COLUMN_ADDS, 0 },
	{ "storage",  "Storage",  -15,  UP,    WORD_AT(STYLE_DIM, storages, struct collection_row, storage), "where its elements are: array, keys and values, or nodes", 4, 0, 0 },
	{ "retained", "Retained", 11,   DOWN,  OBJECT_RETAINED,                                         "bytes that would be freed with it",                   3, 0, NEED_RETAINED },
	ADDRESS_COLUMN(UP, 5, 0),
	TYPE_COLUMN(OBJECT_TYPE, UP, 0, 0),
	{ 0 },
};
/* clang-format on */

static const struct row_source rows = {
	.what = "opening collections",
	ROWS_IN(struct collections_made, rows, count),
	ROW_NODE(struct collection_row, node),
	.make = make,
	.clear = clear,
};

const struct table collections_table = {
	.name = "collections",
	.columns = columns,
	.heaps = OF_FIELDS,
	.contents = "collections",
	.needs = NEED_OBJECTS,
	.rows = &rows,
};
