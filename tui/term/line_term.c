#include "tui/term/line_term.h"
#include "model/base/arena.h"
#include "model/base/utf8.h"
#include "tui/term/key.h"
#include "tui/term/rescue.h"
#include "tui/term/signals.h"
#include "tui/term/term.h"
#include "model/base/text.h"
#include "tui/term/tty.h"
#include "model/base/width.h"
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

enum {
	ESCAPE_MS = 25,     /* to tell Esc from the start of a key */
	SEQUENCE_MS = 1000, /* for the rest of a key: lines may be slow */
	KEY_BYTES = 16,     /* longest key */
	TEXT_BYTES = 4096,
};

struct line_term {
	FILE *in;
	struct termios modes; /* as the shell left them */
	bool takes_keys;      /* our modes are set */
	unsigned events;
	bool has_ended;
	char bytes[KEY_BYTES]; /* read but not yet used */
	size_t len;
};

/* --- modes ---------------------------------------------------------------- */

/* Sets unbuffered input without echo; ^C and ^Z remain signals. */
static void
take_keys(struct line_term *t)
{
	struct termios modes = t->modes;

	t->takes_keys = true;
	modes.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	modes.c_iflag &= ~(tcflag_t)(IXON | IXOFF);
	modes.c_cc[VMIN] = 1;
	modes.c_cc[VTIME] = 0;
	tcsetattr(fileno(t->in), TCSADRAIN, &modes);
}

static void
take_lines(struct line_term *t)
{
	if (t->takes_keys)
		tcsetattr(fileno(t->in), TCSADRAIN, &t->modes);
	t->takes_keys = false;
}

struct line_term *
line_term_open(struct error *err)
{
	struct line_term *t = memory_new(1, sizeof *t, err);

	if (!t)
		return NULL;
	t->in = tty_open(STDIN_FILENO, "r");
	if (!t->in || tcgetattr(fileno(t->in), &t->modes) < 0)
		error_set(err, ERROR_USAGE,
			  "there is no terminal to take keys from: use -b for plain output");
	else if (signals_open(err)) {
		rescue_arm(fileno(t->in), &t->modes);
		take_keys(t);
		return t;
	}
	if (t->in)
		fclose(t->in);
	memory_free(t);
	return NULL;
}

void
line_term_close(struct line_term *t)
{
	struct sigaction before;

	if (!t)
		return;
	signals_ignore(SIGTTOU, &before); /* works in the background, too */
	take_lines(t);
	rescue_disarm();
	sigaction(SIGTTOU, &before, NULL);
	signals_close();
	fclose(t->in);
	memory_free(t);
}

void
line_term_wake(struct line_term *t)
{
	(void)t;
	signals_wake();
}

void
line_term_size(const struct line_term *t, int *rows, int *columns)
{
	struct winsize size;

	*rows = 24;
	*columns = 80;
	if (ioctl(fileno(t->in), TIOCGWINSZ, &size) == 0 && size.ws_row && size.ws_col) {
		*rows = size.ws_row;
		*columns = size.ws_col;
	}
}

/* --- keys ----------------------------------------------------------------- */

/* Waits, then reads what is available. False: nothing came. */
static bool
bytes_read(struct line_term *t, int64_t deadline)
{
	size_t room = sizeof t->bytes - t->len;
	ssize_t got;

	if (!tty_wait(fileno(t->in), deadline, &t->events)) {
		t->has_ended = true;
		return false;
	}
	/* After a signal there may be no input, and read() would block. */
	if (!tty_has_input(fileno(t->in)) || !room)
		return false;
	got = read(fileno(t->in), t->bytes + t->len, room);
	t->len += got > 0 ? (size_t)got : 0;
	return got > 0;
}

static bool
rest_read(struct line_term *t, int wait_ms)
{
	return tty_wait_rest(fileno(t->in), wait_ms, &t->events) && bytes_read(t, tty_deadline(0));
}

static void
bytes_drop(struct line_term *t, size_t count)
{
	t->len -= count;
	memmove(t->bytes, t->bytes + count, t->len);
}

static int
escape_take(struct line_term *t)
{
	size_t len = 2;
	int key = KEY_INCOMPLETE;

	if (t->len == 1)
		(void)rest_read(t, ESCAPE_MS);
	if (t->len == 1 || (t->bytes[1] != '[' && t->bytes[1] != 'O')) {
		bytes_drop(t, 1);
		return TK_ESCAPE;
	}
	while (key == KEY_INCOMPLETE && len <= sizeof t->bytes) {
		if (len > t->len && !rest_read(t, SEQUENCE_MS))
			break;
		key = key_from_escape(t->bytes + 1, len - 1);
		len += key == KEY_INCOMPLETE;
	}
	bytes_drop(t, len < t->len ? len : t->len);
	return key == KEY_INCOMPLETE ? KEY_NONE_ : key;
}

static int
character_take(struct line_term *t)
{
	int follow = utf8_bytes_to_follow((unsigned char)t->bytes[0]);
	char text[UTF8_MAX_BYTES + 1] = "";
	size_t used;
	uint32_t c;

	while ((int)t->len <= follow && rest_read(t, SEQUENCE_MS))
		;
	memcpy(text, t->bytes, t->len < UTF8_MAX_BYTES ? t->len : UTF8_MAX_BYTES);
	c = utf8_decode(text, &used);
	bytes_drop(t, used);
	return c == UTF8_BROKEN || width_is_hidden(c) ? KEY_NONE_ : (int)c;
}

static int
key_take(struct line_term *t)
{
	static const struct {
		char byte;
		int key;
	} keys[] = {
		{ '\r', TK_ENTER },     { '\n', TK_ENTER },     { '\t', TK_TAB },
		{ '\b', TK_BACKSPACE }, { 0x7f, TK_BACKSPACE },
	};
	char first = t->bytes[0];

	if (first == '\033')
		return escape_take(t);
	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
		if (keys[i].byte == first) {
			bytes_drop(t, 1);
			return keys[i].key;
		}
	if ((unsigned char)first >= ' ')
		return character_take(t);
	bytes_drop(t, 1);
	return first;
}

static int
event_key(struct line_term *t)
{
	unsigned events = t->events;

	t->events = 0;
	if (!(events & EVENT_QUIT) && events & EVENT_SUSPEND) {
		take_lines(t);
		signals_stop_here();
		events |= signals_take();
	}
	if (events & EVENT_QUIT || t->has_ended)
		return TK_QUIT;
	if (events & (EVENT_SUSPEND | EVENT_CONTINUED))
		take_keys(t);
	if (events & EVENT_INTERRUPT)
		return TK_INTERRUPT;
	return events & EVENT_WAKE ? TK_WAKE : KEY_NONE_;
}

int
line_term_key(struct line_term *t, int timeout_ms)
{
	int64_t deadline = tty_deadline(timeout_ms);

	t->events |= signals_take();
	for (;;) {
		int key = event_key(t);

		if (key == KEY_NONE_ && t->len)
			key = key_take(t);
		if (key != KEY_NONE_)
			return key;
		if (!t->len && !bytes_read(t, deadline) && !t->events && tty_is_over(deadline))
			return TK_TIMEOUT;
	}
}

/* --- lines ---------------------------------------------------------------- */

static const char *
text_for(const char *text, char *out, size_t out_size)
{
	return term_wants_utf8() ? text_clean(text, out, out_size)
				 : text_to_ascii(text, out, out_size);
}

void
line_term_say(const struct line_term *t, const char *text)
{
	char clean[TEXT_BYTES];

	(void)t;
	printf("%s\n", text_for(text, clean, sizeof clean));
	fflush(stdout);
}

/* Reads a line, beginning with bytes that were typed ahead. */
static int
line_read(struct line_term *t, char *out, size_t out_size)
{
	size_t len = t->len < out_size ? t->len : out_size - 1;
	ssize_t got;

	memcpy(out, t->bytes, len);
	t->len = 0;
	for (;;) {
		char *end = memchr(out, '\n', len);

		if (!end)
			end = memchr(out, '\r', len);
		if (end) {
			size_t rest = len - (size_t)(end + 1 - out);

			if (rest > sizeof t->bytes)
				rest = sizeof t->bytes;
			memcpy(t->bytes, end + 1, rest);
			t->len = rest;
			*end = '\0';
			return TK_ENTER;
		}
		if (len + 1 >= out_size)
			return TK_ESCAPE;
		if (!tty_wait(fileno(t->in), -1, &t->events))
			return TK_QUIT;
		if (t->events & EVENT_QUIT)
			return TK_QUIT;
		if (t->events & EVENT_INTERRUPT) {
			t->events &= ~(unsigned)EVENT_INTERRUPT;
			return TK_ESCAPE;
		}
		if (!tty_has_input(fileno(t->in)))
			continue;
		got = read(fileno(t->in), out + len, out_size - 1 - len);
		if (got <= 0)
			return TK_ESCAPE; /* ^D */
		len += (size_t)got;
	}
}

int
line_term_ask(struct line_term *t, const char *sign, char *out, size_t out_size)
{
	char clean[TEXT_BYTES];
	int key;

	take_lines(t); /* before the user can type after the prompt */
	printf("%s", text_for(sign, clean, sizeof clean));
	fflush(stdout);
	key = line_read(t, out, out_size);
	take_keys(t);
	if (key == TK_ENTER)
		return key;
	out[0] = '\0';
	printf("\n");
	fflush(stdout);
	return key;
}
