#ifndef TUI_WIDGET_COMPLETION_H
#define TUI_WIDGET_COMPLETION_H

/*
 * What Tab offers for a line: the words, where in the line they would start,
 * and the list drawn above the prompt. Knows nothing of how a line is edited.
 */
#include "model/base/arena.h"
#include "tui/widget/prompt.h"

/* More than anybody looks through; the rest is left out. */
enum { COMPLETION_WORDS_MAX = 5000 };

struct completion {
	const char **words;
	int count;
	int selected; /* -1: none yet */
	/* Bytes of the line before the cursor that a word replaces. */
	size_t typed_len;
	char *typed;
	struct arena arena;
};

void completion_init(struct completion *c);
void completion_clear(struct completion *c);

/*
 * Asks `complete` and keeps the words that go on from what stands before the
 * cursor, in capitals or not; if there are none, all that it gave. A word may
 * have blanks in it, as type names do.
 */
void completion_collect(struct completion *c, const char *line, size_t cursor,
			prompt_complete *complete, void *context);
/* What all words begin with, at least what is typed; in `out`. */
const char *completion_common(const struct completion *c, char *out,
			      size_t out_size);
/* In columns above `row`, as far as there is room. */
void completion_draw(const struct completion *c, struct screen *s, int row);

#endif
