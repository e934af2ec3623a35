/*
 * Static variables with their values: of all types that are loaded, of those
 * whose name matches, or of one. Of heaps from memory alone; a pass over the
 * types, not the objects.
 */
#include "model/base/format.h"
#include "tui/tables/object_cells.h"
#include "model/table/pattern.h"
#include "tui/widget/view.h"
#include "model/heap/memory.h"
#include <stdlib.h>
#include <string.h>

/* What was found, texts and all. */
struct found {
	struct heap_statics statics;
	struct arena arena;
	uint64_t types_count, unknown_count;
};

struct statics_state {
	struct found found;
	bool is_read;
};

static const struct heap_static *
static_of(const struct statics_state *state, const struct row *row)
{
	return &state->found.statics.items[row->data];
}

/* --- cells --------------------------------------------------------------- */

static void
cell_value(const struct cells *in, const struct row *row, struct value *out)
{
	object_content_value(in->facts, &static_of(in->rows, row)->content,
			     out);
}

/* "5 leaky-0" */
static void
cell_thread(const struct cells *in, const struct row *row, struct value *out)
{
	const struct heap_static *s = static_of(in->rows, row);
	const struct heap_thread *t;

	if (s->thread == UINT32_MAX) {
		value_text(out, STYLE_DIM, s->is_of_thread ? "none" : "");
		return;
	}
	t = &in->facts->heap->memory->threads[s->thread];
	value_printf(out, STYLE_NORMAL, "%u %.100s", (unsigned)t->id, t->name);
}

static void
cell_state(const struct cells *in, const struct row *row, struct value *out)
{
	const struct heap_static *s = static_of(in->rows, row);

	value_text(out, STYLE_DIM,
		   !s->slot                               ? "unknown"
		   : s->is_initialized || s->is_of_thread ? ""
							  : "not initialized");
}

/* --- looking for them ---------------------------------------------------- */

#define TEXTS_MAX ((size_t)256 << 20)

struct looking {
	const struct heap *heap;
	uint64_t table;
	const char *name;        /* or a part of it; NULL: of all types */
	struct pattern *pattern; /* the same */
	struct found found;
};

static void
found_clear(struct found *f)
{
	memory_free(f->statics.items);
	arena_clear(&f->arena);
}

static int
compare_statics(const void *a, const void *b)
{
	const struct heap_static *x = a, *y = b;
	int owners = strcmp(x->owner, y->owner);
	/* What the compiler makes comes last. */
	int made = (*x->owner == '<') - (*y->owner == '<');
	int names = strcmp(x->content.name, y->content.name);

	if (made || owners)
		return made ? made : owners;
	if (x->table != y->table)
		return x->table < y->table ? -1 : 1;
	return names ? names
		     : (x->thread > y->thread) - (x->thread < y->thread);
}

/* A type of that name, or else all that match it. */
static void
keep_named(struct looking *job)
{
	struct heap_statics *all = &job->found.statics;
	bool has_exact = false;
	size_t kept = 0;

	for (size_t i = 0; job->name && i < all->count; i++)
		has_exact |= !strcmp(all->items[i].owner, job->name);
	for (size_t i = 0; job->name && i < all->count; i++) {
		const char *owner = all->items[i].owner;

		if (has_exact ? !strcmp(owner, job->name)
			      : pattern_matches(job->pattern, owner, true))
			all->items[kept++] = all->items[i];
	}
	if (job->name)
		all->count = kept;
}

static bool
run_looking(void *context, struct progress *progress, struct error *err)
{
	struct looking *job = context;
	const struct heap_memory *m = job->heap->memory;
	struct found *f = &job->found;
	const struct heap_static *items;

	if (!m->contents->statics(m->source, job->table, &f->statics, progress,
				  &f->arena, err))
		return false;
	keep_named(job);
	items = f->statics.items;
	if (f->statics.count)
		qsort(f->statics.items, f->statics.count, sizeof *items,
		      compare_statics);
	for (size_t i = 0; i < f->statics.count; i++) {
		f->types_count += !i || items[i].table != items[i - 1].table;
		f->unknown_count += !items[i].slot;
	}
	return true;
}

static void
row_of_static(const struct view *v, uint32_t item, struct row *out)
{
	const struct statics_state *state = v->state;
	node_id target = state->found.statics.items[item].content.target;

	*out = target == NODE_NONE ? row_of(ROW_PLAIN)
				   : row_of_node(v->session->heap, target);
	out->kind = ROW_PLAIN;
	out->data = out->key = item;
}

static bool
show_statics(struct view *v, struct error *err)
{
	struct statics_state *state = v->state;

	return view_list_all(v, state->found.statics.count, err);
}

static void
looking_done(struct view *v, void *context, bool ok)
{
	struct statics_state *state = v->state;
	struct looking *job = context;

	if (ok) {
		state->found = job->found;
		state->is_read = true;
		v->is_stale = true;
	} else {
		found_clear(&job->found);
	}
	pattern_free(job->pattern);
	memory_free(job);
}

/* An address begins with 0x, or is longer than words made of a to f are. */
static bool
is_address(const char *text, uint64_t *address)
{
	enum { DIGITS_MIN = 8 };

	return (!strncmp(text, "0x", 2) || strlen(text) >= DIGITS_MIN) &&
	       address_parse(text, address);
}

static bool
aim(struct looking *job, const struct view *v, struct error *err)
{
	const char *topic = v->target.topic;
	char text[sizeof v->target.topic];
	size_t len = strlen(topic);
	bool has_slashes = len > 2 && *topic == '/' && topic[len - 1] == '/';

	job->table = v->target.address;
	if (job->table || !*topic || is_address(topic, &job->table))
		return true;
	job->name = topic;
	/* "/^Leaky/", as filters write it. */
	snprintf(text, sizeof text, "%.*s", (int)(has_slashes ? len - 2 : len),
		 topic + has_slashes);
	job->pattern = pattern_new(text, err);
	return job->pattern != NULL;
}

static bool
start_looking(struct view *v, struct error *err)
{
	struct looking *job = memory_new(1, sizeof *job, err);

	if (!job)
		return false;
	job->heap = v->session->heap;
	arena_init(&job->found.arena, TEXTS_MAX);
	if (!aim(job, v, err)) {
		memory_free(job);
		return false;
	}
	return view_run(v, "reading static variables", run_looking,
			looking_done, job, err);
}

static bool
statics_rows(struct view *v, struct error *err)
{
	const struct statics_state *state = v->state;

	return object_contents_known(v, "static variables", err) &&
	       view_after(v, state->is_read, start_looking, show_statics, err);
}

/* --- the view ------------------------------------------------------------ */

static bool
statics_open(struct view *v, struct error *err)
{
	char address[24];

	if (!object_contents_known(v, "static variables", err))
		return false;
	if (v->target.address)
		snprintf(v->title, sizeof v->title, "statics of %s",
			 address_format(v->target.address, address));
	else if (*v->target.topic)
		snprintf(v->title, sizeof v->title, "statics %.120s",
			 v->target.topic);
	v->state = arena_new(&v->arena, struct statics_state, err);
	return v->state != NULL;
}

static void
statics_close(struct view *v)
{
	struct statics_state *state = v->state;

	if (!state)
		return;
	found_clear(&state->found);
}

static bool
statics_heading(const struct view *v, unsigned line, struct value *out)
{
	const struct statics_state *state = v->state;
	const struct found *f = &state->found;
	char count[FORMAT_BYTES], types[FORMAT_BYTES], unknown[FORMAT_BYTES];

	if (!state->is_read) {
		value_pending(out);
		return line == 0;
	}
	if (line == 1 && f->statics.missing_count)
		value_printf(out, STYLE_WARNING,
			     "there may be more: %s lists of types are not in "
			     "memory or damaged",
			     format_count(f->statics.missing_count, count));
	else if (line)
		return false;
	else
		value_printf(
		    out, STYLE_DIM, "%s static variable%s of %s type%s%s%s%s",
		    format_count(f->statics.count, count),
		    plural(f->statics.count),
		    format_count(f->types_count, types), plural(f->types_count),
		    f->unknown_count ? "; of " : "",
		    f->unknown_count ? format_count(f->unknown_count, unknown)
				     : "",
		    f->unknown_count ? " the value is not known" : "");
	return true;
}

static const void *
record(const struct cells *in, const struct row *row)
{
	return static_of(in->rows, row);
}

/* clang-format off */
static const struct column columns[] = {
	/* id         title       width sorts cell           help                                                         rank flags           needs */
	{ "type",     "Type",     -24,  UP,   TEXT_AT(STYLE_TYPE, struct heap_static, owner),     "the type that declares it",                                  1, 0,              0 },
	{ "field",    "Field",    -18,  UP,   TEXT_AT(STYLE_NORMAL, struct heap_static, content.name),    "its name",                                                   0, 0,              0 },
	{ "value",    "Value",    FILL, UP,   CELL(VALUE_TEXT, cell_value),    "as C# writes it; of a reference what is there; or why it is not known", 0, 0, 0 },
	{ "thread",   "Thread",   -11,  UP,   CELL(VALUE_TEXT, cell_thread),   "whose it is, if each thread has its own",                    2, 0,              0 },
	{ "state",    "State",    -15,  UP,   CELL(VALUE_TEXT, cell_state),    "unknown; not initialized: the constructor of the class has not run to its end", 5, 0, 0 },
	{ "declared", "Declared", -24,  UP,   TEXT_AT(STYLE_TYPE, struct heap_static, content.type), "its type",                                                   3, 0,              0 },
	{ "target",   "Target",   14,   UP,   ADDRESS_AT(struct heap_static, content.pointer),   "the object there, or the box of a structure",                4, 0,              0 },
	{ "address",  "Address",  14,   UP,   ADDRESS_AT(struct heap_static, slot),     "where the variable is",                                      6, 0,              0 },
	{ "table",    "Table",    14,   UP,   ADDRESS_AT(struct heap_static, table),    "method table of the type",                                   7, COLUMN_MACHINE, 0 },
	{ 0 },
};
static const struct table table = { .name = "statics", .columns = columns, .record = record };
static const struct command commands[] = {
	/* name     keys     bar        help, .run, and what differs from nothing */
	{ "enter", "Enter", "inspect", "look into the object there, or the box of a structure", .run = object_inspect, .replay = REPLAY_ROWS },
	{ 0 },
};
/* clang-format on */

const struct view_ops view_statics = {
	.command = { .name = "statics",
		     .keys = "",
		     .args = { MAY_AS(ARG_TEXT, "TYPE") },
		     .bar = "",
		     .help = "static variables with their values, of all types "
			     "or those that match" },
	.empty = "no type that was asked for has static variables; :statics "
		 "lists those of all types",
	.table = &table,
	.commands = commands,
	.needs = NEED_OBJECTS,
	.flags = VIEW_TELLS | VIEW_MEMORY,
	.open = statics_open,
	.close = statics_close,
	.rows = statics_rows,
	.item_row = row_of_static,
	.heading = statics_heading,
};
