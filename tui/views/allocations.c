/*
 * The allocations of a process while it was recorded, by site or by type. The
 * recording is made before the view opens: heaptop -b allocations PID.
 */
#include "model/allocations/rows.h"
#include "tui/session/session.h"
#include "tui/widget/view.h"
#include <string.h>

struct allocations_state {
	struct allocation_rows rows; /* must be first: the cells read it */
};

static void
row_of_item(const struct view *v, uint32_t item, struct row *out)
{
	(void)v;
	*out = row_of(ROW_PLAIN);
	out->data = out->key = item;
}

static bool
allocations_open(struct view *v, struct error *err)
{
	const struct allocations *a = v->session->allocations;
	bool is_by_type = !strcmp(v->target.topic, "types");
	struct allocations_state *state =
	    arena_new(&v->arena, struct allocations_state, err);

	v->state = state;
	if (!state)
		return false;
	if (!a)
		return error_set(err, ERROR_USAGE,
				 "allocations are recorded by: heaptop -b "
				 "allocations --for 30s PID");
	snprintf(v->title, sizeof v->title, "allocations %s",
		 is_by_type ? "types" : "sites");
	return allocation_rows_make(
	    &state->rows, a,
	    is_by_type ? ALLOCATIONS_BY_TYPE : ALLOCATIONS_BY_SITE, err);
}

static void
allocations_close(struct view *v)
{
	struct allocations_state *state = v->state;

	if (state)
		allocation_rows_clear(&state->rows);
}

static bool
allocations_rows(struct view *v, struct error *err)
{
	const struct allocations_state *state = v->state;
	uint32_t *shown = view_all_items(state->rows.count, err);

	return shown && view_show_items(v, shown, state->rows.count, err);
}

static bool
allocations_heading(const struct view *v, unsigned line, struct value *out)
{
	char text[ALLOCATION_TEXT_BYTES];

	if (!allocations_text(v->session->allocations, line, text))
		return false;
	value_printf(out, line ? STYLE_WARNING : STYLE_DIM, "%s", text);
	return true;
}

static const struct view_code allocations_code = {
	.open = allocations_open,
	.close = allocations_close,
	.rows = allocations_rows,
	.item_row = row_of_item,
	.heading = allocations_heading,
};

const struct view_ops view_allocations = {
	.command = { .name = "allocations",
		     .args = { MAY_BE(NULL, WORDS("sites", "types")) },
		     .help = "what a process or trace allocates, by site or by "
			     "type; -b only" },
	.table = &allocations_table,
	.words = { .no_rows = "no allocation was sampled; --for 5m records "
			      "longer, and :processes lists other programs" },
	.list = { .flags = VIEW_WITHOUT_HEAP, .sort = "bytes" },
	.code = &allocations_code,
};
