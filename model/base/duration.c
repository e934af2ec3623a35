#include "model/base/duration.h"
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Without the decimal point of the locale. */
static const char *
tenths_text(double value, bool has_tenth, const char *unit, char out[DURATION_BYTES])
{
	unsigned long long tenths = (unsigned long long)(value * 10);

	if (has_tenth)
		snprintf(out, DURATION_BYTES, "%llu.%llu %s", tenths / 10, tenths % 10, unit);
	else
		snprintf(out, DURATION_BYTES, "%llu %s", tenths / 10, unit);
	return out;
}

const char *
duration_text(double seconds, char out[DURATION_BYTES])
{
	if (!isfinite(seconds) || seconds < 0 || seconds > 1e12) {
		strcpy(out, "-");
		return out;
	}
	if (seconds < 1) {
		double ms = seconds * 1000 + 1e-9; /* 0.001 s is 1 ms */

		return tenths_text(ms, ms < 10, "ms", out);
	}
	if (seconds < 600)
		return tenths_text(seconds, seconds < 100, "s", out);
	return tenths_text(seconds / 60, false, "min", out);
}
