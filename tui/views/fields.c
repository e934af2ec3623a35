/*
 * The contents of an object: fields with their values, structs taken apart, elements of arrays and
 * collections, the text of a string. `value` shows the same for a value given by its type and
 * address. Only heaps read from memory have contents. The first page is read at once; the last row
 * reads more.
 */
#include "model/base/format.h"
#include "model/tables/contents_list.h"
#include "model/tables/tables.h"
#include "tui/tables/object_commands.h"
#include "tui/tables/subject_title.h"
#include "tui/widget/request.h"
#include "tui/widget/view.h"
#include "model/heap/memory.h"
#include "model/heap/thread_title.h"

struct fields_state {
	struct contents_list list; /* read by the cells */
	bool has_rows;
	bool are_raw;            /* show fields, not a collection's elements */
	uint64_t table, address; /* method table and place of a value, or 0 */
	char header[VALUE_TEXT_BYTES];
};

/* --- rows ---------------------------------------------------------------- */

static void
row_of_content(const struct view *v, uint32_t item, struct row *out)
{
	const struct fields_state *state = v->state;

	if (item == state->list.count) {
		*out = row_of(ROW_MORE);
		out->data = state->list.total - state->list.count;
		out->key = UINT64_MAX;
		return;
	}
	*out = row_of(ROW_PLAIN);
	out->data = out->key = item;
	if (state->list.items[item].target != NODE_NONE) {
		out->node = state->list.items[item].target;
		out->type = heap_type_of(v->session->heap, out->node);
	}
}

/* Returns the operating system's id of a managed thread; 0: unknown. */
static uint64_t
os_id_of(const struct heap_memory *m, uint32_t id)
{
	for (uint32_t i = 0; i < m->threads_count; i++)
		if (m->threads[i].id == id)
			return m->threads[i].os_id;
	return 0;
}

static void
read_header(struct view *v)
{
	struct fields_state *state = v->state;
	const struct heap_memory *m = v->session->heap->memory;
	struct content_header h;
	struct error ignored = { 0 };
	char lock[THREAD_TITLE_BYTES + 32] = "", title[THREAD_TITLE_BYTES];

	if (!m->contents->header(m->source, v->target.node, &h, &ignored))
		return;
	if (h.lock_thread)
		snprintf(lock, sizeof lock, ", locked by %s%s",
			 thread_title(h.lock_thread, os_id_of(m, h.lock_thread), title),
			 h.lock_depth ? ", recursively" : "");
	else if (h.sync_block)
		snprintf(lock, sizeof lock, ", sync block %u", (unsigned)h.sync_block);
	else if (h.has_hash)
		snprintf(lock, sizeof lock, ", hash code %u", (unsigned)h.hash);
	snprintf(state->header, sizeof state->header, "method table %llx, header %08x%s",
		 (unsigned long long)h.table, (unsigned)h.word, lock);
}

static bool
start_list(struct view *v, struct error *err)
{
	struct fields_state *state = v->state;

	if (state->table) {
		contents_list_start_value(&state->list, v->session->heap, &v->arena, state->table,
					  state->address);
		return true;
	}
	read_header(v);
	return contents_list_start(&state->list, v->session->heap, v->target.node, &v->arena,
				   state->are_raw, err);
}

static bool
fields_rows(struct view *v, struct error *err)
{
	struct fields_state *state = v->state;
	size_t shown;

	if (!state->has_rows) {
		if (!start_list(v, err) || !contents_list_read(&state->list, CONTENTS_PAGE, err))
			return false;
		state->has_rows = true;
	}
	shown = state->list.count + (state->list.count < state->list.total);
	return view_show_all(v, shown, err);
}

/* --- life ---------------------------------------------------------------- */

static bool
fields_open(struct view *v, struct error *err)
{
	subject_title(v, "fields");
	v->state = arena_new(&v->arena, struct fields_state, err);
	return v->state != NULL;
}

/* Parses the argument "TABLE ADDRESS". */
static bool
value_open(struct view *v, struct error *err)
{
	struct fields_state *state;
	char table[64], rest[64], more;

	v->state = state = arena_new(&v->arena, struct fields_state, err);
	if (!state)
		return false;
	if (sscanf(v->target.topic, "%63s %63s %c", table, rest, &more) != 2 ||
	    !address_parse(table, &state->table) || !state->table ||
	    !address_parse(rest, &state->address) || !state->address)
		return error_set(err, ERROR_USAGE,
				 "value takes two addresses: the method table of its type, then "
				 "its own");
	snprintf(v->title, sizeof v->title, "value at %s", address_format(state->address, table));
	return true;
}

static void
fields_close(struct view *v)
{
	struct fields_state *state = v->state;

	if (!state)
		return;
	contents_list_clear(&state->list);
}

/* Warns that the filter covers only the rows read so far. */
static bool
warn_unread(const struct view *v, struct value *out)
{
	const struct fields_state *state = v->state;
	char count[FORMAT_BYTES], total[FORMAT_BYTES];

	if (!v->filter || state->list.count >= state->list.total)
		return false;
	value_printf(out, STYLE_WARNING, "the filter covers the first %s rows of %s",
		     format_count(state->list.count, count),
		     format_count(state->list.total, total));
	return true;
}

static bool
fields_heading(const struct view *v, unsigned line, struct value *out)
{
	const struct fields_state *state = v->state;
	char about[VALUE_TEXT_BYTES];
	unsigned lines;

	contents_list_describe(&state->list, about, sizeof about);
	lines = *about ? 2 : 1;
	if (line == lines)
		return warn_unread(v, out);
	if (line > lines || (!line && !*state->header))
		return false;
	if (line)
		value_printf(out, STYLE_NORMAL, "%s; f shows its fields", about);
	else
		value_text(out, STYLE_DIM, state->header);
	return true;
}

static bool
enter(const struct call *call, struct error *err)
{
	struct view *v = call->view;
	struct fields_state *state = v->state;
	struct target target;
	struct row row;

	if (!view_selected(v, &row))
		return true;
	if (row.kind == ROW_MORE)
		return contents_list_read(&state->list, CONTENTS_PAGE, err) && view_reload(v, err);
	if (row.node == NODE_NONE)
		return error_set(err, ERROR_USAGE, "this is a value, not an object");
	target = target_of_node(v->session, row.node);
	return request_open(call, "fields", &target);
}

/* Switches between the elements of a collection and its own fields. */
static bool
switch_raw(const struct call *call, struct error *err)
{
	struct view *v = call->view;
	struct fields_state *state = v->state;

	if (!state->are_raw && !state->list.collection)
		return error_set(err, ERROR_USAGE,
				 "these are its fields; it is not a known kind of collection");
	state->are_raw = !state->are_raw;
	state->has_rows = false;
	return view_reload(v, err);
}

static void
fields_replay(const struct view *v, replay_fn *add, void *to)
{
	const struct fields_state *state = v->state;
	char command[48];

	if (state->are_raw)
		add(to, "raw");
	snprintf(command, sizeof command, "more-rows 0 %zu", state->list.count);
	if (state->list.count > CONTENTS_PAGE)
		add(to, state->list.count > MORE_ROWS_MAX ? NULL : command);
}

/* clang-format off */
static const struct command commands[] = {
	/* name     keys     bar       help, .run, then other fields */
	{ "enter", "Enter", "fields", "show the fields of that object, or more rows", .run = enter, .replay = REPLAY_ROWS },
	{ "raw",   "f",     "",       "switch between a collection's elements and its fields", .run = switch_raw, .replay = REPLAY_ROWS },
	{ 0 },
};
static const struct command value_commands[] = {
	{ "enter", "Enter", "fields", "show the fields of that object, or more rows", .run = enter, .replay = REPLAY_ROWS },
	{ 0 },
};
/* clang-format on */

static const struct view_code fields_code = {
	.open = fields_open,
	.close = fields_close,
	.rows = fields_rows,
	.item_row = row_of_content,
	.has_own_rows = true,
	.heading = fields_heading,
	.replay = fields_replay,
};

const struct view_ops view_fields = {
	.command = { .name = "fields",
		     .keys = "v",
		     .args = { MUST(ARG_OBJECT) },
		     .help = "the contents of an object: fields, elements, text" },
	.table = &fields_table,
	.commands = commands,
	.words = { .no_rows = "it has neither fields nor elements; :inspect shows who holds it" },
	.list = { .needs = NEED_OBJECTS, .flags = VIEW_PRINTS_HEADING },
	.code = &fields_code,
};

static const struct view_code value_code = {
	.open = value_open,
	.close = fields_close,
	.rows = fields_rows,
	.item_row = row_of_content,
	.has_own_rows = true,
	.heading = fields_heading,
	.replay = fields_replay,
};

const struct view_ops view_value = {
	.command = { .name = "value",
		     .args = { MUST_AS(ARG_TEXT, "TABLE"), MUST(ARG_OBJECT) },
		     .help = "the contents of a value, by its type's method table and address" },
	.table = &fields_table,
	.commands = value_commands,
	.words = { .no_rows = "it has neither fields nor elements; :inspect shows who holds it" },
	.list = { .needs = NEED_OBJECTS, .flags = VIEW_PRINTS_HEADING },
	.code = &value_code,
};
