#ifndef IO_RUNTIME_GC_INFO_H
#define IO_RUNTIME_GC_INFO_H

/*
 * GC info: the compiler's table of the registers and stack slots of a method that hold references,
 * and where in its code they do (x64, versions 2 to 5, which are .NET 8 to 11). U(b) and S(b) are
 * numbers in chunks of b bits (bits.h).
 *
 *   header       1 bit: flags follow
 *                without: 1 bit: the frame register is rbp; with: 10 bits of flags
 *                versions 2 and 3: kind of the result, 2 bits (4 with flags)
 *                length of the code U(8); with: fields by flags, see read_flagged(), and
 *                bytes of outgoing arguments U(3) * 8
 *                safe points U(2); with flags: ranges U(1)
 *   safe points  sorted offsets, of as many bits as the length needs: where calls return to
 *                (versions 2 and 3: the byte before it)
 *   ranges       U(6) from the end of the last one, length U(6) + 1: code that can be
 *                interrupted everywhere
 *   slots        registers; stack slots; slots that always hold a reference (untracked)
 *   states       which slots hold a reference where: gc_live.h
 *
 * All of it is hostile. A method has at most GC_SLOTS_MAX slots, and all methods together cost at
 * most GC_READS_MAX reads of some bits (about 5 ns each); after that nothing is read any more.
 */
#include "io/memory/memory.h"

enum {
	GC_SLOTS_MAX = 1 << 16,
	GC_READS_MAX = 1 << 28,
	GC_NO_REGISTER = 255,
	/* The first version whose safe points are where calls return to, and whose headers lack the
	 * kind of the result. */
	GC_RETURNS_VERSION = 4,
};

#define GC_DAMAGED "the GC info of the method is damaged, or not in memory"

enum gc_slot_place {
	GC_SLOT_REGISTER,
	GC_SLOT_FROM_CALLER, /* relative to the stack pointer of the caller, after the return */
	GC_SLOT_FROM_STACK,  /* relative to the stack pointer */
	GC_SLOT_FROM_FRAME,  /* relative to the frame register */
};

struct gc_slot {
	int32_t offset; /* bytes; of a register: its number, rax rcx rdx rbx rsp rbp rsi rdi r8… */
	uint8_t place;  /* enum gc_slot_place */
	bool is_interior : 1;
	bool is_pinned : 1;
	bool is_untracked : 1;
	bool is_live : 1; /* see gc_live_find() */
};

struct gc_info {
	unsigned version;    /* 2 to 5 */
	uint32_t code_bytes; /* with all funclets and cold code */
	uint32_t outgoing_bytes;
	uint8_t frame_register; /* or GC_NO_REGISTER */
	uint32_t safe_points_count, ranges_count;
	uint32_t slots_count, tracked_count; /* the tracked ones come first */
	struct gc_slot *slots;
	const char *why; /* after a failure: the reason, a sentence without its full stop */
	/* Where its parts lie, in bits. */
	struct memory_reader *reader;
	uint64_t address, safe_points_at, ranges_at, states_at;
	uint64_t interruptible_bytes; /* sum of the ranges */
	uint32_t reads_left;          /* for all methods that are still read */
};

/* NULL sets `err`: no memory. One is enough for all methods. */
struct gc_info *gc_info_new(struct error *err) MUST_USE;
void gc_info_free(struct gc_info *info);

/* Reads the header and all slots. False sets info->why. */
bool gc_info_read(struct gc_info *info, struct memory_reader *r, uint64_t address,
		  unsigned version) MUST_USE;
/* Bits of the offset of a safe point. */
unsigned gc_info_offset_bits(const struct gc_info *info);
/* Reads only the length of the code, which comes early. False: absent or damaged. */
bool gc_info_code_bytes(struct memory_reader *r, uint64_t address, unsigned version,
			uint32_t *bytes) MUST_USE;

#endif
