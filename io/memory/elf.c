#include "io/memory/elf.h"
#include <elf.h>

enum { SEGMENT_BYTES = 56 };

void
elf_read(struct elf *elf, struct bytes *b)
{
	const uint8_t *head;
	uint64_t sections_at;
	uint16_t record_bytes;

	*elf = (struct elf){ 0 };
	bytes_seek(b, 0, "the ELF header");
	head = bytes_take(b, EI_NIDENT, "the ELF header");
	if (!head)
		return;
	if (memcmp(head, ELFMAG, SELFMAG) != 0) {
		bytes_fail(b, 0, "this is not an ELF file");
		return;
	}
	if (head[EI_CLASS] != ELFCLASS64 || head[EI_DATA] != ELFDATA2LSB) {
		bytes_fail(b, EI_CLASS, "a 64-bit little-endian ELF file was expected");
		return;
	}
	elf->type = bytes_u16(b, "the type of the ELF file");
	elf->machine = bytes_u16(b, "the machine");
	bytes_seek(b, 32, "the ELF header");
	elf->segments_at = bytes_u64(b, "the place of the segments");
	sections_at = bytes_u64(b, "the place of the sections");
	bytes_seek(b, 54, "the ELF header");
	record_bytes = bytes_u16(b, "the size of a segment's record");
	if (record_bytes != SEGMENT_BYTES)
		bytes_fail(b, 54, "segment records have %u bytes, not %d", record_bytes,
			   SEGMENT_BYTES);
	elf->segments_count = bytes_u16(b, "the number of segments");
	if (elf->segments_count == PN_XNUM && !sections_at)
		bytes_fail(b, 40,
			   "the number of segments should be in the first section, but there are "
			   "no sections");
	if (elf->segments_count == PN_XNUM) {
		if (sections_at > UINT64_MAX - 44)
			sections_at = UINT64_MAX - 44;
		bytes_seek(b, sections_at + 44, "the first section's record");
		elf->segments_count = bytes_u32(b, "the number of segments");
	}
	bytes_seek(b, elf->segments_at, "the segments");
	if (bytes_ok(b) && elf->segments_count > bytes_left(b) / SEGMENT_BYTES)
		bytes_fail(b, b->at, "%u segments are announced, but there is room for only %zu",
			   elf->segments_count, bytes_left(b) / SEGMENT_BYTES);
	if (!bytes_ok(b))
		elf->segments_count = 0;
}

void
elf_segment_read(const struct elf *elf, struct bytes *b, uint32_t i, struct elf_segment *s)
{
	bytes_seek(b, elf->segments_at + (uint64_t)i * SEGMENT_BYTES, "a segment's record");
	s->type = bytes_u32(b, "a segment's type");
	s->flags = bytes_u32(b, "a segment's flags");
	s->offset = bytes_u64(b, "a segment's place in the file");
	s->address = bytes_u64(b, "a segment's address");
	bytes_skip(b, 8, "a segment's physical address");
	s->file_size = bytes_u64(b, "a segment's size in the file");
	s->memory_size = bytes_u64(b, "a segment's size in memory");
}

/* Takes `len` bytes and their padding to 4; NULL: incomplete. */
static const uint8_t *
note_take(const uint8_t **at, const uint8_t *end, uint32_t len)
{
	const uint8_t *start = *at;
	size_t left = (size_t)(end - start), filled = ((size_t)len + 3) & ~3u;

	if (len > left)
		return NULL;
	*at = start + (filled < left ? filled : left);
	return start;
}

bool
elf_note_next(const uint8_t **at, const uint8_t *end, struct elf_note *note)
{
	const uint8_t *head = note_take(at, end, 12);

	if (!head)
		return false;
	note->name_len = bytes_load_u32(head);
	note->data_len = bytes_load_u32(head + 4);
	note->type = bytes_load_u32(head + 8);
	note->name = note_take(at, end, note->name_len);
	if (!note->name)
		return false;
	note->data = note_take(at, end, note->data_len);
	return note->data != NULL;
}

bool
elf_note_is(const struct elf_note *note, const char *name, uint32_t type)
{
	return note->type == type && note->name_len == strlen(name) + 1 &&
	       memcmp(note->name, name, note->name_len) == 0;
}

bool
elf_first_segment(const uint8_t *data, size_t len, uint32_t type, struct elf_segment *out)
{
	struct bytes b;
	struct elf elf;

	bytes_init(&b, data, len, NULL);
	elf_read(&elf, &b);
	for (uint32_t i = 0; i < elf.segments_count; i++) {
		elf_segment_read(&elf, &b, i, out);
		if (bytes_ok(&b) && out->type == type)
			return true;
	}
	return false;
}

uint32_t
elf_build_id(const uint8_t *data, size_t len, uint8_t id[ELF_BUILD_ID_MAX])
{
	struct bytes b;
	struct elf elf;

	bytes_init(&b, data, len, NULL);
	elf_read(&elf, &b);
	for (uint32_t i = 0; i < elf.segments_count; i++) {
		struct elf_segment s;
		struct elf_note note;
		const uint8_t *at, *end;

		elf_segment_read(&elf, &b, i, &s);
		if (!bytes_ok(&b) || s.type != PT_NOTE || s.offset > len ||
		    s.file_size > len - s.offset)
			continue;
		at = data + s.offset;
		end = at + s.file_size;
		while (elf_note_next(&at, end, &note)) {
			if (!elf_note_is(&note, "GNU", NT_GNU_BUILD_ID) ||
			    note.data_len > ELF_BUILD_ID_MAX)
				continue;
			memcpy(id, note.data, note.data_len);
			return note.data_len;
		}
	}
	return 0;
}
