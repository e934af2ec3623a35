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

static uint64_t
droppable_bytes(const char *folder, const char *group, const char *name)
{
	char text[TEXT_BYTES];
	size_t len = strlen(name);

	read_text(folder, group, "memory.stat", text);
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
	droppable = droppable_bytes(folder, group, kind->droppable);
	used -= droppable < used ? droppable : used;
	if (m->limit_bytes &&
	    limit - (used < limit ? used : limit) >= m->headroom_bytes)
		return;
	m->limit_bytes = limit;
	m->used_bytes = used;
	m->headroom_bytes = used < limit ? limit - used : 0;
}

/* A group and all above it: the limit of each holds. */
static void
look_at_groups(struct cgroup_memory *m, const struct kind *kind,
	       const char *cgroups, char *group)
{
	char folder[PATH_BYTES];

	snprintf(folder, sizeof(folder), "%s%s", cgroups, kind->below);
	for (int depth = 0; depth < DEPTH_MAX; depth++) {
		char *slash = strrchr(group, '/');

		look_at_group(m, kind, folder, group);
		if (!slash)
			break;
		*slash = '\0';
	}
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
		const char *list, *path, *found;

		line += *line == '\n';
		list = strchr(line, ':');
		path = list ? strchr(list + 1, ':') : NULL;
		if (!path)
			continue;
		found = strstr(list, controller);
		if (*controller ? !found || found > path : path != list + 1)
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
