/*
 * What the strings of a heap say, each text once: how often it is there and
 * what all but one of them take. Of heaps from memory alone. Texts are read
 * when they are shown; search and filter read them whole.
 */
#include "tui/app.h"
#include "tui/format.h"
#include "tui/object_cells.h"
#include "tui/views.h"
#include "model/order.h"
#include "model/strings.h"
#include <string.h>

enum {
	UNITS_SHOWN = 150, /* of UTF-16, at the beginning */
	UNITS_SEARCHED = 1 << 20,
	COLUMNS_SHOWN = 300,
	LOOK_EVERY = 4096,
};

struct strings_state {
	struct strings *strings; /* NULL: not read yet */
	uint32_t version;        /* of the session's reach they were told by */
	struct id_list list;     /* of groups: the rows */
	/* Of all rows: */
	uint64_t strings_count, wasted_bytes;
};

static const struct string_group *
group_of(const struct view *v, const struct row *row)
{
	const struct strings_state *state = v->state;

	return &state->strings->groups[row->data];
}

/* --- cells ---------------------------------------------------------------- */

/* As C# writes it, or NULL. */
static const char *
literal_of(const struct view *v, node_id n, uint32_t units_max, struct arena *a)
{
	const struct heap_memory *m = v->session->heap->memory;
	struct error ignored = { 0 };
	const char *text;
	uint32_t units;

	return m->contents->text(m->source, n, units_max, &text, &units, a,
				 &ignored)
		   ? text
		   : NULL;
}

static void
cell_text(const struct view *v, const struct row *row, struct value *out)
{
	char shown[VALUE_TEXT_BYTES];
	struct arena a;
	const char *text;

	arena_init(&a, 0);
	text = literal_of(v, row->node, UNITS_SHOWN, &a);
	if (text)
		value_printf(
		    out, STYLE_NORMAL, "%s",
		    text_fit(text, COLUMNS_SHOWN, shown, sizeof shown));
	else
		value_text(out, STYLE_WARNING, "(not in memory)");
	arena_clear(&a);
}

static bool
whole_text(const struct view *v, const struct row *row, struct arena *a,
	   const char **text)
{
	*text = literal_of(v, row->node, UNITS_SEARCHED, a);
	return *text != NULL;
}

static void
cell_count(const struct view *v, const struct row *row, struct value *out)
{
	value_count(out, group_of(v, row)->count);
}

static void
cell_dead(const struct view *v, const struct row *row, struct value *out)
{
	value_count(out, group_of(v, row)->dead_count);
}

static void
cell_size(const struct view *v, const struct row *row, struct value *out)
{
	value_bytes(out,
		    string_group_bytes(v->session->heap, group_of(v, row)));
}

static void
cell_wasted(const struct view *v, const struct row *row, struct value *out)
{
	value_bytes(out,
		    string_group_wasted(v->session->heap, group_of(v, row)));
}

static void
cell_length(const struct view *v, const struct row *row, struct value *out)
{
	value_count(out, group_of(v, row)->units);
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

static void
take_strings(struct view *v, void *context, bool ok)
{
	struct strings_state *state = v->state;
	struct reading *r = context;

	if (ok) {
		strings_free(state->strings);
		state->strings = r->strings;
		state->version = r->version;
		/* The old rows are of other groups. */
		id_list_free(&state->list);
		state->list = (struct id_list){ 0 };
		v->rows_count = 0;
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
	uint64_t strings_count, wasted_bytes;
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
key_address(const void *context, uint32_t group)
{
	(void)context;
	return group;
}

static void
row_of_group(const struct view *v, uint32_t group, struct row *out)
{
	const struct strings_state *state = v->state;

	*out =
	    row_of_node(v->session->heap, state->strings->groups[group].first);
	out->kind = ROW_PLAIN;
	out->data = out->key = group;
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
	progress_begin(progress, "listing strings", count);
	for (uint32_t i = 0; i < count; i++) {
		if (i % LOOK_EVERY == 0 && !progress_add(progress, LOOK_EVERY))
			return error_cancelled(err);
		row_of_group(l->view, i, &row);
		if (!view_lets_through(l->view, &row))
			continue;
		l->strings_count += l->strings->groups[i].count;
		l->wasted_bytes +=
		    string_group_wasted(l->heap, &l->strings->groups[i]);
		l->list.bytes_count +=
		    string_group_bytes(l->heap, &l->strings->groups[i]);
		l->list.ids[l->list.count++] = i;
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
		state->strings_count = l->strings_count;
		state->wasted_bytes = l->wasted_bytes;
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
	{ "length", key_length }, { "dead", key_dead }, { "address", key_address },
};
/* clang-format on */

static bool
start_listing(struct view *v, struct error *err)
{
	const struct strings_state *state = v->state;
	const char *sort = v->sort < 0 ? "" : v->ops->columns[v->sort].id;
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
	    wasted[FORMAT_BYTES], unread[FORMAT_BYTES + 40] = "",
							unknown[48] = "";
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
	    "%s different text%s in %s string%s, %s, wasted %s%s%s",
	    format_count(state->list.count, texts), plural(state->list.count),
	    format_count(state->strings_count, count),
	    plural(state->strings_count),
	    format_size(state->list.bytes_count, bytes),
	    format_size(state->wasted_bytes, wasted), unread,
	    f && !view_is_busy(v) ? filter_remark(f, unknown, sizeof unknown)
				  : "");
	return true;
}

/* --- commands ------------------------------------------------------------- */

static bool
open_objects(const struct call *call, struct error *err)
{
	struct view *v = call->view;
	const struct strings_state *state = v->state;
	struct target target = target_none;
	char title[160];
	struct value text;
	node_id *nodes;
	struct row row;
	bool ok;

	if (!view_selected(v, &row))
		return true;
	nodes = strings_of_group(state->strings, (uint32_t)row.data, err);
	if (!nodes)
		return false;
	cell_text(v, &row, &text);
	snprintf(title, sizeof title, "strings %s",
		 text_fit(text.text, 40, text.buffer, sizeof text.buffer));
	target.type = row.type;
	target.nodes = nodes;
	target.nodes_count = group_of(v, &row)->count;
	target.nodes_title = title;
	ok = app_open(call->app, &view_objects, &target, err);
	memory_free(nodes);
	return ok;
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
}

/* clang-format off */
static const struct column columns[] = {
	/* id        title      width sorts     cell          help                                                 rank flags           needs */
	{ "count",   "Count",   9,    DOWN,     cell_count,   "strings with this text",                            1, 0,              0 },
	{ "size",    "Size",    10,   DOWN,     cell_size,    "their bytes",                                       2, 0,              0 },
	{ "wasted",  "Wasted",  10,   DOWN,     cell_wasted,  "bytes of all but one of them",                      0, 0,              0 },
	{ "dead",    "Dead",    8,    DOWN,     cell_dead,    "of them, garbage that is not yet collected",        4, 0,              NEED_REACH },
	{ "length",  "Length",  8,    DOWN,     cell_length,  "UTF-16 units of the text",                          3, 0,              0 },
	{ "address", "Address", 14,   UP,       object_cell_address, "of the first of them",                              9, COLUMN_MACHINE, 0 },
	{ "text",    "Text",    FILL, UNSORTED, cell_text,    "its beginning, as C# writes it; search and filter read all of it", 0, 0, 0 },
	{ 0 },
};
static const struct command commands[] = {
	/* name   keys     args bar        help                           run */
	{ "open", "Enter", "",  "objects", "the strings with this text",  open_objects, false },
	{ 0 },
};
/* clang-format on */

const struct view_ops view_strings = {
	.command = { .name = "strings",
		     .keys = "",
		     .args = "",
		     .bar = "",
		     .help = "what strings say, and what equal ones waste; of "
			     "memory" },
	.empty = "no string could be read; :objects lists all objects, "
		 ":summary tells what is missing",
	.columns = columns,
	.commands = commands,
	.needs = NEED_OBJECTS | NEED_REACH,
	.flags = VIEW_TELLS,
	.sort = "wasted",
	.open = strings_open,
	.close = strings_close,
	.rows = strings_rows,
	.row = strings_row,
	.whole_name = whole_text,
	.heading = strings_heading,
};
