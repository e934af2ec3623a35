/* Runs commands: of a key, a line, a script or a file. */
#include "tui/app/arguments.h"
#include "tui/app/ignore.h"
#include "tui/app/state.h"
#include "tui/session/snapshots.h"
#include "tui/tables/diff_columns.h"
#include "tui/app/views.h"
#include "tui/widget/request.h"
#include <string.h>

/* --- one command ---------------------------------------------------------- */

static bool
find_named(struct app *app, unsigned takes, const char *name, struct target *target,
	   struct error *err)
{
	return target_parse(app->session, takes, name, target, err) &&
	       (target->type == TYPE_NONE || session_has_settled(app->session, err));
}

static bool
needs_another(const struct view_ops *ops, unsigned takes, bool has_type, struct error *err)
{
	char usage[USAGE_BYTES];

	if (has_type && takes == TAKES_OBJECT)
		return error_set(err, ERROR_USAGE,
				 "%s needs an object: Enter lists the type's objects, r shows what "
				 "holds them",
				 ops->command.name);
	return error_set(err, ERROR_USAGE, "%s needs %s: %s %s", ops->command.name,
			 !(takes & TAKES_OBJECT) ? "a type"
			 : !(takes & TAKES_TYPE) ? "an object"
						 : "an object or a type",
			 ops->command.name, arguments_usage(&ops->command, usage));
}

/* Finds the target of a command that opens a view. */
static bool
find_target(struct app *app, const struct view_ops *ops, const char *arg, int key,
	    struct target *target, struct error *err)
{
	unsigned takes = view_takes(ops) & ~(unsigned)TAKES_SET;
	bool has_row = key || !app->session->is_batch;

	*target = target_none;
	if (*arg && takes == TAKES_NOTHING)
		return error_set(err, ERROR_USAGE, "%s takes no argument", ops->command.name);
	if (*arg)
		return find_named(app, takes, arg, target, err);
	/* If no row can satisfy it, say why first. */
	if (!app->session->is_batch && !command_is_possible(&ops->command, ops, app->session, err))
		return false;
	if (!(takes & TAKES_OPTIONAL) && takes != TAKES_NOTHING && has_row)
		*target = view_target(app_view(app));
	if (!(takes & TAKES_OBJECT)) {
		target->node = NODE_NONE;
		target->address = 0;
	}
	return target_fits(target, takes) ||
	       needs_another(ops, takes, has_row && target->type != TYPE_NONE, err);
}

/* Help about help is another view, as is a diff of heaps opened since. */
static bool
is_same_topic(const struct view *v, const struct view_ops *ops, const struct target *target)
{
	const struct diff_view *diff = v->state;

	if (!(view_takes(ops) & TAKES_TOPIC))
		return true;
	return ops == &view_diff && v->session->snapshots &&
	       diff->c.count == snapshots_heaps(v->session->snapshots) &&
	       !strcmp(v->target.topic, target->topic);
}

/* Returns true if neither lists objects, or both list the same. */
static bool
lists_the_same(const struct view *v, const struct target *target)
{
	if (!target_lists_objects(&v->target) && !target_lists_objects(target))
		return true;
	return v->nodes && target->nodes && v->nodes_count == target->nodes_count &&
	       !memcmp(v->nodes, target->nodes, v->nodes_count * sizeof *v->nodes);
}

static bool
is_shown(const struct view *v, const struct view_ops *ops, const struct target *target)
{
	/* The tree of a type is another view. */
	if (ops == &view_tree && target->node == NODE_NONE)
		ops = &view_merged;
	return view_is(v, ops) && is_same_topic(v, ops, target) && lists_the_same(v, target) &&
	       v->target.node == target->node && v->target.type == target->type &&
	       (v->target.node != NODE_NONE || v->target.address == target->address) &&
	       group_id_is(v->target.group, target->group);
}

bool
app_shows(struct app *app, const struct view_ops *ops, const struct target *target)
{
	if (app->session->is_batch || !is_shown(app_view(app), ops, target))
		return false;
	app_message(app, STYLE_STATUS, "%s is already on the screen", app_view(app)->title);
	app->message_is_of_view = true;
	return true;
}

/* If the selected row stands for only some objects of a type, take those. */
static void
take_selection(const struct view *v, const struct view_ops *ops, struct target *target, char *title,
	       size_t title_size)
{
	struct row row;

	if (view_takes(ops) & TAKES_SET && view_code(v->ops)->selection && view_selected(v, &row))
		view_code(v->ops)->selection(v, &row, target, title, title_size);
}

static bool
open_view(struct app *app, const struct view_ops *ops, const char *arg, int key, struct error *err)
{
	char title[VALUE_TEXT_BYTES];
	struct target target;

	if (!*arg && view_is(app_view(app), ops) && view_was_stopped(app_view(app)))
		return view_begin_again(app_view(app), err);
	/* A number key returns to the open view. */
	if (key >= '1' && key <= '9' && !view_is(app_view(app), ops) && app_go_to(app, ops))
		return true;
	if (!find_target(app, ops, arg, key, &target, err))
		return false;
	if (!*arg && !app->session->is_batch)
		take_selection(app_view(app), ops, &target, title, sizeof title);
	if (!*arg && app_shows(app, ops, &target))
		return true;
	if (view_takes(ops) & TAKES_TOPIC)
		target.view = app_view(app)->ops;
	target.settings = app->settings;
	target.of = app_view(app);
	return app_open(app, ops, &target, err);
}

/* Notes how the view below opened this one, for saved sessions. */
static void
note_opening(struct app *app, const char *command, const struct row *at)
{
	struct view *v = app->views[app->current];

	v->opened_by = command;
	v->opened_at = at->key;
}

static const struct view_ops *
find_view(const char *name)
{
	return all_views[views_number(name, strlen(name))];
}

/* Replaces the card of a capture by the captured heap. */
static bool
open_captured(struct app *app, const struct request *r, struct error *err)
{
	const struct view *below = app->current ? app->views[app->current - 1] : NULL;
	bool is_again = below && below->session->heap &&
			snapshots_pid(below->session) == snapshots_pid(r->session);

	app_close(app);
	if (!app_open_in(app, r->session, find_view(r->view), &r->target, err))
		return false;
	if (is_again)
		app_again_show(app, below);
	return true;
}

/* Fulfil the request that the command has left. */
static bool
carry_out(struct app *app, const struct request *r, struct error *err)
{
	if (r->command)
		return app_command(app, r->command, err);
	if (r->awaits_ways)
		return ignore_report_now(app, app_view(app)->session, err);
	if (*r->message)
		app_message(app, r->style, "%s", r->message);
	if (!r->view)
		return true;
	if (r->closes_view)
		return open_captured(app, r, err);
	if (!app_open_in(app, r->session ? r->session : app->session, find_view(r->view),
			 &r->target, err))
		return false;
	if (r->is_opened_with)
		return view_filter_opening(app_view(app), r->filter.text, err);
	return !r->filter.text || view_filter_by(app_view(app), r->filter, err);
}

static bool
run_command(struct app *app, const struct binding *b, struct call *call, struct error *err)
{
	const struct command *c = b->command;
	struct request request = { 0 };
	bool ok;

	if (call->is_forced && !(c->flags & COMMAND_FORCES))
		return error_set(err, ERROR_USAGE, "%s takes no !", c->name);
	if (b->opens)
		return open_view(app, b->opens, call->arg, call->key, err);
	if (*call->arg && c->args[0].kind == ARG_NONE)
		return error_set(err, ERROR_USAGE, "%s takes no argument", c->name);
	if (!command_is_possible(c, NULL, app->session, err))
		return false;
	call->app = app;
	call->view = app_view(app);
	call->command = c;
	/* cppcheck-suppress autoVariables ; it is reset below */
	call->request = &request;
	ok = c->run(call, err);
	call->request = NULL;
	return ok && carry_out(app, &request, err);
}

bool
app_run_binding(struct app *app, const struct binding *b, struct call call, struct error *err)
{
	uint64_t opened = app->views_opened;
	struct row row;
	bool has_row = !*call.arg && !app->has_pane_focus && view_selected(app_view(app), &row);
	bool ok;

	if (app->message_is_of_view)
		app->message[0] = '\0';
	ok = run_command(app, b, &call, err);
	if (ok && has_row && app->views_opened == opened + 1)
		note_opening(app, b->command->name, &row);
	return ok;
}

static bool
go_to_row(struct app *app, const char *digits)
{
	unsigned long long row = 0;

	for (; *digits && row < COUNT_MAX; digits++)
		row = row * 10 + (unsigned)(*digits - '0');
	view_move_to(app_view(app), row ? (size_t)row - 1 : 0);
	return true;
}

/* Accepts "save ! FILE" as "save! FILE", unless a '!' may begin an argument. */
static const char *
take_mark(const char *arg, struct call *call, const struct command *c)
{
	if (*arg != '!' || !(c->flags & COMMAND_FORCES) || c->args[0].kind == ARG_FILE_OR_PIPE)
		return arg;
	call->is_forced = true;
	return arg + 1 + strspn(arg + 1, " \t");
}

static bool
run_named(struct app *app, const char *line, struct error *err)
{
	char arg[SCRIPT_COMMAND_BYTES];
	struct call call = { .arg = arg };
	size_t name_len = strcspn(line, " \t"), arg_len;
	struct binding b;

	call.is_forced = name_len > 1 && line[name_len - 1] == '!';
	b = command_by_line(app_view(app)->ops, line, err);
	if (!b.command)
		return false;
	line += name_len;
	line += strspn(line, " \t");
	line = take_mark(line, &call, b.command);
	arg_len = strlen(line);
	while (arg_len && strchr(" \t", line[arg_len - 1]))
		arg_len--;
	if (arg_len >= sizeof arg)
		return error_set(err, ERROR_USAGE, "the argument is too long");
	memcpy(arg, line, arg_len);
	arg[arg_len] = '\0';
	return app_run_binding(app, &b, call, err);
}

bool
app_command(struct app *app, const char *line, struct error *err)
{
	char expanded[SCRIPT_COMMAND_BYTES], one[SCRIPT_COMMAND_BYTES];
	struct script several;

	line += strspn(line, " :");
	if (!*line)
		return true;
	if (line[strspn(line, "0123456789")] == '\0')
		return go_to_row(app, line);
	line = command_expand_alias(line, app_view(app)->session->heap, expanded, sizeof expanded,
				    err);
	if (!line)
		return false;
	if (line != expanded)
		return run_named(app, line, err);
	/* One command of SOS may become several of heaptop. */
	script_init(&several, line);
	while (script_next(&several, one, err))
		if (!run_named(app, one, err))
			return false;
	return err->kind == ERROR_NONE;
}

bool
app_script(struct app *app, struct script *s, struct error *err)
{
	char line[SCRIPT_COMMAND_BYTES];

	while (script_next(s, line, err))
		if (!app_command(app, line, err)) {
			script_blame(s, err);
			return false;
		}
	return err->kind == ERROR_NONE;
}

bool
app_run_mapping(struct app *app, const char *commands, struct error *err)
{
	char lines[KEYMAP_COMMAND_BYTES];
	struct script s;

	strcpy(lines, commands);
	script_init(&s, lines);
	return app_script(app, &s, err);
}

bool
app_source(struct app *app, const char *path, struct error *err)
{
	struct script s;
	bool ok;

	if (!app->nesting.depth)
		app->nesting.count = 0;
	if (!script_enter(&app->nesting, path, err))
		return false;
	ok = script_read(&s, path, TEXT_FILE_ANY, err);
	if (ok) {
		ok = app_script(app, &s, err);
		script_clear(&s);
	}
	script_leave(&app->nesting);
	return ok;
}
