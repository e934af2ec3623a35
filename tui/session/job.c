#include "tui/session/job.h"
#include "model/base/arena.h"
#include "model/base/clock.h"
#include "model/base/low_priority.h"
#include "model/base/thread.h"
#include <stdio.h>
#include <time.h>

struct job {
	const char *what;
	job_run *run;
	void *context;
	struct waker waker;
	struct progress progress;
	struct error err; /* owned by the worker until is_done */
	bool ok;
	bool has_thread, is_low_priority;
	atomic_bool is_done;
	pthread_t thread;
};

/* Called by job_finish() when it has waited for some time. */
static struct {
	void (*meanwhile)(void *context, const char *what);
	void *context;
} patience;
static const int64_t patience_ns = 1000000000;

/* The job that began last, and has not been freed. */
static pthread_mutex_t latest_lock = PTHREAD_MUTEX_INITIALIZER;
static struct job *latest;

static void
set_latest(struct job *j)
{
	pthread_mutex_lock(&latest_lock);
	latest = j;
	pthread_mutex_unlock(&latest_lock);
}

static void
forget(const struct job *j)
{
	pthread_mutex_lock(&latest_lock);
	if (latest == j)
		latest = NULL;
	pthread_mutex_unlock(&latest_lock);
}

bool
job_describe_latest(char *text, size_t text_size)
{
	const struct job *j;

	pthread_mutex_lock(&latest_lock);
	j = latest;
	if (j) {
		uint64_t done = atomic_load(&j->progress.done);
		uint64_t total = atomic_load(&j->progress.total);

		if (total && done <= total)
			snprintf(text, text_size, "%s, %.0f%%", j->what,
				 100.0 * (double)done / (double)total);
		else
			snprintf(text, text_size, "%s", j->what);
	}
	pthread_mutex_unlock(&latest_lock);
	return j != NULL;
}

static void
job_work(void *context)
{
	struct job *j = context;

	j->ok = j->run(j->context, &j->progress, &j->err);
}

static void *
job_main(void *context)
{
	struct job *j = context;
	struct memory_refused before = memory_refused();

	if (j->is_low_priority)
		low_priority_run(job_work, j);
	else
		job_work(j);
	/* A job without a thread must not leave its refusals to the caller. */
	memory_refused_set(before);
	atomic_store(&j->is_done, true);
	if (j->waker.wake)
		j->waker.wake(j->waker.context);
	return NULL;
}

static struct job *
start(const char *what, job_run *run, void *context, struct waker waker, bool is_low_priority,
      struct error *err)
{
	struct job *j = memory_new(1, sizeof *j, err);
	int failed;

	if (!j)
		return NULL;
	j->what = what;
	j->run = run;
	j->context = context;
	j->waker = waker;
	j->is_low_priority = is_low_priority;
	error_clear(&j->err);
	set_latest(j);
	if (!waker.wake) {
		job_main(j);
		return j;
	}
	failed = thread_start(&j->thread, job_main, j);
	if (failed) {
		error_sys(err, failed, "cannot start a thread for %s", what);
		forget(j);
		memory_free(j);
		return NULL;
	}
	j->has_thread = true;
	return j;
}

struct job *
job_start(const char *what, job_run *run, void *context, struct waker waker, struct error *err)
{
	return start(what, run, context, waker, false, err);
}

struct job *
job_start_low_priority(const char *what, job_run *run, void *context, struct waker waker,
		       struct error *err)
{
	return start(what, run, context, waker, true, err);
}

bool
job_is_done(const struct job *j)
{
	return atomic_load(&j->is_done);
}

void
job_cancel(struct job *j)
{
	progress_cancel(&j->progress);
}

void
job_set_meanwhile(void (*meanwhile)(void *context, const char *what), void *context)
{
	patience.meanwhile = meanwhile;
	patience.context = context;
}

/* Waits in steps, first short ones: most jobs stop within a millisecond. */
static void
await_end(const struct job *j)
{
	enum { STEP_MAX_NS = 10000000 };
	int64_t since_ns = clock_ns();
	struct timespec step = { .tv_nsec = 50000 };

	while (patience.meanwhile && !job_is_done(j)) {
		if (clock_ns() - since_ns > patience_ns) {
			patience.meanwhile(patience.context, j->what);
			continue;
		}
		nanosleep(&step, NULL);
		if (step.tv_nsec < STEP_MAX_NS)
			step.tv_nsec *= 2;
	}
}

bool
job_finish(struct job *j, struct error *err)
{
	bool ok;

	if (j->has_thread)
		await_end(j);
	if (j->has_thread)
		pthread_join(j->thread, NULL);
	ok = j->ok;
	if (!ok && err && err->kind == ERROR_NONE)
		*err = j->err;
	forget(j);
	memory_free(j);
	return ok;
}

const char *
job_what(const struct job *j)
{
	return j->what;
}

const struct progress *
job_progress(const struct job *j)
{
	return &j->progress;
}
