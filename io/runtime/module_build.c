#include "io/runtime/module_build.h"
#include "io/pe/metadata_fields.h"
#include "io/runtime/fields.h"
#include "io/runtime/method_record.h"

enum {
	MAP_BYTES = 32, /* of a map; that of methods follows that of types */
	MAP_ENTRIES = 8,
	MAP_COUNT = 16,
	MAP_MASK = 24,
	TYPE_DEF = 0x02000000,
};

struct comparison {
	const struct clr_layout *layout;
	struct memory_reader *reader;
	const struct metadata *metadata;
	struct metadata_counts counts;
};

/* --- of the module -------------------------------------------------------- */

/* Compares a map with a table. The map has an entry for row 0, too. */
static enum clr_build
compare_map(const struct comparison *c, uint64_t map, uint32_t rows)
{
	uint32_t count;

	if (!memory_u32(c->reader, map + MAP_COUNT, &count) || !count)
		return CLR_BUILD_UNKNOWN;
	return count - 1 == rows ? CLR_BUILD_FITS : CLR_BUILD_OTHER;
}

static enum clr_build
compare_maps(const struct comparison *c, uint64_t module)
{
	const uint32_t *offset = c->layout->offset;
	uint64_t types = module + offset[CLR_MODULE_TYPE_DEFS];
	const struct {
		uint64_t map;
		uint32_t rows;
	} tables[] = {
		{ types, c->counts.types },
		{ types + MAP_BYTES, c->counts.methods },
		{ module + offset[CLR_MODULE_TYPE_REFS], c->counts.type_refs },
		{ module + offset[CLR_MODULE_FIELD_DEFS], c->counts.fields },
	};
	enum clr_build all = CLR_BUILD_FITS;

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		enum clr_build one = compare_map(c, tables[i].map, tables[i].rows);

		/* A runtime that keeps other numbers elsewhere says nothing. */
		if (one == CLR_BUILD_UNKNOWN)
			return one;
		if (one == CLR_BUILD_OTHER)
			all = one;
	}
	return all;
}

/* --- of a type ------------------------------------------------------------ */

/* Rows past the end of the table were added while the program ran. */
static bool
is_row_of(uint32_t row, uint32_t first, uint32_t end, uint32_t count)
{
	return (row >= first && row < end) || row > count;
}

static bool
fits_fields(const struct comparison *c, uint64_t owner, uint64_t class, uint32_t token)
{
	struct clr_field_record record;
	struct clr_fields fields;
	uint32_t first, end, left = 0;

	if (!metadata_fields_of(c->metadata, token, &first, &end))
		return false;
	for (uint32_t row = first; row < end; row++)
		left += metadata_field_is_stored(c->metadata, row);
	clr_fields_open(c->layout, c->reader, owner, class, &fields);
	if (!left)
		return !clr_fields_next(c->reader, &fields, &record);
	while (left && clr_fields_next(c->reader, &fields, &record)) {
		if (!is_row_of(record.row, first, end, c->counts.fields) ||
		    (record.row < end &&
		     metadata_field_is_static(c->metadata, record.row) != record.is_static))
			return false;
		left--;
	}
	return true;
}

static bool
fits_methods(const struct comparison *c, uint64_t class, uint32_t token)
{
	uint32_t first, end, row;
	uint64_t chunk, table;

	return !clr_u64(c->layout, c->reader, class, CLR_CLASS_METHODS, &chunk) || !chunk ||
	       !clr_method_record_read(c->reader, chunk + CLR_CHUNK_BYTES, &table, &row) ||
	       (metadata_methods_of(c->metadata, token, &first, &end) &&
		is_row_of(row, first, end, c->counts.methods));
}

/* A type whose structures are absent says nothing. */
static bool
fits_type(const struct comparison *c, uint64_t table, uint32_t token)
{
	uint64_t owner, class;

	return clr_class_find(c->layout, c->reader, table, &owner, &class) != CLR_CLASS_FOUND ||
	       (fits_fields(c, owner, class, token) && fits_methods(c, class, token));
}

static bool
fit_types(const struct comparison *c, uint64_t map)
{
	uint64_t entries, mask, entry;

	if (!memory_u64(c->reader, map + MAP_ENTRIES, &entries) ||
	    !memory_u64(c->reader, map + MAP_MASK, &mask))
		return true;
	for (uint32_t row = 1; row <= c->counts.types; row++)
		if (memory_u64(c->reader, entries + 8 * (uint64_t)row, &entry) && entry & ~mask &&
		    !fits_type(c, entry & ~mask, TYPE_DEF | row))
			return false;
	return true;
}

enum clr_build
clr_module_build(const struct clr_layout *layout, struct memory_reader *r, uint64_t module,
		 const struct metadata *metadata)
{
	const struct comparison c = {
		.layout = layout,
		.reader = r,
		.metadata = metadata,
		.counts = metadata_counts(metadata),
	};
	enum clr_build build;

	if (!clr_has(layout, CLR_MODULE_TYPE_DEFS) || !clr_has(layout, CLR_MODULE_TYPE_REFS) ||
	    !clr_has(layout, CLR_MODULE_FIELD_DEFS) || module > UINT64_MAX - 0x10000)
		return CLR_BUILD_UNKNOWN;
	build = compare_maps(&c, module);
	if (build == CLR_BUILD_FITS &&
	    !fit_types(&c, module + layout->offset[CLR_MODULE_TYPE_DEFS]))
		return CLR_BUILD_OTHER;
	return build;
}
