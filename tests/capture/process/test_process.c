/*
 * From a pid to a socket, in made-up /proc folders: a table of processes with what is said of each.
 * Real ones are in test_live.c.
 */
#define _GNU_SOURCE /* setgid(), syscall() */
#include "capture/process/fate.h"
#include "capture/process/origin.h"
#include "capture/process/process.h"
#include "tests/drive/run_tests.h"
#include "tests/made/made_process.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/capability.h>

static bool
look(struct process *p, struct error *err)
{

	error_clear(err);
	return process_look(p, made_proc(), MADE_PID, err);
}

/* ---- tables -----------------------------------------------------------------
 */

#define RUNTIME "7f0-7f1 r-xp 0 8:1 7 /usr/share/dotnet/shared/"
#define MAPPED  RUNTIME "Microsoft.NETCore.App/10.0.9/libcoreclr.so\n"
#define ID64    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static const struct {
	const char *what;
	struct made_process process;
	const char *trouble; /* part of it; NULL: none */
	uint8_t dotnet;
} rows[] = {
	{ "an ordinary one", { 0 }, NULL, DOTNET_YES },
	{ "a name that looks like fields", { .comm = "a) R 1 (b" }, NULL, DOTNET_YES },
	{ "its own TMPDIR",
	  { .environ = "A=1|TMPDIR=/scratch/|B=2|", .folder = "scratch" },
	  NULL,
	  DOTNET_YES },
	{ "an empty TMPDIR", { .environ = "TMPDIR=|" }, NULL, DOTNET_YES },
	{ "variables that end alike", { .environ = "MYTMPDIR=/x|TMPDIRS=/y|" }, NULL, DOTNET_YES },
	{ "its own pids",
	  { .pids = "\t12\t1", .socket = "dotnet-diagnostic-1-268060-socket" },
	  NULL,
	  DOTNET_YES },
	{ "only the outer pid is in the name",
	  { .pids = "\t1" },
	  "is not a .NET process",
	  DOTNET_NO },
	{ "one that died and had the pid before",
	  { .socket = "dotnet-diagnostic-4711-268059-socket", .thread = ".NET Finalizer\n" },
	  "has no dotnet-diagnostic-4711-268060-socket",
	  DOTNET_YES },
	{ "stopped", { .state = 'T' }, "try: kill -CONT 4711", DOTNET_YES },
	{ "traced", { .state = 't' }, "held by a debugger (process 99)", DOTNET_YES },
	{ "a zombie", { .state = 'Z', .socket = "" }, "has ended", DOTNET_NO },
	{ "one that reads a runtime's file, as we do",
	  { .socket = "",
	    .maps = "7f0-7f1 r--p 0 8:1 7 /x/libcoreclr.so\n"
		    "7f2-7f3 r-xp 0 8:1 8 /lib/libc.so\n" },
	  "is not a .NET process",
	  DOTNET_NO },
	{ "switched off",
	  { .environ = "DOTNET_EnableDiagnostics=0|", .socket = "", .maps = MAPPED },
	  "started with DOTNET_EnableDiagnostics=0",
	  DOTNET_YES },
	{ "switched off by the old name",
	  { .environ = "COMPlus_EnableDiagnostics=0x0|", .socket = "", .maps = MAPPED },
	  "started with DOTNET_EnableDiagnostics=0",
	  DOTNET_YES },
	{ "only the commands switched off",
	  { .environ = "DOTNET_EnableDiagnostics_IPC=0|", .socket = "", .has_fifo = true },
	  "started with DOTNET_EnableDiagnostics_IPC=0",
	  DOTNET_YES },
	{ "the socket was removed",
	  { .socket = "", .has_fifo = true },
	  "or the file was removed",
	  DOTNET_YES },
	{ "perhaps Native AOT",
	  { .environ = "DOTNET_EnableDiagnostics=0|", .socket = "", .thread = ".NET SigHandler\n" },
	  "start it again without that, or read its memory with -m",
	  DOTNET_YES },
	{ "not .NET", { .socket = "" }, "is not a .NET process; try: heaptop -l", DOTNET_NO },
	{ "a thread of the kernel",
	  { .socket = "", .is_of_kernel = true },
	  "is a thread of the kernel, which has no heap",
	  DOTNET_NO },
	{ "a runtime as one file",
	  { .socket = "", .thread = ".NET SigHandler\n" },
	  "diagnostics are switched off",
	  DOTNET_YES },
	{ "waiting at its start",
	  { .environ = "DOTNET_DefaultDiagnosticPortSuspend=1|", .thread = ".NET EventPipe\n" },
	  "at its start until a tool resumes it (DOTNET_DefaultDiagnosticPortSuspend=1), and has "
	  "no heap yet; on its machine heaptop --start 4711 resumes it",
	  DOTNET_YES },
	{ "waiting at its start for a port",
	  { .environ = "DOTNET_DiagnosticPorts=/a,nosuspend;/b/c|", .thread = ".NET EventPipe\n" },
	  "has no heap yet; heaptop --port /b/c does",
	  DOTNET_YES },
	{ "not waiting for a port",
	  { .environ = "DOTNET_DiagnosticPorts=/a,nosuspend;/b,connect,nosuspend;|",
	    .thread = ".NET EventPipe\n" },
	  NULL,
	  DOTNET_YES },
	{ "resumed",
	  { .environ = "DOTNET_DefaultDiagnosticPortSuspend=1|", .thread = ".NET Finalizer\n" },
	  NULL,
	  DOTNET_YES },
	{ "a TMPDIR in its working folder",
	  { .environ = "TMPDIR=scratch/|", .folder = "scratch" },
	  NULL,
	  DOTNET_YES },
	{ "no temporary folder",
	  { .environ = "TMPDIR=/nowhere|", .maps = MAPPED },
	  "can be read only from memory, with -m: its temporary folder /nowhere cannot be opened: "
	  "No such file",
	  DOTNET_YES },
};

TEST(judges_processes)
{
	struct process p;
	struct error err;

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		made_process_begin(&rows[i].process);
		assert_true(look(&p, &err));
		made_process_end();
		if (rows[i].dotnet != p.dotnet)
			fail_msg("%s: %s", rows[i].what, "is it .NET?");
		if (!rows[i].trouble && p.trouble.kind != ERROR_NONE)
			fail_msg("%s: %s", rows[i].what, p.trouble.message);
		if (rows[i].trouble && !strstr(p.trouble.message, rows[i].trouble))
			fail_msg("%s: '%s'", rows[i].what, p.trouble.message);
		if (rows[i].trouble)
			assert_int_equal(
			    p.trouble.kind == ERROR_ATTACH || p.trouble.kind == ERROR_SYSTEM, true);
	}
}

/* A connection takes one of the process's own. */
static const struct {
	const char *limits; /* NULL: not readable */
	bool is_used_up;
} files[] = {
	{ "Max open files   20   4096   files\n", false },
	{ "Max open files   19   4096   files\n", true },
	{ "Max open files   4   4096   files\n", true },
	{ "Max open files   unlimited   unlimited   files\n", false },
	{ NULL, false },
};

TEST(leaves_processes_without_files_alone)
{
	static const struct made_process ordinary = { 0 };
	struct process p;
	struct error err;

	for (size_t i = 0; i < COUNT_OF(files); i++) {
		made_process_begin(&ordinary);
		if (files[i].limits)
			made_process_file("limits", files[i].limits);
		made_folder("proc/%d/fd", MADE_PID);
		for (int fd = 0; fd < 4; fd++)
			made_file("", "proc/%d/fd/%d", MADE_PID, fd);
		assert_true(look(&p, &err));
		made_process_end();
		if (files[i].is_used_up !=
		    (strstr(p.trouble.message, " files open, and a connection "
					       "takes one more, ") != NULL))
			fail_msg("row %zu: '%s'", i, p.trouble.message);
	}
}

TEST(reads_what_is_said)
{
	static const struct made_process m = {
		.command = "dotnet|--roll|/srv/My.Api.dll|--x=\x1b[2J|",
		.maps = "0-1 r--p 0 0 0 /lib/libc.so\n" MAPPED,
		.cgroup = "5:memory:/docker/" ID64 "\n0::/\n",
		.pids = "\t77\t3",
		.socket = "dotnet-diagnostic-3-268060-socket",
	};
	struct process p;
	struct error err;

	made_process_begin(&m);
	assert_true(look(&p, &err));
	made_process_end();
	assert_string_equal(p.name, "My.Api");
	assert_string_equal(p.runtime, "10.0.9");
	assert_string_equal(p.container, "0123456789ab");
	assert_string_equal(p.command, "dotnet --roll /srv/My.Api.dll --x=?[2J");
	assert_int_equal(p.inner_pid, 3);
	assert_int_equal(p.start_ticks, MADE_START);
	assert_int_equal(p.resident_bytes, 8000 * 1024);
	assert_int_equal(p.private_bytes, 5000 * 1024);
	assert_true(p.is_elsewhere);
}

/* The memory of a process whose user has many groups, in a long status. */
TEST(reads_a_long_status)
{
	static const struct made_process m = { .groups_count = 1800 };
	struct process p;
	struct error err;

	made_process_begin(&m);
	assert_true(look(&p, &err));
	made_process_end();
	assert_int_equal(p.resident_bytes, 8000 * 1024);
	assert_int_equal(p.private_bytes, 5000 * 1024);
}

TEST(refuses_links_out_of_the_root)
{
	static const struct made_process m = { .socket = "real" };
	char link[200], to[200];
	struct process p;
	struct error err;

	made_process_begin(&m);
	made_path(to, "root/tmp/real");
	made_path(link, "root/tmp/dotnet-diagnostic-%d-%d-socket", MADE_PID, MADE_START);
	assert_int_equal(symlink(to, link), 0);
	assert_true(look(&p, &err));
	made_process_end();
	assert_int_equal(p.dotnet, DOTNET_NO);
}

/* A folder that is a link is followed as the target would follow it. */
TEST(follows_links_inside_the_root)
{
	static const struct made_process m = { .folder = "elsewhere", .environ = "TMPDIR=/link|" };
	struct process p;
	struct error err;
	struct endpoint e;
	char link[200];

	if (syscall(SYS_openat2, AT_FDCWD, ".", NULL, 0) < 0 && errno == ENOSYS) {
		printf("skipped: links are not followed before Linux 5.6\n");
		skip();
	}
	made_process_begin(&m);
	made_path(link, "root/link");
	assert_int_equal(symlink("/elsewhere", link), 0);
	assert_true(look(&p, &err));
	assert_int_equal(p.trouble.kind, ERROR_NONE);
	assert_true(endpoint_open(&e, &p, made_proc(), &err));
	assert_string_equal(e.name, "dotnet-diagnostic-4711-268060-socket");
	endpoint_close(&e);
	made_process_end();
}

static bool
drop_capabilities(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { 0 };

	return !syscall(SYS_capset, &head, none);
}

/* As a user that may not look into the process: root must become one, or lose its capabilities. */
static int
look_as_another(struct process *p, bool is_weak_root)
{
	static const char *const hidden[] = { "environ", "maps" };
	char path[200], root[200];
	struct error err;

	for (int i = 0; i < 2; i++) {
		made_path(path, "proc/%d/%s", MADE_PID, hidden[i]);
		assert_int_equal(chmod(path, 0), 0);
	}
	made_path(root, "root");
	made_path(path, "proc/%d/root", MADE_PID);
	assert_int_equal(unlink(path), 0);
	made_path(path, "proc/%d/hidden", MADE_PID);
	assert_int_equal(mkdir(path, 0), 0);
	made_path(root, "proc/%d/root", MADE_PID);
	made_path(path, "proc/%d/hidden/x", MADE_PID);
	assert_int_equal(symlink(path, root), 0);
	if (!getuid() && is_weak_root && !drop_capabilities())
		return 2;
	if (!getuid() && !is_weak_root && (setgid(65534) || setuid(65534)))
		return 2;
	return !look(p, &err);
}

/* The made-up process shares no namespace with us, so that our own host name is not its. */
TEST(knows_where_it_runs)
{
	static const struct {
		const char *environ, *cgroup;
		const char *machine, *pod, *container;
	} places[] = {
		{ "A=1|", "0::/user.slice\n", "", "", "" },
		{ "HOSTNAME=box|", "0::/\n", "box", "", "" },
		{ "HOSTNAME=0123|", "0::/docker-" ID64 ".scope\n", "0123", "", "0123456789ab" },
		{ "HOSTNAME=web-1|", "0::/kubepods.slice/cri-" ID64 ".scope\n", "web-1", "web-1",
		  "0123456789ab" },
		{ "HOSTNAME=web-1|KUBERNETES_SERVICE_HOST=10.0.0.1|", "0::/\n", "web-1", "web-1",
		  "" },
		{ "HOSTNAME=node|POD_NAME=web-2|", "0::/\n", "node", "web-2", "" },
	};
	struct heap_origin o;
	struct process p;
	struct error err;

	for (size_t i = 0; i < COUNT_OF(places); i++) {
		const struct made_process m = {
			.command = "dotnet|/srv/My.Api.dll|",
			.maps = MAPPED,
			.environ = places[i].environ,
			.cgroup = places[i].cgroup,
		};

		made_process_begin(&m);
		assert_true(look(&p, &err));
		process_origin(&o, &p, made_proc());
		made_process_end();
		assert_string_equal(o.program, "My.Api");
		assert_string_equal(o.machine, places[i].machine);
		assert_string_equal(o.pod, places[i].pod);
		assert_string_equal(o.container, places[i].container);
		assert_true(o.time > 0);
	}
}

TEST(says_whom_it_belongs_to)
{
	static const struct {
		struct made_process process;
		const char *trouble;
		bool is_weak_root;
	} others[] = {
		{ { .thread = ".NET Finalizer\n", .socket = "" },
		  "may talk to it; try: sudo heaptop 4711",
		  false },
		{ { .thread = ".NET Finalizer\n", .socket = "", .uid = 65534 },
		  "belongs to user nobody, and only nobody and root may talk to it; try: sudo -u "
		  "nobody heaptop 4711",
		  false },
		{ { .thread = ".NET Finalizer\n", .socket = "", .uid = 64321 },
		  "try: sudo -u '#64321' heaptop 4711",
		  false },
		{ { .thread = ".NET Finalizer\n",
		    .pids = "\t5",
		    .cgroup = "0::/docker-" ID64 ".scope\n",
		    .socket = "" },
		  "is in container 0123456789ab, into which only root may look; try: sudo heaptop "
		  "4711",
		  false },
		{ { .thread = ".NET Finalizer\n",
		    .pids = "\t5",
		    .cgroup = "0::/docker-" ID64 ".scope\n",
		    .socket = "" },
		  "try: docker exec 0123456789ab heaptop 5",
		  true },
		{ { .thread = ".NET Finalizer\n",
		    .pids = "\t5",
		    .cgroup = "0::/kubepods.slice/cri-" ID64 ".scope\n",
		    .socket = "" },
		  "try: kubectl debug POD -it --profile=sysadmin --image=IMAGE --target=CONTAINER "
		  "-- heaptop 5",
		  true },
		{ { .thread = ".NET Finalizer\n", .socket = "" },
		  "docker run --cap-add=SYS_PTRACE; or outside this container: sudo heaptop, which "
		  "lists it",
		  true },
	};
	for (size_t i = 0; i < COUNT_OF(others); i++) {
		int status = 0;
		pid_t child;

		/* Whose it is: only root can give folders away. */
		if ((others[i].is_weak_root || !others[i].process.pids) && getuid())
			continue;
		made_process_begin(&others[i].process);
		child = fork();
		if (!child) {
			struct process p;
			int code = look_as_another(&p, others[i].is_weak_root);

			if (!code && !strstr(p.trouble.message, others[i].trouble)) {
				printf("%s\n", p.trouble.message);
				code = 3;
			}
			fflush(stdout);
			_exit(code);
		}
		waitpid(child, &status, 0);
		made_process_end();
		assert_int_equal(status, 0);
	}
}

TEST(tells_reused_pids_apart)
{
	static const struct made_process m = { 0 };
	struct process p;
	struct error err;
	struct endpoint e;

	made_process_begin(&m);
	assert_true(look(&p, &err));
	assert_true(process_is_alive(&p, made_proc()));
	p.start_ticks--;
	assert_false(process_is_alive(&p, made_proc()));
	assert_false(endpoint_open(&e, &p, made_proc(), &err));
	assert_string_equal(err.message, "process 4711 (api) has ended");
	made_process_end();
	assert_false(look(&p, &err));
	assert_string_equal(err.message,
			    "there is no process 4711; heaptop -l and :processes list the .NET "
			    "processes");
}

TEST(lists_what_runs)
{
	static const struct made_process m = { .command = "dotnet|api.dll|" };
	struct process_list list;
	struct error err = { 0 };

	made_process_begin(&m);
	made_folder("proc/12"); /* ended while we looked */
	made_folder("proc/sys");
	assert_true(process_list(&list, made_proc(), &err));
	made_process_end();
	assert_int_equal(list.count, 1);
	assert_string_equal(list.processes[0].name, "api");
	assert_int_equal(list.processes[0].pid, MADE_PID);
	process_list_clear(&list);
	assert_false(process_list(&list, made_proc(), &err));
	assert_int_equal(err.kind, ERROR_SYSTEM);
}

/* ---- how it ended
 * ------------------------------------------------------------- */

static const struct {
	const char *group, *after, *machine; /* NULL: the group is gone */
	const char *says;
} ends[] = {
	{ "low 0\noom 1\noom_kill 3\n", "oom 2\noom_kill 4\n", "oom_kill 8\n",
	  "was killed (out of memory in its cgroup) before " },
	{ "oom 1\noom_kill 3\n", "oom 2\noom_kill 3\n", "oom_kill 8\n", "has ended before " },
	{ "oom_kill 3\n", NULL, "oom_kill 8\n", "seems to have been killed (the kernel just " },
	{ "oom_kill 3\n", NULL, "pgfault 1\noom_kill 7\n", "has ended before " },
};

TEST(says_how_it_ended)
{
	for (size_t i = 0; i < COUNT_OF(ends); i++) {
		struct made_process m = { .cgroup = "0::/a\n" };
		char path[200];
		struct process p;
		struct error err;
		struct fate f;

		made_process_begin(&m);
		made_file(ends[i].group, "root/a/memory.events");
		made_file("oom_kill 7\n", "proc/vmstat");
		assert_true(look(&p, &err));
		fate_begin(&f, &p, made_proc(), made_root());
		assert_true(fate_lives(&f, &p, made_proc(), "it", &err));
		made_path(path, "root/a/memory.events");
		if (ends[i].after)
			made_file(ends[i].after, "root/a/memory.events");
		else
			assert_int_equal(unlink(path), 0);
		made_file(ends[i].machine, "proc/vmstat");
		made_path(path, "proc/%d/stat", MADE_PID);
		assert_int_equal(unlink(path), 0);
		assert_false(fate_lives(&f, &p, made_proc(), "it", &err));
		made_process_end();
		assert_int_equal(err.kind, ERROR_ATTACH);
		if (strncmp(err.message + 3, ends[i].says, strlen(ends[i].says)) != 0)
			fail_msg("%s", err.message);
	}
}
