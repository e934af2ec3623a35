#include "model/heap/my_code.h"
#include "model/base/text.h"
#include "model/heap/framework.h"
#include <string.h>

/* A part of a text, not terminated. */
struct piece {
	const char *text;
	size_t len;
};

/* Returns whether the pattern, in which * stands for any text, matches all of the name or, with
   `is_class`, all of it before a dot or a plus sign. */
static bool
matches(struct piece pattern, struct piece name, bool is_class)
{
	size_t p = 0, n = 0, star = SIZE_MAX, resume = 0;

	while (n < name.len || p < pattern.len) {
		if (p < pattern.len && pattern.text[p] == '*') {
			star = p++;
			resume = n;
		} else if (p < pattern.len && n < name.len && pattern.text[p] == name.text[n]) {
			p++;
			n++;
		} else if (p == pattern.len && is_class && strchr(".+", name.text[n])) {
			return true;
		} else if (star != SIZE_MAX && resume < name.len) {
			p = star + 1;
			n = ++resume;
		} else {
			return false;
		}
	}
	return true;
}

/* Returns the name of a module, or a pattern for it, without its suffix. */
static struct piece
without_suffix(const char *name, size_t len)
{
	if (len > 4 && (text_ends(name, len, ".dll") || text_ends(name, len, ".exe")))
		len -= 4;
	return (struct piece){ name, len };
}

static bool
is_listed(const struct type *t, const char *patterns)
{
	bool is_class = !*t->module || type_is_async(t);
	const char *class_name = type_class_name(t);
	const char *file = type_module_file(t);
	struct piece name = without_suffix(file, strlen(file));

	if (is_class)
		name = (struct piece){ class_name, strcspn(class_name, "<[`(, ") };
	for (; *patterns; patterns += *patterns == ',') {
		size_t len = strcspn(patterns, ",");

		if (len && matches(without_suffix(patterns, len), name, is_class))
			return true;
		patterns += len;
	}
	return false;
}

enum code_owner
my_code_owner(const struct type *t, const char *patterns)
{
	bool is_mine = patterns && *patterns ? is_listed(t, patterns) : !type_is_of_framework(t);

	if (!is_mine)
		return CODE_FRAMEWORK;
	return t->flags & TYPE_ARRAY ? CODE_ARRAY : CODE_MINE;
}

void
my_code_find(const struct type *types, uint32_t types_count, const char *patterns, uint8_t *owners)
{
	for (type_id t = 0; t < types_count; t++)
		owners[t] = (uint8_t)my_code_owner(&types[t], patterns);
}

uint8_t *
my_code_owners(const struct type *types, uint32_t types_count, const char *patterns,
	       struct error *err)
{
	uint8_t *owners = memory_new((size_t)types_count + 1, sizeof *owners, err);

	if (owners)
		my_code_find(types, types_count, patterns, owners);
	return owners;
}
