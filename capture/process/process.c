#define _GNU_SOURCE /* O_PATH */
#include "capture/process/process.h"
#include "io/base/inside.h"
#include "model/base/duration.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { COMMAND_BYTES = 4096, PATH_BYTES = 4096 };

/* ---- names --------------------------------------------------------------- */

/* Replaces control characters, C1 included: the text goes to terminals. */
static void
clean_text(char *text)
{
	for (unsigned char *at = (unsigned char *)text; *at; at++) {
		bool is_c1 = *at == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0;

		if (*at < 0x20 || *at == 0x7f || is_c1)
			*at = '?';
		if (is_c1)
			at[1] = '?';
	}
}

/* Truncates the text to fit into `size` bytes. */
static void
copy_text(char *to, size_t size, const char *text, size_t len)
{
	if (len >= size)
		len = size - 1;
	memcpy(to, text, len);
	to[len] = '\0';
	clean_text(to);
}

static const char *
base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool
ends_in(const char *text, const char *end)
{
	size_t len = strlen(text), end_len = strlen(end);

	return len > end_len && !strcmp(text + len - end_len, end);
}

/*
 * "dotnet api.dll" is called api: the first argument that is a dll, looking only at the first few,
 * which belong to dotnet itself.
 */
static const char *
program_of(const char *command, size_t len)
{
	const char *end = command + len, *at = command;

	if (strcmp(base_name(command), "dotnet") != 0)
		return base_name(command);
	for (int i = 0; at < end && i < 8; i++, at += strlen(at) + 1)
		if (ends_in(at, ".dll"))
			return base_name(at);
	return "dotnet";
}

static void
look_at_names(struct process *p, const char *proc)
{
	char text[COMMAND_BYTES];
	size_t len = proc_read(proc, p->pid, "cmdline", text, sizeof(text));
	const char *name;

	if (len) {
		name = program_of(text, len);
		copy_text(p->name, sizeof(p->name), name, strlen(name));
		if (ends_in(p->name, ".dll"))
			p->name[strlen(p->name) - 4] = '\0';
	}
	for (size_t i = 0; i + 1 < len; i++)
		if (!text[i])
			text[i] = ' ';
	copy_text(p->command, sizeof(p->command), text, strlen(text));
	if (!p->name[0]) {
		proc_read(proc, p->pid, "comm", text, sizeof(text));
		copy_text(p->name, sizeof(p->name), text, strcspn(text, "\n"));
	}
}

static void
look_at_user(struct process *p)
{
	struct passwd entry, *found = NULL;
	char text[4096];

	if (!getpwuid_r(p->uid, &entry, text, sizeof(text), &found) && found)
		copy_text(p->user, sizeof(p->user), entry.pw_name, strlen(entry.pw_name));
	else
		snprintf(p->user, sizeof(p->user), "%" PRIu32, p->uid);
}

/* "…/Microsoft.NETCore.App/10.0.9/libcoreclr.so" */
static void
look_at_runtime(struct process *p, const char *line)
{
	static const char before[] = "/Microsoft.NETCore.App/";
	const char *at = strstr(line, before);
	size_t len;

	if (!at)
		return;
	at += strlen(before);
	len = strcspn(at, "/");
	if (at[len] == '/' && isdigit((unsigned char)*at))
		copy_text(p->runtime, sizeof(p->runtime), at, len);
}

/* ---- the diagnostic socket ----------------------------------------------- */

/* Opens a folder by its path in our namespace; -1 sets errno. */
static int
open_plain(const char *path)
{
	return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* Opens the root or the working folder of a process. */
static int
open_link(int32_t pid, const char *proc, const char *name)
{
	char path[PATH_BYTES];

	snprintf(path, sizeof(path), "%s/%" PRId32 "/%s", proc, pid, name);
	return open_plain(path);
}

struct search {
	const struct process *process;
	const char *proc;
	struct proc_environment environment;
	const char *folder_name; /* the target's TMPDIR */
	int folder;              /* -1: cannot be opened; see errnum */
	int errnum;
	bool is_seen_from_outside; /* looked up in our own mount namespace */
	bool has_fifo, has_socket, is_foreign;
	char name[ENDPOINT_NAME_BYTES];
};

/* The runtime takes a relative TMPDIR as it is: from its working folder, which programs seldom
   change. */
static void
search_folder(struct search *s)
{
	const char *tmp = proc_environment_get(&s->environment, "TMPDIR");
	int root = open_link(s->process->pid, s->proc, "root");

	s->folder_name = tmp && *tmp ? tmp : "/tmp";
	if (root >= 0 && *s->folder_name != '/') {
		close(root);
		root = open_link(s->process->pid, s->proc, "cwd");
	}
	if (root >= 0) {
		s->folder = inside_resolve(root, s->folder_name, O_PATH | O_DIRECTORY | O_CLOEXEC);
		s->errnum = errno;
		close(root);
	} else {
		/* Its root is off limits, but its socket may be visible. */
		s->errnum = errno;
		s->is_seen_from_outside = true;
		if (!s->process->is_elsewhere && *s->folder_name == '/')
			s->folder = open_plain(s->folder_name);
	}
}

/* A symbolic link to a socket does not count. */
static bool
search_is_socket(struct search *s, const char *name)
{
	struct stat st;

	if (fstatat(s->folder, name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISSOCK(st.st_mode))
		return false;
	s->has_socket = true;
	s->is_foreign = faccessat(s->folder, name, W_OK, AT_EACCESS) != 0;
	snprintf(s->name, sizeof(s->name), "%s", name);
	return true;
}

/*
 * In a container the time in the name may differ: it may be from another time namespace, or belong
 * to another process if /proc is not the container's own. Takes the newest socket with the right
 * pid and owner; connecting verifies who listens there.
 */
static void
search_other_times(struct search *s)
{
	int fd = openat(s->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	char before[40];
	struct dirent *entry;
	struct timespec newest = { 0 };
	struct stat st;

	if (fd >= 0 && !folder)
		close(fd);
	snprintf(before, sizeof(before), "dotnet-diagnostic-%" PRId32 "-", s->process->inner_pid);
	while (folder && (entry = readdir(folder)) != NULL) {
		if (strncmp(entry->d_name, before, strlen(before)) != 0 ||
		    !ends_in(entry->d_name, "-socket") ||
		    strlen(entry->d_name) >= sizeof(s->name) ||
		    fstatat(s->folder, entry->d_name, &st, 0) || st.st_uid != s->process->uid ||
		    st.st_mtim.tv_sec < newest.tv_sec)
			continue;
		newest = st.st_mtim;
		search_is_socket(s, entry->d_name);
	}
	if (folder)
		closedir(folder);
}

static void
search_names(struct search *s)
{
	const struct process *p = s->process;
	char name[ENDPOINT_NAME_BYTES];
	struct stat st;

	snprintf(name, sizeof(name), "dotnet-diagnostic-%" PRId32 "-%" PRIu64 "-socket",
		 p->inner_pid, p->start_ticks);
	if (!search_is_socket(s, name) && p->is_elsewhere)
		search_other_times(s);
	if (!s->has_socket)
		snprintf(s->name, sizeof(s->name), "%s", name);
	snprintf(name, sizeof(name), "clr-debug-pipe-%" PRId32 "-%" PRIu64 "-in", p->inner_pid,
		 p->start_ticks);
	s->has_fifo = !fstatat(s->folder, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISFIFO(st.st_mode);
}

static void
search_begin(struct search *s, const struct process *p, const char *proc)
{
	*s = (struct search){ .process = p, .proc = proc, .folder = -1 };
	proc_environment_read(&s->environment, proc, p->pid);
	search_folder(s);
	if (s->folder >= 0)
		search_names(s);
}

static void
search_end(struct search *s)
{
	if (s->folder >= 0)
		close(s->folder);
	proc_environment_clear(&s->environment);
}

/* ---- why a process cannot be captured ------------------------------------ */

static bool
trouble_not_root(const struct process *p, struct error *err)
{
	const char *and_user = p->uid ? p->user : "";
	const char *and = p->uid ? " and " : "";
	char as_user[48] = "";

	/* sudo takes a user without a name as '#number'. */
	if (p->uid)
		snprintf(as_user, sizeof(as_user),
			 isdigit((unsigned char)p->user[0]) ? "-u '#%s' " : "-u %s ", p->user);

	if (p->is_elsewhere)
		return error_set(
		    err, ERROR_ATTACH,
		    "process %" PRId32 " (%s) of user %s is in %s%s, into which only root may "
		    "look; try: sudo heaptop %" PRId32,
		    p->pid, p->name, p->user, p->container[0] ? "container " : "a container",
		    p->container, p->pid);
	return error_set(err, ERROR_ATTACH,
			 "process %" PRId32
			 " (%s) belongs to user %s, and only %s%sroot may talk to it; try: sudo "
			 "%sheaptop %" PRId32,
			 p->pid, p->name, p->user, and_user, and, as_user, p->pid);
}

/* root may still lack the capability SYS_PTRACE. */
static bool
trouble_not_allowed(const struct search *s, struct error *err)
{
	const struct process *p = s->process;

	if (cgroup_is_pod(s->proc, p->pid))
		return error_set(
		    err, ERROR_ATTACH,
		    "process %" PRId32 " (%s) is in a pod, and we lack the capability SYS_PTRACE "
		    "to look into it; try: kubectl debug POD -it --profile=sysadmin --image=IMAGE "
		    "--target=CONTAINER -- heaptop %" PRId32,
		    p->pid, p->name, p->inner_pid);
	if (p->container[0])
		return error_set(err, ERROR_ATTACH,
				 "process %" PRId32
				 " (%s) is in container %s, and we lack the capability SYS_PTRACE "
				 "to look into it; try: docker exec %s heaptop %" PRId32,
				 p->pid, p->name, p->container, p->container, p->inner_pid);
	return error_set(
	    err, ERROR_ATTACH,
	    "we lack the capability SYS_PTRACE to look into process %" PRId32
	    " (%s): a container has it if started with docker run --cap-add=SYS_PTRACE; or outside "
	    "this container: sudo heaptop, which lists it",
	    p->pid, p->name);
}

/* Unset means on; the runtime reads the number as hexadecimal. */
static bool
is_switched_off(const struct search *s, const char *name)
{
	const char *value = proc_environment_setting(&s->environment, name);

	return value && *value && strtoul(value, NULL, 16) == 0;
}

static bool
trouble_no_socket(const struct search *s, struct error *err)
{
	static const char *const switches[] = { "EnableDiagnostics", "EnableDiagnostics_IPC" };
	const struct process *p = s->process;

	for (int i = 0; i < 2; i++)
		if (is_switched_off(s, switches[i]))
			return error_set(
			    err, ERROR_ATTACH,
			    "process %" PRId32 " (%s) was started with DOTNET_%s=0, so it takes no "
			    "commands; start it again without that, or read its memory with -m",
			    p->pid, p->name, switches[i]);
	if (s->folder < 0)
		return error_sys(err, s->errnum,
				 "process %" PRId32
				 " (%s) can be read only from memory, with -m: its temporary "
				 "folder %.60s cannot be opened",
				 p->pid, p->name, s->folder_name);
	return error_set(err, ERROR_ATTACH,
			 "process %" PRId32
			 " (%s) has no %s in %.60s: diagnostics are switched off, or the file was "
			 "removed, or it is just ending; its memory can be read with -m",
			 p->pid, p->name, s->name, s->folder_name);
}

static bool
trouble_of_state(const struct process *p, struct error *err)
{
	if (p->state == 'Z' || p->state == 'X')
		return error_set(err, ERROR_ATTACH, "process %" PRId32 " (%s) has ended", p->pid,
				 p->name);
	if (p->dotnet == DOTNET_NO)
		return error_set(err, ERROR_ATTACH,
				 "process %" PRId32 " (%s) is not a .NET process; try: heaptop -l",
				 p->pid, p->name);
	if (p->state == 't')
		return error_set(err, ERROR_ATTACH,
				 "process %" PRId32 " (%s) is held by a debugger (process "
				 "%" PRId32 ") and would not answer; resume it first",
				 p->pid, p->name, p->tracer_pid);
	if (p->state == 'T')
		return error_set(err, ERROR_ATTACH,
				 "process %" PRId32
				 " (%s) is stopped and would not answer; try: kill -CONT %" PRId32,
				 p->pid, p->name, p->pid);
	return true;
}

/* ---- processes that wait at their start ---------------------------------- */

/* Threads of the runtime have these names from .NET 6 on. */
bool
process_is_starting(int32_t pid, const char *proc)
{
	return proc_threads_named(proc, pid, ".NET EventPipe", 1) &&
	       !proc_threads_named(proc, pid, ".NET Finalizer", 1);
}

static double
seconds_since(uint64_t start_ticks)
{
	struct timespec now = { 0 };

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (double)now.tv_sec - (double)start_ticks / (double)sysconf(_SC_CLK_TCK);
}

/* Returns the first of the ports "PATH[,TAG…];…" without the tag "nosuspend", and sets its length;
   or NULL. */
static const char *
suspending_port(const char *ports, size_t *len)
{
	static const char tag[] = ",nosuspend";

	while (ports && *ports) {
		size_t all = strcspn(ports, ";");
		const char *found = strstr(ports, tag);

		*len = strcspn(ports, ",;");
		if (*len && (!found || found > ports + all))
			return ports;
		ports += all + (ports[all] == ';');
	}
	return NULL;
}

/* The first second is that of an ordinary start. A start time that is in the future belongs to
   another clock. */
static enum process_waits
search_waits(const struct search *s, struct error *err)
{
	enum { SOON = 1 };
	const struct process *p = s->process;
	const char *value =
	    proc_environment_setting(&s->environment, "DefaultDiagnosticPortSuspend");
	bool is_any = value && strtoul(value, NULL, 16) != 0;
	size_t len = 0;
	const char *port =
	    suspending_port(proc_environment_setting(&s->environment, "DiagnosticPorts"), &len);
	double seconds = seconds_since(p->start_ticks);
	char since[DURATION_BYTES] = "some time";

	if ((seconds >= 0 && seconds < SOON) || (!is_any && !port) ||
	    !process_is_starting(p->pid, s->proc))
		return WAITS_NOT;
	if (seconds >= 0)
		duration_text(seconds, since);
	if (is_any)
		error_set(err, ERROR_ATTACH,
			  "process %" PRId32 " (%s) has waited for %s at its start until a tool "
			  "resumes it (DOTNET_DefaultDiagnosticPortSuspend=1), and has no heap "
			  "yet; on its machine heaptop --start %" PRId32 " resumes it",
			  p->pid, p->name, since, p->pid);
	else
		error_set(err, ERROR_ATTACH,
			  "process %" PRId32 " (%s) has waited for %s at its start until a tool at "
			  "its port resumes it, and has no heap yet; heaptop --port %.*s does",
			  p->pid, p->name, since, (int)(len < 100 ? len : 100), port);
	return is_any ? WAITS_FOR_ANY : WAITS_AT_PORT;
}

/*
 * Each command takes a file descriptor of the process. If it has none left, .NET 8 tries again and
 * again to accept the connection and takes a whole CPU, even after it is closed; and the program
 * may need the last ones itself.
 */
static bool
has_files(const struct search *s, struct error *err)
{
	enum { RESERVE = 16 };
	const struct process *p = s->process;
	uint64_t limit, count;

	if (!proc_limit(s->proc, p->pid, "Max open files", &limit) ||
	    !proc_files(s->proc, p->pid, limit, &count) || count + RESERVE <= limit)
		return true;
	return error_set(
	    err, ERROR_ATTACH,
	    "process %" PRId32 " (%s) has %" PRIu64 " of at most %" PRIu64
	    " files open, and a connection takes one more, which may harm it: nothing was done to "
	    "the process; its memory can be read with -m",
	    p->pid, p->name, count, limit);
}

static bool
is_of_kernel(const struct search *s)
{
	struct proc_stat stat;

	return proc_stat(s->proc, s->process->pid, &stat) && stat.is_of_kernel;
}

static bool
search_judge(const struct search *s, struct error *err)
{
	if (is_of_kernel(s))
		return proc_refuse_kernel(s->process->pid, s->process->name, err);
	if (!trouble_of_state(s->process, err))
		return false;
	if (s->has_socket && !s->is_foreign)
		return has_files(s, err);
	if (s->is_foreign || s->is_seen_from_outside)
		return geteuid() ? trouble_not_root(s->process, err) : trouble_not_allowed(s, err);
	return trouble_no_socket(s, err);
}

/* ---- one process --------------------------------------------------------- */

/*
 * Thread names identify runtimes from .NET 6 on, for any user and in any container; older ones show
 * in mappings or by their socket and pipe.
 */
static uint8_t
is_dotnet(struct process *p, const struct search *s)
{
	char line[PATH_BYTES];
	bool maps = proc_maps_code(s->proc, p->pid, "/libcoreclr.so", line, sizeof(line));

	if (maps)
		look_at_runtime(p, line);
	if (maps || s->has_socket || s->has_fifo || proc_threads_named(s->proc, p->pid, ".NET ", 1))
		return DOTNET_YES;
	/* With an unreadable environment it may still be a .NET process. */
	return s->environment.is_readable ? DOTNET_NO : DOTNET_UNKNOWN;
}

static bool
look_at_numbers(struct process *p, const char *proc)
{
	struct proc_stat stat;
	struct proc_status status;

	if (!proc_stat(proc, p->pid, &stat) || !proc_status(proc, p->pid, &status))
		return false;
	p->state = stat.state;
	p->start_ticks = stat.start_ticks;
	p->inner_pid = status.inner_pid;
	p->tracer_pid = status.tracer_pid;
	p->uid = status.uid;
	p->resident_bytes = status.resident_bytes;
	p->private_bytes = status.private_bytes;
	p->is_elsewhere = status.is_nested;
	return true;
}

/* A container may share our pids but not our files. */
static bool
is_mounted_elsewhere(int32_t pid, const char *proc)
{
	uint64_t theirs = proc_namespace(proc, pid, "mnt");
	uint64_t ours = proc_namespace(proc, getpid(), "mnt");

	return theirs && ours && theirs != ours;
}

static bool
look(struct process *p, struct search *s, const char *proc, int32_t pid)
{
	*p = (struct process){ .pid = pid };
	error_clear(&p->trouble);
	if (!look_at_numbers(p, proc))
		return false;
	p->is_elsewhere = p->is_elsewhere || is_mounted_elsewhere(pid, proc);
	look_at_names(p, proc);
	look_at_user(p);
	cgroup_container(p->container, proc, pid);
	search_begin(s, p, proc);
	p->dotnet = is_dotnet(p, s);
	if (search_judge(s, &p->trouble))
		p->waits = (uint8_t)search_waits(s, &p->trouble);
	return true;
}

bool
process_look(struct process *p, const char *proc, int32_t pid, struct error *err)
{
	struct search s;

	if (!look(p, &s, proc, pid))
		return error_set(err, ERROR_ATTACH,
				 "there is no process %" PRId32
				 "; heaptop -l and :processes list the .NET processes",
				 pid);
	search_end(&s);
	return true;
}

bool
process_is_alive(const struct process *p, const char *proc)
{
	struct proc_stat stat;

	return proc_stat(proc, p->pid, &stat) && stat.state != 'Z' && stat.state != 'X' &&
	       stat.start_ticks == p->start_ticks;
}

uint32_t
process_sessions(const struct process *p, const char *proc)
{
	enum { SESSIONS_MAX = 64 };
	/* One of the threads serves diagnostic commands. */
	uint32_t threads = proc_threads_named(proc, p->pid, ".NET EventPipe", SESSIONS_MAX + 1);

	return threads ? threads - 1 : 0;
}

bool
endpoint_open(struct endpoint *e, const struct process *p, const char *proc, struct error *err)
{
	struct process now;
	struct search s;

	e->folder = -1;
	if (!process_is_alive(p, proc) || !look(&now, &s, proc, p->pid))
		return error_set(err, ERROR_ATTACH, "process %" PRId32 " (%s) has ended", p->pid,
				 p->name);
	if (search_judge(&s, err)) {
		e->folder = s.folder;
		s.folder = -1;
		snprintf(e->name, sizeof(e->name), "%s", s.name);
	}
	search_end(&s);
	return e->folder >= 0;
}

void
endpoint_close(struct endpoint *e)
{
	if (e->folder >= 0)
		close(e->folder);
	e->folder = -1;
}
