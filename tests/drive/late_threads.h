#ifndef TESTS_DRIVE_LATE_THREADS_H
#define TESTS_DRIVE_LATE_THREADS_H

/*
 * Threads of a session that fail, or begin late, so that a test can look at what is there
 * meanwhile. A test program hands the program's thread_start()
 * to late_thread_start(). What fails fails the test.
 */
#include "tests/made/graphs.h"
#include "tui/session/session.h"
#include <pthread.h>
#include <stdatomic.h>

struct late_threads {
	unsigned failing;      /* the next ones */
	atomic_bool is_closed; /* none does anything until it opens */
	/* The next thread begins when it is stopped: what were the ways then?
	 */
	const struct session *session; /* whose thread it is, or NULL */
	_Atomic(const struct progress *) progress;
	const struct reach *reach;
};
extern struct late_threads late;

/* In place of the program's own. */
int late_thread_start(pthread_t *thread, void *(*run)(void *context), void *context);

/* Until no job is left. */
void session_settle(struct session *s);
/* So many objects that all that is computed looks whether it is stopped. */
struct session *session_of_graph(struct graph *g);
bool ignore_kind(struct session *s, enum root_kind kind);
/* Wants the retained sizes, and compares them with those computed anew. */
void expect_right_sizes(struct session *s);
/* Ignores one kind; its ways are there, its retained sizes not yet. */
void begin_ignoring(struct session *s);
/* They are done, and not taken yet. */
void end_retention(struct session *s);
/* What waits may begin, and ends. */
void go_on(struct session *s);
void stop_all(struct session *s);

#endif
