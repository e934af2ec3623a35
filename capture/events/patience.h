#ifndef CAPTURE_EVENTS_PATIENCE_H
#define CAPTURE_EVENTS_PATIENCE_H

/*
 * Limits on how long a capture waits for a runtime and how many bytes it takes: an endless stream
 * would never return, and fill the disk that keeps it.
 */
#include "model/base/error.h"

/* One look at a target and its stream. */
struct patience_signs {
	uint64_t bytes;         /* received so far */
	uint64_t walked;        /* objects, references and roots decoded */
	uint64_t cpu_ticks;     /* of the target */
	uint64_t private_bytes; /* of the target */
	char state;             /* proc_stat.state */
	bool waits;             /* see capture/process/pulse.h */
	int32_t waits_for;      /* a thread; 0: unknown */
};

struct patience {
	struct patience_signs last;
	int64_t looked_ns;  /* when `last` was taken */
	int64_t moved_ns;   /* the last sign of life: bytes, objects or CPU */
	int64_t bytes_ns;   /* the last bytes */
	int64_t useless_ns; /* time with bytes, but no objects */
	uint64_t private_most;
};

/* The time without bytes, up to the last look. */
int64_t patience_silent_ms(const struct patience *p);
void patience_begin(struct patience *p, uint64_t private_bytes);
/* False sets `err`: waiting for `who` any longer is hopeless. */
bool patience_look(struct patience *p, const struct patience_signs *now, const char *who,
		   struct error *err) MUST_USE;

#endif
