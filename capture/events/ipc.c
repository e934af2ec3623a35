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
	COMMAND_MS = 20000, /* it may have one of a hundred turns to run */
	GREETING_MS = 2000, /* for the first bytes of who connects to us */
	LOOK_UP_MS = 50,    /* how long cancelling may go unnoticed */
	PAYLOAD_MAX = 64 * 1024,
};

/* ---- time --------------------------------------------------------------- */

static int64_t
now_ms(void)
{
	return clock_ns() / 1000000;
}

static int
left_ms(int64_t deadline)
{
	int64_t left = deadline - now_ms();

	return left > 0 ? (int)left : 0;
}

/* Until `fd` has something to read: 1; 0 after `timeout_ms`, -1 if cancelled.
 */
static int
ipc_wait(const struct ipc *ipc, int fd, short events, int timeout_ms)
{
	int64_t deadline = now_ms() + timeout_ms;
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

/* Waits, and has a sentence for both ways to wait in vain. */
static bool
wait_for(const struct ipc *ipc, int fd, short events, int64_t deadline,
	 struct error *err)
{
	int ready = ipc_wait(ipc, fd, events, left_ms(deadline));

	if (ready < 0)
		return error_cancelled(err);
	if (!ready)
		return error_set(
		    err, ERROR_ATTACH,
		    "%s did not answer in time: it hangs, or another tool "
		    "keeps its diagnostics busy; try again later",
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

static bool
send_all(const struct ipc *ipc, int fd, const struct message *m,
	 struct error *err)
{
	int64_t deadline = now_ms() + ipc->timeout_ms;
	size_t sent = 0;

	while (sent < m->len) {
		ssize_t n =
		    send(fd, m->data + sent, m->len - sent, MSG_NOSIGNAL);

		if (n > 0)
			sent += (size_t)n;
		else if (errno != EAGAIN && errno != EINTR)
			return fail_sys(ipc, errno, "send a command to", err);
		else if (!wait_for(ipc, fd, POLLOUT, deadline, err))
			return false;
	}
	return true;
}

static bool
fail_closed(const struct ipc *ipc, struct error *err)
{
	return error_set(err, ERROR_ATTACH,
			 "%s closed the connection before its answer was "
			 "complete: it is ending perhaps",
			 ipc->who);
}

/* Some bytes, at most `len`; 0 if there are none yet. */
static bool
receive_some(const struct ipc *ipc, int fd, uint8_t *to, size_t len,
	     size_t *got, struct error *err)
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
receive_all(const struct ipc *ipc, int fd, uint8_t *to, size_t len,
	    int64_t deadline, struct error *err)
{
	size_t at = 0, got;

	while (at < len) {
		if (!wait_for(ipc, fd, POLLIN, deadline, err) ||
		    !receive_some(ipc, fd, to + at, len - at, &got, err))
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
				 "nobody listens at %s: %s is ending, or died",
				 name, ipc->who);
	if (errnum == EAGAIN)
		return error_set(err, ERROR_ATTACH,
				 "too many tools wait for %s already; end "
				 "them, or try again later",
				 ipc->who);
	if (errnum == ENOENT)
		return error_set(err, ERROR_ATTACH,
				 "%s of %s is gone: it has ended, or a cleaner "
				 "of temporary files took it",
				 name, ipc->who);
	return fail_sys(ipc, errnum, "connect to", err);
}

/*
 * Is it the target that listens, and not somebody who put a socket there? The
 * kernel remembers who began to; 0: a process that we cannot see.
 */
static bool
is_target(const struct ipc *ipc, int fd)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) != 0 ||
	       peer.pid == 0 || peer.pid == ipc->peer_pid;
}

static int
connect_socket(const struct ipc *ipc, struct error *err)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	/* Through the open folder: its own path may be longer than allowed. */
	if (snprintf(address.sun_path, sizeof(address.sun_path),
		     "/proc/self/fd/%d/%s", ipc->endpoint.folder,
		     ipc->endpoint.name) >= (int)sizeof(address.sun_path)) {
		fail_sys(ipc, ENAMETOOLONG, "connect to", err);
	} else if (fd < 0) {
		fail_sys(ipc, errno, "connect to", err);
	} else if (connect(fd, (struct sockaddr *)&address, sizeof(address))) {
		fail_connect(ipc, errno, err);
	} else if (!is_target(ipc, fd)) {
		error_set(err, ERROR_ATTACH,
			  "another process than %s listens at its socket %s",
			  ipc->who, ipc->endpoint.name);
	} else {
		return fd;
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

/* A connection that somebody made to us; -1 if it is not the one we want. */
static int
accept_runtime(struct ipc *ipc, struct error *err)
{
	uint8_t data[MESSAGE_ADVERTISE_BYTES];
	struct advertise who;
	struct ucred peer;
	socklen_t peer_len = sizeof(peer);
	struct error ignored;
	int fd =
	    accept4(ipc->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0) {
		if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
			fail_sys(ipc, errno, "accept", err);
		return -1;
	}
	error_clear(&ignored);
	if (!receive_all(ipc, fd, data, sizeof(data), now_ms() + GREETING_MS,
			 &ignored) ||
	    !advertise_read(&who, data) ||
	    (ipc->knows_runtime && memcmp(who.cookie, ipc->runtime.cookie,
					  sizeof(who.cookie)) != 0)) {
		close(fd);
		return -1;
	}
	if (!getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &peer_len))
		ipc->peer_pid = peer.pid;
	ipc->runtime = who;
	ipc->knows_runtime = true;
	return fd;
}

/* Has the other end closed it meanwhile? Nothing is sent unasked. */
static bool
is_open(int fd)
{
	uint8_t byte;
	ssize_t n = recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);

	return n < 0 && (errno == EAGAIN || errno == EINTR);
}

int
ipc_take_place(const struct ipc *ipc, struct error *err)
{
	return connect_socket(ipc, err);
}

/* The newest connection that the runtime offers. */
static int
connect_reversed(struct ipc *ipc, int timeout_ms, struct error *err)
{
	int64_t deadline = now_ms() + timeout_ms;
	int fd = ipc->waiting;

	ipc->waiting = -1;
	if (fd >= 0 && is_open(fd))
		return fd;
	if (fd >= 0)
		close(fd);
	while (err->kind == ERROR_NONE) {
		if (!wait_for(ipc, ipc->listener, POLLIN, deadline, err))
			return -1;
		fd = accept_runtime(ipc, err);
		if (fd >= 0)
			return fd;
	}
	return -1;
}

/* One command: a connection, one write. Returns it for the answer. */
static int
send_command(struct ipc *ipc, const struct message *m, struct error *err)
{
	int fd = ipc->listener < 0
		     ? connect_socket(ipc, err)
		     : connect_reversed(ipc, ipc->timeout_ms, err);

	if (fd >= 0 && !send_all(ipc, fd, m, err)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* ---- answers ------------------------------------------------------------ */

struct answer {
	bool is_done;
	uint32_t reason; /* if it is not */
	uint8_t payload[PAYLOAD_MAX];
	size_t payload_len;
};

/* Names the process in a sentence about what it said. */
static bool
fail_answer(const struct ipc *ipc, const struct error *why, struct error *err)
{
	return error_set(err, ERROR_ATTACH, "%s: %s", ipc->who, why->message);
}

static bool
fail_refused(const struct ipc *ipc, uint32_t reason, struct error *err)
{
	return error_set(err, ERROR_ATTACH, "%s refuses: %s (0x%08" PRIx32 ")",
			 ipc->who, message_reason_text(reason), reason);
}

static bool
receive_answer(const struct ipc *ipc, int fd, struct answer *a,
	       struct error *err)
{
	int64_t deadline = now_ms() + ipc->timeout_ms;
	uint8_t head[MESSAGE_HEADER_BYTES];
	struct error why;
	struct reply reply;

	error_clear(&why);
	if (!receive_all(ipc, fd, head, sizeof(head), deadline, err))
		return false;
	if (!reply_read(&reply, head, &why))
		return fail_answer(ipc, &why, err);
	if (!receive_all(ipc, fd, a->payload, reply.payload_size, deadline,
			 err))
		return false;
	a->is_done = reply.is_done;
	a->payload_len = reply.payload_size;
	a->reason = a->payload_len >= 4 ? bytes_load_u32(a->payload) : 0;
	return true;
}

/* False only if there was no answer; a refusal is one. */
static bool
ask(struct ipc *ipc, const struct message *m, struct answer *a,
    struct error *err)
{
	int fd = send_command(ipc, m, err);
	bool is_answered;

	if (fd < 0)
		return false;
	is_answered = receive_answer(ipc, fd, a, err);
	close(fd);
	return is_answered;
}

/* ---- commands ----------------------------------------------------------- */

bool
ipc_process_info(struct ipc *ipc, struct runtime_info *info, struct error *err)
{
	/* One that still starts does not take the newer ones well. */
	unsigned version = ipc->listener < 0 ? 3 : 1;
	struct answer a;
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
		/* .NET Core 3 knows none of them, but takes sessions. */
		*info = (struct runtime_info){ 0 };
		return true;
	}
	if (!a.is_done)
		return fail_refused(ipc, a.reason, err);
	error_clear(&why);
	return runtime_info_read(info, version, a.payload, a.payload_len,
				 &why) ||
	       fail_answer(ipc, &why, err);
}

static const char *
receive_environment(const struct ipc *ipc, int fd, struct answer *head,
		    struct arena *a, struct error *err)
{
	uint32_t len = bytes_load_u32(head->payload);
	const char *text = NULL;
	struct error why;
	uint8_t *data;

	if (len > MESSAGE_ENVIRONMENT_MAX) {
		error_set(err, ERROR_ATTACH,
			  "%s announces an environment of %" PRIu32 " bytes",
			  ipc->who, len);
		return NULL;
	}
	data = memory_new(len + 1, 1, err);
	error_clear(&why);
	if (data &&
	    receive_all(ipc, fd, data, len, now_ms() + ipc->timeout_ms, err)) {
		text = environment_read(data, len, a, &why);
		if (!text)
			fail_answer(ipc, &why, err);
	}
	memory_free(data);
	return text;
}

const char *
ipc_environment(struct ipc *ipc, struct arena *arena, struct error *err)
{
	const char *text = NULL;
	struct answer a;
	struct message m;
	int fd;

	message_environment(&m);
	fd = send_command(ipc, &m, err);
	if (fd < 0)
		return NULL;
	if (receive_answer(ipc, fd, &a, err)) {
		if (!a.is_done)
			fail_refused(ipc, a.reason, err);
		else if (a.payload_len < 4)
			fail_closed(ipc, err);
		else
			text = receive_environment(ipc, fd, &a, arena, err);
	}
	close(fd);
	return text;
}

/* ---- sessions ----------------------------------------------------------- */

bool
tracing_ask(struct tracing *s, struct ipc *ipc,
	    const struct tracing_request *request, struct error *err)
{
	struct message m;

	*s = (struct tracing){ .stream = -1 };
	message_collect(&m, request);
	s->stream = send_command(ipc, &m, err);
	return s->stream >= 0;
}

/* What the head of the answer leads to expect: a session, or a reason. */
static bool
answer_head(struct tracing *s, const struct ipc *ipc, struct error *err)
{
	struct error why;

	error_clear(&why);
	if (!reply_read(&s->reply, s->part, &why))
		return fail_answer(ipc, &why, err);
	if (s->reply.is_done ? s->reply.payload_size == 8
			     : s->reply.payload_size >= 4)
		return true;
	return error_set(err, ERROR_ATTACH,
			 "%s: its answer to the start of a session has %" PRIu32
			 " bytes",
			 ipc->who, s->reply.payload_size);
}

static size_t
answer_wanted(const struct tracing *s)
{
	if (!s->reply.payload_size)
		return MESSAGE_HEADER_BYTES;
	return s->reply.is_done ? 8 : 4;
}

/* Exactly what belongs to the answer: the events follow without a gap. */
bool
tracing_answer(struct tracing *s, const struct ipc *ipc, struct error *err)
{
	size_t got, wanted;

	while (!s->is_granted) {
		wanted = answer_wanted(s);
		if (!receive_some(ipc, s->stream, s->part + s->part_len,
				  wanted - s->part_len, &got, err))
			return false;
		s->part_len += got;
		if (!got)
			return true;
		if (s->part_len < wanted)
			continue;
		s->part_len = 0;
		if (!s->reply.payload_size) {
			if (!answer_head(s, ipc, err))
				return false;
		} else if (s->reply.is_done) {
			s->id = bytes_load_u64(s->part);
			s->is_granted = true;
		} else {
			s->reason = bytes_load_u32(s->part);
			return fail_refused(ipc, s->reason, err);
		}
	}
	return true;
}

bool
tracing_cut(struct tracing *s, const struct ipc *ipc)
{
	struct error ignored;

	error_clear(&ignored);
	if (s->stream < 0)
		return s->is_granted;
	/* From here on it fails to send; what it has sent is here to read. */
	shutdown(s->stream, SHUT_RDWR);
	return s->is_granted ||
	       (tracing_answer(s, ipc, &ignored) && s->is_granted);
}

/* Asked for, but not to be waited for. */
static void
abandon(struct tracing *s, const struct ipc *ipc)
{
	struct ipc hasty = *ipc;
	struct error ignored;
	int fd;

	error_clear(&ignored);
	hasty.progress = NULL;
	if (ipc->listener < 0 && tracing_cut(s, ipc) &&
	    tracing_ask_stop(s, &hasty, &fd, &ignored))
		close(fd);
	tracing_close(s);
}

bool
tracing_await(struct tracing *s, struct ipc *ipc, struct error *err)
{
	int64_t deadline = now_ms() + ipc->timeout_ms;

	while (!s->is_granted)
		if (!wait_for(ipc, s->stream, POLLIN, deadline, err) ||
		    !tracing_answer(s, ipc, err)) {
			abandon(s, ipc);
			return false;
		}
	return true;
}

static bool
start_once(struct tracing *s, struct ipc *ipc,
	   const struct tracing_request *request, struct error *err)
{
	return tracing_ask(s, ipc, request, err) && tracing_await(s, ipc, err);
}

bool
tracing_start(struct tracing *s, struct ipc *ipc,
	      struct tracing_request *request, struct error *err)
{
	struct error unknown;

	for (; request->command > 2; request->command--) {
		error_clear(&unknown);
		if (start_once(s, ipc, request, &unknown))
			return true;
		if (s->reason != REASON_UNKNOWN_COMMAND) {
			*err = unknown;
			return false;
		}
	}
	return start_once(s, ipc, request, err);
}

bool
tracing_ask_stop(const struct tracing *s, struct ipc *ipc, int *fd,
		 struct error *err)
{
	struct message m;

	message_stop(&m, s->id);
	*fd = send_command(ipc, &m, err);
	return *fd >= 0;
}

bool
tracing_say_stop(const struct tracing *s, const struct ipc *ipc, int place,
		 struct error *err)
{
	struct message m;

	message_stop(&m, s->id);
	return send_all(ipc, place, &m, err);
}

bool
tracing_stopped(int fd, struct ipc *ipc, int timeout_ms, struct error *err)
{
	struct ipc patient = *ipc;
	struct answer a;
	bool is_answered;

	patient.timeout_ms = timeout_ms;
	is_answered = receive_answer(&patient, fd, &a, err);
	close(fd);
	if (is_answered && !a.is_done)
		return fail_refused(ipc, a.reason, err);
	return is_answered;
}

void
tracing_close(struct tracing *s)
{
	if (s->stream >= 0)
		close(s->stream);
	s->stream = -1;
}

/* ---- ways in ------------------------------------------------------------ */

bool
ipc_open(struct ipc *ipc, const struct process *p, const char *proc,
	 struct progress *progress, struct error *err)
{
	*ipc = (struct ipc){ .listener = -1,
			     .waiting = -1,
			     .peer_pid = p->pid,
			     .timeout_ms = COMMAND_MS,
			     .progress = progress };
	snprintf(ipc->who, sizeof(ipc->who), "process %" PRId32 " (%s)", p->pid,
		 p->name);
	return endpoint_open(&ipc->endpoint, p, proc, err);
}

/* A socket that somebody left there; anything else is not ours to remove. */
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
		return error_set(err, ERROR_USAGE,
				 "%s is there already and is no socket", path);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	is_used = fd >= 0 &&
		  (!connect(fd, (struct sockaddr *)&address, sizeof(address)) ||
		   errno != ECONNREFUSED);
	if (fd >= 0)
		close(fd);
	if (is_used)
		return error_set(err, ERROR_USAGE,
				 "somebody listens at %s already", path);
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
	/* For its owner alone, from the first moment on. */
	if (fd >= 0 && !fchmod(fd, 0600) &&
	    !bind(fd, (struct sockaddr *)&address, sizeof(address)) &&
	    !chmod(ipc->path, 0600) && !listen(fd, 16)) {
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
ipc_listen(struct ipc *ipc, const char *path, struct progress *progress,
	   struct error *err)
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
				 "the path of a socket has at most %zu "
				 "characters",
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
			  "DOTNET_DiagnosticPorts=%.60s,nosuspend",
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
