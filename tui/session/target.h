#ifndef TUI_SESSION_TARGET_H
#define TUI_SESSION_TARGET_H

/*
 * What a command is about: an object, a type, or nothing in particular. Typed
 * at the prompt as an address (7fe01c001d70, 0x7fe01c001d70, #3) or a type
 * name; otherwise taken from the selected row.
 */
#include "model/analysis/groups.h"
#include "tui/session/session.h"

enum takes { /* what a command wants to be given */
	     TAKES_NOTHING = 0,
	     TAKES_OBJECT = 1 << 0,
	     TAKES_TYPE = 1 << 1,
	     TAKES_OPTIONAL = 1 << 2, /* …or nothing at all */
	     TAKES_TOPIC = 1 << 3,    /* a word for help */
	     TAKES_SET = 1 << 4,      /* …or some objects of a type */
	     TAKES_ADDRESS = 1 << 5,  /* …or where no object starts */
	     TAKES_MARKED = 1 << 6,   /* …or "marked": all that is */
};

struct view;
struct view_ops;

struct target {
	node_id node;     /* NODE_NONE: not about an object */
	type_id type;     /* also set for an object: its type; or TYPE_NONE */
	uint64_t address; /* typed, and no object starts there; 0: none */
	bool is_marked;   /* what is marked when the view opens */
	/* The view that it is asked in, borrowed until the view is open; or
	   NULL. Who keeps it as its source is opened above it. */
	struct view *of;
	/* For help: the view it is asked in, and the word that was typed. */
	const struct view_ops *view;
	char topic[128];
	const struct settings *settings; /* for these and for help; or NULL */
	/* For lists of objects: just these, which are all of `type`; or NULL.
	   Both are borrowed until the view is open, which copies them. */
	const node_id *nodes;
	uint32_t nodes_count;
	const char *nodes_title;
	/* Or those in the chains of one group, which the view holds; or NULL.
	 */
	struct async_calls *calls;
	uint32_t calls_group;
	/* Or those of a row of a comparison, which the view holds; or NULL. */
	struct diff_nodes *compared;
	uint32_t compared_row;
	/* For tables of types and lists of objects: only what is in it. */
	struct group_id group;
};
extern const struct target target_none;

struct target target_of_node(const struct session *s, node_id node);
struct target target_of_type(type_id type);
bool target_is_none(const struct target *t);
/* Objects that a row stood for: in all else such targets are the same. */
bool target_is_of_chosen(const struct target *t);
/* Takes away what is not wanted: a type where only an object will do. */
bool target_fits(const struct target *t, unsigned takes);

/*
 * Reads what the user typed: an address, or a type as lookup_type() knows it,
 * perhaps between quotes as script_quote() writes them.
 */
bool target_parse(const struct session *s, unsigned takes, const char *text,
		  struct target *out, struct error *err) MUST_USE;
/* Calls `add` with every type name or address that `text` may become. */
void target_complete(const struct session *s, unsigned takes, const char *text,
		     void (*add)(void *to, const char *word), void *to);

#endif
