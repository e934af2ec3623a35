#include "io/clr/described.h"
#include "io/clr/rows.h"
#include "model/base/text.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
	TEXT_UNITS = 128, /* UTF-16 units of a string */
	GROUPS = 8,       /* of an IPv6 address */
	ADDRESS_BYTES = 64,
	PORT_MAX = 65535,
	BIG_WORDS = 128, /* words of a number that is written out */
	BIG_DIGITS = BIG_WORDS * 10 + 2,
};

/* The object being described. */
struct described {
	struct clr_contents *c;
	struct clr_object object;
	struct arena *a;
};

/* --- fields --------------------------------------------------------------- */

/* Reads a 32-bit field, signed or not. */
static bool
read_number(const struct described *d, const char *name, int32_t *out, struct error *err)
{
	struct content_field f;
	uint32_t bits;

	if (!clr_object_field(d->c, &d->object, name, &f, err) || f.kind != CONTENT_VALUE ||
	    (f.literal != LITERAL_INT32 && f.literal != LITERAL_UINT32) ||
	    !memory_u32(clr_contents_reader(d->c), f.address, &bits))
		return false;
	*out = (int32_t)bits;
	return true;
}

/* Reads a reference; *out is NODE_NONE for null. Returns false also if it refers to no object. */
static bool
read_target(const struct described *d, const char *name, node_id *out, struct error *err)
{
	struct content_field f;
	uint64_t pointer;

	*out = NODE_NONE;
	if (!clr_object_field(d->c, &d->object, name, &f, err) || f.kind != CONTENT_REFERENCE ||
	    !memory_u64(clr_contents_reader(d->c), f.address, &pointer))
		return false;
	if (pointer)
		*out = heap_find(d->c->heap, pointer);
	return !pointer || *out != NODE_NONE;
}

/* Returns the text in quotes. NULL without an error: `n` is not a string, or part of it is
 * absent. */
static const char *
string_text(const struct described *d, node_id n, struct error *err)
{
	struct clr_object o;
	const char *text;
	bool is_whole;

	if (n == NODE_NONE || !clr_contents_is_string(d->c, n) ||
	    !clr_object_open(d->c, n, &o, err) || !clr_object_has_room(&o))
		return NULL;
	text = clr_rows_text(d->c, &o, TEXT_UNITS, &is_whole, d->a, err);
	return text && is_whole ? text : NULL;
}

/* --- descriptions --------------------------------------------------------- */

static const char *
describe_version(const struct described *d, struct error *err)
{
	static const char *const names[] = { "_Major", "_Minor", "_Build", "_Revision" };
	enum { PARTS = sizeof(names) / sizeof(names[0]), NEEDED = 2 };
	int32_t parts[PARTS];
	char bytes[PARTS * 12];
	struct text text = text_in(bytes, sizeof bytes);

	for (int i = 0; i < PARTS; i++)
		if (!read_number(d, names[i], &parts[i], err) || (i < NEEDED && parts[i] < 0))
			return NULL;
	for (int i = 0; i < PARTS && parts[i] >= 0; i++)
		text_addf(&text, "%s%" PRId32, i ? "." : "", parts[i]);
	return arena_printf(d->a, err, "%s", bytes);
}

/* Returns the string as given to the constructor. */
static const char *
describe_uri(const struct described *d, struct error *err)
{
	node_id original, string;

	if (!read_target(d, "_originalUnicodeString", &original, err) ||
	    !read_target(d, "_string", &string, err))
		return NULL;
	return string_text(d, original != NODE_NONE ? original : string, err);
}

/* Finds the longest run of two or more zero groups, shown as "::". */
static void
find_zeros(const uint16_t *groups, int count, int *first, int *end)
{
	int begin = 0;

	*first = *end = -1;
	for (int i = 0; i <= count; i++) {
		if (i < count && !groups[i])
			continue;
		if (i - begin > 1 && i - begin > *end - *first) {
			*first = begin;
			*end = i;
		}
		begin = i + 1;
	}
}

static void
write_groups(const uint16_t *groups, int count, char out[ADDRESS_BYTES])
{
	struct text text = text_in(out, ADDRESS_BYTES);
	int first, end;

	find_zeros(groups, count, &first, &end);
	for (int i = 0; i < count; i++) {
		if (i == first) {
			text_add(&text, "::");
			i = end - 1;
			continue;
		}
		text_addf(&text, "%s%x", i && i != end ? ":" : "", groups[i]);
	}
}

/* Returns true if .NET writes the last two groups as an IPv4 address. */
static bool
ends_in_ipv4(const uint16_t g[GROUPS])
{
	bool begins_empty = !g[0] && !g[1] && !g[2] && !g[3] && g[6];

	return (begins_empty && !g[4] && (!g[5] || g[5] == 0xffff)) ||
	       (begins_empty && g[4] == 0xffff && !g[5]) || (!g[4] && g[5] == 0x5efe);
}

static bool
read_groups(const struct described *d, node_id array, uint16_t out[GROUPS], struct error *err)
{
	struct content_field f;
	struct clr_object o;

	if (!clr_object_open(d->c, array, &o, err) || !clr_object_is_array(&o) ||
	    !clr_object_field(d->c, &o, "", &f, err) || f.count != GROUPS ||
	    f.literal != LITERAL_UINT16 || f.stride != 2)
		return false;
	for (uint64_t i = 0; i < GROUPS; i++)
		if (!memory_u16(clr_contents_reader(d->c), f.address + 2 * i, &out[i]))
			return false;
	return true;
}

/* Returns an IPv6 address, followed by its scope if that is not 0. */
static const char *
write_address(const struct described *d, const uint16_t g[GROUPS], uint32_t scope,
	      struct error *err)
{
	char text[ADDRESS_BYTES], end[32] = "", scope_text[16] = "";
	bool has_ipv4 = ends_in_ipv4(g);

	write_groups(g, has_ipv4 ? GROUPS - 2 : GROUPS, text);
	if (has_ipv4)
		snprintf(end, sizeof(end), "%s%d.%d.%d.%d",
			 text[strlen(text) - 1] == ':' ? "" : ":", g[6] >> 8, g[6] & 255, g[7] >> 8,
			 g[7] & 255);
	if (scope)
		snprintf(scope_text, sizeof(scope_text), "%%%" PRIu32, scope);
	return arena_printf(d->a, err, "%s%s%s", text, end, scope_text);
}

/* An IPv4 address is one number, with its first byte in the lowest bits. */
static const char *
describe_address(const struct described *d, struct error *err)
{
	uint16_t groups[GROUPS];
	node_id array;
	int32_t number;
	uint32_t bits;

	if (!read_target(d, "_numbers", &array, err) ||
	    !read_number(d, "_addressOrScopeId", &number, err))
		return NULL;
	bits = (uint32_t)number;
	if (array == NODE_NONE)
		return arena_printf(d->a, err, "%u.%u.%u.%u", bits & 255, bits >> 8 & 255,
				    bits >> 16 & 255, bits >> 24);
	return read_groups(d, array, groups, err) ? write_address(d, groups, bits, err) : NULL;
}

static const char *
describe_end_point(const struct described *d, struct error *err)
{
	struct described address = *d;
	const char *text;
	node_id held;
	int32_t port;

	if (!read_target(d, "_address", &held, err) || held == NODE_NONE ||
	    !read_number(d, "_port", &port, err) || port < 0 || port > PORT_MAX ||
	    !clr_object_open(d->c, held, &address.object, err))
		return NULL;
	text = describe_address(&address, err);
	if (!text)
		return NULL;
	return arena_printf(d->a, err, strchr(text, ':') ? "[%s]:%" PRId32 : "%s:%" PRId32, text,
			    port);
}

/* Returns the text of a string, but only the type's name of other values: describing them might
 * never end. */
static const char *
describe_held(const struct described *d, struct error *err)
{
	const struct heap *h = d->c->heap;
	node_id held;

	if (!read_target(d, "_value", &held, err))
		return NULL;
	if (held == NODE_NONE)
		return "null";
	return clr_contents_is_string(d->c, held) ? string_text(d, held, err)
						  : heap_type(h, held)->name;
}

/* A Lazy<T> has its value once its _state is null. */
static const char *
describe_lazy(const struct described *d, struct error *err)
{
	const struct clr_plan *plan;
	struct content_field f;
	struct content row;
	node_id state;

	if (!read_target(d, "_state", &state, err) ||
	    !clr_object_field(d->c, &d->object, "_value", &f, err))
		return NULL;
	if (state != NODE_NONE)
		return "not created";
	if (f.kind == CONTENT_REFERENCE)
		return describe_held(d, err);
	plan = clr_object_plan(d->c, &d->object, err);
	if (!plan || f.row >= plan->count ||
	    !clr_rows_of_part(d->c, &plan->parts[f.row], d->object.address + CLR_FIELDS_AT, &row,
			      d->a, err))
		return NULL;
	return *row.text ? row.text : "{…}";
}

/* --- big integers --------------------------------------------------------- */

/* Returns the number of 32-bit words in an array of them, or of 64-bit words
 * as .NET 11 has them; 0 for any other array. */
static uint64_t
count_words(struct clr_contents *c, const struct content_field *f)
{
	uint64_t count = f->count;
	uint32_t high;

	if (f->literal == LITERAL_UINT32 && f->stride == sizeof(uint32_t))
		return count;
	if (f->literal != LITERAL_POINTER || f->stride != sizeof(uint64_t) || !count ||
	    count > UINT32_MAX ||
	    !memory_u32(clr_contents_reader(c),
			f->address + count * sizeof(uint64_t) - sizeof(high), &high))
		return 0;
	return 2 * count - !high;
}

/* Returns how many words the array has, and reads the first BIG_WORDS of them. Returns 0 if it is
 * no array of words, or absent. */
static uint64_t
read_words(struct clr_contents *c, node_id array, uint32_t words[BIG_WORDS], struct error *err)
{
	struct content_field f;
	struct clr_object o;
	uint64_t count;

	if (array == NODE_NONE || !clr_object_open(c, array, &o, err) || !clr_object_is_array(&o) ||
	    !clr_object_has_room(&o) || !clr_object_field(c, &o, "", &f, err))
		return 0;
	count = count_words(c, &f);
	for (uint64_t i = 0; i < count && i < BIG_WORDS; i++)
		if (!memory_u32(clr_contents_reader(c), f.address + i * sizeof(*words), &words[i]))
			return 0;
	return count;
}

/* Writes the digits from the last to the first, dividing the words by 10 each time. Returns the
 * first digit. */
static char *
write_digits(uint32_t *words, uint64_t count, char digits[BIG_DIGITS])
{
	char *at = &digits[BIG_DIGITS - 1];

	*at = '\0';
	while (count && !words[count - 1])
		count--;
	do {
		uint64_t rest = 0;

		for (uint64_t i = count; i-- > 0;) {
			rest = rest << 32 | words[i];
			words[i] = (uint32_t)(rest / 10);
			rest %= 10;
		}
		*--at = (char)('0' + rest);
		while (count && !words[count - 1])
			count--;
	} while (count);
	return at;
}

const char *
clr_describe_big(struct clr_contents *c, node_id array, bool is_negative, struct arena *a,
		 struct error *err)
{
	uint32_t words[BIG_WORDS];
	uint64_t count = read_words(c, array, words, err);
	const char *sign = is_negative ? "-" : "", *text = NULL;
	char digits[BIG_DIGITS];

	if (count > BIG_WORDS)
		text = arena_printf(a, err, "%s(up to %" PRIu64 " bits)", sign, 32 * count);
	else if (count)
		text = arena_printf(a, err, "%s%s", sign, write_digits(words, count, digits));
	if (err->kind != ERROR_SYSTEM)
		error_clear(err);
	return text;
}

/* --- described types ------------------------------------------------------ */

static const struct {
	const char *type; /* raw name; a final '<' matches any arguments */
	const char *(*describe)(const struct described *d, struct error *err);
} kinds[] = {
	{ "System.Version", describe_version },
	{ "System.Uri", describe_uri },
	{ "System.Net.IPAddress", describe_address },
	{ "System.Net.IPAddress+ReadOnlyIPAddress", describe_address },
	{ "System.Net.IPEndPoint", describe_end_point },
	{ "System.Lazy<", describe_lazy },
};

const char *
clr_describe(struct clr_contents *c, node_id n, const struct clr_object *o, struct arena *a,
	     struct error *err)
{
	const struct type *t = heap_type(c->heap, n);
	const struct described d = { c, *o, a };
	const char *text = NULL;

	if (clr_object_is_array(o) || strncmp(type_module_file(t), "System.", 7) != 0)
		return NULL;
	for (size_t i = 0; !text && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t len = strlen(kinds[i].type);

		if (!strncmp(t->raw, kinds[i].type, len) &&
		    (!t->raw[len] || kinds[i].type[len - 1] == '<'))
			text = kinds[i].describe(&d, err);
	}
	/* Damaged and absent fields are reported when they are viewed. */
	if (err->kind != ERROR_SYSTEM)
		error_clear(err);
	return text;
}
