/* Values of cells: texts that are too long for one. */
#include "model/table/value.h"
#include "tests/drive/run_tests.h"
#include <string.h>

/* A character that is there as a whole stays; a part of one does not. */
TEST(long_texts_are_cut_between_characters)
{
	static const char *const characters[] = { "x", "ä", "→", "𝄞" };
	enum { ROOM = VALUE_TEXT_BYTES - 4 };

	for (size_t c = 0; c < COUNT_OF(characters); c++)
		for (size_t first = 0; first < 4; first++) {
			size_t len = strlen(characters[c]), at = first;
			char text[2 * VALUE_TEXT_BYTES];
			struct value v;

			memset(text, '-', first);
			for (; at + len < sizeof text; at += len)
				memcpy(text + at, characters[c], len);
			text[at] = '\0';
			value_printf(&v, STYLE_NORMAL, "%s", text);
			at = first + (ROOM - first) / len * len;
			assert_memory_equal(v.text, text, at);
			assert_string_equal(v.text + at, "…");
		}
}

TESTS_BETWEEN(NULL, NULL);
