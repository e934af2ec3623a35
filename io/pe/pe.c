#include "io/pe/pe.h"
#include <string.h>

enum {
	PE_OFFSET_AT = 0x3c,
	SECTION_BYTES = 40,
	PE32 = 0x10b,
	PE32_PLUS = 0x20b,
	DEBUG_ENTRY_BYTES = 28,
	DEBUG_ENTRIES_MAX = 64,
	DEBUG_CODE_VIEW = 2,
	RSDS = 0x53445352,
};

void
pe_read(struct pe *pe, struct bytes *b)
{
	uint16_t optional_len, magic;
	size_t optional_at;

	if (bytes_u16(b, "the signature") != 0x5a4d && bytes_ok(b))
		bytes_fail(b, 0, "this is not a module: it does not start with MZ");
	bytes_seek(b, PE_OFFSET_AT, "the header");
	bytes_seek(b, bytes_u32(b, "the header"), "the header");
	if (bytes_u32(b, "the header") != 0x4550 && bytes_ok(b))
		bytes_fail(b, b->at - 4, "this is not a module: PE is missing");
	bytes_skip(b, 2, "the header");
	pe->sections_count = bytes_u16(b, "the number of sections");
	bytes_skip(b, 12, "the header");
	optional_len = bytes_u16(b, "the size of the header");
	bytes_skip(b, 2, "the header");
	optional_at = b->at;
	magic = bytes_u16(b, "the kind of the header");
	if (magic != PE32 && magic != PE32_PLUS && bytes_ok(b))
		bytes_fail(b, optional_at, "the module's optional header has the unknown kind 0x%x",
			   magic);
	pe->sections_at = optional_at + optional_len;
	pe->directories_at = optional_at + (magic == PE32 ? 96 : 112);
}

uint64_t
pe_place(const struct pe *pe, struct bytes *b, uint32_t address, const char *what)
{
	bytes_seek(b, pe->sections_at, "the sections");
	for (uint16_t i = 0; i < pe->sections_count && bytes_ok(b); i++) {
		uint32_t start, size, raw_size, raw_at;

		bytes_skip(b, 8, "a section");
		size = bytes_u32(b, "a section's size");
		start = bytes_u32(b, "a section's address");
		raw_size = bytes_u32(b, "a section's size in the file");
		raw_at = bytes_u32(b, "a section's place in the file");
		bytes_skip(b, SECTION_BYTES - 24, "a section");
		if (bytes_ok(b) && address >= start &&
		    address - start < (size > raw_size ? size : raw_size))
			return (uint64_t)raw_at + (address - start);
	}
	if (bytes_ok(b))
		bytes_fail(b, pe->sections_at, "%s is in none of the sections", what);
	return 0;
}

void
pe_seek(const struct pe *pe, struct bytes *b, uint32_t address, const char *what)
{
	uint64_t place = pe_place(pe, b, address, what);

	if (bytes_ok(b))
		bytes_seek(b, place, what);
}

uint32_t
pe_directory(const struct pe *pe, struct bytes *b, unsigned number, uint32_t *size)
{
	uint32_t address;

	bytes_seek(b, pe->directories_at + 8 * (size_t)number, "the directories");
	address = bytes_u32(b, "the address of a directory");
	*size = bytes_u32(b, "the size of a directory");
	return address;
}

bool
pe_stamp_read(struct pe_stamp *stamp, const uint8_t *data, size_t len)
{
	struct bytes b;
	uint64_t at;

	bytes_init(&b, data, len, NULL);
	bytes_seek(&b, PE_OFFSET_AT, "the header");
	at = bytes_u32(&b, "the header");
	bytes_seek(&b, at + 8, "the header");
	stamp->time = bytes_u32(&b, "the time stamp");
	bytes_seek(&b, at + 24 + 56, "the header");
	stamp->image_bytes = bytes_u32(&b, "the size in memory");
	bytes_skip(&b, 4, "the header");
	stamp->checksum = bytes_u32(&b, "the checksum");
	return bytes_ok(&b);
}

/* Reads a debug entry of kind 2. */
static bool
read_build(struct bytes *b, uint32_t at, struct pe_build *build)
{
	const uint8_t *guid;

	bytes_seek(b, at, "the build of the module");
	if (bytes_u32(b, "the build of the module") != RSDS)
		return false;
	guid = bytes_take(b, BUILD_GUID_BYTES, "the build of the module");
	build->age = bytes_u32(b, "the age of the module");
	if (!bytes_ok(b))
		return false;
	memcpy(build->guid, guid, BUILD_GUID_BYTES);
	return true;
}

unsigned
pe_builds(const struct pe *pe, struct bytes *b, struct pe_build builds[PE_BUILDS_MAX])
{
	uint32_t size, address = pe_directory(pe, b, PE_DIRECTORY_DEBUG, &size);
	unsigned entries = size / DEBUG_ENTRY_BYTES, count = 0;

	if (!address || !bytes_ok(b))
		return 0;
	pe_seek(pe, b, address, "the list of debugging data");
	if (entries > DEBUG_ENTRIES_MAX)
		entries = DEBUG_ENTRIES_MAX;
	for (unsigned i = 0; i < entries && bytes_ok(b); i++) {
		struct bytes entry = *b;
		uint32_t kind, at;

		bytes_skip(b, DEBUG_ENTRY_BYTES, "debugging data");
		bytes_skip(&entry, 12, "debugging data");
		kind = bytes_u32(&entry, "debugging data");
		bytes_skip(&entry, 8, "debugging data");
		at = bytes_u32(&entry, "debugging data");
		if (bytes_ok(&entry) && kind == DEBUG_CODE_VIEW && count < PE_BUILDS_MAX)
			count += read_build(&entry, at, &builds[count]);
	}
	return count;
}
