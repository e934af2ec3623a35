#include "model/filter/filter_words.h"
#include "model/table/column_choice.h"
#include "model/tables/tables.h"
#include <string.h>

/* Operators that are prefixes of others come later. */
/* clang-format off */
static const struct filter_operator operators[] = {
	{ "!=", COMPARE_IS_NOT },   { "!~", COMPARE_MATCHES_NOT },
	{ "<=", COMPARE_AT_MOST },  { ">=", COMPARE_AT_LEAST },
	{ "<",  COMPARE_BELOW },    { ">",  COMPARE_ABOVE },
	{ "=",  COMPARE_IS },       { "~",  COMPARE_MATCHES },
};
/* clang-format on */

static bool
is_word_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

size_t
word_len(const char *text)
{
	size_t len = 0;

	while (is_word_char(text[len]))
		len++;
	return len;
}

const char *
word_skip_blanks(const char *text)
{
	return text + strspn(text, " \t");
}

bool
word_is(const char *text, const char *word)
{
	size_t len = strlen(word);

	return word_len(text) == len && !strncmp(text, word, len);
}

const struct filter_operator *
word_operator(const char *text)
{
	for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++)
		if (!strncmp(text, operators[i].sign, strlen(operators[i].sign)))
			return &operators[i];
	return NULL;
}

bool
word_is_junction(const char *text)
{
	return (word_is(text, "and") || word_is(text, "or")) &&
	       strchr(" \t(", text[word_len(text)]);
}

/* Names contain < as well: "list<int>" is a name, "list < 3" and "in<100" are conditions. */
bool
word_is_operator(const char *text)
{
	const struct filter_operator *o = word_operator(text);
	char next;

	if (!o)
		return word_is(text, "in") && strstr(text, "..");
	next = text[strlen(o->sign)];
	return o->sign[0] != '<' || !next || strchr(" \t=0123456789#", next);
}

bool
word_is_phrase(const char *text)
{
	if (word_is(text, "held")) {
		text = word_skip_blanks(text + strlen("held"));
		return word_is(text, "by");
	}
	return (word_is(text, "holds") || word_is(text, "under")) &&
	       *word_skip_blanks(text + word_len(text));
}

enum { LIVE_NEEDS = NEED_OBJECTS | NEED_REACH };
static const struct filter_single_word single_words[] = {
	{ "live", CONDITION_LIVE, COMPARE_IS, LIVE_NEEDS },
	{ "dead", CONDITION_LIVE, COMPARE_IS_NOT, LIVE_NEEDS },
	{ "reachable", CONDITION_LIVE, COMPARE_IS, LIVE_NEEDS },
	{ "unreachable", CONDITION_LIVE, COMPARE_IS_NOT, LIVE_NEEDS },
	{ "mine", CONDITION_MINE, COMPARE_IS, 0 },
	{ "new", CONDITION_NEW, COMPARE_IS, NEED_OBJECTS },
	{ "gone", CONDITION_GONE, COMPARE_IS, NEED_OBJECTS },
	{ "survived", CONDITION_SURVIVED, COMPARE_IS, NEED_OBJECTS },
};

const struct filter_single_word *
word_single(const char *text)
{
	const char *behind = word_skip_blanks(text + word_len(text));

	if (*behind && *behind != ')' && !word_is_junction(behind))
		return NULL;
	for (size_t i = 0; i < sizeof single_words / sizeof single_words[0]; i++)
		if (word_is(text, single_words[i].word))
			return &single_words[i];
	return NULL;
}

bool
word_is_object(const char *text)
{
	size_t digits = *text == '#' ? strspn(text + 1, "0123456789") : 0;

	return digits && strchr(" \t)", text[1 + digits]);
}

size_t
word_regex_end(const char *text)
{
	size_t at = 1;

	while (text[at] && text[at] != '/')
		at += text[at] == '\\' && text[at + 1] ? 2 : 1;
	return at;
}

size_t
word_value_len(const char *text, const char *stop)
{
	size_t at = 0, end;
	unsigned depth = 0;

	for (; text[at]; at++) {
		if (text[at] == ')' && depth-- == 0)
			break;
		if (stop && !strncmp(text + at, stop, strlen(stop)))
			break;
		depth += text[at] == '(';
		if (at && text[at - 1] == ' ' && word_is_junction(text + at))
			break;
	}
	for (end = at; end && strchr(" \t", text[end - 1]);)
		end--;
	return end;
}

/* --- is it an expression? ------------------------------------------------ */

static bool
is_column_of_any(const struct table *own, const char *word, size_t len)
{
	if (column_choice_find(own, word, len) >= 0)
		return true;
	for (const struct table *const *t = all_tables; *t; t++)
		if (column_choice_find(*t, word, len) >= 0)
			return true;
	return false;
}

/* True for a word that is not a column, followed by an operator between
   blanks. */
static bool
is_odd_condition(const char *text, size_t len)
{
	const char *at = word_skip_blanks(text + len);
	const struct filter_operator *o = word_operator(at);

	return len && o && at > text + len && strchr(" \t", at[strlen(o->sign)]);
}

static bool
is_regex(const char *text)
{
	const char *end;

	if (*text != '/')
		return false;
	end = text + word_regex_end(text);
	if (!*end)
		return false;
	end = word_skip_blanks(end + 1);
	return !*end || *end == ')' || word_is_junction(end);
}

static bool
is_condition(const struct table *own, const char *text)
{
	size_t len = word_len(text);

	return word_is_phrase(text) || word_single(text) || word_is_object(text) ||
	       is_regex(text) ||
	       (is_column_of_any(own, text, len) &&
		word_is_operator(word_skip_blanks(text + len))) ||
	       is_odd_condition(text, len);
}

/* True if a condition follows any opening brackets and "not". */
static bool
begins_condition(const struct table *own, const char *text)
{
	for (;;) {
		text = word_skip_blanks(text);
		if (*text == '(')
			text++;
		else if (word_is(text, "not"))
			text += strlen("not");
		else
			return is_condition(own, text);
	}
}

/*
 * Names almost never contain " and " or an operator between blanks, so such a text is an
 * expression, and if it is wrong its error is more useful than a pattern without matches.
 */
bool
filter_is_expression(const struct table *own, const char *text)
{
	if (begins_condition(own, text))
		return true;
	for (const char *at = text; *at; at++)
		if (*at == ' ' && word_is_junction(at + 1) &&
		    begins_condition(own, at + 1 + word_len(at + 1)))
			return true;
	return false;
}
