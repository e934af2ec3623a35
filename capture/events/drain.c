#include "capture/events/drain.h"
#include "model/base/clock.h"
#include "model/base/thread.h"
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
	BUFFER_BYTES = 1 << 20,
	LIMIT_BYTES = 64 << 20,
	LIMIT_MIN_BYTES = 4 << 20,
	NAP_MS = 100, /* how long a stop may go unnoticed */
};

struct buffer {
	struct buffer *next;
	size_t used; /* grows while it is the last in the chain */
	uint8_t data[BUFFER_BYTES];
};

struct drain {
	pthread_mutex_t lock; /* of all below, but not of the data in buffers */
	pthread_cond_t more;  /* bytes or the end, for the decoder */
	pthread_cond_t room;  /* for the reader */
	struct buffer *first, *last, *unused;
	size_t taken; /* bytes of the first buffer that the decoder has */
	uint64_t backlog, limit;
	struct drain_facts facts;
	bool is_discarding, is_stopping, is_running;
	int fd, keep, keep_errnum;
	pthread_t thread;
};

struct drain *
drain_new(uint64_t limit_bytes, struct error *err)
{
	struct drain *d = memory_new(1, sizeof(*d), err);

	if (!d)
		return NULL;
	d->fd = d->keep = -1;
	d->limit = limit_bytes ? limit_bytes : LIMIT_BYTES;
	if (d->limit < LIMIT_MIN_BYTES)
		d->limit = LIMIT_MIN_BYTES;
	pthread_mutex_init(&d->lock, NULL);
	pthread_cond_init(&d->more, NULL);
	pthread_cond_init(&d->room, NULL);
	return d;
}

/* ---- the reader ---------------------------------------------------------- */

/* Appends an empty buffer; NULL if there is no memory. */
static struct buffer *
buffer_add(struct drain *d)
{
	struct buffer *b = d->unused;
	struct error ignored;

	if (b) {
		d->unused = b->next;
	} else {
		error_clear(&ignored);
		/* Not zeroed: untouched pages cost nothing. */
		b = memory_resize(NULL, 1, sizeof(*b), &ignored);
		if (!b)
			return NULL;
	}
	b->next = NULL;
	b->used = 0;
	if (d->last)
		d->last->next = b;
	else
		d->first = b;
	d->last = b;
	return b;
}

/*
 * The buffer for the next bytes. At the limit, or without memory, waits for the decoder to return a
 * buffer; NULL: stop.
 */
static struct buffer *
buffer_for_reading(struct drain *d)
{
	struct buffer *b = d->last;
	bool has_waited = false;

	while (!d->is_stopping) {
		if (b && b == d->last && b->used < BUFFER_BYTES)
			return b;
		if (d->backlog < d->limit) {
			b = buffer_add(d);
			if (b)
				return b;
		}
		if (!has_waited)
			d->facts.waits_count++;
		has_waited = true;
		pthread_cond_wait(&d->room, &d->lock);
		b = d->last;
	}
	return NULL;
}

/* Returns 0 at the end of the stream or at a stop. */
static size_t
read_some(struct drain *d, uint8_t *to, size_t len, int *errnum)
{
	struct pollfd p = { .fd = d->fd, .events = POLLIN };
	bool is_stopping = false;
	ssize_t got;

	while (!is_stopping) {
		got = recv(d->fd, to, len, MSG_DONTWAIT);
		if (got >= 0)
			return (size_t)got;
		if (errno != EAGAIN && errno != EINTR) {
			*errnum = errno == ECONNRESET ? 0 : errno;
			return 0;
		}
		poll(&p, 1, NAP_MS);
		pthread_mutex_lock(&d->lock);
		is_stopping = d->is_stopping;
		pthread_mutex_unlock(&d->lock);
	}
	return 0;
}

static void
count_bytes(struct drain *d, struct buffer *b, size_t got)
{
	d->facts.last_ns = clock_ns();
	d->facts.bytes += got;
	if (d->is_discarding)
		return; /* the empty buffer is reused */
	b->used += got;
	d->backlog += got;
	if (d->backlog > d->facts.backlog_peak)
		d->facts.backlog_peak = d->backlog;
	pthread_cond_signal(&d->more);
}

static void *
read_all(void *argument)
{
	struct drain *d = argument;
	struct buffer *b;
	size_t got = 1;
	int errnum = 0;

	pthread_mutex_lock(&d->lock);
	while (got && (b = buffer_for_reading(d)) != NULL) {
		size_t used = b->used;

		pthread_mutex_unlock(&d->lock);
		got = read_some(d, b->data + used, BUFFER_BYTES - used, &errnum);
		pthread_mutex_lock(&d->lock);
		if (got)
			count_bytes(d, b, got);
	}
	d->facts.has_ended = true;
	d->facts.errnum = errnum;
	pthread_cond_broadcast(&d->more);
	pthread_mutex_unlock(&d->lock);
	return NULL;
}

bool
drain_start(struct drain *d, int fd, int keep, struct error *err)
{
	int errnum;

	d->fd = fd;
	d->keep = keep;
	errnum = thread_start(&d->thread, read_all, d);
	d->is_running = !errnum;
	return d->is_running || error_sys(err, errnum, "cannot start a thread");
}

/* ---- the decoder --------------------------------------------------------- */

/* Recycles the first buffer once the decoder has taken all of it. */
static void
release_taken(struct drain *d)
{
	struct buffer *b = d->first;

	if (!b || d->taken < BUFFER_BYTES)
		return;
	d->first = b->next;
	if (!d->first)
		d->last = NULL;
	b->next = d->unused;
	d->unused = b;
	d->taken = 0;
	pthread_cond_signal(&d->room);
}

static void
keep_bytes(struct drain *d, const uint8_t *data, size_t len)
{
	while (len && d->keep >= 0 && !d->keep_errnum) {
		ssize_t n = write(d->keep, data, len);

		if (n < 0 && errno != EINTR) {
			pthread_mutex_lock(&d->lock);
			d->keep_errnum = errno;
			pthread_mutex_unlock(&d->lock);
		}
		if (n > 0) {
			data += n;
			len -= (size_t)n;
		}
	}
}

static bool
next_bytes(void *context, const uint8_t **data, size_t *len, struct error *err)
{
	struct drain *d = context;

	(void)err; /* a stream that breaks off counts as ended */
	pthread_mutex_lock(&d->lock);
	release_taken(d);
	while (!d->is_discarding && !d->facts.has_ended &&
	       (!d->first || d->first->used == d->taken))
		pthread_cond_wait(&d->more, &d->lock);
	*data = NULL;
	*len = 0;
	if (!d->is_discarding && d->first) {
		*data = d->first->data + d->taken;
		*len = d->first->used - d->taken;
		d->taken += *len;
		d->backlog -= *len;
	}
	pthread_mutex_unlock(&d->lock);
	keep_bytes(d, *data, *len);
	return true;
}

struct nettrace_input
drain_input(struct drain *d)
{
	return (struct nettrace_input){ .next = next_bytes, .context = d };
}

/* ---- from any thread ----------------------------------------------------- */

void
drain_facts(struct drain *d, struct drain_facts *facts)
{
	pthread_mutex_lock(&d->lock);
	*facts = d->facts;
	pthread_mutex_unlock(&d->lock);
}

int
drain_keep_errnum(struct drain *d)
{
	int errnum;

	pthread_mutex_lock(&d->lock);
	errnum = d->keep_errnum;
	pthread_mutex_unlock(&d->lock);
	return errnum;
}

void
drain_discard(struct drain *d)
{
	pthread_mutex_lock(&d->lock);
	d->is_discarding = true;
	/* It will not be taken, so it must not block the reader. */
	d->backlog = 0;
	pthread_cond_broadcast(&d->more);
	pthread_cond_broadcast(&d->room);
	pthread_mutex_unlock(&d->lock);
}

static void
free_chain(struct buffer *b)
{
	while (b) {
		struct buffer *next = b->next;

		memory_free(b);
		b = next;
	}
}

void
drain_free(struct drain *d)
{
	if (!d)
		return;
	pthread_mutex_lock(&d->lock);
	d->is_stopping = true;
	pthread_cond_broadcast(&d->room);
	pthread_mutex_unlock(&d->lock);
	if (d->is_running)
		pthread_join(d->thread, NULL);
	free_chain(d->first);
	free_chain(d->unused);
	pthread_cond_destroy(&d->room);
	pthread_cond_destroy(&d->more);
	pthread_mutex_destroy(&d->lock);
	memory_free(d);
}
