#include "model/heap/heap.h"
#include <inttypes.h>

static bool
check_types(const struct heap *h, struct error *err)
{
	uint64_t count = 0, bytes = 0;

	for (type_id t = 0; t < h->types_count; t++) {
		const struct type *type = &h->types[t];

		if (!type->name || !type->short_name || !type->raw || !type->module)
			return error_set(err, ERROR_INPUT, "type %u has no name", t);
		if (type->count && type->min_bytes > type->max_bytes)
			return error_set(err, ERROR_INPUT, "type %u: smallest above largest", t);
		count += type->count;
		bytes += type->bytes;
	}
	if (h->has_objects && count != h->nodes_count)
		return error_set(err, ERROR_INPUT, "types have %" PRIu64 " objects, the heap %u",
				 count, h->nodes_count);
	if (bytes != h->bytes_count)
		return error_set(err, ERROR_INPUT,
				 "types have %" PRIu64 " bytes, the heap %" PRIu64, bytes,
				 h->bytes_count);
	return true;
}

static bool
check_roots(const struct heap *h, struct error *err)
{
	for (uint32_t i = 0; i < h->roots_count; i++) {
		const struct root *root = &h->roots[i];

		if (root->object >= h->nodes_count || root->kind >= ROOT_KIND_COUNT ||
		    !root->name || !root->label)
			return error_set(err, ERROR_INPUT, "root %u is wild", i);
		if (i && root[-1].object > root->object)
			return error_set(err, ERROR_INPUT, "root %u is out of order", i);
	}
	return true;
}

static bool
check_weak(const struct heap *h, struct error *err)
{
	for (uint32_t i = 0; i < h->weak_count; i++) {
		const struct weak *w = &h->weak[i];

		if (w->object >= h->nodes_count || !w->count || (i && w[-1].object >= w->object))
			return error_set(err, ERROR_INPUT, "weak handle %u is wild", i);
	}
	return true;
}

static bool
check_ranges(const struct heap *h, struct error *err)
{
	for (uint32_t i = 0; i < h->ranges_count; i++) {
		const struct range *r = &h->ranges[i];

		if (r->start > r->end || (i && r[-1].end > r->start) ||
		    (uint64_t)r->first + r->count > h->nodes_count)
			return error_set(err, ERROR_INPUT, "range %u is wild", i);
	}
	return true;
}

static bool
check_node(const struct heap *h, node_id n, uint64_t *previous, uint64_t *bytes, struct error *err)
{
	uint64_t address = heap_address(h, n), size = heap_size(h, n);
	type_id t = heap_type_of(h, n);

	if (n && address <= *previous)
		return error_set(err, ERROR_INPUT, "object %u: address does not ascend", n);
	if (heap_find(h, address) != n)
		return error_set(err, ERROR_INPUT, "object %u is not found at its address", n);
	if (t >= h->types_count)
		return error_set(err, ERROR_INPUT, "object %u has type %u of %u", n, t,
				 h->types_count);
	if (size < h->types[t].min_bytes || size > h->types[t].max_bytes)
		return error_set(err, ERROR_INPUT, "object %u: size outside its type's", n);
	*previous = address;
	*bytes += size;
	return true;
}

static bool
check_refs(const struct heap *h, struct refs_scan *scan, uint64_t *refs_count, struct error *err)
{
	node_id n = scan->node, a, b;
	struct refs direct = heap_refs(h, n), r = refs_scan_begin(scan);

	if (direct.left != r.left)
		return error_set(err, ERROR_INPUT, "object %u: scan and look-up differ", n);
	*refs_count += r.left;
	while (refs_next(&r, &a)) {
		if (!refs_next(&direct, &b) || a != b)
			return error_set(err, ERROR_INPUT, "object %u: scan and look-up differ", n);
		if (a >= h->nodes_count)
			return error_set(err, ERROR_INPUT, "object %u refers to object %u of %u", n,
					 a, h->nodes_count);
	}
	refs_scan_end(scan, &r);
	return true;
}

bool
heap_check(const struct heap *h, struct error *err)
{
	uint64_t previous = 0, bytes = 0, refs_count = 0;
	struct refs_scan scan;

	if (!check_types(h, err) || !check_roots(h, err) || !check_weak(h, err) ||
	    !check_ranges(h, err))
		return false;
	if (!h->has_objects)
		return true;
	if (addresses_count(h->addresses) != h->nodes_count)
		return error_set(err, ERROR_INPUT, "objects without an address");
	refs_scan_init(&scan, h, 0);
	for (node_id n = 0; n < h->nodes_count; n++) {
		if (!check_node(h, n, &previous, &bytes, err) ||
		    !check_refs(h, &scan, &refs_count, err))
			return false;
	}
	if (bytes != h->bytes_count)
		return error_set(err, ERROR_INPUT, "sizes add up to %" PRIu64 ", not %" PRIu64,
				 bytes, h->bytes_count);
	if (refs_count != h->refs_count)
		return error_set(err, ERROR_INPUT, "%" PRIu64 " references, not %" PRIu64,
				 refs_count, h->refs_count);
	return true;
}
