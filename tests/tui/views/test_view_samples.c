/* Samples of a recording in a heap, on the screen: who allocated its objects. */
#include "io/events/allocation_events.h"
#include "model/base/thread.h"
#include "model/table/samples.h"
#include "tests/drive/heaps.h"
#include "tests/drive/jobs.h"
#include "tests/drive/late_threads.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/screens.h"
#include <stdatomic.h>
#include <string.h>

#define LEAKY    "tests/data/survival-10.nettrace.zst"
#define SURVIVED "tests/data/survival-10.heaptop"

int
thread_start(pthread_t *thread, void *(*run)(void *context), void *context)
{
	return late_thread_start(thread, run, context);
}

static uint32_t
samples_by(const struct session *s, const char *site)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < s->samples->count; i++)
		count += !strcmp(s->samples->items[i].site, site);
	return count;
}

static struct allocations *
recording_for(const struct heap *h)
{
	struct error err = { 0 };
	struct allocations *a = allocations_load(LEAKY, h, NULL, &err);

	assert_ok(a != NULL, &err);
	return a;
}

/* The site of samples follows my code, though they were found before. */
TEST(my_modules_choose_the_site_of_samples)
{
	const struct heap *h = heap_of_file(SURVIVED);
	struct screen *screen = screen_for_test(24, 80, false);
	struct allocations *a = recording_for(h);
	struct app *app = app_on_threads(h);
	struct session *s = app->session;

	app_steps(app, screen, ":samples");
	assert_true(app_has_text(app, screen, "no samples; --samples FILE"));
	session_join(s, a);
	poll_while(app, !s->samples);
	poll_once(app);
	assert_true(app_has_text(app, screen, "55 of 55 samples"));
	/* Names of callers are cut first, so that rows differ. */
	assert_true(app_has_text(app, screen, " Leaky.Program.Grow ← Main"));
	assert_int_equal(samples_by(s, "string.Concat"), 0);
	app_steps(app, screen, ":set_mymodules=System*");
	poll_while(app, s->jobs[JOB_JOIN] != NULL);
	assert_true(samples_by(s, "string.Concat") > 0);
	app_steps(app, screen, ":set_mymodules=");
	poll_while(app, s->jobs[JOB_JOIN] != NULL);
	assert_int_equal(samples_by(s, "string.Concat"), 0);
	app_end(app);
}

/* Esc stops it, and :samples begins it again. */
TEST(finding_samples_is_stopped)
{
	const struct heap *h = heap_of_file(SURVIVED);
	struct screen *screen = screen_for_test(24, 80, false);
	struct allocations *a = recording_for(h);
	struct app *app = app_on_threads(h);
	struct session *s = app->session;

	app_steps(app, screen, ":samples");
	poll_while(app, app_is_busy(app));
	atomic_store(&late.is_closed, true);
	session_join(s, a);
	app_steps(app, screen, "Esc");
	assert_string_equal(app->message, "stopped finding samples in the heap; :samples starts "
					  "again");
	atomic_store(&late.is_closed, false);
	poll_while(app, app_is_busy(app));
	assert_null(s->samples);
	assert_true(app_has_text(app, screen, "stopped before it was finished; :samples"));
	app_steps(app, screen, ":samples");
	poll_while(app, !s->samples);
	poll_once(app);
	assert_true(app_has_text(app, screen, "55 of 55 samples"));
	app_end(app);
}
