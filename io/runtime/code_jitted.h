#ifndef IO_RUNTIME_CODE_JITTED_H
#define IO_RUNTIME_CODE_JITTED_H

/*
 * Code compiled at run time. The section's heap node has a base, and a map that tells where methods
 * start:
 *
 *   map        one u32 for 256 bytes of code, in it 4 bits for 32 bytes, the
 *              highest first: 0 none, else a method starts at 4 * (n - 1) in
 *              them. From .NET 10 on a word whose lowest 4 bits n are 9 to 12
 *              tells of the start before it: base + (the other bits)
 *              + 4 * (n - 9)
 *   header     8 bytes before a method is the address of its header, or a small
 *              number, the kind of a stub
 *   entries    u32 number of entries { u32 begin, end, unwind data } relative
 *              to the section, which follow: the method, then its funclets
 */
#include "io/runtime/code_search.h"

/* Finds the method in a section with a heap node. */
bool clr_code_find_jitted(struct clr_code_search *s) MUST_USE;

#endif
