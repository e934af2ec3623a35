/* Event streams: every format, every cut, every loss. */
#include "tests/drive/run_tests.h"
#include "tests/made/traces.h"
#include "io/base/input.h"
#include "io/events/nettrace_stacks.h"
#include "model/base/arena.h"
#include <stdlib.h>
#include <string.h>

/* Hands out a stream in chunks of one size; each lies in its own memory. */
struct chunks {
	const uint8_t *data;
	size_t len, at, size;
	uint8_t *chunk;
};

static bool
chunks_next(void *context, const uint8_t **data, size_t *len, struct error *err)
{
	struct chunks *c = context;
	size_t count = c->len - c->at;

	(void)err;
	if (count > c->size)
		count = c->size;
	/* The chunk before is gone: whoever still looks at it is wrong. */
	free(c->chunk);
	c->chunk = malloc(count + 1);
	assert_non_null(c->chunk);
	if (count)
		memcpy(c->chunk, c->data + c->at, count);
	c->at += count;
	*data = c->chunk;
	*len = count;
	return true;
}

/* What a stream gave, in one number and a few counts. */
struct seen {
	uint64_t events, lost, losses, payload_bytes, hash;
	struct nettrace_header header;
	struct nettrace_status status;
	enum nettrace_item last;
	struct error err;
};

static void
hash_add(uint64_t *hash, const void *data, size_t len)
{
	const uint8_t *bytes = data;

	for (size_t i = 0; i < len; i++)
		*hash = (*hash ^ bytes[i]) * UINT64_C(0x100000001b3);
}

static struct seen
read_chunks(const uint8_t *data, size_t len, size_t chunk_size)
{
	struct chunks c = { .data = data, .len = len, .size = chunk_size };
	struct seen s = { .hash = 1 };
	struct nettrace_event e;
	struct nettrace *t;

	error_clear(&s.err);
	t = nettrace_new((struct nettrace_input){ chunks_next, &c }, &s.err);
	assert_non_null(t);
	while ((s.last = nettrace_next(t, &e, &s.err)) == NETTRACE_EVENT ||
	       s.last == NETTRACE_LOST) {
		if (s.last == NETTRACE_LOST) {
			assert_true(e.lost_count > 0);
			s.losses++;
			s.lost += e.lost_count;
			continue;
		}
		s.events++;
		s.payload_bytes += e.payload_len;
		hash_add(&s.hash, &e.id, sizeof(e.id));
		hash_add(&s.hash, &e.version, sizeof(e.version));
		hash_add(&s.hash, &e.thread, sizeof(e.thread));
		hash_add(&s.hash, &e.timestamp, sizeof(e.timestamp));
		hash_add(&s.hash, e.payload, e.payload_len);
	}
	/* It stays at the end. */
	assert_int_equal(nettrace_next(t, &e, &s.err), s.last);
	s.header = *nettrace_header(t);
	s.status = *nettrace_status(t);
	nettrace_free(t);
	free(c.chunk);
	return s;
}

static struct seen
read_blob(const struct blob *b)
{
	return read_chunks(b->data, b->len, b->len);
}

static void
put_event(struct trace *t, unsigned kind, size_t len)
{
	struct blob payload = { 0 };

	for (size_t i = 0; i < len; i++)
		blob_u8(&payload, (uint8_t)(i * 7 + kind));
	trace_event(t, kind, &payload);
	blob_free(&payload);
}

static void
put_some_events(struct trace *t)
{
	static const size_t lens[] = { 0, 1, 2, 3, 10, 63, 64, 200, 16383 };

	for (size_t i = 0; i < COUNT_OF(lens); i++) {
		put_event(t, 1 + (unsigned)i % (KIND_COUNT - 1), lens[i]);
		if (i % 3 == 2)
			trace_flush(t);
	}
}

/* --- formats --- */

TEST(test_formats_agree)
{
	static const enum trace_format formats[] = { TRACE_4, TRACE_4_PLAIN, TRACE_6,
						     TRACE_6_PLAIN };
	uint64_t hash = 0;

	for (size_t i = 0; i < COUNT_OF(formats); i++) {
		struct trace t;
		struct seen s;

		trace_begin(&t, formats[i], 8);
		put_some_events(&t);
		trace_end(&t);
		s = read_blob(&t.out);
		assert_int_equal(s.last, NETTRACE_END);
		assert_string_equal(s.status.damage.message, "");
		assert_true(s.status.has_ended);
		assert_int_equal(s.events, 9);
		assert_int_equal(s.lost, 0);
		assert_int_equal(s.status.offset, t.out.len);
		assert_int_equal(s.header.major, formats[i] < TRACE_6 ? 4 : 6);
		assert_int_equal(s.header.pid, 4711);
		assert_int_equal(s.header.processors, 2);
		assert_int_equal(s.header.pointer_bytes, 8);
		assert_int_equal(s.header.time, 1795262513);
		if (!i)
			hash = s.hash;
		assert_int_equal(s.hash, hash);
		trace_free(&t);
	}
}

TEST(test_chunks_of_every_size)
{
	static const size_t sizes[] = { 1, 2, 3, 4, 5, 7, 16, 100, 1000, 9999 };
	static const enum trace_format formats[] = { TRACE_4, TRACE_6 };

	for (size_t f = 0; f < COUNT_OF(formats); f++) {
		struct trace t;
		struct seen whole;

		trace_begin(&t, formats[f], 8);
		put_some_events(&t);
		trace_end(&t);
		whole = read_blob(&t.out);
		for (size_t i = 0; i < COUNT_OF(sizes); i++) {
			struct seen s = read_chunks(t.out.data, t.out.len, sizes[i]);

			assert_int_equal(s.hash, whole.hash);
			assert_int_equal(s.events, whole.events);
			assert_true(s.status.has_ended);
		}
		trace_free(&t);
	}
}

/* What is complete is delivered; the rest is called missing. */
TEST(test_cut_at_every_byte)
{
	static const enum trace_format formats[] = { TRACE_4, TRACE_4_PLAIN, TRACE_6,
						     TRACE_6_PLAIN };

	for (size_t f = 0; f < COUNT_OF(formats); f++) {
		struct trace t;
		uint64_t events = 0;

		trace_begin(&t, formats[f], 8);
		for (unsigned i = 0; i < 6; i++) {
			put_event(&t, i + 1, 5 + 20 * i);
			if (i % 2)
				trace_flush(&t);
		}
		trace_end(&t);
		for (size_t len = 0; len < t.out.len; len++) {
			/* In memory of its own: reading past it shows. */
			struct seen s = read_chunks(t.out.data, len, len);

			if (len < 12) {
				assert_int_equal(s.last, NETTRACE_FAILED);
				assert_int_equal(s.err.kind, ERROR_INPUT);
				continue;
			}
			assert_int_equal(s.last, NETTRACE_END);
			assert_false(s.status.has_ended);
			assert_int_equal(s.lost, 0);
			assert_int_equal(s.status.damaged_blocks_count, 0);
			assert_true(s.events >= events);
			events = s.events;
			assert_int_equal(s.status.damage.kind, ERROR_INPUT);
		}
		assert_int_equal(events, 6);
		trace_free(&t);
	}
}

TEST(test_reference_trace)
{
	struct error err = { 0 };
	struct input in;
	struct seen s;

	assert_ok(input_open(&in, "tests/data/leaky-10.nettrace.zst", NULL, &err), &err);
	s = read_chunks(in.data, in.len, 1 << 16);
	assert_int_equal(s.events, 1501);
	assert_int_equal(s.lost, 0);
	assert_true(s.status.has_ended);
	assert_int_equal(s.status.offset, in.len);
	assert_int_equal(s.header.pid, 6190);
	assert_int_equal(s.header.pointer_bytes, 8);
	input_close(&in);
}

/* --- rows as a runtime wrote them --- */

TEST(test_real_rows)
{
	static const uint8_t rows[] = {
		0x14, 0, 1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8,
		/* id 1, seq 1, capture and thread 6853, processor unknown, stack 1, size 10 */
		0xcf, 0x01, 0x00, 0xc5, 0x35, 0xff, 0xff, 0xff, 0xff, 0x0f, 0xc5, 0x35, 0x01, 0xf1,
		0xbf, 0xf7, 0x90, 0x9e, 0x3a, 0x0a, 0x01, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		/* id 2, 7450 ns later, size 2 */
		0x81, 0x02, 0x9a, 0x3a, 0x02, 0x00, 0x00,
		/* the same again, 1 ns back: a time of 10 bytes */
		0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 0x00, 0x00,
		/* with activities of 16 bytes each */
		0x30, 0x00, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5,
		6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 7, 8
	};
	struct nettrace_memory memory;
	struct nettrace_event e;
	struct nettrace *t;
	struct trace trace;
	struct error err = { 0 };
	uint64_t time;

	trace_begin(&trace, TRACE_4, 8);
	trace_block(&trace, "EventBlock", 2, rows, sizeof(rows));
	trace_point(&trace, 6853, 4);
	blob_u8(&trace.out, 1);
	t = nettrace_new(nettrace_memory_input(&memory, trace.out.data, trace.out.len), &err);
	assert_non_null(t);

	assert_int_equal(nettrace_next(t, &e, &err), NETTRACE_EVENT);
	assert_int_equal(e.provider, NETTRACE_RUNTIME);
	assert_int_equal(e.id, 1);
	assert_int_equal(e.version, 2);
	assert_int_equal(e.thread, 6853);
	assert_int_equal(e.payload_len, 10);
	assert_int_equal(e.payload[0], 1);
	assert_memory_equal(&trace.out.data[e.offset], e.payload, 10);
	time = e.timestamp;
	assert_int_equal(time, UINT64_C(0x1d1e21ddff1));

	assert_int_equal(nettrace_next(t, &e, &err), NETTRACE_EVENT);
	assert_int_equal(e.id, 2);
	assert_int_equal(e.timestamp - time, 7450);
	assert_int_equal(e.payload_len, 2);

	assert_int_equal(nettrace_next(t, &e, &err), NETTRACE_EVENT);
	assert_int_equal(e.timestamp - time, 7449);

	assert_int_equal(nettrace_next(t, &e, &err), NETTRACE_EVENT);
	assert_int_equal(e.timestamp - time, 7449);
	assert_int_equal(e.payload[0], 7);
	assert_int_equal(e.payload[1], 8);

	assert_int_equal(nettrace_next(t, &e, &err), NETTRACE_END);
	assert_string_equal(nettrace_status(t)->damage.message, "");
	nettrace_free(t);
	trace_free(&trace);
}

TEST(test_padding_at_every_alignment)
{
	for (size_t len = 0; len < 8; len++) {
		struct trace t;
		struct seen s;

		trace_begin(&t, TRACE_4, 8);
		trace_block(&t, "StackBlock", 5, "12345678", len);
		put_event(&t, KIND_GC_START, 10);
		trace_end(&t);
		s = read_blob(&t.out);
		assert_int_equal(s.events, 1);
		assert_true(s.status.has_ended);
		trace_free(&t);
	}
}

/* --- losses --- */

/* A thread's numbers as they arrive; negative: a sequence point. */
struct loss_row {
	const char *name;
	int64_t numbers[6]; /* 0: the end */
	uint64_t lost, losses;
};

/* clang-format off */
static const struct loss_row loss_rows[] = {
	{ "none",               { 1, 2, 3, 0 },                0, 0 },
	{ "one in the middle",  { 1, 2, 4, 5, 0 },             1, 1 },
	{ "at the start",       { 5, 6, 0 },                   4, 1 },
	{ "two gaps",           { 1, 3, 10, 0 },               7, 2 },
	{ "at the tail",        { 1, 2, -9, 0 },               7, 1 },
	{ "not told twice",     { 1, -3, 4, 0 },               2, 1 },
	{ "a point that lags",  { 1, 2, 3, -2, 4, 0 },         0, 0 },
	{ "around the end",     { 1, 0x7fffffff, 0xfffffffe, 0x100000001, 0 },
	                        UINT32_MAX - 2,   3 },
	{ "a thread once more", { 1, 2, 3, 1, 2, 0 },          0, 0 },
	{ "only a point",       { -4, 0 },                     4, 1 },
};
/* clang-format on */

TEST(test_losses)
{
	for (size_t i = 0; i < COUNT_OF(loss_rows); i++) {
		for (int f = TRACE_4; f <= TRACE_6_PLAIN; f++) {
			const struct loss_row *row = &loss_rows[i];
			struct trace t;
			struct seen s;

			trace_begin(&t, (enum trace_format)f, 8);
			for (const int64_t *n = row->numbers; *n; n++) {
				if (*n < 0) {
					trace_point(&t, t.thread, (uint32_t) - *n);
					continue;
				}
				t.sequence = (uint32_t)(*n - 1);
				put_event(&t, KIND_GC_END, 10);
			}
			trace_flush(&t);
			s = read_blob(&t.out);
			if (s.lost != row->lost || s.losses != row->losses)
				fail_msg("%s, format %d: %llu lost, %llu times", row->name, f,
					 (unsigned long long)s.lost, (unsigned long long)s.losses);
			assert_int_equal(s.status.lost_events_count, row->lost);
			trace_free(&t);
		}
	}
}

TEST(test_threads_are_counted_apart)
{
	struct trace t;
	struct seen s;

	trace_begin(&t, TRACE_4, 8);
	for (uint32_t i = 0; i < 10; i++) {
		for (uint64_t thread = 1; thread < 200; thread++) {
			t.thread = thread << 32 | 7;
			t.sequence = i;
			/* Thread 100 loses its fifth event. */
			if (thread != 100 || i != 4)
				put_event(&t, KIND_GC_END, 4);
		}
	}
	trace_end(&t);
	s = read_blob(&t.out);
	assert_int_equal(s.events, 1989);
	assert_int_equal(s.lost, 1);
	trace_free(&t);
}

/* --- damage --- */

static void
damage_nothing(struct trace *t)
{
	(void)t;
}

static void
damage_unknown_kind(struct trace *t)
{
	put_event(t, 99, 10);
	put_event(t, KIND_GC_END, 10); /* after it: lost with it */
	t->sequence -= 2;
}

static void
damage_long_payload(struct trace *t)
{
	put_event(t, KIND_GC_END, 10);
	t->sequence--;
	t->block.len -= 3;
}

static void
damage_empty_block(struct trace *t)
{
	trace_flush(t);
	trace_block(t, "EventBlock", 2, "", 0);
}

static void
damage_block_of_a_head(struct trace *t)
{
	trace_flush(t);
	trace_block(t, "EventBlock", 2, "\x14\0\1\0", 4);
}

static void
damage_unknown_block(struct trace *t)
{
	trace_flush(t);
	trace_block(t, "NewBlock", 77, "abcdefg", 7);
}

static void
damage_metadata(struct trace *t)
{
	trace_flush(t);
	trace_block(t, "MetadataBlock", 3, "\x14\0\1\0abcdefghijklmnopqrst", 24);
}

static void
damage_point(struct trace *t)
{
	trace_flush(t);
	trace_block(t, "SPBlock", 4, "12345678\xff\xff\xff\x7f", 12);
}

static void
damage_framing(struct trace *t)
{
	trace_flush(t);
	blob_put(&t->out, "\x99\x99\x99\x09garbage", 11);
}

static void
damage_block_size(struct trace *t)
{
	trace_flush(t);
	blob_put(&t->out, "\5\5\1\2\0\0\0\2\0\0\0\x0a\0\0\0EventBlock\6", 26);
	blob_u32(&t->out, 0xfffffff0);
}

static void
damage_name_len(struct trace *t)
{
	trace_flush(t);
	blob_put(&t->out, "\5\5\1\2\0\0\0\2\0\0\0\xff\xff\xff\xff", 15);
}

/* One event stands before the damage, one block with one event after it. */
struct damage_row {
	const char *name;
	void (*damage)(struct trace *t);
	uint64_t events, damaged_blocks;
	bool has_ended, is_for_6;
};

/* clang-format off */
static const struct damage_row damage_rows[] = {
	{ "none",             damage_nothing,         2, 0, true,  true },
	{ "unknown kind",     damage_unknown_kind,    2, 1, true,  true },
	{ "long payload",     damage_long_payload,    2, 1, true,  true },
	{ "empty block",      damage_empty_block,     2, 0, true,  true },
	{ "only a head",      damage_block_of_a_head, 2, 1, true,  true },
	{ "unknown block",    damage_unknown_block,   2, 0, true,  true },
	{ "metadata",         damage_metadata,        2, 1, true,  true },
	{ "sequence point",   damage_point,           2, 1, true,  true },
	{ "framing",          damage_framing,         1, 0, false, false },
	{ "size of a block",  damage_block_size,      1, 0, false, false },
	{ "length of a name", damage_name_len,        1, 0, false, false },
};
/* clang-format on */

TEST(test_damage)
{
	static const enum trace_format formats[] = { TRACE_4, TRACE_6 };

	for (size_t i = 0; i < COUNT_OF(damage_rows) * 2; i++) {
		const struct damage_row *row = &damage_rows[i / 2];
		struct trace t;
		struct seen s;

		if (i % 2 && !row->is_for_6)
			continue;
		trace_begin(&t, formats[i % 2], 8);
		put_event(&t, KIND_GC_START, 26);
		row->damage(&t);
		trace_flush(&t);
		put_event(&t, KIND_GC_END, 10);
		trace_end(&t);
		s = read_blob(&t.out);
		if (s.last != NETTRACE_END || s.events != row->events ||
		    s.status.damaged_blocks_count != row->damaged_blocks ||
		    s.status.has_ended != row->has_ended || s.lost)
			fail_msg("%s: item %d, %llu events, %llu damaged, ended %d, lost %llu: %s",
				 row->name, s.last, (unsigned long long)s.events,
				 (unsigned long long)s.status.damaged_blocks_count,
				 s.status.has_ended, (unsigned long long)s.lost,
				 s.status.damage.message);
		assert_int_equal(s.status.damage.kind != ERROR_NONE,
				 row->damaged_blocks || !row->has_ended);
		trace_free(&t);
	}
}

static const struct {
	const char *bytes;
	size_t len;
	const char *message;
} foreign_rows[] = {
	{ "", 0, "not a nettrace stream (at offset 0x0)" },
	{ "Nettrac", 7, "not a nettrace stream (at offset 0x0)" },
	{ "NettracX\x14\0\0\0", 12, "not a nettrace stream (at offset 0x0)" },
	{ "Nettrace\x15\0\0\0!FastSerialization.1x", 33,
	  "the stream is neither nettrace 4 nor 6 (at offset 0x8)" },
	{ "Nettrace\x14\0\0\0!FastSerialization.2", 32,
	  "the stream is neither nettrace 4 nor 6 (at offset 0x8)" },
	{ "Nettrace\0\0\0\0\7\0\0\0\0\0\0\0", 20,
	  "nettrace format 7 is unknown; heaptop reads 4, 5 and 6. Use a newer heaptop, or try: "
	  "dotnet-gcdump convert FILE" },
};

TEST(test_other_formats_are_refused)
{
	for (size_t i = 0; i < COUNT_OF(foreign_rows); i++) {
		struct seen s =
		    read_chunks((const uint8_t *)foreign_rows[i].bytes, foreign_rows[i].len, 1000);

		assert_int_equal(s.last, NETTRACE_FAILED);
		assert_string_equal(s.err.message, foreign_rows[i].message);
	}
}

/* --- format 6 alone --- */

TEST(test_labels_say_a_version)
{
	/* List 5: an activity, a text, version 9; list 6: nothing of use. */
	static const uint8_t labels[] = { 5,  0, 0, 0,   2, 0,   0,   0,    1,  1,    2,  3,
					  4,  5, 6, 7,   8, 9,   10,  11,   12, 13,   14, 15,
					  16, 5, 1, 'k', 2, 'v', 'w', 0x8a, 9,  0x89, 4 };
	/* A row of kind 1 with label list 5, then one with 6. */
	static const uint8_t rows[] = { 0x14, 0,    1,    0, 0, 0, 0, 0,    0, 0,    0,
					0,    0,    0,    0, 0, 0, 0, 0,    0, 0x93, 1,
					0,    0x85, 0x35, 0, 1, 5, 0, 0x10, 1, 6 };
	/* No flags, no threads: all it says is that lists begin anew. */
	static const uint8_t point[8 + 4 + 4] = { 0 };
	struct nettrace_memory memory;
	struct nettrace_event e;
	struct nettrace *t;
	struct trace trace;
	struct error err = { 0 };

	trace_begin(&trace, TRACE_6, 8);
	trace_block(&trace, "", 8, labels, sizeof(labels));
	trace_block(&trace, "", 2, rows, sizeof(rows));
	trace_block(&trace, "", 7, "\x85\x35\3", 3); /* thread 6789: up to 3 */
	trace_block(&trace, "", 4, point, sizeof(point));
	trace_block(&trace, "", 2, rows, sizeof(rows));
	blob_u32(&trace.out, 0);
	t = nettrace_new(nettrace_memory_input(&memory, trace.out.data, trace.out.len), &err);
	assert_non_null(t);
	assert_int_equal(nettrace_next(t, &e, &err), NETTRACE_EVENT);
	assert_int_equal(e.version, 9);
	assert_int_equal(e.thread, 6789);
	assert_int_equal(nettrace_next(t, &e, &err), NETTRACE_EVENT);
	assert_int_equal(e.version, 2);
	/* Its last event did not arrive: the thread is said to have 3. */
	assert_int_equal(nettrace_next(t, &e, &err), NETTRACE_LOST);
	assert_int_equal(e.lost_count, 1);
	/* Behind the point nothing is known of list 5. */
	assert_int_equal(nettrace_next(t, &e, &err), NETTRACE_EVENT);
	assert_int_equal(e.version, 2);
	assert_int_equal(e.thread, 6789);
	assert_int_equal(nettrace_next(t, &e, &err), NETTRACE_EVENT);
	assert_int_equal(e.version, 2);
	assert_int_equal(nettrace_next(t, &e, &err), NETTRACE_END);
	assert_string_equal(nettrace_status(t)->damage.message, "");
	nettrace_free(t);
	trace_free(&trace);
}

/* --- inputs --- */

static bool
fail_at_once(void *context, const uint8_t **data, size_t *len, struct error *err)
{
	(void)context;
	(void)data;
	(void)len;
	return error_set(err, ERROR_SYSTEM, "the socket is gone");
}

TEST(test_input_that_fails)
{
	struct nettrace_event e;
	struct nettrace *t;
	struct error err = { 0 };

	t = nettrace_new((struct nettrace_input){ fail_at_once, NULL }, &err);
	assert_int_equal(nettrace_next(t, &e, &err), NETTRACE_FAILED);
	assert_string_equal(err.message, "the socket is gone");
	assert_int_equal(nettrace_next(t, &e, &err), NETTRACE_FAILED);
	nettrace_free(t);
}

/* Even stacks without frames take memory. */
TEST(test_stacks_are_bounded)
{
	enum { EACH = 1 << 16, BLOCKS = 96 };
	struct nettrace_stacks s = { 0 };
	static uint8_t block[8 + 4 * EACH];
	struct error err = { 0 };
	uint32_t len;

	for (uint32_t i = 0; i < BLOCKS; i++) {
		const uint32_t head[] = { i * EACH, EACH };
		struct bytes b;

		memcpy(block, head, sizeof head);
		bytes_init(&b, block, sizeof block, &err);
		assert_ok(nettrace_stacks_read(&s, &b, &err), &err);
		assert_true(bytes_ok(&b));
		assert_null(nettrace_stacks_find(&s, i * EACH, &len));
	}
	assert_true(s.room * sizeof *s.items <= 2 * NETTRACE_STACKS_BYTES);
	nettrace_stacks_clear(&s);
}

TEST(test_times)
{
	struct nettrace_memory memory;
	struct nettrace_event e;
	struct nettrace *t;
	struct trace trace;
	struct error err = { 0 };

	trace_begin(&trace, TRACE_4, 8);
	put_event(&trace, KIND_GC_START, 26);
	trace_end(&trace);
	t = nettrace_new(nettrace_memory_input(&memory, trace.out.data, trace.out.len), &err);
	assert_int_equal(nettrace_next(t, &e, &err), NETTRACE_EVENT);
	/* The clock was at 1,000,000 ns when it was 12:01:53.228. */
	assert_int_equal(nettrace_time(t, 2000001000), 1795262513228000000 + 1999001000);
	assert_int_equal(nettrace_time(t, 0), 1795262513228000000 - 1000000);
	nettrace_free(t);
	trace_free(&trace);
}
