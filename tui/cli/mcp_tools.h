#ifndef TUI_CLI_MCP_TOOLS_H
#define TUI_CLI_MCP_TOOLS_H

/*
 * The tools that a client of the Model Context Protocol can call. Each one is a
 * row of a table: the command of -b that answers it and the arguments that it
 * takes. Names of columns come from the command's view, so an answer is what
 * `heaptop -b COMMAND --json` prints, with a few members before it.
 */
#include "tui/cli/options.h"
#include "tui/session/snapshots.h"
#include <jansson.h>

enum { MCP_HEAPS_MAX = 16, MCP_PATH_BYTES = 4096 };

struct mcp_heap {
	struct session *session; /* NULL: the place is free */
	/* The handle is heap-NUMBER. No other heap gets the same number, so a
	   client that keeps the handle of a closed heap is refused. 0: the
	   subject of `processes`, which has no handle. */
	unsigned number;
	char path[MCP_PATH_BYTES]; /* that open was given */
};

struct mcp_tools {
	struct snapshots *all; /* the sessions of the open heaps */
	struct options *options;
	struct mcp_heap heaps[MCP_HEAPS_MAX];
	unsigned last_number;
	struct mcp_heap none; /* a session without a heap, for `processes` */
};

/* False sets `err`, as for more heaps than can be open. The snapshots and
   options are borrowed. */
bool mcp_tools_init(struct mcp_tools *t, struct snapshots *all,
		    struct options *o, struct error *err) MUST_USE;
void mcp_tools_clear(struct mcp_tools *t);

/* Returns what tools/list answers: names, arguments and columns, about 40 KB.
   NULL: no memory. */
json_t *mcp_tools_list(void);
bool mcp_tools_has(const char *name);

/*
 * Call a tool. Returns one JSON object without a newline, to be freed by
 * free(); NULL sets `text` to a sentence that says what is wrong and what to
 * call next, or to "" if the call was cancelled. `arguments` may be NULL.
 */
char *mcp_tools_call(struct mcp_tools *t, const char *name,
		     const json_t *arguments, char *text, size_t text_size);

/* Returns whether a heap may be read from the path: only from a regular file,
   as a pipe could be the client's own. False sets `err`. */
bool mcp_tools_may_open(const char *path, struct error *err);

#endif
