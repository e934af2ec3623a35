#ifndef TESTS_DRIVE_HOME_H
#define TESTS_DRIVE_HOME_H

/*
 * A home folder of a test's own, for the program that it starts: setup and
 * teardown of cmocka. Removing it fails if there is more than the program's
 * own lists in it.
 */
int home_make(void **state);
int home_remove(void **state);
/* A row of struct CMUnitTest: such a test. */
#define AT_HOME(test)                                                          \
	cmocka_unit_test_setup_teardown(test, home_make, home_remove)
/* Nothing of the program's is in it, as for somebody new. */
void home_forget(void);
const char *home_folder(void);
const char *home_variable(void); /* "HOME=…" */

#endif
