#ifndef MODEL_BASE_DURATION_H
#define MODEL_BASE_DURATION_H

/*
 * Durations for people: "4.2 ms", "350 ms", "1.2 s", "12 min". Rounded down; independent of the
 * locale.
 */

enum { DURATION_BYTES = 32 };
/* Returns `out`; "-" if `seconds` is no duration. */
const char *duration_text(double seconds, char out[DURATION_BYTES]);

#endif
