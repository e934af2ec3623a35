/*
 * What the strings of a heap say, each text once: how often it is there and
 * what all but one of those that live take. Of heaps from memory alone. Texts
 * are read when they are shown; search and filter read them whole.
 */
#include "model/analysis/object_text.h"
#include "tui/session/describe.h"
#include "model/base/format.h"
#include "tui/tables/object_cells.h"
#include "tui/widget/request.h"
#include "model/base/text.h"
#include "tui/widget/text_column.h"
#include "tui/widget/view.h"
#include "model/heap/order.h"
#include "model/analysis/strings.h"
#include <string.h>

enum {
	TITLE_COLUMNS = 40,
	LOOK_EVERY = 4096,
};

struct strings_sum {
	uint64_t count, wasted_bytes, garbage_bytes;
};

struct strings_state {
	struct strings *strings; /* NULL: not read yet */
	uint32_t version;        /* of the session's reach they were told by */
	struct id_list list;     /* of groups: the rows */
	struct strings_sum sum;  /* of all rows */
	node_id *selected;       /* the strings of a row, until another is */
};

static const struct string_group *
group_of(const struct strings_state *state, const struct row *row)
{
	return &state->strings->groups[row->data];
}

/* --- cells ---------------------------------------------------------------- */

static void
cell_dead(const struct cells *in, const struct row *row, struct value *out)
{
	describe_dead_count(in->facts->heap,
			    group_of(in->rows, row)->dead_count, out);
}

static void
cell_size(const struct cells *in, const struct row *row, struct value *out)
{
	value_bytes(
	    out, string_group_bytes(in->facts->heap, group_of(in->rows, row)));
}

static void
cell_wasted(const struct cells *in, const struct row *row, struct value *out)
{
	value_bytes(
	    out, string_group_wasted(in->facts->heap, group_of(in->rows, row)));
}

static void
cell_garbage(const struct cells *in, const struct row *row, struct value *out)
{
	const struct heap *h = in->facts->heap;

	describe_dead_bytes(h, string_group_garbage(h, group_of(in->rows, row)),
			    out);
}

/* --- reading them --------------------------------------------------------- */

struct reading {
	const struct heap *heap;
	const struct reach *reach;
	uint32_t version;
	struct strings *strings;
};

static bool
read_strings(void *context, struct progress *progress, struct error *err)
{
	struct reading *r = context;

	r->strings = strings_find(r->heap, r->reach, false, progress, err);
	return r->strings != NULL;
}

/* Rows stay until they are listed anew, the selected one with them: groups keep
   their numbers, unless more of the memory could be read now, or less. */
static void
replace_strings(struct view *v, struct strings *strings)
{
	struct strings_state *state = v->state;

	if (state->strings &&
	    state->strings->groups_count != strings->groups_count) {
		id_list_free(&state->list);
		state->list = (struct id_list){ 0 };
		v->rows_count = 0;
	}
	strings_free(state->strings);
	state->strings = strings;
}

static void
take_strings(struct view *v, void *context, bool ok)
{
	struct strings_state *state = v->state;
	struct reading *r = context;

	if (ok) {
		replace_strings(v, r->strings);
		state->version = r->version;
		v->is_stale = true;
	}
	memory_free(r);
}

static bool
start_reading(struct view *v, struct error *err)
{
	struct reading *r = memory_new(1, sizeof *r, err);

	if (!r)
		return false;
	*r = (struct reading){ .heap = v->session->heap,
			       .reach = v->session->reach,
			       .version = v->session->reach_version };
	return view_run(v, "reading strings", read_strings, take_strings, r,
			err);
}

/* --- rows ----------------------------------------------------------------- */

struct listing {
	const struct view *view; /* for the filter's cells */
	const struct heap *heap;
	const struct strings *strings;
	order_key *key; /* NULL: as they lie in memory */
	bool is_descending;
	struct id_list list;
	struct strings_sum sum;
};

static const struct string_group *
listed(const void *context, uint32_t group)
{
	const struct listing *l = context;

	return &l->strings->groups[group];
}

static uint64_t
key_count(const void *context, uint32_t group)
{
	return listed(context, group)->count;
}

static uint64_t
key_dead(const void *context, uint32_t group)
{
	return listed(context, group)->dead_count;
}

static uint64_t
key_length(const void *context, uint32_t group)
{
	return listed(context, group)->units;
}

static uint64_t
key_size(const void *context, uint32_t group)
{
	const struct listing *l = context;

	return string_group_bytes(l->heap, listed(context, group));
}

static uint64_t
key_wasted(const void *context, uint32_t group)
{
	const struct listing *l = context;

	return string_group_wasted(l->heap, listed(context, group));
}

static uint64_t
key_garbage(const void *context, uint32_t group)
{
	const struct listing *l = context;

	return string_group_garbage(l->heap, listed(context, group));
}

static uint64_t
key_address(const void *context, uint32_t group)
{
	return listed(context, group)->subject;
}

static void
row_of_group(const struct view *v, uint32_t group, struct row *out)
{
	const struct strings_state *state = v->state;

	*out = row_of_node(v->session->heap,
			   state->strings->groups[group].subject);
	out->kind = ROW_PLAIN;
	out->data = out->key = group;
}

static void
list_add(struct listing *l, uint32_t group)
{
	const struct string_group *g = &l->strings->groups[group];

	l->sum.count += g->count;
	l->sum.wasted_bytes += string_group_wasted(l->heap, g);
	l->sum.garbage_bytes += string_group_garbage(l->heap, g);
	l->list.bytes_count += string_group_bytes(l->heap, g);
	l->list.ids[l->list.count++] = group;
}

static bool
list_groups(void *context, struct progress *progress, struct error *err)
{
	struct listing *l = context;
	uint32_t count = l->strings->groups_count;
	struct row row;

	l->list.ids = memory_new((size_t)count + 1, sizeof(uint32_t), err);
	if (!l->list.ids)
		return false;
	progress_begin(progress, "listing strings", "strings", count);
	for (uint32_t i = 0; i < count; i++) {
		if (i % LOOK_EVERY == 0)
			(void)progress_add(progress, LOOK_EVERY);
		/* A filter may look at millions of characters. */
		if (progress_is_cancelled(progress))
			return error_cancelled(err);
		row_of_group(l->view, i, &row);
		if (view_lets_through(l->view, &row))
			list_add(l, i);
	}
	return !l->key || id_list_sort(&l->list, l->key, l, l->is_descending,
				       progress, err);
}

static void
take_list(struct view *v, void *context, bool ok)
{
	struct strings_state *state = v->state;
	struct listing *l = context;

	if (ok) {
		id_list_free(&state->list);
		state->list = l->list;
		state->sum = l->sum;
		v->rows_count = l->list.count;
	} else {
		id_list_free(&l->list);
	}
	memory_free(l);
}

/* clang-format off */
static const struct {
	const char *id;
	order_key *key;
} keys[] = {
	{ "count", key_count }, { "size", key_size }, { "wasted", key_wasted },
	{ "length", key_length }, { "dead", key_dead }, { "garbage", key_garbage },
	{ "address", key_address },
};
/* clang-format on */

static bool
start_listing(struct view *v, struct error *err)
{
	const struct strings_state *state = v->state;
	const char *sort =
	    v->sort < 0 ? "" : v->ops->table->columns[v->sort].id;
	struct listing *l = memory_new(1, sizeof *l, err);

	if (!l)
		return false;
	*l = (struct listing){ .view = v,
			       .heap = v->session->heap,
			       .strings = state->strings,
			       .is_descending = v->is_descending };
	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
		if (!strcmp(sort, keys[i].id))
			l->key = keys[i].key;
	return view_run(v, "listing strings", list_groups, take_list, l, err);
}

static bool
strings_rows(struct view *v, struct error *err)
{
	const struct strings_state *state = v->state;

	return object_contents_known(v, "texts of strings", err) &&
	       view_after(v,
			  state->strings &&
			      state->version == v->session->reach_version,
			  start_reading, start_listing, err);
}

static void
strings_row(const struct view *v, size_t index, struct row *out)
{
	const struct strings_state *state = v->state;

	row_of_group(v, state->list.ids[index], out);
}

/* --- above the table ------------------------------------------------------ */

static bool
strings_heading(const struct view *v, unsigned line, struct value *out)
{
	const struct strings_state *state = v->state;
	char texts[FORMAT_BYTES], count[FORMAT_BYTES], bytes[FORMAT_BYTES],
	    wasted[FORMAT_BYTES], garbage[FORMAT_BYTES],
	    unread[FORMAT_BYTES + 40] = "", unknown[48] = "";
	const struct filter *f = v->shown.filter;

	if (line)
		return false;
	if (!state->strings) {
		value_pending(out);
		return true;
	}
	if (state->strings->unread_count)
		snprintf(unread, sizeof unread, "; %s could not be read",
			 format_count(state->strings->unread_count, count));
	value_printf(
	    out, STYLE_DIM,
	    "%s different text%s in %s string%s, %s: live ones waste %s; "
	    "%s%s%s%s",
	    format_count(state->list.count, texts), plural(state->list.count),
	    format_count(state->sum.count, count), plural(state->sum.count),
	    format_size(state->list.bytes_count, bytes),
	    format_size(state->sum.wasted_bytes, wasted),
	    format_size(state->sum.garbage_bytes, garbage),
	    describe_rootless(v->session->heap), unread,
	    f && !view_is_busy(v) ? filter_remark(f, unknown, sizeof unknown)
				  : "");
	return true;
}

/* --- commands ------------------------------------------------------------- */

static bool
select_strings(const struct view *v, const struct row *row, struct target *out,
	       char *title, size_t title_size, struct error *err)
{
	struct strings_state *state = v->state;
	char shown[VALUE_TEXT_BYTES];
	struct facts facts;
	const struct cells in = view_cells(v, &facts);
	struct value text;

	memory_free(state->selected);
	state->selected =
	    strings_of_group(state->strings, (uint32_t)row->data, err);
	if (!state->selected)
		return false;
	object_text_cell(&in, row, &text);
	snprintf(title, title_size, "strings %s",
		 text_fit(text.text, TITLE_COLUMNS, shown, sizeof shown));
	*out = target_of_type(row->type);
	out->nodes = state->selected;
	out->nodes_count = group_of(v->state, row)->count;
	out->nodes_title = title;
	return true;
}

static bool
strings_selection(const struct view *v, const struct row *row,
		  struct target *out, char *title, size_t title_size)
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
	       (select_strings(call->view, &row, &target, title, sizeof title,
			       err) &&
		request_open(call, "objects", &target));
}

/* --- the view ------------------------------------------------------------- */

static bool
strings_open(struct view *v, struct error *err)
{
	if (!object_contents_known(v, "texts of strings", err))
		return false;
	v->state = arena_new(&v->arena, struct strings_state, err);
	return v->state != NULL;
}

static void
strings_close(struct view *v)
{
	struct strings_state *state = v->state;

	if (!state)
		return;
	strings_free(state->strings);
	id_list_free(&state->list);
	memory_free(state->selected);
}

static const void *
record(const struct cells *in, const struct row *row)
{
	return group_of(in->rows, row);
}

/* clang-format off */
static const struct column columns[] = {
	/* id        title      width sorts     cell          help                                                 rank flags           needs */
	{ "count",   "Count",   7,    DOWN,     COUNT_AT(struct string_group, count),   "strings with this text",                            1, 0,              0 },
	{ "dead",    "Dead",    7,    DOWN,     CELL(VALUE_COUNT, cell_dead),    "of them, garbage that is not yet collected",        2, 0,              NEED_REACH },
	{ "size",    "Size",    9,   DOWN,     CELL(VALUE_BYTES, cell_size),    "their bytes",                                       4, 0,              0 },
	{ "wasted",  "Wasted",  9,   DOWN,     CELL(VALUE_BYTES, cell_wasted),  "bytes of those that live, all but one of them",     0, 0,              NEED_REACH },
	{ "garbage", "Garbage", 9,   DOWN,     CELL(VALUE_BYTES, cell_garbage), "bytes of those that are dead",                      3, 0,              NEED_REACH },
	{ "length",  "Length",  8,    DOWN,     COUNT_AT(struct string_group, units),  "UTF-16 units of the text",                          5, 0,              0 },
	{ "address", "Address", 14,   UP,       OBJECT_ADDRESS, "of the first of them that lives; if none does, of the first", 9, COLUMN_MACHINE, 0 },
	{ "text",    "Text",    FILL, UNSORTED, OBJECT_TEXT,    "its beginning, as C# writes it; search and filter read all of it", 0, 0, 0 },
	{ 0 },
};
static const struct table table = { .name = "strings", .columns = columns, .record = record };
static const struct command commands[] = {
	/* name    keys     bar        help, .run, and what differs from nothing */
	{ "open", "Enter", "objects", "the strings with this text", .run = open_objects, .replay = REPLAY_ROWS },
	{ 0 },
};
/* clang-format on */

const struct view_ops view_strings = {
	.command = { .name = "strings",
		     .keys = "",
		     .bar = "",
		     .help = "what strings say, and what equal ones waste; of "
			     "memory" },
	.empty = "no string could be read; :objects lists all objects, "
		 ":summary tells what is missing",
	.table = &table,
	.commands = commands,
	.needs = NEED_OBJECTS | NEED_REACH,
	.flags = VIEW_TELLS | VIEW_MEMORY,
	.sort = "wasted",
	.open = strings_open,
	.close = strings_close,
	.rows = strings_rows,
	.row = strings_row,
	.whole = text_whole,
	.selection = strings_selection,
	.heading = strings_heading,
};
