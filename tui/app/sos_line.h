#ifndef TUI_APP_SOS_LINE_H
#define TUI_APP_SOS_LINE_H

/*
 * A line of SOS while it is translated. sos.c splits it and has the table of commands,
 * sos_options.c their options, sos_answers.c the hints for commands that heaptop does not have.
 */
#include "model/heap/heap.h"
#include "tui/app/sos.h"
#include <stdint.h>

enum {
	SOS_WORD_BYTES = 160,
	SOS_WORDS_MAX = 24,
	SOS_ARGS_MAX = 2,
	SOS_OPTIONS_MAX = 96, /* rows in the table of options */
};

struct sos_line {
	const struct sos_command *command;
	const struct heap *heap; /* NULL: not loaded yet */
	bool is_capture;         /* the heap was not read from process memory */
	char words[SOS_WORDS_MAX][SOS_WORD_BYTES];
	unsigned count, at;             /* at: the next word to read */
	const char *args[SOS_ARGS_MAX]; /* words that are not options */
	unsigned args_count;
	const char *view;    /* the view, if an option replaces the default */
	char view_words[48]; /* arguments that options add to the view */
	char where[1024];
	const char *sort;
	bool is_stat, is_short, of_strings;
	bool of_table;               /* limited to one method table */
	bool is_object_alone;        /* the object alone, without its fields */
	bool given[SOS_OPTIONS_MAX]; /* options given so far */
	bool is_of_objects;          /* a condition is not about types */
	char *out;
	size_t out_size;
};

/* SOS commands that heaptop does not have, and what to use instead. */
struct sos_answer {
	const char *names; /* separated by spaces: "clrstack dumpstack" */
	const char *answer;
};
extern const struct sos_answer sos_answers[];

/* Compare, ignoring ASCII case. strcasecmp() would follow the locale. */
bool sos_same_word(const char *a, const char *b, size_t b_len);
/* Returns whether `name` is one of `words`, which are separated by spaces. */
bool sos_has_word(const char *name, size_t name_len, const char *words);
/* Returns the next word, or NULL at the end. */
const char *sos_next_word(struct sos_line *l);
/* Returns false and sets `err` to "COMMAND wants WHAT". */
bool sos_wants(const struct sos_line *l, const char *what, struct error *err);

/* Appends a condition, after " and " if it is not the first. */
bool sos_add(struct sos_line *l, const char *condition, const char *text,
	     struct error *err) MUST_USE;
/* Appends `column` and a pattern for a part of a name, such as "List`1". */
bool sos_add_name(struct sos_line *l, const char *column, const char *name,
		  struct error *err) MUST_USE;
/* Appends an address, read as SOS does: with or without 0x and backticks. */
bool sos_add_address(struct sos_line *l, const char *condition, const char *word,
		     struct error *err) MUST_USE;
/* Appends the condition for "gen0", "loh", "foh" … */
bool sos_add_generation(struct sos_line *l, const char *gen, struct error *err) MUST_USE;

/* Applies an option such as "-stat"; its arguments are the words that follow. */
bool sos_take_option(struct sos_line *l, const char *word, struct error *err) MUST_USE;

#endif
