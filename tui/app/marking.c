#include "tui/app/marking.h"
#include "tui/app/state.h"
#include "tui/base/quoting.h"
#include <ctype.h>
#include <string.h>

/* Types are renumbered until the heap is loaded. */
static bool
no_heap(struct error *err)
{
	return error_set(err, ERROR_USAGE, "no heap is loaded yet: nothing can be marked");
}

static bool
find_selected(const struct call *call, struct target *out, struct error *err)
{
	struct view *v = call->view;
	struct row row;

	if (!v->session->heap)
		return no_heap(err);
	if (!view_selected(v, &row) || (row.node == NODE_NONE && row.type == TYPE_NONE))
		return error_set(err, ERROR_USAGE,
				 "only objects and types can be marked: this row is neither");
	*out =
	    row.node == NODE_NONE ? target_of_type(row.type) : target_of_node(v->session, row.node);
	return true;
}

bool
marking_toggle(const struct call *call, struct error *err)
{
	struct marks *marks = &call->view->session->marks;
	struct target t;

	if (!find_selected(call, &t, err) ||
	    (!marks_remove(marks, t.node, t.type) && !marks_put(marks, t.node, t.type, NULL, err)))
		return false;
	view_move_by(call->view, 1);
	return true;
}

static bool
is_plain(const char *note)
{
	for (; *note; note++)
		if (iscntrl((unsigned char)*note) || strchr("\"\\", *note))
			return false;
	return true;
}

/* Prompt for a note, with the existing one for editing. */
static bool
ask_for_note(const struct call *call, const struct mark *mark)
{
	char line[SCRIPT_COMMAND_BYTES] = "mark ";
	size_t len = strlen(line);

	if (mark && *mark->note && is_plain(mark->note))
		snprintf(line + len, sizeof line - len, "\"%s\"", mark->note);
	else if (mark && *mark->note && !quoting_encode(mark->note, line + len, sizeof line - len))
		line[len] = '\0';
	app_begin_prompt(call->app, PROMPT_COMMAND, line);
	return true;
}

bool
marking_note(const struct call *call, struct error *err)
{
	struct session *s = call->view->session;
	char note[SCRIPT_COMMAND_BYTES];
	struct target t;

	if (!find_selected(call, &t, err))
		return false;
	if (call->key)
		return ask_for_note(call, marks_find(&s->marks, t.node, t.type));
	if (!quoting_decode(call->arg, note, sizeof note) ||
	    !marks_put(&s->marks, t.node, t.type, note, err))
		return false;
	return true;
}

/* Marks what the argument names; used by saved sessions. */
bool
marking_named(const struct call *call, struct error *err)
{
	struct session *s = call->view->session;
	char what[SCRIPT_COMMAND_BYTES], note[SCRIPT_COMMAND_BYTES] = "";
	const char *rest = call->arg;
	struct target t;

	if (!s->heap)
		return no_heap(err);
	if (!quoting_argument(&rest, what, sizeof what))
		return error_set(err, ERROR_USAGE,
				 "mark-at needs an object or a type: mark-at ADDRESS|TYPE NOTE");
	rest += strspn(rest, " \t");
	if (!target_parse(s, TAKES_OBJECT | TAKES_TYPE, what, &t, err) ||
	    !quoting_decode(rest, note, sizeof note) ||
	    !marks_put(&s->marks, t.node, t.type, note, err))
		return false;
	return true;
}

bool
marking_clear(const struct call *call, struct error *err)
{
	struct session *s = call->view->session;

	if (!s->marks.count)
		return error_set(err, ERROR_USAGE, "nothing is marked; Space marks a row");
	app_message(call->app, STYLE_STATUS, "%zu mark%s removed", s->marks.count,
		    s->marks.count == 1 ? "" : "s");
	marks_clear(&s->marks);
	return true;
}
