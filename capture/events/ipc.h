#ifndef CAPTURE_EVENTS_IPC_H
#define CAPTURE_EVENTS_IPC_H

/*
 * Sends commands to a runtime over its diagnostics socket. A runtime serves one command at a time,
 * each on its own connection, and waits indefinitely for a client that sends nothing. So every
 * command here is one connect and one write, and everything has a time-out. Nothing raises SIGPIPE.
 *
 * Failures are ERROR_ATTACH with a message that names the process, or ERROR_CANCELLED.
 */
#include "capture/events/message.h"
#include "capture/process/process.h"
#include "model/base/progress.h"

enum { IPC_WHO_BYTES = 96 };
struct ipc {
	struct endpoint endpoint;
	/* Sockets of a port that the runtime connects to; -1: not open. */
	int listener, waiting;
	struct advertise runtime; /* the peer there, if knows_runtime */
	bool knows_runtime;
	int32_t peer_pid;          /* in our pid namespace; 0: unknown */
	char path[108];            /* the listener's; "": none */
	char who[IPC_WHO_BYTES];   /* "process 4711 (api)", for messages */
	int timeout_ms;            /* for commands that take no time */
	struct progress *progress; /* cancels all waiting; may be NULL */
};

/* Finds the socket; sends nothing. */
bool ipc_open(struct ipc *ipc, const struct process *p, const char *proc, struct progress *progress,
	      struct error *err) MUST_USE;
/*
 * Creates a socket at `path`, for a runtime with DOTNET_DiagnosticPorts=path, and waits for it to
 * connect.
 */
bool ipc_listen(struct ipc *ipc, const char *path, struct progress *progress,
		struct error *err) MUST_USE;
void ipc_close(struct ipc *ipc);

/* Tries versions 3, 2 and 1 of the command. */
bool ipc_process_info(struct ipc *ipc, struct runtime_info *info, struct error *err) MUST_USE;

/* Resumes a runtime that waits at its start for this port; others do nothing, and do not know the
   command before .NET 5. */
bool ipc_resume(struct ipc *ipc, struct error *err) MUST_USE;

/*
 * Reserves a turn in the runtime's queue: a connection that sends nothing yet. Later commands wait
 * until something is sent on it or it is closed, which the kernel does if this process dies. -1:
 * failed. Not for a reversed port.
 */
int ipc_reserve_turn(const struct ipc *ipc, struct error *err);

/* ---- parts of a command, for tracing.h --------------------------------- */

int64_t ipc_now_ms(void);
/* Waits until `deadline` of ipc_now_ms() for `events` of poll(). */
bool ipc_wait_for(const struct ipc *ipc, int fd, short events, int64_t deadline,
		  struct error *err) MUST_USE;
/* Sends a command on a new connection, which is returned; -1 sets `err`. */
int ipc_send_command(struct ipc *ipc, const struct message *m, struct error *err);
bool ipc_send_all(const struct ipc *ipc, int fd, const struct message *m,
		  struct error *err) MUST_USE;
/* Receives at most `len` bytes without waiting; *got 0: none yet. */
bool ipc_receive_some(const struct ipc *ipc, int fd, uint8_t *to, size_t len, size_t *got,
		      struct error *err) MUST_USE;

enum { IPC_PAYLOAD_MAX = 64 * 1024 };
struct ipc_answer {
	bool is_done;
	uint32_t reason; /* of a refusal */
	uint8_t payload[IPC_PAYLOAD_MAX];
	size_t payload_len;
};
/* False without an answer; a refusal is one. */
bool ipc_receive_answer(const struct ipc *ipc, int fd, struct ipc_answer *a,
			struct error *err) MUST_USE;
/* Both return false: a malformed answer, and a refusal. */
bool ipc_fail_answer(const struct ipc *ipc, const struct error *why, struct error *err);
bool ipc_fail_refused(const struct ipc *ipc, uint32_t reason, struct error *err);

#endif
