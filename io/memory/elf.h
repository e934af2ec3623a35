#ifndef IO_MEMORY_ELF_H
#define IO_MEMORY_ELF_H

/*
 * ELF files of 64 bits, little endian: their header, their segments, and the
 * id that a linker gives each build.
 *
 *   0   7f "ELF", u8 class (2), u8 order (1)
 *   16  u16 type, u16 machine        32  u64 place of the segments
 *   40  u64 place of the sections    54  u16 bytes of a segment's record (56)
 *   56  u16 how many; 65535: u32 at 44 in section 0
 *   a segment: u32 type, u32 flags, u64 offset, u64 address, u64 (physical),
 *   u64 bytes in the file, u64 bytes in memory, u64 alignment
 *   a note: u32 bytes of the name, u32 bytes of the rest, u32 type, the name,
 *   the rest, each filled up to 4
 */
#include "io/base/bytes.h"

struct elf {
	uint16_t type, machine;
	uint64_t segments_at;
	uint32_t segments_count; /* so many records are really there */
};

struct elf_segment {
	uint32_t type, flags;
	uint64_t offset, address, file_size, memory_size;
};

struct elf_note {
	uint32_t type;
	const uint8_t *name, *data; /* the name's length counts its 0 */
	uint32_t name_len, data_len;
};

/* These leave their failure with the cursor. */
void elf_read(struct elf *elf, struct bytes *b);
void elf_segment_read(const struct elf *elf, struct bytes *b, uint32_t i,
		      struct elf_segment *s);

/* The next note of those in [*at, end); false: there is no whole one. */
bool elf_note_next(const uint8_t **at, const uint8_t *end,
		   struct elf_note *note);
bool elf_note_is(const struct elf_note *note, const char *name, uint32_t type);

/* From the beginning of a file or of its image. 0: it says none there. */
enum { ELF_BUILD_ID_MAX = 64 };
uint32_t elf_build_id(const uint8_t *data, size_t len,
		      uint8_t id[ELF_BUILD_ID_MAX]);

#endif
