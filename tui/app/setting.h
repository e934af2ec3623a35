#ifndef TUI_APP_SETTING_H
#define TUI_APP_SETTING_H

/*
 * One setting: its name, the values it takes, and the place of its value in struct settings. Parses
 * and formats values; knows nothing of files and screens. settings.c has the table.
 */
#include "model/base/error.h"
#include <stddef.h>
#include <stdio.h>

struct app;
struct settings;
struct view_ops;

enum setting_kind {
	SETTING_SWITCH, /* bool: on, off; also NAME and noNAME */
	SETTING_CHOICE, /* unsigned: an index into the words of `values` */
	SETTING_COUNT,  /* uint64_t, at most `most` */
	SETTING_SIZE,   /* uint64_t, bytes: 512M, 2G */
	SETTING_TIME,   /* uint64_t, milliseconds: 5s, 200ms */
	SETTING_WORD,   /* char[size] */
};

enum setting_flag {
	/* One value for each view, set as NAME.VIEW: an array in the struct. */
	SETTING_OF_VIEWS = 1 << 0,
	/*
	 * Also set without a screen. Other settings are ignored there: the output of a script must
	 * not depend on the user's configuration.
	 */
	SETTING_BATCH = 1 << 1,
};

/* A size or time that is a word: mem=auto, budget=none. */
#define SETTING_NONE UINT64_MAX

struct setting {
	const char *name;
	enum setting_kind kind;
	size_t at, size; /* offset and size of the value in struct settings */
	const char *initial;
	const char *values; /* "short|exact", "SIZE|auto", "COLUMN" */
	const char *help;   /* one sentence, no full stop */
	unsigned flags;     /* enum setting_flag */
	uint64_t most;      /* upper limit of a count */
	/* Checks a SETTING_WORD. `view`: NULL unless each view has one. */
	bool (*check)(const char *text, const struct view_ops *view, struct error *err);
	/* Offers all values of a SETTING_WORD. NULL: none are offered. */
	void (*complete)(const struct view_ops *view, void (*add)(void *to, const char *word),
			 void *to);
	/* Shows the new value. NULL: it is read where it is used. */
	bool (*apply)(struct app *app, struct error *err);
	/* Returns why the value has no effect here, a sentence, or NULL. */
	const char *(*overruled)(const struct app *app);
};

enum { SETTING_TEXT_BYTES = 1024, SETTING_NAME_BYTES = 64 };

/*
 * Parses and stores a value. `what` is its name in errors: "mem", "--mem". `view` is the view's
 * number, or 0 for settings without one per view. Nothing changes on failure.
 */
bool setting_store(const struct setting *s, const char *what, const char *text, size_t view,
		   struct settings *to, struct error *err);
/* Sets the default value. */
void setting_reset(const struct setting *s, size_t view, struct settings *to);
/* Format a value as it would be typed. */
const char *setting_show(const struct setting *s, const struct settings *from, size_t view,
			 char out[SETTING_TEXT_BYTES]);
/* Calls `add` with every possible value, if they can be listed. */
void setting_complete(const struct setting *s, const struct view_ops *view,
		      void (*add)(void *to, const char *word), void *to);
/* Writes the form for help: "bar, nobar", "mem=SIZE|auto". */
const char *setting_form(const struct setting *s, char out[64]);

#endif
