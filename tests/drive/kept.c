#include "tests/drive/kept.h"
#include "tests/drive/files.h"
#include "tests/made/graphs.h"
#include "tests/drive/run_tests.h"
#include "io/heaptop/format.h"
#include "io/base/zstd.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct bytes_kept
kept_save_as(const struct heap *h, const struct saved_how *how)
{
	const char *path = in_folder("x.heaptop");
	struct error err = { 0 };
	struct output *to = output_open(path, false, &err);
	struct bytes_kept kept;

	assert_ok(to && saved_write(to, h, how, NULL, &err) && output_close(to, &err), &err);
	kept.data = (uint8_t *)file_read(path, &kept.len);
	assert_int_equal(unlink(path), 0);
	return kept;
}

struct bytes_kept
kept_save(const struct heap *h)
{
	return kept_save_as(h, NULL);
}

const struct heap *
kept_load(const struct bytes_kept *kept, enum load_what what, struct error *err)
{
	error_clear(err);
	return saved_read(kept->data, kept->len, NULL,
			  &(struct load_how){ .path = "", .what = what }, err);
}

const struct heap *
kept_load_keeping(const struct bytes_kept *kept, struct error *err)
{
	struct input in = { .unpacked = malloc(kept->len), .len = kept->len };
	const struct heap *h;

	assert_non_null(in.unpacked);
	memcpy(in.unpacked, kept->data, kept->len);
	in.data = in.unpacked;
	error_clear(err);
	h = saved_read(in.data, in.len, &in, &(struct load_how){ .path = "x", .what = LOAD_ALL },
		       err);
	input_close(&in);
	return h;
}

const struct heap *
kept_small_heap(void)
{
	struct graph *g = graph_mixed(7, 40);
	const struct heap *h = graph_heap(g);

	graph_free(g);
	return h;
}

/* ---- files that lie, with checks that fit --------------------------------
 */

static void
put_number(uint8_t *at, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

/* A head of 40 bytes; what it is the head of stands behind it. */
static void
put_head(uint8_t *head, const struct saved_section *s)
{
	put_number(head, s->kind, 4);
	put_number(head + 4, s->flags, 4);
	put_number(head + 8, s->index, 8);
	put_number(head + 16, s->raw_len, 8);
	put_number(head + 24, s->stored_len, 8);
	put_number(head + 32, 0, 4);
	put_number(head + 36, saved_check(head, 36), 4);
}

struct bytes_kept
kept_assemble(const struct saved_sections *sections, size_t which, const uint8_t *raw,
	      struct zstd_packer *packer)
{
	size_t room =
	    sections->len + SAVED_SECTION_BYTES + zstd_packed_max(sections->items[which].raw_len);
	struct bytes_kept out = { malloc(room), SAVED_HEADER_BYTES };
	struct error err = { 0 };

	assert_non_null(out.data);
	memcpy(out.data, sections->data, out.len);
	for (size_t i = 0; i < sections->count; i++) {
		struct saved_section s = sections->items[i];
		uint8_t *head = out.data + out.len;

		out.len += SAVED_SECTION_BYTES;
		if (raw && i == which && s.flags & SAVED_IS_STORED)
			memcpy(out.data + out.len, raw, s.stored_len);
		else if (raw && i == which)
			s.stored_len = zstd_pack_frame(packer, out.data + out.len, room - out.len,
						       raw, s.raw_len, &err);
		else if (s.stored_len)
			memcpy(out.data + out.len, s.data, s.stored_len);
		out.len += s.stored_len;
		put_head(head, &s);
	}
	put_head(out.data + out.len,
		 &(struct saved_section){ .kind = SAVED_END, .index = sections->count });
	out.len += SAVED_SECTION_BYTES;
	return out;
}

struct saved_sections
kept_sections(const struct bytes_kept *kept)
{
	struct saved_sections s = { .data = kept->data, .len = kept->len };
	struct error err = { 0 };

	assert_true(saved_sections_find(&s, &err));
	return s;
}
