/*
 * All paths from the roots to an object, the cheapest first. Each is a row that reads as a sentence
 * and opens into its objects; the part that it shares with a path above it is not repeated. A job
 * searches for them, a page at a time; the paths are copied for the screen, so that the search can
 * continue. Paths from stack words, which may not be references at all, stand below the others from
 * the first page on, so that a thousand better paths do not hide them.
 */
#include "tui/session/describe.h"
#include "model/analysis/keeper.h"
#include "tui/tables/subject_title.h"
#include "model/base/format.h"
#include "model/table/object_columns.h"
#include "model/table/samples.h"
#include "tui/widget/request.h"
#include "tui/widget/tree.h"
#include "tui/widget/view.h"
#include "model/graph/way_list.h"

enum {
	PAGE_WAYS = 20,
	PAGE_VISITS = 2000000, /* references to follow, at most 0.2 s */
};
/* Values of row.data from here on are indexes into `words`. */
#define WORDS_FROM (UINT64_C(1) << 40)

struct paths_state {
	struct tree tree;
	struct paths *paths; /* NULL while a job has it */
	struct ways ways;
	enum paths_end end; /* how the last search ended */
	bool was_stopped;   /* the user stopped that search */
	uint64_t visits;
	struct path_circle circles[PATH_CIRCLES_MAX];
	uint32_t circles_count;
	/* Paths from stack words, shown apart until the search reaches the first of them.
	   `words_listed` counts those among `ways`. */
	struct ways words;
	uint32_t words_listed;
	char words_text[160], words_brief[80];
	struct described_why *why;
};

/* --- searching for paths -------------------------------------------------- */

static bool show_ways(struct view *v, size_t first_new, struct error *err);

static bool
is_word(const struct reach *reach, const struct way *way)
{
	return reach_is_mere_word(reach, way->path.root);
}

/* Takes over the paths that were found, even if the search was stopped. */
static void
search_done(struct view *v, void *context, bool ok)
{
	struct paths_state *state = v->state;
	struct way_search *l = context;
	size_t first_new = state->ways.count;
	const struct path_circle *circles;
	struct error ignored = { 0 }; /* the app reports refused memory */

	state->was_stopped = !ok && l->end == PATHS_BUDGET;
	state->paths = l->paths;
	state->end = l->end == PATHS_FAILED ? PATHS_GAVE_UP : l->end;
	state->visits += l->visits;
	state->circles_count = paths_circles(l->paths, &circles);
	for (uint32_t i = 0; i < state->circles_count; i++)
		state->circles[i] = circles[i];
	for (size_t i = 0; i < l->found.count; i++) {
		struct way *way = &l->found.items[i];

		if (!APPEND(state->ways.items, state->ways.count, state->ways.room, &ignored, *way))
			break;
		state->words_listed += is_word(v->session->reach, way);
		way->nodes = NULL;
	}
	ways_clear(&l->found);
	memory_free(l);
	if (!show_ways(v, first_new, &ignored))
		v->rows_count = 0;
}

static bool
search_more(struct view *v, struct error *err)
{
	struct paths_state *state = v->state;
	const struct session *s = v->session;
	struct way_search *l;

	if (!state->paths)
		return true; /* a job is searching already */
	l = memory_new(1, sizeof *l, err);
	if (!l)
		return false;
	l->paths = state->paths;
	/* Dominators may be computed or dropped between two searches. */
	paths_use_dominators(l->paths, s->retention ? s->retention->dominators : NULL);
	l->budget = PAGE_VISITS;
	l->wanted = s->rows_wanted ? s->rows_wanted : PAGE_WAYS;
	state->paths = NULL;
	return view_run_for_more(v, "searching for paths", way_search_run, search_done, l, err);
}

/* --- stack words ---------------------------------------------------------- */

static bool
find_words(struct view *v, struct error *err)
{
	const struct session *s = v->session;
	struct paths_state *state = v->state;
	struct stack_words found;
	bool ok;

	ok =
	    stack_words_find(&found, s->reach, s->reverse, s->what_if.ignored, v->target.node, err);
	for (uint32_t i = 0; ok && i < found.count; i++)
		ok = ways_add_word(&state->words, &found.words[i], err);
	if (ok) {
		describe_stack_words(&found, false, state->words_text, sizeof state->words_text);
		describe_stack_words(&found, true, state->words_brief, sizeof state->words_brief);
	}
	stack_words_clear(&found);
	return ok;
}

static const struct way *
way_of(const struct paths_state *state, const struct row *row)
{
	return row->data >= WORDS_FROM ? &state->words.items[row->data - WORDS_FROM]
				       : &state->ways.items[row->data];
}

/* --- rows ----------------------------------------------------------------- */

/* A row that folds links has their number in its data, and above it the index of the first among
   the path's objects and one bit that tells it from omitted steps. */
#define LINKS_FOLDED (UINT64_C(1) << 63)
static struct row
row_of_links(const struct row *above, const struct keeper_run *run)
{
	struct row row = row_of(ROW_SKIP);

	row.depth = 1;
	row.fold = FOLD_CLOSED;
	row.type = run->type;
	row.data = LINKS_FOLDED | (uint64_t)run->first << 32 | run->count;
	row.key = row_key(above->key, UINT64_C(1) << 32 | run->first);
	return row;
}

static bool
append_node(struct rows *rows, const struct session *s, const struct row *above, node_id n,
	    uint32_t distance, struct error *err)
{
	struct row row = row_of_node(s->heap, n);

	row.depth = above->depth + 1;
	row.data = distance;
	row.key = row_key(above->key, distance + UINT64_C(2));
	return rows_append(rows, &row, err);
}

/* Appends the objects that a row of links stands for. */
static bool
open_links(struct rows *rows, const struct session *s, const struct row *links,
	   const struct way *way, struct error *err)
{
	uint32_t first = (uint32_t)(links->data >> 32) & ~(1u << 31);
	uint32_t count = (uint32_t)links->data;

	for (uint32_t i = first; i < first + count && i < way->count; i++)
		if (!append_node(rows, s, links, way->nodes[i], way->distance + i, err))
			return false;
	return true;
}

/* Returns the next run of links of a path, none of which is about omitted steps. */
static struct keeper_run
next_links(const struct session *s, struct keeper_search *search, const struct way *way,
	   uint32_t from)
{
	uint32_t end = way->skipped ? WAY_FIRST_STEPS : way->count;
	struct keeper_run run;

	if (s->keeps_links || !s->reverse || from >= end)
		return (struct keeper_run){ 0 };
	run = keeper_next_run(search, way->nodes, end, from);
	/* The last object of a path is never folded, but that before omitted steps may be. */
	if (way->skipped && run.count && run.type != TYPE_NONE &&
	    run.first + run.count == end - 1 &&
	    heap_type_of(s->heap, way->nodes[end - 1]) == run.type)
		run.count++;
	return run;
}

/* Appends the root and the objects of a path, below its row. */
static bool
open_way(struct rows *rows, const struct session *s, const struct row *above, const struct way *way,
	 struct error *err)
{
	struct keeper_search search = keeper_search_of(s->heap, s->reverse, s->reach);
	uint32_t distance = way->distance;
	struct row row = row_of(ROW_ROOT);
	struct keeper_run run;

	row.depth = 1;
	row.root = way->path.root;
	row.data = above->data;
	row.key = row_key(above->key, 0);
	if (!rows_append(rows, &row, err))
		return false;
	run = next_links(s, &search, way, 0);
	for (uint32_t i = 0; i < way->count; i++, distance++) {
		if (run.count && i == run.first) {
			row = row_of_links(above, &run);
			if (!rows_append(rows, &row, err))
				return false;
			i += run.count - 1;
			distance += run.count - 1;
			run = next_links(s, &search, way, i + 1);
			continue;
		}
		if (i == WAY_FIRST_STEPS && way->skipped) {
			row = row_of(ROW_SKIP);
			row.depth = 1;
			row.data = way->skipped;
			row.key = row_key(above->key, 1);
			distance += way->skipped;
			if (!rows_append(rows, &row, err))
				return false;
		}
		if (!append_node(rows, s, above, way->nodes[i], distance, err))
			return false;
	}
	return true;
}

static struct row
row_of_way(const struct way *way, size_t index)
{
	struct row row = row_of(ROW_PLAIN);

	row.fold = FOLD_CLOSED;
	row.root = way->path.root;
	row.data = index;
	row.key = row_key(0, index);
	return row;
}

static struct row
row_below_ways(enum row_kind kind, uint64_t key)
{
	struct row row = row_of(kind);

	row.fold = kind == ROW_NOTE ? FOLD_NONE : FOLD_CLOSED;
	row.key = row_key(1, key);
	return row;
}

/* Appends the rows below the paths: more to find, stack words, and cycles. */
static bool
append_end(struct view *v, struct error *err)
{
	struct paths_state *state = v->state;
	bool has_words = state->end != PATHS_ALL && !state->words_listed;
	struct rows *rows = &state->tree.rows;
	struct row more = row_below_ways(ROW_MORE, 0);
	struct row circles = row_below_ways(ROW_CYCLE, 1);

	if (state->end == PATHS_GAVE_UP)
		more = row_below_ways(ROW_NOTE, 0);
	if (state->end != PATHS_ALL && !rows_append(rows, &more, err))
		return false;
	for (size_t i = 0; has_words && i < state->words.count; i++) {
		struct row row = row_of_way(&state->words.items[i], i);

		row.data += WORDS_FROM;
		row.key = row_key(3, i);
		if (!rows_append(rows, &row, err))
			return false;
	}
	circles.data = PATH_CIRCLES_MAX;
	return !state->circles_count || rows_append(rows, &circles, err);
}

/* Returns the index of the first row below the paths. */
static size_t
find_end(const struct rows *rows)
{
	size_t end = rows->count;

	for (size_t i = rows->count; i-- > 0;) {
		const struct row *row = &rows->items[i];

		if (row->depth)
			continue;
		if (row->kind == ROW_PLAIN && row->data < WORDS_FROM)
			break;
		end = i;
	}
	return end;
}

static bool
show_ways(struct view *v, size_t first_new, struct error *err)
{
	struct paths_state *state = v->state;
	struct rows *rows = &state->tree.rows;
	size_t end = find_end(rows);

	if (rows->count > end)
		rows_remove(rows, end, rows->count - end);
	for (size_t i = first_new; i < state->ways.count; i++) {
		struct row row = row_of_way(&state->ways.items[i], i);
		bool opens = i == 0 && !v->session->rows_wanted;

		if (opens)
			row.fold = FOLD_OPEN;
		if (!rows_append(rows, &row, err) ||
		    (opens && !open_way(rows, v->session, &row, &state->ways.items[i], err)))
			return false;
	}
	return append_end(v, err) && tree_show(&state->tree, v, err);
}

static bool
add_circles(struct rows *rows, const struct paths_state *state, const struct heap *h,
	    struct error *err)
{
	for (uint32_t i = 0; i < state->circles_count; i++) {
		struct row row = row_of_node(h, state->circles[i].referrer);

		row.kind = ROW_CYCLE;
		row.depth = 1;
		row.data = i;
		row.key = row_key(2, i);
		if (!rows_append(rows, &row, err))
			return false;
	}
	return true;
}

static const struct way *
way_of_links(const struct paths_state *state, size_t at)
{
	const struct rows *rows = &state->tree.rows;

	return way_of(state, &rows->items[rows_parent_of(rows, at)]);
}

static bool
expand(struct view *v, size_t at, enum tree_rule rule, struct error *err)
{
	const struct paths_state *state = v->state;
	const struct row row = state->tree.rows.items[at];
	struct rows fresh = { 0 };
	bool ok;

	if (rule == TREE_MORE)
		return search_more(v, err);
	if (row.kind == ROW_SKIP)
		ok = open_links(&fresh, v->session, &row, way_of_links(state, at), err);
	else if (row.kind == ROW_CYCLE)
		ok = add_circles(&fresh, state, v->session->heap, err);
	else
		ok = open_way(&fresh, v->session, &row, way_of(state, &row), err);
	ok = ok && tree_put(v, at, &fresh, false, err);
	rows_clear(&fresh);
	return ok;
}

static bool
begin(struct view *v, struct error *err)
{
	const struct session *s = v->session;
	struct paths_state *state = v->state;

	tree_forget(v);
	state->paths = paths_new(s->reverse, s->reach, s->what_if.ignored, v->target.node, err);
	if (!state->paths)
		return false;
	state->tree.reach_version = s->reach_version;
	return find_words(v, err) && search_more(v, err);
}

static bool
shown(struct view *v, struct error *err)
{
	const struct paths_state *state = v->state;

	return !state->was_stopped || search_more(v, err);
}

static void
forget(struct view *v)
{
	struct paths_state *state = v->state;

	paths_free(state->paths);
	state->paths = NULL;
	ways_clear(&state->ways);
	ways_clear(&state->words);
	state->words_text[0] = '\0';
	state->words_listed = 0;
	state->visits = 0;
	state->circles_count = 0;
}

static const struct tree_source source = {
	.begin = begin,
	.expand = expand,
	.shown = shown,
	.forget = forget,
};

/* --- cells ---------------------------------------------------------------- */

static uint64_t
number_of_way(const struct cells *in, const struct row *row)
{
	(void)in;
	return row->kind == ROW_PLAIN && row->data < WORDS_FROM ? row->data + 1 : UINT64_MAX;
}

/* Writes the path as a sentence; "as 1 … Session[] → Session" begins like path
   1. */
static void
cell_sentence(const struct cells *in, const struct row *row, struct value *out)
{
	const struct way *way = way_of(in->rows, row);
	const struct heap *h = in->facts->heap;
	const struct root *root = &h->roots[way->path.root];
	const char *perhaps = is_word(in->facts->reach, way) ? "perhaps " : "";
	char start[VALUE_TEXT_BYTES], text[VALUE_TEXT_BYTES];

	describe_root(root, start, sizeof start);
	if (way->path.has_same_objects) {
		value_printf(out, STYLE_ROOT, "%s%.400s, then as %u", perhaps, start,
			     way->path.shared_path + 1);
		return;
	}
	if (way->path.shared_path != PATH_NONE)
		snprintf(start, sizeof start, "as %u …", way->path.shared_path + 1);
	value_printf(
	    out, STYLE_ROOT, "%s%s", perhaps,
	    describe_way(h, start, way->nodes, way->count, way->skipped, text, sizeof text));
	out->also = root->name;
}

static void
cell_circle(const struct cells *in, const struct row *row, struct value *out)
{
	const struct paths_state *state = in->rows;
	const struct path_circle *circle = &state->circles[row->data];
	type_id held = heap_type_of(in->facts->heap, circle->held);

	value_printf(out, STYLE_CYCLE, "%.200s leads back to %.200s only",
		     facts_type_name(in->facts, row->type), facts_type_name(in->facts, held));
}

static void
cell_circles(const struct paths_state *state, struct value *out)
{
	char count[FORMAT_BYTES];

	value_printf(out, STYLE_CYCLE, "%s%s cycle%s, not followed",
		     state->circles_count == PATH_CIRCLES_MAX ? "at least " : "",
		     format_count(state->circles_count, count), plural(state->circles_count));
}

static void
cell_end(const struct paths_state *state, struct value *out)
{
	char count[FORMAT_BYTES];

	if (state->end == PATHS_FOUND)
		value_text(out, STYLE_DIM, "… perhaps more; Enter searches");
	else if (state->end == PATHS_GAVE_UP)
		value_text(out, STYLE_WARNING,
			   "there may be more, but finding them takes too much memory");
	else
		value_printf(out, STYLE_DIM, "… %s references followed; Enter continues",
			     format_count(state->visits, count));
}

static void
cell_root_of_way(const struct cells *in, const struct row *row, struct value *out)
{
	const struct root *root = &in->facts->heap->roots[row->root];
	const struct way *way = way_of(in->rows, row);
	char text[VALUE_TEXT_BYTES];

	describe_root(root, text, sizeof text);
	if (way->path.shared_path == PATH_NONE)
		value_printf(out, STYLE_ROOT, "%s", text);
	else
		value_printf(out, STYLE_ROOT, "%.400s%s %u", text,
			     way->path.has_same_objects ? ", then as" : ", starts as",
			     way->path.shared_path + 1);
	out->also = root->label;
}

static void
cell_skip(const struct cells *in, const struct row *row, struct value *out)
{
	bool are_links = row->data & LINKS_FOLDED;
	char count[FORMAT_BYTES];

	format_count((uint32_t)row->data, count);
	if (!are_links)
		value_printf(out, STYLE_DIM, "… %s steps", count);
	else if (row->type == TYPE_NONE)
		value_printf(out, STYLE_DIM, "… %s links of the framework", count);
	else
		value_printf(out, STYLE_DIM, "… %s × %.300s", count,
			     facts_type_name(in->facts, row->type));
}

static void
cell_way(const struct cells *in, const struct row *row, struct value *out)
{
	switch (row->kind) {
	case ROW_PLAIN:
		cell_sentence(in, row, out);
		break;
	case ROW_ROOT:
		cell_root_of_way(in, row, out);
		break;
	case ROW_SKIP:
		cell_skip(in, row, out);
		break;
	case ROW_CYCLE:
		if (row->node == NODE_NONE)
			cell_circles(in->rows, out);
		else
			cell_circle(in, row, out);
		break;
	case ROW_MORE:
	case ROW_NOTE:
		cell_end(in->rows, out);
		break;
	default:
		facts_type_cell(in->facts, row->type, out);
		break;
	}
}

static uint64_t
number_refs(const struct cells *in, const struct row *row)
{
	return row->kind == ROW_PLAIN    ? way_of(in->rows, row)->path.length
	       : row->kind == ROW_OBJECT ? row->data
					 : UINT64_MAX;
}

static uint64_t
number_address(const struct cells *in, const struct row *row)
{
	node_id n = row->kind == ROW_PLAIN ? way_own_node(way_of(in->rows, row)) : row->node;

	return n == NODE_NONE ? UINT64_MAX : object_address(in->facts, n);
}

/* Lists the addresses of all objects of the path, outermost first. */
static void
cell_objects(const struct cells *in, const struct row *row, struct value *out)
{
	enum { ROOM = 32 };
	const struct paths_state *state = in->rows;
	char text[VALUE_TEXT_BYTES], address[24];
	const struct way *way;
	size_t len = 0;

	value_blank(out);
	if (row->kind != ROW_PLAIN)
		return;
	way = way_of(state, row);
	for (uint32_t d = 0; d <= way->path.length; d++) {
		node_id n = way_node(&state->ways, way, d);
		bool is_listed = n != NODE_NONE && len < sizeof text - ROOM;

		len += (size_t)snprintf(
		    text + len, sizeof text - len, "%s%s", d ? " " : "",
		    is_listed ? address_format(heap_address(in->facts->heap, n), address) : "…");
		if (!is_listed)
			break;
	}
	value_printf(out, STYLE_ADDRESS, "%s", text);
}

static void
cell_root(const struct cells *in, const struct row *row, struct value *out)
{
	if (row->root == ROOT_NONE)
		value_blank(out);
	else
		describe_root_value(&in->facts->heap->roots[row->root], out);
}

/* --- the view ------------------------------------------------------------- */

static bool
paths_open(struct view *v, struct error *err)
{
	struct paths_state *state;

	subject_title(v, "paths");
	state = tree_new(v, &source, sizeof *state, err);
	if (state)
		state->tree.filters_top = true;
	if (state)
		state->why = arena_new(&v->arena, struct described_why, err);
	return state && state->why;
}

static void
heading_of_count(const struct view *v, struct value *out)
{
	const struct paths_state *state = v->state;
	bool is_all = state->end == PATHS_ALL;
	uint32_t words = state->words_listed;
	char count[FORMAT_BYTES], also[200] = "", number[FORMAT_BYTES];
	char why[VALUE_TEXT_BYTES];

	if (words)
		snprintf(also, sizeof also, "; %s uncertain, from stack words",
			 format_count(words, number));
	else if (state->words_text[0])
		snprintf(also, sizeof also, "; %s, listed last", state->words_text);
	if (!session_root_of(v->session, v->target.node))
		value_printf(out, STYLE_DIM, "%s",
			     describe_no_root(v->session, v->target.type, why, sizeof why));
	else if (view_is_busy(v) && !state->ways.count)
		value_pending(out);
	else
		value_printf(out, STYLE_DIM, "%s%s path%s from a root%s%s",
			     is_all ? "" : "at least ", format_count(state->ways.count, count),
			     state->ways.count == 1 ? "" : "s",
			     is_all ? "" : ", the cheapest first", also);
}

/* Gives stack words a line of their own if the line with the count may not
   fit. */
static bool
heading_of_words(const struct view *v, struct value *out)
{
	const struct paths_state *state = v->state;
	int room = view_heading_room(v);

	if (!room || room >= HEADING_MAX || !state->words_text[0] || state->words_listed)
		return false;
	value_printf(out, STYLE_DIM, "%s, listed last", state->words_brief);
	return true;
}

static bool
paths_heading(const struct view *v, unsigned line, struct value *out)
{
	const struct sample *sample = samples_of(v->session->samples, v->target.node);
	const struct paths_state *state = v->state;
	char by[SAMPLE_TEXT_BYTES];

	if (!v->session->reach)
		return false;
	if (heading_of_words(v, out)) {
		if (!line)
			return true;
		line--;
	}
	if (!line)
		value_printf(out, STYLE_ROOT, "%s",
			     describe_why_once(v->session, v->target.node, state->why));
	else if (line == 1)
		heading_of_count(v, out);
	else if (line == 2 && sample)
		value_printf(out, STYLE_DIM, "allocated by %s", sample_text(sample, by));
	return line < 2 || (line == 2 && sample);
}

/* Exclude the reference from the object to the next one on the path. */
static uint32_t
paths_exclusions(const struct view *v, const struct row *row, bool as_reference,
		 struct ignored_entry *entries, uint32_t max)
{
	const struct paths_state *state = v->state;
	const struct rows *rows = &state->tree.rows;
	size_t at = tree_find(&state->tree, row->key);

	if (!as_reference || row->node == NODE_NONE || !max || at + 1 >= rows->count ||
	    rows->items[at + 1].kind != ROW_OBJECT || row->kind != ROW_OBJECT)
		return 0;
	entries[0] = (struct ignored_entry){ IGNORED_REF, row->node, rows->items[at + 1].node };
	return 1;
}

static bool
enter(const struct call *call, struct error *err)
{
	struct target target = view_target(call->view);
	struct row row;

	if (!view_selected(call->view, &row))
		return true;
	if (row.kind == ROW_OBJECT || row.node != NODE_NONE)
		return request_open(call, "inspect", &target);
	if (row.kind == ROW_ROOT || row.kind == ROW_NOTE ||
	    (row.kind == ROW_SKIP && row.fold == FOLD_NONE))
		return error_set(err, ERROR_USAGE, "this row is neither a path nor an object");
	return view_fold(call->view, call->view->cursor, row.fold != FOLD_OPEN, err);
}

/* clang-format off */
static const struct column columns[] = {
	/* id         title     width sorts     cell           help                                              rank flags needs */
	{ "number",   "No.",    4,    UNSORTED, NUMBER(VALUE_COUNT, number_of_way),   "number of the path, the cheapest first; none: a stack word, which may hold it",  0, 0, 0 },
	{ "way",      "Path",    FILL, UNSORTED, CELL(VALUE_TEXT, cell_way),      "the path from the root, or an object on it; 'as 7': starts like path 7; '6 more': steps left out, Enter shows them", 0, 0, 0 },
	{ "refs",     "Refs",   6,    UNSORTED, NUMBER(VALUE_COUNT, number_refs),     "references from the object that the root refers to", 0, 0, 0 },
	{ "address",  "Address", 14,  UNSORTED, NUMBER(VALUE_ADDRESS, number_address),  "where the object is; for a path, its first object that no path above shares", 1, 0, 0 },
	SIZE_COLUMN(UNSORTED, 2),
	ALLOCATED_COLUMN(UNSORTED, 5),
	{ "root",     "Root",   -24,  UNSORTED, CELL(VALUE_TEXT, cell_root),     "the root that it begins at",                          3, COLUMN_MACHINE, 0 },
	{ "objects",  "Objects", -40, UNSORTED, CELL(VALUE_TEXT, cell_objects),  "addresses of the objects on the path, outermost first", 4, COLUMN_MACHINE, 0 },
	{ 0 },
};
static const struct table table = { .name = "paths", .columns = columns };
static const struct command commands[] = {
	/* name      keys       bar     help, .run, then other fields */
	{ "open",   "Enter i", "open", "open the path, or inspect the object", .run = enter, .replay = REPLAY_ROWS },
	{ "unfold", "+",       "",     "open the row", .run = view_command_unfold },
	{ "fold",   "-",       "",     "close the row", .run = view_command_fold },
	{ 0 },
};
/* clang-format on */

static const struct view_code paths_code = {
	.open = paths_open,
	.close = tree_close,
	.rows = tree_rows,
	.row = tree_view_row,
	.exclusions = paths_exclusions,
	.heading = paths_heading,
	.tree = &(const struct view_tree){ .fold = tree_fold },
};

const struct view_ops view_paths = {
	.command = { .name = "paths",
		     .keys = "p",
		     .args = { MUST(ARG_OBJECT) },
		     .bar = "why alive",
		     .flags = COMMAND_ANSWERS,
		     .help = "why it is alive: all paths from a root, the cheapest first, stack "
			     "words last" },
	.table = &table,
	.commands = commands,
	.words = { .no_rows = "no path from a root leads here; :tree shows what refers to it, "
			      ":objsize what it reaches" },
	.list = { .needs = NEED_OBJECTS | NEED_REVERSE | NEED_REACH, .flags = VIEW_PRINTS_HEADING },
	.code = &paths_code,
};
