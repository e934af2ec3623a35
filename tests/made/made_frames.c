#include "tests/made/made_frames.h"
#include <elf.h>
#include <string.h>

enum {
	HEAD_BYTES = 64,
	SEGMENT_BYTES = 56,
	FILE_BYTES = 0x2000,
	STACK_BYTES = 0x1000,
	ENCODING = 0x1b,
	COLUMN = 16
};

/* Bytes that are put one behind the other. */
struct writing {
	struct made_memory *memory;
	uint64_t at;
};

static void
put(struct writing *w, uint64_t value, unsigned len)
{
	for (unsigned i = 0; i < len; i++)
		made_memory_u8(w->memory, w->at++, (uint8_t)(value >> 8 * i));
}

static void
put_segment(struct made_memory *mm, unsigned i, uint32_t type, uint64_t address, uint64_t size)
{
	uint64_t at = MADE_FRAMES + HEAD_BYTES + i * SEGMENT_BYTES;

	made_memory_u32(mm, at, type);
	made_memory_u64(mm, at + 8, address);
	made_memory_u64(mm, at + 16, address);
	made_memory_u64(mm, at + 32, size);
	made_memory_u64(mm, at + 40, size);
}

static void
put_head(struct made_memory *mm)
{
	made_memory_put(mm, MADE_FRAMES, ELFMAG "\2\1\1", SELFMAG + 3);
	made_memory_u64(mm, MADE_FRAMES + 32, HEAD_BYTES);
	made_memory_u16(mm, MADE_FRAMES + 54, SEGMENT_BYTES);
	made_memory_u16(mm, MADE_FRAMES + 56, 2);
	put_segment(mm, 0, PT_LOAD, 0, FILE_BYTES);
	put_segment(mm, 1, PT_GNU_EH_FRAME, MADE_FRAMES_TABLE - MADE_FRAMES, 12 + 2 * 8);
}

static void
put_table(struct made_memory *mm)
{
	static const uint64_t rows[][2] = {
		{ MADE_FRAMES_CODE, MADE_FRAMES_ENTRY },
		{ MADE_FRAMES_CODE + MADE_SECOND_FUNCTION, MADE_FRAMES_SECOND },
	};
	struct writing w = { mm, MADE_FRAMES_TABLE };

	put(&w, 0x3b031b01, 4);
	put(&w, MADE_FRAMES_COMMON - w.at, 4);
	put(&w, 2, 4);
	for (unsigned i = 0; i < 2; i++) {
		put(&w, rows[i][0] - MADE_FRAMES_TABLE, 4);
		put(&w, rows[i][1] - MADE_FRAMES_TABLE, 4);
	}
}

static unsigned
address_bytes(uint8_t encoding)
{
	return encoding & 0xf && (encoding & 7) != 4 ? 4 : 8;
}

static uint8_t
encoding_of(const struct made_frames *f)
{
	if (f->augmentation && !strchr(f->augmentation, 'R'))
		return 0;
	return f->encoding ? f->encoding : ENCODING;
}

static void
put_augmentation(struct writing *w, const struct made_frames *f, const char *letters)
{
	uint64_t start = w->at++;

	for (const char *letter = letters + 1; *letter; letter++) {
		if (*letter == 'P') {
			put(w, 0x9b, 1);
			put(w, 0x3e3e3e3e, 4);
		} else if (*letter != 'S') {
			put(w, *letter == 'R' ? encoding_of(f) : 0x1b, 1);
		}
	}
	made_memory_u8(w->memory, start, (uint8_t)(w->at - start - 1));
}

/* Units of 1 and -8; the frame's address is 8 above the stack pointer. */
static void
put_common(struct made_memory *mm, const struct made_frames *f)
{
	struct writing w = { mm, MADE_FRAMES_COMMON + 4 };
	const char *letters = f->augmentation ? f->augmentation : "zR";

	put(&w, 0, 4);
	put(&w, f->version ? f->version : 1, 1);
	made_memory_put(mm, w.at, letters, strlen(letters) + 1);
	w.at += strlen(letters) + 1;
	put(&w, 1, 1);
	put(&w, 0x78, 1);
	put(&w, f->column ? f->column : COLUMN, 1);
	if (letters[0] == 'z')
		put_augmentation(&w, f, letters);
	put(&w, 0x0c | 7 << 8 | 8 << 16, 3);
	put(&w, 0x80 | COLUMN | 1 << 8, 2);
	made_memory_u32(mm, MADE_FRAMES_COMMON, (uint32_t)(w.at - MADE_FRAMES_COMMON - 4));
}

/* The data of its augmentation are bytes that are no instructions. */
static void
put_entry(struct made_memory *mm, uint64_t at, uint64_t function, const struct made_frames *f)
{
	struct writing w = { mm, at + 4 };
	uint8_t encoding = encoding_of(f);

	put(&w, w.at - MADE_FRAMES_COMMON, 4);
	put(&w, encoding & 0x10 ? function - w.at : function, address_bytes(encoding));
	put(&w, MADE_FUNCTION_BYTES, address_bytes(encoding));
	if (!f->augmentation || f->augmentation[0] == 'z') {
		unsigned len = f->augmentation && strchr(f->augmentation, 'L') ? 4 : 0;

		put(&w, len, 1);
		put(&w, 0x3e3e3e3e, len);
	}
	if (f->len)
		made_memory_put(mm, w.at, f->program, f->len);
	made_memory_u32(mm, at, (uint32_t)(w.at + f->len - at - 4));
}

uint64_t
made_frames_word(uint64_t address)
{
	return UINT64_C(0x600000000000) + address - MADE_FRAMES_STACK;
}

/* At once: a fuzz target makes it for each input. */
static void
put_stack(struct made_memory *mm)
{
	uint8_t bytes[STACK_BYTES];

	for (size_t i = 0; i < STACK_BYTES; i++)
		bytes[i] = (uint8_t)(made_frames_word(MADE_FRAMES_STACK + (i & ~(size_t)7)) >>
				     8 * (i & 7));
	made_memory_put(mm, MADE_FRAMES_STACK, bytes, sizeof(bytes));
}

struct made_memory *
made_frames_new(const struct made_frames *frames)
{
	struct made_memory *mm = made_memory_new(MEMORY_X64);
	struct made_frames second = *frames;

	second.len = 0;
	made_memory_zeros(mm, MADE_FRAMES, FILE_BYTES);
	put_head(mm);
	put_table(mm);
	put_common(mm, frames);
	put_entry(mm, MADE_FRAMES_ENTRY, MADE_FRAMES_CODE, frames);
	put_entry(mm, MADE_FRAMES_SECOND, MADE_FRAMES_CODE + MADE_SECOND_FUNCTION, &second);
	put_stack(mm);
	made_memory_map(mm, MADE_FRAMES, MADE_FRAMES_CODE, 0, MEMORY_READ | MEMORY_FILE, "/lib");
	made_memory_map(mm, MADE_FRAMES_CODE, MADE_FRAMES + FILE_BYTES, 0x1000,
			MEMORY_READ | MEMORY_EXECUTE | MEMORY_FILE, "/lib");
	return mm;
}

void
made_frames_state(struct x64_state *state, uint64_t ip)
{
	*state = (struct x64_state){ .ip = ip };
	for (uint64_t i = 0; i < X64_REGISTERS; i++)
		state->value[i] = i << 8;
	state->value[X64_RSP] = MADE_FRAMES_STACK + MADE_SP;
	state->value[X64_RBP] = MADE_FRAMES_STACK + MADE_BP;
}
