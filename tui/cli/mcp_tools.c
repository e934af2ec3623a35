#include "tui/cli/mcp_tools.h"
#include "model/base/text.h"
#include "tui/app/views.h"
#include "tui/cli/batch.h"
#include "tui/cli/mcp_arguments.h"
#include "tui/cli/outcome.h"
#include "model/base/arena.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	ANSWER_BYTES_MAX = 1 << 20,
	TEXT_BYTES = 512,
};

/* --- the table ------------------------------------------------------------ */

#define HEAP                                                                                       \
	{                                                                                          \
		"heap", MCP_HEAP, true, "the heap, as open returned it: heap-1"                    \
	}
#define TARGET                                                                                     \
	{                                                                                          \
		"object", MCP_TARGET, true,                                                        \
		    "an address such as 7fe019c05bc0, or the name of a type"                       \
	}

#define FROM_MEMORY "summary says how the heap was read"
#define FIND        "types lists types by filter, and sql finds addresses of objects"

/* clang-format off */
static const struct mcp_tool tools[] = {
	{ "open", "Open a heap",
	  "Open a dump of a .NET program (.gcdump, .nettrace, .heaptop, .gclog, a core) or, if the server was started with --allow-capture, capture from a process. Returns the handle that every other tool takes, and a summary of the heap. Reads the file only; the file may be large and take seconds. Then call findings.",
	  MCP_OPENS_HEAP, "summary", NULL, NULL,
	  { { "path", MCP_PATH, false, "path of the dump, absolute or from the server's folder" },
	    { "pid", MCP_PID, false, "id of a process that processes lists; it is paused while its heap is captured, and the answer says for how long" } } },
	{ "close", "Close a heap",
	  "Free the memory of a heap that is no longer needed. Its handle is refused from then on; a heap that was captured from a process cannot be opened again.",
	  MCP_CLOSES_HEAP, "", NULL, NULL, { HEAP } },
	{ "processes", "List .NET processes",
	  "List the .NET processes of this machine that a heap could be captured from.",
	  MCP_READS_MACHINE, "processes", NULL, NULL, { { 0 } } },
	{ "summary", "Summarize a heap",
	  "The totals of a heap: objects, bytes, unreachable bytes, garbage collections, what is known about the process.",
	  MCP_READS_HEAP, "summary", NULL, NULL, { HEAP } },
	{ "types", "List types",
	  "Types of a heap with their number of objects and bytes, largest first; sort by retained for what they keep alive.",
	  MCP_READS_HEAP, "types", NULL, NULL, { HEAP, MCP_FILTER_ROW, MCP_SORT_ROW, MCP_COLUMNS_ROW } },
	{ "findings", "Find suspected leaks",
	  "What looks like a leak, largest first, each with what keeps it alive, what freeing it would free, and when it is harmless. Call it first; then why_alive with the address of a finding.",
	  MCP_READS_HEAP, "findings", NULL, NULL, { HEAP, MCP_FILTER_ROW } },
	{ "why_alive", "Explain why objects are alive",
	  "The chains of references from a root (a static variable, a stack, a handle) to an object; for a type, the chains that hold its objects, with counts.",
	  MCP_READS_HEAP, "paths", "ways", FIND, { HEAP, TARGET } },
	{ "who_retains", "Show what refers to objects",
	  "The objects that refer to an object; for a type, its referrers merged by type, with the bytes that each frees.",
	  MCP_READS_HEAP, "referrers", "merged", FIND, { HEAP, TARGET } },
	{ "contents", "Show what objects hold",
	  "What an object, or the objects of a type, hold: types of the retained objects with counts and bytes.",
	  MCP_READS_HEAP, "contents", NULL, FIND, { HEAP, TARGET } },
	{ "threads", "List threads",
	  "Threads of a program whose memory was read (a core, or a capture from memory): what each was doing, in which method of the application, and who holds the lock that it waits for.",
	  MCP_READS_HEAP, "threads", NULL, FROM_MEMORY, { HEAP, MCP_FILTER_ROW } },
	{ "stacks", "List the calls of threads",
	  "Calls on the stacks of the same threads, the innermost of each first; the filter \"thread = 5\" lists one thread, \"own = yes\" only methods of the application.",
	  MCP_READS_HEAP, "stacks", NULL, FROM_MEMORY, { HEAP, MCP_FILTER_ROW } },
	{ "diff", "Compare two heaps",
	  "Compare two heaps of a program and list what has grown.",
	  MCP_READS_HEAP, "diff", NULL, NULL,
	  { { "before", MCP_HEAP, true, "the earlier heap: heap-1" },
	    { "after", MCP_HEAP_AFTER, true, "the later heap: heap-2" },
	    { "by", MCP_GROUPING, false, "what to compare" }, MCP_FILTER_ROW, MCP_SORT_ROW } },
	{ "sql", "Query a heap",
	  "Run one read-only query in SQLite's SQL over the tables that schema lists, such as: SELECT type, count(*) AS n, sum(size) AS bytes FROM objects GROUP BY type ORDER BY bytes DESC",
	  MCP_READS_HEAP, "sql", NULL, "schema lists the tables and their columns", { HEAP, { "query", MCP_QUERY, true, "one SELECT, WITH or VALUES statement" } } },
	{ "schema", "List tables and columns for queries",
	  "The tables that sql can query or, for one table, its columns, with the meaning of each.",
	  MCP_READS_HEAP, "tables", "schema", "schema without table lists all", { HEAP, { "table", MCP_TABLE, false, "the columns of this table: objects" } } },
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

/* Adds the columns of the command's view as members of a row. */
static void
add_columns(json_t *members, const char *command)
{
	const struct view_ops *v = command ? view_named(command) : NULL;

	for (const struct column *c = v ? v->table->columns : NULL; c && c->id; c++) {
		bool is_text = column_kind(c) >= VALUE_ADDRESS;
		json_t *member;

		if (c->flags & COLUMN_SCREEN)
			continue;
		member = json_object();
		if (!(c->flags & COLUMN_MIXED))
			json_object_set_new(
			    member, "type",
			    json_pack("[ss]", is_text ? "string" : "number", "null"));
		if (c->help)
			json_object_set_new(member, "description", json_string(c->help));
		json_object_set_new(members, c->id, member);
	}
}

static json_t *
output_schema(const struct mcp_tool *t)
{
	json_t *members = json_object();

	add_columns(members, t->command);
	add_columns(members, t->with_name);
	/* Rows of trees have their depth. */
	json_object_set_new(members, "depth", json_pack("{ss}", "type", "number"));
	return json_pack(
	    "{ss s{s{ss ss} s{ss ss} s{ss ss} s{ss ss} s{ss ss} s{ss ss} s{ss s{ss so}}} s[s]}",
	    "type", "object", "properties", "heap", "type", "string", "description",
	    "the handle of the heap", "next_cursor", "type", "string", "description",
	    "there are more rows: pass this as cursor to get them", "notes", "type", "array",
	    "description", "why there are no rows, and what is missing or an estimate", "cost",
	    "type", "string", "description", "what the capture cost the process", "is_complete",
	    "type", "boolean", "description", "false: data is missing, and numbers may be too low",
	    "is_sampled", "type", "boolean", "description", "true: counts and sizes are estimates",
	    "rows", "type", "array", "items", "type", "object", "properties", members, "required",
	    "rows");
}

static json_t *
describe(const struct mcp_tool *t)
{
	/* open may pause a process, and close may lose what it captured. */
	bool is_pure = t->does != MCP_OPENS_HEAP && t->does != MCP_CLOSES_HEAP;

	return json_pack("{ss ss ss so so s{sb sb sb sb}}", "name", t->name, "title", t->title,
			 "description", t->help, "inputSchema", mcp_arguments_schema(t),
			 "outputSchema", output_schema(t), "annotations", "readOnlyHint", is_pure,
			 "destructiveHint", false, "idempotentHint", is_pure, "openWorldHint",
			 false);
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

/* --- tools/call ----------------------------------------------------------- */

/* Returns the length of a text without its advice to use a command of the screen, as in "no object
   starts at 10; :near 10 shows what is there". */
static int
length_for_client(const char *text)
{
	const char *advice = strstr(text, "; :");

	return (int)(advice ? (size_t)(advice - text) : strlen(text));
}

static void
add_note(void *notes, const char *text)
{
	char kept[TEXT_BYTES], clean[4 * TEXT_BYTES];

	snprintf(kept, sizeof kept, "%.*s", length_for_client(text), text);
	if (*text)
		json_array_append_new(notes, json_string(text_clean(kept, clean, sizeof clean)));
}

/* Returns what a client must know besides the rows: `why` there are none, and what the heap
   lacks. */
static json_t *
notes_of(const struct mcp_heap *h, const char *why)
{
	const struct session *s = h->session;
	json_t *notes = json_array();
	char text[TEXT_BYTES];

	add_note(notes, why);
	if (s->heap && *s->refused[JOB_LOAD]) {
		snprintf(text, sizeof text, "only types were read: %s", s->refused[JOB_LOAD]);
		add_note(notes, text);
	}
	outcome_warn(s, add_note, notes);
	return notes;
}

/* Returns the members that only answers to a client have, as an object. */
static json_t *
members_of(const struct mcp_call *call, const struct mcp_heap *h, const char *rows, const char *why,
	   const char *cost)
{
	json_t *members = json_object(), *notes = notes_of(h, why);
	char text[TEXT_BYTES];

	if (h->number) {
		snprintf(text, sizeof text, "heap-%u", h->number);
		json_object_set_new(members, "heap", json_string(text));
	}
	/* Strings have no newline, so this is the member and no text. */
	if (strstr(rows, ",\"is_cut\":true,\n\"rows\":[")) {
		snprintf(text, sizeof text, "%" PRIu64, call->first + call->rows);
		json_object_set_new(members, "next_cursor", json_string(text));
	}
	if (json_array_size(notes))
		json_object_set(members, "notes", notes);
	if (*cost)
		json_object_set_new(members, "cost", json_string(cost));
	json_decref(notes);
	return members;
}

/*
 * Returns the answer on one line: these members, then the rows. `err` says why there are none, or
 * is clear. NULL sets it: there is no memory.
 */
static char *
answer_of(const struct mcp_call *call, const struct mcp_heap *h, const char *rows, const char *cost,
	  struct error *err)
{
	struct memory_refused before = memory_refused();
	json_t *members = members_of(call, h, rows, err->message, cost);
	char *text = NULL;
	size_t len = 0;
	FILE *to = open_memstream(&text, &len);

	error_clear(err);
	if (!to) {
		json_decref(members);
		error_no_memory(err, 1);
		return NULL;
	}
	putc('{', to);
	json_dumpf(members, to, JSON_COMPACT | JSON_EMBED);
	if (json_object_size(members))
		putc(',', to);
	json_decref(members);
	for (const char *c = rows + 1; *c; c++)
		if (*c != '\n')
			putc_unlocked(*c, to);
	if (!fclose(to) && memory_refused().count == before.count)
		return text;
	memory_was_enough(before, err);
	free(text);
	return NULL;
}

/* Prints the rows of the command as JSON. Returns an exit code. */
static int
print_rows(struct mcp_tools *t, const struct mcp_call *call, struct session *s, FILE *to,
	   struct error *err)
{
	struct options o = *t->heaps.options;

	o.batch = call->command;
	o.commands = NULL;
	o.filter = *call->filter ? call->filter : NULL;
	o.sort = *call->sort ? call->sort : NULL;
	o.columns = *call->columns ? call->columns : NULL;
	o.format = TABLE_JSON;
	o.rows_first = call->first;
	o.rows_max = call->rows;
	o.files_count = call->after ? 2 : 1;
	return s == t->none.session ? batch_list(s, &o, to, err) : batch_run(s, &o, to, err);
}

/*
 * Prints the rows as if only the heaps of the call were open: a query would be about all of them,
 * and one that cannot be read would stop a comparison.
 */
static int
print_alone(struct mcp_tools *t, const struct mcp_call *call, struct session *s,
	    struct session *after, FILE *to, struct error *err)
{
	struct session *both[] = { s, after };
	struct snapshots alone = *t->heaps.all;
	int code;

	alone.sessions = both;
	alone.count = alone.room = after ? 2 : 1;
	for (size_t i = 0; i < alone.count; i++)
		both[i]->snapshots = &alone;
	code = print_rows(t, call, s, to, err);
	for (size_t i = 0; i < alone.count; i++)
		both[i]->snapshots = t->heaps.all;
	return code;
}

static char *
run(struct mcp_tools *t, const struct mcp_call *call, const struct mcp_heap *h,
    const struct mcp_heap *after, struct error *err)
{
	struct session *s = h->session;
	bool captures = s->loader.capture && !s->heap;
	char *rows = NULL, *answer = NULL, cost[TEXT_BYTES] = "";
	size_t len = 0;
	FILE *to = open_memstream(&rows, &len);
	int code;

	if (!to) {
		error_no_memory(err, ANSWER_BYTES_MAX);
		return NULL;
	}
	code = print_alone(t, call, s, after ? after->session : NULL, to, err);
	if (captures && s->heap)
		t->heaps.all->live->tell_cost(s->loader.capture, cost, sizeof cost);
	if (fclose(to) || !rows)
		error_no_memory(err, ANSWER_BYTES_MAX);
	else if (len > ANSWER_BYTES_MAX)
		error_set(err, ERROR_USAGE,
			  "the answer would have %zu bytes, and %d are the limit; ask for fewer "
			  "rows",
			  len, ANSWER_BYTES_MAX);
	else if (len && (code == EXIT_OK || code == EXIT_NOTHING || code == EXIT_INCOMPLETE))
		answer = answer_of(call, h, rows, cost, err);
	free(rows);
	return answer;
}

/* Says what is wrong and, if the command of the tool has failed, what to call next. */
static void
explain(const struct error *err, const char *next, char *text, size_t text_size)
{
	const char *message = *err->message ? err->message : "there is no memory for the answer";
	char raw[TEXT_BYTES], clean[4 * TEXT_BYTES];

	snprintf(raw, sizeof raw, "%s%.*s%s%s",
		 text_begins(message, "at character ") ? "filter: " : "",
		 length_for_client(message), message, next ? "; " : "", next ? next : "");
	snprintf(text, text_size, "%s",
		 err->kind == ERROR_CANCELLED ? "" : text_clean(raw, clean, sizeof clean));
}

static struct mcp_heap *
open_heap(struct mcp_tools *t, const struct mcp_call *call, struct error *err)
{
	if (!*call->path == !call->pid) {
		error_set(err, ERROR_USAGE, "open wants either path or pid");
		return NULL;
	}
	return *call->path ? mcp_heaps_open_file(&t->heaps, call->path, err)
			   : mcp_heaps_open_process(&t->heaps, call->pid, err);
}

/* Finds or opens the heap of the call, and the one that it is compared with. */
static struct mcp_heap *
find_heaps(struct mcp_tools *t, const struct mcp_tool *tool, const struct mcp_call *call,
	   struct mcp_heap **after, struct error *err)
{
	if (tool->does == MCP_OPENS_HEAP)
		return open_heap(t, call, err);
	if (tool->does == MCP_READS_MACHINE)
		return &t->none;
	if (call->after && call->after == call->heap) {
		error_set(err, ERROR_USAGE, "before and after are the same heap");
		return NULL;
	}
	if (call->after) {
		*after = mcp_heaps_find(&t->heaps, call->after, err);
		if (!*after)
			return NULL;
	}
	return mcp_heaps_find(&t->heaps, call->heap, err);
}

char *
mcp_tools_call(struct mcp_tools *t, const char *name, const json_t *arguments, char *text,
	       size_t text_size)
{
	const struct mcp_tool *tool = tool_named(name);
	struct mcp_heap *h = NULL, *after = NULL;
	unsigned last_number = t->heaps.last_number;
	struct mcp_call call;
	struct error err;
	char *answer = NULL;

	error_clear(&err);
	if (mcp_arguments_read(&call, tool, arguments, &err))
		h = find_heaps(t, tool, &call, &after, &err);
	if (h && tool->does == MCP_CLOSES_HEAP)
		answer = answer_of(&call, h, "{\"rows\":[]}", "", &err);
	else if (h)
		answer = run(t, &call, h, after, &err);
	if (!answer)
		explain(&err, h && err.kind == ERROR_USAGE ? tool->next : NULL, text, text_size);
	if (h && tool->does == MCP_CLOSES_HEAP)
		mcp_heaps_close(&t->heaps, h);
	if (h && !answer && t->heaps.last_number > last_number)
		mcp_heaps_take_back(&t->heaps, h);
	return answer;
}

bool
mcp_tools_init(struct mcp_tools *t, struct snapshots *all, struct options *o, struct error *err)
{
	*t = (struct mcp_tools){ 0 };
	if (!mcp_heaps_init(&t->heaps, all, o, err))
		return false;
	t->none.session = session_new_empty((struct waker){ 0 }, err);
	if (!t->none.session)
		return false;
	t->none.session->snapshots = all;
	return true;
}

void
mcp_tools_clear(struct mcp_tools *t)
{
	session_free(t->none.session);
}
