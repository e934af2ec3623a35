#ifndef IO_EVENTS_WALK_STATE_H
#define IO_EVENTS_WALK_STATE_H

/*
 * A walk: what walk.c has gathered when walk_finish.c makes a heap of it.
 */
#include "io/events/gc_events.h"
#include "io/events/nettrace_order.h"
#include "io/events/walk.h"
#include "io/events/walk_pairs.h"
#include "io/events/walk_types.h"

/* The four streams of a walk whose events are numbered. */
enum walk_series {
	SERIES_ROOTS,
	SERIES_DEPENDENTS,
	SERIES_OBJECTS,
	SERIES_REFS,
	SERIES_COUNT
};

struct walk_root {
	uint64_t object, id; /* id: of the handle or of the method */
	uint8_t kind;        /* enum root_kind */
	bool is_pinned;
};

struct walk_static {
	uint64_t object, type;
	const char *field;
};

struct walk_wrapper { /* a COM object's hold on one of ours */
	uint64_t object, interface;
};

struct walk_total { /* by number of type */
	uint64_t count, bytes;
};

/* Arrays that grow; items of the kinds above. */
struct walk_roots {
	struct walk_root *items;
	size_t count, room;
};
struct walk_statics {
	struct walk_static *items;
	size_t count, room;
};
struct walk_wrappers {
	struct walk_wrapper *items;
	size_t count, room;
};
struct walk_ranges {
	struct gc_range *items;
	size_t count, room;
};
struct walk_totals {
	struct walk_total *items;
	size_t count; /* room, really: all zero beyond what was counted */
};

/* Of modules, in the order of walk.modules; all zero: not told. */
struct walk_builds {
	struct pe_build *items;
	size_t count, room;
};

/* Of modules and methods: the runtime's id and a text in the arena. */
struct walk_texts {
	struct u64_map index;
	const char **items;
	size_t count, room;
};

struct walk {
	struct walk_options options;
	struct walk_types *types;
	bool owns_types, is_listing;
	struct walk_list *list; /* when listing */
	struct arena arena;     /* names; until the walk is freed */
	unsigned pointer_bytes;

	struct nettrace_order order;      /* events that wait for older ones */
	bool has_seen_objects, end_waits; /* of a walk that may wait there */

	/* The collection now running. */
	struct gc_start gc;
	bool is_gc_open, has_seen_gc;
	uint64_t suspended_at, stopped_at; /* 0: not seen */
	bool is_pause_open; /* the last walk's pause ends with the next restart
			     */
	struct walk_ranges ranges_before; /* at its start */

	/* The walk now running; `is_kept`: it is built. */
	struct walk_report current;
	bool is_running, is_kept;
	uint32_t walks_count; /* begun so far */
	uint32_t next_index[SERIES_COUNT];
	uint32_t full_count[SERIES_COUNT]; /* records of a full event */
	bool is_last_full[SERIES_COUNT];   /* the last event so far */
	bool ended_is_sure; /* nothing is missing at the end of the last walk */
	uint64_t thread;
	bool has_thread;

	/* The walk that is kept, built so far. */
	struct walk_report report;
	bool has_report;
	struct heap_stream *stream;
	struct walk_pairs pairs;
	struct walk_totals totals;
	struct walk_roots roots;
	struct walk_statics statics;
	struct walk_wrappers wrappers;
	struct walk_ranges ranges; /* at the end of the collection */
	struct walk_queue outside; /* objects outside ranges_before: address,
				      size */
	size_t last_range;         /* where the last object was */
	struct u64_map methods_wanted; /* ids of methods with roots */

	/* What the stream says besides. */
	struct walk_texts modules, methods;
	struct walk_builds builds; /* of the modules */
	const char *command_line;

	const char **shown; /* names of types for walk_publish(), by number */
	size_t shown_count;
	struct preview *preview; /* that shows them; or NULL */
};

/* --- walk_state.c --- */

/*
 * Begins a walk with this event unless one is running. False: the event is to
 * be ignored, or no memory (then `err` is set).
 */
bool walk_enter(struct walk *w, const struct nettrace_event *event,
		struct error *err) MUST_USE;
/* Ends the walk that is running, if one is. */
bool walk_end(struct walk *w, bool has_end, struct error *err) MUST_USE;
/* Is the walk that is running made into a heap, and not only counted? */
static inline bool
walk_is_built(const struct walk *w)
{
	return w->is_kept && !w->current.is_too_large;
}
/* Gives up if it takes more than it may. */
void walk_check_memory(struct walk *w);

/* --- walk_bulk.c: one function an event; false: no memory --- */

bool walk_take_objects(struct walk *w, const struct nettrace_event *event,
		       struct error *err) MUST_USE;
bool walk_take_refs(struct walk *w, const struct nettrace_event *event,
		    struct error *err) MUST_USE;
bool walk_take_roots(struct walk *w, const struct nettrace_event *event,
		     struct error *err) MUST_USE;
bool walk_take_dependents(struct walk *w, const struct nettrace_event *event,
			  struct error *err) MUST_USE;
bool walk_take_statics(struct walk *w, const struct nettrace_event *event,
		       struct error *err) MUST_USE;
bool walk_take_wrappers(struct walk *w, const struct nettrace_event *event,
			struct error *err) MUST_USE;
bool walk_take_types(struct walk *w, const struct nettrace_event *event,
		     struct error *err) MUST_USE;

/* --- walk_rundown.c: what is loaded, and what process it is --- */

bool walk_take_loaded(struct walk *w, const struct nettrace_event *event,
		      struct error *err) MUST_USE;
bool walk_take_process(struct walk *w, const struct nettrace_event *event,
		       struct error *err) MUST_USE;
/* NULL if the id is not known. */
const char *walk_texts_find(const struct walk_texts *t, uint64_t id);
void walk_texts_clear(struct walk_texts *t);

#endif
