#ifndef MODEL_BASE_UTF8_H
#define MODEL_BASE_UTF8_H

/* UTF-8, strictly: no overlong forms, no surrogates, nothing past U+10FFFF. */
#include <stddef.h>
#include <stdint.h>

enum { UTF8_MAX_BYTES = 4, UTF8_BROKEN = 0x7fffffff };

/*
 * Decodes the character at the start of `text`; `used` is its length. Invalid bytes give
 * UTF8_BROKEN one at a time. Never steps over '\0'.
 */
uint32_t utf8_decode(const char *text, size_t *used);
/* Encodes without '\0' and returns the length; 0 if `c` is no character. */
size_t utf8_put(uint32_t c, char out[UTF8_MAX_BYTES]);
/* Number of bytes after a first byte; -1 if it cannot be first. */
int utf8_bytes_to_follow(unsigned char first);

#endif
