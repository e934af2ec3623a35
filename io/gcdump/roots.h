#ifndef IO_GCDUMP_ROOTS_H
#define IO_GCDUMP_ROOTS_H

/*
 * Roots. A .gcdump has no records of them: they hang on pseudo-nodes below
 * "[.NET Roots]", whose names, different in each program that writes such
 * files, say what kind they are (the table in roots.c).
 */
#include "io/gcdump/graph.h"

/* Named as only pseudo-nodes are: "[…]" but not "[]…", "… [static var]". */
bool gcdump_name_is_pseudo(const char *name);

/*
 * Makes root records in the builder; `ids` are those of all nodes, NODE_NONE
 * where there is no object. Each pseudo-node is visited once, so neither
 * cycles nor sharing matter; 16 bytes a pseudo-node and a bit a node meanwhile.
 */
bool gcdump_roots_read(const struct gcdump_graph *g, const node_id *ids,
		       struct heap_builder *b, struct progress *progress,
		       struct error *err) MUST_USE;

/* What a pseudo-node's name makes of the roots below it. */
struct gcdump_meaning {
	enum root_kind kind;
	bool is_pinned;
	const char *name; /* "" if it names none */
	/* With the type before it, or NULL: which of both, the whole file says.
	 */
	const char *full_name;
};
/* `m` is that of the node above at first; texts are in `a`. */
bool gcdump_roots_mean(struct gcdump_meaning *m, const char *node_name,
		       struct arena *a, struct error *err) MUST_USE;

/* A copy of at most `max` bytes, not cut inside a character. */
const char *gcdump_cut_text(const char *text, size_t len, size_t max,
			    struct arena *a, struct error *err);

#endif
