#ifndef TUI_WIDGET_COMPLETION_H
#define TUI_WIDGET_COMPLETION_H

/*
 * Completion of a line on Tab: the candidate words, the part of the line that they replace, and the
 * list drawn above the prompt. It does not edit the line.
 */
#include "model/base/arena.h"
#include "tui/widget/prompt.h"

/* Further candidates are dropped: the list is long enough to read. */
enum { COMPLETION_WORDS_MAX = 5000 };

struct completion {
	const char **words;
	int count;
	int selected; /* -1: none */
	/* Bytes before the cursor that a word replaces. */
	size_t typed_len;
	char *typed;
	struct arena arena;
};

void completion_init(struct completion *c);
void completion_clear(struct completion *c);

/*
 * Collects the candidates of `complete` that continue the text before the cursor, ignoring case; if
 * none does, keep all of them. A word may contain blanks, as type names do.
 */
void completion_collect(struct completion *c, const char *line, size_t cursor,
			prompt_complete *complete, void *context);
/* Returns the longest common prefix of all words, but at least the typed text; in `out`. */
const char *completion_common(const struct completion *c, char *out, size_t out_size);
/* Draws the words in columns above `row`, as many as fit. */
void completion_draw(const struct completion *c, struct screen *s, int row);

#endif
