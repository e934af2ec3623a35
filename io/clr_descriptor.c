#include "io/clr_descriptor.h"
#include "model/arena.h"
#include <jansson.h>

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

static bool
text_parse(struct clr_descriptor *d, struct memory_reader *r, uint64_t address,
	   uint32_t len)
{
	struct error err;
	char *text;

	error_clear(&err);
	text = memory_new(len, 1, &err);
	if (text && memory_read(r, address, text, len))
		d->root = json_loadb(text, len, 0, NULL);
	memory_free(text);
	return json_is_object(d->root);
}

bool
clr_descriptor_open(struct clr_descriptor *d, struct memory_reader *r,
		    uint64_t address, bool *is_damaged)
{
	static const char magic[8] = "DNCCDAC";
	uint8_t head[40];
	uint32_t text_len;

	*d = (struct clr_descriptor){ 0 };
	*is_damaged = false;
	if (!memory_read(r, address, head, sizeof(head)))
		return false;
	text_len = bytes_load_u32(head + 12);
	d->pointers_count = bytes_load_u32(head + 24);
	d->pointers = bytes_load_u64(head + 32);
	if (memcmp(head, magic, sizeof(magic)) == 0 &&
	    !(bytes_load_u32(head + 8) & FLAG_32_BIT) && text_len &&
	    text_len <= TEXT_MAX && d->pointers_count <= POINTERS_MAX &&
	    text_parse(d, r, bytes_load_u64(head + 16), text_len))
		return true;
	clr_descriptor_close(d);
	*is_damaged = true;
	return false;
}

void
clr_descriptor_close(struct clr_descriptor *d)
{
	json_decref(d->root);
	d->root = NULL;
}

/* A field is its offset, or [offset, type]. */
static bool
field_offset(const json_t *field, uint32_t *offset)
{
	const json_t *number =
	    json_is_array(field) ? json_array_get(field, 0) : field;
	json_int_t value = json_integer_value(number);

	if (!json_is_integer(number) || value < 0 || value > OFFSET_MAX)
		return false;
	*offset = (uint32_t)value;
	return true;
}

void
clr_descriptor_describe(const struct clr_descriptor *d,
			struct clr_layout *layout)
{
	json_t *types = json_object_get(d->root, "types"), *fields, *field;
	const char *type_name, *name;

	json_object_foreach(types, type_name, fields)
	{
		json_object_foreach(fields, name, field)
		{
			enum clr_field known = clr_field_find(type_name, name);
			uint32_t offset;

			if (known == CLR_FIELDS_COUNT ||
			    !field_offset(field, &offset))
				continue;
			layout->offset[known] = offset;
			layout->described_count++;
		}
	}
}

bool
clr_descriptor_global(const struct clr_descriptor *d, struct memory_reader *r,
		      const char *name, uint64_t *value)
{
	const json_t *global =
	    json_object_get(json_object_get(d->root, "globals"), name);
	const json_t *first = json_array_get(global, 0);
	json_int_t number;
	uint64_t variable;

	*value = 0;
	/* [2], or [[2], "pointer"] */
	if (json_is_array(first))
		first = json_array_get(first, 0);
	else if (json_array_size(global) != 1)
		return false;
	number = json_integer_value(first);
	return json_is_integer(first) && number >= 0 &&
	       number < (json_int_t)d->pointers_count &&
	       memory_u64(r, d->pointers + 8 * (uint64_t)number, &variable) &&
	       variable && memory_u64(r, variable, value);
}
