#include "io/runtime/method_table.h"
#include "io/runtime/fields.h"
#include <inttypes.h>

enum {
	BASE_MIN = 16, /* open generic types; objects have 24 or more */
	RECORDS_MAX = 1 << 16,
	PARENTS_MAX = 256,
	ARRAY_BASE_BYTES = 24,
	BOUNDS_BYTES = 8, /* per dimension */
	RANK_MAX = 32,
	IS_SZ_ARRAY = 0x20000,
	SERIES_MAX = 1 << 16,
};

struct reading {
	struct content_table *out;
	const struct clr_runtime *rt;
	const struct clr_names *names;
	struct arena *arena;
	struct error *err;
};

static bool
not_a_table(const struct reading *t, const char *why)
{
	return error_set(t->err, ERROR_USAGE, "no method table is at %" PRIx64 ": %s",
			 t->out->address, why);
}

/* Checks what only a method table has; it carries no marker. */
static bool
check_table(const struct reading *t)
{
	const struct clr_layout *l = &t->rt->layout;
	struct memory_reader *r = t->rt->reader;
	struct content_table *out = t->out;

	if (out->address % 8)
		return not_a_table(t, "it is not a multiple of 8");
	if (!clr_table_flags(t->rt, out->address, &out->flags) ||
	    !clr_u32(l, r, out->address, CLR_MT_BASE_SIZE, &out->base_bytes))
		return not_a_table(t, "it is not in memory");
	if (out->address == t->rt->free_table)
		return true;
	if (clr_class_find(l, r, out->address, &out->canonical, &out->record) != CLR_CLASS_FOUND ||
	    out->base_bytes < BASE_MIN)
		return not_a_table(t, "its class does not point back to it");
	return true;
}

static const char *
category_of(uint32_t flags)
{
	static const char *const categories[16] = {
		[0x0] = "class",          [0x4] = "struct",
		[0x5] = "Nullable",       [0x6] = "primitive struct",
		[0x7] = "primitive type", [0x8] = "multi-dimensional array",
		[0x9] = "array",          [0xa] = "array",
		[0xb] = "array",          [0xc] = "interface",
	};
	const char *category = categories[(flags & CLR_MT_CATEGORY) >> 16];

	return category ? category : "class";
}

static bool
read_flags(const struct reading *t)
{
	struct content_table *out = t->out;
	uint64_t word;

	if (out->flags & CLR_MT_HAS_COMPONENTS)
		out->component_bytes = out->flags & UINT16_MAX;
	if ((out->flags & CLR_MT_ARRAY_MASK) == CLR_MT_ARRAY && out->base_bytes >= ARRAY_BASE_BYTES)
		out->rank = out->flags & IS_SZ_ARRAY
				? 1
				: (out->base_bytes - ARRAY_BASE_BYTES) / BOUNDS_BYTES;
	if (out->rank > RANK_MAX)
		return not_a_table(t, "it would be an array of too many dimensions");
	out->category = category_of(out->flags);
	out->has_references = out->flags & CLR_MT_HAS_POINTERS;
	out->has_finalizer = out->flags & CLR_MT_HAS_FINALIZER;
	out->is_collectible = clr_is_collectible(&t->rt->layout, out->flags);
	if (out->has_references && memory_u64(t->rt->reader, out->address - 8, &word) &&
	    (int64_t)word > -SERIES_MAX && (int64_t)word < SERIES_MAX)
		out->series_count = (int64_t)word;
	return true;
}

static void
count_records(const struct reading *t, uint64_t class, uint64_t owner)
{
	struct memory_reader *r = t->rt->reader;
	struct clr_field_record record;
	struct clr_fields fields;

	clr_fields_open(&t->rt->layout, r, owner, class, &fields);
	for (uint32_t i = 0; i < RECORDS_MAX && clr_fields_next(r, &fields, &record); i++) {
		if (!record.is_static)
			t->out->fields_count++;
		else if (owner == t->out->canonical)
			t->out->statics_count++;
	}
}

/* .NET 8 packs the counts, so there the records are counted. */
static void
count_fields(const struct reading *t)
{
	const struct clr_layout *l = &t->rt->layout;
	struct memory_reader *r = t->rt->reader;
	uint64_t table = t->out->canonical, class;
	uint16_t fields, statics;

	if (clr_u16(l, r, t->out->record, CLR_CLASS_NUM_INSTANCE_FIELDS, &fields) &&
	    clr_u16(l, r, t->out->record, CLR_CLASS_NUM_STATIC_FIELDS, &statics)) {
		t->out->fields_count = fields;
		t->out->statics_count = statics;
		return;
	}
	for (int i = 0; table && i < PARENTS_MAX; i++) {
		uint64_t owner;

		(void)clr_class_find(l, r, table, &owner, &class);
		count_records(t, class, owner);
		if (!clr_u64(l, r, owner, CLR_MT_PARENT, &table))
			return;
	}
}

static void
read_numbers(const struct reading *t)
{
	const struct clr_layout *l = &t->rt->layout;
	struct memory_reader *r = t->rt->reader;
	struct content_table *out = t->out;
	uint16_t virtuals, interfaces, methods;

	(void)!clr_u64(l, r, out->address, CLR_MT_PARENT, &out->parent);
	(void)!clr_u16(l, r, out->address, CLR_MT_NUM_VIRTUALS, &virtuals);
	(void)!clr_u16(l, r, out->address, CLR_MT_NUM_INTERFACES, &interfaces);
	out->virtuals_count = virtuals;
	out->interfaces_count = interfaces;
	out->methods_count = UINT32_MAX;
	if (clr_u16(l, r, out->record, CLR_CLASS_NUM_METHODS, &methods))
		out->methods_count = methods;
	if (out->record)
		count_fields(t);
}

static bool
read_names(const struct reading *t)
{
	struct content_table *out = t->out;
	const struct clr_module *module;
	unsigned flags;

	out->token = clr_name_token(t->names, out->address);
	out->module = clr_name_module(t->names, out->address);
	module = clr_modules_find(t->names->modules, out->module, t->err);
	if (!module)
		return false;
	out->module_path = arena_printf(t->arena, t->err, "%s", module->path);
	out->name = clr_name_of(t->names, out->address, t->arena, &flags, t->err);
	out->parent_name =
	    out->parent ? clr_name_of(t->names, out->parent, t->arena, &flags, t->err) : "";
	return out->module_path && out->name && out->parent_name;
}

bool
clr_method_table_read(struct content_table *out, const struct clr_runtime *rt,
		      const struct clr_names *names, uint64_t address, struct arena *a,
		      struct error *err)
{
	struct reading t = { out, rt, names, a, err };

	*out = (struct content_table){ .address = address };
	if (!check_table(&t) || !read_flags(&t))
		return false;
	read_numbers(&t);
	return read_names(&t);
}
