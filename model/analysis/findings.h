#ifndef MODEL_ANALYSIS_FINDINGS_H
#define MODEL_ANALYSIS_FINDINGS_H

/*
 * Suspected memory leaks. Each finding rests on objects that exist and claims no more than they
 * show: most heaps have no field names or values, so findings are derived from types, references
 * and roots, and in heaps with memory also from the bytes of objects. Unreachable objects are
 * evidence of FINDING_UNROOTED only.
 *
 * Thresholds depend on the heap: `much` is 1 % of the reachable bytes, at least 16 KiB; `many` is
 * one in 5,000 of the reachable objects, at least 20. A small or healthy heap has no findings.
 *
 * Cost: one pass over all objects and over the references of large arrays, about 13 ns an object,
 * 24 with retained sizes; 4 bytes for each object of evidence. A heap with memory adds about 200 ns
 * a string, 100 ns a collection, a scan of the bytes of large arrays, and the memory that
 * model/analysis/strings.h takes while it runs. Run it on a worker.
 */
#include "model/graph/reach.h"
#include "model/graph/retained.h"

enum finding_kind {
	/*
	 * One object retains at least 10 times `much`, and 256 KiB. `subject` and evidence: that
	 * object; `other_type`: its type; `count`: objects it retains, itself included; `type`: the
	 * application's type whose objects among these retain most, if that is a tenth of all,
	 * otherwise the type with the most bytes; `whole`: how many have it; `held_bytes`: bytes
	 * that these retain. Requires dominators.
	 */
	FINDING_DOMINATOR,
	/*
	 * One array, owned by a collection, refers to `many` and at least 100 objects of a type,
	 * which are at least half of all its objects. Together with the array they take `much`, or
	 * 5 times `much` if they are the runtime's descriptions of types; at most 32 bytes of the
	 * array count for each object. `type`: those objects; `subject`: the collection;
	 * `other_type`: its type; `whole`: all objects of `type`.
	 */
	FINDING_COLLECTION,
	/*
	 * One invocation list of a delegate has 50 or more handlers whose targets have the same
	 * type. `type`: the targets; `other_type`: the delegate; `subject`: the first publisher,
	 * the object with the event; `whole`: publishers of its type; `count`: handlers registered
	 * with them.
	 */
	FINDING_EVENT,
	/*
	 * Timers with the same type of state object or target: `many` and at least 100, or `much`.
	 * `type`: that type; `subject`: the first timer; `name`: the method that all of them call,
	 * "" if that is unknown. `retained` leaves out the timers after them in the runtime's
	 * lists.
	 */
	FINDING_TIMER,
	/*
	 * `many` calls of one async method have not completed; 50 times as many for methods of
	 * System and Microsoft. `type`: the method; `whole`: all its calls in the heap.
	 * `other_type`: the type for which half or more of the calls wait, directly or by calls of
	 * other methods; `waiting_count`: these calls; `awaited_count`: the objects for which they
	 * wait; `subject`: the one such object; `owner_type`: the application's type that refers to
	 * it. `is_guess`: the heap does not show which calls have completed, so some of these may
	 * have.
	 */
	FINDING_ASYNC,
	/*
	 * `many` and at least 100 callbacks are registered with one source of cancellation for
	 * objects of one type; 50 times as many for types of the framework. `type`: the objects
	 * that they keep, which are the evidence; `subject`: the source; `other_type`: the type of
	 * the linked sources that registered, or TYPE_NONE; `count`: callbacks.
	 */
	FINDING_REGISTRATION,
	/*
	 * `many` and at least 100 objects of one type, each of which owns a resource of the
	 * operating system, and which objects of one type of the application, or its collections,
	 * hold. `type`: the objects; `name`: the type of the resource; `other_type`: what holds
	 * them; `whole`: how many such holders; `subject`: the first of these. `is_guess`: some may
	 * have been disposed; otherwise none has.
	 */
	FINDING_DISPOSABLE,
	/*
	 * Objects that only the finalizer queue keeps alive: `many` or `much`. For types of System
	 * and Microsoft the limit is 50 times higher; while the finalizer thread runs a finalizer,
	 * one object is enough, and if it waits for a lock, 20. `type`: the application's type with
	 * the most bytes, if that is a tenth of all, otherwise the most frequent type; `whole`: how
	 * many have it; `name`: the running finalizer or the innermost method of the application
	 * that it has called, "" if unknown. If the thread waits for a lock: `subject`: the lock;
	 * `holder`: the thread that holds it.
	 */
	FINDING_FINALIZER,
	/* Values that only dependent handles keep alive: at least 1,000 and `many`, or `much`.
	   `type` and `whole` as for FINDING_FINALIZER. */
	FINDING_DEPENDENT,
	/* ConditionalWeakTables whose entries take `much`. `type`: the table; `count`: entries for
	   which there is room. */
	FINDING_WEAK_TABLE,
	/*
	 * `many` and at least 100 objects in generations 0 to 2 are pinned by handles; the
	 * collector must leave gaps around them. `type` and `whole` as for FINDING_FINALIZER.
	 */
	FINDING_PINNED,
	/*
	 * Large arrays of references, at least three quarters of them null, with `much` unused.
	 * `type`: the arrays; `count`: references; `whole`: elements.
	 */
	FINDING_ARRAY,
	/*
	 * Collectible load contexts that are still loaded. `type`: the most frequent type from such
	 * a context; evidence: objects of that type. If contexts have no objects: TYPE_NONE, and
	 * the contexts are evidence. `count`: contexts.
	 */
	FINDING_CONTEXT,
	/* The objects of one thread static variable take `much` over all threads. `name`: the
	   variable. */
	FINDING_THREAD_STATIC,
	/*
	 * Free blocks between objects ("holes") are half or more of a generation, of the LOH or of
	 * the POH: at least 10 holes, 4 MiB and 10 times `much`. In generations 0 and 1 only holes
	 * before pinned objects count. Needs fragmentation_is_known(). Evidence: reachable objects
	 * that follow holes; `type`: the type of most of them; `count`: holes; `unused_bytes`:
	 * their bytes; `whole`: bytes from the first object to the last in each segment.
	 */
	FINDING_FRAGMENTATION,
	/*
	 * Objects without a root in generation 2 or above, or in an unknown generation, are half or
	 * more of all bytes, and at least 4 MiB. `type`: the largest type of the application;
	 * `other_type`: the largest of all if that is another; `count`: objects; `whole`: all bytes
	 * of the heap. Never reported if no root is known.
	 */
	FINDING_UNROOTED,
	/*
	 * Most resident memory of the process, or most of its growth since an earlier capture, is
	 * native (resident_native()): at least 60 %, and 64 MiB more than the 64 MiB of a plain
	 * runtime; of the growth 32 MiB. No evidence, `subject` or types. `bytes`: native memory;
	 * `whole`: resident memory; `count`: by how much native memory grew if most of the growth
	 * is native, else 0.
	 */
	FINDING_NATIVE,
	/*
	 * The kinds from here on need the bytes of objects: heap->memory->contents.
	 *
	 * Strings with the same text, of which all but one take `much`. `name`: its beginning in
	 * quotes; `count`: the strings; `whole`: bytes of all but one; `subject`: the first;
	 * `other_type`: the type of most referrers. One more finding sums up the texts below this
	 * threshold: `count`: strings that repeat a text, which are the evidence; `whole`: distinct
	 * texts; no `subject`.
	 */
	FINDING_DUPLICATE_STRINGS,
	/* Strings of 85,000 bytes or more, `much` together. `subject`: the largest; `name`: its
	   beginning; `count`: the strings. */
	FINDING_LARGE_STRINGS,
	/*
	 * Lists, dictionaries and other collections of one type that are empty, or have room for 16
	 * or more elements and use less than a quarter of it. The empty ones and the unused room
	 * take `much`. `count`: those collections; `whole`: all reachable ones of the type;
	 * `unused_bytes`: the unused room.
	 */
	FINDING_EMPTY_COLLECTIONS,
	/* Arrays of values, of 1 KiB or more, that contain only zeros: `much` of one type. `type`:
	   the arrays. */
	FINDING_ZERO_ARRAYS,
	/* Boxed values, `much` of one type. `other_type`: the type of most referrers. */
	FINDING_BOXES,
	/*
	 * A lock for which 10 or more threads wait. `subject` and evidence: the object that is
	 * locked; `type`: its type; `owner_type`: if that is of the framework, the application's
	 * type that refers to it; `count`: the threads; `holder`: the thread that holds it, "" if
	 * none does; `name`: the innermost method of the application on its stack, "" if unknown.
	 */
	FINDING_LOCK,
	FINDING_KIND_COUNT
};

/* Why objects have no root. */
enum unrooted_reason {
	UNROOTED_GARBAGE,  /* all roots are known */
	UNROOTED_GAPS,     /* the source lacks kinds of roots, or lost some */
	UNROOTED_NOT_SENT, /* a full collection has just run, so these are kept
			      by roots that the source does not report */
	UNROOTED_UNDECIDED /* any of these */
};

struct finding_kind_info {
	const char *id;       /* "collection": in CSV and filters */
	const char *title;    /* "waiting async calls": in lists of kinds */
	const char *harmless; /* when this is no leak, as a sentence */
	uint8_t heaps;        /* enum table_heaps: found in these only */
	/* Replaces `harmless` in heaps with memory, or NULL: no collection
	   has just run, and handles are known with their keys. */
	const char *harmless_in_memory;
};
extern const struct finding_kind_info finding_kinds[FINDING_KIND_COUNT];

struct finding {
	uint8_t kind; /* enum finding_kind, which explains the fields */
	bool is_guess;
	uint8_t generation;       /* of FRAGMENTATION: enum generation */
	uint8_t reason;           /* of UNROOTED: enum unrooted_reason */
	type_id type, other_type; /* TYPE_NONE if none or several */
	node_id subject;          /* object to examine first, or NODE_NONE */
	uint64_t count, whole;
	uint64_t held_bytes; /* of DOMINATOR */
	const char *name;
	const char *holder;                    /* FINALIZER, LOCK: 'thread 12 "worker"', or "" */
	bool is_stall;                         /* threads are stuck: listed first */
	uint64_t waiting_count, awaited_count; /* ASYNC only */
	type_id owner_type;                    /* ASYNC and LOCK only */
	/* Evidence: ascending, distinct; at least one, except of NATIVE. */
	const node_id *nodes;
	uint32_t nodes_count;
	uint64_t bytes;        /* total size of the evidence */
	uint64_t unused_bytes; /* unused bytes in objects it refers to, or 0 */
	/* FRAGMENTATION only: bytes that the collector keeps committed for the generation (0:
	   unknown), and pinned objects among the evidence. */
	uint64_t committed_bytes, pinned_count;
	/* Retained by the evidence, and by the collection if there is one; 0 if dominators are
	   unknown. */
	struct retained_sum retained;
};

/* Bytes from which objects are large, and a number from which they are many; see above. */
struct findings_limits {
	uint64_t much, many;
};

struct findings {
	/* Stalls first: what waits behind them grows. Then most retained
	   bytes, then largest; holes count with their bytes. */
	struct finding *items;
	uint32_t count;
	uint32_t left_out;             /* smaller findings beyond FINDINGS_MAX of a kind */
	struct findings_limits limits; /* by which they were found */
	struct arena arena;
};
enum { FINDINGS_MAX = 50 };

struct findings_input {
	const struct heap *heap;
	const struct reverse *reverse;
	const struct reach *reach;
	const struct retained *retained; /* NULL if dominators are unknown */
	/* The memory at an earlier capture of the process, or NULL. */
	const struct resident *earlier;
	bool has_no_limit; /* keep more than FINDINGS_MAX of a kind */
	/* To compare amounts with those of another heap. NULL, or limits that apply where they are
	   lower than those of this heap. */
	const struct findings_limits *lower;
	/* Findings need not be half of all bytes, of a generation or of all objects of a type. This
	   hides some of the other findings. */
	bool ignores_shares;
};
/* NULL sets `err`. */
struct findings *findings_find(const struct findings_input *in, struct progress *progress,
			       struct error *err) MUST_USE;
void findings_free(struct findings *f); /* NULL is allowed */
/* Returns the amount by which findings are sorted: mostly the bytes that are retained; of
   fragmentation those of the holes, of locks the threads. */
uint64_t finding_weight(const struct finding *f);
/* Returns when the finding is no leak, as a sentence that fits the heap. */
const char *finding_harmless(const struct heap *h, const struct finding *f);
/* Whether the heap shows the holes between its objects. */
bool fragmentation_is_known(const struct heap *h);

#endif
