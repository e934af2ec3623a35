/*
 * From a pid to a socket, in made-up /proc folders: a table of processes with
 * what is said of each. Real ones are in test_live.c.
 */
#define _GNU_SOURCE /* setresuid(), nftw() */
#include "capture/process/fate.h"
#include "capture/process/process.h"
#include "capture/process/room.h"
#include "tests/drive/run_tests.h"
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/capability.h>

enum { PID = 4711, START = 268060 };
static char base[32]; /* holds proc/ and root/, the target's root */

/* ---- a made-up process ----------------------------------------------------
 */

static void path_in(char path[200], const char *format, ...) PRINTF_LIKE(2, 3);
static void
path_in(char path[200], const char *format, ...)
{
	va_list args;
	int len = snprintf(path, 200, "%s/", base);

	va_start(args, format);
	vsnprintf(path + len, 200 - (size_t)len, format, args);
	va_end(args);
}

static void
put_file(const char *name, const char *text, size_t len)
{
	char path[200];
	int fd;

	path_in(path, "%s", name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, len), (int)len);
	close(fd);
}

static void
put_process_file(const char *name, const char *text)
{
	char path[200];

	snprintf(path, sizeof(path), "proc/%d/%s", PID, name);
	put_file(path, text, strlen(text));
}

static void
make_folder(const char *name)
{
	char path[200];

	path_in(path, "%s", name);
	assert_true(!mkdir(path, 0755) || errno == EEXIST);
}

/* A socket; nobody needs to listen. */
static void
make_socket(const char *name)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s/root/%.60s",
		 base, name);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)),
			 0);
	close(fd);
}

static int
remove_one(const char *path, const struct stat *st, int kind, struct FTW *where)
{
	(void)st, (void)kind, (void)where;
	return remove(path);
}

static void
end_process(void)
{
	nftw(base, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

struct made_up {
	char state;                    /* 0: S */
	const char *comm;              /* NULL: "api" */
	const char *pids;              /* NULL: one */
	const char *environ, *command; /* variables end with | */
	const char *folder;            /* of the socket; NULL: tmp */
	const char *socket; /* its name; NULL: the right one; "": none */
	const char *maps, *thread, *cgroup;
	bool has_fifo;
	uint32_t uid; /* 0: ours */
};

static void
put_bars(const char *name, const char *text)
{
	char path[200], data[400];
	size_t len = text ? strlen(text) : 0;

	for (size_t i = 0; i < len; i++)
		data[i] = text[i] == '|' ? '\0' : text[i];
	snprintf(path, sizeof(path), "proc/%d/%s", PID, name);
	put_file(path, data, len);
}

static void
put_numbers(const struct made_up *m)
{
	char text[400];
	const char *comm = m->comm ? m->comm : "api";
	uint32_t uid = m->uid ? m->uid : getuid();

	snprintf(text, sizeof(text),
		 "%d (%s) %c 1 2 3 0 -1 4194560 10 11 12 13 70 30 14 15 20 0 "
		 "9 0 %d 100 200\n",
		 PID, comm, m->state ? m->state : 'S', START);
	put_process_file("stat", text);
	snprintf(text, sizeof(text),
		 "Name:\t%s\nTracerPid:\t%d\nUid:\t%u\t%u\t%u\t%u\nNSpid:\t%d%s"
		 "\nVmHWM:\t 9000 kB\nVmRSS:\t  8000 kB\nRssAnon:\t 5000 kB\n",
		 comm, m->state == 't' ? 99 : 0, uid, uid, uid, uid, PID,
		 m->pids ? m->pids : "");
	put_process_file("status", text);
	snprintf(text, sizeof(text), "%s\n", comm);
	put_process_file("comm", text);
}

static void
put_sockets(const struct made_up *m)
{
	char name[120], path[200];
	const char *folder = m->folder ? m->folder : "tmp";

	snprintf(name, sizeof(name), "root/%s", folder);
	make_folder(name);
	if (!m->socket)
		snprintf(name, sizeof(name),
			 "%s/dotnet-diagnostic-%d-%d-socket", folder, PID,
			 START);
	else
		snprintf(name, sizeof(name), "%s/%s", folder, m->socket);
	if (!m->socket || *m->socket)
		make_socket(name);
	if (m->has_fifo) {
		path_in(path, "root/%s/clr-debug-pipe-%d-%d-in", folder, PID,
			START);
		assert_int_equal(mkfifo(path, 0600), 0);
	}
}

static void
begin_process(const struct made_up *m)
{
	char name[64], target[200], path[200];

	snprintf(base, sizeof(base), "/tmp/test_process.XXXXXX");
	assert_non_null(mkdtemp(base));
	assert_int_equal(chmod(base, 0755), 0);
	make_folder("proc");
	make_folder("root");
	for (int i = 0; i < 3; i++) {
		static const char *const inside[] = { "", "/task", "/task/1" };

		snprintf(name, sizeof(name), "proc/%d%s", PID, inside[i]);
		make_folder(name);
	}
	put_numbers(m);
	put_bars("environ", m->environ);
	put_bars("cmdline", m->command ? m->command : "/srv/api|serve|");
	put_process_file("maps", m->maps ? m->maps : "");
	put_process_file("cgroup", m->cgroup ? m->cgroup : "0::/\n");
	put_process_file("task/1/comm", m->thread ? m->thread : "main\n");
	path_in(target, "root");
	path_in(path, "proc/%d/root", PID);
	assert_int_equal(symlink(target, path), 0);
	put_sockets(m);
}

static bool
look(struct process *p, struct error *err)
{
	char proc[200];

	path_in(proc, "proc");
	error_clear(err);
	return process_look(p, proc, PID, err);
}

/* ---- tables -----------------------------------------------------------------
 */

#define RUNTIME "7f0-7f1 r-xp 0 8:1 7 /usr/share/dotnet/shared/"
#define MAPPED  RUNTIME "Microsoft.NETCore.App/10.0.9/libcoreclr.so\n"
#define ID64    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static const struct {
	const char *what;
	struct made_up process;
	const char *trouble; /* part of it; NULL: none */
	uint8_t dotnet;
} rows[] = {
	{ "an ordinary one", { 0 }, NULL, DOTNET_YES },
	{ "a name that looks like fields",
	  { .comm = "a) R 1 (b" },
	  NULL,
	  DOTNET_YES },
	{ "its own TMPDIR",
	  { .environ = "A=1|TMPDIR=/scratch/|B=2|", .folder = "scratch" },
	  NULL,
	  DOTNET_YES },
	{ "an empty TMPDIR", { .environ = "TMPDIR=|" }, NULL, DOTNET_YES },
	{ "variables that end alike",
	  { .environ = "MYTMPDIR=/x|TMPDIRS=/y|" },
	  NULL,
	  DOTNET_YES },
	{ "its own pids",
	  { .pids = "\t12\t1", .socket = "dotnet-diagnostic-1-268060-socket" },
	  NULL,
	  DOTNET_YES },
	{ "only the outer pid is in the name",
	  { .pids = "\t1" },
	  "is not a .NET process",
	  DOTNET_NO },
	{ "one that died and had the pid before",
	  { .socket = "dotnet-diagnostic-4711-268059-socket",
	    .thread = ".NET Finalizer\n" },
	  "has no dotnet-diagnostic-4711-268060-socket",
	  DOTNET_YES },
	{ "stopped", { .state = 'T' }, "try: kill -CONT 4711", DOTNET_YES },
	{ "traced",
	  { .state = 't' },
	  "held by a debugger (process 99)",
	  DOTNET_YES },
	{ "a zombie", { .state = 'Z', .socket = "" }, "has ended", DOTNET_NO },
	{ "one that reads a runtime's file, as we do",
	  { .socket = "",
	    .maps = "7f0-7f1 r--p 0 8:1 7 /x/libcoreclr.so\n"
		    "7f2-7f3 r-xp 0 8:1 8 /lib/libc.so\n" },
	  "is not a .NET process",
	  DOTNET_NO },
	{ "switched off",
	  { .environ = "DOTNET_EnableDiagnostics=0|",
	    .socket = "",
	    .maps = MAPPED },
	  "started with DOTNET_EnableDiagnostics=0",
	  DOTNET_YES },
	{ "switched off by the old name",
	  { .environ = "COMPlus_EnableDiagnostics=0x0|",
	    .socket = "",
	    .maps = MAPPED },
	  "started with DOTNET_EnableDiagnostics=0",
	  DOTNET_YES },
	{ "only the commands switched off",
	  { .environ = "DOTNET_EnableDiagnostics_IPC=0|",
	    .socket = "",
	    .has_fifo = true },
	  "started with DOTNET_EnableDiagnostics_IPC=0",
	  DOTNET_YES },
	{ "the socket was removed",
	  { .socket = "", .has_fifo = true },
	  "or the file was removed",
	  DOTNET_YES },
	{ "perhaps Native AOT",
	  { .environ = "DOTNET_EnableDiagnostics=0|",
	    .socket = "",
	    .thread = ".NET SigHandler\n" },
	  "(unless it was compiled by Native AOT)",
	  DOTNET_YES },
	{ "not .NET",
	  { .socket = "" },
	  "is not a .NET process; try: heaptop -l",
	  DOTNET_NO },
	{ "a runtime as one file",
	  { .socket = "", .thread = ".NET SigHandler\n" },
	  "diagnostics are switched off",
	  DOTNET_YES },
	{ "no temporary folder",
	  { .environ = "TMPDIR=/nowhere|", .maps = MAPPED },
	  "can be read only from memory (heaptop -m 4711): its temporary "
	  "folder /nowhere cannot be opened: No such file",
	  DOTNET_YES },
};

static void
judges_processes(void **state)
{
	struct process p;
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		begin_process(&rows[i].process);
		assert_true(look(&p, &err));
		end_process();
		if (rows[i].dotnet != p.dotnet)
			fail_msg("%s: %s", rows[i].what, "is it .NET?");
		if (!rows[i].trouble && p.trouble.kind != ERROR_NONE)
			fail_msg("%s: %s", rows[i].what, p.trouble.message);
		if (rows[i].trouble &&
		    !strstr(p.trouble.message, rows[i].trouble))
			fail_msg("%s: '%s'", rows[i].what, p.trouble.message);
		if (rows[i].trouble)
			assert_int_equal(p.trouble.kind == ERROR_ATTACH ||
					     p.trouble.kind == ERROR_SYSTEM,
					 true);
	}
}

static void
reads_what_is_said(void **state)
{
	static const struct made_up m = {
		.command = "dotnet|--roll|/srv/My.Api.dll|--x=\x1b[2J|",
		.maps = "0-1 r--p 0 0 0 /lib/libc.so\n" MAPPED,
		.cgroup = "5:memory:/docker/" ID64 "\n0::/\n",
		.pids = "\t77\t3",
		.socket = "dotnet-diagnostic-3-268060-socket",
	};
	struct process p;
	struct error err;

	(void)state;
	begin_process(&m);
	assert_true(look(&p, &err));
	end_process();
	assert_string_equal(p.name, "My.Api");
	assert_string_equal(p.runtime, "10.0.9");
	assert_string_equal(p.container, "0123456789ab");
	assert_string_equal(p.command,
			    "dotnet --roll /srv/My.Api.dll --x=?[2J");
	assert_int_equal(p.inner_pid, 3);
	assert_int_equal(p.start_ticks, START);
	assert_int_equal(p.resident_bytes, 8000 * 1024);
	assert_int_equal(p.private_bytes, 5000 * 1024);
	assert_true(p.is_elsewhere);
}

static void
refuses_links_out_of_the_root(void **state)
{
	static const struct made_up m = { .socket = "real" };
	char link[200], to[200];
	struct process p;
	struct error err;

	(void)state;
	begin_process(&m);
	path_in(to, "root/tmp/real");
	path_in(link, "root/tmp/dotnet-diagnostic-%d-%d-socket", PID, START);
	assert_int_equal(symlink(to, link), 0);
	assert_true(look(&p, &err));
	end_process();
	assert_int_equal(p.dotnet, DOTNET_NO);
}

/* A folder that is a link is followed as the target would follow it. */
static void
follows_links_inside_the_root(void **state)
{
	static const struct made_up m = { .folder = "elsewhere",
					  .environ = "TMPDIR=/link|" };
	struct process p;
	struct error err;
	struct endpoint e;
	char link[200], proc[200];

	(void)state;
	if (syscall(SYS_openat2, AT_FDCWD, ".", NULL, 0) < 0 &&
	    errno == ENOSYS) {
		printf("skipped: links are not followed before Linux 5.6\n");
		skip();
	}
	begin_process(&m);
	path_in(link, "root/link");
	assert_int_equal(symlink("/elsewhere", link), 0);
	path_in(proc, "proc");
	assert_true(look(&p, &err));
	assert_int_equal(p.trouble.kind, ERROR_NONE);
	assert_true(endpoint_open(&e, &p, proc, &err));
	assert_string_equal(e.name, "dotnet-diagnostic-4711-268060-socket");
	endpoint_close(&e);
	end_process();
}

static bool
drop_capabilities(void)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { 0 };

	return !syscall(SYS_capset, &head, none);
}

/*
 * As a user that may not look into the process: root must become one, or lose
 * its capabilities.
 */
static int
look_as_another(struct process *p, bool is_weak_root)
{
	static const char *const hidden[] = { "environ", "maps" };
	char path[200], root[200];
	struct error err;

	for (int i = 0; i < 2; i++) {
		path_in(path, "proc/%d/%s", PID, hidden[i]);
		assert_int_equal(chmod(path, 0), 0);
	}
	path_in(root, "root");
	path_in(path, "proc/%d/root", PID);
	assert_int_equal(unlink(path), 0);
	path_in(path, "proc/%d/hidden", PID);
	assert_int_equal(mkdir(path, 0), 0);
	path_in(root, "proc/%d/root", PID);
	path_in(path, "proc/%d/hidden/x", PID);
	assert_int_equal(symlink(path, root), 0);
	if (!getuid() && is_weak_root && !drop_capabilities())
		return 2;
	if (!getuid() && !is_weak_root && (setgid(65534) || setuid(65534)))
		return 2;
	return !look(p, &err);
}

static void
says_whom_it_belongs_to(void **state)
{
	static const struct {
		struct made_up process;
		const char *trouble;
		bool is_weak_root;
	} others[] = {
		{ { .thread = ".NET Finalizer\n", .socket = "" },
		  "may talk to it; try: sudo heaptop 4711",
		  false },
		{ { .thread = ".NET Finalizer\n", .socket = "", .uid = 65534 },
		  "belongs to user nobody, and only nobody and root may talk "
		  "to it; try: sudo -u nobody heaptop 4711",
		  false },
		{ { .thread = ".NET Finalizer\n", .socket = "", .uid = 64321 },
		  "try: sudo -u '#64321' heaptop 4711",
		  false },
		{ { .thread = ".NET Finalizer\n",
		    .pids = "\t5",
		    .cgroup = "0::/docker-" ID64 ".scope\n",
		    .socket = "" },
		  "is in container 0123456789ab, into which only root may "
		  "look; try: sudo heaptop 4711",
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
		  "try: kubectl debug POD -it --profile=sysadmin "
		  "--image=IMAGE --target=CONTAINER -- heaptop 5",
		  true },
		{ { .thread = ".NET Finalizer\n", .socket = "" },
		  "docker run --cap-add=SYS_PTRACE; or outside this container: "
		  "sudo heaptop, which lists it",
		  true },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		int status = 0;
		pid_t child;

		/* Whose it is: only root can give folders away. */
		if ((others[i].is_weak_root || !others[i].process.pids) &&
		    getuid())
			continue;
		begin_process(&others[i].process);
		child = fork();
		if (!child) {
			struct process p;
			int code = look_as_another(&p, others[i].is_weak_root);

			if (!code &&
			    !strstr(p.trouble.message, others[i].trouble)) {
				printf("%s\n", p.trouble.message);
				code = 3;
			}
			fflush(stdout);
			_exit(code);
		}
		waitpid(child, &status, 0);
		end_process();
		assert_int_equal(status, 0);
	}
}

static void
tells_reused_pids_apart(void **state)
{
	static const struct made_up m = { 0 };
	struct process p;
	struct error err;
	struct endpoint e;
	char proc[200];

	(void)state;
	begin_process(&m);
	path_in(proc, "proc");
	assert_true(look(&p, &err));
	assert_true(process_is_alive(&p, proc));
	p.start_ticks--;
	assert_false(process_is_alive(&p, proc));
	assert_false(endpoint_open(&e, &p, proc, &err));
	assert_string_equal(err.message, "process 4711 (api) has ended");
	end_process();
	assert_false(look(&p, &err));
	assert_string_equal(err.message, "there is no process 4711; those that "
					 "run: :processes, or heaptop -l");
}

static void
lists_what_runs(void **state)
{
	static const struct made_up m = { .command = "dotnet|api.dll|" };
	struct process_list list;
	struct error err;
	char proc[200];

	(void)state;
	begin_process(&m);
	make_folder("proc/12"); /* ended while we looked */
	make_folder("proc/sys");
	path_in(proc, "proc");
	error_clear(&err);
	assert_true(process_list(&list, proc, &err));
	end_process();
	assert_int_equal(list.count, 1);
	assert_string_equal(list.processes[0].name, "api");
	assert_int_equal(list.processes[0].pid, PID);
	process_list_clear(&list);
	assert_false(process_list(&list, proc, &err));
	assert_int_equal(err.kind, ERROR_SYSTEM);
}

/* ---- memory limits
 * ------------------------------------------------------------ */

static const struct {
	const char *what, *cgroup;
	struct { /* in the folder of the groups */
		const char *name, *text;
	} files[5];
	uint64_t limit, used, headroom;
	enum cgroup_cache cache;
	const char *name; /* of the limit; NULL: not looked at */
	bool is_hidden;
} groups[] = {
	{ "v2, the parent is tighter",
	  "0::/a/b\n",
	  { { "a/b/memory.max", "1000000\n" },
	    { "a/b/memory.current", "200000\n" },
	    { "a/memory.max", "500000\n" },
	    { "a/memory.current", "400000\n" },
	    { "a/memory.stat", "anon 1\ninactive_file 100000\n" } },
	  500000,
	  300000,
	  200000,
	  CGROUP_CACHE_FREE,
	  NULL,
	  false },
	{ "v2, no limit",
	  "0::/a\n",
	  { { "a/memory.max", "max\n" }, { "a/memory.current", "5\n" } },
	  0,
	  0,
	  64000 * 1024,
	  CGROUP_CACHE_FREE,
	  NULL,
	  false },
	{ "v1, names from outside the container",
	  "3:cpu:/x\n4:memory:/docker/abc\n0::/\n",
	  { { "memory/memory.limit_in_bytes", "3000000\n" },
	    { "memory/memory.usage_in_bytes", "1000000\n" } },
	  3000000,
	  1000000,
	  2000000,
	  CGROUP_CACHE_FREE,
	  NULL,
	  true },
	{ "v1, no limit",
	  "4:memory:/a\n",
	  { { "memory/a/memory.limit_in_bytes", "9223372036854771712\n" },
	    { "memory/a/memory.usage_in_bytes", "1\n" } },
	  0,
	  0,
	  64000 * 1024,
	  CGROUP_CACHE_FREE,
	  NULL,
	  false },
	{ "half of the file cache that is clean and not mapped",
	  "0::/a\n",
	  { { "a/memory.max", "1000000\n" },
	    { "a/memory.current", "600000\n" },
	    { "a/memory.stat",
	      "file_mapped 10000\nfile_dirty 20000\nfile_writeback 30000\n"
	      "inactive_file 100000\nactive_file 160000\n" } },
	  1000000,
	  500000,
	  500000,
	  CGROUP_CACHE_HALF,
	  "memory.max",
	  false },
	{ "all of it is busy",
	  "4:memory:/a\n",
	  { { "memory/a/memory.limit_in_bytes", "1000000\n" },
	    { "memory/a/memory.usage_in_bytes", "600000\n" },
	    { "memory/a/memory.stat",
	      "total_mapped_file 90000\ntotal_dirty 90000\n"
	      "total_inactive_file 100000\n" } },
	  1000000,
	  600000,
	  400000,
	  CGROUP_CACHE_HALF,
	  "memory.limit_in_bytes",
	  false },
	{ "v2, it is made to wait before it is killed",
	  "0::/a/b\n",
	  { { "a/b/memory.max", "1000000\n" },
	    { "a/b/memory.high", "700000\n" },
	    { "a/b/memory.current", "600000\n" } },
	  700000,
	  600000,
	  100000,
	  CGROUP_CACHE_HALF,
	  "memory.high",
	  false },
	{ "v1, with what is swapped",
	  "4:memory:/a\n",
	  { { "memory/a/memory.limit_in_bytes", "1000000\n" },
	    { "memory/a/memory.usage_in_bytes", "400000\n" },
	    { "memory/a/memory.memsw.limit_in_bytes", "1100000\n" },
	    { "memory/a/memory.memsw.usage_in_bytes", "900000\n" } },
	  1100000,
	  900000,
	  200000,
	  CGROUP_CACHE_HALF,
	  "memory.memsw.limit_in_bytes",
	  false },
	{ "v1, the group above the one above",
	  "4:memory:/a/b/c\n",
	  { { "memory/a/b/c/memory.limit_in_bytes", "900000\n" },
	    { "memory/a/b/c/memory.usage_in_bytes", "1000\n" },
	    { "memory/a/memory.limit_in_bytes", "950000\n" },
	    { "memory/a/memory.usage_in_bytes", "800000\n" } },
	  950000,
	  800000,
	  150000,
	  CGROUP_CACHE_HALF,
	  "memory.limit_in_bytes",
	  false },
	{ "v2, of another container",
	  "0::/../abc\n",
	  { { "memory.max", "1000000\n" }, { "memory.current", "2\n" } },
	  1000000,
	  2,
	  999998,
	  CGROUP_CACHE_HALF,
	  NULL,
	  true },
	{ "v2, a name from outside",
	  "0::/docker/abc\n",
	  { { "memory.max", "max\n" } },
	  0,
	  0,
	  64000 * 1024,
	  CGROUP_CACHE_HALF,
	  NULL,
	  true },
	{ "v2, of another container, as it sees itself",
	  "0::/../abc\n",
	  { { "sys/fs/cgroup/memory.max", "500000\n" },
	    { "sys/fs/cgroup/memory.current", "100000\n" },
	    { "sys/fs/cgroup/memory.stat", "anon 1\n" },
	    { "memory.max", "1000\n" } },
	  500000,
	  100000,
	  400000,
	  CGROUP_CACHE_HALF,
	  "memory.max",
	  false },
	{ "used beyond the limit",
	  "0::/\n",
	  { { "memory.max", "1000\n" }, { "memory.current", "2000\n" } },
	  1000,
	  2000,
	  0,
	  CGROUP_CACHE_FREE,
	  NULL,
	  false },
	{ "more allowed than there is",
	  "0::/\n",
	  { { "memory.max", "900000000\n" }, { "memory.current", "1000\n" } },
	  900000000,
	  1000,
	  64000 * 1024,
	  CGROUP_CACHE_FREE,
	  NULL,
	  false },
};

static void
measures_headroom(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		struct made_up m = { .cgroup = groups[i].cgroup };
		struct cgroup_memory memory;
		char proc[200], folder[200], name[64];

		begin_process(&m);
		put_file("proc/meminfo", "MemAvailable:   64000 kB\n", 25);
		make_folder("root/a");
		make_folder("root/a/b");
		make_folder("root/memory");
		make_folder("root/memory/a");
		make_folder("root/memory/a/b");
		make_folder("root/memory/a/b/c");
		make_folder("root/sys");
		make_folder("root/sys/fs");
		make_folder("root/sys/fs/cgroup");
		for (int k = 0; k < 5 && groups[i].files[k].name; k++) {
			snprintf(name, sizeof(name), "root/%s",
				 groups[i].files[k].name);
			put_file(name, groups[i].files[k].text,
				 strlen(groups[i].files[k].text));
		}
		path_in(proc, "proc");
		path_in(folder, "root");
		cgroup_memory(&memory, proc, folder, PID, groups[i].cache);
		end_process();
		if (memory.is_hidden != groups[i].is_hidden ||
		    (groups[i].name &&
		     strcmp(memory.limit, groups[i].name) != 0) ||
		    memory.limit_bytes != groups[i].limit ||
		    memory.used_bytes != groups[i].used ||
		    memory.headroom_bytes != groups[i].headroom)
			fail_msg("%s: %" PRIu64 " %" PRIu64 " %" PRIu64,
				 groups[i].what, memory.limit_bytes,
				 memory.used_bytes, memory.headroom_bytes);
	}
}

/* What we take is taken from the same room, or it is not. */
static const struct {
	const char *ours; /* group; that of the process is /a/b */
	const char *limited;
	bool is_shared;
} shares[] = {
	{ "0::/a/b\n", "root/a/b", true },
	{ "0::/a/b/c\n", "root/a/b", true },
	{ "0::/a\n", "root/a/b", false },
	{ "0::/a/bc\n", "root/a/b", false },
	{ "0::/a/x\n", "root/a", true },
	{ "0::/x\n", "root/a", false },
	{ "4:cpu:/a/b\n", "root/a/b", false },
};

static void
knows_whose_room_it_is(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
		struct made_up m = { .cgroup = "0::/a/b\n" };
		struct cgroup_memory memory;
		char proc[200], folder[200], name[64];

		begin_process(&m);
		put_file("proc/meminfo", "MemAvailable:   64000 kB\n", 25);
		snprintf(name, sizeof(name), "proc/%d", getpid());
		make_folder(name);
		snprintf(name, sizeof(name), "proc/%d/cgroup", getpid());
		put_file(name, shares[i].ours, strlen(shares[i].ours));
		make_folder("root/a");
		make_folder("root/a/b");
		make_folder("root/a/b/c");
		make_folder("root/a/bc");
		make_folder("root/a/x");
		make_folder("root/x");
		snprintf(name, sizeof(name), "%s/memory.max",
			 shares[i].limited);
		put_file(name, "1000000\n", 8);
		snprintf(name, sizeof(name), "%s/memory.current",
			 shares[i].limited);
		put_file(name, "1000\n", 5);
		path_in(proc, "proc");
		path_in(folder, "root");
		cgroup_memory(&memory, proc, folder, PID, CGROUP_CACHE_HALF);
		end_process();
		if (memory.is_shared != shares[i].is_shared)
			fail_msg("%s: %d", shares[i].ours, memory.is_shared);
	}
}

/* Its own limits, of which unlimited ones are none. */
static const struct {
	const char *limits, *status;
	uint64_t limit, headroom_mb;
	const char *name;
} own[] = {
	{ "", "", 0, 4096, "" },
	{ "Limit                     Soft Limit           Hard Limit\n"
	  "Max data size             unlimited            unlimited  bytes\n"
	  "Max address space         unlimited            unlimited  bytes\n",
	  "VmSize:\t 1024000 kB\nVmData:\t 512000 kB\n", 0, 4096, "" },
	{ "Max data size             629145600            unlimited  bytes\n",
	  "VmData:\t  512000 kB\n", 629145600, 100, "RLIMIT_DATA" },
	{ "Max data size             1                    unlimited  bytes\n",
	  "VmData:\t  512000 kB\n", 1, 0, "RLIMIT_DATA" },
	/* A walk takes addresses that no memory is behind. */
	{ "Max data size             1073741824           unlimited  bytes\n"
	  "Max address space         2147483648           unlimited  bytes\n",
	  "VmSize:\t 1536000 kB\nVmData:\t  102400 kB\n", UINT64_C(2147483648),
	  404, "RLIMIT_AS" },
};

static void
knows_its_own_limits(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		struct made_up m = { 0 };
		struct live_room room;
		char proc[200], folder[200];

		begin_process(&m);
		put_file("proc/meminfo", "MemAvailable: 4194304 kB\n", 25);
		put_process_file("limits", own[i].limits);
		put_process_file("status", own[i].status);
		path_in(proc, "proc");
		path_in(folder, "root");
		room_of_target(&room, proc, folder, PID);
		end_process();
		assert_string_equal(room.limit, own[i].name);
		assert_int_equal(room.limit_bytes, own[i].limit);
		assert_int_equal(room.headroom_bytes >> 20, own[i].headroom_mb);
	}
}

/* A full group leaves nothing, however much its own limits allow. */
static void
no_room_is_the_least_room(void **state)
{
	struct made_up m = { .cgroup = "0::/a\n" };
	struct live_room room;
	char proc[200], folder[200];

	(void)state;
	begin_process(&m);
	make_folder("root/a");
	put_file("root/a/memory.max", "1000\n", 5);
	put_file("root/a/memory.current", "2000\n", 5);
	put_process_file("limits", "Max data size   629145600   1   bytes\n");
	put_process_file("status", "VmData:\t  512 kB\n");
	path_in(proc, "proc");
	path_in(folder, "root");
	room_of_target(&room, proc, folder, PID);
	end_process();
	assert_int_equal(room.headroom_bytes, 0);
	assert_string_equal(room.limit, "memory.max of its cgroup");
}

/* ---- how it ended
 * ------------------------------------------------------------- */

static const struct {
	const char *group, *after, *machine; /* NULL: the group is gone */
	const char *says;
} ends[] = {
	{ "low 0\noom 1\noom_kill 3\n", "oom 2\noom_kill 4\n", "oom_kill 8\n",
	  "was killed (out of memory in its cgroup) before " },
	{ "oom 1\noom_kill 3\n", "oom 2\noom_kill 3\n", "oom_kill 8\n",
	  "has ended before " },
	{ "oom_kill 3\n", NULL, "oom_kill 8\n",
	  "seems to have been killed (the kernel just " },
	{ "oom_kill 3\n", NULL, "pgfault 1\noom_kill 7\n",
	  "has ended before " },
};

static void
says_how_it_ended(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		struct made_up m = { .cgroup = "0::/a\n" };
		char proc[200], folder[200], path[200];
		struct process p;
		struct error err;
		struct fate f;

		begin_process(&m);
		make_folder("root/a");
		put_file("root/a/memory.events", ends[i].group,
			 strlen(ends[i].group));
		put_file("proc/vmstat", "oom_kill 7\n", 11);
		assert_true(look(&p, &err));
		path_in(proc, "proc");
		path_in(folder, "root");
		fate_begin(&f, &p, proc, folder);
		assert_true(fate_lives(&f, &p, proc, "it", &err));
		path_in(path, "root/a/memory.events");
		if (ends[i].after)
			put_file("root/a/memory.events", ends[i].after,
				 strlen(ends[i].after));
		else
			assert_int_equal(unlink(path), 0);
		put_file("proc/vmstat", ends[i].machine,
			 strlen(ends[i].machine));
		path_in(path, "proc/%d/stat", PID);
		assert_int_equal(unlink(path), 0);
		assert_false(fate_lives(&f, &p, proc, "it", &err));
		end_process();
		assert_int_equal(err.kind, ERROR_ATTACH);
		if (strncmp(err.message + 3, ends[i].says,
			    strlen(ends[i].says)) != 0)
			fail_msg("%s", err.message);
	}
}

/* ---- what keeps one waiting -----------------------------------------------
 */

static const struct {
	const char *loadavg;
	uint32_t threads;
} loads[] = {
	{ "17.49 21.06 22.56 6/193 30034\n", 17 },
	{ "17.50 21.06 22.56 6/193 30034\n", 18 },
	/* It has begun just now; one of them is who reads this. */
	{ "0.20 0.06 0.01 9/193 30034\n", 8 },
	{ "0.00 0.00 0.00 1/193 30034\n", 0 },
	{ "99999999999 0 0 1/1 1\n", UINT32_MAX },
	{ "17.9", 18 },
	{ "/", 0 },
	{ "", 0 },
};

static void
reads_the_load(void **state)
{
	struct made_up m = { 0 };
	char proc[200];

	(void)state;
	begin_process(&m);
	path_in(proc, "proc");
	assert_int_equal(proc_load(proc), 0);
	for (size_t i = 0; i < sizeof(loads) / sizeof(loads[0]); i++) {
		put_file("proc/loadavg", loads[i].loadavg,
			 strlen(loads[i].loadavg));
		if (proc_load(proc) != loads[i].threads)
			fail_msg("%s: %" PRIu32, loads[i].loadavg,
				 proc_load(proc));
	}
	end_process();
}

#define STAT(periods, throttled)                                               \
	"nr_periods " periods "\nnr_throttled " throttled "\n"

static const struct {
	const char *cgroup, *file, *text;
	uint32_t percent;
} limits[] = {
	{ "0::/a/b\n", "a/b/cpu.stat", STAT("1000", "340"), 34 },
	{ "0::/a/b\n", "a/cpu.stat", "usage_usec 5\n" STAT("1000", "1"), 1 },
	{ "0::/a/b\n", "a/cpu.stat", STAT("0", "0"), 0 },
	{ "0::/a/b\n", "a/cpu.stat", STAT("3", "4"), 100 },
	{ "0::/a/b\n", "a/cpu.stat", STAT("3", "18446744073709551615"), 100 },
	{ "0::/a/b\n", "b/cpu.stat", STAT("3", "3"), 0 },
	{ "3:cpuset:/b\n2:cpu,cpuacct:/a\n0::/\n", "cpu/a/cpu.stat",
	  STAT("10", "5"), 50 },
	{ "2:cpuacct:/a\n0::/\n", "cpu/a/cpu.stat", STAT("10", "5"), 0 },
};

static void
reads_cpu_limits(void **state)
{
	static const char *const folders[] = { "root/a", "root/a/b", "root/b",
					       "root/cpu", "root/cpu/a" };

	(void)state;
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		struct made_up m = { .cgroup = limits[i].cgroup };
		char proc[200], folder[200], name[64];
		uint32_t percent;

		begin_process(&m);
		for (size_t k = 0; k < sizeof(folders) / sizeof(folders[0]);
		     k++)
			make_folder(folders[k]);
		snprintf(name, sizeof(name), "root/%s", limits[i].file);
		put_file(name, limits[i].text, strlen(limits[i].text));
		path_in(proc, "proc");
		path_in(folder, "root");
		percent = cgroup_throttled(proc, folder, PID);
		end_process();
		if (percent != limits[i].percent)
			fail_msg("%zu: %" PRIu32, i, percent);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(judges_processes),
		cmocka_unit_test(reads_what_is_said),
		cmocka_unit_test(refuses_links_out_of_the_root),
		cmocka_unit_test(follows_links_inside_the_root),
		cmocka_unit_test(says_whom_it_belongs_to),
		cmocka_unit_test(tells_reused_pids_apart),
		cmocka_unit_test(lists_what_runs),
		cmocka_unit_test(measures_headroom),
		cmocka_unit_test(knows_whose_room_it_is),
		cmocka_unit_test(knows_its_own_limits),
		cmocka_unit_test(no_room_is_the_least_room),
		cmocka_unit_test(says_how_it_ended),
		cmocka_unit_test(reads_the_load),
		cmocka_unit_test(reads_cpu_limits),
	};
	return run_tests(tests);
}
