#ifndef TUI_CLI_MCP_TOOLS_H
#define TUI_CLI_MCP_TOOLS_H

/*
 * The tools that a client of the Model Context Protocol can call. Each one is a row of a table: the
 * command of -b that answers it and the arguments that it takes. Names of columns come from the
 * command's view, so an answer is what `heaptop -b COMMAND --json` prints, with a few members
 * before it.
 */
#include "tui/cli/mcp_heaps.h"
#include <jansson.h>

struct mcp_tools {
	struct mcp_heaps heaps;
	struct mcp_heap none; /* a session without a heap, for `processes` */
};

/* False sets `err`, as for more heaps than can be open. The snapshots and options are borrowed. */
bool mcp_tools_init(struct mcp_tools *t, struct snapshots *all, struct options *o,
		    struct error *err) MUST_USE;
void mcp_tools_clear(struct mcp_tools *t);

/* Returns what tools/list answers: names, arguments and columns, about 30 KB. NULL: no memory. */
json_t *mcp_tools_list(void);
bool mcp_tools_has(const char *name);

/*
 * Calls a tool. Returns one JSON object without a newline, to be freed by free(); NULL sets `text`
 * to a sentence that says what is wrong and what to call next, or to "" if the call was cancelled.
 * `arguments` may be NULL.
 */
char *mcp_tools_call(struct mcp_tools *t, const char *name, const json_t *arguments, char *text,
		     size_t text_size);

#endif
