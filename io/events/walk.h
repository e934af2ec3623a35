#ifndef IO_EVENTS_WALK_H
#define IO_EVENTS_WALK_H

/*
 * From the events of a heap walk to a heap. A forced collection describes
 * every object that survived, in five independent streams of events: types,
 * objects, references, roots, dependent handles. This pairs them again.
 *
 *   struct walk *w = walk_new(&options, err);
 *   while ((item = nettrace_next(t, &event, err)) is an event or a loss)
 *           if (!walk_take(w, item, &event, err)) …
 *   heap = walk_finish(w, t, progress, err);
 *
 * A stream may hold several walks. A live session takes the first complete
 * one (options.which 0) and may stop the session when walk_state() says
 * WALK_DONE; what the runtime sends while it stops (names of modules and
 * methods) should be given to walk_take() as well. Of a file, walk_list()
 * tells what there is.
 *
 * Memory until walk_finish(): that of model/heap/stream.h, 24 bytes a root, and
 * what of objects and references has not met its counterpart, about 3 bytes a
 * reference and 8 an object: mostly one or two events, at worst one array.
 */
#include "io/events/nettrace.h"
#include "io/pe/metadata.h"
#include "model/heap/source.h"
#include "model/heap/stream.h"

/*
 * What types the runtime has described. It does so once as long as any
 * session listens: keep the table with the process, and a later capture has
 * names for what was described to an earlier one.
 */
struct walk_types;
struct walk_types *walk_types_new(struct error *err) MUST_USE;
void walk_types_free(struct walk_types *types);

/* Who else had events of the process when the walk was asked for. */
enum walk_others { WALK_OTHERS_UNKNOWN, WALK_OTHERS_NONE, WALK_OTHERS_SOME };

struct walk_options {
	/*
	 * 0: the first complete walk, else the last one; n: the n-th, as
	 * walk_list() counts.
	 */
	uint32_t which;
	/* Kept up to date, must outlive the walk; NULL: one of its own. */
	struct walk_types *types;
	/*
	 * The metadata of a module by its path as the target sees it, NULL if
	 * it cannot be read: for names of nested types and of the classes that
	 * declare static fields. Called by walk_finish(), once a path. The
	 * result stays the caller's. NULL: names as they are in the events.
	 * What is of another build than the process had is not used.
	 */
	const struct metadata *(*module)(void *context, const char *path);
	void *context;
	/*
	 * The paths are from another time or machine: only files whose build
	 * the stream tells are asked for.
	 */
	bool is_elsewhere;
	/*
	 * The file of the stream, for the paths of its walks; or NULL.
	 */
	const char *path;
	/*
	 * What the heap may take, with all that is needed to make it; 0: no
	 * limit. A walk that would take more is only counted from there on,
	 * and walk_finish() says so instead of giving a heap.
	 */
	uint64_t memory_bytes;
	/* Says why types have no names. */
	enum walk_others others;
};

/* What a heap takes at most until it stands: 6 bytes an object, 4 a reference.
 */
uint64_t walk_memory(uint64_t objects_count, uint64_t refs_count);

/* One walk, as far as it was seen. */
struct walk_report {
	uint32_t gc_number, gc_generation, gc_reason, gc_type;
	bool has_gc;         /* the four above are known */
	uint64_t began_at;   /* timestamp of its first event */
	uint64_t pause_ns;   /* suspended until restarted; 0: unknown */
	uint64_t suspend_ns; /* of that, until all threads stood */
	uint64_t objects_count, object_bytes;
	uint64_t refs_count;          /* entries that arrived */
	uint64_t refs_expected_count; /* as the objects announce */
	uint64_t roots_count, dependents_count, statics_count;
	uint64_t weak_count; /* weak handles: they keep nothing */
	/* COM: objects held from there, and objects that hold some there. */
	uint64_t ccws_count, rcws_count;
	uint64_t strange_events_count; /* of COM, laid out in no known way */
	uint64_t ranges_count;

	/* What is missing, in events; each holds up to thousands of records. */
	uint64_t missing_object_events, missing_ref_events;
	uint64_t missing_root_events, missing_dependent_events;
	/* Records of the first two: all events but the last are full. */
	uint64_t missing_objects, missing_refs;
	uint64_t lost_events; /* of the walking thread, of whatever kind */
	bool has_end;         /* the collection was seen to end */
	uint64_t damaged_events_count; /* shorter than what they announce */

	bool is_too_large; /* for options.memory_bytes */

	/* What that did. */
	uint64_t unknown_refs_objects; /* objects whose references are unknown,
					  or not all known */
	uint64_t types_count;          /* that have objects */
	uint64_t untyped_types, untyped_objects; /* not described */
};

/*
 * Nothing is missing but perhaps names of types. Certain only when the stream
 * has ended: a loss may show long after the collection, at the last sequence
 * point, although the end of the collection did arrive.
 */
bool walk_is_complete(const struct walk_report *r);
/* "3 of 20 events with references lost, …", "" if complete; returns text. */
const char *walk_missing(const struct walk_report *r, char *text,
			 size_t text_size);

struct walk;
struct walk *walk_new(const struct walk_options *options,
		      struct error *err) MUST_USE;
void walk_free(struct walk *w);

/*
 * `item` is NETTRACE_EVENT or NETTRACE_LOST, or NETTRACE_END when no more come.
 * Of server GC, a collection and its walk are told by different threads, whose
 * events stand in the stream in any order: they wait here for older ones, at
 * most 32 MiB of them. False: no memory.
 */
bool walk_take(struct walk *w, const struct nettrace *t,
	       enum nettrace_item item, const struct nettrace_event *event,
	       struct error *err) MUST_USE;

enum walk_state {
	WALK_NONE,    /* no walk yet */
	WALK_RUNNING, /* objects are coming */
	WALK_DONE,    /* the walk asked for has ended; more may follow if it
			 is incomplete */
};
enum walk_state walk_state(const struct walk *w);
/* Of the walk that is kept: the one asked for, or the one now running. */
const struct walk_report *walk_report(const struct walk *w);

/*
 * The types and counts so far, on the screen; a few times a second. They stay
 * there until the walk is freed.
 */
bool walk_publish(struct walk *w, struct preview *preview,
		  struct error *err) MUST_USE;

/*
 * The heap of the walk; frees `w` in any case. NULL sets
 * `err`: there was no walk, or not that one, or it is too large (ERROR_SYSTEM,
 * and the report says so). An incomplete walk gives a heap
 * all the same, with warnings that say what is missing. `report` may be NULL.
 */
const struct heap *walk_finish(struct walk *w, const struct nettrace *t,
			       struct walk_report *report,
			       struct progress *progress,
			       struct error *err) MUST_USE;

/* All walks of a stream, without building a heap: one pass over `input`. */
struct walk_list {
	struct walk_report *reports; /* free with walk_list_clear() */
	uint32_t count;
	size_t room;
};
bool walk_list(struct walk_list *list, struct nettrace_input input,
	       struct progress *progress, struct error *err) MUST_USE;
void walk_list_clear(struct walk_list *list);
/* The last complete one, else the one with most objects; 1…, 0: none. */
uint32_t walk_list_default(const struct walk_list *list);

/*
 * The heap of a walk in a whole stream in memory; options->which 0: the default
 * of walk_list_default(). `report`, `progress`, `preview` may be NULL.
 */
const struct heap *walk_read(const uint8_t *data, size_t len,
			     const struct walk_options *options,
			     struct walk_report *report,
			     struct progress *progress, struct preview *preview,
			     struct error *err) MUST_USE;

/*
 * "trace.nettrace#2" is the second walk in a file, unless a file has that very
 * name. 0: the path says no number. *file_len: where the file's name ends.
 */
uint32_t walk_path_number(const char *path, size_t *file_len);

/* Reads saved traces; the path may say which walk. */
extern const struct source source_nettrace;

#endif
