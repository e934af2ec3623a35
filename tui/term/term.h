#ifndef TUI_TERM_TERM_H
#define TUI_TERM_TERM_H

/*
 * The terminal, through curses, which only term*.c include.
 * From term_open() to term_close() the terminal is ours; it is put back on
 * every way out, fatal signals included. Without a terminfo entry for $TERM
 * built-in ones are used.
 */
#include "tui/term/mouse.h"
#include "tui/term/screen.h"
#include "tui/term/theme.h"

enum key { /* above all Unicode characters */
	   KEY_NONE_ = 0,
	   TK_UP = 0x110000,
	   TK_DOWN,
	   TK_LEFT,
	   TK_RIGHT,
	   TK_HOME,
	   TK_END,
	   TK_PAGE_UP,
	   TK_PAGE_DOWN,
	   TK_ENTER,
	   TK_BACKSPACE,
	   TK_DELETE,
	   TK_INSERT,
	   TK_TAB,
	   TK_BACKTAB,
	   TK_ESCAPE,
	   TK_RESIZE,
	   TK_F1,
	   TK_F2,
	   TK_F3,
	   TK_F4,
	   TK_F5,
	   TK_F6,
	   TK_F7,
	   TK_F8,
	   TK_F9,
	   TK_F10,
	   TK_F11,
	   TK_F12,
	   TK_TIMEOUT,   /* nothing was typed in time */
	   TK_WAKE,      /* term_wake() was called */
	   TK_QUIT,      /* SIGHUP, SIGTERM or the terminal went away */
	   TK_INTERRUPT, /* SIGINT */
	   TK_MOUSE,     /* see term_mouse() */
};
/* Ctrl-letters arrive as 1…26. */
#define TK_CTRL(c) ((c)&0x1f)
/* Alt and a character, "M-f": of use in the prompt. */
enum { TK_ALT_BIT = 0x400000 };
#define TK_ALT(c) ((c) | TK_ALT_BIT)
/* "Enter", "^D", "F1", "j", "Space": as help shows it; and the reverse. */
/* (curses has a key_name() of its own.) */
const char *key_spell(int key, char text[16]);
int key_parse(const char *name); /* 0 if unknown */

struct term;
/* Keys are read from /dev/tty where stdin is not a terminal. */
struct term *term_open(const struct theme *theme, struct error *err) MUST_USE;
void term_close(struct term *t);
void term_set_theme(struct term *t, const struct theme *theme);
void term_size(const struct term *t, int *rows, int *columns);
bool term_is_ascii(const struct term *t);
/* Why it shows no colours, whatever the theme; NULL: it does. */
const char *term_no_colours(const struct term *t);
/* Do LC_ALL, LC_CTYPE or LANG name UTF-8? Costs nothing. */
bool term_wants_utf8(void);
/* Of curses, as it runs. */
const char *term_version(void);
/* Sends what changed since the last time, with one doupdate(). */
void term_show(struct term *t, const struct screen *s);
/* Everything, when something else has written on the terminal. */
void term_redraw(struct term *t);
/*
 * Clicks and the wheel are keys, too, from now on; or they are the terminal's
 * again. False: it is not known to tell of them.
 */
bool term_set_mouse(struct term *t, bool on);
/* After TK_MOUSE: what happened. */
const struct mouse *term_mouse(const struct term *t);
/* Waits for a key, at most `timeout_ms` (-1: for ever). */
int term_key(struct term *t, int timeout_ms);
/* Makes term_key() return TK_WAKE; from any thread or signal handler. */
void term_wake(struct term *t);
/*
 * The terminal is another program's, as the shell has it: its modes, its
 * screen. Then ours again; before that `text` stands below what that one
 * left, and a key is waited for, unless it is NULL.
 */
void term_lend(struct term *t);
void term_take_back(struct term *t, const char *text);
/* What that program shall have as its standard input and output. */
int term_input(const struct term *t);
int term_output(const struct term *t);
void term_suspend(struct term *t); /* ^Z: back to the shell, and again */
/* Asks the terminal to keep it: see clipboard.h. */
bool term_copy(struct term *t, const char *text, struct error *err);
/* Made harmless; put back on closing where the terminal can. */
void term_set_title(struct term *t, const char *title);

#endif
