/* One garbage collection: its generations, in total and for each GC heap. */
#include "model/base/format.h"
#include "model/gc/text.h"
#include "model/gc/words.h"
#include "tui/session/gcs.h"
#include "model/gc/table.h"
#include "tui/widget/view.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct gc_state {
	struct gc_cells cells;   /* must be first: see model/gc/table.h */
	struct gc_record record; /* a copy, as the log drops old records */
};

/* Returns the newest record with that number, or the newest of all if none is given. NULL sets
   `err`. */
static const struct gc_record *
find_record(const struct gc_log *log, const char *number, struct error *err)
{
	uint32_t wanted = (uint32_t)strtoul(number, NULL, 10);

	if (number[strspn(number, "0123456789")])
		error_set(err, ERROR_USAGE, "gc takes the number of a collection, not \"%.40s\"",
			  number);
	else if (log->added == 0)
		error_set(err, ERROR_USAGE, "there has been no collection yet");
	else if (!*number)
		return gc_log_at(log, log->added - 1);
	for (uint64_t n = log->added; err->kind == ERROR_NONE && n-- > gc_log_first(log);)
		if (gc_log_at(log, n)->number == wanted)
			return gc_log_at(log, n);
	error_set(err, ERROR_USAGE, "collection %.20s is not among the last %d", number,
		  GC_LOG_RECORDS);
	return NULL;
}

static bool
copy_record(struct view *v, const struct gc_record *r, struct error *err)
{
	struct gc_state *state = v->state;
	struct gc_heap *heaps;

	state->record = *r;
	state->cells.record = &state->record;
	state->record.heaps = NULL;
	if (!r->heaps_count)
		return true;
	heaps = arena_array(&v->arena, struct gc_heap, r->heaps_count, err);
	if (!heaps)
		return false;
	memcpy(heaps, r->heaps, r->heaps_count * sizeof *heaps);
	state->record.heaps = heaps;
	return true;
}

static bool
gc_open(struct view *v, struct error *err)
{
	const struct gcs *g = v->session->gcs;
	struct gc_state *state = arena_new(&v->arena, struct gc_state, err);
	const struct gc_record *r;

	v->state = state;
	if (!state)
		return false;
	if (!g)
		return error_set(err, ERROR_USAGE,
				 "no collections are being watched; :gcs starts watching");
	r = find_record(&g->log, v->target.topic, err);
	if (!r || !copy_record(v, r, err))
		return false;
	snprintf(v->title, sizeof v->title, "gc %u", r->number);
	return true;
}

static bool
gc_rows(struct view *v, struct error *err)
{
	struct gc_state *state = v->state;

	return view_show_all(v, gc_parts_count(&state->record), err);
}

/* The note about the whole log follows the first line about the collection. */
static bool
gc_heading(const struct view *v, unsigned line, struct value *out)
{
	const struct gc_state *state = v->state;
	char text[GC_TEXT_BYTES];

	if (line && gcs_note(v->session->gcs, out)) {
		if (line == 1)
			return true;
		line--;
	}
	if (!gc_text_line(&state->record, line, text))
		return false;
	value_printf(out, line ? STYLE_DIM : STYLE_NORMAL, "%s", text);
	return true;
}

static const struct view_code gc_code = {
	.open = gc_open,
	.rows = gc_rows,
	.heading = gc_heading,
};

const struct view_ops view_gc = {
	.command = { .name = "gc",
		     .args = { MAY(ARG_NUMBER) },
		     .help = "one collection, generation by generation" },
	.table = &gc_part_table,
	.words = { .no_rows = "nothing is known about this collection; :gcs lists all that are "
			      "known" },
	.list = { .flags = VIEW_HIDDEN },
	.code = &gc_code,
};
