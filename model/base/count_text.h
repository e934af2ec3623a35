#ifndef MODEL_BASE_COUNT_TEXT_H
#define MODEL_BASE_COUNT_TEXT_H

/* Counts for people: "10,000,002". */
#include <stdint.h>

enum { COUNT_TEXT_BYTES = 32 };

/* Returns `out`. */
const char *count_text(uint64_t n, char out[COUNT_TEXT_BYTES]);

#endif
