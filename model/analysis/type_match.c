#include "model/analysis/type_match.h"
#include "model/base/hash.h"
#include "model/analysis/type_spelling.h"
#include <stdlib.h>
#include <string.h>

/* A type of one heap. Sorting makes possible matches adjacent. */
struct candidate {
	uint64_t hash; /* hash of the name; comparing long texts is slow */
	const struct type *type;
	const char *file; /* file name of the module */
	uint32_t heap;
	type_id id;
	uint32_t row;
};

struct matching {
	const struct heap *const *heaps;
	struct type_match *match;
	struct candidate *all;
	size_t count;
	uint32_t *seen; /* by heap: the last group it was seen in */
	uint32_t groups_count;
};

static int
compare_candidates(const void *x, const void *y)
{
	const struct candidate *a = x, *b = y;
	int order;

	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	order = strcmp(a->type->raw, b->type->raw);
	if (!order)
		order = strcmp(a->file, b->file);
	if (!order)
		order = strcmp(a->type->module, b->type->module);
	if (order)
		return order;
	if (a->heap != b->heap)
		return a->heap < b->heap ? -1 : 1;
	return (a->id > b->id) - (a->id < b->id);
}

static bool
collect(struct matching *m, struct error *err)
{
	size_t room = 0;

	for (uint32_t h = 0; h < m->match->heaps_count; h++)
		room += m->heaps[h]->types_count;
	m->all = memory_new(room + 1, sizeof *m->all, err);
	if (!m->all)
		return false;
	for (uint32_t h = 0; h < m->match->heaps_count; h++) {
		const struct heap *heap = m->heaps[h];

		for (type_id t = 0; t < heap->types_count; t++)
			if (heap->types[t].count)
				m->all[m->count++] = (struct candidate){
					hash_text(HASH_START, heap->types[t].raw),
					&heap->types[t],
					type_module_file(&heap->types[t]),
					h,
					t,
					MATCH_NONE,
				};
	}
	qsort(m->all, m->count, sizeof *m->all, compare_candidates);
	return true;
}

/* Returns true if no heap has two of the candidates. */
static bool
are_of_different_heaps(struct matching *m, size_t first, size_t end)
{
	uint32_t group = ++m->groups_count;

	for (size_t i = first; i < end; i++) {
		if (m->seen[m->all[i].heap] == group)
			return false;
		m->seen[m->all[i].heap] = group;
	}
	return true;
}

static bool
is_same_name(const struct candidate *a, const struct candidate *b)
{
	return a->hash == b->hash && !strcmp(a->type->raw, b->type->raw);
}

static void
take_row(struct matching *m, size_t first, size_t end)
{
	uint32_t row = m->match->rows_count++;

	for (size_t i = first; i < end; i++)
		m->all[i].row = row;
}

/* Returns the end of the row that begins at `first`; its candidates are adjacent. */
static size_t
row_end(const struct matching *m, size_t first)
{
	size_t end = first + 1;

	while (end < m->count && m->all[end].row == m->all[first].row)
		end++;
	return end;
}

/* Matches types with the same name and module file name: rule 2, else rule 1. */
static void
match_file(struct matching *m, size_t first, size_t end)
{
	size_t next;

	if (are_of_different_heaps(m, first, end)) {
		take_row(m, first, end);
		return;
	}
	for (; first < end; first = next) {
		next = first + 1;
		while (next < end && !strcmp(m->all[next].type->module, m->all[first].type->module))
			next++;
		take_row(m, first, next);
	}
}

/* Matches all types of one name. Types without a module come first: rule 3. */
static void
match_name(struct matching *m, size_t first, size_t end)
{
	uint32_t rows = m->match->rows_count;
	size_t next, nameless = first;

	while (nameless < end && !*m->all[nameless].file)
		nameless++;
	for (size_t at = first; at < end; at = next) {
		next = at + 1;
		while (next < end && !strcmp(m->all[next].file, m->all[at].file))
			next++;
		match_file(m, at, next);
	}
	if (nameless == first || nameless == end)
		return;
	if (m->match->rows_count == rows + 2 && are_of_different_heaps(m, first, end)) {
		m->match->rows_count = rows;
		take_row(m, first, end);
		m->match->guessed_count++;
	} else {
		m->match->ambiguous_count++;
	}
}

static void
match_all(struct matching *m)
{
	size_t next;

	for (size_t first = 0; first < m->count; first = next) {
		next = first + 1;
		while (next < m->count && is_same_name(&m->all[first], &m->all[next]))
			next++;
		match_name(m, first, next);
	}
}

/* --- two spellings of a nested type -------------------------------------- */

/* A row that some heap does not have. */
struct spelled {
	uint64_t hash;
	const char *event_name; /* spelled as in runtime events */
	const char *file;
	size_t first, end;  /* its candidates */
	bool is_event_name; /* its own spelling is that of events */
};

static int
compare_spelled(const void *x, const void *y)
{
	const struct spelled *a = x, *b = y;
	int order;

	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	order = strcmp(a->event_name, b->event_name);
	if (!order)
		order = strcmp(a->file, b->file);
	if (order)
		return order;
	return (a->first > b->first) - (a->first < b->first);
}

static bool
is_same_spelled(const struct spelled *a, const struct spelled *b)
{
	return a->hash == b->hash && !strcmp(a->event_name, b->event_name) &&
	       !strcmp(a->file, b->file);
}

static bool
list_spelled(const struct matching *m, struct spelled *list, size_t *count, struct arena *a,
	     struct error *err)
{
	size_t end;

	*count = 0;
	for (size_t first = 0; first < m->count; first = end) {
		struct spelled *s = &list[*count];
		const char *raw = m->all[first].type->raw;

		end = row_end(m, first);
		if (end - first == m->match->heaps_count)
			continue;
		s->event_name = type_event_name(raw, a, err);
		if (!s->event_name)
			return false;
		s->is_event_name = !strcmp(raw, s->event_name);
		s->hash = hash_text(HASH_START, s->event_name);
		s->file = m->all[end - 1].file;
		s->first = first;
		s->end = end;
		++*count;
	}
	if (*count)
		qsort(list, *count, sizeof *list, compare_spelled);
	return true;
}

/* Moves `b` into the row of `a` if no heap has both. */
static void
join_rows(struct matching *m, const struct spelled *a, const struct spelled *b)
{
	uint32_t group = ++m->groups_count;

	if (a->is_event_name == b->is_event_name)
		return;
	for (size_t i = a->first; i < a->end; i++)
		m->seen[m->all[i].heap] = group;
	for (size_t i = b->first; i < b->end; i++)
		if (m->seen[m->all[i].heap] == group)
			return;
	for (size_t i = b->first; i < b->end; i++)
		m->all[i].row = m->all[a->first].row;
	m->match->spelled_count++;
}

/* Renumber the rows without gaps. */
static bool
close_gaps(struct matching *m, struct error *err)
{
	uint32_t *new_rows = memory_new((size_t)m->match->rows_count + 1, sizeof *new_rows, err);
	uint32_t count = 0;

	if (!new_rows)
		return false;
	for (size_t i = 0; i < m->count; i++) {
		uint32_t *row = &new_rows[m->all[i].row];

		if (!*row)
			*row = ++count;
		m->all[i].row = *row - 1;
	}
	m->match->rows_count = count;
	memory_free(new_rows);
	return true;
}

static bool
match_spellings(struct matching *m, struct error *err)
{
	struct spelled *list = memory_new((size_t)m->match->rows_count + 1, sizeof *list, err);
	struct arena names;
	size_t count, next;
	bool ok;

	arena_init(&names, 0);
	ok = list && list_spelled(m, list, &count, &names, err);
	for (size_t first = 0; ok && first < count; first = next) {
		next = first + 1;
		while (next < count && is_same_spelled(&list[first], &list[next]))
			next++;
		if (next == first + 2)
			join_rows(m, &list[first], &list[first + 1]);
	}
	arena_clear(&names);
	memory_free(list);
	return ok && (!m->match->spelled_count || close_gaps(m, err));
}

/* --- rows in order of name ----------------------------------------------- */

struct row_name {
	const struct candidate *first;
	uint32_t row;
};

static int
compare_names(const void *x, const void *y)
{
	const struct row_name *a = x, *b = y;
	int order = strcmp(a->first->type->name, b->first->type->name);

	if (!order)
		order = strcmp(a->first->type->module, b->first->type->module);
	if (order)
		return order;
	return (a->row > b->row) - (a->row < b->row);
}

/* Sets new_rows[row] to the row's place in order of name. */
static bool
order_rows(struct matching *m, uint32_t *new_rows, struct error *err)
{
	uint32_t count = m->match->rows_count;
	struct row_name *names = memory_new((size_t)count + 1, sizeof *names, err);

	if (!names)
		return false;
	for (size_t i = m->count; i-- > 0;)
		names[m->all[i].row] = (struct row_name){ &m->all[i], m->all[i].row };
	qsort(names, count, sizeof *names, compare_names);
	for (uint32_t i = 0; i < count; i++)
		new_rows[names[i].row] = i;
	memory_free(names);
	return true;
}

static bool
make_tables(struct matching *m, struct error *err)
{
	struct type_match *match = m->match;
	size_t cells = (size_t)match->rows_count * match->heaps_count;

	match->types = arena_array(&match->arena, type_id, cells + 1, err);
	match->rows = arena_array(&match->arena, uint32_t *, match->heaps_count, err);
	if (!match->types || !match->rows)
		return false;
	for (size_t i = 0; i < cells; i++)
		match->types[i] = TYPE_NONE;
	for (uint32_t h = 0; h < match->heaps_count; h++) {
		size_t count = m->heaps[h]->types_count;

		match->rows[h] = arena_array(&match->arena, uint32_t, count + 1, err);
		if (!match->rows[h])
			return false;
		for (size_t t = 0; t < count; t++)
			match->rows[h][t] = MATCH_NONE;
	}
	return true;
}

static bool
fill_tables(struct matching *m, struct error *err)
{
	struct type_match *match = m->match;
	uint32_t *new_rows = memory_new((size_t)match->rows_count + 1, sizeof *new_rows, err);
	bool ok = new_rows && order_rows(m, new_rows, err) && make_tables(m, err);

	for (size_t i = 0; ok && i < m->count; i++) {
		const struct candidate *c = &m->all[i];
		size_t row = new_rows[c->row];

		match->types[row * match->heaps_count + c->heap] = c->id;
		match->rows[c->heap][c->id] = (uint32_t)row;
	}
	memory_free(new_rows);
	return ok;
}

bool
type_match_init(struct type_match *match, const struct heap *const *heaps, uint32_t heaps_count,
		struct error *err)
{
	struct matching m = { .heaps = heaps, .match = match };
	bool ok;

	*match = (struct type_match){ .heaps_count = heaps_count };
	arena_init(&match->arena, 0);
	m.seen = memory_new((size_t)heaps_count, sizeof *m.seen, err);
	ok = m.seen && collect(&m, err);
	if (ok) {
		match_all(&m);
		ok = match_spellings(&m, err) && fill_tables(&m, err);
	}
	memory_free(m.all);
	memory_free(m.seen);
	if (!ok)
		type_match_clear(match);
	return ok;
}

void
type_match_clear(struct type_match *m)
{
	arena_clear(&m->arena);
	*m = (struct type_match){ 0 };
}

const struct type *
type_match_type(const struct type_match *m, const struct heap *const *heaps, uint32_t row,
		uint32_t *heap)
{
	const type_id *types = m->types + (size_t)row * m->heaps_count;
	uint32_t last = m->heaps_count - 1;

	while (last && types[last] == TYPE_NONE)
		last--;
	if (heap)
		*heap = last;
	return &heaps[last]->types[types[last]];
}
