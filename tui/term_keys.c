#include "tui/term_keys.h"
#include "model/utf8.h"
#include "tui/key.h"
#include "tui/term.h"
#include "tui/width.h"
#include <string.h>

enum {
	SEQUENCE_MS = 50, /* between the bytes of one character or key */
	MOUSE_MS = 1000,  /* the same where it can be nothing else */
	SEQUENCE_BYTES = 32,
	SEQUENCE_BYTES_MAX =
	    256, /* of one that is too long and means nothing */
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

/* With Ctrl, Alt or Shift curses has no number for them, but a name. */
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

	for (size_t i = 0;
	     name && i < sizeof(modified_keys) / sizeof(modified_keys[0]); i++)
		if (strncmp(name, modified_keys[i].prefix,
			    strlen(modified_keys[i].prefix)) == 0)
			return modified_keys[i].key;
	return KEY_NONE_;
}

/* The next byte or curses key; ERR if none comes in time. */
static int
byte_take(const struct term_keys *k, int wait_ms)
{
	int c;

	if (wait_ms > 0)
		wtimeout(k->pad, wait_ms);
	c = wgetch(k->pad);
	if (wait_ms > 0)
		nodelay(k->pad, TRUE);
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

/*
 * What follows Escape and `first`, to its end: what is no key of ours must not
 * be taken for what is typed.
 */
static int
sequence_take(struct term_keys *k, int first)
{
	char bytes[SEQUENCE_BYTES] = { (char)first };
	int key = KEY_INCOMPLETE, wait_ms = SEQUENCE_MS;
	size_t len = 1;

	for (int i = 0; key == KEY_INCOMPLETE && i < SEQUENCE_BYTES_MAX; i++) {
		int c = byte_take(k, wait_ms);

		if (c == ERR || c < ' ' || c > 0xff) {
			if (c != ERR)
				ungetch(c);
			return len == 1 ? TK_ALT(first) : KEY_NONE_;
		}
		if (len == sizeof(bytes))
			len--;
		bytes[len++] = (char)c;
		key = key_from_escape(bytes, len);
		if (bytes[1] == '<')
			wait_ms = MOUSE_MS;
	}
	if (key == KEY_INCOMPLETE || len == sizeof(bytes))
		return KEY_NONE_;
	if (key != TK_MOUSE)
		return key;
	return k->has_mouse && mouse_parse(bytes, len, &k->mouse) ? TK_MOUSE
								  : KEY_NONE_;
}

/* After Escape: nothing, Alt and a character, or a key curses does not know. */
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
	if (next != '[' && next != 'O')
		return next > ' ' && next < 0x7f      ? TK_ALT(next)
		       : next == 0x7f || next == '\b' ? TK_ALT(TK_BACKSPACE)
						      : KEY_NONE_;
	return sequence_take(k, next);
}

int
term_keys_take(struct term_keys *k, bool *is_empty)
{
	int c = byte_take(k, 0);

	*is_empty = c == ERR;
	if (c == ERR || c == 0)
		return KEY_NONE_;
	for (size_t i = 0; i < sizeof(known_keys) / sizeof(known_keys[0]); i++)
		if (known_keys[i].curses == c)
			return known_keys[i].key;
	if (c >= KEY_F(1) && c <= KEY_F(12))
		return TK_F1 + (c - KEY_F(1));
	if (c == '\033')
		return escape_take(k);
	if (c < 0x80)
		return c;
	return c <= 0xff ? utf8_take(k, c) : modified_key(c);
}
