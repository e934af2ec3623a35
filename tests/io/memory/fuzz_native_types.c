/*
 * Any bytes as a program of Native AOT: whatever its symbols are, each type has a name that grows
 * with its symbol only.
 */
#include "tests/drive/fuzz.h"
#include "io/memory/elf_symbols.h"
#include "io/memory/native_types.h"
#include "io/pe/name_spelling.h"

enum { INPUT_MAX = 64 << 10, OFFSETS = 256 };

static void
ask(const struct native_types *t, uint64_t offset, size_t size)
{
	struct error err = { 0 };
	struct native_name n;
	struct arena a;

	arena_init(&a, 0);
	if (!native_types_name(t, offset, &a, &n, &err))
		fuzz_fail("no name", &err);
	if (native_types_has(t, offset) != (n.name != NULL))
		fuzz_fail("a type without a name, or a name of no type", NULL);
	if (n.name && (!n.module || strlen(n.name) > 4 * size + 64))
		fuzz_fail("no module, or an endless name", NULL);
	if (n.name && !name_spell(n.name, &a, &err))
		fuzz_fail("no spelling", &err);
	arena_clear(&a);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error err = { 0 };
	struct elf_symbols all;
	struct native_types *t;

	if (size > INPUT_MAX)
		return 0;
	(void)native_types_is_program(data, size);
	(void)elf_debug_link(data, size);
	t = native_types_read(data, size, "shop", &err);
	if (err.kind != ERROR_NONE)
		fuzz_fail("an error", &err);
	if (!t)
		return 0;
	if (!elf_symbols_open(&all, data, size, ELF_ALL_SYMBOLS))
		fuzz_fail("types without symbols", NULL);
	for (size_t i = 0; i < all.count && i < OFFSETS; i++) {
		uint64_t offset;

		(void)elf_symbols_get(&all, i, &offset);
		ask(t, offset, size);
	}
	native_types_free(t);
	return 0;
}
