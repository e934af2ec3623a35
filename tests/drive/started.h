#ifndef TESTS_DRIVE_STARTED_H
#define TESTS_DRIVE_STARTED_H

/*
 * The program on a terminal, with a home of its own (see home.h). HEAPTOP in
 * the environment names it. Fails the test if there can be no terminal.
 */
#include "tests/drive/pty.h"

/*
 * With these arguments, and these variables besides those that are always
 * there: UTF-8, the home, and TERM=xterm-256color unless it is one of them.
 * Both end with NULL, or are NULL.
 */
struct pty *started(const char *const arguments[],
		    const char *const variables[], int rows, int columns);
/* As a job of a shell that says "ready> ". */
struct pty *started_in_shell(const char *arguments);

#endif
