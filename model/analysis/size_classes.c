#include "model/analysis/size_classes.h"

enum { LOOK_EVERY = 65536 };

unsigned
size_class_of(uint64_t size)
{
	return size ? 63 - (unsigned)__builtin_clzll(size) : 0;
}

uint64_t
size_class_start(unsigned class)
{
	return class ? UINT64_C(1) << class : 0;
}

uint64_t
size_class_last(unsigned class)
{
	return class + 1 < SIZE_CLASSES ? size_class_start(class + 1) - 1 : UINT64_MAX;
}

static void
sum_up(struct size_classes *c)
{
	c->first = SIZE_CLASSES;
	for (unsigned i = 0; i < SIZE_CLASSES; i++) {
		const struct size_class *one = &c->items[i];

		c->all.count += one->count;
		c->all.bytes += one->bytes;
		if (one->count > c->most.count)
			c->most.count = one->count;
		if (one->bytes > c->most.bytes)
			c->most.bytes = one->bytes;
		if (!one->count)
			continue;
		if (c->first == SIZE_CLASSES)
			c->first = i;
		c->end = i + 1;
	}
	if (!c->all.count)
		c->first = 0;
}

bool
size_classes_count(struct size_classes *out, const struct heap *h, type_id type,
		   const node_id *nodes, uint32_t nodes_count, struct progress *progress,
		   struct error *err)
{
	uint32_t count = nodes ? nodes_count : h->nodes_count;

	*out = (struct size_classes){ 0 };
	progress_begin(progress, "sorting by size", "objects", count);
	for (uint32_t i = 0; i < count; i++) {
		node_id n = nodes ? nodes[i] : i;
		struct size_class *class;
		uint64_t size;

		if (i % LOOK_EVERY == LOOK_EVERY - 1 && !progress_add(progress, LOOK_EVERY))
			return error_cancelled(err);
		if (type != TYPE_NONE && heap_type_of(h, n) != type)
			continue;
		size = heap_size(h, n);
		class = &out->items[size_class_of(size)];
		class->count++;
		class->bytes += size;
	}
	sum_up(out);
	return true;
}
