#ifndef IO_EVENTS_RECORDED_EVENTS_H
#define IO_EVENTS_RECORDED_EVENTS_H

/* Counts the events of a trace by kind (model/gc/recorded.h). */
#include "io/events/nettrace.h"
#include "model/gc/recorded.h"

void recorded_take(struct recorded *r, const struct nettrace_event *event);

#endif
