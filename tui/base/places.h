#ifndef TUI_BASE_PLACES_H
#define TUI_BASE_PLACES_H

/*
 * Where files of ours are: settings, themes, histories. One place for all of
 * it, so that `--paths` says the truth. Nothing is read or made here.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { PLACE_BYTES = 4096, TOUR_DUMPS = 2 };

/*
 * All of them put the path into `out`; false: there is none, as HOME is not set
 * or it would be too long. `name`: "heaptoprc", "themes/light.theme".
 */
bool place_of_system(const char *name, char out[PLACE_BYTES]);
/* Under $XDG_CONFIG_HOME, or ~/.config. */
bool place_of_config(const char *name, char out[PLACE_BYTES]);
/* Under $XDG_STATE_HOME, or ~/.local/state. */
bool place_of_state(const char *name, char out[PLACE_BYTES]);
/* What comes with the program, where it is installed. */
bool place_of_share(const char *name, char out[PLACE_BYTES]);
/*
 * The dumps of the tour, from 0: where the program is installed, or beside the
 * folder that it was built in. False: it is not there; where it should be.
 */
bool place_of_tour(int dump, char out[PLACE_BYTES]);

/*
 * `--paths`: every file that is read or written besides heaps and rc files
 * (rc_print_places()). A line for each, in an order that stays: what for,
 * whether it is there, and its path to the end of the line.
 */
void places_print(FILE *to);
/* One such line. */
void place_print(FILE *to, const char *what, const char *state,
		 const char *path);

#endif
