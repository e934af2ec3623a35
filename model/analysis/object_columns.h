#ifndef MODEL_ANALYSIS_OBJECT_COLUMNS_H
#define MODEL_ANALYSIS_OBJECT_COLUMNS_H

/*
 * Columns that many tables share: what is known of the object of a row. They
 * are blank where the row has no object. The functions that return a number are
 * what lists of objects are sorted and filtered by, too.
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
void object_retained_share_cell(const struct cells *in, const struct row *row,
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
#define OBJECT_RETAINED_SHARE                                                  \
	OBJECT_CELL(VALUE_SHARE, object_retained, object_retained_share_cell)
#define OBJECT_GENERATION                                                      \
	OBJECT_CELL(VALUE_TEXT, object_generation, object_gen_cell)
#define OBJECT_IN       OBJECT(VALUE_COUNT, object_in)
#define OBJECT_OUT      OBJECT(VALUE_COUNT, object_out)
#define OBJECT_DISTANCE OBJECT(VALUE_COUNT, object_distance)
#define OBJECT_LIVE     OBJECT_CELL(VALUE_TEXT, object_is_live, object_live_cell)
#define OBJECT_ROOT     OBJECT_CELL(VALUE_TEXT, object_root_order, object_root_cell)
#define OBJECT_HEAP     CELL(VALUE_PLAIN, object_heap_cell)
#define OBJECT_TABLE    CELL(VALUE_ADDRESS, object_table_cell)

#endif
