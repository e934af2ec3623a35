#ifndef MODEL_HEAP_LIVE_H
#define MODEL_HEAP_LIVE_H

/*
 * Running processes as the screen sees them: who runs here, what a capture of
 * one will cost, and the capture itself. capture/capture.c fills in the table,
 * tui/cli/main.c hands it to the screen, which knows nothing else of processes.
 */
#include "model/base/progress.h"
#include "model/heap/heap.h"

struct gc_sink;
struct gc_source_facts;
struct preview;

struct live_process {
	int32_t pid;
	char name[64], user[33];
	char runtime[24];       /* "10.0.9"; "" if it does not say */
	char container[13];     /* "" if none is known */
	char command[160];      /* the command line, cut */
	uint64_t private_bytes; /* resident and its own */
	struct error trouble;   /* why no heap can be captured from it */
};

/* Until the tightest of its limits, or what the machine has available. */
struct live_room {
	uint64_t limit_bytes; /* 0: none */
	uint64_t headroom_bytes;
	char limit[40]; /* what sets it: "memory.max of its cgroup" */
	bool is_shared; /* what we take is taken from it as well */
	/* Its cgroup is not seen from here: a limit may be tighter. */
	bool is_hidden;
};

/* The memory that a walk of its heap takes in the target. */
struct live_need {
	uint64_t private_bytes, swapped_bytes; /* what it has */
	uint64_t range_bytes;  /* its longest stretch of objects; 0: not seen */
	uint64_t bytes;        /* the walk needs about so much more */
	uint64_t shared_bytes; /* and we so much of the same room */
	uint64_t reserve_bytes; /* stays free besides */
};

/* Whether what a capture does gets the CPU at once; 0: unknown. */
struct live_load {
	uint32_t threads, cpus;     /* of the machine; that run or wait */
	uint32_t throttled_percent; /* of its time has a CPU limit held back
				       who does the work of the capture */
};

enum live_plan {
	PLAN_TWO_SESSIONS,
	PLAN_ONE_SESSION,
	PLAN_BLOCKING, /* one session that waits for us */
	PLAN_COPY,     /* its memory: stopped while the heap is copied */
	PLAN_IN_PLACE, /* its memory: stopped while the heap is read */
};

/* What a capture will cost; nothing has been done to the target yet. */
struct live_card {
	int32_t pid;
	uint64_t start_ticks; /* tells it from others with its pid */
	char who[96];         /* "process 4711 (api)" */
	char user[33];        /* whose it is; "": unknown */
	bool is_ours;         /* the user is the one of heaptop */
	char runtime[48];     /* "10.0.9"; "" if it does not say */
	char machine[16];     /* "x64" */
	unsigned major;       /* 10; 0: unknown */
	bool is_server_gc, is_single_file;
	bool is_counted; /* objects and bytes are those of a capture before */
	bool is_seen;    /* bytes are those of the heap now */
	uint32_t heaps_count; /* of server GC; else 1 */
	uint64_t heap_bytes;  /* neither: all its private memory */
	uint64_t objects;     /* about: so many of ordinary size fit there */
	uint64_t pause_ms;    /* about, if it is not kept waiting */
	struct live_load load;
	unsigned collections; /* that will be forced */
	enum live_plan plan;
	uint32_t buffer_mb; /* at most, in the target */
	uint64_t our_bytes; /* about, to hold the heap */
	struct live_room target, ours;
	struct live_need need; /* zeros where nothing is needed of it */
	struct error refusal;  /* why it is not captured; ERROR_NONE */
	uint32_t sessions; /* of other tools, open now: types may have no names
			      then */
	bool has_tracing;  /* it records events since its start:
			      types may have no names */
};

struct live_target {
	int32_t pid;      /* as we see it */
	const char *port; /* of a runtime that connects to us; else NULL */
};

struct live_options {
	const char *keep_path; /* the raw events go there too; NULL: not */
	uint64_t budget_ms;    /* longer pauses are refused; UINT64_MAX: none */
	uint64_t memory_bytes; /* what we may use; 0: not limited */
	bool from_memory;      /* stop it and read its memory; no collection */
	/* From memory: which of several runtimes, from 1; 0: nobody chose. */
	uint32_t runtime;
};

/* How far a capture is. */
struct live_watch {
	uint64_t bytes;    /* read */
	uint64_t objects;  /* decoded */
	uint64_t resident; /* of the target, in bytes */
};

struct live_capture; /* one capture, before, while and after it is made */

struct live_ops {
	/*
	 * All .NET processes, by name; free with memory_free(). NULL with
	 * ERROR_NONE: there are none. Asks each for its version, briefly.
	 */
	struct live_process *(*list)(size_t *count, struct progress *progress,
				     struct error *err);
	/*
	 * Looks at the process and asks the runtime who it is, nothing more.
	 * `before` is an earlier capture, perhaps of the same process, which
	 * then is taken again and need not tell its types anew; or NULL.
	 * `target` may be NULL then. Takes a moment; up to seconds if the
	 * process does not answer.
	 */
	struct live_capture *(*open)(const struct live_target *target,
				     const struct live_options *options,
				     const struct live_capture *before,
				     struct progress *progress,
				     struct error *err);
	const struct live_card *(*card)(const struct live_capture *c);
	/* Once. */
	const struct heap *(*load)(struct live_capture *c,
				   struct progress *progress,
				   struct preview *preview, struct error *err);
	/* From any thread. */
	void (*watch)(const struct live_capture *c, struct live_watch *out);
	/*
	 * After it: what it did cost, one sentence. False: something is
	 * missing in the heap.
	 */
	bool (*tell_cost)(const struct live_capture *c, char *text,
			  size_t text_size);
	/* The errno of what could not be kept at keep_path; 0: it was. */
	int (*keep_errnum)(const struct live_capture *c);
	/* NULL is allowed. */
	void (*free)(struct live_capture *c);
	/*
	 * The collections of a process as they end, until it ends or this is
	 * cancelled, which is no failure. Nothing is forced or stopped.
	 * `wants_joins`: how long heaps wait for each other, too.
	 */
	bool (*collections)(const struct live_target *target, bool wants_joins,
			    struct gc_sink sink, struct gc_source_facts *facts,
			    struct progress *progress, struct error *err);
};

#endif
