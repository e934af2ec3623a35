#include "tui/cli/mcp_tools.h"
#include "model/base/text.h"
#include "tui/app/views.h"
#include "tui/base/script.h"
#include "tui/cli/batch.h"
#include "tui/cli/mcp_arguments.h"
#include "tui/tables/card_lines.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
	ANSWER_BYTES_MAX = 1 << 20,
	COST_BYTES = 256,
};

/* --- the table ------------------------------------------------------------ */

#define HEAP                                                                   \
	{                                                                      \
		"heap", MCP_HEAP, true,                                        \
		    "the heap, as open returned it: heap-1"                    \
	}
#define TARGET                                                                 \
	{                                                                      \
		"object", MCP_TARGET, true,                                    \
		    "an address such as 7fe019c05bc0, or the name of a type"   \
	}

/* clang-format off */
static const struct mcp_tool tools[] = {
	{ "open", "Open a heap",
	  "Open a dump of a .NET program (.gcdump, .nettrace, .heaptop, .gclog, a core) or, if the server was started with --allow-capture, capture from a process. Returns the handle that every other tool takes, and a summary of the heap. Reads the file only; the file may be large and take seconds. Then call findings.",
	  "summary", NULL,
	  { { "path", MCP_PATH, false, "path of the dump, absolute or from the server's folder" },
	    { "pid", MCP_PID, false, "id of a process that processes lists; it is paused while its heap is captured, and the answer says for how long" } } },
	{ "processes", "List .NET processes",
	  "List the .NET processes of this machine that a heap could be captured from.",
	  "processes", NULL, { { 0 } } },
	{ "summary", "Summarize a heap",
	  "The totals of a heap: objects, bytes, unreachable bytes, garbage collections, what is known about the process.",
	  "summary", NULL, { HEAP } },
	{ "types", "List types",
	  "Types of a heap with their number of objects and bytes, largest first; sort by -retained for what they keep alive.",
	  "types", NULL, { HEAP, MCP_FILTER_ROW, MCP_SORT_ROW, MCP_COLUMNS_ROW } },
	{ "findings", "Find suspected leaks",
	  "What looks like a leak, largest first, each with what keeps it alive, what freeing it would free, and when it is harmless. Call it first; then why_alive with the address of a finding.",
	  "findings", NULL, { HEAP, MCP_FILTER_ROW } },
	{ "why_alive", "Explain why objects are alive",
	  "The chains of references from a root (a static variable, a stack, a handle) to an object; for a type, the chains that hold its objects, with counts.",
	  "paths", "ways", { HEAP, TARGET } },
	{ "who_retains", "Show what refers to objects",
	  "The objects that refer to an object; for a type, its referrers merged by type, with the bytes that each frees.",
	  "referrers", "merged", { HEAP, TARGET } },
	{ "contents", "Show what objects hold",
	  "What an object, or the objects of a type, hold: types of the retained objects with counts and bytes.",
	  "contents", NULL, { HEAP, TARGET } },
	{ "diff", "Compare two heaps",
	  "Compare two heaps of a program and list what has grown.",
	  "diff", NULL,
	  { { "before", MCP_HEAP, true, "the earlier heap: heap-1" },
	    { "after", MCP_HEAP_AFTER, true, "the later heap: heap-2" },
	    { "by", MCP_GROUPING, false, "what to compare" }, MCP_FILTER_ROW, MCP_SORT_ROW } },
	{ "sql", "Query a heap",
	  "Run one read-only query in SQLite's SQL over the tables that schema lists, such as: SELECT type, count(*) AS n, sum(size) AS bytes FROM objects GROUP BY type ORDER BY bytes DESC",
	  "sql", NULL, { HEAP, { "query", MCP_QUERY, true, "one SELECT, WITH or VALUES statement" } } },
	{ "schema", "List tables for queries",
	  "The tables and columns that sql can query, with the meaning of each.",
	  "schema", NULL, { HEAP, { "table", MCP_TABLE, false, "only the columns of this table: objects" } } },
	{ 0 },
};
/* clang-format on */

static const struct mcp_tool *
tool_named(const char *name)
{
	for (const struct mcp_tool *t = tools; t->name; t++)
		if (!strcmp(t->name, name))
			return t;
	return NULL;
}

bool
mcp_tools_has(const char *name)
{
	return tool_named(name) != NULL;
}

static const struct view_ops *
view_named(const char *name)
{
	for (const struct view_ops *const *v = all_views; *v; v++)
		if (!strcmp((*v)->command.name, name))
			return *v;
	return NULL;
}

/* --- tools/list ----------------------------------------------------------- */

/* Add the columns of the command's view as members of a row. */
static void
add_columns(json_t *members, const char *command)
{
	const struct view_ops *v = command ? view_named(command) : NULL;

	for (const struct column *c = v ? v->table->columns : NULL; c && c->id;
	     c++) {
		bool is_text = column_kind(c) >= VALUE_ADDRESS;
		json_t *member;

		if (c->flags & COLUMN_SCREEN)
			continue;
		member = json_object();
		if (!(c->flags & COLUMN_MIXED))
			json_object_set_new(
			    member, "type",
			    json_pack("[ss]", is_text ? "string" : "number",
				      "null"));
		if (c->help)
			json_object_set_new(member, "description",
					    json_string(c->help));
		json_object_set_new(members, c->id, member);
	}
}

static json_t *
output_schema(const struct mcp_tool *t)
{
	json_t *members = json_object();

	add_columns(members, t->command);
	add_columns(members, t->of_type);
	/* Rows of trees have their depth. */
	json_object_set_new(members, "depth",
			    json_pack("{ss}", "type", "number"));
	return json_pack(
	    "{ss s{s{ss ss} s{ss ss} s{ss ss} s{ss ss} s{ss ss} s{ss ss} "
	    "s{ss s{ss so}}} s[s]}",
	    "type", "object", "properties", "heap", "type", "string",
	    "description", "the handle of the heap", "next_cursor", "type",
	    "string", "description",
	    "there are more rows: pass this as cursor to get them", "note",
	    "type", "string", "description", "why there are no rows", "cost",
	    "type", "string", "description",
	    "what the capture cost the process", "is_complete", "type",
	    "boolean", "description",
	    "false: data is missing, and numbers may be too low", "is_sampled",
	    "type", "boolean", "description",
	    "true: counts and sizes are estimates", "rows", "type", "array",
	    "items", "type", "object", "properties", members, "required",
	    "rows");
}

static json_t *
describe(const struct mcp_tool *t)
{
	/* open captures, which pauses a process; nothing writes anything. */
	bool is_pure = strcmp(t->name, "open") != 0;

	return json_pack("{ss ss ss so so s{sb sb sb sb}}", "name", t->name,
			 "title", t->title, "description", t->help,
			 "inputSchema", mcp_arguments_schema(t), "outputSchema",
			 output_schema(t), "annotations", "readOnlyHint",
			 is_pure, "destructiveHint", false, "idempotentHint",
			 is_pure, "openWorldHint", false);
}

json_t *
mcp_tools_list(void)
{
	json_t *all = json_array();

	for (const struct mcp_tool *t = tools; t->name; t++)
		if (json_array_append_new(all, describe(t))) {
			json_decref(all);
			return NULL;
		}
	return all;
}

/* --- open ----------------------------------------------------------------- */

bool
mcp_tools_may_open(const char *path, struct error *err)
{
	struct stat st;

	if (!stat(path, &st) && S_ISREG(st.st_mode))
		return true;
	return error_set(err, ERROR_USAGE,
			 "%.150s is not a file that exists; give the absolute "
			 "path of a dump",
			 path);
}

/* Returns the open heap of the file, or NULL. */
static struct session *
session_of_path(const struct snapshots *all, const char *path)
{
	for (size_t i = 0; i < all->count; i++)
		if (!all->sessions[i]->loader.capture &&
		    !strcmp(all->sessions[i]->loader.path, path))
			return all->sessions[i];
	return NULL;
}

static struct session *
open_file(struct mcp_tools *t, const char *path, struct error *err)
{
	struct loader loader = t->all->file_loader;
	struct session *s = session_of_path(t->all, path);

	if (s)
		return s;
	if (!mcp_tools_may_open(path, err))
		return NULL;
	loader.path = strcpy(t->paths[t->all->count], path);
	return snapshots_add(t->all, &loader, err);
}

static struct session *
open_process(struct mcp_tools *t, int32_t pid, struct error *err)
{
	const struct live_target target = { pid, NULL };
	struct progress progress = { 0 }; /* the client may cancel */
	struct live_capture *c;

	if (!t->options->allows_capture) {
		error_set(err, ERROR_USAGE,
			  "capturing is not allowed: the user must start the "
			  "server with --allow-capture");
		return NULL;
	}
	c = t->all->live->open(&target, &t->all->options, NULL, &progress, err);
	if (!c)
		return NULL;
	if (!card_is_within(t->all->live->card(c), &t->all->options, err)) {
		t->all->live->free(c);
		return NULL;
	}
	return snapshots_add_capture(t->all, c, err);
}

static struct session *
open_heap(struct mcp_tools *t, const struct mcp_call *call, struct error *err)
{
	if (!*call->path == !call->pid) {
		error_set(err, ERROR_USAGE, "open wants either path or pid");
		return NULL;
	}
	if (t->all->count >= MCP_HEAPS_MAX &&
	    !(*call->path && session_of_path(t->all, call->path))) {
		error_set(err, ERROR_USAGE,
			  "%d heaps are open, which is the limit; the user "
			  "must restart the server to open others",
			  MCP_HEAPS_MAX);
		return NULL;
	}
	return *call->path ? open_file(t, call->path, err)
			   : open_process(t, call->pid, err);
}

/* --- tools/call ----------------------------------------------------------- */

static struct session *
session_of(struct mcp_tools *t, unsigned number, struct error *err)
{
	if (number && number <= t->all->count)
		return t->all->sessions[number - 1];
	error_set(err, ERROR_USAGE,
		  "there is no such heap among the %zu that are open; call "
		  "open, which returns a handle",
		  t->all->count);
	return NULL;
}

static void
print_member(FILE *to, const char *name, const char *text)
{
	char clean[4 * COST_BYTES];
	json_t *value = json_string(text_clean(text, clean, sizeof clean));
	char *quoted = json_dumps(value, JSON_ENCODE_ANY);

	if (quoted)
		fprintf(to, "\"%s\":%s,", name, quoted);
	free(quoted);
	json_decref(value);
}

/* Print the members that only answers to a client have. */
static void
print_extras(FILE *to, const struct mcp_tools *t, const struct mcp_call *call,
	     const struct session *s, const char *rows, const char *note)
{
	char cost[COST_BYTES];

	if (s != t->none)
		fprintf(to, "\"heap\":\"heap-%u\",", snapshots_number(s));
	/* Strings have no newline, so this is the member and no text. */
	if (strstr(rows, ",\"is_cut\":true,\n\"rows\":["))
		fprintf(to, "\"next_cursor\":\"%" PRIu64 "\",",
			call->first + call->rows);
	if (*note)
		print_member(to, "note", note);
	if (s->loader.capture && s->heap) {
		t->all->live->tell_cost(s->loader.capture, cost, sizeof cost);
		print_member(to, "cost", cost);
	}
}

/* Returns the answer on one line, or NULL if there is no memory for it. */
static char *
answer_of(const struct mcp_tools *t, const struct mcp_call *call,
	  const struct session *s, const char *rows, const char *note)
{
	char *text = NULL;
	size_t len = 0;
	FILE *to = open_memstream(&text, &len);

	if (!to)
		return NULL;
	putc('{', to);
	print_extras(to, t, call, s, rows, note);
	for (const char *c = rows + 1; *c; c++)
		if (*c != '\n')
			putc_unlocked(*c, to);
	if (fclose(to)) {
		free(text);
		return NULL;
	}
	return text;
}

/* Print the rows of the command as JSON. Returns an exit code. */
static int
print_rows(struct mcp_tools *t, const struct mcp_call *call, struct session *s,
	   FILE *to, struct error *err)
{
	struct options o = *t->options;

	o.batch = call->command;
	o.commands = NULL;
	o.filter = *call->filter ? call->filter : NULL;
	o.sort = *call->sort ? call->sort : NULL;
	o.columns = *call->columns ? call->columns : NULL;
	o.format = TABLE_JSON;
	o.rows_first = call->first;
	o.rows_max = call->rows;
	o.files_count = call->after ? 2 : 1;
	return s == t->none ? batch_list(s, &o, to, err)
			    : batch_run(s, &o, to, err);
}

/* Forget a heap that could not be read, unless a later one has a handle. */
static void
forget_unread(struct mcp_tools *t, struct session *s)
{
	if (!s->heap && t->all->sessions[t->all->count - 1] == s)
		snapshots_remove_last(t->all);
}

/*
 * Print the rows as if only the heaps of the call were open: a query would be
 * about all of them, and one that cannot be read would stop a comparison.
 */
static int
print_alone(struct mcp_tools *t, const struct mcp_call *call, struct session *s,
	    struct session *after, FILE *to, struct error *err)
{
	struct session *both[] = { s, after };
	struct snapshots alone = *t->all;
	int code;

	alone.sessions = both;
	alone.count = alone.room = after ? 2 : 1;
	for (size_t i = 0; i < alone.count; i++)
		both[i]->snapshots = &alone;
	code = print_rows(t, call, s, to, err);
	for (size_t i = 0; i < alone.count; i++)
		both[i]->snapshots = t->all;
	return code;
}

static char *
run(struct mcp_tools *t, const struct mcp_call *call, struct session *s,
    struct session *after, struct error *err)
{
	char *rows = NULL, *answer = NULL;
	size_t len = 0;
	FILE *to = open_memstream(&rows, &len);
	int code;

	if (!to) {
		error_no_memory(err, ANSWER_BYTES_MAX);
		return NULL;
	}
	code = print_alone(t, call, s, after, to, err);
	if (fclose(to) || !rows)
		error_no_memory(err, ANSWER_BYTES_MAX);
	else if (len > ANSWER_BYTES_MAX)
		error_set(err, ERROR_USAGE,
			  "the answer would have %zu bytes, and %d are the "
			  "limit; ask for fewer rows",
			  len, ANSWER_BYTES_MAX);
	else if (len && (code == EXIT_OK || code == EXIT_NOTHING ||
			 code == EXIT_INCOMPLETE))
		answer = answer_of(t, call, s, rows,
				   code == EXIT_NOTHING ? err->message : "");
	free(rows);
	return answer;
}

/* Say what is wrong and, unless the message does, what to call next. */
static void
explain(const struct mcp_tool *tool, const struct error *err, char *text,
	size_t text_size)
{
	char raw[sizeof err->message + 64], clean[4 * sizeof raw];

	snprintf(raw, sizeof raw, "%s%s",
		 *err->message ? err->message : "there is no answer",
		 strcmp(tool->command, "sql") != 0
		     ? ""
		     : "; schema lists the tables and columns");
	snprintf(text, text_size, "%s",
		 err->kind == ERROR_CANCELLED
		     ? ""
		     : text_clean(raw, clean, sizeof clean));
}

/* Find or open the heap of the call, and the one that it is compared with. */
static struct session *
find_heaps(struct mcp_tools *t, const struct mcp_tool *tool,
	   const struct mcp_call *call, struct session **after,
	   struct error *err)
{
	if (!strcmp(tool->name, "open"))
		return open_heap(t, call, err);
	if (!strcmp(tool->name, "processes"))
		return t->none;
	if (call->after && call->after == call->heap) {
		error_set(err, ERROR_USAGE,
			  "before and after are the same heap");
		return NULL;
	}
	*after = call->after ? session_of(t, call->after, err) : NULL;
	return call->after && !*after ? NULL : session_of(t, call->heap, err);
}

char *
mcp_tools_call(struct mcp_tools *t, const char *name, const json_t *arguments,
	       char *text, size_t text_size)
{
	const struct mcp_tool *tool = tool_named(name);
	struct session *s = NULL, *after = NULL;
	struct mcp_call call;
	struct error err;
	char *answer = NULL;

	error_clear(&err);
	if (mcp_arguments_read(&call, tool, arguments, &err))
		s = find_heaps(t, tool, &call, &after, &err);
	if (s)
		answer = run(t, &call, s, after, &err);
	if (!answer)
		explain(tool, &err, text, text_size);
	if (s && !strcmp(name, "open"))
		forget_unread(t, s);
	return answer;
}

bool
mcp_tools_init(struct mcp_tools *t, struct snapshots *all, struct options *o,
	       struct error *err)
{
	*t = (struct mcp_tools){ .all = all, .options = o };
	t->none = session_new_empty((struct waker){ 0 }, err);
	if (!t->none)
		return false;
	t->none->snapshots = all;
	return true;
}

void
mcp_tools_clear(struct mcp_tools *t)
{
	session_free(t->none);
}
