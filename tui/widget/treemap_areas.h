#ifndef TUI_WIDGET_TREEMAP_AREAS_H
#define TUI_WIDGET_TREEMAP_AREAS_H

/*
 * The colours of a treemap's rectangles: one for each of the modules, or of the namespaces if there
 * is one module, with the most bytes on the screen. A group keeps its colour from level to level as
 * long as it is among these.
 */
#include "model/analysis/groups.h"
#include "tui/widget/treemap_layout.h"

enum { TREEMAP_AREAS = 5, TREEMAP_NO_AREA = UINT8_MAX };

struct treemap_areas {
	struct treemap_area {
		char name[GROUP_NAME_BYTES];
		uint64_t hash; /* of the name; 0: never used */
		bool is_shown; /* some row has it */
	} items[TREEMAP_AREAS];
	bool has_others;              /* some row has none of these */
	uint8_t of_all;               /* the area of all rows with a type, if they have one */
	uint8_t of_rows[TREEMAP_MAX]; /* index, or TREEMAP_NO_AREA */
};

/* Finds the area of each row by its type; TYPE_NONE: no area. */
void treemap_areas_assign(struct treemap_areas *a, const struct heap *h, const type_id *types,
			  const uint64_t *weights, size_t count);

#endif
