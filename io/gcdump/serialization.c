#include "io/gcdump/serialization.h"
#include "model/base/utf8.h"
#include <inttypes.h>

static const uint8_t signature[24] = "\x14\0\0\0!FastSerialization.1";
enum { REPLACEMENT = 0xfffd };

bool
serialization_accepts(const uint8_t *head, size_t head_len)
{
	return head_len >= sizeof(signature) && !memcmp(head, signature, sizeof(signature));
}

/* Finds the labels at the end, with a copy of the cursor. */
static void
find_tail(struct serialization *s)
{
	struct bytes b = s->bytes;
	uint64_t trailer[2] = { 0 };
	struct error ignored;

	error_clear(&ignored);
	b.err = &ignored;
	for (s->label_bytes = 8; s->label_bytes >= 4; s->label_bytes -= 4) {
		if (b.len < sizeof(signature) + 2 * s->label_bytes)
			continue;
		bytes_seek(&b, b.len - 2 * s->label_bytes, "the trailer");
		trailer[0] =
		    s->label_bytes == 8 ? bytes_u64(&b, "a label") : bytes_u32(&b, "a label");
		trailer[1] =
		    s->label_bytes == 8 ? bytes_u64(&b, "a label") : bytes_u32(&b, "a label");
		if (trailer[1] == b.len - 2 * s->label_bytes)
			break;
	}
	if (s->label_bytes < 4) {
		s->label_bytes = 4;
		return;
	}
	bytes_seek(&b, trailer[0], "the trailer");
	s->forwards_count = bytes_count(&b, s->label_bytes, "the number of references");
	s->forwards_at = b.at;
	/* The table must end where the trailer begins. */
	s->has_tail = bytes_ok(&b) &&
		      bytes_left(&b) / s->label_bytes == (uint64_t)s->forwards_count + 2 &&
		      bytes_left(&b) % s->label_bytes == 0;
	if (!s->has_tail)
		s->forwards_count = 0;
}

bool
serialization_open(struct serialization *s, const uint8_t *data, size_t len, struct error *err)
{
	*s = (struct serialization){ 0 };
	bytes_init(&s->bytes, data, len, err);
	if (!serialization_accepts(data, len))
		return bytes_fail(&s->bytes, 0,
				  len < sizeof(signature) && !memcmp(data, signature, len)
				      ? "the input ends inside the signature"
				      : "not a .gcdump: it does not begin with "
					"\"!FastSerialization.1\"");
	bytes_skip(&s->bytes, sizeof(signature), "the signature");
	find_tail(s);
	return true;
}

static uint64_t
serialization_label(struct serialization *s, const char *what)
{
	return s->label_bytes == 8 ? bytes_u64(&s->bytes, what) : bytes_u32(&s->bytes, what);
}

bool
serialization_forward(const struct serialization *s, uint32_t k, uint64_t *offset)
{
	struct serialization copy = *s;
	struct error ignored;

	if (k >= s->forwards_count)
		return false;
	error_clear(&ignored);
	copy.bytes.err = &ignored;
	bytes_seek(&copy.bytes, s->forwards_at + (uint64_t)k * s->label_bytes,
		   "a forward reference");
	*offset = serialization_label(&copy, "a forward reference");
	return bytes_ok(&copy.bytes) && *offset <= s->bytes.len;
}

/* --- strings --- */

/* UTF-16 units, each encoded in 1 to 3 bytes. */
struct units {
	const uint8_t *data;
	size_t at, len;
	uint32_t left;
};

static bool
units_next(struct units *u, uint32_t *unit)
{
	const uint8_t *data = u->data;
	size_t at = u->at, left = u->len - at;

	if (!u->left || !left)
		return false;
	if (data[at] < 0x80) {
		*unit = data[at];
		u->at += 1;
	} else if (data[at] < 0xe0) {
		if (left < 2)
			return false;
		*unit = (data[at] & 0x1fU) << 6 | (data[at + 1] & 0x3fU);
		u->at += 2;
	} else {
		if (left < 3)
			return false;
		*unit =
		    (data[at] & 0x0fU) << 12 | (data[at + 1] & 0x3fU) << 6 | (data[at + 2] & 0x3fU);
		u->at += 3;
	}
	u->left--;
	return true;
}

/* Reads a character, which may consist of two units. */
static bool
units_next_char(struct units *u, uint32_t *c)
{
	struct units ahead;
	uint32_t low;

	if (!units_next(u, c))
		return false;
	if (*c < 0xd800 || *c > 0xdfff) {
		if (!*c)
			*c = REPLACEMENT; /* C strings end at NUL */
		return true;
	}
	ahead = *u;
	if (*c < 0xdc00 && units_next(&ahead, &low) && low >= 0xdc00 && low <= 0xdfff) {
		*u = ahead;
		*c = 0x10000 + ((*c - 0xd800) << 10) + (low - 0xdc00);
		return true;
	}
	*c = REPLACEMENT;
	return true;
}

/* Stops before the units; false if the string is null or does not fit. */
static bool
string_begin(struct serialization *s, struct units *u, const char *what)
{
	struct bytes *b = &s->bytes;
	size_t start = b->at;
	int32_t count = bytes_i32(b, what);

	if (!bytes_ok(b) || count < 0)
		return false;
	if ((uint32_t)count > bytes_left(b)) {
		b->missing_bytes = (uint32_t)count - bytes_left(b);
		return bytes_fail(b, start,
				  "%s has %" PRId32 " characters, but only %zu bytes follow", what,
				  count, bytes_left(b));
	}
	*u = (struct units){ b->data, b->at, b->len, (uint32_t)count };
	return true;
}

/* Fast path for plain ASCII without NUL, which nearly all strings are. */
static bool
units_are_ascii(const struct units *u)
{
	const uint8_t *start = u->data + u->at;
	uint8_t bits = 0;

	for (uint32_t i = 0; i < u->left; i++)
		bits |= start[i];
	return !(bits & 0x80) && !memchr(start, 0, u->left);
}

/* Skips the string and measures its length as UTF-8. */
static bool
string_measure(struct serialization *s, struct units u, size_t *utf8_len, const char *what)
{
	char ignored[UTF8_MAX_BYTES];
	uint32_t c;

	*utf8_len = u.left;
	if (units_are_ascii(&u)) {
		bytes_skip(&s->bytes, u.left, what);
		return true;
	}
	*utf8_len = 0;
	while (units_next_char(&u, &c))
		*utf8_len += utf8_put(c, ignored);
	if (u.left) {
		s->bytes.missing_bytes = u.left;
		return bytes_fail(&s->bytes, u.at,
				  "the input ends inside %s: %" PRIu32 " characters are missing",
				  what, u.left);
	}
	bytes_seek(&s->bytes, u.at, what);
	return true;
}

const char *
serialization_string(struct serialization *s, struct arena *a, const char *what)
{
	struct units u = { 0 };
	size_t len = 0;
	uint32_t c;
	char *text, *at;

	if (!string_begin(s, &u, what) || !string_measure(s, u, &len, what))
		return NULL;
	if (len == u.left && units_are_ascii(&u)) {
		text = arena_strndup(a, (const char *)u.data + u.at, len, s->bytes.err);
		u.left = 0;
	} else {
		text = arena_array(a, char, len + 1, s->bytes.err);
	}
	s->bytes.has_failed = text == NULL;
	for (at = text; text && units_next_char(&u, &c);)
		at += utf8_put(c, at);
	return text;
}

void
serialization_skip_string(struct serialization *s, const char *what)
{
	struct units u;
	size_t len;

	if (string_begin(s, &u, what))
		(void)string_measure(s, u, &len, what);
}

/* --- objects --- */

static void
slot_type_name(struct serialization *s, struct slot *slot)
{
	struct units u = { 0 };
	size_t start = s->bytes.at, len, at = 0;
	uint32_t c;

	if (!string_begin(s, &u, "a type name"))
		return;
	if (u.left > SLOT_TYPE_MAX) {
		bytes_fail(&s->bytes, start,
			   "a type name has %" PRIu32 " characters; the limit is %d", u.left,
			   SLOT_TYPE_MAX);
		return;
	}
	if (!string_measure(s, u, &len, "a type name"))
		return;
	while (units_next_char(&u, &c))
		at += utf8_put(c < ' ' ? REPLACEMENT : c, slot->type + at);
	slot->type[at] = '\0';
}

/* Reads 04 01 version, oldest reader, name, 06, of which 04 was read. */
static void
slot_type_body(struct serialization *s, struct slot *slot)
{
	struct bytes *b = &s->bytes;
	uint8_t tag = bytes_u8(b, "a type");

	if (bytes_ok(b) && tag != TAG_NULL) {
		bytes_fail(b, b->at - 1, "a type begins with tag %u instead of %d", tag, TAG_NULL);
		return;
	}
	slot->version = bytes_i32(b, "a type's version");
	slot->oldest_reader = bytes_i32(b, "a type's oldest reader");
	slot_type_name(s, slot);
	tag = bytes_u8(b, "the end of a type");
	if (bytes_ok(b) && tag != TAG_END)
		bytes_fail(b, b->at - 1, "the type \"%s\" ends with tag %u instead of %d",
			   slot->type, tag, TAG_END);
}

static void
slot_type(struct serialization *s, struct slot *slot)
{
	struct bytes *b = &s->bytes;
	uint8_t tag = bytes_u8(b, "an object's type");
	uint64_t label;
	size_t back;

	if (!bytes_ok(b))
		return;
	if (tag == TAG_BEGIN) {
		slot_type_body(s, slot);
		return;
	}
	if (tag != TAG_LABEL) {
		bytes_fail(b, b->at - 1, "an object's type begins with tag %u", tag);
		return;
	}
	label = serialization_label(s, "a type's label");
	back = b->at;
	bytes_seek(b, label, "a type's label");
	tag = bytes_u8(b, "a type's label");
	if (bytes_ok(b) && tag != TAG_BEGIN)
		bytes_fail(b, b->at - 1, "a label leads to tag %u instead of a type", tag);
	slot_type_body(s, slot);
	bytes_seek(b, back, "the object");
}

bool
serialization_slot(struct serialization *s, struct slot *slot, const char *what)
{
	struct bytes *b = &s->bytes;
	uint64_t start = b->at;
	uint8_t tag = bytes_u8(b, what);

	*slot = (struct slot){ .kind = SLOT_NULL, .label = start };
	if (!bytes_ok(b))
		return false;
	if (tag == TAG_FORWARD_DEFINITION) {
		bytes_skip(b, 4, what);
		slot->label = b->at;
		tag = bytes_u8(b, what);
	}
	switch (tag) {
	case TAG_NULL:
		break;
	case TAG_LABEL:
		slot->kind = SLOT_LABEL;
		slot->label = serialization_label(s, what);
		break;
	case TAG_BEGIN:
	case TAG_BEGIN_PRIVATE:
		slot->kind = SLOT_OBJECT;
		slot_type(s, slot);
		break;
	default:
		return bytes_fail(b, b->at - 1, "%s begins with tag %u, not an object", what, tag);
	}
	return bytes_ok(b);
}

bool
serialization_has_tag(struct serialization *s, enum serialization_tag wanted)
{
	struct bytes *b = &s->bytes;

	if (!bytes_ok(b) || !bytes_left(b) || b->data[b->at] != wanted)
		return false;
	bytes_skip(b, 1, "a tag");
	return true;
}

/* A region must end at its forward reference, which must not lead back. */
static void
skip_region(struct serialization *s, const char *what)
{
	uint32_t k = bytes_u32(&s->bytes, what);
	uint64_t end;

	if (!bytes_ok(&s->bytes))
		return;
	if (!serialization_forward(s, k, &end) || end < s->bytes.at)
		bytes_fail(&s->bytes, s->bytes.at - 4,
			   "%s has a part of unknown length: forward reference "
			   "%" PRIu32 " is missing or leads back",
			   what, k);
	else
		bytes_seek(&s->bytes, end, what);
}

bool
serialization_end(struct serialization *s, const char *what)
{
	/* Bytes after each tag, except strings, blobs and regions. */
	static const uint8_t payload[TAG_BLOB + 1] = {
		[TAG_NULL] = 0,  [TAG_FORWARD] = 4, [TAG_FORWARD_DEFINITION] = 4,
		[TAG_BYTE] = 1,  [TAG_INT16] = 2,   [TAG_INT32] = 4,
		[TAG_INT64] = 8,
	};
	struct bytes *b = &s->bytes;

	while (bytes_ok(b)) {
		uint8_t tag = bytes_u8(b, what);

		if (!bytes_ok(b) || tag == TAG_END)
			break;
		if (tag == TAG_LABEL)
			serialization_label(s, what);
		else if (tag == TAG_SKIP_REGION)
			skip_region(s, what);
		else if (tag == TAG_STRING)
			serialization_skip_string(s, what);
		else if (tag == TAG_BLOB)
			bytes_skip(b, bytes_count(b, 1, what), what);
		else if (tag && tag <= TAG_BLOB && tag != TAG_BEGIN && tag != TAG_BEGIN_PRIVATE)
			bytes_skip(b, payload[tag], what);
		else
			bytes_fail(b, b->at - 1, "%s should end here, but tag %u follows", what,
				   tag);
	}
	return bytes_ok(b);
}
