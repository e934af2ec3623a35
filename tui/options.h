#ifndef TUI_OPTIONS_H
#define TUI_OPTIONS_H

/* The command line. */
#include "tui/table.h"

enum action {
	ACTION_OPEN, /* the file, on the screen or with -b */
	ACTION_HELP,
	ACTION_HELP_KEYS,
	ACTION_HELP_COLUMNS,
	ACTION_VERSION,
};

struct options {
	enum action action;
	const char *file;
	const char *batch;                 /* -b; NULL: on the screen */
	const char *commands;              /* -x; NULL: none */
	const char *sort, *filter, *theme; /* NULL: not given */
	enum table_format format;
	uint64_t rows_max;
};

/* False sets `err`, which says what was expected. */
bool options_parse(struct options *o, int argc, char **argv,
		   struct error *err) MUST_USE;
void options_print_help(FILE *to);

#endif
