#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "io/base/file_parts.h"
#include "io/base/inside.h"
#include "model/base/arena.h"
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BLOCK_BYTES = 64 << 10 };

static size_t
least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static bool
is_read(const struct file_parts *f, size_t block)
{
	return f->is_read[block / 64] >> block % 64 & 1;
}

/* Returns -1 on failure. */
static int
open_again(const char *root, const char *path, struct stat *st, struct error *err)
{
	int fd = inside_open_fd(root, path);

	if (fd < 0 || fstat(fd, st)) {
		error_sys(err, errno, "cannot open %s%s", root, path);
		if (fd >= 0)
			close(fd);
		return -1;
	}
	return fd;
}

bool
file_parts_open(struct file_parts *f, const char *root, const char *path, struct error *err)
{
	struct stat st;
	int fd = open_again(root, path, &st, err);
	size_t blocks;

	*f = (struct file_parts){ 0 };
	if (fd < 0)
		return false;
	close(fd);
	if (st.st_size <= 0)
		return error_set(err, ERROR_INPUT, "%s%s is empty", root, path);
	blocks = ((size_t)st.st_size - 1) / BLOCK_BYTES + 1;
	f->is_read = memory_new(blocks / 64 + 1, sizeof(*f->is_read), err);
	if (!f->is_read)
		return false;
	f->data = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (f->data == MAP_FAILED) {
		memory_free(f->is_read);
		*f = (struct file_parts){ 0 };
		return memory_refused_by_system(err, (uint64_t)st.st_size);
	}
	f->root = root;
	f->path = path;
	f->len = (size_t)st.st_size;
	f->opened = file_stamp_of(&st);
	return true;
}

void
file_parts_close(struct file_parts *f)
{
	if (!f->data)
		return;
	munmap(f->data, f->len);
	memory_count(-(int64_t)f->read_bytes);
	memory_free(f->is_read);
	*f = (struct file_parts){ 0 };
}

static bool
read_all(int fd, uint8_t *to, size_t len, size_t at)
{
	while (len) {
		ssize_t n = pread(fd, to, len, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		to += n;
		at += (size_t)n;
		len -= (size_t)n;
	}
	return true;
}

/* Reads the blocks [first, end), none of which was read before. */
static bool
read_blocks(struct file_parts *f, size_t first, size_t end, struct error *err)
{
	size_t at = first * BLOCK_BYTES;
	size_t len = least(end * BLOCK_BYTES, f->len) - at;
	struct file_stamp stamp;
	struct stat st;
	bool is_good;
	int fd;

	fd = open_again(f->root, f->path, &st, err);
	if (fd < 0)
		return false;
	stamp = file_stamp_of(&st);
	is_good = memory_keep(len, err);
	if (is_good &&
	    !(file_stamp_is_same(&stamp, &f->opened) && read_all(fd, f->data + at, len, at))) {
		memory_count(-(int64_t)len);
		is_good = error_set(err, ERROR_INPUT, "%s has changed", f->path);
	}
	close(fd);
	if (!is_good)
		return false;
	f->read_bytes += len;
	for (size_t i = first; i < end; i++)
		f->is_read[i / 64] |= UINT64_C(1) << i % 64;
	return true;
}

const uint8_t *
file_parts_at(struct file_parts *f, uint64_t at, size_t *len, struct error *err)
{
	size_t first, end;

	if (at >= f->len || !*len)
		return NULL;
	*len = least(*len, f->len - (size_t)at);
	first = (size_t)at / BLOCK_BYTES;
	end = ((size_t)at + *len - 1) / BLOCK_BYTES + 1;
	for (size_t i = first; i < end; i++) {
		size_t unread = i;

		while (unread < end && !is_read(f, unread))
			unread++;
		if (unread == i || read_blocks(f, i, unread, err)) {
			i = unread == i ? i : unread - 1;
			continue;
		}
		if (i == first)
			return NULL;
		*len = i * BLOCK_BYTES - (size_t)at;
		break;
	}
	return f->data + at;
}
