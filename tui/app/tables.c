#include "tui/app/tables.h"
#include "tui/app/command.h"
#include "tui/app/views.h"
#include "model/sql/snapshot_table.h"
#include "model/sql/sql.h"
#include "model/table/filter.h"

#define VIEW_ADDRESS(v) &v,
static const struct view_ops *const views[] = { VIEWS(VIEW_ADDRESS) NULL };

/* The tables of `views`, in the same order; ends with NULL. */
static const struct table *tables[sizeof views / sizeof views[0]];

/* The same for queries, which have one more. */
static const struct table *queried[sizeof views / sizeof views[0] + 1];

void
tables_hand_in(void)
{
	for (size_t i = 0; views[i]; i++)
		queried[i + 1] = tables[i] = views[i]->table;
	queried[0] = &snapshot_table;
	all_views = views;
	commands_global = command_table;
	filter_set_tables(tables);
	sql_set_tables(queried);
}
