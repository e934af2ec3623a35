#ifndef TUI_CLI_MANUAL_H
#define TUI_CLI_MANUAL_H

/*
 * The manual pages, which are built into the program, as text: for machines that have neither them
 * nor man(1). Knows the requests of man(7) that the pages use.
 */
#include <stdio.h>

/* Returns a page: "heaptop-remote", also with its section as in "(7)" or ".7"; or NULL. */
const char *manual_page(const char *name);
/* Returns the name of page `i`, from 0, or NULL after the last. */
const char *manual_name(size_t i);
/* Prints a page in lines of up to 78 columns. */
void manual_print(const char *page, FILE *to);

#endif
