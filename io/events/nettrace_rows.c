#include "io/events/nettrace_rows.h"
#include "io/events/nettrace_kinds.h"

enum {
	BLOCK_COMPRESSED = 1,
	ROW_KIND = 0x01,
	ROW_WRITER = 0x02,
	ROW_THREAD = 0x04,
	ROW_STACK = 0x08,
	ROW_ACTIVITY = 0x10,
	ROW_RELATED = 0x20,
	ROW_SORTED = 0x40,
	ROW_PAYLOAD = 0x80,
	VARINT32 = 5,
	VARINT64 = 10,
	ACTIVITY_BYTES = 16,
	KIND_BITS = 0x7fffffff, /* the high bit means: not sorted */
};

void
nettrace_rows_begin(struct nettrace_rows *rows, uint32_t major, const uint8_t *data, size_t len,
		    uint64_t offset, struct error *damage)
{
	uint16_t header_len, flags;

	*rows = (struct nettrace_rows){ .offset = offset, .major = major };
	bytes_init(&rows->bytes, data, len, damage);
	header_len = bytes_u16(&rows->bytes, "the size of a block's header");
	flags = bytes_u16(&rows->bytes, "the flags of a block");
	if (bytes_ok(&rows->bytes) && header_len < 4)
		bytes_fail(&rows->bytes, 0, "a block's header of %u bytes is too short",
			   header_len);
	bytes_seek(&rows->bytes, header_len, "the header of a block");
	rows->is_compressed = flags & BLOCK_COMPRESSED;
}

static void
read_compressed(struct nettrace_rows *rows)
{
	struct bytes *b = &rows->bytes;
	struct nettrace_row *row = &rows->last;
	uint8_t flags = bytes_u8(b, "the flags of an event");

	if (flags & ROW_KIND)
		row->kind = (uint32_t)nettrace_varint(b, VARINT32, "the kind of an event");
	if (flags & ROW_WRITER) {
		row->sequence += (uint32_t)nettrace_varint(b, VARINT32, "the number of an event");
		row->sequence++;
		row->writer = nettrace_varint(b, VARINT64, "the thread of an event");
		(void)nettrace_varint(b, VARINT32, "the processor");
	} else if (row->kind) {
		row->sequence++;
	}
	if (flags & ROW_THREAD)
		(void)nettrace_varint(b, VARINT64, "the thread of an event");
	if (flags & ROW_STACK)
		row->stack = (uint32_t)nettrace_varint(b, VARINT32, "the stack of an event");
	row->timestamp += nettrace_varint(b, VARINT64, "the time of an event");
	if (rows->major >= 6) {
		if (flags & ROW_ACTIVITY)
			row->label_list =
			    (uint32_t)nettrace_varint(b, VARINT32, "the labels of an event");
	} else {
		if (flags & ROW_ACTIVITY)
			bytes_skip(b, ACTIVITY_BYTES, "an activity");
		if (flags & ROW_RELATED)
			bytes_skip(b, ACTIVITY_BYTES, "an activity");
	}
	row->is_sorted = flags & ROW_SORTED;
	if (flags & ROW_PAYLOAD)
		row->payload_len = (uint32_t)nettrace_varint(b, VARINT32, "the size of an event");
	row->payload_at = b->at;
	row->payload = bytes_take(b, row->payload_len, "an event");
}

static void
read_uncompressed(struct nettrace_rows *rows)
{
	struct bytes *b = &rows->bytes;
	struct nettrace_row *row = &rows->last;

	bytes_skip(b, 4, "the size of a row");
	row->kind = bytes_u32(b, "the kind of an event");
	row->is_sorted = !(row->kind & ~(uint32_t)KIND_BITS);
	row->kind &= KIND_BITS;
	row->sequence = bytes_u32(b, "the number of an event");
	bytes_skip(b, 8, "the thread of an event");
	row->writer = bytes_u64(b, "the thread of an event");
	bytes_skip(b, 4, "the processor of an event");
	row->stack = bytes_u32(b, "the stack of an event");
	row->timestamp = bytes_u64(b, "the time of an event");
	if (rows->major >= 6)
		row->label_list = bytes_u32(b, "the labels of an event");
	else
		bytes_skip(b, 2 * (size_t)ACTIVITY_BYTES, "activities");
	row->payload_len = bytes_u32(b, "the size of an event");
	row->payload_at = b->at;
	row->payload = bytes_take(b, row->payload_len, "an event");
	if (rows->major < 6) {
		/* Rows are padded, except perhaps the last one. */
		size_t padding = -(size_t)(rows->offset + b->at) & 3;

		bytes_skip(b, padding < bytes_left(b) ? padding : bytes_left(b),
			   "the padding of a row");
	}
}

bool
nettrace_rows_next(struct nettrace_rows *rows, struct nettrace_row *row)
{
	if (!bytes_ok(&rows->bytes) || !bytes_left(&rows->bytes))
		return false;
	if (rows->is_compressed)
		read_compressed(rows);
	else
		read_uncompressed(rows);
	*row = rows->last;
	return bytes_ok(&rows->bytes);
}
