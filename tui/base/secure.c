#include "tui/base/secure.h"
#include <stddef.h>
#include <string.h>

static const char *const refusals[SECURE_KINDS] = {
	[SECURE_SHELL] = "no command of the shell is run",
	[SECURE_PIPE] = "nothing is given to another program",
	[SECURE_WRITE] = "no file is written",
	[SECURE_CAPTURE] = "no process is captured from or watched",
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
secure_allows(const struct secure *s, enum secure_kind kind, const char *what,
	      struct error *err)
{
	return !s->by || error_set(err, ERROR_USAGE,
				   "%.40s: %s, because %s "
				   "forbids it",
				   what, refusals[kind], s->by);
}
