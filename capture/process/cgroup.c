#include "capture/process/cgroup.h"
#include "capture/process/proc.h"
#include <ctype.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_BYTES = 8192, PATH_BYTES = CGROUP_PATH_BYTES, DEPTH_MAX = 64 };

/* File and field names in the two cgroup versions. */
enum { LIMITS = 2, BUSY_FILES = 3 };
struct kind {
	const char *controller; /* as /proc/PID/cgroup names it */
	const char *below;      /* subfolder of CGROUP_FOLDER */
	struct {
		const char *limit, *used;
	} limits[LIMITS];
	const char *inactive, *active; /* file cache, in memory.stat */
	const char *busy[BUSY_FILES];  /* cache that cannot be dropped */
	const char *kills;             /* a file with a line "oom_kill 1" */
};
static const struct kind v1 = {
	.controller = "memory",
	.below = "/memory",
	.limits = { { "memory.limit_in_bytes", "memory.usage_in_bytes" },
		    { "memory.memsw.limit_in_bytes", "memory.memsw.usage_in_bytes" } },
	.inactive = "total_inactive_file ",
	.active = "total_active_file ",
	.busy = { "total_mapped_file ", "total_dirty ", "total_writeback " },
	.kills = "memory.oom_control",
};
/* Above memory.high the kernel throttles the program instead of killing it. */
static const struct kind v2 = {
	.controller = "",
	.below = "",
	.limits = { { "memory.max", "memory.current" }, { "memory.high", "memory.current" } },
	.inactive = "inactive_file ",
	.active = "active_file ",
	.busy = { "file_mapped ", "file_dirty ", "file_writeback " },
	.kills = "memory.events",
};

static bool
read_text(const char *folder, const char *group, const char *file, char text[TEXT_BYTES])
{
	char path[PATH_BYTES];
	ssize_t len = 0;
	int fd;

	text[0] = '\0';
	if (snprintf(path, sizeof(path), "%s%s%s%s", folder, group, *file ? "/" : "", file) >=
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

/* False if unlimited: "max" in v2, a value near 2^63 in v1. */
static bool
read_bytes(const char *folder, const char *group, const char *file, uint64_t *bytes)
{
	char text[TEXT_BYTES];

	if (!read_text(folder, group, file, text) || !isdigit((unsigned char)text[0]))
		return false;
	*bytes = strtoull(text, NULL, 10);
	return *bytes < UINT64_C(1) << 60;
}

/* Reads a file with lines "name 123"; 0 if the name is missing. */
static uint64_t
read_field(const char *folder, const char *group, const char *file, const char *name)
{
	char text[TEXT_BYTES];
	const char *at;

	read_text(folder, group, file, text);
	at = proc_line(text, name);
	return at ? strtoull(at, NULL, 10) : 0;
}

static uint64_t
droppable_bytes(const struct kind *kind, const char *folder, const char *group,
		enum cgroup_cache cache)
{
	static const char file[] = "memory.stat";
	uint64_t bytes = read_field(folder, group, file, kind->inactive), busy;

	if (cache == CGROUP_CACHE_FREE)
		return bytes;
	bytes += read_field(folder, group, file, kind->active);
	for (int i = 0; i < BUSY_FILES; i++) {
		busy = read_field(folder, group, file, kind->busy[i]);
		bytes -= busy < bytes ? busy : bytes;
	}
	return bytes / 2;
}

/* Records the limit if it is the tightest so far. */
static bool
look_at_limit(struct cgroup_memory *m, const char *name, uint64_t limit, uint64_t used)
{
	uint64_t headroom = used < limit ? limit - used : 0;

	if (m->limit && headroom >= m->headroom_bytes)
		return false;
	m->limit = name;
	m->limit_bytes = limit;
	m->used_bytes = used;
	m->headroom_bytes = headroom;
	return true;
}

static bool
is_within(const char *group, const char *above)
{
	size_t len = strlen(above);

	return !strncmp(group, above, len) && (!group[len] || group[len] == '/');
}

/* `ours` is the group of this process; NULL if it is in another tree. */
static void
look_at_group(struct cgroup_memory *m, const struct kind *kind, const char *folder,
	      const char *group, enum cgroup_cache cache, const char *ours)
{
	uint64_t limit, used;
	uint64_t droppable = droppable_bytes(kind, folder, group, cache);

	for (int i = 0; i < LIMITS; i++) {
		if (!read_bytes(folder, group, kind->limits[i].limit, &limit) ||
		    !read_bytes(folder, group, kind->limits[i].used, &used))
			continue;
		used -= droppable < used ? droppable : used;
		if (look_at_limit(m, kind->limits[i].limit, limit, used))
			m->is_shared = ours && is_within(ours, group);
	}
}

/* False at the topmost group. */
static bool
to_parent(char *group)
{
	char *slash = strrchr(group, '/');

	if (slash)
		*slash = '\0';
	return slash != NULL;
}

/* Looks at a group and all its parents, since all their limits apply. */
static void
look_at_groups(struct cgroup_memory *m, const struct kind *kind, const char *folder, char *group,
	       enum cgroup_cache cache, const char *ours)
{
	int depth = 0;

	do
		look_at_group(m, kind, folder, group, cache, ours);
	while (++depth < DEPTH_MAX && to_parent(group));
}

/* Is it in the list "cpu,cpuacct:"? All v2 controllers are in the list "". */
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

/* Finds the group in lines such as "7:cpu,memory:/a/b" and "0::/a/b". */
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
		snprintf(group, TEXT_BYTES, "%.*s", (int)strcspn(path + 1, "\n"), path + 1);
		if (!strcmp(group, "/"))
			group[0] = '\0';
		return true;
	}
	return false;
}

static uint64_t
machine_available(const char *proc)
{
	return read_field(proc, "", "meminfo", "MemAvailable:") * 1024;
}

/* Where the groups of a process are visible to us. */
struct place {
	const struct kind *kind;
	char folder[PATH_BYTES], group[TEXT_BYTES];
	char name[TEXT_BYTES]; /* of the group, as /proc/PID/cgroup has it */
	bool is_seen;
};

static bool
has_group(const char *folder, const char *group)
{
	char path[PATH_BYTES];

	return snprintf(path, sizeof(path), "%s%s", folder, group) < (int)sizeof(path) &&
	       !access(path, F_OK);
}

/* A path such as "/../x" is outside our cgroup namespace. */
static bool
is_outside(const char *group)
{
	return strstr(group, "/..") != NULL;
}

static bool
look_in(struct place *p, const char *cgroups)
{
	int len = snprintf(p->folder, sizeof(p->folder), "%s%s", cgroups, p->kind->below);

	p->is_seen =
	    len < (int)sizeof(p->folder) && !is_outside(p->group) && has_group(p->folder, p->group);
	return p->is_seen;
}

/*
 * A container mounts its own group as the topmost folder, so that the path seen from outside is not
 * found there; then the topmost folder itself is the group.
 */
static bool
look_inside(struct place *p, const char *proc, int32_t pid)
{
	char cgroups[PATH_BYTES];

	snprintf(cgroups, sizeof(cgroups), "%s/%" PRId32 "/root%s", proc, pid, CGROUP_FOLDER);
	if (look_in(p, cgroups))
		return true;
	p->is_seen = has_group(p->folder, "/memory.stat") &&
		     (has_group(p->folder, "/memory.max") || p->kind == &v1);
	if (p->is_seen)
		p->group[0] = '\0';
	return p->is_seen;
}

/* False if the process is in no group. */
static bool
place_of(struct place *p, const char *proc, const char *folder, int32_t pid)
{
	char text[TEXT_BYTES];

	*p = (struct place){ .kind = &v1 };
	proc_read(proc, pid, "cgroup", text, sizeof(text));
	if (!group_of(text, v1.controller, p->group)) {
		p->kind = &v2;
		if (!group_of(text, v2.controller, p->group))
			return false;
	}
	snprintf(p->name, sizeof(p->name), "%s", p->group);
	if (!look_in(p, folder) && !look_inside(p, proc, pid)) {
		/* The topmost group in our view may still limit it. */
		snprintf(p->folder, sizeof(p->folder), "%.*s%s", PATH_BYTES - 16, folder,
			 p->kind->below);
		p->is_seen = !p->group[0];
		p->group[0] = '\0';
	}
	return true;
}

void
cgroup_memory(struct cgroup_memory *m, const char *proc, const char *folder, int32_t pid,
	      enum cgroup_cache cache)
{
	uint64_t available = machine_available(proc);
	struct place p, ours;
	const char *our_group = NULL;

	*m = (struct cgroup_memory){ .available_bytes = available };
	if (place_of(&p, proc, folder, pid)) {
		m->is_hidden = !p.is_seen;
		if (place_of(&ours, proc, folder, getpid()) &&
		    (!strcmp(ours.folder, p.folder) || !strcmp(ours.name, p.name)))
			our_group = ours.group;
		look_at_groups(m, p.kind, p.folder, p.group, cache, our_group);
	}
	if (!m->limit || (available && available < m->headroom_bytes)) {
		m->headroom_bytes = available;
		m->is_shared = true;
	}
}

void
cgroup_kills_path(char path[CGROUP_PATH_BYTES], const char *proc, const char *folder, int32_t pid)
{
	struct place p;

	path[0] = '\0';
	if (place_of(&p, proc, folder, pid) && p.is_seen &&
	    snprintf(path, CGROUP_PATH_BYTES, "%s%s/%s", p.folder, p.group, p.kind->kills) >=
		CGROUP_PATH_BYTES)
		path[0] = '\0';
}

uint64_t
cgroup_kills(const char *path)
{
	return *path ? read_field(path, "", "", "oom_kill ") : 0;
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
	if (is_outside(group))
		group[0] = '\0';
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
