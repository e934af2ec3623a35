/*
 * Async calls that wait, in chains of who goes on after whom, equal ones in one
 * row: what dumpasync of SOS shows. Enter lists the objects of a row.
 */
#include "model/base/format.h"
#include "tui/tables/object_cells.h"
#include "tui/widget/request.h"
#include "tui/widget/view.h"
#include "model/analysis/async.h"
#include <string.h>

enum {
	CHAIN_BYTES = 4096,
	STATES_BYTES = 64,
	TEXTS_BYTES = 64 << 20, /* of all chains; the rest is told shorter */
	CHAIN_BYTES_THEN = 160,
	LOOK_EVERY = 256,
};

/* Of one group; both spellings of names, in the arena of `texts`. */
struct chain_text {
	const char *full, *brief, *states;
};

struct async_state {
	struct async_input wants;
	struct async_calls *calls; /* NULL: not looked for yet */
	struct chain_text *texts;  /* one a group */
	struct arena texts_arena;
};

static const struct async_group *
group_of(const struct async_state *state, const struct row *row)
{
	return &state->calls->groups[row->data];
}

static const struct chain_text *
text_of(const struct async_state *state, const struct row *row)
{
	return &state->texts[row->data];
}

/* --- chains as text --------------------------------------------------------
 */

struct text {
	char bytes[CHAIN_BYTES];
	size_t len, room;
	bool is_full;
};

/* All of it or, once that does not fit, only that there is more. */
static void
text_add(struct text *t, const char *what)
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

static void
text_add_item(struct text *t, const struct heap *h,
	      const struct async_item *item, bool is_brief)
{
	const struct type *type = heap_type(h, item->node);
	const char *name = is_brief ? type->short_name : type->name;

	if (item->kind == ASYNC_CALL && !strncmp(name, "async ", 6))
		name += 6;
	if (t->len)
		text_add(t, " ← ");
	text_add(t, name);
	if (item->is_completed)
		text_add(t, " (completed)");
}

static const char *
chain_text(const struct heap *h, const struct async_calls *c,
	   const struct async_group *g, bool is_brief, struct arena *a,
	   struct error *err)
{
	static const char *const ends[] = {
		[ASYNC_ENDS] = "",
		[ASYNC_FORKS] = " ← several",
		[ASYNC_CIRCLES] = " ← itself",
		[ASYNC_IS_CUT] = " ← …",
	};
	const struct async_chain *chain = &c->chains[g->chains_first];
	struct async_walk w = { .item = chain->item, .next = chain->next };
	const struct async_item *item;
	struct text t = { .room = a->used_bytes < TEXTS_BYTES
				      ? CHAIN_BYTES
				      : CHAIN_BYTES_THEN };

	while ((item = async_walk_next(c, &w)))
		text_add_item(&t, h, item, is_brief);
	text_add(&t, ends[w.end]);
	return arena_printf(a, err, "%s", t.bytes);
}

/* "0 1": of the calls, in the order of the chain. */
static const char *
states_text(const struct async_calls *c, const struct async_group *g,
	    struct arena *a, struct error *err)
{
	const struct async_chain *chain = &c->chains[g->chains_first];
	struct async_walk w = { .item = chain->item, .next = chain->next };
	const struct async_item *item;
	char text[STATES_BYTES] = "";
	size_t len = 0;

	while (len + 16 < sizeof(text) && (item = async_walk_next(c, &w)))
		if (item->has_state)
			len += (size_t)snprintf(text + len, sizeof(text) - len,
						"%s%d", len ? " " : "",
						(int)item->state);
	return arena_printf(a, err, "%s%s", text, w.is_over ? "" : " …");
}

/* --- looking -------------------------------------------------------------- */

/* What a worker makes. */
struct looking {
	struct async_input wants;
	struct async_calls *calls;
	struct chain_text *texts;
	struct arena arena;
};

static bool
write_texts(struct looking *l, struct progress *progress, struct error *err)
{
	const struct heap *h = l->wants.heap;
	const struct async_calls *c = l->calls;

	l->texts =
	    arena_array(&l->arena, struct chain_text, c->groups_count, err);
	progress_begin(progress, "naming async calls", "calls",
		       c->groups_count);
	for (uint32_t i = 0; l->texts && i < c->groups_count; i++) {
		const struct async_group *g = &c->groups[i];
		struct chain_text *t = &l->texts[i];

		if (i % LOOK_EVERY == 0 && !progress_add(progress, LOOK_EVERY))
			return error_cancelled(err);

		t->full = chain_text(h, c, g, false, &l->arena, err);
		t->brief = chain_text(h, c, g, true, &l->arena, err);
		t->states = states_text(c, g, &l->arena, err);
		if (!t->full || !t->brief || !t->states)
			return false;
	}
	return l->texts != NULL;
}

static bool
look(void *context, struct progress *progress, struct error *err)
{
	struct looking *l = context;

	l->calls = async_find(&l->wants, progress, err);
	return l->calls && write_texts(l, progress, err);
}

/* --- rows ----------------------------------------------------------------- */

/* The row is about the first call in its first chain. */
static node_id
node_of(const struct async_calls *c, const struct async_group *g)
{
	const struct async_chain *chain = &c->chains[g->chains_first];
	struct async_walk w = { .item = chain->item, .next = chain->next };
	const struct async_item *item;

	while ((item = async_walk_next(c, &w)))
		if (item->kind == ASYNC_CALL)
			return item->node;
	return c->items[chain->item].node;
}

static void
row_of_group(const struct view *v, uint32_t item, struct row *out)
{
	const struct async_state *state = v->state;

	*out = row_of_node(v->session->heap,
			   node_of(state->calls, &state->calls->groups[item]));
	out->kind = ROW_PLAIN;
	out->data = out->key = item;
}

static bool
arrange(struct view *v, struct error *err)
{
	struct async_state *state = v->state;

	return view_list_all(v, state->calls->groups_count, err);
}

static void
looking_done(struct view *v, void *context, bool ok)
{
	struct async_state *state = v->state;
	struct looking *l = context;

	if (ok) {
		state->calls = l->calls;
		state->texts = l->texts;
		state->texts_arena = l->arena;
		v->is_stale = true;
	} else {
		async_free(l->calls);
		arena_clear(&l->arena);
	}
	memory_free(l);
}

static bool
start_looking(struct view *v, struct error *err)
{
	const struct async_state *state = v->state;
	struct looking *l = memory_new(1, sizeof(*l), err);

	if (!l)
		return false;
	l->wants = state->wants;
	l->wants.heap = v->session->heap;
	arena_init(&l->arena, 0);
	return view_run(v, "looking for async calls", look, looking_done, l,
			err);
}

static bool
async_rows(struct view *v, struct error *err)
{
	const struct async_state *state = v->state;

	return view_after(v, state->calls != NULL, start_looking, arrange, err);
}

/* --- cells ---------------------------------------------------------------- */

static void
cell_states(const struct cells *in, const struct row *row, struct value *out)
{
	value_text(out, STYLE_NORMAL, text_of(in->rows, row)->states);
}

static void
cell_chain(const struct cells *in, const struct row *row, struct value *out)
{
	const struct chain_text *t = text_of(in->rows, row);

	value_text(out, STYLE_NORMAL,
		   in->facts->shows_short_names ? t->brief : t->full);
	out->also = t->full;
}

/* --- heading -------------------------------------------------------------- */

static bool
tell_doubts(const struct async_calls *c, struct value *out)
{
	char count[FORMAT_BYTES];

	if (c->runtime_count)
		value_printf(out, STYLE_WARNING,
			     "not shown: %s Continuation objects, of async "
			     "methods that the runtime itself suspends",
			     format_count(c->runtime_count, count));
	else if (c->is_guess)
		value_text(out, STYLE_DIM,
			   "told from references, for there are no values: "
			   "links may be missing, states are unknown");
	return c->runtime_count || c->is_guess;
}

static bool
async_heading(const struct view *v, unsigned line, struct value *out)
{
	const struct async_state *state = v->state;
	const struct async_calls *c = state->calls;
	char calls[FORMAT_BYTES], completed[FORMAT_BYTES], chains[FORMAT_BYTES];

	if (!c) {
		value_pending(out);
		return line == 0;
	}
	if (line)
		return line == 1 && tell_doubts(c, out);
	value_printf(out, STYLE_NORMAL,
		     "%s async call%s wait%s, %s completed; %s chain%s",
		     format_count(c->calls_count, calls),
		     c->calls_count == 1 ? "" : "s",
		     c->calls_count == 1 ? "s" : "",
		     format_count(c->completed_count, completed),
		     format_count(c->chains_count, chains),
		     c->chains_count == 1 ? "" : "s");
	return true;
}

/* --- the view ------------------------------------------------------------- */

static bool
open_objects(const struct call *call, struct error *err)
{
	struct view *v = call->view;
	const struct async_state *state = v->state;
	struct target target = target_none;
	char title[VALUE_TEXT_BYTES];
	struct row row;

	(void)err;
	if (!view_selected(v, &row))
		return true;
	snprintf(title, sizeof(title), "async %.200s",
		 text_of(v->state, &row)->brief);
	target.calls = state->calls;
	target.calls_group = (uint32_t)row.data;
	target.nodes_title = title;
	return request_open(call, "objects", &target);
}

static bool
is_table(const struct heap *h, uint64_t address)
{
	const struct heap_memory *m = h->memory;

	for (uint32_t i = 0; m && i < m->tables_count; i++)
		if (m->tables[i].address == address)
			return true;
	return false;
}

static bool
take_word(struct view *v, const char *word, size_t len, struct error *err)
{
	struct async_state *state = v->state;
	const struct {
		const char *name;
		bool *option;
	} options[] = {
		{ "calls", &state->wants.is_single },
		{ "tasks", &state->wants.with_tasks },
		{ "completed", &state->wants.with_completed },
	};
	struct target target;
	uint64_t address;
	char text[40];

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (strlen(options[i].name) == len &&
		    !memcmp(options[i].name, word, len)) {
			*options[i].option = true;
			return true;
		}
	snprintf(text, sizeof(text), "%.*s", (int)(len < 39 ? len : 39), word);
	if (!address_parse(text, &address))
		return error_set(
		    err, ERROR_USAGE,
		    "async takes calls, tasks, completed or the "
		    "address of an object or a method table, not \"%s\"",
		    text);
	if (is_table(v->session->heap, address)) {
		state->wants.only_table = address;
		return true;
	}
	if (!target_parse(v->session, TAKES_OBJECT, text, &target, err))
		return false;
	state->wants.only = target.node;
	return true;
}

static bool
async_open(struct view *v, struct error *err)
{
	struct async_state *state =
	    arena_new(&v->arena, struct async_state, err);
	const char *at = v->target.topic;

	v->state = state;
	if (!state)
		return false;
	state->wants.only = NODE_NONE;
	if (*at)
		snprintf(v->title, sizeof(v->title), "async %s", at);
	for (at += strspn(at, " "); *at; at += strspn(at, " ")) {
		size_t len = strcspn(at, " ");

		if (!take_word(v, at, len, err))
			return false;
		at += len;
	}
	return true;
}

static void
async_close(struct view *v)
{
	struct async_state *state = v->state;

	if (!state)
		return;
	async_free(state->calls);
	arena_clear(&state->texts_arena);
}

static const void *
record(const struct cells *in, const struct row *row)
{
	return group_of(in->rows, row);
}

/* clang-format off */
static const struct column columns[] = {
	/* id         title      width sorts     cell          help                                                          rank flags           needs */
	{ "count",    "Count",   8,    DOWN,     COUNT_AT(struct async_group, chains_count),   "equal chains",                                               0, 0,              0 },
	{ "objects",  "Objects", 8,    DOWN,     COUNT_AT(struct async_group, objects_count), "calls and tasks in them, each once; Enter lists them",       3, 0,              0 },
	{ "size",     "Size",    9,    DOWN,     BYTES_AT(struct async_group, bytes),    "bytes of these",                                             2, 0,              0 },
	{ "states",   "State",   -7,   UP,       CELL(VALUE_TEXT, cell_states),  "number of the await where each call waits; -1: it runs, -2: it has ended", 1, 0, 0 },
	{ "chain",    "Chain",   FILL, UP,       CELL(VALUE_TEXT, cell_chain),   "what all wait for, and who goes on after whom",              0, 0,              0 },
	{ "address",  "Address", 14,   UNSORTED, OBJECT_ADDRESS, "the first call in the first of the chains",                  4, COLUMN_MACHINE, 0 },
	{ 0 },
};
static const struct table table = { .name = "async", .columns = columns, .record = record };
static const struct command commands[] = {
	/* name    keys     bar        help, .run, and what differs from nothing */
	{ "open", "Enter", "objects", "the calls and tasks in the chains of this row", .run = open_objects, .replay = REPLAY_ROWS },
	{ 0 },
};
/* clang-format on */

const struct view_ops view_async = {
	.command = { .name = "async",
		     .keys = "",
		     .args = { MAY_BE("WHAT|ADDRESS",
				      WORDS("calls", "tasks", "completed")) },
		     .bar = "",
		     .help = "async calls that wait, in chains of who goes on "
			     "after whom; calls, tasks, completed" },
	.empty = "no async call waits, or none of this kind; :async tasks "
		 "lists tasks, :async "
		 "completed what has ended, :timers what is due",
	.table = &table,
	.commands = commands,
	.needs = NEED_OBJECTS,
	.sort = "count",
	.open = async_open,
	.close = async_close,
	.rows = async_rows,
	.item_row = row_of_group,
	.heading = async_heading,
};
