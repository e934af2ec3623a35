#ifndef IO_RUNTIME_VERSION_H
#define IO_RUNTIME_VERSION_H

/*
 * Which version a runtime is. Four places may say it, the best first: what a
 * single file exports for debuggers, words for people in its data (in memory,
 * or in the same build of its file), the name of the folder it is in, and the
 * size of its table.
 */
#include "io/base/file.h"
#include "io/memory/elf_image.h"
#include "io/runtime/runtime.h"

/* False: none of them does, `err` is set. */
bool clr_version_find(struct clr_runtime *rt, const struct elf_image *image,
		      uint64_t table_bytes, struct error *err) MUST_USE;

/*
 * The runtime's file, below the sysroot, to be closed; false: it is not there,
 * or another build than the one in memory.
 */
bool clr_version_open_file(struct clr_runtime *rt, struct file *file) MUST_USE;

#endif
