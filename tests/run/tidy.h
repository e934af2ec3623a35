#ifndef TESTS_RUN_TIDY_H
#define TESTS_RUN_TIDY_H

/*
 * `make tidy` includes this before every file except model/base/error.c. The analyzer sees one file
 * at a time and cannot know that these functions return false, and that MAKE_ROOM() succeeds only
 * with an array.
 */
#include "model/base/arena.h"
#include "model/base/error.h"

#undef MAKE_ROOM
#define MAKE_ROOM(items, wanted, room, err)                                                        \
	(memory_grow(&(items), (wanted), &(room), sizeof *(items), (err)) && (items))

#define error_set(...)       ((void)error_set(__VA_ARGS__), false)
#define error_at(...)        ((void)error_at(__VA_ARGS__), false)
#define error_sys(...)       ((void)error_sys(__VA_ARGS__), false)
#define error_no_memory(...) ((void)error_no_memory(__VA_ARGS__), false)
#define error_limit(...)     ((void)error_limit(__VA_ARGS__), false)
#define error_cancelled(...) ((void)error_cancelled(__VA_ARGS__), false)

#endif
