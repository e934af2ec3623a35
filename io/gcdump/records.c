#include "io/gcdump/records.h"
#include "io/gcdump/roots.h"

enum { BATCH = SERIALIZER_BYTES / SERIALIZER_CI_BYTES };

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

	return (struct record){ w->first + n, (int32_t)(type * 2 + has_size),
				size };
}

/* Distance from the object to one that it refers to. */
static inline int32_t
delta_of(const struct gcdump_records *w, const struct record *r, node_id target)
{
	return (int32_t)(w->first + target - r->number);
}

/* Consumes the references, as put_record() does. */
static inline uint64_t
record_len(const struct gcdump_records *w, struct refs *refs,
	   const struct record *r)
{
	uint64_t len =
	    serializer_ci_len(r->head) + serializer_ci_len((int32_t)refs->left);
	node_id target;

	if (r->head & 1)
		len += serializer_ci_len(r->size);
	while (refs_next(refs, &target))
		len += serializer_ci_len(delta_of(w, r, target));
	return len;
}

static void
put_record(struct gcdump_records *w, struct refs *refs, const struct record *r)
{
	struct serializer *s = &w->s;
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
		    (int32_t)(w->first + w->heap->roots[root].object - number));
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

		put_ci(&w->s, (int32_t)(w->first + w->heap->roots[root].object -
					number));
	}
}

bool
gcdump_records_place(struct gcdump_records *w, struct error *err)
{
	uint64_t at = GCDUMP_UNDEFINED_BYTES;
	struct refs_scan scan;

	for (uint32_t i = 0; i < w->groups.count; i++) {
		place(w, at);
		at += group_len(w, i);
	}
	refs_scan_init(&scan, w->heap, 0);
	for (node_id n = 0; n < w->heap->nodes_count; n++) {
		struct record r = record_of(w, n);
		struct refs refs = refs_scan_begin(&scan);

		place(w, at);
		at += record_len(w, &refs, &r);
		refs_scan_end(&scan, &refs);
		if (!tick(w, n, err))
			return false;
	}
	w->len = at;
	return true;
}

bool
gcdump_records_put(struct gcdump_records *w, struct error *err)
{
	struct refs_scan scan;

	serializer_bytes(&w->s, "\0", GCDUMP_UNDEFINED_BYTES);
	for (uint32_t i = 0; i < w->groups.count; i++)
		put_group(w, i);
	refs_scan_init(&scan, w->heap, 0);
	for (node_id n = 0; n < w->heap->nodes_count; n++) {
		struct record r = record_of(w, n);
		struct refs refs = refs_scan_begin(&scan);

		put_record(w, &refs, &r);
		refs_scan_end(&scan, &refs);
		if (!tick(w, n, err))
			return false;
	}
	return true;
}

/*
 * For an object without an address of its own. If its name and size are those
 * of a pseudo-node, it needs one so as not to be taken for a pseudo-node.
 */
static uint64_t
made_up_address(const struct gcdump_records *w, node_id n)
{
	const struct heap *h = w->heap;

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
	for (uint32_t i = 0; i < w->groups.count; i++)
		serializer_i64(&w->s, 0);
	for (node_id n = 0; n < h->nodes_count; n++) {
		uint64_t address;

		/* Objects without an address come last. */
		if (!addresses_scan_next(&scan, &address) ||
		    address_is_made_up(address))
			address = made_up_address(w, n);
		serializer_i64(&w->s, (int64_t)address);
		if (!tick(w, n, err))
			return false;
	}
	return true;
}
