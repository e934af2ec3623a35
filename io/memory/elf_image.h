#ifndef IO_MEMORY_ELF_IMAGE_H
#define IO_MEMORY_ELF_IMAGE_H

/*
 * The segments of a loaded ELF file, and its exports, looked up by name in its GNU hash table. That
 * reads few pages; even small cores have them, since their writer looked up the same names.
 *
 *   hash table  u32 buckets, u32 first symbol, u32 words of the filter, u32;
 *               the filter, u64 each; u32 buckets; u32 for each symbol: its
 *               hash, bit 0 set on the last of a bucket
 *   symbol      u32 name, u8, u8, u16 section, u64 value, u64 size
 */
#include "io/memory/memory.h"

struct elf_image {
	uint64_t base, bias; /* load address; load bias */
	uint64_t symbols, names, hashes;
	uint64_t end;     /* end of its segments */
	uint64_t dynamic; /* the dynamic section; 0: none */
	/* The table of call frame information (io/memory/call_frames.h); 0: none. */
	uint64_t frames, frames_bytes;
};

struct elf_symbol {
	uint64_t address, size;
};

/* Reads the segments, but no tables of names. False: no ELF file is at `base`. */
bool elf_image_begin(struct elf_image *image, struct memory_reader *r, uint64_t base) MUST_USE;
/* False: no ELF file is at `base`, or its tables are absent. */
bool elf_image_open(struct elf_image *image, struct memory_reader *r, uint64_t base) MUST_USE;
/* False: no such export, or its tables are absent. *is_absent tells these apart; it may be NULL. */
bool elf_image_find(const struct elf_image *image, struct memory_reader *r, const char *name,
		    struct elf_symbol *symbol, bool *is_absent) MUST_USE;

#endif
