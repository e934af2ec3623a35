#ifndef TESTS_DRIVE_FILES_H
#define TESTS_DRIVE_FILES_H

/*
 * Files of tests, and a folder for them that must be empty again at the end. What fails fails the
 * test.
 */
#include <stddef.h>

/* Set-up and teardown of cmocka: for one test, or for all of a program. */
int folder_make(void **state);
int folder_remove(void **state);
#define TEST_IN_FOLDER(name) TEST_BETWEEN(name, folder_make, folder_remove)
const char *folder_path(void);
/* The path of a file in it; valid until four others were asked for. */
const char *in_folder(const char *name);

/* Replaces what was in the file. */
void file_write(const char *path, const void *bytes, size_t len);
/* Returns all bytes of a file and a 0 behind them; free with free(). `len` may be NULL. */
char *file_read(const char *path, size_t *len);

#endif
