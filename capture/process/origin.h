#ifndef CAPTURE_PROCESS_ORIGIN_H
#define CAPTURE_PROCESS_ORIGIN_H

/* Where a process runs, as /proc shows it: machine, pod, container. Reading its environment needs
   the same rights as a capture. */
#include "capture/process/process.h"
#include "model/heap/origin.h"

/* Fills in what is known now, with the present time. */
void process_origin(struct heap_origin *o, const struct process *p, const char *proc);
/* Takes the present time, to the nanosecond, for that of the heap. */
void process_origin_now(struct heap_origin *o);

#endif
