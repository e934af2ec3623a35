#include "capture/events/modules.h"
#include "io/base/inside.h"
#include "io/pe/bundle.h"
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

/* Metadata of a module that the program's file contains. */
struct inside {
	struct metadata *metadata;
	struct inside *next;
};

struct modules {
	const struct process *process;
	const char *proc, *symbols;
	char root[PATH_BYTES]; /* of the process */
	struct module_files *files;
	/* Opened when a module has no file of its own, or a type no name. */
	struct file program;
	struct bundle bundle;
	bool has_looked, has_bundle;
	struct inside *inside;
	struct native_types *native;
};

static bool
open_file(void *context, const char *path, struct file *file, struct error *err)
{
	const struct modules *m = context;

	return inside_open(file, m->root, path, err);
}

struct modules *
modules_new(const struct process *p, const char *proc, const char *symbols, struct error *err)
{
	struct modules *m = memory_new(1, sizeof(*m), err);

	if (!m)
		return NULL;
	m->process = p;
	m->proc = proc;
	m->symbols = symbols;
	snprintf(m->root, sizeof(m->root), "%s/%" PRId32 "/root", proc, p->pid);
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
	snprintf(name, sizeof(name), "%s/%" PRId32 "/exe", m->proc, m->process->pid);
	if (file_open(&m->program, name, FILE_ALL, NULL, &ignored))
		m->has_bundle = bundle_open(&m->bundle, m->program.data, m->program.len, &ignored);
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

bool
modules_are_native(struct modules *m)
{
	if (!m->has_looked)
		look_into_program(m);
	return m->program.data && native_types_is_program(m->program.data, m->program.len);
}

const struct native_types *
modules_native(void *context, const char *command_line, char why[NATIVE_WHY_BYTES],
	       struct error *err)
{
	struct modules *m = context;
	char link[64], path[PATH_BYTES];
	ssize_t len;
	const struct native_search search = {
		.program = &m->program,
		.path = path,
		.folder = m->symbols,
		.root = m->root,
	};

	(void)command_line;
	if (!m->has_looked)
		look_into_program(m);
	if (m->native || !m->program.data)
		return m->native;
	snprintf(link, sizeof(link), "%s/%" PRId32 "/exe", m->proc, m->process->pid);
	len = readlink(link, path, sizeof(path) - 1);
	path[len > 0 ? len : 0] = '\0';
	m->native = native_types_search(&search, why, err);
	return m->native;
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
	native_types_free(m->native);
	memory_free(m);
}
