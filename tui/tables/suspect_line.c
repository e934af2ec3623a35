#include "tui/tables/suspect_line.h"
#include "model/base/text.h"
#include "tui/widget/name_cut.h"
#include <string.h>

/* Writes the number, the name and as much of the reason as fits. */
static void
write_beginning(const struct facts *facts, const struct finding *f, int width,
		char out[FINDING_TEXT_BYTES])
{
	char whole[FINDING_TEXT_BYTES], brief[FINDING_TEXT_BYTES];
	struct text text = text_in(whole, sizeof whole);

	finding_what(facts, f, &text);
	text_add(&text, " ");
	finding_why(facts, f, &text);
	(void)name_fits_short(whole, width, brief, sizeof brief);
	(void)text_line(brief, width - 2, 0, out, FINDING_TEXT_BYTES);
	text = text_in(whole, sizeof whole);
	text_addf(&text, "%s%s", out, strlen(out) < strlen(brief) ? " …" : "");
	snprintf(out, FINDING_TEXT_BYTES, "%s", whole);
}

/* Returns whether the beginning of the sentence says more than one without clauses of the reason:
   that one ends with the name, or does not say how memory is wasted. */
static bool
needs_reason(const struct finding *f, const char *text)
{
	size_t len = strlen(text), dots = strlen("…");

	return f->kind->is_waste || (len >= dots && !strcmp(text + len - dots, "…"));
}

const char *
suspect_line(const struct facts *facts, const struct finding *f, int width,
	     char out[FINDING_TEXT_BYTES])
{
	bool is_shorter = true, fits = false;
	char text[FINDING_TEXT_BYTES];
	unsigned dropped = 0;

	for (; is_shorter && !fits; dropped++) {
		struct text sentence = text_in(text, sizeof text);

		is_shorter = finding_text_without(facts, f, dropped, &sentence);
		fits = name_fits_short(text, width, out, FINDING_TEXT_BYTES);
	}
	if (!fits || (dropped > 1 && needs_reason(f, text)))
		write_beginning(facts, f, width, out);
	return out;
}
