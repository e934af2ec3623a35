#ifndef TESTS_DRIVE_CAPTURES_H
#define TESTS_DRIVE_CAPTURES_H

/* Captures from real processes (tests/drive/targets.h), and what must hold of every one of them. */
#include "capture/events/live.h"
#include "io/runtime/layout.h"
#include "tests/drive/targets.h"

extern const char *const versions[];
enum { VERSIONS = 4 };

/* What is known about a version. */
const struct clr_facts *version_facts(const char *version);
/* Says so, if there is no such program; tests/run/sum_up.sh counts it. */
bool is_skipped(const char *version);

const struct heap *capture_pid(int32_t pid, struct capture_cost *cost, struct error *err);
/*
 * Captures and checks: complete, sound, the program's own facts, the totals of dotnet-gcdump,
 * names, roots, generations, every object explained. `version` begins with that of the runtime.
 * Returns what it cost.
 */
struct capture_cost check_capture(const struct target *t, const char *version, const char *what);
/* The same, but for the totals: it has other objects as well. */
struct capture_cost check_capture_of_facts(const struct target *t, const char *what);
/* How many objects of its types the program has said that it has. */
void check_facts(const struct heap *h, const struct target *t, const char *what);
/* Waits until the sessions that end have ended: is one left open? */
bool is_thread_left(const struct target *t);
/* The same: none is. */
void check_no_thread_left(const struct target *t);
/*
 * Is there a last word? One session may be left up to .NET 9, and where a walk takes one session
 * alone, if a capture was killed just before that word.
 */
bool has_last_word(const char *version);
/* Somebody's next collection ends it. */
void check_next_collection_ends_it(const struct target *t);
/*
 * Asks the runtime: all 64 sessions that it has room for are there to be had, and no thread of one
 * is left.
 */
void check_no_session_left(const struct target *t);

#endif
