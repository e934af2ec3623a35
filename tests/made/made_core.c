#include "tests/made/made_core.h"
#include <elf.h>
#include <string.h>

enum { SEGMENT_BYTES = 56, HEADER_BYTES = 64, HINT_BYTES = 40 };
#define HINT_AT UINT64_C(0x7ffffff10000)

static void
put_note(struct blob *b, uint32_t type, const struct blob *data)
{
	blob_u32(b, 5);
	blob_u32(b, (uint32_t)data->len);
	blob_u32(b, type);
	blob_put(b, "CORE\0\0\0", 8);
	blob_put(b, data->data, data->len);
	while (b->len % 4)
		blob_u8(b, 0);
}

/* The first thread has the name of the process. */
static void
put_process(struct blob *b, const struct memory_thread *first)
{
	struct blob process = { 0 };

	for (int i = 0; i < 24; i++)
		blob_u8(&process, 0x55);
	blob_u32(&process, (uint32_t)first->tid);
	while (process.len < 40)
		blob_u8(&process, 0);
	blob_put(&process, "sixteen letters!more of it", 26);
	put_note(b, NT_PRPSINFO, &process);
	blob_free(&process);
}

static void
put_thread(struct blob *b, const struct memory_thread *t, bool is_x64)
{
	struct blob status = { 0 };

	for (int i = 0; i < 8; i++)
		blob_u32(&status, 0);
	blob_u32(&status, (uint32_t)t->tid);
	while (status.len < 112)
		blob_u8(&status, 0);
	for (unsigned i = 0; i < (is_x64 ? 27u : 34u); i++)
		blob_u64(&status, i == (is_x64 ? 19u : 31u)   ? t->sp
				  : i == (is_x64 ? 16u : 32u) ? t->pc
							      : i);
	blob_u64(&status, 0);
	put_note(b, NT_PRSTATUS, &status);
	blob_free(&status);
}

static void
put_files(struct blob *b, const struct memory *m, uint32_t page_bytes)
{
	struct blob files = { 0 };
	uint64_t count = 0;

	for (size_t i = 0; i < m->mappings_count; i++)
		count += (m->mappings[i].flags & MEMORY_FILE) != 0;
	blob_u64(&files, count);
	blob_u64(&files, page_bytes);
	for (size_t i = 0; i < m->mappings_count; i++) {
		const struct memory_mapping *mapping = &m->mappings[i];

		if (!(mapping->flags & MEMORY_FILE))
			continue;
		blob_u64(&files, mapping->start);
		blob_u64(&files, mapping->end);
		blob_u64(&files, mapping->file_offset / page_bytes);
	}
	for (size_t i = 0; i < m->mappings_count; i++) {
		const struct memory_mapping *mapping = &m->mappings[i];

		if (mapping->flags & MEMORY_FILE)
			blob_put(&files, mapping->name, strlen(mapping->name) + 1);
	}
	put_note(b, NT_FILE, &files);
	blob_free(&files);
}

static void
put_segment(struct blob *b, uint32_t type, uint32_t flags, uint64_t offset, uint64_t address,
	    uint64_t len)
{
	blob_u32(b, type);
	blob_u32(b, flags);
	blob_u64(b, offset);
	blob_u64(b, address);
	blob_u64(b, 0);
	blob_u64(b, len);
	blob_u64(b, type == PT_NOTE ? 0 : len);
	blob_u64(b, 1);
}

static void
put_header(struct blob *b, enum memory_machine machine, uint64_t sections_at, uint16_t count)
{
	static const uint8_t ident[16] = { 0x7f, 'E', 'L', 'F', 2, 1, 1 };

	blob_put(b, ident, sizeof(ident));
	blob_u16(b, ET_CORE);
	blob_u16(b, machine == MEMORY_X64 ? EM_X86_64 : EM_AARCH64);
	blob_u32(b, 1);
	blob_u64(b, 0);
	blob_u64(b, HEADER_BYTES);
	blob_u64(b, sections_at);
	blob_u32(b, 0);
	blob_u16(b, HEADER_BYTES);
	blob_u16(b, SEGMENT_BYTES);
	blob_u16(b, count);
	blob_u16(b, 64);
	blob_u16(b, sections_at ? 1 : 0);
	blob_u16(b, 0);
}

static void
put_hint(struct blob *b, uint64_t base)
{
	blob_put(b, "DIAGINFOHEADER\0", 16);
	blob_u32(b, 2);
	blob_u32(b, 0);
	blob_u64(b, 0);
	blob_u64(b, base);
}

void
made_core_put(struct blob *b, struct made_memory *mm, const struct made_core *how)
{
	const struct memory *m = made_memory_open(mm);
	struct blob notes = { 0 };
	uint64_t address, at, sections_at;
	const uint8_t *bytes;
	uint32_t count = 1;
	size_t len;

	if (m->threads_count)
		put_process(&notes, &m->threads[0]);
	for (size_t i = 0; i < m->threads_count; i++)
		put_thread(&notes, &m->threads[i], m->machine == MEMORY_X64);
	put_files(&notes, m, how->page_bytes);
	while (made_memory_piece(mm, count - 1, &address, &len))
		count++;
	count += how->runtime_hint != 0;
	at = HEADER_BYTES + (uint64_t)count * SEGMENT_BYTES;
	sections_at = how->has_extended_count ? at : 0;
	at += how->has_extended_count ? 64 : 0;
	put_header(b, m->machine, sections_at, how->has_extended_count ? PN_XNUM : (uint16_t)count);
	put_segment(b, PT_NOTE, 0, at, 0, notes.len);
	at += notes.len;
	for (size_t i = 0; made_memory_piece(mm, i, &address, &len); i++) {
		put_segment(b, PT_LOAD, PF_R | PF_W, at, address, len);
		at += len;
	}
	if (how->runtime_hint)
		put_segment(b, PT_LOAD, PF_R, at, HINT_AT, HINT_BYTES);
	for (unsigned i = 0; how->has_extended_count && i < 16; i++)
		blob_u32(b, i == 11 ? count : 0);
	blob_put(b, notes.data, notes.len);
	for (size_t i = 0; (bytes = made_memory_piece(mm, i, &address, &len)); i++)
		blob_put(b, bytes, len);
	if (how->runtime_hint)
		put_hint(b, how->runtime_hint);
	blob_free(&notes);
}
