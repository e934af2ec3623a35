#ifndef IO_EVENTS_WALK_STATE_H
#define IO_EVENTS_WALK_STATE_H

/* State of a walk: what walk.c gathers, and walk_finish.c builds a heap from. */
#include "io/events/gc_events.h"
#include "io/events/nettrace_order.h"
#include "io/events/recorded_events.h"
#include "io/events/walk.h"
#include "io/events/walk_pairs.h"
#include "io/events/walk_types.h"

/* The four sequences of a walk whose events are numbered. */
enum walk_series { SERIES_ROOTS, SERIES_DEPENDENTS, SERIES_OBJECTS, SERIES_REFS, SERIES_COUNT };

struct walk_root {
	uint64_t object, id; /* id of the handle or method */
	uint8_t kind;        /* enum root_kind */
	bool is_pinned;
};

struct walk_static {
	uint64_t object, type;
	const char *field;
};

struct walk_wrapper { /* a COM object that holds one of ours */
	uint64_t object, interface;
};

struct walk_total { /* by type number */
	uint64_t count, bytes;
	uint64_t size; /* of each object; 0: they differ */
};

/* Growing arrays of the above. */
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
	size_t count; /* allocated; zero beyond what was counted */
};

/* Builds of modules, by place in walk.modules; all zero: unknown. */
struct walk_builds {
	struct pe_build *items;
	size_t count, room;
};

/* Names of modules or methods by the runtime's id; texts in the arena. */
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
	bool has_seen_objects, end_waits; /* of a walk waiting there */

	/* The current collection. */
	struct gc_start gc;
	bool is_gc_open, has_seen_gc;
	uint64_t suspended_at, stopped_at; /* 0: not seen */
	bool is_pause_open;                /* the last walk's pause has not ended yet */
	struct walk_ranges ranges_before;  /* when it began */

	/* The current walk; `is_kept`: a heap is built from it. */
	struct walk_report current;
	bool is_running, is_kept;
	uint32_t walks_count; /* begun so far */
	uint32_t next_index[SERIES_COUNT];
	uint32_t full_count[SERIES_COUNT]; /* records of a full event */
	bool is_last_full[SERIES_COUNT];   /* the last event so far */
	bool ended_is_sure;                /* the last walk certainly has its last events */
	uint64_t thread;                   /* that walks; if has_thread */
	bool has_thread;

	/* The kept walk, as far as it is built. */
	struct walk_report report;
	bool has_report;
	struct heap_stream *stream;
	struct walk_pairs pairs;
	struct walk_totals totals;
	struct walk_roots roots;
	struct walk_statics statics;
	struct walk_wrappers wrappers;
	struct walk_ranges ranges;     /* at the end of the collection */
	struct walk_queue outside;     /* address and size of each object outside ranges_before */
	size_t last_range;             /* of the last object */
	struct u64_map methods_wanted; /* ids of methods with roots */

	/* Other facts from the stream. */
	struct walk_texts modules, methods;
	struct walk_builds builds; /* of the modules */
	const char *command_line;
	struct recorded recorded;

	const char **shown; /* type names for walk_publish(), by number */
	size_t shown_count;
	struct preview *preview; /* shows them; or NULL */
};

/* --- walk_state.c --- */

/*
 * Begins a walk with this event unless one is running. False: ignore the event, or no memory (then
 * `err` is set).
 */
bool walk_enter(struct walk *w, const struct nettrace_event *event, struct error *err) MUST_USE;
/* Ends the current walk, if there is one. */
bool walk_end(struct walk *w, bool has_end, struct error *err) MUST_USE;
/* Is a heap built from the current walk, or is it only counted? */
static inline bool
walk_is_built(const struct walk *w)
{
	return w->is_kept && !w->current.is_too_large;
}
/* Stops building if the heap exceeds options.memory_bytes. */
void walk_check_memory(struct walk *w);

/* --- walk_bulk.c: one function for each event; false: no memory --- */

bool walk_take_objects(struct walk *w, const struct nettrace_event *event,
		       struct error *err) MUST_USE;
bool walk_take_refs(struct walk *w, const struct nettrace_event *event, struct error *err) MUST_USE;
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

/* --- walk_rundown.c: loaded modules and methods, and the process --- */

bool walk_take_loaded(struct walk *w, const struct nettrace_event *event,
		      struct error *err) MUST_USE;
bool walk_take_process(struct walk *w, const struct nettrace_event *event,
		       struct error *err) MUST_USE;
/* NULL if the id is unknown. */
const char *walk_texts_find(const struct walk_texts *t, uint64_t id);
void walk_texts_clear(struct walk_texts *t);

#endif
