/*
 * Any bytes as a saved heap: as they are, and as what is inside the sections
 * of one, since checksums would keep nearly all mistakes out: kind, index, length, bytes, and so
 * on. A heap that passes heap_check(), or an error with
 * a message; and memory within a bound that grows with the input only.
 */
#include "tests/drive/fuzz.h"
#include "io/heaptop/heaptop.h"
#include "io/heaptop/derived.h"
#include "model/graph/retained.h"
#include "io/heaptop/format.h"
#include "io/base/zstd.h"
#include "model/base/arena.h"
#include <stdlib.h>
#include <string.h>

enum { FILE_BYTES = 1 << 20 };

/* What was computed before: sound, or computed anew. */
static void
check_derived(const struct heap *h)
{
	struct error err = { 0 };
	const struct reach *reach = derived_reach(h, h->derived->prefers_statics, NULL, &err);
	const struct dominators *d;
	const struct retained *retained;

	if (!reach)
		fuzz_fail("no distances", &err);
	for (node_id n = 0; n < h->nodes_count; n++)
		if (reach->distance[n] != DISTANCE_UNREACHABLE && !reach_root(reach, n))
			fuzz_fail("a way without a root", &err);
	d = derived_dominators(h, reach, NULL, &err);
	retained = d ? retained_compute(d, NULL, &err) : NULL;
	for (uint32_t p = 0; retained && p < h->nodes_count; p++)
		if (dominators_end(d, p) <= p ||
		    retained_of(retained, d->objects[p]).bytes < heap_size(h, d->objects[p]))
			fuzz_fail("an object holds less than itself", &err);
	retained_free(retained);
	dominators_free(d);
	reach_free(reach);
}

static void
check_read(const uint8_t *data, size_t size, enum load_what what)
{
	struct input in = { .unpacked = malloc(size + 1), .len = size };
	struct error err = { 0 };
	const struct heap *h;

	in.data = in.unpacked;
	if (!in.unpacked)
		return;
	if (size)
		memcpy(in.unpacked, data, size);
	h = saved_read(in.data, in.len, &in, &(struct load_how){ .path = "fuzz", .what = what },
		       &err);
	input_close(&in);
	if (!fuzz_has_heap(h, &err, (UINT64_C(4) << 20) + size * SAVED_RATIO_MAX * 4))
		return;
	fuzz_check_heap(h);
	if (h->has_objects && h->derived)
		check_derived(h);
	heap_free(h);
}

/* The beginning of a heap that still arrives: types with names, or nothing. */
static void
check_early(const uint8_t *data, size_t size)
{
	struct preview preview;
	struct saved_early *early;

	preview_init(&preview);
	early = saved_early_show(data, size, &preview);
	if (!early != !preview.types)
		fuzz_fail("types without an owner, or the reverse", NULL);
	for (uint32_t t = 0; t < preview.types_count; t++)
		if (!preview.types[t].name)
			fuzz_fail("a type without a name", NULL);
	preview_clear(&preview);
	saved_early_free(early);
}

struct made_file {
	uint8_t bytes[FILE_BYTES];
	size_t len;
	uint64_t sections, fingerprint;
};

static void
put(struct made_file *f, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		f->bytes[f->len++] = (uint8_t)(value >> 8 * i);
}

static void
put_section(struct made_file *f, struct zstd_packer *packer, uint32_t kind, bool is_stored,
	    uint64_t index, const uint8_t *raw, size_t raw_len)
{
	struct error err = { 0 };
	size_t head = f->len, stored;

	if (FILE_BYTES - f->len < SAVED_SECTION_BYTES * 2 + zstd_packed_max(raw_len))
		return;
	f->len += SAVED_SECTION_BYTES;
	stored = raw_len;
	if (is_stored)
		memcpy(f->bytes + f->len, raw, raw_len);
	else
		stored = zstd_pack_frame(packer, f->bytes + f->len, FILE_BYTES - f->len, raw,
					 raw_len, &err);
	f->len = head;
	put(f, kind, 4);
	put(f, is_stored ? SAVED_IS_STORED : SAVED_IS_NEEDED, 4);
	put(f, index, 8);
	put(f, raw_len, 8);
	put(f, stored, 8);
	put(f, 0, 4);
	put(f, saved_check(f->bytes + head, 36), 4);
	f->fingerprint = saved_fingerprint(
	    f->fingerprint,
	    &(struct saved_section){ .kind = kind,
				     .flags = is_stored ? SAVED_IS_STORED : SAVED_IS_NEEDED,
				     .index = index,
				     .raw_len = raw_len,
				     .stored_len = stored,
				     .data = f->bytes + f->len });
	f->len += stored;
	f->sections++;
}

/* With the fingerprint that nobody would guess. */
static void
put_derived(struct made_file *f, struct zstd_packer *packer, const uint8_t *raw, size_t raw_len)
{
	uint8_t copy[256] = { 0 };

	memcpy(copy + 8, raw, raw_len < 248 ? raw_len : 248);
	for (unsigned i = 0; i < 8; i++)
		copy[i] = (uint8_t)(f->fingerprint >> 8 * i);
	put_section(f, packer, SAVED_DERI, false, 0, copy, raw_len < 248 ? raw_len + 8 : 256);
}

static void
check_sections(struct made_file *f, struct zstd_packer *packer, const uint8_t *data, size_t size)
{
	enum { KINDS_COUNT = 20, IS_STORED = 0x80 };
	static const uint32_t kinds[KINDS_COUNT] = {
		SAVED_INFO, SAVED_TEXT, SAVED_TYPE, SAVED_SIZE, SAVED_RANGE, SAVED_WEAK, SAVED_ROOT,
		SAVED_PAGE, SAVED_BITS, SAVED_NODE, SAVED_GENS, SAVED_CTYP,  SAVED_CSIZ, SAVED_CLRG,
		SAVED_COFF, SAVED_CREF, SAVED_CBEG, SAVED_DWAY, SAVED_DDOM,  SAVED_DERI,
	};

	f->sections = f->fingerprint = 0;
	f->len = 0;
	memcpy(f->bytes, SAVED_MAGIC, SAVED_MAGIC_BYTES);
	f->len = SAVED_MAGIC_BYTES;
	put(f, SAVED_VERSION, 2);
	put(f, SAVED_VERSION, 2);
	put(f, 0, 4);
	while (size >= 4) {
		size_t len = data[2] | (size_t)data[3] << 8;
		uint32_t kind;

		len = len < size - 4 ? len : size - 4;
		kind = kinds[(data[0] & ~IS_STORED) % KINDS_COUNT];
		if (kind == SAVED_DERI)
			put_derived(f, packer, data + 4, len);
		else
			put_section(f, packer, kind, data[0] & IS_STORED, data[1], data + 4, len);
		data += 4 + len;
		size -= 4 + len;
	}
	put_section(f, packer, SAVED_END, true, f->sections, data, 0);
	check_read(f->bytes, f->len, LOAD_TYPES);
	check_read(f->bytes, f->len, LOAD_ALL);
	check_early(f->bytes, f->len);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct made_file file;
	static struct zstd_packer *packer;
	struct error err = { 0 };

	if (!packer)
		packer = zstd_packer_new(&err);
	check_read(data, size, LOAD_ALL);
	check_early(data, size);
	if (packer && size < FILE_BYTES / 8)
		check_sections(&file, packer, data, size);
	return 0;
}
