#ifndef TUI_APP_RC_H
#define TUI_APP_RC_H

/*
 * heaptoprc: commands that run at the start. Commands about settings and keys run at once; the
 * others only on a screen, once a heap is loaded. Errors are reported with file and line; the
 * remaining commands still run.
 *
 * Files are /etc/heaptop/heaptoprc, then the user's own. $HEAPTOP_RC replaces both; if it is empty,
 * no file is read. A file is refused if others than the user and root may write to it.
 */
#include "tui/app/settings.h"
#include "tui/base/places.h"
#include "tui/app/script.h"

enum {
	RC_FILES = 2,
	RC_ERRORS_MAX = 10, /* further errors are only counted */
	RC_LATER_MAX = 200,
};

enum rc_state { RC_ABSENT, RC_THERE, RC_REFUSED, RC_SKIPPED };
struct rc_file {
	char path[PLACE_BYTES];
	enum origin_kind kind;
	enum rc_state state;
	bool is_wanted; /* named by $HEAPTOP_RC: it is an error if it is missing */
};

/* A command to run once a heap is loaded. */
struct rc_command {
	const char *text, *file;
	uint32_t line, column;
};

struct rc {
	struct rc_file files[RC_FILES];
	unsigned files_count;
	struct error errors[RC_ERRORS_MAX];
	unsigned errors_count; /* may exceed RC_ERRORS_MAX */
	struct rc_command later[RC_LATER_MAX];
	unsigned later_count;
	struct arena arena;
	struct script_nesting nesting; /* of all files at the start */
};

/* Determines which files to read, without reading them. */
void rc_find(struct rc *rc);
void rc_clear(struct rc *rc);
void rc_read(struct rc *rc, struct settings *s);
/* Skips the files instead of reading them. */
void rc_skip(struct rc *rc);
/* Runs the commands in a text; `file` must outlive the settings. */
void rc_run(struct rc *rc, const char *file, enum origin_kind kind, const char *text,
	    struct settings *s);
/* Puts the place of a failed command before the message. */
void rc_blame(const struct rc_command *c, struct error *err);
/* Writes one sentence about all errors; false if there are none. */
bool rc_sum_up(const struct rc *rc, char *out, size_t out_size);
/* Prints the files' lines of `--paths`, see place_print(). */
void rc_print_places(const struct rc *rc, FILE *to);

#endif
