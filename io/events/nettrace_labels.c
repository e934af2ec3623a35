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

/* Skips one label; sets *version if it is one. */
static void
read_label(struct bytes *b, uint8_t kind, uint32_t *version)
{
	size_t len;

	switch (kind & ~LABEL_LAST_OF_LIST) {
	case LABEL_ACTIVITY:
	case LABEL_RELATED:
	case LABEL_TRACE:
		bytes_skip(b, 16, "an activity");
		break;
	case LABEL_SPAN:
	case LABEL_KEYWORDS:
		bytes_skip(b, 8, "a label");
		break;
	case LABEL_TEXT:
		(void)nettrace_text6(b, &len, "a label");
		(void)nettrace_text6(b, &len, "a label");
		break;
	case LABEL_NUMBER:
		(void)nettrace_text6(b, &len, "a label");
		(void)nettrace_varint(b, 10, "a label");
		break;
	case LABEL_OPCODE:
	case LABEL_LEVEL:
		bytes_skip(b, 1, "a label");
		break;
	case LABEL_VERSION:
		*version = bytes_u8(b, "a version");
		break;
	default:
		bytes_fail(b, b->at, "a label of unknown kind %u", kind);
	}
}

bool
nettrace_labels_read(struct u64_map *versions, struct bytes *b,
		     struct error *err)
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
