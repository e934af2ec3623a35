#include "tui/widget/line_editor.h"
#include "model/base/arena.h"
#include "model/base/thread.h"
#include "model/base/utf8.h"
#include "tui/term/term.h"
#include "tui/term/terminfo.h"
#include <errno.h>
#include <fcntl.h>
#include <histedit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

enum { KEYS_MAX = 4 /* characters sent for one key */ };

/* libedit's thread runs only in EDITOR_RUNS, the program only in the other stages. */
enum stage { EDITOR_IDLE, EDITOR_RUNS, EDITOR_WAITS };

struct line_editor {
	EditLine *editor;
	HistoryW *history;
	FILE *nowhere;
	int pty, terminal;    /* libedit's own terminal, both ends */
	struct termios modes; /* of our terminal, if libedit shares it */

	pthread_t thread;
	bool has_thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	enum stage stage;
	bool is_aborted, is_ending, is_accepted;
	wchar_t keys[KEYS_MAX];
	int keys_count, keys_used;

	struct edited_line line;
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

/* Copies libedit's buffer and cursor. */
static void
line_read(struct line_editor *e)
{
	const LineInfoW *info = el_wline(e->editor);
	size_t len = 0;

	e->line.text[0] = '\0';
	e->line.cursor = 0;
	e->line.chars = (size_t)(info->lastchar - info->buffer);
	for (const wchar_t *at = info->buffer; at < info->lastchar; at++) {
		if (at == info->cursor)
			e->line.cursor = len;
		len = line_add(e->line.text, len, *at);
	}
	if (info->cursor == info->lastchar)
		e->line.cursor = len;
}

/* ---- the thread that libedit runs on ---- */

/* libedit calls this for its next key: sleep until there is one. */
static int
editor_read(EditLine *editor, wchar_t *key)
{
	struct line_editor *e = NULL;
	int got = 0;

	el_wget(editor, EL_CLIENTDATA, (void *)&e);
	pthread_mutex_lock(&e->lock);
	while (e->keys_used == e->keys_count && !e->is_aborted) {
		e->stage = EDITOR_WAITS;
		pthread_cond_broadcast(&e->changed);
		while (e->stage != EDITOR_RUNS)
			pthread_cond_wait(&e->changed, &e->lock);
	}
	if (!e->is_aborted) {
		*key = e->keys[e->keys_used++];
		got = 1;
	}
	pthread_mutex_unlock(&e->lock);
	return got;
}

static void *
editor_run(void *context)
{
	struct line_editor *e = context;

	pthread_mutex_lock(&e->lock);
	for (;;) {
		const wchar_t *text;
		int count = 0;
		size_t len = 0;

		while (e->stage != EDITOR_RUNS)
			pthread_cond_wait(&e->changed, &e->lock);
		if (e->is_ending)
			break;
		pthread_mutex_unlock(&e->lock);
		text = el_wgets(e->editor, &count);
		if (e->pty < 0)
			tcsetattr(e->terminal, TCSANOW, &e->modes);
		pthread_mutex_lock(&e->lock);
		e->is_accepted = text && count > 0 && !e->is_aborted;
		e->line.text[0] = '\0';
		for (int i = 0; e->is_accepted && i < count; i++)
			len = line_add(e->line.text, len, text[i]);
		e->stage = EDITOR_IDLE;
		pthread_cond_broadcast(&e->changed);
	}
	pthread_mutex_unlock(&e->lock);
	return NULL;
}

/* Lets libedit run until it wants the next key or the line is finished. */
static void
editor_continue(struct line_editor *e)
{
	pthread_mutex_lock(&e->lock);
	e->stage = EDITOR_RUNS;
	pthread_cond_broadcast(&e->changed);
	while (e->stage == EDITOR_RUNS)
		pthread_cond_wait(&e->changed, &e->lock);
	pthread_mutex_unlock(&e->lock);
	if (e->stage == EDITOR_WAITS)
		line_read(e);
}

static void
editor_send(struct line_editor *e, const wchar_t *keys, int count)
{
	memcpy(e->keys, keys, (size_t)count * sizeof(*keys));
	e->keys_count = count;
	e->keys_used = 0;
	editor_continue(e);
}

void
line_editor_abort(struct line_editor *e)
{
	if (e->stage != EDITOR_IDLE) {
		e->is_aborted = true;
		editor_continue(e);
		e->is_aborted = false;
	}
	e->line.text[0] = '\0';
}

static bool
editor_start(struct line_editor *e, struct error *err)
{
	int errnum;

	pthread_mutex_init(&e->lock, NULL);
	pthread_cond_init(&e->changed, NULL);
	errnum = thread_start(&e->thread, editor_run, e);
	if (errnum)
		return error_sys(err, errnum, "cannot start a thread for the prompt");
	e->has_thread = true;
	return true;
}

static void
editor_stop(struct line_editor *e)
{
	if (!e->has_thread)
		return;
	line_editor_abort(e);
	pthread_mutex_lock(&e->lock);
	e->is_ending = true;
	e->stage = EDITOR_RUNS;
	pthread_cond_broadcast(&e->changed);
	pthread_mutex_unlock(&e->lock);
	pthread_join(e->thread, NULL);
	pthread_mutex_destroy(&e->lock);
	pthread_cond_destroy(&e->changed);
}

/* ---- libedit ---- */

/* Bound to Esc in vi's command mode, where Esc has no other meaning. */
static unsigned char
editor_cancel(EditLine *editor, int key)
{
	(void)editor;
	(void)key;
	return CC_EOF;
}

/* Named keys are sent as C1 controls, which cannot be typed, and bound here: so an arrow key does
   the same on every terminal and in both vi modes. */
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

bool
line_editor_is_vi(const struct line_editor *e)
{
	const wchar_t *name = NULL;

	return el_wget(e->editor, EL_EDITOR, &name) == 0 && name && name[0] == L'v';
}

static void
editor_bind(struct line_editor *e)
{
	size_t count = sizeof(named_keys) / sizeof(named_keys[0]);
	wchar_t key[2] = { 0 };

	for (size_t i = 0; i < count; i++) {
		key[0] = named_keys[i].sent;
		el_wset(e->editor, EL_BIND, key, named_keys[i].command, NULL);
		el_wset(e->editor, EL_BIND, L"-a", key, named_keys[i].command, NULL);
	}
	/* libedit reads é as Alt and a letter if there is no locale. */
	for (key[0] = 0xa0; key[0] <= 0xff; key[0]++)
		el_wset(e->editor, EL_BIND, key, L"ed-insert", NULL);
	el_wset(e->editor, EL_ADDFN, L"heaptop-cancel", L"leave the prompt", editor_cancel);
	/* libedit's command line would be a prompt within the prompt. */
	if (line_editor_is_vi(e)) {
		el_wset(e->editor, EL_BIND, L"-a", L"\033", L"heaptop-cancel", NULL);
		el_wset(e->editor, EL_BIND, L"-a", L":", L"ed-unassigned", NULL);
		/* `v` would start an editor on the terminal that curses
		   uses. */
		el_wset(e->editor, EL_BIND, L"-a", L"v", L"ed-unassigned", NULL);
	} else {
		el_wset(e->editor, EL_BIND, L"\033x", L"ed-unassigned", NULL);
	}
}

/* libedit edits only on a terminal and changes its modes, so it gets a pseudo-terminal of its own:
   the one that curses uses is left alone. */
static bool
terminal_open(struct line_editor *e, struct error *err)
{
	struct winsize size = { .ws_row = 50, .ws_col = 200 };
	const char *name;

	e->pty = posix_openpt(O_RDWR | O_NOCTTY);
	/* A chroot without devices has no pseudo-terminals: share our terminal and restore its
	   modes after each line. */
	if (e->pty < 0 && isatty(STDIN_FILENO)) {
		e->terminal = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
		if (e->terminal >= 0 && !tcgetattr(e->terminal, &e->modes))
			return true;
	}
	if (e->pty < 0 || grantpt(e->pty) < 0 || unlockpt(e->pty) < 0)
		return error_sys(err, errno, "cannot open a pseudo-terminal for the prompt");
	fcntl(e->pty, F_SETFD, FD_CLOEXEC);
	name = ptsname(e->pty);
	e->terminal = name ? open(name, O_RDWR | O_NOCTTY | O_CLOEXEC) : -1;
	if (e->terminal < 0)
		return error_sys(err, errno, "cannot open the prompt's pseudo-terminal");
	ioctl(e->terminal, TIOCSWINSZ, &size);
	return true;
}

/*
 * Starts libedit with TERM=dumb: its output goes nowhere, and it never frees the terminal's
 * description, so it loads a small one. Restores the current terminfo terminal afterwards.
 */
static EditLine *
editor_init(struct line_editor *e)
{
	const char *type = getenv("TERM");
	char *kept = type ? strdup(type) : NULL;
	void *terminal = terminfo_current();
	EditLine *editor;

	setenv("TERM", "dumb", 1);
	editor = el_init_fd("heaptop", e->nowhere, e->nowhere, e->nowhere, e->terminal, e->terminal,
			    e->terminal);
	terminfo_use(terminal);
	if (kept)
		setenv("TERM", kept, 1);
	else
		unsetenv("TERM");
	free(kept);
	return editor;
}

/* An empty chroot has no /dev/null. */
static FILE *
open_nowhere(void)
{
	enum { SPARE_BYTES = 4096 }; /* further output is discarded */
	FILE *file = fopen("/dev/null", "r+e");

	if (!file)
		file = fmemopen(NULL, SPARE_BYTES, "r+");
	return file;
}

static bool
editor_open(struct line_editor *e, bool is_secure, struct error *err)
{
	HistEventW event;

	e->nowhere = open_nowhere();
	if (!e->nowhere)
		return error_sys(err, errno, "cannot open /dev/null");
	e->editor = editor_init(e);
	e->history = history_winit();
	if (!e->editor || !e->history)
		return error_set(err, ERROR_SYSTEM, "libedit cannot be started");
	history_w(e->history, &event, H_SETSIZE, HISTORY_LINES_MAX);
	el_wset(e->editor, EL_CLIENTDATA, (void *)e);
	el_wset(e->editor, EL_HIST, history_w, e->history);
	el_wset(e->editor, EL_GETCFN, editor_read);
	el_wset(e->editor, EL_EDITOR, L"emacs");
	if (!is_secure)
		el_source(e->editor, NULL); /* ~/.editrc, if it exists */
	el_wset(e->editor, EL_EDITMODE, 1);
	editor_bind(e);
	return true;
}

void
line_editor_remember(struct line_editor *e, const struct line_history *history)
{
	HistEventW event;
	wchar_t wide[HISTORY_LINE_BYTES];

	history_w(e->history, &event, H_CLEAR);
	for (size_t i = 0; i < history->count; i++) {
		const char *at = history->lines[i];
		size_t count = 0, used;

		for (; *at && count < LINE_CHARS_MAX; at += used)
			wide[count++] = (wchar_t)utf8_decode(at, &used);
		wide[count] = L'\0';
		history_w(e->history, &event, H_ENTER, wide);
	}
}

struct line_editor *
line_editor_new(bool is_secure, struct error *err)
{
	struct line_editor *e = memory_new(1, sizeof(*e), err);

	if (!e)
		return NULL;
	e->pty = e->terminal = -1;
	if (!terminal_open(e, err) || !editor_open(e, is_secure, err) || !editor_start(e, err)) {
		line_editor_free(e);
		return NULL;
	}
	return e;
}

void
line_editor_free(struct line_editor *e)
{
	if (!e)
		return;
	editor_stop(e);
	if (e->editor)
		el_end(e->editor);
	if (e->history)
		history_wend(e->history);
	if (e->nowhere)
		fclose(e->nowhere);
	if (e->terminal >= 0)
		close(e->terminal);
	if (e->pty >= 0)
		close(e->pty);
	memory_free(e);
}

/* ---- what is done to the line ---- */

const struct edited_line *
line_editor_line(const struct line_editor *e)
{
	return &e->line;
}

void
line_editor_begin(struct line_editor *e)
{
	line_editor_abort(e);
	e->keys_count = e->keys_used = 0;
	editor_continue(e);
}

static int
characters_count(const char *text, size_t len)
{
	int count = 0;

	for (size_t i = 0; i < len; i++)
		count += ((unsigned char)text[i] & 0xc0) != 0x80;
	return count;
}

void
line_editor_insert(struct line_editor *e, const char *text)
{
	wchar_t wide[LINE_CHARS_MAX + 1];
	size_t count = 0, used;

	for (; *text && count + e->line.chars < LINE_CHARS_MAX; text += used) {
		uint32_t c = utf8_decode(text, &used);

		wide[count++] = c == UTF8_BROKEN ? L'\ufffd' : (wchar_t)c;
	}
	wide[count] = L'\0';
	if (count > 0)
		el_winsertstr(e->editor, wide);
	line_read(e);
}

void
line_editor_put(struct line_editor *e, const char *text)
{
	el_cursor(e->editor, LINE_CHARS_MAX);
	el_deletestr(e->editor, (int)e->line.chars);
	line_read(e);
	line_editor_insert(e, text);
}

void
line_editor_delete(struct line_editor *e, size_t len)
{
	const char *from = e->line.text + e->line.cursor - len;

	el_deletestr(e->editor, characters_count(from, len));
	line_read(e);
}

void
line_editor_move_back(struct line_editor *e, size_t at)
{
	el_cursor(e->editor, -characters_count(e->line.text + at, e->line.cursor - at));
	line_read(e);
}

/* Returns how many characters libedit gets for a key; 0: the key is ignored. */
static int
key_translate(const struct line_editor *e, int key, wchar_t out[KEYS_MAX])
{
	int count = 0;

	if (key == TK_ESCAPE)
		key = L'\033';
	if (key & TK_ALT_BIT) {
		out[count++] = L'\033';
		key &= ~TK_ALT_BIT;
		key = key == TK_BACKSPACE ? 0x7f : key;
	}
	for (size_t i = 0; i < sizeof(named_keys) / sizeof(named_keys[0]); i++) {
		if (named_keys[i].key == key) {
			out[count++] = named_keys[i].sent;
			return count;
		}
	}
	if (key <= 0 || key >= 0x110000 || (key >= 0x80 && key < 0xa0))
		return 0;
	if (key >= 0x20 && e->line.chars >= LINE_CHARS_MAX)
		return 0;
	out[count++] = (wchar_t)key;
	return count;
}

bool
line_editor_key(struct line_editor *e, int key)
{
	wchar_t keys[KEYS_MAX];
	int count = key_translate(e, key, keys);

	if (count > 0)
		editor_send(e, keys, count);
	return e->stage != EDITOR_IDLE;
}

bool
line_editor_is_editing(const struct line_editor *e)
{
	return e->stage != EDITOR_IDLE;
}

bool
line_editor_is_accepted(const struct line_editor *e)
{
	return e->is_accepted;
}
