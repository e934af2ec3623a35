#ifndef TESTS_MADE_MAKER_H
#define TESTS_MADE_MAKER_H

/* Adds objects and roots to the heaps of suspects.h. What fails fails the
   test. */
#include "tests/drive/run_tests.h"
#include "tests/made/suspects.h"
#include <string.h>

struct maker {
	struct heap_stream *stream;
	uint64_t next; /* address */
	struct error err;
};

/* Types of A and P are the application's, all others the base library's. */
static inline uint64_t
add(struct maker *m, const char *type, uint64_t size, const uint64_t *refs, size_t refs_count)
{
	bool is_own = !strncmp(type, "A.", 2) || !strncmp(type, "P.", 2);
	type_id id =
	    heap_builder_type(heap_stream_builder(m->stream), type,
			      is_own ? "/app/app.dll" : "/app/System.Private.CoreLib.dll", &m->err);
	uint64_t address = m->next;

	m->next += (size + 7) & ~UINT64_C(7);
	assert_true(heap_stream_object(m->stream, address, id, size, refs_count, &m->err));
	for (size_t i = 0; i < refs_count; i++)
		assert_true(heap_stream_ref(m->stream, refs[i], &m->err));
	return address;
}

static inline void
root(struct maker *m, uint64_t object, enum root_kind kind, const char *name)
{
	assert_true(
	    heap_stream_root(m->stream, object, kind, kind == ROOT_PINNED, name, "", &m->err));
}

/* `count` objects of a type, each with the same reference if there is one. */
static inline uint64_t *
add_many(struct maker *m, size_t count, const char *type, uint64_t size, uint64_t ref)
{
	uint64_t *all = calloc(count + 1, sizeof *all);

	assert_non_null(all);
	for (size_t i = 0; i < count; i++)
		all[i] = add(m, type, size, &ref, ref != 0);
	return all;
}

static inline struct heap_info *
info_of(struct maker *m)
{
	return heap_builder_info(heap_stream_builder(m->stream));
}

#endif
