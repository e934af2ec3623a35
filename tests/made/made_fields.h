#ifndef TESTS_MADE_MADE_FIELDS_H
#define TESTS_MADE_MADE_FIELDS_H

/*
 * Fields for a made-up runtime with types and roots: its pairs are what the module calls A.Cache,
 * with two references, an int, and two that should be structures; and a structure is A.Session.
 */
#include "tests/made/made_roots.h"
#include "tests/made/made_types.h"

#define MADE_FIELDS UINT64_C(0x780000000000)
#define MADE_STRUCT (MADE_FIELDS + 0x400) /* a type without objects */

enum { MADE_INT32 = 0x08, MADE_VALUE = 0x11, MADE_REFERENCE = 0x12 };

void made_fields_put(struct made_runtime *rt);
/* The record number `i` of those at an address. `row`: of the module's fields; `kind`: as above. */
void made_field_put(struct made_runtime *rt, uint64_t records, unsigned i, uint64_t owner,
		    uint32_t row, uint32_t offset, uint32_t kind);

#endif
