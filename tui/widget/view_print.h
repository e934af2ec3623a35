#ifndef TUI_WIDGET_VIEW_PRINT_H
#define TUI_WIDGET_VIEW_PRINT_H

/* Prints a view's rows with its heading and sum, through the table writers. */
#include "model/table/table_writer.h"
#include "tui/widget/view.h"

/* `columns` as in column_choice.h; NULL: the format's own. Prints all rows; set rows_max for
   fewer. */
bool view_print_init(struct table_writer *t, const struct view *v, enum table_format format,
		     const char *columns, struct error *err) MUST_USE;
/* See table_writer_fit(). */
void view_print_fit(struct table_writer *t, const struct view *v, int line_max, char *out,
		    size_t out_size);
/* See table_writer_print(). */
uint64_t view_print(FILE *to, const struct table_writer *t, const struct view *v);

#endif
