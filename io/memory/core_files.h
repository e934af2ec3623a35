#ifndef IO_MEMORY_CORE_FILES_H
#define IO_MEMORY_CORE_FILES_H

/*
 * Files whose pages a core left out. A file is opened when an absent page is first read, and used
 * only if its build matches the first page in the core or, where that is absent, the data of a
 * precompiled image. Data that the process may have modified
 * (writable segments and sections) is never taken from a file.
 */
#include "io/memory/core.h"

struct core_files;

/* `m` provides the mappings and the sysroot, `read` the bytes of the core itself; both are
 * borrowed. */
struct core_files *core_files_new(const struct memory *m,
				  size_t (*read)(const void *core, uint64_t address, void *to,
						 size_t len),
				  const void *core, struct error *err) MUST_USE;
void core_files_free(struct core_files *files);

/* Bytes at an address as in its file, at most *len; NULL: none. Several threads may call at
 * once. */
const uint8_t *core_files_at(struct core_files *files, uint64_t address, size_t *len);
/* The state of the file at an address, opened if need be. */
enum core_file_state core_files_state(struct core_files *files, uint64_t address);
const char *core_files_path(struct core_files *files, size_t i, enum core_file_state *state);

#endif
