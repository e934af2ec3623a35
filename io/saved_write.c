#include "io/saved.h"
#include "io/saved_derived.h"
#include "io/saved_format.h"
#include "io/zstd.h"
#include "model/hash.h"
#include "model/heap_packed.h"
#include "model/seed.h"
#include "model/worker.h"
#include <pthread.h>
#include <string.h>

/* Bytes of one section while they are gathered. */
struct sheet {
	uint8_t *data;
	size_t len, room;
};

struct writer {
	struct output *to;
	const struct heap *heap;
	struct progress *progress;
	struct zstd_packer *packers[WORKER_MAX];
	struct sheet raw[WORKER_MAX], packed[WORKER_MAX];
	pthread_mutex_t lock;   /* of `to` and of the count */
	struct sheet directory; /* of what is written so far */
	uint64_t sections_count;
	uint64_t fingerprint;
	struct saved_how how;
	struct sheet texts;
	uint32_t *text_slots; /* hash of a text → its place + 1 */
	size_t slots_count, texts_count;
};

/* ---- bytes ------------------------------------------------------------------
 */

static bool
sheet_reserve(struct sheet *s, size_t more, struct error *err)
{
	size_t room = s->room;
	uint8_t *data;

	if (more <= room - s->len)
		return true;
	while (room - s->len < more)
		room = room ? room * 2 : 4096;
	data = memory_resize(s->data, room, 1, err);
	if (!data)
		return false;
	s->data = data;
	s->room = room;
	return true;
}

static bool
put_bytes(struct sheet *s, const void *bytes, size_t len, struct error *err)
{
	if (!sheet_reserve(s, len, err))
		return false;
	if (len)
		memcpy(s->data + s->len, bytes, len);
	s->len += len;
	return true;
}

static void
store_number(uint8_t *at, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

static bool
put_number(struct sheet *s, uint64_t value, unsigned bytes, struct error *err)
{
	uint8_t out[8];

	store_number(out, value, bytes);
	return put_bytes(s, out, bytes, err);
}

static uint64_t
bits_of_double(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static uint32_t
bits_of_float(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

/* ---- sections ---------------------------------------------------------------
 */

/* So that a reader can bound what comes out by what there is. */
static size_t
padding(size_t raw_len, size_t packed_len)
{
	size_t least = raw_len / SAVED_RATIO_MAX + 1;

	return packed_len < least ? least - packed_len : 0;
}

static void
write_zeros(struct writer *w, size_t len)
{
	static const uint8_t zeros[4096];

	for (size_t n; len; len -= n) {
		n = len < sizeof(zeros) ? len : sizeof(zeros);
		output_write(w->to, zeros, n);
	}
}

/* What stands in its head: its bytes come next, under the same lock. */
struct section {
	uint32_t kind, flags;
	uint64_t index, raw_len, stored_len;
	size_t pad;
};

static bool
write_head(struct writer *w, const struct section *s, struct error *err)
{
	uint64_t at = output_len(w->to);
	uint8_t head[SAVED_SECTION_BYTES];

	store_number(head, s->kind, 4);
	store_number(head + 4, s->flags, 4);
	store_number(head + 8, s->index, 8);
	store_number(head + 16, s->raw_len, 8);
	store_number(head + 24, s->stored_len, 8);
	store_number(head + 32, s->pad, 4);
	store_number(head + 36, saved_check(head, 36), 4);
	output_write(w->to, head, sizeof(head));
	w->sections_count++;
	/* An entry begins like a head. */
	return put_bytes(&w->directory, head, SAVED_ENTRY_BYTES - 8, err) &&
	       put_number(&w->directory, at, 8, err);
}

/* `stored` NULL: comes later. */
static bool
write_section(struct writer *w, const struct section *s, const uint8_t *stored,
	      struct error *err)
{
	bool ok;

	const struct saved_section like_read = {
		.kind = s->kind,
		.flags = s->flags,
		.index = s->index,
		.raw_len = s->raw_len,
		.stored_len = s->stored_len,
		.data = stored,
	};

	pthread_mutex_lock(&w->lock);
	w->fingerprint = saved_fingerprint(w->fingerprint, &like_read);
	ok = write_head(w, s, err);
	if (stored)
		output_write(w->to, stored, s->stored_len);
	write_zeros(w, s->pad);
	pthread_mutex_unlock(&w->lock);
	if (!ok)
		return false;
	return output_ok(w->to) ||
	       error_set(err, ERROR_SYSTEM, "it cannot be written");
}

static bool
end_section_with(struct writer *w, unsigned thread, uint32_t flags,
		 uint32_t kind, uint64_t index, struct error *err)
{
	struct sheet *raw = &w->raw[thread], *packed = &w->packed[thread];
	struct section s = { kind, flags, index, raw->len, 0, 0 };

	packed->len = 0;
	if (!sheet_reserve(packed, zstd_packed_max(raw->len), err))
		return false;
	s.stored_len = zstd_pack_frame(w->packers[thread], packed->data,
				       packed->room, raw->data, raw->len, err);
	s.pad = padding(raw->len, s.stored_len);
	return s.stored_len && write_section(w, &s, packed->data, err);
}

/* Packs the thread's raw sheet. */
static bool
end_section(struct writer *w, unsigned thread, uint32_t kind, uint64_t index,
	    struct error *err)
{
	return end_section_with(w, thread, SAVED_IS_NEEDED, kind, index, err);
}

static struct sheet *
begin_section(struct writer *w, unsigned thread)
{
	w->raw[thread].len = 0;
	return &w->raw[thread];
}

/* ---- texts ------------------------------------------------------------------
 */

static size_t
text_hash(const char *text)
{
	uint64_t hash = hash_text(seed_random(), text);

	return (size_t)(hash ^ hash >> 32);
}

static uint32_t *
text_slot(const struct writer *w, const char *text)
{
	size_t at = text_hash(text);

	for (;; at++) {
		uint32_t *slot = &w->text_slots[at & (w->slots_count - 1)];

		if (!*slot ||
		    !strcmp((const char *)w->texts.data + *slot - 1, text))
			return slot;
	}
}

static bool
texts_grow(struct writer *w, struct error *err)
{
	uint32_t *old = w->text_slots;
	size_t count = w->slots_count;

	if (w->texts_count * 2 < count)
		return true;
	w->slots_count = count ? count * 2 : 1024;
	w->text_slots = memory_new(w->slots_count, sizeof(*old), err);
	if (!w->text_slots) {
		w->text_slots = old;
		w->slots_count = count;
		return false;
	}
	for (size_t i = 0; i < count; i++)
		if (old[i])
			*text_slot(w, (const char *)w->texts.data + old[i] -
					  1) = old[i];
	memory_free(old);
	return true;
}

/* Each text stands once in the file. */
static bool
put_text(struct writer *w, const char *text, struct error *err)
{
	uint32_t *slot;

	if (!texts_grow(w, err))
		return false;
	slot = text_slot(w, text);
	if (*slot)
		return true;
	if (w->texts.len > UINT32_MAX - 4096)
		return error_set(err, ERROR_USAGE,
				 "the names of this heap have more than 4 GiB");
	*slot = (uint32_t)w->texts.len + 1;
	w->texts_count++;
	return put_bytes(&w->texts, text, strlen(text) + 1, err);
}

static uint32_t
text_place(const struct writer *w, const char *text)
{
	return *text_slot(w, text) - 1;
}

static bool
gather_texts(struct writer *w, struct error *err)
{
	const struct heap *h = w->heap;

	for (type_id t = 0; t < h->types_count; t++)
		if (!put_text(w, h->types[t].raw, err) ||
		    !put_text(w, h->types[t].module, err))
			return false;
	for (uint32_t i = 0; i < h->roots_count; i++)
		if (!put_text(w, h->roots[i].name, err) ||
		    !put_text(w, h->roots[i].label, err))
			return false;
	return true;
}

static bool
write_texts(struct writer *w, struct error *err)
{
	struct sheet *s = begin_section(w, 0);

	return gather_texts(w, err) &&
	       put_bytes(s, w->texts.data, w->texts.len, err) &&
	       end_section(w, 0, SAVED_TEXT, 0, err);
}

/* ---- what is known of the whole ---------------------------------------------
 */

static bool
put_value(struct sheet *s, enum saved_key key, const void *bytes, size_t len,
	  struct error *err)
{
	return put_number(s, key, 4, err) && put_number(s, len, 4, err) &&
	       put_bytes(s, bytes, len, err);
}

static bool
put_info_text(struct sheet *s, enum saved_key key, const char *text,
	      struct error *err)
{
	return !text || !*text || put_value(s, key, text, strlen(text), err);
}

static bool
put_info_number(struct sheet *s, enum saved_key key, uint64_t value,
		struct error *err)
{
	uint8_t out[8];

	store_number(out, value, 8);
	return put_value(s, key, out, 8, err);
}

static bool
put_losses(struct sheet *s, const struct losses *l, struct error *err)
{
	const uint64_t numbers[] = {
#define NUMBER(name) l->name,
		SAVED_LOSSES(NUMBER)
#undef NUMBER
	};
	size_t count = sizeof(numbers) / sizeof(numbers[0]);

	if (!put_number(s, SAVED_KEY_LOSSES, 4, err) ||
	    !put_number(s, count * 8, 4, err))
		return false;
	for (size_t i = 0; i < count; i++)
		if (!put_number(s, numbers[i], 8, err))
			return false;
	return true;
}

/* Its texts end with zeros, as in TEXT. */
static bool
put_domain(struct sheet *s, const struct heap_domain *d, struct error *err)
{
	size_t name = strlen(d->name) + 1, module = strlen(d->module) + 1;
	size_t facts = strlen(d->facts) + 1;

	return put_number(s, SAVED_KEY_DOMAIN, 4, err) &&
	       put_number(s, SAVED_DOMAIN_BYTES + name + module + facts, 4,
			  err) &&
	       put_number(s, d->start, 8, err) &&
	       put_number(s, d->uptime_ms, 4, err) &&
	       put_number(s, d->has_uptime, 4, err) &&
	       put_bytes(s, d->name, name, err) &&
	       put_bytes(s, d->module, module, err) &&
	       put_bytes(s, d->facts, facts, err);
}

static bool
put_info_texts(struct sheet *s, const struct heap_info *info, struct error *err)
{
	for (uint32_t i = 0; i < info->warnings_count; i++)
		if (!put_info_text(s, SAVED_KEY_WARNING, info->warnings[i],
				   err))
			return false;
	for (uint32_t i = 0; i < info->domains_count; i++)
		if (!put_domain(s, &info->domains[i], err))
			return false;
	return put_info_text(s, SAVED_KEY_SOURCE, info->source, err) &&
	       put_info_text(s, SAVED_KEY_FORMAT, info->format, err) &&
	       put_info_text(s, SAVED_KEY_TOOL, info->tool, err) &&
	       put_info_text(s, SAVED_KEY_MACHINE, info->machine, err) &&
	       put_info_text(s, SAVED_KEY_PROCESS, info->process, err) &&
	       put_info_text(s, SAVED_KEY_LOG, info->log, err);
}

static bool
write_info(struct writer *w, struct error *err)
{
	const struct heap *h = w->heap;
	const struct heap_info *info = &h->info;
	struct sheet *s = begin_section(w, 0);
	uint64_t flags = (h->has_objects ? SAVED_HAS_OBJECTS : 0) |
			 (info->is_64bit ? SAVED_IS_64BIT : 0) |
			 (info->is_sampled ? SAVED_IS_SAMPLED : 0) |
			 (info->losses.is_unfinished ? SAVED_IS_UNFINISHED : 0);

	return put_info_texts(s, info, err) &&
	       put_info_number(s, SAVED_KEY_FLAGS, flags, err) &&
	       put_info_number(s, SAVED_KEY_PID, (uint64_t)info->pid, err) &&
	       put_info_number(s, SAVED_KEY_TIME, (uint64_t)info->time, err) &&
	       put_info_number(s, SAVED_KEY_COMMIT, info->commit_bytes, err) &&
	       put_info_number(s, SAVED_KEY_WORKING_SET,
			       info->working_set_bytes, err) &&
	       put_info_number(s, SAVED_KEY_COUNT_MULTIPLIER,
			       bits_of_double(info->count_multiplier), err) &&
	       put_info_number(s, SAVED_KEY_SIZE_MULTIPLIER,
			       bits_of_double(info->size_multiplier), err) &&
	       put_info_number(s, SAVED_KEY_NODES, h->nodes_count, err) &&
	       put_info_number(s, SAVED_KEY_REFS, h->refs_count, err) &&
	       put_info_number(s, SAVED_KEY_ROOTS, h->roots_count, err) &&
	       put_losses(s, &info->losses, err) &&
	       end_section(w, 0, SAVED_INFO, 0, err);
}

static bool
write_types(struct writer *w, struct error *err)
{
	const struct heap *h = w->heap;
	struct sheet *s = begin_section(w, 0);

	for (type_id t = 0; t < h->types_count; t++) {
		const struct type *type = &h->types[t];

		if (!put_number(s, text_place(w, type->raw), 4, err) ||
		    !put_number(s, text_place(w, type->module), 4, err) ||
		    !put_number(s, type->flags, 4, err) ||
		    !put_number(s, bits_of_float(type->multiplier), 4, err) ||
		    !put_number(s, type->count, 8, err) ||
		    !put_number(s, type->bytes, 8, err) ||
		    !put_number(s, type->min_bytes, 8, err) ||
		    !put_number(s, type->max_bytes, 8, err))
			return false;
	}
	if (!end_section(w, 0, SAVED_TYPE, 0, err))
		return false;
	s = begin_section(w, 0);
	for (int i = 0; i < SIZE_CODES; i++)
		if (!put_number(s, h->sizes[i], 8, err))
			return false;
	return end_section(w, 0, SAVED_SIZE, 0, err);
}

/* For who reads only the types. */
static bool
write_generations(struct writer *w, struct error *err)
{
	const struct heap *h = w->heap;
	size_t cells = (size_t)h->types_count * GEN_COUNT;
	struct sheet *s = begin_section(w, 0);

	if (!h->generation_counts)
		return true;
	for (size_t i = 0; i < cells; i++)
		if (!put_number(s, h->generation_counts[i], 8, err) ||
		    !put_number(s, h->generation_bytes[i], 8, err))
			return false;
	return end_section(w, 0, SAVED_GENS, 0, err);
}

static bool
write_ranges(struct writer *w, struct error *err)
{
	const struct heap *h = w->heap;
	struct sheet *s = begin_section(w, 0);

	for (uint32_t i = 0; i < h->ranges_count; i++) {
		const struct range *r = &h->ranges[i];

		if (!put_number(s, r->start, 8, err) ||
		    !put_number(s, r->end, 8, err) ||
		    !put_number(s, (uint32_t)r->heap_number, 4, err) ||
		    !put_number(s, r->generation, 4, err))
			return false;
	}
	if (s->len && !end_section(w, 0, SAVED_RANGE, 0, err))
		return false;
	s = begin_section(w, 0);
	for (uint32_t i = 0; i < h->weak_count; i++)
		if (!put_number(s, h->weak[i].object, 4, err) ||
		    !put_number(s, h->weak[i].count, 4, err))
			return false;
	return !s->len || end_section(w, 0, SAVED_WEAK, 0, err);
}

static bool
write_roots(struct writer *w, struct error *err)
{
	const struct heap *h = w->heap;

	for (uint32_t i = 0; i < h->roots_count;) {
		struct sheet *s = begin_section(w, 0);
		uint32_t first = i;

		for (; i < h->roots_count && i - first < SAVED_ROOTS_EACH;
		     i++) {
			const struct root *r = &h->roots[i];

			if (!put_number(s, r->object, 4, err) ||
			    !put_number(s, r->kind, 1, err) ||
			    !put_number(s, r->is_pinned, 3, err) ||
			    !put_number(s, text_place(w, r->name), 4, err) ||
			    !put_number(s, text_place(w, r->label), 4, err))
				return false;
		}
		if (!end_section(w, 0, SAVED_ROOT, first, err))
			return false;
	}
	return true;
}

/* ---- objects ----------------------------------------------------------------
 */

static bool
write_pages(struct writer *w, const struct addresses_parts *parts,
	    struct error *err)
{
	struct sheet *s = begin_section(w, 0);

	if (!put_number(s, parts->granule_shift, 4, err) ||
	    !put_number(s, parts->page_shift, 4, err) ||
	    !put_number(s, parts->pages_count, 4, err) ||
	    !put_number(s, parts->made_up_count, 4, err))
		return false;
	for (uint32_t i = 0; i < parts->pages_count; i++)
		if (!put_number(s, parts->numbers[i], 8, err))
			return false;
	return end_section(w, 0, SAVED_PAGE, 0, err);
}

static size_t
blocks_of(uint32_t nodes_count)
{
	return ((size_t)nodes_count + (1 << BLOCK_SHIFT) - 1) >> BLOCK_SHIFT;
}

struct parts_job {
	struct writer *w;
	struct addresses_parts addresses;
};

/* As it lies in memory: this program is for little-endian machines. */
static bool
write_words(void *context, uint64_t part, unsigned thread, struct error *err)
{
	struct parts_job *job = context;
	uint64_t first = part * SAVED_WORDS_EACH;
	uint64_t count = job->addresses.words_count - first;
	struct sheet *s = begin_section(job->w, thread);

	if (count > SAVED_WORDS_EACH)
		count = SAVED_WORDS_EACH;
	if (job->w->how.is_raw) {
		const struct section as_it_is = {
			SAVED_BITS, SAVED_IS_NEEDED | SAVED_IS_STORED,
			first,      count * 8,
			count * 8,  0
		};

		return write_section(
		    job->w, &as_it_is,
		    (const uint8_t *)(job->addresses.words + first), err);
	}
	return put_bytes(s, job->addresses.words + first, count * 8, err) &&
	       end_section(job->w, thread, SAVED_BITS, first, err);
}

static bool
put_large_sizes(struct sheet *s, const struct heap *h, uint32_t chunk,
		uint32_t count, struct error *err)
{
	uint8_t out[PACKED_LARGE_BYTES];

	for (uint32_t i = 0; i < count; i++) {
		heap_pack_large(h, chunk, i, out);
		if (!put_bytes(s, out, sizeof(out), err))
			return false;
	}
	return true;
}

static bool
write_chunk(void *context, uint64_t part, unsigned thread, struct error *err)
{
	struct parts_job *job = context;
	struct writer *w = job->w;
	const struct heap *h = w->heap;
	struct sheet *s = begin_section(w, thread);
	size_t type_bytes = h->types16 ? 2 : 4;
	struct packed_chunk c;

	heap_pack_chunk(h, (uint32_t)part, &c);
	if (!progress_add(w->progress, c.nodes_count))
		return error_cancelled(err);
	return put_number(s, c.nodes_count, 4, err) &&
	       put_number(s, c.large_count, 4, err) &&
	       put_number(s, c.refs_len, 8, err) &&
	       put_bytes(s, c.types, c.nodes_count * type_bytes, err) &&
	       put_bytes(s, c.size_codes, c.nodes_count, err) &&
	       put_large_sizes(s, h, (uint32_t)part, c.large_count, err) &&
	       put_bytes(s, c.refs, c.refs_len, err) &&
	       end_section(w, thread, SAVED_NODE, part, err);
}

/* ---- whole columns, for who maps them ---- */

/* So that what comes behind the next head is aligned. */
static bool
write_filler(struct writer *w, struct error *err)
{
	struct section s = { .kind = SAVED_PAD };
	uint64_t behind = output_len(w->to) + 2 * SAVED_SECTION_BYTES;

	s.pad = (size_t)(-behind % SAVED_ALIGNED_BYTES);
	return write_section(w, &s, NULL, err);
}

static bool
write_column(struct writer *w, uint32_t kind, const void *column, size_t len,
	     struct error *err)
{
	const struct section s = { kind, SAVED_IS_NEEDED | SAVED_IS_STORED,
				   0,    len,
				   len,  0 };

	return write_filler(w, err) && write_section(w, &s, column, err);
}

/* What each chunk has, behind the head: its references, or where its blocks of
 * them begin. */
static bool
write_chunks(struct writer *w, uint32_t kind, size_t len, struct error *err)
{
	struct section s = { kind, SAVED_IS_NEEDED | SAVED_IS_STORED,
			     0,    len,
			     len,  0 };
	const struct heap *h = w->heap;
	struct packed_chunk c;

	if (!write_filler(w, err) || !write_section(w, &s, NULL, err))
		return false;
	for (uint32_t i = 0; i < heap_chunks_count(h); i++) {
		heap_pack_chunk(h, i, &c);
		if (kind == SAVED_CREF)
			output_write(w->to, c.refs, c.refs_len);
		else
			output_write(w->to, h->chunks[i].offsets,
				     blocks_of(c.nodes_count) *
					 sizeof(uint32_t));
		if (!progress_add(w->progress, c.nodes_count / 2))
			return error_cancelled(err);
	}
	return true;
}

static bool
write_begins(struct writer *w, uint64_t *refs_len, struct error *err)
{
	const struct heap *h = w->heap;
	struct sheet *s = begin_section(w, 0);
	struct packed_chunk c;

	*refs_len = 0;
	for (uint32_t i = 0; i < heap_chunks_count(h); i++) {
		if (!put_number(s, *refs_len, 8, err))
			return false;
		heap_pack_chunk(h, i, &c);
		*refs_len += c.refs_len;
	}
	return put_number(s, *refs_len, 8, err) &&
	       end_section(w, 0, SAVED_CBEG, 0, err);
}

static bool
write_columns(struct writer *w, struct error *err)
{
	const struct heap *h = w->heap;
	size_t count = h->nodes_count;
	uint64_t refs_len;

	return write_begins(w, &refs_len, err) &&
	       (h->types16
		    ? write_column(w, SAVED_CTYP, h->types16, count * 2, err)
		    : write_column(w, SAVED_CTYP, h->types32, count * 4,
				   err)) &&
	       write_column(w, SAVED_CSIZ, h->size_codes, count, err) &&
	       write_column(w, SAVED_CLRG, h->large_sizes,
			    h->large_sizes_count * sizeof(*h->large_sizes),
			    err) &&
	       write_chunks(w, SAVED_COFF,
			    blocks_of(h->nodes_count) * sizeof(uint32_t),
			    err) &&
	       write_chunks(w, SAVED_CREF, (size_t)refs_len, err);
}

static bool
write_objects(struct writer *w, unsigned threads, struct error *err)
{
	struct parts_job job = { .w = w };
	uint64_t words;

	if (!w->heap->has_objects)
		return true;
	addresses_parts(w->heap->addresses, &job.addresses);
	words = job.addresses.words_count;
	if (!write_pages(w, &job.addresses, err) ||
	    !worker_run_all(threads,
			    (words + SAVED_WORDS_EACH - 1) / SAVED_WORDS_EACH,
			    write_words, &job, err))
		return false;
	if (w->how.is_raw)
		return write_columns(w, err);
	return worker_run_all(threads, heap_chunks_count(w->heap), write_chunk,
			      &job, err);
}

/* ---- what was computed ------------------------------------------------------
 */

static bool
write_way(void *context, uint64_t part, unsigned thread, struct error *err)
{
	struct writer *w = context;
	const struct reach *reach = w->how.reach;
	node_id first = (node_id)(part << CHUNK_SHIFT);
	uint32_t left = w->heap->nodes_count - first;
	struct sheet *s = begin_section(w, thread);
	uint8_t *at;

	left = left < CHUNK_NODES ? left : CHUNK_NODES;
	if (!sheet_reserve(s, (size_t)left * 2 * VARINT_MAX_BYTES, err))
		return false;
	at = s->data;
	for (node_id n = first; n < first + left; n++) {
		uint32_t distance = reach->distance[n], next = reach->next[n];

		if (distance == DISTANCE_UNREACHABLE) {
			*at++ = 0;
			continue;
		}
		at = varint_put(at, (uint64_t)distance + 1);
		at = varint_put(
		    at, distance ? varint_zigzag((int64_t)next - (int64_t)n)
				 : next);
	}
	s->len = (size_t)(at - s->data);
	return end_section_with(w, thread, 0, SAVED_DWAY, part, err);
}

static bool
write_dominators(void *context, uint64_t part, unsigned thread,
		 struct error *err)
{
	struct writer *w = context;
	const struct dominators *d = w->how.dominators;
	uint32_t first = (uint32_t)(part << CHUNK_SHIFT);
	uint32_t left = w->heap->nodes_count - first;
	struct sheet *s = begin_section(w, thread);
	int64_t before = 0;
	uint8_t *at;

	left = left < CHUNK_NODES ? left : CHUNK_NODES;
	if (!sheet_reserve(s, (size_t)left * 2 * VARINT_MAX_BYTES, err))
		return false;
	at = s->data;
	for (uint32_t p = first; p < first + left; p++) {
		uint32_t parent = d->parents[p];

		at = varint_put(at, varint_zigzag(d->objects[p] - before));
		at = varint_put(at, parent ? p + 1 - parent : 0);
		before = d->objects[p];
	}
	s->len = (size_t)(at - s->data);
	return end_section_with(w, thread, 0, SAVED_DDOM, part, err);
}

static bool
write_derived(struct writer *w, unsigned threads, struct error *err)
{
	const struct reach *reach = w->how.reach;
	const struct dominators *d = w->how.dominators;
	uint32_t parts = heap_chunks_count(w->heap);
	struct sheet *s;

	if (!reach || !w->heap->has_objects)
		return true;
	if (!worker_run_all(threads, parts, write_way, w, err) ||
	    (d && !worker_run_all(threads, parts, write_dominators, w, err)))
		return false;
	s = begin_section(w, 0);
	if (!put_number(s, w->fingerprint, 8, err) ||
	    !put_number(s, w->how.prefers_statics ? SAVED_PREFERS_STATICS : 0,
			4, err) ||
	    !put_number(s, d ? d->reachable_count : 0, 4, err) ||
	    !put_number(s, reach->static_refs_count, 8, err) ||
	    !put_number(s, reach->static_tables_count, 8, err))
		return false;
	for (uint32_t i = 0; i < reach->static_tables_count; i++)
		if (!put_number(s, reach->static_tables[i], 4, err))
			return false;
	return end_section_with(w, 0, 0, SAVED_DERI, 0, err);
}

/* ---- all --------------------------------------------------------------------
 */

static void
write_header(struct writer *w)
{
	uint8_t header[SAVED_HEADER_BYTES] = SAVED_MAGIC;

	store_number(header + 8, SAVED_VERSION, 2);
	store_number(header + 10, SAVED_VERSION, 2);
	store_number(header + 12, 0, 4);
	output_write(w->to, header, sizeof(header));
}

/* What is the last of the file says where the directory is. */
static bool
write_directory(struct writer *w, struct error *err)
{
	struct section end = { SAVED_END, SAVED_IS_STORED, 0, 8, 8, 0 };
	struct sheet *s = begin_section(w, 0);
	uint8_t at[8];

	store_number(at, output_len(w->to), 8);
	if (!put_bytes(s, w->directory.data, w->directory.len, err) ||
	    !end_section_with(w, 0, 0, SAVED_DIRE, 0, err))
		return false;
	end.index = w->sections_count;
	return write_section(w, &end, at, err);
}

static bool
write_all(struct writer *w, unsigned threads, struct error *err)
{
	for (unsigned i = 0; i < threads; i++) {
		w->packers[i] = zstd_packer_new(err);
		if (!w->packers[i])
			return false;
	}
	progress_begin(w->progress, "writing", w->heap->nodes_count);
	write_header(w);
	if (!write_info(w, err) || !write_texts(w, err) ||
	    !write_types(w, err) || !write_generations(w, err) ||
	    !write_ranges(w, err) || !write_roots(w, err) ||
	    !write_objects(w, threads, err) || !write_derived(w, threads, err))
		return false;
	return write_directory(w, err);
}

bool
saved_write(struct output *to, const struct heap *h,
	    const struct saved_how *how, struct progress *progress,
	    struct error *err)
{
	struct writer w = { .to = to, .heap = h, .progress = progress };
	bool ok;

	if (how)
		w.how = *how;

	pthread_mutex_init(&w.lock, NULL);
	ok = write_all(&w, worker_threads(), err);
	/* What the disk says is told by output_close(). */
	if (!output_ok(to)) {
		error_clear(err);
		ok = true;
	}
	for (unsigned i = 0; i < WORKER_MAX; i++) {
		zstd_packer_free(w.packers[i]);
		memory_free(w.raw[i].data);
		memory_free(w.packed[i].data);
	}
	memory_free(w.directory.data);
	memory_free(w.texts.data);
	memory_free(w.text_slots);
	pthread_mutex_destroy(&w.lock);
	return ok;
}
