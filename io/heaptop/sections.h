#ifndef IO_HEAPTOP_SECTIONS_H
#define IO_HEAPTOP_SECTIONS_H

/* The sections of a saved heap: finding them, unpacking one at a time. */
#include "io/base/bytes.h"
#include "model/base/worker.h"

struct saved_section {
	uint32_t kind, flags;                    /* enum saved_section_flag */
	uint64_t index, raw_len, stored_len, at; /* at: of its head */
	const uint8_t *data;
};

struct zstd_unpacker;
/* Begins with { .data, .len }, borrowed. */
struct saved_sections {
	const uint8_t *data;
	size_t len;
	struct saved_section *items;
	size_t count, room;
	bool is_cut; /* the file ends before its end */
	uint64_t missing_bytes;
	struct zstd_unpacker *unpackers[WORKER_MAX];
	uint8_t *raw[WORKER_MAX]; /* what a thread has unpacked last */
	size_t raw_room[WORKER_MAX];
};

/*
 * By the directory at the end of the file; without one it looks at all heads,
 * of a file that was cut at those that are there.
 */
bool saved_sections_find(struct saved_sections *r, struct error *err) MUST_USE;
void saved_sections_clear(struct saved_sections *r);
/* The first of a kind, or NULL. */
const struct saved_section *saved_section_of(const struct saved_sections *r,
					     uint32_t kind);
/* All of a kind together, unpacked. */
uint64_t saved_raw_bytes(const struct saved_sections *r, uint32_t kind);
/* Borrowed until the thread unpacks another. */
bool saved_unpack(struct saved_sections *r, unsigned thread,
		  const struct saved_section *s, struct bytes *out,
		  struct error *err) MUST_USE;
/* The first of a kind, by the first thread; it must be there. */
bool saved_unpack_the(struct saved_sections *r, uint32_t kind,
		      struct bytes *out, struct error *err) MUST_USE;
/* `why` at this section, but as it is where the system refused; false. */
bool saved_fail(const struct saved_section *s, const struct error *why,
		struct error *err);

#endif
