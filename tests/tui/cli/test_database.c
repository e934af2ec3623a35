/*
 * Databases of SQLite that convert writes: the same query has the same result over the heap and
 * over the file, and other programs can read the file. HEAPTOP_QUERIES is the number of random
 * queries; `make torture TORTURE=queries` compares more.
 */
#include "model/sql/database.h"
#include "tests/drive/files.h"
#include "tests/drive/heaps.h"
#include "tests/drive/jobs.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/shell.h"
#include "tests/drive/targets.h"
#include "tests/drive/ways.h"
#include "tui/session/session.h"
#include <fcntl.h>
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { QUERIES = 150, QUERY_BYTES = 2048, TABLES_MAX = 64, NAME_BYTES = 64 };

/* A heap with all results, and the same as a file. */
struct both {
	struct session *session;
	struct sql_heap heap;
	sqlite3 *db;
	uint64_t random;
	unsigned tables_count;
	char tables[TABLES_MAX][NAME_BYTES]; /* those with rows */
};

static struct sql_heap
heap_of_session(struct session *s)
{
	struct sql_heap heap = { .name = "the heap" };
	struct error err = { 0 };

	assert_ok(session_require(s, SQL_DATABASE_NEEDS, &err), &err);
	heap.facts = session_facts(s);
	return heap;
}

static void
write_file(const struct sql_heap *heap, const char *path)
{
	static const struct sql_note notes[] = { { "source", "a test" } };
	struct error err = { 0 };
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_ok(sql_write_database(fd, heap, notes, 1, NULL, &err), &err);
	close(fd);
}

static void
read_tables(struct both *b)
{
	sqlite3_stmt *all;

	assert_int_equal(sqlite3_prepare_v2(b->db,
					    "SELECT name FROM sqlite_master WHERE type = 'table' "
					    "AND name != 'meta'",
					    -1, &all, NULL),
			 SQLITE_OK);
	while (sqlite3_step(all) == SQLITE_ROW && b->tables_count < TABLES_MAX)
		snprintf(b->tables[b->tables_count++], NAME_BYTES, "%s",
			 (const char *)sqlite3_column_text(all, 0));
	sqlite3_finalize(all);
}

/* Takes the heap. */
static void
open_both(struct both *b, const struct heap *h)
{
	struct error err = { 0 };
	const char *path = in_folder("x.sqlite");

	*b = (struct both){ .random = 20 };
	b->session = session_new_of_heap(h, (struct waker){ 0 }, &err);
	assert_ok(b->session, &err);
	b->heap = heap_of_session(b->session);
	write_file(&b->heap, path);
	assert_int_equal(sqlite3_open_v2(path, &b->db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	read_tables(b);
}

static void
close_both(struct both *b)
{
	sqlite3_close(b->db);
	session_free(b->session);
	unlink(in_folder("x.sqlite"));
}

/* --- one query over both -------------------------------------------------- */

static bool
is_same_real(double x, double y)
{
	return fabs(x - y) <= 1e-9 * (fabs(x) + fabs(y));
}

static bool
is_same(const struct sql_value *v, sqlite3_stmt *row, int at)
{
	switch (v->type) {
	case SQL_NULL:
		return sqlite3_column_type(row, at) == SQLITE_NULL;
	case SQL_INTEGER:
		return sqlite3_column_type(row, at) == SQLITE_INTEGER &&
		       sqlite3_column_int64(row, at) == v->integer;
	case SQL_REAL:
		return sqlite3_column_type(row, at) == SQLITE_FLOAT &&
		       is_same_real(sqlite3_column_double(row, at), v->real);
	default:
		return sqlite3_column_type(row, at) == SQLITE_TEXT &&
		       !strcmp((const char *)sqlite3_column_text(row, at), v->text);
	}
}

/* Returns the number of rows. */
static size_t
compare(const struct both *b, const char *query)
{
	struct sql_result r;
	struct error err = { 0 };
	sqlite3_stmt *rows;
	size_t at = 0;

	if (!sql_run(query, &b->heap, 1, NULL, &r, &err))
		fail_msg("%s\n%s", query, err.message);
	if (sqlite3_prepare_v2(b->db, query, -1, &rows, NULL))
		fail_msg("%s\n%s", query, sqlite3_errmsg(b->db));
	for (; sqlite3_step(rows) == SQLITE_ROW; at++) {
		if (at >= r.rows_count)
			fail_msg("%s\nonly %zu rows over the heap", query, at);
		assert_int_equal(r.columns_count, sqlite3_column_count(rows));
		for (uint32_t i = 0; i < r.columns_count; i++)
			if (!is_same(sql_value(&r, at, i), rows, (int)i))
				fail_msg("%s\nrow %zu, %s: %s in the file", query, at,
					 sqlite3_column_name(rows, (int)i),
					 sqlite3_column_text(rows, (int)i));
	}
	if (at != r.rows_count)
		fail_msg("%s\n%zu rows in the file, not %zu", query, at, r.rows_count);
	sqlite3_finalize(rows);
	sql_result_clear(&r);
	return at;
}

/* --- random queries ------------------------------------------------------- */

static unsigned
pick(struct both *b, unsigned limit)
{
	b->random = b->random * 6364136223846793005U + 1442695040888963407U;
	return (unsigned)((b->random >> 33) % limit);
}

#define ONE_OF(b, ...)                                                                             \
	((const char *const[]){                                                                    \
	    __VA_ARGS__ })[pick(b, COUNT_OF(((const char *const[]){ __VA_ARGS__ })))]

/* A value of a column, as a literal. */
static void
literal(struct both *b, const char *table, const char *column, char out[QUERY_BYTES / 4])
{
	char query[QUERY_BYTES];
	sqlite3_stmt *s;

	snprintf(query, sizeof query,
		 "SELECT quote(%s) FROM %s LIMIT 1 OFFSET abs(%u) %% (SELECT max(count(*), 1) FROM "
		 "%s)",
		 column, table, pick(b, 1U << 30), table);
	assert_int_equal(sqlite3_prepare_v2(b->db, query, -1, &s, NULL), SQLITE_OK);
	snprintf(out, QUERY_BYTES / 4, "%s",
		 sqlite3_step(s) == SQLITE_ROW ? (const char *)sqlite3_column_text(s, 0) : "NULL");
	sqlite3_finalize(s);
}

static void
condition(struct both *b, const char *alias, char out[QUERY_BYTES])
{
	const char *column = ONE_OF(b, "address", "type", "size", "out", "in", "distance",
				    "retained", "root", "gen");
	char value[QUERY_BYTES / 4], quoted[NAME_BYTES];

	snprintf(quoted, sizeof quoted, "\"%s\"", column);
	literal(b, "objects", quoted, value);
	snprintf(out, QUERY_BYTES, "%s.%s %s %s", alias, quoted,
		 ONE_OF(b, "=", "=", "<", ">=", "IS NOT", "<="), value);
}

static void
query_rows(struct both *b, char out[QUERY_BYTES])
{
	char where[QUERY_BYTES];

	condition(b, "o", where);
	snprintf(out, QUERY_BYTES,
		 "SELECT o.%s, o.%s, o.\"in\", o.%s FROM objects o WHERE %.900s ORDER BY 1, 2 "
		 "DESC, 3, 4 LIMIT %u OFFSET %u",
		 ONE_OF(b, "address", "type", "size"),
		 ONE_OF(b, "size", "root", "retained", "heap"), ONE_OF(b, "out", "distance", "gen"),
		 where, 1 + pick(b, 200), pick(b, 20));
}

static void
query_groups(struct both *b, char out[QUERY_BYTES])
{
	char where[QUERY_BYTES];

	condition(b, "o", where);
	snprintf(
	    out, QUERY_BYTES,
	    "SELECT o.%s, count(*), sum(o.%s), avg(o.size), count(DISTINCT o.root), max(o.%s) FROM "
	    "objects o WHERE %.900s GROUP BY 1 HAVING count(*) > %u ORDER BY 1, 2, 3, 4, 5, 6",
	    ONE_OF(b, "type", "root", "distance", "size"), ONE_OF(b, "size", "out", "retained"),
	    ONE_OF(b, "address", "type", "retained_share"), where, pick(b, 3));
}

static void
query_joins(struct both *b, char out[QUERY_BYTES])
{
	char where[QUERY_BYTES];
	const char *by = ONE_OF(b, "source", "target");
	const char *other = !strcmp(by, "source") ? "target" : "source";

	condition(b, "o", where);
	snprintf(out, QUERY_BYTES,
		 "SELECT o.%s, p.type, count(*), sum(p.size), min(r.number) FROM objects o %s refs "
		 "r ON r.%s = o.address %s objects p ON p.address = r.%s WHERE o.address / 8 %% 8 "
		 "= %u AND %.900s GROUP BY 1, 2 ORDER BY 1, 2, 3, 4, 5 LIMIT 500",
		 ONE_OF(b, "type", "address", "root"), ONE_OF(b, "JOIN", "LEFT JOIN"), by,
		 ONE_OF(b, "JOIN", "LEFT JOIN"), other, pick(b, 8), where);
}

static void
query_windows(struct both *b, char out[QUERY_BYTES])
{
	char where[QUERY_BYTES];

	condition(b, "o", where);
	snprintf(
	    out, QUERY_BYTES,
	    "SELECT o.address, o.type, %s OVER (PARTITION BY o.%s ORDER BY o.%s, o.address), "
	    "sum(o.size) OVER (ORDER BY o.address ROWS %u PRECEDING) FROM objects o WHERE %.900s "
	    "ORDER BY 1 LIMIT 300",
	    ONE_OF(b, "row_number()", "rank()", "lag(o.size)", "sum(o.out)", "first_value(o.type)"),
	    ONE_OF(b, "type", "root", "distance"), ONE_OF(b, "size", "out"), pick(b, 9), where);
}

static void
query_sets(struct both *b, char out[QUERY_BYTES])
{
	char first[QUERY_BYTES], second[QUERY_BYTES], address[QUERY_BYTES / 4];

	condition(b, "o", first);
	condition(b, "o", second);
	literal(b, "refs", ONE_OF(b, "target", "source"), address);
	snprintf(
	    out, QUERY_BYTES,
	    "SELECT o.address, o.type FROM objects o WHERE %.700s %s SELECT o.address, o.type FROM "
	    "objects o WHERE %.700s ORDER BY 1, 2 LIMIT 300",
	    first, ONE_OF(b, "UNION", "EXCEPT", "INTERSECT"),
	    pick(b, 2) ? second : "o.address IN (SELECT target FROM refs)");
	if (pick(b, 2))
		snprintf(out, QUERY_BYTES,
			 "WITH RECURSIVE near(a, n) AS (VALUES(%s, 0) UNION SELECT r.%s, n + 1 "
			 "FROM near JOIN refs r ON r.%s = a WHERE n < 3) SELECT a, min(n), type "
			 "FROM near LEFT JOIN objects ON address = a GROUP BY a ORDER BY 1, 2, 3 "
			 "LIMIT 300",
			 address, ONE_OF(b, "target", "source"), ONE_OF(b, "target", "source"));
}

static void
query_tables(struct both *b, char out[QUERY_BYTES])
{
	const char *t = ONE_OF(b, "dominators", "roots", "types");

	snprintf(out, QUERY_BYTES,
		 "SELECT t.*, o.size FROM \"%s\" t LEFT JOIN objects o ON o.%s = t.%s AND o.size > "
		 "%u ORDER BY 1, 2, 3, 4, 5, o.address LIMIT %u",
		 t, strcmp(t, "types") ? "address" : "type",
		 strcmp(t, "types") ? "address" : "type", pick(b, 100), 1 + pick(b, 100));
}

/* Compares random queries; some of them, at least, must have rows. */
static void
compare_random(struct both *b, unsigned count)
{
	void (*const makers[])(struct both *, char *) = {
		query_rows, query_groups, query_joins, query_windows, query_sets, query_tables,
	};
	char query[QUERY_BYTES];
	unsigned with_rows = 0;

	for (unsigned i = 0; i < count; i++) {
		makers[i % COUNT_OF(makers)](b, query);
		with_rows += compare(b, query) > 0;
	}
	assert_true(with_rows > count / 2);
}

/* Compares every row of every table. */
static void
compare_tables(const struct both *b)
{
	char query[QUERY_BYTES];

	for (unsigned i = 0; i < b->tables_count; i++) {
		if (!strcmp(b->tables[i], "refs"))
			snprintf(query, sizeof query,
				 "SELECT source, target, number, heap FROM refs ORDER BY 1, 3");
		else
			snprintf(query, sizeof query, "SELECT * FROM \"%s\" ORDER BY 1, 2, 3, 4, 5",
				 b->tables[i]);
		compare(b, query);
	}
}

static unsigned
queries_count(void)
{
	const char *wanted = getenv("HEAPTOP_QUERIES");

	return wanted ? (unsigned)atoi(wanted) : QUERIES;
}

TEST_IN_FOLDER(same_results_of_a_dump)
{
	struct both b;

	open_both(&b, heap_of_file(LEAKY_10));
	compare_tables(&b);
	compare_random(&b, queries_count());
	close_both(&b);
}

TEST_IN_FOLDER(same_results_of_memory)
{
	struct target *t;
	struct error err = { 0 };
	const struct heap *h;
	struct both b;

	if (!target_exists("10.0")) {
		printf("skipped: no program for .NET 10\n");
		skip();
	}
	t = target_start("10.0", TARGET_HERE, NULL, NULL);
	h = heap_of_memory(target_pid(t), &err);
	assert_ok(h, &err);
	open_both(&b, h);
	compare_tables(&b);
	compare(&b, "SELECT source, number, field FROM refs WHERE source IN (SELECT address FROM "
		    "objects WHERE type = 'Leaky.Session') ORDER BY 1, 2");
	compare_random(&b, queries_count() / 5);
	close_both(&b);
	target_free(t);
}

/* --- the file ------------------------------------------------------------- */

/* Fails unless Python's SQLite finds the file sound. */
static void
expect_sound(const char *path)
{
	char text[4096];

	if (system("python3 -c 'import sqlite3' 2>/dev/null")) {
		printf("skipped: no sqlite3 of python3\n");
		return;
	}
	assert_int_equal(
	    shell_prints(text, sizeof text,
			 "python3 -c 'import sqlite3, sys\n"
			 "db = sqlite3.connect(sys.argv[1])\n"
			 "print(db.execute(\"PRAGMA integrity_check\").fetchall())' %s 2>&1",
			 path),
	    0);
	assert_string_equal(text, "[('ok',)]\n");
}

static long
number_in(const char *path, const char *query)
{
	sqlite3 *db;
	sqlite3_stmt *s;
	long n;

	assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, query, -1, &s, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(s), SQLITE_ROW);
	n = (long)sqlite3_column_int64(s, 0);
	sqlite3_finalize(s);
	sqlite3_close(db);
	return n;
}

/* clang-format off */
static const struct file_case {
	const char *name, *command; /* $H: the program, $D: the folder */
	int status;
	const char *contains;
	bool has_file; /* $D/x.sqlite is complete */
} file_cases[] = {
	{ "convert", "$H convert " LEAKY_10 " $D/x.sqlite", 0, "", true },
	{ "-o", "$H -o $D/x.sqlite " LEAKY_9, 0, "", true },
	{ "save", "$H -b types -n 1 -x \"save $D/x.sqlite\" " LEAKY_9 " && $H convert " LEAKY_9 " $D/y.sqlite && cmp $D/x.sqlite $D/y.sqlite && rm $D/y.sqlite", 0, "", true },
	{ "--format", "$H -o $D/x.sqlite --format sqlite " LEAKY_8, 0, "", true },
	{ "a trace", "$H convert " LEAKY_TRACE " $D/x.sqlite", 0, "", true },
	{ "too little memory for results", "$H --mem 1400K -o $D/x.sqlite " LEAKY_10, 0, "", true },
	{ "an existing file", "echo old >$D/x.sqlite; $H convert " LEAKY_10 " $D/x.sqlite", 2, "is not overwritten without --force", false },
	{ "--force", "echo old >$D/x.sqlite; $H convert --force " LEAKY_10 " $D/x.sqlite", 0, "", true },
	{ "secure", "$H --secure -o $D/x.sqlite " LEAKY_10, 2, "", false },
	{ "a stream", "$H -o- --format sqlite " LEAKY_10, 2, "cannot be written to the standard output", false },
	{ "raw", "$H --raw -o $D/x.sqlite " LEAKY_10, 2, "--raw is for .heaptop files", false },
	{ "a full disk", "(ulimit -f 1000; $H convert " LEAKY_10 " $D/x.sqlite)", 6, "File too large", false },
	{ "a full disk, later", "(ulimit -f 6000; $H convert " LEAKY_10 " $D/x.sqlite)", 6, "File too large", false },
};
/* clang-format on */

TEST_ROWS(files, file_cases)
{
	const struct file_case *c = *state;
	void *folder = NULL;
	const char *path;
	char text[4096];
	int status;

	assert_int_equal(folder_make(&folder), 0);
	path = in_folder("x.sqlite");
	status = shell_prints(text, sizeof text, "{ H=%s; D=%s; %s; } 2>&1", program_path(),
			      folder_path(), c->command);
	if (status != c->status || !strstr(text, c->contains))
		fail_msg("%s: ended with %d\n%s", c->name, status, text);
	if (c->has_file)
		expect_sound(path);
	/* An old file is left as it was; a new one is not there. */
	if (!c->has_file && !access(path, F_OK))
		assert_int_equal(shell_prints(text, sizeof text, "cat %s", path), 0);
	unlink(path);
	assert_int_equal(folder_remove(&folder), 0);
}

TEST_IN_FOLDER(cancelled)
{
	struct error err = { 0 };
	struct session *s = session_new_of_heap(heap_of_file(LEAKY_10), (struct waker){ 0 }, &err);
	struct sql_heap heap = heap_of_session(s);
	int fd = open(in_folder("x.sqlite"), O_RDWR | O_CREAT, 0600);
	struct progress progress = { 0 };

	progress_cancel(&progress);
	assert_false(sql_write_database(fd, &heap, NULL, 0, &progress, &err));
	assert_int_equal(err.kind, ERROR_CANCELLED);
	close(fd);
	unlink(in_folder("x.sqlite"));
	session_free(s);
}

/* The file names what it lacks. */
TEST_IN_FOLDER(missing)
{
	char text[2000];
	const char *path = in_folder("x.sqlite");

	assert_int_equal(shell_prints(text, sizeof text, "%s --mem 1400K -o %s %s 2>&1",
				      program_path(), path, LEAKY_10),
			 0);
	assert_int_equal(number_in(path,
				   "SELECT count(*) FROM meta WHERE key IN ('missing dominators', "
				   "'missing objects.retained', 'missing threads')"),
			 3);
	assert_int_equal(number_in(path, "SELECT count(*) FROM sqlite_master WHERE name = "
					 "'dominators'"),
			 0);
	assert_int_equal(number_in(path, "SELECT value FROM meta WHERE key = 'schema'"),
			 SQL_SCHEMA_VERSION);
	unlink(path);
}
