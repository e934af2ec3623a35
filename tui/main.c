/* Knows every folder: which sources there are, what the command line wants. */
#include "capture/live.h"
#include "io/gcdump.h"
#include "io/input.h"
#include "io/walk.h"
#include "tui/app.h"
#include "tui/batch.h"
#include "tui/format.h"
#include "tui/help.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <locale.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct source *const sources[] = { &source_gcdump,
						&source_nettrace };
enum { SOURCES_COUNT = sizeof sources / sizeof sources[0] };

static bool
is_gzip(const uint8_t *head, size_t head_len)
{
	return head_len >= 2 && head[0] == 0x1f && head[1] == 0x8b;
}

/* Finds the source that knows this content, and lets it read. */
static const struct heap *
load(const char *path, enum load_what what, struct progress *progress,
     struct preview *preview, struct error *err)
{
	uint8_t head[INPUT_HEAD_BYTES];
	size_t head_len, file_len;
	char *file;
	bool has_head;

	walk_path_number(path, &file_len);
	file = strndup(path, file_len);
	if (!file)
		return error_no_memory(err, file_len), NULL;
	has_head = input_head(file, head, &head_len, progress, err);
	free(file);
	if (!has_head)
		return NULL;
	for (int i = 0; i < SOURCES_COUNT; i++)
		if (sources[i]->accepts(head, head_len))
			return sources[i]->load(path, what, progress, preview,
						err);
	error_set(err, ERROR_INPUT,
		  is_gzip(head, head_len)
		      ? "compressed with gzip: unpack it first"
		  : head_len ? "neither a .gcdump nor a .nettrace: it does not "
			       "begin like one"
			     : "the file is empty");
	return NULL;
}

static const char *
clean(const char *text, char *out, size_t out_size)
{
	return term_wants_utf8() ? text_clean(text, out, out_size)
				 : text_to_ascii(text, out, out_size);
}

/* Names of files come from anywhere, as those in a dump do. */
static void PRINTF_LIKE(2, 3) say(const char *file, const char *format, ...)
{
	char text[1024], out[2048];
	va_list args;

	fputs("heaptop: ", stderr);
	if (file)
		fprintf(stderr, "%s: ", clean(file, out, sizeof out));
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	fprintf(stderr, "%s\n", clean(text, out, sizeof out));
}

static int
tell(const char *file, const struct error *err, int code)
{
	if (err->kind == ERROR_NONE || err->kind == ERROR_CANCELLED)
		return code;
	/* Some errors of the system name the file themselves. */
	if (code != EXIT_BAD_FILE || (file && strstr(err->message, file)))
		file = NULL;
	say(file, "%s", err->message);
	return code;
}

/* Numbers that are estimates or incomplete are never printed in silence. */
static void
tell_warnings(const char *file, const struct heap *h)
{
	const struct losses *l = &h->info.losses;

	if (h->info.is_sampled)
		say(file, "sampled: counts and sizes of types are estimates");
	for (uint32_t i = 0; i < h->info.warnings_count; i++)
		say(file, "%s", h->info.warnings[i]);
	if (l->damaged_nodes || l->damaged_refs)
		say(file,
		    "damaged: records of objects that could not be read: "
		    "%" PRIu64 ", references that name no object: %" PRIu64
		    "; there is less here than there was",
		    l->damaged_nodes, l->damaged_refs);
}

/* --- live processes ------------------------------------------------------ */

/* A loader is a path and a function; what a capture needs besides is here. */
static struct live {
	bool is_wanted; /* not a file */
	struct capture_target target;
	struct capture_options options;
	struct capture_card card;
	struct capture_cost cost; /* known once the session has its heap */
} live;

/* Types alone would cost the target as much: all is loaded. */
static const struct heap *
load_live(const char *path, enum load_what what, struct progress *progress,
	  struct preview *preview, struct error *err)
{
	(void)path;
	(void)what;
	return capture_load(&live.target, &live.options, NULL, progress,
			    preview, &live.cost, err);
}

static struct loader
loader_of(const struct options *o)
{
	return (struct loader){ o->file, live.is_wanted ? load_live : load };
}

enum { LIST_COLUMNS = 5, LIST_CELL_BYTES = 512 };

/* The text of a cell; "" says nothing. */
static const char *
list_text(const struct process *p, int column, char *number, size_t size)
{
	switch (column) {
	case 0:
		snprintf(number, size, "%" PRId32, p->pid);
		return number;
	case 1:
		return p->user;
	case 2:
		return p->name;
	case 3:
		return p->runtime;
	default:
		return p->container;
	}
}

static const char *
list_cell(const struct process *p, int column, char out[LIST_CELL_BYTES])
{
	static const char *const titles[] = { "PID", "USER", "NAME", "RUNTIME",
					      "CONTAINER" };
	char number[16];
	const char *text =
	    p ? list_text(p, column, number, sizeof number) : titles[column];

	return clean(*text ? text : "-", out, LIST_CELL_BYTES);
}

static void
print_list_row(FILE *to, const struct process *p,
	       const int widths[LIST_COLUMNS])
{
	const char *why = !p ? "WHY NO CAPTURE" : p->trouble.message;
	char cell[LIST_CELL_BYTES];

	for (int column = 0; column < LIST_COLUMNS; column++) {
		int pad;

		list_cell(p, column, cell);
		pad = widths[column] - text_width(cell);
		if (column == 0) /* a number */
			fprintf(to, "%*s%s", pad, "", cell);
		else
			fprintf(to, "  %s%*s", cell, pad, "");
	}
	if (p && p->trouble.kind == ERROR_NONE)
		why = "-";
	fprintf(to, "  %s", clean(why, cell, sizeof cell));
	fputc('\n', to);
}

static void
print_list(FILE *to, const struct process *processes, size_t count)
{
	int widths[LIST_COLUMNS];

	for (int column = 0; column < LIST_COLUMNS; column++) {
		char cell[LIST_CELL_BYTES];

		widths[column] = text_width(list_cell(NULL, column, cell));
		for (size_t i = 0; i < count; i++) {
			int width =
			    text_width(list_cell(&processes[i], column, cell));

			if (width > widths[column])
				widths[column] = width;
		}
	}
	print_list_row(to, NULL, widths);
	for (size_t i = 0; i < count; i++)
		print_list_row(to, &processes[i], widths);
}

static int
run_list(void)
{
	struct process_list list;
	struct error err;
	int code;

	error_clear(&err);
	if (!process_list(&list, PROC_FOLDER, &err))
		return tell(NULL, &err, EXIT_FAILED);
	capture_ask_versions(&list, PROC_FOLDER, NULL);
	code = list.count ? EXIT_OK : EXIT_NOTHING;
	if (list.count)
		print_list(stdout, list.processes, list.count);
	else
		say(NULL, "no .NET process runs here");
	process_list_clear(&list);
	if (!fflush(stdout) || errno == EPIPE)
		return code;
	error_sys(&err, errno, "cannot write to the standard output");
	return tell(NULL, &err, EXIT_FAILED);
}

/* Neither a file nor a place where one could be. */
static bool
is_bare_name(const char *path)
{
	size_t file_len;

	walk_path_number(path, &file_len);
	return strcmp(path, "-") != 0 && !strchr(path, '/') &&
	       file_len == strlen(path) && access(path, F_OK) != 0 &&
	       errno == ENOENT;
}

static int
find_by_name(const char *name, struct error *err)
{
	const struct process *first = NULL;
	struct process_list list;
	size_t count;

	if (!process_list(&list, PROC_FOLDER, err))
		return EXIT_FAILED;
	count = process_list_named(&list, name, &first);
	if (count == 1) {
		live.is_wanted = true;
		live.target.pid = first->pid;
	} else if (count > 1) {
		say(NULL, "%zu processes are called %s; give the number of one",
		    count, name);
		print_list(stderr, first, count);
	} else {
		error_set(err, ERROR_INPUT,
			  "there is no such file, and no .NET process of that "
			  "name; heaptop -l lists them");
	}
	process_list_clear(&list);
	return count == 1 ? EXIT_OK : count ? EXIT_USAGE : EXIT_BAD_FILE;
}

/* Is it a process, and which? */
static int
find_target(const struct options *o, struct error *err)
{
	live.options.keep_path = o->keep;
	live.target.pid = o->pid;
	live.target.port = o->port;
	live.is_wanted = o->is_pid || o->port;
	if (!live.is_wanted && o->file && is_bare_name(o->file))
		return find_by_name(o->file, err);
	if (live.is_wanted || (!o->keep && o->budget_ms == UINT64_MAX))
		return EXIT_OK;
	error_set(err, ERROR_USAGE,
		  "--keep and --budget are for processes, not for files");
	return EXIT_USAGE;
}

static void PRINTF_LIKE(2, 3)
    print_card_line(const char *label, const char *format, ...)
{
	char text[512], out[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	fprintf(stderr, "  %-9s%s\n", label, clean(text, out, sizeof out));
}

static void
print_card_memory(const char *label, const struct cgroup_memory *m)
{
	char room[FORMAT_BYTES], limit[FORMAT_BYTES];

	if (m->limit_bytes)
		print_card_line(label, "%s free until the limit of %s",
				format_size(m->headroom_bytes, room),
				format_size(m->limit_bytes, limit));
	else if (m->headroom_bytes)
		print_card_line(label, "%s free",
				format_size(m->headroom_bytes, room));
}

/* What the capture will cost, before anything is done. */
static void
print_card(const struct capture_card *c)
{
	static const char *const plans[] = {
		[PLAN_TWO_SESSIONS] = "two event sessions",
		[PLAN_ONE_SESSION] = "one event session",
		[PLAN_BLOCKING] = "one event session that waits for us",
	};
	char a[FORMAT_BYTES], b[FORMAT_BYTES], out[256];

	fprintf(stderr, "%s\n", clean(c->who, out, sizeof out));
	print_card_line("runtime", ".NET %s %s, %s GC, %" PRIu32 " heap%s",
			*c->runtime ? c->runtime : "of unknown version",
			c->machine, c->is_server_gc ? "server" : "workstation",
			c->heaps_count, c->heaps_count == 1 ? "" : "s");
	print_card_line("objects", "at most %s in %s",
			format_count(c->objects, a),
			format_size(c->heap_bytes, b));
	print_card_line("pause", "about %s, %u collection%s forced",
			format_seconds((double)c->pause_ms / 1e3, a),
			c->collections, c->collections == 1 ? "" : "s");
	print_card_line("plan", "%s, at most %" PRIu32 " MB buffered in it",
			plans[c->plan], c->buffer_mb);
	print_card_memory("its room", &c->target);
	print_card_memory("our room", &c->ours);
	print_card_line("we need", "about %s", format_size(c->our_bytes, a));
	if (c->sessions || c->has_tracing)
		print_card_line("also",
				"%" PRIu32 " other event session%s open%s: "
				"types may have no names",
				c->sessions, c->sessions == 1 ? "" : "s",
				c->has_tracing ? ", and events are recorded "
						 "since its start"
					       : "");
}

static bool
is_agreed(void)
{
	char answer[16];

	fputs("capture? [Y/n] ", stderr);
	return fgets(answer, sizeof answer, stdin) && strchr("\nyY", answer[0]);
}

/*
 * Looks for the process, tells what a capture will cost, and asks. Nothing is
 * done to the process yet. Of a file nothing is asked.
 */
static int
prepare_live(struct options *o, struct error *err)
{
	int code = find_target(o, err);
	char about[FORMAT_BYTES];

	if (code || !live.is_wanted)
		return code;
	if (o->port)
		say(NULL, "waiting for a runtime to connect to %s", o->port);
	if (!capture_preflight(&live.card, &live.target, &live.options, NULL,
			       err))
		return err->kind == ERROR_USAGE ? EXIT_USAGE : EXIT_ATTACH;
	o->file = live.card.who;
	print_card(&live.card);
	if (live.card.pause_ms > o->budget_ms) {
		error_set(
		    err, ERROR_ATTACH,
		    "the pause may be %s, more than the budget of %g s: "
		    "nothing was done to the process",
		    format_seconds((double)live.card.pause_ms / 1e3, about),
		    (double)o->budget_ms / 1e3);
		return EXIT_ATTACH;
	}
	if (!o->batch && !o->is_sure && isatty(STDIN_FILENO) && !is_agreed())
		return EXIT_INTERRUPTED;
	return EXIT_OK;
}

/* No file was bad where there is none. */
static int
exit_code_of_live(int code, const struct error *err)
{
	if (!live.is_wanted || code != EXIT_BAD_FILE)
		return code;
	return err->kind == ERROR_SYSTEM ? EXIT_FAILED : EXIT_ATTACH;
}

/* After the session: what was asked for besides the heap. */
static int
tell_kept(int code)
{
	struct error err;

	if (!live.cost.keep_errnum)
		return code;
	error_clear(&err);
	error_sys(&err, live.cost.keep_errnum, "cannot keep the events in %s",
		  live.options.keep_path);
	return tell(NULL, &err, code ? code : EXIT_FAILED);
}

static int
tell_cost(const char *who, int code)
{
	char text[256];

	say(who, "%s", capture_cost_text(&live.cost, text, sizeof text));
	return code || live.cost.is_complete ? code : EXIT_INCOMPLETE;
}

/* --- on the screen, and as text ------------------------------------------ */

static int
run_batch(struct options *o)
{
	const struct loader loader = loader_of(o);
	struct theme theme;
	struct error err;
	struct session *s;
	int code = EXIT_FAILED;

	error_clear(&err);
	if (o->theme && !theme_load(&theme, o->theme, &err))
		return tell(NULL, &err, EXIT_USAGE);
	if (o->format == TABLE_TEXT && !term_wants_utf8())
		o->format = TABLE_ASCII;
	s = session_new(&loader, (struct waker){ 0 }, &err);
	if (s)
		code = batch_run(s, o, stdout, &err);
	code = exit_code_of_live(code, &err);
	if (s && s->heap)
		tell_warnings(o->file, s->heap);
	if (s && s->heap && live.is_wanted)
		code = tell_cost(o->file, code);
	session_free(s);
	return tell_kept(tell(o->file, &err, code));
}

static void
wake_term(void *term)
{
	term_wake(term);
}

static bool
load_theme(const struct options *o, struct theme *theme, struct error *err)
{
	const char *name = o->theme ? o->theme : getenv("HEAPTOP_THEME");

	return theme_load(theme, name && *name ? name : "default", err);
}

/* From the open terminal to the last view closed. */
static bool
browse(const struct options *o, struct term *term, struct error *err)
{
	const struct loader loader = loader_of(o);
	struct session *s =
	    session_new(&loader, (struct waker){ wake_term, term }, err);
	struct app *app = s ? app_new(s, err) : NULL;
	bool ok = false;

	if (app) {
		app_keep_histories(app);
		app_set_startup(app, o->commands);
		term_set_title(term, s->name);
		session_enter(s);
		ok = view_sort_and_filter(app_view(app), o->sort, o->filter,
					  err);
		session_leave(s);
		ok = ok && session_start(s, err) && app_run(app, term, err);
	}
	app_free(app);
	session_free(s);
	return ok;
}

static int
run_screen(const struct options *o)
{
	struct theme theme;
	struct error err;
	struct term *term;
	bool ok;

	error_clear(&err);
	setlocale(LC_CTYPE, "");
	if (!load_theme(o, &theme, &err))
		return tell(NULL, &err, EXIT_USAGE);
	term = term_open(&theme, &err);
	if (!term)
		return tell(NULL, &err, EXIT_USAGE);
	ok = browse(o, term, &err);
	term_close(term);
	if (ok)
		return tell_kept(EXIT_OK);
	return tell(o->file, &err,
		    exit_code_of_live(exit_code_of_load(&err), &err));
}

static int
print_and_close(void (*print)(FILE *to))
{
	struct error err;

	error_clear(&err);
	print(stdout);
	if (!fflush(stdout) || errno == EPIPE)
		return EXIT_OK;
	error_sys(&err, errno, "cannot write to the standard output");
	return tell(NULL, &err, EXIT_FAILED);
}

static void
print_version(FILE *to)
{
	fprintf(to, "heaptop %s\n", HEAPTOP_VERSION);
}

/*
 * What can be read only once, /dev/stdin or what a shell makes of <(…), becomes
 * the standard input, which is kept while it is looked at twice.
 */
static const char *
file_or_stream(const char *path)
{
	struct stat st;
	int fd;

	if (stat(path, &st) || !S_ISFIFO(st.st_mode))
		return path;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return path;
	if (dup2(fd, STDIN_FILENO) >= 0)
		path = "-";
	if (fd != STDIN_FILENO)
		close(fd);
	return path;
}

int
main(int argc, char **argv)
{
	struct options o;
	struct error err;
	int code;

	error_clear(&err);
	signal(SIGPIPE, SIG_IGN);
	memory_set_up();
	if (!options_parse(&o, argc, argv, &err))
		return tell(NULL, &err, EXIT_USAGE);
	switch (o.action) {
	case ACTION_HELP:
		return print_and_close(options_print_help);
	case ACTION_HELP_KEYS:
		return print_and_close(help_print_keys);
	case ACTION_HELP_COLUMNS:
		return print_and_close(help_print_columns);
	case ACTION_VERSION:
		return print_and_close(print_version);
	case ACTION_LIST:
	case ACTION_OPEN:
		break;
	}
	if (o.file)
		o.file = file_or_stream(o.file);
	/* Without a terminal the type table is what there is to show. */
	if (o.action == ACTION_OPEN && !o.batch && !isatty(STDOUT_FILENO))
		o.batch = "types";
	if (!o.batch && (o.format != TABLE_TEXT || o.rows_max != UINT64_MAX)) {
		error_set(&err, ERROR_USAGE,
			  "-n, --csv and --tsv want -b: what shall "
			  "be printed?");
		return tell(NULL, &err, EXIT_USAGE);
	}
	if (o.action == ACTION_LIST)
		return run_list();
	code = prepare_live(&o, &err);
	if (code)
		return tell(o.file, &err, code);
	return o.batch ? run_batch(&o) : run_screen(&o);
}
