#ifndef TUI_APP_KEYMAP_H
#define TUI_APP_KEYMAP_H

/*
 * Keys that the user has mapped, in all views or in one, to a line that is run as if it had been
 * typed after `:`. Keys are spelled as in help: x, ^X, F5, M-x, Space. A mapped key runs commands,
 * never keys, so mappings cannot loop.
 */
#include "tui/app/command.h"
#include "tui/base/origin.h"
#include <stddef.h>

enum { KEYMAP_MAX = 100, KEYMAP_COMMAND_BYTES = 256, KEYMAP_ALL = -1 };

struct keymap_entry {
	int key;
	int view; /* index in all_views, or KEYMAP_ALL */
	char command[KEYMAP_COMMAND_BYTES];
	struct origin origin;
};
struct keymap {
	struct keymap_entry entries[KEYMAP_MAX];
	size_t count;
};

/* Returns the command in "F5 sort -count", in `text` or unquoted in `out`. */
const char *keymap_command(const char *text, char out[KEYMAP_COMMAND_BYTES]);
/* Maps a key: "F5 sort -count", "types.X objects". Replaces a mapping. */
bool keymap_map(struct keymap *k, const char *text, const struct origin *from, struct error *err);
/* Removes the mapping of "F5" or "types.X". */
bool keymap_unmap(struct keymap *k, const char *text, struct error *err);
/* Returns the mapping of a key in a view, or NULL if it is not mapped. */
const struct keymap_entry *keymap_find(const struct keymap *k, int key, size_t view);
/* The commands that a key, mapped or not, runs in a view. */
struct key_meaning {
	struct binding binding; /* its first command, if any */
	const char *commands;   /* of a mapped key; NULL: only the binding, with key and count */
};
struct key_meaning keymap_meaning(const struct keymap *k, const struct view *v, int key);
/* Writes the key as it is typed: "types.X". */
const char *keymap_spell(const struct keymap_entry *e, char out[64]);

#endif
