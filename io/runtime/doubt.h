#ifndef IO_RUNTIME_DOUBT_H
#define IO_RUNTIME_DOUBT_H

/* Why what is read of a runtime may be incomplete: sentences for people. */
#include "io/runtime/runtime.h"

/* Adds a sentence; beyond CLR_DOUBTS_MAX they are dropped. */
void clr_doubt(struct clr_runtime *rt, const char *format, ...)
    PRINTF_LIKE(2, 3);

#endif
