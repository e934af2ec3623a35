/* What Tab offers in a filter, and what help says of the language. */
#include "tui/filter_code.h"
#include "tui/view.h"
#include <string.h>

/* clang-format off */
const struct filter_form filter_forms[] = {
	{ "size > 85000",           "a column, an operator, a value: = != < <= > >=" },
	{ "type ~ /Session/",       "matches a POSIX extended regular expression; !~: does not" },
	{ "size in 1k..1M",         "from one value to another, both included" },
	{ "address in 7f00..7fff",  "addresses that begin so; as well whole ones, or #3" },
	{ "share > 10%",            "of shares" },
	{ "1.5k 2M 1,024 1 GiB",    "k, M, G, T and KiB, MiB, GiB, TiB alike are powers of 1024" },
	{ "gen = 2, gen = loh",     "loh, poh and frozen are 3, 4 and 5" },
	{ "root = 'static misc'",   "quotes where a value has and, or, ) in it; capitals matter" },
	{ "distance = ''",          "has no value" },
	{ "held by TYPE",           "an object of the type refers to it" },
	{ "holds TYPE",             "it refers to an object of the type; /REGEX/ for several" },
	{ "under 7fe01c001d70",     "would go with this object: it is dominated by it" },
	{ "live, dead",             "some root reaches it, or none; of captures: reachable, unreachable" },
	{ "#3",                     "the object without an address of this number" },
	{ "/Session/",              "its name matches" },
	{ "and, or, not, ( )",      "not binds tightest, then and, then or" },
	{ "Session",                "what begins with no column, no operator: a regular expression for names" },
	{ 0 },
};
/* clang-format on */

enum { VALUE_ROWS = 500, VALUES_MAX = 100, VALUES_BYTES = 8192 };

struct offer {
	const struct view *view;
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
	static const char *const words[] = { "held by", "holds", "under",
					     "live",    "dead",  "not",
					     NULL };

	for (const struct column *c = o->view->ops->columns; c->id; c++)
		o->add(o->to, c->id);
	offer_words(o, words);
}

static void
offer_operators(const struct offer *o)
{
	static const char *const words[] = { "=",  "!=", "<",  "<=", ">",
					     ">=", "~",  "!~", "in", NULL };

	offer_words(o, words);
}

static void
offer_junctions(const struct offer *o)
{
	static const char *const words[] = { "and", "or", NULL };

	offer_words(o, words);
}

static void
offer_types(const struct offer *o)
{
	const struct session *s = o->view->session;

	for (type_id t = 0; t < s->types_count; t++)
		if (s->types[t].count)
			o->add(o->to, session_type_name(s, t));
}

/* Texts offered already, one after the other. */
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

/* What stands in the column now; numbers are not worth it. */
static void
offer_values(const struct offer *o, int column)
{
	const struct view *v = o->view;
	struct offered offered = { .len = 0 };
	struct value value;
	struct row row;

	for (size_t i = 0; i < v->rows_count && i < VALUE_ROWS; i++) {
		v->ops->row(v, i, &row);
		view_cell(v, &v->ops->columns[column], &row, &value);
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
filter_complete(const struct view *v, const char *text,
		void (*add)(void *to, const char *word), void *to)
{
	const struct offer o = { v, add, to };
	struct filter_place place;

	if (strlen(text) > FILTER_TEXT_MAX)
		return;
	place = filter_place_of(v->ops, text);
	switch (place.kind) {
	case PLACE_CONDITION:
		offer_conditions(&o);
		break;
	case PLACE_OPERATOR:
		offer_operators(&o);
		break;
	case PLACE_VALUE:
		offer_values(&o, place.column);
		offer_junctions(&o);
		break;
	case PLACE_TYPE:
		offer_types(&o);
		offer_junctions(&o);
		break;
	case PLACE_NOWHERE:
		break;
	}
}
