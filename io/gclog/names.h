#ifndef IO_GCLOG_NAMES_H
#define IO_GCLOG_NAMES_H

/*
 * The types that a GC log in the making names: those of the heap, numbered from
 * 1 all through the file, and behind them those that only declare statics. A
 * log has no fields: of "Leaky.Program.Sessions" it keeps "Leaky.Program".
 */
#include "model/heap/heap.h"

/* Not ended by a zero; borrowed from the heap. */
struct gclog_text_part {
	const char *text;
	size_t len;
};

struct gclog_named {
	struct gclog_text_part name;
	uint32_t domain, number;
};

struct gclog_names {
	struct gclog_named *all; /* by name, then domain */
	size_t count, room;
	uint32_t *domains;         /* of the heap's types */
	size_t types_count;        /* that have their numbers from the heap */
	struct gclog_named *extra; /* by number */
	size_t extra_count, extra_room;
};

bool gclog_names_init(struct gclog_names *n, const struct heap *h,
		      struct error *err) MUST_USE;
void gclog_names_clear(struct gclog_names *n);

/* The number in the log of a static's declaring type; 0: it has none. */
uint32_t gclog_names_container(const struct gclog_names *n, uint32_t domain,
			       const struct root *root);

/* Which domain of the heap an address is in; 0 if it has none. */
uint32_t gclog_domain_of(const struct heap *h, uint64_t address);

#endif
