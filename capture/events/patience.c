#include "capture/events/patience.h"
#include "model/base/clock.h"
#include <inttypes.h>
#include <stdio.h>

enum {
	STUCK_MS = 30000,        /* neither bytes nor CPU time in the target */
	STUCK_STOPPED_MS = 5000, /* the same, with the target stopped */
	USELESS_MS = 30000,      /* bytes, but no object of the walk */
	/* A longer gap between bytes means that the target works on a walk. */
	QUIET_MS = 1000,
	/* No events are sent while the collector marks: minutes for 100 GB. */
	SILENT_MS = 900000,
};
/* The events of a heap take at most twice its size; this allows four times. */
enum { STREAM_FACTOR = 8 };
#define STREAM_BYTES_MORE (UINT64_C(256) << 20)

void
patience_begin(struct patience *p, uint64_t private_bytes)
{
	int64_t now = clock_ns();

	*p = (struct patience){
		.looked_ns = now, .moved_ns = now, .bytes_ns = now, .private_most = private_bytes
	};
}

static void
update(struct patience *p, const struct patience_signs *now, int64_t ns)
{
	bool has_bytes = now->bytes != p->last.bytes;

	if (has_bytes)
		p->bytes_ns = ns;
	if (now->walked != p->last.walked)
		p->useless_ns = 0;
	else if (now->bytes && ns - p->bytes_ns < QUIET_MS * INT64_C(1000000))
		p->useless_ns += ns - p->looked_ns;
	if (has_bytes || now->walked != p->last.walked || now->cpu_ticks != p->last.cpu_ticks)
		p->moved_ns = ns;
	if (now->private_bytes > p->private_most)
		p->private_most = now->private_bytes;
	p->last = *now;
	p->looked_ns = ns;
}

static bool
fail_stuck(const struct patience *p, const char *who, int64_t for_ms, struct error *err)
{
	return error_set(
	    err, ERROR_ATTACH, "%s has done nothing for %" PRId64 " s%s", who, for_ms / 1000,
	    p->last.state == 'T' ? ": it is stopped; resume it with kill -CONT"
	    : p->last.state == 't'
		? ": a debugger holds it"
		: ", neither sent nor worked; another tool may keep its diagnostics busy");
}

int64_t
patience_silent_ms(const struct patience *p)
{
	return (p->looked_ns - p->bytes_ns) / 1000000;
}

/* Nothing can be taken back: the runtime waits until that thread stops. */
static bool
fail_waiting(const struct patience_signs *now, const char *who, int64_t for_ms, struct error *err)
{
	char thread[40] = "a thread does not";

	if (now->waits_for)
		snprintf(thread, sizeof(thread), "thread %" PRId32 " does not", now->waits_for);
	return error_set(err, ERROR_ATTACH,
			 "%s has stood still for %" PRId64
			 " s: its collection cannot begin before all threads stop, and %s; -m "
			 "reads its heap all the same, and -m -b threads shows such a thread as "
			 "cooperative",
			 who, for_ms / 1000, thread);
}

bool
patience_look(struct patience *p, const struct patience_signs *now, const char *who,
	      struct error *err)
{
	int64_t ns = clock_ns(), idle_ms, silent_ms;
	bool is_stopped = now->state == 'T' || now->state == 't';
	uint64_t bytes_max;

	update(p, now, ns);
	idle_ms = (ns - p->moved_ns) / 1000000;
	silent_ms = (ns - p->bytes_ns) / 1000000;
	bytes_max = p->private_most < UINT64_MAX / 2 / STREAM_FACTOR
			? p->private_most * STREAM_FACTOR + STREAM_BYTES_MORE
			: UINT64_MAX;
	if (idle_ms > (is_stopped ? STUCK_STOPPED_MS : STUCK_MS))
		return fail_stuck(p, who, idle_ms, err);
	/* Bytes may have come since its threads were compared. */
	if (now->waits && silent_ms > QUIET_MS)
		return fail_waiting(now, who, silent_ms, err);
	if (silent_ms > SILENT_MS)
		return error_set(err, ERROR_ATTACH,
				 "%s has sent nothing for %" PRId64
				 " min: its collection does not start or end",
				 who, silent_ms / 60000);
	if (p->useless_ns / 1000000 > USELESS_MS)
		return error_set(err, ERROR_ATTACH,
				 "%s has sent events for %d s, but none of them describes its heap",
				 who, USELESS_MS / 1000);
	if (now->bytes > bytes_max)
		return error_set(err, ERROR_ATTACH,
				 "%s does not stop sending events: %" PRIu64
				 " MiB so far, from a process that has %" PRIu64
				 " MiB of private memory",
				 who, now->bytes >> 20, p->private_most >> 20);
	return true;
}
