#define _GNU_SOURCE /* unshare() */
/* Commands to a runtime, against a fake one that answers well or badly. */
#include "capture/events/tracing.h"
#include "tests/made/fake_server.h"
#include "tests/drive/run_tests.h"
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct fake_script modern = { .version = "10.0.9",
					   .newest_info = 3,
					   .newest_collect = 5 };

/* A way to a fake process; false with the reason. */
static bool
open_fake(struct ipc *ipc, const struct fake_server *f, struct error *err)
{
	struct process p;

	error_clear(err);
	if (!process_look(&p, PROC_FOLDER, fake_pid(f), err))
		return false;
	return ipc_open(ipc, &p, PROC_FOLDER, NULL, err);
}

static void
must_open(struct ipc *ipc, const struct fake_server *f, struct error *err)
{
	assert_ok(open_fake(ipc, f, err), err);
}

TEST(asks_who_it_is)
{
	static const struct {
		unsigned newest;
		const char *version;
		unsigned major;
		bool has_pid;
	} rows[] = {
		{ 3, "10.0.9", 10, true },
		{ 2, "8.0.31", 8, true },
		{ 1, "", 0, true },
		{ 0, "", 0, false },
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct fake_script script = modern;
		struct runtime_info info;
		struct fake_server *f;
		struct error err;
		struct ipc ipc;

		script.newest_info = rows[i].newest;
		script.version = rows[i].version;
		f = fake_start(&script);
		must_open(&ipc, f, &err);
		assert_ok(ipc_process_info(&ipc, &info, &err), &err);
		assert_string_equal(info.version, rows[i].version);
		assert_int_equal(runtime_info_major(&info), rows[i].major);
		assert_int_equal(info.pid, rows[i].has_pid ? (uint64_t)fake_pid(f) : 0);
		ipc_close(&ipc);
		fake_free(f);
	}
}

static const struct tracing_request listening = {
	.command = 6,
	.buffer_mb = 64,
	.provider = "Microsoft-Windows-DotNETRuntime",
	.keywords = 0x1580001,
	.level = 4,
	.rundown_keywords = 8,
};

TEST(finds_the_newest_session_command)
{
	for (unsigned newest = 2; newest <= 6; newest++) {
		struct fake_script script = modern;
		struct tracing_request request = listening;
		const struct fake_log *log;
		struct fake_server *f;
		struct tracing s;
		struct error err;
		struct ipc ipc;
		int fd;

		script.newest_collect = newest;
		f = fake_start(&script);
		must_open(&ipc, f, &err);
		assert_ok(tracing_start(&s, &ipc, &request, &err), &err);
		assert_int_equal(request.command, newest);
		log = fake_log(f);
		assert_int_equal(log->count, 6 - newest + 1);
		assert_int_equal(log->open_sessions, 1);
		assert_int_equal(log->entries[log->count - 1].keywords, 0x1580001);
		assert_int_equal(log->entries[log->count - 1].buffer_mb, 64);
		assert_true(tracing_ask_stop(&s, &ipc, &fd, &err));
		assert_true(tracing_stopped(fd, &ipc, 5000, &err));
		assert_int_equal(fake_log(f)->open_sessions, 0);
		tracing_close(&s);
		ipc_close(&ipc);
		fake_free(f);
	}
}

/* ---- faults
 * ------------------------------------------------------------------ */

/* clang-format off */
static const struct {
	enum fake_fault fault;
	const char *info, *session; /* part of what is said */
} faults[] = {
	{ FAULT_SILENT,        "did not answer in time",     "did not answer in time" },
	{ FAULT_CLOSE,         "closed the connection",      "closed the connection" },
	{ FAULT_HALF_HEADER,   "closed the connection",      "closed the connection" },
	{ FAULT_MAGIC,         "is not a .NET runtime",      "is not a .NET runtime" },
	{ FAULT_SIZE,          "a message of 19 bytes",      "a message of 19 bytes" },
	{ FAULT_NO_REPLY,      "set 4, command 0",           "set 4, command 0" },
	{ FAULT_CUT_PAYLOAD,   "closed the connection",      "has 65515 bytes" },
	{ FAULT_WRONG_PAYLOAD, "offset 0x",                  "has 4 bytes" },
	{ FAULT_REFUSE,        "no room for another event session", "no room for another event session" },
	{ FAULT_DIE,           "closed the connection",      "closed the connection" },
};
/* clang-format on */

static bool
ask(enum fake_command command, struct ipc *ipc, struct error *err)
{
	struct tracing_request request = listening;
	struct runtime_info info;
	struct tracing s;

	return command == FAKE_INFO ? ipc_process_info(ipc, &info, err)
				    : tracing_start(&s, ipc, &request, err);
}

TEST(says_what_is_wrong)
{
	static const enum fake_command commands[] = { FAKE_INFO, FAKE_LISTEN };

	for (size_t i = 0; i < COUNT_OF(faults) * 2; i++) {
		const char *wanted[] = { faults[i / 2].info, faults[i / 2].session };
		struct fake_script script = modern;
		struct fake_server *f;
		struct error err;
		struct ipc ipc;

		script.command = commands[i % 2];
		script.fault = faults[i / 2].fault;
		f = fake_start(&script);
		must_open(&ipc, f, &err);
		ipc.timeout_ms = script.fault == FAULT_SILENT ? 100 : 60000;
		if (ask(script.command, &ipc, &err))
			fail_msg("fault %d was no failure", script.fault);
		if (!strstr(err.message, wanted[i % 2]) || err.kind != ERROR_ATTACH)
			fail_msg("fault %d of command %d: '%s'", script.fault, script.command,
				 err.message);
		/* It always says who. */
		assert_non_null(strstr(err.message, "process "));
		ipc_close(&ipc);
		fake_free(f);
	}
}

TEST(stops_waiting_when_cancelled)
{
	struct fake_script script = modern;
	struct progress progress = { 0 };
	struct runtime_info info;
	struct fake_server *f;
	struct error err;
	struct ipc ipc;

	script.command = FAKE_INFO;
	script.fault = FAULT_SILENT;
	f = fake_start(&script);
	must_open(&ipc, f, &err);
	ipc.progress = &progress;
	progress_cancel(&progress);
	assert_false(ipc_process_info(&ipc, &info, &err));
	assert_int_equal(err.kind, ERROR_CANCELLED);
	ipc_close(&ipc);
	fake_free(f);
}

TEST(says_when_nobody_listens)
{
	struct fake_server *f = fake_start(&modern);
	struct runtime_info info;
	struct error err;
	struct ipc ipc;

	must_open(&ipc, f, &err);
	kill(fake_pid(f), SIGKILL);
	/* Its socket is there still. */
	assert_int_equal(waitid(P_PID, (id_t)fake_pid(f), NULL, WEXITED | WNOWAIT), 0);
	assert_false(ipc_process_info(&ipc, &info, &err));
	assert_non_null(strstr(err.message, "no process listens at dotnet-diag"));
	assert_non_null(strstr(err.message, "is ending, or died"));
	ipc_close(&ipc);
	assert_false(open_fake(&ipc, f, &err));
	assert_non_null(strstr(err.message, "has ended"));
	fake_free(f);
}

/* Asks from a pid namespace in which the listener has no pid. */
static int
ask_from_inside(struct ipc *ipc)
{
	struct runtime_info info;
	struct error err;
	pid_t child;
	int status;

	if (unshare(CLONE_NEWPID))
		return 2;
	child = fork();
	if (!child) {
		error_clear(&err);
		_exit(ipc_process_info(ipc, &info, &err) ||
		      !strstr(err.message, "a process other than"));
	}
	return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 3;
}

TEST(trusts_no_peer_without_a_pid)
{
	struct fake_server *f = fake_start(&modern);
	struct error err;
	struct ipc ipc;
	int status;
	pid_t child;

	must_open(&ipc, f, &err);
	child = fork();
	if (!child)
		_exit(ask_from_inside(&ipc));
	assert_int_equal(waitpid(child, &status, 0), child);
	ipc_close(&ipc);
	fake_free(f);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 2) {
		printf("skipped: no pid namespace can be made\n");
		skip();
	}
	assert_int_equal(status, 0);
}

/* ---- runtimes that connect to us
 * ---------------------------------------------- */

static void
port_path(char path[80])
{
	snprintf(path, 80, "%.40s/test_ipc.%d.port", fake_folder(), getpid());
}

TEST(serves_who_connects)
{
	struct fake_script script = modern;
	struct tracing_request request = listening;
	struct runtime_info info;
	struct fake_server *f;
	struct tracing s;
	struct error err = { 0 };
	struct ipc ipc;
	char path[80];
	int fd;

	port_path(path);
	script.port = path;
	f = fake_start(&script);
	assert_ok(ipc_listen(&ipc, path, NULL, &err), &err);
	assert_int_equal(ipc.peer_pid, fake_pid(f));
	assert_true(ipc_process_info(&ipc, &info, &err));
	/* One that waits to be resumed may not be asked for more. */
	assert_string_equal(info.version, "");
	assert_true(tracing_start(&s, &ipc, &request, &err));
	assert_int_equal(request.command, 5);
	assert_true(tracing_ask_stop(&s, &ipc, &fd, &err));
	assert_true(tracing_stopped(fd, &ipc, 5000, &err));
	tracing_close(&s);
	ipc_close(&ipc);
	assert_int_equal(access(path, F_OK), -1);
	fake_free(f);
}

TEST(takes_no_place_that_is_taken)
{
	struct ipc ipc, other;
	struct error err = { 0 };
	char path[80];
	FILE *file;

	port_path(path);
	file = fopen(path, "w");
	assert_non_null(file);
	fclose(file);
	assert_false(ipc_listen(&ipc, path, NULL, &err));
	assert_non_null(strstr(err.message, "and is not a socket"));
	assert_int_equal(err.kind, ERROR_USAGE);
	unlink(path);

	error_clear(&err);
	assert_false(ipc_listen(&ipc,
				"/tmp/a-name-that-is-longer-than-any-socket-may"
				"-have-it-0123456789012345678901234567890123456"
				"789012345678901234567890",
				NULL, &err));
	assert_non_null(strstr(err.message, "at most 107 characters"));

	/* Somebody listens there: a fake process's own socket. */
	error_clear(&err);
	{
		struct fake_server *f = fake_start(&modern);
		char taken[160];

		snprintf(taken, sizeof(taken), "%s/%s", fake_folder(), fake_name(f));
		assert_false(ipc_listen(&other, taken, NULL, &err));
		assert_non_null(strstr(err.message, "another process already listens"));
		fake_free(f);
	}
}

/* ---- bytes
 * --------------------------------------------------------------------- */

/* As a real runtime is asked; the example of the protocol's description. */
TEST(writes_requests_as_described)
{
	static const uint8_t wanted[] = { 0x44, 0x4f, 0x54, 0x4e, 0x45, 0x54, 0x5f, 0x49, 0x50,
					  0x43, 0x5f, 0x56, 0x31, 0x00, 0x77, 0x00, 0x02, 0x03,
					  0x00, 0x00, 0x00, 0x04, 0x00, 0x00, 0x01, 0x00, 0x00,
					  0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x00, 0x98,
					  0x01, 0x00, 0x00, 0x00, 0x00, 0x05, 0x00, 0x00, 0x00,
					  0x20, 0x00, 0x00, 0x00, 0x4d, 0x00, 0x69, 0x00 };
	static const uint32_t unwanted[] = { 21, 22 };
	struct tracing_request request = {
		.command = 2,
		.buffer_mb = 1024,
		.provider = "Microsoft-Windows-DotNETRuntime",
		.keywords = 0x1980001,
		.level = 5,
	};
	struct message m;

	message_collect(&m, &request);
	assert_int_equal(m.len, 119);
	assert_memory_equal(m.data, wanted, sizeof(wanted));
	/* 5: kind, buffer, format, rundown, stacks, …, 13 of filter. */
	request.command = 5;
	request.unwanted = unwanted;
	request.unwanted_count = 2;
	message_collect(&m, &request);
	assert_int_equal(m.len, 119 + 4 + 7 + 1 + 13);
	assert_int_equal(m.data[m.len - 8], 21);
	request.command = 6;
	request.blocks = true;
	message_collect(&m, &request);
	assert_int_equal(m.len, 119 + 4 + 7 + 1 + 13 + 4);
	assert_int_equal(m.data[m.len - 4], 1);
	message_stop(&m, 0x00007fd36c001520);
	assert_int_equal(m.len, 28);
	assert_int_equal(m.data[20], 0x20);
}

TEST(reads_greetings)
{
	uint8_t data[MESSAGE_ADVERTISE_BYTES] = "ADVR_V1";
	struct advertise a;

	data[8] = 0xee;
	data[24] = 0x2a;
	data[25] = 0x26;
	assert_true(advertise_read(&a, data));
	assert_int_equal(a.cookie[0], 0xee);
	assert_int_equal(a.pid, 9770);
	data[6] = '2';
	assert_false(advertise_read(&a, data));
}

TEST(cleans_texts_of_runtimes)
{
	/* Version 2: pid, cookie, command, system, machine, assembly, version.
	 */
	uint8_t payload[64 + 24] = { 0 };
	struct runtime_info info;
	struct error err;
	size_t at = 24;

	for (int i = 0; i < 3; i++, at += 4)
		;        /* three strings that are absent */
	payload[at] = 5; /* ESC, half a pair, a whole pair, NUL */
	memcpy(payload + at + 4, "\x1b\0\x3d\xd8\x3d\xd8\x00\xde\0", 10);
	at += 14;
	payload[at] = 1; /* empty */
	at += 6;
	error_clear(&err);
	assert_true(runtime_info_read(&info, 2, payload, at, &err));
	assert_string_equal(info.assembly, "??\xf0\x9f\x98\x80");
	assert_string_equal(info.version, "");
	for (size_t len = 0; len < at; len++) {
		error_clear(&err);
		assert_false(runtime_info_read(&info, 2, payload, len, &err));
		assert_int_equal(err.kind, ERROR_INPUT);
	}
}
