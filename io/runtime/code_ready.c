#include "io/runtime/code_ready.h"
#include "io/runtime/gc_info.h"

enum {
	SLOTS = 4, /* keys, and values, of a bucket */
	BUCKET_BYTES = 16 * SLOTS,
	BUCKETS_MAX = 1 << 24, /* of 64 bytes */
	FUNCTIONS_MAX = 1 << 26,
	FUNCLETS_MAX = 1024, /* of one method */
	LINEAR_MAX = 10,     /* entries that are not searched by halves */
	PAIR_BYTES = 8,      /* of the cold map */
	CODES_AT = 2,        /* in an unwind record: number of codes */
	PERSONALITY_BYTES = 4,
};

/* The runtime's tables about the code of an image. */
struct ready {
	struct clr_code_search *search;
	uint64_t functions, cold_map, buckets;
	uint32_t functions_count, cold_count, buckets_count;
};

static bool
read_ready(struct ready *ready)
{
	struct clr_code_search *s = ready->search;
	const struct clr_layout *l = s->layout;
	struct memory_reader *r = s->reader;
	uint64_t info, code;

	if (!clr_u64(l, r, s->section.module, CLR_MODULE_READY, &info) ||
	    !clr_u64(l, r, info, CLR_READY_COMPOSITE, &code) ||
	    !clr_u64(l, r, code, CLR_READY_FUNCTIONS, &ready->functions) ||
	    !clr_u32(l, r, code, CLR_READY_FUNCTIONS_COUNT, &ready->functions_count) ||
	    !clr_u64(l, r, code, CLR_READY_COLD_MAP, &ready->cold_map) ||
	    !clr_u32(l, r, code, CLR_READY_COLD_COUNT, &ready->cold_count) ||
	    !clr_has(l, CLR_READY_METHODS) ||
	    !clr_u64(l, r, code + l->offset[CLR_READY_METHODS], CLR_HASH_BUCKETS,
		     &ready->buckets) ||
	    !memory_u32(r, ready->buckets, &ready->buckets_count))
		return clr_code_fail_absent(s);
	if (ready->functions_count > FUNCTIONS_MAX || ready->buckets_count < 2 ||
	    ready->buckets_count > BUCKETS_MAX || ready->cold_count > ready->functions_count)
		return clr_code_fail(s, "the description of the precompiled image is damaged");
	return true;
}

/* --- entries ------------------------------------------------------------- */

static bool
read_entry(struct ready *ready, uint32_t i, struct clr_code_entry *out)
{
	struct clr_code_search *s = ready->search;

	return clr_code_entry_read(s, ready->functions + clr_code_entry_bytes(s) * i, out) ||
	       clr_code_fail_absent(s);
}

/*
 * Finds the entry that contains the address, or the last one before it. It looks at the entries
 * that the runtime's own search looks at, as a core may lack pages that the runtime never needed:
 * halves until at most ten entries are left, then one after the other.
 */
static bool
search_entry(struct ready *ready, uint32_t *index, struct clr_code_entry *out)
{
	const uint64_t address = ready->search->address;
	uint32_t low = 0, high = ready->functions_count - 1;
	struct clr_code_entry next;

	while (high - low > LINEAR_MAX) {
		uint32_t middle = low + (high - low) / 2;

		if (!read_entry(ready, middle, out))
			return false;
		if (address < out->begin)
			high = middle - 1;
		else
			low = middle;
	}
	if (!read_entry(ready, low, out))
		return false;
	for (; low < high; low++, *out = next) {
		if (!read_entry(ready, low + 1, &next))
			return false;
		if (address < next.begin)
			break;
	}
	*index = low;
	return true;
}

/* Finds the entry that contains the address. */
static bool
find_entry(struct ready *ready, uint32_t *index, struct clr_code_entry *out)
{
	const uint64_t address = ready->search->address;

	if (!ready->functions_count || !search_entry(ready, index, out) || address < out->begin ||
	    address >= out->end)
		return false;
	clr_code_set_entry(ready->search, out);
	return true;
}

/* --- cold code ----------------------------------------------------------- */

static bool
read_pair(struct ready *ready, uint32_t i, uint32_t *cold, uint32_t *hot)
{
	uint64_t at = ready->cold_map + PAIR_BYTES * (uint64_t)i;

	return (memory_u32(ready->search->reader, at, cold) &&
		memory_u32(ready->search->reader, at + 4, hot)) ||
	       clr_code_fail_absent(ready->search);
}

/* Finds the last pair whose cold, or hot, index is at most `index`; *pair is one more than its
 * number, or 0. False: absent. */
static bool
find_pair(struct ready *ready, uint32_t index, bool is_cold, uint32_t *pair)
{
	uint32_t high = ready->cold_count / 2, cold, hot;

	*pair = 0;
	while (*pair < high) {
		uint32_t middle = *pair + (high - *pair) / 2;

		if (!read_pair(ready, middle, &cold, &hot))
			return false;
		if ((is_cold ? cold : hot) <= index)
			*pair = middle + 1;
		else
			high = middle;
	}
	return true;
}

/* Replaces the index of an entry of cold code by those of the method: its code, and its cold code.
 * Others: *cold is UINT32_MAX. */
static bool
leave_cold(struct ready *ready, uint32_t *index, uint32_t *cold)
{
	uint32_t pair, hot;

	*cold = UINT32_MAX;
	if (!find_pair(ready, *index, true, &pair))
		return false;
	if (!pair)
		return true;
	if (!read_pair(ready, pair - 1, cold, &hot))
		return false;
	if (hot >= *index)
		return clr_code_fail(ready->search, "the map of cold code is damaged");
	*index = hot;
	return true;
}

/* Reads how much of a method's code is cold; 0: none. */
static bool
read_cold_bytes(struct ready *ready, uint32_t index, uint64_t *bytes)
{
	uint32_t pair, cold, hot, next = ready->functions_count, ignored;
	struct clr_code_entry first, last;

	*bytes = 0;
	if (!find_pair(ready, index, false, &pair))
		return false;
	if (!pair)
		return true;
	if (!read_pair(ready, pair - 1, &cold, &hot))
		return false;
	if (hot != index)
		return true;
	if (pair < ready->cold_count / 2 && !read_pair(ready, pair, &next, &ignored))
		return false;
	if (!next)
		return clr_code_fail(ready->search, "the map of cold code is damaged");
	if (!read_entry(ready, cold, &first) || !read_entry(ready, next - 1, &last))
		return false;
	*bytes = last.end - first.begin;
	return true;
}

/* --- methods ------------------------------------------------------------- */

/* Looks the start of a method up in the hash map. False: it is no key, or for
 * a reason that is set. */
static bool
find_record(struct ready *ready, uint64_t key, uint64_t *record)
{
	struct clr_code_search *s = ready->search;
	uint32_t buckets = ready->buckets_count;
	uint32_t seed = (uint32_t)(key >> 2);
	uint32_t step = 1 + ((uint32_t)(key >> 5) + 1) % (buckets - 1);

	for (uint32_t tries = 0; tries < buckets; tries++, seed += step) {
		uint64_t at = ready->buckets + BUCKET_BYTES * (1 + (uint64_t)(seed % buckets));
		uint8_t bytes[BUCKET_BYTES];

		if (!clr_code_step(s))
			return false;
		if (!memory_read(s->reader, at, bytes, sizeof(bytes)))
			return clr_code_fail_absent(s);
		for (int i = 0; i < SLOTS; i++) {
			const uint8_t *value = bytes + 8 * (SLOTS + i);

			if (bytes_load_u64(bytes + 8 * i) != key)
				continue;
			*record = bytes_load_u64(value) << 1;
			return true;
		}
		/* The highest bit of the first value: more may follow. */
		if (!(bytes[8 * SLOTS + 7] & 0x80))
			return false;
	}
	return false;
}

/* Finds the GC info of a method, which follows its unwind record on x64. */
static void
find_gc_info(struct ready *ready, const struct clr_code_entry *method)
{
	struct clr_code_search *s = ready->search;
	uint64_t unwind_bytes;
	uint8_t codes;

	s->out->gc_info = 0;
	if (memory_reader_memory(s->reader)->machine == MEMORY_ARM64 ||
	    !memory_u8(s->reader, method->unwind + CODES_AT, &codes))
		return;
	unwind_bytes = (4 + 2 * (uint64_t)codes + 3) & ~UINT64_C(3);
	s->out->gc_info = method->unwind + unwind_bytes + PERSONALITY_BYTES;
}

/* --- all together -------------------------------------------------------- */

/* Finds the method that an entry belongs to: the nearest one before it. */
static bool
find_owner(struct ready *ready, uint32_t *index, struct clr_code_entry *method)
{
	struct clr_code_search *s = ready->search;

	s->out->why = NULL; /* find_record() sets it if it cannot know */
	for (uint32_t i = 0; i <= *index && i < FUNCLETS_MAX; i++) {
		if (!read_entry(ready, *index - i, method))
			return false;
		if (find_record(ready, method->begin, &s->out->record)) {
			*index -= i;
			return true;
		}
		if (s->out->why)
			return false;
	}
	return clr_code_fail(s, "the runtime has no method for the precompiled code there");
}

/* Checks that the address lies in the code that follows the method's start. */
static bool
check_owner(struct ready *ready, uint32_t index, const struct clr_code_entry *method)
{
	struct clr_code_search *s = ready->search;
	uint64_t cold_bytes;
	uint32_t length;

	if (!s->out->gc_info || !gc_info_code_bytes(s->reader, s->out->gc_info,
						    s->layout->facts->gc_info_version, &length))
		return clr_code_fail(s, "the length of the method before it is not in memory");
	if (!read_cold_bytes(ready, index, &cold_bytes))
		return false;
	if (cold_bytes > length || s->address - method->begin >= length - cold_bytes)
		return clr_code_fail(s, "the runtime has no method for the precompiled code there");
	return true;
}

/* Cold code counts as if it followed the method. */
static bool
set_place(struct ready *ready, const struct clr_code_entry *method, uint32_t cold)
{
	struct clr_code_search *s = ready->search;
	struct clr_code_entry entry;

	s->out->start = method->begin;
	s->out->offset = s->address - method->begin;
	if (cold == UINT32_MAX)
		return true;
	if (!read_entry(ready, cold, &entry))
		return false;
	s->out->offset = method->end - method->begin + (s->address - entry.begin);
	return true;
}

bool
clr_code_find_ready(struct clr_code_search *s)
{
	struct ready ready = { .search = s };
	struct clr_code_entry entry;
	uint32_t index, cold, owner;

	if (!read_ready(&ready) || !find_entry(&ready, &index, &entry) ||
	    !leave_cold(&ready, &index, &cold))
		return false;
	owner = index;
	if (!find_owner(&ready, &owner, &entry))
		return false;
	find_gc_info(&ready, &entry);
	if (owner != index && !check_owner(&ready, owner, &entry))
		return false;
	return set_place(&ready, &entry, cold);
}
