#include "tui/base/origin.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Abbreviates the home folder to "~". */
static const char *
in_home(const char *path, const char **tilde)
{
	const char *home = getenv("HOME");
	size_t len = home ? strlen(home) : 0;

	*tilde = "";
	if (len < 2 || strncmp(path, home, len) != 0 || path[len] != '/')
		return path;
	*tilde = "~";
	return path + len;
}

const char *
origin_text(const struct origin *o, char out[ORIGIN_BYTES])
{
	static const char *const words[] = {
		[ORIGIN_DEFAULT] = "default",
		[ORIGIN_ENVIRONMENT] = "environment",
		[ORIGIN_COMMAND_LINE] = "command line",
		[ORIGIN_PROMPT] = "prompt",
	};
	const char *path, *tilde;

	if (o->kind != ORIGIN_SYSTEM_RC && o->kind != ORIGIN_RC)
		return words[o->kind];
	path = in_home(o->file, &tilde);
	snprintf(out, ORIGIN_BYTES, "%s%.200s:%u", tilde, path, o->line);
	return out;
}
