/*
 * Functions about objects and types. With several heaps open, the name of the heap is the last
 * argument. An object or type that does not exist gives NULL.
 */
#include "model/base/format.h"
#include "model/graph/retention.h"
#include "model/graph/retained.h"
#include "model/graph/root_index.h"
#include "model/heap/contents.h"
#include "model/sql/made.h"
#include "model/table/root_text.h"
#include <string.h>

enum { TEXT_UNITS_MAX = 1 << 20 }; /* of a string */

struct function {
	const char *name;
	int arguments; /* without that of the heap */
	unsigned needs;
	void (*run)(sqlite3_context *to, struct sql *s, uint32_t heap, sqlite3_value **argv);
};

static const char *
text_of(sqlite3_value *value)
{
	const unsigned char *text = sqlite3_value_text(value);

	return text ? (const char *)text : "";
}

/* Returns the object at the address in the first argument, or NODE_NONE. */
static node_id
object_of(const struct sql *s, uint32_t heap, sqlite3_value **argv)
{
	int64_t address;

	return sql_read_address(argv[0], &address)
		   ? heap_find(s->heaps[heap].facts.heap, (uint64_t)address)
		   : NODE_NONE;
}

/* Fail with this error, which sql_failed() reports. */
static void
fail(sqlite3_context *to, struct sql *s, const struct error *err)
{
	s->err = *err;
	sqlite3_result_error(to, err->message, -1);
}

/* --- the functions -------------------------------------------------------- */

/* "static Sessions → List<Session> → Session[] → Session" */
static void
path_text(sqlite3_context *to, struct sql *s, uint32_t heap, sqlite3_value **argv)
{
	const struct facts *f = &s->heaps[heap].facts;
	node_id n = object_of(s, heap, argv);
	char root[VALUE_TEXT_BYTES];
	struct id_list ids = { 0 };
	struct error err = { 0 };
	sqlite3_str *out;

	if (n == NODE_NONE || f->reach->distance[n] == DISTANCE_UNREACHABLE)
		return;
	if (!sql_list_named("path")->make(s, heap, n, &ids, &err)) {
		fail(to, s, &err);
		id_list_free(&ids);
		return;
	}
	out = sqlite3_str_new(NULL);
	sqlite3_str_appendall(out, describe_root(root_index_find(f->roots, n), root, sizeof root));
	for (uint32_t i = 0; i < ids.count && sqlite3_str_length(out) <= VALUE_BYTES_MAX; i++)
		sqlite3_str_appendf(out, " → %s", heap_type(f->heap, ids.ids[i])->short_name);
	id_list_free(&ids);
	if (!sqlite3_str_errcode(out))
		sql_give_text(to, sqlite3_str_value(out), false);
	else
		sqlite3_result_error_nomem(to);
	sqlite3_free(sqlite3_str_finish(out));
}

/* Adds up what the types with a name retain; false: there is none. */
static bool
retained_by_types(const struct facts *f, const struct sql_names *names, const char *name,
		  uint64_t *bytes)
{
	uint32_t first, end;

	sql_types_named(names, name, &first, &end);
	for (uint32_t rank = first; rank < end; rank++)
		*bytes += f->retention->types[names->types[rank]].bytes;
	return first < end;
}

/* Bytes that an object retains, or the objects of a type, or of several of the same name. */
static void
retained_bytes(sqlite3_context *to, struct sql *s, uint32_t heap, sqlite3_value **argv)
{
	const struct facts *f = &s->heaps[heap].facts;
	const char *name = text_of(argv[0]);
	node_id n = object_of(s, heap, argv);
	struct error err = { 0 };
	const struct sql_names *names;
	uint64_t bytes = 0;

	if (n != NODE_NONE) {
		bytes = retained_of(f->retention->retained, n).bytes;
		sqlite3_result_int64(to, (sqlite3_int64)bytes);
		return;
	}
	names = sql_names(s, heap, &err);
	if (names && retained_by_types(f, names, name, &bytes)) {
		sqlite3_result_int64(to, (sqlite3_int64)bytes);
		return;
	}
	if (names)
		error_set(&err, ERROR_USAGE,
			  "retained(): \"%.80s\" is no type and no object's address", name);
	fail(to, s, &err);
}

/* The name of a type without namespaces. */
static void
short_name(sqlite3_context *to, struct sql *s, uint32_t heap, sqlite3_value **argv)
{
	struct error err = { 0 };
	const struct sql_names *names = sql_names(s, heap, &err);
	type_id type;

	if (!names) {
		fail(to, s, &err);
		return;
	}
	type = sql_type_spelled(names, text_of(argv[0]));
	if (type == TYPE_NONE)
		sqlite3_result_value(to, argv[0]);
	else
		sqlite3_result_text(to, names->heap->types[type].short_name, -1, SQLITE_STATIC);
}

/* The value of a field: an integer, the address that it refers to, or text. */
static void
field_value(sqlite3_context *to, struct sql *s, uint32_t heap, sqlite3_value **argv)
{
	const struct heap *h = s->heaps[heap].facts.heap;
	node_id n = object_of(s, heap, argv);
	const char *name = text_of(argv[1]);
	struct content_field f;
	struct content row;
	struct arena a = { 0 };
	struct error err = { 0 };
	size_t count = 0;
	uint64_t total;
	int64_t integer;

	if (n == NODE_NONE || !contents_exist(h) ||
	    !h->memory->contents->field(h->memory->source, n, name, &f, &err))
		return;
	if (f.kind == CONTENT_VALUE && !f.is_null &&
	    contents_read_integer(h, f.address, f.literal, &integer))
		sqlite3_result_int64(to, integer);
	else if (h->memory->contents->rows(h->memory->source, n, f.row, 1, &row, &count, &total, &a,
					   &err) &&
		 count && row.kind == CONTENT_REFERENCE && row.pointer)
		sqlite3_result_int64(to, (sqlite3_int64)row.pointer);
	else if (count && row.kind != CONTENT_REFERENCE)
		sql_give_text(to, row.text, false);
	arena_clear(&a);
}

/* The text of a string. */
static void
string_text(sqlite3_context *to, struct sql *s, uint32_t heap, sqlite3_value **argv)
{
	const struct heap *h = s->heaps[heap].facts.heap;
	node_id n = object_of(s, heap, argv);
	struct arena a = { 0 };
	struct error err = { 0 };
	const char *text;
	uint32_t units;

	if (n == NODE_NONE || !contents_exist(h) || !(heap_type(h, n)->flags & TYPE_STRING))
		return;
	if (h->memory->contents->text(h->memory->source, n, TEXT_UNITS_MAX, &text, &units, &a,
				      &err))
		sql_give_text(to, text, false);
	arena_clear(&a);
}

static const struct function functions[] = {
	{ "path", 1, NEED_OBJECTS | NEED_REACH, path_text },
	{ "retained", 1, NEED_OBJECTS | NEED_RETAINED, retained_bytes },
	{ "short", 1, NEED_TYPES, short_name },
	{ "field", 2, NEED_OBJECTS, field_value },
	{ "text", 1, NEED_OBJECTS, string_text },
	{ 0 },
};

/* --- calls ---------------------------------------------------------------- */

/* Finds the heap of a call: named by the last argument, or the only one. */
static bool
find_heap(sqlite3_context *to, struct sql *s, const struct function *f, int argc,
	  sqlite3_value **argv, uint32_t *heap)
{
	struct error err = { 0 };

	*heap = 0;
	if (argc > f->arguments)
		*heap = sql_heap_named(s, text_of(argv[f->arguments]));
	else if (s->heaps_count > 1)
		error_set(&err, ERROR_USAGE,
			  "with several heaps, %s() needs the name of one as its last argument: "
			  "the column heap",
			  f->name);
	if (*heap >= s->heaps_count)
		error_set(&err, ERROR_USAGE, "%s(): no heap is named \"%.80s\"", f->name,
			  text_of(argv[f->arguments]));
	if (err.kind != ERROR_NONE)
		fail(to, s, &err);
	return err.kind == ERROR_NONE;
}

struct registered {
	struct sql *sql;
	const struct function *function;
};

static void
call(sqlite3_context *to, int argc, sqlite3_value **argv)
{
	const struct registered *r = sqlite3_user_data(to);
	uint32_t heap;

	if (sqlite3_value_type(argv[0]) != SQLITE_NULL &&
	    find_heap(to, r->sql, r->function, argc, argv, &heap))
		r->function->run(to, r->sql, heap, argv);
}

/* size(bytes): "1.21 GiB" */
static void
size_text(sqlite3_context *to, int argc, sqlite3_value **argv)
{
	int64_t bytes = sqlite3_value_int64(argv[0]);
	char text[FORMAT_BYTES];

	(void)argc;
	if (sqlite3_value_type(argv[0]) == SQLITE_NULL)
		return;
	format_size((uint64_t)(bytes < 0 ? -bytes : bytes), text);
	sqlite3_result_text(to,
			    bytes < 0 ? sqlite3_mprintf("-%s", text) : sqlite3_mprintf("%s", text),
			    -1, sqlite3_free);
}

unsigned
sql_function_needs(const char *name)
{
	for (const struct function *f = functions; f->name; f++)
		if (!strcmp(f->name, name))
			return f->needs;
	return 0;
}

static int
add_function(struct sql *s, const struct function *f, int arguments)
{
	struct registered *r = sqlite3_malloc64(sizeof *r);

	if (!r)
		return SQLITE_NOMEM;
	*r = (struct registered){ s, f };
	return sqlite3_create_function_v2(s->db, f->name, arguments,
					  SQLITE_UTF8 | SQLITE_DIRECTONLY, r, call, NULL, NULL,
					  sqlite3_free);
}

int
sql_add_functions(struct sql *s)
{
	int code = sqlite3_create_function(s->db, "size", 1,
					   SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
					   NULL, size_text, NULL, NULL);

	for (const struct function *f = functions; !code && f->name; f++) {
		code = add_function(s, f, f->arguments);
		if (!code)
			code = add_function(s, f, f->arguments + 1);
	}
	return code ? code : sql_add_text_functions(s);
}
