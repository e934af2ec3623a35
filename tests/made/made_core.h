#ifndef TESTS_MADE_MADE_CORE_H
#define TESTS_MADE_MADE_CORE_H

/* Writes made-up memory as an ELF core. Shares nothing with the reader. */
#include "tests/made/traces.h"
#include "tests/made/made_memory.h"

struct made_core {
	uint32_t page_bytes;     /* of the list of files: 1 as gdb, 4096 */
	bool has_extended_count; /* of segments, as with 65,535 and more */
	uint64_t runtime_hint;   /* as createdump writes it; 0: does not */
};

void made_core_put(struct blob *b, struct made_memory *mm, const struct made_core *how);

#endif
