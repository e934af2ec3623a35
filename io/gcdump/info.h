#ifndef IO_GCDUMP_INFO_H
#define IO_GCDUMP_INFO_H

/*
 * Data of a .gcdump ("GCHeapDump") besides the graph. It follows the graph, which ends with an
 * optional 08 u8 (is 64-bit) and 06:
 *
 *
 *   version 9 and later                 version 4 to 7
 *   f32  average count multiplier       u8      is complete
 *   f32  average count multiplier       u8      is everything there
 *   f32  average size multiplier          5 and later
 *   obj  JSHeapInfo, empty              string  collector's log
 *   obj  DotNetHeapInfo:                i64     ticks
 *          i64 size, i32 n, n × obj     string  machine, process
 *          GCHeapDumpSegment: u64       i32     pid
 *          start, end, ends of gen 0    i64 ×2  commit, working set
 *          to 3 (and 4: version 1)        6 and later
 *   string collector's log              i32     n, n × GCHeapDumpSegment
 *   i64  ticks, local time                7 and later
 *   string machine, process             u8      is 64-bit
 *   i32  pid
 *   i64  commit, i64 working set
 *   i32  n, n × f32 count multipliers by type: a sampled dump
 *   0C i32 obj  InteropInfo: i32 total; if not 0: i32 ×4 counts of records
 *          of 40, 32, 33 bytes and of modules (16 bytes, string)
 *   0D string  the tool that wrote it
 */
#include "io/gcdump/graph.h"

struct gcdump_info {
	int32_t version;                /* 0: only a graph */
	struct bytes_array multipliers; /* f32 by type; none: not sampled */
};

/* Fails for versions that cannot be read. */
bool gcdump_info_check_version(const struct slot *slot, struct error *err) MUST_USE;
/*
 * Reads from the end of the graph's tables to the end of the file, into the builder's info and
 * ranges. Damage loses only what it hits, with a warning.
 */
bool gcdump_info_read(struct gcdump_info *info, struct serialization *s, struct heap_builder *b,
		      struct arena *scratch, struct error *err) MUST_USE;

/* Is it a plausible number of objects for one of a sample to stand for? */
bool gcdump_is_multiplier(double value);

#endif
