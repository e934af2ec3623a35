/*
 * From text to postfix: operators wait on a stack until what binds tighter is
 * out (Dijkstra's shunting yard), so that no input makes us recurse. Each `and`
 * and `or` puts a jump behind its left side: what that decides needs no more.
 */
#include "tui/filter_code.h"
#include "tui/views.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { WORD_MAX = 32 };

/* In the order of how tightly they bind; a bracket waits for its other half. */
enum waiting_kind { WAITING_BRACKET, WAITING_OR, WAITING_AND, WAITING_NOT };
struct waiting {
	enum waiting_kind kind;
	size_t at;     /* in the text */
	unsigned jump; /* of `and`, `or`: the instruction to be given a place */
};

struct parser {
	struct filter *filter;
	const struct view_ops *ops;
	const struct heap *heap; /* NULL: none yet */
	const char *text;
	size_t at;
	struct waiting waiting[FILTER_DEPTH_MAX];
	unsigned waiting_count;
	struct error *err;
};

/* clang-format off */
static const struct operator {
	const char *sign;
	enum comparison comparison;
} operators[] = { /* the longer of two that begin alike first */
	{ "!=", COMPARE_IS_NOT },   { "!~", COMPARE_MATCHES_NOT },
	{ "<=", COMPARE_AT_MOST },  { ">=", COMPARE_AT_LEAST },
	{ "<",  COMPARE_BELOW },    { ">",  COMPARE_ABOVE },
	{ "=",  COMPARE_IS },       { "~",  COMPARE_MATCHES },
};
/* clang-format on */

/* --- characters and words ------------------------------------------------ */

static bool
is_word_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_';
}

static size_t
word_len(const char *text)
{
	size_t len = 0;

	while (is_word_char(text[len]))
		len++;
	return len;
}

static const char *
skip_blanks(const char *text)
{
	return text + strspn(text, " \t");
}

/* True if `text` begins with this word, and not with a longer one. */
static bool
begins_with_word(const char *text, const char *word)
{
	size_t len = strlen(word);

	return word_len(text) == len && !strncmp(text, word, len);
}

static const struct operator* operator_at(const char *text)
{
	for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++)
		if (!strncmp(text, operators[i].sign,
			     strlen(operators[i].sign)))
			return &operators[i];
	return NULL;
}

/* "and" or "or", and then what cannot go on in a name. */
static bool
is_junction(const char *text)
{
	return begins_with_word(text, "and") || begins_with_word(text, "or")
		   ? strchr(" \t(", text[word_len(text)]) != NULL
		   : false;
}

/* --- is it an expression? ------------------------------------------------ */

static int
find_column(const struct view_ops *ops, const char *word, size_t len)
{
	for (int i = 0; ops->columns[i].id; i++)
		if (strlen(ops->columns[i].id) == len &&
		    !strncmp(ops->columns[i].id, word, len))
			return i;
	return -1;
}

static bool
is_column_of_any(const char *word, size_t len)
{
	for (const struct view_ops *const *v = all_views; *v; v++)
		if (find_column(*v, word, len) >= 0)
			return true;
	return false;
}

/* Names have < as well: "list<int>" is one, "list < 3" and "in<100" are not. */
static bool
is_operator_for_sure(const char *text)
{
	const struct operator* o = operator_at(text);
	char next;

	if (!o)
		return begins_with_word(text, "in") && strstr(text, "..");
	next = text[strlen(o->sign)];
	return o->sign[0] != '<' || !next || strchr(" \t=0123456789#", next);
}

/* A word that is no column, with an operator that stands alone. */
static bool
is_odd_condition(const char *text, size_t len)
{
	const char *at = skip_blanks(text + len);
	const struct operator* o = operator_at(at);

	return len && o && at > text + len &&
	       strchr(" \t", at[strlen(o->sign)]);
}

/* "held by T", "holds T", "under A". */
static bool
is_phrase(const char *text)
{
	if (begins_with_word(text, "held")) {
		text = skip_blanks(text + strlen("held"));
		return begins_with_word(text, "by");
	}
	return (begins_with_word(text, "holds") ||
		begins_with_word(text, "under")) &&
	       *skip_blanks(text + word_len(text));
}

/* In lists of objects; of captures the other two are better words. */
static const struct {
	const char *word;
	enum comparison comparison; /* with what lives */
} live_words[] = {
	{ "live", COMPARE_IS },
	{ "dead", COMPARE_IS_NOT },
	{ "reachable", COMPARE_IS },
	{ "unreachable", COMPARE_IS_NOT },
};

/* Its index, of a condition that is no more than this word; or -1. */
static int
live_word(const char *text)
{
	const char *behind = skip_blanks(text + word_len(text));

	if (*behind && *behind != ')' && !is_junction(behind))
		return -1;
	for (int i = 0; i < (int)(sizeof live_words / sizeof *live_words); i++)
		if (begins_with_word(text, live_words[i].word))
			return i;
	return -1;
}

/* "#3" */
static bool
is_object_number(const char *text)
{
	size_t digits = *text == '#' ? strspn(text + 1, "0123456789") : 0;

	return digits && strchr(" \t)", text[1 + digits]);
}

/* Where the other slash is; the end of the text if there is none. */
static size_t
regex_end(const char *text)
{
	size_t at = 1;

	while (text[at] && text[at] != '/')
		at += text[at] == '\\' && text[at + 1] ? 2 : 1;
	return at;
}

static bool
is_regex(const char *text)
{
	const char *end;

	if (*text != '/')
		return false;
	end = text + regex_end(text);
	if (!*end)
		return false;
	end = skip_blanks(end + 1);
	return !*end || *end == ')' || is_junction(end);
}

static bool
is_condition(const char *text)
{
	size_t len = word_len(text);

	return is_phrase(text) || live_word(text) >= 0 ||
	       is_object_number(text) || is_regex(text) ||
	       (is_column_of_any(text, len) &&
		is_operator_for_sure(skip_blanks(text + len))) ||
	       is_odd_condition(text, len);
}

/* Where rows are no objects such a word is part of a name. */
static bool
is_live_word_alone(const char *text)
{
	text = skip_blanks(text);
	return live_word(text) >= 0 && !*skip_blanks(text + word_len(text));
}

/* After brackets and "not". */
static bool
begins_condition(const char *text)
{
	for (;;) {
		text = skip_blanks(text);
		if (*text == '(')
			text++;
		else if (begins_with_word(text, "not"))
			text += strlen("not");
		else
			return is_condition(text);
	}
}

/*
 * A name has " and " or an operator between blanks in it so rarely that whoever
 * types that means an expression, and is told what is wrong with it.
 */
bool
filter_is_expression(const char *text)
{
	if (begins_condition(text))
		return true;
	for (const char *at = text; *at; at++)
		if (*at == ' ' && is_junction(at + 1) &&
		    begins_condition(at + 1 + word_len(at + 1)))
			return true;
	return false;
}

/* --- errors -------------------------------------------------------------- */

/* Characters, as people count them: from 1. */
static size_t
character_at(const char *text, size_t at)
{
	size_t count = 1;

	for (size_t i = 0; i < at && text[i]; i++)
		count += ((unsigned char)text[i] & 0xc0) != 0x80;
	return count;
}

bool
filter_error(const struct filter *f, size_t at, struct error *err,
	     const char *format, ...)
{
	char what[200];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof what, format, args);
	va_end(args);
	return error_set(err, ERROR_USAGE, "at character %zu: %s",
			 character_at(f->text, at), what);
}

/* What stands there, for errors: a word or a character. */
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

	return filter_error(p->filter, p->at, p->err, "found %s, expected %s",
			    found_at(p, found), what);
}

static bool
no_such_column(const struct parser *p)
{
	char ids[140] = "", found[WORD_MAX];
	size_t len = 0;

	for (const struct column *c = p->ops->columns; c->id; c++)
		if (len < sizeof ids)
			len += (size_t)snprintf(ids + len, sizeof ids - len,
						"%s%s", len ? ", " : "", c->id);
	return filter_error(p->filter, p->at, p->err,
			    "%s is no column of %s; it has %s",
			    found_at(p, found), p->ops->command.name, ids);
}

/* --- values -------------------------------------------------------------- */

/*
 * Without quotes a value goes on to "and", "or", the closing bracket or `stop`:
 * names of types have blanks and brackets of their own.
 */
static size_t
bare_len(const char *text, const char *stop)
{
	size_t at = 0, end;
	unsigned depth = 0;

	for (; text[at]; at++) {
		if (text[at] == ')' && depth-- == 0)
			break;
		if (stop && !strncmp(text + at, stop, strlen(stop)))
			break;
		depth += text[at] == '(';
		if (at && text[at - 1] == ' ' && is_junction(text + at))
			break;
	}
	for (end = at; end && strchr(" \t", text[end - 1]);)
		end--;
	return end;
}

/* "5 gen = 2": somebody forgot an "and". */
static bool
lacks_junction(struct parser *p, size_t len)
{
	for (size_t i = 1; i < len; i++) {
		const char *at = p->text + p->at + i;
		size_t word = word_len(at);

		if (at[-1] != ' ' || !word || i + word >= len ||
		    find_column(p->ops, at, word) < 0 ||
		    !is_operator_for_sure(skip_blanks(at + word)))
			continue;
		p->at += i;
		return true;
	}
	return false;
}

/* From `from`, without the first `skip` and the last `skip` bytes. */
static bool
take_text(struct parser *p, struct literal *l, size_t len, size_t skip)
{
	l->at = p->at;
	l->text = arena_strndup(&p->filter->arena, p->text + p->at + skip,
				len - 2 * skip, p->err);
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

	p->at += strspn(p->text + p->at, " \t");
	text = p->text + p->at;
	if (*text == '\'' || *text == '"') {
		const char *end = strchr(text + 1, *text);

		if (!end)
			return filter_error(p->filter, p->at, p->err,
					    "this %c has no end", *text);
		return take_text(p, l, (size_t)(end - text) + 1, 1);
	}
	len = bare_len(text, stop);
	if (!len)
		return expected(p, "a value");
	if (lacks_junction(p, len))
		return expected(p, "\"and\" or \"or\" before the next one");
	return take_text(p, l, len, 0);
}

/* In a regular expression between slashes \/ is a slash. */
static bool
take_regex(struct parser *p, struct literal *l)
{
	size_t len = regex_end(p->text + p->at), kept = 0;
	char *text;

	if (!p->text[p->at + len])
		return filter_error(p->filter, p->at, p->err,
				    "this regular expression has no end, "
				    "expected another /");
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
	p->at += strspn(p->text + p->at, " \t");
	if (p->text[p->at] == '/' ? !take_regex(p, &c->low)
				  : !parse_value(p, &c->low, NULL))
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
	p->at += strspn(p->text + p->at, " \t");
	if (strncmp(p->text + p->at, "..", 2) != 0)
		return expected(p, "\"..\" and the end of the range");
	p->at += 2;
	return parse_value(p, &c->high, NULL);
}

static bool
parse_comparison(struct parser *p, struct condition *c)
{
	const struct operator* o;

	p->at += strspn(p->text + p->at, " \t");
	if (begins_with_word(p->text + p->at, "in")) {
		p->at += strlen("in");
		return parse_range(p, c);
	}
	o = operator_at(p->text + p->at);
	if (!o)
		return expected(p, "an operator: = != < <= > >= ~ !~ in");
	p->at += strlen(o->sign);
	c->comparison = o->comparison;
	if (o->comparison == COMPARE_MATCHES ||
	    o->comparison == COMPARE_MATCHES_NOT)
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
	p->at += strspn(p->text + p->at, " \t");
	if (p->text[p->at] == '/')
		return parse_regex(p, c);
	if (!p->text[p->at])
		return expected(p, "the name of a type, or a /REGEX/");
	if (!parse_value(p, &c->low, NULL))
		return false;
	/* "" elsewhere means no type at all. */
	return *c->low.text || filter_error(p->filter, c->low.at, p->err,
					    "no type has an empty name");
}

static bool
parse_under(struct parser *p, struct condition *c)
{
	c->kind = CONDITION_UNDER;
	p->filter->needs |= NEED_OBJECTS | NEED_HOLDINGS;
	if (!parse_value(p, &c->low, NULL))
		return false;
	return c->low.has_address ||
	       filter_error(p->filter, c->low.at, p->err,
			    "\"%.40s\" is no address; expected 7fe01c001d70 or "
			    "#3",
			    c->low.text);
}

static bool
parse_phrase(struct parser *p, struct condition *c)
{
	const char *text = p->text + p->at;

	if (begins_with_word(text, "under")) {
		p->at += strlen("under");
		return parse_under(p, c);
	}
	if (begins_with_word(text, "holds")) {
		p->at += strlen("holds");
		return parse_types(p, c, CONDITION_HOLDS);
	}
	p->at += strlen("held");
	p->at += strspn(p->text + p->at, " \t") + strlen("by");
	return parse_types(p, c, CONDITION_HELD_BY);
}

static bool
parse_live(struct parser *p, struct condition *c)
{
	int word = live_word(p->text + p->at);

	c->kind = CONDITION_LIVE;
	c->comparison = live_words[word].comparison;
	p->filter->needs |= NEED_OBJECTS | NEED_REACH;
	p->at += strlen(live_words[word].word);
	return true;
}

static bool
parse_object(struct parser *p, struct condition *c)
{
	c->kind = CONDITION_OBJECT;
	p->filter->needs |= NEED_OBJECTS;
	return take_text(p, &c->low,
			 1 + strspn(p->text + p->at + 1, "0123456789"), 0);
}

/* A name: of the column that names a row. */
static bool
parse_name(struct parser *p, struct condition *c)
{
	c->comparison = COMPARE_MATCHES;
	c->column = (int)(view_name_column(p->ops) - p->ops->columns);
	p->filter->needs |= p->ops->columns[c->column].needs;
	return parse_regex(p, c);
}

static bool
parse_column(struct parser *p, struct condition *c)
{
	const char *text = p->text + p->at;
	size_t len = word_len(text);
	const struct column *column;

	if (!len)
		return expected(p, "a column or a condition");
	c->column = find_column(p->ops, text, len);
	if (c->column < 0)
		return no_such_column(p);
	column = &p->ops->columns[c->column];
	if (column->flags & COLUMN_RANGES && p->heap && p->heap->has_objects &&
	    !p->heap->generation_counts)
		return filter_error(p->filter, p->at, p->err,
				    "\"%s\" is not known: this dump does not "
				    "say in which generation an object is",
				    column->id);
	p->at += len;
	p->filter->needs |= column->needs;
	return parse_comparison(p, c);
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
	ok = *text == '/'             ? parse_name(p, c)
	     : is_object_number(text) ? parse_object(p, c)
	     : is_phrase(text)        ? parse_phrase(p, c)
	     : live_word(text) >= 0   ? parse_live(p, c)
				      : parse_column(p, c);
	if (!ok) {
		pattern_free(c->pattern);
		return false;
	}
	f->code[f->code_count++] =
	    (struct instruction){ OP_TEST, (uint16_t)f->conditions_count++ };
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
				    "more than %d brackets and operators in "
				    "one another",
				    FILTER_DEPTH_MAX);
	p->waiting_count++;
	*w = (struct waiting){ kind, p->at, p->filter->code_count };
	if (kind == WAITING_AND)
		emit(p->filter, OP_SKIP_AND);
	if (kind == WAITING_OR)
		emit(p->filter, OP_SKIP_OR);
	return true;
}

/* Out with all that bind at least as tightly as `kind`. */
static void
pop_to(struct parser *p, enum waiting_kind kind)
{
	struct filter *f = p->filter;

	while (p->waiting_count) {
		const struct waiting *w = &p->waiting[p->waiting_count - 1];

		if (w->kind == WAITING_BRACKET || w->kind < kind)
			return;
		p->waiting_count--;
		emit(f, w->kind == WAITING_NOT   ? OP_NOT
			: w->kind == WAITING_AND ? OP_AND
						 : OP_OR);
		if (w->kind != WAITING_NOT)
			f->code[w->jump].operand = (uint16_t)f->code_count;
	}
}

/* One condition, with the brackets and the "not" before it. */
static bool
parse_operand(struct parser *p)
{
	for (;;) {
		p->at += strspn(p->text + p->at, " \t");
		if (p->text[p->at] == '(') {
			if (!push(p, WAITING_BRACKET))
				return false;
			p->at++;
		} else if (begins_with_word(p->text + p->at, "not")) {
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
		return filter_error(p->filter, p->at, p->err,
				    "this ) closes nothing");
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
	return filter_error(p->filter, p->waiting[p->waiting_count - 1].at,
			    p->err, "this ( has no end, expected a )");
}

/* Closing brackets, then "and" or "or", or the end: then *is_over. */
static bool
parse_junction(struct parser *p, bool *is_over)
{
	enum waiting_kind kind;

	for (;;) {
		p->at += strspn(p->text + p->at, " \t");
		if (p->text[p->at] != ')')
			break;
		if (!close_bracket(p))
			return false;
	}
	*is_over = !p->text[p->at];
	if (*is_over)
		return at_end(p);
	if (begins_with_word(p->text + p->at, "and"))
		kind = WAITING_AND;
	else if (begins_with_word(p->text + p->at, "or"))
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

/* All of the text is a regular expression; errors are those of old. */
static bool
take_pattern(struct parser *p)
{
	struct filter *f = p->filter;
	struct condition *c = &f->conditions[0];

	*c = (struct condition){ .comparison = COMPARE_MATCHES };
	c->low.text = f->text;
	c->column = (int)(view_name_column(p->ops) - p->ops->columns);
	c->pattern = pattern_new(f->text, p->err);
	if (!c->pattern)
		return false;
	f->is_pattern = true;
	f->conditions_count = 1;
	f->code[f->code_count++] = (struct instruction){ OP_TEST, 0 };
	return true;
}

bool
filter_parse(struct filter *f, const struct view_ops *ops,
	     const struct heap *heap, enum filter_language language,
	     struct error *err)
{
	struct parser p = { f, ops, heap, .text = f->text, .err = err };

	if (language == FILTER_ANY &&
	    (!filter_is_expression(f->text) ||
	     (!ops->heap_columns && is_live_word_alone(f->text))))
		return take_pattern(&p);
	return parse_expression(&p);
}

/* --- for completion ------------------------------------------------------ */

/* Past a value and all that closes behind it; the end if it goes on. */
static const char *
skip_value(const char *text)
{
	const char *end = NULL;

	text = skip_blanks(text);
	if (*text == '\'' || *text == '"')
		end = strchr(text + 1, *text);
	else if (*text == '/' && text[regex_end(text)])
		end = text + regex_end(text);
	text = end ? end + 1 : text + bare_len(text, NULL);
	while (*text == ')' || *text == ' ' || *text == '\t')
		text++;
	return text;
}

/* One condition: where it ends, or what is missing at the end of the text. */
static const char *
skip_condition(const struct view_ops *ops, const char *text,
	       struct filter_place *place)
{
	const struct operator* o;
	size_t len = word_len(text);

	if (*text == '/' || *text == '#') {
		place->kind = PLACE_NOWHERE;
		return skip_value(text);
	}
	place->kind = PLACE_CONDITION;
	if (!text[len])
		return text + len;
	if (live_word(text) >= 0)
		return skip_blanks(text + len);
	if (is_phrase(text) || begins_with_word(text, "holds")) {
		place->kind = PLACE_TYPE;
		if (begins_with_word(text, "held"))
			text = skip_blanks(text + len);
		return skip_value(text + word_len(text));
	}
	place->column = find_column(ops, text, len);
	place->kind = place->column < 0 ? PLACE_NOWHERE : PLACE_OPERATOR;
	text = skip_blanks(text + len);
	o = operator_at(text);
	len = o ? strlen(o->sign) : begins_with_word(text, "in") ? 2 : 0;
	if (!len || !text[len])
		return text + strlen(text);
	if (place->kind == PLACE_OPERATOR)
		place->kind = PLACE_VALUE;
	return skip_value(text + len);
}

struct filter_place
filter_place_of(const struct view_ops *ops, const char *text)
{
	struct filter_place place = { PLACE_CONDITION, -1 };

	for (;;) {
		place.kind = PLACE_CONDITION;
		text = skip_blanks(text);
		while (*text == '(' ||
		       (begins_with_word(text, "not") && text[strlen("not")]))
			text = skip_blanks(text +
					   (*text == '(' ? 1 : strlen("not")));
		if (!*text)
			return place;
		text = skip_condition(ops, text, &place);
		if (!*text || !is_junction(text) || !text[word_len(text)])
			return place;
		text += word_len(text);
	}
}
