#ifndef IO_MEMORY_ELF_FILE_H
#define IO_MEMORY_ELF_FILE_H

/*
 * An ELF file that is not loaded, read by virtual address, with pointers relocated as the loader
 * would do. Pointers are listed in one of two tables:
 *
 *   relocations  u64 address, u64 kind (in the low half), i64 value: 24 bytes
 *   RELR         u64: if even, the address of a pointer; if odd, bit i of 63
 *                is set if the i-th word after the last address is a pointer;
 *                its value is in the word itself
 *
 * Each call of elf_file_words() reads both tables: some 100,000 entries.
 */
#include "io/memory/elf.h"

struct elf_file {
	struct bytes bytes; /* borrowed */
	struct elf elf;
	const uint8_t *relocations, *relr; /* in `bytes`, or NULL */
	size_t relocations_count, relr_count;
};

/* `data` is borrowed. False: not an ELF file. */
bool elf_file_open(struct elf_file *f, const uint8_t *data, size_t len) MUST_USE;
/* Unrelocated bytes; NULL: absent or not contiguous. */
const uint8_t *elf_file_view(struct elf_file *f, uint64_t address, size_t len);
/* Words as if loaded with the given bias. */
bool elf_file_words(struct elf_file *f, uint64_t address, uint64_t bias, uint64_t *words,
		    size_t count) MUST_USE;

#endif
