#include "model/sql/units.h"
#include "model/sql/connection.h"
#include "model/tables/tables.h"
#include <ctype.h>
#include <string.h>
#include <strings.h>

unsigned
sql_declared_kind(const char *declared)
{
	static const struct {
		const char *type;
		unsigned kind;
	} kinds[] = {
		{ "COUNT", VALUE_COUNT },     { "ID", VALUE_PLAIN },
		{ "BYTES", VALUE_BYTES },     { "SHARE", VALUE_SHARE },
		{ "CHANGE", VALUE_CHANGE },   { "CHANGE_BYTES", VALUE_CHANGE_BYTES },
		{ "DECIMAL", VALUE_REAL },    { "MICROSECONDS", VALUE_DURATION },
		{ "ADDRESS", VALUE_ADDRESS }, { "TEXT", VALUE_TEXT },
		{ "TYPE TEXT", VALUE_TEXT },
	};

	for (size_t i = 0; declared && i < sizeof kinds / sizeof *kinds; i++)
		if (!strcmp(kinds[i].type, declared))
			return kinds[i].kind;
	return VALUE_BLANK;
}

/* --- tokens --------------------------------------------------------------- */

enum token { TOKEN_END, TOKEN_WORD, TOKEN_NUMBER, TOKEN_TEXT, TOKEN_SIGN };

/* A word may be quoted; its text is without the quotes. */
struct lexer {
	const char *at, *end;
	enum token token;
	const char *text;
	size_t len;
};

static bool
is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static void
skip_blanks(struct lexer *l)
{
	while (l->at < l->end) {
		if (isspace((unsigned char)*l->at)) {
			l->at++;
		} else if (l->end - l->at > 1 && !strncmp(l->at, "--", 2)) {
			while (l->at < l->end && *l->at != '\n')
				l->at++;
		} else if (l->end - l->at > 1 && !strncmp(l->at, "/*", 2)) {
			l->at += 2;
			while (l->at < l->end && strncmp(l->at, "*/", 2) != 0)
				l->at++;
			l->at += l->at < l->end ? 2 : 0;
		} else {
			return;
		}
	}
}

/* Reads up to the quote that ends a text; a doubled quote does not. */
static void
read_quoted(struct lexer *l, char quote)
{
	l->text = ++l->at;
	while (l->at < l->end && (*l->at != quote || (l->at + 1 < l->end && l->at[1] == quote)))
		l->at += *l->at == quote ? 2 : 1;
	if (l->at > l->end)
		l->at = l->end;
	l->len = (size_t)(l->at - l->text);
	l->at += l->at < l->end;
}

static void
next(struct lexer *l)
{
	skip_blanks(l);
	l->text = l->at;
	l->len = 1;
	if (l->at >= l->end) {
		l->token = TOKEN_END;
		l->len = 0;
	} else if (*l->at == '\'') {
		l->token = TOKEN_TEXT;
		read_quoted(l, '\'');
	} else if (*l->at == '"' || *l->at == '`' || *l->at == '[') {
		l->token = TOKEN_WORD;
		read_quoted(l, *l->at == '[' ? ']' : *l->at);
	} else if (is_word(*l->at)) {
		l->token = isdigit((unsigned char)*l->at) ? TOKEN_NUMBER : TOKEN_WORD;
		while (l->at < l->end && is_word(*l->at))
			l->at++;
		l->len = (size_t)(l->at - l->text);
	} else {
		l->token = TOKEN_SIGN;
		l->at++;
	}
}

static bool
is_text(const struct lexer *l, const char *text)
{
	return l->len == strlen(text) && !strncasecmp(l->text, text, l->len);
}

static bool
is_sign(const struct lexer *l, char sign)
{
	return l->token == TOKEN_SIGN && *l->text == sign;
}

bool
sql_next_word(const char **rest, struct sql_expression *word)
{
	struct lexer l = { .at = *rest, .end = *rest + strlen(*rest) };

	do
		next(&l);
	while (l.token != TOKEN_WORD && l.token != TOKEN_END);
	*rest = l.at;
	*word = (struct sql_expression){ l.text, l.len };
	return l.token == TOKEN_WORD;
}

/* --- expressions ---------------------------------------------------------- */

/* Moves past WITH and its tables to the word after the query's SELECT. */
static bool
find_select(struct lexer *l)
{
	int depth = 0;

	for (next(l); l->token != TOKEN_END; next(l)) {
		if (is_sign(l, '('))
			depth++;
		else if (is_sign(l, ')'))
			depth--;
		else if (!depth && l->token == TOKEN_WORD && is_text(l, "SELECT")) {
			next(l);
			if (is_text(l, "DISTINCT") || is_text(l, "ALL"))
				next(l);
			return true;
		}
	}
	return false;
}

uint32_t
sql_expressions(const char *query, struct sql_expression *out, uint32_t max)
{
	struct lexer l = { .at = query, .end = query + strlen(query) };
	uint32_t count = 0;
	const char *end;
	int depth = 0;

	if (!max || !find_select(&l))
		return 0;
	out[0] = (struct sql_expression){ l.text, 0 };
	for (end = NULL; l.token != TOKEN_END; next(&l)) {
		bool is_outside = depth == 0;

		if (is_outside && is_sign(&l, '*') &&
		    (l.text == out[count].text || l.text[-1] == '.'))
			return 0;
		if (is_outside && l.token == TOKEN_WORD && is_text(&l, "AS"))
			end = l.text;
		if (is_outside && (is_sign(&l, ',') || is_text(&l, "FROM"))) {
			out[count].len = (size_t)((end ? end : l.text) - out[count].text);
			if (is_text(&l, "FROM") || ++count == max)
				return count + (count < max);
			out[count].text = l.at;
			end = NULL;
		}
		depth += is_sign(&l, '(') - is_sign(&l, ')');
	}
	out[count].len = (size_t)((end ? end : l.text) - out[count].text);
	return count + 1;
}

/* Returns whether the word is a column of bytes in every table that has it. */
static bool
is_bytes(const struct lexer *l)
{
	char id[64];
	bool is_known = false;
	int at;

	if (l->len >= sizeof id)
		return false;
	memcpy(id, l->text, l->len);
	id[l->len] = '\0';
	for (const struct table *const *t = all_tables; *t; t++) {
		at = table_lists_rows(*t) ? column_by_id((*t)->columns, id) : -1;
		if (at < 0)
			continue;
		if (column_kind(&(*t)->columns[at]) != VALUE_BYTES)
			return false;
		is_known = true;
	}
	return is_known;
}

static bool
keeps_unit(const struct lexer *l)
{
	static const char *const functions[] = { "sum", "total",    "min",    "max",  "avg",
						 "abs", "coalesce", "ifnull", "round" };

	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
		if (is_text(l, functions[i]))
			return true;
	return false;
}

static bool
is_sign_for_sums(const struct lexer *l)
{
	return l->token == TOKEN_SIGN && strchr("()+-,.", *l->text);
}

unsigned
sql_expression_kind(const struct sql_expression *e)
{
	struct lexer l = { .at = e->text, .end = e->text + e->len };
	bool has_bytes = false, is_complete = false;

	for (next(&l); l.token != TOKEN_END; next(&l)) {
		struct lexer after = l;

		next(&after);
		/* A name may follow without AS. */
		if (is_complete && l.token == TOKEN_WORD && after.token == TOKEN_END)
			break;
		is_complete = l.token == TOKEN_WORD || l.token == TOKEN_NUMBER || is_sign(&l, ')');
		if (l.token == TOKEN_NUMBER || is_sign_for_sums(&l) || is_text(&l, "DISTINCT"))
			continue;
		if (l.token != TOKEN_WORD)
			return VALUE_BLANK;
		/* A table's name ends with a dot. */
		if (is_sign(&after, '.'))
			continue;
		if (is_sign(&after, '(') ? !keeps_unit(&l) : !is_bytes(&l))
			return VALUE_BLANK;
		has_bytes |= !is_sign(&after, '(');
	}
	return has_bytes ? VALUE_BYTES : VALUE_BLANK;
}
