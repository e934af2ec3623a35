#ifndef MODEL_ALLOCATIONS_GROWTH_TEXT_H
#define MODEL_ALLOCATIONS_GROWTH_TEXT_H

/* The leak in one sentence. */
#include "model/allocations/rows.h"

/* Names the row whose live bytes rise most, or says that it is not known.
   False: no collection was reported. Linear in the rows. */
bool allocation_rows_growth_text(const struct allocation_rows *rows,
				 char text[ALLOCATION_TEXT_BYTES]);

#endif
