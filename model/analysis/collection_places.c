#include "model/analysis/collection_others.h"
#include <string.h>

/* --- reading fields ------------------------------------------------------ */

static bool
look_up(const struct collection *c, node_id n, const char *path, struct content_field *f,
	struct error *err)
{
	const struct heap_memory *m = c->heap->memory;

	return m->contents->field(m->source, n, path, f, err);
}

/* Reads a number that must not be negative. */
static bool
read_count(const struct collection *c, node_id n, const char *path, uint64_t *out,
	   struct error *err)
{
	int64_t number;

	*out = 0;
	if (!contents_integer(c->heap, n, path, &number, err) || number < 0)
		return false;
	*out = (uint64_t)number;
	return true;
}

/* Reads the array that a field refers to, and the layout of its elements. */
static bool
read_array(const struct collection *c, node_id n, const char *path, node_id *array,
	   struct content_field *element, struct error *err)
{
	return contents_reference(c->heap, n, path, array, err) && *array != NODE_NONE &&
	       heap_type(c->heap, *array)->flags & TYPE_ARRAY &&
	       look_up(c, *array, "", element, err);
}

/* Locate a key or value in the elements of an array. */
static bool
part_in_array(struct collection_part *part, const struct collection *c, node_id array,
	      struct error *err)
{
	struct content_field whole, f;

	if (!look_up(c, array, "", &whole, err) || !look_up(c, array, part->path, &f, err))
		return false;
	part->array = array;
	part->row = f.row;
	part->rows_count = f.rows_count;
	part->element_rows = whole.rows_count;
	part->kind = f.kind;
	return true;
}

static bool
part_in_node(struct collection_part *part, const struct collection *c, node_id node,
	     struct error *err)
{
	struct content_field f;

	if (!part->path)
		return true;
	if (!look_up(c, node, part->path, &f, err))
		return false;
	part->array = NODE_NONE;
	part->row = f.row;
	part->rows_count = f.rows_count;
	part->kind = f.kind;
	return true;
}

/* Checks a node with an element: its method table must be that of the first node. */
static bool
take_node(struct collection *c, node_id node, struct error *err)
{
	uint64_t table = contents_table(c->heap, node);

	if (c->places_count)
		return table && table == c->nodes_table;
	c->nodes_table = table;
	return part_in_node(&c->parts[PART_KEY], c, node, err) &&
	       part_in_node(&c->parts[PART_VALUE], c, node, err);
}

static bool
open_nodes(struct collection *c)
{
	c->has_nodes = true;
	return c->count <= c->heap->nodes_count;
}

/* --- arrays without holes ------------------------------------------------- */

static bool
open_array(struct collection *c, struct error *err)
{
	struct content_field element;
	node_id array;

	if (!read_array(c, c->node, c->kind->array, &array, &element, err))
		return false;
	if (!c->kind->used)
		c->count = element.count;
	else if (!read_count(c, c->node, c->kind->used, &c->count, err))
		return false;
	else
		c->capacity = element.count;
	return c->count <= element.count && part_in_array(&c->parts[PART_VALUE], c, array, err);
}

static bool
open_stack(struct collection *c, struct error *err)
{
	c->is_backwards = true;
	if (!open_array(c, err))
		return false;
	c->first = c->count ? c->count - 1 : 0;
	return true;
}

static bool
open_queue(struct collection *c, struct error *err)
{
	if (!open_array(c, err) || !read_count(c, c->node, "_head", &c->first, err))
		return false;
	c->ring = c->capacity;
	return c->first < c->capacity || !c->count;
}

/* Opens a part of an array. The highest bit of `start` only means that the array is pinned. */
static bool
open_part(struct collection *c, const char *start, const char *length, struct error *err)
{
	int64_t first;

	if (!open_array(c, err) || !contents_integer(c->heap, c->node, start, &first, err))
		return false;
	c->first = (uint64_t)first & INT32_MAX;
	c->ring = c->count;
	return read_count(c, c->node, length, &c->count, err) && c->count <= c->ring &&
	       c->first <= c->ring - c->count;
}

static bool
open_segment(struct collection *c, struct error *err)
{
	return open_part(c, "_offset", "_count", err);
}

static bool
open_memory(struct collection *c, struct error *err)
{
	return open_part(c, "_index", "_length", err);
}

static bool
open_sorted_list(struct collection *c, struct error *err)
{
	struct content_field element;
	node_id keys;

	return open_array(c, err) && read_array(c, c->node, "keys", &keys, &element, err) &&
	       c->count <= element.count && part_in_array(&c->parts[PART_KEY], c, keys, err);
}

/* Finds the array with the elements; frozen collections of integers keep them in a hash table. */
static bool
read_frozen(const struct collection *c, const char *name, node_id *array,
	    struct content_field *element, struct error *err)
{
	return read_array(c, c->node, name, array, element, err) ||
	       (err->kind == ERROR_NONE &&
		read_array(c, c->node, "_hashTable.HashCodes", array, element, err));
}

static bool
open_frozen_set(struct collection *c, struct error *err)
{
	struct content_field element;
	node_id items;

	if (!read_frozen(c, c->kind->array, &items, &element, err))
		return false;
	c->count = element.count;
	return part_in_array(&c->parts[PART_VALUE], c, items, err);
}

static bool
open_frozen_dictionary(struct collection *c, struct error *err)
{
	struct content_field key;
	node_id keys;

	return open_array(c, err) && read_frozen(c, "_keys", &keys, &key, err) &&
	       c->count == key.count && part_in_array(&c->parts[PART_KEY], c, keys, err);
}

/* --- tables with holes ---------------------------------------------------- */

/* Opens a table; it has no array before it gets its first element. */
static bool
open_table(struct collection *c, const char *next, struct error *err)
{
	struct content_field element;
	uint64_t used, unused;
	node_id entries;

	if (!read_count(c, c->node, c->kind->used, &used, err) ||
	    !read_count(c, c->node, c->kind->freed, &unused, err) || unused > used ||
	    !contents_reference(c->heap, c->node, c->kind->array, &entries, err))
		return false;
	if (entries == NODE_NONE)
		return !used;
	if (!read_array(c, c->node, c->kind->array, &entries, &element, err) ||
	    used > element.count || !look_up(c, entries, next, &c->link, err) ||
	    c->link.kind != CONTENT_VALUE || c->link.literal != LITERAL_INT32 ||
	    (c->kind->key && !part_in_array(&c->parts[PART_KEY], c, entries, err)) ||
	    !part_in_array(&c->parts[PART_VALUE], c, entries, err))
		return false;
	c->capacity = element.count;
	c->link.count = used;
	c->count = used - unused;
	return true;
}

static bool
open_dictionary(struct collection *c, struct error *err)
{
	return open_table(c, "next", err);
}

static bool
open_set(struct collection *c, struct error *err)
{
	return open_table(c, "Next", err);
}

/* Finds the next entry; a removed one has a `next` below -1. */
static bool
next_entry(struct collection *c, uint64_t *place, bool *is_end, struct error *err)
{
	int64_t next;

	(void)err;
	for (*is_end = false; c->cursor < c->link.count; c->cursor++) {
		uint64_t at = c->link.address + c->cursor * c->link.stride;

		if (!contents_read_integer(c->heap, at, LITERAL_INT32, &next))
			break;
		if (next < -1)
			continue;
		*place = c->cursor++;
		return true;
	}
	*is_end = true;
	return true;
}

/* Opens a table whose buckets have a key each or are free. */
static bool
open_hashtable(struct collection *c, struct error *err)
{
	struct content_field element;

	if (!read_count(c, c->node, c->kind->used, &c->count, err) ||
	    !read_array(c, c->node, c->kind->array, &c->gone, &element, err) ||
	    c->count > element.count || !look_up(c, c->gone, c->kind->key, &c->link, err) ||
	    c->link.kind != CONTENT_REFERENCE)
		return false;
	c->capacity = c->link.count = element.count;
	return part_in_array(&c->parts[PART_KEY], c, c->gone, err) &&
	       part_in_array(&c->parts[PART_VALUE], c, c->gone, err);
}

static bool
next_hashed(struct collection *c, uint64_t *place, bool *is_end, struct error *err)
{
	node_id key;

	(void)err;
	for (*is_end = false; c->cursor < c->link.count; c->cursor++) {
		uint64_t at = c->link.address + c->cursor * c->link.stride;

		if (!contents_read_reference(c->heap, at, &key))
			break;
		if (key == NODE_NONE || key == c->gone)
			continue;
		*place = c->cursor++;
		return true;
	}
	*is_end = true;
	return true;
}

/* --- nodes ---------------------------------------------------------------- */

static bool
open_linked(struct collection *c, struct error *err)
{
	return read_count(c, c->node, "count", &c->count, err) &&
	       contents_reference(c->heap, c->node, "head", &c->next, err) &&
	       (c->next != NODE_NONE) == (c->count > 0) && open_nodes(c);
}

/* Follows a field to the next node; fails only if reading sets an error. */
static bool
follow(struct collection *c, node_id node, const char *path, node_id *out, struct error *err)
{
	return contents_reference(c->heap, node, path, out, err) || err->kind == ERROR_NONE;
}

static bool
next_linked(struct collection *c, uint64_t *place, bool *is_end, struct error *err)
{
	*is_end = c->next == NODE_NONE;
	if (*is_end)
		return true;
	*place = c->next;
	return take_node(c, c->next, err) && follow(c, c->next, "next", &c->next, err);
}

/* Pushes a node and its chain of left descendants; the last one is the lowest. */
static bool
push_lowest(struct collection *c, node_id node, struct error *err)
{
	while (node != NODE_NONE && c->stack_count < TREE_DEPTH_MAX) {
		node_id left;

		if (!follow(c, node, c->left, &left, err))
			return false;
		/* Immutable trees end in nodes without an element. */
		if (c->has_ends && left == NODE_NONE)
			return true;
		c->stack[c->stack_count++] = node;
		node = left;
	}
	/* A balanced tree is never this deep: the nodes are damaged. */
	if (node != NODE_NONE)
		c->stack_count = 0;
	return true;
}

static bool
open_tree(struct collection *c, node_id set, struct error *err)
{
	node_id root;

	c->left = "Left";
	c->right = "Right";
	return read_count(c, set, "count", &c->count, err) &&
	       contents_reference(c->heap, set, "root", &root, err) &&
	       (root != NODE_NONE) == (c->count > 0) && open_nodes(c) && push_lowest(c, root, err);
}

static bool
open_sorted_set(struct collection *c, struct error *err)
{
	return open_tree(c, c->node, err);
}

static bool
open_sorted_dictionary(struct collection *c, struct error *err)
{
	node_id set;

	return contents_reference(c->heap, c->node, "_set", &set, err) && set != NODE_NONE &&
	       open_tree(c, set, err);
}

/* A collection without a count of its own has it in its root node. */
static bool
open_immutable(struct collection *c, struct error *err)
{
	const char *count = c->kind->used ? c->kind->used : "_count";
	node_id root;

	c->left = "_left";
	c->right = "_right";
	c->has_ends = true;
	return contents_reference(c->heap, c->node, c->kind->array, &root, err) &&
	       root != NODE_NONE &&
	       read_count(c, c->kind->used ? c->node : root, count, &c->count, err) &&
	       open_nodes(c) && push_lowest(c, root, err);
}

static bool
next_in_tree(struct collection *c, uint64_t *place, bool *is_end, struct error *err)
{
	node_id node, right;

	*is_end = !c->stack_count;
	if (*is_end)
		return true;
	node = c->stack[--c->stack_count];
	*place = node;
	return take_node(c, node, err) && follow(c, node, c->right, &right, err) &&
	       push_lowest(c, right, err);
}

/* Adds up the counts of elements, of which the table has one for each lock. */
static bool
count_parts(struct collection *c, node_id tables, struct error *err)
{
	struct content_field part;
	node_id counts;

	if (!read_array(c, tables, "_countPerLock", &counts, &part, err) ||
	    part.literal != LITERAL_INT32)
		return false;
	for (uint64_t i = 0; i < part.count; i++) {
		int64_t count;

		if (!contents_read_integer(c->heap, part.address + i * part.stride, LITERAL_INT32,
					   &count) ||
		    count < 0)
			return false;
		c->count += (uint64_t)count;
	}
	return true;
}

static bool
open_concurrent(struct collection *c, struct error *err)
{
	node_id tables, buckets;

	c->next = NODE_NONE;
	if (!contents_reference(c->heap, c->node, "_tables", &tables, err) || tables == NODE_NONE ||
	    !count_parts(c, tables, err) ||
	    !read_array(c, tables, "_buckets", &buckets, &c->bucket, err) || !open_nodes(c))
		return false;
	c->capacity = c->bucket.count;
	return c->bucket.kind == CONTENT_REFERENCE ||
	       (look_up(c, buckets, "_node", &c->bucket, err) &&
		c->bucket.kind == CONTENT_REFERENCE);
}

static bool
next_in_bucket(struct collection *c, uint64_t *place, bool *is_end, struct error *err)
{
	const struct content_field *b = &c->bucket;

	while (c->next == NODE_NONE && c->cursor < b->count)
		if (!contents_read_reference(c->heap, b->address + c->cursor++ * b->stride,
					     &c->next))
			break;
	*is_end = c->next == NODE_NONE;
	if (*is_end)
		return true;
	*place = c->next;
	return take_node(c, c->next, err) && follow(c, c->next, "_next", &c->next, err);
}

/* --- wrappers ------------------------------------------------------------ */

/* Follows wrappers to the array or collection with the elements. */
static bool
open_wrapper(struct collection *c, struct error *err)
{
	node_id held;

	for (int i = 0; i < WRAPPERS_MAX; i++) {
		if (!contents_reference(c->heap, c->node, c->kind->array, &held, err) ||
		    held == NODE_NONE)
			return false;
		if (heap_type(c->heap, held)->flags & TYPE_ARRAY)
			return !c->kind->key && open_array(c, err);
		c->node = held;
		if (!collection_take_kind(c))
			return false;
		if (c->kind->open != open_wrapper)
			return c->kind->open(c, err);
	}
	return false;
}

/* clang-format off */
static const struct collection_kind collection_kinds[] = {
	/* type                                                            key          value          array            used        freed          open                      next             rows                      noun */
	{ "System.Collections.Generic.List<",                              NULL,        "",            "_items",        "_size",    NULL,          open_array,               NULL,            NULL,                     NULL },
	{ "System.Collections.Generic.Stack<",                             NULL,        "",            "_array",        "_size",    NULL,          open_stack,               NULL,            NULL,                     NULL },
	{ "System.Collections.Generic.Queue<",                             NULL,        "",            "_array",        "_size",    NULL,          open_queue,               NULL,            NULL,                     NULL },
	{ "System.Collections.Generic.PriorityQueue<",                     NULL,        "",            "_nodes",        "_size",    NULL,          open_array,               NULL,            NULL,                     NULL },
	{ "System.Collections.Generic.SortedList<",                        "",          "",            "values",        "_size",    NULL,          open_sorted_list,         NULL,            NULL,                     NULL },
	{ "System.Collections.Generic.Dictionary<",                        "key",       "value",       "_entries",      "_count",   "_freeCount",  open_dictionary,          next_entry,      NULL,                     NULL },
	{ "System.Collections.Generic.HashSet<",                           NULL,        "Value",       "_entries",      "_count",   "_freeCount",  open_set,                 next_entry,      NULL,                     NULL },
	{ "System.Collections.Generic.LinkedList<",                        NULL,        "item",        NULL,            NULL,       NULL,          open_linked,              next_linked,     NULL,                     NULL },
	{ "System.Collections.Generic.SortedSet<",                         NULL,        "Item",        NULL,            NULL,       NULL,          open_sorted_set,          next_in_tree,    NULL,                     NULL },
	{ "System.Collections.Generic.SortedDictionary<",                  "Item.key",  "Item.value",  NULL,            NULL,       NULL,          open_sorted_dictionary,   next_in_tree,    NULL,                     NULL },
	{ "System.Collections.Concurrent.ConcurrentDictionary<",           "_key",      "_value",      NULL,            NULL,       NULL,          open_concurrent,          next_in_bucket,  NULL,                     NULL },
	{ "System.Collections.ArrayList",                                  NULL,        "",            "_items",        "_size",    NULL,          open_array,               NULL,            NULL,                     NULL },
	{ "System.Collections.Hashtable",                                  "key",       "val",         "_buckets",      "_count",   NULL,          open_hashtable,           next_hashed,     NULL,                     NULL },
	{ "System.Collections.Immutable.ImmutableArray<",                  NULL,        "",            "array",         NULL,       NULL,          open_array,               NULL,            NULL,                     NULL },
	{ "System.Collections.Immutable.ImmutableList<",                   NULL,        "_key",        "_root",         NULL,      NULL,          open_immutable,           next_in_tree,    NULL,                     NULL },
	{ "System.Collections.Immutable.ImmutableSortedSet<",              NULL,        "_key",        "_root",         NULL,      NULL,          open_immutable,           next_in_tree,    NULL,                     NULL },
	{ "System.Collections.Immutable.ImmutableSortedDictionary<",       "_key",      "_value",      "_root",         "_count",  NULL,          open_immutable,           next_in_tree,    NULL,                     NULL },
	{ "System.Collections.Immutable.ImmutableHashSet<",                NULL,        "_value._firstValue","_root",         "_count",  NULL,          open_immutable,           next_in_tree,    NULL,                     NULL },
	{ "System.Collections.Immutable.ImmutableDictionary<",             "_value._firstValue.key","_value._firstValue.value","_root",         "_count",  NULL,          open_immutable,           next_in_tree,    NULL,                     NULL },
	{ "System.Collections.Frozen.*FrozenSet",                          NULL,        "",            "_items",        NULL,      NULL,          open_frozen_set,          NULL,            NULL,                     NULL },
	{ "System.Collections.Frozen.*FrozenDictionary",                   "",          "",            "_values",       NULL,      NULL,          open_frozen_dictionary,   NULL,            NULL,                     NULL },
	{ "System.ArraySegment<",                                          NULL,        "",            "_array",        NULL,       NULL,          open_segment,             NULL,            NULL,                     NULL },
	{ "System.Memory<",                                                NULL,        "",            "_object",       NULL,       NULL,          open_memory,              NULL,            NULL,                     NULL },
	{ "System.ReadOnlyMemory<",                                        NULL,        "",            "_object",       NULL,       NULL,          open_memory,              NULL,            NULL,                     NULL },
	{ "System.Collections.ObjectModel.Collection<",                    NULL,        "",            "items",         NULL,       NULL,          open_wrapper,             NULL,            NULL,                     NULL },
	{ "System.Collections.ObjectModel.ObservableCollection<",          NULL,        "",            "items",         NULL,       NULL,          open_wrapper,             NULL,            NULL,                     NULL },
	{ "System.Collections.ObjectModel.ReadOnlyCollection<",            NULL,        "",            "list",          NULL,       NULL,          open_wrapper,             NULL,            NULL,                     NULL },
	{ "System.Collections.ObjectModel.ReadOnlyObservableCollection<",  NULL,        "",            "list",          NULL,       NULL,          open_wrapper,             NULL,            NULL,                     NULL },
	{ "System.Collections.ObjectModel.ReadOnlyDictionary<",            "",          "",            "m_dictionary",  NULL,       NULL,          open_wrapper,             NULL,            NULL,                     NULL },
	{ "System.Collections.ObjectModel.ReadOnlySet<",                   NULL,        "",            "_set",          NULL,       NULL,          open_wrapper,             NULL,            NULL,                     NULL },
	{ "System.Text.StringBuilder",                                     NULL,        NULL,          NULL,            NULL,       NULL,          collection_open_builder,  NULL,            collection_builder_rows,  "text" },
};
/* clang-format on */
static const size_t collection_kinds_count = sizeof(collection_kinds) / sizeof(collection_kinds[0]);

/* Returns true if `wanted` is "A.*B" and the name begins like "A.OneB_Two". */
static bool
is_kind_of(const char *name, const char *wanted, size_t star)
{
	const char *found;

	if (strncmp(name, wanted, star) != 0)
		return false;
	found = strstr(name + star, wanted + star + 1);
	return found && found < name + strcspn(name, "<[");
}

/* Returns true if the whole name fits: "A.B<" fits neither A.B<X>[] nor A.B<X>+Entry. */
static bool
is_whole(const char *name, const char *wanted)
{
	size_t len = strlen(wanted), star = strcspn(wanted, "*");
	int open = 0;

	if (star < len ? !is_kind_of(name, wanted, star) : strncmp(name, wanted, len) != 0)
		return false;
	if (star == len && wanted[len - 1] != '<')
		return !name[len];
	for (const char *at = name + strcspn(name, "<["); *at; at++) {
		open += (*at == '<') - (*at == '>');
		if (!open)
			return *at == '>' && !at[1];
	}
	return star < len;
}

const struct collection_kind *
collection_kind_named(const char *raw)
{
	for (size_t i = 0; i < collection_kinds_count; i++)
		if (is_whole(raw, collection_kinds[i].type))
			return &collection_kinds[i];
	return NULL;
}

bool
collection_take_kind(struct collection *c)
{
	const struct type *t = heap_type(c->heap, c->node);

	c->kind =
	    strncmp(type_module_file(t), "System.", 7) == 0 ? collection_kind_named(t->raw) : NULL;
	if (!c->kind)
		return false;
	c->parts[PART_KEY].path = c->kind->key;
	c->parts[PART_VALUE].path = c->kind->value;
	return true;
}

/* --- finding elements ---------------------------------------------------- */

static bool
add_place(struct collection *c, uint64_t place, struct error *err)
{
	return APPEND(c->places, c->places_count, c->places_room, err, place);
}

bool
collection_find(struct collection *c, uint64_t wanted, struct error *err)
{
	while (c->kind->next && c->places_count < wanted) {
		uint64_t place = 0;
		bool is_end;

		if (!c->kind->next(c, &place, &is_end, err)) {
			if (err->kind == ERROR_SYSTEM)
				return false;
			error_clear(err);
			is_end = true;
		}
		if (is_end) {
			c->is_short = true;
			c->count = c->places_count;
			return true;
		}
		if (!add_place(c, place, err))
			return false;
	}
	return true;
}

uint64_t
collection_place(const struct collection *c, uint64_t index)
{
	if (c->kind->next)
		return c->places[index];
	if (c->is_backwards)
		return c->first - index;
	if (!c->ring)
		return index;
	return (c->first + index) % c->ring;
}
