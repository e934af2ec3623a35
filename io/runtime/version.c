#include "io/base/inside.h"
#include "io/memory/elf.h"
#include "io/runtime/version.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const char words_head[] = "@(#)Version ";

/* "10.0.1226.42308 @Commit: …": the third number is the patch times 100. */
static bool
version_parse_words(struct clr_runtime *rt, const char *text)
{
	unsigned major, minor, third, fourth;

	if (sscanf(text, "%u.%u.%u.%u", &major, &minor, &third, &fourth) != 4)
		return false;
	rt->version[0] = major;
	rt->version[1] = minor;
	rt->version[2] = third / 100;
	rt->version_from = CLR_VERSION_TEXT;
	return true;
}

/* Finds the version text in `len` bytes; a digit must follow its head. */
static bool
version_in_bytes(struct clr_runtime *rt, const uint8_t *bytes, size_t len)
{
	enum { TEXT_BYTES = 48 };
	const size_t head_len = sizeof(words_head) - 1;
	const uint8_t *at = bytes, *end = bytes + len;

	while ((at = memchr(at, '@', (size_t)(end - at)))) {
		if ((size_t)(end - at) < head_len + TEXT_BYTES)
			return false;
		if (memcmp(at, words_head, head_len) == 0) {
			char text[TEXT_BYTES + 1];

			memcpy(text, at + head_len, TEXT_BYTES);
			text[TEXT_BYTES] = '\0';
			if (version_parse_words(rt, text))
				return true;
		}
		at++;
	}
	return false;
}

static bool
version_in_mapping(struct clr_runtime *rt, const struct memory_mapping *mapping, uint8_t *block)
{
	enum { BLOCK_BYTES = 64 << 10, OVERLAP = 64, PAGE_BYTES = 4096 };
	uint64_t at = mapping->start;

	while (at < mapping->end) {
		size_t len = BLOCK_BYTES, there;

		if (len > mapping->end - at)
			len = (size_t)(mapping->end - at);
		there = memory_copy(rt->memory, at, block, len);
		if (version_in_bytes(rt, block, there))
			return true;
		/* Pages after an absent one may be present. */
		if (there < len)
			at += (there / PAGE_BYTES + 1) * PAGE_BYTES;
		else if (len > OVERLAP && at + len < mapping->end)
			at += len - OVERLAP;
		else
			break;
	}
	return false;
}

/* Backwards: the text is in data, which follows code. */
static bool
version_find_words(struct clr_runtime *rt, const struct elf_image *image, struct error *err)
{
	enum { BLOCK_BYTES = 64 << 10, IMAGE_MAX = 256 << 20 };
	const struct memory *m = rt->memory;
	uint8_t *block = arena_take(&rt->arena, BLOCK_BYTES, 1, err);
	uint64_t left = IMAGE_MAX;

	for (size_t i = m->mappings_count; block && i-- > 0;) {
		const struct memory_mapping *mapping = &m->mappings[i];
		uint64_t len = mapping->end - mapping->start;

		if (mapping->start < image->base || mapping->start >= image->end || len > left)
			continue;
		left -= len;
		if (version_in_mapping(rt, mapping, block))
			return true;
	}
	return false;
}

/* Compares build ids: the file's and the one in memory. */
static bool
is_same_build(const struct clr_runtime *rt, const struct file *file)
{
	enum { HEAD_BYTES = 4096 };
	uint8_t head[HEAD_BYTES];
	uint8_t ours[ELF_BUILD_ID_MAX], theirs[ELF_BUILD_ID_MAX];
	size_t head_len = memory_copy(rt->memory, rt->base, head, sizeof(head));
	uint32_t len = elf_build_id(head, head_len, theirs);

	return len && elf_build_id(file->data, file->len, ours) == len &&
	       memcmp(ours, theirs, len) == 0;
}

bool
clr_version_open_file(struct clr_runtime *rt, struct file *file)
{
	struct error err = { 0 };

	if (!rt->path[0] || !inside_open(file, rt->memory->sysroot, rt->path, &err))
		return false;
	if (is_same_build(rt, file))
		return true;
	file_close(file);
	return false;
}

/* The text is constant, so the file holds the same bytes as memory. */
static bool
version_find_file(struct clr_runtime *rt)
{
	struct file file;
	bool is_found;

	if (!clr_version_open_file(rt, &file))
		return false;
	is_found = version_in_bytes(rt, file.data, file.len);
	file_close(&file);
	return is_found;
}

/*
 * DotNetRuntimeInfo: 18 bytes of name, 2 of padding, i32 structure version, three times 24 bytes,
 * and from structure version 2 on four i32 at 96: the numbers of the version text.
 */
static bool
version_find_info(struct clr_runtime *rt, const struct elf_image *image)
{
	struct memory_reader *r = rt->reader;
	struct elf_symbol info;
	uint32_t version, numbers[3];

	if (!elf_image_find(image, r, "DotNetRuntimeInfo", &info, NULL) ||
	    !memory_u32(r, info.address + 20, &version) || version < 2 || version > 100)
		return false;
	for (uint64_t i = 0; i < 3; i++) {
		if (!memory_u32(r, info.address + 96 + 4 * i, &numbers[i]))
			return false;
	}
	rt->version[0] = numbers[0];
	rt->version[1] = numbers[1];
	rt->version[2] = numbers[2] / 100;
	rt->version_from = CLR_VERSION_INFO;
	return numbers[0] < 100;
}

/* ".../Microsoft.NETCore.App/9.0.1/libcoreclr.so" */
static bool
version_find_path(struct clr_runtime *rt)
{
	static const char folder[] = "/Microsoft.NETCore.App/";
	const char *at = strstr(rt->path, folder);
	unsigned major, minor, patch;

	if (!at || sscanf(at + sizeof(folder) - 1, "%u.%u.%u", &major, &minor, &patch) != 3)
		return false;
	rt->version[0] = major;
	rt->version[1] = minor;
	rt->version[2] = patch;
	rt->version_from = CLR_VERSION_PATH;
	return true;
}

static bool
version_find_table(struct clr_runtime *rt, uint64_t table_bytes)
{
	unsigned major = clr_version_of_table(table_bytes);

	if (!major)
		return false;
	rt->version[0] = major;
	rt->version_from = CLR_VERSION_TABLE;
	return true;
}

bool
clr_version_find(struct clr_runtime *rt, const struct elf_image *image, uint64_t table_bytes,
		 struct error *err)
{
	if (version_find_info(rt, image) || version_find_words(rt, image, err) ||
	    version_find_file(rt) || version_find_path(rt) || version_find_table(rt, table_bytes))
		return true;
	return error_set(err, ERROR_INPUT,
			 "%.60s records no version, and its g_dacTable of %" PRIu64
			 " bytes is not that of .NET " CLR_VERSIONS "; " CLR_OTHER_WAYS,
			 rt->path, table_bytes);
}
