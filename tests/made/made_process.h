#ifndef TESTS_MADE_MADE_PROCESS_H
#define TESTS_MADE_MADE_PROCESS_H

/*
 * A process that is made up: a folder of /tmp in place of /proc, and another
 * in place of the root of its file system. What fails fails the test.
 */
#include "model/base/error.h"
#include <stdbool.h>
#include <stdint.h>

enum { MADE_PID = 4711, MADE_START = 268060 };

struct made_process {
	char state;                    /* 0: S */
	bool is_of_kernel;             /* a thread of the kernel */
	const char *comm;              /* NULL: "api" */
	const char *pids;              /* NULL: one */
	const char *environ, *command; /* variables end with | */
	const char *folder;            /* of the socket; NULL: tmp */
	const char *socket;            /* its name; NULL: the right one; "": none */
	const char *maps, *thread, *cgroup;
	bool has_fifo;
	unsigned groups_count; /* of its user */
	uint32_t uid;          /* 0: ours */
};

/* One at a time; its files are gone after made_process_end(). */
void made_process_begin(const struct made_process *m);
void made_process_end(void);
const char *made_proc(void);
const char *made_root(void);

/* Names are relative to the folder that holds "proc" and "root". */
void made_path(char path[200], const char *format, ...) PRINTF_LIKE(2, 3);
/* With the folders above it, unless they are there. */
void made_folder(const char *format, ...) PRINTF_LIKE(1, 2);
void made_file(const char *text, const char *format, ...) PRINTF_LIKE(2, 3);
/* In the folder of the process. */
void made_process_file(const char *name, const char *text);

#endif
