#include "capture/modules.h"
#include "io/file.h"
#include <stdio.h>
#include <unistd.h>

enum { MODULES_MAX = 16 * 1024 }; /* a process has some hundreds */

struct module {
	struct file file;
	struct metadata *metadata;
	struct module *next;
};

struct modules {
	const struct process *process;
	const char *proc;
	struct module *first;
	unsigned count;
};

struct modules *
modules_new(const struct process *p, const char *proc, struct error *err)
{
	struct modules *m = memory_new(1, sizeof(*m), err);

	if (m) {
		m->process = p;
		m->proc = proc;
	}
	return m;
}

static bool
open_file(struct file *file, const struct modules *m, const char *path,
	  struct error *err)
{
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

const struct metadata *
modules_find(void *context, const char *path)
{
	struct modules *m = context;
	struct error ignored;
	struct module *module;

	error_clear(&ignored);
	if (m->count >= MODULES_MAX)
		return NULL;
	module = memory_new(1, sizeof(*module), &ignored);
	if (!module)
		return NULL;
	if (open_file(&module->file, m, path, &ignored)) {
		module->metadata = metadata_open(module->file.data,
						 module->file.len, &ignored);
		if (module->metadata) {
			module->next = m->first;
			m->first = module;
			m->count++;
			return module->metadata;
		}
		file_close(&module->file);
	}
	memory_free(module);
	return NULL;
}

void
modules_free(struct modules *m)
{
	while (m && m->first) {
		struct module *module = m->first;

		m->first = module->next;
		metadata_close(module->metadata);
		file_close(&module->file);
		memory_free(module);
	}
	memory_free(m);
}
