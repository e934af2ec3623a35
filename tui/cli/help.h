#ifndef TUI_CLI_HELP_H
#define TUI_CLI_HELP_H

/*
 * The texts of --help keys, columns, json, filter and sql, printed from the tables of commands,
 * columns and filters.
 */
#include <stdio.h>

void help_print_keys(FILE *to);
void help_print_columns(FILE *to);
void help_print_json(FILE *to);
void help_print_sql(FILE *to);
void help_print_filter(FILE *to);

#endif
