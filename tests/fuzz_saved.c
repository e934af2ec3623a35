/*
 * Any bytes as a saved heap: as they are, and as what is inside the sections
 * of one, since checksums would keep nearly all mistakes out: kind, index,
 * length, bytes, and so on. A heap that passes heap_check(), or an error with
 * a message; and memory within a bound that grows with the input only.
 */
#include "io/saved.h"
#include "io/saved_format.h"
#include "io/zstd.h"
#include "model/arena.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_BYTES = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
fail(const char *what, const struct error *err)
{
	fprintf(stderr, "%s: %s\n", what, err->message);
	abort();
}

static void
check_read(const uint8_t *data, size_t size, enum load_what what)
{
	struct error err;
	const struct heap *h;

	error_clear(&err);
	h = saved_read(data, size, "fuzz", what, NULL, NULL, &err);
	if (!h) {
		if (err.kind == ERROR_NONE || !err.message[0])
			fail("refused without a word", &err);
		return;
	}
	if (err.kind != ERROR_NONE)
		fail("a heap and an error", &err);
	if (heap_bytes(h) > (UINT64_C(4) << 20) + size * SAVED_RATIO_MAX * 4)
		fail("too much memory", &err);
	if (!heap_check(h, &err))
		fail("not sound", &err);
	heap_free(h);
}

struct file {
	uint8_t bytes[FILE_BYTES];
	size_t len;
	uint64_t sections;
};

static void
put(struct file *f, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		f->bytes[f->len++] = (uint8_t)(value >> 8 * i);
}

static void
put_section(struct file *f, struct zstd_packer *packer, uint32_t kind,
	    bool is_stored, uint64_t index, const uint8_t *raw, size_t raw_len)
{
	struct error err = { 0 };
	size_t head = f->len, stored;

	if (FILE_BYTES - f->len <
	    SAVED_SECTION_BYTES * 2 + zstd_packed_max(raw_len))
		return;
	f->len += SAVED_SECTION_BYTES;
	stored = raw_len;
	if (is_stored)
		memcpy(f->bytes + f->len, raw, raw_len);
	else
		stored =
		    zstd_pack_frame(packer, f->bytes + f->len,
				    FILE_BYTES - f->len, raw, raw_len, &err);
	f->len = head;
	put(f, kind, 4);
	put(f, is_stored ? SAVED_IS_STORED : SAVED_IS_NEEDED, 4);
	put(f, index, 8);
	put(f, raw_len, 8);
	put(f, stored, 8);
	put(f, 0, 4);
	put(f, saved_check(f->bytes + head, 36), 4);
	f->len += stored;
	f->sections++;
}

static void
check_sections(struct file *f, struct zstd_packer *packer, const uint8_t *data,
	       size_t size)
{
	enum { KINDS_COUNT = 17, IS_STORED = 0x80 };
	static const uint32_t kinds[KINDS_COUNT] = {
		SAVED_INFO, SAVED_TEXT, SAVED_TYPE, SAVED_SIZE, SAVED_RANGE,
		SAVED_WEAK, SAVED_ROOT, SAVED_PAGE, SAVED_BITS, SAVED_NODE,
		SAVED_GENS, SAVED_CTYP, SAVED_CSIZ, SAVED_CLRG, SAVED_COFF,
		SAVED_CREF, SAVED_CBEG,
	};

	f->sections = 0;
	f->len = 0;
	memcpy(f->bytes, SAVED_MAGIC, SAVED_MAGIC_BYTES);
	f->len = SAVED_MAGIC_BYTES;
	put(f, SAVED_VERSION, 2);
	put(f, SAVED_VERSION, 2);
	put(f, 0, 4);
	while (size >= 4) {
		size_t len = data[2] | (size_t)data[3] << 8;

		len = len < size - 4 ? len : size - 4;
		put_section(f, packer,
			    kinds[(data[0] & ~IS_STORED) % KINDS_COUNT],
			    data[0] & IS_STORED, data[1], data + 4, len);
		data += 4 + len;
		size -= 4 + len;
	}
	put_section(f, packer, SAVED_END, true, f->sections, data, 0);
	check_read(f->bytes, f->len, LOAD_TYPES);
	check_read(f->bytes, f->len, LOAD_ALL);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct file file;
	static struct zstd_packer *packer;
	struct error err = { 0 };

	if (!packer)
		packer = zstd_packer_new(&err);
	check_read(data, size, LOAD_ALL);
	if (packer && size < FILE_BYTES / 8)
		check_sections(&file, packer, data, size);
	return 0;
}
