#ifndef IO_EVENTS_NETTRACE_ROWS_H
#define IO_EVENTS_NETTRACE_ROWS_H

/*
 * The rows of an event block or, in formats 4 and 5, of a metadata block:
 *
 *   u16 header size, u16 flags (1: compressed rows), i64 first and last time,
 *   more up to the header size, rows
 *
 * A compressed row begins with a byte of flags for the fields that follow; the other fields are
 * those of the row before:
 *
 *   01 varint kind            04 varint thread
 *   02 varint sequence - 1,   08 varint stack
 *      since the last,        10 16 bytes, or in format 6 varint label list
 *      varint writing thread, 20 16 bytes, not in format 6
 *      varint processor       40 no older event follows
 *   always varint time since the last row (modulo 2^64)
 *                             80 varint size of the payload
 *   payload
 *
 * An uncompressed row has all of them, with fixed sizes.
 */
#include "io/base/bytes.h"
#include "io/events/nettrace.h"

struct nettrace_row {
	uint32_t kind; /* metadata id; 0 in metadata blocks */
	uint32_t sequence, stack, label_list, payload_len;
	uint64_t writer, timestamp;
	const uint8_t *payload;
	bool is_sorted;    /* no older event follows */
	size_t payload_at; /* in the block */
};

struct nettrace_rows {
	struct bytes bytes;
	uint64_t offset; /* of the block in the stream */
	uint32_t major;
	bool is_compressed;
	struct nettrace_row last;
};

/* Damage fails rows->bytes. */
void nettrace_rows_begin(struct nettrace_rows *rows, uint32_t major, const uint8_t *data,
			 size_t len, uint64_t offset, struct error *damage);
/* The next row; false at the end of the block or at damage. */
bool nettrace_rows_next(struct nettrace_rows *rows, struct nettrace_row *row);

#endif
