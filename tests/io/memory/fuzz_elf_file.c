/*
 * Any bytes as a runtime's file: opened, asked for words as a loader would leave them, and for what
 * the runtime tells of itself there. The first 8 bytes of the input are the address of that.
 */
#include "tests/drive/fuzz.h"
#include "io/runtime/descriptor.h"
#include <stdlib.h>

enum { ADDRESS_BYTES = 8, INPUT_MAX = 64 << 10, WORDS = 32 };
#define BIAS UINT64_C(0x7f0000000000)

static void
ask(struct elf_file *f, const uint8_t *data, size_t size, uint64_t address)
{
	const uint8_t *view = elf_file_view(f, address, WORDS);
	uint64_t words[WORDS] = { 0 };
	struct clr_descriptor d = { 0 };
	bool is_damaged;

	if (view && (view < data || view > data + size - WORDS))
		abort();
	(void)!elf_file_words(f, address, BIAS, words, WORDS);
	if (clr_descriptor_open_file(&d, f, BIAS, BIAS + address, &is_damaged) && !d.root)
		abort();
	clr_descriptor_close(&d);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct elf_file f;

	if (size < ADDRESS_BYTES || size > INPUT_MAX)
		return 0;
	if (elf_file_open(&f, data + ADDRESS_BYTES, size - ADDRESS_BYTES))
		ask(&f, data + ADDRESS_BYTES, size - ADDRESS_BYTES, bytes_load_u64(data));
	return 0;
}
