#include "tests/made/mcp_requests.h"
#include "tui/cli/mcp_tools.h"
#include <string.h>

#define PICK(of, state) (of)[mcp_random(state, sizeof(of) / sizeof *(of))]

/* Texts for arguments by name; the last ones are for all others. */
static const struct {
	const char *name;
	const char *texts[12];
} pools[] = {
	{ "heap", { "heap-1", "heap-1", "heap-1", "heap-2", "heap-3", "heap-4" } },
	{ "before", { "heap-1", "heap-2", "heap-3" } },
	{ "after", { "heap-2", "heap-3", "heap-1", "heap-4" } },
	{ "cursor", { "1", "50", "199", "200", "0" } },
	{ "path",
	  { "tests/data/tiny.gcdump", "Makefile", "/dev/stdin", "tests", "tests/./data/tiny.gcdump",
	    "README.md", "tests/data/sample.gclog", "tests/data/tiny-full.gcdump" } },
	{ "object",
	  { "App.Node", "System.String", "App.List<App.Node>", "1000", "0x1020", "10a0", "1040",
	    "App", "\"App.Node\"", "App.Node;w x" } },
	{ "sort", { "size", "-size", "type", "-count", "retained", "-retained" } },
	{ "columns", { "type", "type,count", "type,retained", "address,size", "count" } },
	{ "table", { "objects", "types", "roots", "referrers", "findings", "heaps" } },
	{ "filter",
	  { "App", "size > 30", "count > 1 && type ~ /A/", "retained > 1K", "type ~ /[/",
	    "in > 1 or out = 0", "(size", "!App" } },
	{ "query",
	  { "SELECT * FROM objects",
	    "SELECT type, count(*) AS n, sum(size) FROM objects GROUP BY type",
	    "SELECT a.type FROM objects a JOIN types b ON a.type = b.type",
	    "VALUES(1, 'x', x'00', NULL, -9223372036854775808, 1e999)",
	    "WITH c AS (SELECT 1 AS n) SELECT n FROM c", "DELETE FROM objects",
	    "SELECT * FROM roots; SELECT 1", "PRAGMA table_list" } },
	{ NULL,
	  { "", "heap-0", "heap-65536", "heap-99999999999999999999", "HEAP-1", "-1",
	    "18446744073709551615", "\xc3\xa9\n\xe2\x86\x92", "/etc/passwd", "x.sql", "'; DROP",
	    "\x1b]0;x\x07" } },
};

static const char *const sql_words[] = {
	"SELECT",  "*",       "count(*)",    "FROM objects", "FROM types", "WHERE",     "size",
	">",       "1",       "AND",         "type",         "LIKE '%A%'", "GROUP BY",  "ORDER BY",
	"DESC",    "LIMIT 5", "OFFSET 2",    "UNION ALL",    "(",          ")",         ",",
	";",       "'x'",     "address",     "JOIN roots",   "ON 1",       "CASE WHEN", "END",
	"max(",    "hex(",    "zeroblob(9)", "AS t",         "IN (SELECT", "NOT",       "NULL",
	"OVER ()", "--"
};

uint32_t
mcp_random(uint64_t *state, uint32_t limit)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (uint32_t)((*state >> 20) % limit);
}

static json_t *
made_query(uint64_t *state)
{
	char query[512] = "SELECT ";
	uint32_t count = 1 + mcp_random(state, 12);

	while (count--) {
		strcat(query, PICK(sql_words, state));
		strcat(query, " ");
	}
	return json_string(query);
}

static json_t *
made_text(const char *name, uint64_t *state)
{
	size_t i = 0, count = 0;

	if (!strcmp(name, "query") && mcp_random(state, 2))
		return made_query(state);
	if (mcp_random(state, 12) == 0)
		i = mcp_random(state, sizeof pools / sizeof *pools);
	else
		while (pools[i].name && strcmp(pools[i].name, name) != 0)
			i++;
	while (count < 12 && pools[i].texts[count])
		count++;
	return json_string(pools[i].texts[mcp_random(state, (uint32_t)count)]);
}

static json_t *
made_number(uint64_t *state)
{
	static const json_int_t numbers[] = { 1, 2,  3,         50,        1000, 1001,
					      0, -1, INT32_MAX, INT64_MAX, 4711, INT64_MIN };

	return json_integer(PICK(numbers, state));
}

/* Returns a value of another type. */
static json_t *
made_wrong(uint64_t *state)
{
	switch (mcp_random(state, 6)) {
	case 0:
		return json_null();
	case 1:
		return json_boolean(mcp_random(state, 2));
	case 2:
		return json_pack("[s[{}]]", "heap-1");
	case 3:
		return json_pack("{s[]}", "heap");
	case 4:
		return json_real(1.5);
	default:
		return made_number(state);
	}
}

static json_t *
made_value(const char *name, const json_t *schema, uint64_t *state)
{
	const json_t *words = json_object_get(schema, "enum");
	const char *type = json_string_value(json_object_get(schema, "type"));

	if (mcp_random(state, 30) == 0)
		return made_wrong(state);
	if (words && mcp_random(state, 10))
		return json_copy(
		    json_array_get(words, mcp_random(state, (uint32_t)json_array_size(words))));
	return type && !strcmp(type, "integer") ? made_number(state) : made_text(name, state);
}

/* The tools, as a client sees them. */
static const json_t *
tools(void)
{
	static json_t *all;

	if (!all)
		all = mcp_tools_list();
	return all;
}

static const json_t *
schemas_of(const char *tool)
{
	const json_t *t;
	size_t i;

	json_array_foreach(tools(), i, t)
	{
		if (!strcmp(json_string_value(json_object_get(t, "name")), tool))
			return json_object_get(json_object_get(t, "inputSchema"), "properties");
	}
	return NULL;
}

static bool
is_required(const json_t *tool, const char *name)
{
	const json_t *r;
	size_t i;

	json_array_foreach(json_object_get(json_object_get(tool, "inputSchema"), "required"), i, r)
	{
		if (!strcmp(json_string_value(r), name))
			return true;
	}
	return false;
}

/* Queries take ten times as long as other calls, so they are made less often.
 */
static const json_t *
made_tool(uint64_t *state)
{
	uint32_t count = (uint32_t)json_array_size(tools());
	const json_t *tool = json_array_get(tools(), mcp_random(state, count));
	const char *name = json_string_value(json_object_get(tool, "name"));

	if ((!strcmp(name, "sql") && mcp_random(state, 4)) ||
	    (!strcmp(name, "schema") && mcp_random(state, 10)))
		return made_tool(state);
	return tool;
}

static json_t *
made_call(uint64_t *state)
{
	const json_t *tool = made_tool(state);
	const char *tool_name = json_string_value(json_object_get(tool, "name"));
	json_t *arguments = json_object(), *schema;
	const char *name;

	json_object_foreach((json_t *)(uintptr_t)schemas_of(tool_name), name, schema)
	{
		if (is_required(tool, name) ? mcp_random(state, 20) != 0
					    : mcp_random(state, 4) == 0)
			json_object_set_new(arguments, name, made_value(name, schema, state));
	}
	if (mcp_random(state, 50) == 0)
		tool_name = "nonsense";
	return json_pack("{ss so}", "name", tool_name, "arguments", arguments);
}

static void
add_meta(json_t *params, uint64_t *state)
{
	static const char *const revisions[] = { "2026-07-28", "2026-07-28", "2025-11-25",
						 "2025-06-18", "1900-01-01" };
	json_t *meta = json_object();

	json_object_set_new(meta, "io.modelcontextprotocol/protocolVersion",
			    json_string(PICK(revisions, state)));
	if (mcp_random(state, 3) == 0)
		json_object_set_new(meta, "progressToken",
				    mcp_random(state, 2) ? made_number(state) : json_string("p"));
	json_object_set_new(params, "_meta", meta);
}

/* Few ids, so that requests share them and cancellations meet them. */
static json_t *
made_id(uint64_t *state)
{
	if (mcp_random(state, 40) == 0)
		return made_wrong(state);
	return mcp_random(state, 8) == 0 ? json_string("1")
					 : json_integer(1 + mcp_random(state, 9));
}

json_t *
mcp_made_request(uint64_t *state)
{
	static const char *const methods[] = { "initialize", "server/discover", "ping",
					       "tools/list", "resources/list",  "" };
	const char *method = "tools/call";
	json_t *params, *message;

	switch (mcp_random(state, 16)) {
	case 0:
		method = "notifications/cancelled";
		params = json_pack("{so}", "requestId", made_id(state));
		break;
	case 1:
		method = PICK(methods, state);
		params = json_pack("{ss}", "protocolVersion", "2025-06-18");
		break;
	case 2:
		params = mcp_random(state, 2) ? made_wrong(state) : json_object();
		break;
	default:
		params = made_call(state);
	}
	if (json_is_object(params) && mcp_random(state, 3))
		add_meta(params, state);
	message = json_pack("{ss ss so}", "jsonrpc", "2.0", "method", method, "params", params);
	if (strcmp(method, "notifications/cancelled") != 0 || mcp_random(state, 20) == 0)
		json_object_set_new(message, "id", made_id(state));
	return message;
}

void
mcp_change_argument(json_t *message, uint64_t *state)
{
	json_t *params = json_object_get(message, "params");
	json_t *arguments = json_object_get(params, "arguments"), *schema;
	const char *tool = json_string_value(json_object_get(params, "name")), *name;
	const json_t *schemas = tool ? schemas_of(tool) : NULL;
	uint32_t chosen = schemas ? mcp_random(state, (uint32_t)json_object_size(schemas)) : 0;

	json_object_foreach((json_t *)(uintptr_t)schemas, name, schema)
	{
		if (chosen--)
			continue;
		if (mcp_random(state, 6) == 0)
			json_object_del(arguments, name);
		else
			json_object_set_new(arguments, name, made_value(name, schema, state));
		break;
	}
}
