/*
 * SQLite's functions that compare texts byte by byte, again: its own take time of the product of
 * two lengths, 27 s for two values as long as a query may have, and cannot be interrupted. These
 * end soon after a query is cancelled.
 */
#include "model/base/utf8.h"
#include "model/sql/connection.h"
#include <string.h>

/* Bytes that are compared between two looks whether the query is cancelled. */
enum { BYTES_A_CHECK = 1 << 20 };

struct work {
	const struct progress *progress;
	size_t compared_bytes;
	bool is_cancelled;
};

struct bytes {
	const char *at;
	size_t len;
};

/* Bytes of a blob are those of a text. */
static struct bytes
bytes_of(sqlite3_value *value)
{
	const char *at = (const char *)sqlite3_value_text(value);

	return at ? (struct bytes){ at, (size_t)sqlite3_value_bytes(value) }
		  : (struct bytes){ "", 0 };
}

static struct work
work_of(sqlite3_context *to)
{
	const struct sql *s = sqlite3_user_data(to);

	return (struct work){ .progress = s->progress };
}

/* Counts compared bytes. False: the query is cancelled. */
static bool
goes_on(struct work *w, size_t bytes)
{
	w->compared_bytes += bytes;
	if (w->compared_bytes < BYTES_A_CHECK)
		return true;
	w->compared_bytes = 0;
	w->is_cancelled = progress_is_cancelled(w->progress);
	return !w->is_cancelled;
}

static bool
has_null(int argc, sqlite3_value **argv)
{
	for (int i = 0; i < argc; i++)
		if (sqlite3_value_type(argv[i]) == SQLITE_NULL)
			return true;
	return false;
}

/* Returns the length of the first character, which may be broken. */
static size_t
character(struct bytes text)
{
	size_t len = 1;

	while (len < text.len && (text.at[len] & 0xc0) == 0x80)
		len++;
	return len;
}

static struct bytes
after(struct bytes text, size_t len)
{
	return (struct bytes){ text.at + len, text.len - len };
}

/* Returns where the part begins first, or the length if it does not, or if the query was
   cancelled. */
static size_t
find(struct work *w, struct bytes text, struct bytes part)
{
	size_t at = 0;

	while (part.len <= text.len - at) {
		const char *first = memchr(text.at + at, *part.at, text.len - at - part.len + 1);

		if (!first)
			break;
		at = (size_t)(first - text.at);
		if (!memcmp(first, part.at, part.len))
			return at;
		if (!goes_on(w, part.len))
			break;
		at++;
	}
	return text.len;
}

/* --- instr, replace ------------------------------------------------------- */

static int64_t
characters_before(struct bytes text, size_t end)
{
	int64_t count = 0;

	for (size_t i = 0; i < end; i++)
		count += (text.at[i] & 0xc0) != 0x80;
	return count;
}

/* instr(text, part): the place of the part, from 1, in characters; in bytes if both are blobs. */
static void
instr_function(sqlite3_context *to, int argc, sqlite3_value **argv)
{
	struct work w = work_of(to);
	bool are_blobs = sqlite3_value_type(argv[0]) == SQLITE_BLOB &&
			 sqlite3_value_type(argv[1]) == SQLITE_BLOB;
	struct bytes text = bytes_of(argv[0]), part = bytes_of(argv[1]);
	size_t at;

	if (has_null(argc, argv))
		return;
	at = part.len ? find(&w, text, part) : 0;
	if (w.is_cancelled)
		sqlite3_result_error_code(to, SQLITE_INTERRUPT);
	else if (part.len && at == text.len)
		sqlite3_result_int(to, 0);
	else
		sqlite3_result_int64(to,
				     1 + (are_blobs ? (int64_t)at : characters_before(text, at)));
}

/* replace(text, part, by) */
static void
replace_function(sqlite3_context *to, int argc, sqlite3_value **argv)
{
	struct work w = work_of(to);
	struct bytes text = bytes_of(argv[0]), part = bytes_of(argv[1]);
	struct bytes by = bytes_of(argv[2]);
	sqlite3_str *out;
	size_t at;

	if (has_null(argc, argv))
		return;
	if (!part.len || !*part.at) {
		sqlite3_result_value(to, argv[0]);
		return;
	}
	out = sqlite3_str_new(sqlite3_context_db_handle(to));
	while ((at = find(&w, text, part)) < text.len && goes_on(&w, by.len) &&
	       !sqlite3_str_errcode(out)) {
		sqlite3_str_append(out, text.at, (int)at);
		sqlite3_str_append(out, by.at, (int)by.len);
		text = after(text, at + part.len);
	}
	sqlite3_str_append(out, text.at, (int)text.len);
	if (w.is_cancelled)
		sqlite3_result_error_code(to, SQLITE_INTERRUPT);
	else if (sqlite3_str_errcode(out))
		sqlite3_result_error_code(to, sqlite3_str_errcode(out));
	else
		sqlite3_result_text(to, sqlite3_str_length(out) ? sqlite3_str_value(out) : "",
				    sqlite3_str_length(out), SQLITE_TRANSIENT);
	sqlite3_free(sqlite3_str_finish(out));
}

/* --- trim ----------------------------------------------------------------- */

enum { LEFT = 1, RIGHT = 2 };

static bool
is_among(struct work *w, const char *c, size_t len, struct bytes set)
{
	for (size_t used; set.len; set = after(set, used)) {
		used = character(set);
		if (used == len && !memcmp(set.at, c, len))
			return true;
		if (!goes_on(w, used))
			return false;
	}
	return false;
}

static struct bytes
trimmed(struct work *w, struct bytes text, struct bytes set, int ends)
{
	size_t len;

	for (; ends & LEFT && text.len; text = after(text, len)) {
		len = character(text);
		if (!is_among(w, text.at, len, set))
			break;
	}
	for (; ends & RIGHT && text.len; text.len -= len) {
		len = 1;
		while (len < text.len && (text.at[text.len - len] & 0xc0) == 0x80)
			len++;
		if (!is_among(w, text.at + text.len - len, len, set))
			break;
	}
	return text;
}

static void
trim_ends(sqlite3_context *to, int argc, sqlite3_value **argv, int ends)
{
	struct work w = work_of(to);
	struct bytes text = bytes_of(argv[0]), set = { " ", 1 };

	if (has_null(argc, argv))
		return;
	if (argc == 2)
		set = bytes_of(argv[1]);
	text = trimmed(&w, text, set, ends);
	if (w.is_cancelled)
		sqlite3_result_error_code(to, SQLITE_INTERRUPT);
	else
		sqlite3_result_text(to, text.at, (int)text.len, SQLITE_TRANSIENT);
}

static void
trim_function(sqlite3_context *to, int argc, sqlite3_value **argv)
{
	trim_ends(to, argc, argv, LEFT | RIGHT);
}

static void
ltrim_function(sqlite3_context *to, int argc, sqlite3_value **argv)
{
	trim_ends(to, argc, argv, LEFT);
}

static void
rtrim_function(sqlite3_context *to, int argc, sqlite3_value **argv)
{
	trim_ends(to, argc, argv, RIGHT);
}

/* --- like, glob ----------------------------------------------------------- */

struct language {
	char any, one, set; /* '\0': there is none */
	bool ignores_case;  /* of ASCII */
};
static const struct language like = { '%', '_', '\0', true };
static const struct language glob = { '*', '?', '[', false };

/* Decodes the first character; a broken one is its first byte. */
static uint32_t
decode(struct bytes text)
{
	char c[UTF8_MAX_BYTES + 1] = "";
	size_t used, len = character(text);
	uint32_t decoded;

	memcpy(c, text.at, len < UTF8_MAX_BYTES ? len : UTF8_MAX_BYTES);
	decoded = utf8_decode(c, &used);
	return decoded == UTF8_BROKEN ? (unsigned char)*c : decoded;
}

/* Whether a set such as [^a-z], after its bracket, has the character; moves behind the set. One
   that does not end has none. */
static bool
set_has(struct bytes *set, uint32_t c)
{
	bool is_negated = set->len && *set->at == '^', has = false;
	bool is_first = true, is_range = false;
	uint32_t before = 0;

	if (is_negated)
		*set = after(*set, 1);
	for (; set->len; is_first = false) {
		uint32_t here = decode(*set);

		*set = after(*set, character(*set));
		if (here == ']' && !is_first)
			return has != is_negated;
		if (here == '-' && before && set->len && *set->at != ']') {
			is_range = true;
			continue;
		}
		has |= is_range ? before <= c && c <= here : here == c;
		before = is_range || here == ']' ? 0 : here;
		is_range = false;
	}
	return false;
}

static int
fold(const struct language *l, char c)
{
	return l->ignores_case && c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

static bool
begins(struct bytes text, struct bytes with)
{
	return with.len && with.len <= text.len && !memcmp(text.at, with.at, with.len);
}

/* Matches one part of the pattern with the beginning of the text, and moves behind both. */
static bool
match_one(struct work *w, const struct language *l, struct bytes escape, struct bytes *pattern,
	  struct bytes *text)
{
	bool is_literal = begins(*pattern, escape), is_set;
	struct bytes here = *text;

	if (is_literal)
		*pattern = after(*pattern, escape.len);
	if (!pattern->len)
		return false;
	is_set = !is_literal && l->set && *pattern->at == l->set;
	if (is_set || (!is_literal && *pattern->at == l->one)) {
		size_t before = pattern->len;
		bool has;

		*pattern = after(*pattern, 1);
		*text = after(here, character(here));
		has = !is_set || set_has(pattern, decode(here));
		w->compared_bytes += before - pattern->len;
		return has;
	}
	*text = after(here, 1);
	here = *pattern;
	*pattern = after(here, 1);
	return fold(l, *here.at) == fold(l, text->at[-1]);
}

/* Only the last wildcard for any text needs to be tried again, one character later: an earlier one
   could not do better. */
static bool
matches(struct work *w, const struct language *l, struct bytes escape, struct bytes pattern,
	struct bytes text)
{
	struct bytes pattern_again = { 0 }, text_again = { 0 };

	for (;;) {
		if (pattern.len && *pattern.at == l->any && !begins(pattern, escape)) {
			pattern_again = pattern = after(pattern, 1);
			text_again = text;
			if (!pattern.len)
				return true;
		} else if (!text.len && !pattern.len) {
			return true;
		} else if (!(text.len && pattern.len && match_one(w, l, escape, &pattern, &text))) {
			if (!text.len || !text_again.len)
				return false;
			text_again = after(text_again, character(text_again));
			text = text_again;
			pattern = pattern_again;
		}
		if (!goes_on(w, 16))
			return false;
	}
}

/* X LIKE Y ESCAPE Z is like(Y, X, Z). */
static void
match(sqlite3_context *to, const struct language *l, int argc, sqlite3_value **argv)
{
	struct work w = work_of(to);
	struct bytes escape = { 0 };
	bool is_match;

	if (has_null(argc, argv))
		return;
	if (argc == 3)
		escape = bytes_of(argv[2]);
	if (argc == 3 && (!escape.len || character(escape) != escape.len)) {
		sqlite3_result_error(to, "ESCAPE expression must be a single character", -1);
		return;
	}
	is_match = matches(&w, l, escape, bytes_of(argv[0]), bytes_of(argv[1]));
	if (w.is_cancelled)
		sqlite3_result_error_code(to, SQLITE_INTERRUPT);
	else
		sqlite3_result_int(to, is_match);
}

static void
like_function(sqlite3_context *to, int argc, sqlite3_value **argv)
{
	match(to, &like, argc, argv);
}

static void
glob_function(sqlite3_context *to, int argc, sqlite3_value **argv)
{
	match(to, &glob, argc, argv);
}

/* -------------------------------------------------------------------------- */

int
sql_add_text_functions(struct sql *s)
{
	static const struct {
		const char *name;
		int arguments;
		void (*run)(sqlite3_context *to, int argc, sqlite3_value **argv);
	} rows[] = {
		{ "instr", 2, instr_function }, { "replace", 3, replace_function },
		{ "trim", 1, trim_function },   { "trim", 2, trim_function },
		{ "ltrim", 1, ltrim_function }, { "ltrim", 2, ltrim_function },
		{ "rtrim", 1, rtrim_function }, { "rtrim", 2, rtrim_function },
		{ "like", 2, like_function },   { "like", 3, like_function },
		{ "glob", 2, glob_function },
	};
	int code = SQLITE_OK;

	for (size_t i = 0; !code && i < sizeof rows / sizeof *rows; i++)
		code =
		    sqlite3_create_function(s->db, rows[i].name, rows[i].arguments,
					    SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
					    s, rows[i].run, NULL, NULL);
	return code;
}
