#ifndef IO_EVENTS_WALK_H
#define IO_EVENTS_WALK_H

/*
 * Builds a heap from the events of a heap walk. A forced collection describes every object that
 * survived, in five independent sequences of events: types, objects, references, roots, dependent
 * handles. This pairs them again.
 *
 *   struct walk *w = walk_new(&options, err);
 *   while ((item = nettrace_next(t, &event, err)) is an event or a loss)
 *           if (!walk_take(w, item, &event, err)) …
 *   heap = walk_finish(w, t, progress, err);
 *
 * A stream may hold several walks. A live capture takes the first complete one (options.which 0)
 * and may stop the session when walk_state() is WALK_DONE; the events that the runtime sends while
 * it stops (names of modules and methods) should also be given to walk_take(). For a file,
 * walk_list() lists all walks.
 *
 * Memory until walk_finish(): that of model/heap/stream.h, 24 bytes a root, and objects and
 * references that are not paired yet, about 8 bytes an object and 3 a reference: mostly one or two
 * events, at worst one array.
 */
#include "io/events/nettrace.h"
#include "io/memory/native_types.h"
#include "io/pe/metadata.h"
#include "model/heap/source.h"
#include "model/heap/stream.h"

/*
 * Types that the runtime has described. It describes each once, as long as any session listens for
 * types. Keep this table with the process, so that a later capture has the names described to an
 * earlier one.
 */
struct walk_types;
struct walk_types *walk_types_new(struct error *err) MUST_USE;
void walk_types_free(struct walk_types *types);

/* Whether other sessions were open in the process when the walk began. */
enum walk_others { WALK_OTHERS_UNKNOWN, WALK_OTHERS_NONE, WALK_OTHERS_SOME };

struct mapping_list; /* io/memory/mapping_use.h */
struct walk_options {
	/*
	 * 0: the first complete walk, else the last one; n: the n-th, as numbered by walk_list().
	 */
	uint32_t which;
	/* Updated, and must outlive the walk; NULL: a table of its own. */
	struct walk_types *types;
	/*
	 * The metadata of a module by its path in the target; NULL if it cannot be read. Gives the
	 * names of nested types and of the classes that declare static fields. walk_finish() calls
	 * it once a path. The result stays the caller's; another build than the target's is not
	 * used. NULL: names stay as they are in the events.
	 */
	const struct metadata *(*module)(void *context, const char *path);
	/*
	 * The types of a program of Native AOT, whose events have no names; NULL: without memory,
	 * or for the reason in `why`. The result stays the caller's. NULL: types are named by their
	 * place.
	 */
	const struct native_types *(*native)(void *context, const char *command_line,
					     char why[NATIVE_WHY_BYTES], struct error *err);
	void *context; /* of both */
	/*
	 * The paths are from another time or machine: asks only for files whose build the stream
	 * has.
	 */
	bool is_elsewhere;
	/* Mappings of the process before the walk; NULL: unknown. */
	const struct mapping_list *mappings;
	/* The file of the stream, for the paths of its walks; or NULL. */
	const char *path;
	/*
	 * Limit for the heap and for building it; 0: none. Beyond it a walk is only counted, and
	 * walk_finish() returns an error instead of a heap.
	 */
	uint64_t memory_bytes;
	/* Explains why types have no names. */
	enum walk_others others;
};

/* The most that building a heap takes: 6 bytes an object, 4 a reference. */
uint64_t walk_memory(uint64_t objects_count, uint64_t refs_count);

/* One walk, as far as it has come. */
struct walk_report {
	uint32_t gc_number, gc_generation, gc_reason, gc_type;
	bool has_gc;         /* the four above are known */
	uint64_t began_at;   /* timestamp of its first event */
	uint64_t pause_ns;   /* from suspension to restart; 0: unknown */
	uint64_t suspend_ns; /* part of it until all threads were suspended */
	uint64_t objects_count, object_bytes;
	uint64_t refs_count;          /* entries that arrived */
	uint64_t refs_expected_count; /* sum of what the objects announce */
	uint64_t roots_count, dependents_count, statics_count;
	uint64_t weak_count; /* weak handles, which keep nothing alive */
	/* COM: objects that COM holds, and objects that hold COM objects. */
	uint64_t ccws_count, rcws_count;
	uint64_t strange_events_count; /* about COM, in an unknown format */
	uint64_t ranges_count;

	/* Missing events, each of up to thousands of records. */
	uint64_t missing_object_events, missing_ref_events;
	uint64_t missing_root_events, missing_dependent_events;
	/* Records in the first two: all events but the last are full. */
	uint64_t missing_objects, missing_refs;
	uint64_t lost_events;          /* of the walking thread, of any kind */
	bool has_end;                  /* the end of the collection was seen */
	uint64_t damaged_events_count; /* shorter than they announce */

	bool is_too_large; /* for options.memory_bytes */

	/* Consequences. */
	uint64_t unknown_refs_objects;           /* objects with unknown references */
	uint64_t types_count;                    /* that have objects */
	uint64_t untyped_types, untyped_objects; /* not described */
};

/*
 * Is nothing missing, except perhaps names of types? Final only when the stream has ended: a loss
 * may show long after the collection, at the last sequence point, even if the end of the collection
 * has arrived.
 */
bool walk_is_complete(const struct walk_report *r);
/* "3 of 20 events with references lost, …", "" if complete; returns text. */
const char *walk_missing(const struct walk_report *r, char *text, size_t text_size);

struct walk;
struct walk *walk_new(const struct walk_options *options, struct error *err) MUST_USE;
void walk_free(struct walk *w);

/*
 * `item` is NETTRACE_EVENT or NETTRACE_LOST, or NETTRACE_END after the last. With server GC, a
 * collection and its walk come from different threads, whose events are in any order in the stream:
 * up to 32 MiB of them wait here for older ones. False: no memory.
 */
bool walk_take(struct walk *w, const struct nettrace *t, enum nettrace_item item,
	       const struct nettrace_event *event, struct error *err) MUST_USE;

enum walk_state {
	WALK_NONE,    /* no walk yet */
	WALK_RUNNING, /* objects are coming */
	WALK_DONE,    /* the wanted walk has ended; if it is incomplete, another may follow */
};
enum walk_state walk_state(const struct walk *w);
/* The report of the wanted walk, or of the walk now running. */
const struct walk_report *walk_report(const struct walk *w);

/*
 * Were most types of a Native AOT program not described, and are there no symbols that name them
 * nevertheless? Another walk has their descriptions.
 */
bool walk_wants_types(struct walk *w);

/*
 * Shows types and counts so far; call it a few times a second. They stay visible until the walk is
 * freed.
 */
bool walk_publish(struct walk *w, struct preview *preview, struct error *err) MUST_USE;

/*
 * Builds the heap; frees `w` in any case. NULL sets `err`: there was no walk, or not the wanted
 * one, or it is too large (ERROR_SYSTEM, is_too_large in the report). An incomplete walk gives a
 * heap with warnings about what is missing. `report` may be NULL.
 */
const struct heap *walk_finish(struct walk *w, const struct nettrace *t, struct walk_report *report,
			       struct progress *progress, struct error *err) MUST_USE;

/* Lists all walks of a stream in one pass, without building a heap. */
struct walk_list {
	struct walk_report *reports; /* free with walk_list_clear() */
	uint32_t count;
	size_t room;
};
bool walk_list(struct walk_list *list, struct nettrace_input input, struct progress *progress,
	       struct error *err) MUST_USE;
void walk_list_clear(struct walk_list *list);
/* The last complete walk, else the one with most objects, from 1; 0: none. */
uint32_t walk_list_default(const struct walk_list *list);

/*
 * Builds the heap of a walk in a stream in memory; options->which 0 means walk_list_default().
 * `report`, `progress`, `preview` may be NULL.
 */
const struct heap *walk_read(const uint8_t *data, size_t len, const struct walk_options *options,
			     struct walk_report *report, struct progress *progress,
			     struct preview *preview, struct error *err) MUST_USE;

/*
 * "trace.nettrace#2" is the second walk in a file, unless a file has exactly that name. 0: no
 * number in the path. *file_len: length of the file's name.
 */
uint32_t walk_path_number(const char *path, size_t *file_len);

/* Reads saved traces. */
extern const struct source source_nettrace;

#endif
