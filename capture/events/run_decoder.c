#include "capture/events/run_state.h"
#include "model/base/clock.h"
#include "model/base/thread.h"
#include <errno.h>
#include <poll.h>
#include <unistd.h>

enum {
	SHOW_MS = 150, /* between two previews of the types */
	EVENTS_A_LOOK = 64,
};

static bool
show(struct run *r, int64_t *shown_ns, struct error *err)
{
	const struct walk_report *report = walk_report(r->walk);
	uint64_t objects = report->objects_count;
	int64_t now = clock_ns();

	if (r->q.watch)
		atomic_store(&r->q.watch->objects, objects);
	atomic_store(&r->walked, objects + report->refs_count + report->roots_count);
	if (objects > r->progress_objects) {
		progress_add(r->q.progress, objects - r->progress_objects);
		r->progress_objects = objects;
	}
	if (walk_state(r->walk) == WALK_DONE)
		atomic_store(&r->is_walk_done, true);
	if (progress_is_cancelled(r->q.progress))
		return error_cancelled(err);
	if (!r->q.preview || now - *shown_ns < SHOW_MS * INT64_C(1000000))
		return true;
	*shown_ns = now;
	return walk_publish(r->walk, r->q.preview, err);
}

static bool
decode_all(struct run *r, struct error *err)
{
	struct nettrace_event event;
	int64_t shown_ns = clock_ns();
	unsigned count = 0;

	for (;;) {
		enum nettrace_item item = nettrace_next(r->trace, &event, err);

		if (item == NETTRACE_FAILED)
			return false;
		if (!walk_take(r->walk, r->trace, item, &event, err))
			return false;
		if (item == NETTRACE_END)
			return show(r, &shown_ns, err);
		/* No event may follow the end of the walk for a long time. */
		if ((++count % EVENTS_A_LOOK == 0 ||
		     (walk_state(r->walk) == WALK_DONE && !atomic_load(&r->is_walk_done))) &&
		    !show(r, &shown_ns, err))
			return false;
	}
}

static void *
decoder_main(void *argument)
{
	struct run *r = argument;
	uint64_t one = 1;

	/* The socket must be emptied even after decoding has failed. */
	if (!decode_all(r, &r->decoder_err))
		drain_discard(r->drain);
	while (write(r->decoded, &one, sizeof(one)) < 0 && errno == EINTR)
		;
	return NULL;
}

bool
run_start_decoder(struct run *r, struct error *err)
{
	int errnum;

	if (!drain_start(r->drain, r->listening.tracing.stream, r->q.keep, err))
		return false;
	r->trace = nettrace_new(drain_input(r->drain), err);
	r->walk = r->trace ? walk_new(&r->q.walk, err) : NULL;
	if (!r->walk)
		return false;
	errnum = thread_start(&r->decoder, decoder_main, r);
	r->has_decoder = !errnum;
	return r->has_decoder || error_sys(err, errnum, "cannot start a thread");
}

bool
run_is_decoded(const struct run *r)
{
	struct pollfd p = { .fd = r->decoded, .events = POLLIN };

	return r->has_decoder && poll(&p, 1, 0) > 0;
}

void
run_end_decoder(struct run *r)
{
	if (r->has_decoder)
		pthread_join(r->decoder, NULL);
	r->has_decoder = false;
}
