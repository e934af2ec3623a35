/* The tables of a heap as tables of a database, and `meta`. */
#include "model/sql/database.h"
#include "model/heap/contents.h"
#include "model/sql/connection.h"
#include "model/sql/database_text.h"
#include "model/sql/file.h"
#include "model/sql/made.h"
#include "model/tables/tables.h"
#include <string.h>

enum { PAGE_BYTES = 4096 };

/* --- meta ----------------------------------------------------------------- */

static bool
note(struct sql *s, const char *key, const char *value, struct error *err)
{
	return !value || sql_execute(s, err, "INSERT INTO main.meta VALUES(%Q, %Q)", key, value);
}

static bool
note_missing(struct sql *s, const char *table, const char *column, const char *why,
	     struct error *err)
{
	return sql_execute(s, err, "INSERT INTO main.meta VALUES('missing %q%s%q', %Q)", table,
			   column ? "." : "", column ? column : "", why);
}

static bool
write_meta(struct sql *s, const struct sql_note *notes, size_t count, struct error *err)
{
	char version[16];

	snprintf(version, sizeof version, "%d", SQL_SCHEMA_VERSION);
	if (!sql_execute(s, err,
			 "CREATE TABLE main.meta(key TEXT PRIMARY KEY, "
			 "value TEXT) WITHOUT ROWID") ||
	    !note(s, "schema", version, err))
		return false;
	for (size_t i = 0; i < count; i++)
		if (!note(s, notes[i].key, notes[i].value, err))
			return false;
	return true;
}

/* --- tables --------------------------------------------------------------- */

static bool
create_table(struct sql *s, const char *table, const char *key, struct error *err)
{
	char *text = sql_table_text(s, table, key, err);
	bool ok = text && sql_execute(s, err, "%s", text);

	sqlite3_free(text);
	return ok;
}

/* Gives all rows the heap's name. As the default of a column that was added later it takes no room
   in the rows. */
static bool
add_heap(struct sql *s, const char *table, struct error *err)
{
	return sql_execute(s, err, "ALTER TABLE main.\"%w\" ADD COLUMN heap TEXT DEFAULT %Q", table,
			   s->heaps[0].name);
}

static bool
copy_rows(struct sql *s, const char *table, const char *key, struct error *err)
{
	char *columns = sql_column_names(s, table, err);
	bool ok;

	ok = columns && create_table(s, table, key, err) &&
	     sql_execute(s, err, "INSERT INTO main.\"%w\" SELECT %s FROM temp.\"%w\"", table,
			 columns, table) &&
	     add_heap(s, table, err);
	sqlite3_free(columns);
	return ok;
}

static const char *
why_missing(const struct sql *s, const struct table *t)
{
	const struct facts *f = &s->heaps[0].facts;
	unsigned needs = t->needs | t->rows->made_of;

	if (t->is_of_subject || sql_list_named(t->name))
		return "it is about one object or type";
	if (!table_fits(t, f->heap))
		return "only memory has it: a core, or a process opened with -m";
	if (needs & SQL_DATABASE_NEEDS & ~f->has)
		return "what it needs has not been computed";
	return NULL;
}

/* Names the columns of a table that have no values. */
static bool
note_columns(struct sql *s, const struct table *t, struct error *err)
{
	for (const struct column *c = t->columns; c->id; c++)
		if (c->needs & SQL_DATABASE_NEEDS & ~s->heaps[0].facts.has &&
		    !note_missing(s, t->name, c->id, "what it needs has not been computed", err))
			return false;
	return true;
}

/* Makes the rows of a table, if the heap does not have them. It may refuse the heap. */
static bool
make_rows(struct sql *s, const struct table *t, struct error *err)
{
	struct error why = { 0 };

	if (!table_makes_rows(t) || sql_made_rows(s, t, 0, &why))
		return true;
	if (why.kind == ERROR_USAGE)
		return note_missing(s, t->name, NULL, why.message, err) && false;
	*err = why;
	return false;
}

static bool
write_table(struct sql *s, const struct table *t, struct error *err)
{
	const char *key = t == &objects_table ? "INTEGER PRIMARY KEY" : NULL;
	const char *why = why_missing(s, t);
	bool ok;

	if (why)
		return note_missing(s, t->name, NULL, why, err);
	if (!make_rows(s, t, err))
		return err->kind == ERROR_NONE;
	progress_begin_bytes(s->progress, "writing a table", 0);
	ok = copy_rows(s, t->name, key, err) && note_columns(s, t, err);
	sql_made_free(s);
	return ok;
}

static bool
write_tables(struct sql *s, struct error *err)
{
	for (const struct table *const *t = all_tables; *t; t++)
		if (table_lists_rows(*t) && !write_table(s, *t, err))
			return false;
	return true;
}

/* --- the graph ------------------------------------------------------------ */

/* SQLite sorts the entries of an index, beyond its cache in temporary files (file.h). */
static bool
create_index(struct sql *s, const char *stage, const char *index, struct error *err)
{
	progress_begin_bytes(s->progress, stage, 0);
	return sql_execute(s, err, "CREATE INDEX main.%s", index);
}

/* References come in the order of the primary key. */
static bool
write_graph(struct sql *s, struct error *err)
{
	if (!(s->heaps[0].facts.has & NEED_OBJECTS))
		return note_missing(s, "refs", NULL, "there are only types, no objects", err);
	if (contents_exist(s->heaps[0].facts.heap) &&
	    !note_missing(s, "values", NULL,
			  "it would be larger than the memory that it is read from: query that",
			  err))
		return false;
	progress_begin_bytes(s->progress, "writing references", 0);
	return copy_rows(s, "refs", "PRIMARY KEY(source, number)", err) &&
	       create_index(s, "indexing types", "objects_type ON objects(type)", err) &&
	       create_index(s, "indexing references", "refs_target ON refs(target)", err);
}

/* --- the file ------------------------------------------------------------- */

/* The whole file is abandoned after a failure, so nothing is journaled. */
static bool
begin_file(struct sql *s, struct error *err)
{
	return sql_execute(s, err,
			   "PRAGMA page_size = %d;"
			   "PRAGMA journal_mode = OFF;"
			   "PRAGMA synchronous = OFF;"
			   "PRAGMA locking_mode = EXCLUSIVE;"
			   "PRAGMA user_version = %d;"
			   "BEGIN",
			   PAGE_BYTES, SQL_SCHEMA_VERSION);
}

static bool
write_file(struct sql *s, const struct sql_note *notes, size_t count, struct error *err)
{
	return begin_file(s, err) && write_meta(s, notes, count, err) && write_tables(s, err) &&
	       write_graph(s, err) && sql_execute(s, err, "COMMIT");
}

bool
sql_write_database(int fd, const struct sql_heap *heap, const struct sql_note *notes,
		   size_t notes_count, struct progress *progress, struct error *err)
{
	struct memory_refused before = memory_refused();
	struct sql_file file;
	struct sql s;
	bool ok;

	sql_set_up();
	if (sql_file_begin(&file, fd, progress))
		return error_no_memory(err, 0);
	ok = sql_open_written(&s, heap, file.name, progress, err) &&
	     write_file(&s, notes, notes_count, err);
	sql_close(&s);
	sql_file_end(&file);
	return memory_was_enough(before, err) && ok;
}
