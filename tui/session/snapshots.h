#ifndef TUI_SESSION_SNAPSHOTS_H
#define TUI_SESSION_SNAPSHOTS_H

/*
 * The open heaps: files of the command line and captures, a session each. They are loaded one after
 * another to limit memory. Only the screen's thread changes them.
 */
#include "model/heap/live.h"
#include "tui/base/places.h"
#include "tui/base/secure.h"
#include "tui/session/session.h"
#include <stdio.h>

enum { TOUR_DUMPS = 2 };

struct snapshots {
	struct session **sessions; /* in the order they were opened */
	size_t count, room;
	struct waker waker;
	const struct live_ops *live; /* NULL: processes cannot be captured */
	struct live_options options; /* for captures */
	struct secure secure;        /* restrictions of secure mode */
	/*
	 * Functions that write files, set by tui/cli, as tui/ does not know io/. NULL: writing is
	 * forbidden.
	 *
	 * may_write() sets `err` if the file exists and may not be replaced: "w! FILE replaces it".
	 */
	bool (*may_write)(const char *path, bool may_replace, const char *command,
			  struct error *err);
	/* False sets `err`: the suffix names no format for heaps. */
	bool (*may_save)(const char *path, struct error *err);
	/* Returns the results that its format has besides the heap (enum
	   need). NULL: none has any. */
	unsigned (*save_needs)(const char *path);
	/* Both run on a worker and write all of the file or nothing. `warning` is set to the parts
	   of the heap that the file lacks, or "". */
	bool (*save)(const char *path, bool may_replace, const struct facts *f, const char *name,
		     char warning[SAVE_WARNING_BYTES], struct progress *progress,
		     struct error *err);
	bool (*write)(const char *path, bool may_replace,
		      bool (*print)(void *context, FILE *to, struct error *err), void *context,
		      struct error *err);
	/* Reads a recording of allocations, to join it with each heap that is loaded; NULL: none
	   was given. */
	struct allocations *(*load_samples)(const char *path, const struct heap *h,
					    struct progress *progress, struct error *err);
	const char *samples_path;
	/* Loader for files, without its path; load NULL: none. */
	struct loader file_loader;
	/* The dumps of tui/app/tour.h. */
	struct session *tour[TOUR_DUMPS];       /* NULL: not open */
	struct loader tour_loaders[TOUR_DUMPS]; /* load NULL: none */
	uint64_t memory_limit;                  /* for all heaps together; 0: none */
	uint64_t default_memory_limit;          /* if none is set */
	struct session_options new_sessions;    /* options of new sessions */
	struct settings *settings;              /* owned by the app; NULL: the defaults */
};

void snapshots_init(struct snapshots *all, struct waker waker);
/* Stops all jobs and frees all sessions. */
void snapshots_clear(struct snapshots *all);

/* Cancels the jobs of all sessions and waits for them. */
void snapshots_stop(struct snapshots *all);

/* Adds a session that exists already; frees it if that fails. */
struct session *snapshots_adopt(struct snapshots *all, struct session *s, struct error *err);
/* Adds a session without loading its heap. NULL sets `err`. */
struct session *snapshots_add(struct snapshots *all, const struct loader *loader,
			      struct error *err);
/* Adds a session for a file that is opened beside the heaps that are open already. */
struct session *snapshots_add_file(struct snapshots *all, const char *path, struct error *err);
/* Returns whether the session was added like that: `diff` sorts it by its time. */
bool snapshots_is_beside(const struct session *s);
/* Adds a session that owns the capture; frees the capture if it fails. */
struct session *snapshots_add_capture(struct snapshots *all, struct live_capture *capture,
				      struct error *err);
/* Adds a session without a heap, for a recording by this plan of what the process allocates. */
struct session *snapshots_add_recording(struct snapshots *all, int32_t pid,
					const struct live_allocations *plan, struct error *err);
/* Returns the session with the latest recording of the process, or NULL. */
struct session *snapshots_recording_of(const struct snapshots *all, int32_t pid);
/* Returns how many event sessions heaptop itself has open in the process. */
uint32_t snapshots_event_sessions(const struct snapshots *all, int32_t pid);
/*
 * Starts to join a heap that was captured while its process is recorded, once the recording has
 * gone on past the capture: session_join().
 */
void snapshots_join_recording(const struct snapshots *all, struct session *s);
/* Whether the heap waits for that. */
bool snapshots_will_join(const struct snapshots *all, const struct session *s);
/* Adds a session without a heap, for views that need none. */
struct session *snapshots_add_empty(struct snapshots *all, struct error *err);
/* Removes a session, and frees it and its capture. */
void snapshots_remove(struct snapshots *all, struct session *s);

/* Sets the memory limit for all heaps together; UINT64_MAX: the default. */
void snapshots_limit_memory(struct snapshots *all, uint64_t bytes);
/* Starts loading the next heap, unless one is loading. */
bool snapshots_start_next(struct snapshots *all, struct error *err);
/* Returns the number of heaps that are loaded or will be. */
size_t snapshots_heaps(const struct snapshots *all);
/* Tells all sessions that a heap has arrived (NEED_SNAPSHOTS). */
void snapshots_note_arrival(struct snapshots *all);
/* Returns the latest capture of a process, or NULL. */
struct live_capture *snapshots_capture_of(const struct snapshots *all, int32_t pid);
/* Returns the process that is captured or watched; 0: none. */
int32_t snapshots_pid(const struct session *s);

/* Returns whether the heap was captured and is in no file. */
bool snapshots_is_unsaved(const struct session *s);
/* Returns the number of captured heaps that are not saved to a file. */
size_t snapshots_unsaved(const struct snapshots *all);
/* Returns whether the heap was captured on another machine. */
bool snapshots_is_elsewhere(const struct session *s);
/* Returns the number of the heap for the command `heap`; 0: it has none. */
unsigned snapshots_number(const struct session *s);

#endif
