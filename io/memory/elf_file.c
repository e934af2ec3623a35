#include "io/memory/elf_file.h"
#include <elf.h>

enum {
	RELOCATION_BYTES = 24,
	WORD_BYTES = 8,
	ENTRY_BYTES = 16, /* of the dynamic table: tag, value */
	DYNAMIC_MAX = 1024,
	TAG_RELR_BYTES = 35, /* missing in older <elf.h> */
	TAG_RELR = 36,
	RELR_BITS = 63,
};

const uint8_t *
elf_file_view(struct elf_file *f, uint64_t address, size_t len)
{
	for (uint32_t i = 0; i < f->elf.segments_count; i++) {
		struct elf_segment s;

		elf_segment_read(&f->elf, &f->bytes, i, &s);
		if (!bytes_ok(&f->bytes))
			return NULL;
		if (s.type != PT_LOAD || address < s.address || address - s.address > s.file_size ||
		    len > s.file_size - (address - s.address))
			continue;
		bytes_seek(&f->bytes, s.offset, "a segment");
		bytes_skip(&f->bytes, address - s.address, "a segment");
		return bytes_take(&f->bytes, len, "a segment's bytes");
	}
	return NULL;
}

struct list {
	uint64_t address, len;
};

static const uint8_t *
find_list(struct elf_file *f, const struct list *list, size_t entry_bytes, size_t *count)
{
	const uint8_t *at = list->len ? elf_file_view(f, list->address, list->len) : NULL;

	*count = at ? list->len / entry_bytes : 0;
	return at;
}

/* One view for all entries, since a view searches all segments. */
static void
read_dynamic(struct elf_file *f, const struct elf_segment *s)
{
	struct list relocations = { 0 }, relr = { 0 };
	size_t count = s->file_size / ENTRY_BYTES < DYNAMIC_MAX ? (size_t)s->file_size / ENTRY_BYTES
								: DYNAMIC_MAX;
	const uint8_t *entry = elf_file_view(f, s->address, count * ENTRY_BYTES);

	for (size_t i = 0; entry && i < count; i++, entry += ENTRY_BYTES) {
		uint64_t tag = bytes_load_u64(entry);
		uint64_t value = bytes_load_u64(entry + WORD_BYTES);

		if (tag == DT_NULL)
			break;
		switch (tag) {
		case DT_RELA:
			relocations.address = value;
			break;
		case DT_RELASZ:
			relocations.len = value;
			break;
		case TAG_RELR:
			relr.address = value;
			break;
		case TAG_RELR_BYTES:
			relr.len = value;
			break;
		default:
			break;
		}
	}
	f->relocations = find_list(f, &relocations, RELOCATION_BYTES, &f->relocations_count);
	f->relr = find_list(f, &relr, WORD_BYTES, &f->relr_count);
}

/* A file has one dynamic segment; others are ignored. */
static void
find_dynamic(struct elf_file *f)
{
	for (uint32_t i = 0; i < f->elf.segments_count; i++) {
		struct elf_segment s;

		elf_segment_read(&f->elf, &f->bytes, i, &s);
		if (!bytes_ok(&f->bytes))
			return;
		if (s.type == PT_DYNAMIC) {
			read_dynamic(f, &s);
			return;
		}
	}
}

bool
elf_file_open(struct elf_file *f, const uint8_t *data, size_t len)
{
	*f = (struct elf_file){ 0 };
	bytes_init(&f->bytes, data, len, NULL);
	elf_read(&f->elf, &f->bytes);
	find_dynamic(f);
	return bytes_ok(&f->bytes);
}

/* The words being read. */
struct window {
	uint64_t address, bias;
	uint64_t *words;
	size_t count;
};

static uint64_t *
word_at(const struct window *w, uint64_t address)
{
	uint64_t n = (address - w->address) / WORD_BYTES;

	return address >= w->address && n < w->count && (address - w->address) % WORD_BYTES == 0
		   ? &w->words[n]
		   : NULL;
}

static void
relocate(const struct elf_file *f, const struct window *w)
{
	uint32_t relative = f->elf.machine == EM_AARCH64 ? R_AARCH64_RELATIVE : R_X86_64_RELATIVE;

	for (size_t i = 0; i < f->relocations_count; i++) {
		const uint8_t *r = f->relocations + RELOCATION_BYTES * i;
		uint64_t *word = word_at(w, bytes_load_u64(r));

		if (word && bytes_load_u32(r + 8) == relative)
			*word = bytes_load_u64(r + 16) + w->bias;
	}
}

static void
add_bias(const struct window *w, uint64_t address)
{
	uint64_t *word = word_at(w, address);

	if (word)
		*word += w->bias;
}

static void
relocate_packed(const struct elf_file *f, const struct window *w)
{
	uint64_t next = 0;

	for (size_t i = 0; i < f->relr_count; i++) {
		uint64_t entry = bytes_load_u64(f->relr + WORD_BYTES * i);

		if (!(entry & 1)) {
			add_bias(w, entry);
			next = entry + WORD_BYTES;
			continue;
		}
		for (unsigned bit = 1; bit <= RELR_BITS; bit++)
			if (entry >> bit & 1)
				add_bias(w, next + WORD_BYTES * (bit - 1));
		next += WORD_BYTES * RELR_BITS;
	}
}

bool
elf_file_words(struct elf_file *f, uint64_t address, uint64_t bias, uint64_t *words, size_t count)
{
	const struct window w = { address, bias, words, count };
	const uint8_t *bytes = elf_file_view(f, address, WORD_BYTES * count);

	if (!bytes)
		return false;
	for (size_t i = 0; i < count; i++)
		words[i] = bytes_load_u64(bytes + WORD_BYTES * i);
	relocate(f, &w);
	relocate_packed(f, &w);
	return true;
}
