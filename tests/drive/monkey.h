#ifndef TESTS_DRIVE_MONKEY_H
#define TESTS_DRIVE_MONKEY_H

/*
 * What a monkey does at a terminal: keys, commands and noise, window sizes and signals, all decided
 * by a seed. The same seed makes the same script for the same program; nothing here runs anything.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum monkey_kind {
	MONKEY_BYTES,  /* typed */
	MONKEY_TORN,   /* the same, each byte by itself */
	MONKEY_SIZE,   /* of the window */
	MONKEY_SIGNAL, /* to the program */
	MONKEY_WAIT,   /* for what the program says */
};
enum { MONKEY_BYTES_MAX = 96, MONKEY_STEPS_MAX = 160, MONKEY_FILES = 2 };
enum { MONKEY_ROWS_MAX = 100, MONKEY_COLUMNS_MAX = 400 }; /* of windows */

struct monkey_step {
	enum monkey_kind kind;
	char bytes[MONKEY_BYTES_MAX];
	size_t len;
	int rows, columns;
	int number; /* of the signal; milliseconds of a wait, or of each */
};

enum monkey_place {
	MONKEY_LEADER,   /* alone on its terminal: nobody could say fg */
	MONKEY_JOB,      /* of a shell that says fg at once */
	MONKEY_NO_INPUT, /* keys are to be had from /dev/tty alone */
	MONKEY_CLOSED_INPUT,
	MONKEY_PLACES
};
enum monkey_end {
	MONKEY_TYPES_Q,
	MONKEY_SENDS_TERM,
	MONKEY_SENDS_HUP,
	MONKEY_HANGS_UP,
	MONKEY_ENDS
};

struct monkey_script {
	uint64_t seed;
	enum monkey_place place;
	enum monkey_end end;
	const char *files[MONKEY_FILES];     /* in tests/data; NULL: no more */
	size_t cut;                          /* only so many bytes of the first; 0: all */
	const char *option;                  /* or NULL */
	const char *settings;                /* of -x; or NULL */
	const char *term, *locale, *colours; /* "NAME=value" */
	int rows, columns;
	struct monkey_step steps[MONKEY_STEPS_MAX];
	size_t count;
};

void monkey_write(struct monkey_script *script, uint64_t seed);
/* For whoever has to find out what went wrong. */
void monkey_print(const struct monkey_script *script, FILE *to);

#endif
