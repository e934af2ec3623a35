/* Knows every folder: which sources there are, what the command line wants. */
#include "io/gcdump.h"
#include "io/input.h"
#include "io/walk.h"
#include "tui/app.h"
#include "tui/batch.h"
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

static int
run_batch(struct options *o)
{
	const struct loader loader = { o->file, load };
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
	if (s && s->heap)
		tell_warnings(o->file, s->heap);
	session_free(s);
	return tell(o->file, &err, code);
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
	const struct loader loader = { o->file, load };
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
		return EXIT_OK;
	return tell(o->file, &err, exit_code_of_load(&err));
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

	error_clear(&err);
	signal(SIGPIPE, SIG_IGN);
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
	case ACTION_OPEN:
		break;
	}
	o.file = file_or_stream(o.file);
	/* Without a terminal the type table is what there is to show. */
	if (!o.batch && !isatty(STDOUT_FILENO))
		o.batch = "types";
	if (o.batch)
		return run_batch(&o);
	if (o.format == TABLE_TEXT && o.rows_max == UINT64_MAX)
		return run_screen(&o);
	error_set(&err, ERROR_USAGE,
		  "-n, --csv and --tsv want -b: what shall "
		  "be printed?");
	return tell(NULL, &err, EXIT_USAGE);
}
