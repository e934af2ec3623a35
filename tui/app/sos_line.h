#ifndef TUI_APP_SOS_LINE_H
#define TUI_APP_SOS_LINE_H

/*
 * A line of SOS while it is put in our words: sos.c takes it apart and has the
 * commands, sos_options.c what they take, sos_answers.c what there is in place
 * of the commands that are not here.
 */
#include "model/heap/heap.h"
#include "tui/app/sos.h"
#include <stdint.h>

enum {
	SOS_WORD_BYTES = 160,
	SOS_WORDS_MAX = 24,
	SOS_PLACES_MAX = 2,
	SOS_OPTIONS_MAX = 96, /* rows of their table */
};

struct sos_line {
	const struct sos_command *command;
	const struct heap *heap; /* NULL: not there yet */
	bool is_capture;         /* of a heap without memory */
	char words[SOS_WORDS_MAX][SOS_WORD_BYTES];
	unsigned count, at;                 /* at: the next one */
	const char *places[SOS_PLACES_MAX]; /* words that are no options */
	unsigned places_count;
	const char *ours;    /* the view, if an option wants another */
	char view_words[48]; /* what options add behind the view */
	char where[1024];
	const char *sort;
	bool is_stat, is_short, of_strings;
	bool of_table;               /* objects of one method table */
	bool is_itself;              /* an object without what is in it */
	bool taken[SOS_OPTIONS_MAX]; /* options that were there already */
	bool is_of_objects;          /* a condition is not about types */
	char *out;
	size_t out_size;
};

/* A row of the commands that are not here, and what there is instead. */
struct sos_answer {
	const char *names; /* "clrstack dumpstack": separated by blanks */
	const char *answer;
};
/* Ends with {0}. */
extern const struct sos_answer sos_answers[];

/* Are they the same but for capitals? Not strcasecmp(): it follows the locale.
 */
bool sos_is_alike(const char *a, const char *b, size_t b_len);
/* Is it one of the words with blanks between them? */
bool sos_is_among(const char *name, size_t name_len, const char *words);
/* The next word; NULL at the end. */
const char *sos_next_word(struct sos_line *l);
/* False with "COMMAND wants WHAT". */
bool sos_wants(const struct sos_line *l, const char *what, struct error *err);

/* Conditions, with an "and" before all but the first. False sets `err`. */
bool sos_add(struct sos_line *l, const char *condition, const char *text,
	     struct error *err) MUST_USE;
/* "type ~ " and what it is like: a part of a name, perhaps "List`1". */
bool sos_add_name(struct sos_line *l, const char *column, const char *name,
		  struct error *err) MUST_USE;
/* As SOS reads addresses: with or without 0x and a back-tick. */
bool sos_add_address(struct sos_line *l, const char *condition,
		     const char *word, struct error *err) MUST_USE;
/* "gen0", "loh", "foh" … */
bool sos_add_generation(struct sos_line *l, const char *gen,
			struct error *err) MUST_USE;

/* Takes "-stat" and the like, with what stands behind it. */
bool sos_take_option(struct sos_line *l, const char *word,
		     struct error *err) MUST_USE;

#endif
