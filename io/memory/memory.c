#include "io/memory/memory.h"
#include "model/base/arena.h"
#include "model/base/sorted.h"
#include <inttypes.h>

void
memory_close(struct memory *m)
{
	if (m)
		m->ops->close(m->source);
}

const struct memory_mapping *
memory_mapping_next(const struct memory *m, uint64_t address)
{
	size_t at;

	LOWER_BOUND(at, 0, m->mappings_count, m->mappings[at].end <= address);
	return at < m->mappings_count ? &m->mappings[at] : NULL;
}

const struct memory_mapping *
memory_mapping_at(const struct memory *m, uint64_t address)
{
	const struct memory_mapping *next = memory_mapping_next(m, address);

	return next && next->start <= address ? next : NULL;
}

uint64_t
memory_file_start(const struct memory *m, const struct memory_mapping *mapping)
{
	enum { MAPPINGS_MAX = 64 }; /* of one file */
	const struct memory_mapping *first = mapping;

	for (unsigned i = 0; i < MAPPINGS_MAX && first->file_offset && first > m->mappings &&
			     mapping->name[0] && strcmp(first[-1].name, mapping->name) == 0;
	     i++)
		first--;
	return first->file_offset ? mapping->start : first->start;
}

const struct memory_thread *
memory_thread_find(const struct memory *m, uint64_t tid)
{
	for (size_t i = 0; i < m->threads_count; i++)
		if ((uint64_t)m->threads[i].tid == tid)
			return &m->threads[i];
	return NULL;
}

size_t
memory_copy(const struct memory *m, uint64_t address, void *to, size_t len)
{
	/* No read wraps around the end of the address space. */
	if (len > UINT64_MAX - address)
		len = (size_t)(UINT64_MAX - address);
	return len ? m->ops->read(m->source, address, to, len) : 0;
}

enum memory_trust
memory_trust(const struct memory *m, uint64_t address, size_t len)
{
	return m->ops->trust ? m->ops->trust(m->source, address, len) : MEMORY_TRUSTED;
}

const uint8_t *
memory_view(const struct memory *m, uint64_t address, size_t len)
{
	if (!m->ops->view || len > UINT64_MAX - address)
		return NULL;
	return m->ops->view(m->source, address, len);
}

/* --- scattered reads ----------------------------------------------------- */

enum { PAGE_BYTES = 4096, PAGES_COUNT = 32 };

/* The start of a page, up to the first absent byte. */
struct page {
	uint64_t start;
	const uint8_t *bytes; /* in the back end or in `copies` */
	size_t len;
};

struct memory_reader {
	const struct memory *memory;
	struct page pages[PAGES_COUNT];
	uint8_t copies[PAGES_COUNT][PAGE_BYTES];
};

struct memory_reader *
memory_reader_new(const struct memory *m, struct error *err)
{
	struct memory_reader *r = memory_new(1, sizeof(*r), err);

	if (!r)
		return NULL;
	r->memory = m;
	for (size_t i = 0; i < PAGES_COUNT; i++)
		r->pages[i].start = 1; /* no page starts there */
	return r;
}

void
memory_reader_free(struct memory_reader *r)
{
	memory_free(r);
}

const struct memory *
memory_reader_memory(const struct memory_reader *r)
{
	return r->memory;
}

static const struct page *
reader_page(struct memory_reader *r, uint64_t start)
{
	uint64_t number = start / PAGE_BYTES;
	size_t slot = (number ^ number >> 5 ^ number >> 10) % PAGES_COUNT;
	struct memory_refused before = memory_refused();
	struct page *page = &r->pages[slot];

	if (page->start == start)
		return page;
	page->start = start;
	page->len = PAGE_BYTES;
	page->bytes = memory_view(r->memory, start, PAGE_BYTES);
	if (!page->bytes) {
		page->bytes = r->copies[slot];
		page->len = memory_copy(r->memory, start, r->copies[slot], PAGE_BYTES);
	}
	if (memory_refused().count != before.count)
		page->start = 1; /* memory ran out: read it again next time */
	return page;
}

bool
memory_read(struct memory_reader *r, uint64_t address, void *to, size_t len)
{
	size_t in_page = address % PAGE_BYTES;
	const struct page *page;

	if (len <= PAGE_BYTES - in_page) {
		page = reader_page(r, address - in_page);
		if (in_page + len <= page->len) {
			memcpy(to, page->bytes + in_page, len);
			return true;
		}
	}
	/* Across pages, or after an absent byte in one. */
	return memory_copy(r->memory, address, to, len) == len;
}

bool
memory_u8(struct memory_reader *r, uint64_t address, uint8_t *value)
{
	*value = 0;
	return memory_read(r, address, value, sizeof(*value));
}

bool
memory_u16(struct memory_reader *r, uint64_t address, uint16_t *value)
{
	uint8_t bytes[2];
	bool is_there = memory_read(r, address, bytes, sizeof(bytes));

	*value = is_there ? (uint16_t)(bytes[0] | bytes[1] << 8) : 0;
	return is_there;
}

bool
memory_u32(struct memory_reader *r, uint64_t address, uint32_t *value)
{
	uint8_t bytes[4];
	bool is_there = memory_read(r, address, bytes, sizeof(bytes));

	*value = is_there ? bytes_load_u32(bytes) : 0;
	return is_there;
}

bool
memory_u64(struct memory_reader *r, uint64_t address, uint64_t *value)
{
	uint8_t bytes[8];
	bool is_there = memory_read(r, address, bytes, sizeof(bytes));

	*value = is_there ? bytes_load_u64(bytes) : 0;
	return is_there;
}

bool
memory_text(struct memory_reader *r, uint64_t address, char *to, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		uint8_t byte;

		if (address > UINT64_MAX - i || !memory_u8(r, address + i, &byte)) {
			to[i] = '\0';
			return false;
		}
		to[i] = (char)byte;
		if (!byte)
			return true;
	}
	if (size)
		to[size - 1] = '\0';
	return false;
}

bool
memory_missing(const struct memory *m, uint64_t address, const char *what, struct error *err)
{
	return error_set(err, ERROR_INPUT, "%s at 0x%" PRIx64 " is not in %s", what, address,
			 m->name);
}
