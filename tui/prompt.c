#include "tui/prompt.h"
#include "model/arena.h"
#include "tui/completion.h"
#include "tui/past.h"
#include "tui/seek.h"
#include "tui/term.h"
#include "tui/terminfo.h"
#include "model/thread.h"
#include "model/utf8.h"
#include <errno.h>
#include <fcntl.h>
#include <histedit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

enum {
	LINE_CHARS_MAX = 1000, /* typing stops there */
	LINE_BYTES = 4 * LINE_CHARS_MAX + 64,
	KEYS_MAX = 4, /* characters that one key becomes */
};

/* Who runs: the thread of libedit only while the stage is EDITOR_RUNS, the
 * program only while it is not. */
enum stage { EDITOR_IDLE, EDITOR_RUNS, EDITOR_WAITS };

struct prompt {
	EditLine *editor;
	HistoryW *history;
	struct past past;
	FILE *nowhere;
	int pty, terminal; /* a terminal of libedit's own: both of its ends */
	struct termios modes; /* of ours, if there can be no other */

	pthread_t thread;
	bool has_thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	enum stage stage;
	bool is_aborted, is_ending, is_accepted;
	wchar_t keys[KEYS_MAX];
	int keys_count, keys_used;

	char sign[16];
	char line[LINE_BYTES];
	size_t line_chars, cursor; /* cursor: in bytes */
	prompt_complete *complete;
	void *context;
	struct completion completion;

	struct seek seek;
	char unsought[LINE_BYTES]; /* the line before ^R */
};

/* ---- the line ---- */

static size_t
line_add(char *line, size_t len, wchar_t c)
{
	if (len + UTF8_MAX_BYTES < LINE_BYTES && c != L'\n')
		len += utf8_put((uint32_t)c, line + len);
	line[len] = '\0';
	return len;
}

/* Takes over what libedit has in its buffer. */
static void
line_read(struct prompt *p)
{
	const LineInfoW *info = el_wline(p->editor);
	size_t len = 0;

	p->line[0] = '\0';
	p->cursor = 0;
	p->line_chars = (size_t)(info->lastchar - info->buffer);
	for (const wchar_t *at = info->buffer; at < info->lastchar; at++) {
		if (at == info->cursor)
			p->cursor = len;
		len = line_add(p->line, len, *at);
	}
	if (info->cursor == info->lastchar)
		p->cursor = len;
}

static int
characters_count(const char *text, size_t len)
{
	int count = 0;

	for (size_t i = 0; i < len; i++)
		count += ((unsigned char)text[i] & 0xc0) != 0x80;
	return count;
}

static void
line_insert(struct prompt *p, const char *text)
{
	wchar_t wide[LINE_CHARS_MAX + 1];
	size_t count = 0, used;

	for (; *text && count + p->line_chars < LINE_CHARS_MAX; text += used) {
		uint32_t c = utf8_decode(text, &used);

		wide[count++] = c == UTF8_BROKEN ? L'\ufffd' : (wchar_t)c;
	}
	wide[count] = L'\0';
	if (count > 0)
		el_winsertstr(p->editor, wide);
	line_read(p);
}

/* ---- the thread that libedit runs on ---- */

/* libedit wants a key. */
static int
editor_read(EditLine *editor, wchar_t *key)
{
	struct prompt *p = NULL;
	int got = 0;

	el_wget(editor, EL_CLIENTDATA, (void *)&p);
	pthread_mutex_lock(&p->lock);
	while (p->keys_used == p->keys_count && !p->is_aborted) {
		p->stage = EDITOR_WAITS;
		pthread_cond_broadcast(&p->changed);
		while (p->stage != EDITOR_RUNS)
			pthread_cond_wait(&p->changed, &p->lock);
	}
	if (!p->is_aborted) {
		*key = p->keys[p->keys_used++];
		got = 1;
	}
	pthread_mutex_unlock(&p->lock);
	return got;
}

static void *
editor_run(void *context)
{
	struct prompt *p = context;

	pthread_mutex_lock(&p->lock);
	for (;;) {
		const wchar_t *text;
		int count = 0;
		size_t len = 0;

		while (p->stage != EDITOR_RUNS)
			pthread_cond_wait(&p->changed, &p->lock);
		if (p->is_ending)
			break;
		pthread_mutex_unlock(&p->lock);
		text = el_wgets(p->editor, &count);
		if (p->pty < 0)
			tcsetattr(p->terminal, TCSANOW, &p->modes);
		pthread_mutex_lock(&p->lock);
		p->is_accepted = text && count > 0 && !p->is_aborted;
		p->line[0] = '\0';
		for (int i = 0; p->is_accepted && i < count; i++)
			len = line_add(p->line, len, text[i]);
		p->stage = EDITOR_IDLE;
		pthread_cond_broadcast(&p->changed);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

/* Lets libedit work until it wants the next key or the line is done. */
static void
editor_continue(struct prompt *p)
{
	pthread_mutex_lock(&p->lock);
	p->stage = EDITOR_RUNS;
	pthread_cond_broadcast(&p->changed);
	while (p->stage == EDITOR_RUNS)
		pthread_cond_wait(&p->changed, &p->lock);
	pthread_mutex_unlock(&p->lock);
	if (p->stage == EDITOR_WAITS)
		line_read(p);
}

static void
editor_send(struct prompt *p, const wchar_t *keys, int count)
{
	memcpy(p->keys, keys, (size_t)count * sizeof(*keys));
	p->keys_count = count;
	p->keys_used = 0;
	editor_continue(p);
}

static void
editor_abort(struct prompt *p)
{
	if (p->stage == EDITOR_IDLE)
		return;
	p->is_aborted = true;
	editor_continue(p);
	p->is_aborted = false;
}

static bool
editor_start(struct prompt *p, struct error *err)
{
	int errnum;

	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->changed, NULL);
	errnum = thread_start(&p->thread, editor_run, p);
	if (errnum)
		return error_sys(err, errnum,
				 "cannot start a thread for the prompt");
	p->has_thread = true;
	return true;
}

static void
editor_stop(struct prompt *p)
{
	if (!p->has_thread)
		return;
	editor_abort(p);
	pthread_mutex_lock(&p->lock);
	p->is_ending = true;
	p->stage = EDITOR_RUNS;
	pthread_cond_broadcast(&p->changed);
	pthread_mutex_unlock(&p->lock);
	pthread_join(p->thread, NULL);
	pthread_mutex_destroy(&p->lock);
	pthread_cond_destroy(&p->changed);
}

/* ---- libedit ---- */

/* Esc in vi's command mode, where there is nothing left to leave but us. */
static unsigned char
editor_cancel(EditLine *editor, int key)
{
	(void)editor;
	(void)key;
	return CC_EOF;
}

/*
 * Keys with names reach libedit as C1 controls, which nobody can type: so what
 * an arrow does depends neither on the terminal nor on the vi mode.
 */
/* clang-format off */
static const struct {
	int key;
	wchar_t sent;
	const wchar_t *command;
} named_keys[] = {
	{ TK_UP,        0x80, L"ed-prev-history" },
	{ TK_DOWN,      0x81, L"ed-next-history" },
	{ TK_LEFT,      0x82, L"ed-prev-char" },
	{ TK_RIGHT,     0x83, L"ed-next-char" },
	{ TK_HOME,      0x84, L"ed-move-to-beg" },
	{ TK_END,       0x85, L"ed-move-to-end" },
	{ TK_DELETE,    0x86, L"ed-delete-next-char" },
	{ TK_BACKSPACE, 0x87, L"ed-delete-prev-char" },
	{ TK_ENTER,     L'\n', L"ed-newline" },
};
/* clang-format on */

static bool
editor_is_vi(const struct prompt *p)
{
	const wchar_t *name = NULL;

	return el_wget(p->editor, EL_EDITOR, &name) == 0 && name &&
	       name[0] == L'v';
}

static void
editor_bind(struct prompt *p)
{
	size_t count = sizeof(named_keys) / sizeof(named_keys[0]);
	wchar_t key[2] = { 0 };

	for (size_t i = 0; i < count; i++) {
		key[0] = named_keys[i].sent;
		el_wset(p->editor, EL_BIND, key, named_keys[i].command, NULL);
		el_wset(p->editor, EL_BIND, L"-a", key, named_keys[i].command,
			NULL);
	}
	/* Without a locale libedit takes é for Alt and a letter. */
	for (key[0] = 0xa0; key[0] <= 0xff; key[0]++)
		el_wset(p->editor, EL_BIND, key, L"ed-insert", NULL);
	el_wset(p->editor, EL_ADDFN, L"heaptop-cancel", L"leave the prompt",
		editor_cancel);
	/* libedit's own commands would be a prompt within the prompt. */
	if (editor_is_vi(p)) {
		el_wset(p->editor, EL_BIND, L"-a", L"\033", L"heaptop-cancel",
			NULL);
		el_wset(p->editor, EL_BIND, L"-a", L":", L"ed-unassigned",
			NULL);
		/* It would start an editor on the terminal that curses has. */
		el_wset(p->editor, EL_BIND, L"-a", L"v", L"ed-unassigned",
			NULL);
	} else {
		el_wset(p->editor, EL_BIND, L"\033x", L"ed-unassigned", NULL);
	}
}

/*
 * libedit edits only on a terminal, and sets its modes. It gets one of its
 * own, so that it cannot disturb the one that curses has.
 */
static bool
terminal_open(struct prompt *p, struct error *err)
{
	struct winsize size = { .ws_row = 50, .ws_col = 200 };
	const char *name;

	p->pty = posix_openpt(O_RDWR | O_NOCTTY);
	/* In a root without devices: ours, whose modes are given back. */
	if (p->pty < 0 && isatty(STDIN_FILENO)) {
		p->terminal = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
		if (p->terminal >= 0 && !tcgetattr(p->terminal, &p->modes))
			return true;
	}
	if (p->pty < 0 || grantpt(p->pty) < 0 || unlockpt(p->pty) < 0)
		return error_sys(err, errno,
				 "cannot open a pseudo-terminal for the "
				 "prompt");
	fcntl(p->pty, F_SETFD, FD_CLOEXEC);
	name = ptsname(p->pty);
	p->terminal = name ? open(name, O_RDWR | O_NOCTTY | O_CLOEXEC) : -1;
	if (p->terminal < 0)
		return error_sys(err, errno,
				 "cannot open the prompt's pseudo-terminal");
	ioctl(p->terminal, TIOCSWINSZ, &size);
	return true;
}

/*
 * With TERM=dumb: what libedit would send to a cleverer terminal goes nowhere,
 * and curses' answer to its questions about it is never freed.
 */
static EditLine *
editor_init(struct prompt *p)
{
	const char *type = getenv("TERM");
	char *kept = type ? strdup(type) : NULL;
	void *terminal = terminfo_current();
	EditLine *editor;

	setenv("TERM", "dumb", 1);
	editor = el_init_fd("heaptop", p->nowhere, p->nowhere, p->nowhere,
			    p->terminal, p->terminal, p->terminal);
	terminfo_use(terminal);
	if (kept)
		setenv("TERM", kept, 1);
	else
		unsetenv("TERM");
	free(kept);
	return editor;
}

/* A root with nothing in it has no such file either. */
static FILE *
open_nowhere(void)
{
	enum { SPARE_BYTES = 4096 }; /* what is too much is lost: good */
	FILE *file = fopen("/dev/null", "r+e");

	if (!file)
		file = fmemopen(NULL, SPARE_BYTES, "r+");
	return file;
}

static bool
editor_open(struct prompt *p, bool is_secure, struct error *err)
{
	HistEventW event;

	p->nowhere = open_nowhere();
	if (!p->nowhere)
		return error_sys(err, errno, "cannot open /dev/null");
	p->editor = editor_init(p);
	p->history = history_winit();
	if (!p->editor || !p->history)
		return error_set(err, ERROR_SYSTEM,
				 "libedit cannot be started");
	history_w(p->history, &event, H_SETSIZE, PAST_LINES_MAX);
	el_wset(p->editor, EL_CLIENTDATA, (void *)p);
	el_wset(p->editor, EL_HIST, history_w, p->history);
	el_wset(p->editor, EL_GETCFN, editor_read);
	el_wset(p->editor, EL_EDITOR, L"emacs");
	if (!is_secure)
		el_source(p->editor, NULL); /* ~/.editrc; none is fine */
	el_wset(p->editor, EL_EDITMODE, 1);
	editor_bind(p);
	return true;
}

static void
history_fill(struct prompt *p)
{
	HistEventW event;
	wchar_t wide[PAST_LINE_BYTES];

	history_w(p->history, &event, H_CLEAR);
	for (size_t i = 0; i < p->past.count; i++) {
		const char *at = p->past.lines[i];
		size_t count = 0, used;

		for (; *at && count < LINE_CHARS_MAX; at += used)
			wide[count++] = (wchar_t)utf8_decode(at, &used);
		wide[count] = L'\0';
		history_w(p->history, &event, H_ENTER, wide);
	}
}

static struct prompt *
open_prompt(const char *history_file, size_t lines_max, bool is_secure,
	    struct error *err)
{
	struct prompt *p = memory_new(1, sizeof(*p), err);

	if (!p)
		return NULL;
	p->pty = p->terminal = -1;
	completion_init(&p->completion);
	if (!terminal_open(p, err) || !editor_open(p, is_secure, err) ||
	    !editor_start(p, err)) {
		prompt_free(p);
		return NULL;
	}
	past_open(&p->past, history_file, lines_max, err);
	history_fill(p);
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
	return open_prompt(NULL, PAST_LINES_MAX, true, err);
}

void
prompt_free(struct prompt *p)
{
	if (!p)
		return;
	editor_stop(p);
	if (p->editor)
		el_end(p->editor);
	if (p->history)
		history_wend(p->history);
	if (p->nowhere)
		fclose(p->nowhere);
	if (p->terminal >= 0)
		close(p->terminal);
	if (p->pty >= 0)
		close(p->pty);
	past_close(&p->past);
	completion_clear(&p->completion);
	memory_free(p);
}

/* ---- completion ---- */

/* Puts `text` where what was typed, or the word before, stands. */
static void
completion_put(struct prompt *p, const char *text)
{
	struct completion *c = &p->completion;

	el_deletestr(
	    p->editor,
	    characters_count(p->line + p->cursor - c->typed_len, c->typed_len));
	line_read(p);
	line_insert(p, text);
	c->typed_len = strlen(text) < p->cursor ? strlen(text) : p->cursor;
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

	completion_collect(c, p->line, p->cursor, p->complete, p->context);
	if (c->count == 0)
		return;
	if (c->count == 1) {
		completion_put(p, c->words[0]);
		/* Not where the word goes on, as "theme=" does. */
		if (p->line[p->cursor] == '\0' && p->cursor &&
		    p->line[p->cursor - 1] != '=')
			line_insert(p, " ");
		completion_clear(c);
		return;
	}
	completion_put(p, completion_common(c, common, sizeof(common)));
}

/* Esc: the list goes, and what it put into the line. */
static void
completion_undo(struct prompt *p)
{
	struct completion *c = &p->completion;

	if (c->selected >= 0)
		completion_put(p, c->typed);
	completion_clear(c);
}

/* ---- the history ---- */

/* libedit's own search talks to the terminal by itself. */
static void
line_put(struct prompt *p, const char *text)
{
	el_cursor(p->editor, LINE_CHARS_MAX);
	el_deletestr(p->editor, (int)p->line_chars);
	line_read(p);
	line_insert(p, text);
}

/* The line that was found, and the cursor where what is sought begins. */
static void
seek_show(struct prompt *p)
{
	const char *found;

	if (!p->seek.is_found || !*p->seek.sought)
		return;
	line_put(p, p->past.lines[p->seek.at]);
	found = strstr(p->line, p->seek.sought);
	if (found)
		el_cursor(p->editor, -characters_count(found, strlen(found)));
	line_read(p);
}

static void
seek_start(struct prompt *p)
{
	strcpy(p->unsought, p->line);
	seek_begin(&p->seek, &p->past, p->line, p->cursor);
	seek_show(p);
}

/* False: the search is over, and the key is for the line that was found. */
static bool
seek_on(struct prompt *p, int key)
{
	switch (seek_key(&p->seek, &p->past, key)) {
	case SEEK_GOES_ON:
		seek_show(p);
		return true;
	case SEEK_UNDONE:
		line_put(p, p->unsought);
		return true;
	case SEEK_TAKEN:
		break;
	}
	return false;
}

bool
prompt_keep(struct prompt *p, const char *line, struct error *err)
{
	bool is_kept = past_add(&p->past, line, err);

	history_fill(p);
	return is_kept;
}

/* ---- keys ---- */

void
prompt_begin(struct prompt *p, const char *sign, const char *initial,
	     prompt_complete *complete, void *context)
{
	editor_abort(p);
	completion_clear(&p->completion);
	snprintf(p->sign, sizeof(p->sign), "%s", sign);
	p->complete = complete;
	p->context = context;
	p->keys_count = p->keys_used = 0;
	p->seek.is_on = false;
	editor_continue(p);
	if (initial && p->stage == EDITOR_WAITS)
		line_insert(p, initial);
}

static enum prompt_state
prompt_cancel(struct prompt *p)
{
	editor_abort(p);
	completion_clear(&p->completion);
	p->line[0] = '\0';
	return PROMPT_CANCELLED;
}

/* The line is done, or libedit wants no more of it. */
static enum prompt_state
prompt_end(struct prompt *p)
{
	completion_clear(&p->completion);
	if (!p->is_accepted)
		return prompt_cancel(p);
	past_note(&p->past, p->line);
	history_fill(p);
	return PROMPT_DONE;
}

/* What libedit gets for a key; 0: nothing. */
static int
key_translate(const struct prompt *p, int key, wchar_t out[KEYS_MAX])
{
	int count = 0;

	if (key & TK_ALT_BIT) {
		out[count++] = L'\033';
		key &= ~TK_ALT_BIT;
		key = key == TK_BACKSPACE ? 0x7f : key;
	}
	for (size_t i = 0; i < sizeof(named_keys) / sizeof(named_keys[0]);
	     i++) {
		if (named_keys[i].key == key) {
			out[count++] = named_keys[i].sent;
			return count;
		}
	}
	if (key <= 0 || key >= 0x110000 || (key >= 0x80 && key < 0xa0))
		return 0;
	if (key >= 0x20 && p->line_chars >= LINE_CHARS_MAX)
		return 0;
	out[count++] = (wchar_t)key;
	return count;
}

static enum prompt_state
prompt_edit(struct prompt *p, int key)
{
	wchar_t keys[KEYS_MAX];
	int count = key == TK_ESCAPE ? 1 : key_translate(p, key, keys);

	if (count == 0)
		return PROMPT_EDITING;
	if (key == TK_ESCAPE)
		keys[0] = L'\033';
	editor_send(p, keys, count);
	return p->stage == EDITOR_IDLE ? prompt_end(p) : PROMPT_EDITING;
}

enum prompt_state
prompt_key(struct prompt *p, int key)
{
	bool has_list = p->completion.count > 0;

	if (p->stage == EDITOR_IDLE)
		return PROMPT_CANCELLED;
	if (key == TK_TIMEOUT || key == TK_WAKE || key == TK_RESIZE)
		return PROMPT_EDITING;
	if (p->seek.is_on && seek_on(p, key))
		return PROMPT_EDITING;
	switch (key) {
	case TK_CTRL('R'):
		completion_clear(&p->completion);
		seek_start(p);
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
		if (!editor_is_vi(p))
			return prompt_cancel(p);
		break;
	case TK_BACKSPACE:
		if (p->line_chars == 0)
			return prompt_cancel(p);
		break;
	default:
		break;
	}
	completion_clear(&p->completion);
	return prompt_edit(p, key);
}

const char *
prompt_line(const struct prompt *p)
{
	return p->line;
}

bool
prompt_is_plain(const struct prompt *p)
{
	return !p->seek.is_on && !p->completion.count;
}

/* ---- drawing ---- */

/* Where to begin so that the cursor is seen: a place in the line. */
static const char *
line_visible_part(const struct prompt *p, int columns)
{
	const char *start = p->line;
	char before[LINE_BYTES];

	memcpy(before, p->line, p->cursor);
	before[p->cursor] = '\0';
	while (*start && text_width(before + (start - p->line)) >= columns) {
		size_t used;

		utf8_decode(start, &used);
		start += used;
	}
	return start;
}

static int
draw_sign(const struct prompt *p, struct screen *s, int row)
{
	const struct seek *k = &p->seek;
	char number[48] = "";

	if (!k->is_on)
		return screen_put(s, row, 0, s->columns, STYLE_KEY, p->sign);
	if (k->is_found)
		snprintf(number, sizeof number, " %zu/%zu", k->number,
			 k->count);
	return screen_printf(s, row, 0, s->columns, STYLE_KEY, "%s%s \"%s\" %s",
			     k->is_found || !*k->sought ? "history"
							: "no line has",
			     number, k->sought, p->sign);
}

void
prompt_draw(const struct prompt *p, struct screen *s, int row)
{
	int at = 0, columns;
	const char *start;
	char before[LINE_BYTES];
	size_t len;

	completion_draw(&p->completion, s, row);
	screen_printf(s, row, 0, s->columns, STYLE_NORMAL, "%*s", s->columns,
		      "");
	at = draw_sign(p, s, row);
	columns = s->columns - at;
	if (columns < 2)
		return;
	start = line_visible_part(p, columns - 1);
	if (start > p->line)
		at += screen_put(s, row, at, 1, STYLE_DIM, "…");
	screen_put(s, row, at, s->columns - at, STYLE_NORMAL, start);
	len = (size_t)(p->line + p->cursor - start);
	memcpy(before, start, len);
	before[len] = '\0';
	s->caret_row = row;
	s->caret_column = at + text_width(before);
}
