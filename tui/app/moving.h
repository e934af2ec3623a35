#ifndef TUI_APP_MOVING_H
#define TUI_APP_MOVING_H

/* Commands that move the selection, or show why it cannot move. */
#include "tui/widget/call.h"

bool moving_down(const struct call *call, struct error *err);
bool moving_up(const struct call *call, struct error *err);
bool moving_page_down(const struct call *call, struct error *err);
bool moving_page_up(const struct call *call, struct error *err);
bool moving_half_down(const struct call *call, struct error *err);
bool moving_half_up(const struct call *call, struct error *err);
bool moving_first(const struct call *call, struct error *err);
bool moving_last(const struct call *call, struct error *err);
/* Folds or unfolds a row of a tree, or scrolls long names. */
bool moving_left(const struct call *call, struct error *err);
bool moving_right(const struct call *call, struct error *err);

#endif
