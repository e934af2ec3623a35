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
allocation_points_next(struct allocation_points *p, double seconds,
		       bool *dropped)
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
allocation_alive_merge(struct allocation_alive *to,
		       const struct allocation_alive *from)
{
	if (from->sum.samples &&
	    (!to->sum.samples || from->oldest_ns < to->oldest_ns))
		to->oldest_ns = from->oldest_ns;
	allocation_sum_merge(&to->sum, &from->sum);
	to->unconfirmed_bytes += from->unconfirmed_bytes;
	for (uint32_t i = 0; i < ALLOCATION_POINTS; i++)
		to->bytes_at[i] += from->bytes_at[i];
}

/* Student's 97.5 % points, by degrees of freedom from 1. */
static double
student(uint32_t freedom)
{
	static const double points[] = { 12.706, 4.303, 3.182, 2.776, 2.571,
					 2.447,  2.365, 2.306, 2.262, 2.228,
					 2.201,  2.179, 2.160, 2.145 };
	enum { COUNT = sizeof(points) / sizeof(points[0]) };

	return points[freedom <= COUNT ? freedom - 1 : COUNT - 1];
}

/* The variance of the net change, from that of the number of samples. */
static double
counting_variance(const struct allocation_alive *a, double change)
{
	double each = a->sum.samples ? a->sum.bytes / (double)a->sum.samples
				     : ALLOCATION_MEAN_BYTES;

	return each * fmax(fabs(change), each);
}

struct allocation_growth
allocation_growth(const struct allocation_points *p,
		  const struct allocation_alive *a)
{
	struct allocation_growth g = { 0 };
	uint32_t most = p->count - ALLOCATION_POINTS_MIN, last = p->count - 1;
	uint32_t first = p->count / 3;
	double time, change, growth, squares = 0, error;

	if (p->count < ALLOCATION_POINTS_MIN)
		return g;
	first = first < most ? first : most;
	time = p->seconds[last] - p->seconds[first];
	if (!(time > 0))
		return g;
	change = (double)a->bytes_at[last] - (double)a->bytes_at[first];
	growth = change / time;
	for (uint32_t i = first; i < last; i++) {
		double t = p->seconds[i + 1] - p->seconds[i];
		double d = (double)a->bytes_at[i + 1] - (double)a->bytes_at[i];

		if (t > 0)
			squares += (d - growth * t) * (d - growth * t) / t;
	}
	error = student(last - first - 1) *
		sqrt(squares / (last - first - 1) / time);
	error =
	    fmax(error, 1.959964 * sqrt(counting_variance(a, change)) / time);
	g.is_known = true;
	g.bytes = growth * 60;
	g.low = (growth - error) * 60;
	g.high = (growth + error) * 60;
	return g;
}
