#ifndef IO_MEMORY_CORE_H
#define IO_MEMORY_CORE_H

/*
 * ELF cores as memory: written by the kernel, gdb's gcore, or .NET's createdump. The file is
 * mapped, may be sparse, and may be packed with zstd (io/base/unpack_file.h). Pages that a core
 * leaves out are absent, except unmodifiable ones of mapped files (code, read-only data, metadata):
 * these come from the files, if they are the same build. Cores of the kernel have none of them.
 *
 * Opening reads the segment table and the notes.
 */
#include "io/base/input.h"
#include "io/memory/memory.h"
#include "model/base/progress.h"

/* Facts about a core, for users. */
struct core_facts {
	uint64_t bytes;          /* size of the file */
	uint64_t present_bytes;  /* size of the memory in it */
	uint64_t cut_bytes;      /* announced, but past the end of the file */
	uint32_t segments_count; /* memory segments */
	bool is_createdump;
	int32_t pid;          /* in its own pid namespace; 0: unknown */
	uint32_t files_count; /* mapped files, according to the core */
};

/* Use of a mapped file for absent pages. */
enum core_file_state {
	CORE_FILE_UNUSED,     /* no absent page was needed */
	CORE_FILE_SAME,       /* the same build */
	CORE_FILE_UNVERIFIED, /* used; the core has no page to compare */
	CORE_FILE_OTHER,      /* another build, not used */
	CORE_FILE_MISSING,    /* cannot be opened, or not a module */
};

/* Tests the content. `head`: at least the first 18 bytes. */
bool core_accepts(const uint8_t *head, size_t head_len);
/* Takes the file of an input. `sysroot` is a prefix for paths of files, NULL: ""; it is copied. */
struct memory *core_open(struct input *in, const char *sysroot, struct progress *progress,
			 struct error *err) MUST_USE;
/* Opens a core from bytes that must outlive it. */
struct memory *core_open_bytes(const uint8_t *data, size_t len, const char *name,
			       const char *sysroot, struct error *err) MUST_USE;

/* `m` comes from core_open(). */
const struct core_facts *core_facts(const struct memory *m);
/* Lists the files with their state so far; NULL after the last. */
const char *core_file(const struct memory *m, size_t i, enum core_file_state *state);
/* The bytes from `start` to `end` that are in the file. */
uint64_t core_present_bytes(const struct memory *m, uint64_t start, uint64_t end);
/*
 * The same without pages of zeros, which may never have been touched: gdb saves reserved memory,
 * too. An estimate from one in `every` blocks of 64 KiB, and from 16 or more blocks if there are as
 * many.
 */
uint64_t core_written_bytes(const struct memory *m, uint64_t start, uint64_t end, uint64_t every);
/* False: the file was truncated meanwhile (io/base/file.h). */
bool core_is_intact(const struct memory *m, struct error *err) MUST_USE;

#endif
