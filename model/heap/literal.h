#ifndef MODEL_HEAP_LITERAL_H
#define MODEL_HEAP_LITERAL_H

/*
 * Values in C# syntax: 42, 'x', 0.1, "a\nb"; dates and times as in ISO 8601. Input is little-endian
 * bytes of an object, laid out as in System.Private.CoreLib of .NET 8 to 11. Independent of locale
 * and time
 * zone.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum literal_kind {
	LITERAL_BOOL,
	LITERAL_CHAR,
	LITERAL_INT8,
	LITERAL_UINT8,
	LITERAL_INT16,
	LITERAL_UINT16,
	LITERAL_INT32,
	LITERAL_UINT32,
	LITERAL_INT64,
	LITERAL_UINT64,
	LITERAL_SINGLE,
	LITERAL_DOUBLE,
	LITERAL_HALF,
	LITERAL_POINTER, /* also nint and nuint, which mostly are pointers */
	LITERAL_INT128,
	LITERAL_UINT128,
	LITERAL_RUNE,
	LITERAL_DECIMAL,
	LITERAL_GUID,
	LITERAL_DATE_TIME,
	LITERAL_TIME_SPAN,
	LITERAL_DATE_ONLY,
	LITERAL_TIME_ONLY,
	LITERAL_INDEX,
	LITERAL_RANGE,
	LITERAL_KIND_COUNT
};

enum { LITERAL_BYTES = 64 };

/* Returns the number of bytes of a value of this kind. */
size_t literal_len(enum literal_kind kind);
/* `bytes` holds literal_len() bytes. False if they are no valid value (ticks past the year 9999, a
   bool of 7) and should be shown as raw bytes. */
bool literal_write(enum literal_kind kind, const uint8_t *bytes, char out[LITERAL_BYTES]);
/* Writes a DateTimeOffset from its time in UTC and its offset. */
bool literal_write_offset(uint64_t utc_data, int32_t offset_minutes, char out[LITERAL_BYTES]);
/* Returns the kind of a type of CoreLib ("System.Guid"); KIND_COUNT: none. */
enum literal_kind literal_of_type(const char *full_name);

/*
 * Writes a string in quotes, as UTF-8 with C# escapes; `is_cut` puts … after the quote. Lone
 * surrogates become \uD800. Returns the length, which is less than `size`: longer text is cut.
 */
size_t literal_write_text(const uint16_t *units, size_t count, bool is_cut, char *out, size_t size);

#endif
