#include "io/heaptop/packer.h"
#include "io/heaptop/derived.h"
#include "io/heaptop/format.h"
#include "io/base/zstd.h"
#include "model/base/arena.h"

bool
saved_packer_init(struct saved_packer *p, struct output *to, unsigned threads, struct error *err)
{
	struct sheet *head = &p->head;

	*p = (struct saved_packer){ .to = to };
	pthread_mutex_init(&p->lock, NULL);
	for (unsigned i = 0; i < threads; i++) {
		p->zstd[i] = zstd_packer_new(err);
		if (!p->zstd[i])
			return false;
	}
	if (!sheet_put(head, SAVED_MAGIC, SAVED_MAGIC_BYTES, err) ||
	    !sheet_put_number(head, SAVED_VERSION, 2, err) ||
	    !sheet_put_number(head, SAVED_VERSION, 2, err) || !sheet_put_number(head, 0, 4, err))
		return false;
	output_write(to, head->data, head->len);
	return true;
}

void
saved_packer_clear(struct saved_packer *p)
{
	for (unsigned i = 0; i < WORKER_MAX; i++) {
		zstd_packer_free(p->zstd[i]);
		sheet_clear(&p->raw[i]);
		sheet_clear(&p->packed[i]);
	}
	sheet_clear(&p->head);
	sheet_clear(&p->directory);
	pthread_mutex_destroy(&p->lock);
}

/* Padding that keeps SAVED_RATIO_MAX, by which readers bound their memory. */
static size_t
padding(size_t raw_len, size_t packed_len)
{
	size_t least = raw_len / SAVED_RATIO_MAX + 1;

	return packed_len < least ? least - packed_len : 0;
}

static void
write_zeros(struct saved_packer *p, size_t len)
{
	static const uint8_t zeros[4096];

	for (size_t n; len; len -= n) {
		n = len < sizeof(zeros) ? len : sizeof(zeros);
		output_write(p->to, zeros, n);
	}
}

/* A section's head; its bytes follow under the same lock. */
struct section {
	uint32_t kind, flags;
	uint64_t index, raw_len, stored_len;
	size_t pad;
};

static bool
write_head(struct saved_packer *p, const struct section *s, struct error *err)
{
	uint64_t at = output_len(p->to);
	struct sheet *head = &p->head;

	head->len = 0;
	if (!sheet_put_number(head, s->kind, 4, err) || !sheet_put_number(head, s->flags, 4, err) ||
	    !sheet_put_number(head, s->index, 8, err) ||
	    !sheet_put_number(head, s->raw_len, 8, err) ||
	    !sheet_put_number(head, s->stored_len, 8, err) ||
	    !sheet_put_number(head, s->pad, 4, err) ||
	    !sheet_put_number(head, saved_check(head->data, 36), 4, err))
		return false;
	output_write(p->to, head->data, head->len);
	p->sections_count++;
	/* An entry begins with the fields of the head. */
	return sheet_put(&p->directory, head->data, SAVED_ENTRY_BYTES - 8, err) &&
	       sheet_put_number(&p->directory, at, 8, err);
}

/* `stored` NULL: the content follows later. */
static bool
write_section(struct saved_packer *p, const struct section *s, const uint8_t *stored,
	      struct error *err)
{
	const struct saved_section like_read = {
		.kind = s->kind,
		.flags = s->flags,
		.index = s->index,
		.raw_len = s->raw_len,
		.stored_len = s->stored_len,
		.data = stored,
	};
	bool ok, is_written;

	pthread_mutex_lock(&p->lock);
	p->fingerprint = saved_fingerprint(p->fingerprint, &like_read);
	ok = write_head(p, s, err);
	if (stored)
		output_write(p->to, stored, s->stored_len);
	write_zeros(p, s->pad);
	is_written = output_ok(p->to);
	pthread_mutex_unlock(&p->lock);
	if (!ok)
		return false;
	return is_written || error_set(err, ERROR_SYSTEM, "it cannot be written");
}

struct sheet *
saved_packer_begin(struct saved_packer *p, unsigned thread)
{
	p->raw[thread].len = 0;
	return &p->raw[thread];
}

bool
saved_packer_end_with(struct saved_packer *p, unsigned thread, uint32_t flags, uint32_t kind,
		      uint64_t index, struct error *err)
{
	struct sheet *raw = &p->raw[thread], *packed = &p->packed[thread];
	struct section s = { kind, flags, index, raw->len, 0, 0 };

	packed->len = 0;
	if (!sheet_reserve(packed, zstd_packed_max(raw->len), err))
		return false;
	s.stored_len =
	    zstd_pack_frame(p->zstd[thread], packed->data, packed->room, raw->data, raw->len, err);
	s.pad = padding(raw->len, s.stored_len);
	return s.stored_len && write_section(p, &s, packed->data, err);
}

bool
saved_packer_end(struct saved_packer *p, unsigned thread, uint32_t kind, uint64_t index,
		 struct error *err)
{
	return saved_packer_end_with(p, thread, SAVED_IS_NEEDED, kind, index, err);
}

bool
saved_packer_as_is(struct saved_packer *p, uint32_t kind, uint64_t index, const void *bytes,
		   size_t len, struct error *err)
{
	const struct section s = { kind, SAVED_IS_NEEDED | SAVED_IS_STORED, index, len, len, 0 };

	return write_section(p, &s, bytes, err);
}

bool
saved_packer_align(struct saved_packer *p, struct error *err)
{
	struct section s = { .kind = SAVED_PAD };
	uint64_t behind = output_len(p->to) + 2 * SAVED_SECTION_BYTES;

	s.pad = (size_t)(-behind % SAVED_ALIGNED_BYTES);
	return write_section(p, &s, NULL, err);
}

bool
saved_packer_finish(struct saved_packer *p, struct error *err)
{
	uint64_t at = output_len(p->to);
	struct section end = { SAVED_END, SAVED_IS_STORED, 0, 8, 8, 0 };
	struct sheet *s = saved_packer_begin(p, 0);

	if (!sheet_put(s, p->directory.data, p->directory.len, err) ||
	    !saved_packer_end_with(p, 0, 0, SAVED_DIRE, 0, err))
		return false;
	s = saved_packer_begin(p, 0);
	end.index = p->sections_count;
	return sheet_put_number(s, at, 8, err) && write_section(p, &end, s->data, err);
}
