#ifndef TUI_WHAT_IF_H
#define TUI_WHAT_IF_H

/*
 * What somebody wants to see left out, one thing after another, and what would
 * be freed by it. Part of a session, which computes its ways to the roots anew
 * whenever the list changes; a list whose computation was stopped is taken
 * back.
 */
#include "model/freed.h"

struct session;

/* One thing left out, in the words of ignored.h; perhaps several entries. */
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

/* Changes of the list; false: no memory, the list is as it was. */
bool what_if_add(struct what_if *w, const struct ignored_entry *entries,
		 size_t count, struct error *err) MUST_USE;
void what_if_remove(struct what_if *w, size_t item);
/* Is it the same thing as one that is left out already? Else SIZE_MAX. */
size_t what_if_find(const struct what_if *w,
		    const struct ignored_entry *entries, size_t count);
/* One that is shown, on the list; SIZE_MAX: it was taken from there since. */
size_t what_if_find_shown(const struct what_if *w, size_t item);

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

/* Of one that is shown: "static Sessions", "the references of List<Session>
   7fe0…". */
const char *what_if_describe(const struct session *s, size_t item, char *out,
			     size_t out_size);
/* "ignoring static Sessions: 5,003 objects, 912 KiB would be freed". */
const char *what_if_tell(const struct session *s, char *out, size_t out_size);

#endif
