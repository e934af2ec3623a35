#ifndef TESTS_HOME_H
#define TESTS_HOME_H

/*
 * A home folder of a test's own, for the program that it starts: setup and
 * teardown of cmocka. Removing it fails if there is more than the program's
 * own lists in it.
 */
int home_make(void **state);
int home_remove(void **state);
const char *home_folder(void);
const char *home_variable(void); /* "HOME=…" */

#endif
