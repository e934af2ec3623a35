#include "io/runtime/signal_frame.h"

/* Linux's struct ucontext, the same in every C library. */
enum {
	STACK_AT = 16, /* uc_stack: address, flags, size */
	STACK_FLAGS_AT = STACK_AT + 8,
	STACK_SIZE_AT = STACK_AT + 16,
	X64_SP_AT = 160,
	ARM64_SP_AT = 432,
	STACK_MIN = 1 << 11, /* MINSIGSTKSZ */
	STACK_MAX = 64 << 20,
	FLAGS = 3, /* SS_ONSTACK, SS_DISABLE */
};
#define AUTODISARM UINT32_C(0x80000000)

bool
signal_frame_read(struct memory_reader *r, uint64_t address, struct signal_frame *frame)
{
	enum memory_machine machine = memory_reader_memory(r)->machine;
	uint64_t stack, size, sp_at = address;
	uint32_t flags;

	if (address % 8 || address > UINT64_MAX - 2 * (uint64_t)STACK_MAX ||
	    !memory_u64(r, address + STACK_AT, &stack) || stack > address ||
	    address - stack >= STACK_MAX || !memory_u32(r, address + STACK_FLAGS_AT, &flags) ||
	    (flags & ~AUTODISARM) > FLAGS || !memory_u64(r, address + STACK_SIZE_AT, &size) ||
	    size < STACK_MIN || size > STACK_MAX || address - stack >= size)
		return false;
	sp_at += machine == MEMORY_ARM64 ? ARM64_SP_AT : X64_SP_AT;
	frame->start = address;
	frame->end = stack + size;
	return memory_u64(r, sp_at, &frame->sp);
}
