#ifndef MODEL_HEAP_STREAM_H
#define MODEL_HEAP_STREAM_H

/*
 * Builds a heap from data that arrives only once: objects in any order, each with the addresses it
 * refers to, known yet or not; types, roots and ranges at any time. Staged as varints: about 5
 * bytes an object and 3 a reference in address order, more in random order. Freed when the heap is
 * finished.
 */
#include "model/heap/build.h"

struct heap_stream;

struct heap_stream *heap_stream_new(struct error *err) MUST_USE;
void heap_stream_free(struct heap_stream *s);

/* Returns the builder, for types, info, warnings and the arena: see build.h. */
struct heap_builder *heap_stream_builder(struct heap_stream *s);

/* Adds an object; `refs_count` references must follow. A second object at an address gets a made-up
   address. */
bool heap_stream_object(struct heap_stream *s, uint64_t address, type_id type, uint64_t size,
			uint64_t refs_count, struct error *err) MUST_USE;
/* Adds a reference: 0 (null) is skipped; an address without an object counts as undefined. */
bool heap_stream_ref(struct heap_stream *s, uint64_t target, struct error *err) MUST_USE;
/*
 * Adds a reference to an object that comes before or after, for a dependent handle, which the
 * collector keeps apart from the object. It is listed after the object's own. If there is no such
 * object, the target becomes a root of kind ROOT_DEPENDENT.
 */
bool heap_stream_link(struct heap_stream *s, uint64_t object, uint64_t target,
		      struct error *err) MUST_USE;
bool heap_stream_root(struct heap_stream *s, uint64_t object, enum root_kind kind, bool is_pinned,
		      const char *name, const char *label, struct error *err) MUST_USE;
/* Texts are not copied: they are literals or in the builder's arena. */
bool heap_stream_root_shared(struct heap_stream *s, uint64_t object, enum root_kind kind,
			     bool is_pinned, const char *name, const char *label,
			     struct error *err) MUST_USE;
/* Adds a weak handle; it is skipped if its object is not in the heap. */
bool heap_stream_weak(struct heap_stream *s, uint64_t object, struct error *err) MUST_USE;
bool heap_stream_range(struct heap_stream *s, uint64_t start, uint64_t end, enum generation gen,
		       int32_t heap_number, struct error *err) MUST_USE;
/*
 * Called by sources that learn type names after the objects: from here on, the `type` of objects is
 * a number of the caller's. Before finishing, map[number] gives their types; it is borrowed until
 * then.
 */
void heap_stream_defer_types(struct heap_stream *s);
void heap_stream_map_types(struct heap_stream *s, const type_id *map, uint32_t map_count);
/* Frees the stream in any case; NULL sets `err`. */
const struct heap *heap_stream_finish(struct heap_stream *s, struct progress *progress,
				      struct error *err) MUST_USE;

#endif
