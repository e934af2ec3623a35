#include "io/gcdump/file.h"

/* Between two checks for cancelling. */
enum { PIECE_BYTES = 1 << 20 };

bool
gcdump_file_keep(const struct file_stamp *stamp, const char *damage, struct heap_builder *b,
		 struct error *err)
{
	struct gcdump_file *f = arena_new(heap_builder_arena(b), struct gcdump_file, err);

	if (!f)
		return false;
	f->has_stamp = stamp != NULL;
	if (stamp)
		f->stamp = *stamp;
	f->damage = damage;
	heap_builder_info(b)->gcdump = f;
	return true;
}

/* --- a copy -------------------------------------------------------------- */

bool
gcdump_file_open(struct input *in, const struct heap *h, struct progress *progress,
		 struct error *why)
{
	const struct gcdump_file *f = h->info.gcdump;
	const char *path = h->info.source;

	if (f->damage)
		return error_set(why, ERROR_INPUT, "%s", f->damage);
	if (!f->has_stamp)
		return error_set(why, ERROR_INPUT, "it was not read from a file");
	if (!input_open(in, path, progress, why))
		return false;
	if (file_stamp_is_same(&in->stamp, &f->stamp))
		return true;
	input_close(in);
	return error_set(why, ERROR_INPUT, "%.120s has changed since it was read", path);
}

bool
gcdump_file_copy(struct input *in, struct output *to, struct progress *progress, struct error *err)
{
	bool is_good = true;

	progress_begin_bytes(progress, "writing", in->len);
	for (size_t at = 0; at < in->len && is_good && output_ok(to);) {
		size_t left = in->len - at;
		size_t len = left < PIECE_BYTES ? left : PIECE_BYTES;

		output_write(to, in->data + at, len);
		at += len;
		is_good = progress_add(progress, len) || error_cancelled(err);
	}
	is_good = is_good && input_is_intact(in, err);
	input_close(in);
	return is_good;
}
