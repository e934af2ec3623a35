#ifndef IO_RUNTIME_CODE_SEARCH_H
#define IO_RUNTIME_CODE_SEARCH_H

/* One look-up of a code address, shared by code.c, code_jitted.c and code_ready.c. */
#include "io/runtime/code.h"

struct clr_code_section {
	uint64_t begin, end;
	uint64_t heap, module; /* or 0 */
	uint32_t flags;
};

struct clr_code_search {
	const struct clr_layout *layout;
	struct memory_reader *reader;
	uint64_t address;
	struct clr_code_section section; /* contains the address */
	uint32_t steps_left;
	struct clr_code *out;
};

/* One entry of a method's code. Addresses. */
struct clr_code_entry {
	uint64_t begin, end;
	uint64_t unwind; /* of its unwind record */
};

/* Notes the function that the address lies in. */
void clr_code_set_entry(struct clr_code_search *s, const struct clr_code_entry *entry);
/* Counts a step. False: none is left. */
bool clr_code_step(struct clr_code_search *s) MUST_USE;
/* Sets the reason; returns false. */
bool clr_code_fail(struct clr_code_search *s, const char *why);
/* The same for memory that is absent. */
bool clr_code_fail_absent(struct clr_code_search *s);
/* Bytes of an entry in the tables of this machine. */
uint64_t clr_code_entry_bytes(const struct clr_code_search *s);
/* Reads an entry, which is relative to the section. False: absent. */
bool clr_code_entry_read(const struct clr_code_search *s, uint64_t at,
			 struct clr_code_entry *out) MUST_USE;

#endif
