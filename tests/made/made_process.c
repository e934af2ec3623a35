#define _GNU_SOURCE /* nftw() */
#include "tests/made/made_process.h"
#include "tests/drive/run_tests.h"
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static char base[32], proc[200], root[200];

const char *
made_proc(void)
{
	return proc;
}

const char *
made_root(void)
{
	return root;
}

void
made_path(char path[200], const char *format, ...)
{
	va_list args;
	int len = snprintf(path, 200, "%s/", base);

	va_start(args, format);
	vsnprintf(path + len, 200 - (size_t)len, format, args);
	va_end(args);
}

void
made_folder(const char *format, ...)
{
	char name[200], path[200];
	va_list args;

	va_start(args, format);
	vsnprintf(name, sizeof(name), format, args);
	va_end(args);
	made_path(path, "%s", name);
	for (char *at = path + 1; (at = strchr(at, '/')) != NULL; *at++ = '/') {
		*at = '\0';
		mkdir(path, 0755);
	}
	assert_true(!mkdir(path, 0755) || errno == EEXIST);
}

static void
put_file(const char *name, const char *text, size_t len)
{
	char path[200];
	int fd;

	made_folder("%.*s", (int)(strrchr(name, '/') - name), name);
	made_path(path, "%s", name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, len), (int)len);
	close(fd);
}

void
made_file(const char *text, const char *format, ...)
{
	char name[200];
	va_list args;

	va_start(args, format);
	vsnprintf(name, sizeof(name), format, args);
	va_end(args);
	put_file(name, text, strlen(text));
}

void
made_process_file(const char *name, const char *text)
{
	made_file(text, "proc/%d/%s", MADE_PID, name);
}

/* A socket; nobody needs to listen. */
static void
make_socket(const char *name)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s/root/%.60s", base, name);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	close(fd);
}

static int
remove_one(const char *path, const struct stat *st, int kind, struct FTW *where)
{
	(void)st, (void)kind, (void)where;
	return remove(path);
}

void
made_process_end(void)
{
	nftw(base, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void
put_bars(const char *name, const char *text)
{
	char path[200], data[400];
	size_t len = text ? strlen(text) : 0;

	for (size_t i = 0; i < len; i++)
		data[i] = text[i] == '|' ? '\0' : text[i];
	snprintf(path, sizeof(path), "proc/%d/%s", MADE_PID, name);
	put_file(path, data, len);
}

enum { GROUPS_BYTES = 16000 };

static void
put_numbers(const struct made_process *m)
{
	char text[GROUPS_BYTES + 400], groups[GROUPS_BYTES] = "";
	const char *comm = m->comm ? m->comm : "api";
	size_t len = 0;
	uint32_t uid = m->uid ? m->uid : getuid();

	snprintf(text, sizeof(text),
		 "%d (%s) %c 1 2 3 0 -1 %d 10 11 12 13 70 30 14 15 20 0 9 0 %d 100 200\n", MADE_PID,
		 comm, m->state ? m->state : 'S', m->is_of_kernel ? 2129984 : 4194560, MADE_START);
	made_process_file("stat", text);
	for (unsigned i = 0; i < m->groups_count; i++)
		len += (size_t)snprintf(groups + len, GROUPS_BYTES - len, "%u ", 1000000 + i);
	snprintf(text, sizeof(text),
		 "Name:\t%s\nTracerPid:\t%d\nUid:\t%u\t%u\t%u\t%u\n"
		 "Groups:\t%s\nNSpid:\t%d%s"
		 "\nVmHWM:\t 9000 kB\nVmRSS:\t  8000 kB\nRssAnon:\t 5000 kB\n",
		 comm, m->state == 't' ? 99 : 0, uid, uid, uid, uid, groups, MADE_PID,
		 m->pids ? m->pids : "");
	made_process_file("status", text);
	snprintf(text, sizeof(text), "%s\n", comm);
	made_process_file("comm", text);
}

static void
put_sockets(const struct made_process *m)
{
	char name[120], path[200];
	const char *folder = m->folder ? m->folder : "tmp";

	made_folder("root/%s", folder);
	if (!m->socket)
		snprintf(name, sizeof(name), "%s/dotnet-diagnostic-%d-%d-socket", folder, MADE_PID,
			 MADE_START);
	else
		snprintf(name, sizeof(name), "%s/%s", folder, m->socket);
	if (!m->socket || *m->socket)
		make_socket(name);
	if (m->has_fifo) {
		made_path(path, "root/%s/clr-debug-pipe-%d-%d-in", folder, MADE_PID, MADE_START);
		assert_int_equal(mkfifo(path, 0600), 0);
	}
}

void
made_process_begin(const struct made_process *m)
{
	char path[200];

	snprintf(base, sizeof(base), "/tmp/test_process.XXXXXX");
	assert_non_null(mkdtemp(base));
	assert_int_equal(chmod(base, 0755), 0);
	made_path(proc, "proc");
	made_path(root, "root");
	made_folder("root");
	put_numbers(m);
	put_bars("environ", m->environ);
	put_bars("cmdline", m->command ? m->command : "/srv/api|serve|");
	made_process_file("maps", m->maps ? m->maps : "");
	made_process_file("cgroup", m->cgroup ? m->cgroup : "0::/\n");
	made_process_file("task/1/comm", m->thread ? m->thread : "main\n");
	made_path(path, "proc/%d/root", MADE_PID);
	assert_int_equal(symlink(root, path), 0);
	made_path(path, "proc/%d/cwd", MADE_PID);
	assert_int_equal(symlink(root, path), 0);
	put_sockets(m);
}
