/*
 * Likely leaks, the most bytes first. The heading describes the selected finding and why it may be
 * harmless; Enter lists its objects.
 */
#include "model/analysis/finding_table.h"
#include "model/analysis/finding_text.h"
#include "model/base/format.h"
#include "model/base/text.h"
#include "model/heap/root_gaps.h"
#include "model/table/table.h"
#include "tui/session/analyses.h"
#include "tui/session/describe.h"
#include "tui/widget/request.h"
#include "tui/widget/view.h"

enum {
	HOLDER_SHOWN = 32, /* columns */
	SENTENCE_MIN = 20  /* columns that a shortened sentence keeps */
};

static const struct finding *
finding_of(const struct view *v, const struct row *row)
{
	const struct findings_made *made = v->made;

	return &made->items[row->data];
}

/* --- heading ------------------------------------------------------------- */

/* Lists the kinds of leak looked for, so that an empty result is credible. */
static void
list_searched(const struct view *v, struct value *out)
{
	const struct findings_made *made = v->made;
	const struct heap *h = v->session->heap;
	struct text t = value_begin_text(out, STYLE_DIM);
	const char *before = ": ";

	if (!heap_knows_roots(h))
		text_add(&t, "roots are unknown, which may hide leaks; ");
	text_add(&t, "nothing stands out; looked for");
	for (int i = 0; i < FINDING_KIND_COUNT; i++) {
		if (!finding_is_sought(finding_kinds[i], h, made->has_retained))
			continue;
		text_addf(&t, "%s%s", before, finding_kinds[i]->title);
		before = ", ";
	}
}

/* Says how much would be freed without the object that holds those of the finding, if that is less
   than all of them hold. */
static void
add_freed(const struct session *s, const struct finding *f, struct text *out)
{
	char alone[FORMAT_BYTES], name[4 * HOLDER_SHOWN];
	const struct facts facts = session_facts(s);
	uint64_t bytes = finding_frees(&facts, f);

	if (bytes < f->retained.bytes)
		text_addf(out, "; removing only the %s would free %s",
			  text_fit(session_type_name(s, heap_type_of(s->heap, f->subject)),
				   HOLDER_SHOWN, name, sizeof name),
			  format_size(bytes, alone));
}

/* Returns whether the text fits on this many lines of the heading. */
static bool
fits(const struct view *v, const char *text, int lines)
{
	char beyond[VALUE_TEXT_BYTES];

	return !text_line(text, v->area.width, lines, beyond, sizeof beyond);
}

/*
 * Writes the finding in full. If room is short, leaves out what one object would free, then clauses
 * from the end of the reason, as the name and the root matter most. Only names that alone are too
 * long are cut.
 */
static void
write_sentence(const struct view *v, const struct row *row, struct value *out)
{
	const struct finding *f = finding_of(v, row);
	const struct facts facts = session_facts(v->session);
	int lines = view_heading_room(v), room = lines * v->area.width;
	struct text whole = value_begin_text(out, STYLE_NORMAL);
	char text[FINDING_TEXT_BYTES], cut[FINDING_TEXT_BYTES];

	finding_text(&facts, f, &whole);
	add_freed(v->session, f, &whole);
	for (unsigned n = 0; lines && !fits(v, out->text, lines); n++) {
		struct text less = text_in(text, sizeof text);

		if (!finding_text_without(&facts, f, n, &less))
			break;
		value_printf(out, STYLE_NORMAL, "%s", text);
	}
	memcpy(text, out->text, strlen(out->text) + 1);
	while (lines && !fits(v, out->text, lines) && room-- > SENTENCE_MIN)
		value_printf(out, STYLE_NORMAL, "%s", text_fit(text, room, cut, sizeof cut));
}

/* Writes why the finding may be no leak, if there is room for all of it. */
static bool
write_harmless(const struct view *v, const struct row *row, struct value *out)
{
	int lines = view_heading_room(v), used = 1;
	const char *text = finding_harmless(v->session->heap, finding_of(v, row));

	write_sentence(v, row, out);
	while (used < lines && !fits(v, out->text, used))
		used++;
	if (lines && !fits(v, text, lines - used))
		return false;
	value_text(out, STYLE_DIM, text);
	return true;
}

/* Returns whether retained sizes are missing and no job computes them. */
static bool
is_without_sizes(const struct view *v)
{
	const struct findings_made *made = v->made;

	return !made->has_retained && !v->session->retention && !session_job(v->session);
}

static bool
note_left_out(const struct view *v, struct value *out)
{
	const struct findings_made *made = v->made;
	char count[FORMAT_BYTES];

	if (session_unavailable(v->session, NEED_RETAINED))
		value_printf(out, STYLE_DIM,
			     "single objects that retain much are not searched for: %s",
			     analyses_refusal(v->session, NEED_RETAINED));
	else if (is_without_sizes(v))
		value_text(out, STYLE_DIM,
			   "single objects that retain much are not searched for: R computes "
			   "retained sizes");
	else if (made->hidden_count)
		value_printf(
		    out, STYLE_DIM, "my code: %s finding%s about other objects hidden; Z shows all",
		    format_count(made->hidden_count, count), made->hidden_count == 1 ? "" : "s");
	else if (made->findings->left_out)
		value_printf(out, STYLE_DIM, "%s smaller findings are left out",
			     format_count(made->findings->left_out, count));
	else
		return false;
	return true;
}

/* Warns that unknown roots may keep the objects of findings alive. */
static bool
warn_gaps(const struct view *v, struct value *out)
{
	const struct losses *l = &v->session->heap->info.losses;
	char gaps[ROOT_GAPS_TEXT_BYTES];

	if (!l->root_gaps)
		return false;
	value_printf(out, STYLE_WARNING, "some roots are unknown: %s", root_gaps_text(l, gaps));
	return true;
}

/* Writes the line after the finding: what was not looked for, then unknown roots. */
static bool
write_reservations(const struct view *v, unsigned line, struct value *out)
{
	if (note_left_out(v, out))
		return line == 0 || (line == 1 && warn_gaps(v, out));
	return line == 0 && warn_gaps(v, out);
}

static bool
findings_heading(const struct view *v, unsigned line, struct value *out)
{
	bool has_row;
	struct row row;

	has_row = view_selected(v, &row);
	if (!has_row && v->filter)
		return false;
	if (line == 0 && has_row)
		write_sentence(v, &row, out);
	else if (line == 0)
		list_searched(v, out);
	else if (line == 1 && has_row)
		return write_harmless(v, &row, out);
	else
		return write_reservations(v, line - 1 - has_row, out);
	return true;
}

/* --- commands ------------------------------------------------------------ */

/* Adds the objects of a finding to the target, named by a type if there is one.
 */
static void
set_evidence(const struct view *v, const struct finding *f, type_id type, struct target *out,
	     char *title, size_t title_size)
{
	out->nodes = f->nodes;
	out->nodes_count = f->nodes_count;
	out->nodes_title = title;
	snprintf(title, title_size, "%s%s%.100s", f->kind->id, type == TYPE_NONE ? "" : " ",
		 type == TYPE_NONE ? "" : session_type_name(v->session, type));
}

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
	f = finding_of(v, &row);
	if (f->kind->table && f->count != 1) {
		if (f->subject != NODE_NONE)
			target = target_of_node(v->session, f->subject);
		return request_open(call, f->kind->table, &target);
	}
	if (f->nodes_count == 1) {
		target = target_of_node(v->session, f->nodes[0]);
		return request_open(call, "inspect", &target);
	}
	set_evidence(v, f, f->type, &target, title, sizeof title);
	return request_open(call, "objects", &target);
}

/* Selects the objects that Enter lists for keys that take several objects, if all have one type. */
static bool
findings_selection(const struct view *v, const struct row *row, struct target *out, char *title,
		   size_t title_size)
{
	const struct heap *h = v->session->heap;
	const struct finding *f = finding_of(v, row);
	type_id type;

	if (f->nodes_count < 2)
		return false;
	type = heap_type_of(h, f->nodes[0]);
	for (uint32_t i = 1; i < f->nodes_count; i++)
		if (heap_type_of(h, f->nodes[i]) != type)
			return false;
	*out = target_of_type(type);
	set_evidence(v, f, type, out, title, title_size);
	return true;
}

/* Selects the finding that the view was opened for, as soon as there are rows. */
static bool
findings_open(struct view *v, struct error *err)
{
	(void)err;
	if (!v->target.address)
		return true;
	v->gone = (struct row_place){ .has_key = true, .key = v->target.address };
	v->has_moved = true;
	return true;
}

/* clang-format off */
static const struct command commands[] = {
	/* name    keys     bar        help, .run, then other fields */
	{ "open", "Enter", "objects", "list the objects of the finding, or what its object dominates", .run = open_evidence, .replay = REPLAY_ROWS },
	{ 0 },
};
/* clang-format on */

static const struct view_code findings_code = {
	.open = findings_open,
	.heading = findings_heading,
	.selection = findings_selection,
};

const struct view_ops view_findings = {
	.command = { .name = "findings",
		     .keys = "9",
		     .bar = "findings",
		     .flags = COMMAND_ANSWERS,
		     .help = "likely leaks, and why each may be harmless" },
	.table = &findings_table,
	.commands = commands,
	.words = { .no_rows =
		       "no sign of a leak was found; :dominators shows what retains most, :diff "
		       "what has grown since another heap",
		   .no_roots =
		       "roots are unknown, and most leaks cannot be found without them; :summary "
		       "shows what was lost" },
	.list = { .wants = NEED_RETAINED,
		  .flags = VIEW_NAMES_SELECTED | VIEW_MINE | VIEW_ONE_UNIT | VIEW_LAST_FILE },
	.code = &findings_code,
};
