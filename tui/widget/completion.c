#include "model/base/nearest.h"
#include "model/base/text.h"
#include "tui/widget/completion.h"
#include <stdio.h>
#include <string.h>

enum { ARENA_LIMIT = 8 << 20, LIST_ROWS_MAX = 8, GAP = 2 };

void
completion_init(struct completion *c)
{
	*c = (struct completion){ .selected = -1 };
	arena_init(&c->arena, ARENA_LIMIT);
}

void
completion_clear(struct completion *c)
{
	arena_clear(&c->arena);
	completion_init(c);
}

/* ---- words ---- */

static void
word_add(void *to, const char *word)
{
	struct completion *c = to;
	struct error ignored = { 0 };

	if (c->count == COMPLETION_WORDS_MAX || *word == '\0')
		return;
	/* The list is shorter if memory runs out. */
	word = arena_strndup(&c->arena, word, strlen(word), &ignored);
	if (word)
		c->words[c->count++] = word;
}

/* strncasecmp() would depend on the locale. */
static size_t
common_len(const char *a, const char *b, size_t max)
{
	size_t len = 0;

	while (len < max && a[len] && letter_lower(a[len]) == letter_lower(b[len]))
		len++;
	return len;
}

static int
words_that_continue(const struct completion *c, const char *typed, size_t len)
{
	int count = 0;

	for (int i = 0; i < c->count; i++)
		count += common_len(c->words[i], typed, len) == len;
	return count;
}

static void
words_keep(struct completion *c, const char *typed, size_t len)
{
	int kept = 0;

	for (int i = 0; i < c->count; i++)
		if (common_len(c->words[i], typed, len) == len)
			c->words[kept++] = c->words[i];
	c->count = kept;
}

static bool
is_word_start(const char *line, size_t at)
{
	return at == 0 || strchr(" ;(=~<>,'", line[at - 1]);
}

void
completion_collect(struct completion *c, const char *line, size_t cursor, prompt_complete *complete,
		   void *context)
{
	struct error ignored = { 0 };
	size_t start = cursor;

	completion_clear(c);
	c->words = arena_array(&c->arena, const char *, COMPLETION_WORDS_MAX, &ignored);
	if (!c->words || !complete)
		return;
	complete(context, line, cursor, word_add, c);
	/* Find the longest text before the cursor that some word continues. */
	for (size_t at = 0; at <= cursor; at++) {
		if (!is_word_start(line, at))
			continue;
		start = at;
		if (words_that_continue(c, line + at, cursor - at) > 0)
			break;
	}
	if (words_that_continue(c, line + start, cursor - start) > 0)
		words_keep(c, line + start, cursor - start);
	c->typed_len = cursor - start;
	c->typed = arena_strndup(&c->arena, line + start, c->typed_len, &ignored);
	if (!c->typed)
		completion_clear(c);
}

const char *
completion_common(const struct completion *c, char *out, size_t out_size)
{
	size_t len = c->count > 0 ? strlen(c->words[0]) : 0;

	for (int i = 1; i < c->count; i++)
		len = common_len(c->words[0], c->words[i], len);
	/* Do not cut a character. */
	while (len > 0 && ((unsigned char)c->words[0][len] & 0xc0) == 0x80)
		len--;
	/* The words contain the typed text only in the middle. */
	if (len < c->typed_len || len >= out_size)
		snprintf(out, out_size, "%s", c->typed ? c->typed : "");
	else
		snprintf(out, out_size, "%.*s", (int)len, c->count > 0 ? c->words[0] : "");
	return out;
}

/* ---- the list ---- */

static int
widest_word(const struct completion *c)
{
	int widest = 1;

	for (int i = 0; i < c->count; i++) {
		int width = text_width(c->words[i]);

		widest = width > widest ? width : widest;
	}
	return widest;
}

static void
word_draw(const struct completion *c, int i, struct screen *s, int row, int column, int width)
{
	char text[1024];
	enum style style = i == c->selected ? STYLE_CURSOR : STYLE_NORMAL;

	screen_put(s, row, column, width, style, text_fit(c->words[i], width, text, sizeof(text)));
}

void
completion_draw(const struct completion *c, struct screen *s, int row)
{
	int widest, per_row, list_rows, rows, first = 0;

	if (c->count < 2 || row < 2)
		return;
	widest = widest_word(c);
	widest = widest > s->columns ? s->columns : widest;
	per_row = (s->columns + GAP) / (widest + GAP);
	per_row = per_row < 1 ? 1 : per_row;
	list_rows = (c->count + per_row - 1) / per_row;
	rows = list_rows < LIST_ROWS_MAX ? list_rows : LIST_ROWS_MAX;
	rows = rows < row - 1 ? rows : row - 1;
	if (c->selected >= 0 && c->selected / per_row >= rows)
		first = c->selected / per_row - rows + 1;
	for (int y = 0; y <= rows; y++)
		screen_printf(s, row - y - 1, 0, s->columns, STYLE_NORMAL, "%*s", s->columns, "");
	screen_printf(s, row - rows - 1, 0, s->columns, STYLE_DIM,
		      c->selected < 0 ? "%d words; Tab for the next"
				      : "%d words; this is number %d",
		      c->count, c->selected + 1);
	for (int y = 0; y < rows; y++) {
		for (int x = 0; x < per_row; x++) {
			int i = (first + y) * per_row + x;

			if (i < c->count)
				word_draw(c, i, s, row - rows + y, x * (widest + GAP), widest);
		}
	}
}
