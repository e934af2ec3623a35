#include "model/table/listing.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* --- columns ------------------------------------------------------------- */

bool
listing_has_generations(const struct listing *l)
{
	return l->facts.heap && l->facts.heap->generation_counts;
}

static bool
is_from_memory(const struct listing *l)
{
	return l->facts.heap && l->facts.heap->memory;
}

static bool
is_compared(const struct listing *l)
{
	return l->facts.is_new || l->facts.is_gone;
}

/* Returns why the column is empty in this listing for any heap; NULL: it is not. */
static const char *
empty_here(const struct listing *l, const struct column *c)
{
	return l->unavailable && column_is_in(c, l->unavailable) ? l->unavailable_why : NULL;
}

const char *
listing_unavailable(const struct listing *l, const struct column *c)
{
	const struct heap *h = l->facts.heap;
	const char *why = empty_here(l, c);

	if (why || !h)
		return why;
	if (c->flags & COLUMN_RANGES && !h->generation_counts)
		return "this heap does not record the generations of objects";
	if (c->flags & COLUMN_MEMORY && !h->memory)
		return "this heap does not have it; only cores, and processes opened with -m, do";
	if (c->flags & COLUMN_CAPTURE && h->memory)
		return "memory does not have it; only event captures and gcdumps do";
	if (c->flags & COLUMN_PAST && !l->facts.before)
		return "it compares the findings of two heaps: findings BEFORE AFTER";
	if (c->flags & COLUMN_SAMPLED && !l->facts.samples)
		return "no recording of allocations was given: --samples FILE.nettrace";
	if (c->flags & COLUMN_COMPARED && !is_compared(l))
		return "this heap has not been compared with another of its "
		       "process; :diff compares";
	return NULL;
}

bool
listing_knows_column(const struct listing *l, const struct column *c, bool for_machines)
{
	if (!for_machines && empty_here(l, c))
		return false;
	if (c->flags & (COLUMN_MEMORY | COLUMN_CAPTURE) &&
	    !(c->flags & COLUMN_MEMORY) == is_from_memory(l))
		return false;
	if (c->flags & COLUMN_COMPARED && !is_compared(l))
		return false;
	if (c->flags & COLUMN_PAST && !l->facts.before)
		return false;
	if (c->flags & COLUMN_SAMPLED && !l->facts.samples)
		return false;
	if (!(c->flags & COLUMN_RANGES) || listing_has_generations(l))
		return true;
	return for_machines && c->flags & COLUMN_BLANK;
}

bool
listing_has_column(const struct listing *l, const struct column *c, bool for_machines)
{
	unsigned hidden = for_machines ? COLUMN_SCREEN : COLUMN_MACHINE;

	return !(c->flags & hidden) && listing_knows_column(l, c, for_machines);
}

/* --- cells --------------------------------------------------------------- */

void
listing_cell(const struct listing *l, const struct column *c, const struct row *row,
	     struct value *out)
{
	const struct cells in = { &l->facts, l->rows };
	bool has_generations = c->flags & COLUMN_RANGES && listing_has_generations(l);

	/* Some files have generations of types but not of objects. */
	if (c->needs & ~l->facts.has && !has_generations)
		value_pending(out);
	else if (c->flags & COLUMN_RANGES && !has_generations)
		value_blank(out);
	else
		table_cell(l->table, &in, c, row, out);
	/* The screen replaces the ? by … if the value is on its way. */
	if (out->kind == VALUE_PENDING)
		out->text = "?";
	if (out->kind == VALUE_BYTES) {
		out->bytes_shown = l->bytes_shown;
		if (l->whole)
			out->whole = l->whole;
	}
	if (l->largest && (out->kind == VALUE_BYTES || out->kind == VALUE_CHANGE_BYTES))
		out->largest = l->largest[c - l->table->columns];
	out->keeps_unit = l->keeps_unit;
}

void
listing_add_below(const struct listing *l, const struct column *c, const struct row *row, char *out,
		  size_t out_size)
{
	/* The column after the name continues its sentence. */
	bool goes_on = c > l->table->columns && c[-1].width == FILL;
	size_t len = strlen(out);
	char room[VALUE_TEXT_BYTES];
	struct value value;
	const char *text;

	listing_cell(l, c, row, &value);
	text = value_for_people(&value, room);
	if (*text && goes_on)
		snprintf(out + len, out_size - len, "%s", text);
	else if (*text)
		snprintf(out + len, out_size - len, "%s%c%s %s", len ? ", " : "",
			 tolower((unsigned char)*c->title), c->title + 1, text);
}

void
listing_whole_cell(const struct listing *l, const struct column *c, const struct row *row,
		   struct arena *a, struct value *out)
{
	const struct cells in = { &l->facts, l->rows };
	const char *whole;

	listing_cell(l, c, row, out);
	/* A sentence may have another text for searches. */
	if (c->from.source == SOURCE_SENTENCE && out->also)
		return;
	whole = table_whole_text(&in, c, row, a);
	if (!whole)
		return;
	out->also = whole;
	out->is_brief = true;
}
