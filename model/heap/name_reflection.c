#include "model/heap/name_reflection.h"
#include "model/base/arena.h"
#include <string.h>

enum bracket {
	BRACKET_RANK,     /* rank of an array, or inside an assembly name */
	BRACKET_LIST,     /* around a list of type arguments */
	BRACKET_ARGUMENT, /* around one argument and its assembly */
};

struct speller {
	const char *raw;
	char *out;
	size_t len;
	uint8_t *open; /* enum bracket of each bracket that is open */
	size_t open_count;
	size_t skipped_from; /* open_count at the assembly to skip; 0: none */
	bool is_odd;
};

static bool
is_inside(const struct speller *s, enum bracket kind)
{
	return s->open_count && s->open[s->open_count - 1] == kind;
}

static void
put(struct speller *s, char c)
{
	if (!s->skipped_from)
		s->out[s->len++] = c;
}

/* Removes the "`2" before type arguments. */
static void
drop_arity(struct speller *s)
{
	size_t len = s->len;

	while (len && s->out[len - 1] >= '0' && s->out[len - 1] <= '9')
		len--;
	if (len && len < s->len && s->out[len - 1] == '`')
		s->len = len - 1;
	else
		s->is_odd = true;
}

static void
open_bracket(struct speller *s, size_t at)
{
	enum bracket kind = BRACKET_RANK;

	if (is_inside(s, BRACKET_LIST)) {
		kind = BRACKET_ARGUMENT;
	} else if (s->raw[at + 1] == '[' && !s->skipped_from) {
		kind = BRACKET_LIST;
		drop_arity(s);
		put(s, '<');
	} else {
		put(s, '[');
	}
	s->open[s->open_count++] = (uint8_t)kind;
}

static void
close_bracket(struct speller *s)
{
	if (!s->open_count) {
		s->is_odd = true;
		return;
	}
	if (s->skipped_from == s->open_count)
		s->skipped_from = 0;
	if (is_inside(s, BRACKET_LIST))
		put(s, '>');
	else if (is_inside(s, BRACKET_RANK))
		put(s, ']');
	s->open_count--;
}

static void
spell(struct speller *s)
{
	for (size_t at = 0; s->raw[at] && !s->is_odd; at++) {
		char c = s->raw[at];

		if (c == '[') {
			open_bracket(s, at);
		} else if (c == ']') {
			close_bracket(s);
		} else if (c == ',' && is_inside(s, BRACKET_ARGUMENT) && !s->skipped_from) {
			s->skipped_from = s->open_count;
		} else if (c != ' ' || !is_inside(s, BRACKET_LIST)) {
			put(s, c);
		}
	}
	s->out[s->len] = '\0';
}

char *
name_from_reflection(const char *raw, struct error *err)
{
	size_t len = strlen(raw);
	struct speller s = { .raw = raw };

	if (!strstr(raw, "[[") || !strchr(raw, '`'))
		return NULL;
	s.out = memory_new(len + 1, 1, err);
	s.open = memory_new(len, 1, err);
	if (s.out && s.open)
		spell(&s);
	if (!s.open || s.is_odd || s.open_count) {
		memory_free(s.out);
		s.out = NULL;
	}
	memory_free(s.open);
	return s.out;
}
