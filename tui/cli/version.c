#include "tui/cli/version.h"
#include <string.h>

static void
print_part(FILE *to, const char *name, const char *version)
{
	fprintf(to, "%-9s%s\n", name, version);
}

void
version_print(FILE *to, const struct version_part *parts)
{
	fprintf(to, "heaptop %s\n", HEAPTOP_VERSION);
	print_part(to, "commit", HEAPTOP_COMMIT);
	for (const struct version_part *p = parts; p->name; p++)
		print_part(to, p->name, p->version());
}

const char *
version_of_heaptop(void)
{
	return HEAPTOP_VERSION;
}

const char *
version_of_build(void)
{
	return "heaptop " HEAPTOP_VERSION "\ncommit   " HEAPTOP_COMMIT;
}

bool
version_is_exact(void)
{
	return !strpbrk(HEAPTOP_COMMIT, "+u"); /* "unknown" */
}

const char *
version_of_libedit(void)
{
	return LIBEDIT_VERSION;
}
