#include "tui/app/file_names.h"
#include "tui/base/quoting.h"
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum {
	PATH_BYTES = 4096,
	ENTRIES_MAX = 20000, /* entries read at most: a directory may have millions */
};

static bool
is_fit(const char *name)
{
	for (; *name; name++)
		if ((unsigned char)*name < 0x20 || *name == 0x7f)
			return false;
	return true;
}

static bool
is_folder(const char *folder, const char *name)
{
	char path[PATH_BYTES];
	struct stat st;

	return snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path &&
	       !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* Opens the directory part of `typed`; `folder` gets its path, `~` expanded. */
static bool
open_folder(const char *typed, size_t typed_len, char *folder, DIR **dir)
{
	struct error ignored = { 0 };
	char named[PATH_BYTES];

	if (typed_len >= sizeof named)
		return false;
	memcpy(named, typed, typed_len);
	named[typed_len] = '\0';
	if (!quoting_path(typed_len ? named : ".", folder, PATH_BYTES, &ignored))
		return false;
	*dir = opendir(folder);
	return *dir != NULL;
}

void
file_names_complete(const char *typed, void (*add)(void *to, const char *word), void *to)
{
	const char *slash = strrchr(typed, '/');
	size_t before = slash ? (size_t)(slash - typed) + 1 : 0;
	const char *begin = typed + before;
	char folder[PATH_BYTES], word[PATH_BYTES];
	const struct dirent *entry;
	DIR *dir;

	if (!open_folder(typed, before, folder, &dir))
		return;
	for (int i = 0; i < ENTRIES_MAX && (entry = readdir(dir)); i++) {
		const char *name = entry->d_name;

		if (strncmp(name, begin, strlen(begin)) != 0 || (*name == '.' && *begin != '.') ||
		    !is_fit(name))
			continue;
		if (snprintf(word, sizeof word, "%.*s%s%s", (int)before, typed, name,
			     is_folder(folder, name) ? "/" : "") < (int)sizeof word)
			add(to, word);
	}
	closedir(dir);
}
