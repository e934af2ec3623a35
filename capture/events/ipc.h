#ifndef CAPTURE_EVENTS_IPC_H
#define CAPTURE_EVENTS_IPC_H

/*
 * Commands to a runtime over its diagnostics socket. A runtime serves one
 * command at a time, each on a connection of its own, and waits for ever for a
 * client that says nothing: so every command here is one connect and one write,
 * a place in its queue is held for moments, and everything has its time-out.
 * Nothing raises SIGPIPE.
 *
 * Failures are ERROR_ATTACH, a sentence that names the process; or
 * ERROR_CANCELLED.
 */
#include "capture/events/message.h"
#include "capture/process/process.h"
#include "model/base/progress.h"

enum { IPC_WHO_BYTES = 96 };
struct ipc {
	struct endpoint endpoint;
	/* Of a reversed port, to which the runtime connects; else -1. */
	int listener, waiting;
	struct advertise runtime; /* whom we talk to there */
	bool knows_runtime;
	int32_t peer_pid;          /* as we see it; 0: unknown */
	char path[108];            /* to be removed */
	char who[IPC_WHO_BYTES];   /* "process 4711 (api)", for messages */
	int timeout_ms;            /* of commands that take no time */
	struct progress *progress; /* its cancelling ends all waiting; may be
				      NULL */
};

/* Nothing is sent yet. */
bool ipc_open(struct ipc *ipc, const struct process *p, const char *proc,
	      struct progress *progress, struct error *err) MUST_USE;
/*
 * Makes a socket at `path`, for a runtime with DOTNET_DiagnosticPorts=path, and
 * waits for it to connect. A runtime that waits to be resumed is left waiting.
 */
bool ipc_listen(struct ipc *ipc, const char *path, struct progress *progress,
		struct error *err) MUST_USE;
void ipc_close(struct ipc *ipc);

/* With what the runtime knows of version 3, 2 and 1 of the command. */
bool ipc_process_info(struct ipc *ipc, struct runtime_info *info,
		      struct error *err) MUST_USE;
/* As NAME=VALUE, one a line. NULL sets `err`. */
const char *ipc_environment(struct ipc *ipc, struct arena *a,
			    struct error *err) MUST_USE;

/*
 * A place in the runtime's queue: a connection that says nothing yet. What is
 * asked for after it has to wait until something is said there, or it is
 * closed; which the kernel does, should we die. -1: failed. Not for a reversed
 * port.
 */
int ipc_take_place(const struct ipc *ipc, struct error *err);

/* An event session. After it is started, its stream is all that comes. */
struct tracing {
	int stream;  /* -1: none; does not block */
	uint64_t id; /* once it has been granted */
	bool is_granted;
	uint32_t reason;    /* why it was refused; 0: it was not */
	struct reply reply; /* while that comes in */
	uint8_t part[MESSAGE_HEADER_BYTES];
	size_t part_len;
};
/*
 * Asks for a session and returns. The answer may take as long as a garbage
 * collection: poll s->stream, call tracing_answer() when there is something.
 */
bool tracing_ask(struct tracing *s, struct ipc *ipc,
		 const struct tracing_request *request,
		 struct error *err) MUST_USE;
/* Reads what there is; false: refused. Else see is_granted. */
bool tracing_answer(struct tracing *s, const struct ipc *ipc,
		    struct error *err) MUST_USE;
/*
 * Waits for it, with a time-out. False: refused, or no answer; nothing is left
 * of it then.
 */
bool tracing_await(struct tracing *s, struct ipc *ipc,
		   struct error *err) MUST_USE;
/*
 * All three, with a time-out. Asks with request->command, and if the runtime
 * does not know it, with lower ones; leaves in it the one that was understood.
 */
bool tracing_start(struct tracing *s, struct ipc *ipc,
		   struct tracing_request *request, struct error *err) MUST_USE;
/*
 * Asks for its end and returns; `*fd` becomes readable when it has been
 * reached. Somebody must go on reading the stream: the runtime first sends
 * all that is left, and serves nobody meanwhile. The command is obeyed even if
 * we close `*fd` at once, or die.
 */
bool tracing_ask_stop(const struct tracing *s, struct ipc *ipc, int *fd,
		      struct error *err) MUST_USE;
/* The same over a place in the queue, which is the answer's then. */
bool tracing_say_stop(const struct tracing *s, const struct ipc *ipc, int place,
		      struct error *err) MUST_USE;
/* Reads the answer from `fd` and closes it; waits at most `timeout_ms`. */
bool tracing_stopped(int fd, struct ipc *ipc, int timeout_ms,
		     struct error *err) MUST_USE;
/*
 * Wants no more of it. True if the session exists: end it by
 * tracing_ask_stop(). One that was asked for and is granted only later ends by
 * itself, since the runtime finds that it cannot tell us.
 */
bool tracing_cut(struct tracing *s, const struct ipc *ipc);
void tracing_close(struct tracing *s);

#endif
