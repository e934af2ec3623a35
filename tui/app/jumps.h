#ifndef TUI_APP_JUMPS_H
#define TUI_APP_JUMPS_H

/* Commands that go to a place: an open view, a heap or a row. */
#include "tui/app/command.h"

/* Opens a menu of the open views, back and forward. */
bool jumps_show(const struct call *call, struct error *err);
/* Runs "heap 2": opens the types of the second heap. */
bool jumps_to_heap(const struct call *call, struct error *err);
/* Runs "row 12 3": selects the 12th row, with the third on top of the screen. */
bool jumps_to_row(const struct call *call, struct error *err);
/* Runs "unfold-row 12" in a tree; has no effect on a row that is open. */
bool jumps_unfold_row(const struct call *call, struct error *err);

/* Folds all rows of a tree. */
bool jumps_fold_rows(const struct call *call, struct error *err);
/*
 * Runs "more-rows 12 300": shows up to 300 rows directly below the 12th, or at the top level for 0.
 * Does so once; while a job is adding rows it has to be run again after the job. Refuses more than
 * MORE_ROWS_MAX.
 */
bool jumps_more_rows(const struct call *call, struct error *err);

/* Runs "open FILE": reads another heap beside the open ones. */
bool jumps_open_file(const struct call *call, struct error *err);
/* Opens the file of a heap again whose reading was stopped. */
bool jumps_read_again(const struct call *call, struct error *err);

#endif
