#ifndef TUI_JUMPS_H
#define TUI_JUMPS_H

/* Commands that go to a place: a view that is open, a heap, a row. */
#include "tui/command.h"

/* A menu of the views that are open, back and forward. */
bool jumps_show(const struct call *call, struct error *err);
/* "2": the types of the second heap. */
bool jumps_to_heap(const struct call *call, struct error *err);
/* "12 3": to the 12th row, with the third on top of the screen. */
bool jumps_to_row(const struct call *call, struct error *err);
/* "12": opens that row of a tree; one that is open stays so. */
bool jumps_unfold_row(const struct call *call, struct error *err);

/* The number that `heap` takes; 0: it is no heap of a list. */
unsigned jumps_heap_number(const struct session *s);

#endif
