/*
 * Queries in SQL: each table has the rows of the view of its name, on files and on cores of real
 * processes; plans, units and refusals.
 */
#include "tests/drive/cores.h"
#include "tests/drive/files.h"
#include "tests/drive/heaps.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/shell.h"
#include <string.h>

#define LEAKY "tests/data/leaky-10.gcdump"
#define LATER "tests/data/leaky-10-later.gcdump.zst"

enum { OUTPUT_BYTES = 64 << 20, COLUMNS_BYTES = 2048 };

/* --- tables and views ----------------------------------------------------- */

/* Views that list a whole heap without an argument. */
static const struct listed {
	const char *table;
	const char *options; /* of the view */
} tables[] = {
	{ "types", "" },
	{ "objects", "" },
	{ "dominators", "" },
	{ "groups", "" },
	{ "heaps", "" },
	{ "segments", "" },
	{ "free", "" },
	{ "histogram", "" },
	{ "roots", "" },
	{ "handles", "" },
	{ "finalizers", "" },
	{ "threads", "" },
	{ "stacks", "" },
	{ "modules", "" },
	{ "verify", "" },
	{ "locks", "" },
	{ "statics", "" },
	{ "async", "" },
	{ "timers", "" },
	{ "exceptions", "" },
	{ "collections", "" },
	{ "findings", "" },
	/* Queries have whole texts. */
	{ "strings", "--columns count,dead,size,wasted,garbage,length,address" },
};

/* Writes the header of CSV as a list of columns for SELECT. */
static void
quote_columns(const char *header, char out[COLUMNS_BYTES])
{
	size_t len = 0;

	for (const char *at = header; *at && *at != '\n';) {
		size_t name = strcspn(at, ",\n");
		bool is_heap = name == 4 && !strncmp(at, "heap", 4);
		bool is_depth = name == 5 && !strncmp(at, "depth", 5);

		/* The rows of a tree are one below their groups. */
		len += (size_t)snprintf(out + len, COLUMNS_BYTES - len,
					is_depth ? "%s1" : "%s\"%.*s\"", len ? ", " : "",
					is_heap ? 7 : (int)name, is_heap ? "gc_heap" : at);
		at += name + (at[name] == ',');
	}
	assert_true(len < COLUMNS_BYTES);
}

static int
compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Splits into lines without the header, and sorts them. */
static size_t
sort_lines(char *text, char ***lines)
{
	size_t count = 0, room = 1024;

	*lines = malloc(room * sizeof **lines);
	strtok(text, "\n");
	for (char *line; (line = strtok(NULL, "\n")); count++) {
		if (count == room) {
			room *= 2;
			*lines = realloc(*lines, room * sizeof **lines);
		}
		(*lines)[count] = line;
	}
	qsort(*lines, count, sizeof **lines, compare_lines);
	return count;
}

static void
expect_same_lines(const char *table, char *of_view, char *of_query)
{
	char **view, **query;
	size_t count = sort_lines(of_view, &view);

	if (sort_lines(of_query, &query) != count)
		fail_msg("%s: the query does not have the view's %zu rows", table, count);
	for (size_t i = 0; i < count; i++)
		if (strcmp(view[i], query[i]) != 0)
			fail_msg("%s: the view has\n%s\nand the query\n%s", table, view[i],
				 query[i]);
	free(view);
	free(query);
}

/* Returns whether the heap has the table. */
static bool
expect_table(const char *file, const struct listed *listed, char *of_view, char *of_query)
{
	const char *table = listed->table;
	char columns[COLUMNS_BYTES];
	int status;

	if (shell_prints(of_view, OUTPUT_BYTES,
			 "%s --no-rc -b %s %s --csv -n 9999999 %s 2>/dev/null", program_path(),
			 table, listed->options, file) == 2) {
		status = shell_prints(of_query, OUTPUT_BYTES,
				      "%s --no-rc -b 'sql SELECT * FROM %s' --csv %s 2>&1",
				      program_path(), table, file);
		if (status != 2)
			fail_msg("%s: only the view refuses this heap", table);
		return false;
	}
	quote_columns(of_view, columns);
	if (!*columns)
		return false; /* no rows, so no header */
	shell_prints(of_query, OUTPUT_BYTES,
		     "%s --no-rc -b 'sql SELECT %s FROM %s' --csv %s 2>/dev/null", program_path(),
		     columns, table, file);
	expect_same_lines(table, of_view, of_query);
	return true;
}

/* Returns how many tables the heap has. */
static int
expect_tables(const char *file)
{
	char *of_view = malloc(OUTPUT_BYTES), *of_query = malloc(OUTPUT_BYTES);
	int count = 0;

	for (size_t i = 0; i < COUNT_OF(tables); i++)
		count += expect_table(file, &tables[i], of_view, of_query);
	free(of_view);
	free(of_query);
	return count;
}

static const struct file_case {
	const char *name, *path;
	int tables; /* at least */
} files[] = {
	{ ".gcdump", LEAKY, 9 },
	{ ".gcdump of a server", "tests/data/leaky-10-server.gcdump.zst", 9 },
	{ ".gcdump of .NET 8", "tests/data/leaky-8.gcdump.zst", 9 },
	{ ".nettrace", "tests/data/leaky-10.nettrace.zst", 9 },
	{ ".gclog", "tests/data/sample.gclog", 6 },
};

TEST_ROWS(tables_of_files, files)
{
	const struct file_case *f = *state;

	assert_in_range(expect_tables(f->path), f->tables, COUNT_OF(tables));
}

TEST_CORES(tables_of_cores, core_is_one_of_each)
{
	const struct core *core = core_of(*state);

	if (core)
		assert_in_range(expect_tables(core->path), 19, COUNT_OF(tables));
}

/* The fields of an object of each type, read by address, by type and among
   all, are those of `fields`. */
static const char same_fields[] =
    "WITH o AS (SELECT min(address) AS address FROM objects WHERE type NOT LIKE '%]' AND type <> "
    "'string' GROUP BY type_id), f AS (SELECT o.address, replace(f.declared, 'overlapping ', ''), "
    "f.kind, f.target, CASE f.kind WHEN 'reference' THEN NULL ELSE f.value END FROM o JOIN "
    "fields(printf('%x', o.address)) AS f), v AS (SELECT v.address, v.field_type, v.kind, "
    "v.target, CASE v.kind WHEN 'reference' THEN NULL ELSE coalesce(v.text, '') END FROM o JOIN "
    "\"values\" AS v ON v.address = o.address) SELECT (SELECT count(*) FROM f) > 300 AND (SELECT "
    "count(*) FROM f) = (SELECT count(*) FROM v) AS as_many, (SELECT count(*) FROM (SELECT * FROM "
    "f EXCEPT SELECT * FROM v)) + (SELECT count(*) FROM (SELECT * FROM v EXCEPT SELECT * FROM f)) "
    "AS other, (SELECT count(*) FROM \"values\" WHERE type = 'Leaky.Session') = (SELECT count(*) "
    "FROM \"values\" WHERE +type = 'Leaky.Session') AS by_type, (SELECT group_concat(DISTINCT "
    "typeof(value)) FROM \"values\" WHERE type = 'Leaky.Session' AND field = 'Where.X') AS nested";

TEST_CORES(values_of_cores, core_is_one_of_each)
{
	const struct core *core = core_of(*state);
	static char text[4096];

	if (!core)
		return;
	file_write(in_folder("q"), same_fields, strlen(same_fields));
	shell_prints(text, sizeof text, "%s --no-rc -b \"sql %s\" --csv %s 2>&1", program_path(),
		     in_folder("q"), core->path);
	remove(in_folder("q"));
	assert_string_equal(text, "as_many,other,by_type,nested\n"
				  "1,0,1,integer\n");
}

/* An array holds 300 equal strings of 94 bytes, and each session one of 100 names. */
TEST_CORES(equal_strings_by_holder, core_is_one_of_each)
{
	const struct core *core = core_of(*state);
	static char text[4096];

	if (!core)
		return;
	shell_prints(text, sizeof text,
		     "%s --no-rc -b 'sql duplicate-strings-by-holder' --csv %s 2>&1",
		     program_path(), core->path);
	assert_non_null(strstr(text, "\nobject[],300,1,28200\n"));
	assert_non_null(strstr(text, "\nLeaky.Session,5000,100,169000\n"));
}

/* The program has put 5,000 sessions into a list, which doubles its room. */
TEST_CORES(collections_of_cores, core_is_one_of_each)
{
	const struct core *core = core_of(*state);
	static char text[4096];

	if (!core)
		return;
	shell_prints(text, sizeof text,
		     "%s --no-rc -b \"sql SELECT count, capacity, wasted, storage FROM collections "
		     "WHERE type = 'List<Leaky.Session>'\" --csv %s 2>&1",
		     program_path(), core->path);
	assert_string_equal(text, "count,capacity,wasted,storage\n"
				  "5000,8192,25536,array\n");
}

/* --- queries -------------------------------------------------------------- */

static const struct query_case {
	const char *query, *options, *contains;
	int status;
} queries[] = {
	/* Units: columns keep theirs, and sums of bytes are bytes. */
	{ "SELECT sum(size) FROM objects", "", "2,313,879 B", 0 },
	{ "SELECT max(o.size) - min(o.size) AS d FROM objects o", "", "200,002 B", 0 },
	{ "SELECT avg(size) FROM objects WHERE type = 'Leaky.Link'", "", "32 B", 0 },
	{ "SELECT sum(size) / 2 FROM objects", "", "1,156,939\n", 0 },
	{ "SELECT count(size) FROM objects", "", "31,867\n", 0 },
	{ "SELECT size, size * 1.5 AS x FROM objects WHERE type = 'Leaky.Link' LIMIT 1", "--jsonl",
	  "{\"size\":32,\"x\":48}", 0 },
	{ "SELECT share FROM types WHERE type = 'Leaky.Session'", "", "19.0%", 0 },
	{ "SELECT -5 AS n, NULL AS missing, 'a\"b' AS t", "--jsonl",
	  "{\"n\":-5,\"missing\":null,\"t\":\"a\\\"b\"}", 0 },
	{ "SELECT 1 AS a, 2 AS a, 3 AS \"x y\"", "--csv", "a,a_2,x_y\n1,2,3", 0 },
	/* Functions and lists. */
	{ "SELECT path(0x7fe019c05b18)", "", "static Pairs → Pair<string, Session>[] → Session",
	  0 },
	{ "SELECT short('Leaky.Session') || size(1048576)", "", "Session1.00 MiB", 0 },
	{ "SELECT retained('Leaky.Session') = retained FROM types WHERE type = 'Leaky.Session'",
	  "--csv", "\n1", 0 },
	{ "SELECT type FROM outgoing('7fe019c05b18')", "--csv",
	  "\nstring\n\"Dictionary<string, List<int>>\"\n", 0 },
	{ "SELECT count(*) n, sum(size) s FROM reachable(0x7fe019c05b18)", "--csv", "10,482", 0 },
	{ "SELECT type FROM path(0x7fe019c05b18)", "--csv",
	  "\n\"Leaky.Pair<string, Leaky.Session>[]\"\nLeaky.Session\n", 0 },
	{ "SELECT count(*) FROM referrers(0x7fe019c05b18)", "--csv", "\n3\n", 0 },
	{ "SELECT count(*) FROM outgoing", "", "outgoing needs the address of an object", 2 },
	{ "SELECT count(*) FROM contents", "", "contents needs a type or the address", 2 },
	{ "SELECT * FROM contents(4660)", "", "no object starts at 000000001234", 2 },
	{ "SELECT * FROM contents('Akp.Node')", "", "contents needs a type or the address", 2 },
	{ "SELECT count FROM contents('Leaky.Session') WHERE type LIKE 'Dict%'", "--csv",
	  "\n5001\n", 0 },
	{ "SELECT count(*) FROM groups('module') WHERE name = 'leaky.dll'", "--csv", "\n1\n", 0 },
	/* References: all, of one source, of one target. */
	{ "SELECT count(*) FROM refs", "--csv", "\n44174\n", 0 },
	{ "SELECT count(*) FROM refs WHERE source = 0x7fe019c05b18", "--csv", "\n2\n", 0 },
	{ "SELECT count(*) FROM refs WHERE target = 0x7fe019c05b18", "--csv", "\n3\n", 0 },
	{ "SELECT count(*) FROM refs WHERE target = 0x7fe019c05b18 AND source = 0x7fe019cc5830",
	  "--csv", "\n1\n", 0 },
	/* Plans: by address and by type, in order of types up and down. */
	{ "EXPLAIN QUERY PLAN SELECT * FROM objects WHERE address = 1", "--csv", "INDEX 2:", 0 },
	{ "EXPLAIN QUERY PLAN SELECT * FROM objects WHERE type = 'x'", "--csv", "INDEX 4:", 0 },
	{ "EXPLAIN QUERY PLAN SELECT * FROM objects WHERE type_id = 1", "--csv", "INDEX 8:", 0 },
	{ "EXPLAIN QUERY PLAN SELECT * FROM \"values\" WHERE type = 'x'", "--csv", "INDEX 4:", 0 },
	{ "EXPLAIN QUERY PLAN SELECT 1 FROM objects o JOIN \"values\" v ON v.address = o.address "
	  "WHERE o.type = 'x'",
	  "--csv", "SCAN v VIRTUAL TABLE INDEX 2:", 0 },
	{ "EXPLAIN QUERY PLAN SELECT type, sum(size) FROM objects GROUP BY type", "--csv",
	  "INDEX 32:", 0 },
	{ "EXPLAIN QUERY PLAN SELECT type, sum(size) FROM objects GROUP BY type ORDER BY 2 DESC",
	  "--csv", "INDEX 96:", 0 },
	{ "EXPLAIN QUERY PLAN SELECT 1 FROM refs r JOIN objects o ON o.address = r.target", "--csv",
	  "SCAN o VIRTUAL TABLE INDEX 2:", 0 },
	{ "SELECT (SELECT count(*) FROM (SELECT type_id FROM objects GROUP BY type_id)) = (SELECT "
	  "count(*) FROM types)",
	  "--csv", "\n1\n", 0 },
	{ "SELECT type FROM objects ORDER BY type DESC LIMIT 1", "--csv", "\nstring[][]\n", 0 },
	/* Several heaps. */
	{ "SELECT heap, count(*) n FROM objects GROUP BY heap ORDER BY n", LATER " --csv",
	  "\nleaky-10.gcdump,31867\nleaky-10-later.gcdump.zst,52776\n", 0 },
	{ "SELECT count(*) FROM objects WHERE heap = 'leaky-10.gcdump'", LATER " --csv",
	  "\n31867\n", 0 },
	{ "SELECT count(*) FROM objects WHERE heap = 'other'", LATER " --csv", "\n0\n", 0 },
	{ "SELECT retained('Leaky.Session', 'leaky-10.gcdump') n", LATER " --csv", "\n1111222\n",
	  0 },
	{ "SELECT heap, objects, complete FROM snapshots ORDER BY objects", LATER " --csv",
	  "\nleaky-10.gcdump,31867,yes\nleaky-10-later.gcdump.zst,52776,yes\n", 0 },
	/* The row of a heap has what --origin gives each row. */
	{ "SELECT (SELECT count(*) FROM (SELECT host, pod, container, process, pid, time, heap_id "
	  "FROM snapshots)) AS n, missing FROM snapshots",
	  "--csv", "\n1,", 0 },
	/* However a table is named, and without a column of it. */
	{ "SELECT count(*) FROM OBJECTS", "--csv", "\n31867\n", 0 },
	{ "SELECT count(*) FROM Refs", "--csv", "\n44174\n", 0 },
	{ "SELECT count(*) FROM dominators JOIN objects USING (address)", "--csv", "\n5294\n", 0 },
	{ "SELECT count(*) FROM refs WHERE source = 0x7fe019c05b18 OR target = 0x7fe019c05b18",
	  "--csv", "\n5\n", 0 },
	{ "SELECT name, min(size) FROM groups('module')", LATER " --csv", "\nPlugin,24\n", 0 },
	{ "SELECT count(*) FROM objects WHERE address IN (0x7fe019c05b18, '7fe019c05b18')", "--csv",
	  "\n1\n", 0 },
	{ "SELECT count(*) FROM objects WHERE address = 0x7fe019c05b18 * 1.0", "--csv", "\n1\n",
	  0 },
	{ "SELECT * FROM objects('Leaky.Session')", "", "objects has no argument", 2 },
	{ "SELECT -9007199254740993 AS n", "--jsonl", "{\"n\":-9007199254740993}", 0 },
	{ "SELECT 9e999 AS n", "--jsonl", "{\"n\":\"Inf\"}", 0 },
	{ "SELECT \"misspelt\" FROM types", "", "no such column: misspelt", 2 },
	{ "SELECT retained(0x7fe019c05b18)", "", "\n                     404\n", 0 },
	{ "SELECT sum(size) s2 FROM types", "", "2,313,879 B", 0 },
	{ "SELECT count(*)\nFROM objects -- all\n;", "--csv", "\n31867\n", 0 },
	{ "SELECT * FROM path(1)", "", "path: no object starts at", 2 },
	{ "SELECT retained('Leaky.Sesion')", "", "is no type and no object", 2 },
	{ "SELECT * FROM diff", "", ":tables lists the tables", 2 },
	{ "SELECT bad FROM types", "", ":schema lists the columns", 2 },
	{ "SELECT retained('Leaky.Link', 'nope')", "", "no heap is named", 2 },
	{ "SELECT path(1)", LATER, "with several heaps, path() needs the name", 2 },
	{ "SELECT * FROM \"values\"", "tests/corpus/core/plain-10 " LATER,
	  "name one of them by WHERE heap", 2 },
	/* Queries that write, attach files or load code are refused. */
	{ "DELETE FROM objects", "", "SQL: ", 2 },
	{ "CREATE TABLE t(x)", "", "queries can only read", 2 },
	{ "CREATE TEMP TABLE t AS SELECT 1", "", "queries can only read", 2 },
	{ "ATTACH 'x.db' AS x", "", "queries can only read", 2 },
	{ "PRAGMA temp_store", "", "queries can only read", 2 },
	{ "SELECT load_extension('x')", "", "queries may not use load_extension", 2 },
	{ "SELECT nofn(1)", "", ":schema functions lists the functions", 2 },
	{ "SELECT sum(value) FROM json_each('[1, 2]')", "--csv", "\n3\n", 0 },
	{ "SELECT count(*) FROM json_tree('{\"a\": [1]}')", "--csv", "\n3\n", 0 },
	/* Types by name: both spellings, and of one name several types. */
	{ "SELECT short('System.String') || short('string') || short('x')", "--csv",
	  "\nstringstringx\n", 0 },
	{ "SELECT sum(retained(t.type) < t.retained) FROM types t", "--csv", "\n0\n", 0 },
	{ "VACUUM INTO 'x.db'", "", "SQL: ", 2 },
	{ "BEGIN TRANSACTION", "", "queries can only read", 2 },
	{ "SELECT * FROM pragma_database_list", "",
	  "queries may not use pragma_database_list; :tables and :schema functions", 2 },
	{ "SELECT 1 FROM types UNION SELECT name FROM pragma_function_list AS f", "",
	  "queries may not use pragma_function_list", 2 },
	{ "SELEC 1", "", "SQL: near \"SELEC\": syntax error", 2 },
	{ "-- nothing", "", "there is no query in this text", 2 },
	{ "SELECT * FROM no_table", "", "SQL: no such table: no_table", 2 },
	/* The file has none of these; the sentence says which have. */
	{ "SELECT * FROM handles", "", "leaky-10.gcdump has no handles", 2 },
	{ "SELECT * FROM \"values\"", "", "has no values of fields", 2 },
	{ "SELECT * FROM values", "", "needs quotes", 2 },
	{ "SELECT 1 WHERE 0", "", "the query has no rows", 1 },
};

TEST_ROWS(answers, queries)
{
	const struct query_case *q = *state;
	static char text[1 << 16];
	int status;

	file_write(in_folder("q"), q->query, strlen(q->query));
	status =
	    shell_prints(text, sizeof text, "%s --no-rc -b \"sql $(cat %s)\" " LEAKY " %s 2>&1",
			 program_path(), in_folder("q"), q->options);
	remove(in_folder("q"));
	if (!strstr(text, q->contains) || status != q->status)
		fail_msg("%s\nends with %d and prints\n%s", q->query, status, text);
}

/* --- limits --------------------------------------------------------------- */

/* Rows of the result, what is sorted, and what is compared are counted. */
static const struct memory_case {
	const char *name, *query;
} memory_cases[] = {
	{ "rows", "SELECT i FROM n" },
	{ "sorted", "SELECT sum(r) FROM (SELECT row_number() OVER (ORDER BY random()) r FROM n)" },
	{ "distinct", "SELECT count(DISTINCT hex(i)) FROM n" },
};

TEST_ROWS(memory_ends, memory_cases)
{
	const struct memory_case *c = *state;
	static char text[4096];
	int status = shell_prints(
	    text, sizeof text,
	    "%s --no-rc --mem 40M -b \"sql WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 "
	    "FROM n LIMIT 9000000) %s\" " LEAKY " 2>&1 | tail -1",
	    program_path(), c->query);

	assert_int_equal(status, 0); /* that of tail */
	assert_non_null(strstr(text, "40 MiB may be used; --mem"));
}

TEST(from_standard_input)
{
	static char text[4096];

	assert_int_equal(shell_prints(text, sizeof text,
				      "echo 'SELECT count(*) FROM refs;' | %s sql --csv " LEAKY,
				      program_path()),
			 0);
	assert_string_equal(text, "count\n44174\n");
}

/* Files of one name are told apart, also from one that is called so. */
TEST(names_of_heaps)
{
	static char text[4096];
	const char *const folders[] = { "a", "b", "c" };
	const char *const names[] = { "x.gcdump#2", "x.gcdump", "x.gcdump" };
	char paths[3][256];

	for (int i = 0; i < 3; i++) {
		char command[1024];

		snprintf(paths[i], sizeof paths[i], "%s/%s", in_folder(folders[i]), names[i]);
		snprintf(command, sizeof command, "mkdir %s && cp tests/data/tiny.gcdump '%s'",
			 in_folder(folders[i]), paths[i]);
		shell_prints(text, sizeof text, "%s", command);
	}
	shell_prints(text, sizeof text,
		     "%s --no-rc -b 'sql SELECT heap FROM snapshots' --csv '%s' '%s' '%s'; rm -r "
		     "%s %s %s",
		     program_path(), paths[0], paths[1], paths[2], in_folder("a"), in_folder("b"),
		     in_folder("c"));
	assert_string_equal(text, "heap\nx.gcdump#2\nx.gcdump\nx.gcdump#3\n");
}

TEST(closed_pipe)
{
	static char text[4096];
	int status = shell_prints(text, sizeof text,
				  "(%s --no-rc -b 'sql SELECT * FROM objects' "
				  "--csv " LEAKY "; echo $? >%s) | head -1",
				  program_path(), in_folder("status"));
	char *ended = file_read(in_folder("status"), NULL);

	assert_int_equal(status, 0);
	assert_string_equal(ended, "0\n");
	free(ended);
	remove(in_folder("status"));
}

TESTS_BETWEEN(folder_make, folder_remove);
