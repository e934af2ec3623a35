#include "tui/widget/prompt.h"
#include "model/base/arena.h"
#include "model/base/utf8.h"
#include "tui/widget/completion.h"
#include "tui/widget/line_editor.h"
#include "tui/widget/line_history.h"
#include "tui/widget/history_search.h"
#include "tui/term/term.h"
#include "model/base/text.h"
#include <stdio.h>
#include <string.h>

struct prompt {
	struct line_editor *editor;
	const struct edited_line *line;
	struct line_history history;

	char sign[16];
	prompt_complete *complete;
	void *context;
	struct completion completion;

	struct history_search search;
	char before_search[LINE_BYTES]; /* the line before ^R */
};

static struct prompt *
open_prompt(const char *history_file, size_t lines_max, bool is_secure, struct error *err)
{
	struct prompt *p = memory_new(1, sizeof(*p), err);

	if (!p)
		return NULL;
	completion_init(&p->completion);
	p->editor = line_editor_new(is_secure, err);
	if (!p->editor) {
		prompt_free(p);
		return NULL;
	}
	p->line = line_editor_line(p->editor);
	line_history_open(&p->history, history_file, lines_max, err);
	line_editor_remember(p->editor, &p->history);
	return p;
}

struct prompt *
prompt_new(const char *history_file, size_t lines_max, struct error *err)
{
	return open_prompt(history_file, lines_max, false, err);
}

struct prompt *
prompt_new_secure(struct error *err)
{
	return open_prompt(NULL, HISTORY_LINES_MAX, true, err);
}

void
prompt_free(struct prompt *p)
{
	if (!p)
		return;
	line_editor_free(p->editor);
	line_history_close(&p->history);
	completion_clear(&p->completion);
	memory_free(p);
}

/* ---- completion ---- */

/* Replaces the typed text, or the word put there before, by `text`. */
static void
completion_put(struct prompt *p, const char *text)
{
	struct completion *c = &p->completion;

	line_editor_delete(p->editor, c->typed_len);
	line_editor_insert(p->editor, text);
	c->typed_len = strlen(text) < p->line->cursor ? strlen(text) : p->line->cursor;
}

static void
completion_step(struct prompt *p, int step)
{
	struct completion *c = &p->completion;

	c->selected += step;
	if (c->selected >= c->count)
		c->selected = 0;
	if (c->selected < 0)
		c->selected = c->count - 1;
	completion_put(p, c->words[c->selected]);
}

static void
completion_begin(struct prompt *p)
{
	struct completion *c = &p->completion;
	char common[LINE_BYTES];

	completion_collect(c, p->line->text, p->line->cursor, p->complete, p->context);
	if (c->count == 0)
		return;
	if (c->count == 1) {
		completion_put(p, c->words[0]);
		/* "theme=" is not the end of a word. */
		if (p->line->text[p->line->cursor] == '\0' && p->line->cursor &&
		    p->line->text[p->line->cursor - 1] != '=')
			line_editor_insert(p->editor, " ");
		completion_clear(c);
		return;
	}
	completion_put(p, completion_common(c, common, sizeof(common)));
}

/* Esc closes the list and restores the typed text. */
static void
completion_undo(struct prompt *p)
{
	struct completion *c = &p->completion;

	if (c->selected >= 0)
		completion_put(p, c->typed);
	completion_clear(c);
}

/* ---- the history: libedit's own search talks to the terminal by itself
   ---- */

/* Shows the matching line with the cursor at the match. */
static void
search_show(struct prompt *p)
{
	const char *found;

	if (!p->search.is_found || !*p->search.wanted)
		return;
	line_editor_put(p->editor, p->history.lines[p->search.at]);
	found = strstr(p->line->text, p->search.wanted);
	if (found)
		line_editor_move_back(p->editor, (size_t)(found - p->line->text));
}

static void
search_start(struct prompt *p)
{
	strcpy(p->before_search, p->line->text);
	history_search_begin(&p->search, &p->history, p->line->text, p->line->cursor);
	search_show(p);
}

/* Returns false if the search has ended and the key is for the matching
   line. */
static bool
search_key(struct prompt *p, int key)
{
	switch (history_search_key(&p->search, &p->history, key)) {
	case HISTORY_SEARCH_CONTINUES:
		search_show(p);
		return true;
	case HISTORY_SEARCH_CANCELLED:
		line_editor_put(p->editor, p->before_search);
		return true;
	case HISTORY_SEARCH_ACCEPTED:
		break;
	}
	return false;
}

bool
prompt_keep(struct prompt *p, const char *line, struct error *err)
{
	bool is_kept = line_history_add(&p->history, line, err);

	line_editor_remember(p->editor, &p->history);
	return is_kept;
}

/* ---- keys ---- */

void
prompt_begin(struct prompt *p, const char *sign, const char *initial, prompt_complete *complete,
	     void *context)
{
	completion_clear(&p->completion);
	snprintf(p->sign, sizeof(p->sign), "%s", sign);
	p->complete = complete;
	p->context = context;
	p->search.is_on = false;
	line_editor_begin(p->editor);
	if (initial && line_editor_is_editing(p->editor))
		line_editor_insert(p->editor, initial);
}

static enum prompt_state
prompt_cancel(struct prompt *p)
{
	line_editor_abort(p->editor);
	completion_clear(&p->completion);
	return PROMPT_CANCELLED;
}

/* libedit has finished or abandoned the line. */
static enum prompt_state
prompt_end(struct prompt *p)
{
	completion_clear(&p->completion);
	if (!line_editor_is_accepted(p->editor))
		return prompt_cancel(p);
	line_history_note(&p->history, p->line->text);
	line_editor_remember(p->editor, &p->history);
	return PROMPT_DONE;
}

enum prompt_state
prompt_key(struct prompt *p, int key)
{
	bool has_list = p->completion.count > 0;

	if (!line_editor_is_editing(p->editor))
		return PROMPT_CANCELLED;
	if (key == TK_TIMEOUT || key == TK_WAKE || key == TK_RESIZE)
		return PROMPT_EDITING;
	if (p->search.is_on && search_key(p, key))
		return PROMPT_EDITING;
	switch (key) {
	case TK_CTRL('R'):
		completion_clear(&p->completion);
		search_start(p);
		return PROMPT_EDITING;
	case TK_QUIT:
	case TK_INTERRUPT:
	case TK_CTRL('C'):
		return prompt_cancel(p);
	case TK_TAB:
	case TK_BACKTAB:
		if (has_list)
			completion_step(p, key == TK_TAB ? 1 : -1);
		else
			completion_begin(p);
		return PROMPT_EDITING;
	case TK_ESCAPE:
		if (has_list) {
			completion_undo(p);
			return PROMPT_EDITING;
		}
		if (!line_editor_is_vi(p->editor))
			return prompt_cancel(p);
		break;
	case TK_BACKSPACE:
		if (p->line->chars == 0)
			return prompt_cancel(p);
		break;
	default:
		break;
	}
	completion_clear(&p->completion);
	return line_editor_key(p->editor, key) ? PROMPT_EDITING : prompt_end(p);
}

const char *
prompt_line(const struct prompt *p)
{
	return p->line->text;
}

bool
prompt_is_plain(const struct prompt *p)
{
	return !p->search.is_on && !p->completion.count;
}

/* ---- drawing ---- */

/* Returns where to start drawing so that the cursor is visible. */
static const char *
line_visible_part(const struct prompt *p, int columns)
{
	const char *start = p->line->text;
	char before[LINE_BYTES];

	memcpy(before, p->line->text, p->line->cursor);
	before[p->line->cursor] = '\0';
	while (*start && text_width(before + (start - p->line->text)) >= columns) {
		size_t used;

		utf8_decode(start, &used);
		start += used;
	}
	return start;
}

static int
draw_sign(const struct prompt *p, struct screen *s, int row)
{
	const struct history_search *k = &p->search;
	char number[48] = "";

	if (!k->is_on)
		return screen_put(s, row, 0, s->columns, STYLE_KEY, p->sign);
	if (k->is_found)
		snprintf(number, sizeof number, " %zu/%zu", k->number, k->count);
	return screen_printf(s, row, 0, s->columns, STYLE_KEY, "%s%s \"%s\" %s",
			     k->is_found || !*k->wanted ? "history" : "no line has", number,
			     k->wanted, p->sign);
}

void
prompt_draw(const struct prompt *p, struct screen *s, int row)
{
	int at = 0, columns;
	const char *start;
	char before[LINE_BYTES];
	size_t len;

	completion_draw(&p->completion, s, row);
	screen_printf(s, row, 0, s->columns, STYLE_NORMAL, "%*s", s->columns, "");
	at = draw_sign(p, s, row);
	columns = s->columns - at;
	if (columns < 2)
		return;
	start = line_visible_part(p, columns - 1);
	if (start > p->line->text)
		at += screen_put(s, row, at, 1, STYLE_DIM, "…");
	screen_put(s, row, at, s->columns - at, STYLE_NORMAL, start);
	len = (size_t)(p->line->text + p->line->cursor - start);
	memcpy(before, start, len);
	before[len] = '\0';
	s->caret_row = row;
	s->caret_column = at + text_width(before);
}
