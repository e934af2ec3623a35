#include "tests/made/made_elf.h"
#include <elf.h>
#include <string.h>

enum { SEGMENTS = 2, SECTIONS_MAX = 7 };

struct writer {
	struct blob *out;
	struct blob names; /* of sections */
	Elf64_Shdr sections[SECTIONS_MAX];
	uint16_t count;
};

/* Begins a section where the file ends. */
static Elf64_Shdr *
begin(struct writer *w, const char *name, uint32_t type)
{
	Elf64_Shdr *section = &w->sections[w->count++];

	section->sh_name = (uint32_t)w->names.len;
	section->sh_type = type;
	section->sh_offset = w->out->len;
	blob_put(&w->names, name, strlen(name) + 1);
	return section;
}

static void
end(const struct writer *w, Elf64_Shdr *section)
{
	section->sh_size = w->out->len - section->sh_offset;
}

static void
put_symbols(struct writer *w, const struct made_elf_symbol *symbols, uint64_t base, uint32_t type)
{
	struct blob names = { 0 };
	Elf64_Shdr *section = begin(w, ".symbols", type);
	Elf64_Sym symbol = { 0 };

	section->sh_link = w->count;
	blob_u8(&names, 0);
	blob_put(w->out, &symbol, sizeof(symbol));
	for (; symbols->name; symbols++) {
		symbol.st_name = (Elf64_Word)names.len;
		symbol.st_shndx = 1;
		symbol.st_value = base + symbols->offset;
		blob_put(w->out, &symbol, sizeof(symbol));
		blob_put(&names, symbols->name, strlen(symbols->name) + 1);
	}
	end(w, section);
	section = begin(w, ".names", SHT_STRTAB);
	blob_put(w->out, names.data, names.len);
	end(w, section);
	blob_free(&names);
}

static void
put_build_id(struct writer *w, const struct made_elf *elf, Elf64_Phdr *segment)
{
	Elf64_Nhdr note = { .n_namesz = 4,
			    .n_descsz = (Elf64_Word)strlen(elf->build_id),
			    .n_type = NT_GNU_BUILD_ID };

	segment->p_type = PT_NOTE;
	segment->p_offset = w->out->len;
	blob_put(w->out, &note, sizeof(note));
	blob_put(w->out, "GNU", 4);
	blob_put(w->out, elf->build_id, strlen(elf->build_id));
	segment->p_filesz = w->out->len - segment->p_offset;
}

void
made_elf_write(const struct made_elf *elf, struct blob *out)
{
	Elf64_Ehdr head = { .e_type = ET_DYN,
			    .e_machine = EM_X86_64,
			    .e_phoff = sizeof(head),
			    .e_phentsize = sizeof(Elf64_Phdr),
			    .e_phnum = SEGMENTS,
			    .e_shentsize = sizeof(Elf64_Shdr) };
	Elf64_Phdr segments[SEGMENTS] = { { .p_type = PT_LOAD, .p_vaddr = elf->base } };
	struct writer w = { .out = out };
	Elf64_Shdr *section;

	memcpy(head.e_ident, ELFMAG, SELFMAG);
	head.e_ident[EI_CLASS] = ELFCLASS64;
	head.e_ident[EI_DATA] = ELFDATA2LSB;
	blob_put(out, &head, sizeof(head));
	blob_put(out, segments, sizeof(segments));
	begin(&w, "", SHT_NULL)->sh_offset = 0;
	if (elf->build_id)
		put_build_id(&w, elf, &segments[1]);
	if (elf->exports)
		put_symbols(&w, elf->exports, elf->base, SHT_DYNSYM);
	if (elf->symbols)
		put_symbols(&w, elf->symbols, elf->base, SHT_SYMTAB);
	if (elf->link) {
		section = begin(&w, ".gnu_debuglink", SHT_PROGBITS);
		blob_put(out, elf->link, strlen(elf->link) + 1);
		blob_put(out, "sum", 4);
		end(&w, section);
	}
	head.e_shstrndx = w.count;
	section = begin(&w, ".section_names", SHT_STRTAB);
	blob_put(out, w.names.data, w.names.len);
	end(&w, section);
	head.e_shoff = out->len;
	head.e_shnum = w.count;
	blob_put(out, w.sections, w.count * sizeof(Elf64_Shdr));
	blob_patch(out, 0, &head, sizeof(head));
	blob_patch(out, sizeof(head), segments, sizeof(segments));
	blob_free(&w.names);
}
