#include "model/sql/made.h"
#include "model/base/sorted.h"
#include "model/table/lookup.h"
#include <stdlib.h>
#include <string.h>

enum made_kind { MADE_NAMES, MADE_BY_TYPE, MADE_ROWS, MADE_REVERSE };

struct sql_made {
	struct sql_made *next;
	enum made_kind kind;
	uint32_t heap;
	const struct table *table; /* MADE_ROWS */
	void *rows;
	const struct reverse *reverse;
	struct sql_names names;
	struct sql_by_type by_type;
};

static struct sql_made *
find_made(const struct sql *s, enum made_kind kind, uint32_t heap, const struct table *t)
{
	for (struct sql_made *m = s->made; m; m = m->next)
		if (m->kind == kind && m->heap == heap && m->table == t)
			return m;
	return NULL;
}

static struct sql_made *
new_made(enum made_kind kind, uint32_t heap, struct error *err)
{
	struct sql_made *m = memory_new(1, sizeof *m, err);

	if (m) {
		m->kind = kind;
		m->heap = heap;
	}
	return m;
}

static void
free_made(struct sql_made *m)
{
	sql_rows_free(m->table, m->rows);
	memory_free(m->names.types);
	memory_free(m->names.raw);
	memory_free(m->names.ranks);
	memory_free(m->by_type.starts);
	memory_free(m->by_type.ids);
	reverse_free(m->reverse);
	memory_free(m);
}

void
sql_made_free(struct sql *s)
{
	struct sql_made *next;

	for (struct sql_made *m = s->made; m; m = next) {
		next = m->next;
		free_made(m);
	}
	s->made = NULL;
}

/* Keeps what was made, or frees it if that failed. */
static struct sql_made *
keep(struct sql *s, struct sql_made *m, bool is_made)
{
	if (!is_made) {
		free_made(m);
		return NULL;
	}
	m->next = s->made;
	s->made = m;
	return m;
}

/* --- types by name -------------------------------------------------------- */

struct named {
	const char *name;
	type_id type;
};

static int
compare_named(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : (x->type > y->type) - (x->type < y->type);
}

static bool
sort_types(const struct heap *h, bool by_raw, type_id *out, struct error *err)
{
	struct named *all = memory_new(h->types_count + 1, sizeof *all, err);

	if (!all)
		return false;
	for (type_id t = 0; t < h->types_count; t++)
		all[t] = (struct named){ by_raw ? h->types[t].raw : h->types[t].name, t };
	qsort(all, h->types_count, sizeof *all, compare_named);
	for (uint32_t rank = 0; rank < h->types_count; rank++)
		out[rank] = all[rank].type;
	memory_free(all);
	return true;
}

static bool
make_names(struct sql_names *names, const struct heap *h, struct error *err)
{
	size_t types = (size_t)h->types_count + 1;

	names->heap = h;
	names->types = memory_new(types, sizeof *names->types, err);
	names->raw = memory_new(types, sizeof *names->raw, err);
	names->ranks = memory_new(types, sizeof *names->ranks, err);
	if (!names->types || !names->raw || !names->ranks ||
	    !sort_types(h, false, names->types, err) || !sort_types(h, true, names->raw, err))
		return false;
	for (uint32_t rank = 0; rank < h->types_count; rank++)
		names->ranks[names->types[rank]] = rank;
	return true;
}

const struct sql_names *
sql_names(struct sql *s, uint32_t heap, struct error *err)
{
	struct sql_made *m = find_made(s, MADE_NAMES, heap, NULL);

	if (m)
		return &m->names;
	m = new_made(MADE_NAMES, heap, err);
	if (m)
		m = keep(s, m, make_names(&m->names, s->heaps[heap].facts.heap, err));
	return m ? &m->names : NULL;
}

void
sql_types_named(const struct sql_names *names, const char *name, uint32_t *first, uint32_t *end)
{
	const struct heap *h = names->heap;
	uint32_t at;

	LOWER_BOUND(at, 0, h->types_count, strcmp(h->types[names->types[at]].name, name) < 0);
	*first = at;
	while (at < h->types_count && !strcmp(h->types[names->types[at]].name, name))
		at++;
	*end = at;
}

type_id
sql_type_spelled(const struct sql_names *names, const char *name)
{
	const struct heap *h = names->heap;
	uint32_t first, end;

	sql_types_named(names, name, &first, &end);
	if (first < end)
		return names->types[first];
	LOWER_BOUND(first, 0, h->types_count, strcmp(h->types[names->raw[first]].raw, name) < 0);
	return first < h->types_count && !strcmp(h->types[names->raw[first]].raw, name)
		   ? names->raw[first]
		   : TYPE_NONE;
}

/* --- objects by type ------------------------------------------------------ */

/* Counts the objects of each type, then gives each its place. The starts move to the ends
   meanwhile. */
static bool
place_objects(struct sql_by_type *by, const struct heap *h, struct progress *progress,
	      struct error *err)
{
	uint32_t *starts = by->starts;

	progress_begin(progress, "sorting objects by type", "objects", h->nodes_count);
	for (uint32_t rank = 0, at = 0; rank < h->types_count; rank++) {
		starts[rank] = at;
		at += (uint32_t)h->types[by->names->types[rank]].count;
	}
	for (node_id n = 0; n < h->nodes_count; n++) {
		if (!(n % CHUNK_NODES) && !progress_add(progress, CHUNK_NODES))
			return error_cancelled(err);
		by->ids[starts[by->names->ranks[heap_type_of(h, n)]]++] = n;
	}
	memmove(starts + 1, starts, h->types_count * sizeof *starts);
	starts[0] = 0;
	return true;
}

const struct sql_by_type *
sql_by_type(struct sql *s, uint32_t heap, struct error *err)
{
	const struct heap *h = s->heaps[heap].facts.heap;
	struct sql_made *m = find_made(s, MADE_BY_TYPE, heap, NULL);
	struct sql_by_type *by;
	size_t types = (size_t)h->types_count + 1;

	if (m)
		return &m->by_type;
	m = new_made(MADE_BY_TYPE, heap, err);
	if (!m)
		return NULL;
	by = &m->by_type;
	by->names = sql_names(s, heap, err);
	by->starts = memory_new(types, sizeof *by->starts, err);
	by->ids = memory_resize(NULL, (size_t)h->nodes_count + 1, sizeof *by->ids, err);
	m = keep(s, m,
		 by->names && by->starts && by->ids && place_objects(by, h, s->progress, err));
	return m ? &m->by_type : NULL;
}

/* --- made rows, referrers -------------------------------------------- */

/* An argument that names an object or a type stands for it. */
static bool
read_argument(const struct facts *f, const char *text, struct subject *about, struct error *err)
{
	uint64_t address;

	*about = (struct subject){ .node = NODE_NONE, .type = TYPE_NONE, .text = text };
	if (address_parse(text, &address)) {
		about->node = heap_find(f->heap, address);
		if (about->node != NODE_NONE)
			about->type = heap_type_of(f->heap, about->node);
		else
			about->address = address;
	} else if (lookup_has_type(f, text)) {
		return lookup_type(f, text, &about->type, err);
	}
	return true;
}

static bool
make_rows(struct sql *s, const struct table *t, uint32_t heap, void *rows, const char *argument,
	  struct error *err)
{
	const struct row_source *source = t->rows;
	const struct facts *f = &s->heaps[heap].facts;
	struct subject about;

	if (!read_argument(f, argument, &about, err))
		return false;
	if (t->is_of_subject && about.node == NODE_NONE && about.type == TYPE_NONE &&
	    !about.address)
		return error_set(err, ERROR_USAGE,
				 "%s needs a type or the address of an object: %s('Leaky.Session')",
				 t->name, t->name);
	return (!source->accepts || source->accepts(f, &about, err)) &&
	       source->make(rows, f, &about, s->progress, err);
}

void
sql_rows_free(const struct table *t, void *rows)
{
	if (rows)
		t->rows->clear(rows);
	memory_free(rows);
}

void *
sql_make_rows(struct sql *s, const struct table *t, uint32_t heap, const char *argument,
	      struct error *err)
{
	void *rows = memory_new(1, t->rows->made_size, err);

	if (rows && !make_rows(s, t, heap, rows, argument, err)) {
		sql_rows_free(t, rows);
		return NULL;
	}
	return rows;
}

const void *
sql_made_rows(struct sql *s, const struct table *t, uint32_t heap, struct error *err)
{
	struct sql_made *m = find_made(s, MADE_ROWS, heap, t);

	if (m)
		return m->rows;
	m = new_made(MADE_ROWS, heap, err);
	if (!m)
		return NULL;
	m->table = t;
	m->rows = sql_make_rows(s, t, heap, "", err);
	m = keep(s, m, m->rows != NULL);
	return m ? m->rows : NULL;
}

const struct reverse *
sql_reverse(struct sql *s, uint32_t heap, struct error *err)
{
	const struct facts *f = &s->heaps[heap].facts;
	struct sql_made *m;

	if (f->reverse)
		return f->reverse;
	m = find_made(s, MADE_REVERSE, heap, NULL);
	if (m)
		return m->reverse;
	m = new_made(MADE_REVERSE, heap, err);
	if (!m)
		return NULL;
	m->reverse = reverse_compute(f->heap, s->progress, err);
	m = keep(s, m, m->reverse != NULL);
	return m ? m->reverse : NULL;
}
