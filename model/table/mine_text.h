#ifndef MODEL_TABLE_MINE_TEXT_H
#define MODEL_TABLE_MINE_TEXT_H

/* A sentence for the headings of tables that count only my code. */
#include "model/graph/mine.h"
#include "model/table/value.h"

/* "my code: 12 of 840 types; 310 MiB of 312 MiB counted with them". */
void mine_text(const struct mine *m, struct value *out);

#endif
