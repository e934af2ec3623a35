#ifndef TUI_CLI_MCP_H
#define TUI_CLI_MCP_H

/*
 * `heaptop --mcp`: serves the Model Context Protocol on standard input and output, a message on
 * each line, until the client closes its end.
 *
 * One thread reads. It answers at once what needs no heap, so a client can ping during a long call,
 * and it cancels calls. The main thread runs the calls one after another, in the order in which
 * they came.
 */
#include "tui/cli/options.h"
#include "tui/session/snapshots.h"

/* `all` has the heaps of the command line. Returns an exit code. */
int mcp_run(struct snapshots *all, struct options *o, const char *version);

#endif
