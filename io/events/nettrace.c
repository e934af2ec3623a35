/*
 * Layers of a stream, from the outside in:
 *
 *   chunks     nettrace_stream.h    pieces of the input
 *   framing    here                 objects or blocks
 *   header     nettrace_header.h    process and clock
 *   rows       nettrace_rows.h      events in a block
 *   kinds      nettrace_kinds.h     provider, id and version of an event
 *   labels     nettrace_labels.h    versions of single events
 *   threads    nettrace_threads.h   lost events
 *   stacks     nettrace_stacks.h    stacks of events
 */
#include "io/events/nettrace.h"
#include "io/events/nettrace_header.h"
#include "io/events/nettrace_kinds.h"
#include "io/events/nettrace_labels.h"
#include "io/events/nettrace_rows.h"
#include "io/events/nettrace_stacks.h"
#include "io/events/nettrace_stream.h"
#include "io/events/nettrace_threads.h"
#include "model/base/arena.h"
#include <inttypes.h>
#include <stdlib.h>

enum {
	MAGIC_BYTES = 8,
	NAME_MAX_BYTES = 64,
	TAG_OBJECT = 5,
	TAG_END = 6,
	TAG_LAST = 1,
};
static const char serialization[] = "!FastSerialization.1";

enum block_kind { /* numbered as in format 6 */
		  BLOCK_LAST,
		  BLOCK_TRACE,
		  BLOCK_EVENTS,
		  BLOCK_METADATA,
		  BLOCK_POINT,
		  BLOCK_STACKS,
		  BLOCK_THREADS,
		  BLOCK_REMOVED_THREADS,
		  BLOCK_LABELS,
		  BLOCK_UNKNOWN,
};

struct nettrace {
	struct nettrace_stream stream;
	struct nettrace_header header;
	struct nettrace_status status;
	struct nettrace_kinds kinds;
	struct nettrace_threads threads;
	struct nettrace_stacks stacks;
	bool keeps_stacks;
	struct u64_map labels; /* label list → event version */
	struct nettrace_rows rows;
	bool has_rows;       /* rows are left */
	bool has_point;      /* threads of `point` are left */
	struct bytes point;  /* a sequence point, or removed threads */
	uint32_t point_left; /* threads in it */
	uint32_t point_flags;
	uint64_t block_at; /* offset of the current block */
	bool has_header, is_over, is_cut, has_failed;
	struct error scratch; /* of cursors; offsets are within the block */
};

bool
nettrace_accepts(const uint8_t *head, size_t head_len)
{
	return head_len >= MAGIC_BYTES && !memcmp(head, "Nettrace", MAGIC_BYTES);
}

struct nettrace *
nettrace_new(struct nettrace_input input, struct error *err)
{
	struct nettrace *t = memory_new(1, sizeof(*t), err);

	if (!t)
		return NULL;
	t->stream.input = input;
	error_clear(&t->status.damage);
	error_clear(&t->scratch);
	return t;
}

void
nettrace_free(struct nettrace *t)
{
	if (!t)
		return;
	nettrace_stream_clear(&t->stream);
	nettrace_kinds_clear(&t->kinds);
	nettrace_threads_clear(&t->threads);
	nettrace_stacks_clear(&t->stacks);
	u64_map_clear(&t->labels);
	memory_free(t);
}

void
nettrace_keep_stacks(struct nettrace *t)
{
	t->keeps_stacks = true;
}

const struct nettrace_header *
nettrace_header(const struct nettrace *t)
{
	return &t->header;
}

const struct nettrace_status *
nettrace_status(const struct nettrace *t)
{
	return &t->status;
}

/* --- pieces of the stream --- */

/* All of `len` bytes; NULL if the stream is cut or fails before. */
static const uint8_t *
take(struct nettrace *t, size_t len, struct error *err)
{
	size_t got;
	const uint8_t *piece = nettrace_stream_take(&t->stream, len, &got, err);

	if (piece && got == len)
		return piece;
	if (!t->stream.has_failed)
		t->is_cut = true;
	return NULL;
}

static bool
framing_damaged(struct nettrace *t, const char *what)
{
	error_at(&t->status.damage, t->stream.offset,
		 "the stream is damaged: %s; the rest is left out", what);
	t->is_over = true;
	return false;
}

/* Counts a damaged block; reading continues with the next one. */
static void
block_damaged(struct nettrace *t, const struct bytes *b)
{
	/* Replaces the offset in the block by that in the stream. */
	const char *place = strstr(t->scratch.message, " (at offset");
	int len = (int)(place ? (size_t)(place - t->scratch.message) : strlen(t->scratch.message));

	t->status.damaged_blocks_count++;
	error_at(&t->status.damage, t->block_at + b->at, "the rest of a block is unreadable: %.*s",
		 len, t->scratch.message);
}

/* --- header --- */

static bool
check_header(struct nettrace *t)
{
	struct nettrace_header *h = &t->header;

	if (h->pointer_bytes != 4 && h->pointer_bytes != 8)
		return framing_damaged(t, "the size of a pointer is neither 4 nor 8");
	t->has_header = true;
	return true;
}

static bool
read_trace4(struct nettrace *t, struct error *err)
{
	const uint8_t *data = take(t, NETTRACE_TRACE4_BYTES, err);
	struct bytes b;

	if (!data)
		return false;
	bytes_init(&b, data, NETTRACE_TRACE4_BYTES, &t->scratch);
	nettrace_header_read4(&t->header, &b);
	return check_header(t);
}

/* False sets `err`: it is not a stream in a known format. */
static bool
read_prologue(struct nettrace *t, struct error *err)
{
	const uint8_t *data = take(t, MAGIC_BYTES + 4, err);
	uint32_t number = data ? bytes_load_u32(data + MAGIC_BYTES) : 0;

	if (!data || !nettrace_accepts(data, MAGIC_BYTES))
		return error_at(err, 0, "not a nettrace stream");
	if (number == 0) {
		data = take(t, 8, err);
		t->header.major = data ? bytes_load_u32(data) : 6;
		if (t->header.major != 6)
			return error_set(
			    err, ERROR_INPUT,
			    "nettrace format %" PRIu32
			    " is unknown; heaptop reads 4, 5 and 6. Use a newer heaptop, or try: "
			    "dotnet-gcdump convert FILE",
			    t->header.major);
		return true;
	}
	t->header.major = 4;
	data = number == sizeof(serialization) - 1 ? take(t, number, err) : NULL;
	if (t->is_cut || (data && !memcmp(data, serialization, sizeof(serialization) - 1)))
		return true;
	return error_at(err, MAGIC_BYTES, "the stream is neither nettrace 4 nor 6");
}

/* --- framing --- */

static const struct {
	const char *name;
	enum block_kind kind;
} block_names[] = {
	{ "Trace", BLOCK_TRACE },       { "EventBlock", BLOCK_EVENTS },
	{ "StackBlock", BLOCK_STACKS }, { "MetadataBlock", BLOCK_METADATA },
	{ "SPBlock", BLOCK_POINT },
};

/* Reads the head of an object, up to its content. */
static bool
read_object4(struct nettrace *t, enum block_kind *kind, struct error *err)
{
	const uint8_t *data;
	uint32_t name_len;

	data = take(t, 1, err);
	*kind = BLOCK_LAST;
	if (!data || *data == TAG_LAST)
		return data != NULL;
	if (*data != TAG_OBJECT)
		return framing_damaged(t, "an object is expected here");
	data = take(t, 2 + 4 + 4 + 4, err);
	if (!data)
		return false;
	name_len = bytes_load_u32(data + 10);
	if (data[0] != TAG_OBJECT || data[1] != TAG_LAST || name_len > NAME_MAX_BYTES)
		return framing_damaged(t, "an object is expected here");
	data = take(t, name_len + 1, err);
	if (!data)
		return false;
	if (data[name_len] != TAG_END)
		return framing_damaged(t, "an object's name has no end");
	*kind = BLOCK_UNKNOWN;
	for (size_t i = 0; i < sizeof(block_names) / sizeof(*block_names); i++)
		if (strlen(block_names[i].name) == name_len &&
		    !memcmp(data, block_names[i].name, name_len))
			*kind = block_names[i].kind;
	return true;
}

/* Reads the size of a block and skips the padding behind it. */
static bool
read_block_size4(struct nettrace *t, uint32_t *size, struct error *err)
{
	const uint8_t *data = take(t, 4, err);

	if (!data)
		return false;
	*size = bytes_load_u32(data);
	if (*size > NETTRACE_BLOCK_MAX)
		return framing_damaged(t, "a block is impossibly large");
	if (!nettrace_stream_skip(&t->stream, -t->stream.offset & 3, err)) {
		t->is_cut = !t->stream.has_failed;
		return false;
	}
	return true;
}

static bool
read_block6(struct nettrace *t, enum block_kind *kind, uint32_t *size, struct error *err)
{
	const uint8_t *data = take(t, 4, err);
	uint32_t head;

	if (!data)
		return false;
	head = bytes_load_u32(data);
	*size = head & 0xffffff;
	*kind = head >> 24 < BLOCK_UNKNOWN ? head >> 24 : BLOCK_UNKNOWN;
	return true;
}

/* --- blocks --- */

/* False: no memory. */
static bool
read_metadata4(struct nettrace *t, const uint8_t *data, size_t len, struct error *err)
{
	struct nettrace_rows rows;
	struct nettrace_row row;

	nettrace_rows_begin(&rows, t->header.major, data, len, t->block_at, &t->scratch);
	while (nettrace_rows_next(&rows, &row)) {
		struct bytes b;

		bytes_init(&b, row.payload, row.payload_len, &t->scratch);
		if (!nettrace_kinds_read4(&t->kinds, &b, err))
			return false;
		if (!bytes_ok(&b))
			bytes_fail(&rows.bytes, row.payload_at, "a kind of event is damaged");
	}
	if (!bytes_ok(&rows.bytes) && !t->is_cut)
		block_damaged(t, &rows.bytes);
	return true;
}

static bool
read_metadata6(struct nettrace *t, struct bytes *b, struct error *err)
{
	bytes_skip(b, bytes_u16(b, "the header of a block"), "its rest");
	return nettrace_kinds_read6(&t->kinds, b, err);
}

static void
begin_point4(struct nettrace *t, struct bytes *b)
{
	bytes_skip(b, 8, "the time of a sequence point");
	t->point_left = bytes_count(b, 12, "the threads of a sequence point");
	t->point_flags = 0;
	t->has_point = bytes_ok(b);
	t->point = *b;
}

enum { POINT_FORGETS_THREADS = 1, POINT_FORGETS_KINDS = 2 };

static void
begin_point6(struct nettrace *t, struct bytes *b)
{
	bytes_skip(b, 8, "the time of a sequence point");
	t->point_flags = bytes_u32(b, "the flags of a sequence point");
	t->point_left = bytes_count(b, 2, "the threads of a sequence point");
	t->has_point = bytes_ok(b);
	t->point = *b;
	u64_map_clear(&t->labels);
}

static void
begin_removed6(struct nettrace *t, struct bytes *b)
{
	t->point_left = UINT32_MAX; /* until the block ends */
	t->point_flags = 0;
	t->has_point = true;
	t->point = *b;
}

/* Reads a block that does not deliver events. */
static bool
read_small_block6(struct nettrace *t, enum block_kind kind, struct bytes *b, struct error *err)
{
	switch (kind) {
	case BLOCK_METADATA:
		return read_metadata6(t, b, err);
	case BLOCK_LABELS:
		return nettrace_labels_read(&t->labels, b, err);
	case BLOCK_TRACE:
		nettrace_header_read6(&t->header, b);
		return check_header(t);
	case BLOCK_POINT:
		begin_point6(t, b);
		return true;
	case BLOCK_STACKS:
		return nettrace_stacks_read(&t->stacks, b, err);
	default:
		begin_removed6(t, b);
		return true;
	}
}

/* False: no memory. */
static bool
begin_block(struct nettrace *t, enum block_kind kind, const uint8_t *data, size_t len,
	    struct error *err)
{
	struct bytes b;
	bool is_good = true;

	error_clear(&t->scratch);
	bytes_init(&b, data, len, &t->scratch);
	if (kind == BLOCK_EVENTS) {
		nettrace_rows_begin(&t->rows, t->header.major, data, len, t->block_at, &t->scratch);
		t->has_rows = true;
		return true;
	}
	if (t->header.major >= 6)
		is_good = read_small_block6(t, kind, &b, err);
	else if (kind == BLOCK_METADATA)
		return read_metadata4(t, data, len, err);
	else if (kind == BLOCK_STACKS)
		is_good = nettrace_stacks_read(&t->stacks, &b, err);
	else
		begin_point4(t, &b);
	if (!bytes_ok(&b) && !t->is_cut)
		block_damaged(t, &b);
	return is_good || t->is_over;
}

static bool
is_skipped(const struct nettrace *t, enum block_kind kind)
{
	return (kind == BLOCK_STACKS && !t->keeps_stacks) || kind == BLOCK_THREADS ||
	       kind == BLOCK_UNKNOWN || (kind == BLOCK_TRACE && t->has_header);
}

/*
 * Begins the next block. False at the end of the stream, even a premature one, and if `err` is set.
 */
static bool
next_block(struct nettrace *t, struct error *err)
{
	bool is_old = t->header.major < 6;
	enum block_kind kind;
	uint32_t size = 0;
	const uint8_t *data;
	size_t got;

	t->status.offset = t->stream.offset;
	if (is_old ? !read_object4(t, &kind, err) : !read_block6(t, &kind, &size, err))
		return false;
	if (kind == BLOCK_LAST) {
		t->status.has_ended = true;
		return false;
	}
	if (is_old && kind == BLOCK_TRACE && !t->has_header)
		return read_trace4(t, err);
	if (!t->has_header && kind != BLOCK_TRACE)
		return framing_damaged(t, "it does not begin with a header");
	if (is_old && !read_block_size4(t, &size, err))
		return false;
	t->block_at = t->stream.offset;
	if (is_skipped(t, kind) || !size) {
		if (nettrace_stream_skip(&t->stream, size, err))
			return true;
		t->is_cut = !t->stream.has_failed;
		return false;
	}
	data = nettrace_stream_take(&t->stream, size, &got, err);
	t->is_cut = got < size && !t->stream.has_failed;
	return data && begin_block(t, kind, data, got, err);
}

/* The content of an object of formats 4 and 5 is followed by a tag. */
static bool
end_object(struct nettrace *t, struct error *err)
{
	const uint8_t *tag;

	if (t->header.major >= 6 || t->is_cut)
		return true;
	tag = take(t, 1, err);
	if (tag && *tag != TAG_END)
		return framing_damaged(t, "a block does not end where its size says");
	return tag != NULL;
}

/* --- events --- */

static bool
row_lost(struct nettrace *t, struct nettrace_event *event, uint64_t thread, uint32_t lost)
{
	t->status.lost_events_count += lost;
	*event = (struct nettrace_event){
		.thread = thread,
		.lost_count = lost,
		.timestamp = t->rows.last.timestamp,
		.offset = t->stream.offset,
	};
	return true;
}

static enum nettrace_item
deliver(struct nettrace *t, const struct nettrace_row *row, const struct nettrace_kind *kind,
	struct nettrace_event *event)
{
	uint32_t version = U64_MAP_NONE;

	if (row->label_list)
		version = u64_map_get(&t->labels, row->label_list);
	t->status.events_count++;
	*event = (struct nettrace_event){
		.provider = kind->provider,
		.id = kind->id,
		.version = version == U64_MAP_NONE ? kind->version : version,
		.thread = row->writer,
		.timestamp = row->timestamp,
		.offset = t->block_at + row->payload_at,
		.payload = row->payload,
		.payload_len = row->payload_len,
		.is_sorted = row->is_sorted,
	};
	event->stack = nettrace_stacks_find(&t->stacks, row->stack, &event->stack_len);
	return NETTRACE_EVENT;
}

/* NETTRACE_END: no more rows in the block. */
static enum nettrace_item
next_row(struct nettrace *t, struct nettrace_event *event, struct error *err)
{
	struct nettrace_rows before = t->rows;
	const struct nettrace_kind *kind;
	struct nettrace_row row;
	uint32_t lost;

	while (nettrace_rows_next(&t->rows, &row)) {
		if (!row.kind)
			continue;
		kind = nettrace_kinds_find(&t->kinds, row.kind);
		if (!kind) {
			bytes_fail(&t->rows.bytes, row.payload_at,
				   "an event has the kind %" PRIu32 ", which was not announced",
				   row.kind);
			break;
		}
		if (!nettrace_threads_event(&t->threads, row.writer, row.sequence, &lost, err))
			return NETTRACE_FAILED;
		if (!lost)
			return deliver(t, &row, kind, event);
		/* Reports the loss first; the row is read again after it. */
		row_lost(t, event, row.writer, lost);
		t->rows = before;
		return NETTRACE_LOST;
	}
	t->has_rows = false;
	if (!bytes_ok(&t->rows.bytes) && !t->is_cut)
		block_damaged(t, &t->rows.bytes);
	return NETTRACE_END;
}

static bool
end_point(struct nettrace *t, struct error *err)
{
	t->has_point = false;
	nettrace_stacks_forget(&t->stacks);
	if (!bytes_ok(&t->point) && !t->is_cut)
		block_damaged(t, &t->point);
	if (t->point_flags & POINT_FORGETS_THREADS)
		nettrace_threads_clear(&t->threads);
	if (t->point_flags & POINT_FORGETS_KINDS)
		nettrace_kinds_clear(&t->kinds);
	return t->header.major >= 6 || nettrace_threads_forget(&t->threads, err);
}

/* NETTRACE_END: no more threads in the sequence point. */
static enum nettrace_item
next_point(struct nettrace *t, struct nettrace_event *event, struct error *err)
{
	struct bytes *b = &t->point;

	while (t->point_left && bytes_left(b)) {
		uint64_t thread;
		uint32_t sequence, lost;

		t->point_left--;
		if (t->header.major >= 6) {
			thread = nettrace_varint(b, 10, "a thread");
			sequence = (uint32_t)nettrace_varint(b, 5, "a number");
		} else {
			thread = bytes_u64(b, "a thread");
			sequence = bytes_u32(b, "a number");
		}
		if (!bytes_ok(b))
			break;
		if (!nettrace_threads_point(&t->threads, thread, sequence, &lost, err))
			return NETTRACE_FAILED;
		if (lost && row_lost(t, event, thread, lost))
			return NETTRACE_LOST;
	}
	return end_point(t, err) ? NETTRACE_END : NETTRACE_FAILED;
}

static enum nettrace_item
end_stream(struct nettrace *t)
{
	t->is_over = true;
	t->status.offset = t->stream.offset;
	if (!t->status.has_ended)
		error_at(&t->status.damage, t->stream.offset, "the stream ends in the middle");
	return NETTRACE_END;
}

static enum nettrace_item
next_item(struct nettrace *t, struct nettrace_event *event, struct error *err)
{
	if (!t->header.major && !read_prologue(t, err))
		return NETTRACE_FAILED;
	for (;;) {
		enum nettrace_item item = NETTRACE_END;
		bool had_block = t->has_rows || t->has_point;

		if (t->has_rows)
			item = next_row(t, event, err);
		else if (t->has_point)
			item = next_point(t, event, err);
		if (item != NETTRACE_END)
			return item;
		if (had_block && !t->is_over && !end_object(t, err))
			t->is_over = true;
		if (t->is_over || t->is_cut || t->status.has_ended)
			return end_stream(t);
		if (!next_block(t, err) || (!t->has_rows && !t->has_point && !end_object(t, err)))
			t->is_over = true;
		if (err->kind != ERROR_NONE || t->stream.has_failed)
			return NETTRACE_FAILED;
	}
}

enum nettrace_item
nettrace_next(struct nettrace *t, struct nettrace_event *event, struct error *err)
{
	enum nettrace_item item = NETTRACE_FAILED;

	if (!t->has_failed)
		item = next_item(t, event, err);
	t->has_failed = item == NETTRACE_FAILED;
	return item;
}

int64_t
nettrace_time(const struct nettrace *t, uint64_t timestamp)
{
	return nettrace_header_time(&t->header, timestamp);
}

/* --- bytes in memory --- */

static bool
memory_next(void *context, const uint8_t **data, size_t *len, struct error *err)
{
	struct nettrace_memory *m = context;

	(void)err;
	*data = m->data;
	*len = m->was_given ? 0 : m->len;
	m->was_given = true;
	return true;
}

struct nettrace_input
nettrace_memory_input(struct nettrace_memory *m, const uint8_t *data, size_t len)
{
	*m = (struct nettrace_memory){ .data = data, .len = len };
	return (struct nettrace_input){ memory_next, m };
}
