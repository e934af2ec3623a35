#include "io/memory/call_frames.h"
#include "io/memory/elf_image.h"
#include "io/memory/frame_rules.h"
#include "model/base/sorted.h"

enum {
	TABLE_HEAD = 12,
	ROW_BYTES = 8,
	ENTRY_MAX = 8 << 10, /* the longest one of node has 3 KiB */
	BYTES_MAX = 1 << 25, /* a walk of 100,000 real frames runs half of that */
	AUGMENTATION_MAX = 8,
};

/* How an address is written: the format in the low 4 bits. */
enum { ENCODED_ABSOLUTE = 0, ENCODED_U32 = 3, ENCODED_U64 = 4, ENCODED_I32 = 11, ENCODED_I64 = 12 };
enum { ENCODED_RELATIVE = 0x10, ENCODED_INDIRECT = 0x80 };

/* A piece of .eh_frame. */
struct entry {
	uint64_t address; /* of its bytes, behind the length */
	struct bytes bytes;
	uint8_t copy[ENTRY_MAX];
};

/* A CIE holds what many entries have in common. */
struct common {
	struct entry entry; /* its cursor stands at the instructions */
	struct frame_units units;
	uint8_t encoding;
	bool has_augmentation, is_signal;
};

void
call_frames_begin(struct call_frames *frames, const struct memory *m, struct memory_reader *r)
{
	*frames = (struct call_frames){ .memory = m, .reader = r, .bytes_left = BYTES_MAX };
}

/* --- files --------------------------------------------------------------- */

static void
file_read(struct call_frames_file *file, struct memory_reader *r)
{
	struct elf_image image;
	uint32_t head, count;

	if (!elf_image_begin(&image, r, file->start) || !image.frames ||
	    image.frames_bytes < TABLE_HEAD || image.end <= file->start ||
	    image.frames < file->start || image.frames >= image.end ||
	    image.frames_bytes > image.end - image.frames || !memory_u32(r, image.frames, &head) ||
	    head != 0x3b031b01 || !memory_u32(r, image.frames + 8, &count))
		return;
	if (count > (image.frames_bytes - TABLE_HEAD) / ROW_BYTES)
		return;
	file->limit = image.end;
	file->table = image.frames;
	file->count = count;
}

/* NULL: no memory is mapped there. */
static const struct call_frames_file *
find_file(struct call_frames *frames, uint64_t address)
{
	const struct memory_mapping *mapping;
	struct call_frames_file *file;

	for (unsigned i = 0; i < CALL_FRAMES_FILES; i++)
		if (address >= frames->files[i].start && address < frames->files[i].end)
			return &frames->files[i];
	mapping = memory_mapping_at(frames->memory, address);
	if (!mapping)
		return NULL;
	file = &frames->files[frames->next_file++ % CALL_FRAMES_FILES];
	*file = (struct call_frames_file){ .start = memory_file_start(frames->memory, mapping),
					   .end = mapping->end };
	file_read(file, frames->reader);
	return file;
}

/* --- entries ------------------------------------------------------------- */

static uint64_t
row_address(const struct call_frames_file *file, struct memory_reader *r, uint64_t at)
{
	uint32_t offset;

	if (!memory_u32(r, at, &offset))
		return 0;
	return file->table + (uint64_t)(int64_t)(int32_t)offset;
}

/* The entry of the last function that begins at or before an address; 0: none. */
static uint64_t
find_entry(const struct call_frames_file *file, struct memory_reader *r, uint64_t address)
{
	uint64_t rows = file->table + TABLE_HEAD, i;

	LOWER_BOUND(i, 0, file->count, row_address(file, r, rows + i * ROW_BYTES) <= address);
	return i ? row_address(file, r, rows + (i - 1) * ROW_BYTES + 4) : 0;
}

/* False: it is absent, too long, or outside of the file. */
static bool
entry_read(struct entry *entry, struct call_frames *frames, const struct call_frames_file *file,
	   uint64_t address)
{
	uint32_t len;

	if (address < file->start || address >= file->limit ||
	    !memory_u32(frames->reader, address, &len) || !len || len > ENTRY_MAX ||
	    len > frames->bytes_left || !memory_read(frames->reader, address + 4, entry->copy, len))
		return false;
	frames->bytes_left -= len;
	entry->address = address + 4;
	bytes_init(&entry->bytes, entry->copy, len, NULL);
	return true;
}

static uint64_t
read_number(struct bytes *b, uint8_t format)
{
	switch (format) {
	case ENCODED_U32:
		return bytes_u32(b, "an address");
	case ENCODED_I32:
		return (uint64_t)(int64_t)bytes_i32(b, "an address");
	case ENCODED_ABSOLUTE:
	case ENCODED_U64:
	case ENCODED_I64:
		return bytes_u64(b, "an address");
	default:
		bytes_fail(b, b->at, "an unknown encoding");
		return 0;
	}
}

static uint64_t
read_address(struct entry *entry, uint8_t encoding)
{
	uint64_t at = entry->address + entry->bytes.at;
	uint64_t value = read_number(&entry->bytes, encoding & 0xf);

	return (encoding & 0x70) == ENCODED_RELATIVE ? value + at : value;
}

/* Skips what only exceptions need. The letters end at one that is unknown: the length of it all is
 * known. */
static void
read_augmentation(struct common *common, const uint8_t *letters, size_t count)
{
	struct bytes *b = &common->entry.bytes;
	uint64_t len = frame_unsigned(b);
	size_t start = b->at;
	bool is_known = true;

	for (size_t i = 1; i < count && is_known; i++) {
		switch (letters[i]) {
		case 'R':
			common->encoding = bytes_u8(b, "an encoding");
			break;
		case 'P':
			(void)read_number(b, bytes_u8(b, "an encoding") & 0xf);
			break;
		case 'L':
			bytes_skip(b, 1, "an encoding");
			break;
		case 'S':
			common->is_signal = true;
			break;
		default:
			is_known = false;
		}
	}
	if (len > b->len - start)
		bytes_fail(b, start, "the augmentation is cut");
	else if (bytes_ok(b))
		bytes_seek(b, start + len, "the instructions");
}

static bool
common_read(struct common *common, struct call_frames *frames, const struct call_frames_file *file,
	    uint64_t address)
{
	struct bytes *b = &common->entry.bytes;
	uint8_t version, letters[AUGMENTATION_MAX];
	size_t count = 0;

	if (!entry_read(&common->entry, frames, file, address) ||
	    bytes_u32(b, "the mark of a CIE") != 0)
		return false;
	version = bytes_u8(b, "the version");
	while (count < AUGMENTATION_MAX && (letters[count] = bytes_u8(b, "a letter")) != 0)
		count++;
	common->units.code = frame_unsigned(b);
	common->units.data = frame_signed(b);
	if ((version != 1 && version != 3) || count == AUGMENTATION_MAX ||
	    (version == 1 ? bytes_u8(b, "the column") : frame_unsigned(b)) != FRAME_IP)
		return false;
	common->has_augmentation = letters[0] == 'z';
	if (common->has_augmentation)
		read_augmentation(common, letters, count);
	return bytes_ok(b) && (common->has_augmentation || !count);
}

/* Runs the instructions of a CIE, and those of its entry up to `address`. */
static bool
run_programs(struct common *common, struct entry *entry, uint64_t function, uint64_t address,
	     struct frame_rules *rules)
{
	struct frame_rules initial;

	*rules = initial = (struct frame_rules){ 0 };
	if (!frame_rules_run(rules, &initial, &common->entry.bytes, &common->units, 0, UINT64_MAX))
		return false;
	initial = *rules;
	return frame_rules_run(rules, &initial, &entry->bytes, &common->units, function, address);
}

/* The rules at an address; expressions are in `common` and `entry`. */
static bool
find_rules(struct call_frames *frames, uint64_t address, struct common *common, struct entry *entry,
	   struct frame_rules *rules)
{
	const struct call_frames_file *file = find_file(frames, address);
	struct bytes *b = &entry->bytes;
	uint64_t function, len;
	uint32_t back;

	if (!file || !file->table ||
	    !entry_read(entry, frames, file, find_entry(file, frames->reader, address)))
		return false;
	back = bytes_u32(b, "the distance to the CIE");
	if (!bytes_ok(b) || !back || !common_read(common, frames, file, entry->address - back))
		return false;
	function = read_address(entry, common->encoding);
	len = read_number(b, common->encoding & 0xf);
	if (common->has_augmentation)
		bytes_skip(b, frame_unsigned(b), "the augmentation");
	if (!bytes_ok(b) || common->encoding & ENCODED_INDIRECT || address < function ||
	    address - function >= len)
		return false;
	return run_programs(common, entry, function, address, rules);
}

/* --- registers ----------------------------------------------------------- */

static bool
value_of(const struct x64_state *state, unsigned number, uint64_t *value)
{
	if (number >= FRAME_COLUMNS)
		return false;
	*value = number == FRAME_IP ? state->ip : state->value[number];
	return true;
}

static bool
frame_address(const struct frame_rule *rule, const struct x64_state *state, struct memory_reader *r,
	      uint64_t *address)
{
	if (rule->kind == FRAME_VALUE_EXPRESSION)
		return frame_expression_run(rule->expression, rule->len, state, r, NULL, address);
	if (rule->kind != FRAME_REGISTER || !value_of(state, rule->number, address))
		return false;
	*address += (uint64_t)rule->offset;
	return true;
}

/* A register's value in the caller and the word that has it, 0: none. */
static bool
find_value(const struct frame_rule *rule, const struct x64_state *state, struct memory_reader *r,
	   uint64_t frame, uint64_t *value, uint64_t *place)
{
	*place = 0;
	switch (rule->kind) {
	case FRAME_AT:
		*place = frame + (uint64_t)rule->offset;
		return memory_u64(r, *place, value);
	case FRAME_VALUE:
		*value = frame + (uint64_t)rule->offset;
		return true;
	case FRAME_REGISTER:
		if (rule->number < FRAME_IP)
			*place = state->place[rule->number];
		return value_of(state, rule->number, value);
	case FRAME_AT_EXPRESSION:
		return frame_expression_run(rule->expression, rule->len, state, r, &frame, place) &&
		       memory_u64(r, *place, value);
	case FRAME_VALUE_EXPRESSION:
		return frame_expression_run(rule->expression, rule->len, state, r, &frame, value);
	case FRAME_SAME:
	case FRAME_UNDEFINED:
		break;
	}
	return true;
}

static bool
apply(const struct frame_rules *rules, struct x64_state *state, struct memory_reader *r)
{
	struct x64_state caller = *state;
	const struct frame_rule *ip = &rules->of[FRAME_IP];
	uint64_t frame, place;

	if (!frame_address(&rules->address, state, r, &frame) || ip->kind == FRAME_SAME)
		return false;
	caller.ip = 0;
	if (!find_value(ip, state, r, frame, &caller.ip, &place))
		return false;
	caller.value[X64_RSP] = frame;
	for (unsigned i = 0; i < X64_REGISTERS; i++) {
		const struct frame_rule *rule = &rules->of[i];

		if (rule->kind == FRAME_SAME || rule->kind == FRAME_UNDEFINED)
			continue;
		if (!find_value(rule, state, r, frame, &caller.value[i], &caller.place[i]))
			return false;
	}
	*state = caller;
	return true;
}

bool
call_frames_step(struct call_frames *frames, struct x64_state *state, bool is_exact,
		 bool *is_signal)
{
	uint64_t address = state->ip - (is_exact ? 0 : 1);
	struct common common = { .encoding = ENCODED_ABSOLUTE };
	struct entry entry;
	struct frame_rules rules;

	if (!find_rules(frames, address, &common, &entry, &rules) ||
	    !apply(&rules, state, frames->reader))
		return false;
	if (is_signal)
		*is_signal = common.is_signal;
	return true;
}
