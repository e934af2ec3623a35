#include "model/analysis/survival_keys.h"
#include "model/base/hash.h"
#include "model/heap/object_bytes.h"
#include "model/heap/sweep.h"

enum {
	LOOK_EVERY = 65536,
	VALUES_MAX = 4096, /* bytes of an array or a string that count */
};

struct keys {
	const struct heap *heap;
	const uint32_t *rows;
	uint64_t *own;    /* of each object alone */
	uint64_t *around; /* of its references and referrers */
};

/* Spreads the bits, so that sums of results hardly collide. */
static inline uint64_t
mix(uint64_t x)
{
	x = (x ^ x >> 31) * UINT64_C(0x7fb5d329728ea185);
	x = (x ^ x >> 27) * UINT64_C(0x81dadef4bc2dd44d);
	return x ^ x >> 33;
}

static uint64_t
key_of_shape(const struct keys *k, node_id n)
{
	uint64_t row = k->rows[heap_type_of(k->heap, n)];

	return mix(row << 40 ^ heap_size(k->heap, n));
}

/* --- values -------------------------------------------------------------- */

/* Returns whether an array has only values, which can be compared as bytes. */
static bool
has_plain_elements(const struct content_layout *layout)
{
	for (uint32_t i = 0; i < layout->parts_count; i++)
		if (layout->parts[i].kind != CONTENT_VALUE)
			return false;
	return true;
}

static uint64_t
add_elements(struct object_bytes *b, const struct content_layout *layout, node_id n, uint64_t key)
{
	const uint8_t *at;
	uint32_t count;
	uint64_t len;

	if (!has_plain_elements(layout) || !object_bytes_count(b, layout, n, &count))
		return key;
	len = (uint64_t)count * layout->element_bytes;
	if (len > VALUES_MAX)
		len = VALUES_MAX;
	at = object_bytes_at(b, object_bytes_address(b, n) + layout->elements_at, (size_t)len);
	return at ? hash_bytes(key ^ count, at, (size_t)len) : key;
}

static uint64_t
add_fields(struct object_bytes *b, const struct content_layout *layout, node_id n, uint64_t key)
{
	uint64_t address = object_bytes_address(b, n);

	for (uint32_t i = 0; i < layout->parts_count; i++) {
		const struct content_part *part = &layout->parts[i];
		const uint8_t *at;

		if (part->kind != CONTENT_VALUE || part->bytes > VALUES_MAX)
			continue;
		at = object_bytes_at(b, address + part->offset, part->bytes);
		if (at)
			key = hash_bytes(key, at, part->bytes);
	}
	return key;
}

static uint64_t
key_of_values(const struct keys *k, struct object_bytes *b, node_id n)
{
	const struct content_layout *layout = object_bytes_layout(b, n);
	uint64_t key = key_of_shape(k, n);

	if (!layout)
		return key;
	return layout->element_bytes ? add_elements(b, layout, n, key)
				     : add_fields(b, layout, n, key);
}

static bool
make_own(struct keys *k, struct object_bytes *b, struct progress *progress, struct error *err)
{
	progress_begin(progress, "comparing contents", "objects", k->heap->nodes_count);
	for (node_id n = 0; n < k->heap->nodes_count; n++) {
		k->own[n] = b ? key_of_values(k, b, n) : key_of_shape(k, n);
		if (n % LOOK_EVERY == 0 && !progress_add(progress, LOOK_EVERY))
			return error_cancelled(err);
	}
	return true;
}

/* --- references ---------------------------------------------------------- */

/* Adds only the type of the referrer: a collection that grows has another
   size. */
static inline void
visit(void *context, node_id source, node_id target)
{
	struct keys *k = context;

	k->around[source] += mix(k->own[target]);
	k->around[target] += mix(~(uint64_t)k->rows[heap_type_of(k->heap, source)]);
}

static bool
make_around(struct keys *k, struct progress *progress, struct error *err)
{
	struct sweep sweep;
	struct arena a;
	bool ok;

	arena_init(&a, 0);
	ok = sweep_init(&sweep, k->heap, &a, progress, err);
	if (ok)
		progress_begin(progress, "comparing references", "objects", k->heap->nodes_count);
	for (uint32_t c = 0; ok && c < sweep_chunks_count(k->heap); c++)
		ok = sweep_chunk(&sweep, c, visit, k) || error_cancelled(err);
	arena_clear(&a);
	for (node_id n = 0; ok && n < k->heap->nodes_count; n++)
		k->own[n] = mix(k->own[n] ^ mix(k->around[n]));
	return ok;
}

uint64_t *
survival_keys(const struct heap *h, const uint32_t *rows, enum keys_of of,
	      struct progress *progress, struct error *err)
{
	size_t room = (size_t)h->nodes_count + 1;
	struct keys k = { .heap = h, .rows = rows };
	struct object_bytes bytes;
	bool ok;

	k.own = memory_new(room, sizeof *k.own, err);
	k.around = memory_new(room, sizeof *k.around, err);
	ok = k.own && k.around;
	if (ok && of == KEYS_OF_VALUES) {
		ok = object_bytes_init(&bytes, h, err) && make_own(&k, &bytes, progress, err);
		object_bytes_clear(&bytes);
	} else if (ok) {
		ok = make_own(&k, NULL, progress, err);
	}
	ok = ok && (of == KEYS_OF_SIZE || make_around(&k, progress, err));
	memory_free(k.around);
	if (ok)
		return k.own;
	memory_free(k.own);
	return NULL;
}
