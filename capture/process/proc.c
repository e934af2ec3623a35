#include "capture/process/proc.h"
#include "model/base/arena.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, FLAG_KERNEL_THREAD = 0x00200000 };

/* False with ENAMETOOLONG if the path is too long. */
static bool
path_of(char path[PATH_BYTES], const char *proc, int32_t pid, const char *file)
{
	int len = snprintf(path, PATH_BYTES, "%s/%" PRId32 "/%s", proc, pid, file);

	if (len > 0 && len < PATH_BYTES)
		return true;
	errno = ENAMETOOLONG;
	return false;
}

static int
file_of(const char *proc, int32_t pid, const char *file)
{
	char path[PATH_BYTES];

	return path_of(path, proc, pid, file) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
}

static size_t
read_some(int fd, char *at, size_t size)
{
	size_t len = 0;
	ssize_t got;

	errno = 0;
	while (len < size) {
		got = read(fd, at + len, size - len);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		len += (size_t)got;
	}
	return len;
}

size_t
proc_read(const char *proc, int32_t pid, const char *file, char *text, size_t size)
{
	int fd = file_of(proc, pid, file), saved;
	size_t len;

	text[0] = '\0';
	if (fd < 0)
		return 0;
	len = read_some(fd, text, size - 1);
	saved = errno;
	text[len] = '\0';
	close(fd);
	errno = saved;
	return len;
}

/*
 * Most files have a few KiB, but an environment may be long, and a status lists up to 65,536
 * groups. Bytes after the limit are not read.
 */
enum { TEXT_STEP = 16 * 1024, TEXT_MAX = 1 << 20 };

char *
proc_text(const char *proc, int32_t pid, const char *file, size_t *len)
{
	int fd = file_of(proc, pid, file);
	size_t got = TEXT_STEP, all = 0;
	struct error ignored;
	char *text = NULL, *more;

	error_clear(&ignored);
	while (fd >= 0 && got == TEXT_STEP && all < TEXT_MAX) {
		more = memory_resize(text, all + TEXT_STEP + 1, 1, &ignored);
		if (!more)
			break;
		text = more;
		got = read_some(fd, text + all, TEXT_STEP);
		all += got;
		text[all] = '\0';
	}
	if (fd >= 0)
		close(fd);
	if (len)
		*len = all;
	return text;
}

bool
proc_stat(const char *proc, int32_t pid, struct proc_stat *s)
{
	char text[2048];
	const char *at;
	uint64_t cpu[2] = { 0 };

	if (!proc_read(proc, pid, "stat", text, sizeof(text)))
		return false;
	/* The name before it may hold anything, also ") ". */
	at = strrchr(text, ')');
	if (!at || at[1] != ' ' || !at[2])
		return false;
	s->state = at[2];
	at += 2;
	for (int field = 3; field < 22; field++) {
		at = strchr(at, ' ');
		if (!at)
			return false;
		at++;
		if (field + 1 == 9)
			s->is_of_kernel = strtoull(at, NULL, 10) & FLAG_KERNEL_THREAD;
		if (field + 1 == 14 || field + 1 == 15)
			cpu[field + 1 - 14] = strtoull(at, NULL, 10);
	}
	s->cpu_ticks = cpu[0] + cpu[1];
	s->start_ticks = strtoull(at, NULL, 10);
	return true;
}

int64_t
proc_start_sec(const char *proc, int32_t pid)
{
	struct timespec since_boot, now;
	long ticks = sysconf(_SC_CLK_TCK);
	struct proc_stat s;

	if (ticks <= 0 || !proc_stat(proc, pid, &s) || clock_gettime(CLOCK_BOOTTIME, &since_boot) ||
	    clock_gettime(CLOCK_REALTIME, &now))
		return 0;
	return now.tv_sec - since_boot.tv_sec + (int64_t)(s.start_ticks / (uint64_t)ticks);
}

const char *
proc_line(const char *text, const char *start)
{
	size_t len = strlen(start);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, start, len))
			return line + len;
	}
	return NULL;
}

static uint64_t
status_number(const char *text, const char *name, uint64_t unit)
{
	const char *at = proc_line(text, name);

	return at ? strtoull(at, NULL, 10) * unit : 0;
}

/* Reads "NSpid:	4711	1", outermost first; returns the number of ids.
 */
static unsigned
status_inner(const char *text, int32_t *id)
{
	const char *at = proc_line(text, "NSpid:");
	unsigned count = 0;
	char *end;

	while (at && (*at == '\t' || *at == ' ')) {
		long value = strtol(at, &end, 10);

		if (end == at || value <= 0 || value > INT32_MAX)
			break;
		*id = (int32_t)value;
		at = end;
		count++;
	}
	return count;
}

bool
proc_refuse_kernel(int32_t pid, const char *name, struct error *err)
{
	return error_set(err, ERROR_ATTACH,
			 "process %" PRId32 "%s%s%s is a thread of the kernel, which has no heap; "
			 "heaptop -l lists the .NET processes",
			 pid, name ? " (" : "", name ? name : "", name ? ")" : "");
}

bool
proc_status(const char *proc, int32_t pid, struct proc_status *s)
{
	char *text = proc_text(proc, pid, "status", NULL), *end;
	const char *uids;

	*s = (struct proc_status){ 0 };
	if (!text || !*text) {
		memory_free(text);
		return false;
	}
	uids = proc_line(text, "Uid:"); /* real, effective, … */
	if (uids) {
		strtoul(uids, &end, 10);
		s->uid = (uint32_t)strtoul(end, NULL, 10);
	}
	s->inner_pid = pid;
	s->is_nested = status_inner(text, &s->inner_pid) > 1;
	s->tracer_pid = (int32_t)status_number(text, "TracerPid:", 1);
	s->resident_bytes = status_number(text, "VmRSS:", 1024);
	s->peak_bytes = status_number(text, "VmHWM:", 1024);
	s->private_bytes = status_number(text, "RssAnon:", 1024);
	s->swapped_bytes = status_number(text, "VmSwap:", 1024);
	s->address_bytes = status_number(text, "VmSize:", 1024);
	s->data_bytes = status_number(text, "VmData:", 1024);
	s->threads_count = status_number(text, "Threads:", 1);
	memory_free(text);
	return true;
}

bool
proc_limit(const char *proc, int32_t pid, const char *name, uint64_t *bytes)
{
	char text[8192];
	const char *at;
	char *end;

	if (!proc_read(proc, pid, "limits", text, sizeof(text)))
		return false;
	at = strstr(text, name);
	if (!at)
		return false;
	at += strlen(name);
	at += strspn(at, " ");
	*bytes = strtoull(at, &end, 10);
	return end > at;
}

/* The folder has this size from Linux 6.2 on, and 0 before. */
bool
proc_files(const char *proc, int32_t pid, uint64_t max, uint64_t *count)
{
	char path[PATH_BYTES];
	struct dirent *entry;
	struct stat st;
	DIR *folder;

	snprintf(path, sizeof(path), "%s/%" PRId32 "/fd", proc, pid);
	folder = opendir(path);
	if (!folder)
		return false;
	*count = 0;
	if (!strcmp(proc, PROC_FOLDER) && !fstat(dirfd(folder), &st))
		*count = (uint64_t)st.st_size;
	if (!*count)
		while (*count < max && (entry = readdir(folder)) != NULL)
			*count += *entry->d_name != '.';
	closedir(folder);
	return true;
}

int32_t
proc_inner_tid(const char *proc, int32_t pid, int32_t tid)
{
	char file[48], *text;

	snprintf(file, sizeof(file), "task/%" PRId32 "/status", tid);
	text = proc_text(proc, pid, file, NULL);
	if (text)
		(void)status_inner(text, &tid);
	memory_free(text);
	return tid;
}

bool
proc_mapping(const char *line, struct memory_mapping *m, char access[5])
{
	int name_at = 0;

	*m = (struct memory_mapping){ 0 };
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*s %n", &m->start, &m->end,
		   access, &m->file_offset, &name_at) != 4 ||
	    !name_at || m->start >= m->end)
		return false;
	m->name = line + name_at;
	m->flags = (access[0] == 'r' ? MEMORY_READ : 0U) | (access[1] == 'w' ? MEMORY_WRITE : 0U) |
		   (access[2] == 'x' ? MEMORY_EXECUTE : 0U) | (*m->name == '/' ? MEMORY_FILE : 0U);
	return true;
}

bool
proc_maps_code(const char *proc, int32_t pid, const char *name, char *line, size_t line_size)
{
	int fd = file_of(proc, pid, "maps");
	FILE *maps = fd >= 0 ? fdopen(fd, "r") : NULL;
	bool is_there = false;

	while (maps && !is_there && fgets(line, (int)line_size, maps)) {
		const char *access = strchr(line, ' ');

		/* "7f0-7f1 r-xp 0 8:1 7 /usr/…" */
		is_there = access && strlen(access) > 3 && access[3] == 'x' && strstr(access, name);
	}
	if (maps)
		fclose(maps);
	else if (fd >= 0)
		close(fd);
	return is_there;
}

void
proc_environment_read(struct proc_environment *e, const char *proc, int32_t pid)
{
	e->text = proc_text(proc, pid, "environ", &e->len);
	e->is_readable = e->text != NULL;
}

void
proc_environment_clear(struct proc_environment *e)
{
	memory_free(e->text);
	*e = (struct proc_environment){ 0 };
}

const char *
proc_environment_get(const struct proc_environment *e, const char *name)
{
	size_t len = strlen(name);

	for (size_t at = 0; at < e->len; at += strlen(e->text + at) + 1)
		if (!strncmp(e->text + at, name, len) && e->text[at + len] == '=')
			return e->text + at + len + 1;
	return NULL;
}

const char *
proc_environment_setting(const struct proc_environment *e, const char *name)
{
	static const char *const prefixes[] = { "DOTNET_", "COMPlus_" };
	const char *value = NULL;
	char full[128];

	for (int i = 0; i < 2 && !value; i++) {
		snprintf(full, sizeof(full), "%s%s", prefixes[i], name);
		value = proc_environment_get(e, full);
	}
	return value;
}

uint64_t
proc_namespace(const char *proc, int32_t pid, const char *name)
{
	char path[PATH_BYTES], file[64];
	struct stat st;

	snprintf(file, sizeof(file), "ns/%s", name);
	if (!path_of(path, proc, pid, file) || stat(path, &st))
		return 0;
	return st.st_ino;
}

uint32_t
proc_load(const char *proc)
{
	char path[PATH_BYTES], text[128];
	unsigned long now, late;
	char *end;
	size_t len;
	int fd;

	snprintf(path, sizeof(path), "%s/loadavg", proc);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	len = read_some(fd, text, sizeof(text) - 1);
	text[len] = '\0';
	close(fd);
	/* "13.56 19.74 22.06 6/193 30034": 1, 5, 15 minutes, running now (including us) */
	late = strtoul(text, &end, 10);
	late += *end == '.' && end[1] >= '5' && end[1] <= '9';
	end = strchr(text, '/');
	while (end && end > text && end[-1] != ' ')
		end--;
	now = end ? strtoul(end, NULL, 10) : 0;
	now -= now > 0;
	if (now > late)
		late = now;
	return late < UINT32_MAX ? (uint32_t)late : UINT32_MAX;
}

uint32_t
proc_threads_named(const char *proc, int32_t pid, const char *prefix, uint32_t max)
{
	char path[PATH_BYTES], file[64], text[64];
	DIR *folder = path_of(path, proc, pid, "task") ? opendir(path) : NULL;
	struct dirent *entry;
	uint32_t count = 0;

	while (folder && count < max && (entry = readdir(folder)) != NULL) {
		if (entry->d_name[0] < '0' || entry->d_name[0] > '9')
			continue;
		snprintf(file, sizeof(file), "task/%.20s/comm", entry->d_name);
		proc_read(proc, pid, file, text, sizeof(text));
		if (!strncmp(text, prefix, strlen(prefix)))
			count++;
	}
	if (folder)
		closedir(folder);
	return count;
}

bool
proc_walk_open(struct proc_walk *w, const char *proc, struct error *err)
{
	w->folder = opendir(proc);
	if (!w->folder)
		return error_sys(err, errno, "cannot list the processes in %s", proc);
	return true;
}

bool
proc_walk_next(struct proc_walk *w, int32_t *pid)
{
	struct dirent *entry;
	char *end;

	while ((entry = readdir(w->folder)) != NULL) {
		long value = strtol(entry->d_name, &end, 10);

		if (*end || end == entry->d_name || value <= 0 || value > INT32_MAX)
			continue;
		*pid = (int32_t)value;
		return true;
	}
	return false;
}

void
proc_walk_close(struct proc_walk *w)
{
	closedir(w->folder);
	w->folder = NULL;
}
