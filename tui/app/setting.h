#ifndef TUI_APP_SETTING_H
#define TUI_APP_SETTING_H

/*
 * One setting: its name, what values it takes, where its value stands in
 * struct settings. Reading and writing values as text; settings.c has the
 * table of them all. Knows nothing of files and screens.
 */
#include "model/base/error.h"
#include <stddef.h>
#include <stdio.h>

struct app;
struct settings;
struct view_ops;

enum setting_kind {
	SETTING_SWITCH, /* bool: on, off; also NAME and noNAME */
	SETTING_CHOICE, /* unsigned: which of the words of `values` */
	SETTING_COUNT,  /* uint64_t, at most `most` */
	SETTING_SIZE,   /* uint64_t, bytes: 512M, 2G */
	SETTING_TIME,   /* uint64_t, milliseconds: 5s, 200ms */
	SETTING_WORD,   /* char[size] */
};

enum setting_flag {
	/* One value for each view, set as NAME.VIEW: an array in the struct. */
	SETTING_OF_VIEWS = 1 << 0,
	/* Also where there is no screen. All others are left alone there, for
	   what a script prints must not hang on whose it is. */
	SETTING_BATCH = 1 << 1,
};

/* Of a size or time for which a word stands: mem=auto, budget=none. */
#define SETTING_NONE UINT64_MAX

struct setting {
	const char *name;
	enum setting_kind kind;
	size_t at, size; /* the value's place in struct settings */
	const char *initial;
	const char *values; /* "short|exact", "SIZE|auto", "COLUMN" */
	const char *help;   /* one sentence, no full stop */
	unsigned flags;     /* enum setting_flag */
	uint64_t most;      /* of a count */
	/* Of a word: is it one? `view` if there is one value for each. */
	bool (*check)(const char *text, const struct view_ops *view,
		      struct error *err);
	/* Of a word: all that it can be. NULL: nothing is offered. */
	void (*complete)(const struct view_ops *view,
			 void (*add)(void *to, const char *word), void *to);
	/* Makes it so on the screen; NULL: whoever needs it looks it up. */
	bool (*apply)(struct app *app, struct error *err);
	/* What else is so here and why, a sentence; NULL: it is as set. */
	const char *(*overruled)(const struct app *app);
};

enum { SETTING_TEXT_BYTES = 1024 };

/*
 * Stores what was typed. `what` is what errors call it: "mem", "--mem". View:
 * the number of the view, or 0. Nothing changes if it fails.
 */
bool setting_store(const struct setting *s, const char *what, const char *text,
		   size_t view, struct settings *to, struct error *err);
/* What it is where nobody has set it. */
void setting_reset(const struct setting *s, size_t view, struct settings *to);
/* As it would be typed; the same again if it is stored. */
const char *setting_show(const struct setting *s, const struct settings *from,
			 size_t view, char out[SETTING_TEXT_BYTES]);
/* Calls `add` with all values there can be, if they can be listed. */
void setting_complete(const struct setting *s, const struct view_ops *view,
		      void (*add)(void *to, const char *word), void *to);
/* "bar", "mem=SIZE|auto", "sort.VIEW=COLUMN" */
const char *setting_form(const struct setting *s, char out[64]);

#endif
