#include "capture/process/pulse.h"
#include "capture/process/proc.h"
#include "model/base/less.h"
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 64, STAT_BYTES = 512 };

/* Reads the number of a field of a line; fields are separated by blanks. */
static uint64_t
field(const char *line, int number)
{
	while (number-- && line) {
		line = strchr(line, ' ');
		line = line ? line + 1 : NULL;
	}
	return line ? strtoull(line, NULL, 10) : 0;
}

static bool
read_thread(struct pulse_thread *t, const char *proc, int32_t pid, const char *name)
{
	enum { RUN = 0, SLICES = 2, FAULTS_AFTER_NAME = 10 };
	char file[NAME_BYTES], text[STAT_BYTES];
	const char *end;

	t->tid = (int32_t)strtol(name, NULL, 10);
	snprintf(file, sizeof(file), "task/%.20s/schedstat", name);
	if (!proc_read(proc, pid, file, text, sizeof(text)))
		return false;
	t->run_ns = field(text, RUN);
	t->slices = field(text, SLICES);
	snprintf(file, sizeof(file), "task/%.20s/stat", name);
	proc_read(proc, pid, file, text, sizeof(text));
	end = strrchr(text, ')');
	t->faults = end ? field(end, FAULTS_AFTER_NAME) : 0;
	return true;
}

void
pulse_read(struct pulse *p, const char *proc, int32_t pid)
{
	char path[NAME_BYTES + 256];
	struct dirent *entry;
	DIR *folder;

	p->count = 0;
	snprintf(path, sizeof(path), "%.250s/%" PRId32 "/task", proc, pid);
	folder = opendir(path);
	while (folder && p->count < PULSE_THREADS && (entry = readdir(folder)) != NULL)
		if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9')
			p->count += read_thread(&p->threads[p->count], proc, pid, entry->d_name);
	if (folder)
		closedir(folder);
}

/* Subtracts the former numbers of the thread; those of a new one stay. */
static struct pulse_thread
grown(const struct pulse *before, struct pulse_thread t)
{
	for (uint32_t i = 0; i < before->count; i++) {
		const struct pulse_thread *old = &before->threads[i];

		if (old->tid != t.tid)
			continue;
		t.run_ns = less(t.run_ns, old->run_ns);
		t.slices = less(t.slices, old->slices);
		t.faults = less(t.faults, old->faults);
		break;
	}
	return t;
}

bool
pulse_waits(const struct pulse *before, const struct pulse *after, int32_t *tid)
{
	enum { SLICE_NS_MAX = 100000, WAKES_SHARE = 8 };
	struct pulse_thread most = { 0 }, second = { 0 };
	uint64_t all_ns = 0;

	if (!before->count || before->count == PULSE_THREADS || after->count == PULSE_THREADS)
		return false;
	for (uint32_t i = 0; i < after->count; i++) {
		struct pulse_thread t = grown(before, after->threads[i]);

		all_ns += t.run_ns;
		if (t.run_ns > most.run_ns) {
			second = most;
			most = t;
		} else if (t.run_ns > second.run_ns) {
			second = t;
		}
	}
	*tid = second.slices > most.slices / WAKES_SHARE ? second.tid : 0;
	return most.slices && most.run_ns / most.slices < SLICE_NS_MAX && !most.faults &&
	       most.run_ns >= all_ns / 2;
}
