#ifndef MODEL_HEAP_HEAP_H
#define MODEL_HEAP_HEAP_H

/*
 * The heap of one program at one moment: objects, their types, references and roots. Built once
 * (build.h, stream.h) and const from then on; any number of threads may read it. Object ids are in
 * address order.
 *
 * Resident: about 5.5 bytes an object and 2.4 a reference (heap_bytes()). Results computed for
 * every object are side arrays, never fields.
 */
#include "model/base/varint.h"
#include "model/heap/addresses.h"
#include "model/heap/resident.h"
#include <stdio.h>

typedef uint32_t type_id;
#define TYPE_NONE UINT32_MAX

enum generation { /* numbered like in the runtime */
		  GEN_0,
		  GEN_1,
		  GEN_2,
		  GEN_LOH,
		  GEN_POH,
		  GEN_FROZEN,
		  GEN_UNKNOWN,
		  GEN_COUNT
};
const char *generation_name(enum generation gen); /* "gen0" … "unknown" */

enum type_flag {
	TYPE_ARRAY = 1 << 0,
	TYPE_STRING = 1 << 1,
	TYPE_HAS_REFS = 1 << 2, /* an instance refers to something */
	TYPE_UNNAMED = 1 << 3,  /* the source had no name; made up */
	/* Known only to heaps read from memory: */
	TYPE_DELEGATE = 1 << 4,
	TYPE_FINALIZABLE = 1 << 5, /* has a finalizer */
	TYPE_COLLECTIBLE = 1 << 6, /* its assembly can be unloaded */
	TYPE_EXCEPTION = 1 << 7,   /* System.Exception is a base class of it */
	TYPE_FLAGS_ALL = (1 << 8) - 1,
};

/* Counts and bytes as the heap holds them, not scaled by `multiplier`. */
struct type {
	const char *name;       /* C# spelling: "Leaky.Session", "List<int>[]" */
	const char *short_name; /* the same without namespaces */
	const char *raw;        /* the source's spelling, without size suffixes */
	const char *module;     /* path as the target saw it; "" if unknown */
	uint32_t flags;         /* enum type_flag */
	float multiplier;       /* 1, or the sampling factor (heap_info) */
	uint64_t count, bytes;
	uint64_t min_bytes, max_bytes; /* smallest and largest instance */
};
/* Returns `n` times the type's sampling factor, rounded; at most UINT64_MAX. */
uint64_t type_scaled(const struct type *t, uint64_t n);
/* Returns the module's file name: the part of its path after the last / or
   \. */
const char *type_module_file(const struct type *t);

enum root_kind {
	ROOT_STATIC,
	ROOT_THREAD_STATIC,
	ROOT_STRONG,
	ROOT_PINNED,
	ROOT_ASYNC_PINNED,
	ROOT_REF_COUNTED,
	ROOT_SIZED_REF,
	ROOT_FROZEN,
	ROOT_STACK,
	ROOT_FINALIZER,
	ROOT_DEPENDENT,
	ROOT_OTHER,
	ROOT_STACK_WORD, /* a word on a stack or in a register that may be a reference */
	/* .heaptop stores these numbers: append new kinds here. */
	ROOT_KIND_COUNT
};

struct root_kind_info {
	const char *id;    /* "static", "thread-static": filters and CSV */
	const char *title; /* "static variable": for sentences */
	/*
	 * The order in which the roots of one object are shown: lower first.
	 * A path search compares tiers before distance, so that a word that may be no reference, a
	 * finalizer registration or a dependent handle never hides a better root further away.
	 */
	uint8_t priority, tier;
};
extern const struct root_kind_info root_kinds[ROOT_KIND_COUNT];

struct root {
	node_id object;
	uint8_t kind; /* enum root_kind */
	bool is_pinned;
	const char *name;  /* "Sessions", method or thread; "" if unknown */
	const char *label; /* the source's own words, "" if none */
};

/* An object with weak handles, which do not keep it alive: not a root. */
struct weak {
	node_id object;
	uint32_t count; /* weak handles to it */
};

/* A segment or region and its objects. Sorted by start, disjoint. */
struct range {
	uint64_t start, end;  /* addresses, end excluded */
	uint8_t generation;   /* enum generation */
	int32_t heap_number;  /* server GC; -1 if unknown */
	node_id first, count; /* objects that start in it */
};

/* Data that the source did not deliver. All zero: the heap is complete. */
struct losses {
	uint64_t undefined_nodes;   /* referred to, never described */
	uint64_t undefined_refs;    /* references to those; left out */
	uint64_t undefined_roots;   /* roots of those; left out */
	uint64_t damaged_nodes;     /* records that could not be read */
	uint64_t damaged_refs;      /* references to no object */
	uint64_t made_up_addresses; /* objects without an address of their own;
				       see address_is_made_up() */
	uint64_t missing_bytes;     /* lower bound, if the input is cut short */

	/* Only in event streams, where gaps in the numbers of events show losses. */
	uint64_t lost_events;    /* events of the walk; each describes many objects */
	uint64_t lost_nodes;     /* lower bound on the objects in them */
	uint64_t lost_refs;      /* announced references that never came */
	uint64_t partial_nodes;  /* objects with some references unknown */
	uint64_t damaged_events; /* shorter than their own counts require */
	uint64_t unnamed_types;  /* types never described, and */
	uint64_t unnamed_nodes;  /* their objects */
	uint64_t root_gaps;      /* kinds of roots not delivered: model/heap/root_gaps.h */
	bool is_unfinished;      /* the end is missing, by an unknown amount */
};
bool losses_any(const struct losses *l);
/* Returns true if events of a capture or trace were lost. */
bool losses_have_events(const struct losses *l);
/*
 * Returns true if objects, references or roots that existed are missing: sums are then lower
 * bounds, and the roots of an object may be unknown. References to objects the source never
 * described, and types without names, do not count.
 */
bool losses_are_incomplete(const struct losses *l);

/* A walk of the heap in an event stream, which may hold several. */
struct heap_walk {
	const char *path;    /* opens this walk: "trace.nettrace#2" */
	const char *missing; /* description of losses; "" if there are none */
	bool has_gc;         /* the collection is known: */
	uint32_t gc_number, gc_generation;
	int64_t time; /* like heap_info.time */
	uint64_t objects_count, bytes_count, refs_count;
	uint64_t roots_count; /* received, duplicates included */
	uint64_t pause_ns;    /* 0: unknown */
};

/* An application domain, where the source has several. Its objects lie from `start` to the start of
   the next domain. */
struct heap_domain {
	const char *name, *module; /* "App.exe"; its types show "App.exe #2" */
	const char *facts;         /* more about it, for people */
	uint64_t start;
	uint32_t uptime_ms; /* uptime of the machine, modulo 2^32; if has_uptime */
	bool has_uptime;
};

struct heap_info {
	const char *source; /* file or process it was read from, for titles */
	const char *format; /* "gcdump 10" */
	/* "heaptop 1": the file in which the heap was saved after it was read from the source
	   above; NULL: it was not. */
	const char *saved_as;
	const char *tool;              /* tool that wrote it; "" if unknown */
	const char *machine, *process; /* "" if unknown */
	/* heap_origin_record() fills these in for captures: the program's name, the Kubernetes pod
	   and the container; "" if unknown. */
	const char *program, *pod, *container;
	const char *log;                          /* the collector's log; "" if none */
	int32_t pid;                              /* 0: unknown */
	int64_t time;                             /* seconds since 1970, the target's local
						     time; 0: unknown */
	uint32_t time_ns;                         /* and nanoseconds; 0: only the second is known */
	uint32_t gc_number;                       /* the collection that it shows; 0: unknown */
	uint64_t commit_bytes, working_set_bytes; /* 0: unknown */
	struct resident resident;                 /* of captures and cores */
	bool is_64bit;
	bool is_sampled;                          /* multipliers apply; objects stand for more */
	double count_multiplier, size_multiplier; /* averages; 1 */
	struct losses losses;
	const char *const *warnings; /* sentences for the user */
	uint32_t warnings_count;
	const struct heap_walk *walks;     /* all walks of its event stream */
	uint32_t walks_count;              /* 0: not from an event stream */
	uint32_t walk;                     /* index of this heap's walk */
	const struct heap_domain *domains; /* sorted by start */
	uint32_t domains_count;            /* 0: the source has none */
	/* The .gcdump it was read from, to rewrite or report on it; or NULL. */
	const struct gcdump_file *gcdump;
};

/* The references of 65,536 objects, with an offset for each block of 8. */
enum { CHUNK_SHIFT = 16, CHUNK_NODES = 1 << CHUNK_SHIFT, BLOCK_SHIFT = 3 };
struct chunk {
	const uint8_t *bytes;
	const uint32_t *offsets;
};

/* An object whose size is not in the table of frequent sizes. */
struct large_size {
	node_id node;
	uint32_t size_low, size_high;
};
enum { SIZE_CODES = 255, SIZE_ESCAPE = 255 };

struct heap_derived;
struct heap { /* read through the functions below */
	uint32_t nodes_count, types_count, roots_count, ranges_count;
	uint32_t weak_count; /* objects with weak handles */
	uint64_t refs_count, bytes_count;
	bool has_objects; /* false: only types were read */
	const struct addresses *addresses;
	const uint16_t *types16; /* one of these two is set */
	const uint32_t *types32;
	const uint8_t *size_codes; /* index into sizes, or SIZE_ESCAPE */
	uint64_t sizes[SIZE_CODES];
	const struct large_size *large_sizes; /* sorted by node */
	uint32_t large_sizes_count;
	const struct chunk *chunks;
	const struct type *types;
	const struct root *roots; /* sorted by object, priority and name */
	const struct range *ranges;
	const struct weak *weak;           /* sorted by object */
	const uint64_t *generation_counts; /* [type][GEN_COUNT], or NULL */
	const uint64_t *generation_bytes;
	struct heap_info info;
	const struct heap_memory *memory; /* model/heap/memory.h; or NULL */
	struct arena arena;
	const struct heap_derived *derived; /* model/graph/derived.h; NULL: none */
	/* Frees file bytes that columns point into; called by heap_free(). NULL: all columns are in
	   the arena. */
	void (*release)(void *kept);
	void *kept;
};

void heap_free(const struct heap *h);
/* Returns the resident bytes of all of the above, without mapped files. */
uint64_t heap_bytes(const struct heap *h);

static inline uint32_t
heap_chunks_count(const struct heap *h)
{
	return (uint32_t)(((uint64_t)h->nodes_count + CHUNK_NODES - 1) >> CHUNK_SHIFT);
}

static inline node_id
chunk_first(uint32_t chunk)
{
	return chunk << CHUNK_SHIFT;
}

static inline node_id
chunk_end(const struct heap *h, uint32_t chunk)
{
	uint64_t end = ((uint64_t)chunk + 1) << CHUNK_SHIFT;

	return end < h->nodes_count ? (node_id)end : h->nodes_count;
}

static inline type_id
heap_type_of(const struct heap *h, node_id n)
{
	return h->types16 ? h->types16[n] : h->types32[n];
}

/* Returns the index of the first large size of an object at `n` or above. */
uint32_t heap_large_from(const struct heap *h, uint64_t n);
uint64_t heap_large_size(const struct heap *h, node_id n);
static inline uint64_t
heap_size(const struct heap *h, node_id n)
{
	uint8_t code = h->size_codes[n];

	return code == SIZE_ESCAPE ? heap_large_size(h, n) : h->sizes[code];
}

static inline const struct type *
heap_type(const struct heap *h, node_id n)
{
	return &h->types[heap_type_of(h, n)];
}

uint64_t heap_address(const struct heap *h, node_id n);
/*
 * Returns true if the source gave no address, or one that another object has. Made-up addresses are
 * unique all the same; show them as "#3", not as numbers.
 */
static inline bool
address_is_made_up(uint64_t address)
{
	return address >= MADE_UP_ADDRESS;
}
/* "7fe01c001d70", or "#3" if made up. Returns `text`. */
const char *address_format(uint64_t address, char text[24]);
/* Reads address_format()'s output, also after 0x, and WinDBG's `. False leaves `address` as it
 * is. */
bool address_parse(const char *text, uint64_t *address);

/* Returns the number of objects of all types; works for heaps with types
   only. */
uint64_t heap_types_objects(const struct heap *h);

node_id heap_find(const struct heap *h, uint64_t address);
/* Returns the index of the first range that ends after `n`, or ranges_count. */
uint32_t heap_range_from(const struct heap *h, node_id n);
enum generation heap_generation(const struct heap *h, node_id n);
/* Returns the first root that pins `n`, or NULL. */
const struct root *heap_pinning_root(const struct heap *h, node_id n);
/* Returns the roots that refer to `n` itself, best first; NULL and 0 if
   none. */
const struct root *heap_roots_of(const struct heap *h, node_id n, uint32_t *count);

/* Returns the number of weak handles to `n`. */
uint32_t heap_weak_of(const struct heap *h, node_id n);

/* Iterates over the references of one object, in order, with duplicates. */
struct refs {
	const uint8_t *at;
	uint64_t left;
	node_id last;
};

static inline bool
refs_next(struct refs *r, node_id *target)
{
	uint64_t delta;

	if (!r->left)
		return false;
	r->left--;
	r->at = varint_get(r->at, &delta);
	r->last = (node_id)((int64_t)r->last + varint_unzigzag(delta));
	*target = r->last;
	return true;
}

/* Decodes up to 7 neighbours to find the record; scans use refs_scan. */
struct refs heap_refs(const struct heap *h, node_id n);
bool heap_refers_to(const struct heap *h, node_id source, node_id target);

/* Iterates over all objects from `first` on, decoding each record once. */
struct refs_scan {
	const struct heap *heap;
	const uint8_t *at;
	node_id node; /* the next object */
};
void refs_scan_init(struct refs_scan *s, const struct heap *h, node_id first);
/* Returns the references of s->node and advances to the next object. Read all of them before the
   next call. */
static inline struct refs
refs_scan_begin(struct refs_scan *s)
{
	node_id n = s->node++;
	struct refs r = { .last = n };

	if (!(n & (CHUNK_NODES - 1)))
		s->at = s->heap->chunks[n >> CHUNK_SHIFT].bytes;
	if (s->heap->types[heap_type_of(s->heap, n)].flags & TYPE_HAS_REFS)
		s->at = varint_get(s->at, &r.left);
	r.at = s->at;
	return r;
}
static inline void
refs_scan_end(struct refs_scan *s, const struct refs *r)
{
	s->at = r->at;
}

/* Verifies all invariants, for tests and fuzzing: decodes everything twice. */
bool heap_check(const struct heap *h, struct error *err) MUST_USE;

#endif
