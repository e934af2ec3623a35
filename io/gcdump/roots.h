#ifndef IO_GCDUMP_ROOTS_H
#define IO_GCDUMP_ROOTS_H

/*
 * Roots. A .gcdump has no records of them: they are children of pseudo-nodes below "[.NET Roots]",
 * and the names of these, which differ between writers, have the kind (see the table in roots.c).
 */
#include "io/gcdump/graph.h"

/* Only pseudo-nodes have names such as "[…]" (not "[]…") or "… [static var]".
 */
bool gcdump_name_is_pseudo(const char *name);

/*
 * Adds roots to the builder. `ids` are those of all nodes, NODE_NONE for a node that is no object.
 * Visits each pseudo-node once, so that cycles and sharing do not matter; takes 16 bytes a
 * pseudo-node and a bit a node meanwhile.
 */
bool gcdump_roots_read(const struct gcdump_graph *g, const node_id *ids, struct heap_builder *b,
		       struct progress *progress, struct error *err) MUST_USE;

/* The kind of the roots below a pseudo-node, as its name says. */
struct gcdump_meaning {
	enum root_kind kind;
	bool is_pinned;
	const char *name; /* "": none */
	/* The same with the type before it, or NULL. Which of the two is right depends on the whole
	   file. */
	const char *full_name;
};
/* Updates `m`, the meaning of the parent node; texts are in `a`. */
bool gcdump_root_meaning(struct gcdump_meaning *m, const char *node_name, struct arena *a,
			 struct error *err) MUST_USE;

/* A copy of at most `max` bytes, truncated between characters. */
const char *gcdump_cut_text(const char *text, size_t len, size_t max, struct arena *a,
			    struct error *err);

#endif
