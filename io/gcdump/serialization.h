#ifndef IO_GCDUMP_SERIALIZATION_H
#define IO_GCDUMP_SERIALIZATION_H

/*
 * The container of .gcdump files: .NET tools' "FastSerialization".
 *
 *   offset 0   i32 20, "!FastSerialization.1"
 *         24   entry object; the others are inside it
 *              u8 6                              no more objects
 *         T:   i32 count, count labels           forward references
 *         R:   label T
 *              label R                           the last bytes of the file
 *
 *   tag  meaning                followed by
 *     1  null                   nothing
 *     2  an object seen before  label: offset of its first tag
 *     2  object seen before     label: offset of its first tag
 *     3  object defined later   i32 forward reference, type
 *     5  the same, unlabelled
 *     6  end of object
 *     7  object referred to     i32 forward reference, tag 4 and so on
 *  8-11  number                 1, 2, 4, 8 bytes
 *    12  region to skip         i32 forward reference to its end, an object
 *    13  string                 i32 count of UTF-16 units, -1: null; each unit
 *                               on its own in 1 to 3 bytes as UTF-8 would
 *    14  blob                   i32 size, bytes
 *
 * A type is 04 01, i32 version, i32 oldest reader, string name, 06; or a label of one. A label is a
 * file offset of 4 bytes, or of 8 in files that some programs wrote in 2022, which only the end of
 * the file reveals.
 */
#include "io/base/bytes.h"
#include "model/base/arena.h"

enum serialization_tag {
	TAG_NULL = 1,
	TAG_LABEL = 2,
	TAG_FORWARD = 3,
	TAG_BEGIN = 4,
	TAG_BEGIN_PRIVATE = 5,
	TAG_END = 6,
	TAG_FORWARD_DEFINITION = 7,
	TAG_BYTE = 8,
	TAG_INT16 = 9,
	TAG_INT32 = 10,
	TAG_INT64 = 11,
	TAG_SKIP_REGION = 12,
	TAG_STRING = 13,
	TAG_BLOB = 14
};

struct serialization {
	struct bytes bytes; /* the whole input, at the current place */
	unsigned label_bytes;
	bool has_tail; /* the labels at the end are consistent */
	uint64_t forwards_at;
	uint32_t forwards_count;
};

bool serialization_accepts(const uint8_t *head, size_t head_len);
/* Stops before the entry object. A damaged end of the file is not an error. */
bool serialization_open(struct serialization *s, const uint8_t *data, size_t len,
			struct error *err) MUST_USE;

/*
 * Limit for UTF-16 units in a type's name; the longest known name has 26. Every object may refer to
 * its type's name by a label, and the name is read each time: names as long as the file would take
 * quadratic time.
 */
enum { SLOT_TYPE_MAX = 48 };
struct slot {
	enum { SLOT_NULL, SLOT_OBJECT, SLOT_LABEL } kind;
	uint64_t label;                   /* offset of the object */
	char type[3 * SLOT_TYPE_MAX + 1]; /* of SLOT_OBJECT, as UTF-8 */
	int32_t version, oldest_reader;
};
/*
 * Reads a place for an object. SLOT_OBJECT: its body is next, and serialization_end() must follow;
 * otherwise nothing is left to read.
 */
bool serialization_slot(struct serialization *s, struct slot *slot, const char *what);
/* Skips to the object's end, past what newer writers added. */
bool serialization_end(struct serialization *s, const char *what);
/* Reads the next tag if it is the wanted one, of 8 to 14. */
bool serialization_has_tag(struct serialization *s, enum serialization_tag wanted);

/* The offset of forward reference `k`; false if the file's end is damaged. */
bool serialization_forward(const struct serialization *s, uint32_t k, uint64_t *offset);

/*
 * A string as UTF-8 in `a`; lone surrogates and NUL become U+FFFD. NULL for a null string, and
 * after a failure.
 */
const char *serialization_string(struct serialization *s, struct arena *a, const char *what);
void serialization_skip_string(struct serialization *s, const char *what);

/* .NET's DateTime: ticks of 100 ns since the year 1, up to the year 9999. */
#define TICKS_PER_SECOND INT64_C(10000000)
#define TICKS_OF_1970    INT64_C(621355968000000000)
#define TICKS_MAX        INT64_C(3155378975999999999)

#endif
