#ifndef TUI_APP_SETTINGS_H
#define TUI_APP_SETTINGS_H

/*
 * All settings: the table and the values. `:set`, heaptoprc, the command line, completion, `--help
 * settings` and the manual are made from the table.
 *
 * To add a setting, add a member to struct settings and a row to settings.c.
 */
#include "model/base/arena.h"
#include "tui/app/keymap.h"
#include "tui/app/setting.h"

struct snapshots;
struct view;

enum { SETTINGS_MAX = 48, SETTING_VIEWS_MAX = 96 };

/* Type names with namespaces, without, or with arguments as "<…>". */
enum names_shown { NAMES_FULL, NAMES_SHORT, NAMES_FOLDED, NAMES_SHOWN_COUNT };

struct settings {
	bool ascii, bar, color, csvguard, facts, hints, linear, meter, mine, mouse, resume, statics,
	    title;
	unsigned bytes;        /* enum bytes_shown of model/table/value.h */
	unsigned names;        /* enum names_shown */
	unsigned stack_roots;  /* 1: all words */
	uint64_t history;      /* lines; 0: no history */
	uint64_t budget_ms;    /* or SETTING_NONE */
	uint64_t memory_bytes; /* or SETTING_NONE: limited by free memory */
	char theme[SETTING_TEXT_BYTES];
	char my_modules[400];                 /* patterns of model/heap/my_code.h */
	char sort[SETTING_VIEWS_MAX][32];     /* "": the view's default */
	char columns[SETTING_VIEWS_MAX][400]; /* "": all that fit */
	struct keymap keys;

	/* Where each value was set; for settings of views, by view. */
	struct origin origins[SETTINGS_MAX][SETTING_VIEWS_MAX];
	bool has_screen; /* if false, only SETTING_BATCH settings apply */
};

extern const struct setting settings_table[];

void settings_init(struct settings *s);
/* Makes the settings known to snapshots, for the heaps that they will open. */
void settings_attach(struct settings *s, struct snapshots *to);
/* Applies the columns and the order that are set for this kind of view. */
void settings_apply_to_view(const struct settings *s, struct view *v);

/* A setting, and the view if each view has its own value. */
struct setting_place {
	const struct setting *setting; /* NULL: not found */
	size_t view;                   /* 0 if views share the value */
};
/* Finds "mem" or "sort.types". False sets `err`, with a similar name. */
bool settings_find(const char *name, size_t name_len, struct setting_place *out, struct error *err);

/* The value before a change, for settings_undo(). */
struct setting_change {
	struct setting_place place;
	struct origin origin_before;
	char value_before[SETTING_TEXT_BYTES];
};
/*
 * Parses and stores one of "bar", "nobar", "bar!", "mem=2G", "sort.types=-count", without applying
 * it to the screen. `change` may be NULL. The error's offset is a position in `text`.
 */
bool settings_set(struct settings *s, const char *text, const struct origin *from,
		  struct setting_change *change, struct error *err);
void settings_undo(struct settings *s, const struct setting_change *change);
/* Copies the next word and advances `words`; NULL at the end. "mouse on" becomes "mouse=on". */
const char *settings_word(const char **words, char out[SETTING_TEXT_BYTES]);
/* Sets a value by name; `what` is its name in errors. */
bool settings_set_value(struct settings *s, const char *name, const char *what, const char *value,
			const struct origin *from, struct error *err);
/* Writes the name as it is typed: "mem", "sort.types". */
const char *settings_spell(const struct setting_place *place, char out[SETTING_NAME_BYTES]);
const struct origin *settings_origin(const struct settings *s, const struct setting_place *place);

/* Applies all values set before the start. */
bool settings_apply_all(struct app *app, struct error *err);
/* Prints `--help settings`. */
void settings_print(FILE *to);

#endif
