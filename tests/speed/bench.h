#ifndef TESTS_SPEED_BENCH_H
#define TESTS_SPEED_BENCH_H

/*
 * What the two halves of the benchmark share: bench.c runs the program, with and without a
 * terminal, and prints; bench_heap.c measures within itself.
 */

/* dotnet-gcdump report, on a machine like the one this was written on. */
#define BENCH_THEIR_NS 109.0 /* an object */

double bench_now(void); /* seconds */
/* With what the system says about it. */
_Noreturn void bench_fail(const char *what);
double bench_file_bytes(const char *path);
/*
 * One figure beside its target; `target` 0: none, `file` NULL: not a time that depends on a file.
 */
void bench_row(const char *name, double measured, double target, const char *unit, double seconds,
	       const char *file);

/* All processors. */
enum { BENCH_ALL = 1 << 16 };

struct bench_loaded {
	double load, reverse, reach, both, dominators, types; /* seconds */
	double objects, refs, resident, reverse_bytes, reach_bytes;
	double dominators_bytes;
	double peak_load, peak; /* bytes */
	double peak_small, peak_dominators;
	double cancel; /* seconds, the longest */
};
/* The best of so many runs, each in a process of its own, so that peaks and pages are its own, on
   so many processors. */
struct bench_loaded bench_load_best(int times, const char *path, int processors);
void bench_threads(const char *path);

/* Each prints its rows, of the heap in a file. */
void bench_load(const char *name, const char *path, double target);
void bench_filters(const char *path);
void bench_findings(const char *path);
void bench_values(void); /* of a heap of its own */
void bench_sql(const char *path);
void bench_kept(const char *dump);
void bench_write(const char *path);

#endif
