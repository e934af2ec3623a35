/* Static variables with their values as a table: of all loaded types, of types whose name matches,
   or of one type. A pass over the types. */
#include "model/analysis/object_text.h"
#include "model/analysis/tables.h"
#include "model/base/format.h"
#include "model/heap/memory.h"
#include "model/table/pattern.h"
#include <stdlib.h>
#include <string.h>

#define TEXTS_MAX ((size_t)256 << 20)

struct made {
	struct heap_statics statics;
	struct arena texts;
	uint64_t types_count, unknown_count;
};

/* --- making rows --------------------------------------------------------- */

static int
compare_statics(const void *a, const void *b)
{
	const struct heap_static *x = a, *y = b;
	int owners = strcmp(x->owner, y->owner);
	/* Types made by the compiler come last. */
	int made = (*x->owner == '<') - (*y->owner == '<');
	int names = strcmp(x->content.name, y->content.name);

	if (made || owners)
		return made ? made : owners;
	if (x->table != y->table)
		return x->table < y->table ? -1 : 1;
	return names ? names : (x->thread > y->thread) - (x->thread < y->thread);
}

/* Returns true for an address: it begins with 0x, or is longer than any word made of a to f. */
static bool
is_address(const char *text, uint64_t *address)
{
	enum { DIGITS_MIN = 8 };

	return (!strncmp(text, "0x", 2) || strlen(text) >= DIGITS_MIN) &&
	       address_parse(text, address);
}

/* Makes a pattern from a name, or from "/^Leaky/" as filters have it. */
static struct pattern *
pattern_of(const char *text, struct error *err)
{
	size_t len = strlen(text);
	bool has_slashes = len > 2 && *text == '/' && text[len - 1] == '/';
	char inside[256];

	snprintf(inside, sizeof inside, "%.*s", (int)(has_slashes ? len - 2 : len),
		 text + has_slashes);
	return pattern_new(inside, err);
}

static bool
accepts(const struct facts *f, const struct subject *about, struct error *err)
{
	struct pattern *pattern;
	uint64_t address;

	(void)f;
	if (about->address || !*about->text || is_address(about->text, &address))
		return true;
	pattern = pattern_of(about->text, err);
	pattern_free(pattern);
	return pattern != NULL;
}

/* Returns the name without its namespace, which ends before type arguments. */
static const char *
without_namespace(const char *owner)
{
	size_t len = strcspn(owner, "<");

	while (len && owner[len - 1] != '.')
		len--;
	return owner + len;
}

/* Keeps the variables of the type with this name or, if there is none, of all types that match
   it. */
static bool
keep_named(struct heap_statics *all, const char *name, struct error *err)
{
	struct pattern *pattern = pattern_of(name, err);
	bool has_exact = false;
	size_t kept = 0;

	for (size_t i = 0; i < all->count; i++)
		has_exact |= !strcmp(all->items[i].owner, name);
	for (size_t i = 0; pattern && i < all->count; i++) {
		const char *owner = all->items[i].owner;

		if (has_exact ? !strcmp(owner, name)
			      : pattern_matches(pattern, owner, true) ||
				    pattern_matches(pattern, without_namespace(owner), true))
			all->items[kept++] = all->items[i];
	}
	all->count = kept;
	pattern_free(pattern);
	return pattern != NULL;
}

static bool
make(void *made, const struct facts *f, const struct subject *about, struct progress *progress,
     struct error *err)
{
	const struct heap_memory *m = f->heap->memory;
	uint64_t table = about->address;
	bool is_named = !table && *about->text && !is_address(about->text, &table);
	struct made *found = made;
	struct heap_statics *all = &found->statics;

	arena_init(&found->texts, TEXTS_MAX);
	if (!m->contents->statics(m->source, table, all, progress, &found->texts, err))
		return false;
	if (is_named && !keep_named(all, about->text, err))
		return false;
	if (all->count)
		qsort(all->items, all->count, sizeof *all->items, compare_statics);
	for (size_t i = 0; i < all->count; i++) {
		found->types_count += !i || all->items[i].table != all->items[i - 1].table;
		found->unknown_count += !all->items[i].slot;
	}
	return true;
}

static void
clear(void *made)
{
	struct made *m = made;

	memory_free(m->statics.items);
	arena_clear(&m->texts);
}

/* --- cells --------------------------------------------------------------- */

static const struct heap_static *
static_of(const struct cells *in, const struct row *row)
{
	const struct made *m = in->rows;

	return &m->statics.items[row->data];
}

static void
cell_value(const struct cells *in, const struct row *row, struct value *out)
{
	object_content_value(in->facts, &static_of(in, row)->content, out);
}

/* Writes the thread's id and name: "5 leaky-0". */
static void
cell_thread(const struct cells *in, const struct row *row, struct value *out)
{
	const struct heap_static *s = static_of(in, row);
	const struct heap_thread *t;

	if (s->thread == UINT32_MAX) {
		value_text(out, STYLE_DIM, s->is_thread_static ? "none" : "");
		return;
	}
	t = &in->facts->heap->memory->threads[s->thread];
	value_printf(out, STYLE_NORMAL, "%u %.100s", (unsigned)t->id, t->name);
}

static void
cell_state(const struct cells *in, const struct row *row, struct value *out)
{
	const struct heap_static *s = static_of(in, row);

	value_text(out, STYLE_DIM,
		   !s->slot                                   ? "unknown"
		   : s->is_initialized || s->is_thread_static ? ""
							      : "not initialized");
}

/* --- heading ------------------------------------------------------------- */

static bool
heading(const struct cells *in, unsigned line, struct value *out)
{
	const struct made *f = in->rows;
	char count[FORMAT_BYTES], types[FORMAT_BYTES], unknown[FORMAT_BYTES];

	if (line == 1 && f->statics.missing_count)
		value_printf(out, STYLE_WARNING,
			     "there may be more: %s lists of types are not in memory or damaged",
			     format_count(f->statics.missing_count, count));
	else if (line)
		return false;
	else
		value_printf(out, STYLE_DIM, "%s static variable%s of %s type%s%s%s%s",
			     format_count(f->statics.count, count), plural(f->statics.count),
			     format_count(f->types_count, types), plural(f->types_count),
			     f->unknown_count ? "; " : "",
			     f->unknown_count ? format_count(f->unknown_count, unknown) : "",
			     f->unknown_count ? " of unknown value" : "");
	return true;
}

/* --- the table ----------------------------------------------------------- */

/* clang-format off */
static const struct column columns[] = {
	/* id         title       width sorts cell           help                                                         rank flags           needs */
	{ "type",     "Type",     -24,  UP,   TEXT_AT(STYLE_TYPE, struct heap_static, owner),     "the type that declares it",                                  1, 0,              0 },
	{ "field",    "Field",    -18,  UP,   TEXT_AT(STYLE_NORMAL, struct heap_static, content.name),    "name of the variable",                                       0, 0,              0 },
	{ "value",    "Value",    FILL, UP,   CELL(VALUE_TEXT, cell_value),    "value in C# syntax, type of the object, or why it is unknown",          0, 0, 0 },
	{ "thread",   "Thread",   -11,  UP,   CELL(VALUE_TEXT, cell_thread),   "the thread, if each thread has its own",                     2, 0,              0 },
	{ "state",    "State",    -15,  UP,   CELL(VALUE_TEXT, cell_state),    "unknown; not initialized: the static constructor has not completed",            5, 0, 0 },
	{ "declared", "Declared", -24,  UP,   TEXT_AT(STYLE_TYPE, struct heap_static, content.type), "declared type of the variable",                              3, 0,              0 },
	{ "target",   "Target",   14,   UP,   ADDRESS_AT(struct heap_static, content.pointer),   "the object it refers to, or the box of a struct",            4, 0,              0 },
	{ "address",  "Address",  14,   UP,   ADDRESS_AT(struct heap_static, slot),     "address of the variable",                                    6, 0,              0 },
	{ "table",    "Table",    14,   UP,   ADDRESS_AT(struct heap_static, table),    "method table of the type",                                   7, COLUMN_MACHINE, 0 },
	{ 0 },
};
/* clang-format on */

static const struct row_source rows = {
	.what = "reading static variables",
	ROWS_IN(struct made, statics.items, statics.count),
	ROW_NODE(struct heap_static, content.target),
	.accepts = accepts,
	.make = make,
	.clear = clear,
};

const struct table statics_table = {
	.name = "statics",
	.columns = columns,
	.heaps = OF_FIELDS,
	.contents = "static variables",
	.needs = NEED_OBJECTS,
	.rows = &rows,
	.heading = heading,
};
