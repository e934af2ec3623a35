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
};

static const struct content_declared *
method_of(const struct methods_state *state, const struct row *row)
{
	return &state->methods.items[row->data];
}

static void
cell_token(const struct cells *in, const struct row *row, struct value *out)
{
	value_printf(out, STYLE_DIM, "0x%08" PRIx32,
		     method_of(in->rows, row)->token);
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
	       view_show_all(v, state->methods.count, err);
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

static const void *
record(const struct cells *in, const struct row *row)
{
	return method_of(in->rows, row);
}

/* clang-format off */
static const struct column columns[] = {
	/* id       title     width sorts cell         help                                       rank flags needs */
	{ "name",   "Method", FILL, UP,   TEXT_AT(STYLE_NORMAL, struct content_declared, name),   "as the module has it",                    0, 0, 0 },
	{ "token",  "Token",  -10,  UP,   CELL(VALUE_TEXT, cell_token),  "in the metadata of the module",           1, 0, 0 },
	{ "record", "Record", 14,   UP,   ADDRESS_AT(struct content_declared, record), "the runtime's own of it (MethodDesc)",    0, 0, 0 },
	{ 0 },
};
static const struct table table = { .name = "methods", .columns = columns, .record = record };
/* clang-format on */

const struct view_ops view_methods = {
	.command = { .name = "methods",
		     .keys = "",
		     .args = { MUST(ARG_OBJECT_OR_TYPE) },
		     .bar = "",
		     .help = "methods that a class declares" },
	.empty = "the class declares no method; :method-table says what it is",
	.table = &table,
	.needs = NEED_OBJECTS,
	.takes_besides = TAKES_ADDRESS,
	.flags = VIEW_TELLS | VIEW_MEMORY,
	.open = methods_open,
	.rows = methods_rows,
	.heading = methods_heading,
};
