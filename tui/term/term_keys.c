#include "tui/term/term_keys.h"
#include "model/base/clock.h"
#include "model/base/utf8.h"
#include "tui/term/key.h"
#include "tui/term/signals.h"
#include "tui/term/term.h"
#include "tui/term/tty.h"
#include "model/base/width.h"
#include <string.h>

enum {
	BYTE_MS = 25,       /* for the next byte, if this may be a key */
	SEQUENCE_MS = 1000, /* if it cannot be one yet: lines may be slow */
	SEQUENCE_BYTES = 32,
	SEQUENCE_BYTES_MAX = 256, /* limit for skipping unknown sequences */
};

/* clang-format off */
static const struct {
	int curses, key;
} known_keys[] = {
	{ KEY_UP,    TK_UP },        { KEY_DOWN,      TK_DOWN },
	{ KEY_LEFT,  TK_LEFT },      { KEY_RIGHT,     TK_RIGHT },
	{ KEY_HOME,  TK_HOME },      { KEY_END,       TK_END },
	{ KEY_PPAGE, TK_PAGE_UP },   { KEY_NPAGE,     TK_PAGE_DOWN },
	{ KEY_ENTER, TK_ENTER },     { KEY_BACKSPACE, TK_BACKSPACE },
	{ KEY_DC,    TK_DELETE },    { KEY_IC,        TK_INSERT },
	{ KEY_BTAB,  TK_BACKTAB },   { KEY_FIND,      TK_HOME },
	{ KEY_SELECT, TK_END },      { KEY_SR,        TK_UP },
	{ KEY_SF,    TK_DOWN },      { KEY_SLEFT,     TK_LEFT },
	{ KEY_SRIGHT, TK_RIGHT },    { KEY_SHOME,     TK_HOME },
	{ KEY_SEND,  TK_END },       { KEY_SPREVIOUS, TK_PAGE_UP },
	{ KEY_SNEXT, TK_PAGE_DOWN }, { KEY_SDC,       TK_DELETE },
	{ KEY_A1,    TK_HOME },      { KEY_A3,        TK_PAGE_UP },
	{ KEY_C1,    TK_END },       { KEY_C3,        TK_PAGE_DOWN },
	{ '\r',      TK_ENTER },     { '\n',          TK_ENTER },
	{ '\t',      TK_TAB },       { '\b',          TK_BACKSPACE },
	{ 0x7f,      TK_BACKSPACE },
};
/* clang-format on */

/* Keys with Ctrl, Alt or Shift have no constant in curses, only a name. */
/* clang-format off */
static const struct {
	const char *prefix;
	int key;
} modified_keys[] = {
	{ "kUP",  TK_UP },   { "kDN",  TK_DOWN },    { "kLFT", TK_LEFT },
	{ "kRIT", TK_RIGHT }, { "kHOM", TK_HOME },   { "kEND", TK_END },
	{ "kPRV", TK_PAGE_UP }, { "kNXT", TK_PAGE_DOWN }, { "kDC", TK_DELETE },
	{ "kIC",  TK_INSERT },
};
/* clang-format on */

static int
modified_key(int c)
{
	const char *name = keyname(c);

	for (size_t i = 0; name && i < sizeof(modified_keys) / sizeof(modified_keys[0]); i++)
		if (strncmp(name, modified_keys[i].prefix, strlen(modified_keys[i].prefix)) == 0)
			return modified_keys[i].key;
	return KEY_NONE_;
}

/* The next byte or curses key; ERR if none comes within `wait_ms`. */
static int
byte_take(const struct term_keys *k, int wait_ms)
{
	int c = wgetch(k->pad);

	if (c == ERR && wait_ms > 0 && tty_wait_rest(k->fd, wait_ms, k->events))
		c = wgetch(k->pad);
	return c;
}

static int
utf8_take(const struct term_keys *k, int first)
{
	char bytes[UTF8_MAX_BYTES + 1] = { (char)first };
	int follow = utf8_bytes_to_follow((unsigned char)first);
	size_t used;
	uint32_t c;

	for (int i = 1; i <= follow; i++) {
		int next = byte_take(k, SEQUENCE_MS);

		if (next == ERR)
			return KEY_NONE_;
		if (next > 0xff || (next & 0xc0) != 0x80) {
			ungetch(next);
			return KEY_NONE_;
		}
		bytes[i] = (char)next;
	}
	c = utf8_decode(bytes, &used);
	return c == UTF8_BROKEN || width_is_hidden(c) ? KEY_NONE_ : (int)c;
}

/* Keeps a byte of pasted text if it belongs to the first line that is not blank. */
static void
paste_keep(struct term_keys *k, int c, bool *has_ended)
{
	bool is_end = c == '\r' || c == '\n';

	*has_ended = *has_ended || (is_end && k->paste_len);
	if (is_end || (!k->paste_len && (c == ' ' || c == '\t')))
		return;
	if (c == '\t')
		c = ' ';
	if (c > 0xff || c < ' ' || c == 0x7f)
		return;
	k->paste_has_more = k->paste_has_more || *has_ended;
	if (*has_ended)
		return;
	if (k->paste_len + 1 < sizeof k->paste)
		k->paste[k->paste_len++] = (char)c;
	else
		k->paste_has_more = true;
}

/*
 * Takes pasted text up to its end, however long it is: no part of it may act as keys. A terminal
 * that pauses for seconds has lost the end.
 */
static void
paste_take(struct term_keys *k)
{
	enum { PASTE_MS = 5000 };
	static const char end[] = "\033[201~";
	size_t matched = 0;
	bool has_ended = false;

	k->paste_len = 0;
	k->paste_has_more = false;
	while (matched < sizeof end - 1) {
		int c = byte_take(k, PASTE_MS);

		if (c == ERR || *k->events & EVENT_QUIT)
			break;
		if (c == end[matched]) {
			matched++;
			continue;
		}
		for (size_t i = 1; i < matched; i++) /* was no end; Escape is left out */
			paste_keep(k, end[i], &has_ended);
		matched = c == end[0];
		if (!matched)
			paste_keep(k, c, &has_ended);
	}
	k->paste[k->paste_len] = '\0';
}

/*
 * Takes the sequence that begins with Escape and `first`. Unknown sequences are consumed to their
 * end, or their rest would be taken for typed text. Returns `alone` if nothing follows in time.
 */
static int
sequence_take(struct term_keys *k, int first, int alone, int wait_ms)
{
	char bytes[SEQUENCE_BYTES] = { (char)first };
	int key = KEY_INCOMPLETE;
	size_t len = 1;

	for (int i = 0; key == KEY_INCOMPLETE && i < SEQUENCE_BYTES_MAX; i++) {
		int c = byte_take(k, wait_ms);

		if (c == ERR || c < ' ' || c > 0xff) {
			if (c != ERR)
				ungetch(c);
			return len == 1 ? alone : KEY_NONE_;
		}
		if (len == sizeof(bytes))
			len--;
		bytes[len++] = (char)c;
		key = key_from_escape(bytes, len);
		wait_ms = SEQUENCE_MS;
	}
	if (key == KEY_INCOMPLETE || len == sizeof(bytes))
		return KEY_NONE_;
	if (key == TK_PASTE)
		paste_take(k);
	if (key != TK_MOUSE)
		return key;
	return k->has_mouse && mouse_parse(bytes, len, &k->mouse) ? TK_MOUSE : KEY_NONE_;
}

/* clang-format off */
static const struct {
	int first;
	const char *next; /* otherwise it is Alt and the key */
} answers[] = {
	{ ']', "0123456789" },       /* colours and the like */
	{ 'P', "0123456789>!$+|" },  /* modes, names, versions */
	{ '_', "G" },                /* pictures */
};
/* clang-format on */

static bool
is_answer(int first, int next)
{
	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++)
		if (answers[i].first == first)
			return next > ' ' && next < 0x7f && strchr(answers[i].next, next);
	return false;
}

/* Skips a response, up to BEL, or Escape and '\\'. A timeout limits how much typed text a truncated
 * response can swallow. */
static void
answer_skip(const struct term_keys *k)
{
	int64_t deadline = tty_deadline(SEQUENCE_MS);
	int c = '\0', before;

	for (int i = 0; i < SEQUENCE_BYTES_MAX && !tty_is_over(deadline); i++) {
		before = c;
		c = byte_take(k, SEQUENCE_MS);
		if (c == ERR || c == '\a' || (before == '\033' && c == '\\'))
			return;
	}
}

/*
 * Takes what follows Escape and `first`: this is Alt with that key, or the terminal's response to a
 * program that ran before, which is skipped.
 */
static int
answer_take(const struct term_keys *k, int first)
{
	int c = byte_take(k, BYTE_MS);

	if (is_answer(first, c)) {
		answer_skip(k);
		return KEY_NONE_;
	}
	if (c != ERR)
		ungetch(c);
	return TK_ALT(first);
}

/* Takes what follows Escape: nothing, a character with Alt, or a sequence. */
static int
escape_take(struct term_keys *k)
{
	int next = byte_take(k, 0);

	if (next == ERR)
		return TK_ESCAPE;
	if (next == '\033' || next > 0xff) {
		ungetch(next);
		return TK_ESCAPE;
	}
	if (next == '[' || next == 'O')
		return sequence_take(k, next, TK_ALT(next), SEQUENCE_MS);
	if (strchr("]P_", next))
		return answer_take(k, next);
	return next > ' ' && next < 0x7f      ? TK_ALT(next)
	       : next == 0x7f || next == '\b' ? TK_ALT(TK_BACKSPACE)
					      : KEY_NONE_;
}

/*
 * Whether this is the rest of a sequence whose Escape was taken for the Esc key because the line
 * was slow. Time spent handling that key does not count.
 */
static bool
is_late(const struct term_keys *k, int c)
{
	return (c == '[' || c == 'O') && k->has_escaped &&
	       (!k->escaped_ns || clock_ns() - k->escaped_ns < SEQUENCE_MS * INT64_C(1000000));
}

int
term_keys_take(struct term_keys *k, bool *is_empty)
{
	int c = byte_take(k, 0);
	bool is_rest = is_late(k, c);

	*is_empty = c == ERR;
	if (c == ERR && k->has_escaped && !k->escaped_ns)
		k->escaped_ns = clock_ns();
	if (c == ERR || c == 0)
		return KEY_NONE_;
	k->has_escaped = false;
	if (is_rest)
		return sequence_take(k, c, c, BYTE_MS);
	for (size_t i = 0; i < sizeof(known_keys) / sizeof(known_keys[0]); i++)
		if (known_keys[i].curses == c)
			return known_keys[i].key;
	if (c >= KEY_F(1) && c <= KEY_F(12))
		return TK_F1 + (c - KEY_F(1));
	if (c == '\033') {
		int key = escape_take(k);

		k->has_escaped = key == TK_ESCAPE;
		k->escaped_ns = 0;
		return key;
	}
	if (c < 0x80)
		return c;
	return c <= 0xff ? utf8_take(k, c) : modified_key(c);
}
