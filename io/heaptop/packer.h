#ifndef IO_HEAPTOP_PACKER_H
#define IO_HEAPTOP_PACKER_H

/*
 * The sections of a saved heap on their way into a file: gathered and packed by
 * as many threads as there are, written one after the other, and listed in the
 * directory at the end. sections.h is the other way.
 *
 * Keeps a section raw and packed for each thread, and 40 bytes of the directory
 * for each that is written. What fails sets `err`: out of memory, or the output
 * takes no more.
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
	pthread_mutex_t lock; /* of all the rest */
	struct sheet head, directory;
	uint64_t sections_count;
	uint64_t fingerprint; /* of what is written so far */
};

/* For so many threads; writes what a file begins with. To be cleared also when
   it fails. */
bool saved_packer_init(struct saved_packer *p, struct output *to,
		       unsigned threads, struct error *err) MUST_USE;
void saved_packer_clear(struct saved_packer *p);

/* The thread's sheet, emptied, for what is in a section. */
struct sheet *saved_packer_begin(struct saved_packer *p, unsigned thread);
/* Packs that and writes it; readers that do not know the kind give up. */
bool saved_packer_end(struct saved_packer *p, unsigned thread, uint32_t kind,
		      uint64_t index, struct error *err) MUST_USE;
/* The same with other flags: enum saved_section_flag. */
bool saved_packer_end_with(struct saved_packer *p, unsigned thread,
			   uint32_t flags, uint32_t kind, uint64_t index,
			   struct error *err) MUST_USE;

/*
 * A section not packed. `bytes` NULL: the caller writes so many to `to` before
 * anything else, while no other thread is at it.
 */
bool saved_packer_as_is(struct saved_packer *p, uint32_t kind, uint64_t index,
			const void *bytes, size_t len,
			struct error *err) MUST_USE;
/* So that what comes behind the next head is aligned, for who maps it. */
bool saved_packer_align(struct saved_packer *p, struct error *err) MUST_USE;
/* The directory, and where it is: the last of the file. */
bool saved_packer_finish(struct saved_packer *p, struct error *err) MUST_USE;

#endif
