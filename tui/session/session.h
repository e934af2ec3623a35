#ifndef TUI_SESSION_SESSION_H
#define TUI_SESSION_SESSION_H

/*
 * One open heap, everything computed about it, and the jobs that still compute. All views share it.
 * Result fields are NULL until their job has ended; cells that need them show "…" until then
 * (columns and views declare needs, see tui/widget/view.h, and are refreshed when results arrive).
 *
 * Only the screen's thread changes a session. Jobs of views, such as a search, read it: fields that
 * can change under them are atomic, and these jobs are stopped before a result is replaced. While
 * the heap is loading, `types` belongs to the loader's preview and may be used only between
 * session_enter() and session_leave(), and by no job.
 */
#include "model/gc/log.h"
#include "model/graph/reach.h"
#include "model/graph/reverse.h"
#include "model/graph/root_index.h"
#include "model/heap/live.h"
#include "model/heap/source.h"
#include "model/table/facts.h"
#include "tui/session/job.h"
#include "tui/session/marks.h"
#include "model/graph/retention.h"
#include "tui/session/what_if.h"

struct allocations;
struct samples;
struct gcs;
struct live_capture;
struct recording;
struct snapshots;
struct suspects;

/* Where a heap comes from; filled in by tui/cli/main.c. */
struct loader {
	const char *path; /* for the source and for titles */
	const struct heap *(*load)(const struct loader *from, enum load_what what,
				   struct progress *progress, struct preview *preview,
				   struct error *err);
	bool is_forced;  /* accept input that hardly looks like its format */
	bool is_builtin; /* a part of the program, in no file */
	/* The members below may be NULL. */
	void *context;
	/* Describes the load, or with `has_ended` its total cost. */
	void (*describe)(const struct loader *from, bool has_ended, char *text, size_t text_size);
	/* The capture, which can be repeated; NULL: a file. */
	struct live_capture *capture;
	int32_t pid; /* a process that is watched, not captured; else 0 */
	/* Reads the collections of the file; if `is_live`, of the process. */
	bool is_live;
	bool (*collections)(const struct loader *from, struct gc_sink sink,
			    struct gc_source_facts *facts, struct progress *progress,
			    struct error *err);
	/* Reads the allocations of the file; if `is_live`, records those of the process. */
	bool (*allocations)(const struct loader *from, struct allocation_sink sink,
			    struct progress *progress, struct error *err);
};

/* User settings that apply to each session. */
struct session_options {
	bool shows_short_names, folds_names, prefers_statics;
	uint8_t bytes_shown; /* enum bytes_shown */
	bool guards_formulas;
	bool shows_mine;
	const char *my_modules; /* borrowed; NULL or "": no patterns */
};

enum { SAVE_WARNING_BYTES = 200 };
enum session_job { JOB_LOAD, JOB_REVERSE, JOB_REACH, JOB_RETENTION, JOB_SAVE, JOB_JOIN, JOB_KINDS };

struct session {
	const struct heap *heap; /* NULL while loading */
	const struct reverse *reverse;
	const struct reach *reach;
	struct root_index *roots; /* replaced together with `reach` */
	uint32_t reach_version;   /* incremented with `reach` */
	/* Incremented with `reach` and `retention`, and when my code changes.
	 */
	uint32_t results_version;
	uint32_t modules_version; /* incremented when the patterns of my code change */
	struct what_if what_if;   /* references ignored by `reach` */
	struct marks marks;       /* set by the user */
	/* Computed after reverse and reach, unless memory does not allow it; see `refused`. Dropped
	   with the `reach` it was computed from. */
	const struct retention *retention;
	uint64_t generation_bytes[GEN_COUNT]; /* 0: no generations known */
	/* The memory at an earlier capture of the same process; detail
	   UNKNOWN: there is none. */
	struct resident earlier;
	struct facts before; /* of the heap that findings are compared with, or no heap */
	/* The types of the heap, or of the preview while it loads. */
	const struct type *types;
	uint32_t types_count;
	_Atomic unsigned has; /* enum need; set after the result itself */
	uint32_t version;     /* incremented whenever something arrives */
	/* Parameter of the next `reach`, and of the present one. */
	bool prefers_statics, reach_prefers_statics;
	atomic_bool shows_short_names; /* `z` */
	bool folds_names;              /* fold generic arguments when drawn */
	atomic_uchar bytes_shown;      /* enum bytes_shown; `b` */
	bool guards_formulas;          /* of CSV and TSV */
	/* Set through session_apply_options(). What was replaced stays in `kept_arena`, as workers
	   may still read it. */
	bool shows_mine;
	const char *my_modules;
	const char *const *shown_names; /* see shown_names.h; NULL: not made */
	const uint8_t *code_owners;     /* session_code_owners(); NULL: not yet */
	/* Bits by object: new since, or gone in another heap of the process
	   (model/analysis/survival.h), as the last comparison found. NULL: not compared. */
	const uint64_t *is_new, *is_gone;
	bool are_fates_estimates;
	struct arena kept_arena;
	char name[128];              /* file name without folders */
	struct snapshots *snapshots; /* the list that it is in; or NULL */
	bool is_marked;              /* marked for a comparison */
	/* Rows that slow views make at once; 0: a screenful. */
	uint64_t rows_wanted;
	bool has_omissions;   /* columns were left out: analyses_refusal() */
	char save_path[4096]; /* path of the last session_save() */
	bool save_replaces;
	bool is_in_file;                       /* saved since it was captured */
	unsigned save_needs;                   /* results that it reads (enum need) */
	struct facts save_facts;               /* with these */
	char save_warning[SAVE_WARNING_BYTES]; /* what the file lacks, or "" */
	bool is_batch;                         /* -b: rows cannot be opened */
	bool keeps_links;                      /* for programs: no links of paths are folded */
	struct gcs *gcs;                       /* collections; NULL: not requested */
	struct recording *recording;           /* allocations; NULL: not requested */
	/* Samples of a recording in this heap, and the recording, with which it is joined again
	   when my code changes; NULL: not joined. */
	struct samples *samples;
	struct allocations *recorded;
	const char *join_modules;  /* my code in the latest join */
	struct suspects *suspects; /* see suspects.h; NULL: none */
	bool is_joined;            /* with the recording of its process, if it can be */
	bool is_empty;             /* has no heap and never will: :processes */
	bool is_stopped;           /* cancelled: `heap` has only the types until then */
	/* The input has only types, or only threads, or memory allows no more. */
	bool has_only_types;
	uint64_t stopped_seen, stopped_total; /* objects; total 0: unknown */

	struct loader loader;
	struct waker waker;
	struct job *jobs[JOB_KINDS];
	struct error job_errors[JOB_KINDS]; /* why a job ended without result */
	/* Memory limit for all open heaps together; 0: none. */
	uint64_t memory_limit;
	/*
	 * Set by budget.h: bytes that each running job takes; bytes that `retention` may take, 0:
	 * no limit. `waiting`: needs that wait for memory (enum need).
	 */
	uint64_t job_bytes[JOB_KINDS], retention_limit;
	unsigned reverse_turns, waiting;
	/* Sentence that says why memory does not allow the result of a job; columns that need it
	   are left out. "": not refused. */
	char refused[JOB_KINDS][sizeof(((struct error *)0)->message)];
	/* Memory that objects need, if it does not allow them; else 0. */
	uint64_t objects_need_bytes;
	struct preview preview;
	uint64_t preview_version;
	enum load_what load_what; /* of the last JOB_LOAD */
	/* Results of workers, until session_poll() takes them. */
	const struct heap *loaded_heap, *stopped_heap;
	struct samples *loaded_samples;
	struct allocations *loaded_recorded;
	const struct reverse *computed_reverse;
	const struct reach *computed_reach;
	struct root_index *computed_roots;
	const struct retention *computed_retention;
};

/*
 * Loads nothing yet. With an empty waker all jobs run at once. The waker must live until the
 * session is stopped or freed.
 */
struct session *session_new(const struct loader *loader, struct waker waker,
			    struct error *err) MUST_USE;
/* A session of a loaded heap, which the session frees. */
struct session *session_new_of_heap(const struct heap *h, struct waker waker,
				    struct error *err) MUST_USE;
/* A session without a heap. */
struct session *session_new_empty(struct waker waker, struct error *err) MUST_USE;
/* Applies the options, except for prefers_statics: session_prefer_statics(). */
void session_apply_options(struct session *s, const struct session_options *options);
/* Returns, by type, the enum code_owner of a heap that is loaded; it lives as long as the session.
   NULL sets `err`. */
const uint8_t *session_code_owners(struct session *s, struct error *err);
/* Copies what a comparison with another heap of the process found: `bits` by object, either the new
   or the gone ones. */
bool session_set_fates(struct session *s, const uint64_t *bits, bool are_gone, bool is_estimate,
		       struct error *err);
/* Call it before session_start(). */
void session_set_waker(struct session *s, struct waker waker);
/* Cancels all jobs and waits for them. */
void session_stop(struct session *s);
/* Frees the heap and its results, which no view may show; it can be loaded again. */
void session_drop(struct session *s);
void session_free(struct session *s);

/* Starts loading; referrers, paths and retained sizes follow automatically. */
bool session_start(struct session *s, struct error *err) MUST_USE;
/* Computes what is missing of `needs` and waits for it, for batch mode. */
bool session_require(struct session *s, unsigned needs, struct error *err) MUST_USE;
/* False sets `err`: `needs` can never be met, without a heap or its objects. */
bool session_can_have(const struct session *s, unsigned needs, struct error *err);
/* False sets `err`: types are still being counted. */
bool session_has_settled(const struct session *s, struct error *err);
/* Starts what is missing of `needs` and not running yet. */
bool session_want(struct session *s, unsigned needs, struct error *err) MUST_USE;

/* Starts a job; none of this kind may be running. */
bool session_start_job(struct session *s, enum session_job kind, const char *what, job_run *run,
		       struct waker waker, struct error *err) MUST_USE;

/* The same for all of `needs` that memory allows. */
bool session_require_allowed(struct session *s, unsigned needs, struct error *err) MUST_USE;

/* Finds the samples of a recording in the heap, by a job; the session takes over `a`. Some
   milliseconds for 10,000 live samples. */
void session_join(struct session *s, struct allocations *a);
/* Returns whether that was stopped, or my code has changed since, by which samples have sites. */
bool session_lacks_samples(const struct session *s);
/* Finds them again in that case. */
void session_join_again(struct session *s);

/* Writes the heap to a file by snapshots->save. */
bool session_save(struct session *s, const char *path, bool may_replace, struct error *err);

/* Returns the jobs that have ended, as bits 1 << enum session_job. */
unsigned session_ended(const struct session *s);
/*
 * Returns whether one of these jobs replaces a result that jobs of views may be reading: stop those
 * before session_poll().
 */
bool session_is_replacing(const struct session *s, unsigned ended);
/*
 * Takes the results of these jobs. Jobs that end meanwhile wait for the next call, as their readers
 * were not stopped. Returns whether anything arrived; a failed job leaves its error in job_errors.
 */
bool session_poll(struct session *s, unsigned ended);
/*
 * Without a waker: take the results of jobs that ran at once. False sets `err`: a job has failed,
 * so old results would be shown for a new request.
 */
bool session_take_at_once(struct session *s, struct error *err) MUST_USE;

/* Computes the paths to the roots again; the old ones stay until then. */
bool session_prefer_statics(struct session *s, bool prefer, struct error *err) MUST_USE;

bool session_is_loading(const struct session *s);
/* Returns whether loading has failed: job_errors[JOB_LOAD] says why. */
bool session_has_failed(const struct session *s);
/* Returns the running job that the status line shows, or NULL. */
const struct job *session_job(const struct session *s);
/*
 * Cancels that job. False if none is running. If the heap is loading, the types counted so far stay
 * (is_stopped).
 */
bool session_cancel(struct session *s);

void session_enter(struct session *s);
void session_leave(struct session *s);

/* Returns the root at the start of its cheapest path, or NULL; NEED_REACH. */
const struct root *session_root_of(const struct session *s, node_id n);
/* Returns a sentence that says why the heap has only types, or not even those, or NULL. */
const char *session_only_types(const struct session *s);
/* Returns the end of that sentence on a screen: what shows the types, if there are any. */
const char *session_only_types_hint(const struct session *s);
/* Returns whether memory or a heap without objects rules out one of `needs`. */
bool session_unavailable(const struct session *s, unsigned needs);
/* Returns what an object retains; NEED_RETAINED. */
struct retained_sum session_retained(const struct session *s, node_id n);
/* Returns the data that cells read, borrowed until something arrives. */
struct facts session_facts(const struct session *s);
/* Returns the name of a type to show, with or without namespaces. */
const char *session_type_name(const struct session *s, type_id type);

#endif
