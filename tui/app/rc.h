#ifndef TUI_APP_RC_H
#define TUI_APP_RC_H

/*
 * heaptoprc: commands that are run at the start. Those about settings and keys
 * at once; the others once there is a heap on the screen, and nowhere else.
 * What is wrong is told with its place, and all the rest is done.
 *
 * First /etc/heaptop/heaptoprc, then the user's; or only $HEAPTOP_RC, which is
 * none if it is empty. Nobody but the user and root may have written them.
 */
#include "tui/app/settings.h"
#include "tui/base/places.h"
#include "tui/base/script.h"

enum {
	RC_FILES = 2,
	RC_BYTES_MAX = 256 << 10,
	RC_ERRORS_MAX = 10, /* more are counted */
	RC_LATER_MAX = 200,
};

enum rc_state { RC_ABSENT, RC_THERE, RC_REFUSED, RC_SKIPPED };
struct rc_file {
	char path[PLACE_BYTES];
	enum origin_kind kind;
	enum rc_state state;
	bool is_wanted; /* by $HEAPTOP_RC: that it is absent is told */
};

/* A command that waits for the heap. */
struct rc_command {
	const char *text, *file;
	uint32_t line, column;
};

struct rc {
	struct rc_file files[RC_FILES];
	unsigned files_count;
	struct error errors[RC_ERRORS_MAX];
	unsigned errors_count; /* perhaps more than are kept */
	struct rc_command later[RC_LATER_MAX];
	unsigned later_count;
	struct arena arena;
	struct script_nesting nesting; /* never cleared: errors end nothing */
};

/* Which files there would be; none of them is read. */
void rc_find(struct rc *rc);
void rc_clear(struct rc *rc);
void rc_read(struct rc *rc, struct settings *s);
/* Instead: what is there is left. */
void rc_skip(struct rc *rc);
/* The same of a text; `file` must outlive the settings. */
void rc_run(struct rc *rc, const char *file, enum origin_kind kind,
	    const char *text, struct settings *s);
/* The command of `later` has failed: puts its place before the message. */
void rc_blame(const struct rc_command *c, struct error *err);
/* One sentence about all errors; false: there are none. */
bool rc_sum_up(const struct rc *rc, char *out, size_t out_size);
/* The lines of `--paths` about these files, see places_print(). */
void rc_print_places(const struct rc *rc, FILE *to);

#endif
