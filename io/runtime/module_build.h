#ifndef IO_RUNTIME_MODULE_BUILD_H
#define IO_RUNTIME_MODULE_BUILD_H

/*
 * Whether metadata is of the build that the runtime has loaded. A file may have been replaced, or
 * overwritten under a running process, which then reads the new bytes at the old addresses. Its
 * size proves nothing, as sizes are rounded. The runtime keeps numbers of its own, which are
 * compared:
 *
 *   per module   maps of types, referenced types, methods and fields, each
 *                with one entry more than the table in the metadata has rows
 *   per type     the rows of the fields that are stored, and the first method
 *
 * Two builds with equal numbers differ in bodies of methods or in names only; no number can tell
 * those apart.
 */
#include "io/pe/metadata.h"
#include "io/runtime/layout.h"

enum clr_build {
	CLR_BUILD_UNKNOWN, /* the maps are not in memory */
	CLR_BUILD_FITS,
	CLR_BUILD_OTHER,
};

/* Costs some reads for each loaded type of the module. */
enum clr_build clr_module_build(const struct clr_layout *layout, struct memory_reader *r,
				uint64_t module, const struct metadata *metadata);

#endif
