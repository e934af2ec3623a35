#ifndef MODEL_TABLE_LOOKUP_H
#define MODEL_TABLE_LOOKUP_H

/* Finds the type or object that a text names. Types are compared one by one, about 50 ns each. */
#include "model/base/error.h"
#include "model/table/facts.h"

/*
 * Finds a type. The text is its display, short or raw name, exactly or ignoring case, optionally
 * with its module ("leaky!Session" or "Session [leaky.dll]"); else a regular expression that
 * matches only one type. The error lists the nearest types as they can be typed.
 */
bool lookup_type(const struct facts *f, const char *text, type_id *out, struct error *err) MUST_USE;
/* Returns whether one or more types have this name; regular expressions are not tried. */
bool lookup_has_type(const struct facts *f, const char *text);
/* Writes a text that names this type and no other, if there is one. */
void lookup_spell_type(const struct facts *f, type_id type, char *out, size_t out_size);
/* Finds the object at an address. `text`, the address as typed, is for the error, which describes
   what is there instead. */
bool lookup_object(const struct heap *h, const char *text, uint64_t address, node_id *out,
		   struct error *err) MUST_USE;

#endif
