#include "capture/cgroup.h"
#include "capture/proc.h"
#include <ctype.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_BYTES = 8192, PATH_BYTES = 4096, DEPTH_MAX = 64 };

/* What the two kinds call the same things. */
struct kind {
	const char *below; /* the folder */
	const char *limit, *used, *droppable;
};
static const struct kind v1 = {
	.below = "/memory",
	.limit = "memory.limit_in_bytes",
	.used = "memory.usage_in_bytes",
	.droppable = "total_inactive_file ",
};
static const struct kind v2 = {
	.below = "",
	.limit = "memory.max",
	.used = "memory.current",
	.droppable = "inactive_file ",
};

static bool
read_text(const char *folder, const char *group, const char *file,
	  char text[TEXT_BYTES])
{
	char path[PATH_BYTES];
	ssize_t len = 0;
	int fd;

	text[0] = '\0';
	if (snprintf(path, sizeof(path), "%s%s/%s", folder, group, file) >=
	    (int)sizeof(path))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	len = read(fd, text, TEXT_BYTES - 1);
	close(fd);
	text[len > 0 ? len : 0] = '\0';
	return len > 0;
}

/* False for "max", and for v1's way to say it: nearly 2^63. */
static bool
read_bytes(const char *folder, const char *group, const char *file,
	   uint64_t *bytes)
{
	char text[TEXT_BYTES];

	if (!read_text(folder, group, file, text) ||
	    !isdigit((unsigned char)text[0]))
		return false;
	*bytes = strtoull(text, NULL, 10);
	return *bytes < UINT64_C(1) << 60;
}

/* Of a file with lines "name 123"; 0 if it is not told. */
static uint64_t
read_field(const char *folder, const char *group, const char *file,
	   const char *name)
{
	char text[TEXT_BYTES];
	size_t len = strlen(name);

	read_text(folder, group, file, text);
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, name, len))
			return strtoull(line + len, NULL, 10);
	}
	return 0;
}

static void
look_at_group(struct cgroup_memory *m, const struct kind *kind,
	      const char *folder, const char *group)
{
	uint64_t limit, used, droppable;

	if (!read_bytes(folder, group, kind->limit, &limit) ||
	    !read_bytes(folder, group, kind->used, &used))
		return;
	droppable = read_field(folder, group, "memory.stat", kind->droppable);
	used -= droppable < used ? droppable : used;
	if (m->limit_bytes &&
	    limit - (used < limit ? used : limit) >= m->headroom_bytes)
		return;
	m->limit_bytes = limit;
	m->used_bytes = used;
	m->headroom_bytes = used < limit ? limit - used : 0;
}

/* False: there is none above it. */
static bool
to_parent(char *group)
{
	char *slash = strrchr(group, '/');

	if (slash)
		*slash = '\0';
	return slash != NULL;
}

/* A group and all above it: the limit of each holds. */
static void
look_at_groups(struct cgroup_memory *m, const struct kind *kind,
	       const char *cgroups, char *group)
{
	char folder[PATH_BYTES];
	int depth = 0;

	snprintf(folder, sizeof(folder), "%s%s", cgroups, kind->below);
	do
		look_at_group(m, kind, folder, group);
	while (++depth < DEPTH_MAX && to_parent(group));
}

/* Is it in the list "cpu,cpuacct:"? All of v2 are under "". */
static bool
is_listed(const char *list, const char *controller)
{
	size_t len = strlen(controller);

	if (!len)
		return *list == ':';
	while (*list != ':') {
		size_t word = strcspn(list, ",:");

		if (word == len && !strncmp(list, controller, len))
			return true;
		list += word + (list[word] == ',');
	}
	return false;
}

/*
 * Lines are "7:cpu,memory:/a/b" and "0::/a/b". In a container the folders
 * begin at its own group, so that names from outside are not found; the
 * topmost folder then is the right one, and comes last anyway.
 */
static bool
group_of(const char *text, const char *controller, char group[TEXT_BYTES])
{
	for (const char *line = text; line; line = strchr(line, '\n')) {
		const char *list, *path;

		line += *line == '\n';
		list = strchr(line, ':');
		path = list ? strchr(list + 1, ':') : NULL;
		if (!path)
			continue;
		if (!is_listed(list + 1, controller))
			continue;
		snprintf(group, TEXT_BYTES, "%.*s",
			 (int)strcspn(path + 1, "\n"), path + 1);
		if (!strcmp(group, "/"))
			group[0] = '\0';
		/* Outside of what we see: "/../x" is nothing to walk up. */
		if (strstr(group, "/.."))
			group[0] = '\0';
		return true;
	}
	return false;
}

static uint64_t
machine_available(const char *proc)
{
	char text[TEXT_BYTES];
	const char *at;

	if (!read_text(proc, "", "meminfo", text))
		return 0;
	at = strstr(text, "MemAvailable:");
	return at ? strtoull(at + strlen("MemAvailable:"), NULL, 10) * 1024 : 0;
}

void
cgroup_memory(struct cgroup_memory *m, const char *proc, const char *folder,
	      int32_t pid)
{
	char text[TEXT_BYTES], group[TEXT_BYTES];
	uint64_t available = machine_available(proc);

	*m = (struct cgroup_memory){ .available_bytes = available };
	proc_read(proc, pid, "cgroup", text, sizeof(text));
	if (group_of(text, "memory", group))
		look_at_groups(m, &v1, folder, group);
	else if (group_of(text, "", group))
		look_at_groups(m, &v2, folder, group);
	if (!m->limit_bytes || (available && available < m->headroom_bytes))
		m->headroom_bytes = available;
}

static uint32_t
throttled_percent(const char *folder, const char *group)
{
	uint64_t all = read_field(folder, group, "cpu.stat", "nr_periods ");
	uint64_t held = read_field(folder, group, "cpu.stat", "nr_throttled ");

	if (held >= all || held > UINT64_MAX / 200)
		return all ? 100 : 0;
	return (uint32_t)((held * 100 + all - 1) / all);
}

uint32_t
cgroup_throttled(const char *proc, const char *folder, int32_t pid)
{
	char text[TEXT_BYTES], group[TEXT_BYTES], below[PATH_BYTES];
	uint32_t most = 0, percent;
	bool is_v1;
	int depth = 0;

	proc_read(proc, pid, "cgroup", text, sizeof(text));
	is_v1 = group_of(text, "cpu", group);
	if (!is_v1 && !group_of(text, "", group))
		return 0;
	snprintf(below, sizeof(below), "%s%s", folder, is_v1 ? "/cpu" : "");
	do {
		percent = throttled_percent(below, group);
		if (percent > most)
			most = percent;
	} while (++depth < DEPTH_MAX && to_parent(group));
	return most;
}

void
cgroup_container(char id[CGROUP_CONTAINER_BYTES], const char *proc, int32_t pid)
{
	enum { ID_DIGITS = 64, SHOWN = CGROUP_CONTAINER_BYTES - 1 };
	static const char digits[] = "0123456789abcdef";
	char text[TEXT_BYTES];

	id[0] = '\0';
	proc_read(proc, pid, "cgroup", text, sizeof(text));
	for (const char *at = text; *at;) {
		size_t len = strspn(at, digits);

		if (len == ID_DIGITS) {
			memcpy(id, at, SHOWN);
			id[SHOWN] = '\0';
			return;
		}
		at += len ? len : 1;
	}
}

bool
cgroup_is_pod(const char *proc, int32_t pid)
{
	char text[TEXT_BYTES];

	proc_read(proc, pid, "cgroup", text, sizeof(text));
	return strstr(text, "kubepods") != NULL;
}
