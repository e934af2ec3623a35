#ifndef TESTS_DRIVE_SVG_H
#define TESTS_DRIVE_SVG_H

/*
 * A terminal's screen as a picture: an SVG with a rectangle for each stretch of one colour and the
 * text over it, so that it can be read, searched and enlarged.
 */
#include "tests/drive/pty.h"
#include <stdio.h>

void svg_write(FILE *to, struct pty *p, int rows, int columns, const char *title);

#endif
