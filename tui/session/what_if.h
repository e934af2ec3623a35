#ifndef TUI_SESSION_WHAT_IF_H
#define TUI_SESSION_WHAT_IF_H

/*
 * The references that a user ignores, one after another, and what would be
 * freed by that. Part of a session, which computes its ways to the roots anew
 * whenever the list changes; a list whose computation was stopped is taken
 * back.
 */
#include "model/graph/freed.h"

struct session;

/* One thing left out, in the words of model/graph/ignored.h; perhaps several
 * entries. */
struct what_if_item {
	size_t first, count; /* in entries */
};

struct what_if_list {
	struct ignored_entry *entries;
	size_t entries_count, entries_room;
	struct what_if_item *items;
	size_t items_count, items_room;
};

struct what_if {
	struct what_if_list list;  /* as it is wanted */
	struct what_if_list shown; /* as everything on the screen has it */
	/* What the ways to the roots were computed without; NULL: nothing. */
	const struct ignored *ignored;
	struct freed freed;
	uint64_t *before; /* bits: reached with nothing left out; or NULL */
	bool has_changed; /* since somebody was told */

	/* On the way from the worker. */
	const struct ignored *computed_ignored;
	struct freed computed_freed;
};

void what_if_clear(struct what_if *w);

/* In place of what is in `to`. If it fails, clear that. */
bool what_if_list_copy(struct what_if_list *to, const struct what_if_list *from,
		       struct error *err) MUST_USE;
bool what_if_list_add(struct what_if_list *list,
		      const struct ignored_entry *entries, size_t count,
		      struct error *err) MUST_USE;
void what_if_list_clear(struct what_if_list *list);

/* Whether everything on the screen is without this; or without some single
   references of the object. */
bool what_if_has(const struct what_if *w, const struct ignored_entry *entry);
bool what_if_has_references(const struct what_if *w, node_id source);

/*
 * On the worker: ways to the roots without what is on the list, and what they
 * free. `last` are the ways known until now, NULL if there are none.
 */
const struct reach *what_if_compute(struct what_if *w, const struct heap *h,
				    const struct reach *last,
				    bool prefer_statics,
				    struct progress *progress,
				    struct error *err) MUST_USE;
/* On the screen's thread, when that is done; or it was stopped. */
void what_if_take(struct what_if *w);
void what_if_revert(struct what_if *w);

/*
 * As somebody asks for it: leaves out something more, or an item of `shown` no
 * more, SIZE_MAX for all of them. The ways to the roots come anew; everything
 * stays as it is until then. Needs NEED_REACH: the freed bytes are a
 * difference.
 */
bool what_if_ignore(struct session *s, const struct ignored_entry *entries,
		    size_t count, struct error *err) MUST_USE;
bool what_if_ignore_no_more(struct session *s, size_t item,
			    struct error *err) MUST_USE;

/*
 * For view_code.leaves_out: the roots of a kind that have this name, "" for
 * those without. NULL: all of the kind; so it is, too, if all are without, or
 * if they are more than `max`, which is at least 1.
 */
uint32_t what_if_entries_of_roots(const struct heap *h, uint8_t kind,
				  const char *name,
				  struct ignored_entry *entries, uint32_t max);

#endif
