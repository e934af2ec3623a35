#ifndef MODEL_GC_LOG_H
#define MODEL_GC_LOG_H

/*
 * Garbage collections of a running program, one record each, in the order in which they ended: the
 * latest several thousand, and sums over all of them. Their source is unknown here (see
 * io/events/gc_stats.h).
 *
 * Values that the runtime did not report are GC_UNKNOWN (in 32 bits GC_UNKNOWN32), never 0. Times
 * are in nanoseconds, sizes in bytes.
 *
 * Memory is bounded: GC_LOG_RECORDS records of about 1.2 KB and the tables of their heaps, about
 * 600 bytes each. The oldest records lose these tables when there are more than GC_LOG_HEAPS.
 *
 * Not thread-safe; gc_feed passes records from one thread to another.
 */
#include "model/base/error.h"
#include "model/gc/recorded.h"
#include <pthread.h>

#define GC_UNKNOWN   UINT64_MAX
#define GC_UNKNOWN32 UINT32_MAX

enum {
	GC_LOG_RECORDS = 8192,
	GC_LOG_HEAPS = 32768,
	GC_FEED_RECORDS = 1024,
	GC_HEAPS_MAX = 1024, /* per record; further ones are dropped */
};

/* gen0, gen1, gen2, LOH, POH */
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

/* Sources of marked objects, numbered as in the runtime. */
enum { GC_MARKS = 10 };
/* Phases of a collection, numbered as in the runtime. */
enum { GC_PHASES = 8 };

/* Sizes of a generation in bytes, which may be summed over heaps. */
enum gc_size {
	GC_SIZE_BEFORE, /* all sizes include free space */
	GC_FREE_LIST_BEFORE,
	GC_FREE_OBJECTS_BEFORE,
	GC_SIZE_AFTER,
	GC_FREE_LIST_AFTER,
	GC_FREE_OBJECTS_AFTER,
	GC_IN,              /* promoted from the younger generation */
	GC_SURVIVED_PINNED, /* survived in place, as pinned */
	GC_SURVIVED,        /* all other survivors */
	GC_BUDGET,          /* to allocate before the next collection */
	GC_SIZES,
};
struct gc_generation {
	uint64_t sizes[GC_SIZES];
};

/* One heap of the collector; server GC has several. */
struct gc_heap {
	uint32_t number;
	uint32_t generations_count; /* reported; others are unknown */
	struct gc_generation generations[GC_GENERATIONS];
	uint32_t reasons[2];      /* as in gc_record */
	uint32_t compact, expand; /* reason and manner; see words.h */
	uint64_t free_list_allocated, free_list_rejected;
	uint64_t end_of_segment_allocated, condemned_allocated;
	uint64_t pinned_allocated, pinned_allocated_advance;
	uint32_t free_list_efficiency; /* percent */
	uint64_t extra_gen0_commit;
	uint64_t marked[GC_MARKS];
	uint64_t join_wait_ns; /* waiting for other heaps */
};

enum { GC_PAUSES = 4 };
struct gc_record {
	/* At its start. */
	uint32_t number;
	uint32_t generation; /* condemned */
	uint32_t reason;     /* see words.h */
	uint32_t triggered;  /* likewise, of the trigger */
	uint32_t kind;       /* enum gc_kind */
	uint64_t client_sequence;
	int64_t time;      /* UTC, since 1970; 0: unknown */
	uint64_t start_ns; /* monotonic */
	uint64_t duration_ns;

	/* Pauses of the program: their length, and the part of it until all threads had stopped. */
	uint32_t pauses_count;
	struct {
		uint64_t length_ns, stop_ns;
	} pauses[GC_PAUSES];
	uint64_t pause_ns, stop_ns;   /* sums over all pauses */
	uint64_t before_ns, after_ns; /* first pause: around the collection */
	bool shares_pause;            /* its first pause is also the previous record's */
	bool is_incomplete;           /* some of its events were lost */

	/* Decisions of the runtime as a whole. */
	uint32_t mechanisms; /* enum gc_mechanism; GC_UNKNOWN32 */
	uint32_t pause_mode, memory_load /* percent */;
	uint32_t reported_heaps_count, gen0_reductions;
	uint64_t gen0_budget;
	/*
	 * The choice of the generation. [0], two bits each: generation requested, chosen, by
	 * exceeded budget, by time; [1]: a bit for each other condition. Combined over all heaps:
	 * see gc_decision().
	 */
	uint32_t reasons[2];
	uint64_t phases_ns[GC_PHASES];

	/* After it, as summed up by the runtime. */
	uint64_t size_after[GC_GENERATIONS], promoted[GC_GENERATIONS];
	uint64_t finalized, finalized_bytes; /* dead, with a finalizer to run */
	uint32_t pinned, sync_blocks, handles;
	uint64_t committed_before, committed_after, bookkeeping;

	/* Sums over all heaps. */
	struct gc_generation generations[GC_GENERATIONS];
	uint32_t compact, expand; /* the first one reported */
	uint64_t marked[GC_MARKS];
	uint64_t join_wait_ns;
	uint64_t before, after, fragmentation, survived;

	/* Since the end of the previous collection. */
	uint64_t since_ns, allocated;

	uint32_t heaps_count;
	struct gc_heap *heaps; /* owned; NULL: not kept */
};

/* Initializes all values as unknown. */
void gc_record_init(struct gc_record *r);
void gc_record_clear(struct gc_record *r);
/* Finds or adds the heap of this number; NULL: too many, or sets `err`. */
struct gc_heap *gc_record_heap(struct gc_record *r, uint32_t number, struct error *err);
/* Computes the sums over heaps, once all heaps are recorded. */
void gc_record_sum(struct gc_record *r);

/* Adds `value` unless it is unknown. */
void gc_add(uint64_t *sum, uint64_t value);
/* The difference, at least 0; unknown if either operand is. */
uint64_t gc_minus(uint64_t a, uint64_t b);

/* Saturates at the largest known number. */
uint64_t gc_from_double(double value);

/* Bytes a second since the previous collection; or GC_UNKNOWN. */
uint64_t gc_allocation_rate(const struct gc_record *r);
/* Bytes promoted from a generation to the next older one. */
uint64_t gc_out(const struct gc_generation generations[GC_GENERATIONS], int generation);

/* ---- all collections ------------------------------------------------------
 */

/* Events besides collections; other_* are pauses for other reasons. */
struct gc_totals {
	uint64_t first_ns, last_ns; /* time span observed; both 0: none */
	uint64_t lost_events;       /* dropped by the runtime */
	uint64_t partial;           /* without start or end: not recorded */
	uint64_t other_pauses, other_ns;
	uint64_t finalizers; /* run */
	struct recorded recorded;
};

struct gc_summary {
	uint64_t count, counts[3]; /* by generation; [2]: gen2 and above */
	uint64_t background, compacting, induced;
	/* If the pause of a blocking collection is unknown, its duration is added to `pause_ns`
	   instead; the pause was longer. */
	uint64_t pause_ns, longest_ns, known_pauses_ns;
	uint32_t longest_number; /* number of the collection */
	uint64_t unknown_pauses; /* collections */
	uint64_t allocated;
	/* Collections, other than the first, since whose predecessor it is unknown how much was
	   allocated. */
	uint64_t unknown_allocated;
	uint64_t dropped; /* not read from the feed in time */
	struct gc_totals totals;
};
/* Whether collections are missing, so that all sums are lower limits. */
bool gc_summary_lacks(const struct gc_summary *s);
/* Share of time paused, in hundredths of a percent, 0 … 10000. */
uint32_t gc_summary_share(const struct gc_summary *s);

struct gc_log {
	struct gc_summary summary;
	struct gc_record *ring; /* of GC_LOG_RECORDS */
	uint64_t added;         /* number of the next record; only grows */
	uint64_t heaps_from;    /* earlier records have lost their heaps */
	uint64_t heaps_count;   /* in all records */
};
bool gc_log_init(struct gc_log *log, struct error *err) MUST_USE;
void gc_log_clear(struct gc_log *log);
/* Moves the record, with its heaps, into the log; `r` is empty afterwards. */
void gc_log_add(struct gc_log *log, struct gc_record *r);
/* Records from `first` to added - 1 are available. */
uint64_t gc_log_first(const struct gc_log *log);
const struct gc_record *gc_log_at(const struct gc_log *log, uint64_t number);

/* ---- from one thread to another -------------------------------------------
 */

/* Receives records as collections end; `r` is empty after take(). */
struct gc_sink {
	void (*take)(void *context, struct gc_record *r);
	void (*totals)(void *context, const struct gc_totals *totals);
	void *context;
};

/* The source of the records, and why it ended. */
struct gc_source_facts {
	char who[96];     /* "process 4711 (api)", or a file */
	char runtime[48]; /* "10.0.9"; "" if unknown */
	char end[200];    /* "process 4711 (api) has ended"; "" until then */
	bool is_cut;      /* the end of the data is missing */
};

/*
 * A bounded queue. When it is full, a new record replaces the oldest, which is counted as dropped;
 * or the writer waits, if `waits` is set, as for a file.
 */
struct gc_feed {
	pthread_mutex_t lock;
	pthread_cond_t room;
	bool waits, is_abandoned;
	struct gc_record *records; /* of GC_FEED_RECORDS */
	uint32_t first, count;
	uint64_t dropped;
	struct gc_totals totals;
	/* Called after each record; or NULL. Set it before use. */
	void (*wake)(void *context);
	void *wake_context;
};
bool gc_feed_init(struct gc_feed *feed, struct error *err) MUST_USE;
void gc_feed_clear(struct gc_feed *feed);
struct gc_sink gc_feed_sink(struct gc_feed *feed);
/* Tells the writer that nothing is read any more: drops all further records. */
void gc_feed_abandon(struct gc_feed *feed);
/* Moves the oldest record to the caller; false if there is none. */
bool gc_feed_next(struct gc_feed *feed, struct gc_record *r);
void gc_feed_totals(struct gc_feed *feed, struct gc_totals *totals, uint64_t *dropped);

#endif
