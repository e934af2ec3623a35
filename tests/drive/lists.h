#ifndef TESTS_DRIVE_LISTS_H
#define TESTS_DRIVE_LISTS_H

/*
 * What a command lists and what the same adds up by type, taken from the rows of the view that it
 * leads to.
 */
#include "tests/drive/screens.h"

struct type_sum;

/* Runs a command; fails the test if it fails. The view that it led to. */
const struct view *list_open(struct app *app, const char *line);
/* The objects of its rows, added up one by one: sums[types_count]. */
void list_sum_objects(const struct view *v, struct type_sum *sums);
/* What it says in its columns count and size, row by row. */
void list_read_sums(const struct view *v, struct type_sum *sums);
/* Free with memory_free(). */
struct type_sum *list_new_sums(const struct view *v);
/* Fails the test where they differ. */
void list_expect_same(const struct view *v, const char *line, const struct type_sum *are,
		      const struct type_sum *should_be);
/* That `line` with -stat behind it adds up what it lists without: so many. */
size_t list_expect_stat(struct app *app, const char *line);
/* Runs commands as -x does, or fails the test. */
void app_commands(struct app *app, const char *commands);

#endif
