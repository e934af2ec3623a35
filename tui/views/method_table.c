/*
 * A method table: what the runtime records about a type, at the address that other tools print.
 * Only heaps read from memory have method tables.
 */
#include "tui/tables/object_commands.h"
#include "tui/widget/request.h"
#include "model/analysis/tables.h"
#include "tui/widget/view.h"
#include "model/heap/memory.h"
#include <inttypes.h>

struct line {
	const char *name, *help, *text; /* text NULL: a number or an address */
	uint64_t number;
	uint64_t opens; /* another method table; 0: none */
	bool is_address, is_bytes, lists_objects, lists_statics;
};

enum { LINES_MAX = 32 };
struct table_state {
	struct content_table table;
	struct heap_table objects; /* the objects with this method table */
	bool is_read, is_alone;    /* alone: the type has no other one */
	struct line lines[LINES_MAX];
	uint32_t count;
};

static const struct line *
line_of(const struct table_state *state, const struct row *row)
{
	return &state->lines[row->data];
}

/* --- lines --------------------------------------------------------------- */

static struct line *
add(struct table_state *state, const char *name, const char *help)
{
	struct line *l = &state->lines[state->count++];

	*l = (struct line){ .name = name, .help = help };
	return l;
}

static void
add_text(struct table_state *state, const char *name, const char *text, const char *help)
{
	if (text && *text)
		add(state, name, help)->text = text;
}

static void
add_number(struct table_state *state, const char *name, uint64_t number, const char *help)
{
	add(state, name, help)->number = number;
}

static void
add_bytes(struct table_state *state, const char *name, uint64_t bytes, const char *help)
{
	struct line *l = add(state, name, help);

	l->number = bytes;
	l->is_bytes = true;
}

static struct line *
add_address(struct table_state *state, const char *name, uint64_t address, const char *help)
{
	struct line *l = add(state, name, help);

	l->number = address;
	l->is_address = true;
	return l;
}

/* Returns NULL if memory runs out; the line is left out then. */
static const char *
print_hex(struct view *v, uint32_t number)
{
	struct error ignored = { 0 };

	return arena_printf(&v->arena, &ignored, "0x%08" PRIx32, number);
}

static void
add_parent(struct table_state *state)
{
	const struct content_table *t = &state->table;

	if (!t->parent)
		return;
	add_address(state, "parent", t->parent, "method table of its base class")->opens =
	    t->parent;
	add_text(state, "parent_name", t->parent_name, "name of its base class");
}

static void
add_kind(struct view *v, struct table_state *state)
{
	const struct content_table *t = &state->table;

	add_text(state, "category", t->category, "kind of type");
	if (t->rank)
		add_number(state, "rank", t->rank, "dimensions of the array");
	add_text(state, "references", t->has_references ? "yes" : "no",
		 "whether its objects refer to others");
	add_text(state, "finalizer", t->has_finalizer ? "yes" : "no",
		 "whether its objects have one");
	add_text(state, "collectible", t->is_collectible ? "yes" : "no",
		 "whether it can be unloaded");
	add_text(state, "flags", print_hex(v, t->flags), "as stored in the method table");
}

static void
add_counts(struct table_state *state)
{
	const struct content_table *t = &state->table;

	if (t->methods_count != UINT32_MAX)
		add_number(state, "methods", t->methods_count, "declared by the class itself");
	add_number(state, "virtuals", t->virtuals_count,
		   "virtual methods, including inherited ones");
	add_number(state, "interfaces", t->interfaces_count,
		   "that it implements, including inherited ones");
	if (t->record) {
		add_number(state, "fields", t->fields_count,
			   "of each object, including inherited ones");
		add_number(state, "statics", t->statics_count,
			   "static fields of the class, including thread "
			   "statics; Enter lists them");
		state->lines[state->count - 1].lists_statics = true;
	}
	if (t->series_count > 0)
		add_number(state, "series", (uint64_t)t->series_count,
			   "stretches of references in an object (GCDesc)");
	else if (t->series_count < 0)
		add_number(state, "series", (uint64_t)-t->series_count,
			   "stretches of references in an element (GCDesc)");
}

static void
add_lines(struct view *v)
{
	struct table_state *state = v->state;
	const struct content_table *t = &state->table;
	struct line *l;

	add_text(state, "name", t->name, "of the type");
	add_address(state, "table", t->address, "where the method table is");
	if (t->canonical && t->canonical != t->address)
		add_address(state, "canonical", t->canonical,
			    "method table whose code and class it shares")
		    ->opens = t->canonical;
	if (t->record)
		add_address(state, "class", t->record,
			    "the runtime's record of the class (EEClass)");
	add_text(state, "module", t->module_path, "that defines it");
	if (t->module)
		add_address(state, "module_record", t->module,
			    "the runtime's record of the module");
	if (t->token)
		add_text(state, "token", print_hex(v, t->token), "in its metadata");
	add_parent(state);
	add_kind(v, state);
	add_bytes(state, "base_bytes", t->base_bytes, "size of an object without elements");
	if (t->component_bytes)
		add_bytes(state, "component_bytes", t->component_bytes, "size of each element");
	add_counts(state);
	l = add(state, "objects", "objects with this method table; Enter lists them");
	l->number = state->objects.objects_count;
	l->lists_objects = true;
	add_bytes(state, "objects_bytes", state->objects.objects_bytes, "their sizes");
}

/* --- reading it ---------------------------------------------------------- */

/* Finds the objects with this method table. */
static void
find_objects(struct table_state *state, const struct heap_memory *m)
{
	uint32_t count;

	state->objects.type = TYPE_NONE;
	for (uint32_t i = 0; i < m->tables_count; i++)
		if (m->tables[i].address == state->table.address)
			state->objects = m->tables[i];
	if (state->objects.type == TYPE_NONE)
		return;
	heap_memory_tables(m, state->objects.type, &count);
	state->is_alone = count == 1;
}

static bool
read_table(struct view *v, struct error *err)
{
	const struct heap_memory *m = v->session->heap->memory;
	const struct subject about = view_subject(v);
	struct table_state *state = v->state;
	uint64_t address;

	if (!subject_method_table(v->session->heap, &about, &address, err) ||
	    !m->contents->table(m->source, address, &state->table, &v->arena, err))
		return false;
	find_objects(state, m);
	if (state->objects.type != TYPE_NONE)
		state->table.name = session_type_name(v->session, state->objects.type);
	add_lines(v);
	state->is_read = true;
	return true;
}

/* --- the view ------------------------------------------------------------ */

static void
cell_value(const struct cells *in, const struct row *row, struct value *out)
{
	const struct line *l = line_of(in->rows, row);

	if (l->text)
		value_text(out, STYLE_NORMAL, l->text);
	else if (l->is_address)
		value_address(out, l->number);
	else if (l->is_bytes)
		value_exact_bytes(out, l->number);
	else
		value_count(out, l->number);
}

static void
row_of_line(const struct view *v, uint32_t item, struct row *out)
{
	const struct table_state *state = v->state;

	*out = row_of(ROW_PLAIN);
	out->type = state->objects.type;
	out->data = out->key = item;
}

static bool
table_open(struct view *v, struct error *err)
{
	v->state = arena_new(&v->arena, struct table_state, err);
	return v->state != NULL;
}

static bool
table_rows(struct view *v, struct error *err)
{
	struct table_state *state = v->state;

	return (state->is_read || read_table(v, err)) && view_show_all(v, state->count, err);
}

/* Opens the method table, static fields or objects that the row names. */
static bool
enter(const struct call *call, struct error *err)
{
	const struct table_state *state = call->view->state;
	struct target target = target_of_type(state->objects.type);
	char where[48];
	struct row row;

	if (!view_selected(call->view, &row))
		return true;
	if (line_of(call->view->state, &row)->opens) {
		target = target_none;
		target.address = line_of(call->view->state, &row)->opens;
		return request_open(call, "method-table", &target);
	}
	if (line_of(call->view->state, &row)->lists_statics) {
		target = target_none;
		target.address = state->table.address;
		return request_open(call, "statics", &target);
	}
	if (!line_of(call->view->state, &row)->lists_objects || target.type == TYPE_NONE)
		return error_set(err, ERROR_USAGE,
				 "Enter opens method tables, static fields and objects");
	if (state->is_alone)
		return request_open(call, "objects", &target);
	snprintf(where, sizeof where, "table = 0x%" PRIx64, state->table.address);
	return request_open_where(call, "objects", &target, "%s", where);
}

static const struct row_source rows = {
	ROWS_INSIDE(struct table_state, lines, count),
};

/* clang-format off */
static const struct column columns[] = {
	/* id        title      width sorts     cell          help                  rank flags          needs */
	{ "name",    "Name",    -16,  UNSORTED, TEXT_AT(STYLE_NORMAL, struct line, name),    "name of the fact",       0, 0,              0 },
	{ "value",   "Value",   -30,  UNSORTED, CELL(VALUE_BYTES, cell_value),   "its value",      0, COLUMN_MIXED,              0 },
	{ "meaning", "Meaning", FILL, UNSORTED, TEXT_AT(STYLE_DIM, struct line, help), "its meaning", 1, COLUMN_SCREEN,  0 },
	{ 0 },
};
static const struct table table = { .name = "method-table", .columns = columns, .heaps = OF_FIELDS, .contents = "method tables", .rows = &rows };
static const struct command commands[] = {
	/* name     keys     bar        help, .run, then other fields */
	{ "enter", "Enter", "objects", "list objects or static fields; open the base class", .run = enter, .replay = REPLAY_ROWS },
	{ 0 },
};
/* clang-format on */

static const struct view_code table_code = {
	.open = table_open,
	.rows = table_rows,
	.item_row = row_of_line,
};

const struct view_ops view_table = {
	.command = { .name = "method-table",
		     .args = { MUST(ARG_OBJECT_OR_TYPE) },
		     .help = "what the runtime records about a type" },
	.table = &table,
	.commands = commands,
	.words = { .no_rows = "nothing is known about this method table; :types lists the types" },
	.list = { .needs = NEED_OBJECTS, .takes_also = TAKES_ADDRESS, .flags = VIEW_PLAIN },
	.code = &table_code,
};
