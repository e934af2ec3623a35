#ifndef TESTS_MADE_MADE_ELF_H
#define TESTS_MADE_MADE_ELF_H

/*
 * A made-up ELF file with symbols, as a linker leaves it, or stripped. What fails fails the test.
 */
#include "tests/made/dump_writer.h"

struct made_elf_symbol {
	const char *name; /* NULL: the end */
	uint64_t offset;  /* from the file's first segment */
};

struct made_elf {
	const struct made_elf_symbol *symbols, *exports; /* NULL: no table */
	const char *link;                                /* .gnu_debuglink; NULL: none */
	const char *build_id;                            /* its bytes as text; NULL: none */
	uint64_t base;                                   /* address of the first segment */
};

/* Free with blob_free(). */
void made_elf_write(const struct made_elf *elf, struct blob *out);

#endif
