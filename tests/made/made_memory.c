#include "tests/made/made_memory.h"
#include "model/base/arena.h"
#include <stdlib.h>

enum { PIECES_MAX = 4096, MAPPINGS_MAX = 64, THREADS_MAX = 64 };

struct piece {
	uint64_t start;
	size_t len;
	uint8_t *bytes;
};

struct made_memory {
	struct memory memory;
	struct piece pieces[PIECES_MAX]; /* by address, apart from each other */
	size_t pieces_count;
	struct memory_mapping mappings[MAPPINGS_MAX];
	struct memory_thread threads[THREADS_MAX];
	bool has_views;
};

/* The piece around an address, or the next one; pieces_count if none is. */
static size_t
piece_at(const struct made_memory *mm, uint64_t address)
{
	size_t i = 0;

	while (i < mm->pieces_count && mm->pieces[i].start + mm->pieces[i].len <= address)
		i++;
	return i;
}

static size_t
made_read(const void *source, uint64_t address, void *to, size_t len)
{
	const struct made_memory *mm = source;
	size_t done = 0, i = piece_at(mm, address);

	for (; done < len && i < mm->pieces_count && mm->pieces[i].start <= address + done; i++) {
		const struct piece *piece = &mm->pieces[i];
		size_t from = (size_t)(address + done - piece->start);
		size_t some = piece->len - from;

		if (some > len - done)
			some = len - done;
		memcpy((uint8_t *)to + done, piece->bytes + from, some);
		done += some;
	}
	return done;
}

static const uint8_t *
made_view(const void *source, uint64_t address, size_t len)
{
	const struct made_memory *mm = source;
	size_t i = piece_at(mm, address);
	const struct piece *piece = &mm->pieces[i];

	if (!mm->has_views || i == mm->pieces_count || piece->start > address ||
	    len > piece->len - (size_t)(address - piece->start))
		return NULL;
	return piece->bytes + (address - piece->start);
}

static void
made_close(void *source)
{
	(void)source;
}

struct made_memory *
made_memory_new(enum memory_machine machine)
{
	static const struct memory_ops ops = { .read = made_read,
					       .view = made_view,
					       .close = made_close };
	struct made_memory *mm = calloc(1, sizeof(*mm));

	if (!mm)
		abort();
	mm->has_views = true;
	mm->memory = (struct memory){
		.ops = &ops,
		.source = mm,
		.name = "the test",
		.is_dump = true,
		.machine = machine,
		.mappings = mm->mappings,
		.threads = mm->threads,
		.sysroot = "",
	};
	return mm;
}

void
made_memory_free(struct made_memory *mm)
{
	for (size_t i = 0; i < mm->pieces_count; i++)
		free(mm->pieces[i].bytes);
	free(mm);
}

const struct memory *
made_memory_open(struct made_memory *mm)
{
	return &mm->memory;
}

void
made_memory_set_views(struct made_memory *mm, bool has_views)
{
	mm->has_views = has_views;
}

static void
piece_insert(struct made_memory *mm, size_t i, uint64_t start, size_t len)
{
	if (mm->pieces_count == PIECES_MAX)
		abort();
	memmove(&mm->pieces[i + 1], &mm->pieces[i], (mm->pieces_count - i) * sizeof(mm->pieces[0]));
	mm->pieces_count++;
	mm->pieces[i] = (struct piece){ start, len, calloc(len, 1) };
	if (!mm->pieces[i].bytes)
		abort();
}

void
made_memory_put(struct made_memory *mm, uint64_t address, const void *bytes, size_t len)
{
	const uint8_t *from = bytes;

	while (len) {
		size_t i = piece_at(mm, address), some = len;
		struct piece *piece = &mm->pieces[i];

		if (i == mm->pieces_count || piece->start > address) {
			if (i < mm->pieces_count && some > piece->start - address)
				some = (size_t)(piece->start - address);
			piece_insert(mm, i, address, some);
		}
		if (some > piece->len - (size_t)(address - piece->start))
			some = piece->len - (size_t)(address - piece->start);
		memcpy(piece->bytes + (address - piece->start), from, some);
		address += some;
		from += some;
		len -= some;
	}
}

void
made_memory_zeros(struct made_memory *mm, uint64_t address, size_t len)
{
	uint8_t *zeros = calloc(len, 1);

	if (!zeros)
		abort();
	made_memory_put(mm, address, zeros, len);
	free(zeros);
}

void
made_memory_lose(struct made_memory *mm, uint64_t address, size_t len)
{
	uint64_t end = address + len;
	size_t i;

	while ((i = piece_at(mm, address)) < mm->pieces_count && mm->pieces[i].start < end) {
		struct piece *piece = &mm->pieces[i], all = *piece;
		uint64_t all_end = all.start + all.len;

		memmove(piece, piece + 1, (--mm->pieces_count - i) * sizeof(*piece));
		if (all_end > end)
			made_memory_put(mm, end, all.bytes + (end - all.start),
					(size_t)(all_end - end));
		if (all.start < address)
			made_memory_put(mm, all.start, all.bytes, (size_t)(address - all.start));
		free(all.bytes);
	}
}

void
made_memory_u8(struct made_memory *mm, uint64_t address, uint8_t value)
{
	made_memory_put(mm, address, &value, 1);
}

static void
made_number(struct made_memory *mm, uint64_t address, uint64_t value, size_t len)
{
	uint8_t bytes[8];

	for (size_t i = 0; i < len; i++)
		bytes[i] = (uint8_t)(value >> 8 * i);
	made_memory_put(mm, address, bytes, len);
}

void
made_memory_u16(struct made_memory *mm, uint64_t address, uint16_t value)
{
	made_number(mm, address, value, 2);
}

void
made_memory_u32(struct made_memory *mm, uint64_t address, uint32_t value)
{
	made_number(mm, address, value, 4);
}

void
made_memory_u64(struct made_memory *mm, uint64_t address, uint64_t value)
{
	made_number(mm, address, value, 8);
}

void
made_memory_map(struct made_memory *mm, uint64_t start, uint64_t end, uint64_t file_offset,
		unsigned flags, const char *name)
{
	size_t i = mm->memory.mappings_count++;

	if (i == MAPPINGS_MAX)
		abort();
	for (; i && mm->mappings[i - 1].start > start; i--)
		mm->mappings[i] = mm->mappings[i - 1];
	mm->mappings[i] = (struct memory_mapping){ start, end, file_offset, name, flags };
}

void
made_memory_thread(struct made_memory *mm, int32_t tid, uint64_t sp, uint64_t pc)
{
	size_t i = 0;

	while (i < mm->memory.threads_count && mm->threads[i].tid != tid)
		i++;
	if (i == THREADS_MAX)
		abort();
	if (i == mm->memory.threads_count)
		mm->memory.threads_count++;
	mm->threads[i] = (struct memory_thread){
		.tid = tid,
		.sp = sp,
		.pc = pc,
		.registers = { sp, pc },
		.registers_count = 2,
		.name = "",
	};
}

const uint8_t *
made_memory_piece(const struct made_memory *mm, size_t i, uint64_t *address, size_t *len)
{
	if (i >= mm->pieces_count)
		return NULL;
	*address = mm->pieces[i].start;
	*len = mm->pieces[i].len;
	return mm->pieces[i].bytes;
}
