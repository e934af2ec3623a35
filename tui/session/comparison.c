#include "tui/session/comparison.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- heaps by number ----------------------------------------------------- */

/* Returns a heap by its number in :snapshots, from 1; NULL: no such heap. */
static struct session *
heap_by_number(const struct snapshots *all, unsigned long number)
{
	for (size_t i = 0; i < all->count; i++)
		if (!all->sessions[i]->is_empty && !--number)
			return all->sessions[i];
	return NULL;
}

static uint32_t
heaps_open(const struct snapshots *all)
{
	uint32_t count = 0;

	for (size_t i = 0; i < all->count; i++)
		count += !all->sessions[i]->is_empty;
	return count;
}

static bool
add_heap(struct comparison *c, struct session *s, uint32_t number, struct error *err)
{
	if (c->count == COMPARISON_MAX)
		return error_set(err, ERROR_USAGE, "diff compares %d heaps at most",
				 COMPARISON_MAX);
	for (uint32_t i = 0; i < c->count; i++)
		if (c->sessions[i] == s)
			return error_set(err, ERROR_USAGE, "heap %u is named twice", number);
	c->sessions[c->count] = s;
	c->numbers[c->count++] = number;
	return true;
}

/*
 * Moves the last heap before those that were taken later: what was opened last may be the oldest. A
 * file that does not tell its time counts as older than one that does.
 */
static void
sort_last(struct comparison *c)
{
	uint32_t i = c->count - 1, number = c->numbers[i];
	struct session *s = c->sessions[i];

	for (; i > 0 && s->heap && c->sessions[i - 1]->heap &&
	       c->sessions[i - 1]->heap->info.time > s->heap->info.time;
	     i--) {
		c->sessions[i] = c->sessions[i - 1];
		c->numbers[i] = c->numbers[i - 1];
	}
	c->sessions[i] = s;
	c->numbers[i] = number;
}

static bool
add_by_number(struct comparison *c, const struct snapshots *all, unsigned long number,
	      struct error *err)
{
	struct session *s = number ? heap_by_number(all, number) : NULL;

	if (!s)
		return error_set(err, ERROR_USAGE,
				 "there is no heap %lu: :snapshots lists the %u that are open",
				 number, heaps_open(all));
	if (session_has_failed(s)) {
		*err = s->job_errors[JOB_LOAD];
		return false;
	}
	return add_heap(c, s, (uint32_t)number, err);
}

/* Parses "3", "1-3" or "3-1". */
static bool
add_numbers(struct comparison *c, const struct snapshots *all, const char *word, struct error *err)
{
	char *end;
	unsigned long first = strtoul(word, &end, 10), last = first;

	if (*end == '-' && end[1])
		last = strtoul(end + 1, &end, 10);
	if (*end)
		return error_set(err, ERROR_USAGE,
				 "diff takes numbers of heaps such as 2 or 1-3, not \"%.30s\"",
				 word);
	while (add_by_number(c, all, first, err)) {
		if (first == last)
			return true;
		first = first < last ? first + 1 : first - 1;
	}
	return false;
}

/* --- default choice of heaps --------------------------------------------- */

static bool
is_there(const struct session *s)
{
	return !s->is_empty && !session_has_failed(s);
}

static bool
add_all(struct comparison *c, const struct snapshots *all, bool only_marked, struct error *err)
{
	uint32_t number = 0;

	for (size_t i = 0; i < all->count; i++) {
		struct session *s = all->sessions[i];

		number += !s->is_empty;
		if (!is_there(s) || !(s->is_marked || !only_marked))
			continue;
		if (!add_heap(c, s, number, err))
			return false;
		if (snapshots_is_beside(s))
			sort_last(c);
	}
	return true;
}

static bool
has_one_beside(const struct snapshots *all)
{
	for (size_t i = 0; i < all->count; i++)
		if (is_there(all->sessions[i]) && snapshots_is_beside(all->sessions[i]))
			return true;
	return false;
}

/* Returns the previous capture of the same process, or NULL. */
static struct session *
capture_before(const struct snapshots *all, const struct session *current)
{
	const struct live_capture *own = current->loader.capture;
	struct session *before = NULL;

	for (size_t i = 0; own && all->sessions[i] != current; i++) {
		struct session *s = all->sessions[i];

		if (s->loader.capture && is_there(s) && snapshots_pid(s) == snapshots_pid(current))
			before = s;
	}
	return before;
}

static bool
choose_heaps(struct comparison *c, const struct snapshots *all, struct session *current,
	     struct error *err)
{
	struct session *before = capture_before(all, current);

	if (!add_all(c, all, true, err))
		return false;
	if (c->count >= 2)
		return true;
	c->count = 0;
	if (!before || has_one_beside(all))
		return add_all(c, all, false, err);
	return add_heap(c, before, snapshots_number(before), err) &&
	       (!is_there(current) || add_heap(c, current, snapshots_number(current), err));
}

/* --- parsing ------------------------------------------------------------- */

bool
comparison_parse_by(const char *word, size_t len, enum diff_by *by)
{
	for (int i = 0; i < DIFF_BY_COUNT; i++)
		if (len && !strncmp(diff_by_ids[i], word, len)) {
			*by = (enum diff_by)i;
			return true;
		}
	return false;
}

unsigned
comparison_needs(enum diff_by by)
{
	if (diff_needs_dominators(by))
		return NEED_TYPES | NEED_OBJECTS | NEED_RETAINED;
	if (diff_needs_reach(by))
		return NEED_TYPES | NEED_OBJECTS | NEED_REACH;
	return by == DIFF_GENERATION ? NEED_TYPES | NEED_OBJECTS : NEED_TYPES;
}

unsigned
comparison_needs_of(const char *text)
{
	unsigned needs = NEED_TYPES;
	enum diff_by by;

	for (text += strspn(text, " ,"); *text; text += strspn(text, " ,")) {
		size_t len = strcspn(text, " ,");

		if (comparison_parse_by(text, len, &by))
			needs |= comparison_needs(by);
		text += len;
	}
	return needs;
}

static bool
parse_word(struct comparison *c, const struct snapshots *all, const char *word, struct error *err)
{
	if (*word >= '0' && *word <= '9')
		return add_numbers(c, all, word, err);
	if (!strcmp(word, "all")) {
		c->shows_equal = true;
		return true;
	}
	if (!strcmp(word, "mine")) {
		c->shows_mine = true;
		return true;
	}
	return comparison_parse_by(word, strlen(word), &c->by) ||
	       error_set(err, ERROR_USAGE,
			 "diff does not know \"%.30s\", only type, namespace, module, generation, "
			 "kind, root, path, dominator, all, mine and numbers of heaps",
			 word);
}

static bool
parse_words(struct comparison *c, const struct snapshots *all, const char *text, struct error *err)
{
	char word[64];

	for (text += strspn(text, " ,"); *text; text += strspn(text, " ,")) {
		size_t len = strcspn(text, " ,");

		snprintf(word, sizeof word, "%.*s", (int)len, text);
		if (!parse_word(c, all, word, err))
			return false;
		text += len;
	}
	return true;
}

static bool
one_heap(const struct session *s, struct error *err)
{
	return error_set(
	    err, ERROR_USAGE,
	    s->loader.capture
		? "there is only one heap: c captures the process again, then = compares"
		: "there is only one heap: give two files or more, as in heaptop before.gcdump "
		  "after.gcdump");
}

bool
comparison_parse(struct comparison *c, struct session *current, const char *text, struct arena *a,
		 struct error *err)
{
	const struct snapshots *all = current->snapshots;

	*c = (struct comparison){ .by = DIFF_TYPE };
	if (!all)
		return one_heap(current, err);
	c->sessions = arena_array(a, struct session *, COMPARISON_MAX, err);
	c->numbers = arena_array(a, uint32_t, COMPARISON_MAX, err);
	if (!c->sessions || !c->numbers || !parse_words(c, all, text, err))
		return false;
	if (c->count == 1)
		return error_set(err, ERROR_USAGE, "diff compares two heaps or more, not one");
	if (!c->count && !choose_heaps(c, all, current, err))
		return false;
	if (c->count < 2)
		return one_heap(current, err);
	c->left_out = (uint32_t)snapshots_heaps(all) - c->count;
	return true;
}

bool
comparison_drop_failed(struct comparison *c)
{
	uint32_t kept = 0, count = c->count;

	for (uint32_t i = 0; i < count; i++) {
		if (session_has_failed(c->sessions[i]))
			continue;
		c->sessions[kept] = c->sessions[i];
		c->numbers[kept++] = c->numbers[i];
	}
	c->count = kept;
	return kept < count;
}

const struct session *
comparison_unread(const struct snapshots *all, uint32_t *number)
{
	*number = 0;
	for (size_t i = 0; i < all->count; i++) {
		*number += !all->sessions[i]->is_empty;
		if (session_has_failed(all->sessions[i]))
			return all->sessions[i];
	}
	return NULL;
}

const char *
comparison_title(const struct comparison *c, char *out, size_t out_size)
{
	snprintf(out, out_size, "diff %u heaps by %s%s", c->count, diff_by_ids[c->by],
		 c->shows_mine ? ", mine" : "");
	return out;
}
