/*
 * Parts of a .gcdump file, from the outside in:
 *
 *   container       serialization.h   signature, objects, strings, labels
 *   GCHeapDump      info.h            origin, segments, sampling
 *   MemoryGraph     graph.h           tables of types, nodes and addresses
 *   type table      types.h           names; types of native programs
 *   node records    nodes.h           objects and their references
 *   pseudo-nodes    roots.h           roots
 * The entry object is a GCHeapDump whose first field is the graph, or the
 * graph alone.
 */
#include "io/base/input.h"
#include "io/gcdump/file.h"
#include "io/gcdump/gcdump.h"
#include "io/gcdump/info.h"
#include "io/gcdump/nodes.h"
#include "io/gcdump/roots.h"
#include "model/heap/root_gaps.h"
#include <inttypes.h>
#include <math.h>

struct loading {
	struct serialization s;
	struct arena scratch;
	struct heap_builder *builder;
	struct gcdump_graph graph;
	struct gcdump_info info;
	struct gcdump_nodes nodes;
	const struct file_stamp *stamp; /* NULL: not from a file */
	const struct load_how *how;
};

/* --- tables and origin --- */

static bool
warn_about_cut(struct loading *l, struct error *err)
{
	const struct gcdump_graph *g = &l->graph;
	struct losses *losses = &heap_builder_info(l->builder)->losses;

	losses->missing_bytes += g->missing_bytes;
	return heap_builder_warning(
	    l->builder, err,
	    "the file was cut short: at least %" PRIu64 " bytes are missing; it has %" PRIu64
	    " bytes of records and %" PRIu64 " of %" PRIu32 " addresses",
	    g->missing_bytes, g->records.count, g->addresses.count, g->nodes_count);
}

/* Reads the graph and the info behind it. */
static bool
read_graph(struct loading *l, const struct slot *slot, struct error *err)
{
	if (slot->kind != SLOT_OBJECT || strcmp(slot->type, "Graphs.MemoryGraph") != 0)
		return error_at(err, slot->label, "a graph is expected here instead of \"%s\"",
				slot->kind == SLOT_OBJECT ? slot->type : "nothing");
	if (!gcdump_graph_read(&l->graph, &l->s, slot->oldest_reader, l->builder, &l->scratch,
			       l->how->progress, err))
		return false;
	if (l->graph.is_cut)
		return warn_about_cut(l, err);
	return gcdump_info_read(&l->info, &l->s, l->builder, &l->scratch, err);
}

static bool
read_dump(struct loading *l, const struct slot *entry, struct error *err)
{
	struct heap_info *info = heap_builder_info(l->builder);
	struct slot slot;

	if (!gcdump_info_check_version(entry, err))
		return false;
	l->info.version = entry->version;
	info->format =
	    arena_printf(heap_builder_arena(l->builder), err, "gcdump %" PRId32, entry->version);
	return info->format && serialization_slot(&l->s, &slot, "the graph") &&
	       read_graph(l, &slot, err);
}

static bool
read_bare_graph(struct loading *l, const struct slot *entry, struct error *err)
{
	heap_builder_info(l->builder)->format = "gcdump, graph only";
	return read_graph(l, entry, err);
}

static bool
read_tables(struct loading *l, struct error *err)
{
	struct slot slot;

	if (!serialization_slot(&l->s, &slot, "the file's first object"))
		return false;
	if (slot.kind == SLOT_OBJECT && !strcmp(slot.type, "GCHeapDump"))
		return read_dump(l, &slot, err);
	if (slot.kind == SLOT_OBJECT && !strcmp(slot.type, "Graphs.MemoryGraph"))
		return read_bare_graph(l, &slot, err);
	return error_at(err, slot.label, "the file contains a \"%s\", not a heap dump", slot.type);
}

/* --- missing roots --- */

static bool
is_numbered_type(const char *name)
{
	return !strncmp(name, "Type(0x", 7) || !strncmp(name, "ArrayType(0x", 12);
}

/* Our own writer has the sentence about the missing roots in its log. */
static bool
log_has_gaps(const struct heap_info *info)
{
	char gaps[ROOT_GAPS_TEXT_BYTES];
	struct losses native = { 0 };

	root_gaps_add_native_aot(&native);
	return info->log && strstr(info->log, root_gaps_text(&native, gaps));
}

/* In dumps of Native AOT, writers make up names for types, which have none. */
static void
find_root_gaps(struct loading *l)
{
	const struct type *types = heap_builder_types(l->builder);
	uint32_t count = heap_builder_types_count(l->builder);
	uint32_t used = 0, numbers = 0;

	for (type_id t = 0; t < count; t++) {
		used += types[t].count > 0;
		numbers += types[t].count && is_numbered_type(types[t].raw);
	}
	if (numbers > used / 2 || log_has_gaps(heap_builder_info(l->builder)))
		root_gaps_add_native_aot(&heap_builder_info(l->builder)->losses);
}

/* --- sampled dumps --- */

static float
multiplier_of(const struct bytes_array *multipliers, uint32_t type)
{
	uint32_t bits;
	float value;

	if (type >= multipliers->count)
		return 1;
	bits = bytes_array_u32(multipliers, type);
	memcpy(&value, &bits, sizeof(value));
	return gcdump_is_multiplier((double)value) ? value : 1;
}

/*
 * `Foo` and `Foo (Bytes > 10K)` are one type here, but have a multiplier each: the common one is
 * chosen so that the sum of bytes is right.
 */
static bool
apply_multipliers(struct loading *l, struct error *err)
{
	const struct gcdump_graph *g = &l->graph;
	const struct type *types = heap_builder_types(l->builder);
	uint32_t types_count = heap_builder_types_count(l->builder);
	double *sums = memory_new(types_count, sizeof(*sums), err);

	if (!sums)
		return false;
	progress_begin(l->how->progress, "weighing the sample", "objects", g->nodes_count);
	for (uint32_t i = 0; i < g->nodes_count; i++) {
		struct gcdump_node node;

		if (gcdump_graph_node(g, i, &node) == GCDUMP_OBJECT && node.size > 0)
			sums[g->types[node.type].id] +=
			    (double)node.size *
			    (double)multiplier_of(&l->info.multipliers, node.type);
		if (i % CHUNK_NODES == 0 && !progress_add(l->how->progress, i ? CHUNK_NODES : 0)) {
			memory_free(sums);
			return error_cancelled(err);
		}
	}
	for (type_id t = 0; t < types_count; t++) {
		if (types[t].bytes)
			heap_builder_type_multiplier(l->builder, t,
						     (float)(sums[t] / (double)types[t].bytes));
	}
	memory_free(sums);
	return true;
}

static bool
read_sampling(struct loading *l, struct error *err)
{
	struct heap_info *info = heap_builder_info(l->builder);

	if (!l->info.multipliers.count)
		return true;
	info->is_sampled = true;
	return apply_multipliers(l, err) &&
	       heap_builder_warning(
		   l->builder, err,
		   "this dump is a sample: each object stands for %.3g on average, and its bytes "
		   "for %.3g times as many; objects and paths are only those in the sample",
		   info->count_multiplier, info->size_multiplier);
}

/* --- damage --- */

static const char *
damage_of(const struct loading *l)
{
	if (l->graph.is_cut)
		return "the file was cut short";
	if (l->nodes.damaged_count || l->nodes.damaged_refs || l->nodes.negative_count)
		return "some of the file's objects are damaged";
	return NULL;
}

/* --- nodes --- */

static bool
warn_about_sizes(struct loading *l, struct error *err)
{
	const struct gcdump_nodes *n = &l->nodes;

	if (n->negative_count &&
	    !heap_builder_warning(l->builder, err,
				  "negative sizes count as 0; objects with one: %" PRIu64,
				  n->negative_count))
		return false;
	if (l->graph.is_cut || n->damaged_count || n->negative_count ||
	    (uint64_t)l->graph.total_bytes == n->bytes_count)
		return true;
	return heap_builder_warning(l->builder, err,
				    "the file records %" PRId64
				    " bytes of objects, but they have %" PRIu64,
				    l->graph.total_bytes, n->bytes_count);
}

/* Checks for the memory of the ids while reading, and of the heap. */
static bool
has_room(const struct loading *l, struct error *err)
{
	uint64_t count = l->graph.nodes_count;

	return l->how->what == LOAD_TYPES ||
	       heap_builder_fits(count, count * 9 + l->graph.records.count / 4 * 3, err);
}

static bool
read_nodes(struct loading *l, struct error *err)
{
	l->nodes = (struct gcdump_nodes){
		.graph = &l->graph,
		.builder = l->builder,
		.progress = l->how->progress,
		.preview = l->how->preview,
	};
	if (!has_room(l, err) || !gcdump_nodes_tally(&l->nodes, l->how->what == LOAD_ALL, err) ||
	    !read_sampling(l, err) || !warn_about_sizes(l, err))
		return false;
	find_root_gaps(l);
	if (l->how->what == LOAD_TYPES)
		return true;
	return gcdump_nodes_number(&l->nodes, err) && gcdump_nodes_encode(&l->nodes, err) &&
	       gcdump_roots_read(&l->graph, l->nodes.ids, l->builder, l->how->progress, err) &&
	       gcdump_file_keep(l->stamp, damage_of(l), l->builder, err);
}

static bool
read_all(struct loading *l, const uint8_t *data, size_t len, struct error *err)
{
	struct heap_info *info = heap_builder_info(l->builder);

	info->source =
	    arena_strndup(heap_builder_arena(l->builder), l->how->path, strlen(l->how->path), err);
	return info->source && serialization_open(&l->s, data, len, err) && read_tables(l, err) &&
	       read_nodes(l, err);
}

const struct heap *
gcdump_read(const uint8_t *data, size_t len, const struct file_stamp *stamp,
	    const struct load_how *how, struct error *err)
{
	struct loading l = { .stamp = stamp, .how = how, .builder = heap_builder_new(err) };
	const struct heap *heap = NULL;
	bool is_good;

	if (!l.builder)
		return NULL;
	arena_init(&l.scratch, 0);
	is_good = read_all(&l, data, len, err);
	gcdump_nodes_clear(&l.nodes);
	arena_clear(&l.scratch);
	if (is_good) {
		heap = heap_builder_finish(l.builder, err);
		l.builder = NULL;
	}
	heap_builder_free(l.builder);
	return heap;
}

/* --- the source --- */

static const struct heap *
load(struct input *in, const struct load_how *how, struct error *err)
{
	if (!input_complete(in, how->progress, err))
		return NULL;
	return gcdump_read(in->data, in->len, &in->stamp, how, err);
}

const struct source source_gcdump = {
	.name = "gcdump",
	.help = "heap dumps by dotnet-gcdump and PerfView",
	.accepts = serialization_accepts,
	.load = load,
};
