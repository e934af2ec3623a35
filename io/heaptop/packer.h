#ifndef IO_HEAPTOP_PACKER_H
#define IO_HEAPTOP_PACKER_H

/*
 * Writes the sections of a saved heap: compressed by several threads, written one after another,
 * and listed in the directory at the end. sections.h does the reverse.
 *
 * Keeps for each thread a raw and a compressed section, and 40 bytes for each section written.
 * Failing sets `err`: no memory, or the output failed.
 */
#include "io/base/output.h"
#include "io/base/sheet.h"
#include "model/base/worker.h"
#include <pthread.h>

struct zstd_packer;
struct saved_packer {
	struct output *to; /* borrowed */
	struct zstd_packer *zstd[WORKER_MAX];
	struct sheet raw[WORKER_MAX], packed[WORKER_MAX];
	pthread_mutex_t lock; /* of all that follows */
	struct sheet head, directory;
	uint64_t sections_count;
	uint64_t fingerprint; /* of the sections written so far */
};

/* Writes the file's header. Clear it even if this fails. */
bool saved_packer_init(struct saved_packer *p, struct output *to, unsigned threads,
		       struct error *err) MUST_USE;
void saved_packer_clear(struct saved_packer *p);

/* The thread's sheet, emptied, for the content of a section. */
struct sheet *saved_packer_begin(struct saved_packer *p, unsigned thread);
/* Compresses and writes it; readers that do not know the kind will fail. */
bool saved_packer_end(struct saved_packer *p, unsigned thread, uint32_t kind, uint64_t index,
		      struct error *err) MUST_USE;
/* The same with other flags: enum saved_section_flag. */
bool saved_packer_end_with(struct saved_packer *p, unsigned thread, uint32_t flags, uint32_t kind,
			   uint64_t index, struct error *err) MUST_USE;

/*
 * Writes a raw section. `bytes` NULL: the caller writes `len` bytes to `to` next, while no other
 * thread uses the packer.
 */
bool saved_packer_as_is(struct saved_packer *p, uint32_t kind, uint64_t index, const void *bytes,
			size_t len, struct error *err) MUST_USE;
/* Pads so that the content of the next section is aligned for mapping. */
bool saved_packer_align(struct saved_packer *p, struct error *err) MUST_USE;
/* Writes the directory and the end of the file. */
bool saved_packer_finish(struct saved_packer *p, struct error *err) MUST_USE;

#endif
