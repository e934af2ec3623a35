#ifndef IO_RUNTIME_DESCRIPTOR_H
#define IO_RUNTIME_DESCRIPTOR_H

/*
 * The contract descriptor, in which a runtime describes itself to debuggers, from .NET 9 on (a .NET
 * 9 single file has none). It is an exported structure
 *
 *   0   "DNCCDAC\0"          8   u32 flags, bit 1: 32-bit pointers
 *   12  u32 length of JSON   16  address of the JSON text
 *   24  u32 pointer count    32  address of the pointers
 *
 * and the JSON text, of which these parts are used:
 *
 *   { "types": { "Thread": { "OSId": 296 or [296, "type"], … }, … },
 *     "globals": { "ThreadStore": [2] or [[2], "pointer"], … },
 *     "subDescriptors": { "GC": like a global, … } }
 *
 * The number in a global's brackets is an index of a pointer: the address of the runtime's
 * variable. In .NET 11 the collector has a descriptor of its own, a sub-descriptor.
 */
#include "io/memory/elf_file.h"
#include "io/runtime/layout.h"

struct json_t;

struct clr_descriptor {
	struct json_t *root;
	uint64_t *pointers; /* owned; 0: absent */
	uint32_t pointers_count;
};

/* The version of the JSON library that heaptop was built with. */
const char *clr_descriptor_library(void);

/* False: the descriptor is absent, or damaged if *is_damaged is set. */
bool clr_descriptor_open(struct clr_descriptor *d, struct memory_reader *r, uint64_t address,
			 bool *is_damaged) MUST_USE;
/* Reads it from the runtime's file, loaded at `bias`: cores leave it out. */
bool clr_descriptor_open_file(struct clr_descriptor *d, struct elf_file *file, uint64_t bias,
			      uint64_t address, bool *is_damaged) MUST_USE;
void clr_descriptor_close(struct clr_descriptor *d);

/* Replaces the built-in offsets by those of the descriptor. */
void clr_descriptor_describe(const struct clr_descriptor *d, struct clr_layout *layout);
/* Reads the variable behind a global; false: there is none, or it is absent. */
bool clr_descriptor_global(const struct clr_descriptor *d, struct memory_reader *r,
			   const char *name, uint64_t *value) MUST_USE;
/* Finds the address of the variable behind a global; false: as above. */
bool clr_descriptor_address(const struct clr_descriptor *d, const char *name,
			    uint64_t *address) MUST_USE;

/* Reads a global that is a number itself: "0x1" or ["0x1", "type"]. False: there is none. */
bool clr_descriptor_number(const struct clr_descriptor *d, const char *name,
			   uint64_t *value) MUST_USE;
/* Returns the text of a global ["text", "string"], borrowed, or NULL. */
const char *clr_descriptor_text(const struct clr_descriptor *d, const char *name);

enum { CLR_SUBS_MAX = 8 };
/* Addresses of sub-descriptors; returns how many, at most CLR_SUBS_MAX. */
uint32_t clr_descriptor_subs(const struct clr_descriptor *d, struct memory_reader *r,
			     uint64_t addresses[CLR_SUBS_MAX]);

#endif
