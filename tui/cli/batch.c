#include "tui/cli/batch.h"
#include "model/base/arena.h"
#include "model/base/text.h"
#include "tui/session/analyses.h"
#include "tui/session/earlier.h"
#include "tui/app/state.h"
#include "tui/app/command.h"
#include "tui/cli/outcome.h"
#include "tui/cli/say.h"
#include "tui/app/script.h"
#include "tui/session/snapshots.h"
#include "tui/app/views.h"
#include "tui/widget/view_print.h"
#include "tui/base/quoting.h"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	TOP_ROWS = 100, /* default of -n for views that show the largest rows */
	/* Default limit for views that search row by row. */
	ROWS_WANTED_MAX = 1000,
	LEFT_OUT_BYTES = 256,
};

struct batch {
	struct session *session;
	const struct options *options;
	struct app *app; /* created once there is a heap */
	FILE *to;
	struct row_origin origin; /* of its rows, with --origin */
	/* The plan, made before anything is read. */
	const struct view_ops *view; /* for the next command */
	unsigned needs, optional;
	struct script_nesting nesting; /* of files read by `source` */
};

int
exit_code_of_load(const struct error *err)
{
	if (err->kind == ERROR_CANCELLED)
		return EXIT_INTERRUPTED;
	if (err->kind == ERROR_ATTACH)
		return EXIT_ATTACH;
	if (err->is_limit || err->is_memory)
		return EXIT_FAILED;
	if (err->is_absent)
		return EXIT_INCOMPLETE;
	return err->kind == ERROR_USAGE ? EXIT_USAGE : EXIT_BAD_FILE;
}

/* Returns whether --sort or --columns names the column. */
static bool
is_asked_for(const struct options *o, const struct column *c)
{
	return (o->sort && !strcmp(o->sort + (*o->sort == '-'), c->id)) ||
	       (o->columns && column_is_in(c, o->columns));
}

/* Returns the needs of the columns that are named, or of the default ones. */
static unsigned
column_needs(const struct view_ops *ops, const struct options *o, bool asked)
{
	unsigned needs = 0;

	for (const struct column *c = ops->table->columns; c->id; c++)
		/* Generation columns are shown only if their data is there already. */
		if (asked ? is_asked_for(o, c) : !(c->flags & (COLUMN_RANGES | COLUMN_DEAR)))
			needs |= c->needs;
	return needs;
}

static unsigned
batch_needs(const struct view_ops *ops, const struct options *o, const char *line)
{
	unsigned needs = view_needs(ops) | column_needs(ops, o, true);

	if (view_code(ops)->needs_for)
		needs |= view_code(ops)->needs_for(line + strcspn(line, " "));
	if (o->filter)
		needs |= view_filter_needs(ops, o->filter);
	if (view_takes(ops) & TAKES_OBJECT)
		needs |= NEED_OBJECTS;
	/* A dump without a heap has no types. */
	return needs & NEED_PROCESS && !(needs & NEED_OBJECTS) ? needs : needs | NEED_TYPES;
}

/* Returns what a view that counts only my code needs to count what it holds. */
static unsigned
mine_needs(const struct view_ops *ops, const struct session *s)
{
	return ops->list.flags & VIEW_MINE && s->shows_mine ? NEED_OBJECTS | NEED_RETAINED : 0;
}

/* --- plan ---------------------------------------------------------------- */

typedef int run_line(struct batch *b, const char *line, struct error *err);

/* Runs every command of the script; stops at the first that fails. */
static int
for_each_command(struct batch *b, struct script *s, run_line *run, struct error *err)
{
	char line[SCRIPT_COMMAND_BYTES];
	int code = EXIT_OK;

	while (!code && script_next(s, line, err)) {
		code = run(b, line, err);
		if (code)
			script_blame(s, err);
	}
	return code || err->kind == ERROR_NONE ? code : EXIT_USAGE;
}

/* Runs the commands in the argument of -b or -x. */
static int
for_each_line(struct batch *b, const char *option, const char *lines, run_line *run,
	      struct error *err)
{
	struct script s;

	/* A query may have several lines and ends with ';'. */
	if (lines && text_begins(lines, "sql "))
		return run(b, lines, err);
	script_init(&s, lines ? lines : "");
	s.option = option;
	return for_each_command(b, &s, run, err);
}

static bool
find_command(const struct view_ops *view, const char *line, struct binding *found,
	     struct error *err)
{
	char expanded[SCRIPT_COMMAND_BYTES];

	line = command_expand_alias(line, NULL, expanded, sizeof expanded, err);
	if (!line)
		return false;
	*found = command_by_name(view, line, strcspn(line, " ;"), err);
	if (!found->command)
		return false;
	if (!found->opens || !(found->opens->list.flags & VIEW_HIDDEN))
		return true;
	return error_set(err, ERROR_USAGE, "%s works only on the screen", found->command->name);
}

/* Returns the view that the first command of -b opens, or NULL. */
static const struct view_ops *
first_view(const char *commands)
{
	struct error ignored = { 0 };
	struct binding found;

	return find_command(NULL, commands, &found, &ignored) ? found.opens : NULL;
}

bool
batch_needs_heap(const char *commands)
{
	const struct view_ops *view = first_view(commands);

	return !view || !(view->list.flags & VIEW_WITHOUT_HEAP);
}

bool
batch_needs_memory(const char *commands)
{
	const struct view_ops *view = first_view(commands);

	return view && view->table->heaps != OF_ANY_HEAP;
}

static int plan_more(struct batch *b, const char *line, struct error *err);

/* Plan the commands of a file that `source` will run. */
static int
plan_file(struct batch *b, const char *argument, struct error *err)
{
	char path[SCRIPT_COMMAND_BYTES];
	struct script s;
	const char *name;
	int code = EXIT_USAGE;

	strcpy(path, argument + strspn(argument, " \t"));
	name = quoting_strip(path);
	if (!b->nesting.depth)
		b->nesting.count = 0;
	if (!script_enter(&b->nesting, name, err))
		return EXIT_USAGE;
	if (script_read(&s, name, TEXT_FILE_ANY, err)) {
		code = for_each_command(b, &s, plan_more, err);
		script_clear(&s);
	}
	script_leave(&b->nesting);
	return code;
}

/* Refuses before a process is captured in vain. */
static bool
has_samples(const struct batch *b, const struct view_ops *view, struct error *err)
{
	const struct snapshots *all = b->session->snapshots;

	return view != &view_samples || (all && all->load_samples) ||
	       error_set(err, ERROR_USAGE, "%s: %s", view->command.name, view->words.no_rows);
}

/* Adds the needs of a command, which may open another view. */
static int
plan_command(struct batch *b, const char *line, struct error *err)
{
	struct binding found;

	if (!find_command(b->view, line, &found, err))
		return EXIT_USAGE;
	if (found.opens && !has_samples(b, found.opens, err))
		return EXIT_USAGE;
	if (found.opens) {
		b->view = found.opens;
		b->needs |= batch_needs(found.opens, b->options, line);
		b->optional |= found.opens->list.wants |
			       column_needs(found.opens, b->options, false) |
			       mine_needs(found.opens, b->session);
	} else if (!strcmp(found.command->name, "where") ||
		   !strcmp(found.command->name, "filter")) {
		b->needs |= view_filter_needs(b->view, line + strcspn(line, " "));
	} else if (!strcmp(found.command->name, "save")) {
		b->needs |= NEED_OBJECTS;
	} else if (!strcmp(found.command->name, "source")) {
		return plan_file(b, line + strcspn(line, " \t"), err);
	}
	return EXIT_OK;
}

/* Plan one line of -x. An SOS command may expand to several of ours. */
static int
plan_more(struct batch *b, const char *line, struct error *err)
{
	char expanded[SCRIPT_COMMAND_BYTES];
	struct script several;

	if (!line[strspn(line, "0123456789")])
		return EXIT_OK; /* moves the cursor to a row */
	line = command_expand_alias(line, NULL, expanded, sizeof expanded, err);
	if (!line)
		return EXIT_USAGE;
	if (line != expanded)
		return plan_command(b, line, err);
	script_init(&several, line);
	return for_each_command(b, &several, plan_command, err);
}

static int
plan_line(struct batch *b, const char *line, struct error *err)
{
	struct binding found;
	int code;

	if (!find_command(NULL, line, &found, err))
		return EXIT_USAGE;
	if (!found.opens) {
		error_set(err, ERROR_USAGE, "%s prints nothing; --help lists what -b takes",
			  found.command->name);
		return EXIT_USAGE;
	}
	b->view = NULL;
	code = plan_more(b, line, err);
	return code ? code : for_each_line(b, "-x ", b->options->commands, plan_more, err);
}

/* --- run ----------------------------------------------------------------- */

static uint64_t
rows_on_top(uint64_t rows_max)
{
	return rows_max == UINT64_MAX ? TOP_ROWS : rows_max ? rows_max : UINT64_MAX;
}

/* Drops columns that do not fit the terminal, and reports which. */
static void
drop_wide_columns(const struct batch *b, struct table_writer *t, const struct view *v)
{
	char left_out[LEFT_OUT_BYTES];
	int columns = say_columns(b->to);

	if (columns == INT_MAX || t->format >= TABLE_CSV)
		return;
	view_print_fit(t, v, columns, left_out, sizeof left_out);
	if (*left_out)
		say(NULL,
		    "the terminal's %d columns have no room for: %s; see all with | less -S, or "
		    "choose with --columns",
		    columns, left_out);
}

static int
print_view(struct batch *b, struct error *err)
{
	const struct options *o = b->options;
	struct view *v = app_view(b->app);
	char why[VALUE_TEXT_BYTES];
	struct table_writer table;

	if (!view_sort_and_filter(v, o->sort, o->filter, err))
		return err->kind == ERROR_USAGE ? EXIT_USAGE : EXIT_FAILED;
	if (!view_print_init(&table, v, o->format, o->columns, err))
		return EXIT_USAGE;
	table.rows_first = o->rows_first;
	table.rows_max = o->rows_max;
	if (v->ops->list.flags & VIEW_TOP)
		table.rows_max = rows_on_top(o->rows_max);
	drop_wide_columns(b, &table, v);
	if (o->has_origin && b->session->heap)
		row_origin_give(&b->origin, &table, b->session->heap, &o->labels);
	view_print(b->to, &table, v);
	if (view_code(v->ops)->is_wrong)
		return view_code(v->ops)->is_wrong(v) ? EXIT_NOTHING : EXIT_OK;
	if (v->rows_count)
		return EXIT_OK;
	/* Say why: an exit code alone looks like a failure. */
	if (v->filter)
		error_set(err, ERROR_USAGE, "%.80s: no row matches \"%.100s\"", v->title,
			  filter_text(v->filter));
	else
		error_set(err, ERROR_USAGE, "%.80s: %.150s", v->title, view_empty_text(v, why));
	return EXIT_NOTHING;
}

/* Passes on what the screen would warn of: a file that was not written. */
static void
report_warning(struct app *app)
{
	if (*app->message && app->message_style == STYLE_WARNING)
		say_warning(NULL, app->message);
	app->message[0] = '\0';
}

/* Runs a command. EXIT_NOTHING: the object or type it names does not exist. */
static int
do_line(struct batch *b, const char *line, struct error *err)
{
	struct binding found;
	struct error ignored = { 0 };
	uint64_t address;

	if (app_command(b->app, line, err) && session_take_at_once(b->session, err)) {
		report_warning(b->app);
		return EXIT_OK;
	}
	if (err->kind != ERROR_USAGE)
		return EXIT_FAILED;
	if (!strchr(line, ' ') || !find_command(app_view(b->app)->ops, line, &found, &ignored) ||
	    !found.opens || !(view_takes(found.opens) & (TAKES_OBJECT | TAKES_TYPE)))
		return EXIT_USAGE;
	if (!(view_takes(found.opens) & TAKES_TYPE) &&
	    !address_parse(strrchr(line, ' ') + 1, &address))
		return EXIT_USAGE;
	return EXIT_NOTHING;
}

/* Opens a view, runs the commands of -x in it and prints it. */
static int
show_line(struct batch *b, const char *line, struct error *err)
{
	int code = do_line(b, line, err);

	if (!code)
		code = for_each_line(b, "-x ", b->options->commands, do_line, err);
	return code ? code : print_view(b, err);
}

/*
 * Computes the optional columns. They are left out if they would exceed the memory limit. A failed
 * allocation is an error instead, because the next run might print them.
 */
static bool
require_optional(struct session *s, unsigned optional, struct error *err)
{
	struct error why = { 0 };

	if (!optional || session_require(s, optional, &why))
		return true;
	if (why.kind == ERROR_SYSTEM && !why.is_memory && analyses_refusal(s, optional)) {
		s->has_omissions = true;
		return true;
	}
	*err = why;
	return false;
}

/* Lets tables compare the last capture with the one before it. */
static bool
compare_with_earlier(struct batch *b, struct error *err)
{
	struct session *before = earlier_before(b->session);

	if (!before)
		return true;
	if (!require_optional(before, b->optional, err))
		return false;
	if (!before->retention != !b->session->retention)
		return error_set(err, ERROR_SYSTEM,
				 "memory allows retained sizes of only one of the heaps, so they "
				 "cannot be compared: --mem sets the limit");
	b->session->before = session_facts(before);
	return true;
}

/* Computes all needs. Views of types accept a heap without objects. */
static bool
require_needs(struct batch *b, struct error *err)
{
	if (b->session->is_empty && b->view->list.flags & VIEW_WITHOUT_HEAP)
		return true;
	if (session_require(b->session, b->needs & ~(unsigned)NEED_SNAPSHOTS, err))
		return true;
	if (!(b->view->list.flags & VIEW_OF_TYPES) || !b->session->has_only_types)
		return false;
	error_clear(err);
	return true;
}

static bool
require_snapshots(struct batch *b, struct error *err)
{
	struct snapshots *all = b->session->snapshots;
	unsigned needs = b->needs & ~(unsigned)NEED_SNAPSHOTS;

	for (size_t i = 0; all && i < all->count; i++)
		if (!session_require(all->sessions[i], needs, err))
			return false;
	if (all)
		snapshots_note_arrival(all);
	return true;
}

/* Returns whether the command is about the last capture in several files. */
static bool
shows_last_file(const struct batch *b)
{
	return b->options->files_count > 1 && !b->options->has_origin &&
	       b->view->list.flags & VIEW_LAST_FILE;
}

/* Shows the last capture of the process in the last file, which finds what it needs in the earlier
   ones. The files may be named in any order. */
static bool
take_last(struct batch *b, struct error *err)
{
	const struct snapshots *all = b->session->snapshots;

	if (!require_snapshots(b, err))
		return false;
	b->session = earlier_latest(all->sessions[all->count - 1]);
	return true;
}

/* Returns whether no file has failed to load. */
static bool
are_loaded(const struct batch *b)
{
	const struct snapshots *all = b->session->snapshots;

	for (size_t i = 0; all && i < all->count; i++)
		if (!all->sessions[i]->heap)
			return false;
	return b->session->heap;
}

/* Returns whether data is missing from a heap that was loaded. */
static bool
lacks_data(const struct session *s)
{
	return s->heap && losses_are_incomplete(&s->heap->info.losses);
}

/* Returns whether data is missing from any of them. */
static bool
is_incomplete(const struct session *s)
{
	const struct snapshots *all = s->snapshots;

	for (size_t i = 0; all && i < all->count; i++)
		if (lacks_data(all->sessions[i]))
			return true;
	return lacks_data(s);
}

/* Computes what the commands need, and runs them. */
static int
run_one(struct batch *b, struct error *err)
{
	const struct options *o = b->options;
	bool shows_last = shows_last_file(b);

	if ((shows_last && !take_last(b, err)) || !require_needs(b, err) ||
	    (b->needs & NEED_SNAPSHOTS && !require_snapshots(b, err)) ||
	    !require_optional(b->session, b->optional, err) ||
	    (shows_last && !compare_with_earlier(b, err)))
		return are_loaded(b) && err->kind == ERROR_SYSTEM ? EXIT_FAILED
								  : exit_code_of_load(err);
	b->session->rows_wanted =
	    o->rows_first + (o->rows_max < ROWS_WANTED_MAX ? o->rows_max + 1 : ROWS_WANTED_MAX);
	b->session->is_batch = true;
	b->session->keeps_links = o->format >= TABLE_CSV;
	b->app = app_new(b->session, err);
	if (!b->app)
		return EXIT_FAILED;
	return for_each_line(b, "-b ", o->batch, show_line, err);
}

/*
 * Runs the commands for one of several heaps, then frees it: only one of a thousand is in memory. A
 * damaged file is reported, and does not keep the others from being printed.
 */
static int
run_and_drop(struct batch *b, struct session *s, struct error *err)
{
	int code;

	b->session = s;
	error_clear(err);
	code = run_one(b, err);
	if (!code && lacks_data(s))
		code = EXIT_INCOMPLETE;
	code = outcome_report_heap(s->snapshots, s, b->options, code);
	if (code == EXIT_BAD_FILE || err->is_absent)
		say_error(s->loader.path, err, code);
	app_free(b->app);
	b->app = NULL;
	session_drop(s);
	return code;
}

/* Prints the rows of each heap in turn. Returns the worst exit code; that no heap at all has a row
   is one, too. */
static int
run_each(struct batch *b, struct error *err)
{
	static const int worse[] = { EXIT_BAD_FILE, EXIT_INCOMPLETE, EXIT_OK };
	const struct snapshots *all = b->session->snapshots;
	bool has_ended_with[EXIT_BAD_FILE + 1] = { false };

	for (size_t i = 0; i < all->count && !ferror(b->to); i++) {
		int code = run_and_drop(b, all->sessions[i], err);

		if (code > EXIT_BAD_FILE || code == EXIT_USAGE)
			return code;
		has_ended_with[code] = true;
	}
	error_clear(err);
	for (size_t i = 0; i < sizeof worse / sizeof worse[0]; i++)
		if (has_ended_with[worse[i]])
			return worse[i];
	error_set(err, ERROR_USAGE, "%s: no row in any of %zu heaps", b->view->command.name,
		  all->count);
	return EXIT_NOTHING;
}

/* Several heaps need a view of several, or rows that say which they are of. */
static bool
takes_heaps(const struct batch *b, struct error *err)
{
	const struct options *o = b->options;
	bool is_of_several = b->needs & NEED_SNAPSHOTS;
	const char *name = b->view->command.name;

	if (shows_last_file(b))
		return true;
	if (o->files_count <= 1 || is_of_several != o->has_origin)
		return o->files_count <= 1 || is_of_several || o->format == TABLE_JSONL ||
		       error_set(err, ERROR_USAGE,
				 "the rows of several heaps may differ in their columns: print "
				 "them with --jsonl");
	if (is_of_several)
		return error_set(err, ERROR_USAGE,
				 "the rows of %s are about several heaps, and --origin is for rows "
				 "of one",
				 name);
	return error_set(err, ERROR_USAGE,
			 "%s is about one heap, not %d: name one file, compare them with diff, or "
			 "print the rows of all with --origin --jsonl",
			 name, o->files_count);
}

static int
run_all(struct batch *b, struct error *err)
{
	const struct options *o = b->options;
	int code = for_each_line(b, "-b ", o->batch, plan_line, err);

	if (code)
		return code;
	if (!b->view) {
		error_set(err, ERROR_USAGE, "-b wants a command; --help lists them");
		return EXIT_USAGE;
	}
	if (!takes_heaps(b, err))
		return EXIT_USAGE;
	return o->files_count > 1 && o->has_origin ? run_each(b, err) : run_one(b, err);
}

/* Flushes the output. A closed pipe is no error; a full disk is. */
static int
finish_output(FILE *to, int code, struct error *err)
{
	int failed = fflush(to) ? errno : 0;

	if (!failed && !ferror(to))
		return code;
	if (failed == EPIPE || errno == EPIPE)
		return EXIT_OK;
	error_sys(err, failed ? failed : EIO, "cannot write to the standard output");
	return EXIT_FAILED;
}

int
batch_run(struct session *s, const struct options *o, FILE *to, struct error *err)
{
	struct memory_refused before = memory_refused();
	struct batch b = { .session = s, .options = o, .to = to };
	int code = run_all(&b, err);

	if ((!code || code == EXIT_NOTHING) && !memory_was_enough(before, err))
		code = EXIT_FAILED;
	if (!code && is_incomplete(s))
		code = EXIT_INCOMPLETE;
	app_free(b.app);
	return finish_output(to, code, err);
}

int
batch_list(struct session *s, const struct options *o, FILE *to, struct error *err)
{
	struct view *v;
	int code = EXIT_FAILED;
	struct table_writer table;

	s->is_batch = true;
	v = view_open(&view_processes, s, &target_none, err);
	if (v && view_update(v, err) && view_sort_and_filter(v, o->sort, o->filter, err) &&
	    view_print_init(&table, v, o->format, o->columns, err))
		code = v->rows_count ? EXIT_OK : EXIT_NOTHING;
	else if (err->kind == ERROR_USAGE)
		code = EXIT_USAGE;
	if (code == EXIT_NOTHING)
		error_set(err, ERROR_USAGE, "no .NET process is running");
	if (code == EXIT_OK) {
		table.rows_first = o->rows_first;
		table.rows_max = o->rows_max;
		view_print(to, &table, v);
	}
	view_close(v);
	return finish_output(to, code, err);
}
