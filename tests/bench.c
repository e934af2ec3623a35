/*
 * bench HEAPTOP SMALL LARGE LARGER LIST: how long things take, how much memory
 * they need, and whether that is what was promised. Each figure stands beside
 * its target and, where time is meant, beside the time that one memcpy() of
 * the same file takes in the same run: that ratio can be compared between
 * machines and days. Files are in the page cache; the best of several runs
 * counts. `make bench` makes the files and calls this.
 */
#define _DEFAULT_SOURCE /* wait4(), TIOCSWINSZ */
#define _XOPEN_SOURCE   700
#include "io/gcdump.h"
#include "io/saved.h"
#include "io/gcdump_write.h"
#include "model/diff.h"
#include "model/findings.h"
#include "model/groups.h"
#include "tui/views.h"
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* dotnet-gcdump report on a machine like the one this was written on. */
static const double their_seconds_small = 0.11, their_ns_an_object = 109;

enum { COPY_BYTES = 256 << 20, QUIET_MS = 120, SLOW_MS = 60000 };

static double bytes_a_second; /* of memcpy(), in this run */
static int over_count;

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static _Noreturn void
fail(const char *what)
{
	perror(what);
	exit(1);
}

static double
file_bytes(const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0)
		fail(path);
	return (double)st.st_size;
}

static void
calibrate(void)
{
	char *from = malloc(COPY_BYTES), *to = malloc(COPY_BYTES);
	double load;

	if (!from || !to)
		fail("memory");
	memset(from, 1, COPY_BYTES);
	memset(to, 2, COPY_BYTES);
	for (int i = 0; i < 5; i++) {
		double start = now(), rate;

		memcpy(to, from, COPY_BYTES);
		rate = COPY_BYTES / (now() - start);
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

/* `file` NULL: not a time that depends on a file. */
static void
row(const char *name, double measured, double target, const char *unit,
    double seconds, const char *file)
{
	char ratio[32] = "";
	bool is_over = target > 0 && measured > target;

	if (file)
		snprintf(ratio, sizeof(ratio), "%.1f",
			 seconds * bytes_a_second / file_bytes(file));
	printf("%-46s %8.*f %-5s", name, measured < 100 ? 1 : 0, measured,
	       unit);
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
		double start = now(), seconds;
		pid_t pid = fork();
		int status;

		if (pid < 0)
			fail("fork");
		if (pid == 0) {
			int nowhere = open("/dev/null", O_RDWR);

			child_exec(argv, nowhere, nowhere);
		}
		if (wait4(pid, &status, 0, usage) != pid)
			fail("wait4");
		seconds = now() - start;
		if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
			fprintf(stderr, "bench: %s failed\n", argv[0]);
			exit(1);
		}
		if (seconds < best)
			best = seconds;
	}
	return best;
}

/* ---- loading, in a process of its own ---- */

struct loaded {
	double load, reverse, reach, dominators, types; /* seconds */
	double objects, refs, resident, reverse_bytes, reach_bytes;
	double dominators_bytes;
	double peak_load, peak; /* bytes */
	double peak_small, peak_dominators;
	double cancel; /* seconds, the longest */
};

static double
peak_bytes(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)usage.ru_maxrss * 1024;
}

/* The peak from now on, where the kernel allows it. */
static void
peak_restart(void)
{
	FILE *f = fopen("/proc/self/clear_refs", "w");

	if (!f)
		return;
	fputs("5", f);
	fclose(f);
}

static double
peak_since_restart(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	double kilobytes = 0;
	char line[128];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "VmHWM: %lf", &kilobytes) == 1)
			break;
	if (f)
		fclose(f);
	return kilobytes * 1024;
}

static void
dominators_once(const struct reverse *rev, struct loaded *l, double *peak)
{
	struct error err = { 0 };
	double start = now(), before;
	const struct dominators *d;
	const struct retained *r = NULL;
	struct retained_sum *types = NULL;
	struct arena a;

	arena_init(&a, 0);
	peak_restart();
	d = dominators_compute(rev->heap, rev, NULL, 0, NULL, &err);
	if (d)
		r = retained_compute(d, NULL, &err);
	l->dominators = now() - start;
	before = now();
	if (r)
		types = retained_by_type(r, true, &a, NULL, &err);
	l->types = now() - before;
	*peak = peak_since_restart();
	if (!types) {
		fprintf(stderr, "bench: %s\n", err.message);
		_exit(1);
	}
	l->dominators_bytes = (double)(d->bytes + r->bytes);
	retained_free(r);
	dominators_free(d);
	arena_clear(&a);
}

struct cancelling {
	const struct reverse *rev;
	struct progress progress;
};

static void *
cancelled_main(void *argument)
{
	struct cancelling *c = argument;
	struct error err = { 0 };

	dominators_free(dominators_compute(c->rev->heap, c->rev, NULL, 0,
					   &c->progress, &err));
	return NULL;
}

/* From the wish to stop until it has: at many moments, the longest. */
static void
cancel_often(const struct reverse *rev, struct loaded *l)
{
	enum { MOMENTS = 40 };

	for (int i = 0; i < MOMENTS; i++) {
		struct cancelling c = { .rev = rev };
		struct timespec wait;
		pthread_t thread;
		double seconds = l->dominators * i / MOMENTS, start;

		wait.tv_sec = (time_t)seconds;
		wait.tv_nsec = (long)((seconds - (double)wait.tv_sec) * 1e9);
		if (pthread_create(&thread, NULL, cancelled_main, &c) != 0)
			fail("thread");
		nanosleep(&wait, NULL);
		start = now();
		progress_cancel(&c.progress);
		pthread_join(thread, NULL);
		if (now() - start > l->cancel)
			l->cancel = now() - start;
	}
}

static void
load_once(const char *path, struct loaded *l)
{
	struct error err = { 0 };
	double start = now(), before;
	const struct heap *h;
	const struct reverse *rev;
	const struct reach *reach;

	h = source_gcdump.load(path, LOAD_ALL, NULL, NULL, &err);
	l->load = now() - start;
	l->peak_load = peak_bytes();
	before = now();
	rev = h ? reverse_compute(h, NULL, &err) : NULL;
	l->reverse = now() - before;
	if (rev)
		dominators_once(rev, l, &l->peak_small);
	peak_restart();
	before = now();
	reach = rev ? reach_compute(h, true, NULL, &err) : NULL;
	l->reach = now() - before;
	if (!reach) {
		fprintf(stderr, "bench: %s\n", err.message);
		_exit(1);
	}
	l->peak = peak_since_restart();
	dominators_once(rev, l, &l->peak_dominators);
	cancel_often(rev, l);
	l->objects = h->nodes_count;
	l->refs = (double)h->refs_count;
	l->resident = (double)heap_bytes(h);
	l->reverse_bytes = (double)rev->bytes;
	l->reach_bytes = (double)reach->bytes;
}

/* In a child, so that peaks and pages are its own; the best of `times`. */
static struct loaded
load_best(int times, const char *path)
{
	struct loaded best = { .load = 1e9 };

	for (int i = 0; i < times; i++) {
		struct loaded l = { 0 };
		int ends[2], status;
		pid_t pid;

		if (pipe(ends) != 0 || (pid = fork()) < 0)
			fail("fork");
		if (pid == 0) {
			load_once(path, &l);
			_exit(write(ends[1], &l, sizeof(l)) !=
			      (ssize_t)sizeof(l));
		}
		if (read(ends[0], &l, sizeof(l)) != (ssize_t)sizeof(l) ||
		    waitpid(pid, &status, 0) != pid || status != 0)
			fail("loading");
		close(ends[0]);
		close(ends[1]);
		if (l.load + l.reverse + l.reach + l.dominators <
		    best.load + best.reverse + best.reach + best.dominators)
			best = l;
	}
	return best;
}

static void
bench_dominators(const struct loaded *l, const char *path)
{
	double all = l->load + l->reverse + l->dominators;
	char title[80];

	row("  dominators and retained sizes", l->dominators * 1e9 / l->objects,
	    80, "ns/ob", l->dominators, path);
	row("  retained by type", l->types * 1e9 / l->objects, 5, "ns/ob",
	    l->types, path);
	row("  from the file to retained sizes (theirs 109)",
	    all * 1e9 / l->objects, their_ns_an_object, "ns/ob", all, path);
	snprintf(title, sizeof(title), "  they stay with %.0f MB; peak, small",
		 l->dominators_bytes / 1e6);
	row(title, l->peak_small / 1e6, (20 * l->objects + 6 * l->refs) / 1e6,
	    "MB", 0, NULL);
	row("  peak with distances as well (38 an object)",
	    l->peak_dominators / 1e6, 38 * l->objects / 1e6, "MB", 0, NULL);
	row("  cancelled at any moment", l->cancel * 1e3, 50, "ms", 0, NULL);
}

static void
bench_load(const char *name, const char *path, double target)
{
	struct loaded l = load_best(3, path);
	double all = l.load + l.reverse + l.reach;
	double file = file_bytes(path);
	char title[80];

	printf("\n%s: %.0f objects, %.0f references\n", name, l.objects,
	       l.refs);
	row("  reading the graph", l.load * 1e9 / l.objects, 0, "ns/ob", l.load,
	    path);
	row("  referrers", l.reverse * 1e9 / l.objects, 0, "ns/ob", l.reverse,
	    path);
	row("  distances to the roots", l.reach * 1e9 / l.objects, 0, "ns/ob",
	    l.reach, path);
	row("  all three", all * 1e9 / l.objects, target, "ns/ob", all, path);
	row("  resident (5.5 an object + 2.5 a reference)", l.resident / 1e6,
	    (5.5 * l.objects + 2.5 * l.refs) / 1e6, "MB", 0, NULL);
	snprintf(title, sizeof(title), "  and referrers %.0f MB, distances",
		 l.reverse_bytes / 1e6);
	row(title, l.reach_bytes / 1e6, 0, "MB", 0, NULL);
	row("  peak while reading (2 x resident + file)", l.peak_load / 1e6,
	    (2 * l.resident + file) / 1e6, "MB", 0, NULL);
	row("  peak with referrers and distances", l.peak / 1e6, 0, "MB", 0,
	    NULL);
	bench_dominators(&l, path);
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
	if (t->fd < 0 || grantpt(t->fd) != 0 || unlockpt(t->fd) != 0)
		fail("terminal");
	name = ptsname(t->fd);
	ioctl(t->fd, TIOCSWINSZ, &size);
	t->pid = fork();
	if (t->pid < 0)
		fail("fork");
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
	return now() - since;
}

/*
 * Seconds from a key to its answer: what takes longer is done by a worker and
 * drawn when it is there.
 */
static double
terminal_key(struct terminal *t, const char *keys)
{
	double start = now(), answer;

	t->seen_len = 0;
	if (write(t->fd, keys, strlen(keys)) != (ssize_t)strlen(keys))
		fail("terminal");
	if (!terminal_read(t, SLOW_MS))
		fail("terminal");
	answer = now() - start;
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
		double start = now(), seconds;

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
	row(title, best_screen * 1e3, 100, "ms", 0, NULL);
	snprintf(title, sizeof(title), "first types on it, %s", name);
	row(title, best_types * 1e3, 100, "ms", 0, NULL);
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
	{ "its shortest path",                "*" },
	{ "back",                             "<" },
	{ "back to the types",                "<" },
	{ "all objects",                      "2" },
	{ "sort them by referrers",           ":sort in\r" },
	{ "filter them",                      "&Tenant\r" },
	{ "who holds the first",              "r" },
	{ "the object with most referrers",   "i" },
	{ "all roots",                        "4" },
	{ "who holds all strings",            ":merged string\r" },
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
	terminal_await(&t, "string", now());
	/* Progress is drawn several times a second until all is computed. */
	while (terminal_read(&t, 1500))
		t.seen_len = 0;
	printf("\nkeys\n");
	for (size_t i = 0; i < sizeof(key_rows) / sizeof(key_rows[0]); i++) {
		double seconds = terminal_key(&t, key_rows[i].keys);

		snprintf(title, sizeof(title), "  %s", key_rows[i].name);
		row(title, seconds * 1e3, 50, "ms", 0, NULL);
		if (seconds > worst)
			worst = seconds;
	}
	row("  the slowest", worst * 1e3, 50, "ms", 0, NULL);
	terminal_stop(&t);
}

/* ---- filters ---- */

/* clang-format off */
static const struct {
	const char *text;
	double target; /* ns an object; 0: more than the columns is asked for */
} filter_rows[] = {
	{ "size > 85000",                              10 },
	{ "type ~ /Tenant/ and size > 20",             10 },
	{ "address in 7f00000000..7fff000000 or size = 24", 10 },
	{ "in > 100",                                  10 },
	{ "out = 0 and in = 1",                        10 },
	{ "not (size < 100 or distance > 20)",         10 },
	{ "held by Contoso.Tenant",                    0 },
	{ "holds string and in > 1",                   0 },
	{ "root ~ /static/",                           0 },
};
/* clang-format on */

/* Over all objects, everything computed; making the list is part of it. */
static void
bench_filters(const char *path)
{
	struct error err = { 0 };
	const struct heap *h =
	    source_gcdump.load(path, LOAD_ALL, NULL, NULL, &err);
	struct session *s =
	    h ? session_new_of_heap(h, (struct waker){ 0 }, &err) : NULL;
	struct view *v;

	if (!s || !session_require(s, NEED_REVERSE | NEED_REACH, &err) ||
	    !(v = view_open(&view_objects, s, &target_none, &err)) ||
	    !view_update(v, &err)) {
		fprintf(stderr, "bench: %s\n", err.message);
		exit(1);
	}
	printf("\nfilters of %u objects\n", h->nodes_count);
	for (size_t i = 0; i < sizeof(filter_rows) / sizeof(filter_rows[0]);
	     i++) {
		double best = 1e9;
		char title[80];

		for (int turn = 0; turn < 3; turn++) {
			double start = now(), seconds;

			if (!view_where(v, filter_rows[i].text, &err)) {
				fprintf(stderr, "bench: %s\n", err.message);
				exit(1);
			}
			seconds = now() - start;
			best = seconds < best ? seconds : best;
		}
		snprintf(title, sizeof(title), "  %s", filter_rows[i].text);
		row(title, best * 1e9 / h->nodes_count, filter_rows[i].target,
		    "ns/ob", 0, NULL);
	}
	view_close(v);
	session_free(s);
}

/* What is computed when it is asked for: the best of three, ns an object. */
static double
groups_time(const struct findings_input *in, struct error *err)
{
	double best = 1e9;
	struct groups g;

	for (int turn = 0; turn < 3 && err->kind == ERROR_NONE; turn++) {
		double start = now(), seconds;

		if (groups_compute(&g, in->heap, in->reach, GROUP_ROOT, NULL,
				   err))
			groups_clear(&g);
		seconds = now() - start;
		best = seconds < best ? seconds : best;
	}
	return best * 1e9 / in->heap->nodes_count;
}

static double
findings_time(const struct findings_input *in, struct error *err)
{
	double best = 1e9;

	for (int turn = 0; turn < 3 && err->kind == ERROR_NONE; turn++) {
		double start = now(), seconds;

		findings_free(findings_find(in, NULL, err));
		seconds = now() - start;
		best = seconds < best ? seconds : best;
	}
	return best * 1e9 / in->heap->nodes_count;
}

/* A heap beside itself, for each object of both; `d` NULL: not needed. */
static double
diff_time(const struct findings_input *in, const struct dominators *d,
	  enum diff_by by, struct error *err)
{
	const struct diff_heap heap = { in->heap, in->reach, d };
	const struct diff_heap heaps[] = { heap, heap };
	double best = 1e9;
	struct diff diff;

	for (int turn = 0; turn < 3 && err->kind == ERROR_NONE; turn++) {
		double start = now(), seconds;

		if (diff_compute(&diff, heaps, 2, by, NULL, err))
			diff_clear(&diff);
		seconds = now() - start;
		best = seconds < best ? seconds : best;
	}
	return best * 1e9 / in->heap->nodes_count / 2;
}

static void
bench_findings(const char *path)
{
	const struct dominators *d = NULL;
	struct findings_input in = { 0 };
	struct error err = { 0 };
	double groups = 0, findings = 0, with_retained = 0;
	double diffs[3] = { 0 };

	in.heap = source_gcdump.load(path, LOAD_ALL, NULL, NULL, &err);
	in.reverse = in.heap ? reverse_compute(in.heap, NULL, &err) : NULL;
	in.reach = in.reverse ? reach_compute(in.heap, true, NULL, &err) : NULL;
	if (in.reach) {
		groups = groups_time(&in, &err);
		findings = findings_time(&in, &err);
		d = dominators_compute(in.heap, in.reverse, NULL, 0, NULL,
				       &err);
		in.retained = d ? retained_compute(d, NULL, &err) : NULL;
		with_retained = findings_time(&in, &err);
		diffs[0] = diff_time(&in, NULL, DIFF_TYPE, &err);
		diffs[1] = diff_time(&in, NULL, DIFF_PATH, &err);
		diffs[2] = d ? diff_time(&in, d, DIFF_DOMINATOR, &err) : 0;
	}
	if (err.kind != ERROR_NONE) {
		fprintf(stderr, "bench: %s\n", err.message);
		exit(1);
	}
	printf("\ngroups, findings and diff of %u objects\n",
	       in.heap->nodes_count);
	row("  groups by root", groups, 30, "ns/ob", 0, NULL);
	row("  findings", findings, 30, "ns/ob", 0, NULL);
	row("  findings with retained sizes", with_retained, 60, "ns/ob", 0,
	    NULL);
	row("  diff by type", diffs[0], 5, "ns/ob", 0, NULL);
	row("  diff by path", diffs[1], 30, "ns/ob", 0, NULL);
	row("  diff by dominator", diffs[2], 30, "ns/ob", 0, NULL);
	retained_free(in.retained);
	dominators_free(d);
	reach_free(in.reach);
	reverse_free(in.reverse);
	heap_free(in.heap);
}

/* ---- */

static void
bench_types(const char *heaptop, const char *small, const char *large)
{
	const char *argv[] = { heaptop, "-b", "types", NULL, NULL };
	const char *version[] = { heaptop, "--version", NULL };
	struct loaded l = load_best(1, large);
	struct rusage usage;
	double seconds;

	row("start (--version)", run_best(20, version, &usage) * 1e3, 10, "ms",
	    0, NULL);
	argv[3] = small;
	seconds = run_best(20, argv, &usage);
	row("type table, small (theirs 110 ms)", seconds * 1e3,
	    their_seconds_small * 1e3 / 20, "ms", 0, NULL);
	argv[3] = large;
	seconds = run_best(5, argv, &usage);
	row("type table, large (theirs 109 ns)", seconds * 1e9 / l.objects,
	    their_ns_an_object / 8, "ns/ob", seconds, large);
	printf("  times faster than theirs: %.0f\n",
	       their_ns_an_object / (seconds * 1e9 / l.objects));
	row("  its peak", (double)usage.ru_maxrss / 1e3, 0, "MB", 0, NULL);
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
	row("  100 MB of it", seconds * 1e3 * 1e8 / (double)st.st_size, 1000,
	    "ms", seconds, path);
	row("  its peak", (double)usage.ru_maxrss / 1e3, 0, "MB", 0, NULL);
}

/* ---- writing ---- */

static bool
write_anew(struct output *to, const struct heap *h, struct progress *progress,
	   struct error *err)
{
	return gcdump_write_anew(to, h, &gcdump_limits, progress, err);
}

/* To nowhere: not the disk is measured. */
static double
write_best(const struct heap *h,
	   bool (*write)(struct output *to, const struct heap *h,
			 struct progress *progress, struct error *err))
{
	int before = dup(STDOUT_FILENO), nowhere = open("/dev/null", O_WRONLY);
	struct error err = { 0 };
	double best = 1e9;

	fflush(stdout);
	if (before < 0 || dup2(nowhere, STDOUT_FILENO) < 0)
		fail("/dev/null");
	for (int i = 0; i < 3; i++) {
		double start = now();
		struct output *to = output_open("-", false, &err);

		if (!to || !write(to, h, NULL, &err) || !output_close(to, &err))
			fail(err.message);
		if (now() - start < best)
			best = now() - start;
	}
	dup2(before, STDOUT_FILENO);
	close(before);
	close(nowhere);
	return best;
}

static void
bench_write(const char *path)
{
	struct error err = { 0 };
	const struct heap *h =
	    source_gcdump.load(path, LOAD_ALL, NULL, NULL, &err);
	double again, anew;

	if (!h)
		fail(err.message);
	again = write_best(h, gcdump_write);
	anew = write_best(h, write_anew);
	printf("\na .gcdump of %" PRIu32 " objects written\n", h->nodes_count);
	row("  as it was, byte for byte", again * 1e9 / h->nodes_count, 50,
	    "ns/ob", again, path);
	row("  as if from elsewhere", anew * 1e9 / h->nodes_count, 50, "ns/ob",
	    anew, path);
	heap_free(h);
}

/* ---- heaps that are kept ---- */

static void
wake_first(void *context)
{
	double *first = context;

	if (!*first)
		*first = now();
}

static double
keep(const char *path, const struct heap *h, bool is_raw)
{
	const struct saved_how how = { .is_raw = is_raw };
	struct error err = { 0 };
	struct output *to = output_open(path, true, &err);
	double start = now(), seconds;
	bool ok = to && saved_write(to, h, &how, NULL, &err);

	seconds = now() - start; /* without the disk */
	if (!ok || !output_close(to, &err)) {
		fprintf(stderr, "bench: %s\n", err.message);
		exit(1);
	}
	return seconds;
}

/* Seconds to open it; `first`: to the first types. */
static double
open_kept(const char *path, double *first)
{
	double start = now(), at = 0, seconds;
	struct error err = { 0 };
	struct preview preview;
	const struct heap *h;

	preview_init(&preview);
	preview.wake = wake_first;
	preview.wake_context = &at;
	h = source_saved.load(path, LOAD_ALL, NULL, &preview, &err);
	seconds = now() - start;
	*first = at - start;
	if (!h) {
		fprintf(stderr, "bench: %s\n", err.message);
		exit(1);
	}
	preview_clear(&preview);
	heap_free(h);
	return seconds;
}

/* 0.3 s for 50 million objects are 6 ns each. */
static void
bench_kept(const char *dump)
{
	static const char *const names[] = { "packed", "raw" };
	struct error err = { 0 };
	const struct heap *h =
	    source_gcdump.load(dump, LOAD_ALL, NULL, NULL, &err);
	double nodes = h ? h->nodes_count : 0;
	char path[4096], title[80];

	if (!h) {
		fprintf(stderr, "bench: %s\n", err.message);
		exit(1);
	}
	printf("\na heap of %.0f objects that is kept\n", nodes);
	for (int raw = 0; raw < 2; raw++) {
		double best_write = 1e9, best_open = 1e9, best_first = 1e9;

		snprintf(path, sizeof(path), "%s.%s.heaptop", dump, names[raw]);
		for (int turn = 0; turn < 3; turn++) {
			double first, seconds = keep(path, h, raw);

			best_write =
			    seconds < best_write ? seconds : best_write;
			seconds = open_kept(path, &first);
			best_open = seconds < best_open ? seconds : best_open;
			best_first = first < best_first ? first : best_first;
		}
		snprintf(title, sizeof(title), "  %s: an object takes",
			 names[raw]);
		row(title, file_bytes(path) / nodes, raw ? 0 : 4.5, "B", 0,
		    NULL);
		snprintf(title, sizeof(title), "  %s: writing", names[raw]);
		row(title, best_write * 1e9 / nodes, 12, "ns/ob", best_write,
		    path);
		snprintf(title, sizeof(title), "  %s: opening", names[raw]);
		row(title, best_open * 1e9 / nodes, 6, "ns/ob", best_open,
		    path);
		snprintf(title, sizeof(title), "  %s: first types", names[raw]);
		row(title, best_first * 1e3, 20, "ms", 0, NULL);
	}
	heap_free(h);
}

int
main(int argc, char **argv)
{
	if (argc != 7) {
		fprintf(stderr,
			"usage: bench HEAPTOP SMALL LARGE LARGER LIST LOG\n");
		return 2;
	}
	memory_set_up();
	calibrate();
	bench_types(argv[1], argv[2], argv[3]);
	bench_first_screen("small", argv[1], argv[2]);
	bench_first_screen("large", argv[1], argv[3]);
	bench_first_screen("larger", argv[1], argv[4]);
	bench_load("large", argv[3], 110);
	bench_load("larger", argv[4], 110);
	bench_load("a list of half the objects", argv[5], 110);
	bench_keys(argv[1], argv[4]);
	bench_filters(argv[4]);
	bench_findings(argv[4]);
	bench_log(argv[1], argv[6]);
	bench_kept(argv[4]);
	bench_write(argv[3]);
	printf("\n%d over target\n", over_count);
	return 0;
}
