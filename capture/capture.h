#ifndef CAPTURE_CAPTURE_H
#define CAPTURE_CAPTURE_H

/* Lists and captures live processes for the screen; see model/heap/live.h. */
#include "model/heap/live.h"

extern const struct live_ops capture_live_ops;

#endif
