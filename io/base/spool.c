#define _GNU_SOURCE /* memfd_create() */
#include "io/base/spool.h"
#include "model/base/arena.h"
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BUFFER_BYTES = 1 << 16, WAIT_MS = 40 };

uint64_t
spool_max_bytes(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);

	if (pages <= 0 || page <= 0)
		return INT64_MAX;
	return (uint64_t)pages * (uint64_t)page / 2;
}

bool
spool_open(struct spool *s, int from, struct error *err)
{
	*s = (struct spool){ .from = from };
	s->to = memfd_create("standard input", MFD_CLOEXEC);
	return s->to >= 0 || error_sys(err, errno, "cannot keep standard input in memory");
}

void
spool_close(struct spool *s)
{
	close(s->to);
	*s = (struct spool){ .from = -1, .to = -1 };
}

/* Writes are partial when memory runs out. */
static bool
spool_write(struct spool *s, const uint8_t *data, size_t len, struct error *err)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = pwrite(s->to, data + done, len - done, (off_t)s->len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return error_sys(err, n ? errno : ENOSPC,
					 "cannot keep standard input in memory, save it as a file");
		done += (size_t)n;
		s->len += (uint64_t)n;
	}
	return true;
}

/* Reads once, if data is ready within WAIT_MS. */
static bool
spool_step(struct spool *s, uint8_t *buffer, size_t room, struct progress *progress,
	   struct error *err)
{
	struct pollfd wait = { .fd = s->from, .events = POLLIN };
	ssize_t n;

	if (progress_is_cancelled(progress))
		return error_cancelled(err);
	if (poll(&wait, 1, WAIT_MS) == 0)
		return true;
	n = read(s->from, buffer, room);
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return true;
	if (n < 0)
		return error_sys(err, errno, "cannot read standard input");
	s->is_at_end = n == 0;
	progress_add(progress, (uint64_t)n);
	return spool_write(s, buffer, (size_t)n, err);
}

bool
spool_read(struct spool *s, uint64_t wanted, uint64_t max, struct progress *progress,
	   struct error *err)
{
	uint8_t *buffer = memory_new(BUFFER_BYTES, 1, err);
	bool is_good = buffer != NULL;

	while (is_good && !s->is_at_end && s->len < wanted) {
		uint64_t left = wanted - s->len;

		is_good =
		    spool_step(s, buffer, left < BUFFER_BYTES ? left : BUFFER_BYTES, progress, err);
		if (is_good && s->len > max)
			is_good =
			    error_set(err, ERROR_INPUT,
				      "standard input is longer than %" PRIu64
				      " MiB, the most that is kept in memory: save it as a file",
				      max >> 20);
	}
	memory_free(buffer);
	return is_good;
}
