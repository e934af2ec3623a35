#ifndef MODEL_BASE_PROGRESS_H
#define MODEL_BASE_PROGRESS_H

/*
 * How far a long computation is, and the wish to stop it. The worker writes
 * with progress_begin() and progress_add(); another thread reads the fields
 * and may set `is_cancelled`. Whole-heap passes report at least every 65,536
 * objects, so that Esc is obeyed within 50 ms. NULL is allowed everywhere.
 */
#include "model/base/error.h"
#include <stdatomic.h>

struct progress {
	_Atomic uint64_t done, total; /* units of the stage; total 0: unknown */
	_Atomic(const char *) stage;  /* a string literal, "decoding objects" */
	_Atomic(const char *) counted; /* "objects"; NULL: bytes */
	_Atomic int64_t begun_ns;      /* clock_ns() when the stage began */
	atomic_bool is_about;          /* the total is an estimate */
	atomic_bool is_cancelled;
};

/*
 * `counted`: what the units are, in plural, a literal: rates are told in them.
 * What is passed over twice counts twice.
 */
void progress_begin(struct progress *p, const char *stage, const char *counted,
		    uint64_t total);
/* The same of bytes: rates are told in MiB/s. */
void progress_begin_bytes(struct progress *p, const char *stage,
			  uint64_t total);
/* How much there will be, about; it may be less or more. */
void progress_estimate(struct progress *p, uint64_t total);
/* False when cancelled: return at once, with error_cancelled(). */
bool progress_add(struct progress *p, uint64_t done);
bool progress_is_cancelled(const struct progress *p);
void progress_cancel(struct progress *p);

#endif
