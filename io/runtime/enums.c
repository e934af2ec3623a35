#include "io/pe/metadata_fields.h"
#include "io/runtime/enums.h"
#include <string.h>

enum {
	CONSTANTS_MAX = 65536,
	NAMES_MAX = 8, /* names of one value */
};

struct constants {
	const struct metadata *metadata;
	uint32_t first, end;
	uint64_t mask; /* as wide as the enum's values */
	bool are_flags;
};

/* The row of the constant equal to `value`; if !is_whole, else of the largest flag contained in it.
 * 0: none. */
static uint32_t
find_constant(const struct constants *c, uint64_t value, bool is_whole)
{
	uint64_t constant, best = 0;
	uint32_t found = 0;

	for (uint32_t row = c->first; row < c->end; row++) {
		if (!metadata_field_constant(c->metadata, row, &constant))
			continue;
		constant &= c->mask;
		if (constant == value)
			return row;
		if (!is_whole && constant && (constant & value) == constant && constant > best) {
			best = constant;
			found = row;
		}
	}
	return found;
}

/* "Red | Blue"; NULL: some bits have no name, or no memory. */
static const char *
name_value(const struct constants *c, uint64_t value, struct arena *a, struct error *err)
{
	uint32_t row = find_constant(c, value, true);
	const char *text = "";
	uint64_t constant;

	if (row)
		return metadata_field_name(c->metadata, row);
	for (int i = 0; c->are_flags && value && i < NAMES_MAX && text; i++) {
		row = find_constant(c, value, false);
		if (!row || !metadata_field_constant(c->metadata, row, &constant))
			return NULL;
		text = arena_printf(a, err, "%s%s%s", metadata_field_name(c->metadata, row),
				    *text ? " | " : "", text);
		value &= ~constant;
	}
	return value || !text || !*text ? NULL : text;
}

const char *
clr_enum_name(const struct clr_names *names, uint64_t table, const uint8_t *bytes, uint32_t len,
	      struct arena *a, struct error *err)
{
	const struct clr_module *module =
	    clr_modules_find(names->modules, clr_name_module(names, table), err);
	struct constants c = { .mask = len < 8 ? (UINT64_C(1) << 8 * len) - 1 : UINT64_MAX };
	uint32_t token = clr_name_token(names, table);
	const char *name = NULL;
	uint64_t value = 0;

	if (!module)
		return NULL;
	for (uint32_t i = len < 8 ? len : 8; i-- > 0;)
		value = value << 8 | bytes[i];
	c.metadata = module->metadata;
	if (c.metadata && metadata_fields_of(c.metadata, token, &c.first, &c.end) &&
	    c.end - c.first <= CONSTANTS_MAX) {
		c.are_flags = metadata_is_flags(c.metadata, token);
		name = name_value(&c, value, a, err);
	}
	if (err->kind != ERROR_NONE)
		return NULL;
	return name ? name : "";
}

bool
clr_enum_constant(const struct clr_names *names, uint64_t table, const char *name, uint64_t *value)
{
	struct error ignored = { 0 };
	const struct clr_module *module =
	    clr_modules_find(names->modules, clr_name_module(names, table), &ignored);
	uint32_t first, end;

	if (!module || !module->metadata ||
	    !metadata_fields_of(module->metadata, clr_name_token(names, table), &first, &end) ||
	    end - first > CONSTANTS_MAX)
		return false;
	for (uint32_t row = first; row < end; row++)
		if (!strcmp(metadata_field_name(module->metadata, row), name))
			return metadata_field_constant(module->metadata, row, value);
	return false;
}
