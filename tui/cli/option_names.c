#include "tui/cli/option_names.h"
#include "tui/cli/batch.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool
option_names_is_pid(const char *text)
{
	return *text && text[strspn(text, "0123456789")] == '\0';
}

/* --- HOST:PID and HOST:NAME ------------------------------------------------
 */

/* Returns the length of HOST, which may be an IPv6 address in brackets; 0: the word has another
   form. */
static size_t
host_length(const char *word)
{
	size_t len = strcspn(word, *word == '[' ? "]" : ":");

	len += *word == '[' && word[len] == ']';
	return word[len] == ':' && word[len + 1] && !memchr(word, '/', len) ? len : 0;
}

/*
 * Returns whether `word`, or its first `len` bytes, name a file. FILE:2 is the second walk of a
 * trace, which may be missing.
 */
static bool
is_file(const char *word, size_t len)
{
	const char *suffix;
	char path[HOST_BYTES];
	struct stat st;

	if (!stat(word, &st))
		return true;
	snprintf(path, sizeof path, "%.*s", (int)len, word);
	suffix = strrchr(path, '.');
	return (suffix && !strcmp(suffix, ".nettrace")) ||
	       (!stat(path, &st) && !S_ISDIR(st.st_mode));
}

bool
option_names_find_host(struct options *o, int count, char **names, struct error *err)
{
	size_t len = count == 1 && !o->via ? host_length(names[0]) : 0;

	if (!len || len >= HOST_BYTES || is_file(names[0], len))
		return true;
	if (names[0][0] == '-')
		return error_set(err, ERROR_USAGE, "\"%.40s\" is neither a file nor HOST:PID",
				 names[0]);
	snprintf(o->host, sizeof o->host, "%.*s", (int)len, names[0]);
	if (*o->host == '[')
		snprintf(o->host, sizeof o->host, "%.*s", (int)len - 2, names[0] + 1);
	return true;
}

/* Returns the name of the process, after the host if there is one. */
static const char *
process_part(const struct options *o, const char *name)
{
	return *o->host ? name + host_length(name) + 1 : name;
}

/* --- files and processes -------------------------------------------------- */

static bool
take_pid(struct options *o, const char *text, struct error *err)
{
	unsigned long long pid;

	errno = 0;
	pid = strtoull(text, NULL, 10);
	if (errno || pid > INT32_MAX)
		return error_set(err, ERROR_USAGE,
				 "%.40s is too large for a process ID; to name a file: ./%.40s",
				 text, text);
	o->pid = (int32_t)pid;
	o->has_pid = true;
	return true;
}

/* The saved session names the heaps itself. */
static bool
take_session(struct options *o, int count, char **names, struct error *err)
{
	if (count > 1)
		return error_set(err, ERROR_USAGE, "--resume takes one session file, not %d",
				 count);
	o->file = count ? names[0] : NULL;
	return true;
}

bool
option_names_take(struct options *o, int count, char **names, struct error *err)
{
	const char *name;

	if (o->via && !*o->via)
		return error_set(err, ERROR_USAGE, "--via wants a command: 'docker exec -i web'");
	if (o->resumes)
		return take_session(o, count, names, err);
	if (o->action == ACTION_LIST || o->port) {
		if (!count)
			return true;
		return error_set(err, ERROR_USAGE, "%s takes neither a file nor a process",
				 o->port ? "--port" : "-l");
	}
	if (o->action == ACTION_PROBE && count != 1)
		return error_set(err, ERROR_USAGE, "--probe wants one process or core, not %d",
				 count);
	if (count == 0 && o->batch && batch_needs_heap(o->batch))
		return error_set(
		    err, ERROR_USAGE,
		    "no file or process is given: heaptop FILE.gcdump, heaptop PID; -l lists "
		    "processes, --help explains more");
	for (int i = 0; i < count; i++)
		if (count > 1 && option_names_is_pid(names[i]))
			return error_set(
			    err, ERROR_USAGE,
			    "process %.20s cannot be combined with other heaps; to name a file: "
			    "./%.20s",
			    names[i], names[i]);
	if (o->via && count > 1)
		return error_set(err, ERROR_USAGE, "--via takes one process, not %d names", count);
	name = count ? process_part(o, names[0]) : NULL;
	if (count == 1 && option_names_is_pid(name))
		return take_pid(o, name, err);
	o->files = names;
	o->files_count = count;
	o->file = name;
	return true;
}
