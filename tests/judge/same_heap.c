#include "tests/judge/same_heap.h"
#include "tests/drive/run_tests.h"
#include <string.h>

static void
same_types(const struct heap *a, const struct heap *b)
{
	assert_int_equal(a->types_count, b->types_count);
	for (type_id t = 0; t < a->types_count; t++) {
		const struct type *x = &a->types[t], *y = &b->types[t];

		assert_string_equal(x->raw, y->raw);
		assert_string_equal(x->name, y->name);
		assert_string_equal(x->short_name, y->short_name);
		assert_string_equal(x->module, y->module);
		assert_int_equal(x->flags, y->flags);
		assert_memory_equal(&x->multiplier, &y->multiplier, sizeof(x->multiplier));
		assert_int_equal(x->count, y->count);
		assert_int_equal(x->bytes, y->bytes);
		assert_int_equal(x->min_bytes, y->min_bytes);
		assert_int_equal(x->max_bytes, y->max_bytes);
	}
}

static void
same_type_of(const struct heap *a, const struct heap *b, node_id n, int flags)
{
	const struct type *x = heap_type(a, n), *y = heap_type(b, n);

	if (!(flags & SAME_BUT_UNUSED_TYPES)) {
		assert_int_equal(heap_type_of(a, n), heap_type_of(b, n));
		return;
	}
	assert_string_equal(x->raw, y->raw);
	assert_string_equal(x->module, y->module);
	assert_int_equal(x->count, y->count);
	assert_int_equal(x->bytes, y->bytes);
}

static void
same_objects(const struct heap *a, const struct heap *b, int flags)
{
	assert_int_equal(a->nodes_count, b->nodes_count);
	assert_int_equal(a->bytes_count, b->bytes_count);
	assert_int_equal(a->refs_count, b->refs_count);
	assert_int_equal(a->has_objects, b->has_objects);
	for (node_id n = 0; a->has_objects && n < a->nodes_count; n++) {
		struct refs x = heap_refs(a, n), y = heap_refs(b, n);
		node_id p, q;

		assert_int_equal(heap_address(a, n), heap_address(b, n));
		same_type_of(a, b, n, flags);
		assert_int_equal(heap_size(a, n), heap_size(b, n));
		assert_int_equal(x.left, y.left);
		while (refs_next(&x, &p)) {
			assert_true(refs_next(&y, &q));
			assert_int_equal(p, q);
		}
	}
}

static void
same_roots(const struct heap *a, const struct heap *b)
{
	assert_int_equal(a->roots_count, b->roots_count);
	for (uint32_t i = 0; i < a->roots_count; i++) {
		const struct root *x = &a->roots[i], *y = &b->roots[i];

		assert_int_equal(x->object, y->object);
		assert_int_equal(x->kind, y->kind);
		assert_int_equal(x->is_pinned, y->is_pinned);
		assert_string_equal(x->name, y->name);
		assert_string_equal(x->label, y->label);
	}
	assert_int_equal(a->weak_count, b->weak_count);
	for (uint32_t i = 0; i < a->weak_count; i++) {
		assert_int_equal(a->weak[i].object, b->weak[i].object);
		assert_int_equal(a->weak[i].count, b->weak[i].count);
	}
}

static void
same_ranges(const struct heap *a, const struct heap *b, int flags)
{
	size_t cells = (size_t)a->types_count * GEN_COUNT;

	assert_int_equal(a->ranges_count, b->ranges_count);
	for (uint32_t i = 0; i < a->ranges_count; i++) {
		const struct range *x = &a->ranges[i], *y = &b->ranges[i];

		assert_int_equal(x->start, y->start);
		assert_int_equal(x->end, y->end);
		assert_int_equal(x->generation, y->generation);
		assert_int_equal(x->heap_number, y->heap_number);
		assert_int_equal(x->first, y->first);
		assert_int_equal(x->count, y->count);
	}
	assert_int_equal(!a->generation_counts, !b->generation_counts);
	/* These are by the ids of types. */
	if (!a->generation_counts || flags & SAME_BUT_UNUSED_TYPES)
		return;
	assert_memory_equal(a->generation_counts, b->generation_counts, cells * sizeof(uint64_t));
	assert_memory_equal(a->generation_bytes, b->generation_bytes, cells * sizeof(uint64_t));
}

static void
same_domains(const struct heap_info *a, const struct heap_info *b, int flags)
{
	assert_int_equal(a->domains_count, b->domains_count);
	for (uint32_t i = 0; i < a->domains_count; i++) {
		const struct heap_domain *x = &a->domains[i];
		const struct heap_domain *y = &b->domains[i];

		assert_string_equal(x->name, y->name);
		assert_string_equal(x->module, y->module);
		if (!(flags & SAME_BUT_ORIGIN))
			assert_string_equal(x->facts, y->facts);
		assert_int_equal(x->start, y->start);
		assert_int_equal(x->uptime_ms, y->uptime_ms);
		assert_int_equal(x->has_uptime, y->has_uptime);
	}
}

static void
same_info(const struct heap_info *a, const struct heap_info *b, int flags)
{
	if (!(flags & SAME_BUT_ORIGIN)) {
		assert_string_equal(a->format, b->format);
		assert_string_equal(a->tool, b->tool);
		assert_string_equal(a->source, b->source);
	}
	assert_string_equal(a->machine, b->machine);
	assert_string_equal(a->process, b->process);
	assert_string_equal(a->program, b->program);
	assert_string_equal(a->pod, b->pod);
	assert_string_equal(a->container, b->container);
	assert_string_equal(a->log, b->log);
	assert_int_equal(a->pid, b->pid);
	assert_int_equal(a->time, b->time);
	assert_int_equal(a->time_ns, b->time_ns);
	assert_int_equal(a->commit_bytes, b->commit_bytes);
	assert_int_equal(a->working_set_bytes, b->working_set_bytes);
	assert_int_equal(a->is_64bit, b->is_64bit);
	assert_int_equal(a->is_sampled, b->is_sampled);
	assert_memory_equal(&a->count_multiplier, &b->count_multiplier, sizeof(double));
	assert_memory_equal(&a->size_multiplier, &b->size_multiplier, sizeof(double));
	assert_memory_equal(&a->losses, &b->losses, sizeof(a->losses));
	assert_memory_equal(&a->resident, &b->resident, sizeof(a->resident));
	same_domains(a, b, flags);
	assert_int_equal(a->warnings_count, b->warnings_count);
	for (uint32_t i = 0; i < a->warnings_count; i++)
		assert_string_equal(a->warnings[i], b->warnings[i]);
}

void
expect_same_heap(const struct heap *a, const struct heap *b, int flags)
{
	if (!(flags & SAME_BUT_UNUSED_TYPES))
		same_types(a, b);
	same_objects(a, b, flags);
	same_roots(a, b);
	same_ranges(a, b, flags);
	if (!(flags & SAME_BUT_INFO))
		same_info(&a->info, &b->info, flags);
}
