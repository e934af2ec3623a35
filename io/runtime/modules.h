#ifndef IO_RUNTIME_MODULES_H
#define IO_RUNTIME_MODULES_H

/*
 * The modules of a runtime, by the address of its own record of them, with
 * their metadata. Those are looked for
 *
 *   1. where the image is in memory: as the loader maps it or flat, as in the
 *      file; in a single-file program too
 *   2. of what was emitted at run time: in the copy that the runtime keeps
 *      for debuggers
 *
 *   3. of an image whose pages nobody has, in the file that its path names, if
 *      that is as long, on disk or in memory, as the runtime says: a core that
 *      was cut may not tell which files were mapped
 *
 * Pages that a core leaves out come from the modules' files (io/memory/core.h).
 * A module whose metadata are nowhere has numbers for names. Each module is
 * looked for once; not thread-safe.
 */
#include "io/pe/metadata.h"
#include "io/runtime/layout.h"

struct clr_modules;

struct clr_module {
	uint64_t address;
	const struct metadata *metadata; /* NULL: nowhere */
	const char *path;     /* as the process saw it; or "leaky.dll"; or "" */
	uint64_t image;       /* where it begins in memory; 0: nowhere */
	uint64_t image_bytes; /* there; 0: unknown */
	bool is_from_file;    /* metadata: 3 above */
	bool is_dynamic;      /* has no image */
};

/* `layout` and `r` are borrowed. NULL sets `err`. */
struct clr_modules *clr_modules_new(const struct clr_layout *layout,
				    struct memory_reader *r,
				    struct error *err) MUST_USE;
/* NULL is allowed. What clr_modules_find() gave ends here. */
void clr_modules_free(struct clr_modules *m);
/* NULL: no memory (then `err` is set); any address else has an answer. */
const struct clr_module *clr_modules_find(struct clr_modules *m,
					  uint64_t address,
					  struct error *err) MUST_USE;
/* Was it asked for, and has metadata? */
bool clr_modules_known(const struct clr_modules *m, uint64_t address);
/* In the order in which they were asked for. */
size_t clr_modules_count(const struct clr_modules *m);
const struct clr_module *clr_modules_at(const struct clr_modules *m, size_t i);

#endif
