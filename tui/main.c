/* Knows every folder: which sources there are, what the command line wants. */
#include "io/gcdump.h"
#include "io/input.h"
#include "io/walk.h"
#include "tui/app.h"
#include "tui/batch.h"
#include "tui/help.h"
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct source *const sources[] = { &source_gcdump,
						&source_nettrace };
enum { SOURCES_COUNT = sizeof sources / sizeof sources[0] };

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
		  head_len ? "neither a .gcdump nor a .nettrace: it does not "
			     "begin like one"
			   : "the file is empty");
	return NULL;
}

static int
tell(const char *file, const struct error *err, int code)
{
	char clean[2 * sizeof err->message];
	const char *message = text_clean(err->message, clean, sizeof clean);

	if (err->kind == ERROR_NONE || err->kind == ERROR_CANCELLED)
		return code;
	/* Some errors of the system name the file themselves. */
	if (file && code >= EXIT_BAD_FILE && !strstr(message, file))
		fprintf(stderr, "heaptop: %s: %s\n", file, message);
	else
		fprintf(stderr, "heaptop: %s\n", message);
	return code;
}

/* Numbers that are estimates or incomplete are never printed in silence. */
static void
tell_warnings(const char *file, const struct heap *h)
{
	char clean[1024];

	if (h->info.is_sampled)
		fprintf(stderr,
			"heaptop: %s: sampled: counts and sizes of "
			"types are estimates\n",
			file);
	for (uint32_t i = 0; i < h->info.warnings_count; i++)
		fprintf(stderr, "heaptop: %s: %s\n", file,
			text_clean(h->info.warnings[i], clean, sizeof clean));
}

static int
run_batch(const struct options *o)
{
	const struct loader loader = { o->file, load };
	struct error err;
	struct session *s;
	int code = EXIT_FAILED;

	error_clear(&err);
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
		ok = session_start(s, err) && app_run(app, term, err);
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
	print(stdout);
	return fflush(stdout) ? EXIT_FAILED : EXIT_OK;
}

static void
print_version(FILE *to)
{
	fprintf(to, "heaptop %s\n", HEAPTOP_VERSION);
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
	/* Without a terminal the type table is what there is to show. */
	if (!o.batch && !isatty(STDOUT_FILENO))
		o.batch = "types";
	return o.batch ? run_batch(&o) : run_screen(&o);
}
