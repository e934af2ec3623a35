#ifndef TUI_APP_RESUME_H
#define TUI_APP_RESUME_H

/*
 * Coming back to a session that was left. Its file is a script
 * (tui/base/script.h), as save_session.h writes it:
 *
 *   # heaptop session
 *   # heap "/var/dumps/a.gcdump" 1048576 1700000000.123456789
 *   COMMANDS
 *
 * The comments name the heaps: size in bytes and time of the last change. The
 * commands are run one after another, each when what it is about is there: rows
 * that are still being made are waited for. Nothing else in the file is done: a
 * command that sessions have no use for is refused.
 */
#include "tui/base/script.h"
#include "tui/widget/call.h"

enum { RESUME_HEAPS_MAX = 64, RESUME_VIEWS_MAX = 500 };

struct app;

struct resume {
	const char *path; /* borrowed */
	char *text;       /* owned */
	char *heaps[RESUME_HEAPS_MAX];
	int heaps_count;
	char changed[80]; /* the name of a heap that is not as it was, or "" */
	struct script script;
	char command[SCRIPT_COMMAND_BYTES]; /* the next one, or "" */
	bool is_running;
	unsigned failed;   /* commands */
	unsigned left_out; /* things that could not be kept */
	char first_left_out[120];
	size_t rows_before; /* of a tree that is being opened further */
	struct error first;
};

/*
 * Reads the file, and whether the heaps are there. False sets `err`, and there
 * is nothing to clear.
 */
bool resume_open(struct resume *r, const char *path, struct error *err);
void resume_clear(struct resume *r);

/* Runs what can be run now; to be called whenever something has arrived. */
void resume_step(struct app *app);
/* Something is left to be done. */
bool resume_is_running(const struct app *app);
/* It is not done, and that is told. False: nothing was left. */
bool resume_stop(struct app *app);

#endif
