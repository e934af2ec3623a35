#include "io/base/input.h"
#include "io/base/zstd.h"
#include "model/base/arena.h"
#include <inttypes.h>
#include <string.h>

static void
set_head(struct input *in, const uint8_t *data, size_t len)
{
	in->head_len = len < INPUT_HEAD_BYTES ? len : INPUT_HEAD_BYTES;
	memcpy(in->head, data, in->head_len);
}

bool
input_is_partial(const struct input *in)
{
	return !strcmp(in->path, "-") && in->file.len <= INPUT_HEAD_BYTES;
}

static bool
read_rest(struct input *in, struct progress *progress, struct error *err)
{
	if (!input_is_partial(in))
		return true;
	file_close(&in->file);
	return file_open(&in->file, in->path, FILE_ALL, progress, err);
}

/* Replaces the packed bytes, which are no longer needed. */
static bool
input_unpack(struct input *in, struct progress *progress, struct error *err)
{
	struct unpacked unpacked;
	bool is_good = zstd_unpack(&unpacked, in->data, in->len, 0, progress, err) &&
		       file_is_intact(&in->file, err);

	file_close(&in->file);
	if (!is_good) {
		memory_free(unpacked.data);
		return false;
	}
	if (unpacked.is_cut)
		in->cut_at = in->len;
	in->unpacked = unpacked.data;
	in->data = unpacked.data;
	in->len = unpacked.len;
	return true;
}

static bool
unpack_head(struct input *in, struct progress *progress, struct error *err)
{
	struct unpacked unpacked;
	bool is_good =
	    zstd_unpack(&unpacked, in->file.data, in->file.len, INPUT_HEAD_BYTES, progress, err);

	if (is_good)
		set_head(in, unpacked.data, unpacked.len);
	memory_free(unpacked.data);
	return is_good;
}

bool
input_begin(struct input *in, const char *path, struct progress *progress, struct error *err)
{
	*in = (struct input){ .path = path };
	if (!file_open(&in->file, path, INPUT_HEAD_BYTES, progress, err))
		return false;
	set_head(in, in->file.data, in->file.len);
	/* How much of a packed file makes a head is unknown in advance. */
	if (!zstd_accepts(in->head, in->head_len) ||
	    (read_rest(in, progress, err) && unpack_head(in, progress, err)))
		return true;
	input_close(in);
	return false;
}

bool
input_complete(struct input *in, struct progress *progress, struct error *err)
{
	if (!read_rest(in, progress, err))
		return false;
	in->stamp = in->file.stamp;
	in->data = in->file.data;
	in->len = in->file.len;
	return !zstd_accepts(in->data, in->len) || input_unpack(in, progress, err);
}

bool
input_take_file(struct input *in, struct file *f, struct progress *progress, struct error *err)
{
	bool is_good = read_rest(in, progress, err);

	*f = in->file;
	in->file = (struct file){ 0 };
	return is_good;
}

bool
input_open(struct input *in, const char *path, struct progress *progress, struct error *err)
{
	*in = (struct input){ .path = path };
	return file_open(&in->file, path, FILE_ALL, progress, err) &&
	       input_complete(in, progress, err);
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
