#ifndef MODEL_BASE_PROGRESS_H
#define MODEL_BASE_PROGRESS_H

/*
 * The progress of a long computation, and the request to cancel it. The worker calls
 * progress_begin() and progress_add(); another thread reads the fields and may set `is_cancelled`.
 * Passes over the whole heap report at least every 65,536 objects, so that Esc takes effect within
 * 50 ms. NULL is allowed everywhere.
 */
#include "model/base/error.h"
#include <stdatomic.h>

struct progress {
	_Atomic uint64_t done, total;  /* in units; total 0: unknown */
	_Atomic(const char *) stage;   /* a string literal, "decoding objects" */
	_Atomic(const char *) counted; /* "objects"; NULL: bytes */
	_Atomic int64_t begun_ns;      /* clock_ns() when the stage began */
	atomic_bool is_about;          /* the total is an estimate */
	atomic_bool is_cancelled;
};

/*
 * `counted` names the units in the plural, as a literal; rates are shown in them. Objects visited
 * twice count twice.
 */
void progress_begin(struct progress *p, const char *stage, const char *counted, uint64_t total);
/* The same for bytes: rates are shown in MiB/s. */
void progress_begin_bytes(struct progress *p, const char *stage, uint64_t total);
/* Sets an estimate of the total, which may turn out smaller or larger. */
void progress_estimate(struct progress *p, uint64_t total);
/* False if cancelled: return at once, with error_cancelled(). */
bool progress_add(struct progress *p, uint64_t done);
bool progress_is_cancelled(const struct progress *p);
void progress_cancel(struct progress *p);
/* Cancels every computation of the program, also those that begin later, until it is called with
   false. For a program that does one thing at a time. */
void progress_cancel_all(bool is_cancelled);

#endif
