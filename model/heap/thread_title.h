#ifndef MODEL_HEAP_THREAD_TITLE_H
#define MODEL_HEAP_THREAD_TITLE_H

/*
 * Threads in words. A thread has a managed id and one of the operating system; stacks are known by
 * the second, locks by the first. Both are named wherever they are known, so that the same thread
 * is recognised everywhere.
 */
#include <stddef.h>
#include <stdint.h>

enum { THREAD_TITLE_BYTES = 64 };

/* Returns "thread 12 (OS 4712)", "thread 12" or "OS thread 4712"; an id is 0
   if it is unknown or the thread has none. */
const char *thread_title(uint32_t id, uint64_t os_id, char out[THREAD_TITLE_BYTES]);
/* Returns the operating system's id in a text that begins with such a title, or with "thread 4712"
   as in older files. 0: it names none. */
uint64_t thread_title_os_id(const char *text);

#endif
