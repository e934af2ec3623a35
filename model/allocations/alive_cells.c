#include "model/allocations/alive_cells.h"
#include "model/base/duration.h"
#include "model/base/format.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

static const struct allocation_facts *
facts_of(const struct cells *in)
{
	const struct allocation_rows *rows = in->rows;

	return &rows->of->facts;
}

static const struct allocation_alive *
alive_of(const struct cells *in, const struct row *row)
{
	const struct allocation_rows *rows = in->rows;

	return &rows->items[row->data].alive;
}

static bool
is_followed(const struct cells *in)
{
	return facts_of(in)->survival.collections > 0;
}

static uint64_t
rounded(double value)
{
	return value > 0 ? (uint64_t)(value + 0.5) : 0;
}

/* ---- bytes and objects alive ----------------------------------------------
 */

void
cell_alive_text(const struct cells *in, const struct row *row,
		struct value *out)
{
	const struct allocation_alive *a = alive_of(in, row);
	struct allocation_interval i = allocation_bytes_interval(&a->sum);
	bool is_rough = facts_of(in)->is_random && a->sum.samples &&
			a->sum.samples < ALLOCATION_SAMPLES_MIN;
	char text[FORMAT_BYTES];

	if (!is_followed(in))
		value_blank(out);
	else if (is_rough)
		value_printf(out, STYLE_DIM, "< %s",
			     format_size(rounded(i.high), text));
	else
		value_printf(out, STYLE_NUMBER, "%s",
			     format_size(rounded(a->sum.bytes), text));
}

void
cell_alive(const struct cells *in, const struct row *row, unsigned at,
	   struct value *out)
{
	const struct allocation_alive *a = alive_of(in, row);
	struct allocation_interval i = allocation_bytes_interval(&a->sum);
	bool is_limit = at == ALIVE_LOW || at == ALIVE_HIGH;

	if (!is_followed(in) || (is_limit && !facts_of(in)->is_random))
		value_blank(out);
	else if (at == ALIVE_OBJECTS)
		value_count(out, rounded(a->sum.objects));
	else
		value_bytes(out, rounded(at == ALIVE_LOW    ? i.low
					 : at == ALIVE_HIGH ? i.high
							    : a->sum.bytes));
}

void
cell_unconfirmed(const struct cells *in, const struct row *row,
		 struct value *out)
{
	const struct allocation_alive *a = alive_of(in, row);

	if (!is_followed(in) || !a->sum.samples)
		value_blank(out);
	else
		value_share(out, rounded(a->unconfirmed_bytes),
			    rounded(a->sum.bytes));
}

/* ---- age ------------------------------------------------------------------
 */

/* False: nothing is alive. */
static bool
age_of(const struct cells *in, const struct row *row, uint64_t *ns)
{
	const struct allocation_alive *a = alive_of(in, row);
	uint64_t now = facts_of(in)->time_ns;

	*ns = a->oldest_ns < now ? now - a->oldest_ns : 0;
	return a->sum.samples > 0;
}

void
cell_age_text(const struct cells *in, const struct row *row, struct value *out)
{
	char text[DURATION_BYTES];
	uint64_t ns;

	if (age_of(in, row, &ns))
		value_printf(out, STYLE_NUMBER, "%s",
			     duration_text((double)ns / 1e9, text));
	else
		value_blank(out);
}

void
cell_age(const struct cells *in, const struct row *row, struct value *out)
{
	uint64_t ns;

	if (age_of(in, row, &ns))
		value_duration(out, ns);
	else
		value_blank(out);
}

/* ---- growth ---------------------------------------------------------------
 */

static struct allocation_growth
growth_of(const struct cells *in, const struct row *row)
{
	return allocation_growth(&facts_of(in)->survival.points,
				 alive_of(in, row));
}

void
cell_growth(const struct cells *in, const struct row *row, unsigned at,
	    struct value *out)
{
	struct allocation_growth g = growth_of(in, row);
	double bytes = at == GROWTH_LOW    ? g.low
		       : at == GROWTH_HIGH ? g.high
					   : g.bytes;

	if (!g.is_known) {
		value_blank(out);
		return;
	}
	value_change_bytes(out, rounded(-bytes), rounded(bytes));
	if (g.low <= 0 && g.high >= 0)
		out->style = STYLE_DIM; /* perhaps none */
}

void
cell_growth_error(const struct cells *in, const struct row *row,
		  struct value *out)
{
	struct allocation_growth g = growth_of(in, row);
	char text[FORMAT_BYTES];

	if (!g.is_known || g.high <= g.bytes)
		value_blank(out);
	else
		value_printf(out, STYLE_DIM, "±%s",
			     format_size(rounded(g.high - g.bytes), text));
}

/* ---- sentences ------------------------------------------------------------
 */

/* Writes "gen2 118, 3 min ago". */
static void
judge_text(const struct allocation_facts *f, const struct allocation_judge *j,
	   char *text, size_t text_size)
{
	uint64_t ns = j->time_ns < f->time_ns ? f->time_ns - j->time_ns : 0;
	char ago[DURATION_BYTES];

	snprintf(text, text_size, "gen%u %" PRIu32 ", %s ago",
		 (unsigned)j->generation, j->number,
		 duration_text((double)ns / 1e9, ago));
}

bool
allocations_alive_text(const struct allocations *a,
		       char text[ALLOCATION_TEXT_BYTES])
{
	const struct allocation_facts *f = &a->facts;
	const struct allocation_survival *s = &f->survival;
	char bytes[FORMAT_BYTES], share[FORMAT_BYTES], gen2[64], latest[64];
	bool is_gen2_latest = s->latest.number == s->gen2.number;

	if (!s->collections) {
		snprintf(text, ALLOCATION_TEXT_BYTES,
			 "no collection has reported survivors: what stays "
			 "alive is unknown");
		return f->total.samples > 0;
	}
	judge_text(f, &s->gen2, gen2, sizeof gen2);
	judge_text(f, &s->latest, latest, sizeof latest);
	format_size(rounded(a->alive.sum.bytes), bytes);
	format_share(rounded(a->alive.unconfirmed_bytes),
		     rounded(a->alive.sum.bytes), share);
	if (!s->gen2_collections)
		snprintf(text, ALLOCATION_TEXT_BYTES,
			 "about %s are alive as of %s; old objects wait for a "
			 "gen2 collection",
			 bytes, latest);
	else
		snprintf(text, ALLOCATION_TEXT_BYTES,
			 "about %s are alive as of %s%s%s; %s unconfirmed",
			 bytes, gen2, is_gen2_latest ? "" : ", young ones of ",
			 is_gen2_latest ? "" : latest, share);
	return true;
}

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
	if (s->gen2_collections < ALLOCATION_POINTS_MIN) {
		snprintf(text, ALLOCATION_TEXT_BYTES,
			 "warming up: %" PRIu64 " of %d gen2 collections that "
			 "show whether live bytes rise",
			 s->gen2_collections, ALLOCATION_POINTS_MIN);
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
			 format_size(rounded(g.bytes), bytes),
			 format_size(rounded(g.low), low),
			 format_size(rounded(g.high), high));
	else
		snprintf(text, ALLOCATION_TEXT_BYTES,
			 "no %s has live bytes that rise more than chance "
			 "explains",
			 rows->grouping == ALLOCATIONS_BY_TYPE ? "type"
							       : "site");
	return true;
}
