#ifndef IO_RUNTIME_MODULES_H
#define IO_RUNTIME_MODULES_H

/*
 * The modules of a runtime, by the address of their record, with their metadata. Metadata is looked
 * for
 *
 *   1. in the image in memory, mapped by the loader or flat as in the file; in
 *      a single-file program too
 *   2. for dynamic assemblies, in the copy that the runtime keeps for debuggers
 *   3. if the pages are absent, in the file that the module's path names, if
 *      its size on disk or in memory is the one that the runtime recorded: a
 *      truncated core may not list the mapped files
 *
 * Pages that a core leaves out come from the modules' files (io/memory/core.h). Whatever their
 * source, the metadata must fit the numbers that the runtime keeps (io/runtime/module_build.h). A
 * module without metadata has numbers for names. Each module is looked up once; not thread-safe.
 */
#include "io/pe/metadata.h"
#include "io/runtime/layout.h"

struct clr_modules;

struct clr_module {
	uint64_t address;
	const struct metadata *metadata; /* NULL: not found */
	const char *path;                /* in the process; or "leaky.dll"; or "" */
	uint64_t image;                  /* address of the image; 0: absent */
	uint64_t image_bytes;            /* size of the image; 0: unknown */
	bool is_dynamic;                 /* without an image */
	/* Whether the metadata are those that the process loaded. Without them,
	 * MEMORY_REPLACED means that the file at the path is of another build.
	 */
	enum memory_trust trust;
};

/* `layout` and `r` are borrowed. NULL sets `err`. */
struct clr_modules *clr_modules_new(const struct clr_layout *layout, struct memory_reader *r,
				    struct error *err) MUST_USE;
/* Accepts NULL. Ends the modules that clr_modules_find() returned. */
void clr_modules_free(struct clr_modules *m);
/* Looks the module up, or reads it. NULL sets `err`: no memory; an address without a module gives
 * one without metadata. */
const struct clr_module *clr_modules_find(struct clr_modules *m, uint64_t address,
					  struct error *err) MUST_USE;
/* True if the module was read and has metadata. */
bool clr_modules_known(const struct clr_modules *m, uint64_t address);
/* The modules in the order of look-up. */
size_t clr_modules_count(const struct clr_modules *m);
const struct clr_module *clr_modules_at(const struct clr_modules *m, size_t i);

#endif
