#ifndef TUI_CLI_VERSION_H
#define TUI_CLI_VERSION_H

/*
 * What --version says: the version on the first line, for scripts, then the
 * commit and what else the program is made of. Only the program is linked with
 * it, not the tests, which would be linked anew after every commit.
 */
#include <stdio.h>

struct version_part {
	const char *name;
	const char *(*version)(void);
};

/* The last part has no name. */
void version_print(FILE *to, const struct version_part *parts);
/* The one it was built with: the library itself cannot be asked. */
const char *version_of_libedit(void);

#endif
