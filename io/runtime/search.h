#ifndef IO_RUNTIME_SEARCH_H
#define IO_RUNTIME_SEARCH_H

/*
 * Finds the .NET runtimes of a process: mapped files that export g_dacTable, or
 * DotNetRuntimeDebugHeader if they are compiled by Native AOT; since .NET 11
 * DotNetRuntimeContractDescriptor alone.
 * There can be several, as in a native program that hosts two runtimes.
 *
 * Reads the start of every mapped file.
 */
#include "io/memory/elf_image.h"

enum { CLR_RUNTIMES_MAX = 8 };

struct clr_place {
	const char *path; /* "": the core names no files */
	struct elf_image image;
	struct elf_symbol table; /* g_dacTable, or of Native AOT */
	bool is_native;
	bool is_described; /* native, with a contract descriptor */
};

struct clr_search {
	struct clr_place found[CLR_RUNTIMES_MAX]; /* by address */
	uint32_t count;
	const char *gc_library; /* standalone GC library, or NULL */
	/* For the message if no runtime is found; each may be NULL. */
	const char *other; /* an unsupported kind of runtime */
	const char *other_path;
	const char *absent_path; /* a file whose exports are absent */
};

/* Paths are borrowed from the memory. */
void clr_search(struct clr_search *s, const struct memory *m, struct memory_reader *r);
/* The runtime that memory.runtime_wanted asks for, by default the first. NULL sets `err`: there is
 * none, or no such number. */
const struct clr_place *clr_search_choose(const struct clr_search *s, const struct memory *m,
					  struct error *err) MUST_USE;
/* "1: /a/libcoreclr.so, 2: /b/libcoreclr.so"; returns text. */
const char *clr_search_text(const struct clr_search *s, char *text, size_t text_size);
/* True for the runtime's library, false for a single-file program. */
bool clr_is_library(const char *path);

#endif
