#ifndef IO_EVENTS_NETTRACE_KINDS_H
#define IO_EVENTS_NETTRACE_KINDS_H

/*
 * Kinds of events, as metadata blocks announce them. Native events of the runtime announce neither
 * names nor fields: their payload follows from provider, id and version alone. In formats 4 and 5 a
 * row is
 *
 *   u32 metadata id, UTF-16 provider, u32 event id, UTF-16 name,
 *   u64 keywords, u32 version, u32 level, fields (ignored)
 *
 * and in 6
 *
 *   u16 size, varint metadata id, string provider, varint event id,
 *   string name, u16 fields, each with its u16 size,
 *   u16 size of options, options: u8 which, value
 */
#include "io/base/bytes.h"
#include "model/base/u64_map.h"
#include "io/events/nettrace.h"

struct nettrace_kind {
	uint8_t provider; /* enum nettrace_provider */
	uint16_t version;
	uint32_t id;
};

struct nettrace_kinds {
	struct u64_map index; /* metadata id → items[] */
	struct nettrace_kind *items;
	size_t count, room;
};

void nettrace_kinds_clear(struct nettrace_kinds *k);
/* NULL if the kind was not announced. */
const struct nettrace_kind *nettrace_kinds_find(const struct nettrace_kinds *k,
						uint32_t metadata_id);
/* Reads the payload of one row. Damage fails the cursor; false sets `err`: no memory. */
bool nettrace_kinds_read4(struct nettrace_kinds *k, struct bytes *b, struct error *err) MUST_USE;
/* Reads all rows of a block, after its header. */
bool nettrace_kinds_read6(struct nettrace_kinds *k, struct bytes *b, struct error *err) MUST_USE;

/* A LEB128 of at most `max_bytes` (5 for 32 bits, 10 for 64). */
uint64_t nettrace_varint(struct bytes *b, unsigned max_bytes, const char *what);
/* Format 6: a varint byte count, and UTF-8. NULL on damage. */
const char *nettrace_text6(struct bytes *b, size_t *len, const char *what);
/*
 * Skips fields of format 6: a digit for so many bytes, g for a GUID, t for a text, v for a varint.
 */
void nettrace_skip_fields(struct bytes *b, const char *fields, const char *what);

#endif
