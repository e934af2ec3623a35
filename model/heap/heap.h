#ifndef MODEL_HEAP_HEAP_H
#define MODEL_HEAP_HEAP_H

/*
 * The heap of one program at one moment: objects, their types, references,
 * roots. Built once (build.h, stream.h), const for ever after; any
 * number of threads may read it. Ids are in address order.
 *
 * Resident: about 5.5 bytes an object and 2.4 a reference (heap_bytes()).
 * What somebody computes about every object is a side array, never a field.
 */
#include "model/base/varint.h"
#include "model/heap/addresses.h"
#include <stdio.h>

typedef uint32_t type_id;
#define TYPE_NONE UINT32_MAX

enum generation { /* as the runtime numbers them */
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
	/* What only memory tells: */
	TYPE_DELEGATE = 1 << 4,
	TYPE_FINALIZABLE = 1 << 5, /* has a finalizer */
	TYPE_COLLECTIBLE = 1 << 6, /* its assembly can be unloaded */
	TYPE_EXCEPTION = 1 << 7,   /* System.Exception is a base class of it */
	TYPE_FLAGS_ALL = (1 << 8) - 1,
};

/* count and bytes are what the heap holds; see also `multiplier`. */
struct type {
	const char *name; /* C# spelling: "Leaky.Session", "List<int>[]" */
	const char *short_name; /* the same without namespaces */
	const char *raw;    /* the source's spelling, size suffixes folded */
	const char *module; /* path as the target saw it; "" if unknown */
	uint32_t flags;     /* enum type_flag */
	float multiplier;   /* 1, or what a sampled dump says (heap_info) */
	uint64_t count, bytes;
	uint64_t min_bytes, max_bytes; /* smallest and largest instance */
};
/* A sampled dump says how many objects each one stands for. */
uint64_t type_scaled(const struct type *t, uint64_t n);
/* The part of the module's path after the last / or \. */
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
	ROOT_STACK_WORD, /* a word on a stack, or in a register, that may be a
			    reference; .heaptop has the numbers: new ones go
			    behind */
	ROOT_KIND_COUNT
};

struct root_kind_info {
	const char *id;    /* "static", "thread-static": filters and CSV */
	const char *title; /* "static variable": for sentences */
	/*
	 * Which reason is told first when several keep an object: lower wins.
	 * Tiers come before distance: what may be no reference at all, a
	 * finalizer registration or a dependent handle never hides a better
	 * reason further away.
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

/* Weak handles see their target and do not keep it: a property, no root. */
struct weak {
	node_id object;
	uint32_t count; /* handles to it */
};

/* A segment or region, with the objects in it. Sorted by start, disjoint. */
struct range {
	uint64_t start, end;  /* addresses, end excluded */
	uint8_t generation;   /* enum generation */
	int32_t heap_number;  /* server GC; -1 if unknown */
	node_id first, count; /* objects that start in it */
};

/* What is missing. All zero when nothing is. */
struct losses {
	uint64_t undefined_nodes;   /* referred to, never described */
	uint64_t undefined_refs;    /* references to such nodes; left out */
	uint64_t undefined_roots;   /* roots that name such nodes; left out */
	uint64_t damaged_nodes;     /* records that could not be read */
	uint64_t damaged_refs;      /* references that name no object */
	uint64_t made_up_addresses; /* objects whose address is missing or
				       taken; see heap_has_address() */
	uint64_t missing_bytes;     /* input cut short: at least so many */

	/* Of streams of events, which are numbered and may get lost. */
	uint64_t lost_events;   /* of the walk; each tells of many objects */
	uint64_t lost_nodes;    /* objects in those: at least so many */
	uint64_t lost_refs;     /* references announced, and not there */
	uint64_t partial_nodes; /* objects whose references are not all known */
	uint64_t damaged_events; /* shorter than what they announce */
	uint64_t unnamed_types;  /* types never described, and */
	uint64_t unnamed_nodes;  /* their objects */
	uint64_t
	    root_gaps; /* kinds of roots that lack: model/heap/root_gaps.h */
	bool is_unfinished; /* nobody knows how much is missing at the end */
};
bool losses_any(const struct losses *l);
/*
 * Objects, references or roots that were there are not in the heap: sums are
 * lower bounds, and what keeps an object may be unknown. What the source never
 * described, and types without names, are no such loss.
 */
bool losses_are_incomplete(const struct losses *l);

/* A walk of the heap, in a stream of events that may hold several. */
struct heap_walk {
	const char *path;    /* what opens it: "trace.nettrace#2" */
	const char *missing; /* what of it is lost; "" if nothing is */
	bool has_gc;         /* the collection is known: */
	uint32_t gc_number, gc_generation;
	int64_t time; /* as heap_info.time */
	uint64_t objects_count, bytes_count, refs_count;
	uint64_t roots_count; /* that arrived, also equal ones */
	uint64_t pause_ns;    /* 0: unknown */
};

/*
 * An application domain, of a source that has several: its objects are those
 * from `start` to the next one's.
 */
struct heap_domain {
	const char *name,
	    *module;       /* "App.exe", and of its types: "App.exe #2" */
	const char *facts; /* what the source says, for people */
	uint64_t start;
	uint32_t uptime_ms; /* of the machine, modulo 2^32; if has_uptime */
	bool has_uptime;
};

struct heap_info {
	const char *source;            /* where it was read from, for titles */
	const char *format;            /* "gcdump 10" */
	const char *tool;              /* who wrote it; "" if unknown */
	const char *machine, *process; /* "" if unknown */
	const char *log;               /* the collector's log; "" if none */
	int32_t pid;                   /* 0: unknown */
	int64_t time;                  /* seconds since 1970, the target's local
					  time; 0: unknown */
	uint64_t commit_bytes, working_set_bytes; /* 0: unknown */
	bool is_64bit;
	bool is_sampled; /* multipliers apply; objects stand for more */
	double count_multiplier, size_multiplier; /* averages; 1 */
	struct losses losses;
	const char *const *warnings; /* sentences; what a user must know */
	uint32_t warnings_count;
	const struct heap_walk *walks;     /* all of the stream it is from */
	uint32_t walks_count;              /* 0: it is from no stream */
	uint32_t walk;                     /* which of them this is, from 0 */
	const struct heap_domain *domains; /* by start */
	uint32_t domains_count;            /* 0: the source has none */
	/* For who keeps or reports on a .gcdump that was read; NULL: none. */
	const struct gcdump_file *gcdump;
};

/* 65,536 objects' references: each block of 8 objects starts at an offset. */
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
	const struct root *roots; /* by object, then priority, then name */
	const struct range *ranges;
	const struct weak *weak;           /* by object */
	const uint64_t *generation_counts; /* [type][GEN_COUNT], or NULL */
	const uint64_t *generation_bytes;
	struct heap_info info;
	const struct heap_memory *memory; /* model/heap/memory.h; or NULL */
	struct arena arena;
	const struct heap_derived
	    *derived; /* model/graph/derived.h; NULL: none */
	/* Columns that lie in the bytes of a file give those back with the
	   heap; NULL: there are none. */
	void (*release)(void *kept);
	void *kept;
};

void heap_free(const struct heap *h);
/* Resident bytes of everything above, but for what lies in a mapped file. */
uint64_t heap_bytes(const struct heap *h);

static inline type_id
heap_type_of(const struct heap *h, node_id n)
{
	return h->types16 ? h->types16[n] : h->types32[n];
}

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
 * The source gave no address, or one that another object has: unique all the
 * same, but show "#3", not the number.
 */
static inline bool
address_is_made_up(uint64_t address)
{
	return address >= MADE_UP_ADDRESS;
}
/* "7fe01c001d70", or "#3" for a made-up one. Needs 24 bytes; returns text. */
const char *address_format(uint64_t address, char text[24]);
/* Reads what address_format() writes, also with 0x in front. */
bool address_parse(const char *text, uint64_t *address);

/* Of all types together; it is all that is known without objects. */
uint64_t heap_types_objects(const struct heap *h);

node_id heap_find(const struct heap *h, uint64_t address);
/* The first range that ends behind `n`; ranges_count if none does. */
uint32_t heap_range_from(const struct heap *h, node_id n);
enum generation heap_generation(const struct heap *h, node_id n);
/* The roots that hold `n` itself, best first; NULL and 0 if there are none. */
const struct root *heap_roots_of(const struct heap *h, node_id n,
				 uint32_t *count);

/* How many weak handles see `n`. */
uint32_t heap_weak_of(const struct heap *h, node_id n);

/* The references of one object, in order, duplicates kept. */
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

/* Costs up to 7 other objects' references to skip; scans use refs_scan. */
struct refs heap_refs(const struct heap *h, node_id n);
bool heap_refers_to(const struct heap *h, node_id source, node_id target);

/* All objects from `first` on, in order, without looking for any. */
struct refs_scan {
	const struct heap *heap;
	const uint8_t *at;
	node_id node; /* the next one */
};
void refs_scan_init(struct refs_scan *s, const struct heap *h, node_id first);
/* The references of node s->node, which moves on. Use them up before the next.
 */
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

/* The invariants; for tests and fuzzing: reads everything, some of it twice. */
bool heap_check(const struct heap *h, struct error *err) MUST_USE;

#endif
