#ifndef MODEL_GRAPH_SEMI_NCA_H
#define MODEL_GRAPH_SEMI_NCA_H

/*
 * Immediate dominators by the algorithm Semi-NCA (Georgiadis and Tarjan; see
 * Georgiadis, Werneck, Tarjan, Triantafyllis, August: Finding Dominators in
 * Practice, 2004): semidominators as Lengauer and Tarjan compute them, then
 * the nearest common ancestor of the parent and the semidominator. Objects
 * with one referrer need neither: their parent dominates them.
 *
 * The ancestor is found by climbing, which is less than one step an object in
 * heaps and quadratic at worst; after 8 steps an object the climbs go on over
 * jump pointers (Myers: An applicative random access stack, 1983), which take
 * a logarithm at worst.
 *
 * While one thread evaluates, another looks up the next referrers.
 */
#include "model/graph/depth_first.h"

enum { SEMI_NCA_BYTES = 1 << 20 }; /* at most, besides arrays by number */

/*
 * By number: the number of the immediate dominator; 0 for what roots hold and
 * for the starts among unreachable objects. From the arena, with one more
 * array like it while computing. Overwrites df->parents and df->shared.
 */
uint32_t *semi_nca_compute(struct depth_first *df, struct arena *a,
			   struct error *err) MUST_USE;

#endif
