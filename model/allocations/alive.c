#include "model/allocations/alive.h"
#include <math.h>
#include <stddef.h>

static void
drop_every_second(float *values)
{
	for (size_t i = 0; i < ALLOCATION_POINTS / 2; i++)
		values[i] = values[2 * i];
	for (uint32_t i = ALLOCATION_POINTS / 2; i < ALLOCATION_POINTS; i++)
		values[i] = 0;
}

void
allocation_alive_drop_points(struct allocation_alive *a)
{
	drop_every_second(a->bytes_at);
}

uint32_t
allocation_points_next(struct allocation_points *p, double seconds, bool *dropped)
{
	*dropped = false;
	if (!p->stride)
		p->stride = 1;
	if (p->count > 1 && p->taken < p->stride) {
		p->taken++;
		p->seconds[p->count - 1] = seconds;
		return p->count - 1;
	}
	if (p->count == ALLOCATION_POINTS) {
		*dropped = true;
		p->count /= 2;
		p->stride *= 2;
		for (size_t i = 0; i < p->count; i++)
			p->seconds[i] = p->seconds[2 * i];
	}
	p->taken = 1;
	p->seconds[p->count] = seconds;
	return p->count++;
}

void
allocation_alive_merge(struct allocation_alive *to, const struct allocation_alive *from)
{
	if (from->sum.samples && (!to->sum.samples || from->oldest_ns < to->oldest_ns))
		to->oldest_ns = from->oldest_ns;
	allocation_sum_merge(&to->sum, &from->sum);
	to->unconfirmed_bytes += from->unconfirmed_bytes;
	to->unknown_bytes += from->unknown_bytes;
	to->turnover_bytes += from->turnover_bytes;
	for (uint32_t i = 0; i < ALLOCATION_POINTS; i++)
		to->bytes_at[i] += from->bytes_at[i];
}

enum { PRIOR_STEPS = 4 };

/* Student's 97.5 % points, by degrees of freedom from PRIOR_STEPS + 1. */
static double
student(uint32_t freedom)
{
	static const double points[] = { 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201,
					 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101 };
	enum { COUNT = sizeof(points) / sizeof(points[0]) };
	uint32_t at = freedom - PRIOR_STEPS - 1;

	return points[at < COUNT ? at : COUNT - 1];
}

/* The variance of a step of one second that the number of samples predicts; of one sample at least
   in `time`. */
static double
expected_variance(const struct allocation_points *p, const struct allocation_alive *a, double time)
{
	double each =
	    a->sum.samples ? a->sum.bytes / (double)a->sum.samples : ALLOCATION_MEAN_BYTES;
	double turnover = a->turnover_bytes / (p->seconds[p->count - 1] - p->began);

	return each * fmax(turnover, each / time);
}

/* The sum of squares of the steps' differences from their mean. */
static double
sum_squares(const struct allocation_points *p, const struct allocation_alive *a, uint32_t first,
	    double growth)
{
	double sum = 0;

	for (uint32_t i = first; i + 1 < p->count; i++) {
		double t = p->seconds[i + 1] - p->seconds[i];
		double d = (double)a->bytes_at[i + 1] - (double)a->bytes_at[i] - growth * t;

		if (t > 0)
			sum += d * d / t;
	}
	return sum;
}

struct allocation_growth
allocation_growth(const struct allocation_points *p, const struct allocation_alive *a)
{
	struct allocation_growth g = { 0 };
	uint32_t most = p->count - ALLOCATION_POINTS_MIN, last = p->count - 1;
	uint32_t first = p->count / 3, freedom;
	double time, growth, variance, error;

	if (p->count < ALLOCATION_POINTS_MIN)
		return g;
	first = first < most ? first : most;
	time = p->seconds[last] - p->seconds[first];
	if (!(time > 0))
		return g;
	growth = ((double)a->bytes_at[last] - (double)a->bytes_at[first]) / time;
	freedom = PRIOR_STEPS + last - first - 1;
	variance =
	    (PRIOR_STEPS * expected_variance(p, a, time) + sum_squares(p, a, first, growth)) /
	    freedom;
	error = student(freedom) * sqrt(variance / time);
	g.is_known = true;
	g.bytes = growth * 60;
	g.low = (growth - error) * 60;
	g.high = (growth + error) * 60;
	return g;
}
