#ifndef MODEL_HEAP_LITERAL_H
#define MODEL_HEAP_LITERAL_H

/*
 * Values as C# writes them: 42, 'x', 0.1, "a\nb"; dates and the like as ISO
 * 8601. From the bytes that an object has, little endian; layouts as .NET 8,
 * 9 and 10 have them in System.Private.CoreLib. No locale, no time zone.
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
	LITERAL_POINTER, /* also nint and nuint as what they mostly are */
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

/* Bytes of such a value. */
size_t literal_len(enum literal_kind kind);
/*
 * `bytes` are literal_len() many. False: they are no such value (ticks beyond
 * the year 9999, a bool of 7): to be shown as raw bytes.
 */
bool literal_write(enum literal_kind kind, const uint8_t *bytes,
		   char out[LITERAL_BYTES]);
/* DateTimeOffset: the time in UTC, and where it was taken. */
bool literal_write_offset(uint64_t utc_data, int32_t offset_minutes,
			  char out[LITERAL_BYTES]);
/* The type of CoreLib with that value: "System.Guid"; KIND_COUNT: none. */
enum literal_kind literal_of_type(const char *full_name);

/*
 * A string in quotes, in UTF-8, with C#'s escapes for what is not printable;
 * `is_cut` puts … behind the quote. Lone surrogates are written \uD800.
 * Returns the length, which is below `size`: what does not fit is cut.
 */
size_t literal_write_text(const uint16_t *units, size_t count, bool is_cut,
			  char *out, size_t size);

#endif
