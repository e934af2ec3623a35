#ifndef IO_GCLOG_ROOTS_H
#define IO_GCLOG_ROOTS_H

/*
 * Roots as a GC log numbers them, and as a heap has them: the kind becomes a
 * kind of the heap and, with what is unusual, a label: "handle",
 * "local, interior", "kind 9, flags 0x40". The way back reads those.
 */
#include "model/heap/heap.h"

enum gclog_root_kind {
	GCLOG_RUNTIME,
	GCLOG_LOCAL,
	GCLOG_FINALIZER,
	GCLOG_HANDLE,
	GCLOG_STATIC,
	GCLOG_INTERNAL, /* of the Compact Framework */
	GCLOG_ROOT_KINDS
};
enum gclog_root_flag {
	GCLOG_PINNED = 1,
	GCLOG_WEAK = 2, /* keeps nothing alive */
	GCLOG_INTERIOR = 4,
	GCLOG_FLAGS = 7 /* all that are known */
};

struct gclog_root {
	uint64_t kind, flags;
};

enum root_kind gclog_root_kind(struct gclog_root root);
/* A literal, or if there is something unusual in `a`. NULL sets `err`. */
const char *gclog_root_label(struct gclog_root root, struct arena *a,
			     struct error *err) MUST_USE;
/* Of any heap's: what the format lacks becomes a handle. */
struct gclog_root gclog_root_of(const struct root *root);

#endif
