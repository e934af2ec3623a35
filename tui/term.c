#include "tui/clipboard.h"
#include "tui/term.h"
#include "model/arena.h"
#include "tui/rescue.h"
#include "tui/signals.h"
#include "tui/term_keys.h"
#include "tui/terminfo.h"
#include "tui/terminfo_builtin.h"
#include "tui/tty.h"
#include "model/utf8.h"
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
#include <wchar.h>
#include <wctype.h>

enum {
	ESCAPE_MS = 25,     /* a lone Esc, or the start of a key? */
	CHARS_PER_CELL = 5, /* curses has no room for more */
	TITLE_BYTES = 200,
};

struct term {
	FILE *in, *out;
	SCREEN *screen;
	struct term_keys keys;
	struct termios modes; /* of the shell */
	struct theme theme, plain;
	attr_t attrs[STYLE_COUNT];
	short pairs[STYLE_COUNT]; /* 0: none */
	bool is_ascii, has_title, is_titled;
	bool is_given_back; /* and perhaps in somebody else's hands */
	bool has_mouse;
	char title[TITLE_BYTES];
	int colours;
	unsigned events;
	struct screen *shown; /* as curses has it; NULL: nothing yet */
};

void
term_wake(struct term *t)
{
	(void)t;
	signals_wake();
}

/* ---- what the terminal is ---- */

bool
term_wants_utf8(void)
{
	static const char *const variables[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	const char *value = NULL;

	for (int i = 0; i < 3 && !(value && *value); i++)
		value = getenv(variables[i]);
	return value && (strstr(value, "UTF-8") || strstr(value, "utf8") ||
			 strstr(value, "UTF8") || strstr(value, "utf-8"));
}

const char *
term_version(void)
{
	const char *text = curses_version(); /* "ncurses 6.4.20221231" */
	const char *blank = strchr(text, ' ');

	return blank ? blank + 1 : text;
}

/* UTF-8, if the user's locale says so; even one that is not installed here. */
static bool
locale_is_utf8(void)
{
	setlocale(LC_CTYPE, "");
	if (strcmp(nl_langinfo(CODESET), "UTF-8") == 0)
		return true;
	if (!term_wants_utf8())
		return false;
	return setlocale(LC_CTYPE, "C.UTF-8") &&
	       strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

static bool
is_true_colour(const char *type)
{
	const char *colours = getenv("COLORTERM");

	/* screen and tmux may pass 24-bit colours on or not: do not ask. */
	return colours && strncmp(type, "screen", 6) != 0 &&
	       strncmp(type, "tmux", 4) != 0 && terminfo_is_like_xterm(type) &&
	       (strcmp(colours, "truecolor") == 0 ||
		strcmp(colours, "24bit") == 0);
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

/* In decimal: what it sends begins as xterm's does. */
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

	if (!type || !*type || strcmp(type, "dumb") == 0 ||
	    strcmp(type, "unknown") == 0)
		return error_set(
		    err, ERROR_USAGE,
		    "TERM is %s: no screen can be drawn; use --linear for a "
		    "line at a time, -b for plain output, or say what the "
		    "terminal is: TERM=xterm-256color heaptop",
		    type && *type ? type : "not set");
	if (has_colours && is_true_colour(type))
		t->screen = screen_of_builtin(t, terminfo_direct());
	if (!t->screen && terminfo_has(type))
		t->screen = newterm(type, t->out, t->in);
	if (!t->screen)
		t->screen = screen_of_builtin(t, terminfo_builtin(type));
	if (!t->screen)
		return error_set(err, ERROR_SYSTEM,
				 "the terminal “%.40s” cannot be used: use -b "
				 "for plain output, or try it as another: "
				 "TERM=xterm heaptop",
				 type);
	t->has_title = terminfo_is_like_xterm(type);
	t->has_mouse = t->has_title || has_mouse_mode();
	if (has_colours && has_colors() && start_color() == OK)
		t->colours = COLORS;
	return true;
}

/*
 * Keys as they are typed; ^C and ^Z stay signals, ^S and ^Q become keys. What
 * was sent before ^C still arrives: curses counts on it.
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
	set_escdelay(ESCAPE_MS);
	t->keys.pad = newpad(1, 1);
	if (t->keys.pad) {
		keypad(t->keys.pad, TRUE);
		keyok(KEY_MOUSE, FALSE); /* sequences are to come whole */
		nodelay(t->keys.pad, TRUE);
	}
	leaveok(stdscr, FALSE);
	/* First the other screen, then no cursor: some terminals remember for
	 * each screen whether it has one. */
	refresh();
	curs_set(0);
}

/* ---- looks ---- */

static attr_t
look_attrs(const struct term *t, const struct look *look)
{
	/* clang-format off */
	static const struct { uint8_t attr; attr_t curses; } attrs[] = {
		{ ATTR_BOLD,      A_BOLD },      { ATTR_DIM,       A_DIM },
		{ ATTR_REVERSE,   A_REVERSE },   { ATTR_ITALIC,    A_ITALIC },
		{ ATTR_UNDERLINE, A_UNDERLINE },
	};
	/* clang-format on */
	attr_t got = A_NORMAL;

	for (size_t i = 0; i < sizeof(attrs) / sizeof(attrs[0]); i++)
		if (look->attrs & attrs[i].attr)
			got |= attrs[i].curses;
	/* The bright half of sixteen colours, where there are eight. */
	if (t->colours > 0 && t->colours < 16 &&
	    look->front.kind == COLOUR_INDEX && look->front.index >= 8 &&
	    look->front.index < 16)
		got |= A_BOLD;
	return got;
}

static int
look_colour(const struct term *t, struct colour c)
{
	/* 16 million: the first 256 numbers are those of the palette. */
	if (t->colours > 256 && c.kind == COLOUR_RGB && (c.red || c.green))
		return c.red << 16 | c.green << 8 | c.blue;
	return colour_nearest(c, t->colours > 256 ? 256 : t->colours);
}

/*
 * The number of a pair of these colours. Styles share it, or the same colours
 * would be sent again between one and the other.
 */
static short
pair_of(const struct term *t, int style, int front, int back)
{
	int other_front, other_back;

	for (int i = 0; i < style; i++)
		if (extended_pair_content(t->pairs[i], &other_front,
					  &other_back) == OK &&
		    other_front == front && other_back == back)
			return t->pairs[i];
	init_extended_pair(style + 1, front, back);
	return (short)(style + 1);
}

static void
looks_prepare(struct term *t)
{
	bool has_default = t->colours > 0 && use_default_colors() == OK;
	const struct theme *theme = t->colours > 0 ? &t->theme : &t->plain;

	for (int i = 0; i < STYLE_COUNT; i++) {
		const struct look *look = &theme->looks[i];
		int front = look_colour(t, look->front);
		int back = look_colour(t, look->back);

		t->attrs[i] = look_attrs(t, look);
		t->pairs[i] = 0;
		if (t->colours <= 0)
			continue;
		if (!has_default) {
			front = front < 0 ? COLOR_WHITE : front;
			back = back < 0 ? COLOR_BLACK : back;
		}
		if (front == back && front >= 0) { /* they were too near */
			t->attrs[i] |= t->plain.looks[i].attrs & ATTR_REVERSE
					   ? A_REVERSE
					   : A_NORMAL;
			front = has_default ? -1 : COLOR_WHITE;
			back = has_default ? -1 : COLOR_BLACK;
		}
		t->pairs[i] = pair_of(t, i, front, back);
	}
}

void
term_set_theme(struct term *t, const struct theme *theme)
{
	t->theme = *theme;
	looks_prepare(t);
	screen_free(t->shown);
	t->shown = NULL;
	clearok(curscr, TRUE);
}

/* ---- opening and closing ---- */

/* A capability's bytes, without the pauses old terminals needed. */
static void
capability_add(char *out, size_t *len, const char *name)
{
	const char *text = tigetstr((char *)(uintptr_t)name);

	if (text == (char *)-1 || !text)
		return;
	while (*text && *len < RESCUE_BYTES) {
		const char *end =
		    strncmp(text, "$<", 2) == 0 ? strchr(text, '>') : NULL;

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
				      t->has_title ? "\033[23;2t" : "",
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
				 "there is no terminal to draw on: use -b for "
				 "plain output");
	return true;
}

struct term *
term_open(const struct theme *theme, struct error *err)
{
	struct term *t = memory_new(1, sizeof(*t), err);

	if (!t)
		return NULL;
	t->theme = *theme;
	if (!theme_load(&t->plain, "mono", err) || !streams_open(t, err) ||
	    !signals_open(err)) /* before curses, which leaves them alone */
		goto failed;
	t->is_ascii = !locale_is_utf8();
	rescue_arm(fileno(t->out), &t->modes);
	if (!curses_start(t, err)) {
		rescue_disarm();
		signals_close();
		goto failed;
	}
	rescue_prepare(t);
	modes_set(t);
	looks_prepare(t);
	return t;
failed:
	if (t->in)
		fclose(t->in);
	if (t->out)
		fclose(t->out);
	memory_free(t);
	return NULL;
}

static void
bytes_send(const struct term *t, const char *bytes)
{
	fputs(bytes, t->out);
	fflush(t->out);
}

/* Leaves the terminal as the shell wants it. */
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
	curs_set(1);
	endwin();
	/* Of the other screen, too: some terminals have a cursor for each, and
	 * bring back the one of when it was left. */
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
	signals_ignore(SIGTTOU, &before); /* even in the background */
	terminal_give_back(t);
	rescue_disarm();
	signals_close();
	if (t->keys.pad)
		delwin(t->keys.pad);
	delscreen(t->screen);
	fclose(t->in);
	fclose(t->out);
	screen_free(t->shown);
	memory_free(t);
	sigaction(SIGTTOU, &before, NULL);
}

/* ---- title ---- */

/* The old title is kept on the terminal's own stack. */
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
	for (char *at = clean; t->is_ascii && *at; at++)
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

/* After others have had the terminal. */
static void
mouse_send(const struct term *t)
{
	if (t->keys.has_mouse && !t->is_given_back)
		bytes_send(t, MOUSE_ON);
}

/* ---- size, suspending ---- */

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

bool
term_is_ascii(const struct term *t)
{
	return t->is_ascii;
}

void
term_redraw(struct term *t)
{
	screen_free(t->shown);
	t->shown = NULL;
	clearok(curscr, TRUE);
}

/* All is to be drawn anew, in the size of now. */
static void
terminal_renew(struct term *t)
{
	struct winsize size = { 0 };

	/* A terminal that is gone has no size. */
	if (ioctl(fileno(t->out), TIOCGWINSZ, &size) == 0 && size.ws_row > 0 &&
	    size.ws_col > 0 && is_term_resized(size.ws_row, size.ws_col))
		resize_term(size.ws_row, size.ws_col);
	term_redraw(t);
}

static void
terminal_take_back(struct term *t)
{
	terminal_renew(t);
	doupdate(); /* what was shown, until the next term_show() */
	title_send(t);
	mouse_send(t);
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
	/* In the background, say, where taking it back would stop us again. */
	if (t->events & EVENT_QUIT)
		return;
	modes_take_back(t);
	terminal_take_back(t);
}

void
term_lend(struct term *t)
{
	terminal_give_back(t);
	signals_stand_aside();
}

/* Any key, a signal, or the end of the terminal. */
static void
key_wait(struct term *t)
{
	struct pollfd fds[2] = {
		{ .fd = fileno(t->in), .events = POLLIN },
		{ .fd = signals_fd(), .events = POLLIN },
	};
	char bytes[64];

	for (;;) {
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			return;
		if (fds[1].revents)
			t->events |= signals_take();
		if (fds[0].revents) {
			/* All of what an arrow sends, say, is one key. */
			ssize_t got = read(fileno(t->in), bytes, sizeof(bytes));

			(void)got;
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
	signals_stand_again();
	modes_take_back(t); /* whatever that program left */
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

/* ---- showing ---- */

static void
cell_show(const struct term *t, int row, int column, const struct cell *cell)
{
	wchar_t text[CHARS_PER_CELL + 1];
	size_t count = 0, used;
	cchar_t out;

	for (const char *at = cell->text; *at && count < CHARS_PER_CELL;) {
		text[count++] = (wchar_t)utf8_decode(at, &used);
		at += used;
	}
	text[count] = L'\0';
	/* Newer than the C library: it would be drawn as something else. */
	if (!iswprint((wint_t)text[0])) {
		text[0] = t->is_ascii ? L'?' : L'\ufffd';
		text[1] = L'\0';
	}
	setcchar(&out, text, t->attrs[cell->style], t->pairs[cell->style],
		 NULL);
	mvadd_wch(row, column, &out);
}

static void
row_show(const struct term *t, int row, const struct cell *cells, int columns)
{
	static const struct cell blank = { .text = " ", .width = 1 };

	for (int column = 0; column < columns; column++) {
		const struct cell *cell = &cells[column];

		if (cell->width == 0)
			continue;
		if (column + cell->width > columns)
			cell = &blank; /* half of it would be outside */
		cell_show(t, row, column, cell);
	}
}

/* Keeps what was shown, to find the rows that change. */
static void
shown_keep(struct term *t, const struct screen *s)
{
	struct error ignored = { 0 };
	size_t cells = (size_t)s->rows * (size_t)s->columns;

	if (!t->shown)
		t->shown = screen_new(s->rows, s->columns, &ignored);
	if (t->shown) /* without it, all rows are sent to curses each time */
		memcpy(t->shown->cells, s->cells, cells * sizeof(*s->cells));
}

void
term_show(struct term *t, const struct screen *s)
{
	int rows, columns;

	if (t->is_given_back)
		return;
	term_size(t, &rows, &columns);
	if (t->shown &&
	    (t->shown->rows != s->rows || t->shown->columns != s->columns)) {
		screen_free(t->shown);
		t->shown = NULL;
	}
	if (!t->shown)
		erase();
	columns = s->columns < columns ? s->columns : columns;
	for (int row = 0; row < rows && row < s->rows; row++) {
		size_t first = (size_t)row * (size_t)s->columns;
		const struct cell *cells = s->cells + first;

		if (!t->shown ||
		    memcmp(cells, t->shown->cells + first,
			   (size_t)s->columns * sizeof(*cells)) != 0)
			row_show(t, row, cells, columns);
	}
	shown_keep(t, s);
	if (s->caret_row >= 0 && s->caret_row < rows && s->caret_column >= 0 &&
	    s->caret_column < columns) {
		leaveok(stdscr, FALSE);
		move(s->caret_row, s->caret_column);
		curs_set(1);
	} else {
		leaveok(stdscr, TRUE); /* nobody sees where it stays */
		curs_set(0);
	}
	wnoutrefresh(stdscr);
	doupdate();
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
		/* Stopped from outside: the shell had the terminal since. */
		reset_prog_mode();
		mouse_send(t);
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
