#ifndef IO_RUNTIME_DOUBT_H
#define IO_RUNTIME_DOUBT_H

/* Reports why data read from a runtime may be incomplete. */
#include "io/runtime/runtime.h"

/* Adds a sentence for users; ignored once there are CLR_DOUBTS_MAX. */
void clr_doubt(struct clr_runtime *rt, const char *format, ...)
    PRINTF_LIKE(2, 3);

#endif
