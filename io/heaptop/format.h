#ifndef IO_HEAPTOP_FORMAT_H
#define IO_HEAPTOP_FORMAT_H

/* Constants shared by the writer and the reader: see heaptop-format(5). */
#include <stdint.h>

#define SAVED_MAGIC "\x89HEAP\r\n\x1a"
enum {
	SAVED_MAGIC_BYTES = 8,
	SAVED_HEADER_BYTES = 16, /* magic, version, least reader version, 0 */
	SAVED_VERSION = 1,
	SAVED_SECTION_BYTES = 40,
	SAVED_RATIO_MAX = 512, /* raw to stored bytes; the writer pads */
	SAVED_ROOTS_EACH = 65536,
	SAVED_WORDS_EACH = 131072,
	SAVED_INFO_BYTES = 8,    /* before each value */
	SAVED_DOMAIN_BYTES = 16, /* before its texts */
	SAVED_TYPE_BYTES = 48,
	SAVED_ROOT_BYTES = 16,
	SAVED_RANGE_BYTES = 24,
	SAVED_WEAK_BYTES = 8,
	SAVED_NODE_BYTES = 16,       /* before the columns of a chunk */
	SAVED_ENTRY_BYTES = 40,      /* of the directory */
	SAVED_FOOTER_BYTES = 48,     /* a head, and the directory's offset */
	SAVED_ALIGNED_BYTES = 65536, /* alignment of raw columns */
};

#define SAVED_KIND(a, b, c, d)                                                                     \
	((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)
#define SAVED_INFO  SAVED_KIND('I', 'N', 'F', 'O')
#define SAVED_TEXT  SAVED_KIND('T', 'E', 'X', 'T')
#define SAVED_TYPE  SAVED_KIND('T', 'Y', 'P', 'E')
#define SAVED_SIZE  SAVED_KIND('S', 'I', 'Z', 'E')
#define SAVED_GENS  SAVED_KIND('G', 'E', 'N', 'S')
#define SAVED_RANGE SAVED_KIND('R', 'A', 'N', 'G')
#define SAVED_WEAK  SAVED_KIND('W', 'E', 'A', 'K')
#define SAVED_ROOT  SAVED_KIND('R', 'O', 'O', 'T')
#define SAVED_PAGE  SAVED_KIND('P', 'A', 'G', 'E')
#define SAVED_BITS  SAVED_KIND('B', 'I', 'T', 'S')
#define SAVED_NODE  SAVED_KIND('N', 'O', 'D', 'E')
#define SAVED_DIRE  SAVED_KIND('D', 'I', 'R', 'E')
#define SAVED_END   SAVED_KIND('E', 'N', 'D', ' ')
/* Whole columns, instead of NODE. */
#define SAVED_PAD  SAVED_KIND('P', 'A', 'D', ' ')
#define SAVED_CTYP SAVED_KIND('C', 'T', 'Y', 'P')
#define SAVED_CSIZ SAVED_KIND('C', 'S', 'I', 'Z')
#define SAVED_CLRG SAVED_KIND('C', 'L', 'R', 'G')
#define SAVED_COFF SAVED_KIND('C', 'O', 'F', 'F')
#define SAVED_CREF SAVED_KIND('C', 'R', 'E', 'F')
#define SAVED_CBEG SAVED_KIND('C', 'B', 'E', 'G')
/* Derived data. */
#define SAVED_DERI SAVED_KIND('D', 'E', 'R', 'I')
#define SAVED_DWAY SAVED_KIND('D', 'W', 'A', 'Y')
#define SAVED_DDOM SAVED_KIND('D', 'D', 'O', 'M')
enum { /* flags of DERI */
       SAVED_PREFERS_STATICS = 1,
       SAVED_HAS_TYPES = 2, /* what the objects of each type retain */
};

enum saved_section_flag {
	SAVED_IS_NEEDED = 1, /* readers that do not know the kind must fail */
	SAVED_IS_STORED = 2, /* raw bytes, not a zstd frame */
};

/* Keys of values in INFO; never reused. */
enum saved_key {
	SAVED_KEY_SOURCE = 1,
	SAVED_KEY_FORMAT,
	SAVED_KEY_TOOL,
	SAVED_KEY_MACHINE,
	SAVED_KEY_PROCESS,
	SAVED_KEY_LOG,
	SAVED_KEY_WARNING, /* several */
	SAVED_KEY_PID,
	SAVED_KEY_TIME,
	SAVED_KEY_COMMIT,
	SAVED_KEY_WORKING_SET,
	SAVED_KEY_FLAGS, /* enum saved_flag */
	SAVED_KEY_COUNT_MULTIPLIER,
	SAVED_KEY_SIZE_MULTIPLIER,
	SAVED_KEY_LOSSES, /* u64 each, in the order of saved_losses[] */
	SAVED_KEY_NODES,
	SAVED_KEY_REFS,
	SAVED_KEY_ROOTS,
	SAVED_KEY_DOMAIN,   /* several, by start */
	SAVED_KEY_RESIDENT, /* u64 each, see SAVED_RESIDENT */
	SAVED_KEY_PROGRAM,
	SAVED_KEY_POD,
	SAVED_KEY_CONTAINER,
	SAVED_KEY_GC,
	SAVED_KEY_TIME_NS, /* of the second; absent if it is unknown */
};
enum saved_flag {
	SAVED_HAS_OBJECTS = 1 << 0,
	SAVED_IS_64BIT = 1 << 1,
	SAVED_IS_SAMPLED = 1 << 2,
	SAVED_IS_UNFINISHED = 1 << 3,
};

/* Numbers of struct losses in the order of the file. */
#define SAVED_LOSSES(X)                                                                            \
	X(undefined_nodes)                                                                         \
	X(undefined_refs)                                                                          \
	X(undefined_roots)                                                                         \
	X(damaged_nodes)                                                                           \
	X(damaged_refs)                                                                            \
	X(made_up_addresses)                                                                       \
	X(missing_bytes)                                                                           \
	X(lost_events)                                                                             \
	X(lost_nodes)                                                                              \
	X(lost_refs)                                                                               \
	X(partial_nodes)                                                                           \
	X(damaged_events)                                                                          \
	X(unnamed_types)                                                                           \
	X(unnamed_nodes)                                                                           \
	X(root_gaps)

/* Numbers of struct resident in the order of the file; then bytes and count of each part, by enum
   resident_kind. */
#define SAVED_RESIDENT(X)                                                                          \
	X(detail)                                                                                  \
	X(swapped_bytes)                                                                           \
	X(cgroup_bytes)                                                                            \
	X(cgroup_limit)                                                                            \
	X(bytes)

/* FNV-1a, of the first 36 bytes of a section's head. */
static inline uint32_t
saved_check(const uint8_t *bytes, unsigned len)
{
	uint32_t hash = 2166136261U;

	for (unsigned i = 0; i < len; i++)
		hash = (hash ^ bytes[i]) * 16777619U;
	return hash;
}

#endif
