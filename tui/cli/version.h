#ifndef TUI_CLI_VERSION_H
#define TUI_CLI_VERSION_H

/*
 * The text of --version: the version on the first line, for scripts, then the commit and the
 * libraries. Only the program links this file: tests would be relinked after every commit.
 */
#include <stdbool.h>
#include <stdio.h>

struct version_part {
	const char *name;
	const char *(*version)(void);
};

/* `parts` ends with a part without a name. */
void version_print(FILE *to, const struct version_part *parts);
/* Returns the version of heaptop. */
const char *version_of_heaptop(void);
/* Returns the first two lines of --version, without the last line end. */
const char *version_of_build(void);
/* Returns whether all programs with these two lines are the same: the files are those of the
   commit. */
bool version_is_exact(void);
/* Returns the version at build time; libedit reports none at run time. */
const char *version_of_libedit(void);

#endif
