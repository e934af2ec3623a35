#include "io/input.h"
#include "io/zstd.h"
#include "model/arena.h"
#include <string.h>

static bool
input_open_until(struct input *in, const char *path, size_t stop_at,
		 struct progress *progress, struct error *err)
{
	struct unpacked unpacked;

	*in = (struct input){ 0 };
	if (!file_open(&in->file, path, progress, err))
		return false;
	in->data = in->file.data;
	in->len = in->file.len;
	if (!zstd_accepts(in->data, in->len))
		return true;
	if (!zstd_unpack(&unpacked, in->data, in->len, stop_at, progress,
			 err) ||
	    !file_is_intact(&in->file, err)) {
		memory_free(unpacked.data);
		file_close(&in->file);
		return false;
	}
	/* The packed bytes are not needed any more. */
	file_close(&in->file);
	in->unpacked = unpacked.data;
	in->data = unpacked.data;
	in->len = unpacked.len;
	return true;
}

bool
input_open(struct input *in, const char *path, struct progress *progress,
	   struct error *err)
{
	return input_open_until(in, path, 0, progress, err);
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

bool
input_is_intact(const struct input *in, struct error *err)
{
	return in->unpacked || file_is_intact(&in->file, err);
}

bool
input_head(const char *path, uint8_t head[INPUT_HEAD_BYTES], size_t *head_len,
	   struct progress *progress, struct error *err)
{
	struct input in;

	if (!input_open_until(&in, path, INPUT_HEAD_BYTES, progress, err))
		return false;
	*head_len = in.len < INPUT_HEAD_BYTES ? in.len : INPUT_HEAD_BYTES;
	memcpy(head, in.data, *head_len);
	input_close(&in);
	return true;
}
