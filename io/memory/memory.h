#ifndef IO_MEMORY_MEMORY_H
#define IO_MEMORY_MEMORY_H

/*
 * The memory of another process: a stopped process, a core, or made-up bytes of a test. 64-bit,
 * little endian. All of it is hostile: a pointer may lead anywhere, and missing bytes are absent,
 * never zero. Each read reports whether it got all its bytes.
 *
 * A `struct memory` is immutable and may be shared by threads; each thread that follows pointers
 * needs its own `struct memory_reader`.
 */
#include "model/base/error.h"
#include "io/base/bytes.h"

enum memory_machine { MEMORY_X64, MEMORY_ARM64 };

enum {
	MEMORY_READ = 1,
	MEMORY_WRITE = 2,
	MEMORY_EXECUTE = 4,
	MEMORY_FILE = 8, /* backed by the file `name` */
};

struct memory_mapping {
	uint64_t start, end, file_offset;
	const char *name; /* a path, "[heap]", or "" */
	unsigned flags;   /* MEMORY_READ… */
};

/* In the kernel's order: x64 as in struct user_regs_struct (rsp is 19, rip 16), arm64 x0 to x30,
 * sp, pc, pstate. */
enum { MEMORY_REGISTERS_MAX = 34 };
struct memory_thread {
	uint64_t registers[MEMORY_REGISTERS_MAX];
	uint32_t registers_count;
	int32_t tid; /* in the process's own pid namespace */
	uint64_t sp, pc;
	const char *name; /* "" if unknown */
};

/* Whether bytes of a mapped file are those that the process loaded. */
enum memory_trust {
	MEMORY_TRUSTED,
	MEMORY_UNVERIFIED, /* of a file whose build could not be compared */
	MEMORY_CHANGED,    /* of a file written to since the process started */
	MEMORY_REPLACED,   /* absent: the file there is of another build */
};

/* A back end. Several threads call its functions at once. */
struct memory_ops {
	/* Returns the number of bytes copied before the first absent one. */
	size_t (*read)(const void *source, uint64_t address, void *to, size_t len);
	/* A pointer to the bytes, valid while the memory is open; NULL if they are not contiguous.
	 * The function is optional. */
	const uint8_t *(*view)(const void *source, uint64_t address, size_t len);
	void (*close)(void *source);
	/* Optional: all bytes are trusted. */
	enum memory_trust (*trust)(const void *source, uint64_t address, size_t len);
};

struct memory {
	const struct memory_ops *ops;
	void *source;
	const char *name; /* "process 4711", "core.4711": for messages */
	enum memory_machine machine;
	/* By address, disjoint. */
	const struct memory_mapping *mappings;
	const struct memory_thread *threads;
	size_t mappings_count, threads_count;
	/* An address in the runtime, noted by the dump's writer, or 0. */
	uint64_t runtime_hint;
	bool is_dump; /* a file: any page may be absent */
	/* Bytes that a truncated file announces but lacks. */
	uint64_t cut_bytes;
	/* Number of the runtime to read, from 1; 0: no choice. */
	uint32_t runtime_wanted;
	/* A prefix for the paths of mapped files; "": this machine. */
	const char *sysroot;
};

/* Frees the back end and all its data. Accepts NULL. */
void memory_close(struct memory *m);

/* The mapping that contains an address, else the next one, or NULL. */
const struct memory_mapping *memory_mapping_next(const struct memory *m, uint64_t address);
/* The mapping that contains an address, or NULL. */
const struct memory_mapping *memory_mapping_at(const struct memory *m, uint64_t address);
/* The first address of the file that a mapping belongs to, or of the mapping. */
uint64_t memory_file_start(const struct memory *m, const struct memory_mapping *mapping);

/* The thread with a kernel id, or NULL. */
const struct memory_thread *memory_thread_find(const struct memory *m, uint64_t tid);

/* Long reads, past all caches. memory_copy() returns the number of bytes before the first absent
 * one; memory_view() returns NULL if a copy is needed. */
size_t memory_copy(const struct memory *m, uint64_t address, void *to, size_t len);
const uint8_t *memory_view(const struct memory *m, uint64_t address, size_t len);
enum memory_trust memory_trust(const struct memory *m, uint64_t address, size_t len);

/*
 * Small reads, through a cache of a few pages (about 128 KiB). False: a byte is absent; `value` is
 * then 0, and `to` has the bytes before it. Addresses need no alignment.
 */
struct memory_reader;

struct memory_reader *memory_reader_new(const struct memory *m, struct error *err) MUST_USE;
void memory_reader_free(struct memory_reader *r);
const struct memory *memory_reader_memory(const struct memory_reader *r);

bool memory_read(struct memory_reader *r, uint64_t address, void *to, size_t len) MUST_USE;
bool memory_u8(struct memory_reader *r, uint64_t address, uint8_t *value) MUST_USE;
bool memory_u16(struct memory_reader *r, uint64_t address, uint16_t *value) MUST_USE;
bool memory_u32(struct memory_reader *r, uint64_t address, uint32_t *value) MUST_USE;
bool memory_u64(struct memory_reader *r, uint64_t address, uint64_t *value) MUST_USE;
/* Reads a text that ends with a 0 within `size` bytes; `to` is always terminated. */
bool memory_text(struct memory_reader *r, uint64_t address, char *to, size_t size) MUST_USE;
/* Sets `err`: "`what` at 0x7f… is not in `name`". */
bool memory_missing(const struct memory *m, uint64_t address, const char *what, struct error *err);

#endif
