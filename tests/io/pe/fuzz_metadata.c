/*
 * Any bytes as a module: every question has an answer, and names are no longer than 64 types around
 * each other can be.
 */
#include "tests/drive/fuzz.h"
#include "io/pe/metadata_fields.h"
#include <string.h>

enum { TYPES_MAX = 300, FIELDS_MAX = 300, PARAMETERS_MAX = 32, NAME_MAX_BYTES = 66 * 1024 };

static void
ask_types(const struct metadata *m, struct arena *a)
{
	struct error err = { 0 };

	for (uint32_t i = 0; i < TYPES_MAX; i++) {
		struct arena_mark mark = arena_mark(a);
		const char *name = metadata_type_name(m, 0x02000000 | i, a, &err);

		if (name && strlen(name) > NAME_MAX_BYTES)
			fuzz_fail("an endless name", NULL);
		if (name && metadata_type_is(m, 0x02000000 | i, name, a) != METADATA_YES)
			fuzz_fail("a type is not itself", NULL);
		(void)metadata_type_is(m, 0x02000000 | i, "System.IDisposable", a);
		arena_reset(a, mark);
	}
	if (err.kind != ERROR_NONE)
		fuzz_fail(err.message, NULL);
}

static void
ask_statics(const struct metadata *m, struct arena *a)
{
	struct error err = { 0 };
	const char *name;
	uint32_t row = 0;

	for (int i = 0; i < FIELDS_MAX && metadata_next_static(m, &row, &name); i++) {
		struct arena_mark mark = arena_mark(a);
		struct metadata_static field;

		if (strlen(name) > NAME_MAX_BYTES)
			fuzz_fail("an endless name", NULL);
		if (!metadata_static_read(m, row, &field, a, &err))
			fuzz_fail(err.message, NULL);
		if (!field.declaring || !field.type)
			fuzz_fail("a field without a type", NULL);
		arena_reset(a, mark);
	}
}

static void
ask_field(const struct metadata *m, uint32_t row, struct arena *a)
{
	static const char *const arguments[] = { "System.Int32", NULL };
	struct arena_mark mark = arena_mark(a);
	struct error err = { 0 };
	uint64_t value;
	const char *type;

	if (strlen(metadata_field_name(m, row)) > NAME_MAX_BYTES)
		fuzz_fail("an endless name", NULL);
	type = metadata_field_type(m, row, arguments, 2, a, &err);
	if (err.kind != ERROR_NONE)
		fuzz_fail(err.message, NULL);
	if (type && (!*type || strlen(type) > NAME_MAX_BYTES))
		fuzz_fail("no type, or an endless one", NULL);
	(void)metadata_field_constant(m, row, &value);
	arena_reset(a, mark);
}

static void
ask_method(const struct metadata *m, uint32_t row, struct arena *a)
{
	static const char *const names[] = { "System.Int32", NULL };
	const struct metadata_arguments given = { names, names, 2, 2 };
	struct arena_mark mark = arena_mark(a);
	const char *types[PARAMETERS_MAX];
	struct error err = { 0 };
	uint32_t count = metadata_method_parameters(m, row, &given, types, PARAMETERS_MAX, a, &err);

	if (err.kind != ERROR_NONE)
		fuzz_fail(err.message, NULL);
	for (uint32_t i = 0; i < PARAMETERS_MAX && count != UINT32_MAX && i < count; i++)
		if (!*types[i] || strlen(types[i]) > NAME_MAX_BYTES)
			fuzz_fail("no type, or an endless one", NULL);
	arena_reset(a, mark);
}

static void
ask_fields(const struct metadata *m, struct arena *a)
{
	for (uint32_t i = 0; i < TYPES_MAX; i++) {
		uint32_t token = 0x02000000 | i, first, end;

		(void)metadata_is_flags(m, token);
		if (metadata_fields_of(m, token, &first, &end) && (!first || first > end))
			fuzz_fail("no such fields", NULL);
	}
	for (uint32_t row = 0; row < FIELDS_MAX; row++)
		ask_field(m, row, a);
	for (uint32_t row = 0; row < FIELDS_MAX; row++)
		ask_method(m, row, a);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct metadata *m;
	struct arena a;
	struct error err = { 0 };

	m = metadata_open(data, size, &err);
	if ((m == NULL) != (err.kind != ERROR_NONE))
		fuzz_fail("neither metadata nor an error, or both", NULL);
	if (!m)
		return 0;
	arena_init(&a, 0);
	ask_types(m, &a);
	ask_statics(m, &a);
	ask_fields(m, &a);
	arena_clear(&a);
	metadata_close(m);
	return 0;
}
