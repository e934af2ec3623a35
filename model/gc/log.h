#ifndef MODEL_GC_LOG_H
#define MODEL_GC_LOG_H

/*
 * Garbage collections of a running program, one record each, in the order in
 * which they ended: the newest some thousands, and sums over all of them.
 * Where they come from is for others to know (io/events/gc_stats.h).
 *
 * What the runtime did not tell is GC_UNKNOWN (in 32 bits GC_UNKNOWN32), never
 * 0. Times are nanoseconds; sizes are bytes.
 *
 * Memory: GC_LOG_RECORDS records of about 1.2 KB, and the tables of their
 * heaps (about 600 bytes each), which the oldest records lose beyond
 * GC_LOG_HEAPS of them. It does not grow with time.
 *
 * Not thread-safe; gc_feed is what one thread puts records in and another
 * takes them out of.
 */
#include "model/base/error.h"
#include <pthread.h>

#define GC_UNKNOWN   UINT64_MAX
#define GC_UNKNOWN32 UINT32_MAX

enum {
	GC_LOG_RECORDS = 8192,
	GC_LOG_HEAPS = 32768,
	GC_FEED_RECORDS = 1024,
	GC_HEAPS_MAX = 1024, /* of one record; more are not kept */
};

/* 0, 1, 2, large objects, pinned objects. */
enum { GC_GENERATIONS = 5, GC_GENERATION_LARGE = 3, GC_GENERATION_PINNED = 4 };

enum gc_kind { GC_BLOCKING, GC_BACKGROUND, GC_FOREGROUND };

enum gc_mechanism { /* bits */
		    GC_CONCURRENT = 0x1,
		    GC_COMPACTING = 0x2,
		    GC_PROMOTING = 0x4,
		    GC_DEMOTING = 0x8,
		    GC_CARD_BUNDLES = 0x10,
		    GC_ELEVATED = 0x20,
};

/* Who held the objects that marking found; the number of the runtime's. */
enum { GC_MARKS = 10 };
/* Parts of a collection; the number of the runtime's. */
enum { GC_PHASES = 8 };

/* All of them bytes. What stands in a row of this may be summed over heaps. */
enum gc_size {
	GC_SIZE_BEFORE, /* with free space in it, as all sizes here */
	GC_FREE_LIST_BEFORE,
	GC_FREE_OBJECTS_BEFORE,
	GC_SIZE_AFTER,
	GC_FREE_LIST_AFTER,
	GC_FREE_OBJECTS_AFTER,
	GC_IN,              /* came from the younger generation */
	GC_SURVIVED_PINNED, /* stayed where they were because pinned */
	GC_SURVIVED,        /* all others that survived */
	GC_BUDGET,          /* to be allocated until the next one */
	GC_SIZES,
};
struct gc_generation {
	uint64_t sizes[GC_SIZES];
};

/* One heap; server GC has many. */
struct gc_heap {
	uint32_t number;
	uint32_t generations_count; /* told; the others are unknown */
	struct gc_generation generations[GC_GENERATIONS];
	uint32_t reasons[2];      /* as in gc_record */
	uint32_t compact, expand; /* why, how; see words.h */
	uint64_t free_list_allocated, free_list_rejected;
	uint64_t end_of_segment_allocated, condemned_allocated;
	uint64_t pinned_allocated, pinned_allocated_advance;
	uint32_t free_list_efficiency; /* percent */
	uint64_t extra_gen0_commit;
	uint64_t marked[GC_MARKS];
	uint64_t join_wait_ns; /* for other heaps */
};

enum { GC_PAUSES = 4 };
struct gc_record {
	/* As it began. */
	uint32_t number;
	uint32_t generation; /* condemned */
	uint32_t reason;     /* see words.h */
	uint32_t triggered;  /* the same, of what asked for it */
	uint32_t kind;       /* enum gc_kind */
	uint64_t client_sequence;
	int64_t time;      /* UTC, since 1970; 0: unknown */
	uint64_t start_ns; /* on a clock that never goes back */
	uint64_t duration_ns;

	/* The program stood still: so often, so long, and of that until its
	 * threads had stopped. */
	uint32_t pauses_count;
	struct {
		uint64_t length_ns, stop_ns;
	} pauses[GC_PAUSES];
	uint64_t pause_ns, stop_ns;   /* all of them together */
	uint64_t before_ns, after_ns; /* of the first: around the work */
	bool shares_pause;  /* its first pause is that of the one before */
	bool is_incomplete; /* events of it were lost */

	/* What was decided, by the runtime as a whole. */
	uint32_t mechanisms; /* enum gc_mechanism; GC_UNKNOWN32 */
	uint32_t pause_mode, memory_load /* percent */;
	uint32_t told_heaps_count, gen0_reductions;
	uint64_t gen0_budget;
	/*
	 * Why that generation. [0], two bits each: asked for, decided, whose
	 * budget was used up, whose time had come; [1] a bit for each other
	 * condition. Those of all heaps together: see gc_decision().
	 */
	uint32_t reasons[2];
	uint64_t phases_ns[GC_PHASES];

	/* After it, as the runtime sums up. */
	uint64_t size_after[GC_GENERATIONS], promoted[GC_GENERATIONS];
	uint64_t finalized, finalized_bytes; /* found dead, with finalizer */
	uint32_t pinned, sync_blocks, handles;
	uint64_t committed_before, committed_after, bookkeeping;

	/* All heaps together. */
	struct gc_generation generations[GC_GENERATIONS];
	uint32_t compact, expand; /* the first that was told */
	uint64_t marked[GC_MARKS];
	uint64_t join_wait_ns; /* the sum */
	uint64_t before, after, fragmentation, survived;

	/* Since the one before had ended. */
	uint64_t since_ns, allocated;

	uint32_t heaps_count;
	struct gc_heap *heaps; /* the record's own; NULL: not kept */
};

/* Nothing is known of it yet. */
void gc_record_init(struct gc_record *r);
void gc_record_clear(struct gc_record *r);
/* A heap of this number, made if it is not there; NULL: too many, or `err`. */
struct gc_heap *gc_record_heap(struct gc_record *r, uint32_t number,
			       struct error *err);
/* Sums over heaps; after the last was told. */
void gc_record_sum(struct gc_record *r);

/* Adds what is known. */
void gc_add(uint64_t *sum, uint64_t value);
/* The difference, at least 0; GC_UNKNOWN if one of them is. */
uint64_t gc_minus(uint64_t a, uint64_t b);

/* What does not fit is the largest number that is known. */
uint64_t gc_from_double(double value);

/* Bytes a second since the one before; GC_UNKNOWN. */
uint64_t gc_allocation_rate(const struct gc_record *r);
/* What a generation gave to the next older one. */
uint64_t gc_out(const struct gc_generation generations[GC_GENERATIONS],
		int generation);

/* ---- all of them ----------------------------------------------------------
 */

/* What else was seen; gc_totals.other_* are pauses of no collection. */
struct gc_totals {
	uint64_t first_ns, last_ns; /* watched; both 0: nothing yet */
	uint64_t lost_events;       /* the runtime had no room for them */
	uint64_t partial;           /* begun before, or not ended: no record */
	uint64_t other_pauses, other_ns;
	uint64_t finalizers; /* that were run */
};

struct gc_summary {
	uint64_t count, counts[3]; /* by generation, 2 and above together */
	uint64_t background, compacting, induced;
	uint64_t pause_ns, longest_ns;
	uint32_t longest_number; /* the collection of the longest pause */
	uint64_t pauses_ns[3];   /* by generation */
	uint64_t allocated, finalized;
	uint64_t dropped; /* nobody took them in time */
	struct gc_totals totals;
};
/* 0 … 10000: hundredths of a percent of the time watched. */
uint32_t gc_summary_share(const struct gc_summary *s);

struct gc_log {
	struct gc_summary summary;
	struct gc_record *ring; /* of GC_LOG_RECORDS */
	uint64_t added;         /* number of the next record; never falls */
	uint64_t heaps_from;    /* records before it lost their heaps */
	uint64_t heaps_count;   /* kept */
};
bool gc_log_init(struct gc_log *log, struct error *err) MUST_USE;
void gc_log_clear(struct gc_log *log);
/* Takes the record over, with its heaps; `r` is empty after it. */
void gc_log_add(struct gc_log *log, struct gc_record *r);
/* Records `first` to added - 1 are there. */
uint64_t gc_log_first(const struct gc_log *log);
const struct gc_record *gc_log_at(const struct gc_log *log, uint64_t number);

/* ---- from one thread to another -------------------------------------------
 */

/* Where records go as collections end; `r` is empty after take(). */
struct gc_sink {
	void (*take)(void *context, struct gc_record *r);
	void (*totals)(void *context, const struct gc_totals *totals);
	void *context;
};

/* Where they came from, and why no more will come. */
struct gc_source_facts {
	char who[96];     /* "process 4711 (api)", or a file */
	char runtime[48]; /* "10.0.9"; "" if it does not say */
	char end[200];    /* "process 4711 (api) has ended"; "" as yet */
	bool is_cut;      /* something is missing at the end */
};

/*
 * What nobody takes out in time pushes out the oldest, and that is counted; or,
 * if the feed `waits`, is waited for: a file does not run away.
 */
struct gc_feed {
	pthread_mutex_t lock;
	pthread_cond_t room;
	bool waits, is_abandoned;
	struct gc_record *records; /* of GC_FEED_RECORDS */
	uint32_t first, count;
	uint64_t dropped;
	struct gc_totals totals;
	/* Called after each change; NULL: nobody waits. Set it before use. */
	void (*wake)(void *context);
	void *wake_context;
};
bool gc_feed_init(struct gc_feed *feed, struct error *err) MUST_USE;
void gc_feed_clear(struct gc_feed *feed);
struct gc_sink gc_feed_sink(struct gc_feed *feed);
/* Nobody will take anything out any more; what still comes is thrown away. */
void gc_feed_abandon(struct gc_feed *feed);
/* The oldest; false: there is none. It is the caller's. */
bool gc_feed_next(struct gc_feed *feed, struct gc_record *r);
void gc_feed_totals(struct gc_feed *feed, struct gc_totals *totals,
		    uint64_t *dropped);

#endif
