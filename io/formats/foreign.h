#ifndef IO_FORMATS_FOREIGN_H
#define IO_FORMATS_FOREIGN_H

/*
 * Files that are none of ours: what they are, as far as their first bytes say
 * it, and the command that makes one that can be read.
 */
#include "model/base/error.h"
#include <stddef.h>
#include <stdint.h>

/* Always false. */
bool foreign_refuse(const uint8_t *head, size_t len, struct error *err);

#endif
