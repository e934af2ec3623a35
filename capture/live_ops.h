#ifndef CAPTURE_LIVE_OPS_H
#define CAPTURE_LIVE_OPS_H

/* What the screen may do with processes: see model/live.h. */
#include "model/live.h"

extern const struct live_ops capture_live_ops;

#endif
