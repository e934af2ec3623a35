#ifndef MODEL_BASE_WIDTH_H
#define MODEL_BASE_WIDTH_H

/*
 * How many columns a character takes on a terminal. Our own table, because
 * wcwidth() follows the locale: with LANG=C it knows ASCII only, and the same
 * dump would be laid out differently on every machine.
 */
#include <stdbool.h>
#include <stdint.h>

/* 0 (joins the character before it), 1 or 2. Hidden characters: 1. */
int width_of_char(uint32_t c);

/*
 * Controls, bidi controls and other characters that cannot be seen: they are
 * never shown as they are, so that no name can hide or reorder anything.
 */
bool width_is_hidden(uint32_t c);

#endif
