#include "model/sql/connection.h"
#include "model/base/text.h"
#include "model/sql/made.h"
#include "model/sql/temporary.h"
#include "model/sql/units.h"
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	TEXT_BYTES_MAX = 1 << 20, /* of a query */
	REQUESTS_MAX = 400000,    /* of memory, to parse a query: 0.1 s */
	WORDS_MAX = 2000,         /* of a refused query that are looked at */
	/* Steps of SQLite's machine between two checks. One step may call a function on values of
	   VALUE_BYTES_MAX, which takes some
	   milliseconds. */
	STEPS_A_CHECK = 64,
};

const char *
sql_version(void)
{
	return sqlite3_libversion();
}

uint32_t
sql_heap_named(const struct sql *s, const char *name)
{
	uint32_t at = 0;

	while (at < s->heaps_count && strcmp(s->heaps[at].name, name))
		at++;
	return at;
}

bool
sql_read_heap(const struct sql *s, sqlite3_value *value, uint32_t *heap, uint32_t *end)
{
	const char *name = (const char *)sqlite3_value_text(value);
	uint32_t at = name ? sql_heap_named(s, name) : UINT32_MAX;

	if (at >= *end)
		return false;
	*heap = at;
	*end = at + 1;
	return true;
}

/* --- memory --------------------------------------------------------------- */

/* The connection of the query that is parsed or run on this thread, or NULL. SQLite looks only
   between tokens and between rows whether it is cancelled. But a query of a few lines can stand for
   millions of others (WITH b AS (SELECT 1 FROM a, a) …), and a row for thousands of long texts;
   each costs it memory, which a cancelled query does not get. */
static _Thread_local struct sql *running;

static void *
resize_memory(void *old, int bytes)
{
	struct error ignored = { 0 };

	if (running && (progress_is_cancelled(running->progress) ||
			(running->is_parsing && ++running->requests > REQUESTS_MAX)))
		return NULL;
	return memory_resize(old, 1, (size_t)bytes, &ignored);
}

static void *
take_memory(int bytes)
{
	return resize_memory(NULL, bytes);
}

static int
memory_size(void *p)
{
	return (int)malloc_usable_size(p);
}

static int
round_up(int bytes)
{
	return (bytes + 7) & ~7;
}

static int
no_set_up(void *context)
{
	(void)context;
	return SQLITE_OK;
}

static void
no_shutdown(void *context)
{
	(void)context;
}

/* Lets SQLite take its memory where --mem counts. */
static void
set_up_sqlite(void)
{
	static const sqlite3_mem_methods methods = {
		.xMalloc = take_memory,
		.xFree = memory_free,
		.xRealloc = resize_memory,
		.xSize = memory_size,
		.xRoundup = round_up,
		.xInit = no_set_up,
		.xShutdown = no_shutdown,
	};

	sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
	/* Its own statistics would take a lock for every allocation. */
	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	sqlite3_initialize();
	sql_temporary_begin();
}

/* --- errors --------------------------------------------------------------- */

int
sql_table_failed(struct sql *s, sqlite3_vtab *t, struct error *err)
{
	s->err = *err;
	sqlite3_free(t->zErrMsg);
	t->zErrMsg = sqlite3_mprintf("%s", err->message);
	return SQLITE_ERROR;
}

/* Returns where to look for the names that a query can use. */
static const char *
hint(const char *message)
{
	if (text_begins(message, "no such table"))
		return "; :tables lists the tables";
	if (text_begins(message, "no such column"))
		return "; :schema lists the columns of each table";
	if (text_begins(message, "string or blob too big"))
		return "; a row or value of a query has at most 1 MiB";
	if (text_begins(message, "near \"values\""))
		return ": the table of this name needs quotes, \"values\"";
	if (text_begins(message, "no such function"))
		return "; :schema functions lists the functions";
	if (text_begins(message, "parser stack overflow"))
		return ": parentheses are nested too deeply; WITH gives a part of a query a name";
	return "";
}

bool
sql_failed(struct sql *s, struct error *err)
{
	int code = sqlite3_errcode(s->db);

	if (s->err.kind != ERROR_NONE) {
		*err = s->err;
		return false;
	}
	if (s->requests > REQUESTS_MAX)
		return error_set(err, ERROR_USAGE,
				 "SQL: the query stands for too many others; name fewer tables "
				 "several times");
	if (code == SQLITE_INTERRUPT || progress_is_cancelled(s->progress))
		return error_cancelled(err);
	if (code == SQLITE_NOMEM)
		return memory_was_enough(s->memory_before, err) && error_no_memory(err, 0);
	if (s->is_writing &&
	    (code == SQLITE_IOERR || code == SQLITE_CANTOPEN || code == SQLITE_FULL))
		return error_sys(
		    err, code == SQLITE_FULL ? ENOSPC : sqlite3_system_errno(s->db),
		    "cannot write the database or its temporary files, which are in $TMPDIR");
	return error_set(err, ERROR_USAGE, "SQL: %.180s%s", sqlite3_errmsg(s->db),
			 hint(sqlite3_errmsg(s->db)));
}

/* --- what a query may do -------------------------------------------------- */

bool
sql_function_is_allowed(const char *function)
{
	return strcmp(function, "load_extension") != 0 && strcmp(function, "fts3_tokenizer") != 0 &&
	       strcmp(function, "json_patch") != 0 && strcmp(function, "jsonb_patch") != 0;
}

/* Allows what only reads: a list of actions, so that new kinds of them are refused. SQLite's own
   functions only compute, except for two; json_patch() takes time of the square of its text, and
   cannot be interrupted. */
static int
authorize(void *context, int action, const char *first, const char *second, const char *database,
	  const char *trigger)
{
	struct sql *s = context;

	(void)first;
	(void)database;
	(void)trigger;
	if (s->is_declaring)
		return SQLITE_OK;
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_RECURSIVE:
	case SQLITE_READ:
		return SQLITE_OK;
	case SQLITE_FUNCTION:
		s->needs |= sql_function_needs(second);
		if (sql_function_is_allowed(second))
			return SQLITE_OK;
		snprintf(s->refused, sizeof s->refused, "%s", second);
		return SQLITE_DENY;
	default:
		return SQLITE_DENY;
	}
}

int
sql_declare(struct sql *s, const char *declaration)
{
	int code;

	s->is_declaring = true;
	code = sqlite3_declare_vtab(s->db, declaration);
	s->is_declaring = false;
	return code;
}

struct plain_table {
	sqlite3_vtab base;
	struct sql *sql;
};

int
sql_connect_table(struct sql *s, const char *declaration, sqlite3_vtab **out)
{
	struct plain_table *t = sqlite3_malloc64(sizeof *t);

	*out = NULL;
	if (!t)
		return SQLITE_NOMEM;
	*t = (struct plain_table){ .sql = s };
	*out = &t->base;
	return sql_declare(s, declaration);
}

int
sql_disconnect_table(sqlite3_vtab *t)
{
	sqlite3_free(t);
	return SQLITE_OK;
}

struct sql *
sql_of_table(const sqlite3_vtab *t)
{
	return ((const struct plain_table *)t)->sql;
}

static int
is_cancelled(void *context)
{
	const struct sql *s = context;

	return progress_is_cancelled(s->progress);
}

/* Lets queries use json_each() and json_tree(), which only read their argument: SQLite declares
   them at their first use, as if they were new tables. */
static void
declare_json(struct sql *s)
{
	sqlite3_exec(s->db, "SELECT 1 FROM json_each('[]'), json_tree('[]')", NULL, NULL, NULL);
}

static void
restrict_queries(struct sql *s)
{
	declare_json(s);
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
	/* A misspelt column in double quotes is no text. */
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
	sqlite3_limit(s->db, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_limit(s->db, SQLITE_LIMIT_SQL_LENGTH, TEXT_BYTES_MAX);
	sqlite3_limit(s->db, SQLITE_LIMIT_LENGTH, VALUE_BYTES_MAX);
	sqlite3_set_authorizer(s->db, authorize, s);
}

/* --- a connection --------------------------------------------------------- */

/* Sets up SQLite, which sqlite3_vfs_find() does otherwise. */
void
sql_set_up(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, set_up_sqlite);
}

/* Temporary files of queries are in memory (temporary.h), those of a written database on the disk
   (file.h). The cache is what SQLite sorts without a look whether it is cancelled. */
static const char settings[] = "PRAGMA temp_store = FILE;"
			       "PRAGMA cache_size = -4000";

static bool
open_connection(struct sql *s, const char *name, const char *file_system, struct error *err)
{
	int (*const adds[])(struct sql *) = { sql_add_tables, sql_add_refs, sql_add_values,
					      sql_add_functions };
	int code;

	s->memory_before = memory_refused();
	sql_set_up();
	code = sqlite3_open_v2(name, &s->db,
			       SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
			       file_system);
	if (!code)
		code = sqlite3_exec(s->db, settings, NULL, NULL, NULL);
	for (size_t i = 0; !code && i < sizeof adds / sizeof *adds; i++)
		code = adds[i](s);
	if (code)
		return s->db ? sql_failed(s, err) : error_no_memory(err, 0);
	if (!s->is_writing)
		restrict_queries(s);
	sqlite3_progress_handler(s->db, STEPS_A_CHECK, is_cancelled, s);
	return true;
}

bool
sql_open(struct sql *s, const struct sql_heap *heaps, uint32_t count, struct progress *progress,
	 struct error *err)
{
	*s = (struct sql){ .heaps = heaps, .heaps_count = count, .progress = progress };
	return open_connection(s, ":memory:", SQL_TEMPORARY, err);
}

bool
sql_open_written(struct sql *s, const struct sql_heap *heap, const char *file_system,
		 struct progress *progress, struct error *err)
{
	*s = (struct sql){
		.heaps = heap, .heaps_count = 1, .progress = progress, .is_writing = true
	};
	return open_connection(s, "database", file_system, err);
}

void
sql_close(struct sql *s)
{
	sqlite3_close_v2(s->db);
	sql_made_free(s);
}

int
sql_step(struct sql *s, sqlite3_stmt *statement)
{
	int code;

	running = s;
	code = sqlite3_step(statement);
	running = NULL;
	return code;
}

static int
parse(struct sql *s, const char *text, sqlite3_stmt **statement, const char **rest)
{
	int code;

	s->requests = 0;
	s->is_parsing = true;
	running = s;
	code = sqlite3_prepare_v2(s->db, text, -1, statement, rest);
	running = NULL;
	s->is_parsing = false;
	return code;
}

/* Returns whether nothing but blanks, semicolons and comments follows. */
static bool
is_end(struct sql *s, const char *text)
{
	sqlite3_stmt *next = NULL;
	bool is_empty;

	is_empty = parse(s, text, &next, NULL) == SQLITE_OK && !next;
	sqlite3_finalize(next);
	return is_empty;
}

/* Finds the word that names a table which queries may not read, as pragma_database_list: SQLite has
   no name for it when it asks. */
static void
find_refused_table(struct sql *s, const char *text)
{
	struct sql_expression word;

	for (int i = 0; !*s->refused && i < WORDS_MAX && sql_next_word(&text, &word); i++) {
		sqlite3_stmt *statement = NULL;
		char name[sizeof s->refused];
		char *query;

		snprintf(name, sizeof name, "%.*s", (int)word.len, word.text);
		query = sqlite3_mprintf("SELECT 1 FROM \"%w\"", name);
		if (query && sqlite3_prepare_v2(s->db, query, -1, &statement, NULL) &&
		    text_begins(sqlite3_errmsg(s->db), "not authorized"))
			memcpy(s->refused, name, sizeof name);
		sqlite3_finalize(statement);
		sqlite3_free(query);
	}
}

static bool
refuse(struct sql *s, const char *text, struct error *err)
{
	if (sqlite3_errcode(s->db) == SQLITE_AUTH)
		return error_set(err, ERROR_USAGE,
				 "SQL: queries can only read: SELECT, WITH or VALUES");
	if (!*s->refused)
		find_refused_table(s, text);
	return error_set(err, ERROR_USAGE,
			 "SQL: queries may not use %s; :tables and :schema functions list what "
			 "they can use",
			 *s->refused ? s->refused : "this table");
}

sqlite3_stmt *
sql_prepare(struct sql *s, const char *text, struct error *err)
{
	sqlite3_stmt *statement = NULL;
	const char *rest = text;

	if (parse(s, text, &statement, &rest)) {
		if (text_begins(sqlite3_errmsg(s->db), "not authorized"))
			refuse(s, text, err);
		else
			sql_failed(s, err);
		return NULL;
	}
	if (statement && is_end(s, rest))
		return statement;
	error_set(err, ERROR_USAGE,
		  statement ? "SQL: one query at a time; more follows the ;"
			    : "SQL: there is no query in this text");
	sqlite3_finalize(statement);
	return NULL;
}
