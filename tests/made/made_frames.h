#ifndef TESTS_MADE_MADE_FRAMES_H
#define TESTS_MADE_MADE_FRAMES_H

/*
 * A loaded ELF file made up for tests, with call frame information for two functions, and a stack
 * whose words are known. Every structure has a place of its own.
 */
#include "io/memory/x64_state.h"
#include "tests/made/made_memory.h"

#define MADE_FRAMES        UINT64_C(0x7f0000000000) /* the file */
#define MADE_FRAMES_TABLE  (MADE_FRAMES + 0x400)    /* .eh_frame_hdr */
#define MADE_FRAMES_COMMON (MADE_FRAMES + 0x800)    /* the CIE */
#define MADE_FRAMES_ENTRY  (MADE_FRAMES + 0x900)    /* of the first function */
#define MADE_FRAMES_SECOND (MADE_FRAMES + 0xa00)    /* of the second one */
#define MADE_FRAMES_CODE   (MADE_FRAMES + 0x1000)   /* of both functions: 0x1000 bytes */
#define MADE_FRAMES_STACK  UINT64_C(0x7ffe00000000) /* of 0x1000 bytes */

enum {
	MADE_FUNCTION_BYTES = 0x100, /* the second one begins 0x200 after the first */
	MADE_SECOND_FUNCTION = 0x200,
	MADE_SP = 0x100, /* in the stack */
	MADE_BP = 0x200,
};

/* The first function; the second one has no instructions of its own. */
struct made_frames {
	const char *program; /* instructions */
	size_t len;
	const char *augmentation; /* NULL: "zR" */
	uint8_t version;          /* 0: 1 */
	uint8_t encoding;         /* of addresses; 0: relative, 4 bytes */
	uint8_t column;           /* of the return address; 0: 16 */
};

/* The word at an address of the stack. */
uint64_t made_frames_word(uint64_t address);
struct made_memory *made_frames_new(const struct made_frames *frames);
/* Register i has the value i << 8; the stack and frame pointer lead into the stack. */
void made_frames_state(struct x64_state *state, uint64_t ip);

#endif
