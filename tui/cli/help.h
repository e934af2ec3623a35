#ifndef TUI_CLI_HELP_H
#define TUI_CLI_HELP_H

/* Help as text, for `--help keys`, `columns` and `filter`, from the tables. */
#include <stdio.h>

void help_print_keys(FILE *to);
void help_print_columns(FILE *to);
void help_print_json(FILE *to);
void help_print_filter(FILE *to);

#endif
