#include "io/events/nettrace_labels.h"
#include "io/events/nettrace_kinds.h"

enum label_kind {
	LABEL_ACTIVITY = 1,
	LABEL_RELATED,
	LABEL_TRACE,
	LABEL_SPAN,
	LABEL_TEXT,
	LABEL_NUMBER,
	LABEL_OPCODE,
	LABEL_KEYWORDS,
	LABEL_LEVEL,
	LABEL_VERSION,
	LABEL_LAST_OF_LIST = 0x80,
};

/* Fields of each label, as for nettrace_skip_fields(). */
static const char *const layouts[] = {
	[LABEL_ACTIVITY] = "g", [LABEL_RELATED] = "g",  [LABEL_TRACE] = "g",
	[LABEL_SPAN] = "8",     [LABEL_TEXT] = "tt",    [LABEL_NUMBER] = "tv",
	[LABEL_OPCODE] = "1",   [LABEL_KEYWORDS] = "8", [LABEL_LEVEL] = "1",
};

/* Skips one label; sets *version if it is one. */
static void
read_label(struct bytes *b, uint8_t kind, uint32_t *version)
{
	unsigned number = kind & (LABEL_LAST_OF_LIST - 1U);

	if (number == LABEL_VERSION)
		*version = bytes_u8(b, "a version");
	else if (number < sizeof(layouts) / sizeof(*layouts) && layouts[number])
		nettrace_skip_fields(b, layouts[number], "a label");
	else
		bytes_fail(b, b->at, "a label of unknown kind %u", kind);
}

bool
nettrace_labels_read(struct u64_map *versions, struct bytes *b, struct error *err)
{
	uint32_t list = bytes_u32(b, "the number of a label list");
	uint32_t version = U64_MAP_NONE;

	bytes_skip(b, 4, "the number of label lists");
	while (bytes_ok(b) && bytes_left(b)) {
		uint8_t kind = bytes_u8(b, "a label");

		read_label(b, kind, &version);
		if (!(kind & LABEL_LAST_OF_LIST))
			continue;
		if (version != U64_MAP_NONE && bytes_ok(b) &&
		    !u64_map_put(versions, list, version, err))
			return false;
		version = U64_MAP_NONE;
		list++;
	}
	return true;
}
