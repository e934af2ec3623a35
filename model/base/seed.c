#include "model/base/seed.h"
#include <pthread.h>
#include <sys/random.h>
#include <time.h>

static uint64_t seed; /* written once */

static void
seed_make(void)
{
	struct timespec now;

	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) == sizeof(seed))
		return;
	/* The system has no randomness yet, early after boot: use the time. */
	clock_gettime(CLOCK_MONOTONIC, &now);
	seed = (uint64_t)now.tv_nsec * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)(uintptr_t)&now;
}

uint64_t
seed_random(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, seed_make);
	return seed;
}
