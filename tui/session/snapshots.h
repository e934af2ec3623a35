#ifndef TUI_SESSION_SNAPSHOTS_H
#define TUI_SESSION_SNAPSHOTS_H

/*
 * The heaps that are open: the files of the command line, and what was
 * captured since. Each is a session; they are read one after another, for the
 * memory of the machine is shared. Only the screen's thread changes them.
 */
#include "model/heap/live.h"
#include "tui/base/places.h"
#include "tui/base/secure.h"
#include "tui/session/session.h"
#include <stdio.h>

struct snapshots {
	struct session **sessions; /* in the order they came */
	size_t count, room;
	struct waker waker;
	const struct live_ops *live; /* NULL: no processes can be looked at */
	struct live_options options; /* of captures */
	struct secure secure;        /* what is forbidden */
	/*
	 * Writing files, of which the screen knows no more than this. NULL:
	 * there are none.
	 * A sentence if the file is there and may not be replaced: "w! FILE
	 * replaces it".
	 */
	bool (*may_write)(const char *path, bool may_replace,
			  const char *command, struct error *err);
	/* Can a heap be kept under this name? */
	bool (*may_save)(const char *path, struct error *err);
	/* Both on a worker; all of the file or none of it. `warning`: what the
	   file lacks of the heap, or "". */
	bool (*save)(const char *path, bool may_replace, const struct heap *h,
		     char warning[SAVE_WARNING_BYTES],
		     struct progress *progress, struct error *err);
	bool (*write)(const char *path, bool may_replace,
		      bool (*print)(void *context, FILE *to, struct error *err),
		      void *context, struct error *err);
	/* How a file is read, but for its path; load NULL: it cannot be. */
	struct loader file_loader;
	struct session
	    *tour[TOUR_DUMPS]; /* NULL: not open, see tui/app/tour.h */
	char tour_paths[TOUR_DUMPS][PLACE_BYTES];
	uint64_t memory_limit;               /* of all heaps; see session.h */
	uint64_t memory_room;                /* the limit where none is set */
	struct session_options new_sessions; /* what each begins with */
	struct settings *settings; /* the app's; NULL: as they are by default */
};

void snapshots_init(struct snapshots *all, struct waker waker);
/* Cancels and joins what is running, frees all sessions. */
void snapshots_clear(struct snapshots *all);

/* Cancels and joins what is running in any of them. */
void snapshots_stop(struct snapshots *all);

/* Reads nothing yet. NULL sets `err`. */
struct session *snapshots_add(struct snapshots *all,
			      const struct loader *loader, struct error *err);
/* The capture is the session's from now on, also when this fails. */
struct session *snapshots_add_capture(struct snapshots *all,
				      struct live_capture *capture,
				      struct error *err);
/* A session of no heap, for what can be said without one. */
struct session *snapshots_add_empty(struct snapshots *all, struct error *err);

/* What all heaps may take; UINT64_MAX: as much as is free. */
void snapshots_limit_memory(struct snapshots *all, uint64_t bytes);
/* If none is being read, the next one that waits begins to be. */
bool snapshots_start_next(struct snapshots *all, struct error *err);
/* Heaps that are there or will be; without the empty session. */
size_t snapshots_heaps(const struct snapshots *all);
/* One has arrived: views of the others may want to show it (NEED_SNAPSHOTS). */
void snapshots_tell_arrival(struct snapshots *all);
/* The latest capture of a process, or NULL. */
struct live_capture *snapshots_capture_of(const struct snapshots *all,
					  int32_t pid);
/* The process that its heap is of or that it watches; 0: none that runs. */
int32_t snapshots_pid(const struct session *s);

/* Heaps that were captured and are in no file: they go with the program. */
size_t snapshots_unsaved(const struct snapshots *all);
/* The number that the command `heap` takes; 0: it is no heap of a list. */
unsigned snapshots_number(const struct session *s);

#endif
