#include "model/graph/reverse.h"

#include "model/base/worker.h"
#include "model/heap/bits.h"
#include "model/heap/sweep.h"
#include <pthread.h>
#include <string.h>

/*
 * A radix sort by target, in two steps. First, threads share the sources and put each reference
 * into a bucket for its target's chunk: two bytes of the target and the difference from the
 * bucket's last source, 3 bytes together. Then they share the chunks: each is sorted by counting,
 * within the cache, and encoded. Nothing is read twice, and buckets of one thread follow those of
 * another, so sources come out in ascending order without being sorted.
 *
 * If memory is short, both steps are repeated for parts of the targets: each pass reads all
 * references and keeps those to its own targets.
 */
enum { ENTRY_MAX = 2 + 5, BLOCK_BYTES = 1024 };

struct block {
	struct block *next;
	uint32_t len;
	uint8_t bytes[BLOCK_BYTES - 12];
};

/* References from one share of the sources to the targets of one chunk. */
struct bucket {
	uint8_t *at, *end; /* position in `current` */
	node_id last_source;
	struct block *first, *current;
};

/* The sources that one thread reads, and the targets of this pass. */
struct share {
	uint32_t first_chunk, end_chunk;
	node_id first_target;
	uint32_t targets_count;
	struct bucket *buckets; /* one for each chunk of targets */
	struct arena blocks;
	bool has_failed;
	struct error *err;
};

/* The encoded referrers of one chunk, while they are written. */
struct record_buffer {
	uint8_t *bytes;
	size_t len, room;
};

/* Memory of one thread that turns a chunk's buckets into records. */
struct bench {
	uint32_t *ends;    /* running end of each target's sources */
	uint32_t *sources; /* sources by target, ascending */
	size_t sources_room;
	uint32_t *offsets;
	struct record_buffer buffer;
	uint32_t blocks_read;
};

struct job {
	struct sweep sweep;
	struct reverse *rev;
	struct chunk *chunks;
	uint64_t *referred, *several;    /* chunks do not share words */
	pthread_mutex_t lock;            /* guards rev->arena */
	uint32_t first_chunk, end_chunk; /* targets of this pass */
	struct share *shares;
	uint32_t shares_count;
	struct bench benches[WORKER_MAX];
};

static bool
bucket_add_block(struct share *s, struct bucket *b)
{
	struct block *block = arena_new(&s->blocks, struct block, s->err);

	if (!block) {
		s->has_failed = true;
		return false;
	}
	if (b->current) {
		b->current->len = (uint32_t)(b->at - b->current->bytes);
		b->current->next = block;
	} else {
		b->first = block;
		b->last_source = chunk_first(s->first_chunk);
	}
	b->current = block;
	b->at = block->bytes;
	b->end = block->bytes + sizeof(block->bytes);
	return true;
}

static inline void
bucket_visit(void *context, node_id source, node_id target)
{
	struct share *s = context;
	struct bucket *b;
	uint16_t low = (uint16_t)target;

	if (target - s->first_target >= s->targets_count)
		return;
	b = &s->buckets[target >> CHUNK_SHIFT];
	if (b->end - b->at < ENTRY_MAX && !bucket_add_block(s, b))
		return;
	memcpy(b->at, &low, sizeof(low));
	b->at = varint_put(b->at + sizeof(low), source - b->last_source);
	b->last_source = source;
}

static bool
share_run(void *context, uint64_t part, unsigned thread, struct error *err)
{
	struct job *job = context;
	struct share *s = &job->shares[part];
	uint32_t chunks_count = sweep_chunks_count(job->sweep.heap);

	(void)thread;
	s->err = err;
	s->first_target = chunk_first(job->first_chunk);
	s->targets_count = chunk_end(job->sweep.heap, job->end_chunk - 1) - s->first_target;
	s->buckets = memory_new(chunks_count, sizeof(*s->buckets), err);
	if (!s->buckets)
		return false;
	for (uint32_t c = s->first_chunk; c < s->end_chunk; c++) {
		if (!sweep_chunk(&job->sweep, c, bucket_visit, s))
			return error_cancelled(err);
		if (s->has_failed)
			return false;
	}
	for (uint32_t c = 0; c < chunks_count; c++) {
		struct bucket *b = &s->buckets[c];

		if (b->current)
			b->current->len = (uint32_t)(b->at - b->current->bytes);
	}
	return true;
}

/* Blocks are small and chunks are not: check for Esc every few MB. */
static bool
bench_may_go_on(struct bench *bench, const struct job *job)
{
	return ++bench->blocks_read & 4095 || !progress_is_cancelled(job->sweep.progress);
}

static bool
chunk_count(struct bench *bench, const struct job *job, uint32_t chunk, uint64_t *refs_count,
	    struct error *err)
{
	uint64_t sum = 0;

	memset(bench->ends, 0, CHUNK_NODES * sizeof(*bench->ends));
	for (uint32_t i = 0; i < job->shares_count; i++) {
		const struct block *b = job->shares[i].buckets[chunk].first;

		for (; b; b = b->next) {
			const uint8_t *at = b->bytes, *end = at + b->len;
			uint16_t low;

			for (; at < end; sum++) {
				memcpy(&low, at, sizeof(low));
				bench->ends[low]++;
				for (at += sizeof(low); *at++ & 0x80;)
					;
			}
			if (!bench_may_go_on(bench, job))
				return error_cancelled(err);
		}
	}
	*refs_count = sum;
	return true;
}

static bool
chunk_place(struct bench *bench, const struct job *job, uint32_t chunk, struct error *err)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < CHUNK_NODES; i++) {
		uint32_t count = bench->ends[i];

		bench->ends[i] = sum;
		sum += count;
	}
	for (uint32_t i = 0; i < job->shares_count; i++) {
		const struct share *s = &job->shares[i];
		const struct block *b = s->buckets[chunk].first;
		node_id source = chunk_first(s->first_chunk);

		for (; b; b = b->next) {
			const uint8_t *at = b->bytes, *end = at + b->len;
			uint64_t gap;
			uint16_t low;

			while (at < end) {
				memcpy(&low, at, sizeof(low));
				at = varint_get(at + sizeof(low), &gap);
				source += (node_id)gap;
				bench->sources[bench->ends[low]++] = source;
			}
			if (!bench_may_go_on(bench, job))
				return error_cancelled(err);
		}
	}
	return true;
}

static bool
record_buffer_reserve(struct record_buffer *b, uint64_t more, struct error *err)
{
	uint64_t wanted = b->len + more;

	if (wanted > UINT32_MAX)
		return error_set(err, ERROR_SYSTEM,
				 "the referrers of %u neighbouring objects take more than 4 GiB",
				 (unsigned)CHUNK_NODES);
	return MAKE_ROOM(b->bytes, wanted, b->room, err);
}

static uint64_t
varint_bytes(uint64_t v)
{
	uint64_t bytes = 1;

	for (; v >= 0x80; v >>= 7)
		bytes++;
	return bytes;
}

static uint64_t
gaps_bytes(const uint32_t *sources, uint32_t count)
{
	uint64_t bytes = 0;

	for (uint32_t i = 1; i < count; i++)
		bytes += varint_bytes(sources[i] - sources[i - 1]);
	return bytes;
}

static bool
record_write(struct record_buffer *b, node_id target, const uint32_t *sources, uint32_t count,
	     struct error *err)
{
	uint64_t first;
	uint8_t *at;

	if (!record_buffer_reserve(b, 3 * VARINT_MAX_BYTES + UINT64_C(5) * count, err))
		return false;
	at = b->bytes + b->len;
	if (!count) {
		*at++ = 0;
	} else {
		first = varint_zigzag((int64_t)sources[0] - (int64_t)target);
		at = varint_put(at, 1 + (first << 1 | (count > 1)));
	}
	if (count > 1)
		at = varint_put(at, count - 2);
	if (count >= REVERSE_HUB)
		at = varint_put(at, gaps_bytes(sources, count));
	for (uint32_t i = 1; i < count; i++)
		at = varint_put(at, sources[i] - sources[i - 1]);
	b->len = (size_t)(at - b->bytes);
	return true;
}

/* Copies a chunk to the result, now that its length is known. */
static bool
chunk_keep(struct job *job, const struct bench *bench, uint32_t chunk, uint32_t offsets_count,
	   struct error *err)
{
	struct arena *a = &job->rev->arena;
	const struct record_buffer *b = &bench->buffer;
	uint32_t *offsets = NULL;
	uint8_t *bytes;

	pthread_mutex_lock(&job->lock);
	bytes = arena_array(a, uint8_t, b->len, err);
	if (bytes)
		offsets = arena_array(a, uint32_t, offsets_count, err);
	pthread_mutex_unlock(&job->lock);
	if (!offsets)
		return false;
	memcpy(bytes, b->bytes, b->len);
	memcpy(offsets, bench->offsets, offsets_count * sizeof(*offsets));
	job->chunks[chunk] = (struct chunk){ bytes, offsets };
	return true;
}

static void
chunk_mark(const struct bench *bench, const struct job *job, uint32_t chunk)
{
	node_id first = chunk_first(chunk);
	uint32_t count = chunk_end(job->sweep.heap, chunk) - first, start = 0;

	for (uint32_t i = 0; i < count; i += 64) {
		uint64_t referred = 0, several = 0;

		for (uint32_t bit = 0; bit < 64; bit++) {
			uint32_t end = bench->ends[i + bit];

			referred |= (uint64_t)(end > start) << bit;
			several |= (uint64_t)(end - start > 1) << bit;
			start = end;
		}
		job->referred[(first + i) >> 6] = referred;
		job->several[(first + i) >> 6] = several;
	}
}

static bool
chunk_encode(struct bench *bench, struct job *job, uint32_t chunk, struct error *err)
{
	node_id first = chunk_first(chunk);
	uint32_t count = chunk_end(job->sweep.heap, chunk) - first;
	uint32_t start = 0, offsets_count = 0;

	bench->buffer.len = 0;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t end = bench->ends[i];

		if (!(i & ((1 << BLOCK_SHIFT) - 1)))
			bench->offsets[offsets_count++] = (uint32_t)bench->buffer.len;
		if (!record_write(&bench->buffer, first + i, bench->sources + start, end - start,
				  err))
			return false;
		if (end - start > CHUNK_NODES && progress_is_cancelled(job->sweep.progress))
			return error_cancelled(err);
		start = end;
	}
	return chunk_keep(job, bench, chunk, offsets_count, err) &&
	       (progress_add(job->sweep.progress, count) || error_cancelled(err));
}

static bool
bench_make_ready(struct bench *bench, uint64_t refs_count, struct error *err)
{
	uint32_t *larger;

	if (refs_count > UINT32_MAX)
		return error_set(err, ERROR_SYSTEM,
				 "more than %u references to %u neighbouring objects", UINT32_MAX,
				 (unsigned)CHUNK_NODES);
	if (refs_count <= bench->sources_room && bench->sources)
		return true;
	/* The old contents are not needed. */
	memory_free(bench->sources);
	bench->sources_room = (size_t)(refs_count + refs_count / 4 + 1);
	larger = memory_resize(NULL, bench->sources_room, sizeof(*larger), err);
	bench->sources = larger;
	return larger != NULL;
}

static bool
chunk_run(void *context, uint64_t part, unsigned thread, struct error *err)
{
	struct job *job = context;
	struct bench *bench = &job->benches[thread];
	uint32_t chunk = job->first_chunk + (uint32_t)part;
	uint64_t refs_count = 0;

	if (!bench->ends)
		bench->ends = memory_new(CHUNK_NODES, sizeof(*bench->ends), err);
	if (!bench->offsets)
		bench->offsets =
		    memory_new(CHUNK_NODES >> BLOCK_SHIFT, sizeof(*bench->offsets), err);
	if (!bench->ends || !bench->offsets || !chunk_count(bench, job, chunk, &refs_count, err) ||
	    !bench_make_ready(bench, refs_count, err) || !chunk_place(bench, job, chunk, err))
		return false;
	chunk_mark(bench, job, chunk);
	return chunk_encode(bench, job, chunk, err);
}

/* Returns the approximate size of a chunk's references in bytes. */
static uint64_t
chunk_weight(const struct heap *h, uint32_t chunk)
{
	node_id last = chunk_end(h, chunk) - 1;

	return h->chunks[chunk].offsets[(last & (CHUNK_NODES - 1)) >> BLOCK_SHIFT] + CHUNK_NODES;
}

/* Makes shares with about equally many references, since large arrays
   cluster. */
static void
shares_plan(struct job *job, uint32_t chunks_count, uint32_t wanted)
{
	const struct heap *h = job->sweep.heap;
	uint64_t total = 0, sum = 0;
	uint32_t first = 0;

	for (uint32_t c = 0; c < chunks_count; c++)
		total += chunk_weight(h, c);
	for (uint32_t c = 0; c < chunks_count; c++) {
		sum += chunk_weight(h, c);
		if (c + 1 < chunks_count && (job->shares_count + 1 == wanted ||
					     sum < total / wanted * (job->shares_count + 1)))
			continue;
		job->shares[job->shares_count++] =
		    (struct share){ .first_chunk = first, .end_chunk = c + 1 };
		first = c + 1;
	}
}

static void
shares_clear(struct job *job)
{
	for (uint32_t i = 0; i < job->shares_count; i++) {
		memory_free(job->shares[i].buckets);
		job->shares[i].buckets = NULL;
		arena_clear(&job->shares[i].blocks);
	}
}

static bool
job_run(struct job *job, unsigned turns, struct arena *scratch, struct error *err)
{
	const struct heap *h = job->sweep.heap;
	uint32_t chunks_count = sweep_chunks_count(h);
	unsigned threads = worker_threads();
	uint32_t step = (chunks_count - 1) / turns + 1;
	bool is_ok = true;

	job->shares = arena_array(scratch, struct share, threads, err);
	if (!job->shares)
		return false;
	shares_plan(job, chunks_count, threads);
	turns = (chunks_count - 1) / step + 1;
	progress_begin(job->sweep.progress, "reversing references", "objects",
		       (uint64_t)h->nodes_count * (turns + 1));
	for (uint32_t c = 0; is_ok && c < chunks_count; c += step) {
		job->first_chunk = c;
		job->end_chunk = chunks_count - c < step ? chunks_count : c + step;
		is_ok = worker_run_all(threads, job->shares_count, share_run, job, err) &&
			worker_run_all(threads, job->end_chunk - c, chunk_run, job, err);
		shares_clear(job);
	}
	return is_ok;
}

static void
job_clear(struct job *job)
{
	for (unsigned i = 0; i < WORKER_MAX; i++) {
		memory_free(job->benches[i].ends);
		memory_free(job->benches[i].sources);
		memory_free(job->benches[i].offsets);
		memory_free(job->benches[i].buffer.bytes);
	}
	pthread_mutex_destroy(&job->lock);
}

uint64_t
reverse_bytes(const struct heap *h, unsigned turns)
{
	uint64_t all = (uint64_t)h->nodes_count + h->refs_count;

	/* The extra half byte is for objects with very many referrers. */
	return all * 3 / 2 + h->nodes_count / 4 + h->refs_count / 2 + h->refs_count * 4 / turns;
}

const struct reverse *
reverse_compute(const struct heap *h, struct progress *progress, struct error *err)
{
	return reverse_compute_in_turns(h, 1, progress, err);
}

const struct reverse *
reverse_compute_in_turns(const struct heap *h, unsigned turns, struct progress *progress,
			 struct error *err)
{
	struct reverse *rev = memory_new(1, sizeof(*rev), err);
	struct job job = { .rev = rev };
	size_t words = bits_words(h->nodes_count);
	struct arena scratch;
	bool is_ok;

	if (!rev)
		return NULL;
	rev->heap = h;
	arena_init(&rev->arena, 0);
	arena_init(&scratch, 0);
	pthread_mutex_init(&job.lock, NULL);
	job.chunks = arena_array(&rev->arena, struct chunk, sweep_chunks_count(h) + (size_t)1, err);
	job.referred = arena_array(&rev->arena, uint64_t, words, err);
	job.several = arena_array(&rev->arena, uint64_t, words, err);
	is_ok = job.chunks && job.referred && job.several &&
		sweep_init(&job.sweep, h, &scratch, progress, err) &&
		(!h->nodes_count || job_run(&job, turns, &scratch, err));
	job_clear(&job);
	arena_clear(&scratch);
	rev->chunks = job.chunks;
	rev->referred = job.referred;
	rev->several = job.several;
	rev->bytes = sizeof(*rev) + rev->arena.used_bytes;
	if (is_ok)
		return rev;
	reverse_free(rev);
	return NULL;
}

void
reverse_free(const struct reverse *rev)
{
	struct reverse *owned = (struct reverse *)(uintptr_t)rev;

	if (!rev)
		return;
	arena_clear(&owned->arena);
	memory_free(owned);
}

/* Decodes the head of a record; *gaps_end is the end of the record. */
static struct referrers
record_read(const uint8_t *at, node_id target, const uint8_t **gaps_end)
{
	struct referrers r = { .is_first = true };
	uint64_t head, count, bytes = 0;

	at = varint_get(at, &head);
	if (head--) {
		r.left = 1;
		r.last = (node_id)((int64_t)target + varint_unzigzag(head >> 1));
	}
	if (r.left && (head & 1)) {
		at = varint_get(at, &count);
		r.left = count + 2;
	}
	r.at = at;
	if (r.left >= REVERSE_HUB) {
		at = varint_get(at, &bytes);
		r.at = at;
		at += bytes;
	} else {
		for (uint64_t left = r.left; left > 1; left--)
			while (*at++ & 0x80)
				;
	}
	*gaps_end = at;
	return r;
}

void
reverse_scan_init(struct reverse_scan *s, const struct reverse *rev, node_id first)
{
	uint32_t block = (first & (CHUNK_NODES - 1)) >> BLOCK_SHIFT;
	const struct chunk *chunk;

	*s = (struct reverse_scan){ .rev = rev, .node = first };
	if (first >= rev->heap->nodes_count)
		return;
	chunk = &rev->chunks[first >> CHUNK_SHIFT];
	s->at = chunk->bytes + chunk->offsets[block];
	s->node = first >> BLOCK_SHIFT << BLOCK_SHIFT;
	while (s->node < first)
		reverse_scan_next(s);
}

struct referrers
reverse_scan_next(struct reverse_scan *s)
{
	node_id n = s->node++;

	if (n >= s->rev->heap->nodes_count)
		return (struct referrers){ 0 };
	if (!s->at || !(n & (CHUNK_NODES - 1)))
		s->at = s->rev->chunks[n >> CHUNK_SHIFT].bytes;
	return record_read(s->at, n, &s->at);
}

struct referrers
reverse_of(const struct reverse *rev, node_id n)
{
	struct reverse_scan scan;

	reverse_scan_init(&scan, rev, n);
	return reverse_scan_next(&scan);
}

uint64_t
reverse_count(const struct reverse *rev, node_id n)
{
	return reverse_of(rev, n).left;
}
