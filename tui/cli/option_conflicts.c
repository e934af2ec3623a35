#include "tui/cli/option_conflicts.h"
#include <assert.h>
#include <string.h>

#define VIEW_OPTIONS "batch sort filter execute"
#define FINDINGS     "no-findings no-new-findings"
#define RULES        "max max-size max-retained where grew " FINDINGS

/*
 * Each row refuses one of `these` together with one of `those`, or alone if `those` is NULL, unless
 * one of `unless` is given. The first row that applies is reported. A text that begins with a blank
 * is prefixed by the option of `those`, or of `these`.
 *
 * Names other than options: the commands check and convert, the names of files or a process, a pid,
 * a heap as output, a trace as output, the host
 * of HOST:PID.
 */
/* clang-format off */
static const struct {
	const char *these, *those, *unless, *text;
} conflicts[] = {
	{ "convert",               "batch gcs", NULL,             "convert writes a heap and shows nothing: no -b, no -g" },
	{ "list",                  "batch execute output gcs", NULL, " cannot be used with -l, which lists processes" },
	{ "raw with",              NULL, "heap",                  " is for saving a heap: -o FILE.heaptop" },
	{ "format",                NULL, "heap",                  " sets the format of a saved heap: -o FILE, or -o-" },
	{ "check",                 VIEW_OPTIONS " heap mine", NULL, " cannot be used with check, which measures the whole heap" },
	{ "convert",               VIEW_OPTIONS, NULL,            " cannot be used with convert, which saves the whole heap" },
	{ "heap",                  VIEW_OPTIONS, NULL,            " cannot be used with -o, which saves the whole heap" },
	{ "runtime",               "pid", "memory probe",         "--runtime is for reading memory: -m PID" },
	/* -m sees no events; a process that connects to --port sends only events. */
	{ "memory",                "gcs", NULL,                   "-m reads memory, but -g needs events" },
	{ "memory",                "trace", NULL,                 "-m reads memory, but -o FILE.nettrace saves events" },
	{ "memory",                "port", NULL,                  "-m reads memory, but --port receives events" },
	{ "start",                 NULL, "pid names",             "--start is for a process that waits at its start: --start PID" },
	{ "start",                 "memory probe", NULL,          "--start resumes a process by a command, and -m sends none" },
	{ "origin",                NULL, "batch",                 "--origin is for rows: -b COMMAND --jsonl" },
	{ "origin",                "gcs", NULL,                   "--origin is for rows of a heap, and -g prints collections" },
	{ "label",                 NULL, "origin",                "--label is for rows with their origin: --origin" },
	{ "origin",                NULL, "jsonl csv tsv",         "--origin is for --jsonl, --csv and --tsv" },
	{ "for stacks no-survival", NULL, "allocations",          " is for recording allocations: -a PID, -b allocations PID" },
	{ "memory",                "allocations", NULL,           "-m reads memory, but recording allocations needs events" },
	{ "port origin",           "allocations", NULL,           " cannot be used for allocations, which are of one running process" },
	{ "allocations",           "gcs list probe check convert heap", NULL, " cannot be used with -a, which records allocations" },
	{ "verbose min-pause",     NULL, "gcs",                   " is for collections: -g" },
	{ "gcs",                   "sort filter execute output", NULL, " cannot be used with -g, which prints collections as they end" },
	{ RULES " baseline junit allow", NULL, "check",                 "rules are for check: heaptop check --max 'TYPE=0' FILE" },
	{ "check",                 NULL, RULES,                   "check wants a rule such as --max 'Leaky.Session=0'; --help lists them" },
	{ "allow",                 NULL, FINDINGS,                "--allow is for findings: check --no-findings --allow KINDS" },
	{ "mcp",                   "list probe check convert heap trace gcs allocations port resume tour linear origin " VIEW_OPTIONS, NULL, " cannot be used with --mcp, which answers the requests of a client" },
	{ "mcp",                   "pid", "allow-capture",        "--mcp captures from a process only with --allow-capture" },
	{ "allow-capture",         NULL, "mcp",                   "--allow-capture is for --mcp" },
	{ "host via",              "port probe mcp resume tour agent symbols start", NULL, " cannot be used for processes elsewhere: --via, HOST:PID" },
	{ "host via",              "trace", "allocations",        "the events of a heap walk elsewhere cannot be saved: -o FILE.heaptop saves the heap" },
	{ "agent",                 "list probe check convert heap trace gcs allocations port resume tour linear mcp names " VIEW_OPTIONS, NULL, " cannot be used with --agent, which answers another heaptop" },
	{ "tour",                  "names port batch output gcs allocations list probe check convert", NULL, "--tour opens its own dumps and takes nothing else" },
	{ "resume",                "list probe check convert batch heap port gcs allocations", NULL, "--resume is for the screen and cannot be used with -b, -o, -g, -l, --port and the like" },
};
/* clang-format on */

static const struct option_mention *
find(const struct option_mention *all, const char *name, size_t len)
{
	while (all->name && (strncmp(all->name, name, len) != 0 || all->name[len]))
		all++;
	assert(all->name); /* otherwise the table has a misspelt name */
	return all;
}

/* Returns the first of these names that is given, or NULL. */
static const struct option_mention *
first_given(const struct option_mention *all, const char *names)
{
	while (names && *names) {
		size_t len = strcspn(names, " ");
		const struct option_mention *m = find(all, names, len);

		if (m->is_given)
			return m;
		names += len + strspn(names + len, " ");
	}
	return NULL;
}

static bool
refuse(const struct option_mention *m, const char *text, struct error *err)
{
	if (*text != ' ')
		return error_set(err, ERROR_USAGE, "%s", text);
	if (m->letter)
		return error_set(err, ERROR_USAGE, "-%c%s", m->letter, text);
	return error_set(err, ERROR_USAGE, "--%s%s", m->name, text);
}

bool
option_conflicts_check(const struct option_mention *all, struct error *err)
{
	for (size_t i = 0; i < sizeof conflicts / sizeof conflicts[0]; i++) {
		const struct option_mention *one, *other, *excuse;

		/* Look up all names, so that a misspelt one asserts at once. */
		one = first_given(all, conflicts[i].these);
		other = first_given(all, conflicts[i].those);
		excuse = first_given(all, conflicts[i].unless);
		if (!conflicts[i].those)
			other = one;
		if (one && other && !excuse)
			return refuse(other, conflicts[i].text, err);
	}
	return true;
}

/* --- values -------------------------------------------------------------- */

/* clang-format off */
static const struct {
	const char *option, *words, *text;
} choices[] = {
	{ "format", "heaptop gcdump gclog sqlite", "--format knows heaptop, gcdump, gclog and sqlite," },
	{ "with",   "distances retained",   "--with knows distances, and retained, which has both;" },
};
/* clang-format on */

/* Returns whether `words`, separated by blanks, contain the one word `word`. */
static bool
is_among(const char *word, const char *words)
{
	size_t len = strlen(word);
	const char *at = words;

	while (len && (at = strstr(at, word)) &&
	       ((at > words && at[-1] != ' ') || !strchr(" ", at[len])))
		at++;
	return len && at && !strchr(word, ' ');
}

bool
option_choice_check(const char *option, const char *arg, struct error *err)
{
	for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++)
		if (!strcmp(choices[i].option, option) && !is_among(arg, choices[i].words))
			return error_set(err, ERROR_USAGE, "%s not \"%.40s\"", choices[i].text,
					 arg);
	return true;
}
