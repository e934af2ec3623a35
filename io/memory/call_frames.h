#ifndef IO_MEMORY_CALL_FRAMES_H
#define IO_MEMORY_CALL_FRAMES_H

/*
 * Unwinds one frame of native code (x64), by the call frame information that compilers put into
 * ELF files: .eh_frame, and a sorted table of its entries, .eh_frame_hdr, which a segment of type
 * PT_GNU_EH_FRAME leads to. All of it is in loaded memory, or in the file that a core left out.
 *
 *   table    u8 1, u8 0x1b, u8 3, u8 0x3b; i32 address of .eh_frame, u32 count;
 *            { i32 function, i32 entry } each, relative to the table
 *   entry    u32 length, u32 back to its CIE; the function's address and length,
 *            in the encoding that the CIE names; if the CIE's augmentation
 *            begins with "z": a length and that many bytes; then instructions
 *   CIE      u32 length, u32 0, u8 version, text of the augmentation, units of
 *            code and data, the return address's column, augmentation; then
 *            instructions, which run before those of the entry
 *
 * Everything is hostile: an entry is limited to a few KiB, its cost grows with its length, and all
 * entries that one walk runs are limited together.
 */
#include "io/memory/x64_state.h"

enum { CALL_FRAMES_FILES = 8 };

/* A file, or a mapping that is none: its table is 0. */
struct call_frames_file {
	uint64_t start, end;   /* first address; end of the code */
	uint64_t limit;        /* end of its segments */
	uint64_t table, count; /* of the sorted table */
};

struct call_frames {
	const struct memory *memory;
	struct memory_reader *reader;
	/* The files that were looked at last. */
	struct call_frames_file files[CALL_FRAMES_FILES];
	unsigned next_file;
	uint32_t bytes_left; /* that may still be run */
};

/* Begins a walk; nothing needs to be released. */
void call_frames_begin(struct call_frames *frames, const struct memory *m, struct memory_reader *r);
/*
 * Replaces the registers by those of the caller. `is_exact`: the instruction pointer is where the
 * thread stopped, not behind a call. False: no information, or absent or damaged memory; `state` is
 * unchanged then. An instruction pointer of 0: the frame was the thread's first.
 * *is_signal, which may be NULL, is set if the frame is that of a signal handler's return, so that
 * the caller's instruction pointer is exact, too.
 */
bool call_frames_step(struct call_frames *frames, struct x64_state *state, bool is_exact,
		      bool *is_signal) MUST_USE;

#endif
