#include "capture/remote/carrier.h"
#include "capture/remote/frame.h"
#include "box_builtin.h"
#include "io/base/file.h"
#include "model/base/arena.h"
#include "model/base/clock.h"
#include "model/base/format.h"
#include "model/base/seed.h"
#include "model/base/text.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	NONCE_BYTES = 32,
	LINE_BYTES = 512,
	HEARD_MAX_BYTES = 64 << 10, /* until the agent runs */
	SENT_MAX = 2,               /* times that the program is sent */
	END_MS = 3000,              /* for the command, after its input ended */
	SILENT_MAX_MS = 60000,
	LOOK_MS = 200, /* how long hanging up may go unnoticed */
};

/* --- the label -------------------------------------------------------------
 */

struct word {
	const char *at;
	size_t len;
};

/* The next word of a line of shell, with its quotes; "" at the end. */
static struct word
next_word(const char **rest)
{
	struct word word = { *rest + strspn(*rest, " \t\n"), 0 };
	const char *at = word.at;
	char quote = '\0';

	for (; *at && (quote || !strchr(" \t\n", *at)); at++) {
		if (*at == '\\' && quote != '\'' && at[1])
			at++;
		else if (quote ? *at == quote : *at == '\'' || *at == '"')
			quote = quote ? '\0' : *at;
	}
	word.len = (size_t)(at - word.at);
	*rest = at;
	return word;
}

static bool
is_plain(const struct word *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789._-@/";

	return word->len && word->at[0] != '-' && strspn(word->at, plain) >= word->len;
}

/* Whether the word after it may be its value. */
static bool
may_have_value(const struct word *word)
{
	static const char *const without[] = { "-i", "-it", "-T", "--" };

	for (size_t i = 0; i < sizeof(without) / sizeof(without[0]); i++)
		if (strlen(without[i]) == word->len && !strncmp(word->at, without[i], word->len))
			return false;
	return word->len && word->at[0] == '-';
}

/* "/usr/bin/docker" becomes "docker". */
static struct word
program_of(struct word word)
{
	for (size_t i = word.len; i > 0; i--)
		if (word.at[i - 1] == '/')
			return (struct word){ word.at + i, word.len - i };
	return word;
}

void
carrier_label(const char *host, const char *command, char label[CARRIER_LABEL_BYTES])
{
	enum { PROGRAM_MAX = 16, LAST_MAX = 200, COLUMNS = 40 };
	struct word program, last = { "", 0 }, before, word;
	char whole[PROGRAM_MAX + LAST_MAX + 2];

	if (host) {
		text_fit(host, COLUMNS, label, CARRIER_LABEL_BYTES);
		return;
	}
	do /* past KEY=VALUE */
		program = before = next_word(&command);
	while (memchr(program.at, '=', program.len));
	program = is_plain(&program) ? program_of(program) : (struct word){ "command", 7 };
	while (word = next_word(&command), word.len) {
		if (is_plain(&word) && !may_have_value(&before))
			last = word;
		before = word;
	}
	snprintf(whole, sizeof(whole), "%.*s%s%.*s",
		 (int)(program.len < PROGRAM_MAX ? program.len : PROGRAM_MAX), program.at,
		 last.len ? " " : "", (int)(last.len < LAST_MAX ? last.len : LAST_MAX), last.at);
	text_fit(whole, COLUMNS, label, CARRIER_LABEL_BYTES);
}

/* --- a signal while it connects ------------------------------------------- */

static const int ending[] = { SIGTERM, SIGINT, SIGHUP };
enum { ENDING_COUNT = sizeof(ending) / sizeof(ending[0]) };

/* All that the signal handler needs: the command. */
static volatile sig_atomic_t guarded;

/* SA_RESETHAND: the signal ends the program when this returns. */
static void
end_command(int number)
{
	kill(guarded, SIGTERM);
	raise(number);
}

/*
 * A command that has not connected need not notice that its input has ended: ssh waits for a
 * machine that does not answer, or asks for the password again.
 */
static void
guard(pid_t child)
{
	struct sigaction action = { .sa_handler = end_command, .sa_flags = (int)SA_RESETHAND };
	struct sigaction before;

	guarded = child;
	sigemptyset(&action.sa_mask);
	for (int i = 0; i < ENDING_COUNT; i++)
		if (!sigaction(ending[i], NULL, &before) && before.sa_handler == SIG_DFL)
			sigaction(ending[i], &action, NULL);
}

static void
end_guard(void)
{
	struct sigaction now;

	for (int i = 0; i < ENDING_COUNT; i++)
		if (!sigaction(ending[i], NULL, &now) && now.sa_handler == end_command)
			signal(ending[i], SIG_DFL);
}

/* --- the command ---------------------------------------------------------- */

/* The command as a line for the shell. NULL sets `err`. */
static char *
command_line(const struct carrier_options *o, struct error *err)
{
	size_t size = o->host ? 1 : strlen(o->command) + sizeof(" sh");
	char *line = memory_new(size, 1, err);

	if (line && !o->host)
		snprintf(line, size, "%s sh", o->command);
	return line;
}

/* Replaces the child of fork(), in which nothing may be allocated; never returns. */
static void
run(const struct carrier_options *o, const char *line, int in, int out, int errors)
{
	if (dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
	    dup2(errors, STDERR_FILENO) < 0)
		_exit(127);
	signal(SIGPIPE, SIG_DFL);
	/* ^C is for heaptop, which then ends the connection in order. */
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	if (o->host)
		execlp("ssh", "ssh", "-T", "--", o->host, "sh", (char *)NULL);
	else
		execl("/bin/sh", "sh", "-c", line, (char *)NULL);
	dprintf(STDERR_FILENO, "cannot run %s: %s\n", o->host ? "ssh" : "/bin/sh", strerror(errno));
	_exit(127);
}

static void
close_one(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static bool
make_pipe(int ends[2], struct error *err)
{
	if (pipe(ends)) {
		ends[0] = ends[1] = -1;
		return error_sys(err, errno, "cannot make a pipe");
	}
	/* Only the child's own ends, made by dup2(), stay open in programs. */
	for (int i = 0; i < 2; i++)
		fcntl(ends[i], F_SETFD, FD_CLOEXEC);
	return true;
}

static bool
start(struct carrier *c, struct error *err)
{
	int to[2] = { -1, -1 }, from[2] = { -1, -1 }, said[2] = { -1, -1 };
	char *line = command_line(c->options, err);

	if (line && make_pipe(to, err) && make_pipe(from, err) && make_pipe(said, err)) {
		c->child = fork();
		if (!c->child)
			run(c->options, line, to[0], from[1], said[1]);
		if (c->child < 0)
			error_sys(err, errno, "cannot start %s", c->label);
		else
			guard(c->child);
	}
	memory_free(line);
	close_one(&to[0]);
	close_one(&from[1]);
	close_one(&said[1]);
	c->out = to[1];
	c->in = from[0];
	c->errors = said[0];
	return c->child > 0;
}

/* --- what the command says ------------------------------------------------ */

static void
end_line(struct carrier *c)
{
	while (c->line_len && strchr("\r ", c->line[c->line_len - 1]))
		c->line_len--;
	c->line[c->line_len] = '\0';
	if (c->line_len && !c->is_connected && c->options->show)
		c->options->show(c->line);
	c->has_line = true;
}

static void
receive_errors(struct carrier *c)
{
	char bytes[512];
	ssize_t got = read(c->errors, bytes, sizeof(bytes));

	if (got <= 0 && !(got < 0 && errno == EINTR))
		close_one(&c->errors);
	for (ssize_t i = 0; i < got; i++) {
		if (bytes[i] == '\n') {
			end_line(c);
			continue;
		}
		if (c->has_line)
			c->line_len = 0;
		c->has_line = false;
		if (c->line_len < sizeof(c->line) - 1)
			c->line[c->line_len++] = bytes[i];
	}
}

bool
carrier_wait(void *carrier)
{
	struct carrier *c = carrier;

	for (;;) {
		struct pollfd fds[2] = { { .fd = c->in, .events = POLLIN },
					 { .fd = c->errors, .events = POLLIN } };
		int64_t by = atomic_load(&c->end_by_ns);

		if (by && clock_ns() > by)
			return false;
		if (poll(fds, 2, LOOK_MS) <= 0)
			continue;
		if (fds[1].revents)
			receive_errors(c);
		if (fds[0].revents)
			return true;
	}
}

static int64_t
from_now(int ms)
{
	return clock_ns() + ms * INT64_C(1000000);
}

/* Until when the command may end; the time since hanging up counts. */
static int64_t
end_by(const struct carrier *c)
{
	int64_t by = atomic_load(&c->end_by_ns);

	return by ? by : from_now(END_MS);
}

/* Reads the output of the command until it ends, or until clock_ns() has this value. */
static int
wait_for_end(struct carrier *c, int64_t until)
{
	int status = -1;

	while (c->child > 0 && clock_ns() < until) {
		struct pollfd p = { .fd = c->errors, .events = POLLIN };

		if (poll(&p, 1, 20) > 0)
			receive_errors(c);
		if (waitpid(c->child, &status, WNOHANG) == c->child)
			c->child = 0;
	}
	while (c->errors >= 0 && !c->child) {
		struct pollfd p = { .fd = c->errors, .events = POLLIN };

		if (poll(&p, 1, 0) <= 0)
			break;
		receive_errors(c);
	}
	return status;
}

/* Whether the last word is a shell, which would take "sh" for a script. */
static bool
ends_with_shell(const char *command)
{
	static const char *const shells[] = { "sh", "bash", "ash", "dash", "ksh", "zsh" };
	struct word last = { "", 0 }, word;

	while (word = next_word(&command), word.len)
		last = program_of(word);
	for (size_t i = 0; i < sizeof(shells) / sizeof(shells[0]); i++)
		if (strlen(shells[i]) == last.len && !strncmp(last.at, shells[i], last.len))
			return true;
	return false;
}

/* Why no shell may have answered. */
static const char *
advice(const struct carrier_options *o)
{
	if (o->host)
		return "";
	if (ends_with_shell(o->command))
		return "; heaptop appends sh to the command: leave out its last word";
	return "; docker and kubectl need -i; if there is no sh: kubectl debug -it POD "
	       "--image=busybox --target=CONTAINER, see heaptop-remote(7)";
}

bool
carrier_fail(struct carrier *c, struct error *err)
{
	int status = wait_for_end(c, end_by(c));
	char how[40] = "";

	if (!c->child && WIFEXITED(status) && WEXITSTATUS(status))
		snprintf(how, sizeof(how), " with status %d", WEXITSTATUS(status));
	if (!c->child && WIFSIGNALED(status))
		snprintf(how, sizeof(how), " by signal %d", WTERMSIG(status));
	if (c->is_connected)
		return error_set(err, ERROR_ATTACH, "the connection to %s has ended%s%s%s",
				 c->label, how, *c->line ? ": " : "", c->line);
	return error_set(err, ERROR_ATTACH, "%s%s has ended%s before a shell answered%s",
			 c->options->host ? "ssh " : "", c->label, how, advice(c->options));
}

/* --- the shell ------------------------------------------------------------ */

/* Waits until a few KB can be written, and takes lines from `errors`. */
static bool
wait_for_room(struct carrier *c, struct error *err)
{
	int max_ms = c->options->silent_max_ms ? c->options->silent_max_ms : SILENT_MAX_MS;

	for (int waited = 0; waited < max_ms;) {
		struct pollfd fds[2] = { { .fd = c->out, .events = POLLOUT },
					 { .fd = c->errors, .events = POLLIN } };
		int ready = poll(fds, 2, LOOK_MS);

		if (ready > 0 && fds[1].revents)
			receive_errors(c);
		if (ready > 0 && fds[0].revents)
			return true;
		if (!ready)
			waited += LOOK_MS;
	}
	return error_set(err, ERROR_ATTACH, "%s has read nothing of what was sent for %d s",
			 c->label, max_ms / 1000);
}

static bool
write_all(struct carrier *c, const void *bytes, size_t len, struct error *err)
{
	const char *at = bytes;

	while (len && wait_for_room(c, err)) {
		ssize_t n = write(c->out, at, len < FRAME_ROOM_BYTES ? len : FRAME_ROOM_BYTES);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EPIPE)
			return true; /* its last line says why */
		if (n < 0)
			return error_sys(err, errno, "cannot send to %s", c->label);
		at += n;
		len -= (size_t)n;
	}
	return !len;
}

/*
 * Reads a line byte by byte: what follows it may be the agent's. `heard` counts the bytes of all
 * lines, which may have no end.
 */
static bool
read_line(struct carrier *c, char line[LINE_BYTES], size_t *heard, struct error *err)
{
	size_t len = 0;

	for (;;) {
		char byte;
		ssize_t n;

		carrier_wait(c);
		n = read(c->in, &byte, 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return carrier_fail(c, err);
		if (++*heard > HEARD_MAX_BYTES)
			return error_set(err, ERROR_ATTACH,
					 "%s prints text without end instead of running sh",
					 c->label);
		if (byte == '\n')
			break;
		if (len < LINE_BYTES - 1)
			line[len++] = byte;
	}
	line[len] = '\0';
	return true;
}

/*
 * The next line of the script. A login shell may print others before, and a terminal a prompt in
 * front of it.
 */
static bool
read_answer(struct carrier *c, const char *nonce, char line[LINE_BYTES], size_t *heard,
	    struct error *err)
{
	size_t len = strlen(nonce);

	while (read_line(c, line, heard, err)) {
		const char *found = strstr(line, nonce);

		if (found && found[len] == ' ') {
			found += len + 1;
			memmove(line, found, strlen(found) + 1);
			line[strcspn(line, "\r")] = '\0';
			return true;
		}
	}
	return false;
}

static bool
send_script(struct carrier *c, char nonce[NONCE_BYTES], struct error *err)
{
	char head[256];
	int len;

	snprintf(nonce, NONCE_BYTES, "heaptop-%" PRIx64, seed_random());
	/* Neither has a quote: one is ours, the other hexadecimal. */
	len = snprintf(head, sizeof(head), "nonce='%s' version='%s'\n", nonce,
		       *c->options->version ? c->options->version : "none");
	return write_all(c, head, (size_t)len, err) &&
	       write_all(c, builtin_box[0].text, strlen(builtin_box[0].text), err);
}

static bool
fail_box(const struct carrier *c, const char *why, struct error *err)
{
	static const struct {
		const char *why, *text;
	} rows[] = {
		{ "terminal", "its input is a terminal, which changes bytes: leave out -t" },
		{ "proc", "there is no /proc there, which shows the processes" },
		{ "disk ", "no room for heaptop, 6 MB, in %.80s" },
		{ "sum ", "heaptop was damaged on the way: its checksum is wrong" },
		{ "tool ", "there is a shell, but not the command %.40s that it takes to receive "
			   "heaptop; put heaptop of this version into its PATH" },
		{ "place ", "heaptop can be put nowhere there: %.150s; set TMPDIR there to another "
			    "folder" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t len = strlen(rows[i].why);
		char text[240];

		if (strncmp(why, rows[i].why, len) != 0)
			continue;
			/* Each text uses the rest of the line at most once. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		snprintf(text, sizeof(text), rows[i].text, why + len);
#pragma GCC diagnostic pop
		return error_set(err, ERROR_ATTACH, "%s: %s", c->label, text);
	}
	return error_set(err, ERROR_ATTACH, "%s: %.160s", c->label, why);
}

/* --- sending the program -------------------------------------------------- */

/* The checksum of cksum(1), as POSIX defines it. */
static uint32_t
cksum(const uint8_t *bytes, size_t len)
{
	uint32_t table[256], sum = 0;

	for (uint32_t i = 0; i < 256; i++) {
		table[i] = i << 24;
		for (int bit = 0; bit < 8; bit++)
			table[i] = table[i] << 1 ^ (table[i] >> 31 ? 0x04c11db7 : 0);
	}
	for (size_t i = 0; i < len; i++)
		sum = sum << 8 ^ table[sum >> 24 ^ bytes[i]];
	for (; len; len >>= 8)
		sum = sum << 8 ^ table[sum >> 24 ^ (len & 0xff)];
	return ~sum;
}

static const char *
known_machine(const char *machine)
{
	static const char *const names[][2] = { { "x86_64", "x86_64" },
						{ "amd64", "x86_64" },
						{ "aarch64", "aarch64" },
						{ "arm64", "aarch64" } };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(machine, names[i][0]))
			return names[i][1];
	return NULL;
}

static bool
send_file(struct carrier *c, const struct file *f, struct error *err)
{
	char line[64], size[FORMAT_BYTES], text[160];
	int len = snprintf(line, sizeof(line), "%zu %" PRIu32 "\n", f->len, cksum(f->data, f->len));

	snprintf(text, sizeof(text), "sending heaptop to %s, %s", c->label,
		 format_size(f->len, size));
	if (c->options->show)
		c->options->show(text);
	return write_all(c, line, (size_t)len, err) && write_all(c, f->data, f->len, err);
}

static bool
send_program(struct carrier *c, const char *machine, struct error *err)
{
	const char *known = known_machine(machine);
	char path[4096];
	struct file f;
	bool ok;

	if (!known)
		return error_set(err, ERROR_ATTACH,
				 "%s is of the kind %.40s; heaptop runs on x86_64 and aarch64",
				 c->label, machine);
	if (!c->options->find_program(known, path, sizeof(path)))
		return error_set(
		    err, ERROR_ATTACH,
		    "%s has no heaptop of this version, and there is no static heaptop for %s here "
		    "to send: %.100s",
		    c->label, known, path);
	if (!file_open(&f, path, FILE_ALL, NULL, err))
		return false;
	ok = send_file(c, &f, err);
	file_close(&f);
	return ok;
}

/* --- the connection ------------------------------------------------------- */

static bool
converse(struct carrier *c, struct error *err)
{
	char nonce[NONCE_BYTES], line[LINE_BYTES];
	size_t heard = 0;
	int sent = 0;

	if (!send_script(c, nonce, err))
		return false;
	while (read_answer(c, nonce, line, &heard, err)) {
		if (!strcmp(line, "run"))
			return true;
		if (!strncmp(line, "fail ", 5))
			return fail_box(c, line + 5, err);
		if (strncmp(line, "want ", 5) != 0)
			continue;
		if (sent++ == SENT_MAX)
			return error_set(err, ERROR_ATTACH,
					 "%s asks for heaptop again and again, after it was sent "
					 "%d times",
					 c->label, SENT_MAX);
		if (!send_program(c, line + 5, err))
			return false;
	}
	return false;
}

bool
carrier_open(struct carrier *c, const struct carrier_options *options, struct error *err)
{
	*c = (struct carrier){ .options = options, .in = -1, .out = -1, .errors = -1 };
	carrier_label(options->host, options->command, c->label);
	if (!start(c, err) || !converse(c, err))
		return false;
	end_guard();
	c->is_connected = true;
	*c->line = '\0';
	c->line_len = 0;
	return true;
}

void
carrier_hang_up(struct carrier *c)
{
	atomic_store(&c->end_by_ns, from_now(END_MS));
	close_one(&c->out);
}

void
carrier_close(struct carrier *c)
{
	end_guard();
	close_one(&c->out);
	close_one(&c->in);
	wait_for_end(c, end_by(c));
	if (c->child > 0) {
		kill(c->child, SIGTERM);
		wait_for_end(c, from_now(END_MS / 3));
	}
	if (c->child > 0) {
		kill(c->child, SIGKILL);
		waitpid(c->child, NULL, 0);
	}
	c->child = 0;
	close_one(&c->errors);
}
