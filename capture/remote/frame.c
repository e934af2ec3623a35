#include "capture/remote/frame.h"
#include "io/base/bytes.h"
#include <assert.h>
#include <errno.h>
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
take_head(struct frame *f, const uint8_t head[FRAME_HEAD_BYTES],
	  struct error *err)
{
	f->channel = bytes_load_u32(head);
	f->kind = bytes_load_u32(head + 4);
	f->len = bytes_load_u32(head + 8);
	return (f->kind <= SAY_END && f->len <= FRAME_MAX_BYTES) ||
	       error_set(err, ERROR_INPUT,
			 "the connection carries something else than "
			 "heaptop's messages");
}

bool
frame_read(const struct frame_source *from, struct frame *f, struct error *err)
{
	uint8_t head[FRAME_HEAD_BYTES];
	ssize_t got = read_all(from, head, sizeof(head));

	if (!got)
		return false;
	if (got == FRAME_HEAD_BYTES) {
		if (!take_head(f, head, err))
			return false;
		got = read_all(from, f->bytes, f->len);
		if (got >= 0 && (size_t)got == f->len)
			return true;
	}
	if (got < 0)
		return error_sys(err, errno, "cannot read from the connection");
	return error_set(err, ERROR_INPUT,
			 "the connection ended within a message");
}

static void
store_u32(uint8_t *at, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

int
frame_write(int fd, uint32_t channel, enum frame_kind kind, const void *bytes,
	    size_t len)
{
	uint8_t head[FRAME_HEAD_BYTES];
	struct iovec parts[2] = { { head, sizeof(head) },
				  { (void *)(uintptr_t)bytes, len } };
	struct iovec *part = parts;

	assert(len <= FRAME_MAX_BYTES);
	store_u32(head, channel);
	store_u32(head + 4, kind);
	store_u32(head + 8, (uint32_t)len);
	while (part < parts + 2) {
		ssize_t n = writev(fd, part, (int)(parts + 2 - part));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno;
		while (part < parts + 2 && (size_t)n >= part->iov_len)
			n -= (ssize_t)part++->iov_len;
		if (part < parts + 2) {
			part->iov_base = (uint8_t *)part->iov_base + n;
			part->iov_len -= (size_t)n;
		}
	}
	return 0;
}
