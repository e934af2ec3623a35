#ifndef TESTS_MADE_MADE_TYPES_H
#define TESTS_MADE_MADE_TYPES_H

/*
 * What the types of a made-up runtime (tests/made/made_runtime.h) are: all of one module, whose
 * image is tests/made/made_module.h, with names and references:
 *
 *   MADE_STRING  A.Point           MADE_OBJECT  A.Base
 *   MADE_PAIR    A.Session         MADE_ARRAY   A.Session[]
 *   MADE_SHARED  A.Table<A.Session>
 */
#include "tests/made/made_module.h"
#include "tests/made/made_runtime.h"

#define MADE_MODULE_RECORD (MADE_METHODS + 0x10000)
#define MADE_IMAGE         (MADE_METHODS + 0x20000)
#define MADE_DICTIONARY    (MADE_METHODS + 0x30000) /* of MADE_SHARED */
#define MADE_ALLOCATOR     (MADE_METHODS + 0x40000)
#define MADE_FAR_TABLE     (MADE_METHODS + 0x50040)

/* `is_mapped`: as the loader maps it, else as in the file. */
void made_types_put(struct made_runtime *rt, bool is_mapped);
/* The definition of a method table: enum made_type. */
void made_type_token(struct made_runtime *rt, uint64_t method_table, uint32_t row);
/* A method table of a definition, its class behind it, in zeros that are there.
 */
void made_table_put(struct made_runtime *rt, uint64_t table, uint32_t flags, uint32_t base_bytes,
		    uint32_t row);
/* The number-th pair of gen2, and what it refers to: addresses, or 0. */
uint64_t made_pair_at(const struct made_runtime *rt, unsigned number);
void made_pair_refs(struct made_runtime *rt, unsigned number, uint64_t first, uint64_t second);
/*
 * Makes the object of 24 bytes one of A.Far, which can be unloaded: it keeps the first pair of
 * gen2, without a field. That has a scout in place of its first reference.
 */
void made_far_put(struct made_runtime *rt, uint64_t object);

#endif
