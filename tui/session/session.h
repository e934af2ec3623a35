#ifndef TUI_SESSION_SESSION_H
#define TUI_SESSION_SESSION_H

/*
 * One opened heap, everything computed about it, and the jobs that are still
 * computing. All views share it. Fields are NULL until a job has ended: cells
 * that need them show "…" meanwhile (columns and views declare what they need,
 * see tui/widget/view.h, and are refreshed when it arrives).
 *
 * Only the screen's thread changes a session. Jobs that show rows, as a search
 * does, read it: what can change under them is atomic, and they are stopped
 * before a result is replaced. While the heap is loading the types are those of
 * the preview, which belong to the loader: everything that looks at them stands
 * between session_enter() and session_leave(), so no job may.
 */
#include "model/gc/log.h"
#include "model/graph/reach.h"
#include "model/graph/reverse.h"
#include "model/graph/root_index.h"
#include "model/heap/source.h"
#include "model/table/facts.h"
#include "tui/session/job.h"
#include "tui/session/marks.h"
#include "model/graph/retention.h"
#include "tui/session/what_if.h"

struct gcs;
struct live_capture;
struct snapshots;

/* Where the heap comes from; tui/cli/main.c knows how. */
struct loader {
	const char *path; /* for the source and for titles */
	const struct heap *(*load)(const struct loader *from,
				   enum load_what what,
				   struct progress *progress,
				   struct preview *preview, struct error *err);
	bool is_forced; /* also what is hardly its format, see
			   model/heap/source.h */
	/* The rest may be NULL. */
	void *context;
	/*
	 * While it loads: what there is to say beside the progress.
	 * `has_ended`: what it did cost.
	 */
	void (*tell)(const struct loader *from, bool has_ended, char *text,
		     size_t text_size);
	/* What was captured, to be captured again; NULL: a file. */
	struct live_capture *capture;
	int32_t pid; /* of a process that is watched, not captured; else 0 */
	/* The collections that the file tells of, or, if `is_live`, those of
	   the process as they end. */
	bool is_live;
	bool (*collections)(const struct loader *from, struct gc_sink sink,
			    struct gc_source_facts *facts,
			    struct progress *progress, struct error *err);
};

/* How it shows things, and what it computes with; from the user's settings. */
struct session_options {
	bool shows_short_names, folds_names, prefers_statics;
	uint8_t bytes_shown; /* enum bytes_shown */
};

enum { SAVE_WARNING_BYTES = 200 };
enum session_job {
	JOB_LOAD,
	JOB_REVERSE,
	JOB_REACH,
	JOB_RETENTION,
	JOB_SAVE,
	JOB_KINDS
};

struct session {
	const struct heap *heap; /* NULL while loading */
	const struct reverse *reverse;
	const struct reach *reach;
	struct root_index *roots; /* comes and goes with `reach` */
	uint32_t reach_version;   /* changes with `reach` */
	uint32_t results_version; /* with `reach` and with `retention` */
	struct what_if what_if;   /* what `reach` was computed without */
	struct marks marks;       /* for the user to find again */
	/* After both, by itself if there is memory; see `refused`. They go with
	   the `reach` that they are of. */
	const struct retention *retention;
	uint64_t generation_bytes[GEN_COUNT]; /* of the heap, if it tells */
	/* The heap's types, or as many as were seen so far. */
	const struct type *types;
	uint32_t types_count;
	_Atomic unsigned has; /* enum need; set after what it tells of */
	uint32_t version;     /* changes whenever something arrived */
	/* What `reach` is to be computed with, and what it was. */
	bool prefers_statics, reach_prefers_statics;
	atomic_bool shows_short_names; /* `z` */
	bool folds_names;              /* their generics, where drawn */
	atomic_uchar bytes_shown;      /* enum bytes_shown; `b` */
	char name[128];                /* of the file, without folders */
	struct snapshots *snapshots;   /* it is one of these; or NULL */
	bool is_marked;                /* to be compared with others */
	/* How many rows anybody will look at, where making them takes long;
	   0: a screenful at a time. */
	uint64_t rows_wanted;
	bool lacks_wanted; /* batch mode goes on without: analyses_lacking() */
	char save_path[4096]; /* of the last session_save() */
	bool save_replaces;
	bool is_in_file; /* session_save() has kept it since it was captured */
	char save_warning[SAVE_WARNING_BYTES]; /* what the file lacks, or "" */
	bool is_batch;                         /* -b: nobody can open rows */
	struct gcs *gcs; /* collections; NULL: not asked for */
	bool is_empty;   /* no heap will come: the list of processes and such */
	/* Reading was stopped: `heap` has only the types counted until then. */
	bool is_stopped;
	/* All was read, and there was no more than the types: it is cut. */
	bool has_only_types;
	uint64_t stopped_seen, stopped_total; /* objects; total 0: unknown */

	struct loader loader;
	struct waker waker;
	struct job *jobs[JOB_KINDS];
	struct error job_errors[JOB_KINDS]; /* why one ended without result */
	/* What this heap may take, with all others that are open; 0: no limit.
	 */
	uint64_t memory_limit;
	/* By budget.h: what a job takes while it runs; what retention may take,
	   0: no limit; enum need that wait for memory. */
	uint64_t job_bytes[JOB_KINDS], job_room;
	unsigned reverse_turns, waiting;
	/* Why there will be no result of a job, a sentence; columns of it are
	   left out. "": it is there, or on its way, or not wanted yet. */
	char refused[JOB_KINDS][sizeof(((struct error *)0)->message)];
	/* What objects would take; 0: not for want of memory they are missing.
	 */
	uint64_t objects_need_bytes;
	struct preview preview;
	uint64_t preview_version;
	enum load_what load_what; /* of JOB_LOAD, the last one */
	/* Results on the way from a worker to session_poll(). */
	const struct heap *loaded_heap, *stopped_heap;
	const struct reverse *computed_reverse;
	const struct reach *computed_reach;
	struct root_index *computed_roots;
	const struct retention *computed_retention;
};

/*
 * Nothing is loaded yet. With an empty waker everything is done at once. The
 * waker must live until the session is stopped or freed.
 */
struct session *session_new(const struct loader *loader, struct waker waker,
			    struct error *err) MUST_USE;
/* A heap that is there already; the session frees it. */
struct session *session_new_of_heap(const struct heap *h, struct waker waker,
				    struct error *err) MUST_USE;
/* Of no heap at all. */
struct session *session_new_empty(struct waker waker,
				  struct error *err) MUST_USE;
/* How it shows things; session_prefer_statics() has the rest. */
void session_show_as(struct session *s, const struct session_options *options);
/* Before it is started. */
void session_set_waker(struct session *s, struct waker waker);
/* Cancels and joins what is running. */
void session_stop(struct session *s);
void session_free(struct session *s);

/* Starts loading; referrers, distances and retention follow by themselves. */
bool session_start(struct session *s, struct error *err) MUST_USE;
/* Computes what is missing and waits for it: batch mode. */
bool session_require(struct session *s, unsigned needs,
		     struct error *err) MUST_USE;
/* False sets `err`: there is no heap, or there are only its types. */
bool session_can_have(const struct session *s, unsigned needs,
		      struct error *err);
/*
 * False sets `err`: types are still being counted, and their numbers are not
 * yet those that they will have. A heap whose types are all known has settled.
 */
bool session_has_settled(const struct session *s, struct error *err);
/* Starts what is missing and not on its way, for a view that needs it. */
bool session_want(struct session *s, unsigned needs,
		  struct error *err) MUST_USE;

/* One of its jobs, in place of the last one of the kind. */
bool session_start_job(struct session *s, enum session_job kind,
		       const char *what, job_run *run, struct waker waker,
		       struct error *err) MUST_USE;

/* Keeps the heap in a file, by snapshots->save; see `save_path`. */
bool session_save(struct session *s, const char *path, bool may_replace,
		  struct error *err);

/* The jobs that have ended by now: bits, 1 << enum session_job. */
unsigned session_ended(const struct session *s);
/*
 * One of these brings what replaces a result that views' own jobs may be
 * reading: stop those before session_poll().
 */
bool session_is_replacing(const struct session *s, unsigned ended);
/*
 * Takes the results of these jobs, and of no others: one that ends meanwhile
 * waits for the next turn, as nobody was stopped for it. True if something
 * arrived. A job that failed leaves its error in job_errors.
 */
bool session_poll(struct session *s, unsigned ended);
/*
 * Where there is no waker: takes what was computed anew. False if that failed,
 * for what would be shown then is not what was asked for.
 */
bool session_take_at_once(struct session *s, struct error *err) MUST_USE;

/* Computes ways to the roots anew; the old ones stay until then. */
bool session_prefer_statics(struct session *s, bool prefer,
			    struct error *err) MUST_USE;

bool session_is_loading(const struct session *s);
/* There is no heap and none will come: job_errors[JOB_LOAD] says why. */
bool session_has_failed(const struct session *s);
/* The running job that the status line shows, or NULL. */
const struct job *session_job(const struct session *s);
/*
 * Stops that job. False if none is running. Of a heap that is being read the
 * types stay, as many as were counted: is_stopped.
 */
bool session_cancel(struct session *s);

void session_enter(struct session *s);
void session_leave(struct session *s);

/* The root that keeps an object, or NULL; NEED_REACH. */
const struct root *session_root_of(const struct session *s, node_id n);
/* Why there are types and nothing will follow, a sentence; NULL: it may. */
const char *session_only_types(const struct session *s);
/* Will not come: memory does not allow it, or there are only types. */
bool session_lacks(const struct session *s, unsigned needs);
/* What an object retains; NEED_RETAINED. */
struct retained_sum session_retained(const struct session *s, node_id n);
/* What its cells read: borrowed, until something arrives. */
struct facts session_facts(const struct session *s);
/* The name to show: with or without namespaces. */
const char *session_type_name(const struct session *s, type_id type);

#endif
