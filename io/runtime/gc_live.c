#include "io/runtime/gc_live.h"
#include "io/runtime/bits.h"
#include "io/memory/x64_state.h"

enum {
	CHUNK_BYTES = 64,
	CHUNK_BITS = 6,
	COUNTED_BASE = 2, /* of the length of a run */
	SKIPPED_BASE = 4,
	PLACE_BASE = 3,
	PLACE_BITS_MAX = 32,
};

/* Registers that a callee preserves. */
static const uint32_t preserved = 1u << X64_RBX | 1u << X64_RBP | 0xfu << X64_R12;

/* --- safe points and ranges ---------------------------------------------- */

static bool
find_safe_point(const struct gc_info *info, struct bits *b, uint32_t offset, uint32_t *number)
{
	unsigned bits = gc_info_offset_bits(info);
	uint32_t low = 0, high = info->safe_points_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2, found;

		bits_seek(b, info->safe_points_at + (uint64_t)middle * bits);
		found = bits_read(b, bits);
		if (found == offset) {
			*number = middle;
			return !b->has_failed;
		}
		if (found < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

/* Finds the position of the offset in all ranges, one behind the other. */
static bool
find_in_ranges(const struct gc_info *info, struct bits *b, uint32_t offset, uint64_t *position)
{
	uint64_t end = 0, before = 0;

	bits_seek(b, info->ranges_at);
	for (uint32_t i = 0; i < info->ranges_count; i++) {
		uint64_t start = end + bits_unsigned(b, 6);
		uint64_t length = (uint64_t)bits_unsigned(b, 6) + 1;

		if (offset < start)
			return false;
		if (offset - start < length) {
			*position = before + (offset - start);
			return !b->has_failed;
		}
		end = start + length;
		before += length;
	}
	return false;
}

/* --- vectors ------------------------------------------------------------- */

static void
mark_run(struct gc_info *info, uint32_t from, uint64_t length)
{
	for (uint64_t i = 0; i < length; i++)
		info->slots[from + i].is_live = true;
}

/* Returns the number of slots that are marked. A run never goes beyond the last slot. */
static uint32_t
mark_runs(struct gc_info *info, struct bits *b)
{
	bool is_counted = bits_read(b, 1), is_live = false;
	uint64_t length = bits_unsigned(b, is_counted ? COUNTED_BASE : SKIPPED_BASE);
	uint32_t at = 0, marked = 0;

	while (!b->has_failed) {
		if (length > info->tracked_count - at) {
			b->has_failed = true;
			break;
		}
		if (is_live) {
			mark_run(info, at, length);
			marked += (uint32_t)length;
		}
		at += (uint32_t)length;
		if (at == info->tracked_count)
			break;
		is_counted = !is_counted;
		is_live = !is_live;
		length = (uint64_t)bits_unsigned(b, is_counted ? COUNTED_BASE : SKIPPED_BASE) + 1;
	}
	return marked;
}

static uint32_t
mark_bits(struct gc_info *info, struct bits *b)
{
	uint32_t marked = 0;

	for (uint32_t i = 0; i < info->tracked_count && !b->has_failed; i++) {
		info->slots[i].is_live = bits_read(b, 1);
		marked += info->slots[i].is_live;
	}
	return marked;
}

static uint32_t
mark_vector(struct gc_info *info, struct bits *b)
{
	return bits_read(b, 1) ? mark_runs(info, b) : mark_bits(info, b);
}

/* Reads entry `number` of a table of places. */
static uint32_t
read_place(struct bits *b, uint64_t table, uint64_t number, unsigned bits)
{
	bits_seek(b, table + number * bits);
	return bits_read(b, bits);
}

static uint64_t
end_of_table(uint64_t table, uint64_t count, unsigned bits)
{
	return (table + count * bits + 7) & ~UINT64_C(7);
}

static void
mark_safe_point(struct gc_info *info, struct bits *b, uint32_t number)
{
	uint64_t bits, table;

	bits_seek(b, info->states_at);
	if (!bits_read(b, 1)) {
		bits_seek(b, b->at + (uint64_t)number * info->tracked_count);
		(void)mark_bits(info, b);
		return;
	}
	bits = (uint64_t)bits_unsigned(b, PLACE_BASE) + 1;
	if (bits > PLACE_BITS_MAX) {
		b->has_failed = true;
		return;
	}
	table = b->at;
	bits_seek(b, end_of_table(table, info->safe_points_count, (unsigned)bits) +
			 read_place(b, table, number, (unsigned)bits));
	(void)mark_vector(info, b);
}

/* --- chunks -------------------------------------------------------------- */

/* Moves to the chunk of the position, or to the last one before it that is there. *is_same: it is
 * the chunk itself. False: no slot is live. */
static bool
seek_chunk(const struct gc_info *info, struct bits *b, uint64_t position, bool *is_same)
{
	uint64_t chunk = position / CHUNK_BYTES, table, chunks;
	uint64_t count = (info->interruptible_bytes + CHUNK_BYTES - 1) / CHUNK_BYTES;
	unsigned bits = bits_unsigned(b, PLACE_BASE);
	uint32_t place;

	*is_same = true;
	if (!bits || bits > PLACE_BITS_MAX) {
		b->has_failed |= bits > PLACE_BITS_MAX;
		return false;
	}
	table = b->at;
	chunks = end_of_table(table, count, bits);
	while (!(place = read_place(b, table, chunk, bits)) && chunk && !b->has_failed) {
		chunk--;
		*is_same = false;
	}
	bits_seek(b, chunks + place - 1);
	return place;
}

/* Counts how often the slot changes between the place and the end of the chunk. */
static unsigned
count_changes(struct bits *b, uint64_t place)
{
	unsigned all = 0, later = 0;

	while (bits_read(b, 1)) {
		later += bits_read(b, CHUNK_BITS) > place;
		if (++all > CHUNK_BYTES)
			b->has_failed = true;
	}
	return later;
}

/* Reads a chunk. The states at its end and the changes lie one behind the other, so that two
 * cursors read them. */
static void
mark_chunk(struct gc_info *info, struct bits *b, uint64_t position, bool is_same)
{
	uint32_t count = mark_vector(info, b);
	struct bits ends = *b;

	bits_seek(b, b->at + count);
	for (uint32_t i = 0; i < info->tracked_count && !b->has_failed; i++) {
		if (!info->slots[i].is_live)
			continue;
		info->slots[i].is_live = bits_read(&ends, 1);
		if (is_same && count_changes(b, position % CHUNK_BYTES) % 2)
			info->slots[i].is_live = !info->slots[i].is_live;
	}
	b->has_failed |= ends.has_failed;
}

/* The vectors of safe points precede the chunks. No compiler is known to write both and a table of
 * the vectors. */
static void
mark_range(struct gc_info *info, struct bits *b, uint64_t position)
{
	bool is_same;

	bits_seek(b, info->states_at);
	if (info->safe_points_count) {
		b->has_failed |= bits_read(b, 1);
		bits_seek(b, b->at + (uint64_t)info->safe_points_count * info->tracked_count);
	}
	if (seek_chunk(info, b, position, &is_same))
		mark_chunk(info, b, position, is_same);
}

/* --- a moment ------------------------------------------------------------ */

/* Finds the state at a place outside all ranges and safe points. */
static enum gc_state
outside(struct gc_info *info, const struct gc_moment *moment)
{
	if (moment->is_interrupted)
		return GC_ABANDONED;
	if (!info->ranges_count)
		return GC_ELSEWHERE;
	info->why = "the GC info of the method says nothing about this place in its code";
	return GC_UNKNOWN;
}

/* Marks the tracked slots. Up to version 3, the byte before a return stands for it. */
static enum gc_state
mark_tracked(struct gc_info *info, struct bits *b, const struct gc_moment *moment)
{
	const bool is_before = info->version < GC_RETURNS_VERSION && moment->offset;
	const bool is_caller = !moment->is_leaf && !moment->is_interrupted;
	const uint32_t offset = moment->offset - (is_before && is_caller);
	enum gc_state state = GC_SAFE_POINT;
	uint64_t position = 0;
	uint32_t number = 0;

	if (moment->is_interrupted || !find_safe_point(info, b, offset, &number)) {
		if (find_in_ranges(info, b, offset, &position))
			state = GC_INTERRUPTIBLE;
		else if (!moment->is_leaf || moment->is_interrupted || !is_before ||
			 !find_safe_point(info, b, offset - 1, &number))
			return outside(info, moment);
	}
	if (info->tracked_count && state == GC_SAFE_POINT)
		mark_safe_point(info, b, number);
	else if (info->tracked_count)
		mark_range(info, b, position);
	return state;
}

/* Registers that a callee may change, and the arguments of calls, are the leaf's only. */
static bool
is_scratch(const struct gc_info *info, const struct gc_slot *slot)
{
	if (slot->place == GC_SLOT_REGISTER)
		return !(preserved >> slot->offset & 1);
	return slot->place == GC_SLOT_FROM_STACK && slot->offset >= 0 &&
	       (uint32_t)slot->offset < info->outgoing_bytes;
}

/* Adds the untracked slots. From version 4 on, abandoned frames have none, nor have they if the
 * method has ranges. */
static void
finish_marks(struct gc_info *info, const struct gc_moment *moment, enum gc_state state)
{
	bool has_untracked =
	    state != GC_ABANDONED || (!info->ranges_count && info->version < GC_RETURNS_VERSION);

	for (uint32_t i = 0; i < info->slots_count; i++) {
		struct gc_slot *slot = &info->slots[i];

		if (slot->is_untracked)
			slot->is_live = has_untracked;
		else if (!moment->is_leaf && is_scratch(info, slot))
			slot->is_live = false;
	}
}

static void
unmark(struct gc_info *info)
{
	for (uint32_t i = 0; i < info->slots_count; i++)
		info->slots[i].is_live = false;
}

enum gc_state
gc_live_find(struct gc_info *info, const struct gc_moment *moment)
{
	enum gc_state state;
	struct bits b;

	info->why = NULL;
	unmark(info);
	if (moment->offset > info->code_bytes) {
		info->why = "the place is behind the end of the method";
		return GC_UNKNOWN;
	}
	bits_init(&b, info->reader, info->address, &info->reads_left);
	state = mark_tracked(info, &b, moment);
	if (b.has_failed) {
		info->why = GC_DAMAGED;
		state = GC_UNKNOWN;
	}
	if (state == GC_UNKNOWN)
		unmark(info);
	else
		finish_marks(info, moment, state);
	return state;
}
