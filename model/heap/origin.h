#ifndef MODEL_HEAP_ORIGIN_H
#define MODEL_HEAP_ORIGIN_H

/* Where a heap was captured: the program, the machine, the container. */
#include "model/heap/build.h"

/* The program and the place of a process, which the system shows when its heap is captured. A text
   is "" if it is unknown. */
struct heap_origin {
	char program[64];
	char machine[256];
	char pod[256];
	char container[65];
	int64_t time;     /* seconds since 1970, UTC; 0: unknown */
	uint32_t time_ns; /* and nanoseconds; 0: only the second is known */
};
/* Copies it into the heap_info of a heap that is being built. The time is that of the events, if
   the heap comes from events. */
bool heap_origin_record(struct heap_builder *b, const struct heap_origin *o,
			struct error *err) MUST_USE;

/*
 * Write an id of the capture, a hash in hexadecimal digits of what every format can hold: machine,
 * process, time and totals. It does not depend on the name or format of the file, nor on whether
 * more than the types was read.
 */
enum { HEAP_ID_BYTES = 17 };
void heap_id(const struct heap *h, char id[HEAP_ID_BYTES]);

#endif
