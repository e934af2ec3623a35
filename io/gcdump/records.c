#include "io/gcdump/records.h"
#include "io/gcdump/roots.h"
#include "model/base/arena.h"

enum {
	BATCH = SERIALIZER_BYTES / SERIALIZER_CI_BYTES,
	PART_NODES = 4096, /* their records mostly fit into a buffer */
};

/* The objects that a thread writes, once all before them are written. */
struct part {
	struct gcdump_records *w;
	struct worker_turns *turns;
	uint64_t number;
	bool has_turn;
	node_id first, end;
	struct serializer s;
	uint32_t lens[PART_NODES]; /* bytes of each record */
};

/* --- records of objects ------------------------------------------------- */

struct record {
	uint32_t number;
	int32_t head, size; /* the size is written if the head is odd */
};

static inline struct record
record_of(const struct gcdump_records *w, node_id n)
{
	int32_t size = (int32_t)heap_size(w->heap, n);
	uint32_t type = gcdump_table_of(&w->table, n, size);
	bool has_size = size != w->table.types[type].size;

	return (struct record){ w->first + n, (int32_t)(type * 2 + has_size), size };
}

/* Distance from the object to one that it refers to. */
static inline int32_t
delta_of(const struct gcdump_records *w, const struct record *r, node_id target)
{
	return (int32_t)(w->first + target - r->number);
}

/* Consumes the references, as put_record() does. */
static inline uint64_t
record_len(const struct gcdump_records *w, struct refs *refs, const struct record *r)
{
	uint64_t len = serializer_ci_len(r->head) + serializer_ci_len((int32_t)refs->left);
	node_id target;

	if (r->head & 1)
		len += serializer_ci_len(r->size);
	while (refs_next(refs, &target))
		len += serializer_ci_len(delta_of(w, r, target));
	return len;
}

static void
put_record(struct part *p, struct refs *refs, const struct record *r)
{
	const struct gcdump_records *w = p->w;
	struct serializer *s = &p->s;
	uint8_t *at = serializer_room(s, GCDUMP_RECORD_MAX);
	node_id target;

	at = serializer_ci_put(at, r->head);
	if (r->head & 1)
		at = serializer_ci_put(at, r->size);
	at = serializer_ci_put(at, (int32_t)refs->left);
	serializer_took(s, at);
	while (refs->left) {
		size_t now = refs->left < BATCH ? (size_t)refs->left : BATCH;

		at = serializer_room(s, now * SERIALIZER_CI_BYTES);
		while (now-- && refs_next(refs, &target))
			at = serializer_ci_put(at, delta_of(w, r, target));
		serializer_took(s, at);
	}
}

/* --- parts ---------------------------------------------------------------- */

static bool
wait_turn(void *part)
{
	struct part *p = part;

	p->has_turn = p->has_turn || worker_turn_wait(p->turns, p->number);
	return p->has_turn;
}

struct parts {
	struct gcdump_records *w;
	struct worker_turns turns;
	void (*put)(struct part *p);
	struct part *threads[WORKER_MAX];
};

static bool
run_part(void *context, uint64_t number, unsigned thread, struct error *err)
{
	struct parts *all = context;
	struct gcdump_records *w = all->w;
	struct part *p = all->threads[thread];
	node_id left;
	bool ok;

	p->number = number;
	p->has_turn = false;
	p->first = (node_id)(number * PART_NODES);
	left = w->heap->nodes_count - p->first;
	p->end = p->first + (left < PART_NODES ? left : PART_NODES);
	all->put(p);
	ok = wait_turn(p);
	serializer_flush(&p->s);
	if (ok && w->s.to && !output_ok(w->s.to))
		ok = error_set(err, ERROR_SYSTEM, "it cannot be written");
	if (ok && !progress_add(w->progress, p->end - p->first))
		ok = error_cancelled(err);
	worker_turn_pass(&all->turns, ok);
	return ok;
}

static struct part *
part_new(struct parts *all, struct error *err)
{
	struct part *p = memory_new(1, sizeof(*p), err);

	if (!p)
		return NULL;
	p->w = all->w;
	p->turns = &all->turns;
	p->s.to = all->w->is_measuring ? NULL : all->w->s.to;
	p->s.may_write = wait_turn;
	p->s.context = p;
	return p;
}

/* Puts all objects on all threads. */
static bool
put_all(struct gcdump_records *w, void (*put)(struct part *p), struct error *err)
{
	struct parts all = { .w = w, .put = put };
	uint64_t count = ((uint64_t)w->heap->nodes_count + PART_NODES - 1) / PART_NODES;
	unsigned threads = worker_threads();
	bool ok = true;

	serializer_flush(&w->s);
	worker_turns_init(&all.turns);
	for (unsigned i = 0; i < threads && ok; i++) {
		all.threads[i] = part_new(&all, err);
		ok = all.threads[i] != NULL;
	}
	ok = ok && worker_run_all(threads, count, run_part, &all, err);
	for (unsigned i = 0; i < threads; i++) {
		if (all.threads[i])
			w->s.at += all.threads[i]->s.at;
		memory_free(all.threads[i]);
	}
	worker_turns_clear(&all.turns);
	return ok;
}

/* --- tables --------------------------------------------------------------- */

static uint64_t
group_len(struct gcdump_records *w, uint32_t number)
{
	const struct gcdump_group *g = &w->groups.groups[number];
	uint64_t len = serializer_ci_len((int32_t)((w->table.types_count + number) * 2));

	len += serializer_ci_len((int32_t)(g->groups_count + g->roots_count));
	for (uint32_t i = 0; i < g->groups_count; i++)
		len += serializer_ci_len((int32_t)(g->groups_first + i - number));
	for (uint32_t i = 0; i < g->roots_count; i++) {
		uint32_t root = w->groups.roots[g->roots_first + i];

		len +=
		    serializer_ci_len((int32_t)(w->first + w->heap->roots[root].object - number));
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

		put_ci(&w->s, (int32_t)(w->first + w->heap->roots[root].object - number));
	}
}

static void
place_part(struct part *p)
{
	struct gcdump_records *w = p->w;
	uint64_t len = 0;
	struct refs_scan scan;

	refs_scan_init(&scan, w->heap, p->first);
	for (node_id n = p->first; n < p->end; n++) {
		struct record r = record_of(w, n);
		struct refs refs = refs_scan_begin(&scan);
		uint64_t now = record_len(w, &refs, &r);

		p->lens[n - p->first] = (uint32_t)now;
		len += now;
		refs_scan_end(&scan, &refs);
	}
	if (!wait_turn(p))
		return;
	for (node_id n = p->first; !w->is_measuring && n < p->end; n++) {
		serializer_i32(&p->s, (int32_t)w->len);
		w->len += p->lens[n - p->first];
	}
	w->len += w->is_measuring ? len : 0;
}

bool
gcdump_records_place(struct gcdump_records *w, struct error *err)
{
	w->len = GCDUMP_UNDEFINED_BYTES;
	for (uint32_t i = 0; i < w->groups.count; i++) {
		if (!w->is_measuring)
			serializer_i32(&w->s, (int32_t)w->len);
		w->len += group_len(w, i);
	}
	return put_all(w, place_part, err);
}

static void
put_part(struct part *p)
{
	struct refs_scan scan;

	refs_scan_init(&scan, p->w->heap, p->first);
	for (node_id n = p->first; n < p->end; n++) {
		struct record r = record_of(p->w, n);
		struct refs refs = refs_scan_begin(&scan);

		put_record(p, &refs, &r);
		refs_scan_end(&scan, &refs);
	}
}

bool
gcdump_records_put(struct gcdump_records *w, struct error *err)
{
	serializer_bytes(&w->s, "\0", GCDUMP_UNDEFINED_BYTES);
	for (uint32_t i = 0; i < w->groups.count; i++)
		put_group(w, i);
	return put_all(w, put_part, err);
}

/*
 * For an object without an address of its own. If its name and size are those of a pseudo-node, it
 * needs one so as not to be taken for a pseudo-node.
 */
static uint64_t
made_up_address(const struct gcdump_records *w, node_id n)
{
	const struct heap *h = w->heap;

	return !heap_size(h, n) && gcdump_name_is_pseudo(heap_type(h, n)->raw)
		   ? UINT64_C(8) * (n + UINT64_C(1))
		   : 0;
}

static void
put_addresses(struct part *p)
{
	struct addresses_scan scan;

	addresses_scan_init(&scan, p->w->heap->addresses, p->first);
	for (node_id n = p->first; n < p->end; n++) {
		uint64_t address;

		/* Objects without an address come last. */
		if (!addresses_scan_next(&scan, &address) || address_is_made_up(address))
			address = made_up_address(p->w, n);
		serializer_i64(&p->s, (int64_t)address);
	}
}

bool
gcdump_records_put_addresses(struct gcdump_records *w, struct error *err)
{
	for (uint32_t i = 0; i < w->groups.count; i++)
		serializer_i64(&w->s, 0);
	return put_all(w, put_addresses, err);
}
