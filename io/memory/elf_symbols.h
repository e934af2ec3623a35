#ifndef IO_MEMORY_ELF_SYMBOLS_H
#define IO_MEMORY_ELF_SYMBOLS_H

/*
 * The symbol tables of an ELF file: that of exports (.dynsym), the full one (.symtab), which is
 * absent if the file was stripped, and the file's note about where it then is (.gnu_debuglink).
 *
 *   a section  u32 name, u32 type, u64 flags, u64 address, u64 offset,
 *              u64 size, u32 linked section, u32, u64, u64 size of an entry
 *   a symbol   u32 name, u8, u8, u16 section, u64 value, u64 size
 */
#include "io/memory/elf.h"

/* Borrows the file's bytes. */
struct elf_symbols {
	const uint8_t *symbols;
	const char *names;
	size_t count, names_len;
	uint64_t base; /* address of the file's first segment */
};

enum elf_table { ELF_ALL_SYMBOLS = 2, ELF_EXPORTS = 11 }; /* section types */

/* False: there is no such table, or it is damaged. */
bool elf_symbols_open(struct elf_symbols *s, const uint8_t *data, size_t len,
		      enum elf_table table) MUST_USE;
/* Reads symbol `i`; NULL: it is not defined here, or has no name. The name ends with a 0; *address
 * is an offset from the first segment. */
const char *elf_symbols_get(const struct elf_symbols *s, size_t i, uint64_t *address);
/* The name of the file with the symbols; NULL: none is noted. */
const char *elf_debug_link(const uint8_t *data, size_t len);

#endif
