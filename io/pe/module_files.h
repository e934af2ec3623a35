#ifndef IO_PE_MODULE_FILES_H
#define IO_PE_MODULE_FILES_H

/*
 * The metadata of modules by the paths of their files. Files that cannot be
 * read are no failure: names stay shorter.
 */
#include "io/base/file.h"
#include "io/pe/metadata.h"

struct module_files;

/* Opens the file that a path means; NULL: that of this machine. */
typedef bool (*module_open)(void *context, const char *path, struct file *file,
			    struct error *err);

struct module_files *module_files_new(module_open open, void *context,
				      struct error *err) MUST_USE;
/* NULL is allowed. What module_files_find() gave ends here. */
void module_files_free(struct module_files *m);
/* For walk_options.module; `files` is a struct module_files. */
const struct metadata *module_files_find(void *files, const char *path);

#endif
