/* Completion of file names on Tab. */
#include "tests/drive/files.h"
#include "tests/drive/run_tests.h"
#include "tui/app/file_names.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const files[] = { "report.csv", "report.md", "other", ".hidden",
				     "evil\033[31m" };

static int
home_make(void **state)
{
	if (folder_make(state) || chdir(folder_path()) || mkdir("rest", 0700))
		return -1;
	setenv("HOME", folder_path(), 1);
	for (size_t i = 0; i < COUNT_OF(files); i++)
		close(open(files[i], O_CREAT | O_WRONLY, 0600));
	close(open("rest/inner.csv", O_CREAT | O_WRONLY, 0600));
	return 0;
}

static int
home_remove(void **state)
{
	for (size_t i = 0; i < COUNT_OF(files); i++)
		unlink(files[i]);
	unlink("rest/inner.csv");
	rmdir("rest");
	return chdir("/") || folder_remove(state);
}

struct words {
	char text[512];
	int count;
};

static void
add(void *to, const char *word)
{
	struct words *w = to;

	w->count++;
	snprintf(w->text + strlen(w->text), sizeof w->text - strlen(w->text), "{%s}", word);
}

TEST_BETWEEN(offers, home_make, home_remove)
{
	static const struct {
		const char *typed;
		int count;
		const char *has; /* one of them */
	} rows[] = {
		{ "", 4, "{rest/}" },
		{ "re", 3, "{report.md}" },
		{ "report.c", 1, "{report.csv}" },
		{ "rest/", 1, "{rest/inner.csv}" },
		{ "~/re", 3, "{~/rest/}" },
		{ "~/rest/i", 1, "{~/rest/inner.csv}" },
		{ ".h", 1, "{.hidden}" },
		{ "evil", 0, "" },
		{ "none/", 0, "" },
		{ "other/", 0, "" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct words w = { .count = 0 };

		file_names_complete(rows[i].typed, add, &w);
		if (w.count != rows[i].count || !strstr(w.text, rows[i].has))
			fail_msg("%s: %d, %s", rows[i].typed, w.count, w.text);
	}
}
