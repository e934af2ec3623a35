#include "io/base/zstd.h"
#include "io/base/bytes.h"
#include "model/base/arena.h"
#include <inttypes.h>
#include <zstd.h>

/* Output per call; cancelling is checked in between. */
enum { STEP_BYTES = 4 << 20, FIRST_BYTES = 1 << 16 };

struct unpacking {
	struct unpacked *out;
	size_t capacity;
	uint64_t limit; /* most bytes of output */
	size_t stop_at;
	zstd_taker *take; /* for full buffers; NULL: the buffer grows */
	void *context;
	bool has_taken;
	ZSTD_DStream *stream;
	ZSTD_inBuffer in;
	size_t hint; /* 0: a frame has ended; otherwise inside one */
};

const char *
zstd_version(void)
{
	return ZSTD_versionString();
}

bool
zstd_accepts(const uint8_t *head, size_t head_len)
{
	uint32_t magic;

	if (head_len < sizeof(magic))
		return false;
	magic = bytes_load_u32(head);
	return magic == ZSTD_MAGICNUMBER ||
	       (magic & ZSTD_MAGIC_SKIPPABLE_MASK) == ZSTD_MAGIC_SKIPPABLE_START;
}

static uint64_t
limit_of(size_t packed_len)
{
	uint64_t limit = ZSTD_FREE_BYTES;

	if (packed_len > (ZSTD_MAX_BYTES - limit) / ZSTD_RATIO_MAX)
		return ZSTD_MAX_BYTES;
	return limit + (uint64_t)packed_len * ZSTD_RATIO_MAX;
}

/* Passes the buffer on and empties it. */
static bool
unpacking_hand_over(struct unpacking *u, struct error *err)
{
	size_t len = u->out->len;

	u->out->len = 0;
	u->has_taken = true;
	return !len || u->take(u->context, u->out->data, len, err);
}

/* Makes room; pages that are never written cost nothing. */
static bool
unpacking_grow(struct unpacking *u, struct error *err)
{
	uint64_t larger = u->capacity ? (uint64_t)u->capacity * 2 : FIRST_BYTES;
	uint8_t *data;

	if (u->out->len < u->capacity)
		return true;
	if (u->take && u->capacity)
		return unpacking_hand_over(u, err);
	if (u->take)
		larger = STEP_BYTES;
	if (larger > u->limit)
		larger = u->limit;
	if (u->out->len >= larger)
		return error_at(
		    err, u->in.pos,
		    "the compressed file unpacks to more than %" PRIu64
		    " MiB, %d times its size; if it is a dump, unpack it with zstd -d first",
		    u->limit >> 20, ZSTD_RATIO_MAX);
	data = memory_resize(u->out->data, (size_t)larger, 1, err);
	if (!data)
		return false;
	u->out->data = data;
	u->capacity = (size_t)larger;
	return true;
}

static bool
unpacking_step(struct unpacking *u, struct error *err)
{
	size_t step = u->capacity - u->out->len, size_before = u->out->len;
	ZSTD_outBuffer out;

	if (step > STEP_BYTES)
		step = STEP_BYTES;
	out = (ZSTD_outBuffer){ u->out->data, size_before + step, size_before };
	u->hint = ZSTD_decompressStream(u->stream, &out, &u->in);
	u->out->len = out.pos;
	if (ZSTD_isError(u->hint))
		return error_at(err, u->in.pos, "the compressed file is damaged: zstd says \"%s\"",
				ZSTD_getErrorName(u->hint));
	/* No progress inside a frame: it was truncated. */
	if (u->in.pos == u->in.size && out.pos == size_before && u->hint)
		u->out->is_cut = true;
	return true;
}

static bool
unpacking_is_done(const struct unpacking *u)
{
	if (u->out->is_cut || (u->stop_at && u->out->len >= u->stop_at))
		return true;
	return u->in.pos == u->in.size && u->hint == 0;
}

static bool
unpack_all(struct unpacking *u, struct progress *progress, struct error *err)
{
	progress_begin_bytes(progress, "unpacking", u->in.size);
	do {
		size_t pos_before = u->in.pos;

		if (!unpacking_grow(u, err) || !unpacking_step(u, err))
			return false;
		if (!progress_add(progress, u->in.pos - pos_before))
			return error_cancelled(err);
	} while (!unpacking_is_done(u));
	if (!u->out->len && !u->has_taken)
		return error_at(err, u->in.pos, "the compressed file contains nothing%s",
				u->out->is_cut ? ": it was cut short" : "");
	return true;
}

static bool
unpack(struct unpacking *u, struct progress *progress, struct error *err)
{
	bool is_good;

	u->hint = 1;
	u->stream = ZSTD_createDStream();
	is_good = u->stream ? unpack_all(u, progress, err)
			    : memory_refused_by_system(err, ZSTD_DStreamInSize());
	ZSTD_freeDStream(u->stream);
	return is_good;
}

bool
zstd_unpack(struct unpacked *out, const uint8_t *data, size_t len, size_t stop_at,
	    struct progress *progress, struct error *err)
{
	struct unpacking u = {
		.out = out, .limit = limit_of(len), .stop_at = stop_at, .in = { data, len, 0 }
	};
	bool is_good;

	*out = (struct unpacked){ 0 };
	is_good = unpack(&u, progress, err);
	if (!is_good) {
		memory_free(out->data);
		*out = (struct unpacked){ 0 };
	}
	return is_good;
}

bool
zstd_unpack_pieces(const uint8_t *data, size_t len, zstd_taker *take, void *context, bool *is_cut,
		   struct progress *progress, struct error *err)
{
	struct unpacked buffer = { 0 };
	struct unpacking u = { .out = &buffer,
			       .limit = UINT64_MAX,
			       .take = take,
			       .context = context,
			       .in = { data, len, 0 } };
	bool is_good = unpack(&u, progress, err) && unpacking_hand_over(&u, err);

	*is_cut = buffer.is_cut;
	memory_free(buffer.data);
	return is_good;
}

/* --- single frames -------------------------------------------------------- */

struct zstd_packer {
	ZSTD_CCtx *context;
};
struct zstd_unpacker {
	ZSTD_DCtx *context;
};

struct zstd_packer *
zstd_packer_new(struct error *err)
{
	struct zstd_packer *p = memory_new(1, sizeof(*p), err);

	if (!p)
		return NULL;
	p->context = ZSTD_createCCtx();
	if (p->context &&
	    !ZSTD_isError(ZSTD_CCtx_setParameter(p->context, ZSTD_c_checksumFlag, 1)) &&
	    !ZSTD_isError(ZSTD_CCtx_setParameter(p->context, ZSTD_c_compressionLevel, 1)))
		return p;
	zstd_packer_free(p);
	memory_refused_by_system(err, ZSTD_CStreamInSize());
	return NULL;
}

void
zstd_packer_free(struct zstd_packer *p)
{
	if (!p)
		return;
	ZSTD_freeCCtx(p->context);
	memory_free(p);
}

size_t
zstd_packed_max(size_t len)
{
	return ZSTD_compressBound(len);
}

size_t
zstd_pack_frame(struct zstd_packer *p, uint8_t *out, size_t out_room, const uint8_t *data,
		size_t len, struct error *err)
{
	size_t packed = ZSTD_compress2(p->context, out, out_room, data, len);

	if (!ZSTD_isError(packed))
		return packed;
	error_set(err, ERROR_SYSTEM, "zstd cannot pack: \"%s\"", ZSTD_getErrorName(packed));
	return 0;
}

struct zstd_unpacker *
zstd_unpacker_new(struct error *err)
{
	struct zstd_unpacker *u = memory_new(1, sizeof(*u), err);

	if (!u)
		return NULL;
	u->context = ZSTD_createDCtx();
	if (u->context)
		return u;
	memory_free(u);
	memory_refused_by_system(err, ZSTD_DStreamInSize());
	return NULL;
}

void
zstd_unpacker_free(struct zstd_unpacker *u)
{
	if (!u)
		return;
	ZSTD_freeDCtx(u->context);
	memory_free(u);
}

bool
zstd_unpack_frame(struct zstd_unpacker *u, uint8_t *out, size_t out_len, const uint8_t *data,
		  size_t len, struct error *err)
{
	size_t unpacked = ZSTD_decompressDCtx(u->context, out, out_len, data, len);

	if (ZSTD_isError(unpacked))
		return error_set(err, ERROR_INPUT, "zstd says \"%s\"", ZSTD_getErrorName(unpacked));
	return unpacked == out_len ||
	       error_set(err, ERROR_INPUT, "it unpacks to %zu bytes, not %zu", unpacked, out_len);
}
