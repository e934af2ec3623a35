/*
 * bench HEAPTOP SMALL LARGE LARGER LIST LOG KEPT: how long things take, how much memory they need,
 * and whether that is what was promised. Each figure stands beside its target and, where time is
 * meant, beside the time that one memcpy() of the same file takes in the same run: that ratio can
 * be compared between machines and days. Files are in the page cache; the best of several runs
 * counts. `make bench` makes the files and calls this.
 */
#define _DEFAULT_SOURCE /* wait4(), TIOCSWINSZ */
#define _XOPEN_SOURCE   700
#include "tests/speed/bench.h"
#include "model/base/arena.h"
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* dotnet-gcdump report, where BENCH_THEIR_NS is from. */
static const double their_seconds_small = 0.11;

enum { COPY_BYTES = 256 << 20, QUIET_MS = 120, SLOW_MS = 60000 };

static double bytes_a_second; /* of memcpy(), in this run */
static int over_count;

double
bench_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

_Noreturn void
bench_fail(const char *what)
{
	perror(what);
	exit(1);
}

double
bench_file_bytes(const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0)
		bench_fail(path);
	return (double)st.st_size;
}

static void
calibrate(void)
{
	char *from = malloc(COPY_BYTES), *to = malloc(COPY_BYTES);
	double load;

	if (!from || !to)
		bench_fail("memory");
	memset(from, 1, COPY_BYTES);
	memset(to, 2, COPY_BYTES);
	for (int i = 0; i < 5; i++) {
		double start = bench_now(), rate;

		memcpy(to, from, COPY_BYTES);
		rate = COPY_BYTES / (bench_now() - start);
		if (rate > bytes_a_second)
			bytes_a_second = rate;
	}
	printf("memcpy copies %.1f GB/s here", bytes_a_second / 1e9);
	if (getloadavg(&load, 1) == 1 && load > 1)
		printf("; %.1f programs are running: times are too long", load);
	printf("\n\n");
	free(from);
	free(to);
	printf("%-46s %12s %12s %9s\n", "", "measured", "target", "x memcpy");
}

void
bench_row(const char *name, double measured, double target, const char *unit, double seconds,
	  const char *file)
{
	char ratio[32] = "";
	bool is_over = target > 0 && measured > target;

	if (file)
		snprintf(ratio, sizeof(ratio), "%.1f",
			 seconds * bytes_a_second / bench_file_bytes(file));
	printf("%-46s %8.*f %-5s", name, measured < 100 ? 1 : 0, measured, unit);
	if (target > 0)
		printf("%8.*f %-4s", target < 100 ? 1 : 0, target, unit);
	else
		printf("%13s", "");
	printf(" %7s  %s\n", ratio, target <= 0 ? "" : is_over ? "OVER" : "ok");
	fflush(stdout);
	over_count += is_over;
}

/* ---- whole runs of the program ---- */

static void
child_exec(const char *const argv[], int in, int out)
{
	dup2(in, 0);
	dup2(out, 1);
	dup2(out, 2);
	execv(argv[0], (char *const *)argv);
	_exit(127);
}

/* Seconds from fork to exit, the best of `times`. */
static double
run_best(int times, const char *const argv[], struct rusage *usage)
{
	double best = 1e9;

	for (int i = 0; i < times; i++) {
		double start = bench_now(), seconds;
		pid_t pid = fork();
		int status;

		if (pid < 0)
			bench_fail("fork");
		if (pid == 0) {
			int nowhere = open("/dev/null", O_RDWR);

			child_exec(argv, nowhere, nowhere);
		}
		if (wait4(pid, &status, 0, usage) != pid)
			bench_fail("wait4");
		seconds = bench_now() - start;
		if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
			fprintf(stderr, "bench: %s failed\n", argv[0]);
			exit(1);
		}
		if (seconds < best)
			best = seconds;
	}
	return best;
}

/* ---- on a terminal ---- */

struct terminal {
	int fd;
	pid_t pid;
	char seen[1 << 16]; /* the last that was read */
	size_t seen_len;
};

static void
terminal_start(struct terminal *t, const char *const argv[])
{
	struct winsize size = { .ws_row = 24, .ws_col = 80 };
	const char *name;

	t->seen_len = 0;
	t->fd = posix_openpt(O_RDWR | O_NOCTTY);
	if (t->fd < 0 || grantpt(t->fd) != 0 || unlockpt(t->fd) != 0 ||
	    fcntl(t->fd, F_SETFD, FD_CLOEXEC) != 0)
		bench_fail("terminal");
	name = ptsname(t->fd);
	ioctl(t->fd, TIOCSWINSZ, &size);
	t->pid = fork();
	if (t->pid < 0)
		bench_fail("fork");
	if (t->pid == 0) {
		int slave;

		setsid();
		slave = open(name, O_RDWR);
		setenv("TERM", "xterm-256color", 1);
		setenv("LC_ALL", "C.UTF-8", 1);
		child_exec(argv, slave, slave);
	}
}

/* Reads what comes within `ms`; false if nothing did. */
static bool
terminal_read(struct terminal *t, int ms)
{
	struct pollfd p = { .fd = t->fd, .events = POLLIN };
	char bytes[4096];
	ssize_t n;

	if (poll(&p, 1, ms) <= 0)
		return false;
	n = read(t->fd, bytes, sizeof(bytes));
	if (n <= 0)
		return false;
	if (t->seen_len + (size_t)n >= sizeof(t->seen))
		t->seen_len = 0;
	memcpy(t->seen + t->seen_len, bytes, (size_t)n);
	t->seen_len += (size_t)n;
	t->seen[t->seen_len] = '\0';
	return true;
}

static bool
terminal_shows(const struct terminal *t, const char *text)
{
	size_t len = strlen(text);

	for (size_t i = 0; i + len <= t->seen_len; i++) {
		if (memcmp(t->seen + i, text, len) == 0)
			return true;
	}
	return false;
}

/* Seconds from now until the text is there; gives up after a minute. */
static double
terminal_await(struct terminal *t, const char *text, double since)
{
	while (!terminal_shows(t, text)) {
		if (!terminal_read(t, SLOW_MS)) {
			fprintf(stderr, "bench: “%s” did not appear\n", text);
			exit(1);
		}
	}
	return bench_now() - since;
}

/*
 * Seconds from a key to its answer: what takes longer is done by a worker and drawn when it is
 * there.
 */
static double
terminal_key(struct terminal *t, const char *keys)
{
	double start = bench_now(), answer;

	t->seen_len = 0;
	if (write(t->fd, keys, strlen(keys)) != (ssize_t)strlen(keys))
		bench_fail("terminal");
	if (!terminal_read(t, SLOW_MS))
		bench_fail("terminal");
	answer = bench_now() - start;
	while (terminal_read(t, QUIET_MS))
		continue;
	return answer;
}

static void
terminal_stop(struct terminal *t)
{
	(void)terminal_key(t, "Q");
	close(t->fd);
	waitpid(t->pid, NULL, 0);
}

/* Until there is a screen, and until a type that every heap has is on it. */
static void
bench_first_screen(const char *name, const char *heaptop, const char *path)
{
	const char *argv[] = { heaptop, path, NULL };
	double best_screen = 1e9, best_types = 1e9;
	char title[80];

	for (int i = 0; i < 5; i++) {
		static struct terminal t;
		double start = bench_now(), seconds;

		terminal_start(&t, argv);
		seconds = terminal_await(&t, "Type", start);
		if (seconds < best_screen)
			best_screen = seconds;
		seconds = terminal_await(&t, "string", start);
		if (seconds < best_types)
			best_types = seconds;
		while (terminal_read(&t, 2 * QUIET_MS))
			continue;
		terminal_stop(&t);
	}
	snprintf(title, sizeof(title), "first screen, %s", name);
	bench_row(title, best_screen * 1e3, 100, "ms", 0, NULL);
	snprintf(title, sizeof(title), "first types on it, %s", name);
	bench_row(title, best_types * 1e3, 100, "ms", 0, NULL);
}

/* clang-format off */
static const struct {
	const char *name, *keys;
} key_rows[] = {
	{ "one row down",                     "j" },
	{ "the last type",                    "G" },
	{ "sort by count",                    "C" },
	{ "sort by name",                     "N" },
	{ "sort by size",                     "S" },
	{ "the first type",                   "gg" },
	{ "its objects",                      "\r" },
	{ "the last object",                  "G" },
	{ "a page up",                        "\002" },
	{ "sort them by size",                "S" },
	{ "the inverse tree",                 "r" },
	{ "its cheapest path",                "*" },
	{ "back",                             "<" },
	{ "back to the types",                "<" },
	{ "all objects",                      ":objects\r" },
	{ "sort them by referrers",           ":sort in\r" },
	{ "filter them",                      "&Tenant\r" },
	{ "who holds the first",              "r" },
	{ "the object with most referrers",   "i" },
	{ "all roots",                        ":roots\r" },
	{ "who holds all strings",            ":merged string\r" },
	{ "what holds most",                  ":dominators\r" },
	{ "into the first",                   "l" },
	{ "look into it",                     "i" },
	{ "back",                             "<" },
	{ "the treemap",                      "M" },
	{ "into its first rectangle",         "\r" },
	{ "the histogram",                    "H" },
	{ "groups",                           ":groups\r" },
	{ "findings",                         ":findings\r" },
	{ "objects again",                    ":objects\r" },
	{ "sort them by what they hold",      "R" },
	{ "the pane beside them",             "\t" },
	{ "one row down with it",             "j" },
	{ "search",                           "/string" },
	{ "find it",                          "\r" },
	{ "the next one",                     "n" },
	{ "what can be typed",                ":" },
	{ "and begins with m",                "m" },
	{ "no more",                          "\b\b" },
	{ "columns",                          "\033OQ" },
	{ "help",                             "?" },
	{ "search in it",                     "/sort\r" },
};
/* clang-format on */

static void
bench_keys(const char *heaptop, const char *path)
{
	const char *argv[] = { heaptop, path, NULL };
	static struct terminal t;
	double worst = 0;
	char title[80];

	terminal_start(&t, argv);
	terminal_await(&t, "string", bench_now());
	/* Progress is drawn several times a second until all is computed. */
	while (terminal_read(&t, 1500))
		t.seen_len = 0;
	printf("\nkeys\n");
	for (size_t i = 0; i < sizeof(key_rows) / sizeof(key_rows[0]); i++) {
		double seconds = terminal_key(&t, key_rows[i].keys);

		snprintf(title, sizeof(title), "  %s", key_rows[i].name);
		bench_row(title, seconds * 1e3, 50, "ms", 0, NULL);
		if (seconds > worst)
			worst = seconds;
	}
	bench_row("  the slowest", worst * 1e3, 50, "ms", 0, NULL);
	terminal_stop(&t);
}

/* ---- */

static void
bench_types(const char *heaptop, const char *small, const char *large)
{
	const char *argv[] = { heaptop, "-b", "types", NULL, NULL };
	const char *version[] = { heaptop, "--version", NULL };
	struct bench_loaded l = bench_load_best(1, large, BENCH_ALL);
	struct rusage usage;
	double seconds;

	bench_row("start (--version)", run_best(20, version, &usage) * 1e3, 10, "ms", 0, NULL);
	argv[3] = small;
	seconds = run_best(20, argv, &usage);
	bench_row("type table, small (theirs 110 ms)", seconds * 1e3,
		  their_seconds_small * 1e3 / 20, "ms", 0, NULL);
	argv[3] = large;
	seconds = run_best(5, argv, &usage);
	bench_row("type table, large (theirs 109 ns)", seconds * 1e9 / l.objects,
		  BENCH_THEIR_NS / 8, "ns/ob", seconds, large);
	printf("  times faster than theirs: %.0f\n", BENCH_THEIR_NS / (seconds * 1e9 / l.objects));
	bench_row("  its peak", (double)usage.ru_maxrss / 1e3, 0, "MB", 0, NULL);
}

/* Text, so by its length: 100 MB/s. */
static void
bench_log(const char *heaptop, const char *path)
{
	const char *argv[] = { heaptop, "-b", "types", path, NULL };
	struct rusage usage;
	struct stat st;
	double seconds;

	if (stat(path, &st)) {
		fprintf(stderr, "bench: cannot read %s\n", path);
		exit(1);
	}
	seconds = run_best(3, argv, &usage);
	printf("\na GC log of %.0f MB\n", (double)st.st_size / 1e6);
	bench_row("  100 MB of it", seconds * 1e3 * 1e8 / (double)st.st_size, 1000, "ms", seconds,
		  path);
	bench_row("  its peak", (double)usage.ru_maxrss / 1e3, 0, "MB", 0, NULL);
}

/* bench.sh makes the heap with that many objects. Reads it, computes all results, and writes
   them. */
static void
bench_database(const char *heaptop, const char *path)
{
	enum { OBJECTS = 7000000 };
	char out[4096];
	const char *argv[] = { heaptop, "--force", "-o", out, path, NULL };
	struct rusage usage;
	double seconds;

	snprintf(out, sizeof out, "%s.sqlite", path);
	seconds = run_best(1, argv, &usage);
	printf("\na database of SQLite, %.0f MB\n", bench_file_bytes(out) / 1e6);
	bench_row("  an object with its references", seconds * 1e9 / OBJECTS, 6000, "ns", seconds,
		  path);
	bench_row("  its peak", (double)usage.ru_maxrss / 1e3, 0, "MB", 0, NULL);
	unlink(out);
}

int
main(int argc, char **argv)
{
	if (argc != 8) {
		fprintf(stderr, "usage: bench HEAPTOP SMALL LARGE LARGER LIST LOG KEPT\n");
		return 2;
	}
	memory_set_up();
	calibrate();
	bench_types(argv[1], argv[2], argv[3]);
	bench_first_screen("small", argv[1], argv[2]);
	bench_first_screen("large", argv[1], argv[3]);
	bench_first_screen("larger", argv[1], argv[4]);
	bench_first_screen(".heaptop, larger", argv[1], argv[7]);
	bench_load("large", argv[3], 75);
	bench_threads(argv[3]);
	bench_load("larger", argv[4], 75);
	bench_load("a list of half the objects", argv[5], 75);
	bench_keys(argv[1], argv[4]);
	bench_filters(argv[4]);
	bench_findings(argv[4]);
	bench_values();
	bench_sql(argv[3]);
	bench_log(argv[1], argv[6]);
	bench_kept(argv[4]);
	bench_write(argv[3]);
	bench_database(argv[1], argv[3]);
	printf("\n%d over target\n", over_count);
	return 0;
}
