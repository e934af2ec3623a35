#ifndef TUI_APP_JUMPS_H
#define TUI_APP_JUMPS_H

/* Commands that go to a place: a view that is open, a heap, a row. */
#include "tui/app/command.h"

/* A menu of the views that are open, back and forward. */
bool jumps_show(const struct call *call, struct error *err);
/* "2": the types of the second heap. */
bool jumps_to_heap(const struct call *call, struct error *err);
/* "12 3": to the 12th row, with the third on top of the screen. */
bool jumps_to_row(const struct call *call, struct error *err);
/* "12": opens that row of a tree; one that is open stays so. */
bool jumps_unfold_row(const struct call *call, struct error *err);

/* Closes all rows of a tree. */
bool jumps_fold_rows(const struct call *call, struct error *err);
/*
 * "12 300": as many rows right below the 12th, or on top for 0, if there are so
 * many: once, or, as long as a job makes them, again when that has ended. Of
 * more than MORE_ROWS_MAX none.
 */
bool jumps_more_rows(const struct call *call, struct error *err);

/* The file of a heap whose reading was stopped, as one more heap. */
bool jumps_read_again(const struct call *call, struct error *err);

#endif
