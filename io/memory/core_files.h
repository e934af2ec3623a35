#ifndef IO_MEMORY_CORE_FILES_H
#define IO_MEMORY_CORE_FILES_H

/*
 * Files whose pages a core left out. Each is opened when the first of its
 * absent pages is asked for, and only believed if it is the build that the
 * core has the beginning of. What a process may have changed in its copy
 * (writable segments and sections) never comes from here.
 */
#include "io/memory/core.h"

struct core_files;

/* `m`: for its mappings and sysroot. `read` gives what is in the core itself;
 * both are borrowed. */
struct core_files *core_files_new(const struct memory *m,
				  size_t (*read)(const void *core,
						 uint64_t address, void *to,
						 size_t len),
				  const void *core, struct error *err) MUST_USE;
void core_files_free(struct core_files *files);

/* The bytes at an address as they are in its file; *len of them at most.
 * NULL: none. Called by several threads at once. */
const uint8_t *core_files_at(struct core_files *files, uint64_t address,
			     size_t *len);
const char *core_files_path(struct core_files *files, size_t i,
			    enum core_file_state *state);

#endif
