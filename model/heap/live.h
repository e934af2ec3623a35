#ifndef MODEL_HEAP_LIVE_H
#define MODEL_HEAP_LIVE_H

/*
 * Running processes for the user interface: a list of them, the cost of a capture, and the capture
 * itself. capture/capture.c fills in the table and tui/cli/main.c passes it to the interface, which
 * knows nothing else about processes.
 */
#include "model/base/progress.h"
#include "model/heap/heap.h"

struct gc_sink;
struct gc_source_facts;
struct allocations;
struct output;
struct preview;

struct live_process {
	int32_t pid;
	char name[64], user[33];
	char runtime[24];       /* "10.0.9"; "" if unknown */
	char container[13];     /* "" if unknown */
	char command[160];      /* the command line, truncated */
	uint64_t private_bytes; /* resident and not shared */
	struct error trouble;   /* why no heap can be captured from it */
};

/* Free memory below the tightest limit, or below what the machine has. */
struct live_room {
	uint64_t limit_bytes; /* 0: none */
	uint64_t headroom_bytes;
	char limit[40]; /* which limit: "memory.max of its cgroup" */
	bool is_shared; /* heaptop's own memory counts against it */
	/* Its cgroup is not visible to us: the real limit may be tighter. */
	bool is_hidden;
};

/* Memory that a heap walk takes in the target. */
struct live_need {
	uint64_t private_bytes, swapped_bytes; /* memory in use */
	/* Its longest heap range that a collection may copy, which it does not do to large objects;
	   0: unknown. */
	uint64_t range_bytes;
	uint64_t event_bytes;   /* that describe the heap; 0: unknown */
	uint64_t bytes;         /* additional memory for the walk, about */
	uint64_t shared_bytes;  /* heaptop's own need, if it shares that memory */
	uint64_t reserve_bytes; /* memory that stays free on top of both */
};

/* The load that decides if the capture gets the CPU at once; 0: unknown. */
struct live_load {
	uint32_t threads, cpus;     /* runnable threads; CPUs of the machine */
	uint32_t throttled_percent; /* share of the time in which a CPU limit
				       held back the process that does the
				       work */
};

enum live_plan {
	PLAN_TWO_SESSIONS,
	PLAN_ONE_SESSION,
	PLAN_BLOCKING, /* one session that waits for heaptop to read */
	PLAN_COPY,     /* from memory: stopped while the heap is copied */
	PLAN_IN_PLACE, /* from memory: stopped while the heap is read */
};

/* Cost of a capture, estimated before the target is touched. */
struct live_card {
	int32_t pid;
	uint64_t start_ticks; /* start time; distinguishes reuse of the pid */
	char who[96];         /* "process 4711 (api)" */
	char user[33];        /* owner; "": unknown */
	bool is_ours;         /* owned by the user who runs heaptop */
	char runtime[48];     /* "10.0.9"; "" if unknown */
	char machine[16];     /* "x64" */
	unsigned major;       /* 10; 0: unknown */
	bool is_server_gc, is_single_file;
	bool is_counted;      /* objects and bytes are from a previous capture */
	bool is_seen;         /* bytes are the current size of the heap */
	uint32_t heaps_count; /* heaps of server GC; otherwise 1 */
	uint64_t heap_bytes;  /* if neither: all its private memory */
	uint64_t objects;     /* estimate, from objects of ordinary size */
	/* Bytes of objects that may have references, if is_seen or is_counted: a walk takes no
	   longer for a large array of numbers. */
	uint64_t ref_bytes;
	uint64_t pause_ms; /* estimate, if nothing delays the capture */
	struct live_load load;
	unsigned collections; /* collections that the capture forces */
	enum live_plan plan;
	uint32_t buffer_mb; /* upper limit, in the target */
	uint64_t our_bytes; /* estimate of our memory for the heap */
	struct live_room target, ours;
	struct live_need need; /* all zero if the target needs none */
	struct error refusal;  /* why it is not captured; or ERROR_NONE */
	uint32_t sessions;     /* open sessions of other tools: some types may have no names */
	bool has_tracing;      /* it has recorded events since its start: some types
				  may have no names */
};

struct live_target {
	int32_t pid;      /* pid in our pid namespace */
	const char *port; /* port of a runtime that connects to heaptop; else NULL */
	bool starts;      /* resume it if it waits at its start for a tool */
};

struct live_options {
	const char *keep_path; /* also write the raw events there; NULL: no */
	const char *symbols;   /* folder of a Native AOT program's; or NULL */
	uint64_t budget_ms;    /* refuse longer pauses; UINT64_MAX: no limit */
	uint64_t memory_bytes; /* limit for heaptop itself; 0: none */
	bool from_memory;      /* stop it and read its memory; no collection */
	/* From memory: every word on a stack counts, even where its references are known. */
	bool has_conservative_stacks;
	/* From memory: which of several runtimes, from 1; 0: not chosen. */
	uint32_t runtime;
	/* The capture is not made where the user's files and options are. */
	bool is_elsewhere;
};

/* Progress of a capture. */
struct live_watch {
	uint64_t bytes;    /* bytes read */
	uint64_t objects;  /* objects decoded */
	uint64_t resident; /* resident bytes of the target */
};

/* Receives what was recorded so far, and at last all of it. */
struct allocation_sink {
	/* Takes over `a`; called on the recording's thread. */
	void (*publish)(void *context, struct allocations *a);
	void *context;
	uint64_t interval_ns; /* between two, at least; 0: only the last */
	/* Returns whether to count anew from now on; NULL: never. */
	bool (*counts_anew)(void *context);
};

/* A recording of what a process allocates. */
struct live_allocations {
	uint64_t time_ns;    /* how long; 0: until the process ends */
	struct output *keep; /* also gets the raw events; or NULL */
	/* Do not follow objects through collections, which costs a stop. */
	bool without_survival;
	/* Set by the plan. */
	/* About how long the process stops at the end of each background
	   collection, in addition to what the runtime reports; 0: it does not.
	 */
	uint64_t survival_stop_ns;
	char who[96];       /* "process 4711 (api)" */
	uint32_t buffer_mb; /* most memory for events in the process */
	uint32_t sessions;  /* event sessions of other tools */
	struct live_room target;
	bool is_random; /* samples are; see model/allocations/estimate.h */
};

struct live_capture; /* one capture: before, during and after it */

struct live_ops {
	/* Where the processes are: "web-1"; NULL: on this machine. Heaps from elsewhere come
	   without what only memory has. */
	const char *(*place)(void);
	/*
	 * Returns all .NET processes, by name, to be freed by memory_free(). NULL with ERROR_NONE:
	 * there are none. Briefly asks each for its version.
	 */
	struct live_process *(*list)(size_t *count, struct progress *progress, struct error *err);
	/*
	 * Inspects the process and asks its runtime to identify itself,
	 * nothing more. `before` is an earlier capture or NULL: a process that is captured again
	 * need not send its types again. `target` may be
	 * NULL if `before` is not. Takes a moment; up to seconds if the process does not answer.
	 */
	struct live_capture *(*open)(const struct live_target *target,
				     const struct live_options *options,
				     const struct live_capture *before, struct progress *progress,
				     struct error *err);
	const struct live_card *(*card)(const struct live_capture *c);
	/* May be called once. */
	const struct heap *(*load)(struct live_capture *c, struct progress *progress,
				   struct preview *preview, struct error *err);
	/* May be called on any thread. */
	void (*watch)(const struct live_capture *c, struct live_watch *out);
	/* After load(): the actual cost, in one sentence. False: the heap is incomplete. */
	bool (*tell_cost)(const struct live_capture *c, char *text, size_t text_size);
	/* Returns the errno of the failure to write keep_path, or 0. */
	int (*keep_errnum)(const struct live_capture *c);
	/* `c` may be NULL. */
	void (*free)(struct live_capture *c);
	/*
	 * Reports the collections of a process as they end, until the process exits or `progress`
	 * is cancelled, which is no failure. Forces and stops nothing. `wants_joins`: also how long
	 * heaps wait for each other.
	 */
	bool (*collections)(const struct live_target *target, bool wants_joins, struct gc_sink sink,
			    struct gc_source_facts *facts, struct progress *progress,
			    struct error *err);
	/*
	 * Plan a recording of samples of allocations, starting nothing; and record them, until the
	 * time is over, the process exits or `progress` is cancelled, which are no failures. Forces
	 * and stops nothing.
	 */
	bool (*plan_allocations)(const struct live_target *target, struct live_allocations *plan,
				 struct progress *progress, struct error *err);
	bool (*allocations)(const struct live_target *target, const struct live_allocations *plan,
			    struct allocation_sink sink, struct progress *progress,
			    struct error *err);
};

#endif
