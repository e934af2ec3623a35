#include "capture/events/tracing.h"
#include <inttypes.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

bool
tracing_ask(struct tracing *s, struct ipc *ipc, const struct tracing_request *request,
	    struct error *err)
{
	struct message m;

	*s = (struct tracing){ .stream = -1 };
	message_collect(&m, request);
	s->stream = ipc_send_command(ipc, &m, err);
	return s->stream >= 0;
}

/* Checks that the answer has a session id, or a reason. */
static bool
answer_head(struct tracing *s, const struct ipc *ipc, struct error *err)
{
	struct error why;

	error_clear(&why);
	if (!reply_read(&s->reply, s->part, &why))
		return ipc_fail_answer(ipc, &why, err);
	if (s->reply.is_done ? s->reply.payload_size == 8 : s->reply.payload_size >= 4)
		return true;
	return error_set(err, ERROR_ATTACH,
			 "%s: its answer to the start of a session has %" PRIu32 " bytes", ipc->who,
			 s->reply.payload_size);
}

static size_t
answer_wanted(const struct tracing *s)
{
	if (!s->reply.payload_size)
		return MESSAGE_HEADER_BYTES;
	return s->reply.is_done ? 8 : 4;
}

/* Reads no byte beyond the answer: the events follow without a gap. */
bool
tracing_answer(struct tracing *s, const struct ipc *ipc, struct error *err)
{
	size_t got, wanted;

	while (!s->is_granted) {
		wanted = answer_wanted(s);
		if (!ipc_receive_some(ipc, s->stream, s->part + s->part_len, wanted - s->part_len,
				      &got, err))
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
			return ipc_fail_refused(ipc, s->reason, err);
		}
	}
	return true;
}

bool
tracing_abort(struct tracing *s, const struct ipc *ipc)
{
	struct error ignored;

	error_clear(&ignored);
	if (s->stream < 0)
		return s->is_granted;
	/* Sending fails from here on, but received bytes can still be read. */
	shutdown(s->stream, SHUT_RDWR);
	return s->is_granted || (tracing_answer(s, ipc, &ignored) && s->is_granted);
}

/* Stops a session without waiting for its answer. */
static void
abandon(struct tracing *s, const struct ipc *ipc)
{
	struct ipc uncancellable = *ipc;
	struct error ignored;
	int fd;

	error_clear(&ignored);
	uncancellable.progress = NULL;
	if (ipc->listener < 0 && tracing_abort(s, ipc) &&
	    tracing_ask_stop(s, &uncancellable, &fd, &ignored))
		close(fd);
	tracing_close(s);
}

bool
tracing_await(struct tracing *s, struct ipc *ipc, struct error *err)
{
	int64_t deadline = ipc_now_ms() + ipc->timeout_ms;

	while (!s->is_granted)
		if (!ipc_wait_for(ipc, s->stream, POLLIN, deadline, err) ||
		    !tracing_answer(s, ipc, err)) {
			abandon(s, ipc);
			return false;
		}
	return true;
}

static bool
start_once(struct tracing *s, struct ipc *ipc, const struct tracing_request *request,
	   struct error *err)
{
	return tracing_ask(s, ipc, request, err) && tracing_await(s, ipc, err);
}

bool
tracing_start(struct tracing *s, struct ipc *ipc, struct tracing_request *request,
	      struct error *err)
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
tracing_ask_stop(const struct tracing *s, struct ipc *ipc, int *fd, struct error *err)
{
	struct message m;

	message_stop(&m, s->id);
	*fd = ipc_send_command(ipc, &m, err);
	return *fd >= 0;
}

bool
tracing_send_stop(const struct tracing *s, const struct ipc *ipc, int turn, struct error *err)
{
	struct message m;

	message_stop(&m, s->id);
	return ipc_send_all(ipc, turn, &m, err);
}

bool
tracing_stopped(int fd, struct ipc *ipc, int timeout_ms, struct error *err)
{
	struct ipc with_timeout = *ipc;
	struct ipc_answer a;
	bool is_answered;

	with_timeout.timeout_ms = timeout_ms;
	is_answered = ipc_receive_answer(&with_timeout, fd, &a, err);
	close(fd);
	if (is_answered && !a.is_done)
		return ipc_fail_refused(ipc, a.reason, err);
	return is_answered;
}

void
tracing_close(struct tracing *s)
{
	if (s->stream >= 0)
		close(s->stream);
	s->stream = -1;
}
