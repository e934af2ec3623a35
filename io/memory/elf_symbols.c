#include "io/memory/elf_symbols.h"
#include <elf.h>

enum { SECTION_BYTES = 64, SYMBOL_BYTES = 24, PAGE_BYTES = 4096 };

struct section {
	uint32_t name, type, link;
	uint64_t offset, size;
};

struct sections {
	struct bytes bytes;
	uint64_t at;
	uint32_t count, names; /* index of the section of names */
};

static bool
sections_open(struct sections *s, const uint8_t *data, size_t len)
{
	struct elf elf;

	*s = (struct sections){ 0 };
	bytes_init(&s->bytes, data, len, NULL);
	elf_read(&elf, &s->bytes);
	bytes_seek(&s->bytes, 40, "the ELF header");
	s->at = bytes_u64(&s->bytes, "the place of the sections");
	bytes_seek(&s->bytes, 58, "the ELF header");
	if (bytes_u16(&s->bytes, "the size of a section's record") != SECTION_BYTES)
		return false;
	s->count = bytes_u16(&s->bytes, "the number of sections");
	s->names = bytes_u16(&s->bytes, "the section of names");
	return bytes_ok(&s->bytes) && s->at && s->count;
}

static bool
section_read(struct sections *s, uint32_t i, struct section *section)
{
	struct bytes *b = &s->bytes;

	if (i >= s->count || s->at > UINT64_MAX - i * (uint64_t)SECTION_BYTES)
		return false;
	bytes_seek(b, s->at + i * (uint64_t)SECTION_BYTES, "a section");
	section->name = bytes_u32(b, "a section's name");
	section->type = bytes_u32(b, "a section's type");
	bytes_skip(b, 16, "a section's flags and address");
	section->offset = bytes_u64(b, "a section's place in the file");
	section->size = bytes_u64(b, "a section's size");
	section->link = bytes_u32(b, "a linked section");
	return bytes_ok(b);
}

/* NULL: the file does not have all of it. */
static const uint8_t *
section_data(struct sections *s, const struct section *section)
{
	bytes_seek(&s->bytes, section->offset, "a section");
	return bytes_take(&s->bytes, section->size, "a section's bytes");
}

static uint64_t
first_address(const uint8_t *data, size_t len)
{
	struct elf_segment s;

	return elf_first_segment(data, len, PT_LOAD, &s) ? s.address & ~(uint64_t)(PAGE_BYTES - 1)
							 : 0;
}

bool
elf_symbols_open(struct elf_symbols *s, const uint8_t *data, size_t len, enum elf_table table)
{
	struct sections all;
	struct section symbols, names;

	*s = (struct elf_symbols){ .base = first_address(data, len) };
	if (!sections_open(&all, data, len))
		return false;
	for (uint32_t i = 0; i < all.count; i++) {
		if (!section_read(&all, i, &symbols))
			return false;
		if (symbols.type != (uint32_t)table)
			continue;
		if (!section_read(&all, symbols.link, &names) || names.type != SHT_STRTAB)
			return false;
		s->symbols = section_data(&all, &symbols);
		s->names = (const char *)section_data(&all, &names);
		s->count = symbols.size / SYMBOL_BYTES;
		s->names_len = names.size;
		/* So that each name has an end. */
		return s->symbols && s->names && s->names_len && !s->names[s->names_len - 1];
	}
	return false;
}

const char *
elf_symbols_get(const struct elf_symbols *s, size_t i, uint64_t *address)
{
	const uint8_t *symbol = s->symbols + i * SYMBOL_BYTES;
	uint32_t name = bytes_load_u32(symbol);
	unsigned section = symbol[6] | (unsigned)symbol[7] << 8;

	*address = bytes_load_u64(symbol + 8) - s->base;
	return section != SHN_UNDEF && name < s->names_len && s->names[name] ? s->names + name
									     : NULL;
}

const char *
elf_debug_link(const uint8_t *data, size_t len)
{
	static const char link[] = ".gnu_debuglink";
	struct sections all;
	struct section names, section;

	if (!sections_open(&all, data, len) || !section_read(&all, all.names, &names))
		return NULL;
	for (uint32_t i = 0; i < all.count; i++) {
		const char *text = (const char *)section_data(&all, &names);

		if (!text || !section_read(&all, i, &section))
			return NULL;
		if (names.size < sizeof(link) || section.name > names.size - sizeof(link) ||
		    memcmp(text + section.name, link, sizeof(link)) != 0)
			continue;
		text = (const char *)section_data(&all, &section);
		return text && memchr(text, 0, section.size) && *text ? text : NULL;
	}
	return NULL;
}
