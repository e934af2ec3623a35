#include "model/analysis/type_spelling.h"
#include <string.h>

/* The innermost name and all type arguments, while a raw name is read. */
struct spelling {
	char *out; /* type arguments of all parts, joined */
	size_t out_len;
	const char *name; /* name of the current part */
	size_t name_len;  /* 0 until its end is reached */
};

/* Returns the position behind the bracket that closes the one at `at`, or the end. */
static const char *
skip_brackets(const char *at)
{
	size_t depth = 0;

	for (; *at; at++) {
		depth += *at == '<';
		if (*at == '>' && --depth == 0)
			return at + 1;
	}
	return at;
}

static void
end_name(struct spelling *s, const char *at)
{
	if (!s->name_len)
		s->name_len = (size_t)(at - s->name);
}

/* Appends the content of "<A,B>" to the arguments of the other parts. */
static const char *
take_arguments(struct spelling *s, const char *at)
{
	const char *end = skip_brackets(at);
	size_t len = (size_t)(end - at) - 1;

	len -= len && end[-1] == '>';
	if (s->out_len)
		s->out[s->out_len++] = ',';
	memcpy(s->out + s->out_len, at + 1, len);
	s->out_len += len;
	return end;
}

/* Reads up to the suffix of an array, or to the end. */
static const char *
read_parts(struct spelling *s, const char *at)
{
	while (*at) {
		bool is_start = at == s->name;

		if (is_start && *at == '<') { /* "<>c", "<Run>d__5" */
			at = skip_brackets(at);
		} else if (is_start && !strncmp(at, "[]", 2)) {
			at += 2;
		} else if (*at == '[') {
			break;
		} else if (*at == '<') {
			end_name(s, at);
			at = take_arguments(s, at);
		} else if (*at++ == '+') {
			s->name = at;
			s->name_len = 0;
		}
	}
	end_name(s, at);
	return at;
}

/* Replaces "[,]" by "<,>" and "<>" by "[]", as events spell them. */
static void
turn_brackets(char *text)
{
	for (char *at = text; *at; at++) {
		size_t commas;

		if (*at == '<' && at[1] == '>')
			memcpy(at, "[]", 2);
		if (*at != '[')
			continue;
		commas = strspn(at + 1, ",");
		if (commas && at[commas + 1] == ']') {
			*at = '<';
			at[commas + 1] = '>';
		}
	}
}

char *
type_event_name(const char *raw, struct arena *a, struct error *err)
{
	size_t len = strlen(raw), used = 0;
	/* Each part's brackets become a comma; one pair encloses the arguments of all. */
	char *arguments = arena_take(a, len + 1, 1, err);
	char *text = arena_take(a, len + 3, 1, err);
	struct spelling s = { .out = arguments, .name = raw };
	const char *suffix;

	if (!arguments || !text)
		return NULL;
	suffix = read_parts(&s, raw);
	memcpy(text, s.name, s.name_len);
	used = s.name_len;
	if (s.out_len) {
		text[used++] = '<';
		memcpy(text + used, arguments, s.out_len);
		used += s.out_len;
		text[used++] = '>';
	}
	memcpy(text + used, suffix, strlen(suffix));
	turn_brackets(text);
	return text;
}
