#include "tui/term/tty.h"
#include "model/base/clock.h"
#include "tui/term/signals.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

FILE *
tty_open(int standard, const char *mode)
{
	int fd = isatty(standard) ? dup(standard) : open("/dev/tty", O_RDWR | O_NOCTTY);
	FILE *stream = fd >= 0 ? fdopen(fd, mode) : NULL;

	if (fd >= 0)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
	if (fd >= 0 && !stream)
		close(fd);
	return stream;
}

static int64_t
now_ms(void)
{
	return clock_ns() / 1000000;
}

int64_t
tty_deadline(int timeout_ms)
{
	return timeout_ms < 0 ? -1 : now_ms() + timeout_ms;
}

bool
tty_is_over(int64_t deadline)
{
	return deadline >= 0 && now_ms() >= deadline;
}

bool
tty_wait(int fd, int64_t deadline, unsigned *events)
{
	struct pollfd fds[2] = {
		{ .fd = fd, .events = POLLIN },
		{ .fd = signals_fd(), .events = POLLIN },
	};
	int64_t left = deadline - now_ms();
	int available = 0;

	if (deadline < 0)
		left = -1;
	else if (left < 0)
		left = 0;
	if (poll(fds, 2, left > INT32_MAX ? INT32_MAX : (int)left) < 0)
		return errno == EINTR || errno == EAGAIN;
	if (fds[1].revents)
		*events |= signals_take();
	if (fds[0].revents & (POLLHUP | POLLERR | POLLNVAL))
		return false;
	/* Readable without data means end of file. */
	return !(fds[0].revents & POLLIN) || ioctl(fd, FIONREAD, &available) < 0 || available > 0;
}

bool
tty_has_input(int fd)
{
	struct pollfd input = { .fd = fd, .events = POLLIN };

	return poll(&input, 1, 0) > 0;
}

bool
tty_wait_rest(int fd, int wait_ms, unsigned *events)
{
	static const unsigned stops = EVENT_QUIT | EVENT_INTERRUPT | EVENT_SUSPEND;
	int64_t deadline = tty_deadline(wait_ms);

	do {
		if (!tty_wait(fd, deadline, events))
			return false;
		if (tty_has_input(fd))
			return true;
	} while (!(*events & stops) && !tty_is_over(deadline));
	return false;
}
