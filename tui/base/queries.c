#include "tui/base/queries.h"
#include "queries_builtin.h"
#include "model/base/nearest.h"
#include "model/base/text.h"
#include "tui/base/places.h"
#include "tui/base/text_file.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	BUILTIN_COUNT = sizeof builtin_queries / sizeof builtin_queries[0],
	QUERY_BYTES_MAX = 1 << 20,
	QUERY_FILES_MAX = 1000,
	NAME_BYTES = 64,
};
static const char suffix[] = ".sql";

/* Returns the length of a file's name without its suffix; 0: it is no query. */
static size_t
name_len(const char *file)
{
	size_t len = strlen(file), end = sizeof suffix - 1;

	if (len <= end || len - end >= NAME_BYTES || strcmp(file + len - end, suffix) != 0)
		return 0;
	return len - end;
}

static const char *
builtin_text(const char *name)
{
	for (size_t i = 0; i < BUILTIN_COUNT; i++)
		if (!strcmp(builtin_queries[i].name, name))
			return builtin_queries[i].text;
	return NULL;
}

static bool
path_of_name(const char *name, char path[PLACE_BYTES])
{
	char file[NAME_BYTES + 16];

	if (strlen(name) >= NAME_BYTES || strchr(name, '/'))
		return false;
	snprintf(file, sizeof file, "queries/%s%s", name, suffix);
	return place_of_config(file, path);
}

/* Returns the file's text in `a`; NULL without an error: there is no such
   file. */
static const char *
read_query(const char *path, struct arena *a, struct error *err)
{
	size_t len;
	char *text = text_file_read(path, QUERY_BYTES_MAX, TEXT_FILE_ANY, &len, err);
	const char *copy;

	if (!text)
		return NULL;
	copy = arena_strndup(a, text, len, err);
	memory_free(text);
	return copy;
}

/* --- the list ------------------------------------------------------------- */

/* Returns the comment in the first line, without what a terminal would obey. */
static const char *
question_of(const char *text, struct arena *a, struct error *err)
{
	char line[QUESTION_BYTES], clean[QUESTION_BYTES * 4];

	if (strncmp(text, "--", 2) != 0)
		return "";
	text += 2;
	text += strspn(text, " ");
	snprintf(line, sizeof line, "%.*s", (int)strcspn(text, "\r\n"), text);
	return arena_printf(a, err, "%s", text_clean(line, clean, sizeof clean));
}

static bool
add_query(struct query_list *out, struct arena *a, const char *name, const char *text,
	  const char *from, struct error *err)
{
	struct query *q;

	if (!MAKE_ROOM(out->items, out->count + 1, out->room, err))
		return false;
	q = &out->items[out->count];
	q->name = name;
	q->question = question_of(text, a, err);
	q->from = from;
	out->count += q->question != NULL;
	return q->question != NULL;
}

/* Adds the query of one file, if it can be read. */
static bool
add_file(struct query_list *out, struct arena *a, const char *file, struct error *err)
{
	char path[PLACE_BYTES], name[NAME_BYTES], clean[PLACE_BYTES];
	struct error ignored = { 0 };
	const char *text, *kept, *from;

	snprintf(name, sizeof name, "%.*s", (int)name_len(file), file);
	if (!*name || !path_of_name(name, path))
		return true;
	text = read_query(path, a, &ignored);
	if (!text)
		return true;
	kept = arena_printf(a, err, "%s", text_clean(name, clean, sizeof clean));
	from = arena_printf(a, err, "%s", text_clean(path, clean, sizeof clean));
	return kept && from && add_query(out, a, kept, text, from, err);
}

static bool
add_folder(struct query_list *out, struct arena *a, struct error *err)
{
	char path[PLACE_BYTES];
	const struct dirent *entry;
	DIR *folder = place_of_config("queries", path) ? opendir(path) : NULL;
	bool ok = true;

	for (int i = 0; ok && folder && i < QUERY_FILES_MAX; i++) {
		entry = readdir(folder);
		if (!entry)
			break;
		ok = add_file(out, a, entry->d_name, err);
	}
	if (folder)
		closedir(folder);
	return ok;
}

static int
compare_names(const void *a, const void *b)
{
	const struct query *x = a, *y = b;

	return strcmp(x->name, y->name);
}

bool
queries_list(struct query_list *out, struct arena *a, struct error *err)
{
	size_t own;

	*out = (struct query_list){ 0 };
	if (!add_folder(out, a, err))
		return false;
	own = out->count;
	for (size_t i = 0; i < BUILTIN_COUNT; i++) {
		bool is_replaced = false;

		for (size_t k = 0; k < own; k++)
			is_replaced |= !strcmp(out->items[k].name, builtin_queries[i].name);
		if (!is_replaced && !add_query(out, a, builtin_queries[i].name,
					       builtin_queries[i].text, "built in", err))
			return false;
	}
	if (out->count)
		qsort(out->items, out->count, sizeof *out->items, compare_names);
	return true;
}

/* --- one query ------------------------------------------------------------ */

static const char *
no_such_query(const char *name, struct error *err)
{
	struct nearest near;
	char clean[NAME_BYTES];

	nearest_init(&near, name, strlen(name));
	for (size_t i = 0; i < BUILTIN_COUNT; i++)
		nearest_try(&near, builtin_queries[i].name);
	error_set(err, ERROR_USAGE,
		  "there is no query “%s”%s%s; :sql lists them, and a query in SQL begins with "
		  "SELECT, WITH or VALUES",
		  text_clean(name, clean, sizeof clean), near.best ? "; perhaps: " : "",
		  near.best ? near.best : "");
	return NULL;
}

static const char *
query_of_file(const char *path, struct arena *a, struct error *err)
{
	const char *text = read_query(path, a, err);

	if (!text && err->kind == ERROR_NONE)
		error_set(err, ERROR_USAGE, "there is no file %.200s", path);
	return text;
}

/* Returns the text of the standard input, which is read only once and lives as long as the
   program. */
static const char *
query_of_input(struct error *err)
{
	static char *text;
	size_t len = 0;

	if (!text && isatty(STDIN_FILENO)) {
		error_set(err, ERROR_USAGE,
			  "the query is read from standard input: heaptop sql FILE <query.sql");
		return NULL;
	}
	if (!text)
		text = memory_new(1, QUERY_BYTES_MAX + 2, err);
	if (!text || *text)
		return text;
	len = fread(text, 1, QUERY_BYTES_MAX + 1, stdin);
	text[len] = '\0';
	if (len <= QUERY_BYTES_MAX)
		return text;
	error_set(err, ERROR_USAGE, "the query on standard input is longer than %d bytes",
		  QUERY_BYTES_MAX);
	return NULL;
}

const char *
query_text(const char *typed, struct arena *a, struct error *err)
{
	char path[PLACE_BYTES];
	const char *text = NULL;

	if (!strcmp(typed, "-"))
		return query_of_input(err);

	/* SQL of one word is nothing that can be run. */
	if (typed[strcspn(typed, " \t\n(;")])
		return typed;
	if (strchr(typed, '/') || name_len(typed))
		return query_of_file(typed, a, err);
	if (path_of_name(typed, path))
		text = read_query(path, a, err);
	if (!text && err->kind == ERROR_NONE)
		text = builtin_text(typed);
	if (!text && err->kind == ERROR_NONE)
		return no_such_query(typed, err);
	return text;
}
