#include "io/memory/elf_image.h"
#include <elf.h>

enum {
	SEGMENT_BYTES = 56,
	SYMBOL_BYTES = 24,
	SEGMENTS_MAX = 256,
	DYNAMIC_MAX = 1024,   /* real files have about 40 */
	CHAIN_MAX = 64 << 10, /* symbols in one bucket */
	NAME_MAX_BYTES = 64,
};
#define PAGE_MASK (~UINT64_C(4095))

/* Sums may wrap: the address is then absent, like any wild one. */
static bool
image_read_segments(struct elf_image *image, struct memory_reader *r, uint64_t segments_at,
		    uint16_t count)
{
	bool has_load = false;

	for (uint16_t i = 0; i < count && i < SEGMENTS_MAX; i++) {
		uint64_t at = image->base + segments_at + (uint64_t)i * SEGMENT_BYTES;
		uint64_t address, size;
		uint32_t type;

		if (!memory_u32(r, at, &type) || !memory_u64(r, at + 16, &address) ||
		    !memory_u64(r, at + 40, &size))
			return false;
		if (type == PT_LOAD && !has_load) {
			image->bias = image->base - (address & PAGE_MASK);
			has_load = true;
		}
		if (type == PT_LOAD && address + size > image->end)
			image->end = address + size;
		if (type == PT_DYNAMIC)
			image->dynamic = address;
		if (type == PT_GNU_EH_FRAME) {
			image->frames = address;
			image->frames_bytes = size;
		}
	}
	image->end += image->bias;
	image->dynamic += image->dynamic ? image->bias : 0;
	image->frames += image->frames ? image->bias : 0;
	return has_load;
}

/* glibc relocates these addresses in place, other loaders do not. */
static uint64_t
image_address(const struct elf_image *image, uint64_t value)
{
	return value < image->base ? value + image->bias : value;
}

static bool
image_read_dynamic(struct elf_image *image, struct memory_reader *r)
{
	for (uint64_t i = 0; i < DYNAMIC_MAX; i++) {
		uint64_t tag, value;

		if (!memory_u64(r, image->dynamic + 16 * i, &tag) ||
		    !memory_u64(r, image->dynamic + 16 * i + 8, &value) || tag == DT_NULL)
			break;
		if (tag == DT_SYMTAB)
			image->symbols = image_address(image, value);
		else if (tag == DT_STRTAB)
			image->names = image_address(image, value);
		else if (tag == DT_GNU_HASH)
			image->hashes = image_address(image, value);
	}
	return image->symbols && image->names && image->hashes;
}

bool
elf_image_begin(struct elf_image *image, struct memory_reader *r, uint64_t base)
{
	uint8_t head[64];
	struct bytes b;
	uint64_t segments_at;
	uint16_t count;

	*image = (struct elf_image){ .base = base };
	if (!memory_read(r, base, head, sizeof(head)) || memcmp(head, ELFMAG, SELFMAG) != 0 ||
	    head[EI_CLASS] != ELFCLASS64 || head[EI_DATA] != ELFDATA2LSB)
		return false;
	bytes_init(&b, head, sizeof(head), NULL);
	bytes_seek(&b, 32, "the ELF header");
	segments_at = bytes_u64(&b, "the place of the segments");
	bytes_seek(&b, 56, "the ELF header");
	count = bytes_u16(&b, "the number of segments");
	return image_read_segments(image, r, segments_at, count);
}

bool
elf_image_open(struct elf_image *image, struct memory_reader *r, uint64_t base)
{
	return elf_image_begin(image, r, base) && image->dynamic && image_read_dynamic(image, r);
}

static uint32_t
hash_name(const char *name)
{
	uint32_t hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (uint8_t)*name;
	return hash;
}

/* True if symbol `i` is defined here and has the name. */
static bool
symbol_is(const struct elf_image *image, struct memory_reader *r, uint64_t i, const char *name,
	  struct elf_symbol *symbol)
{
	uint64_t at = image->symbols + i * SYMBOL_BYTES, value;
	char text[NAME_MAX_BYTES];
	uint32_t name_at;
	uint16_t section;

	if (!memory_u32(r, at, &name_at) || !memory_u16(r, at + 6, &section) ||
	    !memory_u64(r, at + 8, &value) || !memory_u64(r, at + 16, &symbol->size) ||
	    !memory_text(r, image->names + name_at, text, sizeof(text)) ||
	    strcmp(text, name) != 0 || section == SHN_UNDEF)
		return false;
	symbol->address = image->bias + value;
	return true;
}

/* The symbols with a hash; first 0: none. */
struct bucket {
	uint32_t first, first_hashed;
	uint64_t chains;
};

/* False: absent. */
static bool
bucket_read(const struct elf_image *image, struct memory_reader *r, uint32_t hash,
	    struct bucket *bucket)
{
	uint32_t buckets, words;
	uint64_t at;

	bucket->first = 0;
	if (!memory_u32(r, image->hashes, &buckets) ||
	    !memory_u32(r, image->hashes + 4, &bucket->first_hashed) ||
	    !memory_u32(r, image->hashes + 8, &words))
		return false;
	at = image->hashes + 16 + 8 * (uint64_t)words;
	bucket->chains = at + 4 * (uint64_t)buckets;
	return !buckets || memory_u32(r, at + 4 * (uint64_t)(hash % buckets), &bucket->first);
}

bool
elf_image_find(const struct elf_image *image, struct memory_reader *r, const char *name,
	       struct elf_symbol *symbol, bool *is_absent)
{
	uint32_t wanted = hash_name(name), hash = 0;
	bool is_there;
	struct bucket bucket;

	is_there = bucket_read(image, r, wanted, &bucket);
	for (uint32_t i = bucket.first; is_there && !(hash & 1) && i >= bucket.first_hashed && i &&
					i - bucket.first < CHAIN_MAX;
	     i++) {
		uint64_t at = bucket.chains + 4 * (uint64_t)(i - bucket.first_hashed);

		is_there = memory_u32(r, at, &hash);
		if ((hash | 1) == (wanted | 1) && symbol_is(image, r, i, name, symbol))
			return true;
	}
	if (is_absent)
		*is_absent = !is_there;
	return false;
}
