#define _GNU_SOURCE /* sched_setaffinity() */
/*
 * What is measured without a screen and within this program: reading a heap, computing over it,
 * filters, findings, writing it.
 */
#include "tests/speed/bench.h"
#include "io/formats/sources.h"
#include "io/gcdump/gcdump.h"
#include "io/gcdump/write.h"
#include "io/heaptop/heaptop.h"
#include "model/analysis/diff.h"
#include "model/analysis/findings.h"
#include "model/analysis/groups.h"
#include "model/analysis/held_types.h"
#include "model/graph/retention.h"
#include "tests/drive/heaps.h"
#include "tui/app/views.h"
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- loading, in a process of its own ---- */

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
dominators_once(const struct reverse *rev, struct bench_loaded *l, double *peak)
{
	struct error err = { 0 };
	double start = bench_now(), before;
	const struct dominators *d;
	const struct retained *r = NULL;
	struct retained_sum *types = NULL;
	struct arena a;

	arena_init(&a, 0);
	peak_restart();
	d = dominators_compute(rev->heap, rev, NULL, 0, NULL, &err);
	if (d)
		r = retained_compute(d, NULL, &err);
	l->dominators = bench_now() - start;
	before = bench_now();
	if (r)
		types = retained_by_type(r, true, &a, NULL, &err);
	l->types = bench_now() - before;
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

	dominators_free(dominators_compute(c->rev->heap, c->rev, NULL, 0, &c->progress, &err));
	return NULL;
}

/* From the wish to stop until it has: at many moments, the longest. */
static void
cancel_often(const struct reverse *rev, struct bench_loaded *l)
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
			bench_fail("thread");
		nanosleep(&wait, NULL);
		start = bench_now();
		progress_cancel(&c.progress);
		pthread_join(thread, NULL);
		if (bench_now() - start > l->cancel)
			l->cancel = bench_now() - start;
	}
}

static void *
reverse_main(void *heap)
{
	struct error err = { 0 };

	reverse_free(reverse_compute(heap, NULL, &err));
	return NULL;
}

/* Seconds of referrers and distances at once, as the screen computes them. */
static double
both_at_once(const struct heap *h)
{
	struct error err = { 0 };
	double start = bench_now(), seconds;
	const struct reach *reach;
	pthread_t thread;

	if (pthread_create(&thread, NULL, reverse_main, (void *)(uintptr_t)h))
		bench_fail("thread");
	reach = reach_compute(h, true, NULL, &err);
	pthread_join(thread, NULL);
	seconds = bench_now() - start;
	reach_free(reach);
	return seconds;
}

static void
load_once(const char *path, struct bench_loaded *l)
{
	struct error err = { 0 };
	double start = bench_now(), before;
	const struct heap *h;
	const struct reverse *rev;
	const struct reach *reach;

	h = heap_at(path, LOAD_ALL, &err);
	l->load = bench_now() - start;
	l->peak_load = peak_bytes();
	before = bench_now();
	rev = h ? reverse_compute(h, NULL, &err) : NULL;
	l->reverse = bench_now() - before;
	if (rev)
		dominators_once(rev, l, &l->peak_small);
	peak_restart();
	before = bench_now();
	reach = rev ? reach_compute(h, true, NULL, &err) : NULL;
	l->reach = bench_now() - before;
	if (!reach) {
		fprintf(stderr, "bench: %s\n", err.message);
		_exit(1);
	}
	l->peak = peak_since_restart();
	dominators_once(rev, l, &l->peak_dominators);
	cancel_often(rev, l);
	l->both = both_at_once(h);
	l->objects = h->nodes_count;
	l->refs = (double)h->refs_count;
	l->resident = (double)heap_bytes(h);
	l->reverse_bytes = (double)rev->bytes;
	l->reach_bytes = (double)reach->bytes;
}

/* Lets this process use so many of its processors. */
static void
use_processors(int count)
{
	cpu_set_t all, some;

	CPU_ZERO(&some);
	if (sched_getaffinity(0, sizeof(all), &all) != 0)
		bench_fail("sched_getaffinity");
	for (size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&some) < count; i++)
		if (CPU_ISSET(i, &all))
			CPU_SET(i, &some);
	if (sched_setaffinity(0, sizeof(some), &some) != 0)
		bench_fail("sched_setaffinity");
}

struct bench_loaded
bench_load_best(int times, const char *path, int processors)
{
	struct bench_loaded best = { .load = 1e9 };

	for (int i = 0; i < times; i++) {
		struct bench_loaded l = { 0 };
		int ends[2], status;
		pid_t pid;

		if (pipe(ends) != 0 || (pid = fork()) < 0)
			bench_fail("fork");
		if (pid == 0) {
			use_processors(processors);
			load_once(path, &l);
			_exit(write(ends[1], &l, sizeof(l)) != (ssize_t)sizeof(l));
		}
		if (read(ends[0], &l, sizeof(l)) != (ssize_t)sizeof(l) ||
		    waitpid(pid, &status, 0) != pid || status != 0)
			bench_fail("loading");
		close(ends[0]);
		close(ends[1]);
		if (l.load + l.reverse + l.reach + l.dominators <
		    best.load + best.reverse + best.reach + best.dominators)
			best = l;
	}
	return best;
}

static void
bench_dominators(const struct bench_loaded *l, const char *path)
{
	double all = l->load + l->reverse + l->dominators;
	char title[80];

	bench_row("  dominators and retained sizes", l->dominators * 1e9 / l->objects, 80, "ns/ob",
		  l->dominators, path);
	bench_row("  retained by type", l->types * 1e9 / l->objects, 5, "ns/ob", l->types, path);
	bench_row("  from the file to retained sizes (theirs 109)", all * 1e9 / l->objects,
		  BENCH_THEIR_NS, "ns/ob", all, path);
	snprintf(title, sizeof(title), "  they stay with %.0f MB; peak, small",
		 l->dominators_bytes / 1e6);
	bench_row(title, l->peak_small / 1e6, (20 * l->objects + 6 * l->refs) / 1e6, "MB", 0, NULL);
	bench_row("  peak with distances as well (38 an object)", l->peak_dominators / 1e6,
		  38 * l->objects / 1e6, "MB", 0, NULL);
	bench_row("  cancelled at any moment", l->cancel * 1e3, 50, "ms", 0, NULL);
}

void
bench_load(const char *name, const char *path, double target)
{
	struct bench_loaded l = bench_load_best(3, path, BENCH_ALL);
	double all = l.load + l.both;
	double file = bench_file_bytes(path);
	char title[80];

	printf("\n%s: %.0f objects, %.0f references\n", name, l.objects, l.refs);
	bench_row("  reading the graph", l.load * 1e9 / l.objects, 0, "ns/ob", l.load, path);
	bench_row("  referrers", l.reverse * 1e9 / l.objects, 0, "ns/ob", l.reverse, path);
	bench_row("  distances to the roots", l.reach * 1e9 / l.objects, 0, "ns/ob", l.reach, path);
	bench_row("  these two at once, as the screen does", l.both * 1e9 / l.objects, 0, "ns/ob",
		  l.both, path);
	bench_row("  all three", all * 1e9 / l.objects, target, "ns/ob", all, path);
	bench_row("  resident (5.5 an object + 2.5 a reference)", l.resident / 1e6,
		  (5.5 * l.objects + 2.5 * l.refs) / 1e6, "MB", 0, NULL);
	snprintf(title, sizeof(title), "  and referrers %.0f MB, distances", l.reverse_bytes / 1e6);
	bench_row(title, l.reach_bytes / 1e6, 0, "MB", 0, NULL);
	bench_row("  peak while reading (2 x resident + file)", l.peak_load / 1e6,
		  (2 * l.resident + file) / 1e6, "MB", 0, NULL);
	bench_row("  peak with referrers and distances", l.peak / 1e6, 0, "MB", 0, NULL);
	bench_dominators(&l, path);
}

/*
 * Each pass on one processor and on two. Serial parts: checking the container and cutting it into
 * parts while reading; the order of objects by address; joining the counts of referrers; the search
 * for paths, beside which a second thread only looks for tables of statics; numbering the dominator
 * tree.
 */
void
bench_threads(const char *path)
{
	struct bench_loaded one = bench_load_best(3, path, 1);
	struct bench_loaded two = bench_load_best(3, path, 2);
	const struct {
		const char *pass;
		double one, two;
	} rows[] = {
		{ "reading the graph", one.load, two.load },
		{ "referrers", one.reverse, two.reverse },
		{ "distances to the roots", one.reach, two.reach },
		{ "dominators and retained sizes", one.dominators, two.dominators },
		{ "retained by type", one.types, two.types },
	};

	printf("\npasses over %.0f objects      one thread    two threads\n", one.objects);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		printf("  %-32s %6.1f ns/ob  %6.1f ns/ob  %4.2f x\n", rows[i].pass,
		       rows[i].one * 1e9 / one.objects, rows[i].two * 1e9 / two.objects,
		       rows[i].one / rows[i].two);
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
void
bench_filters(const char *path)
{
	struct error err = { 0 };
	const struct heap *h = heap_at(path, LOAD_ALL, &err);
	struct session *s = h ? session_new_of_heap(h, (struct waker){ 0 }, &err) : NULL;
	struct view *v;

	if (!s || !session_require(s, NEED_REVERSE | NEED_REACH, &err) ||
	    !(v = view_open(&view_objects, s, &target_none, &err)) || !view_update(v, &err)) {
		fprintf(stderr, "bench: %s\n", err.message);
		exit(1);
	}
	printf("\nfilters of %u objects\n", h->nodes_count);
	for (size_t i = 0; i < sizeof(filter_rows) / sizeof(filter_rows[0]); i++) {
		double best = 1e9;
		char title[80];

		for (int turn = 0; turn < 3; turn++) {
			double start = bench_now(), seconds;

			if (!view_where(v, filter_rows[i].text, &err)) {
				fprintf(stderr, "bench: %s\n", err.message);
				exit(1);
			}
			seconds = bench_now() - start;
			best = seconds < best ? seconds : best;
		}
		snprintf(title, sizeof(title), "  %s", filter_rows[i].text);
		bench_row(title, best * 1e9 / h->nodes_count, filter_rows[i].target, "ns/ob", 0,
			  NULL);
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
		double start = bench_now(), seconds;

		if (groups_compute(&g, in->heap, in->reach, GROUP_ROOT, NULL, err))
			groups_clear(&g);
		seconds = bench_now() - start;
		best = seconds < best ? seconds : best;
	}
	return best * 1e9 / in->heap->nodes_count;
}

static double
findings_time(const struct findings_input *in, struct error *err)
{
	double best = 1e9;

	for (int turn = 0; turn < 3 && err->kind == ERROR_NONE; turn++) {
		double start = bench_now(), seconds;

		findings_free(findings_find(in, NULL, err));
		seconds = bench_now() - start;
		best = seconds < best ? seconds : best;
	}
	return best * 1e9 / in->heap->nodes_count;
}

/* A heap beside itself, for each object of both; `d` NULL: not needed. */
static double
diff_time(const struct findings_input *in, const struct dominators *d, enum diff_by by,
	  struct error *err)
{
	const struct diff_heap heap = { .heap = in->heap, .reach = in->reach, .dominators = d };
	const struct diff_heap heaps[] = { heap, heap };
	double best = 1e9;
	struct diff diff;

	for (int turn = 0; turn < 3 && err->kind == ERROR_NONE; turn++) {
		double start = bench_now(), seconds;

		if (diff_compute(&diff, heaps, 2, by, NULL, err))
			diff_clear(&diff);
		seconds = bench_now() - start;
		best = seconds < best ? seconds : best;
	}
	return best * 1e9 / in->heap->nodes_count / 2;
}

/* Returns the time for the contents of the object that dominates most, divided by the objects in
   it. */
static double
contents_time(const struct retained *r, struct error *err)
{
	const struct dominators *d = r->dominators;
	struct subject about = { .node = d->objects[0], .type = TYPE_NONE, .text = "" };
	struct retained_sum most = { 0 }, sum;
	double best = 1e9;
	uint32_t end;

	for (uint32_t p = 0; p < d->heap->nodes_count; p = end) {
		end = dominators_end(d, p);
		sum = retained_between(r, p, end);
		if (sum.count > most.count) {
			most = sum;
			about.node = d->objects[p];
		}
	}
	for (int turn = 0; turn < 3 && err->kind == ERROR_NONE; turn++) {
		double start = bench_now(), seconds;
		struct held_types held;

		if (!held_types_compute(&held, r, &about, true, NULL, err))
			break;
		seconds = bench_now() - start;
		best = seconds < best ? seconds : best;
		held_types_clear(&held);
	}
	return best * 1e9 / (double)most.count;
}

void
bench_findings(const char *path)
{
	const struct dominators *d = NULL;
	struct findings_input in = { 0 };
	struct error err = { 0 };
	double groups = 0, findings = 0, with_retained = 0, contents = 0;
	double diffs[3] = { 0 };

	in.heap = heap_at(path, LOAD_ALL, &err);
	in.reverse = in.heap ? reverse_compute(in.heap, NULL, &err) : NULL;
	in.reach = in.reverse ? reach_compute(in.heap, true, NULL, &err) : NULL;
	if (in.reach) {
		groups = groups_time(&in, &err);
		findings = findings_time(&in, &err);
		d = dominators_compute(in.heap, in.reverse, NULL, 0, NULL, &err);
		in.retained = d ? retained_compute(d, NULL, &err) : NULL;
		with_retained = findings_time(&in, &err);
		contents = in.retained ? contents_time(in.retained, &err) : 0;
		diffs[0] = diff_time(&in, NULL, DIFF_TYPE, &err);
		diffs[1] = diff_time(&in, NULL, DIFF_PATH, &err);
		diffs[2] = d ? diff_time(&in, d, DIFF_DOMINATOR, &err) : 0;
	}
	if (err.kind != ERROR_NONE) {
		fprintf(stderr, "bench: %s\n", err.message);
		exit(1);
	}
	printf("\ngroups, findings and diff of %u objects\n", in.heap->nodes_count);
	bench_row("  groups by root", groups, 30, "ns/ob", 0, NULL);
	bench_row("  findings", findings, 30, "ns/ob", 0, NULL);
	bench_row("  findings with retained sizes", with_retained, 60, "ns/ob", 0, NULL);
	/* 0.1 s for a holder of 10 million. */
	bench_row("  contents of the largest holder", contents, 10, "ns/ob", 0, NULL);
	bench_row("  diff by type", diffs[0], 5, "ns/ob", 0, NULL);
	bench_row("  diff by path", diffs[1], 30, "ns/ob", 0, NULL);
	bench_row("  diff by dominator", diffs[2], 30, "ns/ob", 0, NULL);
	retained_free(in.retained);
	dominators_free(d);
	reach_free(in.reach);
	reverse_free(in.reverse);
	heap_free(in.heap);
}

/* ---- writing ---- */

/* To nowhere: not the disk is measured. */
static double
write_best(const struct heap *h, bool (*write)(struct output *to, const struct heap *h,
					       struct progress *progress, struct error *err))
{
	int before = dup(STDOUT_FILENO), nowhere = open("/dev/null", O_WRONLY);
	struct error err = { 0 };
	double best = 1e9;

	fflush(stdout);
	if (before < 0 || dup2(nowhere, STDOUT_FILENO) < 0)
		bench_fail("/dev/null");
	for (int i = 0; i < 3; i++) {
		double start = bench_now();
		struct output *to = output_open("-", false, &err);

		if (!to || !write(to, h, NULL, &err) || !output_close(to, &err))
			bench_fail(err.message);
		if (bench_now() - start < best)
			best = bench_now() - start;
	}
	dup2(before, STDOUT_FILENO);
	close(before);
	close(nowhere);
	return best;
}

void
bench_write(const char *path)
{
	struct error err = { 0 };
	const struct heap *h = heap_at(path, LOAD_ALL, &err);
	double seconds;

	if (!h) {
		bench_fail(err.message);
		return; /* for cppcheck */
	}
	seconds = write_best(h, gcdump_write);
	printf("\na .gcdump of %" PRIu32 " objects written\n", h->nodes_count);
	bench_row("  as dotnet-gcdump would", seconds * 1e9 / h->nodes_count, 50, "ns/ob", seconds,
		  path);
	heap_free(h);
}

/* ---- heaps that are kept ---- */

static void
wake_first(void *context)
{
	double *first = context;

	if (*first == 0)
		*first = bench_now();
}

static double
keep(const char *path, const struct heap *h, bool is_raw)
{
	const struct saved_how how = { .is_raw = is_raw };
	struct error err = { 0 };
	struct output *to = output_open(path, true, &err);
	double start = bench_now(), seconds;
	bool ok = to && saved_write(to, h, &how, NULL, &err);

	seconds = bench_now() - start; /* without the disk */
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
	double start = bench_now(), at = 0, seconds;
	struct error err = { 0 };
	struct preview preview;
	const struct heap *h;

	preview_init(&preview);
	preview.wake = wake_first;
	preview.wake_context = &at;
	h = sources_load(&(struct load_how){ .path = path, .what = LOAD_ALL, .preview = &preview },
			 &err);
	seconds = bench_now() - start;
	*first = at - start;
	if (!h) {
		fprintf(stderr, "bench: %s\n", err.message);
		exit(1);
	}
	preview_clear(&preview);
	heap_free(h);
	return seconds;
}

/* A file with results: seconds until it is known what each type retains. */
static double
open_with_results(const char *path, const struct heap *h)
{
	struct error err = { 0 };
	const struct reach *reach = reach_compute(h, true, NULL, &err);
	const struct reverse *reverse = reverse_compute(h, NULL, &err);
	const struct retention *r =
	    reach && reverse ? retention_compute(h, reverse, reach, NULL, 0, NULL, &err) : NULL;
	struct saved_how how = { .is_raw = true, .reach = reach, .prefers_statics = true };
	struct output *to = r ? output_open(path, true, &err) : NULL;
	double best = 1e9, first;
	bool ok;

	how.dominators = r ? r->dominators : NULL;
	how.types = r ? r->types : NULL;
	ok = to && saved_write(to, h, &how, NULL, &err);
	if (!ok || !output_close(to, &err)) {
		fprintf(stderr, "bench: %s\n", err.message);
		exit(1);
	}
	for (int turn = 0; turn < 3; turn++) {
		double seconds = open_kept(path, &first);

		best = seconds < best ? seconds : best;
	}
	retention_free(r);
	reverse_free(reverse);
	reach_free(reach);
	return best;
}

/* 0.3 s for 50 million objects are 6 ns each. */
void
bench_kept(const char *dump)
{
	static const char *const names[] = { "packed", "raw" };
	struct error err = { 0 };
	const struct heap *h = heap_at(dump, LOAD_ALL, &err);
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

			best_write = seconds < best_write ? seconds : best_write;
			seconds = open_kept(path, &first);
			best_open = seconds < best_open ? seconds : best_open;
			best_first = first < best_first ? first : best_first;
		}
		snprintf(title, sizeof(title), "  %s: an object takes", names[raw]);
		bench_row(title, bench_file_bytes(path) / nodes, raw ? 0 : 4.5, "B", 0, NULL);
		snprintf(title, sizeof(title), "  %s: writing", names[raw]);
		bench_row(title, best_write * 1e9 / nodes, 12, "ns/ob", best_write, path);
		snprintf(title, sizeof(title), "  %s: opening", names[raw]);
		bench_row(title, best_open * 1e9 / nodes, 6, "ns/ob", best_open, path);
		snprintf(title, sizeof(title), "  %s: first types", names[raw]);
		bench_row(title, best_first * 1e3, 20, "ms", 0, NULL);
	}
	snprintf(path, sizeof(path), "%s.results.heaptop", dump);
	bench_row("  raw, with results: what types retain", open_with_results(path, h) * 1e3, 70,
		  "ms", 0, NULL);
	unlink(path);
	heap_free(h);
}
