#include "tui/term/key.h"
#include "tui/term/term.h"
#include "model/base/utf8.h"
#include <stdio.h>
#include <string.h>

/* clang-format off */
static const struct {
	int key;
	const char *name;
} names[] = {
	{ TK_UP,        "Up" },		{ TK_DOWN,      "Down" },
	{ TK_LEFT,      "Left" },	{ TK_RIGHT,     "Right" },
	{ TK_HOME,      "Home" },	{ TK_END,       "End" },
	{ TK_PAGE_UP,   "PgUp" },	{ TK_PAGE_DOWN, "PgDn" },
	{ TK_ENTER,     "Enter" },	{ TK_BACKSPACE, "Backspace" },
	{ TK_DELETE,    "Delete" },	{ TK_INSERT,    "Insert" },
	{ TK_TAB,       "Tab" },	{ TK_BACKTAB,   "S-Tab" },
	{ TK_ESCAPE,    "Esc" },	{ ' ',          "Space" },
	{ TK_F1,  "F1" },	{ TK_F2,  "F2" },	{ TK_F3,  "F3" },
	{ TK_F4,  "F4" },	{ TK_F5,  "F5" },	{ TK_F6,  "F6" },
	{ TK_F7,  "F7" },	{ TK_F8,  "F8" },	{ TK_F9,  "F9" },
	{ TK_F10, "F10" },	{ TK_F11, "F11" },	{ TK_F12, "F12" },
};

/* Keys by what follows Escape, where curses does not know them: with modifiers, or in another mode
   than the terminal's entry describes. */
static const struct {
	char last;	/* of "[A", "OA", "[1;5A" */
	int key;
} letters[] = {
	{ 'A', TK_UP },   { 'B', TK_DOWN }, { 'C', TK_RIGHT }, { 'D', TK_LEFT },
	{ 'H', TK_HOME }, { 'F', TK_END },  { 'Z', TK_BACKTAB }, { 'M', TK_ENTER },
	{ 'P', TK_F1 },   { 'Q', TK_F2 },   { 'R', TK_F3 },    { 'S', TK_F4 },
};
static const struct {
	uint8_t number;	/* of "[5~", "[5;2~" */
	int key;
} numbers[] = {
	{ 1, TK_HOME },  { 2, TK_INSERT },  { 3, TK_DELETE },    { 4, TK_END },
	{ 5, TK_PAGE_UP }, { 6, TK_PAGE_DOWN }, { 7, TK_HOME },  { 8, TK_END },
	{ 11, TK_F1 },   { 12, TK_F2 },     { 13, TK_F3 },       { 14, TK_F4 },
	{ 15, TK_F5 },   { 17, TK_F6 },     { 18, TK_F7 },       { 19, TK_F8 },
	{ 20, TK_F9 },   { 21, TK_F10 },    { 23, TK_F11 },      { 24, TK_F12 },
	{ 200, TK_PASTE },
};
/* clang-format on */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const char *
key_spell(int key, char text[16])
{
	char utf8[UTF8_MAX_BYTES + 1] = "";
	char *out = text;

	if (key & TK_ALT_BIT) {
		key &= ~TK_ALT_BIT;
		memcpy(out, "M-", 2);
		out += 2;
	}
	for (size_t i = 0; i < COUNT(names); i++) {
		if (names[i].key == key) {
			strcpy(out, names[i].name);
			return text;
		}
	}
	if (key > 0 && key < 0x20)
		sprintf(out, "^%c", key + '@');
	else if (key > 0x20 && key < 0x110000)
		sprintf(out, "%.*s", (int)utf8_put((uint32_t)key, utf8), utf8);
	else
		*out = '\0';
	return text;
}

int
key_parse(const char *name)
{
	size_t used;
	uint32_t c;

	if (strncmp(name, "M-", 2) == 0 && name[2]) {
		int key = key_parse(name + 2);

		return key && !(key & TK_ALT_BIT) ? TK_ALT(key) : 0;
	}
	for (size_t i = 0; i < COUNT(names); i++)
		if (strcmp(name, names[i].name) == 0)
			return names[i].key;
	if (name[0] == '^' && name[1] && !name[2]) {
		if (name[1] >= '@' && name[1] <= '_')
			return TK_CTRL(name[1]);
		return name[1] >= 'a' && name[1] <= 'z' ? TK_CTRL(name[1]) : 0;
	}
	c = utf8_decode(name, &used);
	if (c <= 0x20 || c == 0x7f || c == UTF8_BROKEN || name[used])
		return 0;
	return (int)c;
}

/* Sequences that differ from the form of "[5;2~" and "OA". */
static int
key_of_kind(const char *bytes, size_t len, char last)
{
	switch (bytes[1]) {
	case '[': /* Linux: F1 is "[[A" */
		if (len < 3)
			return KEY_INCOMPLETE;
		return bytes[2] >= 'A' && bytes[2] <= 'E' ? TK_F1 + (bytes[2] - 'A') : KEY_NONE_;
	case 'M': /* the old mouse protocol: three arbitrary bytes */
		return len < 5 ? KEY_INCOMPLETE : KEY_NONE_;
	case '<':
		return last == 'M' || last == 'm' ? TK_MOUSE : KEY_NONE_;
	default: /* an unsolicited response */
		return KEY_NONE_;
	}
}

int
key_from_escape(const char *bytes, size_t len)
{
	unsigned number = 0;
	size_t at = 1;
	char last;

	if (len < 2)
		return KEY_INCOMPLETE;
	if (bytes[0] == '[' && (bytes[1] == '[' || bytes[1] == 'M'))
		return key_of_kind(bytes, len, '\0');
	for (; at < len && bytes[at] >= '0' && bytes[at] <= '9'; at++)
		number = number < 1000 ? number * 10 + (unsigned)bytes[at] - '0' : number;
	while (at < len && bytes[at] >= 0x20 && bytes[at] < 0x40)
		at++;
	if (at == len)
		return KEY_INCOMPLETE;
	last = bytes[at];
	if (bytes[0] == '[' && bytes[1] >= '<' && bytes[1] <= '?')
		return key_of_kind(bytes, len, last);
	if (bytes[0] == '[' && last == 'M') /* the urxvt mouse protocol */
		return KEY_NONE_;
	for (size_t i = 0; last == '~' && i < COUNT(numbers); i++)
		if (numbers[i].number == number)
			return numbers[i].key;
	for (size_t i = 0; i < COUNT(letters); i++)
		if (letters[i].last == last)
			return letters[i].key;
	return KEY_NONE_;
}
