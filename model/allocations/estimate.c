#include "model/allocations/estimate.h"
#include <math.h>

static void
add(struct allocation_sum *sum, double bytes, double objects)
{
	sum->samples++;
	sum->bytes += bytes;
	sum->objects += objects;
	if (bytes > sum->largest_bytes)
		sum->largest_bytes = bytes;
	if (objects > sum->largest_objects)
		sum->largest_objects = objects;
}

/* The probability with which an object of `s` bytes is sampled. */
static double
chance(double s)
{
	return -expm1(s * log1p(-1.0 / ALLOCATION_MEAN_BYTES));
}

double
allocation_weight(uint64_t size)
{
	double s = size ? (double)size : 1;

	return s / chance(s);
}

void
allocation_sum_add(struct allocation_sum *sum, uint64_t size)
{
	double s = size ? (double)size : 1;
	double p = chance(s);

	add(sum, s / p, 1 / p);
	sum->bytes_variance += s * s * (1 - p) / (p * p);
	sum->objects_variance += (1 - p) / (p * p);
}

void
allocation_sum_add_tick(struct allocation_sum *sum, uint64_t size, uint64_t bytes)
{
	double s = size ? (double)size : 1;
	/* An object larger than the budget stands at least for itself. */
	double all = (double)bytes > s ? (double)bytes : s;

	add(sum, all, size ? all / s : 0);
	sum->unsized += !size;
}

void
allocation_sum_merge(struct allocation_sum *to, const struct allocation_sum *from)
{
	to->samples += from->samples;
	to->unsized += from->unsized;
	to->bytes += from->bytes;
	to->objects += from->objects;
	to->bytes_variance += from->bytes_variance;
	to->objects_variance += from->objects_variance;
	if (from->largest_bytes > to->largest_bytes)
		to->largest_bytes = from->largest_bytes;
	if (from->largest_objects > to->largest_objects)
		to->largest_objects = from->largest_objects;
}

/*
 * From the samples' own variance if there are enough of them. The variance of few says little: then
 * their count is taken as that of a Poisson process, each with the largest weight seen, which errs
 * upwards. The time watched begins and ends between samples, which may be one sample more or less.
 */
static struct allocation_interval
interval(uint64_t samples, double sum, double variance, double largest)
{
	const double z = 1.959964; /* 95 % */
	double n = (double)samples + 1, root;
	struct allocation_interval i;

	if (samples >= ALLOCATION_SAMPLES_MIN) {
		i.low = sum - largest - z * sqrt(variance);
		i.high = sum + largest + z * sqrt(variance);
	} else {
		/* Wilson and Hilferty's approximation of the 97.5 % point. */
		root = 1 - 1 / (9 * n) + z / (3 * sqrt(n));
		i.low = 0;
		i.high = n * root * root * root * largest;
	}
	if (i.low < 0)
		i.low = 0;
	return i;
}

struct allocation_interval
allocation_bytes_interval(const struct allocation_sum *sum)
{
	return interval(sum->samples, sum->bytes, sum->bytes_variance, sum->largest_bytes);
}

struct allocation_interval
allocation_objects_interval(const struct allocation_sum *sum)
{
	return interval(sum->samples, sum->objects, sum->objects_variance, sum->largest_objects);
}

uint64_t
allocation_rounded(double value)
{
	const double most = 9e18;

	return value > 0 ? (uint64_t)(fmin(value, most) + 0.5) : 0;
}
