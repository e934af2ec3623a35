/* Names of keys, and what terminals send for them. */
#include "tests/drive/run_tests.h"
#include "tui/term/key.h"
#include "tui/term/term.h"
#include <string.h>

TEST(names_go_both_ways)
{
	static const struct {
		int key;
		const char *name;
	} rows[] = {
		{ TK_UP, "Up" },
		{ TK_PAGE_DOWN, "PgDn" },
		{ TK_ENTER, "Enter" },
		{ TK_ESCAPE, "Esc" },
		{ TK_BACKTAB, "S-Tab" },
		{ TK_F1, "F1" },
		{ TK_F12, "F12" },
		{ ' ', "Space" },
		{ 'j', "j" },
		{ 'G', "G" },
		{ '^', "^" },
		{ '<', "<" },
		{ 0xe9, "é" },
		{ 0x65e5, "日" },
		{ 0x1f600, "\U0001f600" },
		{ TK_CTRL('D'), "^D" },
		{ TK_CTRL('\\'), "^\\" },
		{ TK_ALT('f'), "M-f" },
		{ TK_ALT(TK_BACKSPACE), "M-Backspace" },
	};
	char text[16];

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		assert_string_equal(key_spell(rows[i].key, text), rows[i].name);
		assert_int_equal(key_parse(rows[i].name), rows[i].key);
	}
	assert_int_equal(key_parse("^d"), TK_CTRL('D'));
}

TEST(no_key_has_no_name)
{
	static const char *const names[] = { "",    "Entr", "F13",  "enter", "jj",  "\t",
					     "^ab", "^é",   "\xff", "M-M-x", "\x1b" };
	static const int keys[] = { KEY_NONE_, TK_RESIZE, TK_TIMEOUT, TK_WAKE, TK_QUIT };
	char text[16];

	for (size_t i = 0; i < COUNT_OF(names); i++)
		assert_int_equal(key_parse(names[i]), 0);
	for (size_t i = 0; i < COUNT_OF(keys); i++)
		assert_string_equal(key_spell(keys[i], text), "");
}

TEST(sequences_are_keys)
{
	static const struct {
		const char *bytes;
		int wanted;
	} rows[] = {
		{ "[", KEY_INCOMPLETE },
		{ "O", KEY_INCOMPLETE },
		{ "[1;", KEY_INCOMPLETE },
		{ "[[", KEY_INCOMPLETE },
		{ "[A", TK_UP },
		{ "OB", TK_DOWN },
		{ "[1;5C", TK_RIGHT },
		{ "[1;2D", TK_LEFT },
		{ "OH", TK_HOME },
		{ "[F", TK_END },
		{ "[Z", TK_BACKTAB },
		{ "OM", TK_ENTER },
		{ "OP", TK_F1 },
		{ "[[A", TK_F1 },
		{ "[[E", TK_F5 },
		{ "[[F", KEY_NONE_ },
		{ "[1~", TK_HOME },
		{ "[3;5~", TK_DELETE },
		{ "[6~", TK_PAGE_DOWN },
		{ "[15~", TK_F5 },
		{ "[24~", TK_F12 },
		{ "[16~", KEY_NONE_ },
		{ "[99999999999~", KEY_NONE_ },
		{ "[?1;2c", KEY_NONE_ },
		{ "[I", KEY_NONE_ },
		/* The mouse, in the three forms that terminals have for it. */
		{ "[<", KEY_INCOMPLETE },
		{ "[<0;1;1", KEY_INCOMPLETE },
		{ "[<0;1;1M", TK_MOUSE },
		{ "[<0;1;1m", TK_MOUSE },
		{ "[<0;1;1A", KEY_NONE_ },
		{ "[<1~", KEY_NONE_ },
		{ "[>0;276;0c", KEY_NONE_ },
		{ "[?5A", KEY_NONE_ },
		{ "[32;1;1M", KEY_NONE_ },
		{ "[M", KEY_INCOMPLETE },
		{ "[M !", KEY_INCOMPLETE },
		{ "[M !!", KEY_NONE_ },
		{ "[M\xff\xff\xff", KEY_NONE_ },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		assert_int_equal(key_from_escape(rows[i].bytes, strlen(rows[i].bytes)),
				 rows[i].wanted);
}
