#include "io/pe/name_spelling.h"
#include <string.h>

/* A type being written; its arguments are parts of their own. */
struct part {
	size_t at, chain_end; /* "A.Dictionary`2+Entry" */
	size_t argument, arguments_end;
	size_t suffix, end; /* "[]" */
	size_t group_left;  /* arguments to write before the '>' */
	bool is_distributed, is_open, is_first;
};

struct speller {
	const char *name;
	size_t len;
	size_t *matches; /* index of each bracket's counterpart */
	struct part *parts;
	size_t parts_count, parts_room;
	char *out;
};

/* False: the brackets are unbalanced. */
static bool
match_brackets(struct speller *s)
{
	size_t open = SIZE_MAX; /* an open one holds the index of the one around it */

	for (size_t i = 0; i < s->len; i++) {
		if (s->name[i] == '[') {
			s->matches[i] = open;
			open = i;
		} else if (s->name[i] == ']') {
			size_t outer;

			if (open == SIZE_MAX)
				return false;
			outer = s->matches[open];
			s->matches[open] = i;
			s->matches[i] = open;
			open = outer;
		}
	}
	return open == SIZE_MAX;
}

/* The end of the argument at `at`: a comma, or `end`. */
static size_t
argument_end(const struct speller *s, size_t at, size_t end)
{
	while (at < end && s->name[at] != ',')
		at = s->name[at] == '[' ? s->matches[at] + 1 : at + 1;
	return at;
}

static size_t
arguments_count(const struct speller *s, size_t at, size_t end)
{
	size_t count = 1;

	while ((at = argument_end(s, at, end)) < end) {
		at++;
		count++;
	}
	return count;
}

/* Reads the number after the '`' at *at and moves past it; 0: none. */
static size_t
read_arity(const struct speller *s, size_t *at, size_t end)
{
	size_t i = *at + 1, arity = 0;

	while (i < end && s->name[i] >= '0' && s->name[i] <= '9') {
		if (arity < SIZE_MAX / 16)
			arity = arity * 10 + (size_t)(s->name[i] - '0');
		i++;
	}
	if (arity)
		*at = i;
	return arity;
}

/* True if the chain declares as many parameters as there are arguments. */
static bool
chain_declares(const struct speller *s, size_t at, size_t end, size_t count)
{
	while (at < end) {
		size_t arity = s->name[at] == '`' ? read_arity(s, &at, end) : 0;

		if (arity > count)
			return false;
		count -= arity;
		if (!arity)
			at++;
	}
	return count == 0;
}

static bool
push_part(struct speller *s, size_t at, size_t end, struct error *err)
{
	struct part p = { .at = at, .end = end };
	size_t i = at;

	while (i < end && !strchr("[*&", s->name[i]))
		i++;
	p.chain_end = p.suffix = i;
	if (i + 1 < end && s->name[i] == '[' && !strchr("],*", s->name[i + 1])) {
		p.argument = i + 1;
		p.arguments_end = s->matches[i];
		p.suffix = p.arguments_end + 1;
		p.is_distributed =
		    chain_declares(s, at, i, arguments_count(s, p.argument, p.arguments_end));
	}
	return APPEND(s->parts, s->parts_count, s->parts_room, err, p);
}

static void
open_group(struct speller *s, struct part *p, size_t count)
{
	*s->out++ = '<';
	p->is_open = p->is_first = true;
	p->group_left = count;
}

/* Writes one step; false: no memory. */
static bool
spell_step(struct speller *s, struct error *err)
{
	struct part *p = &s->parts[s->parts_count - 1];

	if (p->group_left) {
		size_t start = p->argument;
		size_t end = argument_end(s, start, p->arguments_end);

		if (!p->is_first)
			*s->out++ = ',';
		p->is_first = false;
		p->group_left--;
		p->argument = end + 1;
		return push_part(s, start, end, err);
	}
	if (p->is_open) {
		*s->out++ = '>';
		p->is_open = false;
	} else if (p->at < p->chain_end) {
		size_t arity = s->name[p->at] == '`' ? read_arity(s, &p->at, p->chain_end) : 0;

		if (!arity)
			*s->out++ = s->name[p->at++];
		else if (p->is_distributed)
			open_group(s, p, arity);
	} else if (!p->is_distributed && p->argument < p->arguments_end) {
		open_group(s, p, arguments_count(s, p->argument, p->arguments_end));
	} else {
		memcpy(s->out, s->name + p->suffix, p->end - p->suffix);
		s->out += p->end - p->suffix;
		s->parts_count--;
	}
	return true;
}

const char *
name_spell(const char *name, struct arena *a, struct error *err)
{
	struct speller s = { .name = name, .len = strlen(name) };
	/* The output is not longer: a pair of <> replaces at least a "`1". */
	char *out = arena_array(a, char, s.len + 1, err);
	bool is_good = false;

	s.out = out;
	s.matches = memory_new(s.len, sizeof(*s.matches), err);
	if (out && s.matches) {
		if (match_brackets(&s)) {
			is_good = push_part(&s, 0, s.len, err);
			while (is_good && s.parts_count)
				is_good = spell_step(&s, err);
			*s.out = '\0';
		} else {
			memcpy(out, name, s.len + 1);
			is_good = true;
		}
	}
	memory_free(s.matches);
	memory_free(s.parts);
	return is_good ? out : NULL;
}

/* The length without a "`2" at the end. */
static size_t
len_without_arity(const char *text, size_t len)
{
	size_t i = len;

	while (i && text[i - 1] >= '0' && text[i - 1] <= '9')
		i--;
	return i && i < len && text[i - 1] == '`' ? i - 1 : len;
}

const char *
name_nest(const char *name, const char *definition, struct arena *a, struct error *err)
{
	const char *plus = strrchr(definition, '+');
	size_t name_len = strcspn(name, "[*&");
	size_t inner_len;

	if (!plus)
		return name;
	inner_len = len_without_arity(plus + 1, strlen(plus + 1));
	if (len_without_arity(name, name_len) != inner_len ||
	    memcmp(name, plus + 1, inner_len) != 0)
		return name;
	return arena_printf(a, err, "%s%s", definition, name + name_len);
}
