#include "tui/cli/option_values.h"
#include "model/base/quantity.h"
#include <errno.h>
#include <stdlib.h>

static bool
parse_number(const char *text, uint64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoull(text, &end, 10);
	return !errno && end != text && !*end && *text != '-';
}

bool
option_rows(const char *text, uint64_t *out, struct error *err)
{
	return parse_number(text, out) ||
	       error_set(err, ERROR_USAGE, "-n wants a number of rows, not \"%.40s\"", text);
}

bool
option_runtime(const char *text, uint32_t *out, struct error *err)
{
	uint64_t n;

	if (!parse_number(text, &n) || !n || n > UINT32_MAX)
		return error_set(err, ERROR_USAGE,
				 "--runtime wants a number of 1 or more, not \"%.40s\"; --probe "
				 "lists them",
				 text);
	*out = (uint32_t)n;
	return true;
}

bool
option_time(const char *option, const char *text, uint64_t *ms, struct error *err)
{
	return quantity_parse_time(option, text, ms, err) &&
	       (*ms || error_set(err, ERROR_USAGE, "%s wants a time above 0, such as 5s", option));
}
