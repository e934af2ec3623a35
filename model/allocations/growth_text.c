#include "model/allocations/growth_text.h"
#include "model/base/format.h"
#include <inttypes.h>

/* Returns the row whose live bytes rise most, even at the lower limit; NULL:
   none does. */
static const struct allocation_row *
find_rising(const struct allocation_rows *rows, struct allocation_growth *most)
{
	const struct allocation_points *points =
	    &rows->of->facts.survival.points;
	const struct allocation_row *found = NULL;

	for (uint32_t i = 0; i < rows->count; i++) {
		struct allocation_growth g =
		    allocation_growth(points, &rows->items[i].alive);

		if (!g.is_known || g.low <= 0 || (found && g.low <= most->low))
			continue;
		found = &rows->items[i];
		*most = g;
	}
	return found;
}

bool
allocation_rows_growth_text(const struct allocation_rows *rows,
			    char text[ALLOCATION_TEXT_BYTES])
{
	const struct allocation_survival *s = &rows->of->facts.survival;
	struct allocation_growth g = { 0 };
	const struct allocation_row *row;
	const char *name;
	char bytes[FORMAT_BYTES], low[FORMAT_BYTES], high[FORMAT_BYTES];

	if (!s->collections)
		return false;
	if (s->points.count < ALLOCATION_POINTS_MIN) {
		snprintf(text, ALLOCATION_TEXT_BYTES,
			 "warming up: %" PRIu32 " of %d gen2 collections that "
			 "show whether live bytes rise",
			 s->points.count, ALLOCATION_POINTS_MIN);
		return true;
	}
	row = find_rising(rows, &g);
	name = row ? allocation_row_name(rows, (uint32_t)(row - rows->items))
		   : NULL;
	if (row)
		snprintf(text, ALLOCATION_TEXT_BYTES,
			 "live bytes rise most at %.80s: about %s a minute (%s "
			 "to %s)",
			 name ? name : "(without a stack)",
			 format_size(allocation_rounded(g.bytes), bytes),
			 format_size(allocation_rounded(g.low), low),
			 format_size(allocation_rounded(g.high), high));
	else
		snprintf(text, ALLOCATION_TEXT_BYTES,
			 "no %s has live bytes that rise more than chance "
			 "explains",
			 rows->grouping == ALLOCATIONS_BY_TYPE ? "type"
							       : "site");
	return true;
}
