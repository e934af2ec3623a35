#include "model/analysis/value_search.h"
#include "model/base/load.h"
#include "model/heap/object_bytes.h"
#include <string.h>

enum { LOOK_EVERY = 4096, PATHS_BYTES_MAX = 64 << 20 };

/* A field that may have the value. */
struct candidate {
	uint32_t offset, bytes, has_value;
	uint8_t literal;
	const char *field, *declared;
};

/* The fields to examine in objects of one method table. */
struct plan {
	bool is_made;
	struct candidate *candidates;
	uint32_t count, span; /* span: bytes up to the end of the last field */
};

struct search {
	const struct heap *heap;
	const struct value_query *query;
	struct object_bytes bytes;
	struct plan *plans; /* indexed like bytes.layouts */
	struct value_matches *out;
	size_t room;
	struct progress *progress;
	uint64_t steps;
};

static bool
may_go_on(struct search *s, struct error *err)
{
	return ++s->steps % LOOK_EVERY || !progress_is_cancelled(s->progress) ||
	       error_cancelled(err);
}

static bool
add_match(struct search *s, struct value_match match, struct error *err)
{
	struct value_matches *out = s->out;

	if (out->count == VALUE_MATCHES_MAX) {
		out->left_out++;
		return true;
	}
	return APPEND(out->items, out->count, s->room, err, match);
}

/* --- texts ---------------------------------------------------------------- */

static bool
has_units(const uint8_t *at, size_t count, const struct value_query *q)
{
	for (size_t i = 0; i + q->units_count <= count; i++) {
		size_t k = 0;

		while (k < q->units_count && load_bytes(at + 2 * (i + k), 2) == q->units[k])
			k++;
		if (k == q->units_count)
			return true;
	}
	return false;
}

/* Searches in pieces that overlap by one unit less than the text has. */
static bool
look_at_string(struct search *s, node_id n, const struct content_layout *layout, struct error *err)
{
	uint64_t address = object_bytes_address(&s->bytes, n) + layout->elements_at;
	size_t overlap = 2 * (s->query->units_count - 1);
	uint32_t units;
	uint64_t left;

	if (!object_bytes_count(&s->bytes, layout, n, &units)) {
		s->out->unread_count++;
		return true;
	}
	for (left = 2 * (uint64_t)units; left > overlap;) {
		size_t len = left < OBJECT_PIECE ? (size_t)left : OBJECT_PIECE;
		const uint8_t *at = object_bytes_at(&s->bytes, address, len);

		if (!at) {
			s->out->unread_count++;
			return true;
		}
		if (has_units(at, len / 2, s->query))
			return add_match(s, (struct value_match){ n, UINT64_MAX, "", "" }, err);
		left -= len - overlap;
		address += len - overlap;
		if (!may_go_on(s, err))
			return false;
	}
	return true;
}

/* --- fields --------------------------------------------------------------- */

/* Returns "Where.X": the field with the structs around it. */
static const char *
path_of(struct search *s, const struct content_layout *layout, uint32_t part, struct error *err)
{
	const char *path = layout->parts[part].name;
	uint32_t depth = layout->parts[part].depth;

	for (uint32_t i = part; i-- > 0 && depth;) {
		const struct content_part *p = &layout->parts[i];

		if (p->depth >= depth)
			continue;
		depth = p->depth;
		if (*p->name)
			path = arena_printf(&s->out->arena, err, "%s.%s", p->name, path);
		if (!path)
			return NULL;
	}
	return path;
}

static bool
is_candidate(const struct search *s, const struct content_part *p)
{
	return p->kind == CONTENT_VALUE && p->literal < LITERAL_KIND_COUNT &&
	       s->query->has[p->literal] && p->bytes == literal_len((enum literal_kind)p->literal);
}

static bool
make_plan(struct search *s, struct plan *plan, const struct content_layout *layout,
	  struct error *err)
{
	plan->is_made = true;
	plan->candidates =
	    arena_array(&s->out->arena, struct candidate, layout->parts_count + 1UL, err);
	if (!plan->candidates)
		return false;
	for (uint32_t i = 0; i < layout->parts_count; i++) {
		const struct content_part *p = &layout->parts[i];
		const char *path;

		if (!is_candidate(s, p) || p->offset + (uint64_t)p->bytes > OBJECT_PIECE)
			continue;
		path = path_of(s, layout, i, err);
		if (!path)
			return false;
		plan->candidates[plan->count++] = (struct candidate){ p->offset,    p->bytes,
								      p->has_value, p->literal,
								      path,         p->type };
		if (p->offset + p->bytes > plan->span)
			plan->span = p->offset + p->bytes;
		if (p->has_value != UINT32_MAX && p->has_value >= plan->span)
			plan->span = p->has_value + 1;
	}
	return true;
}

static bool
look_at_values(struct search *s, node_id n, const struct plan *plan, const uint8_t *at,
	       uint64_t element, struct error *err)
{
	for (uint32_t i = 0; i < plan->count; i++) {
		const struct candidate *c = &plan->candidates[i];

		if (memcmp(at + c->offset, s->query->bytes[c->literal], c->bytes) != 0 ||
		    (c->has_value != UINT32_MAX && !at[c->has_value]))
			continue;
		if (!add_match(s, (struct value_match){ n, element, c->field, c->declared }, err))
			return false;
	}
	return true;
}

static bool
look_at_elements(struct search *s, node_id n, const struct plan *plan,
		 const struct content_layout *layout, struct error *err)
{
	uint64_t address = object_bytes_address(&s->bytes, n) + layout->elements_at;
	uint32_t each = layout->element_bytes, count;

	if (plan->span > each || !object_bytes_count(&s->bytes, layout, n, &count)) {
		s->out->unread_count++;
		return true;
	}
	for (uint32_t i = 0; i < count; i++) {
		const uint8_t *at =
		    object_bytes_at(&s->bytes, address + (uint64_t)i * each, plan->span);

		if (!at) {
			s->out->unread_count++;
			return true;
		}
		if (!look_at_values(s, n, plan, at, i, err) || !may_go_on(s, err))
			return false;
	}
	return true;
}

/* --- objects -------------------------------------------------------------- */

static bool
look_at_object(struct search *s, node_id n, struct error *err)
{
	const struct content_layout *layout = object_bytes_layout(&s->bytes, n);
	const uint8_t *at;
	struct plan *plan;

	if (!layout) {
		s->out->unread_count++;
		return true;
	}
	if (s->query->is_text)
		return look_at_string(s, n, layout, err);
	plan = &s->plans[layout - s->bytes.layouts];
	if (!plan->is_made) {
		if (s->out->arena.used_bytes > PATHS_BYTES_MAX) {
			s->out->unread_count++;
			return true;
		}
		if (!make_plan(s, plan, layout, err))
			return false;
	}
	if (!plan->count)
		return true;
	if (layout->element_bytes)
		return look_at_elements(s, n, plan, layout, err);
	at = plan->span > heap_size(s->heap, n)
		 ? NULL
		 : object_bytes_at(&s->bytes, object_bytes_address(&s->bytes, n), plan->span);
	if (at)
		return look_at_values(s, n, plan, at, UINT64_MAX, err);
	s->out->unread_count++;
	return true;
}

static bool
look_at_all(struct search *s, struct error *err)
{
	const struct heap *h = s->heap;

	progress_begin(s->progress, "looking into objects", "objects", h->nodes_count);
	for (node_id n = 0; n < h->nodes_count; n++) {
		bool is_string = heap_type(h, n)->flags & TYPE_STRING;

		if (n % LOOK_EVERY == 0)
			(void)progress_add(s->progress, LOOK_EVERY);
		/* A string may have millions of characters. */
		if (progress_is_cancelled(s->progress))
			return error_cancelled(err);
		if (is_string != s->query->is_text)
			continue;
		if (!look_at_object(s, n, err))
			return false;
	}
	return true;
}

struct value_matches *
value_search(const struct heap *h, const struct value_query *q, struct progress *progress,
	     struct error *err)
{
	struct search s = { .heap = h, .query = q, .progress = progress };
	bool ok;

	s.out = memory_new(1, sizeof(*s.out), err);
	if (!s.out)
		return NULL;
	arena_init(&s.out->arena, 0);
	s.plans = memory_new(h->memory->tables_count + 1UL, sizeof(*s.plans), err);
	ok = s.plans && object_bytes_init(&s.bytes, h, err) && look_at_all(&s, err);
	object_bytes_clear(&s.bytes);
	memory_free(s.plans);
	if (ok)
		return s.out;
	value_matches_free(s.out);
	return NULL;
}

void
value_matches_free(struct value_matches *m)
{
	if (!m)
		return;
	memory_free(m->items);
	arena_clear(&m->arena);
	memory_free(m);
}
