#ifndef TUI_TABLES_OBJECT_COMMANDS_H
#define TUI_TABLES_OBJECT_COMMANDS_H

/* Commands about the object of the selected row, for lists of objects. */
#include "model/table/object_columns.h"
#include "tui/widget/view.h"

/* Commands that open the views `inspect` and `fields` about the selected row's object. */
bool object_inspect(const struct call *call, struct error *err);
bool object_fields(const struct call *call, struct error *err);

/* A command of lists: Enter opens the inspector. */
#define OBJECT_INSPECT(its_help)                                                                   \
	{                                                                                          \
		"enter", "Enter", "inspect", its_help, .run = object_inspect,                      \
						       .replay = REPLAY_ROWS                       \
	}

/* A command that shows each object's address only. */
#define OBJECT_SHORT                                                                               \
	{                                                                                          \
		"short", "", "", "only addresses, as text without titles", .run = object_short     \
	}
bool object_short(const struct call *call, struct error *err);

#endif
