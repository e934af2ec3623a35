#include "capture/remote/link.h"
#include "model/base/arena.h"
#include "model/base/thread.h"
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	ANSWERS_MAX = 16,
	PULSE_MS = 5000,
	SEND_MS = 10000, /* for a question to find room */
	/* The same if it wants no answer: the screen may be waiting. */
	SEND_QUICK_MS = 200,
	/* The agent reports on a question ten times a second. */
	SILENT_MS = 60000,
	STOPPED_MS = 5000, /* of silence, once it was asked to stop */
};

struct answer {
	struct link *link;
	uint32_t channel;
	int theirs, ours; /* a pair of sockets: written and read */
	int silent_ms, silent_max_ms;
	struct frame frame;
};

struct link {
	struct carrier carrier;
	pthread_t reader, pulse;
	bool has_reader, has_pulse;
	int pulse_ends[2]; /* closing the second ends `pulse` */
	pthread_mutex_t writing;
	pthread_mutex_t lock; /* of what follows */
	struct answer *answers[ANSWERS_MAX];
	struct answer *handing; /* to which the reader writes, or NULL */
	pthread_cond_t has_handed;
	uint32_t last_channel;
	bool is_dead;
	struct error why; /* if it is dead */
	struct frame frame;
};

/* --- the thread that reads ------------------------------------------------ */

/* Returns the answer of that channel, which then stays until handed_out(). */
static struct answer *
begin_handing(struct link *l, uint32_t channel)
{
	pthread_mutex_lock(&l->lock);
	for (size_t i = 0; i < ANSWERS_MAX; i++)
		if (l->answers[i] && l->answers[i]->channel == channel)
			l->handing = l->answers[i];
	pthread_mutex_unlock(&l->lock);
	return l->handing;
}

static void
handed_out(struct link *l)
{
	pthread_mutex_lock(&l->lock);
	l->handing = NULL;
	pthread_cond_broadcast(&l->has_handed);
	pthread_mutex_unlock(&l->lock);
}

/* Without the lock: the thread that reads this answer may be asking something else. answer_free()
   makes a write fail that waits. */
static void
hand_out(struct link *l, const struct frame *f)
{
	struct answer *a = begin_handing(l, f->channel);

	if (a)
		frame_write(a->theirs, f->channel, (enum frame_kind)f->kind, f->bytes, f->len);
	handed_out(l);
}

static void
die(struct link *l, const struct error *why)
{
	pthread_mutex_lock(&l->lock);
	l->is_dead = true;
	l->why = *why;
	for (size_t i = 0; i < ANSWERS_MAX; i++)
		if (l->answers[i])
			shutdown(l->answers[i]->theirs, SHUT_WR);
	pthread_mutex_unlock(&l->lock);
}

static struct frame_source
source_of(struct link *l)
{
	return (struct frame_source){ l->carrier.in, carrier_wait, &l->carrier };
}

static void *
read_all(void *context)
{
	struct link *l = context;
	const struct frame_source from = source_of(l);
	struct error err;

	error_clear(&err);
	while (frame_read(&from, &l->frame, &err))
		hand_out(l, &l->frame);
	if (err.kind == ERROR_NONE)
		carrier_fail(&l->carrier, &err);
	die(l, &err);
	return NULL;
}

/* --- the thread that shows the agent that we are there ---------------------
 */

/* If a question is just being sent, or there is no room, the agent has bytes to read anyway. */
static void
send_nothing(struct link *l)
{
	if (pthread_mutex_trylock(&l->writing))
		return;
	/* The reader finds out what has failed. */
	if (frame_has_room(l->carrier.out, 0))
		(void)frame_write(l->carrier.out, 0, ASK_NOTHING, NULL, 0);
	pthread_mutex_unlock(&l->writing);
}

static void *
send_pulse(void *context)
{
	struct link *l = context;
	struct pollfd p = { .fd = l->pulse_ends[0], .events = POLLIN };

	while (poll(&p, 1, PULSE_MS) <= 0)
		send_nothing(l);
	return NULL;
}

static void
close_end(int *end)
{
	if (*end >= 0)
		close(*end);
	*end = -1;
}

static void
end_pulse(struct link *l)
{
	close_end(&l->pulse_ends[1]);
	if (l->has_pulse)
		pthread_join(l->pulse, NULL);
	l->has_pulse = false;
	close_end(&l->pulse_ends[0]);
}

/* --- life ----------------------------------------------------------------- */

static bool
receive_hello(struct link *l, const char *version, struct error *err)
{
	const struct frame_source from = source_of(l);
	struct frame *f = &l->frame;

	if (!frame_read(&from, f, err))
		return err->kind == ERROR_NONE && carrier_fail(&l->carrier, err);
	if (f->kind == SAY_HELLO && f->len == strlen(version) && !memcmp(f->bytes, version, f->len))
		return true;
	return error_set(err, ERROR_ATTACH,
			 "the heaptop that was sent to %s is of another version; install both from "
			 "one release",
			 l->carrier.label);
}

static bool
start_threads(struct link *l, struct error *err)
{
	int errnum;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, l->pulse_ends))
		return error_sys(err, errno, "cannot make a socket");
	errnum = thread_start(&l->pulse, send_pulse, l);
	l->has_pulse = !errnum;
	if (!errnum)
		errnum = thread_start(&l->reader, read_all, l);
	l->has_reader = !errnum;
	return !errnum || error_sys(err, errnum, "cannot start a thread");
}

struct link *
link_open(const struct carrier_options *options, const char *version, struct error *err)
{
	struct link *l = memory_new(1, sizeof(*l), err);

	if (!l)
		return NULL;
	l->pulse_ends[0] = l->pulse_ends[1] = -1;
	pthread_mutex_init(&l->writing, NULL);
	pthread_mutex_init(&l->lock, NULL);
	pthread_cond_init(&l->has_handed, NULL);
	if (carrier_open(&l->carrier, options, err) && receive_hello(l, version, err) &&
	    start_threads(l, err))
		return l;
	link_close(l);
	return NULL;
}

void
link_close(struct link *l)
{
	if (!l)
		return;
	end_pulse(l);
	if (l->has_reader) {
		carrier_hang_up(&l->carrier);
		pthread_join(l->reader, NULL);
	}
	carrier_close(&l->carrier);
	memory_free(l);
}

const char *
link_label(const struct link *l)
{
	return l->carrier.label;
}

/* --- questions ------------------------------------------------------------ */

enum { STEP_MS = 20 };

struct sending {
	struct link *link;
	int left_ms; /* to wait, so that no caller hangs */
};

static bool
wait_for_room(void *context)
{
	struct sending *s = context;

	for (; s->left_ms > 0; s->left_ms -= STEP_MS)
		if (frame_has_room(s->link->carrier.out, STEP_MS))
			return true;
	return false;
}

/* Another thread may hold the lock while it waits for room. */
static bool
wait_for_turn(struct sending *s)
{
	while (pthread_mutex_trylock(&s->link->writing)) {
		if (s->left_ms <= 0)
			return false;
		poll(NULL, 0, STEP_MS);
		s->left_ms -= STEP_MS;
	}
	return true;
}

static int
send_ms(const struct link *l, enum frame_kind kind)
{
	int max_ms = l->carrier.options->silent_max_ms;

	if (kind == ASK_FREE || kind == ASK_CANCEL)
		return SEND_QUICK_MS;
	return max_ms ? max_ms : SEND_MS;
}

static bool
send_frame(struct link *l, uint32_t channel, enum frame_kind kind, const void *bytes, size_t len,
	   struct error *err)
{
	struct sending sending = { l, send_ms(l, kind) };
	const struct frame_target to = { l->carrier.out, wait_for_room, &sending };
	int errnum = ETIMEDOUT;

	if (wait_for_turn(&sending)) {
		errnum = frame_send(&to, channel, kind, bytes, len);
		pthread_mutex_unlock(&l->writing);
	}
	/* The reader finds out why. */
	return !errnum || errnum == EPIPE ||
	       error_sys(err, errnum, "cannot send to %s", l->carrier.label);
}

static bool
add(struct link *l, struct answer *a, struct error *err)
{
	bool is_added = false;

	pthread_mutex_lock(&l->lock);
	a->channel = ++l->last_channel;
	for (size_t i = 0; i < ANSWERS_MAX && !is_added; i++)
		if (!l->answers[i]) {
			l->answers[i] = a;
			is_added = true;
		}
	if (l->is_dead)
		shutdown(a->theirs, SHUT_WR);
	pthread_mutex_unlock(&l->lock);
	return is_added || error_set(err, ERROR_SYSTEM, "too many questions to %s are open at once",
				     l->carrier.label);
}

struct answer *
link_ask(struct link *l, enum frame_kind kind, const struct wire_ask *ask, struct error *err)
{
	struct answer *a = memory_new(1, sizeof(*a), err);
	uint8_t bytes[WIRE_BYTES];
	int pair[2];

	if (!a)
		return NULL;
	a->link = l;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) {
		error_sys(err, errno, "cannot make a socket");
		memory_free(a);
		return NULL;
	}
	a->theirs = pair[0];
	a->ours = pair[1];
	a->silent_max_ms = SILENT_MS;
	if (add(l, a, err) &&
	    send_frame(l, a->channel, kind, bytes, wire_put(WIRE_ASK, ask, bytes), err))
		return a;
	answer_free(a);
	return NULL;
}

const struct frame *
answer_next(struct answer *a, int ms, struct error *err)
{
	const struct frame_source from = { .fd = a->ours };
	struct pollfd p = { .fd = a->ours, .events = POLLIN };
	struct link *l = a->link;

	if (poll(&p, 1, ms) <= 0) {
		a->silent_ms += ms;
		if (a->silent_ms >= a->silent_max_ms)
			error_set(err, ERROR_ATTACH,
				  "nothing has come from %s for %d s: the connection seems to be "
				  "broken",
				  l->carrier.label, a->silent_ms / 1000);
		return NULL;
	}
	a->silent_ms = 0;
	if (frame_read(&from, &a->frame, err))
		return &a->frame;
	pthread_mutex_lock(&l->lock);
	if (err->kind == ERROR_NONE)
		*err = l->why;
	pthread_mutex_unlock(&l->lock);
	return NULL;
}

void
answer_stop(struct answer *a)
{
	struct error ignored = { 0 };
	bool is_sent = send_frame(a->link, a->channel, ASK_CANCEL, NULL, 0, &ignored);

	(void)is_sent; /* if not, the connection is as good as dead */
	a->silent_max_ms = STOPPED_MS;
}

void
answer_free(struct answer *a)
{
	struct link *l;

	if (!a)
		return;
	l = a->link;
	/* Let the reader write to it no more, then forget it. */
	shutdown(a->ours, SHUT_RDWR);
	pthread_mutex_lock(&l->lock);
	for (size_t i = 0; i < ANSWERS_MAX; i++)
		if (l->answers[i] == a)
			l->answers[i] = NULL;
	while (l->handing == a)
		pthread_cond_wait(&l->has_handed, &l->lock);
	pthread_mutex_unlock(&l->lock);
	if (a->frame.kind != SAY_END)
		answer_stop(a);
	close(a->theirs);
	close(a->ours);
	memory_free(a);
}
