/*
 * The methods that a class declares, by the address of its method table, as
 * the runtime and the module have them. Of heaps from memory alone.
 */
#include "model/base/format.h"
#include "tui/tables/object_cells.h"
#include "tui/widget/view.h"
#include "model/heap/memory.h"
#include <inttypes.h>

struct methods_state {
	struct content_methods methods;
	bool is_read;
	uint32_t *shown;
};

static const struct content_declared *
method_of(const struct view *v, const struct row *row)
{
	const struct methods_state *state = v->state;

	return &state->methods.items[row->data];
}

static void
cell_name(const struct view *v, const struct row *row, struct value *out)
{
	value_text(out, STYLE_NORMAL, method_of(v, row)->name);
}

static void
cell_token(const struct view *v, const struct row *row, struct value *out)
{
	value_printf(out, STYLE_DIM, "0x%08" PRIx32, method_of(v, row)->token);
}

static void
cell_record(const struct view *v, const struct row *row, struct value *out)
{
	value_address(out, method_of(v, row)->record);
}

static void
row_of_method(const struct view *v, uint32_t item, struct row *out)
{
	(void)v;
	*out = row_of(ROW_PLAIN);
	out->data = out->key = item;
}

static bool
read_methods(struct view *v, struct error *err)
{
	const struct heap_memory *m = v->session->heap->memory;
	struct methods_state *state = v->state;
	uint64_t address;

	if (!object_contents_known(v, "methods", err) ||
	    !object_table_address(v, &address, err))
		return false;
	state->is_read = m->contents->methods(m->source, address,
					      &state->methods, &v->arena, err);
	return state->is_read;
}

static bool
methods_open(struct view *v, struct error *err)
{
	v->state = arena_new(&v->arena, struct methods_state, err);
	return v->state && object_contents_known(v, "methods", err);
}

static bool
methods_rows(struct view *v, struct error *err)
{
	struct methods_state *state = v->state;

	return (state->is_read || read_methods(v, err)) &&
	       view_show_all(v, &state->shown, state->methods.count,
			     row_of_method, err);
}

static void
methods_close(struct view *v)
{
	struct methods_state *state = v->state;

	if (state)
		memory_free(state->shown);
}

static void
methods_row(const struct view *v, size_t index, struct row *out)
{
	const struct methods_state *state = v->state;

	row_of_method(v, state->shown[index], out);
}

static bool
methods_heading(const struct view *v, unsigned line, struct value *out)
{
	const struct methods_state *state = v->state;
	const struct content_methods *m = &state->methods;
	char count[FORMAT_BYTES], told[FORMAT_BYTES];

	if (line || !state->is_read)
		return false;
	if (m->count == m->told_count)
		value_printf(out, STYLE_DIM, "%s method%s",
			     format_count(m->count, count), plural(m->count));
	else
		value_printf(out, STYLE_WARNING,
			     "%s of %s methods; the others were not found",
			     format_count(m->count, count),
			     format_count(m->told_count, told));
	return true;
}

/* clang-format off */
static const struct column columns[] = {
	/* id       title     width sorts cell         help                                       rank flags needs */
	{ "name",   "Method", FILL, UP,   cell_name,   "as the module has it",                    0, 0, 0 },
	{ "token",  "Token",  -10,  UP,   cell_token,  "in the metadata of the module",           1, 0, 0 },
	{ "record", "Record", 14,   UP,   cell_record, "the runtime's own of it (MethodDesc)",    0, 0, 0 },
	{ 0 },
};
/* clang-format on */

const struct view_ops view_methods = {
	.command = { .name = "methods",
		     .keys = "",
		     .args = "ADDRESS|TYPE",
		     .bar = "",
		     .help = "methods that a class declares" },
	.empty = "the class declares no method; :method-table says what it is",
	.columns = columns,
	.needs = NEED_OBJECTS,
	.takes = TAKES_OBJECT | TAKES_TYPE | TAKES_ADDRESS,
	.flags = VIEW_TELLS | VIEW_MEMORY,
	.open = methods_open,
	.close = methods_close,
	.rows = methods_rows,
	.row = methods_row,
	.heading = methods_heading,
};
