#include "tui/pattern.h"
#include "model/arena.h"
#include <regex.h>
#include <stdint.h>
#include <string.h>

enum { MEMO_SLOTS = 4096, DEPTH_MAX = 64, GROWTH_MAX = 4000 };

/* An answer for the text that stood at this place. */
struct memo {
	const char *text;
	bool matches;
};

struct pattern {
	regex_t regex;
	bool ignores_case;
	bool is_plain; /* nothing in it has a meaning: found without a regex */
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
 * regcomp() writes out what is repeated: (a{1,255}){1,255} takes 240 MB,
 * a{1,30000} and thirty plus signs in a row minutes. So characters are counted
 * as often as they are repeated, one number for each bracket that is open.
 */
struct growth {
	struct {
		uint64_t sum, last; /* `last`: what a { would repeat */
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
		return true; /* regcomp() says what is wrong with it */
	g->depth--;
	growth_add(g, cost);
	return cost <= GROWTH_MAX;
}

/*
 * How often "{2,5}" repeats: 5; "{2,}": 3, as it becomes xxx*. *len is that of
 * the whole. What is no such thing is an ordinary character: 1.
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

/* Past "[a-z]" and "[]x]". */
static const char *
skip_set(const char *text)
{
	text++;
	text += *text == '^';
	text += *text == ']';
	while (*text && *text != ']')
		text++;
	return text;
}

/* *text repeats what stands before it; returns its last character. */
static const char *
growth_repeat(struct growth *g, const char *text)
{
	uint64_t *last = &g->open[g->depth].last;
	size_t len = 1;

	if (*last == 0)
		growth_add(g, 1); /* nothing there: it means itself */
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

/* No part of extended expressions; where they work they can take for ever. */
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

static bool
check_cost(const char *text, struct error *err)
{
	if (has_back_reference(text))
		return error_set(err, ERROR_USAGE,
				 "\"%.80s\" is not an extended regular "
				 "expression: those have no \\1",
				 text);
	return is_affordable(text) ||
	       error_set(err, ERROR_USAGE,
			 "\"%.80s\" repeats so much that it would take too "
			 "long",
			 text);
}

/* ------------------------------------------------------------------------- */

static bool
pattern_compile(struct pattern *p, const char *text, struct error *err)
{
	int failed = regcomp(&p->regex, text, REG_EXTENDED);
	char why[128];

	if (!failed)
		return true;
	regerror(failed, &p->regex, why, sizeof why);
	return error_set(err, ERROR_USAGE,
			 "\"%s\" is not a regular expression: %s", text, why);
}

struct pattern *
pattern_new(const char *text, struct error *err)
{
	struct pattern *p = memory_new(1, sizeof *p, err);
	size_t size = strlen(text) + 1;

	if (!p)
		return NULL;
	p->ignores_case = !has_capital(text);
	p->is_plain = !strpbrk(text, ".[](){}*+?|^$\\");
	p->text = memory_new(size, 1, err);
	p->memo = memory_new(MEMO_SLOTS, sizeof *p->memo, err);
	if (!p->text || !p->memo || !check_cost(text, err) ||
	    !pattern_compile(p, text, err)) {
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

/*
 * Not REG_ICASE: it follows the locale, and in Turkish "system.io" would not
 * find "System.IO". The pattern has no capitals, so lower the text instead.
 */
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
		copy[i] = (char)(text[i] >= 'A' && text[i] <= 'Z'
				     ? text[i] - 'A' + 'a'
				     : text[i]);
	copy[len] = '\0';
	return copy;
}

bool
pattern_find(const struct pattern *p, const char *text, size_t *from,
	     size_t *to)
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
