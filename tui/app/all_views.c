#include "tui/app/views.h"

#define VIEW_ADDRESS(v) &v,
const struct view_ops *const all_views[] = { VIEWS(VIEW_ADDRESS) NULL };
