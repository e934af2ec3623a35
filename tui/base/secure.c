#include "tui/base/secure.h"
#include <stddef.h>
#include <string.h>

static const char *const refusals[SECURE_KINDS] = {
	[SECURE_SHELL] = "shell commands are not run",
	[SECURE_PIPE] = "nothing is piped to other programs",
	[SECURE_WRITE] = "no files are written",
	[SECURE_OPEN] = "no further files are opened",
	[SECURE_CAPTURE] = "processes are neither captured nor watched",
};

struct secure
secure_of(bool is_option, const char *variable)
{
	bool is_set = variable && *variable && strcmp(variable, "0") != 0;

	return (struct secure){ is_option ? "--secure"
				: is_set  ? "HEAPTOPSECURE in the environment"
					  : NULL };
}

bool
secure_is_on(const struct secure *s)
{
	return s->by != NULL;
}

bool
secure_allows(const struct secure *s, enum secure_kind kind, const char *what, struct error *err)
{
	return !s->by || error_set(err, ERROR_USAGE, "%.40s: %s, because %s forbids it", what,
				   refusals[kind], s->by);
}
