#ifndef IO_PE_MODULE_FILES_H
#define IO_PE_MODULE_FILES_H

/* The metadata of modules, by the paths of their files. An unreadable file is no error; names then
 * lack its metadata. */
#include "io/base/file.h"
#include "io/pe/metadata.h"

struct module_files;

/* Opens the file of a path. NULL in module_files_new(): the local file. */
typedef bool (*module_open)(void *context, const char *path, struct file *file, struct error *err);

struct module_files *module_files_new(module_open open, void *context, struct error *err) MUST_USE;
/* Accepts NULL. Ends the metadata that module_files_find() returned. */
void module_files_free(struct module_files *m);
/* Fits walk_options.module; `files` is a struct module_files. */
const struct metadata *module_files_find(void *files, const char *path);

#endif
