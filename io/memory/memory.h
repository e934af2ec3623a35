#ifndef IO_MEMORY_MEMORY_H
#define IO_MEMORY_MEMORY_H

/*
 * The memory of a process that is not ours: a stopped one, a core, or bytes
 * made up by a test. 64-bit, little endian.
 * Everything in it is hostile: a pointer may lead anywhere, and what is not
 * there is absent, never zero. Each read says whether it got its bytes.
 *
 * A `struct memory` never changes and serves any number of threads; each
 * thread that follows pointers has a `struct memory_reader` of its own.
 */
#include "model/base/error.h"
#include "io/base/bytes.h"

enum memory_machine { MEMORY_X64, MEMORY_ARM64 };

enum {
	MEMORY_READ = 1,
	MEMORY_WRITE = 2,
	MEMORY_EXECUTE = 4,
	MEMORY_FILE = 8, /* backed by the file that `name` says */
};

struct memory_mapping {
	uint64_t start, end, file_offset;
	const char *name; /* a path, "[heap]", or "" */
	unsigned flags;   /* MEMORY_READ… */
};

/* In the kernel's order: x64 as in struct user_regs_struct (rsp is 19, rip 16),
 * arm64 x0 to x30, sp, pc, pstate. */
enum { MEMORY_REGISTERS_MAX = 34 };
struct memory_thread {
	uint64_t registers[MEMORY_REGISTERS_MAX];
	uint32_t registers_count;
	int32_t tid; /* as the process itself counts, in a container too */
	uint64_t sp, pc;
	const char *name; /* "" where nobody says */
};

/* What a back end can do. Both are called by several threads at once. */
struct memory_ops {
	/* How many bytes there are before the first missing one, copied. */
	size_t (*read)(const void *source, uint64_t address, void *to,
		       size_t len);
	/* All of them where they lie, as long as the memory is open; NULL if
	 * they are not in one piece. The whole entry may be NULL. */
	const uint8_t *(*view)(const void *source, uint64_t address,
			       size_t len);
	void (*close)(void *source);
};

struct memory {
	const struct memory_ops *ops;
	void *source;
	const char *name; /* "process 4711", "core.4711": for sentences */
	enum memory_machine machine;
	/* By address; they do not overlap. */
	const struct memory_mapping *mappings;
	const struct memory_thread *threads;
	size_t mappings_count, threads_count;
	/* An address inside the runtime that the dump's writer noted; or 0. */
	uint64_t runtime_hint;
	bool is_dump; /* a file: any page may be absent */
	/* Of a file that was cut: what it announces and does not have. */
	uint64_t cut_bytes;
	/* Which of several runtimes, from 1; 0: nobody has chosen. */
	uint32_t runtime_wanted;
	/* Where files of the mappings are, put before their paths; "" is here.
	 */
	const char *sysroot;
};

/* Frees the back end and all that it holds. NULL is allowed. */
void memory_close(struct memory *m);

/* The mapping around an address, or the next one behind it; or NULL. */
const struct memory_mapping *memory_mapping_next(const struct memory *m,
						 uint64_t address);
/* Around it, or NULL. */
const struct memory_mapping *memory_mapping_at(const struct memory *m,
					       uint64_t address);

/*
 * For long stretches, past all caches. memory_copy(): how many bytes there
 * were before the first missing one. memory_view(): NULL where a copy has to
 * do.
 */
size_t memory_copy(const struct memory *m, uint64_t address, void *to,
		   size_t len);
const uint8_t *memory_view(const struct memory *m, uint64_t address,
			   size_t len);

/*
 * Scattered small reads, a few pages of which are kept (about 128 KiB).
 * False: at least one of the bytes is absent; `value` is then 0, `to` has
 * whatever was there. No alignment is asked for.
 */
struct memory_reader;

struct memory_reader *memory_reader_new(const struct memory *m,
					struct error *err) MUST_USE;
void memory_reader_free(struct memory_reader *r);
const struct memory *memory_reader_memory(const struct memory_reader *r);

bool memory_read(struct memory_reader *r, uint64_t address, void *to,
		 size_t len) MUST_USE;
bool memory_u8(struct memory_reader *r, uint64_t address,
	       uint8_t *value) MUST_USE;
bool memory_u16(struct memory_reader *r, uint64_t address,
		uint16_t *value) MUST_USE;
bool memory_u32(struct memory_reader *r, uint64_t address,
		uint32_t *value) MUST_USE;
bool memory_u64(struct memory_reader *r, uint64_t address,
		uint64_t *value) MUST_USE;
/* A text that ends with a 0 before `size` bytes; `to` always ends with one. */
bool memory_text(struct memory_reader *r, uint64_t address, char *to,
		 size_t size) MUST_USE;
/* Sets `err`: "`what` at 0x7f… is not in `name`". */
bool memory_missing(const struct memory *m, uint64_t address, const char *what,
		    struct error *err);

#endif
