#include "io/base/input.h"
#include "io/base/zstd.h"
#include "model/base/arena.h"
#include <inttypes.h>
#include <string.h>

/* Replaces the packed bytes, which are no longer needed. */
static bool
input_unpack(struct input *in, size_t stop_at, struct progress *progress, struct error *err)
{
	struct unpacked unpacked;
	bool is_good = zstd_unpack(&unpacked, in->data, in->len, stop_at, progress, err) &&
		       file_is_intact(&in->file, err);

	if (unpacked.is_cut)
		in->cut_at = in->len;
	file_close(&in->file);
	if (!is_good) {
		memory_free(unpacked.data);
		return false;
	}
	in->unpacked = unpacked.data;
	in->data = unpacked.data;
	in->len = unpacked.len;
	return true;
}

/* `wanted`: bytes of the file; `stop_at`: unpacked bytes, 0: all. */
static bool
input_open_until(struct input *in, const char *path, uint64_t wanted, size_t stop_at,
		 struct progress *progress, struct error *err)
{
	*in = (struct input){ 0 };
	if (!file_open(&in->file, path, wanted, progress, err))
		return false;
	/* How much of a packed file makes a head is unknown in advance. */
	if (wanted != FILE_ALL && zstd_accepts(in->file.data, in->file.len)) {
		file_close(&in->file);
		if (!file_open(&in->file, path, FILE_ALL, progress, err))
			return false;
	}
	in->stamp = in->file.stamp;
	in->data = in->file.data;
	in->len = in->file.len;
	return !zstd_accepts(in->data, in->len) || input_unpack(in, stop_at, progress, err);
}

bool
input_open(struct input *in, const char *path, struct progress *progress, struct error *err)
{
	return input_open_until(in, path, FILE_ALL, 0, progress, err);
}

void
input_close(struct input *in)
{
	if (in->unpacked)
		memory_free(in->unpacked);
	else
		file_close(&in->file);
	*in = (struct input){ 0 };
}

/* Adds to the error that the packed file was truncated. */
static void
input_explain(const struct input *in, struct error *err)
{
	struct error why = *err;

	if (!in->cut_at || why.kind != ERROR_INPUT)
		return;
	error_clear(err);
	error_set(err, ERROR_INPUT,
		  "the compressed file was cut short after %" PRIu64
		  " bytes; in the part that can be unpacked, %.150s",
		  in->cut_at, why.message);
}

bool
input_is_intact(const struct input *in, struct error *err)
{
	return in->unpacked || file_is_intact(&in->file, err);
}

const struct heap *
input_finish(struct input *in, const struct heap *heap, struct preview *preview, struct error *err)
{
	if (!heap)
		input_explain(in, err);
	if (heap && !input_is_intact(in, err)) {
		preview_withdraw(preview);
		heap_free(heap);
		heap = NULL;
	}
	input_close(in);
	return heap;
}

bool
input_head(const char *path, uint8_t head[INPUT_HEAD_BYTES], size_t *head_len,
	   struct progress *progress, struct error *err)
{
	struct input in;

	if (!input_open_until(&in, path, INPUT_HEAD_BYTES, INPUT_HEAD_BYTES, progress, err))
		return false;
	*head_len = in.len < INPUT_HEAD_BYTES ? in.len : INPUT_HEAD_BYTES;
	memcpy(head, in.data, *head_len);
	input_close(&in);
	return true;
}
