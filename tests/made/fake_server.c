#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "tests/made/fake_server.h"
#include "capture/process/proc.h"
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { HEADER = 20, REQUEST_MAX = 4096, SESSIONS_MAX = 8 };
static const uint8_t magic[14] = "DOTNET_IPC_V1";
#define COLLECT_KEYWORD UINT64_C(0x800000)
#define WALK_KEYWORD    UINT64_C(0x100000)
#define REFUSED         0x80004005u
#define UNKNOWN_COMMAND 0x80131385u

struct session {
	int fd;
	uint64_t id, keywords;
};

struct fake_server {
	struct fake_script script;
	struct fake_log *log; /* shared with the process */
	pid_t pid;
	char name[80], program[256];
	/* In the process: */
	int listener;
	struct session sessions[SESSIONS_MAX];
	uint64_t next_id;
	unsigned walks_count;
};

/* ---- bytes ----------------------------------------------------------------
 */

static bool
read_all(int fd, uint8_t *to, size_t len)
{
	while (len) {
		ssize_t n = read(fd, to, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		to += n;
		len -= (size_t)n;
	}
	return true;
}

static bool
write_all(int fd, const void *from, size_t len)
{
	const uint8_t *at = from;

	while (len) {
		ssize_t n = send(fd, at, len, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		at += n;
		len -= (size_t)n;
	}
	return true;
}

static uint64_t
load(const uint8_t *at, size_t bytes)
{
	uint64_t value = 0;

	for (size_t i = bytes; i-- > 0;)
		value = value << 8 | at[i];
	return value;
}

static size_t
store(uint8_t *at, uint64_t value, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		at[i] = (uint8_t)(value >> 8 * i);
	return bytes;
}

static bool
send_reply(int fd, uint8_t command, const uint8_t *payload, size_t len)
{
	uint8_t data[HEADER + 1024] = { 0 };

	assert(len <= sizeof(data) - HEADER);
	memcpy(data, magic, sizeof(magic));
	store(data + 14, HEADER + len, 2);
	data[16] = 0xff;
	data[17] = command;
	if (len)
		memcpy(data + HEADER, payload, len);
	return write_all(fd, data, HEADER + len);
}

static void
send_refusal(int fd, uint32_t reason)
{
	uint8_t payload[4];

	store(payload, reason, 4);
	send_reply(fd, 0xff, payload, sizeof(payload));
}

static size_t
store_text(uint8_t *at, const char *text)
{
	size_t len = strlen(text) + 1, used = store(at, len, 4);

	for (size_t i = 0; i < len; i++)
		used += store(at + used, (unsigned char)text[i], 2);
	return used;
}

/* ---- faults ---------------------------------------------------------------
 */

/* False: there is none for this command; answer it. Closes the connection. */
static bool
play_fault(struct fake_server *f, int fd, enum fake_command command)
{
	uint8_t head[HEADER] = { 0 };

	if (f->script.command != command || f->script.fault == FAULT_NONE || f->script.fault_at)
		return false;
	memcpy(head, magic, sizeof(magic));
	store(head + 14, HEADER, 2);
	head[16] = 0xff;
	switch (f->script.fault) {
	case FAULT_SILENT:
		return true; /* stays open until we end */
	case FAULT_HALF_HEADER:
		write_all(fd, head, HEADER / 2);
		break;
	case FAULT_MAGIC:
		write_all(fd, "HTTP/1.1 400 Bad Request", 24);
		break;
	case FAULT_SIZE:
		store(head + 14, HEADER - 1, 2);
		write_all(fd, head, HEADER);
		break;
	case FAULT_NO_REPLY:
		head[16] = 4;
		write_all(fd, head, HEADER);
		break;
	case FAULT_CUT_PAYLOAD:
		store(head + 14, 0xffff, 2);
		write_all(fd, head, HEADER);
		break;
	case FAULT_WRONG_PAYLOAD:
		(void)send_reply(fd, 0, head, 4);
		break;
	case FAULT_REFUSE:
		send_refusal(fd, REFUSED);
		break;
	case FAULT_DIE:
		_exit(0);
	case FAULT_STOP_SELF:
		raise(SIGSTOP);
		return false;
	default:
		break;
	}
	close(fd);
	return true;
}

/* ---- commands -------------------------------------------------------------
 */

static void
log_command(struct fake_server *f, const uint8_t *head, uint64_t keywords, uint64_t session,
	    uint32_t buffer_mb)
{
	struct fake_log *log = f->log;

	if (log->count < FAKE_LOG_MAX)
		log->entries[log->count++] =
		    (struct fake_entry){ head[16], head[17], buffer_mb, keywords, session };
}

static void
answer_info(struct fake_server *f, int fd, unsigned version)
{
	uint8_t payload[1024] = { 0 };
	size_t len = version == 3 ? store(payload, 1, 4) : 0;

	if (version > f->script.newest_info) {
		send_refusal(fd, UNKNOWN_COMMAND);
		return;
	}
	len += store(payload + len, (uint64_t)getpid(), 8);
	len += 16; /* the cookie */
	len += store_text(payload + len, "/x/fake /x/fake.dll");
	len += store_text(payload + len, "Linux");
	len += store_text(payload + len, "x64");
	if (version >= 2) {
		len += store_text(payload + len, "fake");
		len += store_text(payload + len, f->script.version);
	}
	if (version >= 3)
		len += store_text(payload + len, "linux-x64");
	send_reply(fd, 0, payload, len);
}

static struct session *
session_find(struct fake_server *f, uint64_t id)
{
	for (int i = 0; i < SESSIONS_MAX; i++)
		if (f->sessions[i].id == id)
			return &f->sessions[i];
	return NULL;
}

static void
count_session(struct fake_server *f, const struct session *s, int by)
{
	struct fake_log *log = f->log;

	log->open_sessions += (unsigned)by;
	if (s->keywords & COLLECT_KEYWORD)
		log->collecting_sessions += (unsigned)by;
	if (log->collecting_sessions > log->collecting_peak)
		log->collecting_peak = log->collecting_sessions;
}

static void
session_end(struct fake_server *f, struct session *s)
{
	if (!s->id)
		return;
	count_session(f, s, -1);
	close(s->fd);
	*s = (struct session){ .fd = -1 };
}

/* False: nobody reads it any longer. */
static bool
repeat(const struct fake_server *f, int fd, const uint8_t *stream, size_t len)
{
	size_t at = f->script.repeat_at;

	while (at)
		if (!write_all(fd, stream + at, len - at))
			return false;
	return true;
}

/* The walk, to every session that listens; who does not read is closed. */
static void
play_walk(struct fake_server *f)
{
	unsigned n = f->walks_count < FAKE_STREAMS_MAX ? f->walks_count : FAKE_STREAMS_MAX - 1;
	const uint8_t *stream;
	size_t len;

	while (n && !f->script.streams[n])
		n--;
	f->walks_count++;
	stream = f->script.streams[n];
	len = f->script.stream_lens[n];
	for (int i = 0; i < SESSIONS_MAX; i++) {
		struct session *s = &f->sessions[i];

		if (!s->id || !(s->keywords & WALK_KEYWORD))
			continue;
		if (f->script.fault_at && f->script.fault_at < len) {
			write_all(s->fd, stream, f->script.fault_at);
			if (f->script.fault == FAULT_DIE)
				_exit(0);
			if (f->script.fault == FAULT_STOP_SELF)
				raise(SIGSTOP);
			while (f->script.fault == FAULT_SILENT)
				pause();
			session_end(f, s);
		} else if (!write_all(s->fd, stream, len) || !repeat(f, s->fd, stream, len)) {
			session_end(f, s);
		}
	}
}

static uint64_t
keywords_of(unsigned command, const uint8_t *payload)
{
	/* The number of providers follows this many bytes, see capture/events/message.c. */
	static const size_t before[] = { [2] = 9, [3] = 10, [4] = 17, [5] = 21, [6] = 21 };

	return load(payload + before[command] + 4, 8);
}

static bool
grant(int fd, uint64_t id)
{
	uint8_t payload[8];

	store(payload, id, 8);
	return send_reply(fd, 0, payload, sizeof(payload));
}

/* With the keyword that collects, the walk is over before the answer. */
static void
start_session(struct fake_server *f, int fd, const uint8_t *head, const uint8_t *payload)
{
	unsigned command = head[17] - 1u;
	struct session *s = session_find(f, 0);
	uint64_t keywords;
	bool is_alone;

	if (command > f->script.newest_collect || !s) {
		log_command(f, head, 0, 0, 0);
		send_refusal(fd, s ? UNKNOWN_COMMAND : REFUSED);
		close(fd);
		return;
	}
	keywords = keywords_of(command, payload);
	log_command(f, head, keywords, f->next_id,
		    (uint32_t)load(payload + (command >= 5 ? 4 : 0), 4));
	if (play_fault(f, fd, keywords & COLLECT_KEYWORD ? FAKE_COLLECT : FAKE_LISTEN))
		return;
	if (f->script.walks_max && f->walks_count >= f->script.walks_max &&
	    keywords & COLLECT_KEYWORD) {
		send_refusal(fd, REFUSED);
		close(fd);
		return;
	}
	*s = (struct session){ fd, f->next_id++, keywords };
	count_session(f, s, 1);
	is_alone = keywords & WALK_KEYWORD;
	if (!is_alone && keywords & COLLECT_KEYWORD)
		play_walk(f);
	/* Who cannot be told has no session. */
	if (!grant(fd, s->id))
		session_end(f, s);
	else if (is_alone && keywords & COLLECT_KEYWORD)
		play_walk(f);
}

static void
stop_session(struct fake_server *f, int fd, const uint8_t *head, const uint8_t *payload)
{
	uint64_t id = load(payload, 8);
	struct session *s = id ? session_find(f, id) : NULL;

	log_command(f, head, 0, id, 0);
	if (play_fault(f, fd, FAKE_STOP))
		return;
	if (s)
		session_end(f, s);
	grant(fd, id);
	close(fd);
}

static void
serve(struct fake_server *f, int fd)
{
	static const uint8_t info_versions[] = { [0] = 1, [4] = 2, [8] = 3 };
	uint8_t head[HEADER], payload[REQUEST_MAX] = { 0 };
	size_t len;

	if (!read_all(fd, head, HEADER) || memcmp(head, magic, sizeof(magic)) != 0 ||
	    (len = load(head + 14, 2) - HEADER) > REQUEST_MAX || !read_all(fd, payload, len)) {
		close(fd);
		return;
	}
	if (head[16] == 2 && head[17] == 1) {
		stop_session(f, fd, head, payload);
	} else if (head[16] == 2) {
		start_session(f, fd, head, payload);
	} else {
		if (play_fault(f, fd, FAKE_INFO))
			return;
		answer_info(f, fd, head[17] <= 8 ? info_versions[head[17]] : 9);
		close(fd);
	}
}

/* ---- the process -----------------------------------------------------------
 */

const char *
fake_folder(void)
{
	const char *folder = getenv("TMPDIR");

	return folder && *folder == '/' ? folder : "/tmp";
}

static void
address_of(struct sockaddr_un *address, const struct fake_server *f)
{
	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if (f->script.port)
		snprintf(address->sun_path, sizeof(address->sun_path), "%s", f->script.port);
	else
		snprintf(address->sun_path, sizeof(address->sun_path), "%.20s/%s", fake_folder(),
			 f->name);
}

static int
connect_once(const struct fake_server *f)
{
	struct sockaddr_un address;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	address_of(&address, f);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static void
be_reversed(struct fake_server *f)
{
	uint8_t advertise[34] = "ADVR_V1";

	advertise[8] = 42; /* the cookie */
	store(advertise + 24, (uint64_t)getpid(), 8);
	for (;;) {
		int fd = connect_once(f);

		if (fd < 0) {
			poll(NULL, 0, 10); /* as the runtime does */
			continue;
		}
		if (write_all(fd, advertise, sizeof(advertise)))
			serve(f, fd);
		else
			close(fd);
	}
}

static void
be_server(struct fake_server *f)
{
	for (;;) {
		int fd = accept(f->listener, NULL, NULL);

		if (fd >= 0)
			serve(f, fd);
	}
}

static void
process_main(struct fake_server *f, int ready)
{
	struct sockaddr_un address;
	struct proc_stat stat;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	f->next_id = 0x100;
	/* "/.": the kernel's answer; an emulator has its own about itself. */
	if (!proc_stat(PROC_FOLDER "/.", getpid(), &stat))
		_exit(1);
	snprintf(f->name, sizeof(f->name), "dotnet-diagnostic-%d-%" PRIu64 "-socket", getpid(),
		 stat.start_ticks);
	if (f->script.port) {
		close(ready);
		be_reversed(f);
	}
	address_of(&address, f);
	f->listener = socket(AF_UNIX, SOCK_STREAM, 0);
	if (bind(f->listener, (struct sockaddr *)&address, sizeof(address)) ||
	    listen(f->listener, 255))
		_exit(1);
	close(ready);
	be_server(f);
}

struct fake_server *
fake_start(const struct fake_script *script)
{
	struct fake_server *f = calloc(1, sizeof(*f));
	struct proc_stat stat;
	char path[256] = "", byte;
	const char *base;
	int ready[2];

	assert(f && !pipe(ready));
	f->script = *script;
	f->log =
	    mmap(NULL, sizeof(*f->log), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert(f->log != MAP_FAILED);
	f->pid = fork();
	assert(f->pid >= 0);
	if (!f->pid) {
		close(ready[0]);
		process_main(f, ready[1]);
		_exit(1);
	}
	close(ready[1]);
	while (read(ready[0], &byte, 1) < 0 && errno == EINTR)
		;
	close(ready[0]);
	if (proc_stat(PROC_FOLDER, f->pid, &stat))
		snprintf(f->name, sizeof(f->name), "dotnet-diagnostic-%d-%" PRIu64 "-socket",
			 f->pid, stat.start_ticks);
	proc_read(PROC_FOLDER, f->pid, "cmdline", path, sizeof(path));
	base = strrchr(path, '/');
	snprintf(f->program, sizeof(f->program), "%s", base ? base + 1 : path);
	return f;
}

int32_t
fake_pid(const struct fake_server *f)
{
	return f->pid;
}

const char *
fake_program(const struct fake_server *f)
{
	return f->program;
}

const char *
fake_name(const struct fake_server *f)
{
	return f->name;
}

/* A command of our own comes after all that wait: its answer is the sign. */
static void
settle(struct fake_server *f)
{
	uint8_t request[HEADER] = { 0 }, byte;
	int fd = f->script.port ? -1 : connect_once(f);

	if (fd < 0)
		return;
	memcpy(request, magic, sizeof(magic));
	store(request + 14, HEADER, 2);
	request[16] = 4;
	if (write_all(fd, request, HEADER))
		while (read(fd, &byte, 1) > 0)
			;
	close(fd);
}

const struct fake_log *
fake_log(struct fake_server *f)
{
	settle(f);
	return f->log;
}

void
fake_free(struct fake_server *f)
{
	struct sockaddr_un address;

	kill(f->pid, SIGKILL);
	waitpid(f->pid, NULL, 0);
	if (!f->script.port) {
		address_of(&address, f);
		unlink(address.sun_path);
	}
	munmap(f->log, sizeof(*f->log));
	free(f);
}
