#include "model/table/pattern.h"
#include "model/base/arena.h"
#include <regex.h>
#include <stdint.h>
#include <string.h>

enum {
	MEMO_SLOTS = 4096,
	DEPTH_MAX = 64,
	GROWTH_MAX = 4000,
	QUOTED_BYTES = 100,
};

static const char specials[] = ".[](){}*+?|^$\\";

/* The cached answer for the text at an address. */
struct memo {
	const char *text;
	bool matches;
};

struct pattern {
	regex_t regex;
	bool ignores_case;
	bool is_plain; /* no special characters: strstr() finds it */
	char *text;
	struct memo *memo;
};

static bool
has_capital(const char *text)
{
	for (; *text; text++)
		if (*text >= 'A' && *text <= 'Z')
			return true;
	return false;
}

/* --- what would take for ever -------------------------------------------- */

/*
 * regcomp() expands repetitions: (a{1,255}){1,255} takes 240 MB; a{1,30000} or thirty plus signs in
 * a row take minutes. So estimate the expanded size, with one sum for each open bracket.
 */
struct growth {
	struct {
		uint64_t sum, last; /* `last`: size of what a { would repeat */
	} open[DEPTH_MAX];
	unsigned depth;
};

static void
growth_add(struct growth *g, uint64_t cost)
{
	g->open[g->depth].sum += g->open[g->depth].last;
	g->open[g->depth].last = cost;
}

static bool
growth_close(struct growth *g)
{
	uint64_t cost = g->open[g->depth].sum + g->open[g->depth].last;

	if (g->depth == 0)
		return true; /* regcomp() reports the error */
	g->depth--;
	growth_add(g, cost);
	return cost <= GROWTH_MAX;
}

/*
 * Returns how often "{2,5}" repeats: 5; for "{2,}" 3, as it becomes xxx*. *len is the length of the
 * operator. A { that is no repetition is an ordinary character: 1.
 */
static uint64_t
repeats(const char *text, size_t *len)
{
	uint64_t largest = 1, n = 0;

	*len = 1 + strspn(text + 1, "0123456789,");
	if (text[*len] != '}')
		return *len = 1;
	for (const char *at = text + 1; at < text + *len; at++) {
		if (*at == ',')
			n = 0;
		else if (n <= GROWTH_MAX)
			n = n * 10 + (unsigned)(*at - '0');
		largest = n > largest ? n : largest;
	}
	largest += text[*len - 1] == ',';
	++*len;
	return largest;
}

/* Returns the last character of a set such as "[a-z]", "[^]x]" or "[[:alpha:]]", or the end of the
   text. */
static const char *
skip_set(const char *text)
{
	text++;
	text += *text == '^';
	text += *text == ']';
	for (; *text && *text != ']'; text++) {
		char close[] = { text[1], ']', '\0' };
		const char *end;

		if (*text != '[' || !text[1] || !strchr(".:=", text[1]))
			continue;
		end = strstr(text + 2, close);
		if (!end)
			return text + strlen(text);
		text = end + 1;
	}
	return text;
}

/* Counts the repetition at *text; returns its last character. */
static const char *
growth_repeat(struct growth *g, const char *text)
{
	uint64_t *last = &g->open[g->depth].last;
	size_t len = 1;

	if (*last == 0)
		growth_add(g, 1); /* nothing to repeat: a literal */
	else if (*text == '+')
		*last *= 2; /* x+ becomes xx* */
	else if (*text == '{')
		*last *= repeats(text, &len);
	else
		++*last;
	return text + len - 1;
}

static bool
is_affordable(const char *text)
{
	struct growth g = { .depth = 0 };
	bool is_fine = true;

	for (; is_fine && *text; text++) {
		if (*text == '(') {
			if (++g.depth == DEPTH_MAX)
				return false;
			g.open[g.depth].sum = g.open[g.depth].last = 0;
		} else if (*text == ')') {
			is_fine = growth_close(&g);
		} else if (strchr("*+?{", *text)) {
			text = growth_repeat(&g, text);
		} else {
			growth_add(&g, 1);
			if (*text == '[')
				text = skip_set(text);
			else if (*text == '\\')
				text++;
			if (!*text)
				break;
		}
		is_fine = is_fine && g.open[g.depth].sum <= GROWTH_MAX &&
			  g.open[g.depth].last <= GROWTH_MAX;
	}
	return is_fine;
}

/* Back references are not part of POSIX extended expressions; implementations that support them may
   take forever. */
static bool
has_back_reference(const char *text)
{
	for (; *text; text++)
		if (*text == '\\' && *++text >= '1' && *text <= '9')
			return true;
		else if (!*text)
			return false;
	return false;
}

/* `text` as typed, `quoted` as compiled. */
static bool
check_cost(const char *text, const char *quoted, struct error *err)
{
	if (has_back_reference(text))
		return error_set(err, ERROR_USAGE,
				 "\"%.80s\" is not an extended regular expression: these do not "
				 "support \\1",
				 text);
	return is_affordable(quoted) ||
	       error_set(err, ERROR_USAGE,
			 "\"%.80s\" has so many repetitions that it would take too long", text);
}

/* --- names of arrays ------------------------------------------------------ */

/* Returns the length of "[]" or "[,]", as in byte[] and double[,], else 0. */
static size_t
brackets_len(const char *text)
{
	size_t len = *text == '[' ? 1 + strspn(text + 1, ",") : 0;

	return len && text[len] == ']' ? len + 1 : 0;
}

/*
 * Escape the brackets of arrays, as names of types are full of them and byte[] should match as
 * displayed. Other sets are unchanged, and \[\] works as well. `out` is twice as large as `text`.
 * Returns false if a set is not closed.
 */
static bool
quote_brackets(const char *text, char *out)
{
	while (*text) {
		const char *end = text;
		size_t len = brackets_len(text);

		if (len) {
			*out++ = '\\';
			end += len - 1;
		} else if (*text == '[') {
			end = skip_set(text);
		} else if (*text == '\\' && text[1]) {
			end++;
		}
		if (!*end)
			return false;
		while (text <= end)
			*out++ = *text++;
	}
	*out = '\0';
	return true;
}

/* True if the text contains no special characters, except brackets of
   arrays. */
static bool
is_plain(const char *text)
{
	size_t len;

	for (;; text += len) {
		text += strcspn(text, specials);
		len = brackets_len(text);
		if (!len)
			return !*text;
	}
}

/* ------------------------------------------------------------------------- */

/* Our own messages, because those of C libraries differ and depend on the locale. */
static const char *
compile_trouble(int failed)
{
	static const struct {
		int code;
		const char *text;
	} troubles[] = {
		{ REG_EBRACK, "a [ is not closed" },
		{ REG_EPAREN, "a ( or ) is unmatched" },
		{ REG_EBRACE, "a { is not closed" },
		{ REG_BADBR, "there is no repetition count in { }" },
		{ REG_BADRPT, "there is nothing to repeat before * + ? or {" },
		{ REG_ERANGE, "a range in [ ] ends before it starts" },
		{ REG_ECTYPE, "[ ] contains an unknown character class" },
		{ REG_ECOLLATE, "[ ] contains an unknown character name" },
		{ REG_EESCAPE, "there is nothing after \\" },
		{ REG_ESPACE, "not enough memory" },
	};

	for (size_t i = 0; i < sizeof troubles / sizeof troubles[0]; i++)
		if (troubles[i].code == failed)
			return troubles[i].text;
	return "it is invalid";
}

/* Writes an expression that matches just that text; "" if it is too long. */
static void
quote(const char *text, char out[QUOTED_BYTES])
{
	size_t len = 0, skip;

	for (const char *at = text; *at && len + 3 < QUOTED_BYTES; at++) {
		skip = brackets_len(at);
		if (skip && len + skip + 3 < QUOTED_BYTES) {
			memcpy(out + len, at, skip);
			len += skip;
			at += skip - 1;
			continue;
		}
		if (strchr(specials, *at) && !strchr("]}", *at))
			out[len++] = '\\';
		out[len++] = *at;
	}
	out[len + 3 < QUOTED_BYTES ? len : 0] = '\0';
}

static bool
refuse(const char *text, const char *why, struct error *err)
{
	char quoted[QUOTED_BYTES];

	quote(text, quoted);
	return error_set(err, ERROR_USAGE, "\"%.80s\" is not a regular expression: %s%s%s", text,
			 why, *quoted ? "; as plain text: " : "", quoted);
}

static bool
pattern_compile(struct pattern *p, const char *text, struct error *err)
{
	size_t size = 2 * strlen(text) + 1;
	char *quoted = memory_new(size, 1, err);
	bool ok = false;
	int failed;

	if (!quoted)
		return false;
	if (!quote_brackets(text, quoted)) {
		ok = refuse(text, compile_trouble(REG_EBRACK), err);
	} else if (check_cost(text, quoted, err)) {
		failed = regcomp(&p->regex, quoted, REG_EXTENDED);
		ok = !failed || refuse(text, compile_trouble(failed), err);
	}
	memory_free(quoted);
	return ok;
}

struct pattern *
pattern_new(const char *text, struct error *err)
{
	struct pattern *p = memory_new(1, sizeof *p, err);
	size_t size = strlen(text) + 1;

	if (!p)
		return NULL;
	p->ignores_case = !has_capital(text);
	p->is_plain = is_plain(text);
	p->text = memory_new(size, 1, err);
	p->memo = memory_new(MEMO_SLOTS, sizeof *p->memo, err);
	if (!p->text || !p->memo || !pattern_compile(p, text, err)) {
		memory_free(p->text);
		memory_free(p->memo);
		memory_free(p);
		return NULL;
	}
	memcpy(p->text, text, size);
	return p;
}

void
pattern_free(struct pattern *p)
{
	if (!p)
		return;
	regfree(&p->regex);
	memory_free(p->text);
	memory_free(p->memo);
	memory_free(p);
}

const char *
pattern_text(const struct pattern *p)
{
	return p->text;
}

bool
pattern_is_case_sensitive(const struct pattern *p)
{
	return !p->ignores_case;
}

/* REG_ICASE depends on the locale: in Turkish "system.io" would not match "System.IO". The pattern
   has no capitals, so lower the text instead. */
static char *
lowered(const char *text, char *local, size_t local_size)
{
	size_t len = strlen(text);
	char *copy = local;
	struct error ignored = { 0 };

	if (len >= local_size)
		copy = memory_new(len + 1, 1, &ignored);
	if (!copy)
		return NULL;
	for (size_t i = 0; i < len; i++)
		copy[i] = (char)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] - 'A' + 'a' : text[i]);
	copy[len] = '\0';
	return copy;
}

bool
pattern_find(const struct pattern *p, const char *text, size_t *from, size_t *to)
{
	regmatch_t match = { 0, 0 };
	char local[1024], *copy = NULL;
	bool found;

	if (p->ignores_case) {
		copy = lowered(text, local, sizeof local);
		if (!copy)
			return false;
		text = copy;
	}
	if (p->is_plain) {
		const char *at = strstr(text, p->text);

		found = at != NULL;
		match.rm_so = found ? (regoff_t)(at - text) : 0;
		match.rm_eo = match.rm_so + (regoff_t)strlen(p->text);
	} else {
		found = !regexec(&p->regex, text, 1, &match, 0);
	}
	if (copy != local)
		memory_free(copy);
	*from = (size_t)match.rm_so;
	*to = (size_t)match.rm_eo;
	return found;
}

bool
pattern_matches(struct pattern *p, const char *text, bool stable)
{
	struct memo *m = &p->memo[((uintptr_t)text >> 3) % MEMO_SLOTS];
	size_t from, to;

	if (stable && m->text == text)
		return m->matches;
	if (!stable)
		return pattern_find(p, text, &from, &to);
	m->text = text;
	m->matches = pattern_find(p, text, &from, &to);
	return m->matches;
}

void
pattern_forget(struct pattern *p)
{
	memset(p->memo, 0, MEMO_SLOTS * sizeof *p->memo);
}
