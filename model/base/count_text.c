#include "model/base/count_text.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *
count_text(uint64_t n, char out[COUNT_TEXT_BYTES])
{
	char digits[COUNT_TEXT_BYTES];
	size_t len, at = 0;

	snprintf(digits, sizeof(digits), "%" PRIu64, n);
	len = strlen(digits);
	for (size_t i = 0; i < len; i++) {
		if (i > 0 && (len - i) % 3 == 0)
			out[at++] = ',';
		out[at++] = digits[i];
	}
	out[at] = '\0';
	return out;
}
