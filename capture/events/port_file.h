#ifndef CAPTURE_EVENTS_PORT_FILE_H
#define CAPTURE_EVENTS_PORT_FILE_H

/*
 * The socket file of a reversed port. It is removed when the port is closed, and when SIGTERM,
 * SIGINT or SIGHUP ends the program, unless another handler is installed, as the screen does. One
 * at a time.
 */
#include <stdbool.h>

/* Has signals remove the file from now on. `path` has at most 107 bytes. */
void port_file_guard(const char *path);
/* Removes the file and restores the signals. */
void port_file_remove(void);

#endif
