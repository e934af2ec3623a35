#ifndef TUI_TABLES_CARD_LINES_H
#define TUI_TABLES_CARD_LINES_H

/* The cost of a capture or recording, as lines of text. */
#include "model/heap/live.h"
#include <stdbool.h>

enum { CARD_LINES_MAX = 12 };
struct card_line {
	const char *label; /* "pause"; every line has another */
	char text[320];    /* "about 47 ms, an estimate; …" */
};
/* Returns the number of lines; `options` may be NULL. `own_sessions` of the process's event
   sessions are those of heaptop itself. */
int card_lines(const struct live_card *card, const struct live_options *options,
	       uint32_t own_sessions, struct card_line lines[CARD_LINES_MAX]);
/* The same for a recording of allocations. */
int card_lines_of_recording(const struct live_allocations *plan, uint32_t own_sessions,
			    struct card_line lines[CARD_LINES_MAX]);
/* False sets `err`: the target lacks the memory, or on this busy machine the pause may exceed the
   budget. */
bool card_is_within(const struct live_card *card, const struct live_options *options,
		    struct error *err);

/* Writes "process 4711 (api) of alice, not yours". */
const char *card_who(const struct live_card *card, char *out, size_t out_size);

#endif
