#include "tui/app/views.h"
#include <string.h>

size_t
views_number(const char *name, size_t name_len)
{
	for (size_t i = 0; all_views[i]; i++)
		if (strlen(all_views[i]->command.name) == name_len &&
		    !memcmp(all_views[i]->command.name, name, name_len))
			return i;
	return SIZE_MAX;
}

const char *
views_help_of_table(const char *name)
{
	for (size_t i = 0; all_views[i]; i++)
		if (!strcmp(all_views[i]->table->name, name))
			return all_views[i]->command.help;
	return "";
}
