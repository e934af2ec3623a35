#ifndef MODEL_ANALYSIS_COLLECTION_OTHERS_H
#define MODEL_ANALYSIS_COLLECTION_OTHERS_H

/* Objects with content but without typed elements: the text of a StringBuilder, and the methods
   that a delegate calls. */
#include "model/analysis/collection_places.h"

bool collection_open_builder(struct collection *c, struct error *err);
bool collection_builder_rows(struct collection *c, uint64_t first, size_t count,
			     struct content *rows, size_t *rows_count, uint64_t *total,
			     struct arena *a, struct error *err);

/* The kind of delegates, which cannot be found by type name. */
extern const struct collection_kind collection_delegate;

#endif
