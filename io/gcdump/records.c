#include "io/gcdump/records.h"
#include "io/gcdump/roots.h"
#include "model/base/sorted.h"
#include <stdlib.h>

enum { BATCH = SERIALIZER_BYTES / SERIALIZER_CI_BYTES };

/* --- nodes are numbered as they are mentioned --------------------------- */

/* The next number that no node has of its own. */
static uint32_t
next_number(struct gcdump_records *w)
{
	const struct gcdump_origin *o = w->origin;

	for (;; w->next_number++) {
		if (w->others_at < o->others_count &&
		    o->others[w->others_at].index == w->next_number)
			w->others_at++;
		else if (w->numbered_at < o->numbered_count &&
			 o->numbered[w->numbered_at].index == w->next_number)
			w->numbered_at++;
		else
			return w->next_number++;
	}
}

bool
gcdump_records_number(struct gcdump_records *w, struct error *err)
{
	const struct heap *h = w->heap;
	const struct gcdump_origin *o = w->origin;

	w->made_numbers = memory_new(h->nodes_count, sizeof(uint32_t), err);
	w->numbers = w->made_numbers;
	if (!w->numbers)
		return false;
	memset(w->made_numbers, 0xff, h->nodes_count * sizeof(uint32_t));
	for (uint32_t i = 0; i < o->numbered_count; i++)
		w->made_numbers[o->numbered[i].id] = o->numbered[i].index;
	return true;
}

static inline uint32_t
number_of(struct gcdump_records *w, node_id n)
{
	if (!w->numbers)
		return w->first + n;
	if (w->numbers[n] == NODE_NONE && w->made_numbers)
		w->made_numbers[n] = next_number(w);
	return w->numbers[n];
}

/* --- records of objects ------------------------------------------------- */

/* What the heap left out is put back between its references. */
struct targets {
	struct gcdump_records *w;
	struct refs refs;
	const struct gcdump_lost *lost;
	uint32_t count, place, lost_left;
};

static inline bool
targets_next(struct targets *t, uint32_t *number)
{
	node_id target;

	if (t->lost_left && t->lost->place == t->place) {
		*number = t->lost++->target;
		t->lost_left--;
		t->place++;
		return true;
	}
	if (!refs_next(&t->refs, &target))
		return false;
	*number = number_of(t->w, target);
	t->place++;
	return true;
}

/* Objects in the order of their records. */
struct walk {
	struct gcdump_records *w;
	struct refs_scan scan;
	const struct gcdump_lost *lost, *lost_end;
	uint32_t run, left; /* objects of the run */
	node_id node;
	struct targets targets;
};

static void
walk_begin(struct walk *k, struct gcdump_records *w)
{
	*k = (struct walk){ .w = w };
}

static void
walk_begin_run(struct walk *k)
{
	const struct gcdump_origin *o = k->w->origin;
	const struct gcdump_run all = { .count = k->w->heap->nodes_count };
	const struct gcdump_run *run = o ? &o->runs[k->run] : &all;
	uint32_t at;

	k->run++;
	k->left = run->count;
	k->node = run->first;
	refs_scan_init(&k->scan, k->w->heap, run->first);
	LOWER_BOUND(at, 0, o ? o->lost_count : 0, o->lost[at].id < run->first);
	k->lost = o ? o->lost + at : NULL;
	k->lost_end = o ? o->lost + o->lost_count : NULL;
}

/* False at the end. walk_end() after its targets were used up. */
static inline bool
walk_next(struct walk *k, node_id *n)
{
	struct targets *t = &k->targets;
	uint32_t runs_count = k->w->origin ? k->w->origin->runs_count : 1;

	while (!k->left) {
		if (k->run == runs_count)
			return false;
		walk_begin_run(k);
	}
	k->left--;
	*n = k->node++;
	*t = (struct targets){ .w = k->w,
			       .refs = refs_scan_begin(&k->scan),
			       .lost = k->lost };
	while (k->lost < k->lost_end && k->lost->id == *n) {
		k->lost++;
		t->lost_left++;
	}
	t->count = (uint32_t)t->refs.left + t->lost_left;
	return true;
}

static inline void
walk_end(struct walk *k)
{
	refs_scan_end(&k->scan, &k->targets.refs);
}

struct record {
	uint32_t number;
	int32_t head, size; /* the size counts if the head is odd */
};

static inline struct record
record_of(struct gcdump_records *w, node_id n)
{
	int32_t size = (int32_t)heap_size(w->heap, n);
	uint32_t type = gcdump_table_of(&w->table, n, size);
	bool has_size = size != w->table.types[type].size;

	return (struct record){ number_of(w, n), (int32_t)(type * 2 + has_size),
				size };
}

static inline uint64_t
record_len(struct walk *k, const struct record *r)
{
	uint64_t len = serializer_ci_len(r->head) +
		       serializer_ci_len((int32_t)k->targets.count);
	uint32_t target;

	if (r->head & 1)
		len += serializer_ci_len(r->size);
	while (targets_next(&k->targets, &target))
		len += serializer_ci_len((int32_t)(target - r->number));
	return len;
}

static void
put_record(struct serializer *s, struct walk *k, const struct record *r)
{
	uint8_t *at = serializer_room(s, GCDUMP_RECORD_MAX);
	uint32_t target;

	at = serializer_ci_put(at, r->head);
	if (r->head & 1)
		at = serializer_ci_put(at, r->size);
	at = serializer_ci_put(at, (int32_t)k->targets.count);
	serializer_took(s, at);
	for (uint32_t left = k->targets.count; left;) {
		uint32_t now = left < BATCH ? left : BATCH;

		at = serializer_room(s, (size_t)now * SERIALIZER_CI_BYTES);
		left -= now;
		while (now-- && targets_next(&k->targets, &target))
			at = serializer_ci_put(at,
					       (int32_t)(target - r->number));
		serializer_took(s, at);
	}
}

static bool
tick(const struct gcdump_records *w, node_id n, struct error *err)
{
	if (n % CHUNK_NODES)
		return true;
	if (w->s.to && !output_ok(w->s.to))
		return error_set(err, ERROR_SYSTEM, "it cannot be written");
	return progress_add(w->progress, CHUNK_NODES) || error_cancelled(err);
}

/* --- tables --------------------------------------------------------------- */

static void
place(struct gcdump_records *w, uint64_t offset)
{
	if (!w->is_measuring)
		serializer_i32(&w->s, (int32_t)offset);
}

static uint64_t
group_len(struct gcdump_records *w, uint32_t number)
{
	const struct gcdump_group *g = &w->groups.groups[number];
	uint64_t len =
	    serializer_ci_len((int32_t)((w->table.types_count + number) * 2));

	len += serializer_ci_len((int32_t)(g->groups_count + g->roots_count));
	for (uint32_t i = 0; i < g->groups_count; i++)
		len +=
		    serializer_ci_len((int32_t)(g->groups_first + i - number));
	for (uint32_t i = 0; i < g->roots_count; i++) {
		uint32_t root = w->groups.roots[g->roots_first + i];

		len += serializer_ci_len(
		    (int32_t)(number_of(w, w->heap->roots[root].object) -
			      number));
	}
	return len;
}

static void
put_ci(struct serializer *s, int32_t value)
{
	uint8_t *at = serializer_room(s, SERIALIZER_CI_BYTES);

	serializer_took(s, serializer_ci_put(at, value));
}

static void
put_group(struct gcdump_records *w, uint32_t number)
{
	const struct gcdump_group *g = &w->groups.groups[number];

	put_ci(&w->s, (int32_t)((w->table.types_count + number) * 2));
	put_ci(&w->s, (int32_t)(g->groups_count + g->roots_count));
	for (uint32_t i = 0; i < g->groups_count; i++)
		put_ci(&w->s, (int32_t)(g->groups_first + i - number));
	for (uint32_t i = 0; i < g->roots_count; i++) {
		uint32_t root = w->groups.roots[g->roots_first + i];

		put_ci(&w->s,
		       (int32_t)(number_of(w, w->heap->roots[root].object) -
				 number));
	}
}

bool
gcdump_records_place(struct gcdump_records *w, struct error *err)
{
	uint64_t at = GCDUMP_UNDEFINED_BYTES;
	struct walk k;
	node_id n;

	for (uint32_t i = 0; i < w->groups.count; i++) {
		place(w, at);
		at += group_len(w, i);
	}
	walk_begin(&k, w);
	while (walk_next(&k, &n)) {
		struct record r = record_of(w, n);

		place(w, at);
		at += record_len(&k, &r);
		walk_end(&k);
		if (!tick(w, n, err))
			return false;
	}
	w->len = at;
	return true;
}

/* Behind each other in the file: runs, and between them other nodes. */
static void
put_others_at(struct gcdump_records *w, const uint32_t *order, uint32_t *next,
	      uint64_t offset)
{
	const struct gcdump_origin *o = w->origin;

	for (; *next < o->others_count; ++*next) {
		const struct gcdump_other *other = &o->others[order[*next]];

		if (other->offset >= offset)
			break;
		serializer_bytes(&w->s, other->record.bytes, other->record.len);
	}
}

struct by_offset {
	uint32_t offset, other;
};

/* The others in the order of their records. */
static uint32_t *
order_others(const struct gcdump_origin *o, struct error *err)
{
	struct by_offset *by = memory_new(o->others_count, sizeof(*by), err);
	uint32_t *order = memory_new(o->others_count, sizeof(*order), err);

	for (uint32_t i = 0; by && i < o->others_count; i++)
		by[i] = (struct by_offset){ o->others[i].offset, i };
	if (by)
		SORT_BY(by, o->others_count, offset);
	for (uint32_t i = 0; by && order && i < o->others_count; i++)
		order[i] = by[i].other;
	if (!by) {
		memory_free(order);
		order = NULL;
	}
	memory_free(by);
	return order;
}

bool
gcdump_records_put(struct gcdump_records *w, struct error *err)
{
	const struct gcdump_origin *o = w->origin;
	uint32_t *order = o ? order_others(o, err) : NULL, next = 0;
	bool is_good = !o || order;
	struct walk k;
	node_id n;

	for (uint32_t i = 0; o && i < o->others_count; i++)
		w->offsets[o->others[i].index] = o->others[i].offset;
	serializer_bytes(&w->s, "\0", GCDUMP_UNDEFINED_BYTES);
	for (uint32_t i = 0; !o && i < w->groups.count; i++)
		put_group(w, i);
	walk_begin(&k, w);
	while (is_good && walk_next(&k, &n)) {
		struct record r = record_of(w, n);

		if (o && k.left + 1 == o->runs[k.run - 1].count)
			put_others_at(w, order, &next,
				      o->runs[k.run - 1].offset);
		if (w->offsets)
			w->offsets[r.number] = (uint32_t)w->s.at;
		put_record(&w->s, &k, &r);
		walk_end(&k);
		is_good = tick(w, n, err);
	}
	if (o && is_good)
		put_others_at(w, order, &next, UINT64_MAX);
	memory_free(order);
	return is_good;
}

/*
 * An object that has none, or one that another object has. With a name and a
 * size as pseudo-nodes have them, it would be taken for one.
 */
static uint64_t
made_up_address(const struct gcdump_records *w, node_id n)
{
	const struct gcdump_origin *o = w->origin;
	const struct heap *h = w->heap;

	if (o)
		return o->addresses[n - (h->nodes_count - o->addresses_count)];
	return !heap_size(h, n) && gcdump_name_is_pseudo(heap_type(h, n)->raw)
		   ? UINT64_C(8) * (n + UINT64_C(1))
		   : 0;
}

bool
gcdump_records_put_addresses(struct gcdump_records *w, struct error *err)
{
	const struct heap *h = w->heap;
	struct addresses_scan scan;

	addresses_scan_init(&scan, h->addresses, 0);
	for (uint32_t i = 0; !w->addresses && i < w->groups.count; i++)
		serializer_i64(&w->s, 0);
	for (node_id n = 0; n < h->nodes_count; n++) {
		uint64_t address;

		/* Those without one come last. */
		if (!addresses_scan_next(&scan, &address) ||
		    address_is_made_up(address))
			address = made_up_address(w, n);
		if (w->addresses)
			w->addresses[number_of(w, n)] = address;
		else
			serializer_i64(&w->s, (int64_t)address);
		if (!tick(w, n, err))
			return false;
	}
	return true;
}
