#ifndef TESTS_DRIVE_CORES_H
#define TESTS_DRIVE_CORES_H

/*
 * Cores of real .NET processes: the reference program on every runtime, with every collector,
 * written by the runtime's createdump and by gdb. One takes about a second and 120 MB (gdb: 900
 * MB); the last few are kept for the next test that asks, all are gone when the test program ends.
 */
#include "io/memory/memory.h"
#include "model/heap/heap.h"
#include "tests/judge/oracle.h"

enum core_writer {
	CORE_HEAP, /* createdump: what the collector and types need */
	CORE_FULL, /* createdump: all that can be read */
	CORE_GDB,  /* gcore: without the pages of files */
	/* createdump: what stacks need, without the heap. */
	CORE_MINI,
	CORE_TRIAGE,
};

struct core_setup {
	const char *name;    /* for sentences: ".NET 9.0, segments" */
	const char *version; /* of the program: "8.0-single" */
	const char *const *variables;
	enum core_writer writer;
	bool is_server;
	bool has_segments; /* in place of regions */
};

extern const struct core_setup core_setups[];
extern const unsigned core_setups_count;

struct core {
	const struct core_setup *setup;
	char path[300];
	int32_t pid; /* that it had */
	/*
	 * What ClrMD says, if it was asked for. Of a core by gdb, what it said about the process
	 * while it was stopped: in the core it finds no names.
	 */
	const struct oracle *oracle;
};

/*
 * Valid until three others were asked for. NULL: cannot be made here; said and counted as skipped.
 */
const struct core *core_of(const struct core_setup *setup);
/* The same, with what ClrMD says of it if there is an oracle. */
const struct core *core_judged(const struct core_setup *setup);
/*
 * The heap of such a core, in whose process tests/programs/samples is loaded: by the variable that
 * is put into *hook, which is one of the setup's. NULL: likewise. What else fails fails the test.
 */
const struct heap *core_samples(const struct core_setup *setup, const char **hook,
				const struct core **core);
/* Begins a test of each of them that is wanted; `wanted` NULL: of all. */
#define TEST_CORES(name, wanted)                                                                   \
	BEGIN_TEST(name, .rows = core_setups, .rows_count = core_setups_count,                     \
		   .row_bytes = sizeof(core_setups[0]), .is_wanted = (wanted))
/* With regions, with segments, and with a server's heaps: one for each. */
bool core_is_one_of_each(const void *setup); /* a struct core_setup */
/* Of these ClrMD says the values, too. */
bool core_has_values(const void *setup); /* a struct core_setup */
/* Opens any core as memory; NULL sets `err`. */
struct memory *core_at(const char *path, const char *sysroot, struct error *err);
/* Ends with the test program: removes them all. */
void cores_clear(void);

#endif
