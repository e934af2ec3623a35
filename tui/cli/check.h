#ifndef TUI_CLI_CHECK_H
#define TUI_CLI_CHECK_H

/*
 * `heaptop check`: measure heaps against rules, for builds and health checks. Each rule is printed
 * with its measurement, whether it holds or not.
 */
#include "tui/session/snapshots.h"
#include <stdio.h>

enum check_kind {
	CHECK_MAX,          /* 'TYPE=N': at most N objects */
	CHECK_MAX_SIZE,     /* 'TYPE=50M': at most 50 MiB of objects */
	CHECK_MAX_RETAINED, /* 'TYPE=50M': at most 50 MiB retained */
	CHECK_WHERE,        /* 'FILTER': no type matches */
	CHECK_GREW,         /* 'FILTER': no matching type has grown */
	CHECK_FINDINGS,     /* no findings but of the kinds allowed */
	CHECK_NEW_FINDINGS, /* the same; those of the baseline are allowed */
	CHECK_KIND_COUNT
};

struct check_rule {
	enum check_kind kind;
	const char *text; /* as typed; "": the rule has none */
};
enum { CHECK_RULES_MAX = 64 };
struct check {
	struct check_rule rules[CHECK_RULES_MAX];
	uint32_t rules_count;
	const char *baseline, *junit; /* file names, or NULL */
	const char *allowed;          /* kinds of findings: "a,b"; or NULL */
	bool is_strict;               /* exit 5 if a rule cannot be measured */
	bool allows_missing;          /* a rule may match no type */
};

struct check_result {
	bool has_failed;
	bool is_unknown; /* could not be measured */
	bool is_missing; /* the heap has no such type; is_unknown is set too */
	char text[1600]; /* "5,001 objects, 0 allowed" */
};

/* Writes the beginning and end of the JUnit file. */
void check_junit_begin(FILE *to);
void check_junit_end(FILE *to);
/*
 * Measures every heap against all rules and prints the results to standard output and, as JUnit
 * XML, to `junit`. If there is a baseline it is the first heap and is not measured itself. Returns
 * an exit code, as batch_run().
 */
int check_heaps(struct snapshots *all, const struct check *c, FILE *junit, struct error *err);

#endif
