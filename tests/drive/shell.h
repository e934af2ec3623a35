#ifndef TESTS_DRIVE_SHELL_H
#define TESTS_DRIVE_SHELL_H

/* Runs lines of the shell, most of them with the program. */
#include <stddef.h>

/* HEAPTOP in the environment, or the one in build/. */
const char *program_path(void);
/*
 * Runs the line that `format` makes and puts what it prints, cut to `size`, into `text`. Returns
 * its exit status, -1 if it did not exit.
 */
__attribute__((format(printf, 3, 4))) int shell_prints(char *text, size_t size, const char *format,
						       ...);

#endif
