#include "tui/cli/options.h"
#include "tui/cli/allocation_batch.h"
#include "tui/cli/batch.h"
#include "model/base/nearest.h"
#include "model/base/quantity.h"
#include "tui/app/arguments.h"
#include "tui/app/views.h"
#include "tui/cli/check_findings.h"
#include "tui/cli/option_conflicts.h"
#include "tui/cli/option_names.h"
#include "tui/cli/manual.h"
#include "tui/cli/option_values.h"
#include "tui/cli/save.h"
#include "tui/cli/save_database.h"
#include <getopt.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
	OPTION_CSV = 256, /* to OPTION_MD in the order of enum table_format */
	OPTION_TSV,
	OPTION_JSON,
	OPTION_JSONL,
	OPTION_MD,
	OPTION_COLUMNS,
	OPTION_FORMAT,
	OPTION_FORCE,
	OPTION_STRICT,
	OPTION_ALLOW_MISSING,
	OPTION_RAW,
	OPTION_WITH,
	OPTION_CHECK, /* followed by one for each enum check_kind */
	OPTION_BASELINE = OPTION_CHECK + CHECK_KIND_COUNT,
	OPTION_JUNIT,
	OPTION_ALLOW,
	OPTION_THEME,
	OPTION_NO_RC,
	OPTION_LINEAR,
	OPTION_TOUR,
	OPTION_PATHS,
	OPTION_PORT,
	OPTION_YES,
	OPTION_START,
	OPTION_BUDGET,
	OPTION_MEM,
	OPTION_MIN_PAUSE,
	OPTION_FOR,
	OPTION_STACKS,
	OPTION_NO_SURVIVAL,
	OPTION_SAMPLES,
	OPTION_PROBE,
	OPTION_SYMBOLS,
	OPTION_SYSROOT,
	OPTION_RUNTIME,
	OPTION_SECURE,
	OPTION_RESUME,
	OPTION_CSVGUARD,
	OPTION_MINE,
	OPTION_MY_MODULES,
	OPTION_STACK_ROOTS,
	OPTION_ORIGIN,
	OPTION_LABEL,
	OPTION_MCP,
	OPTION_ALLOW_CAPTURE,
	OPTION_VIA,
	OPTION_AGENT,
};

struct option_row {
	struct option option;
	const char *arg;
	const char *help; /* NULL: the help of the setting of this name */
	/* Offset in struct options: of a string if the option takes an argument, else of a bool. 0:
	   take_option() handles it. */
	size_t at;
};

#define AT(field) offsetof(struct options, field)
/* clang-format off */
static const struct option_row rows[] = {
	/* long       argument           short or number     argument   help, field */
	{ { "batch",   required_argument, NULL, 'b' },           "COMMAND", "print what this command shows, and exit: 'objects TYPE'", AT(batch) },
	{ { "csv",     no_argument,       NULL, OPTION_CSV },    "",        "with -b: comma-separated, plain numbers", 0 },
	{ { "tsv",     no_argument,       NULL, OPTION_TSV },    "",        "with -b: tab-separated, plain numbers", 0 },
	{ { "json",    no_argument,       NULL, OPTION_JSON },   "",        "with -b: one JSON object, see heaptop-json(5)", 0 },
	{ { "jsonl",   no_argument,       NULL, OPTION_JSONL },  "",        "with -b: JSON Lines, one object per row", 0 },
	{ { "md",      no_argument,       NULL, OPTION_MD },     "",        "with -b: a Markdown table", 0 },
	{ { "columns", required_argument, NULL, OPTION_COLUMNS }, "A,B,C",  "with -b: these columns, in this order", AT(columns) },
	{ { "origin",  no_argument,       NULL, OPTION_ORIGIN }, "",        "with --jsonl, --csv: rows say where they are from: host, pod", AT(has_origin) },
	{ { "label",   required_argument, NULL, OPTION_LABEL },  "NAME=VALUE", "with --origin: another member, or another value: pod=web-1", 0 },
	{ { "rows",    required_argument, NULL, 'n' },           "ROWS",    "with -b: at most this many rows", 0 },
	{ { "sort",    required_argument, NULL, 's' },           "COLUMN",  "sort by this column; -COLUMN reverses the order", AT(sort) },
	{ { "filter",  required_argument, NULL, 'f' },           "FILTER",  "only rows that match: a regex, byte[], or 'size > 1M'", AT(filter) },
	{ { "execute", required_argument, NULL, 'x' },           "COMMANDS", "then run commands of the prompt: 'cmd; cmd'", AT(commands) },
	{ { "gcs",     no_argument,       NULL, 'g' },           "",        "garbage collections of a process or trace, as they end", AT(wants_gcs) },
	{ { "verbose", no_argument,       NULL, 'v' },           "",        "with -g: details of each generation and heap", AT(is_verbose) },
	{ { "min-pause", required_argument, NULL, OPTION_MIN_PAUSE }, "TIME", "with -g: only pauses of at least this long: 10ms", 0 },
	{ { "allocations", no_argument,   NULL, 'a' },           "",        "what a process or trace allocates, as it goes on", AT(wants_allocations) },
	{ { "for",     required_argument, NULL, OPTION_FOR },    "TIME",    "with -a, -b allocations: record a process this long: 30s", 0 },
	{ { "stacks",  required_argument, NULL, OPTION_STACKS }, "FILE",    "with -b allocations: write stacks for flame graphs, too", AT(stacks) },
	{ { "no-survival", no_argument,   NULL, OPTION_NO_SURVIVAL }, "",   "with -b allocations: do not follow what stays; no stops", AT(without_survival) },
	{ { "samples", required_argument, NULL, OPTION_SAMPLES }, "FILE",   "join a recording of allocations: who allocated the objects", AT(samples) },
	{ { "list",    no_argument,       NULL, 'l' },           "",        "list the .NET processes, and exit", 0 },
	{ { "probe",   no_argument,       NULL, OPTION_PROBE },  "",        "print what memory shows of a process or core, and exit", 0 },
	{ { "mcp",     no_argument,       NULL, OPTION_MCP },    "",        "serve the Model Context Protocol, see heaptop-mcp(7)", 0 },
	{ { "allow-capture", no_argument, NULL, OPTION_ALLOW_CAPTURE }, "",  "with --mcp: the client may capture from processes", AT(allows_capture) },
	{ { "via",     required_argument, NULL, OPTION_VIA },    "COMMAND", "processes elsewhere: 'docker exec -i web', 'ssh host'", AT(via) },
	{ { "agent",   no_argument,       NULL, OPTION_AGENT },  "",        "answer the heaptop that --via starts this one for", 0 },
	{ { "symbols", required_argument, NULL, OPTION_SYMBOLS }, "DIR",    "for Native AOT: the folder with the program's symbols", AT(symbols) },
	{ { "sysroot", required_argument, NULL, OPTION_SYSROOT }, "DIR",    "for a core: the folder with the files it had mapped", AT(sysroot) },
	{ { "runtime", required_argument, NULL, OPTION_RUNTIME }, "N",      "if memory has several runtimes: which one, from 1", 0 },
	{ { "port",    required_argument, NULL, OPTION_PORT },   "PATH",    "wait for a runtime to connect: DOTNET_DiagnosticPorts", AT(port) },
	{ { "start",   no_argument,       NULL, OPTION_START },  "",        "resume the process first, if it waits at its start", AT(starts) },
	{ { "memory",  no_argument,       NULL, 'm' },           "",        "read the process's memory: no collection, garbage too", AT(from_memory) },
	{ { "yes",     no_argument,       NULL, OPTION_YES },    "",        "capture from a process without asking", AT(skips_question) },
	{ { "budget",  required_argument, NULL, OPTION_BUDGET }, "TIME",    NULL, 0 },
	{ { "mem",     required_argument, NULL, OPTION_MEM },    "SIZE",    NULL, 0 },
	{ { "csvguard", no_argument,      NULL, OPTION_CSVGUARD }, "",      NULL, 0 },
	{ { "mine",    no_argument,       NULL, OPTION_MINE },   "",        NULL, 0 },
	{ { "mymodules", required_argument, NULL, OPTION_MY_MODULES }, "PATTERNS", NULL, 0 },
	{ { "stackroots", required_argument, NULL, OPTION_STACK_ROOTS }, "HOW",  NULL, 0 },
	{ { "output",  required_argument, NULL, 'o' },           "FILE",    "save the heap: FILE.heaptop, .gcdump, .gclog, .sqlite", 0 },
	{ { "format",  required_argument, NULL, OPTION_FORMAT }, "FORMAT",  "with -o: heaptop, gcdump, gclog or sqlite, not by suffix", AT(save_format) },
	{ { "force",   no_argument,       NULL, OPTION_FORCE },  "",        "let -o replace a file; read even a bad .gclog", AT(may_replace) },
	{ { "raw",     no_argument,       NULL, OPTION_RAW },    "",        "with -o: uncompressed, to be mapped; twice the size", AT(is_raw) },
	{ { "with",    required_argument, NULL, OPTION_WITH },   "RESULTS", "with -o: save results, too: distances, retained", AT(with) },
	{ { "max",     required_argument, NULL, OPTION_CHECK + CHECK_MAX }, "TYPE=N", "check: at most N objects of the type", 0 },
	{ { "max-size", required_argument, NULL, OPTION_CHECK + CHECK_MAX_SIZE }, "TYPE=N", "check: at most N bytes of the type", 0 },
	{ { "max-retained", required_argument, NULL, OPTION_CHECK + CHECK_MAX_RETAINED }, "TYPE=N", "check: at most N bytes retained by the type", 0 },
	{ { "where",   required_argument, NULL, OPTION_CHECK + CHECK_WHERE }, "FILTER", "check: no type matches", 0 },
	{ { "grew",    required_argument, NULL, OPTION_CHECK + CHECK_GREW }, "FILTER", "check: no matching type has grown since --baseline", 0 },
	{ { "no-findings", no_argument,   NULL, OPTION_CHECK + CHECK_FINDINGS }, "", "check: nothing looks like a leak", 0 },
	{ { "no-new-findings", no_argument, NULL, OPTION_CHECK + CHECK_NEW_FINDINGS }, "", "check: nothing but what --baseline has, too", 0 },
	{ { "allow",   required_argument, NULL, OPTION_ALLOW },  "KINDS",   "check: accept findings of these kinds: dominator,pinned", AT(check.allowed) },
	{ { "baseline", required_argument, NULL, OPTION_BASELINE }, "FILE", "check: an earlier heap to compare with", AT(check.baseline) },
	{ { "junit",   required_argument, NULL, OPTION_JUNIT },  "FILE",    "check: write the results as JUnit XML, too", AT(check.junit) },
	{ { "allow-missing", no_argument, NULL, OPTION_ALLOW_MISSING }, "",  "check: accept a TYPE that does not exist", AT(allows_missing) },
	{ { "strict",  no_argument,       NULL, OPTION_STRICT }, "",        "treat warnings about a file as errors: exit 5", AT(is_strict) },
	{ { "secure",  no_argument,       NULL, OPTION_SECURE }, "",        "no shell, pipe, writing or capture; or HEAPTOPSECURE=1", AT(is_secure) },
	{ { "resume",  no_argument,       NULL, OPTION_RESUME }, "",        "restore what :save-session [FILE] saved", AT(resumes) },
	{ { "theme",   required_argument, NULL, OPTION_THEME },  "NAME",    NULL, 0 },
	{ { "linear",  no_argument,       NULL, OPTION_LINEAR }, "",        NULL, 0 },
	{ { "tour",    no_argument,       NULL, OPTION_TOUR },   "",        "find a leak in five minutes and learn the keys", AT(is_tour) },
	{ { "no-rc",   no_argument,       NULL, OPTION_NO_RC },  "",        "read no heaptoprc", AT(has_no_rc) },
	{ { "paths",   no_argument,       NULL, OPTION_PATHS },  "",        "list the files that are read and written, and exit", 0 },
	{ { "help",    optional_argument, NULL, 'h' },           "",        "this text; --help keys, columns, filter, json, settings, sql: more", 0 },
	{ { "version", no_argument,       NULL, 'V' },           "",        "print the version", 0 },
};
/* clang-format on */
enum { ROWS_COUNT = sizeof rows / sizeof rows[0], ARGUMENTS = 7 };

/* Returns the setting of this name; settings of views are not options. */
static const struct setting *
setting_named(const struct option_row *r)
{
	for (const struct setting *s = settings_table; s->name; s++)
		if (!(s->flags & SETTING_OF_VIEWS) && !strcmp(s->name, r->option.name))
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
take_setting(struct options *o, const struct option_row *r, const char *arg)
{
	const struct setting *s = setting_named(r);

	if (s)
		o->given[s - settings_table] = arg ? arg : "on";
	return s != NULL;
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
		if (o->given[i] && !settings_set_value(s, name, what, o->given[i], &from, err))
			return false;
	}
	return true;
}

/* A list that is wrapped to 79 columns. */
struct wrapped {
	FILE *to;
	int column;
	bool has_some;
};

static struct wrapped
wrapped_begin(FILE *to, const char *title)
{
	return (struct wrapped){ to, fprintf(to, "%s:", title), false };
}

static void
wrapped_add(struct wrapped *w, const char *text)
{
	enum { LINE_WIDTH = 79 };

	if (w->has_some)
		w->column += fprintf(w->to, ",");
	w->has_some = true;
	if (w->column + 1 + (int)strlen(text) + 1 > LINE_WIDTH)
		w->column = fprintf(w->to, "\n%s", text) - 1;
	else
		w->column += fprintf(w->to, " %s", text);
}

/* Lists the commands of all views. */
static void
print_batch_commands(FILE *to)
{
	struct wrapped list = wrapped_begin(to, "Commands of -b");
	char text[128], usage[USAGE_BYTES];

	for (const struct view_ops *const *v = all_views; *v; v++) {
		const struct command *c = &(*v)->command;

		if ((*v)->list.flags & VIEW_HIDDEN)
			continue;
		snprintf(text, sizeof text, "%s%s%s%s", c->name,
			 *arguments_usage(c, usage) ? " " : "", usage,
			 *v == &view_totals ? " (-b objects -x totals)" : "");
		wrapped_add(&list, text);
	}
	fprintf(to, ".\n");
}

static void
print_pages(FILE *to)
{
	struct wrapped list = wrapped_begin(to, "\nManual, with --help PAGE");
	const char *page;
	char name[64];

	for (size_t i = 0; (page = manual_name(i)); i++) {
		snprintf(name, sizeof name, "%.*s", (int)strcspn(page, "."), page);
		wrapped_add(&list, name);
	}
	fprintf(to, ".\n");
}

void
options_print_help(FILE *to)
{
	char name[64], dash[8];

	/* clang-format off */
	fputs("heaptop browses the managed heap of a .NET program.\n\n"
	      "  heaptop [options] FILE            a .gcdump, .nettrace, .heaptop or .gclog\n"
	      "  heaptop [options] PID|NAME        a running process\n"
	      "  heaptop [options]                 choose a process\n"
	      "  heaptop [options] HOST:PID|NAME   a process on another machine, by ssh\n"
	      "  heaptop -b COMMAND FILE|PID|NAME  print a view as text or CSV\n"
	      "  heaptop types FILE|PID|NAME       the same as -b types; so for any view\n"
	      "  heaptop -g PID|NAME|FILE.nettrace garbage collections\n"
	      "  heaptop -l                        list processes\n"
	      "  heaptop --probe PID|NAME|CORE     what memory shows\n"
	      "  heaptop convert FILE|PID|NAME OUT save the heap in another format\n"
	      "  heaptop check RULES FILE          check limits, for builds\n"
	      "  heaptop --mcp [FILE|PID]          a server for assistants\n\n"
	      "FILE may be compressed with zstd; - is standard input.\n\n", to);
	/* clang-format on */
	for (int i = 0; i < ROWS_COUNT; i++) {
		const struct option_row *r = &rows[i];

		snprintf(dash, sizeof dash, r->option.val < OPTION_CSV ? "-%c, " : "    ",
			 r->option.val);
		snprintf(name, sizeof name, "%s--%s %s", dash, r->option.name, r->arg);
		fprintf(to, "  %-26s %s\n", name, option_help(r));
	}
	fprintf(to, "\n");
	print_batch_commands(to);
	print_pages(to);
	/* clang-format off */
	fputs("\nExit: 0 ok, 1 nothing matched, 2 usage, 3 the process cannot be captured,\n"
	      "4 printed, but data is missing or damaged, 5 bad file, 6 system error (memory,\n"
	      "disk), 130 interrupted.\n", to);
	/* clang-format on */
}

static bool
parse_help(struct options *o, const char *topic, struct error *err)
{
	static const struct {
		const char *name;
		enum action action;
	} topics[] = {
		{ "keys", ACTION_HELP_KEYS },         { "columns", ACTION_HELP_COLUMNS },
		{ "filter", ACTION_HELP_FILTER },     { "json", ACTION_HELP_JSON },
		{ "settings", ACTION_HELP_SETTINGS }, { "sql", ACTION_HELP_SQL },
	};

	o->action = ACTION_HELP;
	for (size_t i = 0; topic && i < sizeof topics / sizeof topics[0]; i++)
		if (!strcmp(topic, topics[i].name)) {
			o->action = topics[i].action;
			return true;
		}
	o->page = topic ? manual_page(topic) : NULL;
	if (o->page)
		o->action = ACTION_HELP_PAGE;
	return !topic || o->page ||
	       error_set(err, ERROR_USAGE,
			 "--help knows keys, columns, filter, json, settings, sql, and manual "
			 "pages such as heaptop-remote, not \"%.40s\"",
			 topic);
}

static bool
take_format(struct options *o, enum table_format format, struct error *err)
{
	if (o->format != TABLE_TEXT && o->format != format)
		return error_set(err, ERROR_USAGE, "give one output format, not several");
	o->format = format;
	return true;
}

/* FILE.nettrace records the raw events; other files get the heap. */
static void
take_output(struct options *o, const char *path)
{
	const char *suffix = strrchr(path, '.');

	if (suffix && !strcmp(suffix, ".nettrace"))
		o->trace = path;
	else
		o->output = path;
}

/* Checks that a writer exists for -o. */
static bool
check_output(const struct options *o, struct error *err)
{
	return !o->output || o->save_format || !strcmp(o->output, "-") ||
	       save_has_format(o->output) || save_database_is_wanted(o) ||
	       error_set(err, ERROR_USAGE,
			 "-o writes FILE.heaptop (- is standard output), FILE.gcdump, FILE.gclog, "
			 "FILE.sqlite or, for a process, FILE.nettrace; not \"%.60s\"",
			 o->output);
}

static bool
take_rule(struct options *o, enum check_kind kind, const char *text, struct error *err)
{
	struct check *c = &o->check;

	if (c->rules_count == CHECK_RULES_MAX)
		return error_set(err, ERROR_USAGE, "too many rules; at most %d are possible",
				 CHECK_RULES_MAX);
	c->rules[c->rules_count++] = (struct check_rule){ kind, text };
	return true;
}

static void
keep(struct options *o, const struct option_row *r, const char *arg)
{
	if (arg)
		memcpy((char *)o + r->at, &arg, sizeof arg);
	else
		*(bool *)((char *)o + r->at) = true;
}

static bool
take_option(struct options *o, const struct option_row *r, const char *arg, struct error *err)
{
	static const int actions[][2] = {
		{ 'l', ACTION_LIST },           { OPTION_PROBE, ACTION_PROBE },
		{ 'V', ACTION_VERSION },        { OPTION_MCP, ACTION_MCP },
		{ OPTION_AGENT, ACTION_AGENT }, { OPTION_PATHS, ACTION_PATHS }
	};
	int option = r->option.val;

	for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++)
		if (option == actions[i][0]) {
			o->action = (enum action)actions[i][1];
			return true;
		}
	/* Refuse a second -x: it would silently replace the first. */
	if (option == 'x' && o->commands)
		return error_set(err, ERROR_USAGE,
				 "-x is given twice; one takes several commands: -x 'COMMAND; "
				 "COMMAND'");
	if (option == 'b' && *arg == '-')
		return error_set(
		    err, ERROR_USAGE,
		    "-b wants a command before \"%.40s\": -b types, -b 'dumpheap -stat'; -x runs "
		    "more commands in the view",
		    arg);
	if (r->at) {
		keep(o, r, arg);
		return option == OPTION_ALLOW ? check_kinds(arg, err)
					      : option_choice_check(r->option.name, arg, err);
	}
	if (option >= OPTION_CHECK && option < OPTION_BASELINE)
		return take_rule(o, (enum check_kind)(option - OPTION_CHECK), arg ? arg : "", err);
	if (option >= OPTION_CSV && option <= OPTION_MD)
		return take_format(o, (enum table_format)(TABLE_CSV + (option - OPTION_CSV)), err);
	switch (option) {
	case 'n':
		return option_rows(arg, &o->rows_max, err);
	case OPTION_RUNTIME:
		return option_runtime(arg, &o->runtime, err);
	case OPTION_MIN_PAUSE:
		return quantity_parse_time("--min-pause", arg, &o->min_pause_ms, err);
	case OPTION_FOR:
		return option_time("--for", arg, &o->time_ms, err);
	case 'o':
		take_output(o, arg);
		return true;
	case OPTION_LABEL:
		return row_origin_take_label(&o->labels, arg, err);
	case 'h':
		return parse_help(o, arg, err);
	default:
		return take_setting(o, r, arg) ||
		       error_set(err, ERROR_USAGE, "unknown option; --help lists them");
	}
}

/* Fills in what is given besides options; `names` are files or a process. */
static void
mention_arguments(const struct options *o, int count, char **names, struct option_mention *m)
{
	const struct option_mention arguments[ARGUMENTS + 1] = {
		{ "check", 0, o->action == ACTION_CHECK },
		{ "convert", 0, o->action == ACTION_CONVERT },
		{ "names", 0, count > 0 },
		{ "pid", 0, count == 1 && option_names_is_pid(names[0]) },
		{ "heap", 'o', o->output != NULL },
		{ "trace", 'o', o->trace != NULL },
		{ "host", 0, o->host[0] != '\0' },
		{ NULL, 0, false },
	};

	memcpy(m, arguments, sizeof arguments);
}

/* Checks the number of heaps; a process on --port counts as one. */
static bool
check_counts(const struct options *o, int files_count, struct error *err)
{
	int count = files_count + (o->port != NULL);
	bool is_compared = o->check.baseline != NULL;

	if (o->output && o->action == ACTION_OPEN && files_count > 1)
		return error_set(err, ERROR_USAGE, "-o saves one heap, not %d", files_count);
	if (o->wants_gcs && o->batch && strcmp(o->batch, "gcs") != 0)
		return error_set(err, ERROR_USAGE,
				 "-g prints collections and cannot be used with -b %.40s",
				 o->batch);
	if (o->wants_allocations && count != 1)
		return error_set(err, ERROR_USAGE,
				 "-a and -b allocations want one process or .nettrace; heaptop -l "
				 "lists processes");
	if (o->wants_allocations && o->batch && !allocation_batch_takes(o->batch))
		return error_set(err, ERROR_USAGE,
				 "-a records allocations and cannot be used with -b %.40s",
				 o->batch);
	if (o->wants_gcs && count != 1)
		return error_set(err, ERROR_USAGE,
				 "-g wants one process or .nettrace; heaptop -l lists processes");
	if (o->action == ACTION_CHECK && (!count || (is_compared && files_count != 1)))
		return error_set(err, ERROR_USAGE, "check wants %s heap, not %d",
				 is_compared ? "one" : "at least one", files_count);
	return true;
}

/* convert IN OUT: treat the last name as the argument of -o. */
static bool
take_target(struct options *o, int *argc, char **argv, struct error *err)
{
	int count = *argc - optind;

	if (count != (o->port ? 1 : 2) || o->output || o->trace)
		return error_set(err, ERROR_USAGE,
				 "convert wants two names: heaptop convert FILE|PID FILE.gcdump");
	take_output(o, argv[--*argc]);
	return o->output ||
	       error_set(err, ERROR_USAGE,
			 "convert writes FILE.heaptop, FILE.gcdump, FILE.gclog or FILE.sqlite, not "
			 "\"%.60s\"",
			 o->trace);
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
		return error_set(err, ERROR_USAGE, "unknown option %.60s; perhaps: --%s", text,
				 near.best);
	return error_set(err, ERROR_USAGE, "unknown option %.60s; --help lists them", text);
}

static int
row_index(int option)
{
	int row = 0;

	while (rows[row].option.val != option)
		row++;
	return row;
}

/* Reads the options, from argv[1] on; optind is then the first argument. */
static bool
parse_options(struct options *o, int argc, char **argv, struct option_mention *mentions,
	      struct error *err)
{
	struct option table[ROWS_COUNT + 1] = { 0 };
	int option, row;

	for (int i = 0; i < ROWS_COUNT; i++) {
		const struct option *r = &rows[i].option;

		table[i] = *r;
		mentions[i] = (struct option_mention){
			.name = r->name,
			.letter = r->val < OPTION_CSV ? (char)r->val : '\0',
		};
	}
	opterr = 0;
	optind = 0; /* restart: tests parse more than once */
	while ((option = getopt_long(argc, argv, ":b:n:s:f:x:o:aglmvhV", table, NULL)) != -1) {
		if (option == ':')
			return error_set(err, ERROR_USAGE,
					 "%s needs a value; --help lists all options",
					 argv[optind - 1]);
		if (option == '?')
			return unknown_option(argv[optind - 1], err);
		/* Accept "--help keys" as well as "--help=keys". */
		if (option == 'h' && !optarg && optind < argc && argv[optind][0] != '-')
			optarg = argv[optind++];
		row = row_index(option);
		mentions[row].is_given = true;
		if (!take_option(o, &rows[row], optarg, err))
			return false;
	}
	return true;
}

/* Commands in place of a file; they are the first word that is no option. */
static const struct command_word {
	const char *word;
	enum action action;
	const char *batch; /* for ACTION_OPEN: the command of -b */
} command_words[] = {
	{ "check", ACTION_CHECK, NULL },
	{ "convert", ACTION_CONVERT, NULL },
	{ "sql", ACTION_OPEN, "sql -" },
};

static const struct command_word *
command_word_of(const char *word)
{
	for (size_t i = 0; i < sizeof command_words / sizeof command_words[0]; i++)
		if (!strcmp(command_words[i].word, word))
			return &command_words[i];
	return NULL;
}

static void
take_command_word(struct options *o, const struct command_word *c, struct option_mention *mentions)
{
	if (o->action == ACTION_OPEN)
		o->action = c->action;
	if (c->batch) {
		o->batch = c->batch;
		mentions[row_index('b')].is_given = true;
	}
}

/* --- the names of views as commands ---------------------------------------- */

/* Returns the view that -b prints for a word, or NULL. An existing file is no command; `./types`
   and
   `--` name files and processes in any case. */
static const struct view_ops *
view_of_word(const char *word)
{
	size_t number = views_number(word, strlen(word));
	struct stat st;

	if (number == SIZE_MAX || all_views[number]->list.flags & VIEW_HIDDEN || !stat(word, &st))
		return NULL;
	return all_views[number];
}

/* Returns whether the command of a view takes the next word: one that it needs, a query, or a type
   or the like in front of a single heap. */
static bool
takes_next_word(const struct view_ops *v, const struct options *o)
{
	const struct argument *first = &v->command.args[0];
	bool is_of_several = view_needs(v) & NEED_SNAPSHOTS || o->has_origin;

	return first->kind == ARG_QUERY ||
	       (first->kind != ARG_NONE && (!first->is_optional || !is_of_several));
}

/* `heaptop types FILE` is `heaptop -b types FILE`. Without a further word it may be a process. */
static void
take_view_word(struct options *o, int argc, char **argv, struct option_mention *mentions)
{
	const struct view_ops *v = NULL;

	if (o->action != ACTION_OPEN || o->batch || o->output || o->resumes || optind >= argc)
		return;
	if (strcmp(argv[optind - 1], "--") != 0)
		v = view_of_word(argv[optind]);
	if (!v || (optind + 1 == argc && !o->port && batch_needs_heap(argv[optind])))
		return;
	o->batch = argv[optind++];
	mentions[row_index('b')].is_given = true;
}

/* `-b merged TYPE FILE` is `-b 'merged TYPE' FILE`. */
static bool
take_argument(struct options *o, int argc, char **argv, struct error *err)
{
	int left = argc - optind - (o->port == NULL);
	const struct view_ops *v = o->batch ? view_of_word(o->batch) : NULL;
	struct stat st;
	size_t len;

	if (!v || left < 1 || !takes_next_word(v, o) || !stat(argv[optind], &st))
		return true;
	len = strlen(argv[optind]);
	while (len && strchr("; \n", argv[optind][len - 1]))
		len--;
	if (strlen(o->batch) + len + 2 > sizeof o->command)
		return error_set(err, ERROR_USAGE, "the argument of %s is too long", o->batch);
	snprintf(o->command, sizeof o->command, "%s %.*s", o->batch, (int)len, argv[optind++]);
	o->batch = o->command;
	return true;
}

bool
options_parse(struct options *o, int argc, char **argv, struct error *err)
{
	struct option_mention mentions[ROWS_COUNT + ARGUMENTS + 1];
	const struct command_word *c = argc > 1 ? command_word_of(argv[1]) : NULL;

	*o = (struct options){ .rows_max = UINT64_MAX };
	/* With POSIXLY_CORRECT set, options after any other word would be names. */
	if (c) {
		argc--;
		argv++;
	}
	if (!parse_options(o, argc, argv, mentions, err))
		return false;
	if (!c && optind < argc && strcmp(argv[optind - 1], "--") != 0 &&
	    (c = command_word_of(argv[optind])))
		optind++;
	if (c)
		take_command_word(o, c, mentions);
	else
		take_view_word(o, argc, argv, mentions);
	if (o->action > ACTION_CONVERT)
		return true;
	if (!take_argument(o, argc, argv, err))
		return false;
	if (o->action == ACTION_CONVERT && !take_target(o, &argc, argv, err))
		return false;
	if (o->batch && !strcmp(o->batch, "gcs")) {
		o->wants_gcs = true;
		mentions[row_index('g')].is_given = true;
	}
	if (o->action == ACTION_OPEN && o->batch && allocation_batch_takes(o->batch)) {
		o->wants_allocations = true;
		mentions[row_index('a')].is_given = true;
	}
	argc -= optind;
	argv += optind;
	if (!option_names_find_host(o, argc, argv, err))
		return false;
	mention_arguments(o, argc, argv, &mentions[ROWS_COUNT]);
	return option_conflicts_check(mentions, err) && check_output(o, err) &&
	       check_counts(o, argc, err) && option_names_take(o, argc, argv, err);
}
