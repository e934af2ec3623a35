#ifndef TUI_SESSION_MARKS_H
#define TUI_SESSION_MARKS_H

/*
 * The objects and types of a heap that the user has marked, each with an optional note. Sorted, so
 * that drawing a row costs a binary search of at most a dozen steps, and nothing without marks.
 * Used on the screen's thread only; jobs get a copy.
 */
#include "model/heap/order.h"

enum { MARKS_MAX = 4096, MARK_NOTE_BYTES = 200 };

struct mark {
	node_id node; /* NODE_NONE: the type is marked */
	type_id type; /* the marked type, or that of the object */
	char note[MARK_NOTE_BYTES];
};
struct marks {
	struct mark *items; /* objects by address, then types */
	size_t count, room;
	uint32_t version; /* changes whenever they do */
};

void marks_clear(struct marks *m);
/* Returns the mark, valid until the next change, or NULL. */
const struct mark *marks_find(const struct marks *m, node_id node, type_id type);
/*
 * Marks an object or type, or changes the note of a mark. A NULL note leaves it unchanged; a long
 * one is cut between characters.
 */
bool marks_put(struct marks *m, node_id node, type_id type, const char *note,
	       struct error *err) MUST_USE;
/* Returns false if it was not marked. */
bool marks_remove(struct marks *m, node_id node, type_id type);

/*
 * Fills `out` with all marked objects and all objects of marked types, by id; an object may occur
 * twice. Runs on a worker; linear only if a type is marked.
 */
bool marks_objects(const struct mark *items, size_t count, const struct heap *h,
		   struct id_list *out, struct progress *progress, struct error *err) MUST_USE;

#endif
