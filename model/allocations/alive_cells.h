#ifndef MODEL_ALLOCATIONS_ALIVE_CELLS_H
#define MODEL_ALLOCATIONS_ALIVE_CELLS_H

/*
 * Cells about what stays alive, for the table of allocations. All
 * are blank if no collection was reported.
 */
#include "model/allocations/rows.h"

/* Bytes alive: as text, and the numbers of cell_alive(). */
enum alive_number { ALIVE_BYTES, ALIVE_LOW, ALIVE_HIGH, ALIVE_OBJECTS };
void cell_alive_text(const struct cells *in, const struct row *row, struct value *out);
void cell_alive(const struct cells *in, const struct row *row, unsigned at, struct value *out);
void cell_unconfirmed(const struct cells *in, const struct row *row, struct value *out);
void cell_unknown(const struct cells *in, const struct row *row, struct value *out);
/* The age of the oldest live object. */
void cell_age_text(const struct cells *in, const struct row *row, struct value *out);
void cell_age(const struct cells *in, const struct row *row, struct value *out);
/* Growth a minute and its interval; blank while warming up. */
enum growth_number { GROWTH_BYTES, GROWTH_LOW, GROWTH_HIGH };
void cell_growth(const struct cells *in, const struct row *row, unsigned at, struct value *out);
void cell_growth_error(const struct cells *in, const struct row *row, struct value *out);

#endif
