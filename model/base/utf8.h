#ifndef MODEL_BASE_UTF8_H
#define MODEL_BASE_UTF8_H

/* UTF-8, strictly: no overlong forms, no surrogates, nothing past U+10FFFF. */
#include <stddef.h>
#include <stdint.h>

enum { UTF8_MAX_BYTES = 4, UTF8_BROKEN = 0x7fffffff };

/*
 * The character at the start of `text`, and in `used` its bytes. What is not
 * UTF-8 gives UTF8_BROKEN for one byte. The end ('\0') is never stepped over.
 */
uint32_t utf8_decode(const char *text, size_t *used);
/* Writes the bytes, without '\0', and returns how many; 0 if not a character.
 */
size_t utf8_put(uint32_t c, char out[UTF8_MAX_BYTES]);
/* How many bytes follow a first byte; -1 if it cannot be first. */
int utf8_bytes_to_follow(unsigned char first);

#endif
