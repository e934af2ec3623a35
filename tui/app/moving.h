#ifndef TUI_APP_MOVING_H
#define TUI_APP_MOVING_H

/* Commands that move the selection. One that moves nothing says why. */
#include "tui/widget/call.h"

bool moving_down(const struct call *call, struct error *err);
bool moving_up(const struct call *call, struct error *err);
bool moving_page_down(const struct call *call, struct error *err);
bool moving_page_up(const struct call *call, struct error *err);
bool moving_half_down(const struct call *call, struct error *err);
bool moving_half_up(const struct call *call, struct error *err);
bool moving_first(const struct call *call, struct error *err);
bool moving_last(const struct call *call, struct error *err);
/* A tree opens and closes, long names move. */
bool moving_left(const struct call *call, struct error *err);
bool moving_right(const struct call *call, struct error *err);

#endif
