#include "io/gcdump/write.h"
#include "io/gcdump/records.h"
#include "io/gcdump/serialization.h"
#include <inttypes.h>

enum { VERSION = 10, OLDEST_READER = 8 };

const struct gcdump_limits gcdump_limits = {
	.nodes = INT32_MAX,
	.records_bytes = INT32_MAX,
	.file_bytes = UINT32_MAX,
	.object_bytes = INT32_MAX,
};

static uint32_t
nodes_count(const struct gcdump_records *w)
{
	return w->groups.count + w->heap->nodes_count;
}

static void
put_types(struct gcdump_records *w)
{
	serializer_i32(&w->s, (int32_t)(w->table.types_count + w->groups.count));
	gcdump_table_put(&w->table, &w->s);
	for (uint32_t i = 0; i < w->groups.count; i++) {
		serializer_string(&w->s, w->groups.groups[i].name);
		serializer_i32(&w->s, 0);
		serializer_string(&w->s, NULL);
	}
}

/* Writes up to the number of nodes. */
static void
put_head(struct gcdump_records *w)
{
	uint32_t dump = 0, graph = 0;

	serializer_object(&w->s, "GCHeapDump", VERSION, OLDEST_READER, &dump);
	serializer_object(&w->s, "Graphs.MemoryGraph", 1, 0, &graph);
	serializer_i64(&w->s, (int64_t)w->heap->bytes_count);
	serializer_i32(&w->s, 0); /* the root */
	put_types(w);
}

/* A segment has ends for generations 0, 1, 2, LOH and POH. */
static bool
put_segment(struct gcdump_records *w, const struct range *r, uint32_t *label)
{
	if (r->generation > GEN_POH)
		return false;
	if (!label)
		return true;
	serializer_object(&w->s, "GCHeapDumpSegment", 1, 1, label);
	serializer_i64(&w->s, (int64_t)r->start);
	serializer_i64(&w->s, (int64_t)r->end);
	for (int gen = GEN_0; gen <= GEN_POH; gen++)
		serializer_i64(&w->s, gen == r->generation ? (int64_t)r->end : 0);
	serializer_end(&w->s);
	return true;
}

static void
put_segments(struct gcdump_records *w)
{
	const struct heap *h = w->heap;
	uint32_t info = 0, segment = 0;
	int32_t count = 0;
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < h->ranges_count; i++) {
		if (!put_segment(w, &h->ranges[i], NULL))
			continue;
		count++;
		bytes += h->ranges[i].end - h->ranges[i].start;
	}
	if (!count) {
		serializer_u8(&w->s, TAG_NULL);
		return;
	}
	serializer_object(&w->s, "DotNetHeapInfo", 0, 0, &info);
	serializer_i64(&w->s, (int64_t)bytes);
	serializer_i32(&w->s, count);
	for (uint32_t i = 0; i < h->ranges_count; i++)
		put_segment(w, &h->ranges[i], &segment);
	serializer_end(&w->s);
}

static int64_t
ticks_of(int64_t time)
{
	if (!time || time > (TICKS_MAX - TICKS_OF_1970) / TICKS_PER_SECOND ||
	    time < -TICKS_OF_1970 / TICKS_PER_SECOND)
		return 0;
	return TICKS_OF_1970 + time * TICKS_PER_SECOND;
}

/* How many objects each object of a type stands for, in a sampled dump. */
static void
put_multipliers(struct gcdump_records *w)
{
	const struct heap *h = w->heap;

	if (!h->info.is_sampled) {
		serializer_i32(&w->s, 0);
		return;
	}
	serializer_i32(&w->s, (int32_t)(w->table.types_count + w->groups.count));
	for (uint32_t i = 0; i < w->table.types_count; i++) {
		type_id id = w->table.types[i].id;

		serializer_f32(&w->s, id < h->types_count ? h->types[id].multiplier : 1);
	}
	for (uint32_t i = 0; i < w->groups.count; i++)
		serializer_f32(&w->s, 1);
}

/* An unknown multiplier is 1. */
static float
multiplier(double value)
{
	return value > 0 ? (float)value : 1;
}

/* Writes all after the addresses. */
static void
put_tail(struct gcdump_records *w)
{
	const struct heap_info *info = &w->heap->info;
	uint32_t forward;

	serializer_u8(&w->s, TAG_BYTE);
	serializer_u8(&w->s, info->is_64bit);
	serializer_end(&w->s);
	serializer_u8(&w->s, info->is_64bit);
	serializer_f32(&w->s, multiplier(info->count_multiplier));
	serializer_f32(&w->s, multiplier(info->size_multiplier));
	serializer_u8(&w->s, TAG_NULL); /* no JavaScript */
	put_segments(w);
	serializer_string(&w->s, info->log);
	serializer_i64(&w->s, ticks_of(info->time));
	serializer_string(&w->s, info->machine);
	serializer_string(&w->s, info->process);
	serializer_i32(&w->s, info->pid);
	serializer_i64(&w->s, (int64_t)info->commit_bytes);
	serializer_i64(&w->s, (int64_t)info->working_set_bytes);
	put_multipliers(w);
	serializer_u8(&w->s, TAG_SKIP_REGION);
	serializer_i32(&w->s, 0);
	serializer_u8(&w->s, TAG_NULL); /* no COM data */
	forward = (uint32_t)w->s.at;
	serializer_u8(&w->s, TAG_STRING);
	serializer_string(&w->s, "heaptop");
	serializer_end(&w->s);
	serializer_finish(&w->s, forward);
}

static bool
refuse(const char *what, uint64_t limit, uint64_t found, struct error *err)
{
	return error_set(err, ERROR_USAGE,
			 "a .gcdump can hold %" PRIu64 " %s, but this heap "
			 "needs %" PRIu64 ": save it as FILE.heaptop",
			 limit, what, found);
}

/*
 * Checks before the first byte is written. The records are measured exactly only if an upper bound
 * exceeds the limits.
 */
static bool
check_limits(struct gcdump_records *w, const struct gcdump_limits *limits, struct error *err)
{
	const struct heap *h = w->heap;
	uint64_t nodes = (uint64_t)w->groups.count + h->nodes_count;
	uint64_t refs = h->refs_count + h->roots_count + w->groups.count;
	uint64_t file;

	if (nodes > limits->nodes)
		return refuse("objects", limits->nodes, nodes, err);
	w->len = GCDUMP_UNDEFINED_BYTES + nodes * GCDUMP_RECORD_MAX + refs * SERIALIZER_CI_BYTES;
	serializer_begin(&w->s, NULL);
	put_head(w);
	put_tail(w);
	file = w->s.at + 12 + nodes * 12;
	if (w->len > limits->records_bytes || file + w->len > limits->file_bytes) {
		w->is_measuring = true;
		if (!gcdump_records_place(w, err))
			return false;
		w->is_measuring = false;
	}
	if (w->len > limits->records_bytes)
		return refuse("bytes of records", limits->records_bytes, w->len, err);
	file += w->len;
	return file <= limits->file_bytes || refuse("bytes", limits->file_bytes, file, err);
}

static bool
write_all(struct gcdump_records *w, struct output *to, const struct gcdump_limits *limits,
	  struct error *err)
{
	if (!gcdump_groups_init(&w->groups, w->heap, err))
		return false;
	w->first = w->groups.count;
	progress_begin(w->progress, "writing", "objects", (uint64_t)w->heap->nodes_count * 3);
	if (!check_limits(w, limits, err))
		return false;
	serializer_begin(&w->s, to);
	put_head(w);
	serializer_i32(&w->s, (int32_t)nodes_count(w));
	if (!gcdump_records_place(w, err))
		return false;
	serializer_i32(&w->s, (int32_t)w->len);
	if (!gcdump_records_put(w, err))
		return false;
	serializer_i32(&w->s, (int32_t)nodes_count(w));
	if (!gcdump_records_put_addresses(w, err))
		return false;
	put_tail(w);
	return true;
}

bool
gcdump_write_within(struct output *to, const struct heap *h, const struct gcdump_limits *limits,
		    struct progress *progress, struct error *err)
{
	struct gcdump_records *w;
	bool is_good;

	if (!h->has_objects)
		return error_set(err, ERROR_USAGE,
				 "a .gcdump consists of objects, and this heap has none");
	w = memory_new(1, sizeof(*w), err);
	if (!w)
		return false;
	w->heap = h;
	w->progress = progress;
	w->s.to = to;
	is_good = gcdump_table_init(&w->table, h, limits->object_bytes, progress, err) &&
		  write_all(w, to, limits, err);
	serializer_flush(&w->s);
	/* output_close() reports errors of the disk. */
	if (!output_ok(to)) {
		error_clear(err);
		is_good = true;
	}
	gcdump_groups_clear(&w->groups);
	gcdump_table_clear(&w->table);
	memory_free(w);
	return is_good;
}

bool
gcdump_write(struct output *to, const struct heap *h, struct progress *progress, struct error *err)
{
	return gcdump_write_within(to, h, &gcdump_limits, progress, err);
}

const char *
gcdump_write_warning(const struct heap *h)
{
	return h->weak_count ? "weak handles are left out: a .gcdump cannot hold them" : NULL;
}
