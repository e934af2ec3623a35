#include "model/heap/my_code.h"
#include "model/heap/framework.h"
#include <string.h>

/* A part of a text, not terminated. */
struct piece {
	const char *text;
	size_t len;
};

/* Returns whether the pattern, in which * stands for any text, matches all of
   the name or, with `is_class`, all of it before a dot or a plus sign. */
static bool
matches(struct piece pattern, struct piece name, bool is_class)
{
	size_t p = 0, n = 0, star = SIZE_MAX, resume = 0;

	while (n < name.len || p < pattern.len) {
		if (p < pattern.len && pattern.text[p] == '*') {
			star = p++;
			resume = n;
		} else if (p < pattern.len && n < name.len &&
			   pattern.text[p] == name.text[n]) {
			p++;
			n++;
		} else if (p == pattern.len && is_class &&
			   strchr(".+", name.text[n])) {
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

/* Returns the module's name without its suffix. */
static struct piece
module_name(const struct type *t)
{
	const char *file = type_module_file(t);
	size_t len = strlen(file);

	if (len > 4 && (!strcmp(file + len - 4, ".dll") ||
			!strcmp(file + len - 4, ".exe")))
		len -= 4;
	return (struct piece){ file, len };
}

static struct piece
without_suffix(struct piece pattern)
{
	const char *end = pattern.text + pattern.len;

	if (pattern.len > 4 &&
	    (!memcmp(end - 4, ".dll", 4) || !memcmp(end - 4, ".exe", 4)))
		pattern.len -= 4;
	return pattern;
}

static bool
is_listed(const struct type *t, const char *patterns)
{
	bool is_class = !*t->module || type_is_async(t);
	const char *class_name = type_class_name(t);
	struct piece name = module_name(t);

	if (is_class)
		name =
		    (struct piece){ class_name, strcspn(class_name, "<[`(, ") };
	for (; *patterns; patterns += *patterns == ',') {
		struct piece pattern = { patterns, strcspn(patterns, ",") };

		patterns += pattern.len;
		if (pattern.len &&
		    matches(without_suffix(pattern), name, is_class))
			return true;
	}
	return false;
}

enum code_owner
my_code_owner(const struct type *t, const char *patterns)
{
	bool is_mine = patterns && *patterns ? is_listed(t, patterns)
					     : !type_is_of_framework(t);

	if (!is_mine)
		return CODE_FRAMEWORK;
	return t->flags & TYPE_ARRAY ? CODE_ARRAY : CODE_MINE;
}

uint8_t *
my_code_owners(const struct type *types, uint32_t types_count,
	       const char *patterns, struct error *err)
{
	uint8_t *owners =
	    memory_new((size_t)types_count + 1, sizeof *owners, err);

	for (type_id t = 0; owners && t < types_count; t++)
		owners[t] = (uint8_t)my_code_owner(&types[t], patterns);
	return owners;
}
