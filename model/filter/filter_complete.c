/* Completion of filters, and the help text of their language. */
#include "model/table/column_choice.h"
#include "model/filter/filter_words.h"
#include <string.h>

/* clang-format off */
const struct filter_form filter_forms[] = {
	{ "size > 85000",           "a column, an operator, a value: = != < <= > >=" },
	{ "type ~ /Session/",       "matches a POSIX extended regular expression; !~: does not" },
	{ "size in 1k..1M",         "from one value to another, both included" },
	{ "address in 7f00..7fff",  "addresses with these prefixes; also whole ones, or #3" },
	{ "share > 10%",            "a share" },
	{ "pause > 2ms",            "a time: us, ms, s; without a unit, that of the title: Pause ms, pause_us" },
	{ "1.5k 2M 1,024 1 GiB",    "k, M, G, T and KiB, MiB, GiB, TiB alike are powers of 1024" },
	{ "gen = 2, gen = loh",     "loh, poh and frozen are 3, 4 and 5" },
	{ "root = 'static misc'",   "quotes around a value with \"and\", \"or\" or )" },
	{ "distance = ''",          "rows without a value" },
	{ "held by TYPE",           "an object of the type refers to it" },
	{ "holds TYPE",             "it refers to an object of the type; /REGEX/ for several" },
	{ "under 7fe01c001d70",     "would be freed with this object, which dominates it" },
	{ "live, dead",             "a root reaches it, or none does; in captures: reachable, unreachable" },
	{ "mine",                   "its type is the application's, or an array of such: see :set mymodules" },
	{ "new, gone, survived",    "since the other capture of the process, after diff has compared them" },
	{ "#3",                     "object number 3 of a dump without addresses" },
	{ "/Session/",              "its name matches" },
	{ "/byte[]/, /int[,]/",     "[] and [,] of arrays are literal; \\[ is any other [" },
	{ "and, or, not, ( )",      "not binds tightest, then and, then or" },
	{ "Session",                "any other text: a regular expression for names" },
	{ 0 },
};
/* clang-format on */

/* --- where the text ends -------------------------------------------------- */

/* The kinds of words that can follow a text. */
enum place_kind {
	PLACE_CONDITION, /* a column or another start of a condition */
	PLACE_OPERATOR,
	PLACE_VALUE, /* a value of `column`, then "and", "or" */
	PLACE_TYPE,
	PLACE_NOWHERE, /* the text so far is not an expression */
};
struct place {
	enum place_kind kind;
	int column;
};

/* Skips a value and the brackets that close after it; an unfinished value extends to the end. */
static const char *
skip_value(const char *text)
{
	const char *end = NULL;

	text = word_skip_blanks(text);
	if (*text == '\'' || *text == '"')
		end = strchr(text + 1, *text);
	else if (*text == '/' && text[word_regex_end(text)])
		end = text + word_regex_end(text);
	text = end ? end + 1 : text + word_value_len(text, NULL);
	while (*text == ')' || *text == ' ' || *text == '\t')
		text++;
	return text;
}

/* Skips one condition; `place` is set to what can follow at the end of the
   text. */
static const char *
skip_condition(const struct table *t, const char *text, struct place *place)
{
	const struct filter_operator *o;
	size_t len = word_len(text);

	if (*text == '/' || *text == '#') {
		place->kind = PLACE_NOWHERE;
		return skip_value(text);
	}
	place->kind = PLACE_CONDITION;
	if (!text[len])
		return text + len;
	if (word_single(text))
		return word_skip_blanks(text + len);
	if (word_is_phrase(text) || word_is(text, "holds")) {
		place->kind = PLACE_TYPE;
		if (word_is(text, "held"))
			text = word_skip_blanks(text + len);
		return skip_value(text + word_len(text));
	}
	place->column = column_choice_find(t, text, len);
	place->kind = place->column < 0 ? PLACE_NOWHERE : PLACE_OPERATOR;
	text = word_skip_blanks(text + len);
	o = word_operator(text);
	len = o ? strlen(o->sign) : word_is(text, "in") ? 2 : 0;
	if (!len || !text[len])
		return text + strlen(text);
	if (place->kind == PLACE_OPERATOR)
		place->kind = PLACE_VALUE;
	return skip_value(text + len);
}

static struct place
place_of(const struct table *t, const char *text)
{
	struct place place = { PLACE_CONDITION, -1 };

	for (;;) {
		place.kind = PLACE_CONDITION;
		text = word_skip_blanks(text);
		while (*text == '(' || (word_is(text, "not") && text[strlen("not")]))
			text = word_skip_blanks(text + (*text == '(' ? 1 : strlen("not")));
		if (!*text)
			return place;
		text = skip_condition(t, text, &place);
		if (!*text || !word_is_junction(text) || !text[word_len(text)])
			return place;
		text += word_len(text);
	}
}

/* --- what may stand there ------------------------------------------------- */

enum { VALUE_ROWS = 500, VALUES_MAX = 100, VALUES_BYTES = 8192 };

struct offer {
	const struct listing *listing;
	void (*add)(void *to, const char *word);
	void *to;
};

static void
offer_words(const struct offer *o, const char *const *words)
{
	for (; *words; words++)
		o->add(o->to, *words);
}

static void
offer_conditions(const struct offer *o)
{
	static const char *const words[] = { "held by", "holds", "under",    "live", "dead", "mine",
					     "new",     "gone",  "survived", "not",  NULL };

	for (const struct column *c = o->listing->table->columns; c->id; c++)
		o->add(o->to, c->id);
	offer_words(o, words);
}

static const char *const operators[] = { "=", "!=", "<", "<=", ">", ">=", "~", "!~", "in", NULL };
static const char *const junctions[] = { "and", "or", NULL };

static void
offer_types(const struct offer *o)
{
	const struct facts *f = &o->listing->facts;

	for (type_id t = 0; t < f->types_count; t++)
		if (f->types[t].count)
			o->add(o->to, facts_type_name(f, t));
}

/* The texts offered already, one after the other. */
struct offered {
	char bytes[VALUES_BYTES];
	size_t len;
	unsigned count;
};

static bool
is_new(struct offered *o, const char *text)
{
	size_t size = strlen(text) + 1;

	for (size_t at = 0; at < o->len; at += strlen(o->bytes + at) + 1)
		if (!strcmp(o->bytes + at, text))
			return false;
	if (o->count == VALUES_MAX || size > sizeof o->bytes - o->len)
		return false;
	memcpy(o->bytes + o->len, text, size);
	o->len += size;
	o->count++;
	return true;
}

/* Offer the texts in the column; numbers are not offered. */
static void
offer_values(const struct offer *o, int column)
{
	const struct listing *l = o->listing;
	struct offered offered = { .len = 0 };
	struct value value;
	struct row row;

	for (size_t i = 0; i < l->count && i < VALUE_ROWS; i++) {
		listing_row(l, i, &row);
		listing_cell(l, &l->table->columns[column], &row, &value);
		if (value.kind != VALUE_TEXT)
			continue;
		if (value.type) {
			offer_types(o);
			return;
		}
		if (*value.text && is_new(&offered, value.text))
			o->add(o->to, value.text);
	}
}

void
filter_complete(const struct listing *l, const char *text, void (*add)(void *to, const char *word),
		void *to)
{
	const struct offer o = { l, add, to };
	struct place place;

	if (strlen(text) > FILTER_TEXT_MAX)
		return;
	place = place_of(l->table, text);
	switch (place.kind) {
	case PLACE_CONDITION:
		offer_conditions(&o);
		break;
	case PLACE_OPERATOR:
		offer_words(&o, operators);
		break;
	case PLACE_VALUE:
		offer_values(&o, place.column);
		offer_words(&o, junctions);
		break;
	case PLACE_TYPE:
		offer_types(&o);
		offer_words(&o, junctions);
		break;
	case PLACE_NOWHERE:
		break;
	}
}
