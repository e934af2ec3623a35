#ifndef MODEL_ALLOCATIONS_ALIVE_H
#define MODEL_ALLOCATIONS_ALIVE_H

/*
 * How much of what was allocated is still alive, and how fast that grows.
 *
 * A sample counts as alive if the last collection that judged it did not find it dead
 * (model/allocations/survived.h). New samples wait for their first collection. Unknown ones are
 * summed apart, but counted in the growth: few of them are dead, and a leak of pinned objects is
 * all unknown.
 *
 * Growth is measured between collections of generation 2, background or not: in between, garbage in
 * generation 2 still counts. Samples come and go one by one, so live bytes are taken as a random
 * walk with a drift, which is the growth: (last - first) / time. Its variance is that of a step a
 * second, / time. That of a step is first expected from the number of samples that came or went,
 * each of which stands for the same bytes (p), then seen in how the steps d between collections t
 * apart differ (s):
 *
 *   p = bytes of a sample * bytes that came or went / seconds
 *   s = sum((d - growth t)^2 / t) / (steps - 1)
 *
 * They are averaged by their degrees of freedom, p with PRIOR_STEPS, for a few steps say little
 * about their variance; the sum of these is that of Student's distribution for the interval. So
 * objects that come and go together, as of a cache that is emptied, widen it. (The residuals of a
 * fitted line are not independent, as each value contains the one before, and would promise too
 * small an error.)
 *
 * Only objects that were allocated during the recording are followed, so live bytes of every
 * program rise at first. Therefore growth is unknown before three collections of generation 2, and
 * leaves the first third of them out when there are more. The same holds when all samples were lost
 * and others are followed. Objects that live longer than the recording look like growth.
 */
#include "model/allocations/estimate.h"

enum {
	ALLOCATION_POINTS = 16,
	ALLOCATION_POINTS_MIN = 3, /* for growth to be known */
};

/*
 * The collections of generation 2 at which live bytes are noted. When all points are taken every
 * second one is dropped, and from then on half as many are kept, so that they always span the whole
 * recording. The last one is always the latest collection.
 */
struct allocation_points {
	double seconds[ALLOCATION_POINTS]; /* since the recording began */
	double began;                      /* when samples were followed anew; or 0 */
	uint32_t count;
	uint32_t stride; /* collections from one point to the next */
	uint32_t taken;  /* collections since the point before the last */
};

/* Live samples of one cell, row or recording. */
struct allocation_alive {
	struct allocation_sum sum;
	/* Part of the sum: only a background collection has found them. */
	double unconfirmed_bytes;
	/* Not part of it: another object may lie in their place. */
	double unknown_bytes;
	uint64_t oldest_ns;                /* its time since the recording began, if any */
	float bytes_at[ALLOCATION_POINTS]; /* by point */
	/* Bytes that came or went from collection to collection until the last point. */
	double turnover_bytes;
};

/* A collection that has judged samples. */
struct allocation_judge {
	uint32_t number;
	uint8_t generation;
	uint64_t time_ns; /* since the recording began */
};

/* How far samples were followed through collections. */
struct allocation_survival {
	uint64_t collections; /* that judged; 0: nothing is known */
	uint64_t gen2_collections;
	struct allocation_judge latest, gen2; /* the last ones */
	uint64_t dead_samples;
	uint64_t lost_samples; /* neither alive nor dead */
	/* When this was known: since the recording began, even if sums have been counted anew
	   since. */
	uint64_t now_ns;
	struct allocation_points points;
};

struct allocation_growth {
	bool is_known;           /* false: warming up */
	double bytes, low, high; /* a minute; 95 % interval */
};

/* Makes room for one more point, and says which it is. `dropped`: first call
   allocation_alive_drop_points() for everything that has them. */
uint32_t allocation_points_next(struct allocation_points *p, double seconds, bool *dropped);
void allocation_alive_drop_points(struct allocation_alive *a);
void allocation_alive_merge(struct allocation_alive *to, const struct allocation_alive *from);
struct allocation_growth allocation_growth(const struct allocation_points *p,
					   const struct allocation_alive *a);

#endif
