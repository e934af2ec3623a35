/*
 * Writes two captures of each of some pods, FOLDER/pod-0001-1.gcdump and pod-0001-2.gcdump, in
 * which every type of a real dump varies by a tenth. In some pods one type grows between them. In
 * all others something else happens: the second capture is smaller, a tiny type becomes many times
 * as large, or a large one grows by half. The same arguments give the same bytes.
 *
 *   gen_fleet DUMP PODS GROWN FOLDER
 *
 * Prints POD, a tab and TYPE for each pod that grows.
 */
#include "io/base/output.h"
#include "io/formats/sources.h"
#include "io/gcdump/write.h"
#include "model/heap/stream.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	FIRST_ADDRESS = 0x10000,
	GROWTH_BYTES = 2 << 20,
	TINY_BYTES = 20000, /* what grows by less is no leak yet */
};
static const int64_t first_time = 1764547200; /* 2025-12-01 */

struct fleet {
	const struct heap *like;
	const char *folder;
	unsigned pods, grown;
	uint64_t state;
	struct error err;
};

/* The objects of a type in one capture; all have the same size. */
struct part {
	type_id of, id; /* in the dump, and in the heap that is built */
	uint64_t count, bytes;
};

static uint64_t
some(struct fleet *f, uint64_t limit)
{
	uint64_t z = f->state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (z ^ z >> 31) % limit;
}

/* A pod that grows is every Nth, and each of them in another type. */
static bool
grows(const struct fleet *f, unsigned pod)
{
	unsigned every = f->grown ? f->pods / f->grown : 0;

	return every && pod % every == 0 && pod / every < f->grown;
}

/* Not one that stands for objects without a type. */
static type_id
type_that_grows(const struct fleet *f, unsigned pod)
{
	type_id t = (pod * 7U) % f->like->types_count;

	while (!f->like->types[t].count || !*f->like->types[t].module)
		t = (t + 1) % f->like->types_count;
	return t;
}

static void
plant(const struct fleet *f, unsigned pod, struct part *parts)
{
	struct part *grown = &parts[type_that_grows(f, pod)];

	if (grows(f, pod))
		grown->count = grown->count * 3 + GROWTH_BYTES / grown->bytes;
	else if (pod % 3 == 0)
		for (uint32_t t = 0; t < f->like->types_count; t++)
			parts[t].count = (parts[t].count + 2) / 3;
	else if (pod % 3 == 1 && grown->count * grown->bytes < TINY_BYTES)
		grown->count *= 5;
	else
		grown->count += grown->count / 2;
}

/* Makes up the parts of a capture; the second begins as the first did. */
static void
choose_parts(struct fleet *f, unsigned pod, unsigned capture, struct part *parts)
{
	struct part *grown;

	f->state = pod;
	for (type_id t = 0; t < f->like->types_count; t++) {
		const struct type *like = &f->like->types[t];
		uint64_t count = like->count ? like->count : 1;

		parts[t] = (struct part){ .of = t };
		parts[t].bytes = (like->bytes / count + 31) & ~UINT64_C(7);
		parts[t].count = count + some(f, count / 10 + 1);
	}
	/* A type that is large from the start may grow by half. */
	grown = &parts[type_that_grows(f, pod)];
	if (!grows(f, pod) && pod % 3 == 2)
		grown->count += 2 * GROWTH_BYTES / grown->bytes;
	if (capture == 2)
		plant(f, pod, parts);
}

static bool
add_objects(struct fleet *f, struct heap_stream *s, struct part *parts)
{
	struct heap_builder *b = heap_stream_builder(s);
	uint64_t at = FIRST_ADDRESS;

	for (uint32_t t = 0; t < f->like->types_count; t++) {
		const struct type *like = &f->like->types[parts[t].of];

		parts[t].id = heap_builder_type(b, like->raw, like->module, &f->err);
		for (uint64_t i = 0; i < parts[t].count; i++) {
			if (!heap_stream_object(s, at, parts[t].id, parts[t].bytes, 0, &f->err))
				return false;
			at += parts[t].bytes;
		}
	}
	return heap_stream_root(s, FIRST_ADDRESS, ROOT_STRONG, false, "", "", &f->err);
}

static void
describe(struct heap_info *info, unsigned pod, unsigned capture, const char *name)
{
	info->machine = name;
	info->process = "shop";
	info->pid = 1;
	info->time = first_time + capture * 3600 + pod;
	info->is_64bit = true;
}

static bool
save(struct fleet *f, const struct heap *h, const char *path)
{
	struct output *to = output_open(path, false, &f->err);

	if (!to)
		return false;
	if (gcdump_write(to, h, NULL, &f->err))
		return output_close(to, &f->err);
	output_abandon(to);
	return false;
}

static bool
write_capture(struct fleet *f, unsigned pod, unsigned capture, struct part *parts)
{
	struct heap_stream *s = heap_stream_new(&f->err);
	const struct heap *h;
	char name[32], path[4096];
	bool is_good;

	if (!s)
		return false;
	snprintf(name, sizeof name, "pod-%04u", pod + 1);
	snprintf(path, sizeof path, "%s/%s-%u.gcdump", f->folder, name, capture);
	choose_parts(f, pod, capture, parts);
	if (!add_objects(f, s, parts)) {
		heap_stream_free(s);
		return false;
	}
	describe(heap_builder_info(heap_stream_builder(s)), pod, capture, name);
	h = heap_stream_finish(s, NULL, &f->err);
	is_good = h && save(f, h, path);
	if (capture == 2 && is_good && grows(f, pod))
		printf("%s\t%s\n", name, f->like->types[type_that_grows(f, pod)].name);
	heap_free(h);
	return is_good;
}

static bool
write_fleet(struct fleet *f)
{
	struct part *parts = calloc(f->like->types_count, sizeof *parts);
	bool is_good = parts != NULL;

	for (unsigned pod = 0; pod < f->pods && is_good; pod++)
		is_good = write_capture(f, pod, 1, parts) && write_capture(f, pod, 2, parts);
	free(parts);
	return is_good;
}

int
main(int argc, char **argv)
{
	struct fleet f = { 0 };
	bool is_good;

	if (argc != 5) {
		fprintf(stderr, "gen_fleet DUMP PODS GROWN FOLDER\n");
		return 2;
	}
	f.pods = (unsigned)strtoul(argv[2], NULL, 10);
	f.grown = (unsigned)strtoul(argv[3], NULL, 10);
	f.folder = argv[4];
	f.like = sources_load(&(struct load_how){ .path = argv[1] }, &f.err);
	is_good = f.like && write_fleet(&f);
	if (!is_good)
		fprintf(stderr, "gen_fleet: %s\n", f.err.message);
	heap_free(f.like);
	return !is_good;
}
