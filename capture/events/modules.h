#ifndef CAPTURE_EVENTS_MODULES_H
#define CAPTURE_EVENTS_MODULES_H

/*
 * The metadata of the target's modules, read from their files as the target
 * sees them (io/pe/module_files.h), or from the program itself if that holds
 * them (io/pe/bundle.h).
 */
#include "capture/process/process.h"
#include "io/pe/module_files.h"

struct modules;

struct modules *modules_new(const struct process *p, const char *proc,
			    struct error *err) MUST_USE;
/* NULL is allowed. What modules_find() gave ends here. */
void modules_free(struct modules *m);
/* For walk_options.module; `context` is the struct modules. */
const struct metadata *modules_find(void *context, const char *path);

#endif
