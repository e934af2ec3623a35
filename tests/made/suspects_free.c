/* Holes between objects, objects without a root, and memory beside the heap. */
#include "tests/made/maker.h"
#include "model/heap/memory.h"
#include "model/heap/root_gaps.h"
#include "tests/made/suspects.h"
#include <stdlib.h>

/* --- fragmentation -------------------------------------------------------- */

/* `count` holes between objects of one generation. */
static void
add_holes(struct maker *m, size_t count, uint64_t hole, uint64_t size, enum root_kind kind,
	  enum generation gen)
{
	uint64_t start = m->next;

	for (size_t i = 0; i <= count; i++) {
		root(m, add(m, "System.Byte[]", size, NULL, 0), kind, "buffer");
		if (i < count)
			m->next += hole;
	}
	assert_true(heap_stream_range(m->stream, start, m->next, gen, -1, &m->err));
}

void
make_holes(struct maker *m, size_t n)
{
	add_holes(m, n, 450000, 90000, ROOT_STATIC, GEN_LOH);
}

/* Twenty holes of `n` bytes are half of the generation, or just less. */
void
make_half_free(struct maker *m, size_t n)
{
	add_holes(m, 20, n, 300000, ROOT_STATIC, GEN_LOH);
}

void
make_pinned_holes(struct maker *m, size_t n)
{
	add_holes(m, n, 90000, 64, ROOT_PINNED, GEN_2);
}

void
make_young_holes(struct maker *m, size_t n)
{
	add_holes(m, n, 450000, 90000, ROOT_STATIC, GEN_1);
}

void
make_young_pinned_holes(struct maker *m, size_t n)
{
	add_holes(m, n, 90000, 64, ROOT_PINNED, GEN_0);
}

/* Lost objects leave gaps as well. */
void
make_lossy_holes(struct maker *m, size_t n)
{
	make_holes(m, n);
	info_of(m)->losses.lost_events = 1;
}

/* Between large objects the collector leaves room for its own use. */
void
make_padding(struct maker *m, size_t n)
{
	add_holes(m, n, 32, 24, ROOT_STATIC, GEN_LOH);
}

/* --- bytes without a root ------------------------------------------------- */

enum { RECORD_BYTES = 1000, LIVE_RECORDS = 4200 };

/* The live bytes are those of 4,200 records. */
void
make_unrooted(struct maker *m, size_t n)
{
	root(m, add(m, "System.Byte[]", LIVE_RECORDS * RECORD_BYTES, NULL, 0), ROOT_STATIC,
	     "buffer");
	free(add_many(m, n, "A.Record", RECORD_BYTES, 0));
}

void
make_few_unrooted(struct maker *m, size_t n)
{
	root(m, add(m, "A.Holder", 24, NULL, 0), ROOT_STATIC, "holder");
	free(add_many(m, n, "A.Record", RECORD_BYTES, 0));
}

void
make_young_unrooted(struct maker *m, size_t n)
{
	uint64_t start = m->next;

	make_few_unrooted(m, n);
	assert_true(heap_stream_range(m->stream, start, m->next, GEN_1, -1, &m->err));
}

/* No root at all is known. */
void
make_rootless(struct maker *m, size_t n)
{
	free(add_many(m, n, "A.Record", RECORD_BYTES, 0));
}

void
make_unrooted_memory(struct maker *m, size_t n)
{
	make_unrooted(m, n);
	assert_non_null(heap_builder_memory(heap_stream_builder(m->stream), &m->err));
}

void
make_unrooted_gaps(struct maker *m, size_t n)
{
	make_unrooted_memory(m, n);
	root_gaps_add_native_aot(&info_of(m)->losses);
}

void
make_unrooted_lossy(struct maker *m, size_t n)
{
	make_unrooted_memory(m, n);
	info_of(m)->losses.lost_events = 1;
}

/* `n` MiB in arenas beside 80 MiB of objects. */
void
make_native(struct maker *m, size_t n)
{
	struct resident *r = &info_of(m)->resident;

	root(m, add(m, "A.Holder", 24, NULL, 0), ROOT_STATIC, "holder");
	r->detail = RESIDENT_MAPPINGS;
	r->parts[RESIDENT_MANAGED].bytes = UINT64_C(80) << 20;
	r->parts[RESIDENT_MALLOC] = (struct resident_part){ (uint64_t)n << 20, 214 };
	r->bytes = (uint64_t)(n + 80) << 20;
}

static struct heap_memory *
memory_of_made(struct maker *m)
{
	struct heap_memory *memory = heap_builder_memory(heap_stream_builder(m->stream), &m->err);

	assert_non_null(memory);
	return memory;
}

/* `n` modules without a file, whose names end with a number, and as many with one. */
static void
add_modules(struct maker *m, size_t n, const char *name, const char *end)
{
	struct heap_memory *memory = memory_of_made(m);
	struct arena *a = heap_builder_arena(heap_stream_builder(m->stream));
	struct heap_module *modules = arena_array(a, struct heap_module, 2 * n, &m->err);

	assert_non_null(modules);
	root(m, add(m, "A.Holder", 24, NULL, 0), ROOT_STATIC, "holder");
	for (size_t i = 0; i < n; i++) {
		modules[2 * i].path = arena_printf(a, &m->err, "%s%d%s", name, (int)i, end);
		modules[2 * i + 1].path = arena_printf(a, &m->err, "/app/Lib%d.dll", (int)i);
	}
	memory->modules = modules;
	memory->modules_count = (uint32_t)(2 * n);
	info_of(m)->resident.detail = RESIDENT_MAPPINGS;
	info_of(m)->resident.parts[RESIDENT_CODE].bytes = UINT64_C(3) << 20;
}

void
make_assemblies(struct maker *m, size_t n)
{
	add_modules(m, n, "A.Proxies_", "");
}

void
make_serializers(struct maker *m, size_t n)
{
	add_modules(m, n, "Microsoft.GeneratedCode", "");
}

void
make_proxies(struct maker *m, size_t n)
{
	add_modules(m, n, "DynamicProxyGenAssembly2", "");
}

void
make_scripts(struct maker *m, size_t n)
{
	add_modules(m, n, "\xe2\x84\x9b*", "#1-0");
}

/* Emitted, with names that have nothing in common. */
void
make_emitted(struct maker *m, size_t n)
{
	struct heap_module *modules;

	add_modules(m, n, "", "");
	modules = (struct heap_module *)(uintptr_t)memory_of_made(m)->modules;
	for (size_t i = 0; i < n; i++)
		modules[2 * i].is_dynamic = true;
}

/* Each has a name of its own. */
void
make_libraries(struct maker *m, size_t n)
{
	add_modules(m, n, "Lib", ".dll");
}

/* `n` MiB beside 90 MiB of other memory. */
void
make_kept(struct maker *m, size_t n)
{
	struct resident *r = &info_of(m)->resident;

	memory_of_made(m);
	root(m, add(m, "A.Holder", 24, NULL, 0), ROOT_STATIC, "holder");
	r->detail = RESIDENT_MAPPINGS;
	r->parts[RESIDENT_MANAGED].bytes = ((uint64_t)n << 20) + 24;
	r->parts[RESIDENT_IMAGES].bytes = UINT64_C(90) << 20;
	r->bytes = ((uint64_t)n + 90) << 20;
}

/* `n` MiB free in so many arenas of 120 MiB. */
static void
add_arenas(struct maker *m, size_t n, uint32_t count)
{
	make_native(m, 120);
	memory_of_made(m)->malloc =
	    (struct heap_malloc){ UINT64_C(120) << 20, (uint64_t)n << 20, count, NULL };
}

void
make_arenas(struct maker *m, size_t n)
{
	add_arenas(m, n, 214);
}

void
make_one_arena(struct maker *m, size_t n)
{
	add_arenas(m, n, 1);
}

/* `n` MiB of libraries, which the kernel can read again. */
void
make_images(struct maker *m, size_t n)
{
	struct resident *r = &info_of(m)->resident;

	make_native(m, n);
	r->parts[RESIDENT_IMAGES] = r->parts[RESIDENT_MALLOC];
	r->parts[RESIDENT_MALLOC] = (struct resident_part){ 0 };
}

/* `n` MiB of anonymous memory beside 60 MiB of files, of which images are
   part: nothing more is known. */
void
make_native_sums(struct maker *m, size_t n)
{
	struct resident *r = &info_of(m)->resident;

	make_native(m, n);
	r->detail = RESIDENT_SUMS;
	r->parts[RESIDENT_OTHER].bytes = (uint64_t)n << 20;
	r->parts[RESIDENT_FILES].bytes = UINT64_C(60) << 20;
	r->bytes = (uint64_t)(n + 60) << 20;
	r->parts[RESIDENT_MALLOC] = (struct resident_part){ 0 };
}

/* The walk after a full collection. */
void
make_unrooted_walk(struct maker *m, size_t n)
{
	static const struct heap_walk walk = {
		.path = "", .missing = "", .has_gc = true, .gc_generation = GEN_2
	};

	make_unrooted(m, n);
	info_of(m)->walks = &walk;
	info_of(m)->walks_count = 1;
}
