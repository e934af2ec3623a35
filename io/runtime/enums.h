#ifndef IO_RUNTIME_ENUMS_H
#define IO_RUNTIME_ENUMS_H

/* Names of enum values, from the metadata of the enum's module. */
#include "io/runtime/names.h"

/*
 * "Red", or "Red | Blue" for flags; "" if no names fit. The text is in `a` or in the module's
 * metadata; NULL sets `err`: no memory. Scans all constants of the enum.
 */
const char *clr_enum_name(const struct clr_names *names, uint64_t table, const uint8_t *bytes,
			  uint32_t len, struct arena *a, struct error *err) MUST_USE;
/* The value of an enum's constant. False: there is none, or no metadata. */
bool clr_enum_constant(const struct clr_names *names, uint64_t table, const char *name,
		       uint64_t *value) MUST_USE;

#endif
