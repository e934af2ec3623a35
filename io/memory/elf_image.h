#ifndef IO_MEMORY_ELF_IMAGE_H
#define IO_MEMORY_ELF_IMAGE_H

/*
 * An ELF file as the loader has put it into a process: what it exports, looked
 * up name by name through its GNU hash table. That touches a few pages; cores
 * that hold little else have just these, because their writer asked the same.
 *
 *   hash table  u32 buckets, u32 first symbol, u32 words of the filter, u32;
 *               the filter, u64 each; u32 buckets; u32 for each symbol: its
 *               hash, bit 0 set on the last of a bucket
 *   symbol      u32 name, u8, u8, u16 section, u64 value, u64 size
 */
#include "io/memory/memory.h"

struct elf_image {
	uint64_t base, bias; /* where it begins; what is added to addresses */
	uint64_t symbols, names, hashes;
	uint64_t end; /* behind the last byte of its segments */
};

struct elf_symbol {
	uint64_t address, size;
};

/* False: there is no ELF file at `base`, or its tables are absent. */
bool elf_image_open(struct elf_image *image, struct memory_reader *r,
		    uint64_t base) MUST_USE;
/* False: it does not export that; or what would tell is absent, and
 * *is_absent, which may be NULL, says so. */
bool elf_image_find(const struct elf_image *image, struct memory_reader *r,
		    const char *name, struct elf_symbol *symbol,
		    bool *is_absent) MUST_USE;

#endif
