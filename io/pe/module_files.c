#include "io/base/inside.h"
#include "io/pe/module_files.h"

enum { FILES_MAX = 16 * 1024 }; /* a process has some hundreds */

struct module_file {
	struct file file;
	struct metadata *metadata;
	struct module_file *next;
};

struct module_files {
	module_open open;
	void *context;
	struct module_file *first;
	unsigned count;
};

/* Accepts only absolute paths, not "-" or "C:\". */
static bool
open_here(void *context, const char *path, struct file *file, struct error *err)
{
	(void)context;
	return *path == '/' && inside_open(file, "", path, err);
}

struct module_files *
module_files_new(module_open open, void *context, struct error *err)
{
	struct module_files *m = memory_new(1, sizeof(*m), err);

	if (m) {
		m->open = open ? open : open_here;
		m->context = context;
	}
	return m;
}

const struct metadata *
module_files_find(void *files, const char *path)
{
	struct module_files *m = files;
	struct module_file *f;
	struct error ignored = { 0 };

	if (m->count >= FILES_MAX)
		return NULL;
	f = memory_new(1, sizeof(*f), &ignored);
	if (!f)
		return NULL;
	if (m->open(m->context, path, &f->file, &ignored)) {
		f->metadata = metadata_open(f->file.data, f->file.len, &ignored);
		if (f->metadata) {
			f->next = m->first;
			m->first = f;
			m->count++;
			return f->metadata;
		}
		file_close(&f->file);
	}
	memory_free(f);
	return NULL;
}

void
module_files_free(struct module_files *m)
{
	while (m && m->first) {
		struct module_file *f = m->first;

		m->first = f->next;
		metadata_close(f->metadata);
		file_close(&f->file);
		memory_free(f);
	}
	memory_free(m);
}
