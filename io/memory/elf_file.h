#ifndef IO_MEMORY_ELF_FILE_H
#define IO_MEMORY_ELF_FILE_H

/*
 * An ELF file that nobody has loaded, read by the addresses that its bytes
 * would have, with its pointers as the loader would have left them. Those are
 * told by one of two lists:
 *
 *   relocations  u64 where, u64 kind (in the low half), i64 value: 24 bytes
 *   RELR         u64: even: where one is; odd: bit i of 63 says whether the
 *                i-th word behind it is one, too; the value stands in the word
 *
 * Each call for words costs a pass over both lists: some 100,000 entries.
 */
#include "io/memory/elf.h"

struct elf_file {
	struct bytes bytes; /* borrowed */
	struct error err;
	struct elf elf;
	const uint8_t *relocations, *relr; /* in it; or NULL */
	size_t relocations_count, relr_count;
};

/* False: it is no ELF file. `data` is borrowed. */
bool elf_file_open(struct elf_file *f, const uint8_t *data,
		   size_t len) MUST_USE;
/* As they lie in the file; NULL: not there, or not in one piece. */
const uint8_t *elf_file_view(struct elf_file *f, uint64_t address, size_t len);
/* As they would be if it were loaded `bias` above its own addresses. */
bool elf_file_words(struct elf_file *f, uint64_t address, uint64_t bias,
		    uint64_t *words, size_t count) MUST_USE;

#endif
