#include "tui/cli/options.h"
#include "model/base/nearest.h"
#include "model/base/quantity.h"
#include "tui/app/arguments.h"
#include "tui/app/views.h"
#include <errno.h>
#include <getopt.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
	OPTION_CSV = 256, /* as enum table_format, to OPTION_MD */
	OPTION_TSV,
	OPTION_JSON,
	OPTION_JSONL,
	OPTION_MD,
	OPTION_COLUMNS,
	OPTION_FORMAT,
	OPTION_COMPAT,
	OPTION_FORCE,
	OPTION_STRICT,
	OPTION_ALLOW_MISSING,
	OPTION_RAW,
	OPTION_WITH,
	OPTION_CHECK, /* and behind it one for each enum check_kind */
	OPTION_BASELINE = OPTION_CHECK + CHECK_KIND_COUNT,
	OPTION_JUNIT,
	OPTION_THEME,
	OPTION_NO_RC,
	OPTION_LINEAR,
	OPTION_TOUR,
	OPTION_PATHS,
	OPTION_HELP,
	OPTION_PORT,
	OPTION_YES,
	OPTION_BUDGET,
	OPTION_MEM,
	OPTION_MIN_PAUSE,
	OPTION_PROBE,
	OPTION_SYSROOT,
	OPTION_RUNTIME,
	OPTION_SECURE,
	OPTION_RESUME,
};

struct option_row {
	struct option option;
	const char *arg;
	const char *help; /* NULL: that of the setting of this name */
};

/* clang-format off */
static const struct option_row rows[] = {
	/* long       argument           short or number     argument   help */
	{ { "batch",   required_argument, NULL, 'b' },           "COMMAND", "print what this command shows, and exit: 'objects TYPE'" },
	{ { "csv",     no_argument,       NULL, OPTION_CSV },    "",        "with -b: comma-separated, plain numbers" },
	{ { "tsv",     no_argument,       NULL, OPTION_TSV },    "",        "with -b: separated by tabs" },
	{ { "json",    no_argument,       NULL, OPTION_JSON },   "",        "with -b: one object of JSON, see heaptop-json(5)" },
	{ { "jsonl",   no_argument,       NULL, OPTION_JSONL },  "",        "with -b: an object a row, nothing around them" },
	{ { "md",      no_argument,       NULL, OPTION_MD },     "",        "with -b: a table of Markdown" },
	{ { "columns", required_argument, NULL, OPTION_COLUMNS }, "A,B,C",  "with -b: these columns, in this order" },
	{ { "rows",    required_argument, NULL, 'n' },           "ROWS",    "with -b: at most so many rows" },
	{ { "sort",    required_argument, NULL, 's' },           "COLUMN",  "sort by this column; -COLUMN: the other way round" },
	{ { "filter",  required_argument, NULL, 'f' },           "FILTER",  "only rows that match: a regex, byte[], or 'size > 1M'" },
	{ { "execute", required_argument, NULL, 'x' },           "COMMANDS", "then run commands of the prompt in it: 'cmd; cmd'" },
	{ { "gcs",     no_argument,       NULL, 'g' },           "",        "garbage collections as they end, of a process or trace" },
	{ { "verbose", no_argument,       NULL, 'v' },           "",        "with -g: generation by generation, heap by heap" },
	{ { "min-pause", required_argument, NULL, OPTION_MIN_PAUSE }, "TIME", "with -g: only pauses of at least so long: 10ms" },
	{ { "list",    no_argument,       NULL, 'l' },           "",        "list the .NET processes, and exit" },
	{ { "probe",   no_argument,       NULL, OPTION_PROBE },  "",        "what memory tells of a process or core, and exit" },
	{ { "sysroot", required_argument, NULL, OPTION_SYSROOT }, "DIR",    "of a core: where the files are that it had mapped" },
	{ { "runtime", required_argument, NULL, OPTION_RUNTIME }, "N",      "of memory with several runtimes: that one, from 1 on" },
	{ { "port",    required_argument, NULL, OPTION_PORT },   "PATH",    "wait there for a runtime: DOTNET_DiagnosticPorts" },
	{ { "memory",  no_argument,       NULL, 'm' },           "",        "from the process's memory: no collection, garbage too" },
	{ { "yes",     no_argument,       NULL, OPTION_YES },    "",        "capture from a process without asking" },
	{ { "budget",  required_argument, NULL, OPTION_BUDGET }, "TIME",    NULL },
	{ { "mem",     required_argument, NULL, OPTION_MEM },    "SIZE",    NULL },
	{ { "output",  required_argument, NULL, 'o' },           "FILE",    "keep the heap: FILE.heaptop, .gcdump, .gclog" },
	{ { "format",  required_argument, NULL, OPTION_FORMAT }, "FORMAT",  "with -o: heaptop, gcdump or gclog, whatever its name" },
	{ { "compat",  required_argument, NULL, OPTION_COMPAT }, "TOOL",    "print the report of that tool: dotnet-gcdump" },
	{ { "force",   no_argument,       NULL, OPTION_FORCE },  "",        "-o replaces a file; a bad .gclog is read anyway" },
	{ { "raw",     no_argument,       NULL, OPTION_RAW },    "",        "with -o: to be mapped, not unpacked; twice the size" },
	{ { "with",    required_argument, NULL, OPTION_WITH },   "RESULTS", "-o: and what is computed of it: distances, retained" },
	{ { "max",     required_argument, NULL, OPTION_CHECK + CHECK_MAX }, "TYPE=N", "check: so many objects of the type at most" },
	{ { "max-size", required_argument, NULL, OPTION_CHECK + CHECK_MAX_SIZE }, "TYPE=N", "check: so many bytes of them" },
	{ { "max-retained", required_argument, NULL, OPTION_CHECK + CHECK_MAX_RETAINED }, "TYPE=N", "check: so many bytes that only they keep" },
	{ { "where",   required_argument, NULL, OPTION_CHECK + CHECK_WHERE }, "FILTER", "check: no type is like that" },
	{ { "grew",    required_argument, NULL, OPTION_CHECK + CHECK_GREW }, "FILTER", "check: no such type has grown since --baseline" },
	{ { "baseline", required_argument, NULL, OPTION_BASELINE }, "FILE", "check: an earlier heap to compare with" },
	{ { "junit",   required_argument, NULL, OPTION_JUNIT },  "FILE",    "check: the results for a build server as well" },
	{ { "allow-missing", no_argument, NULL, OPTION_ALLOW_MISSING }, "",  "check: a TYPE that no type is called may be" },
	{ { "strict",  no_argument,       NULL, OPTION_STRICT }, "",        "what a file is warned of is an error: exit 5" },
	{ { "secure",  no_argument,       NULL, OPTION_SECURE }, "",        "no shell, pipe, writing or capture; as HEAPTOPSECURE=1" },
	{ { "resume",  no_argument,       NULL, OPTION_RESUME }, "",        "back to the session that :save-session [FILE] kept" },
	{ { "theme",   required_argument, NULL, OPTION_THEME },  "NAME",    NULL },
	{ { "linear",  no_argument,       NULL, OPTION_LINEAR }, "",        NULL },
	{ { "tour",    no_argument,       NULL, OPTION_TOUR },   "",        "a leak, found in five minutes with the keys for it" },
	{ { "no-rc",   no_argument,       NULL, OPTION_NO_RC },  "",        "read no heaptoprc" },
	{ { "paths",   no_argument,       NULL, OPTION_PATHS },  "",        "which files are read and written, and exit" },
	{ { "help",    optional_argument, NULL, OPTION_HELP },   "",        "this; --help keys, columns, filter, settings: more" },
	{ { "version", no_argument,       NULL, 'V' },           "",        "the version" },
};
/* clang-format on */
enum { ROWS_COUNT = sizeof rows / sizeof rows[0] };

/* What is called as a setting is one. Those of views are no options. */
static const struct setting *
setting_named(const struct option_row *r)
{
	for (const struct setting *s = settings_table; s->name; s++)
		if (!(s->flags & SETTING_OF_VIEWS) &&
		    !strcmp(s->name, r->option.name))
			return s;
	return NULL;
}

static const char *
option_help(const struct option_row *r)
{
	const struct setting *s = r->help ? NULL : setting_named(r);

	return s ? s->help : r->help ? r->help : "";
}

static bool
take_setting(struct options *o, int option, const char *arg)
{
	for (int i = 0; i < ROWS_COUNT; i++) {
		const struct setting *s = rows[i].option.val == option
					      ? setting_named(&rows[i])
					      : NULL;

		if (!s)
			continue;
		o->given[s - settings_table] = arg ? arg : "on";
		return true;
	}
	return false;
}

const char *
options_given(const struct options *o, const char *setting)
{
	for (size_t i = 0; settings_table[i].name; i++)
		if (!strcmp(settings_table[i].name, setting))
			return o->given[i];
	return NULL;
}

bool
options_set(const struct options *o, struct settings *s, struct error *err)
{
	static const struct origin from = { .kind = ORIGIN_COMMAND_LINE };
	char what[64];

	for (size_t i = 0; settings_table[i].name; i++) {
		const char *name = settings_table[i].name;

		snprintf(what, sizeof what, "--%s", name);
		if (o->given[i] &&
		    !settings_set_value(s, name, what, o->given[i], &from, err))
			return false;
	}
	return true;
}

/* From the table of views, in lines that a terminal has room for. */
static void
print_batch_commands(FILE *to)
{
	enum { LINE_WIDTH = 79 };
	int column = fprintf(to, "Commands of -b:");
	char text[128], usage[USAGE_BYTES];

	for (const struct view_ops *const *v = all_views; *v; v++) {
		const struct command *c = &(*v)->command;
		int len;

		if ((*v)->flags & VIEW_HIDDEN)
			continue;
		len = snprintf(text, sizeof text, "%s%s%s%s", c->name,
			       *arguments_usage(c, usage) ? " " : "", usage,
			       *v == &view_totals ? " (-b objects -x totals)"
						  : "");
		if (v != all_views)
			column += fprintf(to, ",");
		if (column + 1 + len + 1 > LINE_WIDTH)
			column = fprintf(to, "\n%s", text) - 1;
		else
			column += fprintf(to, " %s", text);
	}
	fprintf(to, ".\n");
}

void
options_print_help(FILE *to)
{
	char name[64], dash[8];

	fprintf(
	    to,
	    "heaptop browses the managed heap of a .NET program.\n\n"
	    "  heaptop [options] FILE            a .gcdump, .nettrace, "
	    ".heaptop or .gclog\n"
	    "  heaptop [options] PID|NAME        a running process\n"
	    "  heaptop [options]                 choose a process\n"
	    "  heaptop -b COMMAND FILE|PID|NAME  as text or CSV\n"
	    "  heaptop -g PID|NAME|FILE.nettrace garbage collections\n"
	    "  heaptop -l                        which processes\n"
	    "  heaptop --probe PID|NAME|CORE     what memory tells\n"
	    "  heaptop convert FILE|PID|NAME OUT the heap in another format\n"
	    "  heaptop check RULES FILE          limits, for builds\n\n"
	    "FILE may be packed with zstd; - is standard input.\n\n");
	for (int i = 0; i < ROWS_COUNT; i++) {
		const struct option_row *r = &rows[i];

		snprintf(dash, sizeof dash,
			 r->option.val < OPTION_CSV ? "-%c, " : "    ",
			 r->option.val);
		snprintf(name, sizeof name, "%s--%s %s", dash, r->option.name,
			 r->arg);
		fprintf(to, "  %-26s %s\n", name, option_help(r));
	}
	fprintf(to, "\n");
	print_batch_commands(to);
	fprintf(to, "\nExit: 0 ok, 1 nothing matched, 2 usage, 3 the process "
		    "cannot be captured\nfrom, 4 printed, but the file was "
		    "cut or damaged or the capture incomplete, 5 bad\nfile, "
		    "6 the system refused (memory, disk), 130 interrupted.\n");
}

static bool
parse_number(const char *text, uint64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoull(text, &end, 10);
	return !errno && end != text && !*end && *text != '-';
}

static bool
parse_rows(const char *text, uint64_t *out, struct error *err)
{
	return parse_number(text, out) ||
	       error_set(err, ERROR_USAGE,
			 "-n wants a number of rows, not \"%.40s\"", text);
}

static bool
parse_runtime(const char *text, uint32_t *out, struct error *err)
{
	uint64_t n;

	if (!parse_number(text, &n) || !n || n > UINT32_MAX)
		return error_set(err, ERROR_USAGE,
				 "--runtime wants a number from 1 on, not "
				 "\"%.40s\"; --probe lists them",
				 text);
	*out = (uint32_t)n;
	return true;
}

static bool
parse_help(struct options *o, const char *topic, struct error *err)
{
	o->action = ACTION_HELP;
	if (!topic)
		return true;
	if (!strcmp(topic, "keys"))
		o->action = ACTION_HELP_KEYS;
	else if (!strcmp(topic, "columns"))
		o->action = ACTION_HELP_COLUMNS;
	else if (!strcmp(topic, "filter"))
		o->action = ACTION_HELP_FILTER;
	else if (!strcmp(topic, "settings"))
		o->action = ACTION_HELP_SETTINGS;
	else
		return error_set(err, ERROR_USAGE,
				 "--help knows keys, columns, filter and "
				 "settings, not \"%.40s\"",
				 topic);
	return true;
}

static bool
take_format(struct options *o, enum table_format format, struct error *err)
{
	if (o->format != TABLE_TEXT && o->format != format)
		return error_set(err, ERROR_USAGE, "one format, not several");
	o->format = format;
	return true;
}

/* main.c knows who writes them. */
static const char *const heap_suffixes[] = { ".heaptop", ".gcdump", ".gclog" };

/* Only the format's name, ".heaptop" without the dot, if `is_bare`. */
static bool
keeps_heap(const char *suffix, bool is_bare)
{
	size_t count = sizeof heap_suffixes / sizeof heap_suffixes[0];

	for (size_t i = 0; suffix && i < count; i++)
		if (!strcmp(suffix, heap_suffixes[i] + is_bare))
			return true;
	return false;
}

/* What the suffix says: the events as they come, or the heap made of them. */
static void
take_output(struct options *o, const char *path)
{
	const char *suffix = strrchr(path, '.');

	if (suffix && !strcmp(suffix, ".nettrace"))
		o->keep = path;
	else
		o->output = path;
}

/* Is there a writer for it? */
static bool
check_output(const struct options *o, struct error *err)
{
	if (o->kept_as && !keeps_heap(o->kept_as, true))
		return error_set(err, ERROR_USAGE,
				 "--format knows heaptop, gcdump and gclog, "
				 "not \"%.40s\"",
				 o->kept_as);
	if (o->kept_as && !o->output)
		return error_set(err, ERROR_USAGE,
				 "--format says as what -o keeps a heap: -o "
				 "FILE, or -o-");
	if (o->action == ACTION_CONVERT && !o->output)
		return error_set(err, ERROR_USAGE,
				 "convert writes FILE.heaptop, FILE.gcdump or "
				 "FILE.gclog, not \"%.60s\"",
				 o->keep ? o->keep : "");
	if (o->compat && strcmp(o->compat, "dotnet-gcdump") != 0)
		return error_set(err, ERROR_USAGE,
				 "--compat knows dotnet-gcdump, not \"%.40s\"",
				 o->compat);
	if (o->compat && (o->batch || o->output || o->action != ACTION_OPEN))
		return error_set(err, ERROR_USAGE,
				 "--compat prints a report, and nothing else");
	if (!o->output || o->kept_as || !strcmp(o->output, "-") ||
	    keeps_heap(strrchr(o->output, '.'), false))
		return true;
	return error_set(err, ERROR_USAGE,
			 "-o writes FILE.heaptop, - for the same on standard "
			 "output, FILE.gcdump, FILE.gclog, or FILE.nettrace of "
			 "a process; not \"%.60s\"",
			 o->output);
}

static bool
take_rule(struct options *o, enum check_kind kind, const char *text,
	  struct error *err)
{
	struct check *c = &o->check;

	if (c->rules_count == CHECK_RULES_MAX)
		return error_set(err, ERROR_USAGE, "more than %d rules",
				 CHECK_RULES_MAX);
	c->rules[c->rules_count++] = (struct check_rule){ kind, text };
	return true;
}

/* Those that only store what they are given, or that they were. */
static const struct {
	int option;
	size_t at; /* of a text in struct options */
} texts[] = {
	{ 'b', offsetof(struct options, batch) },
	{ 's', offsetof(struct options, sort) },
	{ 'f', offsetof(struct options, filter) },
	{ 'x', offsetof(struct options, commands) },
	{ OPTION_COLUMNS, offsetof(struct options, columns) },
	{ OPTION_SYSROOT, offsetof(struct options, sysroot) },
	{ OPTION_FORMAT, offsetof(struct options, kept_as) },
	{ OPTION_COMPAT, offsetof(struct options, compat) },
	{ OPTION_PORT, offsetof(struct options, port) },
	{ OPTION_BASELINE, offsetof(struct options, check.baseline) },
	{ OPTION_JUNIT, offsetof(struct options, check.junit) },
	{ OPTION_WITH, offsetof(struct options, with) },
};
static const struct {
	int option;
	size_t at; /* of a bool */
} switches[] = {
	{ OPTION_FORCE, offsetof(struct options, may_replace) },
	{ OPTION_STRICT, offsetof(struct options, is_strict) },
	{ OPTION_ALLOW_MISSING, offsetof(struct options, allows_missing) },
	{ OPTION_RAW, offsetof(struct options, is_raw) },
	{ OPTION_YES, offsetof(struct options, is_sure) },
	{ OPTION_NO_RC, offsetof(struct options, has_no_rc) },
	{ OPTION_TOUR, offsetof(struct options, is_tour) },
	{ OPTION_SECURE, offsetof(struct options, is_secure) },
	{ OPTION_RESUME, offsetof(struct options, resumes) },
	{ 'g', offsetof(struct options, wants_gcs) },
	{ 'm', offsetof(struct options, from_memory) },
	{ 'v', offsetof(struct options, is_verbose) },
};

static bool
take_plain(struct options *o, int option, const char *arg)
{
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		if (texts[i].option == option) {
			memcpy((char *)o + texts[i].at, &arg, sizeof arg);
			return true;
		}
	for (size_t i = 0; i < sizeof switches / sizeof switches[0]; i++)
		if (switches[i].option == option) {
			*(bool *)((char *)o + switches[i].at) = true;
			return true;
		}
	return false;
}

static bool
take_option(struct options *o, int option, const char *arg, struct error *err)
{
	/* The last of several would be the one that runs. */
	if (option == 'x' && o->commands)
		return error_set(err, ERROR_USAGE,
				 "-x is there twice; one takes several "
				 "commands: -x 'COMMAND; COMMAND'");
	if (option == 'b' && *arg == '-')
		return error_set(
		    err, ERROR_USAGE,
		    "-b wants a command before \"%.40s\": -b types, "
		    "-b 'dumpheap -stat'; -x runs others before it",
		    arg);
	if (take_plain(o, option, arg) || take_setting(o, option, arg))
		return true;
	if (option >= OPTION_CHECK && option < OPTION_BASELINE)
		return take_rule(o, (enum check_kind)(option - OPTION_CHECK),
				 arg, err);
	if (option >= OPTION_CSV && option <= OPTION_MD)
		return take_format(
		    o, (enum table_format)(TABLE_CSV + (option - OPTION_CSV)),
		    err);
	switch (option) {
	case 'n':
		return parse_rows(arg, &o->rows_max, err);
	case 'l':
		o->action = ACTION_LIST;
		return true;
	case OPTION_RUNTIME:
		return parse_runtime(arg, &o->runtime, err);
	case OPTION_PROBE:
		o->action = ACTION_PROBE;
		return true;
	case OPTION_MIN_PAUSE:
		return quantity_parse_time("--min-pause", arg, &o->min_pause_ms,
					   err);
	case 'o':
		take_output(o, arg);
		return true;
	case OPTION_PATHS:
		o->action = ACTION_PATHS;
		return true;
	case 'V':
		o->action = ACTION_VERSION;
		return true;
	case 'h':
	case OPTION_HELP:
		return parse_help(o, arg, err);
	default:
		return error_set(err, ERROR_USAGE,
				 "unknown option; --help lists them");
	}
}

static bool
is_pid(const char *text)
{
	return *text && text[strspn(text, "0123456789")] == '\0';
}

static bool
take_pid(struct options *o, const char *text, struct error *err)
{
	unsigned long long pid;

	errno = 0;
	pid = strtoull(text, NULL, 10);
	if (errno || pid > INT32_MAX)
		return error_set(err, ERROR_USAGE,
				 "no process has a number as large as %.40s; "
				 "a file of that name: ./%.40s",
				 text, text);
	o->pid = (int32_t)pid;
	o->is_pid = true;
	return true;
}

/* Its file names the heaps. */
static bool
take_session(struct options *o, int count, char **names, struct error *err)
{
	if (o->action != ACTION_OPEN || o->batch || o->output || o->port ||
	    o->wants_gcs || o->compat)
		return error_set(err, ERROR_USAGE,
				 "--resume is for the screen, and goes without "
				 "-b, -o, -g, -l, --port and the like");
	if (count > 1)
		return error_set(err, ERROR_USAGE,
				 "--resume takes one file, of a session, not "
				 "%d",
				 count);
	o->file = count ? names[0] : NULL;
	return true;
}

static bool
take_file(struct options *o, int count, char **names, struct error *err)
{
	if (o->resumes)
		return take_session(o, count, names, err);
	if (o->action == ACTION_LIST || o->port) {
		if (!count)
			return true;
		return error_set(err, ERROR_USAGE,
				 "%s takes neither a file nor a process",
				 o->port ? "--port" : "-l");
	}
	if (o->action == ACTION_PROBE && count != 1)
		return error_set(err, ERROR_USAGE,
				 "--probe wants one process or core, not %d",
				 count);
	if (count == 0 && o->batch)
		return error_set(err, ERROR_USAGE,
				 "which file or process? heaptop FILE.gcdump, "
				 "heaptop PID; -l lists processes, --help says "
				 "more");
	for (int i = 0; i < count; i++)
		if (count > 1 && is_pid(names[i]))
			return error_set(err, ERROR_USAGE,
					 "a process stands alone: %.20s and "
					 "other heaps; c captures again, a "
					 "file of that name is ./%.20s",
					 names[i], names[i]);
	if (count == 1 && is_pid(names[0]))
		return take_pid(o, names[0], err);
	o->files = names;
	o->files_count = count;
	o->file = count ? names[0] : NULL;
	return true;
}

/* What goes only with -g, and what does not go with it. */
static bool
check_gcs(const struct options *o, int files_count, struct error *err)
{
	if (!o->wants_gcs && (o->is_verbose || o->min_pause_ms))
		return error_set(err, ERROR_USAGE, "%s is for collections: -g",
				 o->is_verbose ? "-v" : "--min-pause");
	if (!o->wants_gcs)
		return true;
	if (o->batch && strcmp(o->batch, "gcs"))
		return error_set(err, ERROR_USAGE,
				 "-g prints collections, and -b %.40s "
				 "something else",
				 o->batch);
	if (o->sort || o->filter || o->commands || o->keep || o->output)
		return error_set(err, ERROR_USAGE,
				 "-%c has nothing to do with -g: lines come as "
				 "collections end",
				 o->sort       ? 's'
				 : o->filter   ? 'f'
				 : o->commands ? 'x'
					       : 'o');
	if (files_count + (o->port != NULL) == 1)
		return true;
	return error_set(err, ERROR_USAGE,
			 "-g wants one process or .nettrace; heaptop -l lists "
			 "processes");
}

/* Processes are listed, by -s, -f, --csv and the like; nothing else is done. */
static bool
check_list(const struct options *o, struct error *err)
{
	const char *other = o->batch               ? "-b"
			    : o->commands          ? "-x"
			    : o->output || o->keep ? "-o"
			    : o->wants_gcs         ? "-g"
						   : NULL;

	return o->action != ACTION_LIST || !other ||
	       error_set(err, ERROR_USAGE,
			 "%s has nothing to do with -l, which lists processes",
			 other);
}

/* What a heap that is checked, written or converted is not asked. */
static bool
check_asked(const struct options *o, int files_count, struct error *err)
{
	const struct {
		bool is_given;
		const char *name;
	} asks[] = {
		{ o->batch != NULL, "-b" },
		{ o->sort != NULL, "-s" },
		{ o->filter != NULL, "-f" },
		{ o->commands != NULL, "-x" },
		{ o->action == ACTION_CHECK && o->output != NULL, "-o" },
	};
	const char *what = o->action == ACTION_CHECK     ? "check"
			   : o->action == ACTION_CONVERT ? "convert"
							 : "-o";

	if (o->action != ACTION_CHECK && o->action != ACTION_CONVERT &&
	    !o->output)
		return true;
	for (size_t i = 0; i < sizeof asks / sizeof asks[0]; i++)
		if (asks[i].is_given)
			return error_set(err, ERROR_USAGE,
					 "%s has nothing to do with %s, which "
					 "takes all of a heap",
					 asks[i].name, what);
	if (o->action == ACTION_OPEN && files_count > 1)
		return error_set(err, ERROR_USAGE, "-o keeps one heap, not %d",
				 files_count);
	return true;
}

/* What goes only with check, and what check wants. */
static bool
check_rules(const struct options *o, int files_count, struct error *err)
{
	const struct check *c = &o->check;

	if (o->action != ACTION_CHECK &&
	    (c->rules_count || c->baseline || c->junit))
		return error_set(err, ERROR_USAGE,
				 "rules are for checks: heaptop check --max "
				 "'TYPE=0' FILE");
	if (o->action != ACTION_CHECK)
		return true;
	if (!c->rules_count)
		return error_set(err, ERROR_USAGE,
				 "check wants a rule, as --max "
				 "'Leaky.Session=0'; --help lists them");
	if (files_count + (o->port != NULL) < 1 ||
	    (c->baseline && files_count != 1))
		return error_set(
		    err, ERROR_USAGE, "check wants %s heap, not %d",
		    c->baseline ? "one" : "at least one", files_count);
	return true;
}

/* What goes only with -o FILE.heaptop. */
static bool
check_kept(const struct options *o, struct error *err)
{
	if ((o->is_raw || o->with) && !o->output)
		return error_set(err, ERROR_USAGE,
				 "--%s says how a heap is kept: "
				 "-o FILE.heaptop",
				 o->is_raw ? "raw" : "with");
	return !o->with || !strcmp(o->with, "distances") ||
	       !strcmp(o->with, "retained") ||
	       error_set(err, ERROR_USAGE,
			 "--with knows distances, and retained, which has "
			 "both; not \"%.40s\"",
			 o->with);
}

/* There are no events in memory, and who connects to us offers nothing else. */
static bool
check_memory(const struct options *o, struct error *err)
{
	if (o->runtime && o->is_pid && !o->from_memory &&
	    o->action != ACTION_PROBE)
		return error_set(err, ERROR_USAGE,
				 "--runtime chooses in memory: -m PID");
	if (!o->from_memory || (!o->wants_gcs && !o->keep && !o->port))
		return true;
	return error_set(err, ERROR_USAGE,
			 "-m reads the memory of a process; %s is for its "
			 "events",
			 o->wants_gcs ? "-g"
			 : o->keep    ? "-o FILE.nettrace"
				      : "--port");
}

/* The tour has files of its own, and is seen. */
static bool
check_tour(const struct options *o, int files_count, struct error *err)
{
	return !o->is_tour ||
	       (!files_count && !o->port && !o->batch && !o->output &&
		!o->keep && !o->wants_gcs && o->action == ACTION_OPEN) ||
	       error_set(err, ERROR_USAGE,
			 "--tour stands alone: it opens dumps of its own");
}

/* convert IN OUT: the last is what -o would be. */
static bool
take_target(struct options *o, int *argc, char **argv, struct error *err)
{
	int count = *argc - optind;

	if (count != (o->port ? 1 : 2) || o->output || o->keep)
		return error_set(err, ERROR_USAGE,
				 "convert wants two names: heaptop convert "
				 "FILE|PID FILE.gcdump");
	if (o->batch || o->wants_gcs)
		return error_set(err, ERROR_USAGE,
				 "convert writes a heap and shows nothing: no "
				 "-b, no -g");
	take_output(o, argv[--*argc]);
	return true;
}

static bool
unknown_option(const char *text, struct error *err)
{
	const char *name = text + strspn(text, "-");
	struct nearest near;

	nearest_init(&near, name, strcspn(name, "="));
	for (int i = 0; i < ROWS_COUNT && name > text + 1; i++)
		nearest_try(&near, rows[i].option.name);
	if (near.best)
		return error_set(err, ERROR_USAGE,
				 "unknown option %.60s; perhaps: --%s", text,
				 near.best);
	return error_set(err, ERROR_USAGE,
			 "unknown option %.60s; --help lists them", text);
}

bool
options_parse(struct options *o, int argc, char **argv, struct error *err)
{
	struct option table[ROWS_COUNT + 1];
	int option;

	*o = (struct options){ .rows_max = UINT64_MAX };
	for (int i = 0; i < ROWS_COUNT; i++)
		table[i] = rows[i].option;
	table[ROWS_COUNT] = (struct option){ 0 };
	if (argc > 1 &&
	    (!strcmp(argv[1], "check") || !strcmp(argv[1], "convert"))) {
		o->action = argv[1][1] == 'h' ? ACTION_CHECK : ACTION_CONVERT;
		argc--;
		argv++;
	}
	opterr = 0;
	optind = 0; /* from the beginning, whoever has used it before */
	while ((option = getopt_long(argc, argv, ":b:n:s:f:x:o:glmvhV", table,
				     NULL)) != -1) {
		if (option == ':')
			return error_set(err, ERROR_USAGE,
					 "%s wants a value; --help lists all",
					 argv[optind - 1]);
		if (option == '?')
			return unknown_option(argv[optind - 1], err);
		/* "--help keys" as well as "--help=keys". */
		if ((option == OPTION_HELP || option == 'h') && !optarg &&
		    optind < argc && argv[optind][0] != '-')
			optarg = argv[optind++];
		if (!take_option(o, option, optarg, err))
			return false;
	}
	if (o->action > ACTION_CONVERT)
		return true;
	if (o->action == ACTION_CONVERT && !take_target(o, &argc, argv, err))
		return false;
	if (o->batch && !strcmp(o->batch, "gcs"))
		o->wants_gcs = true;
	if (!check_list(o, err) || !check_kept(o, err) ||
	    !check_output(o, err) || !check_asked(o, argc - optind, err) ||
	    !check_memory(o, err) || !check_gcs(o, argc - optind, err) ||
	    !check_rules(o, argc - optind, err) ||
	    !check_tour(o, argc - optind, err))
		return false;
	return take_file(o, argc - optind, argv + optind, err);
}
