/*
 * What looks like a leak, the most bytes first: a sentence, why it may be none,
 * and by Enter the objects that it is about.
 */
#include "tui/session/analyses.h"
#include "model/heap/root_gaps.h"
#include "tui/session/describe.h"
#include "tui/tables/finding_text.h"
#include "model/base/format.h"
#include "tui/widget/request.h"
#include "model/base/text.h"
#include "tui/widget/view.h"
#include "model/heap/contents.h"

enum {
	FREED_BYTES = FORMAT_BYTES + 32,
	SENTENCE_MIN = 20 /* columns that are left of it */
};

struct findings_state {
	struct findings *findings; /* NULL: not made yet */
	/* That they were made with. */
	uint32_t results; /* the session's that they were made with */
	bool has_retained;
};

static const struct finding *
finding_of(const struct findings_state *state, const struct row *row)
{
	return &state->findings->items[row->data];
}

/* --- cells --------------------------------------------------------------- */

static void
cell_kind(const struct cells *in, const struct row *row, struct value *out)
{
	value_text(out, STYLE_DIM,
		   finding_kinds[finding_of(in->rows, row)->kind].id);
}

static void
cell_text(const struct cells *in, const struct row *row, struct value *out)
{
	char text[FINDING_TEXT_BYTES];

	value_printf(out, STYLE_NORMAL, "%s",
		     finding_text(in->facts, finding_of(in->rows, row), text));
}

static void
cell_harmless(const struct cells *in, const struct row *row, struct value *out)
{
	value_text(out, STYLE_DIM,
		   finding_kinds[finding_of(in->rows, row)->kind].harmless);
}

static void
cell_retained(const struct cells *in, const struct row *row, struct value *out)
{
	const struct findings_state *state = in->rows;

	/* They may have arrived a moment ago. */
	value_bytes_if(out, state->has_retained,
		       finding_of(in->rows, row)->retained.bytes);
}

static void
cell_address(const struct cells *in, const struct row *row, struct value *out)
{
	const struct finding *f = finding_of(in->rows, row);
	node_id n = f->subject == NODE_NONE ? f->nodes[0] : f->subject;

	value_address(out, heap_address(in->facts->heap, n));
}

/* --- rows ---------------------------------------------------------------- */

static void
row_of_finding(const struct view *v, uint32_t item, struct row *out)
{
	const struct findings_state *state = v->state;
	const struct finding *f = &state->findings->items[item];

	*out = row_of(ROW_PLAIN);
	/* What p, r, i and the like are about. */
	if (f->subject != NODE_NONE)
		*out = row_of_node(v->session->heap, f->subject);
	else if (f->type != TYPE_NONE)
		*out = row_of_type(f->type);
	out->kind = ROW_PLAIN;
	out->data = item;
	out->key = (uint64_t)f->kind << 32 | f->nodes[0];
}

static bool
arrange(struct view *v, struct error *err)
{
	struct findings_state *state = v->state;

	return view_show_all(v, state->findings->count, err);
}

/* What a worker makes. */
struct looking {
	uint32_t results;
	struct findings_input in;
	struct findings *findings;
};

static bool
look(void *context, struct progress *progress, struct error *err)
{
	struct looking *l = context;

	l->findings = findings_find(&l->in, progress, err);
	return l->findings != NULL;
}

static void
take_findings(struct view *v, void *context, bool ok)
{
	struct findings_state *state = v->state;
	struct looking *l = context;
	struct error ignored = { 0 };

	if (ok) {
		findings_free(state->findings);
		state->findings = l->findings;
		state->results = l->results;
		state->has_retained = l->in.retained != NULL;
		/* The old order is of other findings. */
		v->rows_count = 0;
		(void)arrange(v, &ignored);
	}
	memory_free(l);
}

static bool
findings_rows(struct view *v, struct error *err)
{
	const struct findings_state *state = v->state;
	const struct session *s = v->session;
	struct looking *l;

	/* Ways to the roots can change for good: `:set nostatics`. */
	if (state->findings && state->results == s->results_version)
		return arrange(v, err);
	l = memory_new(1, sizeof *l, err);
	if (!l)
		return false;
	l->results = s->results_version;
	l->in = (struct findings_input){
		.heap = s->heap,
		.reverse = s->reverse,
		.reach = s->reach,
		.retained = s->retention ? s->retention->retained : NULL,
	};
	return view_run(v, "looking for suspects", look, take_findings, l, err);
}

/* --- above the table ----------------------------------------------------- */

/* What was looked for, or nobody would believe that there is nothing. */
static void
tell_nothing(const struct view *v, struct value *out)
{
	const struct findings_state *state = v->state;
	char kinds[VALUE_TEXT_BYTES];
	size_t len = 0;

	for (int i = 0; i < FINDING_KIND_COUNT; i++) {
		if (finding_kinds[i].needs_contents &&
		    !contents_exist(v->session->heap))
			continue;
		if (i == FINDING_DOMINATOR && !state->has_retained)
			continue;
		len +=
		    (size_t)snprintf(kinds + len, sizeof kinds - len, "%s%s",
				     len ? ", " : "", finding_kinds[i].title);
	}
	value_printf(out, STYLE_DIM, "%snothing stands out; looked for: %s",
		     heap_knows_roots(v->session->heap)
			 ? ""
			 : "roots unknown, so a leak may hide; ",
		     kinds);
}

/* What all objects of a finding hold is more than one cut may free. */
static void
freed_text(const struct session *s, const struct finding *f,
	   char out[FREED_BYTES])
{
	char alone[FORMAT_BYTES];
	uint64_t bytes;

	out[0] = '\0';
	if (!s->retention || f->subject == NODE_NONE)
		return;
	bytes = retained_of(s->retention->retained, f->subject).bytes;
	if (bytes < f->retained.bytes)
		snprintf(out, FREED_BYTES, "; cutting that one frees %s",
			 format_size(bytes, alone));
}

/* Where room is short, its middle gives way to what stands at its end. */
static void
tell_sentence(const struct view *v, const struct row *row, struct value *out)
{
	int lines = view_heading_room(v), room;
	char text[FINDING_TEXT_BYTES], cut[FINDING_TEXT_BYTES],
	    freed[FREED_BYTES], beyond[VALUE_TEXT_BYTES];
	const struct facts facts = session_facts(v->session);

	finding_text(&facts, finding_of(v->state, row), text);
	freed_text(v->session, finding_of(v->state, row), freed);
	room = lines ? lines * v->area.width - text_width(freed)
		     : text_width(text);
	do {
		value_printf(out, STYLE_NORMAL, "%s%s",
			     text_fit(text, room, cut, sizeof cut), freed);
	} while (lines && room-- > SENTENCE_MIN &&
		 text_line(out->text, v->area.width - MORE_WIDTH, lines, beyond,
			   sizeof beyond));
}

/* Nor are they on their way. */
static bool
is_without_sizes(const struct view *v)
{
	const struct findings_state *state = v->state;

	return !state->has_retained && !v->session->retention &&
	       !session_job(v->session);
}

static bool
tell_left_out(const struct view *v, struct value *out)
{
	const struct findings_state *state = v->state;
	char count[FORMAT_BYTES];

	if (session_lacks(v->session, NEED_RETAINED))
		value_printf(out, STYLE_DIM,
			     "what single objects hold is not "
			     "looked for: %s",
			     analyses_lacking(v->session, NEED_RETAINED));
	else if (is_without_sizes(v))
		value_text(out, STYLE_DIM,
			   "what single objects hold is not looked for: R "
			   "computes retained sizes");
	else if (state->findings->left_out)
		value_printf(out, STYLE_DIM, "%s smaller ones are left out",
			     format_count(state->findings->left_out, count));
	else
		return false;
	return true;
}

/* The selected finding in full, and why it may be none. */
/* What else may keep what is told. */
static bool
tell_gaps(const struct view *v, struct value *out)
{
	const struct losses *l = &v->session->heap->info.losses;
	char gaps[ROOT_GAPS_TEXT_BYTES];

	if (!l->root_gaps)
		return false;
	value_printf(out, STYLE_WARNING, "some roots are unknown: %s",
		     root_gaps_text(l, gaps));
	return true;
}

/* Behind the finding. */
static bool
tell_reservations(const struct view *v, unsigned line, struct value *out)
{
	if (tell_left_out(v, out))
		return line == 0 || (line == 1 && tell_gaps(v, out));
	return line == 0 && tell_gaps(v, out);
}

static bool
findings_heading(const struct view *v, unsigned line, struct value *out)
{
	const struct findings_state *state = v->state;
	bool has_row;
	struct row row;

	if (!state->findings) {
		value_pending(out);
		return line == 0;
	}
	has_row = view_selected(v, &row);
	if (!has_row && v->filter)
		return false;
	if (line == 0 && has_row)
		tell_sentence(v, &row, out);
	else if (line == 0)
		tell_nothing(v, out);
	else if (line == 1 && has_row)
		value_text(
		    out, STYLE_DIM,
		    finding_kinds[finding_of(v->state, &row)->kind].harmless);
	else
		return tell_reservations(v, line - 1 - has_row, out);
	return true;
}

/* --- commands ------------------------------------------------------------ */

static bool
open_evidence(const struct call *call, struct error *err)
{
	struct view *v = call->view;
	struct target target = target_none;
	const struct finding *f;
	struct row row;
	char title[160];

	(void)err;
	if (!view_selected(v, &row))
		return true;
	f = finding_of(v->state, &row);
	if (f->kind == FINDING_DOMINATOR && f->count > 1) {
		target = target_of_node(v->session, f->subject);
		return request_open(call, "dominators", &target);
	}
	if (f->nodes_count == 1) {
		target = target_of_node(v->session, f->nodes[0]);
		return request_open(call, "inspect", &target);
	}
	snprintf(title, sizeof title, "%s%s%.100s", finding_kinds[f->kind].id,
		 f->type == TYPE_NONE ? "" : " ",
		 f->type == TYPE_NONE ? ""
				      : session_type_name(v->session, f->type));
	target.nodes = f->nodes;
	target.nodes_count = f->nodes_count;
	target.nodes_title = title;
	return request_open(call, "objects", &target);
}

/* --- the view ------------------------------------------------------------ */

static bool
findings_open(struct view *v, struct error *err)
{
	v->state = arena_new(&v->arena, struct findings_state, err);
	return v->state != NULL;
}

static void
findings_close(struct view *v)
{
	struct findings_state *state = v->state;

	if (!state)
		return;
	findings_free(state->findings);
}

static const void *
record(const struct cells *in, const struct row *row)
{
	return finding_of(in->rows, row);
}

/* clang-format off */
static const struct column columns[] = {
	/* id          title       width sorts     cell           help                                                     rank flags needs */
	{ "kind",      "Kind",     -13,  UP,       CELL(VALUE_TEXT, cell_kind),     "what sort of suspect it is",                            3, 0, 0 },
	{ "finding",   "Finding",  FILL, UNSORTED, CELL(VALUE_TEXT, cell_text),     "what is there",                                         0, 0, 0 },
	{ "objects",   "Objects",  8,    DOWN,     COUNT_AT(struct finding, nodes_count),  "objects that show it; Enter lists them",                5, 0, 0 },
	{ "size",      "Size",     9,    DOWN,     BYTES_AT(struct finding, bytes),     "their bytes",                                           4, 0, 0 },
	{ "share",     "Share",    6,    DOWN,     BYTES_AT(struct finding, bytes),    "part of all bytes in the heap",                         7, COLUMN_MACHINE | COLUMN_OF_HEAP, 0 },
	{ "retained",  "Retained", 9,    DOWN,     CELL(VALUE_BYTES, cell_retained), "bytes that would go with them",                         1, COLUMN_DEAR, NEED_RETAINED },
	{ "retained_share", "Ret%", 6,   DOWN,     CELL(VALUE_BYTES, cell_retained), "part of all bytes",                               6, COLUMN_DEAR | COLUMN_OF_HEAP, NEED_RETAINED },
	{ "address",   "Address",  14,   UNSORTED, CELL(VALUE_ADDRESS, cell_address),  "the object to look at first",                           8, COLUMN_MACHINE, 0 },
	{ "harmless",  "Unless",   40,   UNSORTED, CELL(VALUE_TEXT, cell_harmless), "when it is no leak",                                    8, COLUMN_MACHINE, 0 },
	{ 0 },
};
static const struct table table = { .name = "findings", .columns = columns, .record = record };
static const struct command commands[] = {
	/* name    keys     bar        help, .run, and what differs from nothing */
	{ "open", "Enter", "objects", "the objects that the finding is about, or what one of them holds", .run = open_evidence, .replay = REPLAY_ROWS },
	{ 0 },
};
/* clang-format on */

const struct view_ops view_findings = {
	.command = { .name = "findings",
		     .keys = "9",
		     .bar = "findings",
		     .help = "what looks like a leak, and why it may be none" },
	.empty =
	    "no sign of a leak was found; :dominators shows who holds most, "
	    ":diff what grew since another heap",
	.empty_unrooted =
	    "roots unknown: without them most leaks cannot be seen; "
	    ":summary shows what was lost",
	.table = &table,
	.commands = commands,
	.needs = NEED_OBJECTS | NEED_REVERSE | NEED_REACH,
	.wants = NEED_RETAINED,
	.flags = VIEW_SAYS,
	.open = findings_open,
	.close = findings_close,
	.rows = findings_rows,
	.item_row = row_of_finding,
	.heading = findings_heading,
};
