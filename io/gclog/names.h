#ifndef IO_GCLOG_NAMES_H
#define IO_GCLOG_NAMES_H

/*
 * Type ids for writing a GC log: the heap's types from 1, for the whole file, then types that only
 * declare statics. A log has no fields: of "Leaky.Program.Sessions" it has "Leaky.Program".
 */
#include "model/heap/heap.h"

/* Not terminated; borrowed from the heap. */
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
	size_t types_count;        /* of the heap, in `all` */
	struct gclog_named *extra; /* by number */
	size_t extra_count, extra_room;
};

bool gclog_names_init(struct gclog_names *n, const struct heap *h, struct error *err) MUST_USE;
void gclog_names_clear(struct gclog_names *n);

/* The id of a static's declaring type; 0: unknown. */
uint32_t gclog_names_container(const struct gclog_names *n, uint32_t domain,
			       const struct root *root);

/* The heap's domain that has an address; 0 if none does. */
uint32_t gclog_domain_of(const struct heap *h, uint64_t address);

#endif
