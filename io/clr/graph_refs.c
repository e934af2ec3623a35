#include "io/clr/graph_state.h"
#include "model/graph/flood.h"
#include "model/heap/bits.h"

enum {
	BLOCK_BYTES = 1 << 20,   /* copied at once if there is no view */
	TARGETS_MAX = 64 * 1024, /* buffered for one object */
	REPORT_NODES = 16 * 1024,
	PAGE_BYTES = 4096,
	COMPONENTS_AT = 8,
};

static bool
has_changed(struct error *err)
{
	return error_set(err, ERROR_INPUT, "the memory changed while it was being read");
}

/* --- bytes of the heap --- */

/* Makes the range around an address the current one; false: there is none. */
static bool
enter_range(struct clr_graph *g, struct clr_graph_worker *w, uint64_t address)
{
	const struct clr_range *range = clr_heaps_range_at(g->heaps, address);

	if (!range)
		return false;
	w->range = range;
	w->view = memory_view(g->memory, range->start, (size_t)(range->end - range->start));
	w->block_len = 0;
	return true;
}

/* Bytes at an address in the range: *len of `wanted`, possibly 0. */
static const uint8_t *
bytes_at(struct clr_graph *g, struct clr_graph_worker *w, uint64_t address, uint64_t wanted,
	 uint64_t *len)
{
	uint64_t left = w->range->end - address;

	if (wanted > left)
		wanted = left;
	*len = wanted;
	if (w->view)
		return w->view + (address - w->range->start);
	if (address < w->block_start || address - w->block_start > w->block_len ||
	    w->block_len - (address - w->block_start) < wanted) {
		if (left > BLOCK_BYTES)
			left = BLOCK_BYTES;
		w->block_start = address;
		w->block_len = memory_copy(g->memory, address, w->block, (size_t)left);
	}
	left = w->block_len - (address - w->block_start);
	if (*len > left)
		*len = left;
	return w->block + (address - w->block_start);
}

/* --- references of an object --- */

/* Where references go: only counted, buffered, or stored in the chunk. */
struct found {
	node_id *targets; /* NULL: counted, or stored at once */
	uint64_t count;
	bool is_stored, is_partial;
};

static void
note_bad_ref(const struct clr_graph *g, struct clr_graph_worker *w, uint64_t object,
	     uint64_t target, const struct clr_type *type)
{
	struct clr_bad_refs *bad = &w->bad_refs;
	unsigned at = bad->shown;

	if (g->doubtful && clr_range_is_unswept(g->heaps, w->range)) {
		bits_add(g->doubtful, w->node);
		w->stale_refs++;
		return;
	}
	bad->count++;
	if (at == BAD_REFS_SHOWN) {
		if (object >= bad->first[at - 1].object)
			return;
		at--;
	} else {
		bad->shown++;
	}
	while (at && bad->first[at - 1].object > object) {
		bad->first[at] = bad->first[at - 1];
		at--;
	}
	bad->first[at] = (struct clr_bad_ref){ object, target, type };
}

static inline void
add_target(struct clr_graph_worker *w, struct found *f, node_id target)
{
	if (f->targets)
		f->targets[f->count] = target;
	else if (f->is_stored)
		chunk_builder_ref(w->chunk, target);
	f->count++;
}

/* Follows a reference, if it is not null. */
static inline void
follow(struct clr_graph *g, struct clr_graph_worker *w, struct found *f, uint64_t object,
       uint64_t target, const struct clr_type *type)
{
	node_id id;

	if (!target)
		return;
	id = addresses_find_near(g->addresses, target, &w->page);
	if (id != NODE_NONE)
		add_target(w, f, id);
	else if (!f->is_stored)
		note_bad_ref(g, w, object, target, type);
}

/* Follows `count` references from `address` on. */
static void
follow_run(struct clr_graph *g, struct clr_graph_worker *w, struct found *f, uint64_t object,
	   uint64_t address, uint64_t count, const struct clr_type *type)
{
	while (count) {
		uint64_t len;
		const uint8_t *at = bytes_at(g, w, address, count * sizeof(uint64_t), &len);

		len /= sizeof(uint64_t);
		if (!len) { /* absent: continue on the next page */
			uint64_t skip = (PAGE_BYTES - address % PAGE_BYTES + 7) / 8;

			f->is_partial = true;
			len = skip < count ? skip : count;
			w->block_len = 0;
		} else {
			for (uint64_t i = 0; i < len; i++)
				follow(g, w, f, object, bytes_load_u64(at + 8 * i), type);
		}
		address += len * sizeof(uint64_t);
		count -= len;
	}
}

static void
follow_all(struct clr_graph *g, struct clr_graph_worker *w, struct found *f, uint64_t object,
	   uint64_t bytes, const struct clr_type *type)
{
	struct clr_refs_walk walk;
	uint64_t offset, count;

	if (type->loader_allocator)
		follow(g, w, f, object, type->loader_allocator, type);
	for (size_t i = w->link; i < g->links_count && g->links[i].from == object; i++)
		follow(g, w, f, object, g->links[i].to, type);
	clr_refs_begin(&walk, &type->refs, (bytes + 7) & ~UINT64_C(7));
	while (clr_refs_next(&walk, &offset, &count))
		follow_run(g, w, f, object, object + offset, count, type);
}

/* The number of dependent handles whose key is the object. */
static size_t
find_links(const struct clr_graph *g, struct clr_graph_worker *w, uint64_t object)
{
	size_t count = 0;

	while (w->link < g->links_count && g->links[w->link].from < object)
		w->link++;
	while (w->link + count < g->links_count && g->links[w->link + count].from == object)
		count++;
	return count;
}

/* An object has no more references than words and dependent handles. */
static bool
add_object(struct clr_graph *g, struct clr_graph_worker *w, uint64_t address, uint64_t bytes,
	   const struct clr_type *type, struct error *err)
{
	struct found f = { 0 };
	size_t links_count = find_links(g, w, address);

	if (bytes / sizeof(uint64_t) + links_count < TARGETS_MAX)
		f.targets = w->targets;
	if (type->refs.kind != CLR_REFS_NONE || type->loader_allocator || links_count)
		follow_all(g, w, &f, address, bytes, type);
	w->partial_count += f.is_partial;
	if (!chunk_builder_object(w->chunk, type->id, bytes, f.count, err))
		return false;
	if (f.targets) {
		for (uint64_t i = 0; i < f.count; i++)
			chunk_builder_ref(w->chunk, f.targets[i]);
	} else if (f.count) { /* too large to buffer: read again to store */
		struct found again = { .is_stored = true };

		follow_all(g, w, &again, address, bytes, type);
		if (again.count != f.count)
			return has_changed(err);
	}
	return true;
}

/* --- objects --- */

/* The type of a suspended call, which is that of its method. */
static const struct clr_type *
type_of_call(struct clr_graph *g, struct clr_graph_worker *w, uint64_t address,
	     const struct clr_type *shape)
{
	uint32_t offset = g->runtime->layout.offset[CLR_CONTINUATION_RESUME_INFO];
	const uint8_t *at;
	uint64_t len;

	if (offset == CLR_ABSENT)
		return shape;
	at = bytes_at(g, w, address + offset, sizeof(uint64_t), &len);
	return len == sizeof(uint64_t)
		   ? clr_types_find_call(g->types, shape->method_table, bytes_load_u64(at))
		   : shape;
}

/* The object's type and size; NULL sets `err`. */
static const struct clr_type *
enter_object(struct clr_graph *g, struct clr_graph_worker *w, uint64_t address, uint64_t *bytes,
	     struct error *err)
{
	const struct clr_type *type = NULL;
	const uint8_t *at;
	uint64_t len;

	if ((!w->range || address < w->range->start || address >= w->range->end) &&
	    !enter_range(g, w, address))
		goto changed;
	at = bytes_at(g, w, address, 2 * sizeof(uint64_t), &len);
	if (len == 2 * sizeof(uint64_t))
		type =
		    clr_types_find_near(g->types, bytes_load_u64(at) & ~CLR_OBJECT_MARKS, &w->near);
	if (!type)
		goto changed;
	*bytes = type->base_bytes;
	if (type->component_bytes)
		*bytes += (uint64_t)type->component_bytes * bytes_load_u32(at + COMPONENTS_AT);
	if (*bytes <= w->range->end - address)
		return type->is_continuation ? type_of_call(g, w, address, type) : type;
changed:
	(void)has_changed(err);
	return NULL;
}

static bool
read_object(struct clr_graph *g, struct clr_graph_worker *w, uint64_t address, struct error *err)
{
	uint64_t bytes;
	const struct clr_type *type = enter_object(g, w, address, &bytes, err);

	return type && add_object(g, w, address, bytes, type, err);
}

static bool
read_chunk(void *context, uint64_t part, unsigned thread, struct error *err)
{
	struct clr_graph *g = context;
	struct clr_graph_worker *w = &g->workers[thread];
	const struct addresses *addresses = g->addresses;
	uint64_t first = part << CHUNK_SHIFT, end = first + CHUNK_NODES;
	struct addresses_scan scan;
	uint64_t address;

	if (end > addresses_count(addresses))
		end = addresses_count(addresses);
	chunk_builder_begin(w->chunk, (uint32_t)part);
	w->link = 0;
	addresses_scan_init(&scan, addresses, (node_id)first);
	for (uint64_t id = first; id < end; id++) {
		w->node = (node_id)id;
		if (!addresses_scan_next(&scan, &address) || !read_object(g, w, address, err))
			return false;
		if ((id + 1 == end || id % REPORT_NODES == 0) &&
		    !progress_add(g->options->progress,
				  id + 1 == end ? (end - first - 1) % REPORT_NODES : REPORT_NODES))
			return error_cancelled(err);
	}
	return chunk_builder_end(w->chunk, err);
}

static bool
start_workers(struct clr_graph *g, struct error *err)
{
	for (unsigned i = 0; i < g->workers_count; i++) {
		struct clr_graph_worker *w = &g->workers[i];

		w->chunk = chunk_builder_new(g->builder, err);
		w->block = memory_new(1, BLOCK_BYTES, err);
		w->targets = memory_new(TARGETS_MAX, sizeof(*w->targets), err);
		if (!w->chunk || !w->block || !w->targets)
			return false;
	}
	return true;
}

static void
stop_workers(struct clr_graph *g)
{
	for (unsigned i = 0; i < g->workers_count; i++) {
		struct clr_graph_worker *w = &g->workers[i];

		chunk_builder_free(w->chunk);
		memory_free(w->block);
		memory_free(w->targets);
	}
}

bool
clr_graph_refs(struct clr_graph *g, struct error *err)
{
	uint64_t count;
	bool is_good;

	g->addresses = heap_builder_addresses(g->builder);
	count = addresses_count(g->addresses);
	if (g->heaps->state == CLR_STATE_SWEEPING) {
		g->doubtful = memory_new(bits_words((uint32_t)count), sizeof(*g->doubtful), err);
		if (!g->doubtful)
			return false;
	}
	progress_begin(g->options->progress, "following references", "objects", count);
	is_good = heap_builder_objects(g->builder, err) && start_workers(g, err) &&
		  worker_run_all(g->workers_count, (count + CHUNK_NODES - 1) >> CHUNK_SHIFT,
				 read_chunk, g, err);
	stop_workers(g);
	return is_good;
}

/* --- stale references --- */

/* Follows the references of a live object again: if bad, they are not stale. */
static bool
recheck_object(struct clr_graph *g, struct clr_graph_worker *w, uint64_t address, struct error *err)
{
	struct found f = { 0 };
	uint64_t bytes;
	const struct clr_type *type = enter_object(g, w, address, &bytes, err);

	if (!type)
		return false;
	(void)find_links(g, w, address);
	follow_all(g, w, &f, address, bytes, type);
	return true;
}

static bool
recheck_objects(struct clr_graph *g, const struct heap *h, const uint64_t *doubtful,
		const uint64_t *live, struct error *err)
{
	struct clr_graph_worker *w = &g->workers[0];
	size_t words = bits_words(h->nodes_count);

	w->link = 0;
	w->range = NULL;
	for (size_t i = 0; i < words; i++) {
		uint64_t left = doubtful[i] & live[i];

		if (left && progress_is_cancelled(g->options->progress))
			return error_cancelled(err);
		for (; left; left &= left - 1) {
			unsigned bit = (unsigned)__builtin_ctzll(left);
			node_id n = (node_id)(i * 64 + bit);

			if (!recheck_object(g, w, heap_address(h, n), err))
				return false;
		}
	}
	return true;
}

/* g->doubtful is NULL by now, so bad references are no longer taken as stale. */
static bool
recheck_live(struct clr_graph *g, const uint64_t *doubtful, struct error *err)
{
	const struct heap *h = heap_builder_gather(g->builder, err);
	struct flood live = { 0 };
	bool is_good;

	if (!h)
		return false;
	progress_begin(g->options->progress, "checking stale references", "objects",
		       h->nodes_count);
	g->workers[0].block = memory_new(1, BLOCK_BYTES, err);
	is_good = g->workers[0].block && flood_init(&live, h, g->options->progress, err) &&
		  flood_add_roots(&live) && flood_run(&live) &&
		  recheck_objects(g, h, doubtful, live.seen, err);
	flood_clear(&live);
	memory_free(g->workers[0].block);
	return is_good;
}

uint64_t
clr_graph_bad_refs(const struct clr_graph *g)
{
	uint64_t count = 0;

	for (unsigned i = 0; i < g->workers_count; i++)
		count += g->workers[i].bad_refs.count;
	return count;
}

bool
clr_graph_recheck_refs(struct clr_graph *g, struct error *err)
{
	uint64_t *doubtful = g->doubtful, before = clr_graph_bad_refs(g);
	bool is_good;

	for (unsigned i = 0; i < g->workers_count; i++)
		g->stale_refs += g->workers[i].stale_refs;
	g->doubtful = NULL;
	is_good = !g->stale_refs || recheck_live(g, doubtful, err);
	memory_free(doubtful);
	g->stale_refs -= clr_graph_bad_refs(g) - before;
	return is_good;
}
