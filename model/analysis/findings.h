#ifndef MODEL_ANALYSIS_FINDINGS_H
#define MODEL_ANALYSIS_FINDINGS_H

/*
 * Suspected memory leaks. Each finding rests on objects that exist and claims no more than they
 * show: most heaps have no field names or values, so findings are derived from types, references
 * and roots, and in heaps with memory also from the bytes of objects. Unreachable objects are
 * evidence of unrooted bytes only.
 *
 * Thresholds depend on the heap: `much` is 1 % of the reachable bytes, at least 16 KiB; `many` is
 * one in 5,000 of the reachable objects, at least 20. A small or healthy heap has no findings.
 *
 * Cost: one pass over all objects and over the references of large arrays, about 13 ns an object,
 * 24 with retained sizes; 4 bytes for each object of evidence. A heap with memory adds about 200 ns
 * a string, 100 ns a collection, a scan of the bytes of large arrays, and the memory that
 * model/analysis/strings.h takes while it runs. Run it on a worker.
 */
#include "model/analysis/keeper.h"
#include "model/graph/reach.h"
#include "model/graph/retained.h"

struct finder;
struct finding;
struct finding_words;
struct text;

/* Writes a part of the sentence about a finding: model/analysis/finding_words.h. */
typedef void finding_writer(struct finding_words *w, struct text *out);

/* The types and names in the id of a finding, in this order. */
enum finding_id_part {
	ID_TYPE = 1 << 0,
	ID_HOLDER_TYPE = 1 << 1,
	ID_SUBJECT_TYPE = 1 << 2,
	ID_STATIC = 1 << 3, /* the static variable that keeps the subject alive */
	ID_NAME = 1 << 4
};

/* A kind of finding. Each is declared in the file that finds it. */
struct finding_kind {
	const char *id;       /* "collection": in CSV and filters */
	const char *title;    /* "waiting async calls": in lists of kinds */
	const char *harmless; /* when this is no leak, as a sentence */
	/* Replaces `harmless` in heaps with memory, or NULL: no collection has just run, and
	   handles are known with their keys. */
	const char *harmless_in_memory;
	uint8_t heaps; /* enum table_heaps: found in these only */
	/* Adds the findings of this kind. NULL: the function of another kind finds them too. */
	bool (*find)(struct finder *f, struct error *err);
	/* Returns false if the heap shows nothing by which this kind could be found. NULL: always
	   true. */
	bool (*is_sought)(const struct heap *h);
	bool needs_retained; /* found by what objects retain */
	bool comes_last;     /* leaves out what other kinds have found */

	finding_writer *what; /* the number and the name: "50 calls of async Foo.Run()" */
	finding_writer *why;  /* the rest of the sentence: "have not completed" */
	finding_writer *held; /* what keeps the subject alive; NULL: no one object or type */

	unsigned id_parts; /* enum finding_id_part: no type that depends on amounts */
	const char *(*id_end)(const struct finding *f); /* the end of the id, or NULL */

	bool is_of_all;      /* is about the heap or process as a whole, not some objects */
	bool frees_nothing;  /* it does not help to free the evidence */
	bool is_waste;       /* says how objects are used, not why they live */
	bool subject_holds;  /* removing the one subject alone would free objects */
	bool subject_counts; /* `retained` includes what the subject retains */
	/* Sums up what the evidence retains; NULL: in the ordinary way. */
	bool (*retained)(const struct finder *f, const struct finding *finding,
			 struct retained_sum *sum, struct error *err);
	/* Returns the amount by which findings are sorted; NULL: what is retained. */
	uint64_t (*weight)(const struct finding *f);
	const char *table; /* shows more about findings with a `count` other than 1; or NULL */
};

/* All kinds, in the order of lists. To add one, add a line here; the rest of it is in its own
   file. */
/* clang-format off */
#define FINDING_KINDS(X)                                                       \
	X(finding_dominator)                                                   \
	X(finding_type)                                                        \
	X(finding_pool)                                                        \
	X(finding_handle)                                                      \
	X(finding_collection)                                                  \
	X(finding_event)                                                       \
	X(finding_timer)                                                       \
	X(finding_async)                                                       \
	X(finding_registration)                                                \
	X(finding_disposable)                                                  \
	X(finding_disposed)                                                    \
	X(finding_finalizer)                                                   \
	X(finding_dependent)                                                   \
	X(finding_weak_table)                                                  \
	X(finding_pinned)                                                      \
	X(finding_array)                                                       \
	X(finding_context)                                                     \
	X(finding_assembly)                                                    \
	X(finding_thread_static)                                               \
	X(finding_fragmentation)                                               \
	X(finding_unrooted)                                                    \
	X(finding_native)                                                      \
	X(finding_kept)                                                        \
	X(finding_arena)                                                       \
	X(finding_duplicate)                                                   \
	X(finding_large_string)                                                \
	X(finding_empty)                                                       \
	X(finding_zeros)                                                       \
	X(finding_boxed)                                                       \
	X(finding_lock)                                                        \
	X(finding_blocked)
/* clang-format on */
#define FINDING_DECLARED(kind) extern const struct finding_kind kind;
#define FINDING_COUNTED(kind)  +1
FINDING_KINDS(FINDING_DECLARED)
enum { FINDING_KIND_COUNT = FINDING_KINDS(FINDING_COUNTED) };
extern const struct finding_kind *const finding_kinds[FINDING_KIND_COUNT];

/* Says whether an earlier heap has the finding (model/analysis/finding_past.h). */
enum finding_past {
	PAST_NOT_COMPARED,
	PAST_NEW,     /* no such finding */
	PAST_KNOWN,   /* one with the same id */
	PAST_UNKNOWN, /* it lacks the data for findings of this kind */
	/* The finding is of the earlier heap. This one does not have it, or has it as a smaller
	   part of the heap than a finding must be. */
	PAST_GONE,
	PAST_SMALL,
};

/* The object that read a queue, until its task failed. */
struct ended_reader {
	type_id reader, exception;
	const char *message, *method; /* "" if unknown */
};

struct finding {
	const struct finding_kind *kind;
	uint8_t rank;    /* of the kind in the list */
	bool is_stall;   /* threads are stuck: listed first */
	bool is_guess;   /* some of the objects may be in use */
	node_id subject; /* object to examine first, or NODE_NONE */
	type_id type;    /* names the objects; TYPE_NONE if none or several */
	/* The type of the collections, delegates, linked sources or most referrers that hold the
	   objects, or of the object that calls wait for. TYPE_NONE if unknown or several. */
	type_id holder_type;
	type_id owner_type; /* of the application, refers to the subject; or TYPE_NONE */
	/* A programmer would say that this object keeps the subject, perhaps the subject itself.
	   NODE_NONE: the root says enough. */
	struct keeper keeper;
	struct ended_reader *ended; /* why a queue does not drain, or NULL */
	/* Its objects, calls, threads, holes, …: each kind says which. A finding that had fewer
	   before has grown. */
	uint64_t count;
	uint64_t all_count;     /* all of which `count` are a part, or 0 */
	uint64_t type_count;    /* those of the objects that have `type`, or 0 */
	uint64_t holders_count; /* objects of `holder_type`, or 0 */
	const char *name;       /* a method, variable, resource or text in its words, or "" */
	const char *thread;     /* the one that holds the lock: 'thread 12 "worker"', or "" */
	/* Evidence: ascending, distinct; at least one, except of native memory. */
	const node_id *nodes;
	uint32_t nodes_count;
	uint64_t bytes;        /* total size of the evidence */
	uint64_t unused_bytes; /* nothing uses these: in arrays of the objects, or in holes */
	/* Retained by the evidence, and by the subject if it counts; 0 if dominators are
	   unknown. */
	struct retained_sum retained;
	const void *more; /* for the words of the kind alone, or NULL */
	uint8_t past;     /* enum finding_past */
	uint64_t before;  /* finding_weight() in the earlier heap, if it is known */
};

/* Bytes from which objects are large, and a number from which they are many; see above. */
struct findings_limits {
	uint64_t much, many;
};

struct findings {
	/* Stalls first: what waits behind them grows. Then most retained
	   bytes, of which waste counts half, then largest; holes count with their bytes. */
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
struct facts;
/* Returns what findings_find() takes, of which `facts` lends the parts. */
struct findings_input findings_input_of(const struct facts *facts);
/* NULL sets `err`. */
struct findings *findings_find(const struct findings_input *in, struct progress *progress,
			       struct error *err) MUST_USE;
void findings_free(struct findings *f); /* NULL is allowed */
/* Returns the amount by which findings are sorted: mostly the bytes that are retained; of
   fragmentation those of the holes, of locks the threads. */
uint64_t finding_weight(const struct finding *f);
/* Returns when the finding is no leak, as a sentence that fits the heap. */
const char *finding_harmless(const struct heap *h, const struct finding *f);
/* Returns whether findings of this kind were looked for. */
bool finding_is_sought(const struct finding_kind *kind, const struct heap *h, bool has_retained);

#endif
