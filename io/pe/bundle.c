#define _GNU_SOURCE /* memmem() */
#include "io/pe/bundle.h"

enum {
	FILES_MAX = 64 * 1024,
	FILE_BYTES_MIN = 18, /* of an entry */
	STRING_GROUPS_MAX = 2,
	VERSION_CONFIGURED = 2,
	VERSION_COMPRESSED = 6,
};
/* The signature is in the executable, which comes first. */
#define PROGRAM_BYTES_MAX ((size_t)64 << 20)

static const uint8_t signature[32] = {
	0x8b, 0x12, 0x02, 0xb9, 0x6a, 0x61, 0x20, 0x38, 0x72, 0x7b, 0x93,
	0x02, 0x14, 0xd7, 0xa0, 0x32, 0x13, 0xf5, 0xb9, 0xe6, 0xef, 0xae,
	0x33, 0x18, 0xee, 0x3b, 0x2d, 0xce, 0x24, 0xb3, 0x6a, 0xae,
};

/* The offset of the list; 0: none. */
static uint64_t
find_list(const uint8_t *data, size_t len)
{
	size_t end = len < PROGRAM_BYTES_MAX ? len : PROGRAM_BYTES_MAX;
	size_t at = sizeof(uint64_t);

	while (at < end) {
		const uint8_t *found = memmem(data + at, end - at, signature, sizeof(signature));
		uint64_t offset;

		if (!found)
			return 0;
		/* Any program may contain the signature by chance or as data. */
		offset = bytes_load_u64(found - sizeof(uint64_t));
		if (offset > 0 && offset < len)
			return offset;
		at = (size_t)(found - data) + 1;
	}
	return 0;
}

static const uint8_t *
read_string(struct bytes *b, size_t *len)
{
	unsigned shift = 0;
	uint8_t group = 0x80;

	*len = 0;
	for (int i = 0; i < STRING_GROUPS_MAX && group & 0x80; i++) {
		group = bytes_u8(b, "the length of a name");
		*len |= (size_t)(group & 0x7f) << shift;
		shift += 7;
	}
	if (group & 0x80)
		bytes_fail(b, b->at, "a name is longer than any path");
	return bytes_take(b, *len, "a name");
}

bool
bundle_open(struct bundle *b, const uint8_t *data, size_t len, struct error *err)
{
	uint64_t list = find_list(data, len);
	struct bytes in;
	size_t id_len;

	*b = (struct bundle){ .data = data, .len = len };
	if (!list)
		return error_set(err, ERROR_INPUT, "the program contains no files");
	bytes_init(&in, data, len, err);
	bytes_seek(&in, list, "the list of files");
	b->version = bytes_u32(&in, "the version");
	bytes_u32(&in, "the minor version");
	b->files_count = bytes_count(&in, FILE_BYTES_MIN, "the count of files");
	(void)read_string(&in, &id_len);
	if (b->version >= VERSION_CONFIGURED)
		bytes_skip(&in, 5 * sizeof(uint64_t), "configurations");
	b->files_at = in.at;
	if (bytes_ok(&in) && b->files_count > FILES_MAX)
		bytes_fail(&in, list, "the program contains %u files, more than %d", b->files_count,
			   FILES_MAX);
	return bytes_ok(&in);
}

/* True if the path ends in "/" and the name. */
static bool
ends_in(const char *path, const uint8_t *name, size_t name_len)
{
	size_t len = strlen(path);

	return name && name_len && len > name_len && path[len - name_len - 1] == '/' &&
	       !memcmp(path + len - name_len, name, name_len);
}

const uint8_t *
bundle_find(const struct bundle *b, const char *path, size_t *file_len)
{
	struct bytes in;

	bytes_init(&in, b->data, b->len, NULL);
	bytes_seek(&in, b->files_at, "the list of files");
	for (uint32_t i = 0; i < b->files_count && bytes_ok(&in); i++) {
		uint64_t at = bytes_u64(&in, "the place of a file");
		uint64_t len = bytes_u64(&in, "the size of a file");
		uint64_t packed =
		    b->version >= VERSION_COMPRESSED ? bytes_u64(&in, "its compressed size") : 0;
		const uint8_t *name;
		size_t name_len;

		bytes_u8(&in, "the kind of a file");
		name = read_string(&in, &name_len);
		if (!ends_in(path, name, name_len))
			continue;
		bytes_seek(&in, at, "a file");
		*file_len = (size_t)len;
		return packed ? NULL : bytes_take(&in, len, "a file");
	}
	return NULL;
}
