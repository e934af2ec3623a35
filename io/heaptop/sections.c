#include "io/heaptop/sections.h"
#include "io/heaptop/format.h"
#include "io/base/zstd.h"
#include "model/base/arena.h"
#include <inttypes.h>

static bool
is_known(uint32_t kind)
{
	static const uint32_t known[] = {
		SAVED_INFO, SAVED_TEXT, SAVED_TYPE, SAVED_SIZE, SAVED_GENS, SAVED_RANGE,
		SAVED_WEAK, SAVED_ROOT, SAVED_PAGE, SAVED_BITS, SAVED_NODE, SAVED_DIRE,
		SAVED_END,  SAVED_PAD,  SAVED_CTYP, SAVED_CSIZ, SAVED_CLRG, SAVED_COFF,
		SAVED_CREF, SAVED_CBEG, SAVED_DERI, SAVED_DWAY, SAVED_DDOM,
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i] == kind)
			return true;
	return false;
}

static const char *
kind_name(uint32_t kind, char out[5])
{
	for (int i = 0; i < 4; i++) {
		out[i] = (char)(kind >> 8 * i);
		if (out[i] <= ' ' || out[i] > '~')
			out[i] = out[i] == ' ' ? '\0' : '?';
	}
	out[4] = '\0';
	return out;
}

static bool
check_head(const struct saved_section *s, uint64_t pad, struct error *err)
{
	char name[5];

	if (s->flags & SAVED_IS_STORED && s->raw_len != s->stored_len)
		return error_at(err, s->at,
				"section %s is stored raw, but in %" PRIu64
				" bytes instead of %" PRIu64,
				kind_name(s->kind, name), s->stored_len, s->raw_len);

	if (s->raw_len > (s->stored_len + pad + 1) * SAVED_RATIO_MAX)
		return error_at(err, s->at,
				"section %s unpacks to %" PRIu64
				" bytes, more than %d times its size",
				kind_name(s->kind, name), s->raw_len, SAVED_RATIO_MAX);
	if (!is_known(s->kind) && s->flags & SAVED_IS_NEEDED)
		return error_at(err, s->at,
				"section %s is unknown to this version of heaptop, but required",
				kind_name(s->kind, name));
	return true;
}

/* True at a premature end of the file, too: see is_cut. */
static bool
next_section(struct saved_sections *r, struct bytes *b, struct saved_section *s, struct error *err)
{
	const uint8_t *head;
	uint64_t pad;

	*s = (struct saved_section){ .at = b->at };
	r->is_cut = bytes_left(b) < SAVED_SECTION_BYTES;
	if (r->is_cut) {
		r->missing_bytes = SAVED_SECTION_BYTES - bytes_left(b);
		return true;
	}
	head = b->data + b->at;
	s->kind = bytes_u32(b, "the kind of a section");
	s->flags = bytes_u32(b, "its flags");
	s->index = bytes_u64(b, "its index");
	s->raw_len = bytes_u64(b, "its length");
	s->stored_len = bytes_u64(b, "its length in the file");
	pad = bytes_u32(b, "its padding");
	if (bytes_u32(b, "its check") != saved_check(head, 36))
		return error_at(err, s->at,
				"the head of a section is damaged: its check value is wrong");
	if (s->stored_len > UINT64_MAX / 1024)
		return error_at(err, s->at, "a section announces %" PRIu64 " bytes", s->stored_len);
	if (s->stored_len + pad > bytes_left(b)) {
		r->is_cut = true;
		r->missing_bytes = s->stored_len + pad - bytes_left(b);
		return true;
	}
	s->data = bytes_take(b, s->stored_len, "a section");
	bytes_skip(b, pad, "padding");
	return check_head(s, pad, err);
}

static bool
add_section(struct saved_sections *r, const struct saved_section *s, struct error *err)
{
	return APPEND(r->items, r->count, r->room, err, *s);
}

static bool
check_count(const struct saved_section *end, uint64_t count, struct error *err)
{
	return end->index == count ||
	       error_at(err, end->at, "%" PRIu64 " sections instead of %" PRIu64, count,
			end->index);
}

/* Finds sections head by head. */
static bool
walk_sections(struct saved_sections *r, struct error *err)
{
	struct bytes b;
	struct saved_section s = { 0 };

	bytes_init(&b, r->data, r->len, err);
	bytes_skip(&b, SAVED_HEADER_BYTES, "the header");
	while (s.kind != SAVED_END) {
		if (!next_section(r, &b, &s, err))
			return false;
		if (r->is_cut)
			return true;
		if (!add_section(r, &s, err))
			return false;
	}
	return check_count(&s, r->count - 1, err);
}

bool
saved_fail(const struct saved_section *s, const struct error *why, struct error *err)
{
	char name[5];

	if (why->kind == ERROR_SYSTEM && err->kind == ERROR_NONE)
		*err = *why; /* no memory: the file may be sound */
	return error_at(err, s->at, "section %s: %.160s", kind_name(s->kind, name), why->message);
}

bool
saved_unpack(struct saved_sections *r, unsigned thread, const struct saved_section *s,
	     struct bytes *out, struct error *err)
{
	struct error why = { 0 };

	if (s->flags & SAVED_IS_STORED) {
		bytes_init(out, s->data, s->raw_len, err);
		return true;
	}
	if (!r->unpackers[thread]) {
		r->unpackers[thread] = zstd_unpacker_new(err);
		if (!r->unpackers[thread])
			return false;
	}
	if (!r->raw[thread] || s->raw_len > r->raw_room[thread]) {
		memory_free(r->raw[thread]);
		r->raw_room[thread] = 0;
		r->raw[thread] = memory_new(s->raw_len, 1, err);
		if (!r->raw[thread])
			return false;
		r->raw_room[thread] = s->raw_len;
	}
	if (!zstd_unpack_frame(r->unpackers[thread], r->raw[thread], s->raw_len, s->data,
			       s->stored_len, &why))
		return saved_fail(s, &why, err);
	bytes_init(out, r->raw[thread], s->raw_len, err);
	return true;
}

/* ---- the directory ---- */

/*
 * The file ends with END, which has the directory's offset. False if there is none or it is
 * inconsistent; walking the heads then finds the damage.
 */
static bool
find_directory(struct saved_sections *r, struct saved_section *directory, struct saved_section *end)
{
	struct error ignored = { 0 };
	bool is_there = false;
	struct bytes b;

	bytes_init(&b, r->data, r->len, &ignored);
	if (r->len < SAVED_HEADER_BYTES + SAVED_FOOTER_BYTES)
		return false;
	bytes_skip(&b, r->len - SAVED_FOOTER_BYTES, "sections");
	if (next_section(r, &b, end, &ignored) && !r->is_cut && end->kind == SAVED_END &&
	    end->stored_len == 8) {
		bytes_seek(&b, r->len - 8, "where the directory is");
		bytes_seek(&b, bytes_u64(&b, "where it is"), "the directory");
		is_there = bytes_ok(&b) && next_section(r, &b, directory, &ignored) && !r->is_cut &&
			   directory->kind == SAVED_DIRE;
	}
	r->is_cut = false;
	r->missing_bytes = 0;
	return is_there;
}

/* Sections must not overlap, and all precede the directory. */
static bool
check_entry(const struct saved_sections *r, struct saved_section *s, uint64_t next_at,
	    struct error *err)
{
	uint64_t head_end = s->at + SAVED_SECTION_BYTES;

	if (s->at < SAVED_HEADER_BYTES || s->at > next_at ||
	    next_at - s->at < SAVED_SECTION_BYTES || s->stored_len > next_at - head_end)
		return error_at(err, s->at, "sections of the directory overlap");
	s->data = r->data + head_end;
	return check_head(s, next_at - head_end - s->stored_len, err);
}

static bool
read_entries(struct saved_sections *r, struct bytes *b, struct error *err)
{
	while (bytes_ok(b) && bytes_left(b)) {
		struct saved_section s = { 0 };

		s.kind = bytes_u32(b, "the kind of a section");
		s.flags = bytes_u32(b, "its flags");
		s.index = bytes_u64(b, "its index");
		s.raw_len = bytes_u64(b, "its length");
		s.stored_len = bytes_u64(b, "its length in the file");
		s.at = bytes_u64(b, "its place");
		if (!bytes_ok(b) || !add_section(r, &s, err))
			return false;
	}
	return bytes_ok(b);
}

static bool
read_directory(struct saved_sections *r, const struct saved_section *directory,
	       const struct saved_section *end, struct error *err)
{
	uint64_t next_at = directory->at;
	struct error why = { 0 };
	struct bytes b;

	if (!saved_unpack(r, 0, directory, &b, err))
		return false;
	b.err = &why;
	if (!read_entries(r, &b, &why))
		return saved_fail(directory, &why, err);
	for (size_t i = r->count; i-- > 0; next_at = r->items[i].at)
		if (!check_entry(r, &r->items[i], next_at, err))
			return false;
	return check_count(end, r->count + 1, err);
}

bool
saved_sections_find(struct saved_sections *r, struct error *err)
{
	struct saved_section directory, end;

	if (find_directory(r, &directory, &end))
		return read_directory(r, &directory, &end, err);
	return walk_sections(r, err);
}

const struct saved_section *
saved_section_of(const struct saved_sections *r, uint32_t kind)
{
	for (size_t i = 0; i < r->count; i++)
		if (r->items[i].kind == kind)
			return &r->items[i];
	return NULL;
}

bool
saved_unpack_first(struct saved_sections *r, uint32_t kind, struct bytes *out, struct error *err)
{
	const struct saved_section *s = saved_section_of(r, kind);
	char name[5];

	if (s)
		return saved_unpack(r, 0, s, out, err);
	return error_set(err, ERROR_INPUT, "section %s is missing%s", kind_name(kind, name),
			 r->is_cut ? ": the file was cut short" : "");
}

uint64_t
saved_raw_bytes(const struct saved_sections *r, uint32_t kind)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < r->count; i++)
		if (r->items[i].kind == kind)
			bytes += r->items[i].raw_len;
	return bytes;
}

void
saved_sections_clear(struct saved_sections *r)
{
	for (unsigned i = 0; i < WORKER_MAX; i++) {
		zstd_unpacker_free(r->unpackers[i]);
		memory_free(r->raw[i]);
	}
	memory_free(r->items);
}
