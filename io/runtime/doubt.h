#ifndef IO_RUNTIME_DOUBT_H
#define IO_RUNTIME_DOUBT_H

/* Collects sentences on why data read from a runtime may be incomplete. */
#include "model/base/arena.h"

enum { CLR_DOUBTS_MAX = 8 };

struct clr_doubts {
	struct arena *arena;               /* of the texts */
	const char *texts[CLR_DOUBTS_MAX]; /* sentences for users */
	size_t count;
};

/* Adds a sentence; ignored once there are CLR_DOUBTS_MAX. */
void clr_doubt(struct clr_doubts *doubts, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
