/* Entry point: connects the folders that carry out the command line. */
#include "capture/capture.h"
#include "capture/memory/probe.h"
#include "capture/process/cgroup.h"
#include "capture/process/process.h"
#include "capture/remote/agent.h"
#include "capture/remote/remote.h"
#include "io/base/zstd.h"
#include "io/events/walk.h"
#include "io/runtime/descriptor.h"
#include "io/runtime/layout.h"
#include "model/sql/sql.h"
#include "tui/app/rc.h"
#include "tui/app/resume.h"
#include "tui/app/tour.h"
#include "tui/base/places.h"
#include "tui/cli/allocation_batch.h"
#include "tui/cli/allowed.h"
#include "tui/cli/allocation_screen.h"
#include "tui/cli/batch.h"
#include "tui/cli/elsewhere.h"
#include "tui/cli/file_loader.h"
#include "tui/cli/gc_lines.h"
#include "tui/cli/help.h"
#include "tui/cli/live_target.h"
#include "tui/cli/manual.h"
#include "tui/cli/mcp.h"
#include "tui/cli/mcp_heaps.h"
#include "tui/cli/outcome.h"
#include "tui/cli/run_screen.h"
#include "tui/cli/run_text.h"
#include "tui/cli/save.h"
#include "tui/cli/say.h"
#include "tui/cli/start.h"
#include "tui/cli/tour_dumps.h"
#include "tui/cli/version.h"
#include "tui/session/gcs.h"
#include "tui/session/snapshots.h"
#include "tui/term/term.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- heaps to open ------------------------------------------------------- */

/* Returns whether `path` is no file; a folder may be named like a process. */
static bool
cannot_be_dump(const char *path)
{
	struct stat st;

	return stat(path, &st) ? errno == ENOENT : S_ISDIR(st.st_mode);
}

/* Returns whether `path` can only be the name of a process. */
static bool
is_bare_name(const char *path)
{
	size_t file_len;

	walk_path_number(path, &file_len);
	return strcmp(path, "-") != 0 && !strchr(path, '/') && file_len == strlen(path) &&
	       cannot_be_dump(path);
}

/* Returns how to reach processes: those here, or elsewhere. */
static const struct live_ops *
live_of(const struct options *o)
{
	return elsewhere_is_meant(o) ? &remote_live_ops : &capture_live_ops;
}

static int
target_named(const struct options *o, const struct live_ops *live, struct live_target *target,
	     struct error *err)
{
	target->pid = live_target_named(live, o->file, err);
	if (target->pid && secure_allows(&o->secure, SECURE_CAPTURE, o->file, err))
		return EXIT_OK;
	if (elsewhere_is_meant(o))
		elsewhere_explain(o, err);
	return err->kind == ERROR_USAGE    ? EXIT_USAGE
	       : err->kind == ERROR_ATTACH ? EXIT_ATTACH
					   : EXIT_BAD_FILE;
}

/* Finds the process on the command line, if any. Returns an exit code. */
static int
find_target(const struct options *o, const struct live_ops *live, struct live_target *target,
	    struct error *err)
{
	bool is_live = o->has_pid || o->port;

	*target = (struct live_target){ o->pid, o->port, o->starts };
	if (!is_live && o->files_count == 1 && (elsewhere_is_meant(o) || is_bare_name(o->file)))
		return target_named(o, live, target, err);
	if (is_live || !o->files_count ||
	    (!o->trace && !options_given(o, "budget") && !o->from_memory))
		return EXIT_OK;
	error_set(err, ERROR_USAGE,
		  o->trace ? "-o FILE.nettrace saves the events of a process; save the heap of a "
			     "file as FILE.heaptop"
		  : o->from_memory ? "-m is for processes; open a core without it"
				   : "--budget is for processes, not for files");
	return EXIT_USAGE;
}

static bool
add_file(struct snapshots *all, const struct options *o, const char *path, struct error *err)
{
	struct loader loader = file_loader(file_loader_path(path), o);

	return snapshots_add(all, &loader, err) != NULL;
}

/* A pipe becomes standard input, of which there is one. */
static bool
takes_one_pipe(const struct options *o, struct error *err)
{
	int pipes = 0;

	pipes += o->samples && file_loader_is_pipe(o->samples);
	pipes += o->check.baseline && file_loader_is_pipe(o->check.baseline);
	for (int i = 0; i < o->files_count; i++)
		pipes += file_loader_is_pipe(o->files[i]);
	return pipes <= 1 ||
	       error_set(err, ERROR_USAGE,
			 "only one of the inputs can be a pipe; save the others in files");
}

/* Adds a session for each heap on the command line, without reading it. */
static int
add_all(struct snapshots *all, struct options *o, struct error *err)
{
	struct live_target target;
	int code;

	if (!takes_one_pipe(o, err))
		return EXIT_USAGE;
	code = find_target(o, all->live, &target, err);
	if (code)
		return code;
	if (o->samples)
		all->samples_path = o->samples = file_loader_path(o->samples);
	if (o->is_tour)
		return tour_open_dumps(all, err) ? EXIT_OK : EXIT_USAGE;
	if (o->check.baseline && !add_file(all, o, o->check.baseline, err))
		return EXIT_FAILED;
	if (o->has_pid || target.pid || target.port) {
		if (o->samples && !allocation_batch_can_join(o->samples, err))
			return EXIT_BAD_FILE;
		/* Before a collection is forced in vain. */
		if (o->batch && !o->from_memory && batch_needs_memory(o->batch)) {
			error_set(err, ERROR_USAGE,
				  "%.*s needs the memory of the process, not its events: "
				  "heaptop -m -b '%.100s' PID",
				  (int)strcspn(o->batch, " ;"), o->batch, o->batch);
			return EXIT_USAGE;
		}
		return live_target_add(all, o, &target, err);
	}
	for (int i = 0; i < o->files_count; i++)
		if (!add_file(all, o, o->files[i], err))
			return EXIT_FAILED;
	if (!o->files_count && !snapshots_add_empty(all, err))
		return EXIT_FAILED;
	return EXIT_OK;
}

/*
 * Returns the default memory limit: a quarter of the machine's available memory, or what our cgroup
 * still allows if that is less, as the target probably runs on the same machine. 0: unknown.
 */
static uint64_t
default_memory_limit(void)
{
	struct cgroup_memory m;
	uint64_t limit, room;

	cgroup_memory(&m, "/proc", CGROUP_FOLDER, (int32_t)getpid(), CGROUP_CACHE_FREE);
	limit = m.available_bytes / 4;
	/* The cgroup also counts page tables and kernel memory. */
	room = m.headroom_bytes / 16 * 15;
	room -= room < MEMORY_RESERVE_BYTES ? room : MEMORY_RESERVE_BYTES;
	if (m.limit_bytes && room < limit)
		limit = room;
	/* 0 means no limit, which is right only if nothing is known. */
	return limit || !m.limit_bytes ? limit : 1;
}

/* Sets up the snapshots, if output can be written. Returns an exit code. */
static int
prepare(struct snapshots *all, const struct options *o, struct live_ops *restricted)
{
	struct error err;

	error_clear(&err);
	if (!save_can_write(o, &err))
		return say_error(NULL, &err, err.kind == ERROR_USAGE ? EXIT_USAGE : EXIT_FAILED);
	snapshots_init(all, (struct waker){ 0 });
	all->live = live_of(o);
	settings_attach(o->settings, all);
	all->secure = o->secure;
	save_set_writers(all);
	if (secure_is_on(&o->secure))
		allowed_restrict(all, restricted);
	return EXIT_OK;
}

/* Adds the heaps that a client finds open; it may look at heaps, and do nothing else on this
   machine. */
static int
add_for_client(struct snapshots *all, struct options *o, struct error *err)
{
	int code = EXIT_OK;
	struct stat file;

	for (int i = 0; i < o->files_count; i++)
		if (!(o->files_count == 1 && is_bare_name(o->files[i])) &&
		    !mcp_heaps_may_open(o->files[i], &file, err))
			return EXIT_BAD_FILE;
	if (o->files_count || o->has_pid)
		code = add_all(all, o, err);
	all->secure = (struct secure){ "--mcp" };
	all->save = NULL;
	all->write = NULL;
	return code;
}

/* Reads the saved session and takes its heaps as the files to open. */
static bool
find_session(struct options *o, struct resume *r, char path[PLACE_BYTES], struct error *err)
{
	if (!o->file && !place_of_state("session", path))
		return error_set(err, ERROR_USAGE,
				 "HOME is not set, so name the session: --resume FILE");
	if (!resume_open(r, o->file ? o->file : path, err))
		return false;
	o->resume = r;
	o->files = r->heaps;
	o->files_count = r->heaps_count;
	o->file = r->heaps[0];
	return true;
}

static int
run(struct options *o)
{
	struct snapshots all;
	struct live_ops restricted;
	struct error err;
	int code = prepare(&all, o, &restricted);

	error_clear(&err);
	if (code)
		return code;
	all.options.keep_path = o->trace;
	all.options.symbols = o->symbols;
	all.options.budget_ms = o->settings->budget_ms;
	all.options.has_conservative_stacks = o->settings->stack_roots;
	all.options.from_memory = o->from_memory;
	all.options.runtime = o->runtime;
	all.options.is_elsewhere = elsewhere_is_meant(o);
	all.file_loader = file_loader(NULL, o);
	tour_dumps_attach(&all);
	if (o->samples)
		all.load_samples = allocation_batch_samples;
	all.default_memory_limit = default_memory_limit();
	snapshots_limit_memory(&all, o->settings->memory_bytes);
	code = o->action == ACTION_MCP ? add_for_client(&all, o, &err) : add_all(&all, o, &err);
	if (code)
		say_error(o->port ? NULL : o->file, &err, code);
	else if (o->action == ACTION_MCP)
		code = mcp_run(&all, o, version_of_heaptop());
	else if (o->action == ACTION_LIST)
		code = run_text_list(&all, o);
	else if (o->action == ACTION_CHECK)
		code = run_text_check(&all, o);
	else if (o->output)
		code = save_run(&all, o);
	else if (o->only_keeps_trace)
		code = save_trace_run(&all, o);
	else
		code = o->batch ? run_text_batch(&all, o) : run_screen(&all, o);
	snapshots_clear(&all);
	return code;
}

/* --- collections --------------------------------------------------------- */

struct watched {
	const struct live_ops *live;
	struct live_target target;
	bool wants_joins;
};

static bool
collections_of_process(const struct loader *from, struct gc_sink sink,
		       struct gc_source_facts *facts, struct progress *progress, struct error *err)
{
	const struct watched *w = from->context;

	return w->live->collections(&w->target, w->wants_joins, sink, facts, progress, err);
}

static int
show_gcs(const struct options *o, const struct loader *from)
{
	struct snapshots all;
	struct live_ops restricted;
	struct session *s;
	struct error err;
	int code = prepare(&all, o, &restricted);

	error_clear(&err);
	if (code)
		return code;
	s = snapshots_add(&all, from, &err);
	if (!s)
		return say_error(NULL, &err, EXIT_FAILED);
	s->is_empty = true;
	code = run_screen(&all, o);
	if (s->gcs && s->gcs->log.added)
		gc_lines_sum_up(stderr, &s->gcs->log.summary, &s->gcs->facts);
	snapshots_clear(&all);
	return code;
}

/* Writes "process 4711 (shop)", without the name if it is unknown here. */
static void
name_watched(const struct watched *w, char *out, size_t out_size)
{
	const char *place = w->live->place ? w->live->place() : NULL;
	struct error ignored = { 0 };
	struct process p;
	bool is_known = !place && w->target.pid &&
			process_look(&p, "/proc", w->target.pid, &ignored) && *p.name;

	snprintf(out, out_size, "%s%sprocess %" PRId32 "%s%s%s", place ? place : "",
		 place ? ": " : "", w->target.pid, is_known ? " (" : "", is_known ? p.name : "",
		 is_known ? ")" : "");
}

/* Prints or shows the collections of a process or trace. */
static int
run_gcs(struct options *o)
{
	struct watched w = { .live = live_of(o), .wants_joins = o->is_verbose };
	struct loader from;
	struct error err;
	char who[128];
	int code;

	error_clear(&err);
	code = find_target(o, w.live, &w.target, &err);
	if (code)
		return say_error(o->file, &err, code);
	if (w.target.pid || w.target.port) {
		name_watched(&w, who, sizeof who);
		from = (struct loader){ .path = o->file   ? o->file
						: o->port ? o->port
							  : who,
					.is_live = true,
					.pid = w.target.pid,
					.context = &w,
					.collections = collections_of_process };
	} else {
		from = file_loader(file_loader_path(o->file), o);
		from.allocations = NULL; /* not the first view */
	}
	if (run_text_prints_gcs(o))
		return run_text_gcs(o, &from);
	return show_gcs(o, &from);
}

/* --- allocations --------------------------------------------------------- */

/* Prints or shows what a process allocates while it is recorded, or what a trace has. */
static int
run_allocations(struct options *o)
{
	struct loader file;
	struct snapshots all;
	struct live_ops restricted;
	struct live_target target;
	struct error err;
	bool is_live;
	int code = prepare(&all, o, &restricted);

	error_clear(&err);
	if (code)
		return code;
	code = find_target(o, all.live, &target, &err);
	is_live = target.pid != 0;
	if (!code && !is_live && o->time_ms) {
		error_set(&err, ERROR_USAGE, "--for is for processes, not for files");
		code = EXIT_USAGE;
	}
	file = file_loader(is_live ? NULL : file_loader_path(o->file), o);
	if (code)
		code = say_error(o->file, &err, code);
	else if (o->batch)
		code = allocation_batch_run(&all, o, &target, file.path);
	else
		code = allocation_screen_run(&all, o, &target, &file);
	snapshots_clear(&all);
	return code;
}

/* --- --probe ------------------------------------------------------------- */

/* Prints text with control characters from the target escaped. */
static void
print_clean(const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "\n");
		char line[1024], out[1024];

		snprintf(line, sizeof line, "%.*s", (int)len, text);
		printf("%s\n", say_clean(line, out, sizeof out));
		text += len + (text[len] != '\0');
	}
}

static int
print_and_close(void (*print)(FILE *to))
{
	struct error err;

	error_clear(&err);
	/* A long text may fail before the final flush: then only errno says why. */
	errno = 0;
	if (print)
		print(stdout);
	if ((!fflush(stdout) && !ferror(stdout)) || errno == EPIPE)
		return EXIT_OK;
	error_sys(&err, errno, "cannot write to the standard output");
	return say_error(NULL, &err, EXIT_FAILED);
}

static int
run_probe(const struct options *o)
{
	struct live_target target;
	char *text = NULL;
	size_t len = 0;
	struct memory_refused before = memory_refused();
	FILE *to = open_memstream(&text, &len);
	struct error err;
	bool is_good;
	int code;

	error_clear(&err);
	if (!to) {
		error_sys(&err, errno, "out of memory for the text");
		return say_error(NULL, &err, EXIT_FAILED);
	}
	code = find_target(o, &capture_live_ops, &target, &err);
	is_good =
	    !code && (target.pid ? probe_process("/proc", target.pid, o->runtime, to, NULL, &err)
				 : probe_core(o->file, o->sysroot, o->runtime, to, NULL, &err));
	is_good = is_good && memory_was_enough(before, &err);
	/* fclose() may succeed even if memory for the text ran out. */
	if ((fclose(to) || !text) && !code) {
		error_sys(&err, ENOMEM, "out of memory for the text");
		code = EXIT_FAILED;
	}
	if (text)
		print_clean(text);
	free(text);
	if (!is_good && !code)
		code = exit_code_of_load(&err);
	code = say_error(target.pid ? NULL : o->file, &err, code);
	return code ? code : print_and_close(NULL);
}

/* --- processes elsewhere -------------------------------------------------- */

/* The agent then ends as if the other heaptop had gone: its event sessions do not stay open.
   Signals to a whole group, such as those of timeout(1), come to the agent, too. */
static void
end_input(int number)
{
	int errnum = errno, nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);

	(void)number;
	if (nothing >= 0)
		(void)dup2(nothing, STDIN_FILENO);
	errno = errnum;
}

static int
run_agent(void)
{
	const struct sigaction action = { .sa_handler = end_input };
	struct agent_options options = { .version = version_of_build(),
					 .memory_bytes = default_memory_limit(),
					 .live = &capture_live_ops,
					 .silent_max_ms = 60000 };
	struct error err;

	error_clear(&err);
	if (isatty(STDIN_FILENO) || isatty(STDOUT_FILENO)) {
		error_set(&err, ERROR_USAGE,
			  "--agent speaks to another heaptop, not on a terminal; --via starts it: "
			  "see heaptop-remote(7)");
		return say_error(NULL, &err, EXIT_USAGE);
	}
	memory_limit(options.memory_bytes);
	(void)sigaction(SIGTERM, &action, NULL);
	(void)sigaction(SIGHUP, &action, NULL);
	return agent_serve(STDIN_FILENO, STDOUT_FILENO, &options, &err)
		   ? EXIT_OK
		   : say_error(NULL, &err, EXIT_FAILED);
}

/* Connect, unless something on the command line is in the way. */
static bool
reach_elsewhere(const struct options *o, struct error *err)
{
	return !elsewhere_is_meant(o) ||
	       (save_can_write(o, err) &&
		elsewhere_open(o, version_of_build(), version_is_exact(), err));
}

static void
print_version(FILE *to)
{
	static const struct version_part parts[] = {
		{ "ncurses", term_version },
		{ "libedit", version_of_libedit },
		{ "zstd", zstd_version },
		{ "jansson", clr_descriptor_library },
		{ "sqlite", sql_version },
		{ "tables", clr_layout_versions },
		{ NULL, NULL },
	};

	version_print(to, parts);
}

/* --- settings ------------------------------------------------------------ */

static int
print_paths(const struct rc *rc)
{
	rc_print_places(rc, stdout);
	places_print(stdout);
	return print_and_close(NULL);
}

static int
run_with_settings(struct options *o)
{
	char path[PLACE_BYTES];
	struct resume resume = { 0 };
	struct settings settings;
	struct rc rc;
	struct error err;
	int code;

	error_clear(&err);
	if (o->resumes && !find_session(o, &resume, path, &err))
		return say_error(NULL, &err, EXIT_USAGE);
	settings_init(&settings);
	settings.has_screen = o->action == ACTION_OPEN && !o->batch && !o->output &&
			      !o->only_keeps_trace && !(o->wants_gcs && run_text_prints_gcs(o));
	rc_find(&rc);
	o->settings = &settings;
	o->rc = &rc;
	if (!start_settings(o, &err))
		code = say_error(NULL, &err, EXIT_USAGE);
	else if (!reach_elsewhere(o, &err))
		code = say_error(NULL, &err,
				 err.kind == ERROR_ATTACH  ? EXIT_ATTACH
				 : err.kind == ERROR_USAGE ? EXIT_USAGE
							   : EXIT_FAILED);
	else if (o->action == ACTION_PATHS)
		code = print_paths(&rc);
	else
		code = o->wants_gcs           ? run_gcs(o)
		       : o->wants_allocations ? run_allocations(o)
					      : run(o);
	elsewhere_close();
	rc_clear(&rc);
	resume_clear(&resume);
	o->settings = NULL;
	o->rc = NULL;
	o->resume = NULL;
	return code;
}

/* A misspelt folder would look like one from which files are missing. */
static bool
is_folder(const char *option, const char *folder, struct error *err)
{
	struct stat st;

	return !folder || (!stat(folder, &st) && S_ISDIR(st.st_mode)) ||
	       error_set(err, ERROR_USAGE, "--%s wants an existing folder, not \"%.100s\"", option,
			 folder);
}

static void (*const prints[ACTION_COUNT])(FILE *to) = {
	[ACTION_HELP] = options_print_help,         [ACTION_HELP_KEYS] = help_print_keys,
	[ACTION_HELP_COLUMNS] = help_print_columns, [ACTION_HELP_FILTER] = help_print_filter,
	[ACTION_HELP_JSON] = help_print_json,       [ACTION_HELP_SQL] = help_print_sql,
	[ACTION_HELP_SETTINGS] = settings_print,    [ACTION_VERSION] = print_version,
};

int
main(int argc, char **argv)
{
	struct options o;
	struct error err;

	error_clear(&err);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* write() then fails with EFBIG */
	memory_set_up();
	if (!options_parse(&o, argc, argv, &err))
		return say_error(NULL, &err, EXIT_USAGE);
	o.secure = secure_of(o.is_secure, getenv("HEAPTOPSECURE"));
	if (o.action == ACTION_MCP && !o.allows_capture && !secure_is_on(&o.secure))
		o.secure.by = "--mcp";
	if (!allowed_check(&o, &err) || !is_folder("sysroot", o.sysroot, &err) ||
	    !is_folder("symbols", o.symbols, &err))
		return say_error(NULL, &err, EXIT_USAGE);
	if (prints[o.action])
		return print_and_close(prints[o.action]);
	if (o.action == ACTION_HELP_PAGE) {
		manual_print(o.page, stdout);
		return print_and_close(NULL);
	}
	if (o.action == ACTION_PROBE)
		return run_probe(&o);
	if (o.action == ACTION_AGENT)
		return run_agent();
	if (o.wants_gcs || o.action == ACTION_PATHS)
		return run_with_settings(&o);
	if (o.wants_allocations && !o.batch && allocation_batch_prints(&o))
		o.batch = "allocations";
	/* Without a terminal write the events that -o asks for, else print the types or list the
	   processes. */
	if (o.action == ACTION_OPEN && !o.batch && !o.output && !o.resumes &&
	    !options_given(&o, "linear") && !o.is_tour && !isatty(STDOUT_FILENO)) {
		if (o.trace)
			o.only_keeps_trace = true;
		else if (o.files_count || o.has_pid || o.port)
			o.batch = o.files_count > 1 ? "diff" : "types";
		else
			o.action = ACTION_LIST;
	}
	if (!o.batch && o.action != ACTION_LIST &&
	    (o.format != TABLE_TEXT || o.columns || o.rows_max != UINT64_MAX)) {
		error_set(&err, ERROR_USAGE,
			  "-n, --columns, --csv and the like need a command to print: -b COMMAND");
		return say_error(NULL, &err, EXIT_USAGE);
	}
	return run_with_settings(&o);
}
