#include "model/heap/heap.h"
#include "model/base/sorted.h"
#include "model/heap/memory.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// clang-format off
const struct root_kind_info root_kinds[ROOT_KIND_COUNT] = {
	/*                       id               title                   priority tier */
	[ROOT_STATIC] =        { "static",        "static",                    0, 0 },
	[ROOT_THREAD_STATIC] = { "thread-static", "thread static",             1, 0 },
	[ROOT_STRONG] =        { "strong",        "strong handle",             2, 0 },
	[ROOT_PINNED] =        { "pinned",        "pinned handle",             3, 0 },
	[ROOT_ASYNC_PINNED] =  { "async-pinned",  "async pinned handle",       4, 0 },
	[ROOT_REF_COUNTED] =   { "ref-counted",   "ref-counted handle",        5, 0 },
	[ROOT_SIZED_REF] =     { "sized-ref",     "sized-ref handle",          6, 0 },
	[ROOT_FROZEN] =        { "frozen",        "frozen heap",               7, 0 },
	[ROOT_STACK] =         { "stack",         "stack",                     8, 0 },
	[ROOT_STACK_WORD] =    { "conservative-stack", "conservative stack",   9, 1 },
	[ROOT_FINALIZER] =     { "finalizer",     "finalizer queue",          10, 2 },
	[ROOT_DEPENDENT] =     { "dependent",     "dependent handle",         11, 3 },
	[ROOT_OTHER] =         { "other",         "other root",               12, 4 },
};
// clang-format on

const char *
generation_name(enum generation gen)
{
	static const char *const names[GEN_COUNT] = { "gen0", "gen1",   "gen2",   "loh",
						      "poh",  "frozen", "unknown" };

	return names[gen];
}

uint64_t
type_scaled(const struct type *t, uint64_t n)
{
	double scaled;

	if (t->multiplier == 1)
		return n;
	scaled = (double)n * (double)t->multiplier + 0.5;
	/* UINT64_MAX rounds to 2^64 as a double. */
	return scaled < (double)UINT64_MAX ? (uint64_t)scaled : UINT64_MAX;
}

const char *
type_module_file(const struct type *t)
{
	const char *file = t->module;

	for (const char *c = t->module; *c; c++) {
		if (*c == '/' || *c == '\\')
			file = c + 1;
	}
	return file;
}

bool
losses_any(const struct losses *l)
{
	return l->undefined_nodes || l->undefined_refs || l->undefined_roots ||
	       l->made_up_addresses || l->unnamed_types || l->root_gaps || losses_are_incomplete(l);
}

bool
losses_have_events(const struct losses *l)
{
	return l->lost_events || l->lost_nodes || l->lost_refs || l->partial_nodes ||
	       l->damaged_events || l->is_unfinished;
}

bool
losses_are_incomplete(const struct losses *l)
{
	return l->missing_bytes || l->damaged_nodes || l->damaged_refs || losses_have_events(l);
}

void
heap_free(const struct heap *h)
{
	struct heap *owned = (struct heap *)(uintptr_t)h;

	if (!h)
		return;
	if (h->memory && h->memory->close)
		h->memory->close(h->memory);
	addresses_free((struct addresses *)(uintptr_t)h->addresses);
	if (owned->release)
		owned->release(owned->kept);
	arena_clear(&owned->arena);
	memory_free(owned);
}

uint64_t
heap_bytes(const struct heap *h)
{
	return sizeof(*h) + h->arena.used_bytes +
	       (h->addresses ? addresses_bytes(h->addresses) : 0) +
	       (h->memory ? h->memory->kept_bytes : 0);
}

uint64_t
heap_types_objects(const struct heap *h)
{
	uint64_t count = 0;

	for (type_id t = 0; t < h->types_count; t++)
		count += h->types[t].count;
	return count;
}

uint32_t
heap_large_from(const struct heap *h, uint64_t n)
{
	uint32_t at;

	LOWER_BOUND(at, 0, h->large_sizes_count, h->large_sizes[at].node < n);
	return at;
}

uint64_t
heap_large_size(const struct heap *h, node_id n)
{
	const struct large_size *large = &h->large_sizes[heap_large_from(h, n)];

	return large->size_low | (uint64_t)large->size_high << 32;
}

uint64_t
heap_address(const struct heap *h, node_id n)
{
	return addresses_of(h->addresses, n);
}

node_id
heap_find(const struct heap *h, uint64_t address)
{
	return h->addresses ? addresses_find(h->addresses, address) : NODE_NONE;
}

const char *
address_format(uint64_t address, char text[24])
{
	if (address_is_made_up(address))
		snprintf(text, 24, "#%" PRIu64, (address - MADE_UP_ADDRESS) / MADE_UP_STEP);
	else
		snprintf(text, 24, "%012" PRIx64, address);
	return text;
}

bool
address_parse(const char *text, uint64_t *address)
{
	bool is_made_up = *text == '#';
	const char *digits = text + is_made_up;
	const char *tick = strchr(text, '`');
	char joined[24], *end;
	uint64_t value;

	/* WinDbg writes 00007fe0`19c05b18. */
	if (tick && !is_made_up && strlen(tick + 1) == 8 && strlen(text) < sizeof(joined)) {
		snprintf(joined, sizeof(joined), "%.*s%s", (int)(tick - text), text, tick + 1);
		digits = joined;
	}
	if (!is_made_up && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X'))
		digits += 2;
	/* strtoull() would also accept blanks and signs. */
	if (!strchr("0123456789abcdefABCDEF", *digits) || !*digits || strlen(digits) > 16)
		return false;
	value = strtoull(digits, &end, is_made_up ? 10 : 16);
	if (*end || (is_made_up && value > UINT32_MAX))
		return false;
	*address = is_made_up ? MADE_UP_ADDRESS + value * MADE_UP_STEP : value;
	return true;
}

uint32_t
heap_range_from(const struct heap *h, node_id n)
{
	uint32_t at;

	LOWER_BOUND(at, 0, h->ranges_count, h->ranges[at].first + h->ranges[at].count <= n);
	return at;
}

enum generation
heap_generation(const struct heap *h, node_id n)
{
	uint32_t range = heap_range_from(h, n);

	if (range == h->ranges_count || h->ranges[range].first > n)
		return GEN_UNKNOWN;
	return h->ranges[range].generation;
}

const struct root *
heap_roots_of(const struct heap *h, node_id n, uint32_t *count)
{
	uint32_t first, end;

	LOWER_BOUND(first, 0, h->roots_count, h->roots[first].object < n);
	for (end = first; end < h->roots_count && h->roots[end].object == n; end++)
		;
	*count = end - first;
	return *count ? &h->roots[first] : NULL;
}

const struct root *
heap_pinning_root(const struct heap *h, node_id n)
{
	uint32_t count;
	const struct root *roots = heap_roots_of(h, n, &count);

	for (uint32_t i = 0; i < count; i++)
		if (roots[i].is_pinned)
			return &roots[i];
	return NULL;
}

uint32_t
heap_weak_of(const struct heap *h, node_id n)
{
	uint32_t at;

	LOWER_BOUND(at, 0, h->weak_count, h->weak[at].object < n);
	return at < h->weak_count && h->weak[at].object == n ? h->weak[at].count : 0;
}

/* Returns the record of n: its references, after their count if its type has any. */
static const uint8_t *
find_record(const struct heap *h, node_id n)
{
	const struct chunk *chunk = &h->chunks[n >> CHUNK_SHIFT];
	const uint8_t *at = chunk->bytes + chunk->offsets[(n & (CHUNK_NODES - 1)) >> BLOCK_SHIFT];

	for (node_id m = n >> BLOCK_SHIFT << BLOCK_SHIFT; m < n; m++) {
		uint64_t count;

		if (!(heap_type(h, m)->flags & TYPE_HAS_REFS))
			continue;
		at = varint_get(at, &count);
		at = varint_skip(at, count);
	}
	return at;
}

struct refs
heap_refs(const struct heap *h, node_id n)
{
	struct refs r = { .last = n };

	if (heap_type(h, n)->flags & TYPE_HAS_REFS)
		r.at = varint_get(find_record(h, n), &r.left);
	return r;
}

bool
heap_refers_to(const struct heap *h, node_id source, node_id target)
{
	struct refs r = heap_refs(h, source);
	node_id n;

	while (refs_next(&r, &n))
		if (n == target)
			return true;
	return false;
}

void
refs_scan_init(struct refs_scan *s, const struct heap *h, node_id first)
{
	*s = (struct refs_scan){ .heap = h, .node = first };
	if (first < h->nodes_count)
		s->at = find_record(h, first);
}
