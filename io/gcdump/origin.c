#include "io/gcdump/origin.h"
#include "model/base/sorted.h"
#include "model/base/worker.h"
#include <stdlib.h>

enum {
	PART_BYTES = 1 << 20, /* of records, checked by one thread */
	FEW = 1 << 17,        /* so many of anything are kept in any case */
	NUMBERS_MAX = 1 << 24 /* objects; 64 MiB of numbers */
};

/* --- what a thread notes ------------------------------------------------- */

void
gcdump_recorder_clear(struct gcdump_recorder *r)
{
	memory_free(r->runs);
	memory_free(r->jumps);
	memory_free(r->odd);
	memory_free(r->lost);
}

/* No record is at offset 0: the next one cannot follow. */
void
gcdump_recorder_cut(struct gcdump_recorder *r)
{
	if (r->end && r->runs_count && !r->has_too_many) {
		r->runs[r->runs_count - 1].end = r->end;
		r->runs[r->runs_count - 1].next = r->next;
	}
	r->end = r->next = 0;
}

/* Of what should be rare: it is given up when it is not. */
static bool
has_room(struct gcdump_recorder *r, size_t count, node_id id)
{
	if (count > FEW && count > id / 8)
		r->has_too_many = true;
	return !r->has_too_many;
}

bool
gcdump_record_run(struct gcdump_recorder *r, node_id id, uint32_t offset,
		  struct error *err)
{
	gcdump_recorder_cut(r);
	if (!has_room(r, r->runs_count, id))
		return true;
	if (!memory_make_room(&r->runs, r->runs_count, &r->runs_room,
			      sizeof(*r->runs), err))
		return false;
	r->runs[r->runs_count++] = (struct gcdump_seen_run){
		.first = id,
		.offset = offset,
		.jumps_first = (uint32_t)r->jumps_count,
		.by = r,
	};
	return true;
}

static bool
record_jump(struct gcdump_recorder *r, uint32_t *next, uint32_t mentioned,
	    struct error *err)
{
	uint32_t from = *next;

	if (mentioned < from)
		return true;
	*next = mentioned + 1;
	if (mentioned == from)
		return true;
	if (!memory_make_room(&r->jumps, r->jumps_count, &r->jumps_room,
			      sizeof(*r->jumps), err))
		return false;
	r->jumps[r->jumps_count++] = (struct gcdump_jump){ from, mentioned };
	r->runs[r->runs_count - 1].jumps_count++;
	return true;
}

bool
gcdump_record_jumps(struct gcdump_recorder *r, uint32_t from, uint32_t index,
		    const uint32_t *targets, uint32_t count, struct error *err)
{
	if (r->jumps_count > FEW && r->jumps_count > index / 8)
		r->has_many_jumps = true;
	if (r->has_too_many || r->has_many_jumps)
		return true;
	if (!record_jump(r, &from, index, err))
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (!record_jump(r, &from, targets[i], err))
			return false;
	return true;
}

bool
gcdump_record_odd(struct gcdump_recorder *r, node_id id, uint32_t type,
		  struct error *err)
{
	if (!has_room(r, r->odd_count, id))
		return true;
	if (!memory_make_room(&r->odd, r->odd_count, &r->odd_room,
			      sizeof(*r->odd), err))
		return false;
	r->odd[r->odd_count++] = (struct gcdump_odd){ id, type };
	return true;
}

bool
gcdump_record_lost(struct gcdump_recorder *r, node_id id, uint32_t place,
		   uint32_t target, struct error *err)
{
	if (!has_room(r, r->lost_count, id))
		return true;
	if (!memory_make_room(&r->lost, r->lost_count, &r->lost_room,
			      sizeof(*r->lost), err))
		return false;
	r->lost[r->lost_count++] = (struct gcdump_lost){ id, place, target };
	return true;
}

/* --- all together -------------------------------------------------------- */

struct making {
	const struct gcdump_reading *r;
	struct gcdump_origin *origin;
	struct arena *arena; /* the heap's */
	struct gcdump_seen_run *runs;
	size_t runs_count;
	uint32_t *known; /* nodes with a number of their own, ascending */
	size_t known_count;
	struct gcdump_other *others; /* the origin's */
};

static int
compare_offsets(const void *a, const void *b)
{
	const struct gcdump_seen_run *x = a, *y = b;

	return (x->offset > y->offset) - (x->offset < y->offset);
}

static int
compare_other_offsets(const void *a, const void *b)
{
	const struct gcdump_other *x = a, *y = b;

	return (x->offset > y->offset) - (x->offset < y->offset);
}

static int
compare_lost(const void *a, const void *b)
{
	const struct gcdump_lost *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return (x->place > y->place) - (x->place < y->place);
}

static void
sort(void *items, size_t count, size_t size,
     int (*compare)(const void *, const void *))
{
	if (count > 1)
		qsort(items, count, size, compare);
}

/* --- the nodes that are no objects ------------------------------------ */

/* The record at `offset`; empty if it cannot be followed to its end. */
static struct gcdump_part
record_at(const struct gcdump_graph *g, uint32_t offset)
{
	struct gcdump_part none = { NULL, 0 };
	struct bytes_run run;
	int32_t head, count, delta;

	if (offset >= g->records.count)
		return none;
	run = bytes_array_run(&g->records, offset);
	if (!bytes_run_next(&run, &head) ||
	    ((head & 1) && !bytes_run_next(&run, &count)) ||
	    !bytes_run_next(&run, &count) || count < 0)
		return none;
	for (int32_t i = 0; i < count; i++)
		if (!bytes_run_next(&run, &delta))
			return none;
	return (struct gcdump_part){ g->records.data + offset,
				     (size_t)(run.at - g->records.data) -
					 offset };
}

/* By offset: a record that reaches into the next one is the last looked at. */
static void
find_records(struct making *m, struct gcdump_other *others)
{
	const struct gcdump_graph *g = m->r->graph;
	uint64_t end = 0;

	for (size_t i = 0; i < m->r->others_count; i++) {
		struct gcdump_other *o = &others[i];

		if (!o->offset)
			continue;
		if (o->offset < end) {
			m->origin->lacks = "its records do not lie one behind "
					   "the other";
			return;
		}
		o->record = record_at(g, o->offset);
		if (!o->record.len) {
			m->origin->lacks = "some of its records are damaged";
			return;
		}
		end = o->offset + o->record.len;
	}
}

static bool
make_others(struct making *m, struct error *err)
{
	const struct gcdump_graph *g = m->r->graph;
	struct gcdump_other *others =
	    arena_array(m->arena, struct gcdump_other, m->r->others_count, err);

	if (!others)
		return false;
	for (size_t i = 0; i < m->r->others_count; i++) {
		struct gcdump_other *o = &others[i];

		o->index = m->r->others[i];
		o->offset = bytes_array_u32(&g->offsets, o->index);
		o->address = gcdump_graph_address(g, o->index);
	}
	sort(others, m->r->others_count, sizeof(*others),
	     compare_other_offsets);
	find_records(m, others);
	SORT_BY(others, m->r->others_count, index);
	m->origin->others = m->others = others;
	m->origin->others_count = (uint32_t)m->r->others_count;
	return true;
}

/* Calls for every object that such a node refers to. */
static size_t
mentioned_objects(const struct making *m, struct gcdump_numbered *out)
{
	const struct gcdump_graph *g = m->r->graph;
	size_t found = 0;

	for (uint32_t i = 0; i < m->origin->others_count; i++) {
		const struct gcdump_other *o = &m->origin->others[i];
		struct gcdump_node node;
		int32_t delta;

		if (gcdump_graph_node(g, o->index, &node) != GCDUMP_PSEUDO)
			continue;
		for (uint32_t k = 0;
		     k < node.refs_count && bytes_run_next(&node.refs, &delta);
		     k++) {
			uint32_t target = o->index + (uint32_t)delta;

			if (target >= g->nodes_count ||
			    m->r->ids[target] == NODE_NONE)
				continue;
			if (out)
				out[found] = (struct gcdump_numbered){
					target, m->r->ids[target]
				};
			found++;
		}
	}
	return found;
}

static bool
make_numbered(struct making *m, struct error *err)
{
	size_t count = mentioned_objects(m, NULL), kept = 0;
	struct gcdump_numbered *n = memory_new(count, sizeof(*n), err), *copy;

	if (!n)
		return false;
	mentioned_objects(m, n);
	SORT_BY(n, count, index);
	for (size_t i = 0; i < count; i++)
		if (!kept || n[kept - 1].index != n[i].index)
			n[kept++] = n[i];
	copy = arena_array(m->arena, struct gcdump_numbered, kept, err);
	if (copy && kept)
		memcpy(copy, n, kept * sizeof(*n));
	memory_free(n);
	m->origin->numbered = copy;
	m->origin->numbered_count = (uint32_t)kept;
	return copy != NULL;
}

/* --- records lie one behind the other ---------------------------------- */

static bool
gather_runs(struct making *m, struct error *err)
{
	size_t count = 0;

	for (unsigned i = 0; i < m->r->recorders_count; i++) {
		struct gcdump_recorder *r = &m->r->recorders[i];

		gcdump_recorder_cut(r);
		count += r->runs_count;
		if (r->has_too_many)
			m->origin->lacks = "its objects are in no order that "
					   "could be kept cheaply";
	}
	m->runs = memory_new(count, sizeof(*m->runs), err);
	if (!m->runs)
		return false;
	for (unsigned i = 0; i < m->r->recorders_count; i++) {
		struct gcdump_recorder *r = &m->r->recorders[i];

		if (r->runs_count)
			memcpy(m->runs + m->runs_count, r->runs,
			       r->runs_count * sizeof(*r->runs));
		m->runs_count += r->runs_count;
	}
	SORT_BY(m->runs, m->runs_count, first);
	for (size_t i = 0; i < m->runs_count; i++) {
		node_id end = i + 1 < m->runs_count ? m->runs[i + 1].first
						    : m->r->objects_count;

		m->runs[i].count = end - m->runs[i].first;
	}
	sort(m->runs, m->runs_count, sizeof(*m->runs), compare_offsets);
	return true;
}

/* Every byte of the records belongs to one node. */
static bool
check_places(struct making *m, struct error *err)
{
	const struct gcdump_graph *g = m->r->graph;
	struct gcdump_part *records =
	    memory_new(m->origin->others_count, sizeof(*records), err);
	size_t count = 0, other = 0;
	uint64_t at = 2;

	if (!records)
		return false;
	for (uint32_t i = 0; i < m->origin->others_count; i++)
		if (m->origin->others[i].record.len)
			records[count++] = m->origin->others[i].record;
	SORT_BY(records, count, bytes);
	for (size_t i = 0; i <= m->runs_count; i++) {
		while (other < count &&
		       records[other].bytes == g->records.data + at)
			at += records[other++].len;
		if (i < m->runs_count && m->runs[i].offset == at)
			at = m->runs[i].end;
		else if (i < m->runs_count)
			break;
	}
	memory_free(records);
	if (at != g->records.count || other != count || g->records.data[0] ||
	    g->records.data[1])
		m->origin->lacks = "its records do not lie one behind the "
				   "other";
	return true;
}

/* Joins what was cut only because a chunk ended. */
static bool
make_runs(struct making *m, struct error *err)
{
	struct gcdump_run *runs;
	uint32_t kept = 0;

	for (int pass = 0; pass < 2; pass++) {
		runs = pass
			   ? arena_array(m->arena, struct gcdump_run, kept, err)
			   : NULL;
		if (pass && !runs)
			return false;
		kept = 0;
		for (size_t i = 0; i < m->runs_count; i++) {
			const struct gcdump_seen_run *s = &m->runs[i];
			bool follows = i && s[-1].end == s->offset &&
				       s[-1].first + s[-1].count == s->first;

			if (follows && runs)
				runs[kept - 1].count += s->count;
			if (!follows && runs)
				runs[kept] =
				    (struct gcdump_run){ s->first, s->count,
							 s->offset };
			kept += !follows;
		}
	}
	m->origin->runs = runs;
	m->origin->runs_count = kept;
	return true;
}

/* --- nodes are numbered as they are mentioned --------------------------- */

static bool
gather_known(struct making *m, struct error *err)
{
	const struct gcdump_origin *o = m->origin;

	m->known = memory_new((size_t)o->others_count + o->numbered_count,
			      sizeof(*m->known), err);
	if (!m->known)
		return false;
	for (uint32_t i = 0; i < o->others_count; i++)
		m->known[m->known_count++] = o->others[i].index;
	for (uint32_t i = 0; i < o->numbered_count; i++)
		m->known[m->known_count++] = o->numbered[i].index;
	SORT_NUMBERS(m->known, m->known_count);
	return true;
}

/* How many of the known nodes are below. */
static size_t
known_below(const struct making *m, uint32_t index)
{
	size_t at;

	LOWER_BOUND(at, 0, m->known_count, m->known[at] < index);
	return at;
}

/*
 * Where a mention goes further than the next number, what lies between must
 * have been numbered otherwise.
 */
static bool
numbers_follow(const struct making *m)
{
	uint32_t next = 0;

	for (unsigned i = 0; i < m->r->recorders_count; i++)
		if (m->r->recorders[i].has_many_jumps)
			return false;
	for (size_t i = 0; i < m->runs_count; i++) {
		const struct gcdump_seen_run *run = &m->runs[i];

		for (uint32_t k = 0; k < run->jumps_count; k++) {
			struct gcdump_jump jump =
			    run->by->jumps[run->jumps_first + k];

			/* At its start a run knows of no other. */
			if (jump.from < next)
				jump.from = next;
			if (jump.from < jump.to &&
			    known_below(m, jump.to) -
				    known_below(m, jump.from) !=
				jump.to - jump.from)
				return false;
		}
		if (run->next > next)
			next = run->next;
	}
	return true;
}

static bool
make_numbers(struct making *m, struct error *err)
{
	const struct gcdump_graph *g = m->r->graph;
	uint32_t *numbers;

	if (!gather_known(m, err))
		return false;
	if (numbers_follow(m))
		return true;
	if (m->r->objects_count > NUMBERS_MAX) {
		m->origin->lacks = "its objects are not numbered in the order "
				   "of their first mention";
		return true;
	}
	numbers = arena_array(m->arena, uint32_t, m->r->objects_count, err);
	for (uint32_t i = 0; numbers && i < g->nodes_count; i++)
		if (m->r->ids[i] != NODE_NONE)
			numbers[m->r->ids[i]] = i;
	m->origin->numbers = numbers;
	return numbers != NULL;
}

/* --- what is rare ----------------------------------------------------------
 */

static bool
make_addresses(struct making *m, uint64_t made_up, struct error *err)
{
	const struct gcdump_graph *g = m->r->graph;
	node_id first = m->r->objects_count - (uint32_t)made_up;
	uint64_t *addresses;

	if (!made_up)
		return true;
	addresses = arena_array(m->arena, uint64_t, made_up, err);
	for (uint32_t i = 0; addresses && i < g->nodes_count; i++)
		if (m->r->ids[i] != NODE_NONE && m->r->ids[i] >= first)
			addresses[m->r->ids[i] - first] =
			    gcdump_graph_address(g, i);
	m->origin->addresses = addresses;
	m->origin->addresses_count = (uint32_t)made_up;
	return addresses != NULL;
}

static bool
make_odd(struct making *m, struct error *err)
{
	struct gcdump_origin *o = m->origin;
	size_t odd_count = 0, lost_count = 0;
	struct gcdump_odd *odd;
	struct gcdump_lost *lost;

	for (unsigned i = 0; i < m->r->recorders_count; i++) {
		odd_count += m->r->recorders[i].odd_count;
		lost_count += m->r->recorders[i].lost_count;
	}
	odd = arena_array(m->arena, struct gcdump_odd, odd_count, err);
	lost = arena_array(m->arena, struct gcdump_lost, lost_count, err);
	if (!odd || !lost)
		return false;
	for (unsigned i = 0; i < m->r->recorders_count; i++) {
		const struct gcdump_recorder *r = &m->r->recorders[i];

		if (r->odd_count)
			memcpy(odd + o->odd_count, r->odd,
			       r->odd_count * sizeof(*odd));
		if (r->lost_count)
			memcpy(lost + o->lost_count, r->lost,
			       r->lost_count * sizeof(*lost));
		o->odd_count += (uint32_t)r->odd_count;
		o->lost_count += (uint32_t)r->lost_count;
	}
	SORT_BY(odd, odd_count, id);
	sort(lost, lost_count, sizeof(*lost), compare_lost);
	o->odd = odd;
	o->lost = lost;
	return true;
}

/* --- the file ------------------------------------------------------------ */

static bool
make_part(struct making *m, struct gcdump_part *part, const uint8_t *from,
	  const uint8_t *to, struct error *err)
{
	uint8_t *copy;

	part->len = (size_t)(to - from);
	copy = arena_array(m->arena, uint8_t, part->len, err);
	if (copy && part->len)
		memcpy(copy, from, part->len);
	part->bytes = copy;
	return copy != NULL;
}

static bool
make_parts(struct making *m, struct error *err)
{
	const struct gcdump_reading *r = m->r;
	const struct gcdump_graph *g = r->graph;
	struct gcdump_origin *o = m->origin;
	struct gcdump_other *others = m->others;
	struct gcdump_type *types =
	    arena_array(m->arena, struct gcdump_type, g->types_count, err);

	if (!types)
		return false;
	if (g->types_count)
		memcpy(types, g->types, g->types_count * sizeof(*types));
	for (uint32_t i = 0; i < o->others_count; i++)
		if (others[i].record.len &&
		    !make_part(m, &others[i].record, others[i].record.bytes,
			       others[i].record.bytes + others[i].record.len,
			       err))
			return false;
	o->types = types;
	o->types_count = g->types_count;
	o->types_at = g->types_at;
	o->total_bytes = g->total_bytes;
	o->nodes_count = g->nodes_count;
	o->records_len = (uint32_t)g->records.count;
	return make_part(m, &o->head, r->data, g->offsets.data, err) &&
	       make_part(m, &o->before_records,
			 g->offsets.data + 4 * g->offsets.count,
			 g->records.data, err) &&
	       make_part(m, &o->after_records,
			 g->records.data + g->records.count, g->addresses.data,
			 err) &&
	       make_part(m, &o->tail,
			 g->addresses.data + 8 * g->addresses.count,
			 r->data + r->len, err);
}

static bool
check_part(void *context, uint64_t part, unsigned thread, struct error *err)
{
	const struct making *m = context;
	const struct bytes_array *records = &m->r->graph->records;
	uint64_t end = (part + 1) * PART_BYTES;

	(void)thread;
	return bytes_array_is_minimal(records, part * PART_BYTES,
				      end < records->count ? end
							   : records->count) ||
	       error_set(err, ERROR_INPUT, "a long number");
}

/* Every number has the form in which it would be written. */
static void
check_numbers(struct making *m)
{
	uint64_t len = m->r->graph->records.count;
	struct error found;

	error_clear(&found);
	for (unsigned i = 0; i < m->r->recorders_count; i++)
		if (m->r->recorders[i].has_needless_size)
			m->origin->lacks = "it gives sizes where it need not";
	if (!m->origin->lacks &&
	    !worker_run_all(worker_threads(),
			    (len + PART_BYTES - 1) / PART_BYTES, check_part, m,
			    &found))
		m->origin->lacks = "its numbers are longer than they need to "
				   "be";
}

static bool
make_all(struct making *m, uint64_t made_up, struct error *err)
{
	struct gcdump_origin *o = m->origin;

	if (!make_others(m, err) || !gather_runs(m, err) ||
	    (!o->lacks && !check_places(m, err)))
		return false;
	if (!o->lacks)
		check_numbers(m);
	return o->lacks ||
	       (make_numbered(m, err) && make_runs(m, err) &&
		make_numbers(m, err) && make_addresses(m, made_up, err) &&
		make_odd(m, err) && (o->lacks || make_parts(m, err)));
}

bool
gcdump_origin_make(const struct gcdump_reading *r, struct heap_builder *b,
		   struct progress *progress, struct error *err)
{
	struct heap_info *info = heap_builder_info(b);
	struct making m = { .r = r, .arena = heap_builder_arena(b) };
	struct arena_mark mark;
	const char *lacks;
	bool is_good;

	m.origin = arena_new(m.arena, struct gcdump_origin, err);
	if (!m.origin)
		return false;
	m.origin->lacks = r->lacks;
	mark = arena_mark(m.arena);
	is_good = progress_add(progress, 0) || error_cancelled(err);
	if (is_good && !r->lacks)
		is_good = make_all(&m, info->losses.made_up_addresses, err);
	memory_free(m.runs);
	memory_free(m.known);
	lacks = m.origin->lacks;
	if (lacks) {
		arena_reset(m.arena, mark);
		*m.origin = (struct gcdump_origin){ .lacks = lacks };
	}
	info->origin = m.origin;
	return is_good;
}
