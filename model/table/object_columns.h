#ifndef MODEL_TABLE_OBJECT_COLUMNS_H
#define MODEL_TABLE_OBJECT_COLUMNS_H

/*
 * Columns that many tables share, about the object of a row; blank if the row has none. Lists of
 * objects also sort and filter by the functions that return numbers.
 */
#include "model/table/table.h"

/* These return UINT64_MAX if the number is unknown or, for the distance, if the object is
   unreachable. */
uint64_t object_address(const struct facts *f, node_id n);
uint64_t object_size(const struct facts *f, node_id n);
uint64_t object_retained(const struct facts *f, node_id n);
uint64_t object_in(const struct facts *f, node_id n);
uint64_t object_out(const struct facts *f, node_id n);
uint64_t object_distance(const struct facts *f, node_id n);
uint64_t object_generation(const struct facts *f, node_id n);
/* Keys to sort by: dead objects before live ones; objects kept by the same root together; unsampled
   objects first, the others by who allocated them. */
uint64_t object_is_live(const struct facts *f, node_id n);
uint64_t object_root_order(const struct facts *f, node_id n);
uint64_t object_allocated_order(const struct facts *f, node_id n);

/* The name and the module's file of the row's type. */
void row_type_cell(const struct cells *in, const struct row *row, struct value *out);
void row_module_cell(const struct cells *in, const struct row *row, struct value *out);
/* Shows "no object" if there is none. */
void object_type_cell(const struct cells *in, const struct row *row, struct value *out);
void object_gen_cell(const struct cells *in, const struct row *row, struct value *out);
void object_live_cell(const struct cells *in, const struct row *row, struct value *out);
/* Shows the root that keeps the object alive, in words. */
void object_root_cell(const struct cells *in, const struct row *row, struct value *out);
/* "SITE ← CALLER, 42 min ago", if its allocation was sampled. */
void object_allocated_cell(const struct cells *in, const struct row *row, struct value *out);
/* The GC heap's number; blank for captures. */
void object_heap_cell(const struct cells *in, const struct row *row, struct value *out);
/* The object's method table; blank for captures. */
void object_table_cell(const struct cells *in, const struct row *row, struct value *out);
/* The number of the GC heap that contains an address; blank outside
   segments. */
void heap_of_address(const struct facts *f, uint64_t address, struct value *out);

/* Value sources, for the fifth member of a struct column. */
#define OBJECT_ADDRESS    OBJECT(VALUE_ADDRESS, object_address)
#define OBJECT_TYPE       CELL(VALUE_TEXT, object_type_cell)
#define OBJECT_SIZE       OBJECT(VALUE_BYTES, object_size)
#define ROW_TYPE_NAME     CELL(VALUE_TEXT, row_type_cell)
#define ROW_MODULE        CELL(VALUE_TEXT, row_module_cell)
#define OBJECT_RETAINED   OBJECT(VALUE_BYTES, object_retained)
#define OBJECT_GENERATION OBJECT_CELL(VALUE_TEXT, object_generation, object_gen_cell)
#define OBJECT_IN         OBJECT(VALUE_COUNT, object_in)
#define OBJECT_OUT        OBJECT(VALUE_COUNT, object_out)
#define OBJECT_DISTANCE   OBJECT(VALUE_COUNT, object_distance)
#define OBJECT_LIVE       OBJECT_CELL(VALUE_TEXT, object_is_live, object_live_cell)
#define OBJECT_ROOT       OBJECT_CELL(VALUE_TEXT, object_root_order, object_root_cell)
#define OBJECT_ALLOCATED  OBJECT_CELL(VALUE_TEXT, object_allocated_order, object_allocated_cell)
#define OBJECT_HEAP       CELL(VALUE_PLAIN, object_heap_cell)
#define OBJECT_TABLE      CELL(VALUE_ADDRESS, object_table_cell)

/* Several tables use these columns as they are. A table with a more specific help text, as for the
   address of a timer, declares its own column. */
/* clang-format off */
#define ADDRESS_COLUMN(sorts, its_rank, its_flags) \
	{ "address", "Address", 14, sorts, OBJECT_ADDRESS, "address of the object; #N if the dump has none", its_rank, its_flags, 0 }
/* Next to a column that names the row. */
#define OBJECT_COLUMN(sorts, its_rank) \
	{ "object", "Object", 14, sorts, OBJECT_ADDRESS, "its address", its_rank, 0, 0 }
/* The column of trees, which name rows by type. */
#define AT_COLUMN(sorts, its_rank) \
	{ "at", "Address", 14, sorts, OBJECT_ADDRESS, "address of the object; #N if the dump has none", its_rank, COLUMN_SCREEN, 0 }
#define TYPE_COLUMN(source, sorts, its_rank, its_flags) \
	{ "type", "Type", FILL, sorts, source, "name in C# spelling", its_rank, its_flags, 0 }
#define SIZE_COLUMN(sorts, its_rank) \
	{ "size", "Size", 9, sorts, OBJECT_SIZE, "bytes of the object alone", its_rank, 0, 0 }
#define RETAINED_COLUMN(sorts, its_rank) \
	{ "retained", "Retained", 11, sorts, OBJECT_RETAINED, "bytes that only it keeps alive, its own included", its_rank, COLUMN_DEAR, NEED_RETAINED }
#define GENERATION_COLUMN(sorts, its_rank) \
	{ "gen", "Gen", -6, sorts, OBJECT_GENERATION, "generation of the object", its_rank, 0, 0 }
#define IN_COLUMN(sorts, its_rank) \
	{ "in", "In", 7, sorts, OBJECT_IN, "references to it", its_rank, 0, NEED_REVERSE }
#define DISTANCE_HELP \
	"references on its path from a root; stack words count only if nothing else leads here"
#define DISTANCE_COLUMN(sorts, its_rank) \
	{ "distance", "Distance", 9, sorts, OBJECT_DISTANCE, DISTANCE_HELP, its_rank, 0, NEED_REACH }
#define ALLOCATED_COLUMN(sorts, its_rank) \
	{ "allocated_by", "Allocated by", -40, sorts, OBJECT_ALLOCATED, "who allocated it and when, if its allocation was sampled: --samples", its_rank, COLUMN_SAMPLED, 0 }
#define METHOD_TABLE_COLUMN(sorts, its_rank, its_flags) \
	{ "table", "Table", 14, sorts, OBJECT_TABLE, "its method table, in heaps from memory", its_rank, its_flags, 0 }
/* Columns of rows about a type or about many objects. */
#define MODULE_COLUMN(source, its_rank) \
	{ "module", "Module", -26, UP, source, "file that defines the type", its_rank, 0, 0 }
#define TOTAL_SIZE_COLUMN(source) \
	{ "size", "Size", 11, DOWN, source, "bytes of these objects alone", 0, COLUMN_ADDS, 0 }
/* clang-format on */

#endif
