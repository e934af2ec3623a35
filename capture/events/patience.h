#ifndef CAPTURE_EVENTS_PATIENCE_H
#define CAPTURE_EVENTS_PATIENCE_H

/*
 * How long a capture waits for a runtime, and how much of a stream it takes: a
 * stream without end would hold it for ever, and fill the disk where it is
 * kept.
 */
#include "model/base/error.h"

/* At one look. */
struct patience_signs {
	uint64_t bytes;         /* that came */
	uint64_t walked;        /* objects, references and roots among them */
	uint64_t cpu_ticks;     /* of the target */
	uint64_t private_bytes; /* of the target */
	char state;             /* proc_stat.state */
};

struct patience {
	struct patience_signs last;
	int64_t looked_ns;
	int64_t moved_ns;   /* bytes, objects or work: the last sign of life */
	int64_t bytes_ns;   /* the last bytes */
	int64_t useless_ns; /* for so long bytes came that are no walk */
	uint64_t private_most;
};

void patience_begin(struct patience *p, uint64_t private_bytes);
/* False sets `err`: it is not worth waiting for `who` any longer. */
bool patience_look(struct patience *p, const struct patience_signs *now,
		   const char *who, struct error *err) MUST_USE;

#endif
