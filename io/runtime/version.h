#ifndef IO_RUNTIME_VERSION_H
#define IO_RUNTIME_VERSION_H

/*
 * Finds the version of a runtime. The sources, best first: the exported structure of a single file,
 * the version text in its data (in memory, or in a file of the same build), its folder's name, and
 * the size of g_dacTable.
 */
#include "io/base/file.h"
#include "io/memory/elf_image.h"
#include "io/runtime/runtime.h"

/* False sets `err`: no source has it. */
bool clr_version_find(struct clr_runtime *rt, const struct elf_image *image, uint64_t table_bytes,
		      struct error *err) MUST_USE;

/* Opens the runtime's file below the sysroot; the caller closes it. False: it is missing, or
 * another build than the one in memory. */
bool clr_version_open_file(struct clr_runtime *rt, struct file *file) MUST_USE;

#endif
