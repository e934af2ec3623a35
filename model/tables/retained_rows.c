#include "model/tables/retained_rows.h"

#include "model/graph/retention.h"

#define WHAT_TYPE(type) (UINT64_C(1) << 32 | (type))
#define WHAT_OTHERS     (UINT64_C(1) << 33)
#define WHAT_DEAD       (UINT64_C(1) << 34)
#define WHAT_SKIP       (UINT64_C(1) << 35)

void
retained_sets_clear(struct retained_sets *sets)
{
	memory_free(sets->items);
	*sets = (struct retained_sets){ 0 };
}

void
retained_job_clear(struct retained_job *job)
{
	rows_clear(&job->rows);
	retained_sets_clear(&job->sets);
}

static bool
add_set_row(struct retained_job *job, struct row row, uint64_t what, const struct retained_set *set,
	    struct error *err)
{
	struct retained_sets *sets = &job->sets;

	if (!MAKE_ROOM(sets->items, sets->count + 1, sets->room, err))
		return false;
	row.depth = job->depth;
	row.key = row_key(job->key, what);
	row.data = sets->count; /* see point_to_sets() */
	sets->items[sets->count++] = *set;
	return rows_append(&job->rows, &row, err);
}

static struct row
row_of_object(const struct retained_job *job, node_id node)
{
	struct row row = row_of_node(job->retention->dominators->heap, node);

	row.depth = job->depth;
	row.key = row_key(job->key, node);
	return row;
}

/* --- a page of objects --------------------------------------------------- */

static bool
add_page(struct retained_job *job, const struct siblings *siblings, const struct sibling *after,
	 struct progress *progress, struct error *err)
{
	const struct retention *retention = job->retention;
	struct siblings_page *page = memory_new(1, sizeof *page, err);
	struct retained_set left = { .siblings = *siblings };
	bool ok =
	    page && siblings_page_read(page, retention->retained, siblings, after, progress, err);

	for (uint32_t i = 0; ok && i < page->count; i++) {
		const struct sibling *s = &page->items[i];
		struct row row = row_of_object(job, retention->dominators->objects[s->position]);

		if (s->sum.count > 1)
			row.fold = FOLD_CLOSED;
		ok = rows_append(&job->rows, &row, err);
	}
	if (ok && page->left_count) {
		left.count = page->left_count;
		left.sum.bytes = page->left_bytes;
		left.after = page->items[page->count - 1];
		ok = add_set_row(job, row_of(ROW_MORE), WHAT_OTHERS, &left, err);
	}
	memory_free(page);
	return ok;
}

/* --- types --------------------------------------------------------------- */

/* Adds a row for each of these types that has objects, at most `max`, and one for the rest. */
static bool
add_type_rows(struct retained_job *job, const struct sibling_type *types, uint32_t count,
	      uint32_t max, node_id last, struct error *err)
{
	struct retained_set others = { .last = NODE_NONE };
	uint32_t added = 0;
	bool ok = true;

	for (uint32_t i = 0; ok && i < count; i++) {
		struct row row = row_of_type(types[i].type);
		struct retained_set set = { .siblings = job->siblings,
					    .count = types[i].siblings_count,
					    .sum = types[i].sum,
					    .last = last };

		if (!set.count)
			continue;
		if (added++ >= max) {
			others.count++;
			others.sum.bytes += set.sum.bytes;
			continue;
		}
		set.siblings.type = types[i].type;
		set.is_of_small = types[i].most_bytes < set.sum.bytes / RETAINED_SPLIT_PARTS;
		row.fold = FOLD_CLOSED;
		ok = add_set_row(job, row, WHAT_TYPE(types[i].type), &set, err);
	}
	return ok &&
	       (!others.count || add_set_row(job, row_of(ROW_NOTE), WHAT_OTHERS, &others, err));
}

static bool
add_types(struct retained_job *job, struct progress *progress, struct error *err)
{
	uint32_t count = 0;
	struct sibling_type *types =
	    siblings_by_type(job->retention->retained, &job->siblings, &count, progress, err);
	bool ok = types && add_type_rows(job, types, count, RETAINED_TYPES_MAX, NODE_NONE, err);

	memory_free(types);
	return ok;
}

/* --- large objects, and the others by type -------------------------------- */

/* The first objects of a page, and the types of all objects. */
struct split {
	struct siblings_page *page;
	struct sibling_type *types;
	uint32_t types_count;
	uint32_t *places; /* by type: 1 + its index in `types` */
};

static bool
split_read(struct split *s, const struct retained_job *job, struct progress *progress,
	   struct error *err)
{
	const struct retained *r = job->retention->retained;

	s->page = memory_new(1, sizeof *s->page, err);
	s->places = memory_new((size_t)r->heap->types_count + 1, sizeof *s->places, err);
	if (!s->page || !s->places ||
	    !siblings_page_read(s->page, r, &job->siblings, NULL, progress, err))
		return false;
	s->types = siblings_by_type(r, &job->siblings, &s->types_count, progress, err);
	for (uint32_t i = 0; s->types && i < s->types_count; i++)
		s->places[s->types[i].type] = i + 1;
	return s->types;
}

static void
split_clear(struct split *s)
{
	memory_free(s->page);
	memory_free(s->types);
	memory_free(s->places);
}

/* Returns the number of large objects, which are the first of the page. */
static uint32_t
split_large(const struct siblings_page *page)
{
	uint64_t all = page->left_bytes;
	uint32_t count = 0;

	if (page->count + page->left_count <= RETAINED_SPLIT_LEAST)
		return page->count;
	for (uint32_t i = 0; i < page->count; i++)
		all += page->items[i].sum.bytes;
	while (count < page->count && page->items[count].sum.bytes >= all / RETAINED_SPLIT_PARTS)
		count++;
	return count;
}

/* Gives an object a row of its own, and takes it from its type. */
static bool
split_add(struct split *s, struct retained_job *job, const struct sibling *one, struct error *err)
{
	node_id n = job->retention->dominators->objects[one->position];
	struct row row = row_of_object(job, n);
	struct sibling_type *type = &s->types[s->places[row.type] - 1];

	type->siblings_count--;
	type->sum.count -= one->sum.count;
	type->sum.bytes -= one->sum.bytes;
	if (one->sum.count > 1)
		row.fold = FOLD_CLOSED;
	return rows_append(&job->rows, &row, err);
}

/* A small object that is the last of its type also gets a row of its own. */
static bool
add_split(struct retained_job *job, struct progress *progress, struct error *err)
{
	const node_id *objects = job->retention->dominators->objects;
	struct split s = { 0 };
	bool ok = split_read(&s, job, progress, err);
	uint32_t large = ok ? split_large(s.page) : 0;
	node_id last = NODE_NONE;

	for (uint32_t i = 0; ok && i < s.page->count; i++) {
		const struct sibling *one = &s.page->items[i];
		type_id type = heap_type_of(job->retention->retained->heap, objects[one->position]);

		if (i < large)
			last = objects[one->position];
		if (i < large || s.types[s.places[type] - 1].siblings_count == 1)
			ok = split_add(&s, job, one, err);
	}
	ok = ok && add_type_rows(job, s.types, s.types_count, RETAINED_SPLIT_TYPES, last, err);
	split_clear(&s);
	return ok;
}

/* Adds one row for all unreachable objects, after those that roots retain. */
static bool
add_dead(struct retained_job *job, struct error *err)
{
	const struct dominators *d = job->retention->dominators;
	struct retained_set set = { .siblings = siblings_on_top(d, false) };
	struct row row = row_of(ROW_GROUP);

	set.siblings.owners = job->siblings.owners;
	set.siblings.least_owner = job->siblings.least_owner;
	if (set.siblings.first == set.siblings.end)
		return true;
	set.sum = retained_between(job->retention->retained, set.siblings.first, set.siblings.end);
	set.count = set.sum.count;
	row.fold = FOLD_CLOSED;
	return add_set_row(job, row, WHAT_DEAD, &set, err);
}

/* --- the way down to an object ------------------------------------------- */

static bool
add_path_row(struct retained_job *job, node_id node, struct error *err)
{
	struct row row = row_of_object(job, node);

	row.fold = FOLD_OPEN;
	if (!rows_append(&job->rows, &row, err))
		return false;
	job->key = row.key;
	job->depth++;
	return true;
}

static bool
add_path_skip(struct retained_job *job, uint64_t steps, struct error *err)
{
	struct retained_set set = { .count = steps };

	if (!add_set_row(job, row_of(ROW_SKIP), WHAT_SKIP, &set, err))
		return false;
	job->key = row_key(job->key, WHAT_SKIP);
	job->depth++;
	return true;
}

/* Counts the dominators of the object, and stores the nearest in `last` and the farthest in
   `first`, from the object upwards. */
static bool
count_dominators(const struct retained_job *job, node_id *last, node_id *first, uint64_t *steps,
		 struct progress *progress, struct error *err)
{
	const struct dominators *d = job->retention->dominators;
	uint32_t at = d->positions[job->node];

	for (*steps = 0; d->parents[at]; ++*steps) {
		at = d->parents[at] - 1;
		if (*steps < RETAINED_LAST)
			last[*steps] = d->objects[at];
		first[*steps % RETAINED_FIRST] = d->objects[at];
		if (!(*steps & 0xffff) && progress_is_cancelled(progress))
			return error_cancelled(err);
	}
	return true;
}

static bool
add_path(struct retained_job *job, struct progress *progress, struct error *err)
{
	node_id last[RETAINED_LAST], first[RETAINED_FIRST];
	uint64_t steps, near, far;
	size_t rows_count;

	if (!count_dominators(job, last, first, &steps, progress, err))
		return false;
	near = steps < RETAINED_LAST ? steps : RETAINED_LAST;
	far = steps - near < RETAINED_FIRST ? steps - near : RETAINED_FIRST;
	for (uint64_t i = 0; i < far; i++)
		if (!add_path_row(job, first[(steps - 1 - i) % RETAINED_FIRST], err))
			return false;
	if (steps > near + far && !add_path_skip(job, steps - near - far, err))
		return false;
	for (uint64_t i = near; i-- > 0;)
		if (!add_path_row(job, last[i], err))
			return false;
	if (!add_path_row(job, job->node, err))
		return false;
	job->end_key = job->key;
	rows_count = job->rows.count;
	if (!add_page(job, &job->siblings, NULL, progress, err))
		return false;
	if (job->rows.count == rows_count)
		job->rows.items[rows_count - 1].fold = FOLD_NONE;
	return true;
}

/* `sets` no longer grows, so pointers to its items stay valid. */
static void
point_to_sets(struct retained_job *job)
{
	for (size_t i = 0; i < job->rows.count; i++) {
		struct row *row = &job->rows.items[i];

		if (row->kind != ROW_OBJECT)
			row->data = (uintptr_t)&job->sets.items[row->data];
	}
}

bool
retained_job_run(struct retained_job *job, struct progress *progress, struct error *err)
{
	bool ok = false;

	switch (job->rule) {
	case RETAINED_PAGE:
		ok = add_page(job, &job->siblings, NULL, progress, err);
		break;
	case RETAINED_SPLIT:
		ok = add_split(job, progress, err);
		break;
	case RETAINED_MORE:
		ok = add_page(job, &job->siblings, &job->after, progress, err);
		break;
	case RETAINED_TYPES:
		ok = add_types(job, progress, err);
		break;
	case RETAINED_PATH:
		ok = add_path(job, progress, err);
		break;
	}
	if (!ok || (job->has_top && !add_dead(job, err)))
		return false;
	point_to_sets(job);
	return true;
}
