#include "tui/widget/history_search.h"
#include "model/base/utf8.h"
#include "tui/term/term.h"
#include <stdio.h>
#include <string.h>

static bool
is_match(const struct history_search *s, const struct line_history *history, size_t at)
{
	return strstr(history->lines[at], s->wanted) != NULL;
}

static void
count_matches(struct history_search *s, const struct line_history *history)
{
	s->count = s->number = 0;
	for (size_t i = history->count; i-- > 0;) {
		if (!is_match(s, history, i))
			continue;
		s->count++;
		if (i == s->at)
			s->number = s->count;
	}
}

/* Goes to the next match older or newer than line `from`; if there is none,
   stay. */
static void
go_on(struct history_search *s, const struct line_history *history, size_t from, bool is_older)
{
	size_t at = from;

	do
		at = is_older ? at - 1 : at + 1; /* 0 - 1 is past the end too */
	while (at < history->count && !is_match(s, history, at));
	if (at < history->count) {
		s->at = at;
		s->is_found = true;
	}
	count_matches(s, history);
}

static void
begin_anew(struct history_search *s, const struct line_history *history)
{
	s->is_found = false;
	s->at = history->count;
	if (*s->wanted)
		go_on(s, history, history->count, true);
}

void
history_search_begin(struct history_search *s, const struct line_history *history,
		     const char *typed, size_t len)
{
	snprintf(s->wanted, sizeof s->wanted, "%.*s", (int)len, typed);
	s->is_on = true;
	begin_anew(s, history);
}

static void
end(struct history_search *s)
{
	s->is_on = false;
	if (*s->wanted)
		strcpy(s->last, s->wanted);
}

static bool
is_way_out(int key)
{
	return key == TK_ESCAPE || key == TK_INTERRUPT || key == TK_CTRL('C') ||
	       key == TK_CTRL('G');
}

/* Returns false if the key does not edit the search text. */
static bool
type(struct history_search *s, int key)
{
	size_t len = strlen(s->wanted);

	if (key == TK_BACKSPACE) {
		while (len > 0 && ((unsigned char)s->wanted[--len] & 0xc0) == 0x80)
			;
	} else if (key >= 0x20 && key < 0x110000) {
		if (len + UTF8_MAX_BYTES < sizeof s->wanted)
			len += utf8_put((uint32_t)key, s->wanted + len);
	} else {
		return false;
	}
	s->wanted[len] = '\0';
	return true;
}

enum history_search_result
history_search_key(struct history_search *s, const struct line_history *history, int key)
{
	bool is_older = key == TK_CTRL('R') || key == TK_UP;

	if (is_way_out(key)) {
		end(s);
		return HISTORY_SEARCH_CANCELLED;
	}
	if (is_older && !*s->wanted) {
		strcpy(s->wanted, s->last);
		begin_anew(s, history);
	} else if (is_older || key == TK_CTRL('S') || key == TK_DOWN) {
		go_on(s, history, s->at, is_older);
	} else if (type(s, key)) {
		begin_anew(s, history);
	} else {
		end(s);
		return HISTORY_SEARCH_ACCEPTED;
	}
	return HISTORY_SEARCH_CONTINUES;
}
