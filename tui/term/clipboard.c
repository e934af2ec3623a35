#include "tui/term/clipboard.h"
#include "model/base/arena.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	SCREEN_PIECE = 240, /* bytes of a string that GNU screen passes on */
	WRAPPING = 64       /* exceeds the bytes around a piece */
};

enum clipboard_way
clipboard_way(void)
{
	const char *tmux = getenv("TMUX"), *type = getenv("TERM");

	if (tmux && *tmux)
		return CLIPBOARD_TMUX;
	return type && !strncmp(type, "screen", 6) ? CLIPBOARD_SCREEN : CLIPBOARD_PLAIN;
}

const char *
clipboard_sent(enum clipboard_way way)
{
	return way == CLIPBOARD_TMUX ? "sent to tmux, whose set-clipboard must be on: "
				     : "sent to the terminal's clipboard: ";
}

static size_t
base64_write(char *out, const char *text)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *in = (const unsigned char *)text;
	size_t left = strlen(text), len = 0;

	for (; left; in += 3) {
		size_t taken = left < 3 ? left : 3;
		uint32_t bits = (uint32_t)in[0] << 16;

		bits |= taken > 1 ? (uint32_t)in[1] << 8 : 0;
		bits |= taken > 2 ? in[2] : 0;
		for (size_t i = 0; i < 4; i++)
			out[len++] = i > taken ? '=' : digits[bits >> (18 - 6 * i) & 63];
		left -= taken;
	}
	out[len] = '\0';
	return len;
}

/* GNU screen limits strings to some hundred bytes. */
static void
wrap_for_screen(char *out, const char *plain)
{
	size_t left = strlen(plain);

	while (left) {
		size_t piece = left < SCREEN_PIECE ? left : SCREEN_PIECE;

		memcpy(out, "\033P", 2);
		memcpy(out + 2, plain, piece);
		memcpy(out + 2 + piece, "\033\\", 2);
		out += piece + 4;
		plain += piece;
		left -= piece;
	}
	*out = '\0';
}

char *
clipboard_sequence(const char *text, enum clipboard_way way, struct error *err)
{
	size_t coded = (strlen(text) + 2) / 3 * 4;
	char *plain, *out;

	if (strlen(text) > CLIPBOARD_TEXT_MAX) {
		error_set(err, ERROR_USAGE,
			  "this is too long to be copied: %zu bytes, and terminals take %d; :w "
			  "FILE writes it",
			  strlen(text), (int)CLIPBOARD_TEXT_MAX);
		return NULL;
	}
	plain = memory_new(coded + WRAPPING, 1, err);
	if (!plain)
		return NULL;
	strcpy(plain, "\033]52;c;");
	strcpy(plain + 7 + base64_write(plain + 7, text), "\a");
	if (way == CLIPBOARD_PLAIN)
		return plain;
	out = memory_new(2 * coded + 4 * WRAPPING, 1, err);
	/* tmux needs each Escape doubled; there is one. */
	if (out && way == CLIPBOARD_TMUX)
		snprintf(out, 2 * coded + 4 * WRAPPING, "%s\033Ptmux;\033%s\033\\", plain, plain);
	else if (out)
		wrap_for_screen(out, plain);
	memory_free(plain);
	return out;
}
