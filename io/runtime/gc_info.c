#include "io/runtime/gc_info.h"
#include "io/runtime/bits.h"
#include "model/base/arena.h"

enum header_flag {
	HAS_COOKIE = 0x4,
	HAS_PSP = 0x8,
	HAS_CONTEXT = 0x30,
	HAS_FRAME_REGISTER = 0x40,
	HAS_EDIT = 0x100,
	HAS_REVERSE = 0x200,
	FLAGS_BITS = 10,
	HAS_FLAGS = 1 << FLAGS_BITS, /* not in memory */
};

enum {
	FIRST_VERSION = 2,
	LAST_VERSION = 5,
	LENGTH_READS_MAX = 16,
	CODE_MAX = 1 << 28,
	SAFE_POINTS_MAX = 1 << 20,
	RANGES_MAX = 1 << 16,
	OUTGOING_MAX = 1 << 24, /* in units of 8 bytes */
	OFFSET_MAX = 1 << 26,   /* of a slot, in units of 8 bytes */
	RBP = 5,
	REGISTERS = 16,
};

/* --- header -------------------------------------------------------------- */

/* Reads up to the length of the code, which is in front of most fields. */
static uint32_t
read_length(struct bits *b, unsigned version, uint32_t *flags)
{
	if (bits_read(b, 1))
		*flags = HAS_FLAGS | bits_read(b, FLAGS_BITS);
	else
		*flags = bits_read(b, 1) ? HAS_FRAME_REGISTER : 0;
	if (version < GC_RETURNS_VERSION)
		(void)bits_read(b, *flags & HAS_FLAGS ? 4 : 2);
	return bits_unsigned(b, 8);
}

/* Reads the fields that only headers with flags have. */
static void
read_flagged(struct gc_info *info, struct bits *b, uint32_t flags)
{
	uint32_t frame = 0, outgoing;

	if (flags & (HAS_COOKIE | HAS_CONTEXT))
		(void)bits_unsigned(b, 5); /* length of the prologue */
	if (flags & HAS_COOKIE) {
		(void)bits_unsigned(b, 3); /* length of the epilogue */
		(void)bits_signed(b, 6);
	}
	if (flags & HAS_PSP && info->version < GC_RETURNS_VERSION)
		(void)bits_signed(b, 6);
	if (flags & HAS_CONTEXT)
		(void)bits_signed(b, 6);
	if (flags & HAS_FRAME_REGISTER)
		frame = bits_unsigned(b, 3) ^ RBP;
	if (flags & HAS_EDIT)
		(void)bits_unsigned(b, 4);
	if (flags & HAS_REVERSE)
		(void)bits_signed(b, 6);
	outgoing = bits_unsigned(b, 3);
	info->outgoing_bytes = 8 * outgoing;
	if (outgoing > OUTGOING_MAX || frame >= REGISTERS)
		b->has_failed = true;
	else if (flags & HAS_FRAME_REGISTER)
		info->frame_register = (uint8_t)frame;
}

static bool
read_header(struct gc_info *info, struct bits *b)
{
	uint32_t flags;

	info->code_bytes = read_length(b, info->version, &flags);
	info->frame_register = GC_NO_REGISTER;
	if (flags & HAS_FLAGS)
		read_flagged(info, b, flags);
	else if (flags & HAS_FRAME_REGISTER)
		info->frame_register = RBP;
	info->safe_points_count = bits_unsigned(b, 2);
	info->ranges_count = flags & HAS_FLAGS ? bits_unsigned(b, 1) : 0;
	if (!info->code_bytes || info->code_bytes > CODE_MAX ||
	    info->safe_points_count > SAFE_POINTS_MAX || info->ranges_count > RANGES_MAX)
		b->has_failed = true;
	return !b->has_failed;
}

/* --- safe points and ranges ---------------------------------------------- */

unsigned
gc_info_offset_bits(const struct gc_info *info)
{
	return info->code_bytes > 1 ? 32 - (unsigned)__builtin_clz(info->code_bytes - 1) : 0;
}

/* Reads all ranges: where they end is where the slots begin. */
static bool
read_ranges(struct gc_info *info, struct bits *b)
{
	uint64_t end = 0;

	for (uint32_t i = 0; i < info->ranges_count && !b->has_failed; i++) {
		uint64_t start = end + bits_unsigned(b, 6);
		uint64_t length = (uint64_t)bits_unsigned(b, 6) + 1;

		end = start + length;
		info->interruptible_bytes += length;
		if (end > info->code_bytes)
			b->has_failed = true;
	}
	return !b->has_failed;
}

/* --- slots --------------------------------------------------------------- */

static void
add_slot(struct gc_info *info, enum gc_slot_place place, int64_t offset, uint32_t flags)
{
	info->slots[info->slots_count++] = (struct gc_slot){
		.offset = (int32_t)offset,
		.place = (uint8_t)place,
		.is_interior = flags & 1,
		.is_pinned = flags >> 1 & 1,
	};
}

/* A slot without flags is followed by one that has none either, and only its distance. */
static void
read_registers(struct gc_info *info, struct bits *b, uint32_t count)
{
	uint64_t number = 0;
	uint32_t flags = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (!i || flags) {
			number = bits_unsigned(b, 3);
			flags = bits_read(b, 2);
		} else {
			number += (uint64_t)bits_unsigned(b, 2) + 1;
		}
		if (number >= REGISTERS)
			b->has_failed = true;
		if (b->has_failed)
			return;
		add_slot(info, GC_SLOT_REGISTER, (int64_t)number, flags);
	}
}

static void
read_stack_slots(struct gc_info *info, struct bits *b, uint32_t count)
{
	int64_t offset = 0;
	uint32_t flags = 0;

	for (uint32_t i = 0; i < count; i++) {
		enum gc_slot_place place = GC_SLOT_FROM_CALLER + bits_read(b, 2);

		if (!i || flags) {
			offset = bits_signed(b, 6);
			flags = bits_read(b, 2);
		} else {
			offset += bits_unsigned(b, 4);
		}
		if (place > GC_SLOT_FROM_FRAME || offset > OFFSET_MAX || offset < -OFFSET_MAX ||
		    (place == GC_SLOT_FROM_FRAME && info->frame_register == GC_NO_REGISTER))
			b->has_failed = true;
		if (b->has_failed)
			return;
		add_slot(info, place, 8 * offset, flags);
	}
}

static bool
read_slots(struct gc_info *info, struct bits *b)
{
	uint64_t registers = 0, stack = 0, untracked = 0;

	if (bits_read(b, 1))
		registers = bits_unsigned(b, 2);
	if (bits_read(b, 1)) {
		stack = bits_unsigned(b, 2);
		untracked = bits_unsigned(b, 1);
	}
	if (b->has_failed || registers + stack + untracked > GC_SLOTS_MAX)
		return false;
	read_registers(info, b, (uint32_t)registers);
	read_stack_slots(info, b, (uint32_t)stack);
	info->tracked_count = info->slots_count;
	read_stack_slots(info, b, (uint32_t)untracked);
	for (uint32_t i = info->tracked_count; i < info->slots_count; i++)
		info->slots[i].is_untracked = true;
	return !b->has_failed;
}

/* --- all together -------------------------------------------------------- */

static bool
read_method(struct gc_info *info, struct bits *b)
{
	if (!read_header(info, b))
		return false;
	info->safe_points_at = b->at;
	info->ranges_at = b->at + (uint64_t)info->safe_points_count * gc_info_offset_bits(info);
	bits_seek(b, info->ranges_at);
	if (!read_ranges(info, b) || !read_slots(info, b))
		return false;
	info->states_at = b->at;
	return true;
}

bool
gc_info_read(struct gc_info *info, struct memory_reader *r, uint64_t address, unsigned version)
{
	struct bits b;

	*info = (struct gc_info){
		.version = version,
		.slots = info->slots,
		.reader = r,
		.address = address,
		.reads_left = info->reads_left,
	};
	if (version < FIRST_VERSION || version > LAST_VERSION) {
		info->why = "the version of the method's GC info is unknown";
		return false;
	}
	bits_init(&b, r, address, &info->reads_left);
	if (read_method(info, &b))
		return true;
	info->slots_count = info->tracked_count = 0;
	info->why = GC_DAMAGED;
	return false;
}

bool
gc_info_code_bytes(struct memory_reader *r, uint64_t address, unsigned version, uint32_t *bytes)
{
	uint32_t flags, reads_left = LENGTH_READS_MAX;
	struct bits b;

	bits_init(&b, r, address, &reads_left);
	*bytes = read_length(&b, version, &flags);
	return !b.has_failed;
}

struct gc_info *
gc_info_new(struct error *err)
{
	struct gc_info *info = memory_new(1, sizeof(*info), err);

	if (!info)
		return NULL;
	info->reads_left = GC_READS_MAX;
	info->slots = memory_new(GC_SLOTS_MAX, sizeof(*info->slots), err);
	if (info->slots)
		return info;
	memory_free(info);
	return NULL;
}

void
gc_info_free(struct gc_info *info)
{
	if (!info)
		return;
	memory_free(info->slots);
	memory_free(info);
}
