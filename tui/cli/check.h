#ifndef TUI_CLI_CHECK_H
#define TUI_CLI_CHECK_H

/*
 * `heaptop check`: limits on heaps, for builds and probes. Each rule is printed
 * with what was measured, whether it holds or not.
 */
#include "tui/session/snapshots.h"
#include <stdio.h>

enum check_kind {
	CHECK_MAX,          /* 'TYPE=N': objects of it, at most */
	CHECK_MAX_SIZE,     /* 'TYPE=50M': their bytes */
	CHECK_MAX_RETAINED, /* 'TYPE=50M': what only they keep */
	CHECK_WHERE,        /* 'FILTER': no type is like that */
	CHECK_GREW,         /* 'FILTER': no such type has grown */
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
	const char *baseline, *junit; /* files; NULL: none */
	bool is_strict;               /* what cannot be measured ends with 5 */
	bool allows_missing; /* types and patterns that match nothing are ok */
};

/* What stands in `junit` before and behind the heaps. */
void check_junit_begin(FILE *to);
void check_junit_end(FILE *to);
/*
 * Every heap but the baseline, which is the first if there is one, against all
 * rules: on standard output, and in `junit`. Exit code as batch_run().
 */
int check_heaps(struct snapshots *all, const struct check *c, FILE *junit,
		struct error *err);

#endif
