/*
 * The resident memory of the process, by use: a bar of its parts, a sentence, and the table. Enter
 * opens the view that shows more of a part.
 */
#include "model/analysis/resident.h"
#include "model/analysis/tables.h"
#include "tui/session/snapshots.h"
#include "tui/widget/meter.h"
#include "tui/widget/request.h"
#include "tui/widget/view.h"
#include <string.h>

struct resident_state {
	const struct view_ops *grown, *plain; /* with and without growth */
};

enum { BAR_MOST = 72, BAR_LEAST = 20, BAR_LINES = 2 };

/* --- heading ------------------------------------------------------------- */

static unsigned
bar_parts(const struct view *v, struct meter_part parts[METER_PARTS_MAX])
{
	/* clang-format off */
	static const struct {
		const char *label, *glyph;
		const char *ids[3]; /* of the rows in it */
	} shown[] = {
		{ "live",         "█", { "live" } },
		{ "dead or kept", "▓", { "dead", "kept" } },
		{ "code, images", "▒", { "code", "images" } },
		{ "stacks",       "□", { "stacks" } },
		{ "files",        "▌", { "files" } },
		{ "malloc",       "░", { "malloc" } },
		{ "other",        "·", { "other", "collector" } },
	};
	/* clang-format on */
	enum { SHOWN = sizeof shown / sizeof shown[0] };
	const struct resident_rows *rows = v->made;

	for (int i = 0; i < SHOWN; i++) {
		parts[i] = (struct meter_part){ shown[i].label, shown[i].glyph, 0 };
		for (uint32_t r = 0; r < rows->count; r++)
			for (int id = 0; id < 3 && shown[i].ids[id]; id++)
				if (!strcmp(rows->items[r].id, shown[i].ids[id]))
					parts[i].bytes += rows->items[r].bytes;
	}
	return SHOWN;
}

/* Writes the bar, or with `is_legend` its glyphs and their meaning. */
static void
put_bar(const struct view *v, bool is_legend, struct value *out)
{
	struct meter_part parts[METER_PARTS_MAX];
	unsigned count = bar_parts(v, parts);
	int cells[METER_PARTS_MAX], width = v->area.width;
	struct text text = value_begin_text(out, is_legend ? STYLE_DIM : STYLE_BAR);

	meter_cells(parts, count, width < BAR_MOST ? width : BAR_MOST, cells);
	for (unsigned i = 0; i < count; i++) {
		/* The line of a part that is too small names none. */
		bool is_named = is_legend && cells[i] > 1;
		int times = is_legend ? is_named : cells[i];

		for (; times > 0; times--)
			text_add(&text, parts[i].glyph);
		if (is_named)
			text_addf(&text, " %s  ", parts[i].label);
	}
}

/* Says why several heaps show no growth. */
static bool
put_no_growth(const struct view *v, struct value *out)
{
	if (!v->session->snapshots || v->session->snapshots->count < 2 ||
	    v->session->earlier.detail)
		return false;
	value_text(out, STYLE_DIM,
		   "growth is unknown: no other open heap is an earlier capture of this process, "
		   "taken in the same way");
	return true;
}

/* The bar is for screens: printed text has the table alone. */
static bool
heading(const struct view *v, unsigned line, struct value *out)
{
	const struct resident_rows *rows = v->made;
	struct facts facts;
	const struct cells in = view_cells(v, &facts);
	bool has_bar = rows->count && !v->session->is_batch && !v->area.is_read_aloud &&
		       v->area.width >= BAR_LEAST && view_heading_room(v) > 2 * BAR_LINES;

	if (has_bar && line < BAR_LINES) {
		put_bar(v, line == 1, out);
		return true;
	}
	line -= has_bar * BAR_LINES;
	if (!line)
		return resident_table.heading(&in, line, out);
	return (line == 1 && put_no_growth(v, out)) ||
	       resident_table.heading(&in, line - put_no_growth(v, &(struct value){ 0 }), out);
}

/* --- rows ---------------------------------------------------------------- */

/* Makes a second declaration of the view, without the column of growth. */
static bool
open_view(struct view *v, struct error *err)
{
	struct resident_state *state = arena_new(&v->arena, struct resident_state, err);
	struct view_ops *plain = arena_new(&v->arena, struct view_ops, err);

	if (!state || !plain)
		return false;
	*plain = *v->ops;
	plain->words.unavailable = "growth";
	plain->words.unavailable_why = "no earlier capture of this process is open";
	state->plain = plain;
	state->grown = v->ops;
	v->state = state;
	return true;
}

static bool
list_rows(struct view *v, struct error *err)
{
	const struct resident_state *state = v->state;

	v->ops = v->session->earlier.detail ? state->grown : state->plain;
	return view_list_table(v, err);
}

/* --- commands ------------------------------------------------------------ */

/* Returns why no view shows more of a part. */
static const char *
why_no_view(const char *id)
{
	/* clang-format off */
	static const char *const reasons[][2] = {
		{ "collector", "the collector's own tables; they hold no objects" },
		{ "files",     "only the sum is kept; /proc/PID/maps names the files" },
		{ "malloc",    "native memory has no objects to list; a native profiler such as heaptrack names its callers" },
	};
	/* clang-format on */

	for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
		if (!strcmp(reasons[i][0], id))
			return reasons[i][1];
	return "nothing is known of its owners; /proc/PID/smaps lists the mappings";
}

static bool
open_detail(const struct call *call, struct error *err)
{
	/* clang-format off */
	static const char *const views[][2] = {
		{ "managed", "segments" },
		{ "live",    "segments" },
		{ "dead",    "segments" },
		{ "kept",    "segments" },
		{ "code",    "modules" },
		{ "images",  "modules" },
		{ "stacks",  "threads" },
	};
	/* clang-format on */
	const struct resident_rows *rows = call->view->made;
	struct row row;

	if (!view_selected(call->view, &row))
		return error_set(err, ERROR_USAGE, "no part is selected");
	for (size_t i = 0; i < sizeof views / sizeof views[0]; i++)
		if (!strcmp(rows->items[row.data].id, views[i][0]))
			return request_open(call, views[i][1], &target_none);
	return error_set(err, ERROR_USAGE, "%s: %s", rows->items[row.data].id,
			 why_no_view(rows->items[row.data].id));
}

/* clang-format off */
static const struct command commands[] = {
	/* name     keys     bar     help, .run, then other fields */
	{ "enter", "Enter", "more", "open segments, threads or modules, by the part", .run = open_detail, .replay = REPLAY_ROWS },
	{ 0 },
};
/* clang-format on */

static const struct view_code code = {
	.open = open_view,
	.rows = list_rows,
	.heading = heading,
};

const struct view_ops view_resident = {
	.command = { .name = "resident", .help = "memory of the process, managed or not" },
	.table = &resident_table,
	.commands = commands,
	.words = { .no_rows =
		       "only captures, cores and .heaptop files have the memory of the process; "
		       ":summary shows what is known" },
	.list = { .flags = VIEW_PRINTS_HEADING | VIEW_LAST_FILE | VIEW_ONE_UNIT },
	.code = &code,
};
