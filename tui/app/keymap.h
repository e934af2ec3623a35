#ifndef TUI_APP_KEYMAP_H
#define TUI_APP_KEYMAP_H

/*
 * Keys that the user has given another meaning: a key, perhaps only in one
 * view, and the line that is run as if it had been typed after `:`. Keys are
 * spelled as in help: x, ^X, F5, M-x, Space. A mapped key runs commands, never
 * keys: there are no loops.
 */
#include "tui/app/command.h"
#include "tui/base/origin.h"
#include <stddef.h>

enum { KEYMAP_MAX = 100, KEYMAP_COMMAND_BYTES = 256, KEYMAP_ALL = -1 };

struct keymap_entry {
	int key;
	int view; /* its number in all_views; KEYMAP_ALL: in all of them */
	char command[KEYMAP_COMMAND_BYTES];
	struct origin origin;
};
struct keymap {
	struct keymap_entry entries[KEYMAP_MAX];
	size_t count;
};

/* What the key of such a text runs: "sort -count"; `text` or `out`. */
const char *keymap_command(const char *text, char out[KEYMAP_COMMAND_BYTES]);
/* "F5 sort -count", "types.X objects". The last one of a key counts. */
bool keymap_map(struct keymap *k, const char *text, const struct origin *from,
		struct error *err);
/* "F5", "types.X" */
bool keymap_unmap(struct keymap *k, const char *text, struct error *err);
/* What the key does in this view; NULL: what it always does. */
const struct keymap_entry *keymap_find(const struct keymap *k, int key,
				       size_t view);
/* A key, mapped or not, and the commands that it runs in a view. */
struct key_meaning {
	struct binding binding; /* what it runs, or, of several commands, the
				   first; command NULL: nothing */
	const struct keymap_entry *mapped; /* NULL: as it always was */
};
struct key_meaning keymap_meaning(const struct keymap *k, const struct view *v,
				  int key);
/* "types.X" */
const char *keymap_spell(const struct keymap_entry *e, char out[64]);

#endif
