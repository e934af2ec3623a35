#ifndef MODEL_BASE_WIDTH_H
#define MODEL_BASE_WIDTH_H

/*
 * The width of characters on a terminal. wcwidth() depends on the locale: with LANG=C it knows
 * ASCII only, and the same dump would be laid out differently on every machine.
 */
#include <stdbool.h>
#include <stdint.h>

/* 0 (combines with the character before it), 1 or 2. Hidden characters: 1. */
int width_of_char(uint32_t c);

/*
 * Whether the character is invisible (controls, bidi controls and others). Such characters are
 * never shown as they are, so that no name can hide or reorder text.
 */
bool width_is_hidden(uint32_t c);

#endif
