#include "model/base/text.h"
#include "tui/term/screen.h"
#include "tui/widget/name_cut.h"
#include <stdio.h>
#include <string.h>

enum {
	CUT_BYTES = 1024,
	FOLD_DEPTHS = 4,  /* deeper arguments are not folded */
	APART_LEAST = 10, /* columns for beginning, difference and end */
};

/* --- folding -------------------------------------------------------------- */

/* A < after a name opens its arguments; a < that begins a name is part of
   it. */
static bool
opens_arguments(const char *name, const char *at)
{
	unsigned char before = at > name ? (unsigned char)at[-1] : ' ';

	return *at == '<' && (before >= 0x80 || before == '_' || (before >= '0' && before <= '9') ||
			      (before >= 'A' && before <= 'Z') || (before >= 'a' && before <= 'z'));
}

/* Sets ends[i] to the position after the bracket that closes the one at `i`; 0 if none does. */
static void
find_ends(const char *name, uint16_t ends[CUT_BYTES])
{
	enum { NONE = CUT_BYTES };
	uint16_t open = NONE, outer; /* in ends[]: outer open brackets */

	for (uint16_t i = 0; name[i]; i++) {
		if (name[i] == '<') {
			ends[i] = open;
			open = i;
		} else if (name[i] == '>' && open != NONE) {
			outer = ends[open];
			ends[open] = i + 1;
			open = outer;
		}
	}
	for (; open != NONE; open = outer) {
		outer = ends[open];
		ends[open] = 0;
	}
}

const char *
name_fold(const char *name, int depth, char *out, size_t out_size)
{
	static const char folded[] = "<…>";
	uint16_t ends[CUT_BYTES] = { 0 };
	uint64_t open = 0; /* one bit per open bracket */
	size_t len = 0;
	bool is_folded = false;

	if (strnlen(name, CUT_BYTES) == CUT_BYTES)
		return NULL;
	find_ends(name, ends);
	for (const char *at = name, *end; *at; at = end) {
		bool opens = opens_arguments(name, at);
		bool folds = opens && __builtin_popcountll(open) >= depth && ends[at - name];
		const char *piece = folds ? folded : at;
		size_t piece_len = folds ? sizeof folded - 1 : 1;

		end = folds ? name + ends[at - name] : at + 1;
		if (!folds) {
			open = *at == '<' ? open << 1 | opens : *at == '>' ? open >> 1 : open;
		}
		if (len + piece_len >= out_size)
			return NULL;
		memcpy(out + len, piece, piece_len);
		len += piece_len;
		is_folded = is_folded || folds;
	}
	out[len] = '\0';
	return is_folded ? out : NULL;
}

/* True if another name looks the same when folded equally. */
static bool
is_twin(const char *name, const char *folded, const char *other, int depth)
{
	char out[CUT_BYTES];

	return strcmp(name, other) != 0 && name_fold(other, depth, out, sizeof out) &&
	       !strcmp(out, folded);
}

const char *
name_fold_apart(const char *name, const char *before, const char *behind, char *out,
		size_t out_size)
{
	for (int depth = 0; depth < FOLD_DEPTHS; depth++) {
		if (!name_fold(name, depth, out, out_size))
			return NULL;
		if (!is_twin(name, out, before, depth) && !is_twin(name, out, behind, depth))
			return out;
	}
	return NULL;
}

/* --- namespaces ----------------------------------------------------------- */

size_t
name_platform_bytes(const struct type *t)
{
	static const char ends[] = "<[(";
	size_t len = strcspn(t->name, ends), left = strcspn(t->short_name, ends);

	if (strncmp(t->name, "System.", 7) && strncmp(t->name, "Microsoft.", 10))
		return 0;
	if (left > len || memcmp(t->name + len - left, t->short_name, left))
		return 0;
	return len - left;
}

/* --- cutting -------------------------------------------------------------- */

/* Returns the width of the common prefix. */
static int
common_columns(const char *a, const char *b)
{
	char same[CUT_BYTES];
	size_t len = 0;

	while (a[len] && a[len] == b[len] && len < sizeof same - 1)
		len++;
	/* Do not cut a character. */
	while (len && ((unsigned char)a[len] & 0xc0) == 0x80)
		len--;
	memcpy(same, a, len);
	same[len] = '\0';
	return text_width(same);
}

/* Writes the beginning, the part at column `at`, and the end. */
static void
show_three(const char *text, int at, int width, char *out, size_t out_size)
{
	int whole = text_width(text), part = (width - 2) / 4;
	int tail = width - 2 - 2 * part;
	int window = at - 1 > part ? at - 1 : at;
	const char *end = text + text_bytes(text, whole - tail);

	if (window + part >= whole - tail) {
		/* The part reaches the end: show both as one. */
		window = whole - tail - part - 1;
		end = text + text_bytes(text, window);
		snprintf(out, out_size, "%.*s…%s", (int)text_bytes(text, part), text, end);
		return;
	}
	snprintf(out, out_size, "%.*s…%.*s…%s", (int)text_bytes(text, part), text,
		 (int)text_bytes(text + text_bytes(text, window), part),
		 text + text_bytes(text, window), end);
}

const char *
name_fit_apart(const char *text, const char *other, int width, char *out, size_t out_size)
{
	char cut[CUT_BYTES];

	text_fit(text, width, out, out_size);
	if (width < APART_LEAST || text_width(text) <= width || !strcmp(text, other) ||
	    strcmp(out, text_fit(other, width, cut, sizeof cut)) != 0)
		return out;
	show_three(text, common_columns(text, other), width, out, out_size);
	/* Wide characters may exceed the width. */
	return text_width(out) <= width ? out : text_fit(text, width, out, out_size);
}

static bool
is_letter(char c)
{
	unsigned char byte = (unsigned char)c;

	return byte >= 0x80 || byte == '_' || (byte >= 'A' && byte <= 'Z') ||
	       (byte >= 'a' && byte <= 'z');
}

/* Returns the length of the identifier that starts the text, 0 if none does. */
static size_t
identifier_bytes(const char *text)
{
	size_t len = 0;

	while (is_letter(text[len]) || (len && text[len] >= '0' && text[len] <= '9'))
		len++;
	return len;
}

static const char chain_arrow[] = " ← ";

bool
name_is_chain(const char *text)
{
	return strstr(text, chain_arrow) != NULL;
}

/* Returns the last link of a chain that starts before `end`; all of the text
   if it is no chain. */
static char *
link_before(char *text, char *end)
{
	size_t len = strlen(chain_arrow);

	while (--end > text)
		if ((size_t)(end - text) >= len && !strncmp(end - len, chain_arrow, len))
			return end;
	return text;
}

/* Leaves out namespaces, from `at` in `text` on, until it fits. */
static void
drop_namespaces(const char *text, char *at, int width)
{
	while (*at && *at != '"' && text_width(text) > width) {
		size_t len = identifier_bytes(at);

		if (len && at[len] == '.' && is_letter(at[len + 1]))
			memmove(at, at + len + 1, strlen(at + len + 1) + 1);
		else
			at += len ? len : 1;
	}
}

bool
name_fits_short(const char *text, int width, char *out, size_t out_size)
{
	char *at = out;

	snprintf(out, out_size, "%s", text);
	at += strlen(out);
	while (at > out && text_width(out) > width) {
		at = link_before(out, at);
		drop_namespaces(out, at, width);
	}
	return text_width(out) <= width;
}

const char *
name_fit_short(const char *text, int width, char *out, size_t out_size)
{
	char brief[CUT_BYTES];

	(void)name_fits_short(text, width, brief, sizeof brief);
	return text_fit(brief, width, out, out_size);
}
