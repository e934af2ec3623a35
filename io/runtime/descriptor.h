#ifndef IO_RUNTIME_DESCRIPTOR_H
#define IO_RUNTIME_DESCRIPTOR_H

/*
 * What a runtime tells of itself for debuggers: its contract descriptor, from
 * .NET 9 on (9 as a single file has none). An exported structure
 *
 *   0   "DNCCDAC\0"     8   u32 flags, bit 1: 32-bit pointers
 *   12  u32 bytes of a text of JSON   16  where it is
 *   24  u32 how many pointers         32  where they are
 *
 * and the text, of which this is used:
 *
 *   { "types": { "Thread": { "OSId": 296 or [296, "type"], … }, … },
 *     "globals": { "ThreadStore": [2] or [[2], "pointer"], … },
 *     "subDescriptors": { "GC": as of a global, … } }
 *
 * A global in brackets is a number of a pointer: the address of the runtime's
 * variable. Of .NET 11 the collector has a descriptor of its own, and a
 * variable leads to it.
 */
#include "io/memory/elf_file.h"
#include "io/runtime/layout.h"

struct json_t;

struct clr_descriptor {
	struct json_t *root;
	uint64_t *pointers; /* 0: absent; owned */
	uint32_t pointers_count;
};

/* The version of the library for JSON that it was built with. */
const char *clr_descriptor_library(void);

/* False: it is absent, or damaged; *is_damaged tells which. */
bool clr_descriptor_open(struct clr_descriptor *d, struct memory_reader *r,
			 uint64_t address, bool *is_damaged) MUST_USE;
/* The same from the runtime's file, which is loaded at `bias`: cores leave it
 * out. */
bool clr_descriptor_open_file(struct clr_descriptor *d, struct elf_file *file,
			      uint64_t bias, uint64_t address,
			      bool *is_damaged) MUST_USE;
void clr_descriptor_close(struct clr_descriptor *d);

/* Puts the offsets that are told in the place of those built in. */
void clr_descriptor_describe(const struct clr_descriptor *d,
			     struct clr_layout *layout);
/* What the variable of a global holds; false: there is none, or it is absent.
 */
bool clr_descriptor_global(const struct clr_descriptor *d,
			   struct memory_reader *r, const char *name,
			   uint64_t *value) MUST_USE;

enum { CLR_SUBS_MAX = 8 };
/* Where the descriptors of its parts are; how many, the first CLR_SUBS_MAX. */
uint32_t clr_descriptor_subs(const struct clr_descriptor *d,
			     struct memory_reader *r,
			     uint64_t addresses[CLR_SUBS_MAX]);

#endif
