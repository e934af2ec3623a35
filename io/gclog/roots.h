#ifndef IO_GCLOG_ROOTS_H
#define IO_GCLOG_ROOTS_H

/*
 * Converts roots between GC logs and heaps. The kind becomes a kind of the heap, and together with
 * unusual flags a label: "handle", "local, interior", "kind 9, flags 0x40". Writing parses these
 * labels.
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
	GCLOG_FLAGS = 7 /* all known flags */
};

struct gclog_root {
	uint64_t kind, flags;
};

enum root_kind gclog_root_kind(struct gclog_root root);
/* A literal, or a text in `a` for unusual flags. NULL sets `err`. */
const char *gclog_root_label(struct gclog_root root, struct arena *a, struct error *err) MUST_USE;
/* For a root of any heap; kinds that the format lacks become handles. */
struct gclog_root gclog_root_of(const struct root *root);

#endif
