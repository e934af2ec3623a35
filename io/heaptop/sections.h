#ifndef IO_HEAPTOP_SECTIONS_H
#define IO_HEAPTOP_SECTIONS_H

/* Finds the sections of a saved heap and decompresses one at a time. */
#include "io/base/bytes.h"
#include "model/base/worker.h"

struct saved_section {
	uint32_t kind, flags;                    /* enum saved_section_flag */
	uint64_t index, raw_len, stored_len, at; /* at: offset of its head */
	const uint8_t *data;
};

struct zstd_unpacker;
/* Initialize it with { .data, .len }, borrowed. */
struct saved_sections {
	const uint8_t *data;
	size_t len;
	struct saved_section *items;
	size_t count, room;
	bool is_cut; /* the file is cut short */
	uint64_t missing_bytes;
	struct zstd_unpacker *unpackers[WORKER_MAX];
	uint8_t *raw[WORKER_MAX]; /* by thread: the section unpacked last */
	size_t raw_room[WORKER_MAX];
};

/*
 * Uses the directory at the end of the file, or else all heads, as far as the file has them if it
 * is cut short.
 */
bool saved_sections_find(struct saved_sections *r, struct error *err) MUST_USE;
void saved_sections_clear(struct saved_sections *r);
/* The first section of a kind, or NULL. */
const struct saved_section *saved_section_of(const struct saved_sections *r, uint32_t kind);
/* The decompressed size of all sections of a kind. */
uint64_t saved_raw_bytes(const struct saved_sections *r, uint32_t kind);
/* The content is valid until the thread unpacks another section. */
bool saved_unpack(struct saved_sections *r, unsigned thread, const struct saved_section *s,
		  struct bytes *out, struct error *err) MUST_USE;
/* Unpacks the first section of a kind on thread 0; it must exist. */
bool saved_unpack_first(struct saved_sections *r, uint32_t kind, struct bytes *out,
			struct error *err) MUST_USE;
/* Reports `why` for this section, or unchanged if memory ran out; false. */
bool saved_fail(const struct saved_section *s, const struct error *why, struct error *err);

#endif
