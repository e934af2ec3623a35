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
extern const char *const check_options[CHECK_KIND_COUNT]; /* "max" */

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

struct check_result {
	bool has_failed;
	bool is_unknown; /* it could not be measured */
	bool is_missing; /* nothing in the heap is called so: is_unknown, too */
	char text[400];  /* "5,001 objects, 0 allowed" */
};
/* enum need of all rules: load that first. */
unsigned check_needs(const struct check *c);
/*
 * One heap against all rules; `before` is the baseline's, or NULL. The results
 * have c->rules_count places. False sets `err`: a rule makes no sense.
 */
bool check_measure(const struct check *c, struct session *s,
		   struct session *before, struct check_result *results,
		   struct error *err) MUST_USE;
/* One line a rule. */
void check_print(FILE *to, const struct check *c, const char *name,
		 const struct check_result *results);
/*
 * The same for build servers: the beginning, a heap, the end. `trouble`: what
 * is missing of the heap, or NULL; without results it could not be read.
 */
void check_junit_begin(FILE *to);
void check_junit(FILE *to, const struct check *c, const char *name,
		 const struct check_result *results, const char *trouble);
void check_junit_end(FILE *to);
/*
 * Every heap but the baseline, which is the first if there is one, against all
 * rules: on standard output, and in `junit`. Exit code as batch_run().
 */
int check_heaps(struct snapshots *all, const struct check *c, FILE *junit,
		struct error *err);

#endif
