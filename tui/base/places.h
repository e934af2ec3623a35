#ifndef TUI_BASE_PLACES_H
#define TUI_BASE_PLACES_H

/*
 * Paths of heaptop's files: settings, themes, histories. Collected here so that `--paths` is
 * complete. Files are neither read nor created.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { PLACE_BYTES = 4096 };

/*
 * All functions put the path into `out`; false if HOME is not set or the path is too long. `name`:
 * "heaptoprc", "themes/light.theme".
 */
bool place_of_system(const char *name, char out[PLACE_BYTES]);
/* Under $XDG_CONFIG_HOME, or ~/.config. */
bool place_of_config(const char *name, char out[PLACE_BYTES]);
/* Under $XDG_STATE_HOME, or ~/.local/state. */
bool place_of_state(const char *name, char out[PLACE_BYTES]);
/* Installed data files. */
bool place_of_share(const char *name, char out[PLACE_BYTES]);

/*
 * The static heaptop for a machine ("x86_64"), to be sent there: installed, or beside the running
 * program. False: not found; `out` is where it should be.
 */
bool place_of_program(const char *machine, char out[PLACE_BYTES]);

/*
 * `--paths`: all files read or written, except heaps and rc files (rc_print_places()). One line
 * each, in a fixed order: purpose, state, and the path to the end of the line.
 */
void places_print(FILE *to);
/* Prints one line of that format. */
void place_print(FILE *to, const char *what, const char *state, const char *path);

#endif
