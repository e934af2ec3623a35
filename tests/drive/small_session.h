#ifndef TESTS_DRIVE_SMALL_SESSION_H
#define TESTS_DRIVE_SMALL_SESSION_H

/* A session for fuzz targets: two hundred objects of three types, in two generations, with
   everything computed. Never NULL. */
#include "tui/session/session.h"

struct session *small_session(void);
/* Its heap, with nothing computed. NULL sets `err`. */
const struct heap *small_heap(struct error *err);

#endif
