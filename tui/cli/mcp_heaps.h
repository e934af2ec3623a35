#ifndef TUI_CLI_MCP_HEAPS_H
#define TUI_CLI_MCP_HEAPS_H

/*
 * The heaps that a client of the Model Context Protocol has open, and their handles, heap-NUMBER.
 * No two heaps get the same number, so a client that keeps the handle of a closed heap is refused.
 */
#include "tui/cli/options.h"
#include "tui/session/snapshots.h"
#include <sys/stat.h>

enum { MCP_HEAPS_MAX = 16, MCP_PATH_BYTES = 4096 };

struct mcp_heap {
	struct session *session; /* NULL: the place is free */
	unsigned number;
	char path[MCP_PATH_BYTES]; /* that the client gave */
	struct stat file;          /* as it was then; not of captures */
};

struct mcp_heaps {
	struct snapshots *all; /* owns the sessions; borrowed */
	const struct options *options;
	struct mcp_heap places[MCP_HEAPS_MAX];
	unsigned last_number;
};

/* Gives the heaps of the command line their handles. False sets `err`: there are more than can be
   open. */
bool mcp_heaps_init(struct mcp_heaps *heaps, struct snapshots *all, const struct options *o,
		    struct error *err) MUST_USE;

/* Returns the heap with this number. NULL sets `err`. */
struct mcp_heap *mcp_heaps_find(struct mcp_heaps *heaps, unsigned number, struct error *err);
/* Returns a heap that is read when its session is first used, or the one that is open already if
   the file has not changed since. NULL sets `err`. */
struct mcp_heap *mcp_heaps_open_file(struct mcp_heaps *heaps, const char *path, struct error *err);
/* Returns a new heap, captured when its session is first used. NULL sets `err`, as without
   --allow-capture. */
struct mcp_heap *mcp_heaps_open_process(struct mcp_heaps *heaps, int32_t pid, struct error *err);
void mcp_heaps_close(struct mcp_heaps *heaps, struct mcp_heap *h);
/* Closes the heap that was opened last, whose handle no client knows, and uses its number again. */
void mcp_heaps_take_back(struct mcp_heaps *heaps, struct mcp_heap *h);

/* Returns whether a heap may be read from the path: only from a regular file, as a pipe could be
   the client's own. False sets `err`. */
bool mcp_heaps_may_open(const char *path, struct stat *file, struct error *err);

#endif
