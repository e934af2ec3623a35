#include "capture/process/target_lock.h"
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static socklen_t
address_of(const struct process *p, struct sockaddr_un *address)
{
	int len;

	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	len = snprintf(address->sun_path + 1, sizeof(address->sun_path) - 1,
		       "heaptop-capture-%" PRId32 "-%" PRIu64, p->pid, p->start_ticks);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)len);
}

/* False if the name is taken. */
static bool
claim_name(const struct process *p, int fd)
{
	struct sockaddr_un address;
	socklen_t len = address_of(p, &address);

	return !bind(fd, (struct sockaddr *)&address, len) || errno != EADDRINUSE;
}

int
target_lock(const struct process *p, const char *who, struct error *err)
{
	enum { TRY_MS = 10, TRIES = 50 };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	for (int i = 0; i < TRIES; i++) {
		if (fd < 0 || claim_name(p, fd))
			return fd;
		poll(NULL, 0, TRY_MS);
	}
	close(fd);
	error_set(err, ERROR_ATTACH,
		  "another heaptop is capturing the heap of %s; wait for it to end", who);
	return -1;
}

/* Connects rather than binds, which would block others that want the lock. */
bool
target_is_locked(const struct process *p)
{
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct sockaddr_un address;
	socklen_t len = address_of(p, &address);
	bool is_locked = fd >= 0 && !connect(fd, (struct sockaddr *)&address, len);

	if (fd >= 0)
		close(fd);
	return is_locked;
}
