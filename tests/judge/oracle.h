#ifndef TESTS_JUDGE_ORACLE_H
#define TESTS_JUDGE_ORACLE_H

/*
 * What ClrMD says about the heap of a process or in a core (tests/programs/oracle, a C# program
 * that tests/programs/targets.sh builds). Lines, fields separated by tabs, each with its section's
 * word first; tests/programs/oracle/Oracle.cs lists them.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* False: there is no SDK here; said and counted as skipped. */
bool oracle_exists(void);

struct oracle;

/*
 * `sections` ends with NULL. `version` is the program's ("8.0-single"), and says where the
 * runtime's debugging library is. Of a process, which stays stopped, and traced by nobody, until
 * oracle_free(). Fails the test if it has nothing to say.
 */
struct oracle *oracle_ask(const char *where, const char *version, const char *const sections[]);
/* The same, but NULL if it has nothing to say. */
struct oracle *oracle_try(const char *where, const char *version, const char *const sections[]);
void oracle_free(struct oracle *o); /* NULL is allowed */

/* The lines of a section, one after another; `*at` begins at NULL. */
enum { ORACLE_FIELDS = 16 };
struct oracle_line {
	const char *fields[ORACLE_FIELDS]; /* behind the section's word; "" */
	size_t lens[ORACLE_FIELDS];
	unsigned count;
	const char *rest; /* from the first field on, up to the line's end */
	size_t rest_len;
};
bool oracle_next(const struct oracle *o, const char *word, const char **at,
		 struct oracle_line *line);
/* How many lines. */
size_t oracle_count(const struct oracle *o, const char *word);
uint64_t oracle_hex(const struct oracle_line *line, unsigned field);
uint64_t oracle_number(const struct oracle_line *line, unsigned field);
bool oracle_is(const struct oracle_line *line, unsigned field, const char *text);

#endif
