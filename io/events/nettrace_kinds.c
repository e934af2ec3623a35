#include "io/events/nettrace_kinds.h"
#include "model/base/arena.h"

static const struct {
	const char *name;
	enum nettrace_provider provider;
} providers[] = {
	{ "Microsoft-Windows-DotNETRuntime", NETTRACE_RUNTIME },
	{ "Microsoft-Windows-DotNETRuntimeRundown", NETTRACE_RUNDOWN },
	{ "Microsoft-DotNETCore-EventPipe", NETTRACE_EVENTPIPE },
};
enum { PROVIDERS_COUNT = sizeof(providers) / sizeof(providers[0]) };

void
nettrace_kinds_clear(struct nettrace_kinds *k)
{
	u64_map_clear(&k->index);
	memory_free(k->items);
	*k = (struct nettrace_kinds){ 0 };
}

const struct nettrace_kind *
nettrace_kinds_find(const struct nettrace_kinds *k, uint32_t metadata_id)
{
	uint32_t i = u64_map_get(&k->index, metadata_id);

	return i == U64_MAP_NONE ? NULL : &k->items[i];
}

static bool
kinds_add(struct nettrace_kinds *k, uint32_t metadata_id, struct nettrace_kind kind,
	  struct error *err)
{
	uint32_t i = u64_map_get(&k->index, metadata_id);

	if (i != U64_MAP_NONE) {
		k->items[i] = kind;
		return true;
	}
	if (!MAKE_ROOM(k->items, k->count + 1, k->room, err) ||
	    !u64_map_put(&k->index, metadata_id, (uint32_t)k->count, err))
		return false;
	k->items[k->count++] = kind;
	return true;
}

/* --- formats 4 and 5 --- */

/* Compares ASCII text in units of `unit` bytes with a C string. */
static bool
text_is(const uint8_t *text, size_t len, size_t unit, const char *wanted)
{
	size_t count = strlen(wanted);

	if (len != count * unit)
		return false;
	for (size_t i = 0; i < count; i++)
		if (text[i * unit] != (uint8_t)wanted[i] || (unit == 2 && text[i * unit + 1]))
			return false;
	return true;
}

static enum nettrace_provider
provider_find(const uint8_t *name, size_t len, size_t unit)
{
	for (size_t i = 0; i < PROVIDERS_COUNT; i++)
		if (text_is(name, len, unit, providers[i].name))
			return providers[i].provider;
	return NETTRACE_OTHER;
}

/* UTF-16 up to a NUL; `*len` is in bytes, without the NUL. */
static const uint8_t *
text4(struct bytes *b, size_t *len, const char *what)
{
	size_t left = bytes_left(b);
	const uint8_t *text = b->data + b->at;

	for (size_t i = 0; i + 1 < left; i += 2) {
		if (text[i] || text[i + 1])
			continue;
		*len = i;
		return bytes_take(b, i + 2, what) ? text : NULL;
	}
	bytes_fail(b, b->at, "%s has no end", what);
	return NULL;
}

static uint16_t
version_cut(uint64_t version)
{
	return version > UINT16_MAX ? UINT16_MAX : (uint16_t)version;
}

bool
nettrace_kinds_read4(struct nettrace_kinds *k, struct bytes *b, struct error *err)
{
	struct nettrace_kind kind = { 0 };
	uint32_t metadata_id = bytes_u32(b, "the number of a kind of event");
	size_t len = 0;
	const uint8_t *name = text4(b, &len, "the name of a provider");

	if (name)
		kind.provider = (uint8_t)provider_find(name, len, 2);
	kind.id = bytes_u32(b, "the id of an event");
	(void)text4(b, &len, "the name of an event");
	bytes_skip(b, 8, "the keywords of an event");
	kind.version = version_cut(bytes_u32(b, "the version of an event"));
	/* Level and fields follow. */
	return !bytes_ok(b) || kinds_add(k, metadata_id, kind, err);
}

/* --- format 6 --- */

uint64_t
nettrace_varint(struct bytes *b, unsigned max_bytes, const char *what)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < max_bytes; i++) {
		uint8_t byte;

		if (b->has_failed || b->at == b->len)
			break;
		byte = b->data[b->at++];
		value |= (uint64_t)(byte & 0x7f) << (7 * i);
		if (byte < 0x80)
			return value;
	}
	bytes_fail(b, b->at, "%s does not end where it should", what);
	return 0;
}

const char *
nettrace_text6(struct bytes *b, size_t *len, const char *what)
{
	uint64_t count = nettrace_varint(b, 5, what);

	*len = (size_t)count;
	return (const char *)bytes_take(b, count, what);
}

enum kind_option {
	OPTION_OPCODE = 1,
	OPTION_KEYWORDS = 3,
	OPTION_TEMPLATE,
	OPTION_DESCRIPTION,
	OPTION_KEY_VALUE,
	OPTION_PROVIDER_ID,
	OPTION_LEVEL,
	OPTION_VERSION,
};

void
nettrace_skip_fields(struct bytes *b, const char *fields, const char *what)
{
	size_t len;

	for (; *fields; fields++)
		switch (*fields) {
		case 't':
			(void)nettrace_text6(b, &len, what);
			break;
		case 'v':
			(void)nettrace_varint(b, 10, what);
			break;
		case 'g':
			bytes_skip(b, 16, what);
			break;
		default:
			bytes_skip(b, (size_t)(*fields - '0'), what);
		}
}

/* Options have no fixed order; an unknown one hides those behind it. */
static void
read_options6(struct bytes *b, struct nettrace_kind *kind)
{
	static const char *const layouts[] = {
		[OPTION_OPCODE] = "1",      [OPTION_KEYWORDS] = "8",   [OPTION_TEMPLATE] = "t",
		[OPTION_DESCRIPTION] = "t", [OPTION_KEY_VALUE] = "tt", [OPTION_PROVIDER_ID] = "g",
		[OPTION_LEVEL] = "1",
	};

	while (bytes_ok(b) && bytes_left(b)) {
		uint8_t option = bytes_u8(b, "an option");

		if (option == OPTION_VERSION)
			kind->version = bytes_u8(b, "a version");
		else if (option < sizeof(layouts) / sizeof(*layouts) && layouts[option])
			nettrace_skip_fields(b, layouts[option], "an option");
		else
			return;
	}
}

/* The part of `b` whose size a u16 has; the cursor moves behind it. */
static struct bytes
part6(struct bytes *b, struct error *err, const char *what)
{
	uint16_t len = bytes_u16(b, what);
	const uint8_t *data = bytes_take(b, len, what);
	struct bytes part;

	/* After a failure, an empty part. */
	bytes_init(&part, data ? data : b->data, data ? len : 0, err);
	return part;
}

static bool
read_row6(struct nettrace_kinds *k, struct bytes *row, struct error *err)
{
	struct nettrace_kind kind = { 0 };
	struct bytes options;
	uint32_t metadata_id = (uint32_t)nettrace_varint(row, 5, "the number of a kind of event");
	size_t len = 0;
	const char *name = nettrace_text6(row, &len, "a provider");
	uint16_t fields;

	if (name)
		kind.provider = (uint8_t)provider_find((const uint8_t *)name, len, 1);
	kind.id = (uint32_t)nettrace_varint(row, 5, "the id of an event");
	(void)nettrace_text6(row, &len, "the name of an event");
	fields = bytes_u16(row, "the number of fields");
	for (uint16_t i = 0; i < fields && bytes_ok(row); i++)
		bytes_skip(row, bytes_u16(row, "a field"), "a field");
	if (bytes_ok(row) && bytes_left(row)) {
		options = part6(row, row->err, "options");
		read_options6(&options, &kind);
	}
	return !bytes_ok(row) || kinds_add(k, metadata_id, kind, err);
}

bool
nettrace_kinds_read6(struct nettrace_kinds *k, struct bytes *b, struct error *err)
{
	while (bytes_ok(b) && bytes_left(b)) {
		size_t at = b->at;
		struct bytes row = part6(b, b->err, "a kind of event");

		if (!read_row6(k, &row, err))
			return false;
		if (!bytes_ok(&row))
			bytes_fail(b, at, "a kind of event is damaged");
	}
	return true;
}
