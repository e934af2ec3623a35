/*
 * The distinct texts of all strings. Enter lists the strings with a text; search and filter read
 * each text to its end.
 */
#include "model/analysis/object_text.h"
#include "model/analysis/string_table.h"
#include "model/base/format.h"
#include "model/base/text.h"
#include "tui/session/describe.h"
#include "tui/widget/request.h"
#include "tui/widget/view.h"
#include <string.h>

enum { TITLE_COLUMNS = 40 };

struct strings_state {
	struct {
		uint64_t count, bytes, wasted_bytes, garbage_bytes;
	} sum;             /* of all rows */
	node_id *selected; /* the strings of the row selected last */
};

static void
strings_add_up(struct view *v)
{
	const struct strings_made *made = v->made;
	const struct heap *h = v->session->heap;
	struct strings_state *state = v->state;

	memset(&state->sum, 0, sizeof state->sum);
	for (size_t i = 0; made && i < v->rows_count; i++) {
		const struct string_group *g = &made->groups[v->items[i]];

		state->sum.count += g->count;
		state->sum.bytes += string_group_bytes(h, g);
		state->sum.wasted_bytes += string_group_wasted(h, g);
		state->sum.garbage_bytes += string_group_garbage(h, g);
	}
}

/* --- heading -------------------------------------------------------------- */

static bool
strings_heading(const struct view *v, unsigned line, struct value *out)
{
	const struct strings_state *state = v->state;
	char texts[FORMAT_BYTES], count[FORMAT_BYTES], bytes[FORMAT_BYTES], wasted[FORMAT_BYTES],
	    garbage[FORMAT_BYTES], unread[FORMAT_BYTES + 40] = "", unknown[48] = "";
	const struct filter *f = v->shown.filter;
	const struct strings_made *made = v->made;

	if (line)
		return false;
	if (made->strings->unread_count)
		snprintf(unread, sizeof unread, "; %s could not be read",
			 format_count(made->strings->unread_count, count));
	value_printf(
	    out, STYLE_DIM, "%s different text%s in %s string%s, %s: live ones waste %s; %s%s%s%s",
	    format_count(v->rows_count, texts), plural(v->rows_count),
	    format_count(state->sum.count, count), plural(state->sum.count),
	    format_size(state->sum.bytes, bytes), format_size(state->sum.wasted_bytes, wasted),
	    format_size(state->sum.garbage_bytes, garbage), describe_rootless(v->session->heap),
	    unread, f && !view_is_busy(v) ? filter_remark(f, unknown, sizeof unknown) : "");
	return true;
}

/* --- commands ------------------------------------------------------------- */

static bool
select_strings(const struct view *v, const struct row *row, struct target *out, char *title,
	       size_t title_size, struct error *err)
{
	const struct strings_made *made = v->made;
	struct strings_state *state = v->state;
	char shown[VALUE_TEXT_BYTES];
	struct facts facts;
	const struct cells in = view_cells(v, &facts);
	struct value text;

	memory_free(state->selected);
	state->selected = strings_of_group(made->strings, (uint32_t)row->data, err);
	if (!state->selected)
		return false;
	object_text_cell(&in, row, &text);
	snprintf(title, title_size, "strings %s",
		 text_fit(text.text, TITLE_COLUMNS, shown, sizeof shown));
	*out = target_of_type(row->type);
	out->nodes = state->selected;
	out->nodes_count = made->groups[row->data].count;
	out->nodes_title = title;
	return true;
}

static bool
strings_selection(const struct view *v, const struct row *row, struct target *out, char *title,
		  size_t title_size)
{
	struct error ignored = { 0 };

	return select_strings(v, row, out, title, title_size, &ignored);
}

static bool
open_objects(const struct call *call, struct error *err)
{
	char title[VALUE_TEXT_BYTES];
	struct target target;
	struct row row;

	return !view_selected(call->view, &row) ||
	       (select_strings(call->view, &row, &target, title, sizeof title, err) &&
		request_open(call, "objects", &target));
}

/* --- the view ------------------------------------------------------------- */

static bool
strings_open(struct view *v, struct error *err)
{
	v->state = arena_new(&v->arena, struct strings_state, err);
	return v->state != NULL;
}

static void
strings_close(struct view *v)
{
	struct strings_state *state = v->state;

	if (state)
		memory_free(state->selected);
}

/* clang-format off */
static const struct command commands[] = {
	/* name    keys     bar        help, .run, then other fields */
	{ "open", "Enter", "objects", "list the strings with this text", .run = open_objects, .replay = REPLAY_ROWS },
	{ 0 },
};
/* clang-format on */

static const struct view_code strings_code = {
	.open = strings_open,
	.close = strings_close,
	.selection = strings_selection,
	.add_up = strings_add_up,
	.heading = strings_heading,
};

const struct view_ops view_strings = {
	.command = { .name = "strings",
		     .help = "the texts of strings, and the bytes that duplicates waste" },
	.table = &strings_table,
	.commands = commands,
	.words = { .no_rows = "no string could be read; :objects lists all objects, :summary shows "
			      "what is missing" },
	.list = { .flags = VIEW_PRINTS_HEADING, .sort = "wasted" },
	.code = &strings_code,
};
