#include "tui/tables/diff_heading.h"
#include "model/base/format.h"
#include "model/heap/memory.h"
#include "model/heap/root_gaps.h"
#include "tui/session/describe.h"
#include "tui/tables/diff_columns.h"
#include <stdio.h>
#include <time.h>

enum {
	NAME_CUT = 40, /* columns for the name of a heap */
	NARROW = 60    /* a screen with fewer columns is narrow */
};

/* Writes " 14:03:22", when a capture was taken; its name says nothing of that.
 */
static const char *
time_of(const struct session *s, char out[16])
{
	time_t seconds = s->heap ? (time_t)s->heap->info.time : 0;
	struct tm tm;

	out[0] = '\0';
	if (s->loader.capture && seconds > 0 && gmtime_r(&seconds, &tm))
		strftime(out, 16, " %H:%M:%S", &tm);
	return out;
}

/* Writes "1 before.gcdump → 2 after.gcdump", numbered as in :snapshots. */
static size_t
write_heaps(const struct diff_view *state, char *out, size_t out_size)
{
	size_t len = 0;
	char time[16];

	for (uint32_t i = 0; i < state->c.count && len < out_size; i++)
		len += (size_t)snprintf(out + len, out_size - len, "%s%u %.*s%s", i ? " → " : "",
					state->c.numbers[i], NAME_CUT, state->c.sessions[i]->name,
					time_of(state->c.sessions[i], time));
	return len < out_size ? len : out_size - 1;
}

/* Writes how much of the growth is unreachable, " (+451,067 B without a root)". Stays empty unless
   it is known of both heaps. */
static void
write_dead_growth(const struct diff_view *state, char *out, size_t out_size)
{
	uint32_t end = state->diff.heaps_count - 1;
	const struct made_with *first = &state->made_with[0], *last = &state->made_with[end];
	const struct heap *h =
	    heap_knows_roots(state->heaps[0]) ? state->heaps[end] : state->heaps[0];
	char bytes[VALUE_TEXT_BYTES];
	struct value change;

	out[0] = '\0';
	if (!first->knows_dead || !last->knows_dead)
		return;
	value_change_bytes(&change, first->dead_bytes, last->dead_bytes);
	snprintf(out, out_size, " (%.30s%s)", value_for_people(&change, bytes),
		 describe_rootless(h));
}

/* Returns whether the view says that nothing differs, in place of rows. */
static bool
nothing_differs(const struct view *v)
{
	const struct diff_view *state = v->state;

	return state->is_made && !v->rows_count && !v->shown.filter &&
	       state->first.bytes == state->last.bytes && state->first.count == state->last.count;
}

static bool
heading_heaps(const struct view *v, struct value *out)
{
	const struct diff_view *state = v->state;
	char text[VALUE_TEXT_BYTES], count[VALUE_TEXT_BYTES], bytes[VALUE_TEXT_BYTES],
	    dead[2 * FORMAT_BYTES];

	write_heaps(state, text, sizeof text - 128);
	if (!state->is_made || nothing_differs(v)) {
		value_printf(out, STYLE_NORMAL, "%s", text);
		return true;
	}
	value_change(out, state->first.count, state->last.count);
	snprintf(count, sizeof count, "%s", value_for_people(out, bytes));
	value_change_bytes(out, state->first.bytes, state->last.bytes);
	value_for_people(out, bytes);
	write_dead_growth(state, dead, sizeof dead);
	value_printf(out, STYLE_NORMAL, "%.30s, %.30s objects%s: %.400s", bytes, count, dead, text);
	return true;
}

/* The properties by which rows of different heaps are matched. */
static const char *const matched_by[DIFF_BY_COUNT] = {
	[DIFF_TYPE] = "name and module",
	[DIFF_NAMESPACE] = "name",
	[DIFF_MODULE] = "name",
	[DIFF_GENERATION] = "name",
	[DIFF_KIND] = "name",
	[DIFF_ROOT] = "kind and name of the root",
	[DIFF_PATH] = "root and types on the cheapest path",
	[DIFF_DOMINATOR] = "root and types of the dominators",
};

/* Says how rows were matched across heaps, and how many are hidden. */
static bool
heading_matching(const struct view *v, struct value *out)
{
	const struct diff_view *state = v->state;
	const struct diff *d = &state->diff;
	char number[FORMAT_BYTES], equal[96] = "", spelled[96] = "", more[160] = "";

	if (!state->is_made)
		return false;
	if (d->guessed_count || d->ambiguous_count)
		snprintf(more, sizeof more,
			 "; types without a module: %u matched by name, %u not matched",
			 d->guessed_count, d->ambiguous_count);
	if (d->spelled_count)
		snprintf(spelled, sizeof spelled,
			 "; %u nested types matched by their innermost name", d->spelled_count);
	if (d->is_cut)
		snprintf(more, sizeof more,
			 "; too many paths: long ones are counted with shorter ones");
	if (state->equal_count && !nothing_differs(v))
		snprintf(equal, sizeof equal, "; %s equal row%s hidden",
			 format_count(state->equal_count, number),
			 state->equal_count == 1 ? "" : "s");
	value_printf(out, STYLE_DIM, "rows matched by %s%s%s%s", matched_by[d->by], equal, spelled,
		     more);
	return true;
}

/* Says how the objects of the framework changed that no row counts. */
static bool
heading_mine(const struct view *v, struct value *out)
{
	const struct diff_view *state = v->state;
	const struct diff_sum *left = state->diff.left_out;
	char bytes[VALUE_TEXT_BYTES];
	struct value change;

	if (!state->is_made || !left)
		return false;
	value_change_bytes(&change, left[0].bytes, left[state->diff.heaps_count - 1].bytes);
	value_printf(out, STYLE_ROOT,
		     "my code, with the framework objects that it holds; all others, %.30s, are "
		     "left out",
		     value_for_people(&change, bytes));
	return true;
}

/* Says how many objects are new, and how exact that is. */
static bool
heading_new(const struct view *v, struct value *out)
{
	const struct diff_view *state = v->state;
	const struct survival *s = &state->survival;
	char new_count[FORMAT_BYTES], gone[FORMAT_BYTES], moved[FORMAT_BYTES];

	if (!state->has_survival || !s->is_known || state->c.by != DIFF_TYPE ||
	    !(s->all.new_count + s->all.gone_count))
		return false;
	format_count(s->all.new_count, new_count);
	format_count(s->all.gone_count, gone);
	if (!s->is_estimate)
		value_printf(out, STYLE_DIM,
			     "%s objects are new, %s gone: exact, because no object has moved",
			     new_count, gone);
	else if (!s->moved_count)
		value_printf(out, STYLE_DIM, "%s objects are new, %s gone, if no object has moved",
			     new_count, gone);
	else
		value_printf(out, STYLE_DIM,
			     "about %s objects are new, %s gone: estimated from contents and "
			     "referrers, because %s objects have moved",
			     new_count, gone, format_count(s->moved_count, moved));
	return true;
}

/* Returns why the numbers of a heap are not exact, or NULL if they are. */
static const char *
why_inexact(const struct session *s)
{
	if (s->is_stopped)
		return "reading was stopped, its numbers are too low";
	if (s->heap && heap_lacks_objects(s->heap))
		return "the dump has no heap";
	if (s->has_only_types)
		return "it is cut short, only its types are known";
	if (s->heap && losses_are_incomplete(&s->heap->info.losses))
		return "part of it is missing, its numbers are too low";
	return s->heap && s->heap->info.is_sampled ? "sampled, its numbers are estimates" : NULL;
}

/* Warns about the first heap whose numbers are not exact. */
static bool
heading_inexact(const struct view *v, struct value *out)
{
	const struct diff_view *state = v->state;

	for (uint32_t i = 0; i < state->c.count; i++) {
		const char *why = why_inexact(state->c.sessions[i]);

		if (!why)
			continue;
		value_printf(out, STYLE_WARNING, "%u %.*s: %s", state->c.numbers[i], NAME_CUT,
			     state->c.sessions[i]->name, why);
		return true;
	}
	return false;
}

static bool
heading_unread(const struct view *v, struct value *out)
{
	uint32_t number;
	const struct session *s = comparison_unread(v->session->snapshots, &number);

	if (s)
		value_printf(out, STYLE_WARNING, "%u %.*s is left out: %s", number, NAME_CUT,
			     s->name, s->job_errors[JOB_LOAD].message);
	return s != NULL;
}

static bool
heading_left_out(const struct view *v, struct value *out)
{
	const struct diff_view *state = v->state;

	if (!state->c.left_out)
		return false;
	value_printf(out, STYLE_DIM, "%u open heap%s left out; :diff 1-%u compares all",
		     state->c.left_out, plural(state->c.left_out),
		     state->c.count + state->c.left_out);
	return true;
}

/* Names the heaps whose size columns do not fit. Two heaps need no such note, as the column of
   changes covers both; nor does a user who chose the columns. */
static bool
heading_no_room(const struct view *v, struct value *out)
{
	const struct diff_view *state = v->state;
	struct text text = value_begin_text(out, STYLE_DIM);
	const char *before = "no room for the sizes in heap ";
	char id[FORMAT_BYTES];

	if (state->c.count < 3 || !v->rows_count || v->area.is_read_aloud ||
	    (v->wanted && *v->wanted))
		return false;
	for (uint32_t h = 0; h < state->c.count; h++) {
		snprintf(id, sizeof id, "size_%u", h + 1);
		if (v->widths[column_by_id(v->ops->table->columns, id)])
			continue;
		text_addf(&text, "%s%u", before, state->c.numbers[h]);
		before = ", ";
	}
	if (!text.len)
		return false;
	text_add(&text, "; F2 chooses columns");
	return true;
}

bool
diff_heading(const struct view *v, unsigned line, struct value *out)
{
	static bool (*const lines[])(const struct view *v, struct value *out) = {
		heading_no_room, heading_heaps,    heading_unread,  heading_inexact, heading_mine,
		heading_new,     heading_matching, heading_no_room, heading_left_out
	};
	/* The heap names fill the heading of a narrow screen, so the note about missing columns
	   comes first there. */
	bool is_small = view_heading_room(v) > 0 && v->area.width < NARROW;

	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
		if ((lines[i] != heading_no_room || (i == 0) == is_small) && lines[i](v, out) &&
		    !line--)
			return true;
	return false;
}
