#include "model/allocations/alive_cells.h"
#include "model/base/duration.h"
#include "model/base/format.h"
#include "model/base/less.h"
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

/* ---- bytes and objects alive ----------------------------------------------
 */

void
cell_alive_text(const struct cells *in, const struct row *row, struct value *out)
{
	const struct allocation_alive *a = alive_of(in, row);
	struct allocation_interval i = allocation_bytes_interval(&a->sum);
	bool is_rough =
	    facts_of(in)->is_random && a->sum.samples && a->sum.samples < ALLOCATION_SAMPLES_MIN;
	char text[FORMAT_BYTES];

	if (!is_followed(in))
		value_blank(out);
	else if (is_rough)
		value_printf(out, STYLE_DIM, "< %s", format_size(allocation_rounded(i.high), text));
	else
		value_printf(out, STYLE_NUMBER, "%s",
			     format_size(allocation_rounded(a->sum.bytes), text));
}

void
cell_alive(const struct cells *in, const struct row *row, unsigned at, struct value *out)
{
	const struct allocation_alive *a = alive_of(in, row);
	struct allocation_interval i = allocation_bytes_interval(&a->sum);
	bool is_limit = at == ALIVE_LOW || at == ALIVE_HIGH;

	if (!is_followed(in) || (is_limit && !facts_of(in)->is_random))
		value_blank(out);
	else if (at == ALIVE_OBJECTS)
		value_count(out, allocation_rounded(a->sum.objects));
	else
		value_bytes(out, allocation_rounded(at == ALIVE_LOW    ? i.low
						    : at == ALIVE_HIGH ? i.high
								       : a->sum.bytes));
}

void
cell_unconfirmed(const struct cells *in, const struct row *row, struct value *out)
{
	const struct allocation_alive *a = alive_of(in, row);

	if (!is_followed(in) || !a->sum.samples)
		value_blank(out);
	else
		value_share(out, allocation_rounded(a->unconfirmed_bytes),
			    allocation_rounded(a->sum.bytes));
}

void
cell_unknown(const struct cells *in, const struct row *row, struct value *out)
{
	if (!is_followed(in))
		value_blank(out);
	else
		value_bytes(out, allocation_rounded(alive_of(in, row)->unknown_bytes));
}

/* ---- age ------------------------------------------------------------------
 */

/* False: nothing is alive. */
static bool
age_of(const struct cells *in, const struct row *row, uint64_t *ns)
{
	const struct allocation_alive *a = alive_of(in, row);
	uint64_t now = facts_of(in)->survival.now_ns;

	*ns = a->oldest_ns < now ? now - a->oldest_ns : 0;
	return a->sum.samples > 0;
}

void
cell_age_text(const struct cells *in, const struct row *row, struct value *out)
{
	char text[DURATION_BYTES];
	uint64_t ns;

	if (age_of(in, row, &ns))
		value_printf(out, STYLE_NUMBER, "%s", duration_text((double)ns / 1e9, text));
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
	return allocation_growth(&facts_of(in)->survival.points, alive_of(in, row));
}

void
cell_growth(const struct cells *in, const struct row *row, unsigned at, struct value *out)
{
	struct allocation_growth g = growth_of(in, row);
	double bytes = at == GROWTH_LOW ? g.low : at == GROWTH_HIGH ? g.high : g.bytes;

	if (!g.is_known) {
		value_blank(out);
		return;
	}
	value_change_bytes(out, allocation_rounded(-bytes), allocation_rounded(bytes));
	if (g.low <= 0 && g.high >= 0)
		out->style = STYLE_DIM; /* perhaps none */
}

void
cell_growth_error(const struct cells *in, const struct row *row, struct value *out)
{
	struct allocation_growth g = growth_of(in, row);
	char text[FORMAT_BYTES];

	if (!g.is_known || g.high <= g.bytes)
		value_blank(out);
	else
		value_printf(out, STYLE_DIM, "±%s",
			     format_size(allocation_rounded(g.high - g.bytes), text));
}
