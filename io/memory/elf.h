#ifndef IO_MEMORY_ELF_H
#define IO_MEMORY_ELF_H

/*
 * 64-bit little-endian ELF files: header, segments, notes, and build id.
 *
 *   0   7f "ELF", u8 class (2), u8 byte order (1)
 *   16  u16 type, u16 machine           32  u64 offset of the segments
 *   40  u64 offset of the sections      54  u16 size of a segment record (56)
 *   56  u16 number of segments; 65535: u32 at 44 in section 0
 *   a segment: u32 type, u32 flags, u64 offset, u64 address, u64 (physical),
 *   u64 size in the file, u64 size in memory, u64 alignment
 *   a note: u32 name size, u32 data size, u32 type, name, data, each padded
 *   to 4
 */
#include "io/base/bytes.h"

struct elf {
	uint16_t type, machine;
	uint64_t segments_at;
	uint32_t segments_count; /* records that the file really has */
};

struct elf_segment {
	uint32_t type, flags;
	uint64_t offset, address, file_size, memory_size;
};

struct elf_note {
	uint32_t type;
	const uint8_t *name, *data; /* name_len includes the final 0 */
	uint32_t name_len, data_len;
};

/* These report failures through the cursor. */
void elf_read(struct elf *elf, struct bytes *b);
void elf_segment_read(const struct elf *elf, struct bytes *b, uint32_t i, struct elf_segment *s);

/* The first segment of a type, given the start of a file or image; false: there is none. */
bool elf_first_segment(const uint8_t *data, size_t len, uint32_t type, struct elf_segment *out);

/* Reads the next note in [*at, end); false: none is complete. */
bool elf_note_next(const uint8_t **at, const uint8_t *end, struct elf_note *note);
bool elf_note_is(const struct elf_note *note, const char *name, uint32_t type);

/* The build id, given the start of a file or image; returns its length, 0: none. */
enum { ELF_BUILD_ID_MAX = 64 };
uint32_t elf_build_id(const uint8_t *data, size_t len, uint8_t id[ELF_BUILD_ID_MAX]);

#endif
