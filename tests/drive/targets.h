#ifndef TESTS_DRIVE_TARGETS_H
#define TESTS_DRIVE_TARGETS_H

/*
 * Real .NET processes: the reference program (tests/programs/leaky) on several versions of the
 * runtime, and programs with faults to find (ingester, shop, native), built by
 * tests/programs/targets.sh. The reference program prints the truth about itself before it is
 * ready. A target ends when the test does.
 */
#include <stdbool.h>
#include <stdint.h>

enum target_place {
	TARGET_HERE,
	TARGET_CONTAINER,  /* its own pids, /proc, and folder as TMPDIR */
	TARGET_NAMESPACES, /* the same, but with our /proc */
	TARGET_NOBODY,     /* as another user; only root can start it */
};

/* Variables of a program: a server's collector with two heaps, or segments in place of regions. */
extern const char *const with_server[], *const with_segments[];

struct target;

/* Where tests/programs/targets.sh puts what it builds. */
const char *targets_folder(void);
/* Builds the programs if they are not there. False: this one cannot be. */
bool target_exists(const char *version);
/* The same of another program: "ingester", "shop". */
bool target_program_exists(const char *program, const char *version);
/*
 * `arguments` and `variables` ("NAME=value") end with NULL. NULL: the place is not allowed here.
 * What else fails fails the test.
 */
struct target *target_start(const char *version, enum target_place place,
			    const char *const arguments[], const char *const variables[]);
/* Starts another program here, without variables. */
struct target *target_start_program(const char *program, const char *version,
				    const char *const arguments[]);
/* The same with variables. */
struct target *target_start_with(const char *program, const char *version,
				 const char *const arguments[], const char *const variables[]);
/*
 * "DOTNET_STARTUP_HOOKS=…": loads tests/programs/samples into a program. NULL: it cannot be built
 * here.
 */
const char *target_samples(void);
int32_t target_pid(const struct target *t);
/* Is it compiled by Native AOT, which loads no plugins? */
bool target_is_native(const struct target *t);
/* What it says of itself: target_fact(t, "sessions"); -1 if it does not. */
long target_fact(const struct target *t, const char *name);
/* Sends a line, waits for its answer. */
void target_tell(struct target *t, const char *line);
/* Kills it and removes what it leaves. NULL is allowed. */
void target_free(struct target *t);

#endif
