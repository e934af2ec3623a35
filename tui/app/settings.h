#ifndef TUI_APP_SETTINGS_H
#define TUI_APP_SETTINGS_H

/*
 * All settings: a table of rows, and the values. `:set`, heaptoprc, the command
 * line, completion, `--help settings` and the manual are made from the table.
 *
 * To add one: a field in struct settings and a row in settings.c.
 */
#include "model/base/arena.h"
#include "tui/app/keymap.h"
#include "tui/app/setting.h"

struct snapshots;
struct view;

enum { SETTINGS_MAX = 48, SETTING_VIEWS_MAX = 64 };

/* With namespaces, without, and with "<…>" for what types are made of. */
enum names_shown { NAMES_FULL, NAMES_SHORT, NAMES_FOLDED, NAMES_SHOWN_COUNT };

struct settings {
	bool ascii, bar, color, facts, hints, linear, meter, mouse, resume,
	    statics, title;
	unsigned bytes;        /* enum bytes_shown of model/table/value.h */
	unsigned names;        /* enum names_shown */
	uint64_t history;      /* lines; 0: none are kept */
	uint64_t budget_ms;    /* or SETTING_NONE */
	uint64_t memory_bytes; /* or SETTING_NONE: what is free decides */
	char theme[SETTING_TEXT_BYTES];
	char sort[SETTING_VIEWS_MAX][32];     /* "": the view's own */
	char columns[SETTING_VIEWS_MAX][400]; /* "": all that fit */
	struct keymap keys;

	/* Where each was set; of those that every view has, for each. */
	struct origin origins[SETTINGS_MAX][SETTING_VIEWS_MAX];
	bool has_screen; /* else only SETTING_BATCH counts, see setting.h */
};

extern const struct setting settings_table[]; /* ends with {0} */

void settings_init(struct settings *s);
/* To heaps that will be opened; what changes then is passed on to them. */
void settings_give(struct settings *s, struct snapshots *to);
/* The columns and the order that are set for such views. */
void settings_give_view(const struct settings *s, struct view *v);

/* One setting, or what one view has of it. */
struct setting_place {
	const struct setting *setting; /* NULL: not found */
	size_t view;                   /* 0 if views do not have their own */
};
/* "mem", "sort.types". False sets `err`, which names what is like it. */
bool settings_find(const char *name, size_t name_len, struct setting_place *out,
		   struct error *err);

/* What a value was before it was changed. */
struct setting_change {
	struct setting_place place;
	struct origin origin_before;
	char value_before[SETTING_TEXT_BYTES];
};
/*
 * One of "bar", "nobar", "bar!", "mem=2G", "sort.types=-count": changes the
 * value, no more. `change` may be NULL. The error's offset is where in `text`
 * it is.
 */
bool settings_set(struct settings *s, const char *text,
		  const struct origin *from, struct setting_change *change,
		  struct error *err);
void settings_undo(struct settings *s, const struct setting_change *change);
/* The next of words with blanks between them, or NULL. */
const char *settings_word(const char **words, char out[SETTING_TEXT_BYTES]);
/* The value apart from the name; `what` is what errors call it. */
bool settings_set_value(struct settings *s, const char *name, const char *what,
			const char *value, const struct origin *from,
			struct error *err);
const struct origin *settings_origin(const struct settings *s,
				     const struct setting_place *place);

/*
 * What `:set` does with its words: all of them, one after another, and as it
 * is on the screen of `app`. "NAME?" is told in app's message.
 */
bool settings_command(struct app *app, const char *words, struct error *err);
/* At the start: everything that somebody has set. */
bool settings_apply_all(struct app *app, struct error *err);
/* What Tab offers for the words of `:set`. */
void settings_complete(const char *words,
		       void (*add)(void *to, const char *word), void *to);
/* `--help settings` */
void settings_print(FILE *to);

#endif
