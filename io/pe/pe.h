#ifndef IO_PE_PE_H
#define IO_PE_PE_H

/*
 * Where things are in the file of a .NET module, and which build of it this is.
 *
 *   0     "MZ"
 *   0x3c  u32   where "PE\0\0" is, and behind it:
 *   +6    u16   number of sections
 *   +20   u16   length of the optional header
 *   +24   u16   0x10b or 0x20b: directories are at 96 or 112 from here, each
 *               u32 address, u32 size
 *   then 40 bytes a section: 8 u32 size, u32 address, u32 size and u32 place in
 *   the file
 *
 * Directory 6 lists debugging data, 28 bytes each: 12 u32 kind, u32 size,
 * u32 address, u32 place in the file. Kind 2 is "RSDS", a GUID, u32 age: a new
 * one for every build, which runtimes tell of the modules they have loaded.
 *
 * All of these leave their failure with the cursor (io/base/bytes.h).
 */
#include "io/base/bytes.h"

enum { PE_DIRECTORY_DEBUG = 6, PE_DIRECTORY_CLI = 14 };

struct pe {
	size_t directories_at, sections_at;
	uint16_t sections_count;
};
void pe_read(struct pe *pe, struct bytes *b);
/* Where in the file is what the loader would have at the address? */
uint64_t pe_place(const struct pe *pe, struct bytes *b, uint32_t address,
		  const char *what);
/* To that place. */
void pe_seek(const struct pe *pe, struct bytes *b, uint32_t address,
	     const char *what);
/* The address of a directory; 0: there is none. *size in bytes. */
uint32_t pe_directory(const struct pe *pe, struct bytes *b, unsigned number,
		      uint32_t *size);

enum { BUILD_GUID_BYTES = 16, PE_BUILDS_MAX = 4 };
struct pe_build {
	uint8_t guid[BUILD_GUID_BYTES];
	uint32_t age;
};
/* Of one that was compiled ahead, native code has a build of its own. */
unsigned pe_builds(const struct pe *pe, struct bytes *b,
		   struct pe_build builds[PE_BUILDS_MAX]);

#endif
