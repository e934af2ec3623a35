/*
 * The types of the heap, one a row, or of one group of the heap (target.group). Above those of the
 * heap stand the first findings, as soon as they are known.
 */
#include "model/base/format.h"
#include "model/tables/type_table.h"
#include "model/tables/tables.h"
#include "tui/session/suspects.h"
#include "tui/tables/suspect_line.h"
#include "tui/widget/view.h"
#include "tui/widget/request.h"

enum {
	SUSPECTS_MOST = 3,
	/* Lines of the view for each finding, beyond those that belong to the types. */
	LINES_LEAST = 8,
	LINES_FOR_ONE = 3,
	SIZE_COLUMNS = 10
};

struct types_state {
	const struct view_ops *all_ops, *mine_ops; /* without `set mine` and with it */
};

static bool
show_objects(const struct call *call, struct error *err)
{
	struct target target = view_target(call->view);

	if (target_is_none(&target) && call->view->rows_count && call->view->session->shows_mine)
		return error_set(err, ERROR_USAGE,
				 "these objects of the framework are of many types: Z shows all");
	if (target_is_none(&target))
		return error_set(err, ERROR_USAGE, "no type is selected");
	target.group = call->view->target.group;
	return request_open(call, "objects", &target);
}

/* Disable the columns that are only known of whole types, and the one that only differs from the
   size with `set mine`. */
static bool
choose_columns(struct view *v, struct error *err)
{
	struct types_state *state = v->state;
	struct view_ops *ops = arena_new(&v->arena, struct view_ops, err);

	if (!ops)
		return false;
	*ops = *v->ops;
	ops->words.unavailable = NULL;
	state->all_ops = v->ops;
	state->mine_ops = ops;
	if (types_are_whole(view_subject(v).group))
		return true;
	ops->words.unavailable = "own,retained,retained_share,live,dead,"
				 "dead_count,gen0,gen1,gen2,loh,poh,frozen";
	ops->words.unavailable_why = "the group contains parts of types, whose objects and bytes "
				     "alone are counted";
	state->all_ops = v->ops = ops;
	return true;
}

static bool
types_open(struct view *v, struct error *err)
{
	char name[GROUP_NAME_BYTES];

	v->state = arena_new(&v->arena, struct types_state, err);
	if (!v->state || !choose_columns(v, err))
		return false;
	if (v->target.group.by != GROUP_NONE)
		snprintf(v->title, sizeof v->title, "types %.200s",
			 group_phrase(v->session->heap, v->target.group, name));
	return true;
}

/* Retained sizes may still be computed, or be too large for memory; types count for themselves
   without them. */
static bool
prepare_mine(struct view *v, struct error *err)
{
	const struct types_state *state = v->state;
	struct session *s = v->session;
	const unsigned needs = NEED_OBJECTS | NEED_RETAINED;

	v->ops = s->shows_mine ? state->mine_ops : state->all_ops;
	if (!s->shows_mine || !s->heap || s->retention || session_unavailable(s, needs))
		return true;
	return s->waker.wake ? session_want(s, needs, err) : session_require(s, needs, err);
}

/* --- findings above the types --------------------------------------------- */

/* Returns how many findings have a line: none on a small screen, and where a filter or a group asks
   for something else. */
static unsigned
suspects_shown(const struct view *v)
{
	int most = (v->area.height - LINES_LEAST) / LINES_FOR_ONE;
	unsigned count = 0;

	if (v->filter || v->target.group.by != GROUP_NONE || v->area.is_read_aloud)
		return 0;
	while ((int)count < most && count < SUSPECTS_MOST && suspects_at(v->session, count))
		count++;
	return count;
}

/* Writes a finding in one line: what it retains, then the sentence. */
static void
write_suspect(const struct view *v, const struct finding *f, struct value *out)
{
	const struct facts facts = session_facts(v->session);
	bool has_retained = f->retained.bytes && !f->kind->frees_nothing;
	uint64_t bytes = has_retained ? f->retained.bytes : f->bytes;
	char text[FINDING_TEXT_BYTES], size[FORMAT_BYTES] = "";
	bool is_said;

	(void)suspect_line(&facts, f, v->area.width - SIZE_COLUMNS - 2, text);
	is_said = !bytes || text_begins(text, format_size(bytes, size));
	value_printf(out, f->is_stall ? STYLE_WARNING : STYLE_NORMAL, "%*s  %s", SIZE_COLUMNS,
		     is_said ? "" : size, text);
}

static bool
types_heading(const struct view *v, unsigned line, struct value *out)
{
	unsigned shown = suspects_shown(v);
	struct facts facts;
	const struct cells in = view_cells(v, &facts);

	if (line >= shown)
		return types_table.heading(&in, line - shown, out);
	write_suspect(v, suspects_at(v->session, line), out);
	return true;
}

/* Opens the findings at one of those above the types. */
static bool
show_suspect(const struct call *call, struct error *err)
{
	const struct view *v = call->view;
	uint32_t n = call->count ? call->count - 1 : 0;
	const struct finding *f = suspects_at(v->session, n);
	struct target target = target_none;

	if (!f)
		return error_set(err, ERROR_USAGE, "%s; 9 lists all findings",
				 suspects_at(v->session, 0) ? "there are not so many findings"
							    : "no finding is known (yet)");
	target.address = suspects_key(v->session, f);
	return request_open(call, "findings", &target);
}

/* --- rows ----------------------------------------------------------------- */

/* No worker may read types that are still counted. */
static bool
types_rows(struct view *v, struct error *err)
{
	struct facts facts;
	const struct cells in = view_cells(v, &facts);

	if (!v->session->is_batch)
		suspects_want(v->session);
	return view_show_all(v, table_rows_count(v->ops->table, &in), err);
}

/* clang-format off */
static const struct command commands[] = {
	/* name    keys     bar        help, .run, then other fields */
	{ "open", "Enter", "objects", "list the objects of this type", .run = show_objects, .flags = COMMAND_OF_ROW, .needs = NEED_OBJECTS, .replay = REPLAY_ROWS },
	{ "suspect", "f",   "",        "open the first finding above the types; 2f: the second", .run = show_suspect, .flags = COMMAND_COUNTS | COMMAND_MAKES_ROWS, .needs = NEED_OBJECTS | NEED_REVERSE | NEED_REACH },
	{ 0 },
};
/* clang-format on */

static const struct view_code types_code = {
	.open = types_open,
	.prepare = prepare_mine,
	.rows = types_rows,
	.heading = types_heading,
	.heading_command = "suspect",
	.heading_command_lines = suspects_shown,
};

const struct view_ops view_types = {
	.command = { .name = "types",
		     .keys = "1",
		     .bar = "types",
		     .help = "what the heap is made of, by type" },
	.table = &types_table,
	.commands = commands,
	.words = { .no_rows =
		       "no object was counted: the heap is empty, or nothing of it could be read; "
		       ":summary shows what is missing",
		   .unavailable = "own",
		   .unavailable_why = "it is the size unless :set mine counts "
				      "what the objects hold" },
	.list = { .needs = NEED_TYPES, .flags = VIEW_LIVE | VIEW_MINE, .sort = "size" },
	.code = &types_code,
};
