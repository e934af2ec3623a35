#include "capture/modules.h"
#include <stdio.h>
#include <unistd.h>

struct modules {
	const struct process *process;
	const char *proc;
	struct module_files *files;
};

static bool
open_file(void *context, const char *path, struct file *file, struct error *err)
{
	const struct modules *m = context;
	int fd = process_open_file(m->process, m->proc, path);
	char name[40];
	bool is_open;

	if (fd < 0)
		return false;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	is_open = file_open(file, name, FILE_ALL, NULL, err);
	close(fd);
	return is_open;
}

struct modules *
modules_new(const struct process *p, const char *proc, struct error *err)
{
	struct modules *m = memory_new(1, sizeof(*m), err);

	if (!m)
		return NULL;
	m->process = p;
	m->proc = proc;
	m->files = module_files_new(open_file, m, err);
	if (m->files)
		return m;
	modules_free(m);
	return NULL;
}

const struct metadata *
modules_find(void *context, const char *path)
{
	struct modules *m = context;

	return module_files_find(m->files, path);
}

void
modules_free(struct modules *m)
{
	if (m)
		module_files_free(m->files);
	memory_free(m);
}
