#include "tests/drive/home.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64], variable[128];

int
home_make(void **state)
{
	static const char *const folders[] = { ".local", ".local/state",
					       ".local/state/heaptop" };

	(void)state;
	strcpy(folder, "/tmp/heaptop-home-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	/* Nobody new: no hint for newcomers is shown. */
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		snprintf(variable, sizeof(variable), "%s/%s", folder,
			 folders[i]);
		if (mkdir(variable, 0700) < 0)
			return -1;
	}
	snprintf(variable, sizeof(variable), "HOME=%s", folder);
	return 0;
}

void
home_forget(void)
{
	static const char *const made[] = {
		".local/state/heaptop/history",
		".local/state/heaptop/searches",
		".local/state/heaptop/filters",
		".local/state/heaptop",
		".local/state",
		".local",
	};
	char path[128];

	for (size_t i = 0; i < sizeof(made) / sizeof(made[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, made[i]);
		remove(path);
	}
}

int
home_remove(void **state)
{
	(void)state;
	home_forget();
	return rmdir(folder);
}

const char *
home_folder(void)
{
	return folder;
}

const char *
home_variable(void)
{
	return variable;
}
