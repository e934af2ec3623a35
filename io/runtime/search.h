#ifndef IO_RUNTIME_SEARCH_H
#define IO_RUNTIME_SEARCH_H

/*
 * Which .NET runtimes are in a process: of the files that it has mapped, those
 * that export `g_dacTable`. A process may have loaded several, as a native
 * program that hosts two of them has.
 *
 * Costs a look at the beginning of each mapped file.
 */
#include "io/memory/elf_image.h"

enum { CLR_RUNTIMES_MAX = 8 };

struct clr_place {
	const char *path; /* of the file; "": the core names none */
	struct elf_image image;
	struct elf_symbol table; /* g_dacTable */
};

struct clr_search {
	struct clr_place found[CLR_RUNTIMES_MAX]; /* by address */
	uint32_t count;
	const char *gc_library; /* of a stand-alone collector; or NULL */
	/* For the sentence if nothing is found; all may be NULL. */
	const char *other; /* a runtime of a kind that we do not know */
	const char *other_path;
	const char *absent_path; /* one that cannot be asked */
};

/* The search keeps what the memory has: paths are borrowed. */
void clr_search(struct clr_search *s, const struct memory *m,
		struct memory_reader *r);
/*
 * The one that is wanted: memory.runtime_wanted, or else the first. NULL sets
 * `err`: there is none, or no such number.
 */
const struct clr_place *clr_search_choose(const struct clr_search *s,
					  const struct memory *m,
					  struct error *err) MUST_USE;
/* "1: /a/libcoreclr.so, 2: /b/libcoreclr.so"; returns text. */
const char *clr_search_text(const struct clr_search *s, char *text,
			    size_t text_size);
/* Is it the runtime's library, and not a program that has it inside? */
bool clr_is_library(const char *path);

#endif
