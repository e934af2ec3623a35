#ifndef MODEL_GRAPH_SEMI_NCA_H
#define MODEL_GRAPH_SEMI_NCA_H

/*
 * Immediate dominators by the algorithm Semi-NCA (Georgiadis and Tarjan; see Georgiadis, Werneck,
 * Tarjan, Triantafyllis, August: Finding Dominators in Practice, 2004): semidominators as in
 * Lengauer and Tarjan, then the nearest common ancestor of the parent and the semidominator. An
 * object with one referrer needs neither: its parent dominates it.
 *
 * The ancestor is found by climbing the tree: less than one step an object in real heaps, quadratic
 * in the worst case. After 8 steps an object, jump pointers (Myers: An applicative random access
 * stack, 1983) bound each climb by a logarithm.
 *
 * While one thread evaluates, another reads the next referrers.
 */
#include "model/graph/depth_first.h"

enum { SEMI_NCA_BYTES = 1 << 20 }; /* upper limit, besides arrays by number */

/*
 * Returns the immediate dominators by number: 0 for rooted objects and for starts among unreachable
 * objects. The result is in the arena, with another such array while computing. Overwrites
 * df->parents and df->shared.
 */
uint32_t *semi_nca_compute(struct depth_first *df, struct arena *a, struct error *err) MUST_USE;

#endif
