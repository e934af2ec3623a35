#ifndef TUI_CLI_OPTIONS_H
#define TUI_CLI_OPTIONS_H

/* The command line. */
#include "tui/app/settings.h"
#include "tui/base/secure.h"
#include "tui/cli/check.h"
#include "model/table/table_writer.h"

struct rc;
struct resume;

enum action {
	ACTION_OPEN, /* the file or process, on the screen or with -b */
	ACTION_LIST, /* of processes */
	ACTION_PROBE,
	ACTION_CHECK,
	ACTION_CONVERT, /* the heap is kept in `output`, and nothing shown */
	ACTION_HELP,
	ACTION_HELP_KEYS,
	ACTION_HELP_COLUMNS,
	ACTION_HELP_FILTER,
	ACTION_HELP_JSON,
	ACTION_HELP_SETTINGS,
	ACTION_PATHS,
	ACTION_VERSION,
};

struct options {
	enum action action;
	const char *file; /* or a process's name; or NULL */
	char **files;     /* all of them, `file` too */
	int files_count;
	const char *batch;         /* -b; NULL: on the screen */
	const char *commands;      /* -x; NULL: none */
	const char *sort, *filter; /* NULL: not given */
	/* Settings, by their row in settings_table; NULL: not given. */
	const char *given[SETTINGS_MAX];
	/* After files and environment, from main.c. */
	struct settings *settings;
	struct rc *rc;
	bool has_no_rc;        /* --no-rc */
	bool resumes;          /* --resume; `file` is that of the session */
	struct resume *resume; /* then what it says, from main.c; or NULL */
	bool is_tour;          /* --tour */
	const char *output;    /* where to keep the heap; or NULL */
	const char *kept_as;   /* --format; NULL: as it is named */
	const char *compat;    /* whose report; NULL: none */
	bool may_replace;      /* --force */
	bool is_raw;           /* how it is kept, see io/heaptop/heaptop.h */
	const char *with; /* kept beside it: "distances", "retained"; or NULL */
	const char *sysroot;  /* of a core's files; NULL: not given */
	uint32_t runtime;     /* of several, from 1; 0: not given */
	bool is_strict;       /* a file's warnings are errors */
	bool allows_missing;  /* check: rules may match nothing */
	bool is_secure;       /* --secure */
	struct secure secure; /* what that and others forbid */
	const char *columns;  /* ids; NULL: not given */
	enum table_format format;
	uint64_t rows_max;
	/* Of live processes. */
	int32_t pid;             /* if `is_pid` */
	const char *port, *keep; /* NULL: not given */
	bool is_pid, is_sure;    /* --yes */
	bool from_memory;        /* -m */
	/* Collections. */
	bool wants_gcs, is_verbose;
	uint64_t min_pause_ms; /* 0: all */
	struct check check;    /* of ACTION_CHECK */
};

/* False sets `err`, which says what was expected. */
bool options_parse(struct options *o, int argc, char **argv,
		   struct error *err) MUST_USE;
void options_print_help(FILE *to);
/* What was given for a setting, or NULL. */
const char *options_given(const struct options *o, const char *setting);
/* Makes settings of what was given. */
bool options_set(const struct options *o, struct settings *s,
		 struct error *err) MUST_USE;

#endif
