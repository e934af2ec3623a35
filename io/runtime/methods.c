#include "io/pe/metadata_fields.h"
#include "io/pe/name_spelling.h"
#include "model/heap/names.h"
#include "io/runtime/method_record.h"
#include "io/runtime/methods.h"

enum {
	STUB_BYTES = 16,
	JUMP_BYTES = 6,
	LOAD_BYTES = 7,
	PLACES_MAX = 16,        /* of one record: twice the largest seen */
	RECORDS_PER_METHOD = 4, /* one more for an unboxing stub and so on */
	METHOD_TOKEN = 0x06000000,
	NO_SLOT = UINT16_MAX,
};

/* ldr x12, literal: the offset is in units of 4 bytes. */
static uint64_t
literal_of_arm64(const uint8_t *bytes, uint64_t code)
{
	for (size_t i = 0; i < STUB_BYTES; i += 4) {
		uint32_t word = bytes_load_u32(bytes + i);

		if ((word & 0xff00001f) == 0x5800000c)
			return code + i + (uint64_t)((int64_t)(int32_t)(word << 8) >> 13) * 4;
	}
	return 0;
}

static uint64_t
literal_of_x64(const uint8_t *bytes, uint64_t code)
{
	size_t at = bytes[0] == 0xff && bytes[1] == 0x25 ? JUMP_BYTES : 0;

	if (bytes[at] != 0x4c || bytes[at + 1] != 0x8b || bytes[at + 2] != 0x15)
		return 0;
	return code + at + LOAD_BYTES + (uint64_t)(int32_t)bytes_load_u32(bytes + at + 3);
}

bool
clr_method_at(const struct clr_names *n, uint64_t code, struct clr_method *out, struct error *err)
{
	uint8_t bytes[STUB_BYTES];
	uint64_t literal, record;

	*out = (struct clr_method){ .name = "" };
	if (!memory_read(n->reader, code, bytes, sizeof(bytes)))
		return false;
	literal = memory_reader_memory(n->reader)->machine == MEMORY_ARM64
		      ? literal_of_arm64(bytes, code)
		      : literal_of_x64(bytes, code);
	return literal && memory_u64(n->reader, literal, &record) &&
	       clr_method_of_record(n, record, out, err);
}

static bool
read_short(const struct clr_names *n, uint64_t record, enum clr_field field, uint32_t *out)
{
	uint32_t offset = n->layout->offset[field];
	uint16_t value;

	if (offset == CLR_ABSENT || !memory_u16(n->reader, record + offset, &value))
		return false;
	*out = value;
	return true;
}

bool
clr_method_of_record(const struct clr_names *n, uint64_t record, struct clr_method *out,
		     struct error *err)
{
	const struct clr_module *module;
	uint32_t row, first, end;
	uint64_t table;

	*out = (struct clr_method){ .name = "" };
	if (!clr_method_record_read(n->reader, record, &table, &row))
		return false;
	module = clr_modules_find(n->modules, clr_name_module(n, table), err);
	if (!module || !module->metadata ||
	    !metadata_methods_of(module->metadata, clr_name_token(n, table), &first, &end) ||
	    row < first || row >= end)
		return false;
	out->table = table;
	out->row = row;
	out->name = metadata_method_name(module->metadata, row);
	return *out->name != '\0';
}

/* --- generic and dynamic methods --- */

enum method_kind { METHOD_INSTANTIATED = 5, METHOD_DYNAMIC = 7 };

static bool
is_of_kind(const struct clr_names *n, uint64_t record, enum method_kind kind)
{
	enum { KIND_MASK = 7 };
	uint32_t flags;

	return read_short(n, record, CLR_METHOD_FLAGS, &flags) && (flags & KIND_MASK) == kind;
}

enum { METHOD_ARGUMENTS_MAX = 16, PARAMETERS_MAX = 32 };

/* The type handles of a generic method's arguments. Returns their number; 0: none, or absent. */
static unsigned
method_handles(const struct clr_names *n, uint64_t record, uint64_t handles[METHOD_ARGUMENTS_MAX])
{
	uint32_t count;
	uint64_t list;

	if (!is_of_kind(n, record, METHOD_INSTANTIATED) ||
	    !read_short(n, record, CLR_GENERIC_METHOD_COUNT, &count) ||
	    count > METHOD_ARGUMENTS_MAX ||
	    !clr_u64(n->layout, n->reader, record, CLR_GENERIC_METHOD_ARGUMENTS, &list))
		return 0;
	for (uint32_t i = 0; i < count; i++)
		if (!memory_u64(n->reader, list + 8 * (uint64_t)i, &handles[i]))
			return 0;
	return count;
}

const char *
clr_method_arguments(const struct clr_names *n, uint64_t record, struct arena *a, struct error *err)
{
	uint64_t handles[METHOD_ARGUMENTS_MAX];
	unsigned count = method_handles(n, record, handles), ignored;
	const char *text = "";

	for (unsigned i = 0; i < count && text; i++) {
		const char *name = clr_name_of(n, handles[i], a, &ignored, err);

		text = name ? arena_printf(a, err, "%s%s%s", text, i ? "," : "<", name) : NULL;
	}
	return text && *text ? arena_printf(a, err, "%s>", text) : text;
}

/* --- parameters --- */

/* Spells type handles for signatures; a doubtful name is left out. */
static bool
spell_handles(const struct clr_names *n, const uint64_t *handles, unsigned count,
	      const char **names, struct arena *a, struct error *err)
{
	unsigned flags;

	for (unsigned i = 0; i < count; i++) {
		names[i] = clr_name_raw(n, handles[i], a, &flags, err);
		if (!names[i])
			return false;
		if (flags)
			names[i] = NULL;
	}
	return true;
}

/* Returns the number of parameters; UINT32_MAX: unknown, or `err` is set. */
static uint32_t
read_parameters(const struct clr_names *n, uint64_t record, const struct clr_method *method,
		const char *out[PARAMETERS_MAX], struct arena *a, struct error *err)
{
	const struct clr_module *module =
	    clr_modules_find(n->modules, clr_name_module(n, method->table), err);
	uint64_t of_type[CLR_ARGUMENTS_MAX], of_method[METHOD_ARGUMENTS_MAX];
	const char *type_names[CLR_ARGUMENTS_MAX], *method_names[METHOD_ARGUMENTS_MAX];
	struct metadata_arguments given = { .of_type = type_names, .of_method = method_names };

	if (!module || !module->metadata)
		return UINT32_MAX;
	given.of_type_count = clr_name_arguments(n, method->table, of_type);
	given.of_method_count = method_handles(n, record, of_method);
	if (!spell_handles(n, of_type, given.of_type_count, type_names, a, err) ||
	    !spell_handles(n, of_method, given.of_method_count, method_names, a, err))
		return UINT32_MAX;
	return metadata_method_parameters(module->metadata, method->row, &given, out,
					  PARAMETERS_MAX, a, err);
}

const char *
clr_method_parameters(const struct clr_names *n, uint64_t record, const struct clr_method *method,
		      struct arena *a, struct error *err)
{
	const char *types[PARAMETERS_MAX], *text = "(";
	uint32_t count = read_parameters(n, record, method, types, a, err);

	if (count == UINT32_MAX)
		return err->kind == ERROR_NONE ? "" : NULL;
	for (uint32_t i = 0; i < count && text; i++) {
		const char *spelt = name_spell(types[i], a, err);
		struct display_name shown;

		if (!spelt || !name_display(spelt, a, &shown, err))
			return NULL;
		text = arena_printf(a, err, "%s%s%s", text, i ? ", " : "", shown.brief);
	}
	return text ? arena_printf(a, err, "%s)", text) : NULL;
}

const char *
clr_method_dynamic_name(const struct clr_names *n, uint64_t record, struct arena *a,
			struct error *err)
{
	enum { NAME_BYTES = 256 };
	char name[NAME_BYTES] = "";
	uint64_t at;

	if (is_of_kind(n, record, METHOD_DYNAMIC) &&
	    clr_u64(n->layout, n->reader, record, CLR_DYNAMIC_METHOD_NAME, &at) &&
	    !memory_text(n->reader, at, name, sizeof(name)))
		name[0] = '\0';
	return arena_printf(a, err, "%s", name);
}

/* --- methods of a class -------------------------------------------------- */

/* The state of clr_methods_read(). */
struct class_methods {
	const struct clr_names *names;
	const struct metadata *metadata;
	uint64_t table;
	uint32_t first, end; /* MethodDef rows of the class */
	uint32_t room;       /* capacity of out->items */
	uint32_t slots;      /* upper bound for the method table */
	struct content_methods *out;
	struct arena *arena;
	struct error *err;
};

/* False: no record starts at this position of the chunk. Inside a record, the word that would be
 * its slot is usually part of a pointer, and too large. */
static bool
read_record(struct class_methods *m, uint64_t record, uint8_t wanted_place)
{
	struct memory_reader *r = m->names->reader;
	uint64_t table;
	uint16_t slot;
	uint8_t place;
	uint32_t row;

	if (!memory_u8(r, record + 2, &place) || place != wanted_place ||
	    !memory_u16(r, record + 4, &slot) || (slot >= m->slots && slot != NO_SLOT) ||
	    !clr_method_record_read(r, record, &table, &row) || row < m->first || row >= m->end)
		return false;
	m->out->items[m->out->count++] =
	    (struct content_declared){ record, METHOD_TOKEN | row,
				       arena_printf(m->arena, m->err, "%s",
						    metadata_method_name(m->metadata, row)) };
	return true;
}

/* *next is 0 after the last chunk. False: not a chunk of the class. */
static bool
read_chunk(struct class_methods *m, uint64_t chunk, uint64_t *next)
{
	struct memory_reader *r = m->names->reader;
	uint32_t left, end;
	uint64_t table;
	uint8_t last, count;

	if (!memory_u64(r, chunk, &table) || table != m->table || !memory_u64(r, chunk + 8, next) ||
	    !memory_u8(r, chunk + 16, &last) || !memory_u8(r, chunk + 17, &count))
		return false;
	left = count + 1U;
	end = left * PLACES_MAX <= last ? left * PLACES_MAX : last + 1U;
	m->out->recorded_count += left;
	for (uint32_t place = 0; left && place < end && m->out->count < m->room; place++)
		left -= read_record(m, chunk + CLR_CHUNK_BYTES + CLR_PLACE_BYTES * (uint64_t)place,
				    (uint8_t)place);
	return true;
}

bool
clr_methods_read(const struct clr_names *n, const struct content_table *table,
		 struct content_methods *out, struct arena *a, struct error *err)
{
	struct class_methods m = { .names = n, .out = out, .arena = a, .err = err };
	const struct clr_module *module = clr_modules_find(n->modules, table->module, err);
	uint64_t chunk = 0;

	*out = (struct content_methods){ 0 };
	if (!module)
		return false;
	m.metadata = module->metadata;
	m.table = table->canonical;
	if (!m.metadata || !metadata_methods_of(m.metadata, table->token, &m.first, &m.end))
		return error_set(err, ERROR_USAGE, "no methods of %.100s are known: %s",
				 table->name,
				 m.metadata ? "it declares none" : "its metadata is missing");
	m.room = RECORDS_PER_METHOD * (m.end - m.first);
	m.slots = table->virtuals_count + m.room;
	out->items = arena_array(a, struct content_declared, m.room, err);
	if (!out->items)
		return false;
	(void)!clr_u64(n->layout, n->reader, table->record, CLR_CLASS_METHODS, &chunk);
	/* A cyclic chain ends once it claims more methods than are possible. */
	while (chunk && out->recorded_count < m.room && read_chunk(&m, chunk, &chunk))
		;
	return err->kind == ERROR_NONE;
}
