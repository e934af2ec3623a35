#include "tui/app/setting.h"
#include "model/base/quantity.h"
#include "tui/app/settings.h"
#include "tui/app/views.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- from text ------------------------------------------------------------ */

static bool
parse_count(const struct setting *s, const char *what, const char *text, uint64_t *count,
	    struct error *err)
{
	char *end;

	errno = 0;
	*count = strtoull(text, &end, 10);
	if (errno || end == text || *end || strchr(text, '-') || *count > s->most)
		return error_set(err, ERROR_USAGE,
				 "%s wants a number from 0 to %llu, not \"%.40s\"", what,
				 (unsigned long long)s->most, text);
	return true;
}

/* Finds the i-th word of "a|b|c". Returns its length, or 0 if there is none. */
static size_t
nth_word(const char *words, unsigned i, const char **word)
{
	while (i && *words) {
		words += strcspn(words, "|");
		words += *words == '|';
		i--;
	}
	*word = words;
	return strcspn(words, "|");
}

/* Returns the index of a word in "a|b|c", or -1. */
static int
find_word(const char *words, const char *text)
{
	const char *word;
	size_t len;

	for (unsigned i = 0; (len = nth_word(words, i, &word)) > 0; i++)
		if (len == strlen(text) && !memcmp(word, text, len))
			return (int)i;
	return -1;
}

static bool
parse_switch(const char *what, const char *text, bool *out, struct error *err)
{
	static const char *const words[] = { "off", "on", "no", "yes", "false", "true", "0", "1" };

	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (!strcmp(text, words[i])) {
			*out = i % 2 != 0;
			return true;
		}
	return error_set(err, ERROR_USAGE, "%s is on or off, not \"%.40s\"", what, text);
}

static bool
parse_choice(const struct setting *s, const char *what, const char *text, unsigned *out,
	     struct error *err)
{
	int word = find_word(s->values, text);

	*out = (unsigned)word;
	return word >= 0 ||
	       error_set(err, ERROR_USAGE, "%s is one of %s, not \"%.40s\"", what, s->values, text);
}

static bool
parse_number(const struct setting *s, const char *what, const char *text, uint64_t *out,
	     struct error *err)
{
	/* The first word names the kind of value; the others are values. */
	if (find_word(s->values, text) > 0) {
		*out = SETTING_NONE;
		return true;
	}
	if (s->kind == SETTING_SIZE)
		return quantity_parse_size(what, text, out, err);
	if (s->kind == SETTING_TIME)
		return quantity_parse_time(what, text, out, err);
	return parse_count(s, what, text, out, err);
}

static void *
place_of(const struct setting *s, struct settings *of, size_t view)
{
	return (char *)of + s->at + view * s->size;
}

static bool
store_word(const struct setting *s, const char *what, const char *text, size_t view,
	   struct settings *to, struct error *err)
{
	const struct view_ops *ops = s->flags & SETTING_OF_VIEWS ? all_views[view] : NULL;
	size_t len = strlen(text);

	if (len >= s->size)
		return error_set(err, ERROR_USAGE, "%s takes at most %zu bytes, not %zu", what,
				 s->size - 1, len);
	if (s->check && !s->check(text, ops, err))
		return false;
	memcpy(place_of(s, to, view), text, len + 1);
	return true;
}

bool
setting_store(const struct setting *s, const char *what, const char *text, size_t view,
	      struct settings *to, struct error *err)
{
	void *place = place_of(s, to, view);
	uint64_t number;
	unsigned choice;

	switch (s->kind) {
	case SETTING_SWITCH:
		return parse_switch(what, text, place, err);
	case SETTING_CHOICE:
		if (!parse_choice(s, what, text, &choice, err))
			return false;
		memcpy(place, &choice, sizeof choice);
		return true;
	case SETTING_COUNT:
	case SETTING_SIZE:
	case SETTING_TIME:
		if (!parse_number(s, what, text, &number, err))
			return false;
		memcpy(place, &number, sizeof number);
		return true;
	case SETTING_WORD:
		break;
	}
	return store_word(s, what, text, view, to, err);
}

void
setting_reset(const struct setting *s, size_t view, struct settings *to)
{
	struct error ignored = { 0 };

	/* Skip s->check: for a theme it would read a file. */
	if (s->kind == SETTING_WORD)
		snprintf(place_of(s, to, view), s->size, "%s", s->initial);
	else
		(void)setting_store(s, s->name, s->initial, view, to, &ignored);
}

/* --- to text -------------------------------------------------------------- */

static void
show_number(const struct setting *s, uint64_t n, char *out)
{
	static const char units[] = "TGMK";
	const char *word;
	size_t len;

	if (n == SETTING_NONE) {
		len = nth_word(s->values, 1, &word);
		snprintf(out, SETTING_TEXT_BYTES, "%.*s", (int)len, word);
		return;
	}
	if (s->kind == SETTING_TIME) {
		bool is_whole = n % 1000 == 0;

		snprintf(out, SETTING_TEXT_BYTES, "%llu%s",
			 (unsigned long long)(is_whole ? n / 1000 : n), is_whole ? "s" : "ms");
		return;
	}
	for (unsigned i = 0; s->kind == SETTING_SIZE && units[i]; i++) {
		unsigned shift = 10 * (4 - i);

		if (n && !(n & ((UINT64_C(1) << shift) - 1))) {
			snprintf(out, SETTING_TEXT_BYTES, "%llu%c",
				 (unsigned long long)(n >> shift), units[i]);
			return;
		}
	}
	snprintf(out, SETTING_TEXT_BYTES, "%llu", (unsigned long long)n);
}

const char *
setting_show(const struct setting *s, const struct settings *from, size_t view,
	     char out[SETTING_TEXT_BYTES])
{
	const char *place = (const char *)from + s->at + view * s->size, *word;
	unsigned choice;
	uint64_t number;
	size_t len;

	switch (s->kind) {
	case SETTING_SWITCH:
		snprintf(out, SETTING_TEXT_BYTES, "%s", *(const bool *)place ? "on" : "off");
		break;
	case SETTING_CHOICE:
		memcpy(&choice, place, sizeof choice);
		len = nth_word(s->values, choice, &word);
		snprintf(out, SETTING_TEXT_BYTES, "%.*s", (int)len, word);
		break;
	case SETTING_COUNT:
	case SETTING_SIZE:
	case SETTING_TIME:
		memcpy(&number, place, sizeof number);
		show_number(s, number, out);
		break;
	case SETTING_WORD:
		snprintf(out, SETTING_TEXT_BYTES, "%s", place);
		break;
	}
	return out;
}

/* --- what can be typed ---------------------------------------------------- */

void
setting_complete(const struct setting *s, const struct view_ops *view,
		 void (*add)(void *to, const char *word), void *to)
{
	const char *values = s->kind == SETTING_SWITCH ? "on|off" : s->values;
	const char *word;
	char text[64];
	size_t len;

	if (s->complete)
		s->complete(view, add, to);
	/* Words in capitals are placeholders. */
	for (unsigned i = 0; (len = nth_word(values, i, &word)) > 0; i++) {
		if ((*word >= 'A' && *word <= 'Z') || len >= sizeof text)
			continue;
		memcpy(text, word, len);
		text[len] = '\0';
		add(to, text);
	}
}

const char *
setting_form(const struct setting *s, char out[64])
{
	if (s->kind == SETTING_SWITCH)
		snprintf(out, 64, "%s, no%s", s->name, s->name);
	else
		snprintf(out, 64, "%s%s=%s", s->name, s->flags & SETTING_OF_VIEWS ? ".VIEW" : "",
			 s->values);
	return out;
}
