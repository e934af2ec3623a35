/*
 * Named queries, the schema that is shown, and the examples of the manual: all of them run on dumps
 * in tests/data.
 */
#include "model/sql/schema.h"
#include "model/sql/sql.h"
#include "tests/drive/files.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/shell.h"
#include <stdio.h>
#include <string.h>

#define LEAKY "tests/data/leaky-10.gcdump"
#define LATER "tests/data/leaky-10-later.gcdump.zst"

enum { OUTPUT_BYTES = 1 << 18, EXAMPLES = 10 };

static size_t
count_lines(const char *text)
{
	size_t lines = 0;

	for (; (text = strchr(text, '\n')); text++)
		lines++;
	return lines;
}

/* --- named queries -------------------------------------------------------- */

/* Queries that these dumps cannot answer, with the exit status: they have neither unreachable
   objects nor memory. The others have rows. */
static const struct {
	const char *name;
	int status;
} not_answered[] = {
	{ "duplicate-strings", 2 },
	{ "duplicate-strings-by-holder", 1 },
	{ "finalizable", 2 },
	{ "garbage", 1 },
};

static int
status_of(const char *name)
{
	for (size_t i = 0; i < sizeof not_answered / sizeof *not_answered; i++)
		if (!strcmp(not_answered[i].name, name))
			return not_answered[i].status;
	return 0;
}

TEST(each_query_of_the_tree_has_rows)
{
	char names[4096], text[OUTPUT_BYTES];
	size_t count = 0;

	assert_int_equal(shell_prints(names, sizeof names, "ls queries | sed -n 's/\\.sql$//p'"),
			 0);
	for (char *name = strtok(names, "\n"); name; name = strtok(NULL, "\n")) {
		int status = shell_prints(text, sizeof text,
					  "XDG_CONFIG_HOME=/nowhere %s -b 'sql %s' --csv " LEAKY
					  " " LATER " 2>&1",
					  program_path(), name);

		if (status != status_of(name) || (!status && count_lines(text) < 2))
			fail_msg("%s: status %d: %s", name, status, text);
		count++;
	}
	assert_true(count >= 12);
}

TEST(each_query_asks_a_question)
{
	char text[OUTPUT_BYTES];

	assert_int_equal(shell_prints(text, sizeof text,
				      "for f in queries/*.sql; do head -n 1 $f | grep -q '^-- "
				      ".*?$' || echo $f; done"),
			 0);
	assert_string_equal(text, "");
	assert_int_equal(shell_prints(text, sizeof text,
				      "XDG_CONFIG_HOME=/nowhere %s -b named-queries --csv",
				      program_path()),
			 0);
	assert_non_null(strstr(text, "top-holders,Which types hold the most bytes of "
				     "strings?,built in\n"));
	/* At 80 columns the screen has room for 44. */
	assert_int_equal(shell_prints(text, sizeof text,
				      "head -qn 1 queries/*.sql | cut -c 4- | grep '.\\{45\\}'"),
			 1);
	assert_string_equal(text, "");
}

/* Writes a file of the user's folder of queries. */
static void
write_query(const char *name, const char *text)
{
	char ignored[64], path[512];

	shell_prints(ignored, sizeof ignored, "mkdir -p %s/heaptop/queries", folder_path());
	snprintf(path, sizeof path, "%s/heaptop/queries/%s.sql", folder_path(), name);
	file_write(path, text, strlen(text));
}

static void
remove_queries(void)
{
	char ignored[64];

	shell_prints(ignored, sizeof ignored, "rm -r %s/heaptop", folder_path());
}

TEST(queries_of_the_user_win)
{
	char text[OUTPUT_BYTES];

	write_query("top-holders", "-- Which number is first?\nSELECT 1 AS n");
	write_query("mine", "-- Which \033[31mis mine?\nVALUES (2)");
	assert_int_equal(shell_prints(text, sizeof text,
				      "XDG_CONFIG_HOME=%s %s -b 'sql top-holders' --csv " LEAKY,
				      folder_path(), program_path()),
			 0);
	assert_string_equal(text, "n\n1\n");
	assert_int_equal(shell_prints(text, sizeof text,
				      "XDG_CONFIG_HOME=%s %s -b named-queries --csv", folder_path(),
				      program_path()),
			 0);
	assert_non_null(strstr(text, "top-holders,Which number is first?,"));
	assert_non_null(strstr(text, "\nmine,"));
	assert_null(strchr(text, '\033'));
	assert_null(strstr(text, "bytes of strings"));
	remove_queries();
}

TEST(query_in_a_file_may_be_long)
{
	static char query[100000];
	char text[OUTPUT_BYTES];

	memset(query, ' ', sizeof query - 1);
	memcpy(query, "SELECT count(*) AS n", 20);
	memcpy(query + sizeof query - 20, "FROM types          ", 19);
	write_query("long", query);
	assert_int_equal(shell_prints(text, sizeof text,
				      "%s -b 'sql %s/heaptop/queries/long.sql' --csv " LEAKY,
				      program_path(), folder_path()),
			 0);
	assert_memory_equal(text, "n\n", 2);
	assert_int_equal(count_lines(text), 2);
	remove_queries();
}

TEST(unknown_queries_are_named)
{
	static const struct {
		const char *typed, *message;
	} rows[] = {
		{ "top-holder", "there is no query “top-holder”; perhaps: top-holders" },
		{ "/nowhere/x.sql", "there is no file /nowhere/x.sql" },
		{ "SELECT foo FROM types", "no such column: foo" },
	};
	char text[OUTPUT_BYTES];

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		assert_int_equal(shell_prints(text, sizeof text, "%s -b 'sql %s' " LEAKY " 2>&1",
					      program_path(), rows[i].typed),
				 2);
		if (!strstr(text, rows[i].message))
			fail_msg("%s: %s", rows[i].typed, text);
	}
}

/* --- the schema ----------------------------------------------------------- */

static bool
parses(const char *query)
{
	struct error err = { 0 };
	unsigned needs;

	return sql_parse(query, &needs, &err);
}

TEST(schema_has_what_queries_can_use)
{
	struct error err = { 0 };
	struct schema s;
	struct arena a;
	char query[256];

	arena_init(&a, 8 << 20);
	assert_true(schema_read(&s, &a, &err));
	assert_true(s.entries_count > 20 && s.columns_count > 200);
	for (uint32_t i = 0; i < s.columns_count; i++) {
		const struct schema_column *c = &s.columns[i];

		snprintf(query, sizeof query, "SELECT \"%s\" FROM \"%s\"", c->name, c->table);
		if (!parses(query) || !*c->help)
			fail_msg("%s.%s: \"%s\"", c->table, c->name, c->help);
	}
	for (uint32_t i = 0; i < s.entries_count; i++) {
		const struct schema_entry *e = &s.entries[i];
		bool is_function = e->kind == SCHEMA_FUNCTION;

		snprintf(query, sizeof query,
			 is_function ? "SELECT %s FROM objects, (SELECT 1 AS bytes)"
				     : "SELECT 1 FROM objects AS o, %s",
			 e->usage);
		if (!parses(query) && e->kind != SCHEMA_LIST)
			fail_msg("%s", query);
	}
	arena_clear(&a);
}

TEST(schema_needs_no_heap)
{
	char text[OUTPUT_BYTES];

	assert_int_equal(shell_prints(text, sizeof text, "%s -b tables --csv", program_path()), 0);
	assert_non_null(strstr(text, "\nobjects,table,"));
	assert_non_null(strstr(text, "\nrefs,table,5,"));
	assert_non_null(strstr(text, "\nsize(bytes),function,,"));
	assert_int_equal(
	    shell_prints(text, sizeof text, "%s -b 'schema objects' --csv", program_path()), 0);
	assert_non_null(strstr(text, "\nobjects,size,bytes,"));
	assert_non_null(strstr(text, "\nobjects,type_id,hidden,"));
	assert_int_equal(
	    shell_prints(text, sizeof text, "%s -b 'schema object' 2>&1", program_path()), 2);
	assert_non_null(strstr(text, "queries know no table \"object\""));
}

/* --- the manual ----------------------------------------------------------- */

TEST(examples_of_the_manual_run)
{
	char ignored[64], text[OUTPUT_BYTES];

	write_query("any", "");
	shell_prints(
	    ignored, sizeof ignored,
	    "cd %s/heaptop/queries && sed -n '/^\\.SH EXAMPLES/,/^\\.SH [^E]/p' "
	    "\"$OLDPWD/man/heaptop-sql.7\" | sed 's/\\\\(aq/'\"'\"'/g; s/\\\\-/-/g; s/\\\\&//g; "
	    "s/\\\\e/\\\\/g' | awk '/^\\.EX/ { n++; inside = 1; next } /^\\.EE/ { inside = 0 } "
	    "inside { print >(\"example-\" n \".sql\") }'",
	    folder_path());
	for (int i = 1; i <= EXAMPLES; i++) {
		int status = shell_prints(
		    text, sizeof text,
		    "%s -b 'sql %s/heaptop/queries/example-%d.sql' --csv " LEAKY " " LATER " 2>&1",
		    program_path(), folder_path(), i);

		if (status || count_lines(text) < 2)
			fail_msg("example %d: status %d: %s", i, status, text);
	}
	remove_queries();
}

TESTS_BETWEEN(folder_make, folder_remove);
