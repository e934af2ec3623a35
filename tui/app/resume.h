#ifndef TUI_APP_RESUME_H
#define TUI_APP_RESUME_H

/*
 * Resumes a saved session. Its file is a script (tui/app/script.h), written by save_session.h:
 *
 *  # heaptop session
 *  # heap "/var/dumps/a.gcdump" 1048576 1700000000.123456789
 *  COMMANDS
 *
 * The comments name the heaps, with size in bytes and time of the last change. Each command runs
 * when its input is ready, for example when all rows are made. Commands that sessions do not need
 * are refused.
 */
#include "tui/app/script.h"
#include "tui/widget/call.h"

enum { RESUME_HEAPS_MAX = 64, RESUME_VIEWS_MAX = 500 };

struct app;

struct resume {
	const char *path; /* borrowed */
	char *heaps[RESUME_HEAPS_MAX];
	int heaps_count;
	char changed[80]; /* name of a heap that has changed since, or "" */
	struct script script;
	char command[SCRIPT_COMMAND_BYTES]; /* the next command, or "" */
	bool is_running;
	unsigned failed;   /* number of commands that failed */
	unsigned left_out; /* number of items that could not be saved */
	char first_left_out[120];
	size_t rows_before; /* rows before the last more-rows, if it has to run again */
	struct error first;
};

/* Reads the file and checks that its heaps exist. False: nothing to clear. */
bool resume_open(struct resume *r, const char *path, struct error *err);
void resume_clear(struct resume *r);

/* Runs the commands that can run now; call it whenever a job has ended. */
void resume_step(struct app *app);
/* Returns whether commands are left to run. */
bool resume_is_running(const struct app *app);
/* Abandons the rest of the session and reports that. False: nothing was left. */
bool resume_stop(struct app *app);

#endif
