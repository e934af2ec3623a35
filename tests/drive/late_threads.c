#include "tests/drive/late_threads.h"
#include "model/base/thread.h"
#include "tests/drive/jobs.h"
#include "tests/drive/run_tests.h"
#include "tui/session/what_if.h"
#include <errno.h>
#include <sched.h>
#include <stdlib.h>

struct late_threads late;

struct late {
	void *(*run)(void *context);
	void *context;
	const struct session *session; /* begins when stopped; or NULL */
};

static void *
begin_late(void *context)
{
	const struct late *l = context;
	const struct late own = *l;

	free(context);
	while (atomic_load(&late.is_closed))
		sched_yield();
	if (own.session) {
		while (!progress_is_cancelled(atomic_load(&late.progress)))
			sched_yield();
		late.reach = own.session->reach;
	}
	return own.run(own.context);
}

int
late_thread_start(pthread_t *thread, void *(*run)(void *context), void *context)
{
	struct late *l;

	if (late.failing && late.failing--)
		return EAGAIN;
	l = malloc(sizeof *l);
	assert_non_null(l);
	*l = (struct late){ run, context, late.session };
	late.session = NULL;
	return pthread_create(thread, NULL, begin_late, l);
}

void
session_settle(struct session *s)
{
	while (session_job(s)) {
		session_poll(s, session_ended(s));
		sched_yield();
	}
}

struct session *
session_of_graph(struct graph *g)
{
	struct error err = { 0 };
	struct session *s = session_on_threads(graph_heap(g));

	assert_true(session_start(s, &err));
	session_settle(s);
	assert_non_null(s->retention);
	return s;
}

bool
ignore_kind(struct session *s, enum root_kind kind)
{
	const struct ignored_entry e = { IGNORED_ROOT_KIND, kind, 0 };
	struct error err = { 0 };

	return what_if_ignore(s, &e, 1, &err);
}

void
expect_right_sizes(struct session *s)
{
	struct error err = { 0 };
	const struct retention *right;

	assert_true(session_want(s, NEED_RETAINED, &err));
	session_settle(s);
	assert_non_null(s->retention);
	right = retention_compute(s->heap, s->reverse, s->reach, s->what_if.ignored, 0, NULL, &err);
	assert_non_null(right);
	for (node_id n = 0; n < s->heap->nodes_count; n++)
		assert_int_equal(session_retained(s, n).bytes,
				 retained_of(right->retained, n).bytes);
	retention_free(right);
}

void
begin_ignoring(struct session *s)
{
	assert_true(ignore_kind(s, s->heap->roots[0].kind));
	while (s->jobs[JOB_REACH]) {
		unsigned ended = session_ended(s);

		atomic_store(&late.is_closed, ended != 0);
		session_poll(s, ended);
		sched_yield();
	}
	assert_null(s->retention);
	assert_false(s->has & NEED_RETAINED);
	assert_non_null(s->jobs[JOB_RETENTION]);
}

void
end_retention(struct session *s)
{
	atomic_store(&late.is_closed, false);
	while (!job_is_done(s->jobs[JOB_RETENTION]))
		sched_yield();
}

void
go_on(struct session *s)
{
	atomic_store(&late.is_closed, false);
	session_settle(s);
}

void
stop_all(struct session *s)
{
	assert_true(session_cancel(s));
	go_on(s);
}
