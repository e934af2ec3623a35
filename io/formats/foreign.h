#ifndef IO_FORMATS_FOREIGN_H
#define IO_FORMATS_FOREIGN_H

/*
 * Recognizes files in other formats by their first bytes, and suggests a command that makes a
 * readable one.
 */
#include "model/base/error.h"
#include <stddef.h>
#include <stdint.h>

/* The text about a known foreign format, or NULL. */
const char *foreign_name(const uint8_t *head, size_t len);
/* Always false. */
bool foreign_refuse(const uint8_t *head, size_t len, struct error *err);

#endif
