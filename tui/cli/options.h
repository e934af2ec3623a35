#ifndef TUI_CLI_OPTIONS_H
#define TUI_CLI_OPTIONS_H

/* Parses and checks the command line. */
#include "tui/app/settings.h"
#include "tui/base/secure.h"
#include "tui/cli/check.h"
#include "tui/cli/row_origin.h"
#include "model/table/table_writer.h"

struct rc;
struct resume;

enum { HOST_BYTES = 256 };

enum action {
	ACTION_OPEN, /* show a file or process, on the screen or with -b */
	ACTION_LIST, /* list processes */
	ACTION_PROBE,
	ACTION_CHECK,
	ACTION_AGENT,   /* answer another heaptop: capture/remote/agent.h */
	ACTION_MCP,     /* answer requests of a client: mcp.h */
	ACTION_CONVERT, /* write the heap to `output` and show nothing */
	ACTION_HELP,
	ACTION_HELP_KEYS,
	ACTION_HELP_COLUMNS,
	ACTION_HELP_FILTER,
	ACTION_HELP_JSON,
	ACTION_HELP_SQL,
	ACTION_HELP_SETTINGS,
	ACTION_HELP_PAGE,
	ACTION_PATHS,
	ACTION_VERSION,
	ACTION_COUNT
};

struct options {
	enum action action;
	const char *page; /* with ACTION_HELP_PAGE: its text, see manual.h */
	const char *file; /* files[0], a path or a process name; or NULL */
	char **files;     /* every name given */
	int files_count;
	const char *batch;         /* -b; NULL: on the screen */
	char command[2048];        /* of -b and its argument, if those are two words */
	const char *commands;      /* -x; NULL: none */
	const char *sort, *filter; /* NULL: not given */
	/* Values of settings, indexed as settings_table; NULL: not given. */
	const char *given[SETTINGS_MAX];
	/* Set by main.c from rc files, the environment and options. */
	struct settings *settings;
	struct rc *rc;
	bool has_no_rc;           /* --no-rc */
	bool resumes;             /* --resume; `file` is the saved session */
	struct resume *resume;    /* its contents, set by main.c; or NULL */
	bool is_tour;             /* --tour */
	const char *output;       /* -o: file for the heap; or NULL */
	const char *save_format;  /* --format; NULL: by the suffix of `output` */
	bool may_replace;         /* --force */
	bool is_raw;              /* uncompressed, see io/heaptop/heaptop.h */
	const char *with;         /* save "distances" or "retained" too; or NULL */
	const char *symbols;      /* folder with a Native AOT program's; or NULL */
	const char *sysroot;      /* folder with a core's mapped files; or NULL */
	uint32_t runtime;         /* one of several, from 1; 0: not given */
	bool is_strict;           /* warnings about a file are errors */
	bool allows_missing;      /* check: a rule may match no type */
	bool is_secure;           /* --secure */
	struct secure secure;     /* what it and HEAPTOPSECURE forbid */
	const char *columns;      /* column ids; NULL: the default ones */
	bool has_origin;          /* --origin: rows begin with row_origin.h */
	struct row_labels labels; /* --label NAME=VALUE */
	enum table_format format;
	uint64_t rows_max;
	uint64_t rows_first; /* rows to skip; only mcp_tools.c sets it */
	bool allows_capture; /* --allow-capture, for --mcp */
	/* Live processes. */
	const char *via;              /* --via: a command; or NULL */
	char host[HOST_BYTES];        /* of HOST:PID; "": none */
	int32_t pid;                  /* valid if `has_pid` */
	const char *port, *trace;     /* --port; -o FILE.nettrace; or NULL */
	bool has_pid, skips_question; /* --yes */
	bool from_memory;             /* -m */
	bool starts;                  /* --start */
	bool only_keeps_trace;        /* -o FILE.nettrace without a terminal */
	/* Garbage collections. */
	bool wants_gcs, is_verbose;
	uint64_t min_pause_ms; /* 0: all */
	/* Allocations: -a, -b allocations. */
	bool wants_allocations;
	uint64_t time_ms;      /* --for; 0: not given */
	const char *stacks;    /* --stacks; or NULL */
	const char *samples;   /* --samples; or NULL */
	bool without_survival; /* --no-survival */
	struct check check;    /* for ACTION_CHECK */
};

/* The strings of `argv` are borrowed. False sets `err` (ERROR_USAGE). */
bool options_parse(struct options *o, int argc, char **argv, struct error *err) MUST_USE;
void options_print_help(FILE *to);
/* Returns the value given for a setting, or NULL. */
const char *options_given(const struct options *o, const char *setting);
/* Applies the options that are settings to `s`. */
bool options_set(const struct options *o, struct settings *s, struct error *err) MUST_USE;

#endif
