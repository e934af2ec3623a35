#include "tui/term/term.h"
#include "model/base/arena.h"
#include "tui/term/clipboard.h"
#include "tui/term/rescue.h"
#include "tui/term/signals.h"
#include "tui/term/term_cells.h"
#include "tui/term/term_keys.h"
#include "tui/term/terminfo.h"
#include "tui/term/terminfo_builtin.h"
#include "model/base/text.h"
#include "tui/term/tty.h"
#include <curses.h>
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

enum {
	ESCAPE_MS = 25, /* to tell Esc from the start of a key */
	ESCAPE_MS_MAX = 10000,
	TITLE_BYTES = 200,
	FRAME_ROWS = 6, /* a smaller change is drawn at once anyway, and saves 16 bytes */
};

/* The terminal marks where pasted text begins and ends. */
#define PASTE_ON  "\033[?2004h"
#define PASTE_OFF "\033[?2004l"
/*
 * The terminal shows nothing of a frame before its end (synchronized output). It is not asked
 * whether it knows the mode: terminals like xterm ignore modes that they do not know.
 */
#define FRAME_BEGIN "\033[?2026h"
#define FRAME_END   "\033[?2026l"

struct term {
	FILE *in, *out;
	SCREEN *screen;
	struct term_keys keys;
	struct termios modes; /* as the shell left them */
	struct term_cells cells;
	bool has_title, is_titled;
	bool is_given_back; /* the shell or another program has the terminal */
	bool has_mouse;
	char title[TITLE_BYTES];
	const char *no_colours; /* why there are none; or NULL */
	unsigned events;
};

void
term_wake(struct term *t)
{
	(void)t;
	signals_wake();
}

/* ---- capabilities ---- */

bool
term_wants_utf8(void)
{
	static const char *const variables[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	const char *value = NULL;

	for (int i = 0; i < 3 && !(value && *value); i++)
		value = getenv(variables[i]);
	return value && (strstr(value, "UTF-8") || strstr(value, "utf8") || strstr(value, "UTF8") ||
			 strstr(value, "utf-8"));
}

const char *
term_version(void)
{
	const char *text = curses_version(); /* "ncurses 6.4.20221231" */
	const char *blank = strchr(text, ' ');

	return blank ? blank + 1 : text;
}

/* Uses UTF-8 if the locale asks for it, even if it is not installed here. */
static bool
locale_is_utf8(void)
{
	setlocale(LC_CTYPE, "");
	if (strcmp(nl_langinfo(CODESET), "UTF-8") == 0)
		return true;
	if (!term_wants_utf8())
		return false;
	return setlocale(LC_CTYPE, "C.UTF-8") && strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

static bool
is_true_colour(const char *type)
{
	const char *colours = getenv("COLORTERM");

	/* screen and tmux may not pass on 24-bit colours: do not use them. */
	return colours && strncmp(type, "screen", 6) != 0 && strncmp(type, "tmux", 4) != 0 &&
	       terminfo_is_like_xterm(type) &&
	       (strcmp(colours, "truecolor") == 0 || strcmp(colours, "24bit") == 0);
}

static SCREEN *
screen_of_builtin(const struct term *t, struct terminfo builtin)
{
	const char *before = getenv("TERMINFO");
	char *kept = before ? strdup(before) : NULL;
	SCREEN *screen;

	setenv("TERMINFO", builtin.encoded, 1);
	screen = newterm(builtin.name, t->out, t->in);
	if (kept)
		setenv("TERMINFO", kept, 1);
	else
		unsetenv("TERMINFO");
	free(kept);
	return screen;
}

/* Whether mouse events come in the SGR form, like xterm's. */
static bool
has_mouse_mode(void)
{
	const char *begin = tigetstr((char *)(uintptr_t) "kmous");

	return begin && begin != (char *)-1 && strcmp(begin, "\033[<") == 0;
}

static bool
curses_start(struct term *t, struct error *err)
{
	const char *type = getenv("TERM");
	const char *no_colour = getenv("NO_COLOR");
	bool has_colours = !no_colour || !*no_colour;

	if (!type || !*type || strcmp(type, "dumb") == 0 || strcmp(type, "unknown") == 0)
		return error_set(
		    err, ERROR_USAGE,
		    "TERM is %s: no screen can be drawn; use --linear for a line at a time, -b for "
		    "plain output, or say what the terminal is: TERM=xterm-256color heaptop",
		    type && *type ? type : "not set");
	if (has_colours && is_true_colour(type))
		t->screen = screen_of_builtin(t, terminfo_direct());
	if (!t->screen && terminfo_has(type))
		t->screen = newterm(type, t->out, t->in);
	if (!t->screen)
		t->screen = screen_of_builtin(t, terminfo_builtin(type));
	if (!t->screen)
		return error_set(err, ERROR_SYSTEM,
				 "the terminal “%.40s” cannot be used: use -b for plain output, or "
				 "try it as another: TERM=xterm heaptop",
				 type);
	t->has_title = terminfo_is_like_xterm(type);
	t->has_mouse = t->has_title || has_mouse_mode();
	if (has_colours && has_colors() && start_color() == OK)
		t->cells.colours = COLORS;
	if (!t->cells.colours)
		t->no_colours = has_colours ? "this terminal has none" : "NO_COLOR is set";
	return true;
}

/* Reads $ESCDELAY, as initscr() does, which is not used here. */
static int
escape_ms(void)
{
	const char *text = getenv("ESCDELAY");
	char *end = NULL;
	long ms = text ? strtol(text, &end, 10) : -1;

	return text && end != text && !*end && ms >= 0 && ms <= ESCAPE_MS_MAX ? (int)ms : ESCAPE_MS;
}

/*
 * Sets unbuffered input; ^C and ^Z remain signals, ^S and ^Q become keys. NOFLSH keeps input sent
 * before ^C, as curses expects.
 */
static void
modes_set(struct term *t)
{
	struct termios modes;

	cbreak();
	noecho();
	nonl();
	if (tcgetattr(fileno(t->in), &modes) == 0) {
		modes.c_iflag &= ~(tcflag_t)(IXON | IXOFF);
		modes.c_lflag |= NOFLSH;
		tcsetattr(fileno(t->in), TCSADRAIN, &modes);
	}
	def_prog_mode();
	set_escdelay(escape_ms());
	t->keys.fd = fileno(t->in);
	t->keys.events = &t->events;
	t->keys.pad = newpad(1, 1);
	if (t->keys.pad) {
		keypad(t->keys.pad, TRUE);
		keyok(KEY_MOUSE, FALSE); /* deliver the sequences unparsed */
		nodelay(t->keys.pad, TRUE);
	}
	leaveok(stdscr, FALSE);
	/* First switch screens, then hide the cursor: some terminals keep the cursor's visibility
	 * per screen. */
	refresh();
	curs_set(0);
}

/* ---- opening and closing ---- */

/* Appends a capability's bytes, without padding for old terminals. */
static void
capability_add(char *out, size_t *len, const char *name)
{
	const char *text = tigetstr((char *)(uintptr_t)name);

	if (text == (char *)-1 || !text)
		return;
	while (*text && *len < RESCUE_BYTES) {
		const char *end = strncmp(text, "$<", 2) == 0 ? strchr(text, '>') : NULL;

		if (end)
			text = end + 1;
		else
			out[(*len)++] = *text++;
	}
}

static void
rescue_prepare(const struct term *t)
{
	char bytes[RESCUE_BYTES];
	size_t len = (size_t)snprintf(bytes, sizeof(bytes), "%s%s",
				      t->has_title ? FRAME_END PASTE_OFF "\033[23;2t" : "",
				      t->has_mouse ? MOUSE_OFF : "");

	capability_add(bytes, &len, "sgr0");
	capability_add(bytes, &len, "op");
	capability_add(bytes, &len, "rmkx");
	capability_add(bytes, &len, "cnorm");
	capability_add(bytes, &len, "rmcup");
	rescue_set_bytes(bytes, len);
}

static bool
streams_open(struct term *t, struct error *err)
{
	t->in = tty_open(STDIN_FILENO, "r");
	t->out = tty_open(STDOUT_FILENO, "w");
	if (!t->in || !t->out || tcgetattr(fileno(t->in), &t->modes) < 0)
		return error_set(err, ERROR_USAGE,
				 "there is no terminal to draw on: use -b for plain output");
	return true;
}

static void
bytes_send(const struct term *t, const char *bytes)
{
	fputs(bytes, t->out);
	fflush(t->out);
}

/* Asks the terminal to mark pasted text; also after other programs had it. */
static void
paste_send(const struct term *t)
{
	if (t->has_title && !t->is_given_back)
		bytes_send(t, PASTE_ON);
}

struct term *
term_open(const struct theme *theme, struct error *err)
{
	struct term *t = memory_new(1, sizeof(*t), err);

	if (!t)
		return NULL;
	t->cells.theme = *theme;
	if (!theme_load(&t->cells.plain, "mono", err) || !streams_open(t, err) ||
	    !signals_open(err)) /* first, so that curses leaves signals alone */
		goto failed;
	t->cells.is_ascii = !locale_is_utf8();
	rescue_arm(fileno(t->out), &t->modes);
	if (!curses_start(t, err)) {
		rescue_disarm();
		signals_close();
		goto failed;
	}
	rescue_prepare(t);
	modes_set(t);
	term_cells_set_looks(&t->cells);
	paste_send(t);
	return t;
failed:
	if (t->in)
		fclose(t->in);
	if (t->out)
		fclose(t->out);
	memory_free(t);
	return NULL;
}

/* Restores the terminal for the shell or another program. */
static void
terminal_give_back(struct term *t)
{
	char cursor[RESCUE_BYTES + 1];
	size_t len = 0;

	if (t->is_given_back)
		return;
	t->is_given_back = true;
	if (t->is_titled)
		bytes_send(t, "\033[23;2t");
	t->is_titled = false;
	if (t->keys.has_mouse)
		bytes_send(t, MOUSE_OFF);
	if (t->has_title)
		bytes_send(t, PASTE_OFF);
	curs_set(1);
	endwin();
	/* Show the cursor again: some terminals keep its visibility per screen and restore the old
	 * state. */
	capability_add(cursor, &len, "cnorm");
	cursor[len] = '\0';
	bytes_send(t, cursor);
	tcsetattr(fileno(t->in), TCSADRAIN, &t->modes);
}

void
term_close(struct term *t)
{
	struct sigaction before;

	if (!t)
		return;
	signals_ignore(SIGTTOU, &before); /* works in the background, too */
	terminal_give_back(t);
	rescue_disarm();
	sigaction(SIGTTOU, &before, NULL);
	signals_close();
	if (t->keys.pad)
		delwin(t->keys.pad);
	delscreen(t->screen);
	fclose(t->in);
	fclose(t->out);
	screen_free(t->cells.shown);
	memory_free(t);
}

/* ---- title ---- */

/* Saves the old title on the terminal's own stack. */
static void
title_send(struct term *t)
{
	if (!t->has_title || !t->title[0])
		return;
	if (!t->is_titled)
		bytes_send(t, "\033[22;2t");
	t->is_titled = true;
	fprintf(t->out, "\033]2;%s\a", t->title);
	fflush(t->out);
}

void
term_set_title(struct term *t, const char *title)
{
	char clean[TITLE_BYTES];

	text_clean(title, clean, sizeof(clean));
	for (char *at = clean; t->cells.is_ascii && *at; at++)
		if ((unsigned char)*at >= 0x80)
			*at = '?';
	if (strcmp(clean, t->title) == 0)
		return;
	strcpy(t->title, clean);
	title_send(t);
}

bool
term_copy(struct term *t, const char *text, struct error *err)
{
	char *sequence = clipboard_sequence(text, clipboard_way(), err);

	if (!sequence)
		return false;
	bytes_send(t, sequence);
	memory_free(sequence);
	return true;
}

/* ---- mouse ---- */

bool
term_set_mouse(struct term *t, bool on)
{
	on = on && t->has_mouse;
	if (on != t->keys.has_mouse)
		bytes_send(t, on ? MOUSE_ON : MOUSE_OFF);
	t->keys.has_mouse = on;
	return t->has_mouse;
}

const struct mouse *
term_mouse(const struct term *t)
{
	return &t->keys.mouse;
}

const char *
term_paste(const struct term *t, bool *has_more)
{
	*has_more = t->keys.paste_has_more;
	return t->keys.paste;
}

/* Enables the mouse again, after other programs had the terminal. */
static void
mouse_send(const struct term *t)
{
	if (t->keys.has_mouse && !t->is_given_back)
		bytes_send(t, MOUSE_ON);
}

/* ---- size, drawing, suspending ---- */

static bool
event_take(struct term *t, enum event event)
{
	bool is_there = t->events & event;

	t->events &= ~(unsigned)event;
	return is_there;
}

void
term_size(const struct term *t, int *rows, int *columns)
{
	(void)t;
	getmaxyx(stdscr, *rows, *columns);
}

const char *
term_no_colours(const struct term *t)
{
	return t->no_colours;
}

bool
term_is_ascii(const struct term *t)
{
	return t->cells.is_ascii;
}

/* Styles with the same colours share a pair. */
bool
term_tells_areas(const struct term *t)
{
	for (int i = STYLE_AREA_1; i <= STYLE_AREA_5; i++)
		for (int j = STYLE_AREA_1; j < i; j++)
			if (t->cells.pairs[i] == t->cells.pairs[j])
				return false;
	return true;
}

void
term_set_theme(struct term *t, const struct theme *theme)
{
	t->cells.theme = *theme;
	term_cells_set_looks(&t->cells);
	term_redraw(t);
}

void
term_redraw(struct term *t)
{
	term_cells_forget(&t->cells);
}

void
term_show(struct term *t, const struct screen *s)
{
	bool is_whole;

	if (t->is_given_back)
		return;
	is_whole = term_cells_put(&t->cells, s) >= FRAME_ROWS && t->has_title;
	if (is_whole)
		bytes_send(t, FRAME_BEGIN);
	doupdate();
	if (is_whole)
		bytes_send(t, FRAME_END);
}

/* Adapts to the current size and redraws everything. */
static void
terminal_renew(struct term *t)
{
	struct winsize size = { 0 };

	/* The size is unknown if the terminal is gone. */
	if (ioctl(fileno(t->out), TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0 &&
	    is_term_resized(size.ws_row, size.ws_col))
		resize_term(size.ws_row, size.ws_col);
	term_redraw(t);
}

static void
terminal_take_back(struct term *t)
{
	terminal_renew(t);
	doupdate(); /* shows the old screen until the next term_show() */
	title_send(t);
	mouse_send(t);
	paste_send(t);
	t->events |= EVENT_RESIZE;
}

static void
modes_take_back(struct term *t)
{
	t->is_given_back = false;
	reset_prog_mode();
}

void
term_suspend(struct term *t)
{
	terminal_give_back(t);
	signals_stop_here();
	t->events |= signals_take();
	/* In the background, taking the terminal back would stop us again. */
	if (t->events & EVENT_QUIT)
		return;
	modes_take_back(t);
	terminal_take_back(t);
}

void
term_lend(struct term *t)
{
	terminal_give_back(t);
	signals_lend();
}

/* Consumes one key, such as all bytes of an arrow, even over a slow line. */
static void
key_skip(int fd)
{
	enum { REST_MS = 25, PIECES_MAX = 8 };
	struct pollfd rest = { .fd = fd, .events = POLLIN };
	char bytes[64];
	ssize_t got = read(fd, bytes, sizeof(bytes));

	if (got <= 0 || bytes[0] != '\033')
		return;
	for (int i = 0; i < PIECES_MAX && got > 0; i++)
		got = poll(&rest, 1, REST_MS) > 0 ? read(fd, bytes, sizeof(bytes)) : 0;
}

/* Waits for a key, a signal, or the end of the terminal. */
static void
key_wait(struct term *t)
{
	int fd = fileno(t->in);

	while (tty_wait(fd, -1, &t->events)) {
		if (tty_has_input(fd)) {
			key_skip(fd);
			return;
		}
		if (event_take(t, EVENT_INTERRUPT) || t->events & EVENT_QUIT)
			return;
		if (event_take(t, EVENT_SUSPEND)) {
			def_prog_mode();
			tcsetattr(fileno(t->in), TCSADRAIN, &t->modes);
			signals_stop_here();
			reset_prog_mode();
		}
	}
}

void
term_take_back(struct term *t, const char *text)
{
	signals_take_back();
	modes_take_back(t); /* whatever modes the program left */
	if (text) {
		bytes_send(t, "\r\n");
		bytes_send(t, text);
		key_wait(t);
		bytes_send(t, "\r\n");
	}
	terminal_take_back(t);
}

int
term_input(const struct term *t)
{
	return fileno(t->in);
}

int
term_output(const struct term *t)
{
	return fileno(t->out);
}

/* ---- waiting ---- */

static int
event_key(struct term *t)
{
	if (!(t->events & EVENT_QUIT) && event_take(t, EVENT_SUSPEND))
		term_suspend(t);
	if (event_take(t, EVENT_QUIT))
		return TK_QUIT;
	if (event_take(t, EVENT_INTERRUPT))
		return TK_INTERRUPT;
	if (event_take(t, EVENT_CONTINUED)) {
		/* After a SIGSTOP, the shell has used the terminal. */
		reset_prog_mode();
		mouse_send(t);
		paste_send(t);
		t->events |= EVENT_RESIZE;
	}
	if (event_take(t, EVENT_RESIZE)) {
		terminal_renew(t);
		return TK_RESIZE;
	}
	return event_take(t, EVENT_WAKE) ? TK_WAKE : KEY_NONE_;
}

int
term_key(struct term *t, int timeout_ms)
{
	int64_t deadline = tty_deadline(timeout_ms);
	bool is_empty;

	t->events |= signals_take();
	for (;;) {
		int key = event_key(t);

		if (key == KEY_NONE_)
			key = term_keys_take(&t->keys, &is_empty);
		if (key != KEY_NONE_)
			return key;
		if (!is_empty)
			continue;
		if (!tty_wait(fileno(t->in), deadline, &t->events))
			return TK_QUIT;
		if (t->events == 0 && tty_is_over(deadline)) {
			key = term_keys_take(&t->keys, &is_empty);
			return key != KEY_NONE_ ? key : TK_TIMEOUT;
		}
	}
}
