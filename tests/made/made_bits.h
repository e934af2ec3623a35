#ifndef TESTS_MADE_MADE_BITS_H
#define TESTS_MADE_MADE_BITS_H

/*
 * Bits written as words of a text, the lowest bit of a byte first: "COUNT:VALUE" that many bits,
 * "uBASE:VALUE" and "sBASE:VALUE" a number in chunks (io/runtime/bits.h), "|" zeros up to a whole
 * byte, "(…)" is skipped.
 */
#include <stddef.h>
#include <stdint.h>

/* Returns the number of bytes; `to` has zeros behind them. Too many fail the test. */
size_t made_bits(const char *text, uint8_t *to, size_t room);

#endif
