#ifndef TUI_CLI_CHECK_H
#define TUI_CLI_CHECK_H

/*
 * `heaptop check`: measure heaps against rules, for builds and health checks.
 * Each rule is printed with its measurement, whether it holds or not.
 */
#include "tui/session/snapshots.h"
#include <stdio.h>

enum check_kind {
	CHECK_MAX,          /* 'TYPE=N': at most N objects */
	CHECK_MAX_SIZE,     /* 'TYPE=50M': at most 50 MiB of objects */
	CHECK_MAX_RETAINED, /* 'TYPE=50M': at most 50 MiB retained */
	CHECK_WHERE,        /* 'FILTER': no type matches */
	CHECK_GREW,         /* 'FILTER': no matching type has grown */
	CHECK_KIND_COUNT
};

struct check_rule {
	enum check_kind kind;
	const char *text; /* as typed */
};
enum { CHECK_RULES_MAX = 64 };
struct check {
	struct check_rule rules[CHECK_RULES_MAX];
	uint32_t rules_count;
	const char *baseline, *junit; /* file names, or NULL */
	bool is_strict;               /* exit 5 if a rule cannot be measured */
	bool allows_missing;          /* a rule may match no type */
};

/* Write the beginning and end of the JUnit file. */
void check_junit_begin(FILE *to);
void check_junit_end(FILE *to);
/*
 * Measure every heap against all rules and print the results to standard output
 * and, as JUnit XML, to `junit`. If there is a baseline it is the first heap
 * and is not measured itself. Returns an exit code, as batch_run().
 */
int check_heaps(struct snapshots *all, const struct check *c, FILE *junit,
		struct error *err);

#endif
