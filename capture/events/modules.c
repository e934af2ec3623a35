#include "capture/events/modules.h"
#include "io/pe/bundle.h"
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

/* Metadata of a module that the program's file contains. */
struct inside {
	struct metadata *metadata;
	struct inside *next;
};

struct modules {
	const struct process *process;
	const char *proc;
	struct module_files *files;
	/* A single-file program; opened when a module has no file of its own.
	 */
	struct file program;
	struct bundle bundle;
	bool has_looked, has_bundle;
	struct inside *inside;
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

/* Opens the program by the kernel's link, as the file may have been moved. */
static void
look_into_program(struct modules *m)
{
	struct error ignored;
	char name[64];

	m->has_looked = true;
	error_clear(&ignored);
	snprintf(name, sizeof(name), "%s/%" PRId32 "/exe", m->proc,
		 m->process->pid);
	if (file_open(&m->program, name, FILE_ALL, NULL, &ignored))
		m->has_bundle = bundle_open(&m->bundle, m->program.data,
					    m->program.len, &ignored);
}

static const struct metadata *
find_inside(struct modules *m, const char *path)
{
	struct error ignored;
	struct inside *i;
	const uint8_t *data;
	size_t len;

	error_clear(&ignored);
	if (!m->has_looked)
		look_into_program(m);
	data = m->has_bundle ? bundle_find(&m->bundle, path, &len) : NULL;
	i = data ? memory_new(1, sizeof(*i), &ignored) : NULL;
	if (!i)
		return NULL;
	i->metadata = metadata_open(data, len, &ignored);
	if (!i->metadata) {
		memory_free(i);
		return NULL;
	}
	i->next = m->inside;
	m->inside = i;
	return i->metadata;
}

const struct metadata *
modules_find(void *context, const char *path)
{
	struct modules *m = context;
	const struct metadata *found = module_files_find(m->files, path);

	return found ? found : find_inside(m, path);
}

void
modules_free(struct modules *m)
{
	if (!m)
		return;
	module_files_free(m->files);
	while (m->inside) {
		struct inside *i = m->inside;

		m->inside = i->next;
		metadata_close(i->metadata);
		memory_free(i);
	}
	if (m->program.data)
		file_close(&m->program);
	memory_free(m);
}
