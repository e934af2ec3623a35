#include "tui/batch.h"
#include "tui/app.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 4096 };

struct batch {
	struct session *session;
	const struct options *options;
	struct app *app; /* made once there is a heap */
	FILE *to;
};

int
exit_code_of_load(const struct error *err)
{
	if (err->kind == ERROR_CANCELLED)
		return EXIT_INTERRUPTED;
	return EXIT_BAD_FILE;
}

static unsigned
column_needs(const struct view_ops *ops, const struct options *o)
{
	unsigned needs = 0;

	for (const struct column *c = ops->columns; c->id; c++)
		/* Columns of generations come only if all is there anyhow. */
		if (!(c->flags & COLUMN_RANGES) ||
		    (o->sort && !strcmp(o->sort, c->id)))
			needs |= c->needs;
	return needs;
}

static unsigned
line_needs(const struct binding *b, const struct options *o)
{
	unsigned needs = NEED_TYPES;

	if (!b->opens)
		return NEED_TYPES | NEED_OBJECTS;
	needs |= b->opens->needs | column_needs(b->opens, o);
	if (b->opens->takes & TAKES_OBJECT)
		needs |= NEED_OBJECTS;
	return needs;
}

static int
sort_and_filter(struct view *v, const struct options *o, struct error *err)
{
	int column;

	if (o->filter && !view_filter(v, o->filter, err))
		return EXIT_USAGE;
	if (!o->sort)
		return EXIT_OK;
	column = view_column_by_id(v->ops, o->sort);
	if (column < 0 || v->ops->columns[column].sort == UNSORTED) {
		error_set(err, ERROR_USAGE,
			  "%s does not sort by \"%.40s\"; --help columns "
			  "lists what there is",
			  v->ops->command.name, o->sort);
		return EXIT_USAGE;
	}
	if (!view_sort_to(v, column, v->ops->columns[column].sort == DOWN, err))
		return EXIT_FAILED;
	return EXIT_OK;
}

static int
print_view(struct batch *b, struct error *err)
{
	struct view *v = app_view(b->app);
	int code = sort_and_filter(v, b->options, err);

	if (code)
		return code;
	table_print(b->to, v, b->options->format, b->options->rows_max);
	return v->rows_count ? EXIT_OK : EXIT_NOTHING;
}

static bool
make_app(struct batch *b, struct error *err)
{
	if (!b->app)
		b->app = app_new(b->session, err);
	return b->app != NULL;
}

/* What was named is not there, or it was not understood. */
static int
exit_code_of_command(const struct binding *b, const char *line,
		     const struct error *err)
{
	bool names_something = b->opens && strchr(line, ' ') &&
			       b->opens->takes & (TAKES_OBJECT | TAKES_TYPE);

	if (err->kind != ERROR_USAGE)
		return EXIT_FAILED;
	return names_something ? EXIT_NOTHING : EXIT_USAGE;
}

static int
run_line(struct batch *b, const char *line, struct error *err)
{
	char expanded[LINE_BYTES];
	struct binding found;

	line += strspn(line, " :");
	if (!*line)
		return EXIT_OK;
	line = command_expand_alias(line, expanded, sizeof expanded);
	found = command_by_name(NULL, line, strcspn(line, " "), err);
	if (!found.command)
		return EXIT_USAGE;
	if (found.opens && found.opens->flags & VIEW_HIDDEN) {
		error_set(err, ERROR_USAGE, "%s is for the screen",
			  found.command->name);
		return EXIT_USAGE;
	}
	if (!session_require(b->session, line_needs(&found, b->options), err))
		return exit_code_of_load(err);
	if (!make_app(b, err))
		return EXIT_FAILED;
	if (!app_command(b->app, line, err))
		return exit_code_of_command(&found, line, err);
	return found.opens ? print_view(b, err) : EXIT_OK;
}

static int
run_lines(struct batch *b, const char *lines, struct error *err)
{
	char line[LINE_BYTES];
	int code = EXIT_OK;

	while (lines && *lines && !code) {
		size_t len = strcspn(lines, ";");

		if (len >= sizeof line) {
			error_set(err, ERROR_USAGE, "the command is too long");
			return EXIT_USAGE;
		}
		memcpy(line, lines, len);
		line[len] = '\0';
		code = run_line(b, line, err);
		lines += len + (lines[len] == ';');
	}
	return code;
}

/* A reader that has seen enough is no error; a full disk is. */
static int
finish_output(FILE *to, int code, struct error *err)
{
	int failed = fflush(to) ? errno : 0;

	if (!failed && !ferror(to))
		return code;
	if (failed == EPIPE || errno == EPIPE)
		return EXIT_OK;
	error_sys(err, failed ? failed : EIO, "cannot write the output");
	return EXIT_FAILED;
}

int
batch_run(struct session *s, const struct options *o, FILE *to,
	  struct error *err)
{
	struct batch b = { .session = s, .options = o, .to = to };
	int code = run_lines(&b, o->commands, err);

	if (!code)
		code = run_lines(&b, o->batch, err);
	app_free(b.app);
	return finish_output(to, code, err);
}
