#ifndef IO_PE_PE_H
#define IO_PE_PE_H

/*
 * The layout of a .NET module's file, and its build.
 *
 *   0     "MZ"
 *   0x3c  u32   offset of "PE\0\0", from which these count:
 *   +6    u16   number of sections
 *   +20   u16   length of the optional header
 *   +24   u16   0x10b or 0x20b: directories at 96 or 112 from here, each u32
 *               address, u32 size
 *   after the optional header 40 bytes a section: 8 u32 size, u32 address, u32
 *   size in the file, u32 offset in the file
 *
 * Directory 6 lists debug data, 28 bytes each: 12 u32 kind, u32 size, u32 address, u32 offset in
 * the file. Kind 2 is "RSDS", a GUID and a u32 age, new for every build; runtimes report them for
 * their loaded modules.
 *
 * All functions report failures through the cursor (io/base/bytes.h).
 */
#include "io/base/bytes.h"

enum { PE_DIRECTORY_DEBUG = 6, PE_DIRECTORY_CLI = 14 };

struct pe {
	size_t directories_at, sections_at;
	uint16_t sections_count;
};
void pe_read(struct pe *pe, struct bytes *b);
/* The offset in the file of an address (RVA). */
uint64_t pe_place(const struct pe *pe, struct bytes *b, uint32_t address, const char *what);
/* Moves the cursor to that offset. */
void pe_seek(const struct pe *pe, struct bytes *b, uint32_t address, const char *what);
/* The address of a directory, 0: none, and its size in bytes. */
uint32_t pe_directory(const struct pe *pe, struct bytes *b, unsigned number, uint32_t *size);

/* Three numbers that identify a build of a file; image_bytes: size in memory.
 */
struct pe_stamp {
	uint32_t time, image_bytes, checksum;
};
/* Needs only the headers. */
bool pe_stamp_read(struct pe_stamp *stamp, const uint8_t *data, size_t len) MUST_USE;

enum { BUILD_GUID_BYTES = 16, PE_BUILDS_MAX = 4 };
struct pe_build {
	uint8_t guid[BUILD_GUID_BYTES];
	uint32_t age;
};
/* Lists the builds. The native code of a precompiled module has its own. */
unsigned pe_builds(const struct pe *pe, struct bytes *b, struct pe_build builds[PE_BUILDS_MAX]);

#endif
