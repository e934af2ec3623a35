#include "io/gcdump_write.h"
#include "io/gcdump_groups.h"
#include "io/gcdump_roots.h"
#include "io/gcdump_table.h"
#include "io/serialization.h"
#include <inttypes.h>
#include <stdlib.h>

#define TICKS_PER_SECOND INT64_C(10000000)
#define TICKS_OF_1970    INT64_C(621355968000000000)
#define TICKS_MAX        INT64_C(3155378975999999999)

enum {
	VERSION = 10,
	OLDEST_READER = 8,
	/* A record's bytes are at most these, and 5 a reference. */
	RECORD_MAX = 3 * SERIALIZER_CI_BYTES,
	UNDEFINED_BYTES = 2, /* the record at offset 0 */
	BATCH = SERIALIZER_BYTES / SERIALIZER_CI_BYTES
};

const struct gcdump_limits gcdump_limits = {
	.nodes = INT32_MAX,
	.records_bytes = INT32_MAX,
	.file_bytes = UINT32_MAX,
	.object_bytes = INT32_MAX,
};

struct writer {
	struct serializer s;
	const struct heap *heap;
	const struct gcdump_origin *origin; /* NULL: made anew */
	const struct gcdump_limits *limits;
	struct progress *progress;
	struct gcdump_table table;
	struct gcdump_groups groups; /* if made anew */
	const uint32_t *numbers;     /* nodes by id; NULL: in order */
	uint32_t *made_numbers;
	uint32_t first;      /* node of id 0, if they are in order */
	uint32_t *offsets;   /* by node; NULL: written as they come */
	uint64_t *addresses; /* the same */
	uint64_t records_len;
	bool is_measuring;     /* where nothing is written */
	struct gcdump_run all; /* the only run, if made anew */
};

static inline uint32_t
number_of(const struct writer *w, node_id n)
{
	return w->numbers ? w->numbers[n] : w->first + n;
}

static uint32_t
nodes_count(const struct writer *w)
{
	return w->origin ? w->origin->nodes_count
			 : w->groups.count + w->heap->nodes_count;
}

/* --- records of objects ------------------------------------------------- */

/* What the heap left out is put back between its references. */
struct targets {
	const struct writer *w;
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
	const struct writer *w;
	struct refs_scan scan;
	const struct gcdump_lost *lost, *lost_end;
	uint32_t run, left; /* objects of the run */
	node_id node;
	struct targets targets;
};

static void
walk_begin(struct walk *k, const struct writer *w)
{
	*k = (struct walk){ .w = w };
}

static void
walk_begin_run(struct walk *k)
{
	const struct gcdump_origin *o = k->w->origin;
	const struct gcdump_run *run = o ? &o->runs[k->run] : &k->w->all;
	uint32_t low = 0, high = o ? o->lost_count : 0;

	k->run++;
	k->left = run->count;
	k->node = run->first;
	refs_scan_init(&k->scan, k->w->heap, run->first);
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (o->lost[middle].id < run->first)
			low = middle + 1;
		else
			high = middle;
	}
	k->lost = o ? o->lost + low : NULL;
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
record_of(const struct writer *w, node_id n)
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
	uint8_t *at = serializer_room(s, RECORD_MAX);
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
tick(const struct writer *w, node_id n, struct error *err)
{
	if (n % CHUNK_NODES)
		return true;
	if (w->s.to && !output_ok(w->s.to))
		return error_set(err, ERROR_SYSTEM, "it cannot be written");
	return progress_add(w->progress, CHUNK_NODES) || error_cancelled(err);
}

/* --- nodes are numbered as they are mentioned --------------------------- */

struct numbering {
	const struct gcdump_origin *origin;
	uint32_t *numbers;
	uint32_t next, others_at, numbered_at;
};

/* The next number that no node has of its own. */
static inline uint32_t
next_number(struct numbering *g)
{
	const struct gcdump_origin *o = g->origin;

	for (;; g->next++) {
		if (g->others_at < o->others_count &&
		    o->others[g->others_at].index == g->next)
			g->others_at++;
		else if (g->numbered_at < o->numbered_count &&
			 o->numbered[g->numbered_at].index == g->next)
			g->numbered_at++;
		else
			return g->next++;
	}
}

static bool
make_numbers(struct writer *w, struct error *err)
{
	const struct heap *h = w->heap;
	const struct gcdump_origin *o = w->origin;
	struct numbering g = { .origin = o };
	struct walk k;
	node_id n, target;

	w->made_numbers = memory_new(h->nodes_count, sizeof(uint32_t), err);
	w->numbers = g.numbers = w->made_numbers;
	if (!w->numbers)
		return false;
	memset(g.numbers, 0xff, h->nodes_count * sizeof(uint32_t));
	for (uint32_t i = 0; i < o->numbered_count; i++)
		g.numbers[o->numbered[i].id] = o->numbered[i].index;
	walk_begin(&k, w);
	while (walk_next(&k, &n)) {
		if (g.numbers[n] == NODE_NONE)
			g.numbers[n] = next_number(&g);
		while (refs_next(&k.targets.refs, &target))
			if (g.numbers[target] == NODE_NONE)
				g.numbers[target] = next_number(&g);
		walk_end(&k);
		if (!tick(w, n, err))
			return false;
	}
	return true;
}

/* --- tables --------------------------------------------------------------- */

static void
place(struct writer *w, uint32_t number, uint64_t offset)
{
	if (w->offsets)
		w->offsets[number] = (uint32_t)offset;
	else if (!w->is_measuring)
		serializer_i32(&w->s, (int32_t)offset);
}

static uint64_t
group_len(const struct writer *w, uint32_t number)
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
put_group(struct writer *w, uint32_t number)
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

/* Where each record will be. */
static bool
place_records(struct writer *w, struct error *err)
{
	const struct gcdump_origin *o = w->origin;
	uint64_t at = UNDEFINED_BYTES;
	struct walk k;
	node_id n;

	for (uint32_t i = 0; o && i < o->others_count; i++)
		place(w, o->others[i].index, o->others[i].offset);
	for (uint32_t i = 0; !o && i < w->groups.count; i++) {
		place(w, i, at);
		at += group_len(w, i);
	}
	walk_begin(&k, w);
	while (walk_next(&k, &n)) {
		struct record r = record_of(w, n);

		if (o && k.left + 1 == o->runs[k.run - 1].count)
			at = o->runs[k.run - 1].offset;
		place(w, r.number, at);
		at += record_len(&k, &r);
		walk_end(&k);
		if (!tick(w, n, err))
			return false;
	}
	w->records_len = o ? o->records_len : at;
	return true;
}

/* Behind each other in the file: runs, and between them other nodes. */
static void
put_others_at(struct writer *w, const uint32_t *order, uint32_t *next,
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

static int
compare_offsets(const void *a, const void *b)
{
	const struct by_offset *x = a, *y = b;

	return (x->offset > y->offset) - (x->offset < y->offset);
}

/* The others in the order of their records. */
static uint32_t *
order_others(const struct gcdump_origin *o, struct error *err)
{
	struct by_offset *by = memory_new(o->others_count, sizeof(*by), err);
	uint32_t *order = memory_new(o->others_count, sizeof(*order), err);

	for (uint32_t i = 0; by && i < o->others_count; i++)
		by[i] = (struct by_offset){ o->others[i].offset, i };
	if (by && o->others_count)
		qsort(by, o->others_count, sizeof(*by), compare_offsets);
	for (uint32_t i = 0; by && order && i < o->others_count; i++)
		order[i] = by[i].other;
	if (!by) {
		memory_free(order);
		order = NULL;
	}
	memory_free(by);
	return order;
}

static bool
put_records(struct writer *w, struct error *err)
{
	const struct gcdump_origin *o = w->origin;
	uint32_t *order = o ? order_others(o, err) : NULL, next = 0;
	bool is_good = !o || order;
	struct walk k;
	node_id n;

	serializer_bytes(&w->s, "\0", UNDEFINED_BYTES);
	for (uint32_t i = 0; !o && i < w->groups.count; i++)
		put_group(w, i);
	walk_begin(&k, w);
	while (is_good && walk_next(&k, &n)) {
		struct record r = record_of(w, n);

		if (o && k.left + 1 == o->runs[k.run - 1].count)
			put_others_at(w, order, &next,
				      o->runs[k.run - 1].offset);
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
made_up_address(const struct writer *w, node_id n)
{
	const struct gcdump_origin *o = w->origin;
	const struct heap *h = w->heap;

	if (o)
		return o->addresses[n - (h->nodes_count - o->addresses_count)];
	return !heap_size(h, n) && gcdump_name_is_pseudo(heap_type(h, n)->raw)
		   ? UINT64_C(8) * (n + UINT64_C(1))
		   : 0;
}

static bool
put_addresses(struct writer *w, struct error *err)
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

/* --- the same file again ----------------------------------------------------
 */

static void
put_part(struct writer *w, struct gcdump_part part)
{
	serializer_bytes(&w->s, part.bytes, part.len);
}

static bool
put_offsets(struct writer *w, struct error *err)
{
	uint32_t count = w->origin->nodes_count;

	w->offsets = memory_new(count, sizeof(*w->offsets), err);
	if (!w->offsets || !place_records(w, err))
		return false;
	for (uint32_t i = 0; i < count; i++)
		serializer_i32(&w->s, (int32_t)w->offsets[i]);
	memory_free(w->offsets);
	w->offsets = NULL;
	return true;
}

static bool
put_all_addresses(struct writer *w, struct error *err)
{
	const struct gcdump_origin *o = w->origin;

	w->addresses = memory_new(o->nodes_count, sizeof(*w->addresses), err);
	if (!w->addresses)
		return false;
	for (uint32_t i = 0; i < o->others_count; i++)
		w->addresses[o->others[i].index] = o->others[i].address;
	if (!put_addresses(w, err))
		return false;
	for (uint32_t i = 0; i < o->nodes_count; i++)
		serializer_i64(&w->s, (int64_t)w->addresses[i]);
	return true;
}

static bool
write_again(struct writer *w, struct error *err)
{
	const struct gcdump_origin *o = w->origin;

	progress_begin(w->progress, "writing",
		       (uint64_t)w->heap->nodes_count * (o->numbers ? 3 : 4));
	w->numbers = o->numbers;
	if (!o->numbers && !make_numbers(w, err))
		return false;
	put_part(w, o->head);
	if (!put_offsets(w, err))
		return false;
	put_part(w, o->before_records);
	if (!put_records(w, err))
		return false;
	put_part(w, o->after_records);
	if (!put_all_addresses(w, err))
		return false;
	put_part(w, o->tail);
	return true;
}

/* --- a file of our own --------------------------------------------------- */

static void
put_types(struct writer *w)
{
	serializer_i32(&w->s,
		       (int32_t)(w->table.types_count + w->groups.count));
	gcdump_table_put(&w->table, &w->s);
	for (uint32_t i = 0; i < w->groups.count; i++) {
		serializer_string(&w->s, w->groups.groups[i].name);
		serializer_i32(&w->s, 0);
		serializer_string(&w->s, NULL);
	}
}

/* Up to the number of nodes. */
static void
put_head(struct writer *w)
{
	uint32_t dump = 0, graph = 0;

	serializer_object(&w->s, "GCHeapDump", VERSION, OLDEST_READER, &dump);
	serializer_object(&w->s, "Graphs.MemoryGraph", 1, 0, &graph);
	serializer_i64(&w->s, (int64_t)w->heap->bytes_count);
	serializer_i32(&w->s, 0); /* the root */
	put_types(w);
}

/* Ends of the generations 0, 1, 2, of large and of pinned objects. */
static bool
put_segment(struct writer *w, const struct range *r, uint32_t *label)
{
	if (r->generation > GEN_POH)
		return false;
	if (!label)
		return true;
	serializer_object(&w->s, "GCHeapDumpSegment", 1, 1, label);
	serializer_i64(&w->s, (int64_t)r->start);
	serializer_i64(&w->s, (int64_t)r->end);
	for (int gen = GEN_0; gen <= GEN_POH; gen++)
		serializer_i64(&w->s,
			       gen == r->generation ? (int64_t)r->end : 0);
	serializer_end(&w->s);
	return true;
}

static void
put_segments(struct writer *w)
{
	const struct heap *h = w->heap;
	uint32_t info = 0, segment = 0;
	int32_t count = 0;
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < h->ranges_count; i++) {
		if (!put_segment(w, &h->ranges[i], NULL))
			continue;
		count++;
		bytes += h->ranges[i].end - h->ranges[i].start;
	}
	if (!count) {
		serializer_u8(&w->s, TAG_NULL);
		return;
	}
	serializer_object(&w->s, "DotNetHeapInfo", 0, 0, &info);
	serializer_i64(&w->s, (int64_t)bytes);
	serializer_i32(&w->s, count);
	for (uint32_t i = 0; i < h->ranges_count; i++)
		put_segment(w, &h->ranges[i], &segment);
	serializer_end(&w->s);
}

static int64_t
ticks_of(int64_t time)
{
	if (!time || time > (TICKS_MAX - TICKS_OF_1970) / TICKS_PER_SECOND ||
	    time < -TICKS_OF_1970 / TICKS_PER_SECOND)
		return 0;
	return TICKS_OF_1970 + time * TICKS_PER_SECOND;
}

/* A sampled dump: what each object of a type stands for. */
static void
put_multipliers(struct writer *w)
{
	const struct heap *h = w->heap;

	if (!h->info.is_sampled) {
		serializer_i32(&w->s, 0);
		return;
	}
	serializer_i32(&w->s,
		       (int32_t)(w->table.types_count + w->groups.count));
	for (uint32_t i = 0; i < w->table.types_count; i++) {
		type_id id = w->table.types[i].id;

		serializer_f32(
		    &w->s, id < h->types_count ? h->types[id].multiplier : 1);
	}
	for (uint32_t i = 0; i < w->groups.count; i++)
		serializer_f32(&w->s, 1);
}

/* 0 is what is not known, and then it is 1. */
static float
multiplier(double value)
{
	return value > 0 ? (float)value : 1;
}

/* From behind the addresses. */
static void
put_tail(struct writer *w)
{
	const struct heap_info *info = &w->heap->info;
	uint32_t forward;

	serializer_u8(&w->s, TAG_BYTE);
	serializer_u8(&w->s, info->is_64bit);
	serializer_end(&w->s);
	serializer_u8(&w->s, info->is_64bit);
	serializer_f32(&w->s, multiplier(info->count_multiplier));
	serializer_f32(&w->s, multiplier(info->size_multiplier));
	serializer_u8(&w->s, TAG_NULL); /* no JavaScript */
	put_segments(w);
	serializer_string(&w->s, info->log);
	serializer_i64(&w->s, ticks_of(info->time));
	serializer_string(&w->s, info->machine);
	serializer_string(&w->s, info->process);
	serializer_i32(&w->s, info->pid);
	serializer_i64(&w->s, (int64_t)info->commit_bytes);
	serializer_i64(&w->s, (int64_t)info->working_set_bytes);
	put_multipliers(w);
	serializer_u8(&w->s, TAG_SKIP_REGION);
	serializer_i32(&w->s, 0);
	serializer_u8(&w->s, TAG_NULL); /* no COM data */
	forward = (uint32_t)w->s.at;
	serializer_u8(&w->s, TAG_STRING);
	serializer_string(&w->s, "heaptop");
	serializer_end(&w->s);
	serializer_finish(&w->s, forward);
}

static bool
refuse(const char *what, uint64_t limit, uint64_t found, struct error *err)
{
	return error_set(err, ERROR_USAGE,
			 "a .gcdump has room for %" PRIu64 " %s, and this heap "
			 "needs %" PRIu64 ": keep it as FILE.heaptop",
			 limit, what, found);
}

/*
 * Before the first byte is written. How long the records are is found out only
 * where it may be too long.
 */
static bool
check_limits(struct writer *w, struct error *err)
{
	const struct heap *h = w->heap;
	uint64_t nodes = (uint64_t)w->groups.count + h->nodes_count;
	uint64_t refs = h->refs_count + h->roots_count + w->groups.count;
	uint64_t file;

	if (nodes > w->limits->nodes)
		return refuse("objects", w->limits->nodes, nodes, err);
	w->records_len =
	    UNDEFINED_BYTES + nodes * RECORD_MAX + refs * SERIALIZER_CI_BYTES;
	serializer_begin(&w->s, NULL);
	put_head(w);
	put_tail(w);
	file = w->s.at + 12 + nodes * 12;
	if (w->records_len > w->limits->records_bytes ||
	    file + w->records_len > w->limits->file_bytes) {
		w->is_measuring = true;
		if (!place_records(w, err))
			return false;
		w->is_measuring = false;
	}
	if (w->records_len > w->limits->records_bytes)
		return refuse("bytes of records", w->limits->records_bytes,
			      w->records_len, err);
	file += w->records_len;
	return file <= w->limits->file_bytes ||
	       refuse("bytes", w->limits->file_bytes, file, err);
}

static bool
write_new(struct writer *w, struct output *to, struct error *err)
{
	if (!gcdump_groups_init(&w->groups, w->heap, err))
		return false;
	w->first = w->groups.count;
	w->all = (struct gcdump_run){ 0, w->heap->nodes_count, 0 };
	progress_begin(w->progress, "writing",
		       (uint64_t)w->heap->nodes_count * 3);
	if (!check_limits(w, err))
		return false;
	serializer_begin(&w->s, to);
	put_head(w);
	serializer_i32(&w->s, (int32_t)nodes_count(w));
	if (!place_records(w, err))
		return false;
	serializer_i32(&w->s, (int32_t)w->records_len);
	if (!put_records(w, err))
		return false;
	serializer_i32(&w->s, (int32_t)nodes_count(w));
	if (!put_addresses(w, err))
		return false;
	put_tail(w);
	return true;
}

static bool
write_heap(struct output *to, const struct heap *h,
	   const struct gcdump_origin *origin,
	   const struct gcdump_limits *limits, struct progress *progress,
	   struct error *err)
{
	struct writer *w;
	bool is_good;

	if (!h->has_objects)
		return error_set(err, ERROR_USAGE,
				 "a .gcdump tells of objects, and this heap "
				 "has none");
	w = memory_new(1, sizeof(*w), err);
	if (!w)
		return false;
	w->heap = h;
	w->origin = origin;
	w->limits = limits;
	w->progress = progress;
	w->s.to = to;
	is_good = gcdump_table_init(&w->table, h, origin, limits->object_bytes,
				    progress, err) &&
		  (origin ? write_again(w, err) : write_new(w, to, err));
	serializer_flush(&w->s);
	/* What the disk says is told by output_close(). */
	if (!output_ok(to)) {
		error_clear(err);
		is_good = true;
	}
	memory_free(w->made_numbers);
	memory_free(w->offsets);
	memory_free(w->addresses);
	gcdump_groups_clear(&w->groups);
	gcdump_table_clear(&w->table);
	memory_free(w);
	return is_good;
}

static bool
is_as_it_was(const struct heap *h)
{
	return h->info.origin && !h->info.origin->lacks;
}

bool
gcdump_write(struct output *to, const struct heap *h, struct progress *progress,
	     struct error *err)
{
	return write_heap(to, h, is_as_it_was(h) ? h->info.origin : NULL,
			  &gcdump_limits, progress, err);
}

bool
gcdump_write_anew(struct output *to, const struct heap *h,
		  const struct gcdump_limits *limits, struct progress *progress,
		  struct error *err)
{
	return write_heap(to, h, NULL, limits, progress, err);
}

const char *
gcdump_write_warning(const struct heap *h)
{
	static _Thread_local char text[200];
	const char *lacks = h->info.origin ? h->info.origin->lacks : NULL;

	if (lacks) {
		snprintf(text, sizeof(text),
			 "not byte for byte what was read: %s", lacks);
		return text;
	}
	if (h->weak_count && !h->info.origin)
		return "weak handles are left out: a .gcdump has no place for "
		       "them";
	return NULL;
}
