#include "tui/cli/gc_batch.h"
#include "model/gc/text.h"
#include "tui/cli/batch.h"
#include "tui/session/gcs.h"
#include "tui/term/signals.h"
#include <errno.h>
#include <poll.h>

static void
wake(void *context)
{
	(void)context;
	signals_wake();
}

/* Prints the collections that have arrived. False: no more are wanted. */
static bool
print_new(struct gcs *g, struct gc_lines *lines)
{
	struct gc_record r;
	bool wants_more = true;

	while (wants_more && gc_feed_next(&g->feed, &r)) {
		wants_more = gc_lines_take(lines, &r);
		gc_record_clear(&r);
	}
	return wants_more;
}

/* Handles signals. False: stop watching; ^C is the ordinary way to do that. */
static bool
handle_signals(unsigned events)
{
	if (events & EVENT_SUSPEND)
		signals_stop_here();
	return !(events & (EVENT_INTERRUPT | EVENT_QUIT));
}

/*
 * Waits for collections or signals. False: the reader of the pipe has left, which is noticed even
 * if there is nothing to write.
 */
static bool
wait_for_events(const struct gc_lines *lines, bool wants_more)
{
	struct pollfd fds[2] = {
		{ .fd = signals_fd(), .events = POLLIN },
		{ .fd = wants_more ? fileno(lines->to) : -1 },
	};

	while (poll(fds, 2, -1) < 0 && errno == EINTR)
		;
	return !(fds[1].revents & (POLLERR | POLLNVAL));
}

/* Prints collections until the watching thread has ended. */
static void
print_until_end(struct gcs *g, struct gc_lines *lines)
{
	bool wants_more = true;

	for (;;) {
		/* Ask first, so that collections before the end are printed. */
		bool is_over = job_is_done(g->job);

		wants_more = wants_more && print_new(g, lines);
		if (is_over)
			return;
		if (!wants_more) {
			gcs_cancel(g);
			gc_feed_abandon(&g->feed);
		}
		if (!wait_for_events(lines, wants_more)) {
			lines->errnum = lines->errnum ? lines->errnum : EPIPE;
			wants_more = false;
		}
		if (!handle_signals(signals_take()))
			wants_more = false;
	}
}

static int
exit_code(const struct gcs *g, const struct gc_lines *lines)
{
	const struct gc_summary *s = &lines->log.summary;

	/* Cancelled before it began, or because the reader left. */
	if (g->err.kind == ERROR_CANCELLED)
		return lines->errnum == EPIPE ? EXIT_OK : EXIT_INTERRUPTED;
	if (g->err.kind != ERROR_NONE)
		return g->from->is_live ? EXIT_ATTACH : exit_code_of_load(&g->err);
	if (s->totals.lost_events || s->dropped || (!g->from->is_live && g->facts.is_cut) ||
	    gc_summary_is_absent(s))
		return EXIT_INCOMPLETE;
	return s->count || g->from->is_live ? EXIT_OK : EXIT_NOTHING;
}

int
gc_batch_run(const struct loader *from, struct gc_lines *lines, struct error *err)
{
	struct waker waker = { wake, NULL };
	struct gcs *g;
	int code;

	if (!signals_open(err))
		return EXIT_FAILED;
	g = gcs_new(from, waker, err);
	if (!g) {
		signals_close();
		return EXIT_FAILED;
	}
	print_until_end(g, lines);
	gcs_poll(g);
	gc_feed_totals(&g->feed, &lines->log.summary.totals, &lines->log.summary.dropped);
	code = exit_code(g, lines);
	if (g->err.kind == ERROR_NONE)
		gc_lines_sum_up(lines->notes, &lines->log.summary, &g->facts);
	else
		*err = g->err;
	gcs_free(g);
	signals_close();
	/* The cancellation follows from the failed write. */
	if (lines->errnum)
		error_clear(err);
	if (lines->errnum && lines->errnum != EPIPE) {
		error_clear(err);
		error_sys(err, lines->errnum, "cannot write to the standard output");
		code = EXIT_FAILED;
	}
	return code;
}
