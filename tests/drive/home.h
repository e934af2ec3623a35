#ifndef TESTS_DRIVE_HOME_H
#define TESTS_DRIVE_HOME_H

/*
 * A home of a test's own, for the program that it starts: its folder (see files.h), which may have
 * the program's own lists in it at the end.
 */
#include "tests/drive/files.h"

int home_make(void **state);
int home_remove(void **state);
/* Begins a test that has one. */
#define TEST_AT_HOME(name) TEST_BETWEEN(name, home_make, home_remove)
/* Nothing of the program's is in it, as for somebody new. */
void home_forget(void);
const char *home_variable(void); /* "HOME=…" */

#endif
