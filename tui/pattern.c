#include "tui/pattern.h"
#include "model/arena.h"
#include <regex.h>
#include <stdint.h>
#include <string.h>

enum { MEMO_SLOTS = 4096 };

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
