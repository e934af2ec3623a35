#include "tui/app/tables.h"
#include "tui/app/command.h"
#include "tui/app/views.h"

#define VIEW_ADDRESS(v) &v,
static const struct view_ops *const views[] = { VIEWS(VIEW_ADDRESS) NULL };

void
tables_hand_in(void)
{
	all_views = views;
	commands_global = command_table;
}
