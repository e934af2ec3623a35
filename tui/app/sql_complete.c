#include "tui/app/sql_complete.h"
#include "model/sql/schema.h"
#include "model/base/nearest.h"
#include "tui/base/queries.h"
#include <string.h>

enum { ARENA_LIMIT = 8 << 20, WORD_BYTES = 64, TABLES_MAX = 16 };

struct place {
	bool is_quoted;                 /* inside '…' */
	bool is_first;                  /* the first word */
	bool is_table;                  /* after FROM or JOIN */
	const char *tables[TABLES_MAX]; /* named so far */
	unsigned tables_count;
};

struct offer {
	const struct schema *schema;
	void (*add)(void *to, const char *word);
	void *to;
};

static bool
is_in_word(char c)
{
	return c == '_' || (c >= '0' && c <= '9') ||
	       (letter_lower(c) >= 'a' && letter_lower(c) <= 'z');
}

static bool
is_word(const char *word, const char *wanted)
{
	while (*word && letter_lower(*word) == *wanted)
		word++, wanted++;
	return !*word && !*wanted;
}

/* --- where the text ends -------------------------------------------------- */

static void
note_table(struct place *p, const struct schema *s, const char *word)
{
	const struct schema_entry *e = schema_named(s, word);

	if (e && p->tables_count < TABLES_MAX)
		p->tables[p->tables_count++] = e->name;
}

/* Reads the words before the last one, which may be incomplete. */
static void
read_place(struct place *p, const struct schema *s, const char *text)
{
	char word[WORD_BYTES];
	bool follows_from = false;

	*p = (struct place){ .is_first = true };
	while (*text) {
		size_t len = 0;

		if (*text == '\'') {
			p->is_quoted = !p->is_quoted;
			p->is_first = false;
		}
		while (!p->is_quoted && is_in_word(text[len]))
			len++;
		if (!len) {
			text++;
			continue;
		}
		if (!text[len])
			break;
		snprintf(word, sizeof word, "%.*s", (int)len, text);
		if (follows_from)
			note_table(p, s, word);
		follows_from = is_word(word, "from") || is_word(word, "join");
		p->is_first = false;
		text += len;
	}
	p->is_table = follows_from && !p->is_quoted;
}

/* --- what may stand there ------------------------------------------------- */

static void
offer_words(const struct offer *o, const char *const *words)
{
	for (; *words; words++)
		o->add(o->to, *words);
}

static void
offer_queries(const struct offer *o, struct arena *a)
{
	struct query_list list;
	struct error ignored = { 0 };

	if (queries_list(&list, a, &ignored))
		for (size_t i = 0; i < list.count; i++)
			o->add(o->to, list.items[i].name);
	memory_free(list.items);
}

static void
offer_types(const struct offer *o, const struct session *s)
{
	for (type_id t = 0; t < s->types_count; t++)
		if (s->types[t].count)
			o->add(o->to, s->types[t].name);
}

/* Offer tables, and tables called like functions with their parenthesis. */
static void
offer_entries(const struct offer *o, bool are_tables)
{
	char word[WORD_BYTES];

	for (uint32_t i = 0; i < o->schema->entries_count; i++) {
		const struct schema_entry *e = &o->schema->entries[i];

		if ((e->kind != SCHEMA_FUNCTION) != are_tables)
			continue;
		snprintf(word, sizeof word, "%s%s", e->name, e->kind == SCHEMA_TABLE ? "" : "(");
		o->add(o->to, word);
	}
}

static bool
has_table(const struct place *p, const char *table)
{
	for (unsigned i = 0; i < p->tables_count; i++)
		if (!strcmp(p->tables[i], table))
			return true;
	return !p->tables_count;
}

/* Offer each column once: those of the tables named, or of all tables. */
static void
offer_columns(const struct offer *o, const struct place *p)
{
	const struct schema *s = o->schema;

	for (uint32_t i = 0; i < s->columns_count; i++) {
		bool is_new = has_table(p, s->columns[i].table);

		for (uint32_t k = 0; is_new && k < i; k++)
			is_new = !has_table(p, s->columns[k].table) ||
				 strcmp(s->columns[k].name, s->columns[i].name) != 0;
		if (is_new)
			o->add(o->to, s->columns[i].name);
	}
}

static void
offer_all(const struct offer *o, const struct place *p)
{
	static const char *const keywords[] = {
		"FROM",  "WHERE",    "JOIN",    "ON",        "GROUP BY", "HAVING",
		"LIMIT", "ORDER BY", "DESC",    "AS",        "AND",      "OR",
		"NOT",   "IN",       "IS NULL", "LIKE",      "EXISTS",   "DISTINCT",
		"UNION", "SELECT",   "count(",  "sum(",      "avg(",     "max(",
		"min(",  "total(",   "CASE",    "LEFT JOIN", "BETWEEN",  NULL
	};

	offer_columns(o, p);
	offer_entries(o, false);
	offer_words(o, keywords);
}

void
sql_complete(const struct session *s, const char *text, void (*add)(void *to, const char *word),
	     void *to)
{
	static const char *const starts[] = { "SELECT", "WITH", "VALUES", NULL };
	struct error ignored = { 0 };
	struct schema schema;
	struct offer o = { &schema, add, to };
	struct place place;
	struct arena a;

	arena_init(&a, ARENA_LIMIT);
	if (schema_read(&schema, &a, &ignored)) {
		read_place(&place, &schema, text);
		if (place.is_quoted)
			offer_types(&o, s);
		else if (place.is_table)
			offer_entries(&o, true);
		else if (!place.is_first)
			offer_all(&o, &place);
		else
			offer_queries(&o, &a);
		if (place.is_first)
			offer_words(&o, starts);
	}
	arena_clear(&a);
}

void
sql_complete_tables(void (*add)(void *to, const char *word), void *to)
{
	struct error ignored = { 0 };
	struct schema schema;
	struct arena a;

	arena_init(&a, ARENA_LIMIT);
	if (schema_read(&schema, &a, &ignored))
		for (uint32_t i = 0; i < schema.entries_count; i++)
			if (schema.entries[i].kind != SCHEMA_FUNCTION)
				add(to, schema.entries[i].name);
	add(to, SCHEMA_FUNCTIONS);
	arena_clear(&a);
}
