#ifndef TESTS_DRIVE_STARTED_H
#define TESTS_DRIVE_STARTED_H

/*
 * The program on a terminal, with a home of its own (see home.h). HEAPTOP in the environment names
 * it. Fails the test if there can be no terminal.
 */
#include "tests/drive/home.h"
#include "tests/drive/pty.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/shell.h"

/*
 * With these arguments, and these variables besides those that are always there: UTF-8, the home,
 * and TERM=xterm-256color unless it is one of them. Both end with NULL, or are NULL.
 */
struct pty *started(const char *const arguments[], const char *const variables[], int rows,
		    int columns);
/* Starts on tests/data/leaky-10.gcdump, with one more variable, or NULL. */
struct pty *started_on_dump(const char *variable, int rows, int columns);
/* Another program, argv[0], in the same way. */
struct pty *started_other(const char *const argv[], const char *const variables[], int rows,
			  int columns);
/* As a job of a shell that says "ready> ". */
struct pty *started_in_shell(const char *arguments);

/* Types keys and waits for what comes of them; fails the test without it. */
#define pty_types(p, keys, text)                                                                   \
	do {                                                                                       \
		pty_send(p, keys);                                                                 \
		assert_true(pty_wait_text(p, text));                                               \
	} while (0)
/* Ends it: it must exit with 0 and give the terminal back. Frees it. */
#define pty_quits(p) (pty_send(p, "Q"), pty_exits(p, 0))
/* The same for a program that ends by itself with that status. */
#define pty_exits(p, wanted) pty_expect_exit(p, wanted, __FILE__, __LINE__)
void pty_expect_exit(struct pty *p, int wanted, const char *file, int line);

#endif
