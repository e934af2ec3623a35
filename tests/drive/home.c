#include "tests/drive/home.h"
#include "tests/drive/run_tests.h"
#include <sys/stat.h>

static char variable[128];

int
home_make(void **state)
{
	static const char *const folders[] = { ".local", ".local/state", ".local/state/heaptop" };

	if (folder_make(state))
		return -1;
	/* Nobody new: no hint for newcomers is shown. */
	for (size_t i = 0; i < COUNT_OF(folders); i++)
		if (mkdir(in_folder(folders[i]), 0700) < 0)
			return -1;
	snprintf(variable, sizeof(variable), "HOME=%s", folder_path());
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

	for (size_t i = 0; i < COUNT_OF(made); i++)
		remove(in_folder(made[i]));
}

int
home_remove(void **state)
{
	home_forget();
	return folder_remove(state);
}

const char *
home_variable(void)
{
	return variable;
}
