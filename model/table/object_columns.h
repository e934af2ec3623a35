#ifndef MODEL_TABLE_OBJECT_COLUMNS_H
#define MODEL_TABLE_OBJECT_COLUMNS_H

/*
 * The columns that many tables share, and what is known of the object of a row.
 * They are blank where the row has no object. The functions that return a
 * number are what lists of objects are sorted and filtered by, too.
 */
#include "model/table/table.h"

/* UINT64_MAX where it is not known or, of the distance, no root reaches it. */
uint64_t object_address(const struct facts *f, node_id n);
uint64_t object_size(const struct facts *f, node_id n);
uint64_t object_retained(const struct facts *f, node_id n);
uint64_t object_in(const struct facts *f, node_id n);
uint64_t object_out(const struct facts *f, node_id n);
uint64_t object_distance(const struct facts *f, node_id n);
uint64_t object_generation(const struct facts *f, node_id n);
/* Lists are sorted by these: live ones behind the dead, and what one root keeps
   together. */
uint64_t object_is_live(const struct facts *f, node_id n);
uint64_t object_root_order(const struct facts *f, node_id n);

/* "no object" where there is none. */
void object_type_cell(const struct cells *in, const struct row *row,
		      struct value *out);
void object_gen_cell(const struct cells *in, const struct row *row,
		     struct value *out);
void object_live_cell(const struct cells *in, const struct row *row,
		      struct value *out);
/* The root that keeps it, in words. */
void object_root_cell(const struct cells *in, const struct row *row,
		      struct value *out);
/* The number of the collector's heap that it is in. */
void object_heap_cell(const struct cells *in, const struct row *row,
		      struct value *out);
/* Its method table. Both of heaps from memory. */
void object_table_cell(const struct cells *in, const struct row *row,
		       struct value *out);
/* The heap that an address is in; blank: of no segment. */
void heap_of_address(const struct facts *f, uint64_t address,
		     struct value *out);

/* Sources of columns, as the fifth member of a struct column. */
#define OBJECT_ADDRESS  OBJECT(VALUE_ADDRESS, object_address)
#define OBJECT_TYPE     CELL(VALUE_TEXT, object_type_cell)
#define OBJECT_SIZE     OBJECT(VALUE_BYTES, object_size)
#define OBJECT_RETAINED OBJECT(VALUE_BYTES, object_retained)
#define OBJECT_GENERATION                                                      \
	OBJECT_CELL(VALUE_TEXT, object_generation, object_gen_cell)
#define OBJECT_IN       OBJECT(VALUE_COUNT, object_in)
#define OBJECT_OUT      OBJECT(VALUE_COUNT, object_out)
#define OBJECT_DISTANCE OBJECT(VALUE_COUNT, object_distance)
#define OBJECT_LIVE     OBJECT_CELL(VALUE_TEXT, object_is_live, object_live_cell)
#define OBJECT_ROOT     OBJECT_CELL(VALUE_TEXT, object_root_order, object_root_cell)
#define OBJECT_HEAP     CELL(VALUE_PLAIN, object_heap_cell)
#define OBJECT_TABLE    CELL(VALUE_ADDRESS, object_table_cell)

/*
 * Whole columns that several tables show. A table that says more about one of
 * them, as the address of a timer, has a column of its own.
 */
/* clang-format off */
#define ADDRESS_COLUMN(sorts, its_rank, its_flags) \
	{ "address", "Address", 14, sorts, OBJECT_ADDRESS, "where the object is; #N if the dump does not say", its_rank, its_flags, 0 }
/* Beside a column that names the row. */
#define OBJECT_COLUMN(sorts, its_rank) \
	{ "object", "Object", 14, sorts, OBJECT_ADDRESS, "its address", its_rank, 0, 0 }
/* For trees, whose first column shows no address where there is a bar. */
#define AT_COLUMN(sorts, its_rank) \
	{ "at", "Address", 14, sorts, OBJECT_ADDRESS, "where the object is; #N if the dump does not say", its_rank, COLUMN_SCREEN, 0 }
#define TYPE_COLUMN(source, sorts, its_rank, its_flags) \
	{ "type", "Type", FILL, sorts, source, "name in C# spelling", its_rank, its_flags, 0 }
#define SIZE_COLUMN(sorts, its_rank) \
	{ "size", "Size", 9, sorts, OBJECT_SIZE, "bytes, without what it refers to", its_rank, 0, 0 }
#define RETAINED_COLUMN(sorts, its_rank) \
	{ "retained", "Retained", 11, sorts, OBJECT_RETAINED, "bytes that only it holds, its own included", its_rank, COLUMN_DEAR, NEED_RETAINED }
#define GENERATION_COLUMN(sorts, its_rank) \
	{ "gen", "Gen", -6, sorts, OBJECT_GENERATION, "generation of the object", its_rank, 0, 0 }
#define IN_COLUMN(sorts, its_rank) \
	{ "in", "In", 7, sorts, OBJECT_IN, "references to it", its_rank, 0, NEED_REVERSE }
#define DISTANCE_HELP \
	"references from the nearest root; words on stacks count only where nothing better leads here"
#define DISTANCE_COLUMN(sorts, its_rank) \
	{ "distance", "Distance", 9, sorts, OBJECT_DISTANCE, DISTANCE_HELP, its_rank, 0, NEED_REACH }
#define METHOD_TABLE_COLUMN(sorts, its_rank, its_flags) \
	{ "table", "Table", 14, sorts, OBJECT_TABLE, "its method table, of heaps from memory", its_rank, its_flags, 0 }
/* For rows that stand for a type, or for many objects. */
#define MODULE_COLUMN(source, its_rank) \
	{ "module", "Module", -26, UP, source, "file that defines the type", its_rank, 0, 0 }
#define TOTAL_SIZE_COLUMN(source) \
	{ "size", "Size", 11, DOWN, source, "their bytes, without what they refer to", 0, COLUMN_ADDS, 0 }
/* clang-format on */

#endif
