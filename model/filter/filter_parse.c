/*
 * Compiles text to postfix with Dijkstra's shunting yard: operators wait on a stack until tighter
 * ones are emitted, so no input causes recursion. Each `and` and `or` emits a jump after its left
 * side, which skips the right side if the left decides.
 */
#include "model/table/column_choice.h"
#include "model/filter/filter_words.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { WORD_MAX = 32 };

/* The order is that of precedence; a bracket waits for its closing one. */
enum waiting_kind { WAITING_BRACKET, WAITING_OR, WAITING_AND, WAITING_NOT };
struct waiting {
	enum waiting_kind kind;
	size_t at;     /* byte offset in the text */
	unsigned jump; /* for `and`, `or`: the jump to be patched */
};

struct parser {
	struct filter *filter;
	const struct listing *listing; /* its rows are not used */
	const char *text;
	size_t at;
	struct waiting waiting[FILTER_DEPTH_MAX];
	unsigned waiting_count;
	struct error *err;
};

static void
skip_blanks(struct parser *p)
{
	p->at = (size_t)(word_skip_blanks(p->text + p->at) - p->text);
}

/* --- errors -------------------------------------------------------------- */

/* Returns the number of the character, counted from 1. */
static size_t
character_at(const char *text, size_t at)
{
	size_t count = 1;

	for (size_t i = 0; i < at && text[i]; i++)
		count += ((unsigned char)text[i] & 0xc0) != 0x80;
	return count;
}

bool
filter_error(const struct filter *f, size_t at, struct error *err, const char *format, ...)
{
	char what[200];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof what, format, args);
	va_end(args);
	return error_set(err, ERROR_USAGE, "at character %zu: %s", character_at(f->text, at), what);
}

/* Returns the word or character at the current place, for errors. */
static const char *
found_at(const struct parser *p, char out[WORD_MAX])
{
	const char *text = p->text + p->at;
	size_t len = word_len(text);

	if (!*text)
		return "nothing";
	if (len == 0)
		len = 1;
	while (((unsigned char)text[len] & 0xc0) == 0x80)
		len++;
	if (len > WORD_MAX - 6)
		snprintf(out, WORD_MAX, "\"%.*s…\"", WORD_MAX - 12, text);
	else
		snprintf(out, WORD_MAX, "\"%.*s\"", (int)len, text);
	return out;
}

static bool
expected(const struct parser *p, const char *what)
{
	char found[WORD_MAX];

	return filter_error(p->filter, p->at, p->err, "found %s, expected %s", found_at(p, found),
			    what);
}

static bool
no_such_column(const struct parser *p)
{
	const char *word = p->text + p->at;
	char ids[140] = "", found[WORD_MAX], meant[COLUMN_SUGGESTION_BYTES];
	size_t len = 0;

	/* List columns of the screen first: there may be no room for all. */
	for (unsigned is_hidden = 0; is_hidden < 2; is_hidden++)
		for (const struct column *c = p->listing->table->columns; c->id; c++)
			if (is_hidden == !!(c->flags & COLUMN_MACHINE) &&
			    len + strlen(c->id) + 2 < sizeof ids)
				len += (size_t)snprintf(ids + len, sizeof ids - len, "%s%s",
							len ? ", " : "", c->id);
	return filter_error(p->filter, p->at, p->err, "%s is not a column of %s%s; it has %s",
			    found_at(p, found), p->listing->name,
			    column_choice_suggest(p->listing->table, word, word_len(word), meant),
			    ids);
}

/* --- values -------------------------------------------------------------- */

/* True if an "and" is missing, as in "5 gen = 2"; moves to the place. */
static bool
misses_junction(struct parser *p, size_t len)
{
	for (size_t i = 1; i < len; i++) {
		const char *at = p->text + p->at + i;
		size_t word = word_len(at);

		if (at[-1] != ' ' || !word || i + word >= len ||
		    column_choice_find(p->listing->table, at, word) < 0 ||
		    !word_is_operator(word_skip_blanks(at + word)))
			continue;
		p->at += i;
		return true;
	}
	return false;
}

/* Takes `len` bytes as a literal, without `skip` bytes (quotes) at each end. */
static bool
take_text(struct parser *p, struct literal *l, size_t len, size_t skip)
{
	l->at = p->at;
	l->text = arena_strndup(&p->filter->arena, p->text + p->at + skip, len - 2 * skip, p->err);
	p->at += len;
	if (!l->text)
		return false;
	literal_read(l);
	return true;
}

static bool
parse_value(struct parser *p, struct literal *l, const char *stop)
{
	const char *text;
	size_t len;

	skip_blanks(p);
	text = p->text + p->at;
	if (*text == '\'' || *text == '"') {
		const char *end = strchr(text + 1, *text);

		if (!end)
			return filter_error(p->filter, p->at, p->err, "this %c is not closed",
					    *text);
		return take_text(p, l, (size_t)(end - text) + 1, 1);
	}
	len = word_value_len(text, stop);
	if (!len)
		return expected(p, "a value");
	if (misses_junction(p, len))
		return expected(p, "\"and\" or \"or\" before the next condition");
	return take_text(p, l, len, 0);
}

/* Takes a regular expression between slashes, in which \/ is a slash. */
static bool
take_regex(struct parser *p, struct literal *l)
{
	size_t len = word_regex_end(p->text + p->at), kept = 0;
	char *text;

	if (!p->text[p->at + len])
		return filter_error(p->filter, p->at, p->err,
				    "this regular expression is not closed; expected another /");
	if (!take_text(p, l, len + 1, 1))
		return false;
	text = arena_strndup(&p->filter->arena, l->text, len - 1, p->err);
	if (!text)
		return false;
	for (size_t i = 0; text[i]; i++)
		if (text[i] != '\\' || text[i + 1] != '/')
			text[kept++] = text[i];
	text[kept] = '\0';
	l->text = text;
	return true;
}

static bool
compile_regex(struct parser *p, struct condition *c)
{
	struct error why;

	error_clear(&why);
	c->pattern = pattern_new(c->low.text, &why);
	if (c->pattern)
		return true;
	if (why.kind != ERROR_USAGE) {
		*p->err = why;
		return false;
	}
	return filter_error(p->filter, c->low.at, p->err, "%s", why.message);
}

static bool
parse_regex(struct parser *p, struct condition *c)
{
	skip_blanks(p);
	if (p->text[p->at] == '/' ? !take_regex(p, &c->low) : !parse_value(p, &c->low, NULL))
		return false;
	return compile_regex(p, c);
}

/* --- conditions ---------------------------------------------------------- */

static bool
parse_range(struct parser *p, struct condition *c)
{
	c->comparison = COMPARE_WITHIN;
	if (!parse_value(p, &c->low, ".."))
		return false;
	skip_blanks(p);
	if (strncmp(p->text + p->at, "..", 2) != 0)
		return expected(p, "\"..\" and the end of the range");
	p->at += 2;
	return parse_value(p, &c->high, NULL);
}

static bool
parse_comparison(struct parser *p, struct condition *c)
{
	const struct filter_operator *o;

	skip_blanks(p);
	if (word_is(p->text + p->at, "in")) {
		p->at += strlen("in");
		return parse_range(p, c);
	}
	o = word_operator(p->text + p->at);
	if (!o)
		return expected(p, "an operator: = != < <= > >= ~ !~ in");
	p->at += strlen(o->sign);
	c->comparison = o->comparison;
	if (o->comparison == COMPARE_MATCHES || o->comparison == COMPARE_MATCHES_NOT)
		return parse_regex(p, c);
	return parse_value(p, &c->low, NULL);
}

static bool
parse_types(struct parser *p, struct condition *c, enum condition_kind kind)
{
	c->kind = kind;
	p->filter->needs |= NEED_OBJECTS;
	if (kind == CONDITION_HELD_BY)
		p->filter->needs |= NEED_REVERSE;
	skip_blanks(p);
	if (p->text[p->at] == '/')
		return parse_regex(p, c);
	if (!p->text[p->at])
		return expected(p, "the name of a type, or a /REGEX/");
	if (!parse_value(p, &c->low, NULL))
		return false;
	/* Elsewhere "" means no type at all. */
	return *c->low.text ||
	       filter_error(p->filter, c->low.at, p->err, "no type has an empty name");
}

static bool
parse_under(struct parser *p, struct condition *c)
{
	c->kind = CONDITION_UNDER;
	p->filter->needs |= NEED_OBJECTS | NEED_RETAINED;
	if (!parse_value(p, &c->low, NULL))
		return false;
	return c->low.has_address ||
	       filter_error(p->filter, c->low.at, p->err,
			    "\"%.40s\" is not an address; expected 7fe01c001d70 or #3",
			    c->low.text);
}

static bool
parse_phrase(struct parser *p, struct condition *c)
{
	const char *text = p->text + p->at;

	if (word_is(text, "under")) {
		p->at += strlen("under");
		return parse_under(p, c);
	}
	if (word_is(text, "holds")) {
		p->at += strlen("holds");
		return parse_types(p, c, CONDITION_HOLDS);
	}
	p->at += strlen("held");
	skip_blanks(p);
	p->at += strlen("by");
	return parse_types(p, c, CONDITION_HELD_BY);
}

static bool
parse_single_word(struct parser *p, struct condition *c)
{
	const struct filter_single_word *w = word_single(p->text + p->at);

	c->kind = w->kind;
	c->comparison = w->comparison;
	p->filter->needs |= w->needs;
	p->at += strlen(w->word);
	return true;
}

static bool
parse_object(struct parser *p, struct condition *c)
{
	c->kind = CONDITION_OBJECT;
	p->filter->needs |= NEED_OBJECTS;
	return take_text(p, &c->low, 1 + strspn(p->text + p->at + 1, "0123456789"), 0);
}

/* Parses a pattern for the name column. */
static bool
parse_name(struct parser *p, struct condition *c)
{
	c->comparison = COMPARE_MATCHES;
	c->column = (int)(table_name_column(p->listing->table) - p->listing->table->columns);
	p->filter->needs |= p->listing->table->columns[c->column].needs;
	return parse_regex(p, c);
}

/* Converts to microseconds: a column named by its title uses the title's unit, milliseconds. */
static void
take_milliseconds(struct literal *l)
{
	if (!l->is_time && l->has_number)
		l->number *= 1000; /* < 2^128 */
	l->is_time = l->has_number;
}

static bool
is_titled_time(const struct column *c, const char *word, size_t len)
{
	size_t id_len = strlen(c->id);

	return id_len > 3 && !strcmp(c->id + id_len - 3, "_us") &&
	       (len != id_len || strncmp(c->id, word, len) != 0);
}

static bool
parse_column(struct parser *p, struct condition *c)
{
	const char *text = p->text + p->at;
	size_t len = word_len(text);
	const struct column *column;
	const char *why_not;

	if (!len)
		return expected(p, "a column or a condition");
	c->column = column_choice_find(p->listing->table, text, len);
	if (c->column < 0)
		return no_such_column(p);
	column = &p->listing->table->columns[c->column];
	why_not = listing_unavailable(p->listing, column);
	if (why_not)
		return filter_error(p->filter, p->at, p->err, "\"%s\" is not available: %s",
				    column->id, why_not);
	p->at += len;
	p->filter->needs |= column->needs;
	if (!parse_comparison(p, c))
		return false;
	if (is_titled_time(column, text, len) && !c->pattern) {
		take_milliseconds(&c->low);
		take_milliseconds(&c->high);
	}
	return true;
}

static bool
parse_condition(struct parser *p)
{
	struct filter *f = p->filter;
	const char *text = p->text + p->at;
	struct condition *c;
	bool ok;

	if (f->conditions_count == FILTER_CONDITIONS_MAX)
		return filter_error(f, p->at, p->err, "more than %d conditions",
				    FILTER_CONDITIONS_MAX);
	c = &f->conditions[f->conditions_count];
	*c = (struct condition){ .column = -1, .at = p->at };
	ok = *text == '/'           ? parse_name(p, c)
	     : word_is_object(text) ? parse_object(p, c)
	     : word_is_phrase(text) ? parse_phrase(p, c)
	     : word_single(text)    ? parse_single_word(p, c)
				    : parse_column(p, c);
	if (!ok) {
		pattern_free(c->pattern);
		return false;
	}
	f->code[f->code_count++] = (struct instruction){ OP_TEST, (uint16_t)f->conditions_count++ };
	return true;
}

/* --- operators ----------------------------------------------------------- */

static struct instruction *
emit(struct filter *f, enum op op)
{
	struct instruction *i = &f->code[f->code_count++];

	*i = (struct instruction){ (uint8_t)op, 0 };
	return i;
}

static bool
push(struct parser *p, enum waiting_kind kind)
{
	struct waiting *w = &p->waiting[p->waiting_count];

	if (p->waiting_count == FILTER_DEPTH_MAX)
		return filter_error(p->filter, p->at, p->err,
				    "more than %d nested brackets and operators", FILTER_DEPTH_MAX);
	p->waiting_count++;
	*w = (struct waiting){ kind, p->at, p->filter->code_count };
	if (kind == WAITING_AND)
		emit(p->filter, OP_SKIP_AND);
	if (kind == WAITING_OR)
		emit(p->filter, OP_SKIP_OR);
	return true;
}

/* Emits all waiting operators that bind at least as tightly as `kind`. */
static void
pop_to(struct parser *p, enum waiting_kind kind)
{
	struct filter *f = p->filter;

	while (p->waiting_count) {
		const struct waiting *w = &p->waiting[p->waiting_count - 1];

		if (w->kind == WAITING_BRACKET || w->kind < kind)
			return;
		p->waiting_count--;
		emit(f, w->kind == WAITING_NOT ? OP_NOT : w->kind == WAITING_AND ? OP_AND : OP_OR);
		if (w->kind != WAITING_NOT)
			f->code[w->jump].operand = (uint16_t)f->code_count;
	}
}

/* Parses one condition with the brackets and "not" before it. */
static bool
parse_operand(struct parser *p)
{
	for (;;) {
		skip_blanks(p);
		if (p->text[p->at] == '(') {
			if (!push(p, WAITING_BRACKET))
				return false;
			p->at++;
		} else if (word_is(p->text + p->at, "not")) {
			if (!push(p, WAITING_NOT))
				return false;
			p->at += strlen("not");
		} else {
			return parse_condition(p);
		}
	}
}

static bool
close_bracket(struct parser *p)
{
	pop_to(p, WAITING_OR);
	if (!p->waiting_count)
		return filter_error(p->filter, p->at, p->err, "this ) has no matching (");
	p->waiting_count--;
	p->at++;
	return true;
}

static bool
at_end(struct parser *p)
{
	pop_to(p, WAITING_OR);
	if (!p->waiting_count)
		return true;
	return filter_error(p->filter, p->waiting[p->waiting_count - 1].at, p->err,
			    "this ( is not closed; expected a )");
}

/* Parses closing brackets, then "and" or "or"; at the end set *is_over. */
static bool
parse_junction(struct parser *p, bool *is_over)
{
	enum waiting_kind kind;

	for (;;) {
		skip_blanks(p);
		if (p->text[p->at] != ')')
			break;
		if (!close_bracket(p))
			return false;
	}
	*is_over = !p->text[p->at];
	if (*is_over)
		return at_end(p);
	if (word_is(p->text + p->at, "and"))
		kind = WAITING_AND;
	else if (word_is(p->text + p->at, "or"))
		kind = WAITING_OR;
	else
		return expected(p, "\"and\", \"or\" or the end");
	pop_to(p, kind);
	if (!push(p, kind))
		return false;
	p->at += word_len(p->text + p->at);
	return true;
}

static bool
parse_expression(struct parser *p)
{
	bool is_over = false;

	while (!is_over)
		if (!parse_operand(p) || !parse_junction(p, &is_over))
			return false;
	return true;
}

/* Compile the whole text as a regular expression; errors name no character. */
static bool
take_pattern(struct parser *p)
{
	struct filter *f = p->filter;
	struct condition *c = &f->conditions[0];

	*c = (struct condition){ .comparison = COMPARE_MATCHES };
	c->low.text = f->text;
	c->column = (int)(table_name_column(p->listing->table) - p->listing->table->columns);
	c->pattern = pattern_new(f->text, p->err);
	if (!c->pattern)
		return false;
	f->is_pattern = true;
	f->conditions_count = 1;
	f->code[f->code_count++] = (struct instruction){ OP_TEST, 0 };
	return true;
}

bool
filter_parse(struct filter *f, const struct listing *l, enum filter_language language,
	     struct error *err)
{
	struct parser p = { f, l, .text = f->text, .err = err };

	f->is_expression = filter_is_expression(l->table, f->text);
	if (language == FILTER_ANY && !f->is_expression)
		return take_pattern(&p);
	return parse_expression(&p);
}
