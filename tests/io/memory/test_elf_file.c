/* Files of ELF by address, with pointers as a loader would leave them. */
#include "io/memory/elf_file.h"
#include "tests/drive/run_tests.h"
#include <elf.h>
#include <string.h>

enum {
	FILE_BYTES = 0x1000,
	SEGMENTS = 2,
	SEGMENT_AT = 0x10000, /* the first byte's address */
	DYNAMIC = 0x200,
	RELOCATIONS = 0x400,
	PACKED = 0x500,
	WORDS = 0x800,
	EMPTY = 0xa00,
	BIAS = 0x7000000,
};

struct made {
	uint8_t bytes[FILE_BYTES];
};

static void
put(struct made *m, size_t at, uint64_t value, size_t len)
{
	for (size_t i = 0; i < len; i++)
		m->bytes[at + i] = (uint8_t)(value >> 8 * i);
}

static void
put_tag(struct made *m, unsigned number, uint64_t tag, uint64_t value)
{
	put(m, DYNAMIC + 16 * number, tag, 8);
	put(m, DYNAMIC + 16 * number + 8, value, 8);
}

static void
put_segment(struct made *m, unsigned number, uint32_t type, uint64_t at, uint64_t len)
{
	size_t record = 64 + 56 * (size_t)number;

	put(m, record, type, 4);
	put(m, record + 8, at, 8);
	put(m, record + 16, SEGMENT_AT + at, 8);
	put(m, record + 32, len, 8);
	put(m, record + 40, len, 8);
}

/* Word 0 by the long list, 1 and 3 by the packed one, 2 as it is. */
static void
make(struct made *m, uint16_t machine, uint32_t relative)
{
	memset(m, 0, sizeof(*m));
	memcpy(m->bytes, ELFMAG, SELFMAG);
	m->bytes[EI_CLASS] = ELFCLASS64;
	m->bytes[EI_DATA] = ELFDATA2LSB;
	put(m, 18, machine, 2);
	put(m, 32, 64, 8);
	put(m, 54, 56, 2);
	put(m, 56, SEGMENTS, 2);
	put_segment(m, 0, PT_LOAD, 0, FILE_BYTES);
	put_segment(m, 1, PT_DYNAMIC, DYNAMIC, 0x100);
	put_tag(m, 0, DT_RELA, SEGMENT_AT + RELOCATIONS);
	put_tag(m, 1, DT_RELASZ, 48);
	put_tag(m, 2, 36, SEGMENT_AT + PACKED);
	put_tag(m, 3, 35, 16);
	put(m, RELOCATIONS, SEGMENT_AT + WORDS, 8);
	put(m, RELOCATIONS + 8, relative, 8);
	put(m, RELOCATIONS + 16, 0x123, 8);
	put(m, RELOCATIONS + 24, SEGMENT_AT + WORDS + 16, 8);
	put(m, RELOCATIONS + 32, relative + 1, 8); /* of another kind */
	put(m, PACKED, SEGMENT_AT + WORDS + 8, 8);
	put(m, PACKED + 8, 1 | 1 << 2, 8); /* the second behind it */
	for (unsigned i = 0; i < 4; i++)
		put(m, WORDS + 8 * i, 0x1000 + i, 8);
}

TEST(relocates)
{
	static const struct {
		uint16_t machine;
		uint32_t relative;
	} rows[] = { { EM_X86_64, R_X86_64_RELATIVE }, { EM_AARCH64, R_AARCH64_RELATIVE } };
	static struct made m;

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		uint64_t words[4];
		struct elf_file f;

		make(&m, rows[i].machine, rows[i].relative);
		assert_true(elf_file_open(&f, m.bytes, sizeof(m.bytes)));
		assert_true(elf_file_words(&f, SEGMENT_AT + WORDS, BIAS, words, 4));
		assert_int_equal(words[0], BIAS + 0x123);
		assert_int_equal(words[1], BIAS + 0x1001);
		assert_int_equal(words[2], 0x1002);
		assert_int_equal(words[3], BIAS + 0x1003);
		assert_false(elf_file_words(&f, SEGMENT_AT + FILE_BYTES - 8, BIAS, words, 2));
		assert_false(elf_file_words(&f, 0, BIAS, words, 1));
		assert_null(elf_file_view(&f, SEGMENT_AT + 8, FILE_BYTES));
		assert_ptr_equal(elf_file_view(&f, SEGMENT_AT + 8, 8), m.bytes + 8);
	}
}

/* One that is damaged may have thousands: only the first is looked at. */
TEST(has_one_dynamic_table)
{
	static struct made m;
	uint64_t word;
	struct elf_file f;

	make(&m, EM_X86_64, R_X86_64_RELATIVE);
	put(&m, 56, SEGMENTS + 1, 2);
	put_segment(&m, SEGMENTS, PT_DYNAMIC, EMPTY, 0x100);
	assert_true(elf_file_open(&f, m.bytes, sizeof(m.bytes)));
	assert_int_equal(f.relocations_count, 2);
	assert_true(elf_file_words(&f, SEGMENT_AT + WORDS, BIAS, &word, 1));
	assert_int_equal(word, BIAS + 0x123);
}

/* Whatever a byte says, all stays inside; or it is no file. */
TEST(survives_damage)
{
	static const uint8_t wrong[] = { 0, 1, 0x7f, 0x80, 0xff };
	static struct made m;

	for (size_t at = 0; at < WORDS; at++)
		for (size_t i = 0; i < sizeof(wrong); i++) {
			uint64_t words[4];
			struct elf_file f;

			make(&m, EM_X86_64, R_X86_64_RELATIVE);
			m.bytes[at] = wrong[i];
			if (elf_file_open(&f, m.bytes, sizeof(m.bytes)))
				(void)!elf_file_words(&f, SEGMENT_AT + WORDS, BIAS, words, 4);
		}
	for (size_t len = 0; len < FILE_BYTES; len += 7) {
		struct elf_file f;

		make(&m, EM_X86_64, R_X86_64_RELATIVE);
		(void)!elf_file_open(&f, m.bytes, len);
	}
}
