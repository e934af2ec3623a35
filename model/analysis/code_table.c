/* The method whose code is at an address, as a table of one row. */
#include "model/analysis/tables.h"
#include "model/base/arena.h"
#include "model/heap/memory.h"

struct made {
	struct content_frame method[1];
	struct arena arena;
	uint32_t count;
};

static bool
accepts(const struct facts *f, const struct subject *about, struct error *err)
{
	uint64_t address;

	(void)f;
	return address_parse(about->text, &address) ||
	       error_set(err, ERROR_USAGE, "code takes an address such as 7fe01c001d70");
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
	if (!accepts(f, about, err) || !address_parse(about->text, &address) ||
	    !memory->contents->code(memory->source, address, &m->method[0], &m->arena, err))
		return false;
	m->count = 1;
	return true;
}

static void
clear(void *made)
{
	struct made *m = made;

	arena_clear(&m->arena);
}

/* clang-format off */
static const struct column columns[] = {
	/* id        title      width sorts cell         help                                       rank flags needs */
	{ "method",  "Method",  FILL, UP,   TEXT_AT(STYLE_TYPE, struct content_frame, full),     "method with its type",                    0, 0, 0 },
	{ "record",  "Record",  14,   UP,   ADDRESS_AT(struct content_frame, record),            "the runtime's record of it (MethodDesc)", 1, 0, 0 },
	{ "address", "Address", 14,   UP,   ADDRESS_AT(struct content_frame, ip),                "the address asked for",                   2, 0, 0 },
	{ "module",  "Module",  -40,  UP,   TEXT_AT(STYLE_NORMAL, struct content_frame, module), "path of its module",                      3, 0, 0 },
	{ 0 },
};
/* clang-format on */

static const struct row_source rows = {
	.what = "looking for the method",
	ROWS_INSIDE(struct made, method, count),
	.accepts = accepts,
	.make = make,
	.clear = clear,
};

const struct table code_table = {
	.name = "code",
	.columns = columns,
	.heaps = OF_FIELDS,
	.contents = "code",
	.needs = NEED_PROCESS,
	.is_of_subject = true,
	.rows = &rows,
};
