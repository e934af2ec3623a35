#include "io/gcdump/file.h"

/* Between two checks for cancelling. */
enum { PIECE_BYTES = 1 << 20 };

static bool
keep_report(struct gcdump_file *f, const struct gcdump_graph *g, const uint32_t *counts,
	    struct arena *a, struct error *err)
{
	uint32_t *kept = arena_array(a, uint32_t, g->types_count, err);
	uint8_t *table = arena_array(a, uint8_t, g->table.count, err);

	if (!kept || !table)
		return false;
	if (g->types_count) {
		memcpy(kept, counts, g->types_count * sizeof(*kept));
		memcpy(table, g->table.data, g->table.count);
	}
	f->total_bytes = g->total_bytes;
	f->nodes_count = g->nodes_count;
	f->types_count = g->types_count;
	f->counts = kept;
	f->table = table;
	f->table_len = (size_t)g->table.count;
	return true;
}

bool
gcdump_file_keep(const struct gcdump_graph *g, const uint32_t *counts,
		 const struct file_stamp *stamp, const char *damage, struct heap_builder *b,
		 struct error *err)
{
	struct arena *a = heap_builder_arena(b);
	struct gcdump_file *f = arena_new(a, struct gcdump_file, err);

	if (!f)
		return false;
	f->has_stamp = stamp != NULL;
	if (stamp)
		f->stamp = *stamp;
	f->damage = damage;
	heap_builder_info(b)->gcdump = f;
	return damage || keep_report(f, g, counts, a, err);
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
