#ifndef CAPTURE_EVENTS_MODULES_H
#define CAPTURE_EVENTS_MODULES_H

/*
 * Metadata of the target's modules, read from their files in the target's mount
 * namespace (io/pe/module_files.h), or from the program's own file if it is a
 * single-file program (io/pe/bundle.h).
 */
#include "capture/process/process.h"
#include "io/pe/module_files.h"

struct modules;

struct modules *modules_new(const struct process *p, const char *proc,
			    struct error *err) MUST_USE;
/* NULL is allowed. Frees all results of modules_find(). */
void modules_free(struct modules *m);
/* For walk_options.module; `context` is the struct modules. */
const struct metadata *modules_find(void *context, const char *path);

#endif
