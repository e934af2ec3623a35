/* The table of commands that work in every view. */
#include "tui/app/copy.h"
#include "tui/app/ignore.h"
#include "tui/app/jumps.h"
#include "tui/app/marking.h"
#include "tui/app/mkrc.h"
#include "tui/app/moving.h"
#include "tui/app/save_session.h"
#include "tui/app/set_command.h"
#include "tui/app/shell.h"
#include "tui/app/state.h"
#include "tui/app/write_view.h"
#include "tui/app/script.h"
#include "tui/session/snapshots.h"
#include "tui/app/views.h"
#include "tui/widget/view_search.h"
#include "tui/base/quoting.h"
#include <string.h>

/* --- search, filter, order ------------------------------------------------ */

static bool
search(const struct call *call, struct error *err)
{
	if (*call->arg)
		return view_search(call->view, call->arg, err);
	app_begin_prompt(call->app, PROMPT_SEARCH, "");
	return true;
}

static bool
search_next(const struct call *call, struct error *err)
{
	return view_search_again(call->view, false, err);
}

static bool
sort_by_name(const struct call *call, struct error *err)
{
	const struct view_ops *ops = call->view->ops;

	return view_sort(call->view, (int)(table_name_column(ops->table) - ops->table->columns),
			 err);
}

static bool
search_previous(const struct call *call, struct error *err)
{
	return view_search_again(call->view, true, err);
}

static bool
filter(const struct call *call, struct error *err)
{
	const struct filter_value old = filter_value(call->view->filter);
	char line[SCRIPT_COMMAND_BYTES];

	if (!call->key)
		return view_filter(call->view, call->arg, err);
	if (old.language == FILTER_ANY) {
		app_begin_prompt(call->app, PROMPT_FILTER, old.text);
		return true;
	}
	snprintf(line, sizeof line, "where %s", old.text);
	app_begin_prompt(call->app, PROMPT_COMMAND, line);
	return true;
}

static bool
where(const struct call *call, struct error *err)
{
	return view_where(call->view, call->arg, err);
}

/* Sorts by the column that is typed, or that the command's name "sort-COLUMN" has. */
static bool
sort(const struct call *call, struct error *err)
{
	const char *dash = strchr(call->command->name, '-');
	const char *id = !*call->arg && dash ? dash + 1 : call->arg;
	bool is_descending;
	int column;

	if (!*id) {
		app_open_sort_menu(call->app, call->key);
		return true;
	}
	if (!view_find_sort(call->view, id, &column, &is_descending, err))
		return false;
	if (strchr("+-", *id))
		return view_sort_to(call->view, column, is_descending, err);
	return view_sort(call->view, column, err);
}

static bool
undo(const struct call *call, struct error *err)
{
	return view_undo(call->view, err);
}

static bool
redo(const struct call *call, struct error *err)
{
	return view_redo(call->view, err);
}

/* Opens the dominator tree at the selected object or type. */
static bool
show_retention(const struct call *call, struct error *err)
{
	struct target target = view_target(call->view);

	if (target.node == NODE_NONE && target.type == TYPE_NONE)
		return error_set(err, ERROR_USAGE,
				 "neither an object nor a type is selected; 3 shows what retains "
				 "most");
	return app_shows(call->app, &view_dominators, &target) ||
	       app_open(call->app, &view_dominators, &target, err);
}

/* --- views and the program ------------------------------------------------ */

static bool
go_back(const struct call *call, struct error *err)
{
	(void)err;
	app_go_back(call->app);
	return true;
}

static bool
go_forward(const struct call *call, struct error *err)
{
	(void)err;
	app_go_forward(call->app);
	return true;
}

/* The key that quits here. */
static const char *
quit_key(const struct app *app)
{
	return app->current || app->has_pane_focus ? "Q" : "q";
}

/* Asks whether to keep captures, as each has paused a process: once, and again after more
   captures. */
static bool
asks_to_save(struct app *app)
{
	const struct snapshots *all = app->session->snapshots;
	size_t count = snapshots_unsaved(all);
	const char *it = count == 1 ? "it" : "them";
	char way[64];

	if (!count || app->asked_to_save == all->count)
		return false;
	app->asked_to_save = all->count;
	if (snapshots_is_unsaved(app_view(app)->session))
		snprintf(way, sizeof way, ":save FILE.heaptop saves %s",
			 count == 1 ? it : "this one");
	else
		snprintf(way, sizeof way, ":save %s from :snapshots", it);
	app_message(app, STYLE_WARNING, "%zu captured heap%s in no file: %s, %s again discards %s",
		    count, count == 1 ? " is" : "s are", way, quit_key(app), it);
	return true;
}

/* Waits until a file is written; a second key quits at once. */
static bool
quit(const struct call *call, struct error *err)
{
	struct app *app = call->app;

	(void)err;
	if (!app_is_writing(app) && asks_to_save(app))
		return true;
	if (!app_is_writing(app) || app->quits_when_written) {
		app->has_quit = true;
		return true;
	}
	app->quits_when_written = true;
	app_message(app, STYLE_STATUS,
		    "heaptop quits when the file is written; %s again quits at once, without the "
		    "file",
		    quit_key(app));
	return true;
}

static bool
other_pane(const struct call *call, struct error *err)
{
	return app_enter_pane(call->app, err);
}

static bool
close_view(const struct call *call, struct error *err)
{
	if (call->app->has_pane_focus) {
		app_close_pane(call->app);
		return true;
	}
	if (!call->app->current)
		return quit(call, err);
	app_close(call->app);
	return true;
}

static bool
escape(const struct call *call, struct error *err)
{
	struct app *app = call->app;

	if (app_cancel_job(app))
		return true;
	if (app->tour.is_on) {
		tour_end(app);
		return true;
	}
	if (call->view->left) {
		call->view->left = 0;
		return true;
	}
	if (view_filter_less(call->view, err) || err->kind != ERROR_NONE)
		return err->kind == ERROR_NONE;
	if (view_code(call->view->ops)->step_out &&
	    (view_code(call->view->ops)->step_out(call->view, err) || err->kind != ERROR_NONE))
		return err->kind == ERROR_NONE;
	if (app_shows_pane(app) && (app->is_split || app->has_pane_focus))
		app_close_pane(app);
	else if (app->current)
		app_go_back(app);
	else
		app_message(app, STYLE_STATUS, "%s quits",
			    app->was_interrupted ? "q, or ^C again," : "q");
	return true;
}

static bool
prompt(const struct call *call, struct error *err)
{
	(void)err;
	app_begin_prompt(call->app, PROMPT_COMMAND, "");
	return true;
}

/* Changes a setting as `:set` does, so that all ways behave the same. */
static bool
set_by_name(const struct call *call, const char *name, const char *value, struct error *err)
{
	char words[SETTING_TEXT_BYTES + 64];

	snprintf(words, sizeof words, "%s=%s", name, value);
	return set_command(call->app, words, err);
}

/* A value of a setting, and the message when a key selects it. */
struct choice {
	const char *value, *message;
};

static bool
choose(const struct call *call, const char *setting, const struct choice *c, struct error *err)
{
	if (!set_by_name(call, setting, c->value, err))
		return false;
	app_message(call->app, STYLE_STATUS, "%s", c->message);
	return true;
}

static bool
next_names(const struct call *call, struct error *err)
{
	static const struct choice names[NAMES_SHOWN_COUNT] = {
		[NAMES_FULL] = { "full", "full names" },
		[NAMES_SHORT] = { "short", "names without namespaces" },
		[NAMES_FOLDED] = { "folded", "folded names: List<…>" },
	};
	unsigned now = call->app->settings->names;

	/* From the default, the first key shows full names. */
	return choose(call, "names", &names[(now + NAMES_SHOWN_COUNT - 1) % NAMES_SHOWN_COUNT],
		      err);
}

static bool
toggle_mine(const struct call *call, struct error *err)
{
	static const struct choice choices[] = {
		{ "on", "only your own types, with what they hold" },
		{ "off", "all types" },
	};

	return choose(call, "mine", &choices[call->app->settings->mine], err);
}

static bool
next_bytes(const struct call *call, struct error *err)
{
	static const struct choice bytes[BYTES_SHOWN_COUNT] = {
		{ "short", "sizes as KiB, MiB, GiB" },
		{ "exact", "sizes to the byte" },
		{ "share", "sizes as shares of the heap" },
	};
	unsigned now = call->app->settings->bytes;

	return choose(call, "bytes", &bytes[(now + 1) % (unsigned)BYTES_SHOWN_COUNT], err);
}

static bool
set_theme(const struct call *call, struct error *err)
{
	if (!*call->arg)
		return error_set(err, ERROR_USAGE, "theme needs a name; Tab shows them");
	return set_by_name(call, "theme", call->arg, err);
}

static bool
tour(const struct call *call, struct error *err)
{
	if (!*call->arg)
		return tour_begin(call->app, err);
	if (strcmp(call->arg, "off") != 0)
		return error_set(err, ERROR_USAGE, "tour takes no argument, or off");
	tour_end(call->app);
	return true;
}

static bool
set_option(const struct call *call, struct error *err)
{
	if (!*call->arg)
		return settings_show(call->app, "", err);
	settings_refresh_views(call->app);
	return set_command(call->app, call->arg, err);
}

static bool
map_key(const struct call *call, struct error *err)
{
	static const struct origin at_prompt = { .kind = ORIGIN_PROMPT };

	if (!*call->arg)
		return settings_show(call->app, "map", err);
	settings_refresh_views(call->app);
	return keymap_map(&call->app->settings->keys, call->arg, &at_prompt, err);
}

static bool
unmap_key(const struct call *call, struct error *err)
{
	settings_refresh_views(call->app);
	return keymap_unmap(&call->app->settings->keys, call->arg, err);
}

static bool
redraw(const struct call *call, struct error *err)
{
	(void)err;
	if (call->app->term)
		term_redraw(call->app->term);
	return true;
}

static bool
suspend(const struct call *call, struct error *err)
{
	(void)err;
	if (call->app->term)
		term_suspend(call->app->term);
	return true;
}

/* Reads a file name from the argument: unquoted, and with "~" expanded. */
static bool
file_argument(const struct call *call, char path[SCRIPT_COMMAND_BYTES], struct error *err)
{
	char typed[SCRIPT_COMMAND_BYTES];

	strcpy(typed, call->arg);
	return quoting_path(quoting_strip(typed), path, SCRIPT_COMMAND_BYTES, err);
}

/* Runs the commands in a file. */
static bool
source(const struct call *call, struct error *err)
{
	char path[SCRIPT_COMMAND_BYTES];

	if (!*call->arg)
		return error_set(err, ERROR_USAGE, "source needs a file of commands: source FILE");
	strcpy(path, call->arg);
	return app_source(call->app, quoting_strip(path), err);
}

static bool
save(const struct call *call, struct error *err)
{
	struct session *s = call->app->session;
	char path[SCRIPT_COMMAND_BYTES];

	if (!*call->arg)
		return error_set(err, ERROR_USAGE,
				 "save wants the name of a file: save FILE.heaptop");
	if (!file_argument(call, path, err) || !session_save(s, path, call->is_forced, err))
		return false;
	if (!s->jobs[JOB_SAVE])
		app_report_saved(call->app, s);
	return true;
}

/* Parses "!sort" or "csv !sort"; the default format is the text of -b. */
static bool
pipe_argument(const char *arg, enum table_format *format, const char **command)
{
	char word[8];
	size_t len = strcspn(arg, " \t!");

	if (len >= sizeof word)
		return false;
	memcpy(word, len ? arg : "txt", len ? len : sizeof "txt");
	if (len)
		word[len] = '\0';
	arg += len;
	arg += strspn(arg, " \t");
	*command = arg + 1 + (*arg ? strspn(arg + 1, " \t") : 0);
	return *arg == '!' && write_view_format(word, format);
}

static bool
make_rc(const struct call *call, struct error *err)
{
	char path[SCRIPT_COMMAND_BYTES] = "";

	return (!*call->arg || file_argument(call, path, err)) &&
	       mkrc_run(call->app, path, call->is_forced, err);
}

/* Writes the view's rows as a table, to a file or a command. */
static bool
write_table(const struct call *call, struct error *err)
{
	char path[SCRIPT_COMMAND_BYTES];
	enum table_format format;
	const char *command;

	if (!*call->arg)
		return error_set(err, ERROR_USAGE,
				 "write wants a file or a command: w FILE.csv, w !COMMAND");
	if (pipe_argument(call->arg, &format, &command))
		return shell_pipe(call->app, command, format, err);
	return file_argument(call, path, err) && write_view(call->app, path, call->is_forced, err);
}

static bool
shell(const struct call *call, struct error *err)
{
	if (!call->key)
		return shell_run(call->app, call->arg, err);
	app_begin_prompt(call->app, PROMPT_COMMAND, "!");
	return true;
}

/* clang-format off */
const struct command commands_global[] = {
	/* name              keys              bar       help, .run, and optional members */
	{ "down",           "j Down ^N",      "",       "to the next row", .run = moving_down, .flags = COMMAND_COUNTS },
	{ "up",             "k Up ^P",        "",       "to the previous row", .run = moving_up, .flags = COMMAND_COUNTS },
	{ "page-down",      "^F PgDn",        "",       "a screen down", .run = moving_page_down, .flags = COMMAND_COUNTS },
	{ "page-up",        "^B PgUp",        "",       "a screen up", .run = moving_page_up, .flags = COMMAND_COUNTS },
	{ "half-down",      "^D",             "",       "half a screen down", .run = moving_half_down, .flags = COMMAND_COUNTS },
	{ "half-up",        "^U",             "",       "half a screen up", .run = moving_half_up, .flags = COMMAND_COUNTS },
	{ "first",          "g Home",         "",       "to the first row, or to the row of the count", .run = moving_first, .flags = COMMAND_COUNTS },
	{ "last",           "G End",          "",       "to the last row, or to the row of the count", .run = moving_last, .flags = COMMAND_COUNTS },
	{ "left",           "h Left",         "",       "close the row, or go to its parent; scroll long names", .run = moving_left },
	{ "right",          "l Right",        "",       "open the row, or go to its first child; scroll long names", .run = moving_right },
	{ "search",         "/ F3",           "search", "find a row: by a regex, or a name such as byte[]", .run = search, .args = { MAY_AS(ARG_TEXT, "REGEX") }, .replay = REPLAY_ROWS },
	{ "next",           "n",              "",       "to the next match", .run = search_next },
	{ "previous",       "N",              "",       "to the previous match", .run = search_previous },
	{ "filter",         "& F4",           "filter", "show only rows that match: a regex, byte[], or size > 1M", .run = filter, .args = { MAY(ARG_FILTER) }, .replay = REPLAY_HEAP },
	{ "where",          "",               "",       "show only rows where this is true; empty: all", .run = where, .args = { MAY_AS(ARG_FILTER, "EXPRESSION") }, .replay = REPLAY_HEAP },
	{ "sort",           "s F6",           "sort",   "sort by a column; again or -COLUMN: reverse the order; a row that you moved to stays selected", .run = sort, .args = { MAY(ARG_COLUMN) }, .replay = REPLAY_HEAP },
	{ "sort-size",      "S",              "",       "sort by size", .run = sort },
	{ "sort-retained",  "R",              "",       "sort by retained size", .run = sort, .needs = NEED_OBJECTS | NEED_TYPE_RETAINED },
	{ "sort-count",     "C",              "",       "sort by count", .run = sort },
	{ "sort-name",      "",               "",       "sort by name", .run = sort_by_name },
	{ "undo",           "u",              "",       "undo the last change of order or filter", .run = undo },
	{ "redo",           "^R",             "",       "redo the change that was undone", .run = redo },
	{ "holds",          "d",              "holds",  "show it in the tree of dominators", .run = show_retention, .flags = COMMAND_OF_ROW, .needs = NEED_OBJECTS | NEED_RETAINED },
	{ "back",           "Backspace < F7", "",       "to the previous view, as it was left", .run = go_back, .replay = REPLAY_HEAP },
	{ "forward",        "> F8",           "",       "to the view left with back", .run = go_forward },
	{ "pane",           "Tab",            "",       "show an object, or a type's objects, beside the list; then move the focus", .run = other_pane, .flags = COMMAND_OF_ROW, .needs = NEED_OBJECTS, .replay = REPLAY_ROWS },
	{ "names",          "z",              "",       "show names in full, without namespaces, or as List<>", .run = next_names },
	{ "mine",           "Z",              "mine",   "count only your own types, with the framework objects that they hold; again: all types", .run = toggle_mine, .flags = COMMAND_ANSWERS, .replay = REPLAY_HEAP },
	{ "bytes",          "b",              "",       "show sizes as KiB and MiB, to the byte, or as shares of the heap", .run = next_bytes },
	{ "command",        ":",              "",       "type a command by its name", .run = prompt },
	{ "ignore",         "x F9",           "",       "show what would be freed without this; WHAT: reference, referrer, type, kind; nothing: stop", .run = ignore_selected, .args = { MAY_BE("WHAT", WORDS("reference", "referrer", "type", "kind", "nothing")) }, .flags = COMMAND_OF_ROW, .needs = NEED_OBJECTS | NEED_REACH, .replay = REPLAY_WAYS },
	{ "ignore-nothing", "X",              "",       "ignore nothing any more", .run = ignore_nothing, .needs = NEED_OBJECTS | NEED_REACH },
	{ "tag",            "Space",          "",       "mark this object or type, or unmark it; ' shows all", .run = marking_toggle },
	{ "mark",           "m",              "",       "mark it, like a bookmark, with a note: the rest of the line", .run = marking_note, .args = { MAY_AS(ARG_TEXT, "NOTE") } },
	{ "mark-at",        "",               "",       "mark that object or type", .run = marking_named, .args = { MUST(ARG_OBJECT_OR_TYPE), MUST_AS(ARG_TEXT, "NOTE") }, .replay = REPLAY_HEAP },
	{ "unmark",         "",               "",       "remove all marks", .run = marking_clear },
	{ "jumps",          "",               "",       "choose one of the open views", .run = jumps_show },
	{ "heap",           "",               "",       "open the types of that heap, numbered as in :snapshots", .run = jumps_to_heap, .args = { MUST(ARG_NUMBER) }, .replay = REPLAY_HEAP },
	{ "open",           "",               "",       "open another file beside the open heaps, to compare with =; or :e FILE", .run = jumps_open_file, .args = { MUST(ARG_FILE) } },
	{ "read-again",     "",               "",       "read a file again whose reading was stopped", .run = jumps_read_again },
	{ "row",            "",               "",       "to that row, with row TOP first on the screen", .run = jumps_to_row, .args = { MUST(ARG_NUMBER), MAY_AS(ARG_NUMBER, "TOP") }, .replay = REPLAY_ROWS, .place = "the selected row" },
	{ "unfold-row",     "",               "",       "open that row of a tree", .run = jumps_unfold_row, .args = { MUST(ARG_NUMBER) }, .replay = REPLAY_ROWS, .place = "the open rows" },
	{ "fold-rows",      "",               "",       "close all rows of a tree", .run = jumps_fold_rows, .replay = REPLAY_ROWS, .place = "the open rows" },
	{ "more-rows",      "",               "",       "show COUNT rows below that row; ROW 0: at the top level", .run = jumps_more_rows, .args = { MUST_AS(ARG_NUMBER, "ROW"), MUST_AS(ARG_NUMBER, "COUNT") }, .replay = REPLAY_ROWS, .place = "the open rows" },
	{ "save-session",   "",               "",       "save heaps, views, marks and what is ignored for --resume", .run = save_session, .args = { MAY(ARG_FILE) }, .flags = COMMAND_FORCES },
	{ "copy",           "y",              "",       "copy row, name, address, why or way to the clipboard (OSC 52); yy: row", .run = copy_selected, .args = { MAY_BE("PART", copy_parts) } },
	{ "plain",          "Y",              "",       "print these rows as plain, uncut lines; any key returns", .run = show_plain },
	{ "save",           "",               "",       "save the heap to a file: .heaptop, .gcdump, .gclog or .sqlite", .run = save, .args = { MUST_AS(ARG_FILE, "FILE.heaptop") }, .flags = COMMAND_FORCES },
	{ "write",          "",               "",       "export these rows: w FILE.csv, also .tsv .json .jsonl .md .txt; w !sort, w csv !sort", .run = write_table, .args = { MUST(ARG_FILE_OR_PIPE) }, .flags = COMMAND_FORCES },
	{ "shell",          "!",              "",       "run a shell command; $HEAPTOP_TYPE and others describe the selection", .run = shell, .args = { MAY_AS(ARG_TEXT, "COMMAND") } },
	{ "source",         "",               "",       "run the commands in a file", .run = source, .args = { MUST(ARG_FILE) } },
	{ "tour",           "",               "",       "find a leak in five minutes, key by key", .run = tour, .args = { MAY_BE(NULL, WORDS("off")) } },
	{ "theme",          "",               "",       "change the colours", .run = set_theme, .args = { MUST(ARG_THEME) } },
	{ "set",            "",               "",       "change a setting; NAME? shows it; none: list all", .run = set_option, .args = { MAY(ARG_SETTING) }, .replay = REPLAY_HEAP },
	{ "map",            "",               "",       "map a key to commands: map F5 sort count; none: list all", .run = map_key, .args = { MAY(ARG_MAPPING) }, .replay = REPLAY_HEAP },
	{ "unmap",          "",               "",       "remove the mapping of a key", .run = unmap_key, .args = { MUST(ARG_KEY) } },
	{ "mkrc",           "",               "",       "write what differs from the defaults as a heaptoprc, to FILE", .run = make_rc, .args = { MAY(ARG_FILE) }, .flags = COMMAND_FORCES },
	{ "escape",         "Esc",            "",       "one step back: menu, job, scrolled names, filter, picture, view", .run = escape },
	{ "close",          "q",              "close",  "close this view; the last one quits", .run = close_view, .replay = REPLAY_HEAP },
	{ "quit",           "Q F10",          "",       "quit", .run = quit },
	{ "redraw",         "^L",             "",       "redraw the screen", .run = redraw },
	{ "suspend",        "^Z",             "",       "back to the shell; fg returns", .run = suspend },
	{ 0 },
};
/* clang-format on */
