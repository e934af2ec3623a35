#ifndef TUI_CLI_MCP_PROTOCOL_H
#define TUI_CLI_MCP_PROTOCOL_H

/*
 * Messages of the Model Context Protocol, in JSON-RPC 2.0: revision 2026-07-28, in which every
 * request names its revision, and 2025-11-25 and 2025-06-18, which begin with `initialize`. Nothing
 * is remembered between messages, so clients of both kinds may even take turns.
 */
#include "tui/cli/mcp_tools.h"

enum mcp_does { MCP_ANSWERS, MCP_CALLS, MCP_CANCELS, MCP_IGNORES };

enum { MCP_BUSY = -32000, MCP_BAD_JSON = -32700, MCP_BAD_REQUEST = -32600 };

/* Parses a line. NULL sets `text`; the JSON of clients nests up to 2048 deep. */
json_t *mcp_parse(const char *line, size_t len, char *text, size_t text_size);

/* Returns what the message asks for. */
enum mcp_does mcp_does(const json_t *message);
/* Returns the id of a request, or the id that a cancellation names; borrowed. NULL: there is
   none. */
const json_t *mcp_id(const json_t *message);
const json_t *mcp_cancelled_id(const json_t *message);
/* Returns the token with which the client wants progress reports, or NULL. */
const json_t *mcp_progress_token(const json_t *message);

/*
 * These return a line with its line feed, to be freed by free(), or NULL: there is no answer, as
 * for notifications and cancelled calls, or no memory for it.
 */
char *mcp_answer(const json_t *message, const char *version);
char *mcp_call_answer(const json_t *message, struct mcp_tools *tools, const char *version);
char *mcp_error(const json_t *id, int code, const char *text);
/* `step` must increase with each report of a call. */
char *mcp_progress(const json_t *token, uint64_t step, const char *text);

#endif
