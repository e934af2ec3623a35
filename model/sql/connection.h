#ifndef MODEL_SQL_CONNECTION_H
#define MODEL_SQL_CONNECTION_H

/* A connection to SQLite with the tables of some heaps, for one query. */
#include "model/base/arena.h"
#include "model/heap/order.h"
#include "model/sql/sql.h"
#include <sqlite3.h>

struct sql_made;

enum { VALUE_BYTES_MAX = 1 << 20 }; /* of a value or row in a query */

struct sql {
	sqlite3 *db;
	const struct sql_heap *heaps;
	uint32_t heaps_count; /* 0: the query is only parsed */
	struct progress *progress;
	unsigned needs;    /* of what the query reads (enum need) */
	uint64_t reads;    /* of tables with an argument, for ids of their rows */
	bool is_declaring; /* SQLite parses the declaration of a table */
	bool is_parsing;
	uint32_t requests; /* of memory, while the query is parsed */
	char refused[64];  /* a function or table that it may not use; "" */
	bool is_writing;   /* a database is written: nothing is refused */
	/* Why a table could not be read; SQLite passes on only a message. */
	struct error err;
	struct memory_refused memory_before; /* what --mem had refused */
	struct sql_made *made;               /* rows that were made for this query */
};

/* Gives SQLite its memory; opening a connection does so, too. */
void sql_set_up(void);
/* Opens a connection. False sets `err`; sql_close() in any case. */
bool sql_open(struct sql *s, const struct sql_heap *heaps, uint32_t count,
	      struct progress *progress, struct error *err) MUST_USE;
/* The same for a database that is written through a file system for SQLite, see file.h. Its tables
   hide those of sql_open(), which are still there with the prefix `temp.`. */
bool sql_open_written(struct sql *s, const struct sql_heap *heap, const char *file_system,
		      struct progress *progress, struct error *err) MUST_USE;
void sql_close(struct sql *s);
/* Prepares the one statement of the text. NULL sets `err`. */
sqlite3_stmt *sql_prepare(struct sql *s, const char *text, struct error *err) MUST_USE;
/* Continues to the next row; returns SQLite's code. */
int sql_step(struct sql *s, sqlite3_stmt *statement);
/* Sets `err` to the reason why the last call of SQLite failed. */
bool sql_failed(struct sql *s, struct error *err);

/* Returns the table of all_tables whose rows can be listed, or NULL. */
const struct table *sql_table_named(const char *name);

/* Tables of the objects that have to do with one object, lists.c: their names are called like
   functions. */
struct sql_list {
	const char *name; /* NULL: the end */
	unsigned needs;   /* enum need */
	const char *help;
	/* Lists objects; `out` is empty, and freed by the caller in any
	   case. */
	bool (*make)(struct sql *s, uint32_t heap, node_id n, struct id_list *out,
		     struct error *err);
};
extern const struct sql_list sql_lists[];
const struct sql_list *sql_list_named(const char *name); /* or NULL */

/* Registers the tables and functions of one file each; return SQLite's codes. */
int sql_add_tables(struct sql *s);
int sql_add_refs(struct sql *s);
int sql_add_values(struct sql *s);
int sql_add_functions(struct sql *s);
int sql_add_text_functions(struct sql *s);
bool sql_function_is_allowed(const char *name);
unsigned sql_function_needs(const char *name); /* enum need */

/* Declares the columns of a virtual table; returns SQLite's code. */
int sql_declare(struct sql *s, const char *declaration);

/* A virtual table that has nothing but its declaration: it connects, returning SQLite's code, and
   disconnects; and the connection that it belongs to. */
int sql_connect_table(struct sql *s, const char *declaration, sqlite3_vtab **out);
int sql_disconnect_table(sqlite3_vtab *t);
struct sql *sql_of_table(const sqlite3_vtab *t);

/* Returns the type of a column as queries declare it: "BYTES". */
const char *sql_declared_type(const struct column *c);
/* Returns the statement that declares columns, and after them the three that each table has; free
   with sqlite3_free(). NULL: no memory. */
char *sql_declaration(const struct column *const *columns, int count);
/* Returns a text from a column or function. Queries get at most 1,000,000 bytes of it: a longer one
   is cut and ends with "…". The text must live as long as the query if it lasts. */
void sql_give_text(sqlite3_context *to, const char *text, bool lasts);
/* Returns a value from a column or function. */
void sql_give(sqlite3_context *to, const struct value *v, bool lasts);

/* Reads an argument that is an address: an integer, or a text as addresses are shown. */
bool sql_read_address(sqlite3_value *value, int64_t *out);
/* Reads a number that a column of integers can be equal to, as SQL compares them. */
bool sql_read_integer(sqlite3_value *value, int64_t *out);

/* Returns the plan that uses all equations with a column for which plan_of_column() has a bit;
   at[bit] gets the number of the condition. */
int sql_plan(sqlite3_index_info *info, int (*plan_of_column)(int column), int *at);
/* Hands the conditions of a plan to xFilter: of each bit of `plan` below `end`, lowest first, the
   condition at[bit]. */
void sql_take_conditions(sqlite3_index_info *info, int plan, int end, const int *at);
/* Makes a cursor of this size, all zero; returns SQLite's code. */
int sql_new_cursor(size_t size, sqlite3_vtab_cursor **out);
/* Restricts the heaps from *heap to before *end to the one with this name. Returns false if it is
   not among them. */
bool sql_read_heap(const struct sql *s, sqlite3_value *value, uint32_t *heap, uint32_t *end);
/* Finishes a method of a virtual table that failed with `err`. */
int sql_table_failed(struct sql *s, sqlite3_vtab *t, struct error *err);
/* Returns the heap with this name, or heaps_count. */
uint32_t sql_heap_named(const struct sql *s, const char *name);

#endif
