#ifndef MODEL_TABLE_LOOKUP_H
#define MODEL_TABLE_LOOKUP_H

/*
 * The type or the object that a text names. Types are looked at one by one:
 * some 50 ns each.
 */
#include "model/base/error.h"
#include "model/table/facts.h"

/*
 * The text is the display, short or raw name of one type, exactly or but for
 * capitals, perhaps with its module ("leaky!Session" or
 * "Session [leaky.dll]"); else a regular expression that only one type matches.
 * The error names the nearest types, as they can be typed.
 */
bool lookup_type(const struct facts *f, const char *text, type_id *out,
		 struct error *err) MUST_USE;
/* Whether a type, or several, have this name; no regular expression. */
bool lookup_has_type(const struct facts *f, const char *text);
/* A text that names this type and no other, if there is one. */
void lookup_spell_type(const struct facts *f, type_id type, char *out,
		       size_t out_size);
/* The object at an address; `text`, the address as typed, is for the error,
   which says what is there instead. */
bool lookup_object(const struct heap *h, const char *text, uint64_t address,
		   node_id *out, struct error *err) MUST_USE;

#endif
