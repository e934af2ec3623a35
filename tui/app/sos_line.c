#include "tui/app/sos_line.h"
#include <string.h>

bool
sos_same_word(const char *a, const char *b, size_t b_len)
{
	for (; *a && b_len; a++, b++, b_len--)
		if (*a != *b && ((*a | 32) != (*b | 32) || (*a | 32) < 'a' || (*a | 32) > 'z'))
			return false;
	return !*a && !b_len;
}

bool
sos_has_word(const char *name, size_t name_len, const char *words)
{
	size_t len;

	for (; *words; words += len + (words[len] == ' ')) {
		char word[SOS_WORD_BYTES];

		len = strcspn(words, " ");
		snprintf(word, sizeof word, "%.*s", (int)len, words);
		if (sos_same_word(word, name, name_len))
			return true;
	}
	return false;
}

const char *
sos_next_word(struct sos_line *l)
{
	return l->at < l->count ? l->words[l->at++] : NULL;
}

bool
sos_wants(const struct sos_line *l, const char *what, struct error *err)
{
	return error_set(err, ERROR_USAGE, "%s wants %s", l->command->name, what);
}
