#ifndef IO_RUNTIME_ENUMS_H
#define IO_RUNTIME_ENUMS_H

/*
 * Values of enumerations by the names that the module's metadata has for them.
 */
#include "io/runtime/names.h"

/*
 * "Red", "Red | Blue" of flags; "" where no name fits. In `a` or the module's
 * bytes; NULL: no memory. A look at all constants of the enumeration.
 */
const char *clr_enum_name(const struct clr_names *names, uint64_t table,
			  const uint8_t *bytes, uint32_t len, struct arena *a,
			  struct error *err) MUST_USE;

#endif
