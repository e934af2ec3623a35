#define _GNU_SOURCE /* SO_PEERCRED, accept4() */
#include "capture/events/ipc.h"
#include "capture/events/port_file.h"
#include "model/base/clock.h"
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum {
	COMMAND_MS = 20000, /* the target may get 1 % of the CPU */
	GREETING_MS = 2000, /* for the first bytes on a reversed port */
	LOOK_UP_MS = 50,    /* how long cancelling may go unnoticed */
};

/* ---- time --------------------------------------------------------------- */

int64_t
ipc_now_ms(void)
{
	return clock_ns() / 1000000;
}

static int
left_ms(int64_t deadline)
{
	int64_t left = deadline - ipc_now_ms();

	return left > 0 ? (int)left : 0;
}

/* Returns 1 when `fd` is ready, 0 after `timeout_ms`, -1 if cancelled. */
static int
ipc_wait(const struct ipc *ipc, int fd, short events, int timeout_ms)
{
	int64_t deadline = ipc_now_ms() + timeout_ms;
	int left = timeout_ms;

	do {
		struct pollfd p = { .fd = fd, .events = events };
		int slice = left < LOOK_UP_MS ? left : LOOK_UP_MS;

		if (progress_is_cancelled(ipc->progress))
			return -1;
		if (poll(&p, 1, slice) > 0)
			return 1;
		left = left_ms(deadline);
	} while (left > 0);
	return 0;
}

/* Reports both a time-out and cancelling in `err`. */
bool
ipc_wait_for(const struct ipc *ipc, int fd, short events, int64_t deadline, struct error *err)
{
	int ready = ipc_wait(ipc, fd, events, left_ms(deadline));

	if (ready < 0)
		return error_cancelled(err);
	if (!ready)
		return error_set(
		    err, ERROR_ATTACH,
		    "%s did not answer in time: it hangs, or another tool keeps its diagnostics "
		    "busy; try again later, or read its memory with -m",
		    ipc->who);
	return true;
}

/* ---- bytes -------------------------------------------------------------- */

static bool
fail_sys(const struct ipc *ipc, int errnum, const char *what, struct error *err)
{
	error_sys(err, errnum, "cannot %s %s", what, ipc->who);
	if (err->kind == ERROR_SYSTEM)
		err->kind = ERROR_ATTACH;
	return false;
}

bool
ipc_send_all(const struct ipc *ipc, int fd, const struct message *m, struct error *err)
{
	int64_t deadline = ipc_now_ms() + ipc->timeout_ms;
	size_t sent = 0;

	while (sent < m->len) {
		ssize_t n = send(fd, m->data + sent, m->len - sent, MSG_NOSIGNAL);

		if (n > 0)
			sent += (size_t)n;
		else if (errno != EAGAIN && errno != EINTR)
			return fail_sys(ipc, errno, "send a command to", err);
		else if (!ipc_wait_for(ipc, fd, POLLOUT, deadline, err))
			return false;
	}
	return true;
}

static bool
fail_closed(const struct ipc *ipc, struct error *err)
{
	return error_set(err, ERROR_ATTACH,
			 "%s closed the connection before its answer was "
			 "complete: it may be ending",
			 ipc->who);
}

/* Receives at most `len` bytes; *got 0 if there are none yet. */
bool
ipc_receive_some(const struct ipc *ipc, int fd, uint8_t *to, size_t len, size_t *got,
		 struct error *err)
{
	ssize_t n = recv(fd, to, len, 0);

	*got = n > 0 ? (size_t)n : 0;
	if (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)))
		return true;
	if (n < 0 && errno != ECONNRESET)
		return fail_sys(ipc, errno, "read the answer of", err);
	return fail_closed(ipc, err);
}

static bool
receive_all(const struct ipc *ipc, int fd, uint8_t *to, size_t len, int64_t deadline,
	    struct error *err)
{
	size_t at = 0, got;

	while (at < len) {
		if (!ipc_wait_for(ipc, fd, POLLIN, deadline, err) ||
		    !ipc_receive_some(ipc, fd, to + at, len - at, &got, err))
			return false;
		at += got;
	}
	return true;
}

/* ---- connections -------------------------------------------------------- */

static bool
fail_connect(const struct ipc *ipc, int errnum, struct error *err)
{
	const char *name = ipc->endpoint.name;

	if (errnum == ECONNREFUSED)
		return error_set(err, ERROR_ATTACH,
				 "no process listens at %s: %s is ending, or died", name, ipc->who);
	if (errnum == EAGAIN)
		return error_set(
		    err, ERROR_ATTACH,
		    "too many tools are already waiting for %s; stop them, or try again later",
		    ipc->who);
	if (errnum == ENOENT)
		return error_set(
		    err, ERROR_ATTACH,
		    "%s of %s is gone: the process has ended, or a cleaner of temporary files "
		    "removed it",
		    name, ipc->who);
	return fail_sys(ipc, errnum, "connect to", err);
}

/*
 * Makes sure that the target listens there, and not a process that put its own socket in its place.
 * The kernel records the listener's pid. A listener in a pid namespace that is not visible here has
 * 0, and is another process: the target's pid is visible.
 */
static bool
is_target(const struct ipc *ipc, int fd)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) && peer.pid > 0 &&
	       peer.pid == ipc->peer_pid;
}

static int
connect_socket(const struct ipc *ipc, struct error *err)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	/* Through the open folder, as the full path may be too long. */
	if (snprintf(address.sun_path, sizeof(address.sun_path), "/proc/self/fd/%d/%s",
		     ipc->endpoint.folder, ipc->endpoint.name) >= (int)sizeof(address.sun_path)) {
		fail_sys(ipc, ENAMETOOLONG, "connect to", err);
	} else if (fd < 0) {
		fail_sys(ipc, errno, "connect to", err);
	} else if (connect(fd, (struct sockaddr *)&address, sizeof(address))) {
		fail_connect(ipc, errno, err);
	} else if (!is_target(ipc, fd)) {
		error_set(err, ERROR_ATTACH, "a process other than %s listens at its socket %s",
			  ipc->who, ipc->endpoint.name);
	} else {
		return fd;
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Accepts a connection on the reversed port; -1 if it is another runtime's. */
static int
accept_runtime(struct ipc *ipc, struct error *err)
{
	uint8_t data[MESSAGE_ADVERTISE_BYTES];
	struct advertise who;
	struct ucred peer;
	socklen_t peer_len = sizeof(peer);
	struct error ignored;
	int fd = accept4(ipc->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0) {
		if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
			fail_sys(ipc, errno, "accept", err);
		return -1;
	}
	error_clear(&ignored);
	if (!receive_all(ipc, fd, data, sizeof(data), ipc_now_ms() + GREETING_MS, &ignored) ||
	    !advertise_read(&who, data) ||
	    (ipc->knows_runtime &&
	     memcmp(who.cookie, ipc->runtime.cookie, sizeof(who.cookie)) != 0)) {
		close(fd);
		return -1;
	}
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &peer_len) || peer.pid <= 0) {
		close(fd);
		error_set(err, ERROR_ATTACH,
			  "the program that connected to %s cannot be seen from here; run heaptop "
			  "in its container, or on the host",
			  ipc->who);
		return -1;
	}
	ipc->peer_pid = peer.pid;
	ipc->runtime = who;
	ipc->knows_runtime = true;
	return fd;
}

/* Is the peer still connected? It sends nothing before our command. */
static bool
is_open(int fd)
{
	uint8_t byte;
	ssize_t n = recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);

	return n < 0 && (errno == EAGAIN || errno == EINTR);
}

int
ipc_reserve_turn(const struct ipc *ipc, struct error *err)
{
	return connect_socket(ipc, err);
}

/* Returns the newest connection that the runtime has made. */
static int
connect_reversed(struct ipc *ipc, int timeout_ms, struct error *err)
{
	int64_t deadline = ipc_now_ms() + timeout_ms;
	int fd = ipc->waiting;

	ipc->waiting = -1;
	if (fd >= 0 && is_open(fd))
		return fd;
	if (fd >= 0)
		close(fd);
	while (err->kind == ERROR_NONE) {
		if (!ipc_wait_for(ipc, ipc->listener, POLLIN, deadline, err))
			return -1;
		fd = accept_runtime(ipc, err);
		if (fd >= 0)
			return fd;
	}
	return -1;
}

/* Sends one command and returns its connection for the answer. */
int
ipc_send_command(struct ipc *ipc, const struct message *m, struct error *err)
{
	int fd = ipc->listener < 0 ? connect_socket(ipc, err)
				   : connect_reversed(ipc, ipc->timeout_ms, err);

	if (fd >= 0 && !ipc_send_all(ipc, fd, m, err)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* ---- answers ------------------------------------------------------------ */

/* Names the process in front of a message about its answer. */
bool
ipc_fail_answer(const struct ipc *ipc, const struct error *why, struct error *err)
{
	return error_set(err, ERROR_ATTACH, "%s: %s", ipc->who, why->message);
}

bool
ipc_fail_refused(const struct ipc *ipc, uint32_t reason, struct error *err)
{
	return error_set(err, ERROR_ATTACH, "%s refuses: %s (0x%08" PRIx32 ")", ipc->who,
			 message_reason_text(reason), reason);
}

bool
ipc_receive_answer(const struct ipc *ipc, int fd, struct ipc_answer *a, struct error *err)
{
	int64_t deadline = ipc_now_ms() + ipc->timeout_ms;
	uint8_t head[MESSAGE_HEADER_BYTES];
	struct error why;
	struct reply reply;

	error_clear(&why);
	if (!receive_all(ipc, fd, head, sizeof(head), deadline, err))
		return false;
	if (!reply_read(&reply, head, &why))
		return ipc_fail_answer(ipc, &why, err);
	if (!receive_all(ipc, fd, a->payload, reply.payload_size, deadline, err))
		return false;
	a->is_done = reply.is_done;
	a->payload_len = reply.payload_size;
	a->reason = a->payload_len >= 4 ? bytes_load_u32(a->payload) : 0;
	return true;
}

/* False without an answer; a refusal is one. */
static bool
ask(struct ipc *ipc, const struct message *m, struct ipc_answer *a, struct error *err)
{
	int fd = ipc_send_command(ipc, m, err);
	bool is_answered;

	if (fd < 0)
		return false;
	is_answered = ipc_receive_answer(ipc, fd, a, err);
	close(fd);
	return is_answered;
}

/* ---- commands ----------------------------------------------------------- */

bool
ipc_process_info(struct ipc *ipc, struct runtime_info *info, struct error *err)
{
	/* A runtime at startup fails on the newer versions. */
	unsigned version = ipc->listener < 0 ? 3 : 1;
	struct ipc_answer a;
	struct message m;
	struct error why;

	for (; version > 0; version--) {
		message_process_info(&m, version);
		if (!ask(ipc, &m, &a, err))
			return false;
		if (a.is_done || a.reason != REASON_UNKNOWN_COMMAND)
			break;
	}
	if (!version) {
		/* .NET Core 3 knows no version, but has sessions. */
		*info = (struct runtime_info){ 0 };
		return true;
	}
	if (!a.is_done)
		return ipc_fail_refused(ipc, a.reason, err);
	error_clear(&why);
	return runtime_info_read(info, version, a.payload, a.payload_len, &why) ||
	       ipc_fail_answer(ipc, &why, err);
}

bool
ipc_resume(struct ipc *ipc, struct error *err)
{
	struct ipc_answer a;
	struct message m;

	message_resume(&m);
	if (!ask(ipc, &m, &a, err))
		return false;
	return a.is_done || a.reason == REASON_UNKNOWN_COMMAND ||
	       ipc_fail_refused(ipc, a.reason, err);
}

/* ---- opening and closing ------------------------------------------------ */

bool
ipc_open(struct ipc *ipc, const struct process *p, const char *proc, struct progress *progress,
	 struct error *err)
{
	*ipc = (struct ipc){ .listener = -1,
			     .waiting = -1,
			     .peer_pid = p->pid,
			     .timeout_ms = COMMAND_MS,
			     .progress = progress };
	snprintf(ipc->who, sizeof(ipc->who), "process %" PRId32 " (%s)", p->pid, p->name);
	return endpoint_open(&ipc->endpoint, p, proc, err);
}

/* Removes an unused socket; fails on anything else. */
static bool
remove_stale(const char *path, struct error *err)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct stat st;
	bool is_used;
	int fd;

	if (lstat(path, &st))
		return true;
	if (!S_ISSOCK(st.st_mode))
		return error_set(err, ERROR_USAGE, "%s already exists and is not a socket", path);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	is_used = fd >= 0 && (!connect(fd, (struct sockaddr *)&address, sizeof(address)) ||
			      errno != ECONNREFUSED);
	if (fd >= 0)
		close(fd);
	if (is_used)
		return error_set(err, ERROR_USAGE, "another process already listens at %s", path);
	unlink(path);
	return true;
}

static bool
bind_listener(struct ipc *ipc, struct error *err)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int errnum;

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", ipc->path);
	/* Only its owner may connect, from the first moment on. */
	if (fd >= 0 && !fchmod(fd, 0600) &&
	    !bind(fd, (struct sockaddr *)&address, sizeof(address)) && !chmod(ipc->path, 0600) &&
	    !listen(fd, 16)) {
		ipc->listener = fd;
		port_file_guard(ipc->path);
		return true;
	}
	errnum = errno;
	if (fd >= 0)
		close(fd);
	ipc->path[0] = '\0';
	return error_sys(err, errnum, "cannot listen at %s", address.sun_path);
}

bool
ipc_listen(struct ipc *ipc, const char *path, struct progress *progress, struct error *err)
{
	enum { FIRST_MS = 30000 };

	*ipc = (struct ipc){ .endpoint.folder = -1,
			     .listener = -1,
			     .waiting = -1,
			     .timeout_ms = COMMAND_MS,
			     .progress = progress };
	snprintf(ipc->who, sizeof(ipc->who), "the runtime at %.60s", path);
	if (strlen(path) >= sizeof(ipc->path))
		return error_set(err, ERROR_USAGE,
				 "the path of a socket may have at most %zu characters",
				 sizeof(ipc->path) - 1);
	if (!remove_stale(path, err))
		return false;
	snprintf(ipc->path, sizeof(ipc->path), "%s", path);
	if (!bind_listener(ipc, err))
		return false;
	ipc->waiting = connect_reversed(ipc, FIRST_MS, err);
	if (ipc->waiting >= 0)
		return true;
	if (err->kind == ERROR_ATTACH) {
		error_clear(err);
		error_set(err, ERROR_ATTACH,
			  "no .NET runtime connects to %.100s; start one with "
			  "DOTNET_DiagnosticPorts=%.60s",
			  path, path);
	}
	ipc_close(ipc);
	return false;
}

void
ipc_close(struct ipc *ipc)
{
	endpoint_close(&ipc->endpoint);
	if (ipc->waiting >= 0)
		close(ipc->waiting);
	if (ipc->listener >= 0) {
		close(ipc->listener);
		port_file_remove();
	}
	ipc->waiting = ipc->listener = -1;
}
