#include "io/gcdump/info.h"
#include "model/base/sorted.h"
#include <inttypes.h>
#include <math.h>

enum {
	VERSION_KNOWN = 10,
	SEGMENT_MIN_BYTES = 55,
	GENERATIONS = 5,
	RCW_BYTES = 40,
	CCW_BYTES = 32,
	INTERFACE_BYTES = 33,
	MODULE_MIN_BYTES = 20
};

struct reading {
	struct serialization *s;
	struct heap_builder *builder;
	struct arena *scratch;
	struct gcdump_info *info;
};

bool
gcdump_info_check_version(const struct slot *slot, struct error *err)
{
	int32_t v = slot->version;

	if (v <= 3 || v == 8)
		return error_set(err, ERROR_INPUT,
				 "version %" PRId32 " of the format cannot be read: heaptop knows "
				 "4 to 7, 9 and 10; try: dotnet-gcdump report FILE",
				 v);
	if (slot->oldest_reader > VERSION_KNOWN)
		return error_set(err, ERROR_INPUT,
				 "the file was written for readers of version "
				 "%" PRId32 " and later; heaptop knows %d. Use a newer heaptop, or "
				 "try: dotnet-gcdump report FILE",
				 slot->oldest_reader, VERSION_KNOWN);
	return true;
}

/* --- segments --- */

struct segment {
	uint64_t start, end, ends[GENERATIONS];
};

static bool
segment_read(struct serialization *s, struct segment *segment)
{
	struct bytes *b = &s->bytes;
	struct slot slot;

	*segment = (struct segment){ 0 };
	if (!serialization_slot(s, &slot, "a segment"))
		return false;
	if (slot.kind != SLOT_OBJECT)
		return true;
	segment->start = bytes_u64(b, "a segment's start");
	segment->end = bytes_u64(b, "a segment's end");
	for (int gen = 0; gen < GENERATIONS; gen++) {
		if (gen < 4 || slot.version >= 1)
			segment->ends[gen] = bytes_u64(b, "the end of a generation");
	}
	return serialization_end(s, "a segment");
}

/* Ranges in ascending order; adjacent ranges of a generation are merged. */
struct ranges {
	struct heap_builder *builder;
	uint64_t start, end;
	enum generation generation;
};

static bool
ranges_flush(struct ranges *r, struct error *err)
{
	return r->start >= r->end ||
	       heap_builder_range(r->builder, r->start, r->end, r->generation, -1, err);
}

static bool
ranges_add(struct ranges *r, uint64_t start, uint64_t end, enum generation generation,
	   struct error *err)
{
	if (start < r->end)
		start = r->end; /* overlaps the range before */
	if (start >= end)
		return true;
	if (start == r->end && generation == r->generation) {
		r->end = end;
		return true;
	}
	if (!ranges_flush(r, err))
		return false;
	r->start = start;
	r->end = end;
	r->generation = generation;
	return true;
}

/* An address is in the first generation, from 4 down, that ends after it. */
static bool
segment_add(const struct segment *segment, struct ranges *r, struct error *err)
{
	static const enum generation generations[GENERATIONS] = { GEN_0, GEN_1, GEN_2, GEN_LOH,
								  GEN_POH };
	uint64_t at = segment->start;

	for (int gen = GENERATIONS - 1; gen >= 0; gen--) {
		uint64_t end = segment->ends[gen];

		if (end > segment->end)
			end = segment->end;
		if (end <= at)
			continue;
		if (!ranges_add(r, at, end, generations[gen], err))
			return false;
		at = end;
	}
	return ranges_add(r, at, segment->end, GEN_UNKNOWN, err);
}

static bool
segments_add(struct heap_builder *b, struct segment *segments, uint32_t count, struct error *err)
{
	struct ranges ranges = { .builder = b };

	SORT_BY(segments, count, start);
	for (uint32_t i = 0; i < count; i++) {
		if (!segment_add(&segments[i], &ranges, err))
			return false;
	}
	return ranges_flush(&ranges, err);
}

/* `uses` false: skips the segments of old versions. */
static bool
segments_read(struct reading *r, bool uses, struct error *err)
{
	struct bytes *b = &r->s->bytes;
	uint32_t count = bytes_count(b, uses ? SEGMENT_MIN_BYTES : 1, "the number of segments");
	struct segment *segments = arena_array(r->scratch, struct segment, uses ? count : 1, err);

	if (!segments)
		return false;
	for (uint32_t i = 0; i < count && bytes_ok(b); i++) {
		if (!segment_read(r->s, &segments[uses ? i : 0]))
			return true;
	}
	return !uses || !bytes_ok(b) || segments_add(r->builder, segments, count, err);
}

static bool
dotnet_read(struct reading *r, struct error *err)
{
	struct slot slot;

	if (!serialization_slot(r->s, &slot, "the segments") || slot.kind != SLOT_OBJECT)
		return true;
	bytes_skip(&r->s->bytes, 8, "the size of all segments");
	if (!segments_read(r, true, err))
		return false;
	serialization_end(r->s, "the segments");
	return true;
}

/* --- other data --- */

static void
javascript_skip(struct reading *r)
{
	struct slot slot;

	if (serialization_slot(r->s, &slot, "the JavaScript heap") && slot.kind == SLOT_OBJECT)
		serialization_end(r->s, "the JavaScript heap");
}

static void
interop_skip(struct reading *r)
{
	struct bytes *b = &r->s->bytes;
	struct slot slot;
	uint32_t modules;
	uint64_t bytes;

	bytes_skip(b, 4, "the COM data");
	if (!serialization_slot(r->s, &slot, "the COM data") || slot.kind != SLOT_OBJECT)
		return;
	if (bytes_i32(b, "the number of COM objects") != 0) {
		bytes = (uint64_t)bytes_count(b, 1, "the number of RCWs") * RCW_BYTES;
		bytes += (uint64_t)bytes_count(b, 1, "the number of CCWs") * CCW_BYTES;
		bytes += (uint64_t)bytes_count(b, 1, "the number of interfaces") * INTERFACE_BYTES;
		modules = bytes_count(b, MODULE_MIN_BYTES, "the number of modules");
		bytes_skip(b, bytes, "the COM data");
		for (uint32_t i = 0; i < modules && bytes_ok(b); i++) {
			bytes_skip(b, 16, "a COM module");
			serialization_skip_string(r->s, "a COM module's name");
		}
	}
	serialization_end(r->s, "the COM data");
}

/* Log, time, machine, process: the same in all versions. */
static void
origin_read(struct reading *r)
{
	struct heap_info *info = heap_builder_info(r->builder);
	struct arena *a = heap_builder_arena(r->builder);
	struct bytes *b = &r->s->bytes;
	const char *process;
	int64_t ticks;

	info->log = serialization_string(r->s, a, "the collector's log");
	ticks = bytes_i64(b, "the time");
	if (ticks > 0 && ticks <= TICKS_MAX)
		info->time = (ticks - TICKS_OF_1970) / TICKS_PER_SECOND;
	info->machine = serialization_string(r->s, a, "the machine's name");
	process = serialization_string(r->s, a, "the process's name");
	info->pid = bytes_i32(b, "the pid");
	info->commit_bytes = bytes_u64(b, "the commit size");
	info->working_set_bytes = bytes_u64(b, "the working set");
	/* Without a pid PerfView calls every process "Idle". */
	if (info->pid)
		info->process = process;
}

static void
multipliers_read(struct reading *r)
{
	struct bytes *b = &r->s->bytes;
	uint32_t count = bytes_count(b, 4, "the number of multipliers");

	r->info->multipliers = bytes_array_take(b, count, 4, "multipliers");
}

bool
gcdump_is_multiplier(double value)
{
	return value > 0 && value <= 1e9;
}

static double
multiplier_read(struct bytes *b)
{
	float value = bytes_f32(b, "an average multiplier");

	return gcdump_is_multiplier((double)value) ? (double)value : 1;
}

static bool
version_9_read(struct reading *r, struct error *err)
{
	struct heap_info *info = heap_builder_info(r->builder);
	struct bytes *b = &r->s->bytes;

	info->is_64bit = bytes_u8(b, "the 64-bit flag") != 0;
	info->count_multiplier = multiplier_read(b);
	info->size_multiplier = multiplier_read(b);
	javascript_skip(r);
	if (!dotnet_read(r, err))
		return false;
	origin_read(r);
	multipliers_read(r);
	if (serialization_has_tag(r->s, TAG_SKIP_REGION))
		interop_skip(r);
	if (serialization_has_tag(r->s, TAG_STRING))
		info->tool =
		    serialization_string(r->s, heap_builder_arena(r->builder), "the tool's name");
	return true;
}

static bool
version_4_read(struct reading *r, struct error *err)
{
	struct bytes *b = &r->s->bytes;
	int32_t version = r->info->version;

	bytes_skip(b, 3 * 8 + 1, "the sizes");
	if (version >= 5)
		origin_read(r);
	if (version >= 6 && !segments_read(r, false, err))
		return false;
	if (version >= 7)
		heap_builder_info(r->builder)->is_64bit = bytes_u8(b, "the 64-bit flag") != 0;
	return true;
}

static bool
version_read(struct reading *r, struct error *err)
{
	bool *is_64bit = &heap_builder_info(r->builder)->is_64bit;
	bool has_own = serialization_has_tag(r->s, TAG_BYTE), own = false;
	bool is_good = true;

	if (has_own)
		own = bytes_u8(&r->s->bytes, "the 64-bit flag") != 0;
	serialization_end(r->s, "the graph");
	if (r->info->version >= 9)
		is_good = version_9_read(r, err);
	else if (r->info->version)
		is_good = version_4_read(r, err);
	if (r->info->version)
		serialization_end(r->s, "the dump");
	/* The dump may have an outdated copy; the graph's own flag counts. */
	if (has_own)
		*is_64bit = own;
	return is_good;
}

bool
gcdump_info_read(struct gcdump_info *info, struct serialization *s, struct heap_builder *b,
		 struct arena *scratch, struct error *err)
{
	struct reading r = { s, b, scratch, info };
	struct error *err_before = s->bytes.err;
	struct error damage;
	bool is_good;

	error_clear(&damage);
	s->bytes.err = &damage;
	is_good = version_read(&r, err);
	s->bytes.err = err_before;
	if (is_good && damage.kind == ERROR_SYSTEM) {
		*err = damage;
		return false;
	}
	if (!is_good || (damage.kind == ERROR_NONE && s->has_tail))
		return is_good;
	if (damage.kind == ERROR_NONE)
		return heap_builder_warning(
		    b, err,
		    "the labels at the end of the file are damaged; everything else is complete");
	heap_builder_info(b)->losses.missing_bytes += s->bytes.missing_bytes;
	return heap_builder_warning(b, err,
				    "all objects were read, but the end of the file is damaged: %s",
				    damage.message);
}
