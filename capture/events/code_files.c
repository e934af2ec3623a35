#include "capture/events/code_files.h"
#include "capture/process/proc.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LINE_BYTES = 4096 + 128 };

struct line {
	struct memory_mapping map;
	char access[5];
	const char *path; /* "": no file */
};

/* False: the line is damaged. */
static bool
read_line(char *text, struct line *line)
{
	static const char deleted[] = " (deleted)";
	char *path, *end;

	if (!proc_mapping(text, &line->map, line->access))
		return false;
	path = text + (line->map.name - text);
	path[strcspn(path, "\n")] = '\0';
	end = strstr(path, deleted);
	if (end && !end[sizeof deleted - 1])
		*end = '\0';
	line->path = path;
	return true;
}

/* Compiled code lies in files without a name in the file system. */
static bool
is_of_file(const struct line *line)
{
	return line->path[0] == '/' && strncmp(line->path, "/memfd:", 7) != 0 &&
	       line->access[3] == 'p';
}

static bool
read_lines(FILE *maps, code_file_take *take, void *context, struct error *err)
{
	/* The mappings of an image follow each other, with gaps between. */
	char text[LINE_BYTES], path[LINE_BYTES] = "";
	struct method_image image = { .path = path };
	struct line line;

	while (fgets(text, sizeof text, maps) && read_line(text, &line)) {
		if (!line.path[0])
			continue;
		if (!is_of_file(&line)) {
			path[0] = '\0';
			continue;
		}
		if (strcmp(line.path, path) != 0) {
			snprintf(path, sizeof path, "%s", line.path);
			image.base = line.map.start;
		}
		image.start = line.map.start;
		image.end = line.map.end;
		if (line.access[2] == 'x' && !take(context, &image, err))
			return false;
	}
	return true;
}

bool
code_files_each(const char *proc, int32_t pid, code_file_take *take, void *context,
		struct error *err)
{
	char path[256];
	FILE *maps;
	bool ok;

	snprintf(path, sizeof path, "%s/%" PRId32 "/maps", proc, pid);
	maps = fopen(path, "re");
	if (!maps)
		return true;
	ok = read_lines(maps, take, context, err);
	fclose(maps);
	return ok;
}

static bool
add(void *context, const struct method_image *image, struct error *err)
{
	return methods_add_image(context, image, err);
}

bool
code_files_read(struct methods *m, const char *proc, int32_t pid, struct error *err)
{
	return code_files_each(proc, pid, add, m, err);
}
