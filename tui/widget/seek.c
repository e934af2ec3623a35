#include "tui/widget/seek.h"
#include "model/base/utf8.h"
#include "tui/term/term.h"
#include <stdio.h>
#include <string.h>

static bool
is_match(const struct seek *s, const struct past *past, size_t at)
{
	return strstr(past->lines[at], s->sought) != NULL;
}

static void
count_matches(struct seek *s, const struct past *past)
{
	s->count = s->number = 0;
	for (size_t i = past->count; i-- > 0;) {
		if (!is_match(s, past, i))
			continue;
		s->count++;
		if (i == s->at)
			s->number = s->count;
	}
}

/* Go to the next match older or newer than line `from`; if there is none,
   stay. */
static void
go_on(struct seek *s, const struct past *past, size_t from, bool is_older)
{
	size_t at = from;

	do
		at = is_older ? at - 1 : at + 1; /* 0 - 1 is past the end too */
	while (at < past->count && !is_match(s, past, at));
	if (at < past->count) {
		s->at = at;
		s->is_found = true;
	}
	count_matches(s, past);
}

static void
begin_anew(struct seek *s, const struct past *past)
{
	s->is_found = false;
	s->at = past->count;
	if (*s->sought)
		go_on(s, past, past->count, true);
}

void
seek_begin(struct seek *s, const struct past *past, const char *typed,
	   size_t len)
{
	snprintf(s->sought, sizeof s->sought, "%.*s", (int)len, typed);
	s->is_on = true;
	begin_anew(s, past);
}

static void
end(struct seek *s)
{
	s->is_on = false;
	if (*s->sought)
		strcpy(s->last, s->sought);
}

static bool
is_way_out(int key)
{
	return key == TK_ESCAPE || key == TK_INTERRUPT || key == TK_CTRL('C') ||
	       key == TK_CTRL('G');
}

/* Returns false if the key does not edit the search text. */
static bool
type(struct seek *s, int key)
{
	size_t len = strlen(s->sought);

	if (key == TK_BACKSPACE) {
		while (len > 0 &&
		       ((unsigned char)s->sought[--len] & 0xc0) == 0x80)
			;
	} else if (key >= 0x20 && key < 0x110000) {
		if (len + UTF8_MAX_BYTES < sizeof s->sought)
			len += utf8_put((uint32_t)key, s->sought + len);
	} else {
		return false;
	}
	s->sought[len] = '\0';
	return true;
}

enum seek_answer
seek_key(struct seek *s, const struct past *past, int key)
{
	bool is_older = key == TK_CTRL('R') || key == TK_UP;

	if (is_way_out(key)) {
		end(s);
		return SEEK_UNDONE;
	}
	if (is_older && !*s->sought) {
		strcpy(s->sought, s->last);
		begin_anew(s, past);
	} else if (is_older || key == TK_CTRL('S') || key == TK_DOWN) {
		go_on(s, past, s->at, is_older);
	} else if (type(s, key)) {
		begin_anew(s, past);
	} else {
		end(s);
		return SEEK_TAKEN;
	}
	return SEEK_GOES_ON;
}
