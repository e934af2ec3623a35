#ifndef TUI_TERM_TERM_H
#define TUI_TERM_TERM_H

/*
 * The terminal, through curses, which only term*.c include. Between term_open() and term_close()
 * the terminal is ours; it is restored on every way out, even after fatal signals. If terminfo has
 * no entry for $TERM, a built-in one is used.
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
	   TK_QUIT,      /* SIGHUP, SIGTERM, or the terminal is gone */
	   TK_INTERRUPT, /* SIGINT */
	   TK_MOUSE,     /* see term_mouse() */
	   TK_PASTE,     /* see term_paste() */
};
/* Ctrl-letters arrive as 1…26. */
#define TK_CTRL(c) ((c)&0x1f)
/* Alt and a character, "M-f"; used in the prompt. */
enum { TK_ALT_BIT = 0x400000 };
#define TK_ALT(c) ((c) | TK_ALT_BIT)
/* "Enter", "^D", "F1", "j", "Space", as in the help, and the reverse. Not called key_name(), which
   is a function of curses. */
const char *key_spell(int key, char text[16]);
int key_parse(const char *name); /* 0 if unknown */

struct term;
/* Reads keys from /dev/tty if stdin is not a terminal. */
struct term *term_open(const struct theme *theme, struct error *err) MUST_USE;
void term_close(struct term *t);
void term_set_theme(struct term *t, const struct theme *theme);
void term_size(const struct term *t, int *rows, int *columns);
bool term_is_ascii(const struct term *t);
/* Returns whether the styles of areas have different colours here. */
bool term_tells_areas(const struct term *t);
/* Why the terminal shows no colours; NULL: it does. */
const char *term_no_colours(const struct term *t);
/* Whether LC_ALL, LC_CTYPE or LANG name UTF-8. */
bool term_wants_utf8(void);
/* The version of curses at run time. */
const char *term_version(void);
/* Sends what changed since the last time, with one doupdate(). */
void term_show(struct term *t, const struct screen *s);
/* Sends everything, after other programs wrote to the terminal. */
void term_redraw(struct term *t);
/* Enables or disables mouse events as keys. False: the terminal is not known to report them. */
bool term_set_mouse(struct term *t, bool on);
/* The event, after TK_MOUSE. */
const struct mouse *term_mouse(const struct term *t);
/* The text, after TK_PASTE: its first line that is not blank, without control characters;
 *has_more: there were others. Terminals that mark pasted text are asked to. */
const char *term_paste(const struct term *t, bool *has_more);
/* Waits for a key, at most `timeout_ms` (-1: no limit). */
int term_key(struct term *t, int timeout_ms);
/* Makes term_key() return TK_WAKE; from any thread or signal handler. */
void term_wake(struct term *t);
/*
 * Lends the terminal to another program, with the modes and the screen of the shell, and takes it
 * back. Unless `text` is NULL, first prints it below the program's output and waits for a key.
 */
void term_lend(struct term *t);
void term_take_back(struct term *t, const char *text);
/* Descriptors for the standard input and output of that program. */
int term_input(const struct term *t);
int term_output(const struct term *t);
void term_suspend(struct term *t); /* ^Z: stops until the job continues */
/* Sends the text to the terminal's clipboard: see clipboard.h. */
bool term_copy(struct term *t, const char *text, struct error *err);
/* Unsafe characters are replaced; restored on closing if possible. */
void term_set_title(struct term *t, const char *title);

#endif
