#ifndef CAPTURE_EVENTS_MODULES_H
#define CAPTURE_EVENTS_MODULES_H

/*
 * Metadata of the target's modules, read from their files in the target's mount namespace
 * (io/pe/module_files.h), or from the program's own file if it is a single-file program
 * (io/pe/bundle.h); and the types of a Native AOT program, from its symbols
 * (io/memory/native_types.h).
 */
#include "capture/process/process.h"
#include "io/memory/native_types.h"
#include "io/pe/module_files.h"

struct modules;

/* `symbols`: the folder that is searched first for symbols, or NULL. */
struct modules *modules_new(const struct process *p, const char *proc, const char *symbols,
			    struct error *err) MUST_USE;
/* NULL is allowed. Frees all results of the functions below. */
void modules_free(struct modules *m);
/* For walk_options.module; `context` is the struct modules. */
const struct metadata *modules_find(void *context, const char *path);
/* Is the program compiled by Native AOT? */
bool modules_are_native(struct modules *m);
/* For walk_options.native. */
const struct native_types *modules_native(void *context, const char *command_line,
					  char why[NATIVE_WHY_BYTES], struct error *err);

#endif
