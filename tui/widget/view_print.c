#include "tui/widget/view_print.h"
#include "tui/session/snapshots.h"

/* --- what the writers ask for --------------------------------------------- */

static bool
shows(const void *context, const struct column *c, bool for_machines)
{
	const struct view *v = context;

	return view_has_column(v, c, for_machines || v->ops->list.flags & VIEW_PLAIN);
}

static bool
sentence_before(const void *context, unsigned line, struct value *out)
{
	const struct view *v = context;

	return v->ops->list.flags & VIEW_PRINTS_HEADING && line < HEADING_MAX &&
	       view_own_heading(v, line, out);
}

/* Prints the sum; for a list of objects, its heading instead. */
static bool
sentence_behind(const void *context, unsigned line, struct value *out)
{
	const struct view *v = context;
	bool has_heading = v->ops->list.flags & VIEW_OBJECTS && v->shown.filter &&
			   !(v->ops->list.flags & VIEW_PRINTS_HEADING);

	return line == 0 &&
	       (view_describe_sum(v, out) || (has_heading && view_own_heading(v, 0, out)));
}

static bool
is_incomplete(const struct heap *h)
{
	return losses_are_incomplete(&h->info.losses);
}

static bool
is_sampled(const struct heap *h)
{
	return h->info.is_sampled;
}

/* Rows may be about several heaps. */
static bool
any_heap(const struct view *v, bool (*is)(const struct heap *h))
{
	const struct snapshots *all = v->session->snapshots;

	if (!(view_needs(v->ops) & NEED_SNAPSHOTS) || !all)
		return is(v->session->heap);
	for (size_t i = 0; i < all->count; i++)
		if (all->sessions[i]->heap && is(all->sessions[i]->heap))
			return true;
	return false;
}

static struct table_origin
origin_of(const struct view *v)
{
	const struct heap *h = v->session->heap;

	if (!h)
		return (struct table_origin){ .title = v->title, .source = v->session->name };
	return (struct table_origin){
		.title = v->title,
		.source = v->session->name,
		.format = h->info.format ? h->info.format : "",
		.is_incomplete = any_heap(v, is_incomplete),
		.is_sampled = any_heap(v, is_sampled),
	};
}

/* --- writing -------------------------------------------------------------- */

bool
view_print_init(struct table_writer *t, const struct view *v, enum table_format format,
		const char *columns, struct error *err)
{
	const struct listing l = view_listing(v);

	*t = (struct table_writer){
		.format = format,
		.rows_max = UINT64_MAX,
		.is_plain = v->ops->list.flags & VIEW_PLAIN || v->is_bare,
		.guards_formulas = v->session->guards_formulas,
		.shows = shows,
		.before = sentence_before,
		.behind = sentence_behind,
	};
	if (!columns && v->is_bare)
		columns = v->wanted;
	return table_writer_choose(t, &l, columns, err);
}

void
view_print_fit(struct table_writer *t, const struct view *v, int line_max, char *out,
	       size_t out_size)
{
	const struct listing l = view_listing(v);

	table_writer_fit(t, &l, line_max, out, out_size);
}

uint64_t
view_print(FILE *to, const struct table_writer *t, const struct view *v)
{
	struct listing l = view_listing(v);
	const struct table_origin origin = origin_of(v);

	/* Other programs tell types by their full names. */
	if (t->format >= TABLE_CSV)
		l.facts.shows_short_names = false;

	return table_writer_print(to, t, &l, &origin);
}
