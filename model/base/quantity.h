#ifndef MODEL_BASE_QUANTITY_H
#define MODEL_BASE_QUANTITY_H

/*
 * Parses sizes and times typed at the prompt or on the command line. `what` names the setting in
 * errors: "mem", "--mem".
 */
#include "model/base/error.h"

/* "200ms", "0.5s", "10m", "1h" */
bool quantity_parse_time(const char *what, const char *text, uint64_t *ms, struct error *err);
/* "512M", "2G", or bytes; neither 0 nor UINT64_MAX */
bool quantity_parse_size(const char *what, const char *text, uint64_t *bytes, struct error *err);

#endif
