#include "model/base/quantity.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool
quantity_parse_time(const char *what, const char *text, uint64_t *ms, struct error *err)
{
	enum { SECONDS_MAX = 1000000 };
	static const struct {
		const char *name;
		double seconds;
	} units[] = { { "ms", 0.001 }, { "s", 1 }, { "m", 60 }, { "h", 3600 } };
	char *end;
	double number = strtod(text, &end), time = -1;

	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		if (end > text && !strcmp(end, units[i].name))
			time = number * units[i].seconds;
	if (!(time >= 0 && time <= SECONDS_MAX))
		return error_set(err, ERROR_USAGE,
				 "%s wants a time such as 200ms, 5s or 10m, not \"%.40s\"", what,
				 text);
	*ms = (uint64_t)(time * 1000 + 0.5);
	return true;
}

bool
quantity_parse_size(const char *what, const char *text, uint64_t *bytes, struct error *err)
{
	static const char units[] = "KMGT";
	const char *unit;
	char *end;
	uint64_t n;

	errno = 0;
	n = strtoull(text, &end, 10);
	unit = *end > ' ' ? strchr(units, *end & ~32) : NULL;
	if (errno || end == text || strchr(text, '-') || !n || n == UINT64_MAX ||
	    (*end && (!unit || end[1])) ||
	    (unit && __builtin_mul_overflow(n, UINT64_C(1024) << (10 * (unit - units)), &n)))
		return error_set(err, ERROR_USAGE,
				 "%s wants a size such as 512M or 2G, not \"%.40s\"", what, text);
	*bytes = n;
	return true;
}
