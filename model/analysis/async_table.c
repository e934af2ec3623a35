/* Waiting async calls as a table: chains of continuations, equal ones in one row, like dumpasync of
   SOS. */
#include "model/analysis/async_table.h"
#include "model/analysis/async_threads.h"
#include "model/table/object_columns.h"
#include "model/base/format.h"
#include "model/heap/contents.h"
#include "model/heap/memory.h"
#include <inttypes.h>
#include <string.h>

enum {
	CHAIN_BYTES = 4096,
	STATES_BYTES = 64,
	NAMELESS_BYTES = 128,
	/* Bytes of all chains; chains beyond that are shortened. */
	TEXTS_BYTES = 64 << 20,
	CHAIN_BYTES_THEN = 160,
	LOOK_EVERY = 256,
};

/* --- chains as text ------------------------------------------------------ */

struct chain_line {
	char bytes[CHAIN_BYTES];
	size_t len, room;
	bool is_full;
};

/* Appends a text, or an ellipsis once a text does not fit. */
static void
chain_add(struct chain_line *t, const char *what)
{
	static const char more[] = " …";
	size_t len = strlen(what);

	if (t->is_full)
		return;
	t->is_full = len + t->len + sizeof(more) >= t->room;
	if (t->is_full) {
		what = more;
		len = sizeof(more) - 1;
	}
	memcpy(t->bytes + t->len, what, len);
	t->len += len;
	t->bytes[t->len] = '\0';
}

/* Writes the name of a call without a known method. */
static void
write_nameless(const struct heap *h, const struct async_item *item, const char *name, char *out,
	       size_t size)
{
	char bytes[FORMAT_BYTES];

	if (contents_have_fields(h))
		snprintf(out, size, "unknown method at %" PRIx64, item->code);
	else
		snprintf(out, size, "%s of %s", name, format_size(item->code, bytes));
}

/* Appends a call or task. A promise is the task of the call before it: only the call is named. */
static void
chain_add_item(struct chain_line *t, const struct heap *h, const struct async_item *item,
	       bool is_brief)
{
	const struct type *type = heap_type(h, item->node);
	const char *name = is_brief ? type->short_name : type->name;
	char nameless[NAMELESS_BYTES];

	if (item->kind == ASYNC_PROMISE && t->len && !item->is_completed)
		return;
	if (item->kind == ASYNC_CALL && !strncmp(name, "async ", 6))
		name += 6;
	if (item->code) {
		write_nameless(h, item, name, nameless, sizeof nameless);
		name = nameless;
	}
	if (t->len)
		chain_add(t, " ← ");
	chain_add(t, name);
	if (item->is_completed)
		chain_add(t, " (completed)");
}

static const char *
chain_text(const struct heap *h, const struct async_calls *c, const struct async_group *g,
	   const char *threads, bool is_brief, struct arena *a, struct error *err)
{
	static const char *const ends[] = {
		[ASYNC_ENDS] = "",
		[ASYNC_FORKS] = " ← several",
		[ASYNC_CIRCLES] = " ← itself",
		[ASYNC_IS_CUT] = " ← …",
	};
	struct async_walk w = async_walk_of(&c->chains[g->chains_first]);
	const struct async_item *item;
	struct chain_line t = { .room =
				    a->used_bytes < TEXTS_BYTES ? CHAIN_BYTES : CHAIN_BYTES_THEN };

	while ((item = async_walk_next(c, &w)))
		chain_add_item(&t, h, item, is_brief);
	chain_add(&t, ends[w.end]);
	chain_add(&t, threads);
	return arena_printf(a, err, "%s", t.bytes);
}

/* Returns the states of the calls in the order of the chain: "0 1". */
static const char *
states_text(const struct async_calls *c, const struct async_group *g, struct arena *a,
	    struct error *err)
{
	struct async_walk w = async_walk_of(&c->chains[g->chains_first]);
	const struct async_item *item;
	char text[STATES_BYTES] = "";
	size_t len = 0;

	while (len + 16 < sizeof(text) && (item = async_walk_next(c, &w)))
		if (item->has_state)
			len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%d",
						len ? " " : "", (int)item->state);
	return arena_printf(a, err, "%s%s", text, w.is_over ? "" : " …");
}

/* --- the argument -------------------------------------------------------- */

static bool
is_table(const struct heap *h, uint64_t address)
{
	const struct heap_memory *m = h->memory;

	for (uint32_t i = 0; m && i < m->tables_count; i++)
		if (m->tables[i].address == address)
			return true;
	return false;
}

/* Parses the address of an object or method table. */
static bool
take_address(struct async_input *in, const char *text, struct error *err)
{
	uint64_t address;

	if (!address_parse(text, &address))
		return error_set(
		    err, ERROR_USAGE,
		    "async takes calls, tasks, completed or the address of an object or a method "
		    "table, not \"%s\"",
		    text);
	if (!in->heap)
		return true;
	if (is_table(in->heap, address)) {
		in->only_table = address;
		return true;
	}
	in->only = heap_find(in->heap, address);
	return in->only != NODE_NONE ||
	       error_set(err, ERROR_USAGE, "no object starts at %s; :near %s shows what is there",
			 text, text);
}

static bool
take_word(struct async_input *in, const char *word, struct error *err)
{
	const struct {
		const char *name;
		bool *option;
	} options[] = {
		{ "calls", &in->is_single },
		{ "tasks", &in->with_tasks },
		{ "completed", &in->with_completed },
	};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (!strcmp(options[i].name, word)) {
			*options[i].option = true;
			return true;
		}
	return take_address(in, word, err);
}

static bool
parse(struct async_input *in, const struct facts *f, const struct subject *about, struct error *err)
{
	const char *at = about->text;
	char word[40];

	*in = (struct async_input){ .heap = f->heap, .only = NODE_NONE };
	for (at += strspn(at, " "); *at; at += strspn(at, " ")) {
		int len = (int)strcspn(at, " ");

		snprintf(word, sizeof word, "%.*s", len, at);
		if (!take_word(in, word, err))
			return false;
		at += len;
	}
	return true;
}

static bool
accepts(const struct facts *f, const struct subject *about, struct error *err)
{
	struct async_input in;

	return parse(&in, f, about, err);
}

/* --- making rows --------------------------------------------------------- */

static bool
write_texts(struct async_made *m, const struct facts *f, struct progress *progress,
	    struct error *err)
{
	const struct heap *h = f->heap;
	const struct async_calls *c = m->calls;

	m->texts = arena_array(&m->arena, struct async_chain_text, c->groups_count, err);
	progress_begin(progress, "naming async calls", "calls", c->groups_count);
	for (uint32_t i = 0; m->texts && i < c->groups_count; i++) {
		const struct async_group *g = &c->groups[i];
		struct async_chain_text *t = &m->texts[i];
		const char *threads;

		if (i % LOOK_EVERY == 0 && !progress_add(progress, LOOK_EVERY))
			return error_cancelled(err);
		threads = async_threads(h, c, g, f->my_modules, &m->arena, progress, err);
		if (!threads)
			return false;
		t->full = chain_text(h, c, g, threads, false, &m->arena, err);
		t->brief = chain_text(h, c, g, threads, true, &m->arena, err);
		t->states = states_text(c, g, &m->arena, err);
		if (!t->full || !t->brief || !t->states)
			return false;
	}
	return m->texts != NULL;
}

/* Returns the object of a row: the first call in the first chain. */
static node_id
node_of(const struct async_calls *c, const struct async_group *g)
{
	struct async_walk w = async_walk_of(&c->chains[g->chains_first]);
	const struct async_item *item;

	while ((item = async_walk_next(c, &w)))
		if (item->kind == ASYNC_CALL)
			return item->node;
	return c->items[c->chains[g->chains_first].item].node;
}

static bool
make(void *made, const struct facts *f, const struct subject *about, struct progress *progress,
     struct error *err)
{
	struct async_made *m = made;
	struct async_input in;

	arena_init(&m->arena, 0);
	if (!parse(&in, f, about, err))
		return false;
	m->calls = async_find(&in, progress, err);
	if (!m->calls || !write_texts(m, f, progress, err))
		return false;
	m->groups = m->calls->groups;
	m->groups_count = m->calls->groups_count;
	return true;
}

static void
clear(void *made)
{
	struct async_made *m = made;

	async_free(m->calls);
	arena_clear(&m->arena);
}

static void
set_object(const struct cells *in, const void *record, struct row *out)
{
	const struct async_made *m = in->rows;

	out->node = node_of(m->calls, record);
	out->type = heap_type_of(in->facts->heap, out->node);
}

/* --- cells --------------------------------------------------------------- */

static const struct async_chain_text *
text_of(const struct cells *in, const struct row *row)
{
	const struct async_made *m = in->rows;

	return &m->texts[row->data];
}

static void
cell_states(const struct cells *in, const struct row *row, struct value *out)
{
	value_text(out, STYLE_NORMAL, text_of(in, row)->states);
}

static void
cell_chain(const struct cells *in, const struct row *row, struct value *out)
{
	const struct async_chain_text *t = text_of(in, row);

	value_text(out, STYLE_NORMAL, in->facts->shows_short_names ? t->brief : t->full);
	out->also = t->full;
}

/* --- heading ------------------------------------------------------------- */

static bool
put_doubts(const struct async_calls *c, struct value *out)
{
	char count[FORMAT_BYTES];

	if (c->is_guess && c->nameless_count)
		value_printf(
		    out, STYLE_WARNING,
		    "the methods of %s calls, shown as Continuation, are unknown: only memory has "
		    "them (-m, or a core)",
		    format_count(c->nameless_count, count));
	else if (c->is_guess)
		value_text(out, STYLE_DIM,
			   "derived from references, as there are no field values: links may be "
			   "missing, states are unknown");
	return c->is_guess;
}

static bool
heading(const struct cells *in, unsigned line, struct value *out)
{
	const struct async_made *m = in->rows;
	const struct async_calls *c = m->calls;
	char calls[FORMAT_BYTES], completed[FORMAT_BYTES], chains[FORMAT_BYTES];

	if (line)
		return line == 1 && put_doubts(c, out);
	value_printf(out, STYLE_NORMAL, "%s async call%s wait%s, %s completed; %s chain%s",
		     format_count(c->calls_count, calls), c->calls_count == 1 ? "" : "s",
		     c->calls_count == 1 ? "s" : "", format_count(c->completed_count, completed),
		     format_count(c->chains_count, chains), c->chains_count == 1 ? "" : "s");
	return true;
}

/* --- the table ----------------------------------------------------------- */

/* clang-format off */
static const struct column columns[] = {
	/* id         title      width sorts     cell          help                                                          rank flags           needs */
	{ "count",    "Count",   8,    DOWN,     COUNT_AT(struct async_group, chains_count),   "equal chains",                                               0, 0,              0 },
	{ "objects",  "Objects", 8,    DOWN,     COUNT_AT(struct async_group, objects_count), "calls and tasks in them, each once; Enter lists them",       3, 0,              0 },
	{ "size",     "Size",    9,    DOWN,     BYTES_AT(struct async_group, bytes),    "bytes of these objects",                                     2, 0,              0 },
	{ "states",   "State",   -7,   UP,       CELL(VALUE_TEXT, cell_states),  "number of the await where each call waits; -1: running, -2: completed",    1, 0, 0 },
	{ "chain",    "Chain",   FILL, UP,       CELL(VALUE_TEXT, cell_chain),   "the item waited for, then each continuation, and threads that wait for the last",                0, 0,              0 },
	{ "address",  "Address", 14,   UNSORTED, OBJECT_ADDRESS, "address of the first call in the first chain",               4, COLUMN_MACHINE, 0 },
	{ 0 },
};
/* clang-format on */

static const struct row_source rows = {
	.what = "looking for async calls",
	ROWS_IN(struct async_made, groups, groups_count),
	.accepts = accepts,
	.make = make,
	.reads_my_modules = true,
	.clear = clear,
	.row = set_object,
};

const struct table async_table = {
	.name = "async",
	.columns = columns,
	.needs = NEED_OBJECTS,
	.rows = &rows,
	.heading = heading,
};
