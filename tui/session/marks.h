#ifndef TUI_SESSION_MARKS_H
#define TUI_SESSION_MARKS_H

/*
 * The objects and types of one heap that somebody has marked, each perhaps with
 * a note: part of a session. Kept in order and found by halving, so that a row
 * that is drawn costs at most a dozen comparisons, and none without marks. Only
 * the screen's thread looks at them; jobs get a copy.
 */
#include "model/heap/order.h"

enum { MARKS_MAX = 4096, MARK_NOTE_BYTES = 200 };

struct mark {
	node_id node; /* NODE_NONE: of the type */
	type_id type; /* of an object: its type */
	char note[MARK_NOTE_BYTES];
};
struct marks {
	struct mark *items; /* objects by address, then types */
	size_t count, room;
	uint32_t version; /* changes with them */
};

void marks_clear(struct marks *m);
/* NULL: it is not marked. Valid until the next change. */
const struct mark *marks_find(const struct marks *m, node_id node,
			      type_id type);
/*
 * Marks it; of one that is marked only the note changes. NULL: the note stays
 * as it is. What is too long of it is cut between characters.
 */
bool marks_put(struct marks *m, node_id node, type_id type, const char *note,
	       struct error *err) MUST_USE;
/* False: it was not marked. */
bool marks_remove(struct marks *m, node_id node, type_id type);

/*
 * On a worker: the objects that are marked and those of the types that are, by
 * id, perhaps with an object twice. Linear only if a type is marked.
 */
bool marks_objects(const struct mark *items, size_t count, const struct heap *h,
		   struct id_list *out, struct progress *progress,
		   struct error *err) MUST_USE;

#endif
