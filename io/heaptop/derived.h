#ifndef IO_HEAPTOP_DERIVED_H
#define IO_HEAPTOP_DERIVED_H

/* Distances, dominators and what types retain, as saved with a heap; see model/graph/derived.h. */
#include "io/base/input.h"
#include "io/heaptop/sections.h"
#include "model/graph/derived.h"
#include "model/heap/build.h"

/* The parts of its file that a heap keeps until it is freed. */
struct saved_kept {
	struct input input;
	struct saved_sections sections;
	struct heap_derived derived;
	node_id *static_tables;
	uint64_t *retained_by_type;
	uint32_t nodes_count;
};

/*
 * Takes over the input and the sections. Sets `derived` if the file has such data for this very
 * heap, whose types are complete.
 */
struct saved_kept *saved_kept_new(struct input *input, struct saved_sections *sections,
				  uint32_t nodes_count, const struct heap_builder *heap,
				  struct error *err) MUST_USE;
/* Frees all; for heap_builder_keep(). */
void saved_kept_free(void *kept);

/* Adds a section to the heap's fingerprint, which derived data refers to. */
uint64_t saved_fingerprint(uint64_t so_far, const struct saved_section *s);

#endif
