#define _GNU_SOURCE /* mkostemp() */
#include "io/base/unpack_file.h"
#include "io/base/zstd.h"
#include "model/base/zeros.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { PAGE_BYTES = 4096 };

struct unpack_file {
	const char *path, *folder;
	int fd;
	uint64_t len;
	uint64_t written, room; /* on the disk */
};

static bool
fail(const struct unpack_file *u, int errnum, struct error *err)
{
	return error_sys(err, errnum,
			 "cannot unpack it into %.100s (set TMPDIR, or run zstd -d %.100s)",
			 u->folder, u->path);
}

static bool
write_all(struct unpack_file *u, const uint8_t *data, size_t len, struct error *err)
{
	size_t done = 0;

	if (len > u->room - u->written)
		return fail(u, ENOSPC, err);
	while (done < len) {
		ssize_t n = pwrite(u->fd, data + done, len - done, (off_t)(u->len + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return fail(u, n ? errno : ENOSPC, err);
		done += (size_t)n;
	}
	u->written += len;
	return true;
}

static bool
write_piece(void *context, const uint8_t *data, size_t len, struct error *err)
{
	struct unpack_file *u = context;

	for (size_t at = 0, some; at < len; at += some) {
		some = len - at < PAGE_BYTES ? len - at : PAGE_BYTES;
		if (some > ZSTD_MAX_BYTES - u->len)
			return fail(u, EFBIG, err);
		if (!is_all_zero(data + at, some) && !write_all(u, data + at, some, err))
			return false;
		u->len += some;
	}
	return true;
}

static bool
make_file(struct unpack_file *u, struct error *err)
{
	char name[PATH_MAX];
	struct statvfs disk;

	u->folder = getenv("TMPDIR");
	if (!u->folder || !*u->folder)
		u->folder = "/var/tmp";
	snprintf(name, sizeof(name), "%.4000s/heaptop.XXXXXX", u->folder);
	u->fd = mkostemp(name, O_CLOEXEC);
	if (u->fd < 0)
		return fail(u, errno, err);
	unlink(name);
	if (fstatvfs(u->fd, &disk))
		return fail(u, errno, err);
	u->room = (uint64_t)disk.f_bavail * disk.f_frsize / 10 * 9;
	return true;
}

static bool
unpack(struct unpack_file *u, const struct file *packed, struct file *f, struct progress *progress,
       struct error *err)
{
	bool is_cut;

	if (!make_file(u, err) ||
	    !zstd_unpack_pieces(packed->data, packed->len, write_piece, u, &is_cut, progress,
				err) ||
	    !file_is_intact(packed, err))
		return false;
	return ftruncate(u->fd, (off_t)u->len) ? fail(u, errno, err)
					       : file_open_fd(f, u->fd, u->path, err);
}

bool
unpack_file_open(struct file *f, struct input *in, struct progress *progress, struct error *err)
{
	struct unpack_file u = { .path = in->path, .fd = -1 };
	struct file packed;
	bool is_good;

	if (!input_take_file(in, f, progress, err))
		return false;
	if (!zstd_accepts(f->data, f->len))
		return true;
	packed = *f;
	*f = (struct file){ 0 };
	is_good = unpack(&u, &packed, f, progress, err);
	if (u.fd >= 0)
		close(u.fd);
	file_close(&packed);
	return is_good;
}
