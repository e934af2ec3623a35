#ifndef TUI_SESSION_WHAT_IF_H
#define TUI_SESSION_WHAT_IF_H

/*
 * References that the user ignores, and what would be freed without them. Part of a session, which
 * computes its paths to the roots again whenever the list changes. If that is cancelled the list
 * reverts.
 */
#include "model/graph/freed.h"

struct session;

/* One step of the user; one or more entries of model/graph/ignored.h. */
struct what_if_item {
	size_t first, count; /* range of entries */
};

struct what_if_list {
	struct ignored_entry *entries;
	size_t entries_count, entries_room;
	struct what_if_item *items;
	size_t items_count, items_room;
};

struct what_if {
	struct what_if_list list;  /* as requested */
	struct what_if_list shown; /* as in the present results */
	/* References ignored by the present paths; NULL: none. */
	const struct ignored *ignored;
	struct freed freed;
	uint64_t *before; /* bits: reachable if nothing is ignored; or NULL */
	bool has_changed; /* since the user was last told */

	/* Results of the worker, until what_if_take(). */
	const struct ignored *computed_ignored;
	struct freed computed_freed;
};

void what_if_clear(struct what_if *w);

/* Replaces the contents of `to`. If it fails, clear `to`. */
bool what_if_list_copy(struct what_if_list *to, const struct what_if_list *from,
		       struct error *err) MUST_USE;
bool what_if_list_add(struct what_if_list *list, const struct ignored_entry *entries, size_t count,
		      struct error *err) MUST_USE;
void what_if_list_clear(struct what_if_list *list);

/* Returns whether the results ignore this entry, or any reference of `source`. */
bool what_if_has(const struct what_if *w, const struct ignored_entry *entry);
bool what_if_has_references(const struct what_if *w, node_id source);

/*
 * On the worker: compute the paths to the roots without the references of the list, and what that
 * frees. `last` are the present paths; NULL: none.
 */
const struct reach *what_if_compute(struct what_if *w, const struct heap *h,
				    const struct reach *last, bool prefer_statics,
				    struct progress *progress, struct error *err) MUST_USE;
/* On the screen's thread: take the results, or drop them if cancelled. */
void what_if_take(struct what_if *w);
void what_if_revert(struct what_if *w);

/*
 * Adds to the list, or removes an item of `shown` (SIZE_MAX: all of them), and starts computing the
 * paths again. Results stay unchanged until that is done. Needs NEED_REACH, as the freed bytes are
 * a difference.
 */
bool what_if_ignore(struct session *s, const struct ignored_entry *entries, size_t count,
		    struct error *err) MUST_USE;
bool what_if_stop_ignoring(struct session *s, size_t item, struct error *err) MUST_USE;

/*
 * Fills `entries` with the roots of a kind that have this name, "" for unnamed ones, and returns
 * their number. A single entry stands for all roots of the kind if `name` is NULL, if no root has a
 * name, or if there are more than `max` (at least 1).
 */
uint32_t what_if_entries_of_roots(const struct heap *h, uint8_t kind, const char *name,
				  struct ignored_entry *entries, uint32_t max);

#endif
