#include "capture/remote/frame.h"
#include "io/base/bytes.h"
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <sys/uio.h>
#include <unistd.h>

/* Returns the number of bytes that came before the end, or -1 with errno. */
static ssize_t
read_all(const struct frame_source *from, uint8_t *to, size_t len)
{
	size_t got = 0;

	while (got < len && (!from->wait || from->wait(from->context))) {
		ssize_t n = read(from->fd, to + got, len - got);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (!n)
			break;
		got += (size_t)n;
	}
	return (ssize_t)got;
}

static bool
receive_head(struct frame *f, const uint8_t head[FRAME_HEAD_BYTES], struct error *err)
{
	f->channel = bytes_load_u32(head);
	f->kind = bytes_load_u32(head + 4);
	f->len = bytes_load_u32(head + 8);
	return (f->kind <= SAY_END && f->len <= FRAME_MAX_BYTES) ||
	       error_set(err, ERROR_INPUT,
			 "the connection carries bytes that are not heaptop's messages");
}

bool
frame_read(const struct frame_source *from, struct frame *f, struct error *err)
{
	uint8_t head[FRAME_HEAD_BYTES];
	ssize_t got = read_all(from, head, sizeof(head));

	if (got == FRAME_HEAD_BYTES) {
		if (!receive_head(f, head, err))
			return false;
		got = read_all(from, f->bytes, f->len);
		if (got >= 0 && (size_t)got == f->len)
			return true;
	}
	if (got < 0)
		error_sys(err, errno, "cannot read from the connection");
	return false;
}

static void
store_u32(uint8_t *at, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

/* The parts of `all` from `done` on, at most `max` bytes; returns how many. */
static int
parts_from(const struct iovec all[2], size_t done, size_t max, struct iovec out[2])
{
	int count = 0;

	for (int i = 0; i < 2; i++) {
		size_t skipped = done < all[i].iov_len ? done : all[i].iov_len;
		size_t len = all[i].iov_len - skipped;

		done -= skipped;
		len = len < max ? len : max;
		max -= len;
		if (len)
			out[count++] = (struct iovec){ (uint8_t *)all[i].iov_base + skipped, len };
	}
	return count;
}

int
frame_send(const struct frame_target *to, uint32_t channel, enum frame_kind kind, const void *bytes,
	   size_t len)
{
	uint8_t head[FRAME_HEAD_BYTES];
	const struct iovec all[2] = { { head, sizeof(head) }, { (void *)(uintptr_t)bytes, len } };
	size_t done = 0, max = to->wait ? FRAME_ROOM_BYTES : SIZE_MAX;

	assert(len <= FRAME_MAX_BYTES);
	store_u32(head, channel);
	store_u32(head + 4, kind);
	store_u32(head + 8, (uint32_t)len);
	while (done < sizeof(head) + len) {
		struct iovec parts[2];
		int count = parts_from(all, done, max, parts);
		ssize_t n;

		if (to->wait && !to->wait(to->context))
			return ETIMEDOUT;
		n = writev(to->fd, parts, count);
		if (n < 0 && errno != EINTR)
			return errno;
		done += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

int
frame_write(int fd, uint32_t channel, enum frame_kind kind, const void *bytes, size_t len)
{
	const struct frame_target to = { .fd = fd };

	return frame_send(&to, channel, kind, bytes, len);
}

bool
frame_has_room(int fd, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	return poll(&p, 1, ms) > 0;
}
