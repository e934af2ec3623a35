#ifndef CAPTURE_EVENTS_PORT_FILE_H
#define CAPTURE_EVENTS_PORT_FILE_H

/*
 * The socket file of a reversed port. It is removed when the port is closed,
 * and also when SIGTERM, SIGINT or SIGHUP ends the program, unless somebody
 * else handles that signal, as the screen does. One at a time.
 */
#include <stdbool.h>

/* From now on a signal removes it. `path` has at most 107 bytes. */
void port_file_guard(const char *path);
/* Removes it, and handles signals as before. */
void port_file_remove(void);

#endif
