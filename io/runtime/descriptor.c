#include "io/runtime/descriptor.h"
#include "model/base/arena.h"
#include <jansson.h>
#include <stdlib.h>

enum {
	TEXT_MAX = 1 << 20, /* real ones have 3 to 11 KB */
	POINTERS_MAX = 64 << 10,
	OFFSET_MAX = 1 << 20,
	FLAG_32_BIT = 2,
};

const char *
clr_descriptor_library(void)
{
	return JANSSON_VERSION;
}

/* The bytes to read: memory, or a file loaded at `bias`. */
struct place {
	struct memory_reader *reader;
	struct elf_file *file; /* NULL: memory */
	uint64_t bias;
};

static bool
place_read(const struct place *p, uint64_t address, void *to, size_t len)
{
	const uint8_t *bytes;

	if (!p->file)
		return memory_read(p->reader, address, to, len);
	bytes = elf_file_view(p->file, address - p->bias, len);
	if (bytes)
		memcpy(to, bytes, len);
	return bytes != NULL;
}

/* In memory, words that are absent become 0. */
static bool
place_words(const struct place *p, uint64_t address, uint64_t *words, size_t count)
{
	bool is_whole = true;

	if (p->file)
		return elf_file_words(p->file, address - p->bias, p->bias, words, count);
	for (size_t i = 0; i < count; i++)
		is_whole &= memory_u64(p->reader, address + 8 * i, &words[i]);
	return is_whole;
}

/* An allocator that counts refusals: otherwise a sound text would look damaged. */
static void *
allocate(size_t bytes)
{
	struct error ignored = { 0 };

	return memory_new(bytes, 1, &ignored);
}

static bool
text_parse(struct clr_descriptor *d, const struct place *p, uint64_t address, uint32_t len)
{
	struct error err = { 0 };
	char *text;

	text = memory_new(len, 1, &err);
	if (text && place_read(p, address, text, len)) {
		json_set_alloc_funcs(allocate, memory_free);
		d->root = json_loadb(text, len, 0, NULL);
	}
	memory_free(text);
	return json_is_object(d->root);
}

static bool
pointers_read(struct clr_descriptor *d, const struct place *p, uint64_t address, uint32_t count)
{
	struct error err = { 0 };

	d->pointers = memory_new(count, sizeof(*d->pointers), &err);
	if (!d->pointers)
		return false;
	d->pointers_count = count;
	if (!place_words(p, address, d->pointers, count) && p->file)
		d->pointers_count = 0;
	return true;
}

static bool
descriptor_open(struct clr_descriptor *d, const struct place *p, uint64_t address, bool *is_damaged)
{
	static const char magic[8] = "DNCCDAC";
	uint64_t head[5], expected;
	uint32_t text_len, pointers_count;

	*d = (struct clr_descriptor){ 0 };
	*is_damaged = false;
	if (!place_words(p, address, head, 5))
		return false;
	expected = bytes_load_u64((const uint8_t *)magic);
	text_len = (uint32_t)(head[1] >> 32);
	pointers_count = (uint32_t)head[3];
	if (head[0] == expected && !(head[1] & FLAG_32_BIT) && text_len && text_len <= TEXT_MAX &&
	    pointers_count <= POINTERS_MAX && text_parse(d, p, head[2], text_len) &&
	    pointers_read(d, p, head[4], pointers_count))
		return true;
	clr_descriptor_close(d);
	*is_damaged = true;
	return false;
}

bool
clr_descriptor_open(struct clr_descriptor *d, struct memory_reader *r, uint64_t address,
		    bool *is_damaged)
{
	const struct place p = { .reader = r };

	return descriptor_open(d, &p, address, is_damaged);
}

bool
clr_descriptor_open_file(struct clr_descriptor *d, struct elf_file *file, uint64_t bias,
			 uint64_t address, bool *is_damaged)
{
	const struct place p = { .file = file, .bias = bias };

	return descriptor_open(d, &p, address, is_damaged);
}

void
clr_descriptor_close(struct clr_descriptor *d)
{
	json_decref(d->root);
	memory_free(d->pointers);
	*d = (struct clr_descriptor){ 0 };
}

/* A field is an offset, or [offset, type]. */
static bool
field_offset(const json_t *field, uint32_t *offset)
{
	const json_t *number = json_is_array(field) ? json_array_get(field, 0) : field;
	json_int_t value = json_integer_value(number);

	if (!json_is_integer(number) || value < 0 || value > OFFSET_MAX)
		return false;
	*offset = (uint32_t)value;
	return true;
}

void
clr_descriptor_describe(const struct clr_descriptor *d, struct clr_layout *layout)
{
	json_t *types = json_object_get(d->root, "types"), *fields, *field;
	const char *type_name, *name;

	json_object_foreach(types, type_name, fields)
	{
		json_object_foreach(fields, name, field)
		{
			enum clr_field known = clr_field_find(type_name, name);
			uint32_t offset;

			if (known == CLR_FIELDS_COUNT || !field_offset(field, &offset))
				continue;
			layout->offset[known] = offset;
			layout->described_fields += !layout->is_described[known];
			layout->is_described[known] = true;
		}
	}
}

/* Finds the pointer that [2] or [[2], "pointer"] indexes. */
static bool
find_pointer(const struct clr_descriptor *d, const json_t *global, uint64_t *pointer)
{
	const json_t *first = json_array_get(global, 0);
	json_int_t number;

	*pointer = 0;
	if (json_is_array(first))
		first = json_array_get(first, 0);
	else if (json_array_size(global) != 1)
		return false;
	number = json_integer_value(first);
	if (!json_is_integer(first) || number < 0 || number >= (json_int_t)d->pointers_count)
		return false;
	*pointer = d->pointers[number];
	return *pointer != 0;
}

static bool
read_indirect(const struct clr_descriptor *d, struct memory_reader *r, const json_t *global,
	      uint64_t *value)
{
	uint64_t pointer;

	*value = 0;
	return find_pointer(d, global, &pointer) && memory_u64(r, pointer, value);
}

static const json_t *
find_global(const struct clr_descriptor *d, const char *name)
{
	return json_object_get(json_object_get(d->root, "globals"), name);
}

bool
clr_descriptor_global(const struct clr_descriptor *d, struct memory_reader *r, const char *name,
		      uint64_t *value)
{
	return read_indirect(d, r, find_global(d, name), value);
}

bool
clr_descriptor_address(const struct clr_descriptor *d, const char *name, uint64_t *address)
{
	return find_pointer(d, find_global(d, name), address);
}

bool
clr_descriptor_number(const struct clr_descriptor *d, const char *name, uint64_t *value)
{
	const json_t *global = find_global(d, name);
	const char *text =
	    json_string_value(json_is_array(global) ? json_array_get(global, 0) : global);
	char *end;

	if (!text || strncmp(text, "0x", 2))
		return false;
	*value = strtoull(text + 2, &end, 16);
	return end > text + 2 && !*end;
}

const char *
clr_descriptor_text(const struct clr_descriptor *d, const char *name)
{
	return json_string_value(json_array_get(find_global(d, name), 0));
}

uint32_t
clr_descriptor_subs(const struct clr_descriptor *d, struct memory_reader *r,
		    uint64_t addresses[CLR_SUBS_MAX])
{
	json_t *subs = json_object_get(d->root, "subDescriptors"), *sub;
	uint32_t count = 0;
	const char *name;

	json_object_foreach(subs, name, sub)
	{
		if (count < CLR_SUBS_MAX && read_indirect(d, r, sub, &addresses[count]) &&
		    addresses[count])
			count++;
	}
	return count;
}
