/* Functions of queries on texts: what they return is what SQLite's own return, and long texts do
   not keep a query from being cancelled. */
#include "model/base/clock.h"
#include "model/base/thread.h"
#include "model/sql/connection.h"
#include "tests/drive/heaps.h"
#include "tests/drive/run_tests.h"
#include <poll.h>
#include <string.h>

/* --- results -------------------------------------------------------------- */

static const char *const texts[] = {
	"NULL",   "''",        "'a'",  "'A'",   "'aa'",     "'abcabc'", "'ABC'",     "'äöä'",
	"'ä'",    "'  a b  '", "'%'",  "'a%c'", "'_'",      "'a\\%b'",  "'a%'",      "'%c'",
	"'%b%'",  "'%a_c%a%'", "'_'",  "'__'",  "'*'",      "'a*'",     "'*[a-c]'",  "'*[^a-c]*'",
	"'[]a]'", "'[]-a]*'",  "'?'",  "'*b?'", "'[ä-ü]*'", "'[abc'",   "'[^]]*'",   "'a[b-'",
	"'abc*'", "'\\%'",     "12",   "2.5",   "x''",      "x'61'",    "x'616263'", "x'ff61'",
	"'[a-]'", "'-'",       "'a-'", "x'80'",
};
static const char *const calls[] = {
	"instr(%1$s, %2$s)",
	"replace(%1$s, %2$s, 'xy')",
	"replace(%1$s, 'a', %2$s)",
	"trim(%1$s, %2$s)",
	"ltrim(%1$s, %2$s)",
	"rtrim(%1$s, %2$s)",
	"trim(%1$s)",
	"ltrim(%1$s)",
	"rtrim(%1$s)",
	"%1$s LIKE %2$s",
	"%1$s LIKE %2$s ESCAPE '\\'",
	"%1$s LIKE %2$s ESCAPE 'ä'",
	"%1$s LIKE %2$s ESCAPE '%%'",
	"%1$s GLOB %2$s",
};

/* Returns how the value is written, as quote() does. */
static void
ask(sqlite3 *db, const char *query, char *out, size_t out_size)
{
	sqlite3_stmt *statement = NULL;

	assert_int_equal(sqlite3_prepare_v2(db, query, -1, &statement, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	snprintf(out, out_size, "%s", (const char *)sqlite3_column_text(statement, 0));
	sqlite3_finalize(statement);
}

/* Some builds of SQLite compare no blobs by LIKE and GLOB. */
static bool
depends_on_build(const char *call)
{
	return strstr(call, "x'") && !strchr(call, '(');
}

TEST(results_are_those_of_sqlite)
{
	struct error err = { 0 };
	struct sql s;
	sqlite3 *plain;

	assert_ok(sql_open(&s, NULL, 0, NULL, &err), &err);
	assert_int_equal(sqlite3_open(":memory:", &plain), SQLITE_OK);
	for (size_t c = 0; c < COUNT_OF(calls); c++)
		for (size_t i = 0; i < COUNT_OF(texts) * COUNT_OF(texts); i++) {
			const char *a = texts[i / COUNT_OF(texts)];
			const char *b = texts[i % COUNT_OF(texts)];
			char call[128], query[160], ours[128], theirs[128];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
			snprintf(call, sizeof call, calls[c], a, b);
#pragma GCC diagnostic pop
			if (depends_on_build(call))
				continue;
			snprintf(query, sizeof query, "SELECT quote(%s)", call);
			ask(s.db, query, ours, sizeof ours);
			ask(plain, query, theirs, sizeof theirs);
			if (strcmp(ours, theirs) != 0)
				fail_msg("%s is %s, not %s", call, ours, theirs);
		}
	sqlite3_close(plain);
	sql_close(&s);
}

/* --- cancellation --------------------------------------------------------- */

#define MILLION "hex(zeroblob(500000))"

/* Each takes seconds, or for ever. */
static const struct endless_row {
	const char *name, *query;
} endless[] = {
	{ "instr", "SELECT instr(zeroblob(1000000), zeroblob(500000) || x'01')" },
	{ "replace", "SELECT replace(" MILLION ", hex(zeroblob(250000)) || '1', '')" },
	{ "like", "SELECT " MILLION " LIKE '%' || hex(zeroblob(200000)) || '1%'" },
	{ "like_percents", "SELECT count(*) FROM objects WHERE hex(randomblob(500000)) LIKE "
			   "'%0%1%2%3%4%5%6%7%8%9%A%B%C%D%E%F%x'" },
	{ "glob", "SELECT " MILLION " GLOB '*' || hex(zeroblob(200000)) || '1*'" },
	{ "trim", "SELECT trim(" MILLION ", replace(hex(zeroblob(250000)), '0', '1') || '0')" },
	{ "json",
	  "SELECT sum(length(json(x))) FROM (SELECT '[' || replace(hex(zeroblob(200000 + size % "
	  "2)), '00', '0,') || '0]' AS x FROM objects)" },
	{ "printf", "SELECT count(*) FROM objects a, objects b WHERE printf('%999999s%s', 'x', "
		    "a.address) = b.address" },
	{ "concat_window",
	  "SELECT max(length(g)) FROM (SELECT group_concat(hex(address)) OVER (ORDER BY address "
	  "ROWS BETWEEN 5000 PRECEDING AND CURRENT ROW) AS g FROM objects, (SELECT 1 UNION SELECT "
	  "2 UNION SELECT 3))" },
	{ "compare",
	  "SELECT count(*) FROM objects a, objects b WHERE hex(zeroblob(400000 + a.size % 2)) = "
	  "hex(zeroblob(400000 + b.size % 2))" },
	{ "many_in_a_row",
	  "SELECT sum(length(upper(a.x)) + length(lower(a.x)) + length(quote(a.x)) + "
	  "length(hex(a.x))) FROM (SELECT "
	  "hex(randomblob(250000)) AS x FROM objects) a, objects b" },
	{ "long_rows", "SELECT hex(randomblob(400000)) FROM objects, objects" },
	{ "sort", "SELECT hex(randomblob(100000)) x FROM objects, objects ORDER BY x" },
};

struct running {
	const struct heap *heap;
	const char *query;
	struct progress progress;
	struct error err;
	bool ok;
};

static void *
run_query(void *context)
{
	struct running *r = context;
	struct sql_heap heap = { .name = "h" };
	struct sql_result result;

	heap.facts = (struct facts){ .heap = r->heap,
				     .types = r->heap->types,
				     .types_count = r->heap->types_count,
				     .has = NEED_TYPES | NEED_OBJECTS };
	r->ok = sql_run(r->query, &heap, 1, &r->progress, &result, &r->err);
	if (r->ok)
		sql_result_clear(&result);
	return NULL;
}

/* The machine may be busy: 100 ms are what one needs that is not. */
TEST_ROWS(cancelling_ends_it, endless)
{
	enum { RUN_MS = 200, END_MS = 1000 };
	const struct endless_row *row = *state;
	struct running r = { .heap = heap_of_file(LEAKY_10), .query = row->query };
	pthread_t thread;
	int64_t since_ns;

	assert_int_equal(thread_start(&thread, run_query, &r), 0);
	poll(NULL, 0, RUN_MS);
	since_ns = clock_ns();
	progress_cancel(&r.progress);
	pthread_join(thread, NULL);
	printf("%s ended after %.1f ms\n", row->name, (double)(clock_ns() - since_ns) / 1e6);
	assert_true(clock_ns() - since_ns < END_MS * INT64_C(1000000));
	assert_false(r.ok);
	assert_int_equal(r.err.kind, ERROR_CANCELLED);
	heap_free(r.heap);
}

/* --- limits --------------------------------------------------------------- */

/* A text of two bytes a character, longer than a query can use. */
static void
long_text(sqlite3_context *to, int argc, sqlite3_value **argv)
{
	enum { CHARACTERS = 1500000 };
	char *text = malloc(2 * CHARACTERS + 1);

	(void)argc;
	(void)argv;
	for (size_t i = 0; i < CHARACTERS; i++)
		memcpy(text + 2 * i, "ä", 2);
	text[2 * CHARACTERS] = '\0';
	sql_give_text(to, text, false);
	free(text);
}

/* It is cut between characters, and a row has room for more. */
TEST(long_texts_are_cut)
{
	struct error err = { 0 };
	struct sql s;
	char out[64];

	assert_ok(sql_open(&s, NULL, 0, NULL, &err), &err);
	assert_int_equal(
	    sqlite3_create_function(s.db, "long", 0, SQLITE_UTF8, NULL, long_text, NULL, NULL),
	    SQLITE_OK);
	ask(s.db,
	    "SELECT length(x) || substr(x, -2) || y FROM (SELECT long() AS x, 'z' AS y UNION ALL "
	    "SELECT long(), '' ORDER BY 2 DESC) LIMIT 1",
	    out, sizeof out);
	assert_string_equal(out, "500001ä…z");
	sql_close(&s);
}

/* Patches of JSON take time of the square of their keys, inside one call. */
TEST(patches_are_refused)
{
	unsigned needs;
	struct error err = { 0 };

	assert_false(sql_parse("SELECT json_patch('{}', '{}')", &needs, &err));
	assert_non_null(strstr(err.message, "may not use json_patch"));
}

TESTS_BETWEEN(NULL, NULL);
