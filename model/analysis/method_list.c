/* The methods that a class declares, as a table. They come from the runtime's records and the
   module's metadata. */
#include "model/analysis/tables.h"
#include "model/base/format.h"
#include "model/heap/memory.h"
#include <inttypes.h>

struct made {
	struct content_methods methods;
	struct arena arena;
};

bool
subject_method_table(const struct heap *h, const struct subject *about, uint64_t *address,
		     struct error *err)
{
	const struct heap_memory *m = h->memory;
	const struct heap_table *tables;
	struct content_header header;
	uint32_t count;

	*address = about->address;
	if (*address)
		return true;
	if (about->node != NODE_NONE) {
		if (!m->contents->header(m->source, about->node, &header, err))
			return false;
		*address = header.table;
		return true;
	}
	tables = heap_memory_tables(m, about->type, &count);
	if (!count)
		return error_set(err, ERROR_USAGE, "no object of the type has a method table");
	*address = tables->address;
	return true;
}

static bool
make(void *made, const struct facts *f, const struct subject *about, struct progress *progress,
     struct error *err)
{
	const struct heap_memory *memory = f->heap->memory;
	struct made *m = made;
	uint64_t address;

	(void)progress;
	arena_init(&m->arena, 0);
	return subject_method_table(f->heap, about, &address, err) &&
	       memory->contents->methods(memory->source, address, &m->methods, &m->arena, err);
}

static void
clear(void *made)
{
	struct made *m = made;

	arena_clear(&m->arena);
}

static void
cell_token(const struct cells *in, const struct row *row, struct value *out)
{
	const struct made *m = in->rows;

	value_printf(out, STYLE_DIM, "0x%08" PRIx32, m->methods.items[row->data].token);
}

static bool
heading(const struct cells *in, unsigned line, struct value *out)
{
	const struct made *made = in->rows;
	const struct content_methods *m = &made->methods;
	char count[FORMAT_BYTES], recorded[FORMAT_BYTES];

	if (line)
		return false;
	if (m->count == m->recorded_count)
		value_printf(out, STYLE_DIM, "%s method%s", format_count(m->count, count),
			     plural(m->count));
	else
		value_printf(out, STYLE_WARNING, "%s of %s methods; the others were not found",
			     format_count(m->count, count),
			     format_count(m->recorded_count, recorded));
	return true;
}

/* clang-format off */
static const struct column columns[] = {
	/* id       title     width sorts cell         help                                       rank flags needs */
	{ "name",   "Method", FILL, UP,   TEXT_AT(STYLE_NORMAL, struct content_declared, name),   "name in the module",                      0, 0, 0 },
	{ "token",  "Token",  -10,  UP,   CELL(VALUE_TEXT, cell_token),  "token in the metadata of the module",     1, 0, 0 },
	{ "record", "Record", 14,   UP,   ADDRESS_AT(struct content_declared, record), "the runtime's record of it (MethodDesc)", 0, 0, 0 },
	{ 0 },
};
/* clang-format on */

static const struct row_source rows = {
	.what = "reading methods",
	ROWS_IN(struct made, methods.items, methods.count),
	.make = make,
	.clear = clear,
};

const struct table methods_table = {
	.name = "methods",
	.columns = columns,
	.heaps = OF_FIELDS,
	.contents = "methods",
	.needs = NEED_OBJECTS,
	.is_of_subject = true,
	.rows = &rows,
	.heading = heading,
};
