#ifndef TUI_CLI_MCP_ARGUMENTS_H
#define TUI_CLI_MCP_ARGUMENTS_H

/*
 * The arguments of a tool: their JSON schema for clients, and the command of -b that a call stands
 * for. Text of a client is quoted or checked here, so that it cannot become another command.
 */
#include "tui/app/script.h"
#include "model/base/error.h"
#include <jansson.h>

enum mcp_kind {
	MCP_PATH,
	MCP_PID,
	MCP_HEAP,       /* a handle: heap-1 */
	MCP_HEAP_AFTER, /* the handle of a later heap */
	MCP_TARGET,     /* an address or a name, an argument of the command */
	MCP_TABLE,      /* the name of a table */
	MCP_GROUPING,   /* a grouping of diff */
	MCP_QUERY,
	MCP_FILTER,
	MCP_SORT,
	MCP_COLUMNS,
	MCP_ROWS,
	MCP_CURSOR,
};

struct mcp_argument {
	const char *name; /* NULL: the end */
	enum mcp_kind kind;
	bool is_required;
	const char *help;
};

#define MCP_FILTER_ROW                                                                             \
	{                                                                                          \
		"filter", MCP_FILTER, false,                                                       \
		    "only rows that match: a regular expression, or "                              \
		    "'size > 1M && count > 10'"                                                    \
	}
#define MCP_SORT_ROW                                                                               \
	{                                                                                          \
		"sort", MCP_SORT, false,                                                           \
		    "name of a column: retained has the largest first, "                           \
		    "-retained the smallest; type has A first"                                     \
	}
#define MCP_COLUMNS_ROW                                                                            \
	{                                                                                          \
		"columns", MCP_COLUMNS, false, "only these columns: type,count,retained"           \
	}

/* Every tool whose answer has rows has the arguments `rows` and `cursor`, too.
 */
enum { MCP_ARGUMENTS_MAX = 6, MCP_ROWS_DEFAULT = 20, MCP_ROWS_MAX = 1000 };

enum mcp_tool_does {
	MCP_READS_HEAP,
	MCP_OPENS_HEAP,
	MCP_CLOSES_HEAP,
	MCP_READS_MACHINE,
};

struct mcp_tool {
	const char *name, *title, *help;
	enum mcp_tool_does does;
	const char *command;   /* of -b; "": the answer has no rows */
	const char *with_name; /* the command if a type or table is named; NULL: the same */
	const char *next;      /* says what to call if the command fails; or NULL */
	struct mcp_argument arguments[MCP_ARGUMENTS_MAX];
};

enum { MCP_TEXT_BYTES = 1024, MCP_QUERY_BYTES = 2000 };

struct mcp_call {
	char command[SCRIPT_COMMAND_BYTES];
	char path[4096];      /* "": not given */
	int32_t pid;          /* 0: not given */
	unsigned heap, after; /* numbers of the handles; 0: not given */
	char target[MCP_TEXT_BYTES], table[64], grouping[32], query[MCP_QUERY_BYTES];
	char filter[MCP_TEXT_BYTES], sort[64], columns[MCP_TEXT_BYTES];
	uint64_t first, rows; /* the first row of the answer; how many */
};

/* Returns the JSON schema of the tool's arguments; NULL: no memory. */
json_t *mcp_arguments_schema(const struct mcp_tool *t);
/* False sets `err`: an argument is missing, unknown or wrong. `given` may be NULL. */
bool mcp_arguments_read(struct mcp_call *call, const struct mcp_tool *t, const json_t *given,
			struct error *err) MUST_USE;

#endif
