#ifndef TESTS_DRIVE_PTY_H
#define TESTS_DRIVE_PTY_H

/*
 * A program on a terminal: its output is read by libvterm, so that a test can look at the screen
 * and type. Waits are for something to appear, never for time to pass; one that fails prints the
 * screen.
 */
#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

struct pty;

/*
 * Starts argv[0] with only the variables in `env` ("NAME=value", NULL at the end) and, unless it is
 * there, an empty HEAPTOP_RC: nobody's settings are read. On a terminal of that size, as the leader
 * of a session. Modes are those of a login. NULL after a message if there can be no terminal.
 */
struct pty *pty_start(const char *const argv[], const char *const env[], int rows, int columns);
/*
 * Only the bytes count, and there are no rows: libvterm does not survive every size and every
 * noise. And with noflsh: a ^C that comes late would throw away the last that was sent.
 */
struct pty *pty_start_unseen(const char *const argv[], const char *const env[], int rows,
			     int columns);
/* Kills the program if it is still there. */
void pty_free(struct pty *p);

void pty_send(struct pty *p, const char *bytes);
void pty_send_bytes(struct pty *p, const char *bytes, size_t len);
/* Something else writes on the terminal. */
void pty_spoil(struct pty *p, const char *bytes);
/* Tells the program, with SIGWINCH, too. */
void pty_resize(struct pty *p, int rows, int columns);
void pty_signal(struct pty *p, int number);
/* To all of the foreground job, whichever the shell has put there. */
void pty_signal_job(struct pty *p, int number);
/* Takes no output until it is started again, or the program ends. */
void pty_stop_output(struct pty *p);
void pty_start_output(struct pty *p);
/* The terminal goes away, as when a connection is cut. */
void pty_hang_up(struct pty *p);

/* Until `text` stands in some row; false after a while, or at the end. */
bool pty_wait_text(struct pty *p, const char *text);
/* Until it stands in no row. */
bool pty_wait_no_text(struct pty *p, const char *text);
bool pty_wait_cursor(struct pty *p); /* until it is visible */
/* Until the program has sent these bytes, escape sequences included. */
bool pty_wait_bytes(struct pty *p, const char *bytes);
/* The same behind the first `from` bytes, see pty_sent_count(). */
bool pty_wait_sent(struct pty *p, size_t from, const char *bytes);
/*
 * Until the program has read what was typed, neither computes, nor would if the machine were less
 * busy, nor sends anything for so long; false if that goes on and on.
 */
bool pty_wait_quiet(struct pty *p, int quiet_ms);
/* The wait status, or -1 if it does not end. */
int pty_wait_end(struct pty *p);
/* Has it ended by then? Says nothing if it has not. */
bool pty_ends_within(struct pty *p, int wait_ms);

/* One cell as it is seen: colours are 0xrrggbb, reverse is done already. */
struct pty_cell {
	char text[32]; /* UTF-8; "" in the second half of a wide one */
	unsigned ink, paper;
	bool is_bold, is_underlined;
};
bool pty_cell(struct pty *p, int row, int column, struct pty_cell *out);
/* A row as UTF-8 without blanks at its end; valid until the next call. */
const char *pty_row(struct pty *p, int row);
/* The row in which `text` stands, or -1. */
int pty_find(struct pty *p, const char *text);
bool pty_has_sent(const struct pty *p, const char *bytes);
/* All that has come so far, up to the first NUL; and how many bytes. */
const char *pty_sent(const struct pty *p);
size_t pty_sent_count(const struct pty *p);
/* Does anything come in that time? For what is to stay quiet. */
bool pty_sends_within(struct pty *p, int wait_ms);
bool pty_cursor_is_visible(const struct pty *p);
bool pty_is_alternate(const struct pty *p); /* the other screen is shown */
bool pty_has_mouse(const struct pty *p);    /* the program is told of clicks */
/* Is any cell drawn in a colour that is not the terminal's own? */
bool pty_has_colours(struct pty *p);

/* The terminal's modes are as they were at the start. */
bool pty_modes_are_kept(const struct pty *p);

#endif
