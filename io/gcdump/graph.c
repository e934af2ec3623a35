#include "io/gcdump/graph.h"
#include "io/gcdump/roots.h"
#include "io/gcdump/types.h"
#include <inttypes.h>

/* How consistent the input is with one width of the two counts; last is best.
 */
enum verdict {
	VERDICT_BAD,  /* inconsistent */
	VERDICT_CUT,  /* truncated inside the records or later */
	VERDICT_ODD,  /* complete, but followed by something unknown */
	VERDICT_FULL, /* complete */
};

struct layout {
	struct serialization after; /* at the end of the graph's tables */
	struct bytes_array offsets, records, addresses;
	size_t records_at, deferred_at; /* 0: none */
	uint64_t missing_bytes;
};

static uint64_t
layout_count(struct bytes *b, unsigned width, size_t each, const char *what)
{
	return width == 8 ? bytes_count64(b, each, what) : bytes_count(b, each, what);
}

static enum verdict
layout_cut(struct layout *l, uint64_t missing_bytes)
{
	l->missing_bytes += missing_bytes;
	return VERDICT_CUT;
}

static enum verdict
layout_read_addresses(struct layout *l, unsigned width)
{
	struct bytes *b = &l->after.bytes;
	uint64_t nodes_count = l->offsets.count, count, left;

	if (bytes_left(b) < width)
		return layout_cut(l, width - bytes_left(b) + 8 * nodes_count);
	count = width == 8 ? bytes_u64(b, "the number of addresses")
			   : bytes_u32(b, "the number of addresses");
	if (count != nodes_count) {
		bytes_fail(b, b->at - width,
			   "there are %" PRIu64 " addresses for %" PRIu64 " objects", count,
			   nodes_count);
		return VERDICT_BAD;
	}
	left = bytes_left(b);
	if (left / 8 < count) {
		l->addresses = bytes_array_take(b, left / 8, 8, "addresses");
		return layout_cut(l, 8 * count - left);
	}
	l->addresses = bytes_array_take(b, count, 8, "addresses");
	if (!bytes_left(b))
		return layout_cut(l, 1);
	return b->data[b->at] == TAG_BYTE || b->data[b->at] == TAG_END ? VERDICT_FULL : VERDICT_ODD;
}

static enum verdict
layout_read(struct layout *l, const struct serialization *s, unsigned width, bool has_deferred,
	    struct error *err)
{
	struct bytes *b = &l->after.bytes;
	uint64_t count;
	int32_t len;

	*l = (struct layout){ .after = *s };
	b->err = err;
	count = layout_count(b, width, 4, "the number of objects");
	if (count > INT32_MAX)
		bytes_fail(b, s->bytes.at,
			   "the number of objects is %" PRIu64 ", more than the format allows",
			   count);
	l->offsets = bytes_array_take(b, count, 4, "the table of objects");
	len = bytes_i32(b, "the length of the objects' records");
	if (bytes_ok(b) && len < 0)
		bytes_fail(b, b->at - 4, "the length of the objects' records is %" PRId32, len);
	if (!bytes_ok(b))
		return VERDICT_BAD;
	l->records_at = b->at;
	if ((uint32_t)len > bytes_left(b)) {
		count = bytes_left(b);
		l->records = bytes_array_take(b, count, 1, "records");
		return layout_cut(l, (uint32_t)len - count + width + 8 * l->offsets.count);
	}
	l->records = bytes_array_take(b, (uint32_t)len, 1, "records");
	if (has_deferred) {
		l->deferred_at = b->at;
		if (!gcdump_deferred_skip(&l->after))
			return b->missing_bytes
				   ? layout_cut(l, b->missing_bytes + 8 * l->offsets.count)
				   : VERDICT_BAD;
	}
	return layout_read_addresses(l, width);
}

/*
 * The first node of nearly all files is described; offset 0 for it is rather the upper half of a
 * count of 8 bytes.
 */
static bool
layout_seems_wide(const struct layout *l)
{
	return l->offsets.count && !bytes_array_u32(&l->offsets, 0);
}

/*
 * Reads with counts of 4 bytes, and if that is inconsistent, of 8. In truncated files both may seem
 * consistent.
 */
static bool
layout_find(struct layout *l, const struct serialization *s, bool has_deferred, struct error *err)
{
	enum verdict verdict, verdict_wide;
	struct layout wide;
	struct error err_wide;

	error_clear(err);
	error_clear(&err_wide);
	verdict = layout_read(l, s, 4, has_deferred, err);
	if (verdict == VERDICT_FULL)
		return true;
	verdict_wide = layout_read(&wide, s, 8, has_deferred, &err_wide);
	if (verdict_wide > verdict || (verdict == VERDICT_CUT && layout_seems_wide(l))) {
		*l = wide;
		*err = err_wide;
		verdict = verdict_wide;
	}
	return verdict != VERDICT_BAD;
}

static void
graph_take_layout(struct gcdump_graph *g, struct serialization *s, const struct layout *l)
{
	struct error *err = s->bytes.err;

	*s = l->after;
	s->bytes.err = err;
	s->bytes.has_failed = false;
	g->nodes_count = (uint32_t)l->offsets.count;
	g->offsets = l->offsets;
	g->records = l->records;
	g->records_at = l->records_at;
	g->addresses = l->addresses;
	g->missing_bytes = l->missing_bytes;
	g->is_cut = l->missing_bytes > 0;
}

bool
gcdump_graph_read(struct gcdump_graph *g, struct serialization *s, int32_t oldest_reader,
		  struct heap_builder *b, struct arena *scratch, struct progress *progress,
		  struct error *err)
{
	struct gcdump_types types = { .scratch = scratch };
	struct bytes_array table;
	struct layout layout;
	struct error layout_err;

	*g = (struct gcdump_graph){ 0 };
	if (oldest_reader > 1)
		return error_set(err, ERROR_INPUT,
				 "the graph was written for readers of version %" PRId32
				 " and later; heaptop knows 0 and 1. Use a newer heaptop, or try: "
				 "dotnet-gcdump report FILE",
				 oldest_reader);
	g->total_bytes = bytes_i64(&s->bytes, "the total size");
	g->root = bytes_i32(&s->bytes, "the root");
	gcdump_types_skip(&types, s);
	if (!bytes_ok(&s->bytes))
		return false;
	table = (struct bytes_array){ s->bytes.data + types.at, s->bytes.at - types.at };
	if (!layout_find(&layout, s, oldest_reader >= 1, &layout_err)) {
		*err = layout_err;
		return false;
	}
	if (!gcdump_types_read(&types, s, layout.deferred_at, b, progress, err))
		return false;
	graph_take_layout(g, s, &layout);
	g->types = types.types;
	g->types_count = types.types_count;
	g->table = table;
	return true;
}
