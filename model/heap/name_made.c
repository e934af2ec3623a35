#include "model/heap/name_made.h"
#include <string.h>

/* clang-format off */
static const struct made made_forms[] = {
	{ "c__DisplayClass",  true,  false, MADE_CLOSURE,   "closure" },
	{ "c__",              true,  false, MADE_GROUP,     "lambdas" },
	{ "c",                false, false, MADE_GROUP,     "lambdas" },
	{ "O__",              true,  false, MADE_GROUP,     "cached delegates" },
	{ "O",                false, false, MADE_GROUP,     "cached delegates" },
	{ "f__Anonymous",     true,  false, MADE_BARE,      "f__" },
	{ "d__",              true,  true,  MADE_MACHINE,   NULL },
	{ "d",                false, true,  MADE_MACHINE,   NULL },
	{ "g__",              true,  true,  MADE_LOCAL,     NULL },
	{ "e__FixedBuffer",   false, true,  MADE_BUFFER,    "fixed buffer " },
	{ "F",                true,  true,  MADE_FILE_TYPE, NULL },
};
/* clang-format on */

static const struct made made_unknown = { .form = MADE_UNKNOWN };

static bool
tail_matches(const struct made *m, const char *tail, size_t len)
{
	size_t wanted = strlen(m->tail);

	return (m->is_prefix ? len >= wanted : len == wanted) && !memcmp(tail, m->tail, wanted);
}

const struct made *
made_find(const struct raw_name *name, const struct token *token)
{
	struct made_name made = made_name_read(name, token->start, token->end);
	size_t len = (size_t)(made.tail_end - made.tail);

	for (size_t i = 0; i < sizeof(made_forms) / sizeof(made_forms[0]); i++) {
		const struct made *m = &made_forms[i];

		if (m->is_named && made.inner == made.inner_end)
			continue;
		if (tail_matches(m, made.tail, len))
			return m;
	}
	return &made_unknown;
}
