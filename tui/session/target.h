#ifndef TUI_SESSION_TARGET_H
#define TUI_SESSION_TARGET_H

/*
 * The subject of a command: an object, a type, or nothing in particular. It is typed at the prompt
 * as an address (7fe01c001d70, 0x7fe01c001d70, #3) or a type name, or taken from the selected row.
 */
#include "model/analysis/groups.h"
#include "tui/session/session.h"

enum takes { /* targets that a command accepts */
	     TAKES_NOTHING = 0,
	     TAKES_OBJECT = 1 << 0,
	     TAKES_TYPE = 1 << 1,
	     TAKES_OPTIONAL = 1 << 2, /* …or nothing */
	     TAKES_TOPIC = 1 << 3,    /* a topic of help */
	     TAKES_SET = 1 << 4,      /* …or selected objects of a type */
	     TAKES_ADDRESS = 1 << 5,  /* …or an address where no object starts */
	     TAKES_MARKED = 1 << 6,   /* …or "marked": all marked objects */
};

struct view;
struct view_ops;

enum { TOPIC_BYTES = 2048 }; /* a query in SQL can be long */

struct target {
	node_id node;     /* NODE_NONE: no object */
	type_id type;     /* TYPE_NONE: no type; of an object: its type */
	uint64_t address; /* a typed address where no object starts; or 0 */
	bool is_marked;   /* all objects marked when the view opens */
	/*
	 * The view that the command was given in, or NULL. Borrowed until the new view is open; a
	 * view that keeps it as its source must be opened above it.
	 */
	struct view *of;
	/* For help: the current view, and the topic typed. */
	const struct view_ops *view;
	char topic[TOPIC_BYTES];
	const struct settings *settings; /* for settings and help; or NULL */
	/* For lists of objects: only these, all of `type`; or NULL. Both are borrowed until the
	   view is open, which copies them. */
	const node_id *nodes;
	uint32_t nodes_count;
	const char *nodes_title;
	/* Or the objects in one group's async call chains; held by the view. */
	struct async_calls *calls;
	uint32_t calls_group;
	/* Or the objects of a row of a comparison; held by the view. */
	struct diff_nodes *compared;
	uint32_t compared_row;
	/* Or those that a row of `contents` counts; held by the view. */
	struct held_objects *held;
	/* For lists of types or objects: only those in this group. */
	struct group_id group;
};
extern const struct target target_none;

struct target target_of_node(const struct session *s, node_id node);
struct target target_of_type(type_id type);
bool target_is_none(const struct target *t);
/* Returns whether it is a set of objects, beyond the members above. */
bool target_lists_objects(const struct target *t);
/* Returns whether a command that accepts `takes` can use the target. */
bool target_fits(const struct target *t, unsigned takes);

/*
 * Parses what the user typed: an address, or a type as in lookup_type(), optionally quoted as by
 * quoting_encode(). False sets `err`.
 */
bool target_parse(const struct session *s, unsigned takes, const char *text, struct target *out,
		  struct error *err) MUST_USE;
/* Calls `add` with every type name that begins with `text`. */
void target_complete(const struct session *s, unsigned takes, const char *text,
		     void (*add)(void *to, const char *word), void *to);

#endif
