#include "tui/sos.h"
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_BYTES = 160, WORDS_MAX = 16 };

/* A line as words, and the conditions that become of it. */
struct sos_line {
	char words[WORDS_MAX][WORD_BYTES];
	unsigned count, at; /* at: the next one */
	char where[1024];
	bool is_stat;
	bool is_of_objects; /* a condition is not about types */
};

void
sos_escape(const char *text, char *out, size_t out_size)
{
	size_t len = 0;

	for (; *text && len + 2 < out_size; text++) {
		if (strchr("\\^$.|?*+()[]{}", *text))
			out[len++] = '\\';
		out[len++] = *text;
	}
	out[len] = '\0';
}

static bool
split(struct sos_line *l, const char *line)
{
	for (;;) {
		size_t len;

		line += strspn(line, " \t");
		len = strcspn(line, " \t");
		if (!len)
			return l->count > 0;
		if (l->count == WORDS_MAX || len >= WORD_BYTES ||
		    memchr(line, ';', len))
			return false;
		memcpy(l->words[l->count], line, len);
		l->words[l->count++][len] = '\0';
		line += len;
	}
}

static const char *
next_word(struct sos_line *l)
{
	return l->at < l->count ? l->words[l->at++] : NULL;
}

/* With an "and" before it, unless it is the first. */
static bool
add(struct sos_line *l, const char *condition, const char *text)
{
	size_t len = strlen(l->where), left = sizeof l->where - len;
	int written = snprintf(l->where + len, left, "%s%s%s",
			       len ? " and " : "", condition, text);

	if (strncmp(condition, "type", 4) != 0)
		l->is_of_objects = true;
	return written > 0 && (size_t)written < left;
}

/* As SOS reads it: with or without 0x; false: it is no number. */
static bool
parse_number(const char *word, int base, uint64_t *value)
{
	char *end;

	if (!word || *word == '-' || *word == '+')
		return false;
	*value = strtoull(word, &end, base);
	return end != word && !*end;
}

static bool
add_number(struct sos_line *l, const char *condition, const char *word,
	   int base)
{
	char text[32];
	uint64_t value;

	if (!parse_number(word, base, &value))
		return false;
	snprintf(text, sizeof text, base == 16 ? "0x%" PRIx64 : "%" PRIu64,
		 value);
	return add(l, condition, text);
}

/* --- options of dumpheap -------------------------------------------------- */

static bool
take_stat(struct sos_line *l)
{
	l->is_stat = true;
	return true;
}

static bool
take_type(struct sos_line *l)
{
	char escaped[2 * WORD_BYTES], pattern[2 * WORD_BYTES + 8];
	const char *type = next_word(l);

	/* A stroke would end the pattern; no name has one. */
	if (!type || strchr(type, '/'))
		return false;
	sos_escape(type, escaped, sizeof escaped);
	snprintf(pattern, sizeof pattern, "/%s/", escaped);
	return add(l, "type ~ ", pattern);
}

static bool
take_min(struct sos_line *l)
{
	return add_number(l, "size >= ", next_word(l), 0);
}

static bool
take_max(struct sos_line *l)
{
	return add_number(l, "size <= ", next_word(l), 0);
}

static bool
take_live(struct sos_line *l)
{
	return add(l, "not distance = ''", "");
}

static bool
take_dead(struct sos_line *l)
{
	return add(l, "distance = ''", "");
}

static bool
take_strings(struct sos_line *l)
{
	return add(l, "type = 'string'", "");
}

static bool
add_generation(struct sos_line *l, const char *gen)
{
	static const struct {
		const char *theirs, *ours;
	} generations[] = {
		{ "gen0", "0" },  { "gen1", "1" },        { "gen2", "2" },
		{ "loh", "loh" }, { "poh", "poh" },       { "foh", "frozen" },
		{ "0", "0" },     { "1", "1" },           { "2", "2" },
		{ "3", "loh" },   { "frozen", "frozen" },
	};

	for (size_t i = 0; gen && i < sizeof generations / sizeof *generations;
	     i++)
		if (!strcmp(generations[i].theirs, gen))
			return add(l, "gen = ", generations[i].ours);
	return false;
}

static bool
take_generation(struct sos_line *l)
{
	return add_generation(l, next_word(l));
}

static const struct {
	const char *name;
	bool (*take)(struct sos_line *l);
} options[] = {
	{ "-stat", take_stat },       { "-type", take_type },
	{ "-min", take_min },         { "-max", take_max },
	{ "-live", take_live },       { "-dead", take_dead },
	{ "-strings", take_strings }, { "-gen", take_generation },
};

static bool
take_option(struct sos_line *l, const char *word)
{
	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		if (!strcmp(options[i].name, word))
			return options[i].take(l);
	return false;
}

/* --- the commands --------------------------------------------------------- */

/* The first is where it begins, the second where it ends. */
static bool
take_place(struct sos_line *l, const char *word, unsigned number)
{
	return number < 2 &&
	       add_number(l, number ? "address < " : "address >= ", word, 16);
}

static bool
expand_dumpheap(struct sos_line *l, char *out, size_t out_size)
{
	const char *word;
	unsigned places = 0;

	while ((word = next_word(l))) {
		if (!strcmp(word, "-mt")) { /* which has an answer */
			snprintf(out, out_size, "dumpmt");
			return true;
		}
		if (*word == '-' ? !take_option(l, word)
				 : !take_place(l, word, places++))
			return false;
	}
	/* A type alone is a plain filter: an alias, as are the totals. */
	if (!*l->where || (l->count == 3 && !strcmp(l->words[1], "-type")))
		return false;
	/* Totals are of all objects of a type. */
	snprintf(out, out_size, "%s; where %s",
		 l->is_stat && !l->is_of_objects ? "types" : "objects",
		 l->where);
	return true;
}

static bool
expand_dumpgen(struct sos_line *l, char *out, size_t out_size)
{
	const char *word;

	if (!add_generation(l, next_word(l)))
		return false;
	while ((word = next_word(l)))
		if (!take_option(l, word))
			return false;
	snprintf(out, out_size, "objects; where %s", l->where);
	return true;
}

static bool
expand_gcwhere(struct sos_line *l, char *out, size_t out_size)
{
	const char *word = next_word(l);

	if (!add_number(l, "start <= ", word, 16) ||
	    !add_number(l, "end > ", word, 16) || next_word(l))
		return false;
	snprintf(out, out_size, "segments; where %s", l->where);
	return true;
}

/* Not strcasecmp(): it follows the locale. */
static bool
is_alike(const char *a, const char *b)
{
	for (; *a && *b; a++, b++)
		if ((*a | 32) != (*b | 32))
			return false;
	return !*a && !*b;
}

/* Of heaps from memory alone; others know strong and pinned ones as roots. */
static bool
expand_gchandles(struct sos_line *l, char *out, size_t out_size)
{
	static const struct {
		const char *theirs, *ours;
	} kinds[] = {
		{ "WeakShort", "weak short" },
		{ "WeakLong", "weak long" },
		{ "Strong", "strong" },
		{ "Pinned", "pinned" },
		{ "RefCounted", "ref-counted" },
		{ "Dependent", "dependent" },
		{ "AsyncPinned", "async pinned" },
		{ "SizedRef", "sized ref" },
	};
	const char *option = next_word(l), *kind = next_word(l);

	if (!kind || strcmp(option, "-type") != 0 || next_word(l))
		return false;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (is_alike(kinds[i].theirs, kind)) {
			snprintf(out, out_size, "handles; where kind = '%s'",
				 kinds[i].ours);
			return true;
		}
	return false;
}

static const struct {
	const char *name;
	bool (*expand)(struct sos_line *l, char *out, size_t out_size);
} commands[] = {
	{ "dumpheap", expand_dumpheap },
	{ "dumpgen", expand_dumpgen },
	{ "gcwhere", expand_gcwhere },
	{ "gchandles", expand_gchandles },
};
enum { COMMANDS = sizeof commands / sizeof *commands };

bool
sos_has(const char *name, size_t len)
{
	for (size_t i = 0; i < COMMANDS; i++)
		if (strlen(commands[i].name) == len &&
		    !strncmp(commands[i].name, name, len))
			return true;
	return false;
}

bool
sos_expand(const char *line, char *out, size_t out_size)
{
	struct sos_line l = { .at = 1 };

	if (!sos_has(line, strcspn(line, " \t")) || !split(&l, line))
		return false;
	for (size_t i = 0; i < COMMANDS; i++)
		if (!strcmp(commands[i].name, l.words[0]))
			return commands[i].expand(&l, out, out_size);
	return false;
}
