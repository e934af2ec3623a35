#ifndef IO_MEMORY_CORE_H
#define IO_MEMORY_CORE_H

/*
 * ELF cores as memory: those of the kernel, of gdb's gcore, and of .NET's
 * createdump. The file is mapped, not read; it may be sparse, and packed with
 * zstd (io/base/unpack_file.h).
 * What a core leaves out is absent. But pages of files that nobody can have
 * changed (code, read-only data, metadata) come from those files where they
 * are the same build: a core of the kernel has none of them.
 *
 * Opening costs what the core's table of segments costs.
 */
#include "io/memory/memory.h"
#include "model/base/progress.h"

/* What a core tells of itself; for people. */
struct core_facts {
	uint64_t bytes;          /* of the file */
	uint64_t present_bytes;  /* memory that is in it */
	uint64_t cut_bytes;      /* announced, but behind the end of the file */
	uint32_t segments_count; /* of memory */
	bool is_createdump;
	uint32_t files_count; /* mapped ones, as the core says */
};

/* A module's file that stood in for absent pages. */
enum core_file_state {
	CORE_FILE_UNUSED,     /* nothing absent was asked for */
	CORE_FILE_SAME,       /* the same build */
	CORE_FILE_UNVERIFIED, /* used; the core has nothing to compare with */
	CORE_FILE_OTHER,      /* another build: not used */
	CORE_FILE_MISSING,    /* cannot be opened, or is no module */
};

/* By content. `head`: at least the first 18 bytes. */
bool core_accepts(const uint8_t *head, size_t head_len);
/* `sysroot` stands before the paths of files; NULL: "". It is copied. */
struct memory *core_open(const char *path, const char *sysroot,
			 struct progress *progress, struct error *err) MUST_USE;
/* The same from bytes that stay where they are as long as it is open. */
struct memory *core_open_bytes(const uint8_t *data, size_t len,
			       const char *name, const char *sysroot,
			       struct error *err) MUST_USE;

/* `m` is of core_open(). */
const struct core_facts *core_facts(const struct memory *m);
/* File by file; NULL behind the last. Says what is known until now. */
const char *core_file(const struct memory *m, size_t i,
		      enum core_file_state *state);
/* False if the file was cut short meanwhile (io/base/file.h). */
bool core_is_intact(const struct memory *m, struct error *err) MUST_USE;

#endif
