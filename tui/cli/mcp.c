#include "tui/cli/mcp.h"
#include "model/base/arena.h"
#include "model/base/clock.h"
#include "model/base/thread.h"
#include "tui/cli/batch.h"
#include "tui/cli/mcp_protocol.h"
#include "tui/cli/say.h"
#include "tui/session/job.h"
#include "tui/term/leave.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	LINE_BYTES_MAX = 1 << 20,
	CALLS_MAX = 64, /* that wait */
	PROGRESS_MS = 100,
	END_MS = 5000, /* for calls when the client has closed the input */
	TEXT_BYTES = 256,
};

struct queued {
	struct queued *next;
	json_t *message;
	bool is_cancelled;
};

struct server {
	int in, out;
	const char *version;
	char *line; /* what was read of the next line; LINE_BYTES_MAX bytes */
	size_t line_len;
	bool is_too_long; /* the line is skipped up to its end */
	/* The lock guards everything below, and `out`. */
	pthread_mutex_t lock;
	pthread_cond_t has_changed;
	struct queued *first, *running; /* waiting calls; the one that runs */
	unsigned waiting;
	uint64_t steps; /* progress reports of the running call */
	bool has_ended; /* the client has closed the input */
	bool is_gone;   /* no answer is wanted any more */
	int64_t ended_ns;
	int over[2]; /* a pipe; closed when the main thread has ended */
};

/* --- output --------------------------------------------------------------- */

/* Without a client that waits for them there are no calls. */
static void
note_gone(struct server *s)
{
	s->is_gone = s->has_ended = true;
	progress_cancel_all(true);
	pthread_cond_signal(&s->has_changed);
}

/* Writes a line and frees it; the lock is held. NULL: there was no memory for the line, nor for an
   error that names the request. */
static void
send(struct server *s, char *line)
{
	static const char no_line[] =
	    "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32603,\"message\":\"there is no memory for "
	    "an answer\"}}\n";
	const char *text = line ? line : no_line;
	size_t len = strlen(text), done = 0;
	struct pollfd room = { .fd = s->out, .events = POLLOUT };

	while (done < len && !s->is_gone) {
		ssize_t n = write(s->out, text + done, len - done);

		if (n > 0)
			done += (size_t)n;
		else if (errno == EAGAIN)
			poll(&room, 1, -1);
		else if (errno != EINTR)
			note_gone(s);
	}
	free(line);
}

static void
send_locked(struct server *s, char *line)
{
	pthread_mutex_lock(&s->lock);
	send(s, line);
	pthread_mutex_unlock(&s->lock);
}

static char *
no_memory(const json_t *id)
{
	return mcp_error(id, -32603, "there is no memory for the answer");
}

static void
report_progress(struct server *s)
{
	const json_t *token;
	char text[TEXT_BYTES], *line = NULL;

	pthread_mutex_lock(&s->lock);
	token = s->running ? mcp_progress_token(s->running->message) : NULL;
	if (token && !s->running->is_cancelled && job_describe_latest(text, sizeof text))
		line = mcp_progress(token, ++s->steps, text);
	if (line)
		send(s, line);
	pthread_mutex_unlock(&s->lock);
}

/* --- calls ---------------------------------------------------------------- */

/* Takes the reference to the message, if it can wait. */
static bool
add_call(struct server *s, json_t *message)
{
	struct error err = { 0 };
	struct queued *c = memory_new(1, sizeof *c, &err), **last = &s->first;
	bool has_room;

	pthread_mutex_lock(&s->lock);
	has_room = c && s->waiting < CALLS_MAX;
	if (has_room) {
		c->message = message;
		while (*last)
			last = &(*last)->next;
		*last = c;
		s->waiting++;
		pthread_cond_signal(&s->has_changed);
	}
	pthread_mutex_unlock(&s->lock);
	if (!has_room)
		memory_free(c);
	return has_room;
}

static void
free_call(struct queued *c)
{
	json_decref(c->message);
	memory_free(c);
}

static void
cancel(struct server *s, const json_t *id)
{
	pthread_mutex_lock(&s->lock);
	for (struct queued *c = s->first; c; c = c->next)
		c->is_cancelled |= json_equal(mcp_id(c->message), id);
	if (s->running && json_equal(mcp_id(s->running->message), id)) {
		s->running->is_cancelled = true;
		progress_cancel_all(true);
	}
	pthread_mutex_unlock(&s->lock);
}

/* Waits for a call and begins it. NULL: the client has ended. */
static struct queued *
take_call(struct server *s)
{
	struct queued *c;

	pthread_mutex_lock(&s->lock);
	while (!s->first && !s->has_ended)
		pthread_cond_wait(&s->has_changed, &s->lock);
	c = s->is_gone ? NULL : s->first;
	if (c) {
		s->first = c->next;
		s->waiting--;
		s->running = c;
		s->steps = 0;
		progress_cancel_all(false);
	}
	pthread_mutex_unlock(&s->lock);
	return c;
}

static void
run_calls(struct server *s, struct mcp_tools *tools)
{
	struct queued *c;

	while ((c = take_call(s))) {
		char *line =
		    c->is_cancelled ? NULL : mcp_call_answer(c->message, tools, s->version);

		pthread_mutex_lock(&s->lock);
		s->running = NULL;
		if (c->is_cancelled)
			free(line);
		else
			send(s, line ? line : no_memory(mcp_id(c->message)));
		pthread_mutex_unlock(&s->lock);
		free_call(c);
	}
}

/* --- input ---------------------------------------------------------------- */

static void
answer(struct server *s, const json_t *message)
{
	char *line = mcp_answer(message, s->version);

	send_locked(s, line ? line : no_memory(mcp_id(message)));
}

static void
take_message(struct server *s, json_t *message)
{
	switch (mcp_does(message)) {
	case MCP_CALLS:
		if (add_call(s, message))
			return;
		send_locked(s, mcp_error(mcp_id(message), MCP_BUSY,
					 "too many calls wait; wait for their answers"));
		break;
	case MCP_CANCELS:
		cancel(s, mcp_cancelled_id(message));
		break;
	case MCP_ANSWERS:
		answer(s, message);
		break;
	case MCP_IGNORES:
		break;
	}
	json_decref(message);
}

static void
take_line(struct server *s, const char *line, size_t len)
{
	char text[TEXT_BYTES];
	json_t *message;

	if (!len)
		return;
	message = mcp_parse(line, len, text, sizeof text);
	if (message)
		take_message(s, message);
	else
		send_locked(s, mcp_error(NULL, MCP_BAD_JSON, text));
}

/* Takes the whole lines of what was read; the rest waits for more. */
static void
take_lines(struct server *s)
{
	char *line = s->line, *end = s->line + s->line_len, *feed;

	while ((feed = memchr(line, '\n', (size_t)(end - line)))) {
		if (!s->is_too_long)
			take_line(s, line, (size_t)(feed - line));
		s->is_too_long = false;
		line = feed + 1;
	}
	s->line_len = (size_t)(end - line);
	memmove(s->line, line, s->line_len);
	if (s->line_len < LINE_BYTES_MAX)
		return;
	if (!s->is_too_long)
		send_locked(s, mcp_error(NULL, MCP_BAD_REQUEST, "a message has at most 1 MiB"));
	s->is_too_long = true;
	s->line_len = 0;
}

/* Returns whether the input is open. */
static bool
read_input(struct server *s)
{
	ssize_t n = read(s->in, s->line + s->line_len, LINE_BYTES_MAX - s->line_len);

	if (n > 0) {
		s->line_len += (size_t)n;
		take_lines(s);
	}
	return n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN));
}

/* Waits for input and reports progress meanwhile. Returns whether to go on. */
static bool
wait_for_client(struct server *s)
{
	/* Without events, poll() returns when nobody reads the output. */
	struct pollfd fds[] = { { .fd = s->has_ended ? -1 : s->in, .events = POLLIN },
				{ .fd = s->out },
				{ .fd = s->over[0] } };
	int count = poll(fds, 3, PROGRESS_MS);
	bool is_open = !fds[0].revents || count <= 0 || read_input(s);

	if (count == 0)
		report_progress(s);
	pthread_mutex_lock(&s->lock);
	if (count > 0 && fds[1].revents)
		note_gone(s);
	if (!is_open) {
		s->has_ended = true;
		s->ended_ns = clock_ns();
		pthread_cond_signal(&s->has_changed);
	}
	if (s->has_ended && clock_ns() - s->ended_ns > END_MS * INT64_C(1000000))
		note_gone(s);
	is_open = !s->is_gone && !fds[2].revents;
	pthread_mutex_unlock(&s->lock);
	return is_open;
}

static void *
read_client(void *context)
{
	struct server *s = context;
	struct pollfd over = { .fd = s->over[0] };

	while (wait_for_client(s))
		continue;
	/* A call that was cancelled must not keep the program. */
	if (poll(&over, 1, LEAVE_SECONDS * 1000) == 0)
		leave_now();
	return NULL;
}

/* --- memory --------------------------------------------------------------- */

/* jansson leaves out what it has no memory for; such answers are recognized by this count. */
static void *
json_memory(size_t size)
{
	struct error ignored = { 0 };
	void *p = malloc(size);

	if (!p)
		memory_refused_by_system(&ignored, size);
	return p;
}

/* --- all ------------------------------------------------------------------ */

/* Keeps the client's ends, and lets nothing else read or write them. */
static bool
take_streams(struct server *s, struct error *err)
{
	int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);

	s->in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	s->out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (nothing < 0 || s->in < 0 || s->out < 0 || dup2(nothing, STDIN_FILENO) < 0 ||
	    dup2(STDERR_FILENO, STDOUT_FILENO) < 0 || pipe(s->over) != 0)
		return error_sys(err, errno, "cannot use standard input and output");
	close(nothing);
	return true;
}

static bool
serve(struct server *s, struct mcp_tools *tools, struct error *err)
{
	pthread_t reader;
	int failed;

	s->line = memory_new(LINE_BYTES_MAX, 1, err);
	if (!s->line || !take_streams(s, err))
		return false;
	failed = thread_start(&reader, read_client, s);
	if (failed)
		return error_sys(err, failed, "cannot start a thread");
	run_calls(s, tools);
	close(s->over[1]);
	pthread_join(reader, NULL);
	close(s->over[0]);
	close(s->in);
	close(s->out);
	return true;
}

int
mcp_run(struct snapshots *all, struct options *o, const char *version)
{
	static struct mcp_tools tools; /* 64 KiB of paths */
	struct server s = { .version = version,
			    .in = -1,
			    .out = -1,
			    .lock = PTHREAD_MUTEX_INITIALIZER,
			    .has_changed = PTHREAD_COND_INITIALIZER };
	struct error err;
	int code = EXIT_OK;

	error_clear(&err);
	json_set_alloc_funcs(json_memory, free);
	if (!mcp_tools_init(&tools, all, o, &err))
		return say_error(NULL, &err, exit_code_of_load(&err));
	if (!serve(&s, &tools, &err))
		code = say_error(NULL, &err, EXIT_FAILED);
	while (s.first) {
		struct queued *c = s.first;

		s.first = c->next;
		free_call(c);
	}
	mcp_tools_clear(&tools);
	memory_free(s.line);
	return code;
}
