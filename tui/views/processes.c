/* The .NET processes of a machine: Enter shows what a capture will cost. */
#include "tui/session/snapshots.h"
#include "tui/widget/view.h"
#include "tui/widget/request.h"
#include <inttypes.h>
#include <stdio.h>

struct processes_state {
	struct live_process *items;
	size_t count;
	bool is_listed;
};

/* --- listing processes, on a worker -------------------------------------- */

struct process_listing {
	const struct live_ops *live;
	struct live_process *items;
	size_t count;
};

static bool
list_work(void *context, struct progress *progress, struct error *err)
{
	struct process_listing *l = context;

	l->items = l->live->list(&l->count, progress, err);
	return l->items || err->kind == ERROR_NONE;
}

static void
row_of_process(const struct view *v, uint32_t item, struct row *out)
{
	const struct processes_state *state = v->state;

	*out = row_of(ROW_PLAIN);
	out->data = item;
	out->key = (uint64_t)state->items[item].pid;
}

static bool
arrange(struct view *v, struct error *err)
{
	struct processes_state *state = v->state;

	return view_show_all(v, state->count, err);
}

static void
list_done(struct view *v, void *context, bool ok)
{
	struct processes_state *state = v->state;
	struct process_listing *l = context;
	struct error ignored = { 0 };

	if (ok) {
		v->rows_count = 0;
		memory_free(state->items);
		state->items = l->items;
		state->count = l->count;
		state->is_listed = true;
		if (!arrange(v, &ignored))
			state->count = 0;
	} else {
		memory_free(l->items);
	}
	memory_free(l);
}

static bool
processes_rows(struct view *v, struct error *err)
{
	struct processes_state *state = v->state;
	const struct snapshots *all = v->session->snapshots;
	struct process_listing *l;

	if (state->is_listed)
		return arrange(v, err);
	l = memory_new(1, sizeof *l, err);
	if (!l)
		return false;
	l->live = all->live;
	return view_run(v, "looking for processes", list_work, list_done, l, err);
}

/* --- life ---------------------------------------------------------------- */

static bool
processes_open(struct view *v, struct error *err)
{
	struct view_ops *ops;

	if (!v->session->snapshots || !v->session->snapshots->live)
		return error_set(err, ERROR_USAGE, "processes cannot be examined here");
	v->state = arena_new(&v->arena, struct processes_state, err);
	ops = arena_new(&v->arena, struct view_ops, err);
	if (!v->state || !ops)
		return false;
	/* The largest first, which most people look for; -l keeps its order for scripts. */
	*ops = *v->ops;
	if (!v->session->is_batch)
		ops->list.sort = "memory";
	v->ops = ops;
	return true;
}

/* Says whose processes these are, if they are elsewhere. */
static bool
processes_heading(const struct view *v, unsigned line, struct value *out)
{
	const struct live_ops *live = v->session->snapshots->live;

	if (line || !live->place)
		return false;
	value_printf(out, STYLE_HEADER, "the .NET processes of %s", live->place());
	return true;
}

static void
processes_close(struct view *v)
{
	struct processes_state *state = v->state;

	if (!state)
		return;
	memory_free(state->items);
}

/* --- cells --------------------------------------------------------------- */

static const struct live_process *
process_of(const struct processes_state *state, const struct row *row)
{
	return &state->items[row->data];
}

static void
cell_pid(const struct cells *in, const struct row *row, struct value *out)
{
	value_plain(out, (uint64_t)process_of(in->rows, row)->pid);
}

static void
text_cell(struct value *out, const char *text)
{
	if (*text)
		value_text(out, STYLE_NORMAL, text);
	else
		value_blank(out);
}

static void
cell_user(const struct cells *in, const struct row *row, struct value *out)
{
	text_cell(out, process_of(in->rows, row)->user);
}

static void
cell_name(const struct cells *in, const struct row *row, struct value *out)
{
	const struct live_process *p = process_of(in->rows, row);

	value_text(out, p->trouble.kind == ERROR_NONE ? STYLE_TYPE : STYLE_DIM, p->name);
	out->also = p->command;
}

static void
cell_runtime(const struct cells *in, const struct row *row, struct value *out)
{
	text_cell(out, process_of(in->rows, row)->runtime);
}

static void
cell_container(const struct cells *in, const struct row *row, struct value *out)
{
	text_cell(out, process_of(in->rows, row)->container);
}

static void
cell_trouble(const struct cells *in, const struct row *row, struct value *out)
{
	const struct live_process *p = process_of(in->rows, row);

	if (p->trouble.kind == ERROR_NONE)
		value_blank(out);
	else
		value_text(out, STYLE_WARNING, p->trouble.message);
}

/* Writes the command line, which distinguishes processes of the same name, or why the process
   cannot be captured. */
static void
cell_about(const struct cells *in, const struct row *row, struct value *out)
{
	const struct live_process *p = process_of(in->rows, row);

	if (p->trouble.kind == ERROR_NONE)
		value_text(out, STYLE_DIM, p->command);
	else
		value_text(out, STYLE_WARNING, p->trouble.message);
	out->also = p->name;
}

/* --- commands ------------------------------------------------------------ */

static bool
open_card_of(const struct call *call, const char *card, struct error *err)
{
	struct target target = target_none;
	const struct live_process *p;
	struct row row;

	if (!view_selected(call->view, &row))
		return error_set(err, ERROR_USAGE, "no process is selected");
	p = process_of(call->view->state, &row);
	if (p->trouble.kind != ERROR_NONE) {
		*err = p->trouble;
		return false;
	}
	snprintf(target.topic, sizeof target.topic, "%" PRId32, p->pid);
	return request_open(call, card, &target);
}

static bool
open_card(const struct call *call, struct error *err)
{
	return open_card_of(call, "capture", err);
}

static bool
open_record(const struct call *call, struct error *err)
{
	return open_card_of(call, "record", err);
}

static bool
refresh(const struct call *call, struct error *err)
{
	struct processes_state *state = call->view->state;

	state->is_listed = false;
	return view_reload(call->view, err);
}

static const struct row_source rows = {
	ROWS_IN(struct processes_state, items, count),
};

/* clang-format off */
static const struct column columns[] = {
	/* id          title                              width sorts cell            help                                               rank flags           needs */
	{ "pid",       "PID",                             8,    UP,   CELL(VALUE_PLAIN, cell_pid),       "process id",                           0,   0,              0 },
	{ "user",      "User",                            -8,   UP,   CELL(VALUE_TEXT, cell_user),      "user that runs it",                                     3,   0,              0 },
	{ "name",      "Name",                            -16,  UP,   CELL(VALUE_TEXT, cell_name),      "the program; under dotnet, its dll",               0,   0,              0 },
	{ "runtime",   "Runtime",                         -8,   UP,   CELL(VALUE_TEXT, cell_runtime),   "version of .NET",                                 2,   0,              0 },
	{ "memory",    "Private",                         9,    DOWN, BYTES_AT(struct live_process, private_bytes),    "resident memory without files (RssAnon): more than the heap", 1,   0,              0 },
	{ "container", "Container",                       -12,  UP,   CELL(VALUE_TEXT, cell_container), "first digits of the container's id",              4,   0,              0 },
	{ "about",     "Command, or problem",             FILL, UP,   CELL(VALUE_TEXT, cell_about),     "the command line, or what prevents a capture",     0,   COLUMN_SCREEN,  0 },
	{ "command",   "Command",                         -40,  UP,   TEXT_IN(STYLE_DIM, struct live_process, command),   "the command line",                                9,   COLUMN_MACHINE, 0 },
	{ "trouble",   "Why no capture",                  -30,  UP,   CELL(VALUE_TEXT, cell_trouble),   "what prevents a capture, and what would help",     9,   COLUMN_MACHINE, 0 },
	{ 0 },
};
static const struct table table = { .name = "processes", .columns = columns, .rows = &rows };
static const struct command commands[] = {
	/* name       keys     bar        help, .run, then other fields */
	{ "open",    "Enter", "capture", "show what a capture will cost, then capture", .run = open_card, .replay = REPLAY_ROWS },
	{ "open-record", "a", "record", "show what recording its allocations will cost, then record", .run = open_record, .replay = REPLAY_ROWS },
	{ "refresh", "F5",    "refresh", "list the processes again", .run = refresh, .flags = COMMAND_MAKES_ROWS },
	{ 0 },
};
/* clang-format on */

static const struct view_code processes_code = {
	.open = processes_open,
	.close = processes_close,
	.rows = processes_rows,
	.heading = processes_heading,
	.item_row = row_of_process,
};

const struct view_ops view_processes = {
	.command = { .name = "processes", .help = "the .NET processes of a machine" },
	.table = &table,
	.commands = commands,
	.words = { .no_rows = "no .NET process is visible; root sees those of other users as well: "
			      "sudo heaptop -l" },
	.list = { .flags = VIEW_HIDDEN | VIEW_QUERIES_PROCESSES },
	.code = &processes_code,
};
