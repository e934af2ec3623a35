#include "model/heap/name_shape.h"

#include <string.h>

bool
raw_name_match(struct raw_name *name)
{
	uint32_t open = UINT32_MAX; /* innermost; `closes` links to the outer */

	for (const char *at = name->start; at < name->end; at++) {
		uint32_t offset = (uint32_t)(at - name->start);

		if (*at == '<') {
			name->closes[offset] = open;
			open = offset;
		} else if (*at == '>') {
			uint32_t outer;

			if (open == UINT32_MAX)
				return false;
			outer = name->closes[open];
			name->closes[open] = offset;
			open = outer;
		}
	}
	return open == UINT32_MAX;
}

static const char *
close_of(const struct raw_name *name, const char *open)
{
	return name->start + name->closes[open - name->start];
}

bool
is_made_bracket(const char *at, const char *end)
{
	return end - at > 2 && at[0] == '[' && at[1] == ']' && !strchr("<>[]+,.*& ", at[2]);
}

/* A dot before a compiler-made name separates; other dots are part of names. */
static bool
is_joint_dot(const char *dot, const char *end)
{
	return dot + 1 == end || dot[1] == '<' || is_made_bracket(dot + 1, end);
}

static const char *
name_end(const char *at, const char *end, bool stops_at_dot)
{
	for (; at < end; at++) {
		if (strchr("<>[]+,*& ", *at))
			break;
		if (*at == '.' && (stops_at_dot || is_joint_dot(at, end)))
			break;
	}
	return at;
}

const char *
rank_end(const char *at, const char *end)
{
	char close = *at == '[' ? ']' : '>';

	for (at++; at < end && (*at == ',' || *at == '*'); at++)
		;
	return at < end && *at == close ? at + 1 : NULL;
}

static struct token
token_made(const struct raw_name *name, const char *at, const char *end)
{
	const char *tail = *at == '<' ? close_of(name, at) + 1 : at + 2;

	return (struct token){ TOKEN_MADE, at, name_end(tail, end, true) };
}

struct token
token_next(const struct raw_name *name, struct token last, const char *end)
{
	const char *at = last.end;
	bool begins = last.kind == TOKEN_END || last.kind == TOKEN_JOINT;
	const char *stop;

	if (at == end)
		return (struct token){ TOKEN_END, at, at };
	if (begins && (*at == '<' || is_made_bracket(at, end)))
		return token_made(name, at, end);
	if (*at == '*' || *at == '&')
		return (struct token){ TOKEN_SUFFIX, at, at + 1 };
	if ((*at == '[' || *at == '<') && (stop = rank_end(at, end)))
		return (struct token){ TOKEN_SUFFIX, at, stop };
	if (*at == '<')
		return (struct token){ TOKEN_ARGS, at, close_of(name, at) + 1 };
	if (*at == '+' || (*at == '.' && !begins))
		return (struct token){ TOKEN_JOINT, at, at + 1 };
	stop = name_end(at, end, false);
	if (!begins || stop == at)
		return (struct token){ TOKEN_ODD, at, end };
	return (struct token){ TOKEN_NAME, at, stop };
}

static bool
shape_is_sound(enum token_kind last, enum token_kind next)
{
	switch (next) {
	case TOKEN_NAME:
	case TOKEN_MADE:
		return last == TOKEN_END || last == TOKEN_JOINT;
	case TOKEN_ARGS:
		return last == TOKEN_NAME || last == TOKEN_MADE;
	case TOKEN_JOINT:
		return last == TOKEN_NAME || last == TOKEN_MADE || last == TOKEN_ARGS;
	case TOKEN_SUFFIX:
		return last != TOKEN_END && last != TOKEN_JOINT;
	case TOKEN_END:
	case TOKEN_ODD:
		break;
	}
	return false;
}

bool
type_shape_read(const struct raw_name *name, const char *start, const char *end,
		struct type_shape *shape)
{
	struct token token = { TOKEN_END, start, start };
	enum token_kind last = TOKEN_END;

	*shape = (struct type_shape){ .start = start, .end = end };
	for (;;) {
		token = token_next(name, token, end);
		if (token.kind == TOKEN_END)
			break;
		if (!shape_is_sound(last, token.kind))
			return false;
		if (token.kind == TOKEN_NAME || token.kind == TOKEN_MADE) {
			shape->last = token;
			shape->args = (struct token){ 0 };
			if (last == TOKEN_END)
				shape->first = token;
		} else if (token.kind == TOKEN_ARGS) {
			shape->args = token;
		} else if (token.kind == TOKEN_SUFFIX && !shape->suffixes) {
			shape->suffixes = token.start;
		}
		last = token.kind;
	}
	if (!shape->suffixes)
		shape->suffixes = end;
	return last != TOKEN_END && last != TOKEN_JOINT;
}

const char *
argument_end(const struct raw_name *name, const char *at, const char *end)
{
	while (at < end && *at != ',') {
		if (*at == '<')
			at = close_of(name, at) + 1;
		else if (*at == '[' && rank_end(at, end))
			at = rank_end(at, end);
		else
			at++;
	}
	return at;
}

size_t
arguments_count(const struct raw_name *name, const char *at, const char *end)
{
	size_t count = 1;

	while ((at = argument_end(name, at, end)) < end) {
		at++;
		count++;
	}
	return count;
}

struct made_name
made_name_read(const struct raw_name *name, const char *start, const char *end)
{
	const char *close = *start == '<' ? close_of(name, start) : start + 1;

	return (struct made_name){ start + 1, close, close + 1, end };
}
