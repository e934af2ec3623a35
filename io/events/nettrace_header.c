#include "io/events/nettrace_header.h"
#include "io/events/nettrace_kinds.h"
#include <string.h>

/* Days since 1970 of a Gregorian date. */
static int64_t
days_of(int64_t year, unsigned month, unsigned day)
{
	int64_t y = month <= 2 ? year - 1 : year;
	int64_t era = (y >= 0 ? y : y - 399) / 400;
	int64_t year_of_era = y - era * 400;
	int64_t day_of_year = (153 * ((int64_t)month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;

	return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 +
	       day_of_year - 719468;
}

static void
read_clock(struct nettrace_header *h, struct bytes *b)
{
	uint16_t parts[8]; /* year, month, day of the week, day, … */

	for (unsigned i = 0; i < 8; i++)
		parts[i] = bytes_u16(b, "the time of the trace");
	h->clock_start = bytes_u64(b, "the clock");
	h->clock_hz = bytes_u64(b, "the rate of the clock");
	if (parts[1] >= 1 && parts[1] <= 12)
		h->time = days_of(parts[0], parts[1], parts[3]) * 86400 + parts[4] * 3600 +
			  parts[5] * 60 + parts[6];
	h->time_ms = parts[7] < 1000 ? parts[7] : 0;
}

void
nettrace_header_read4(struct nettrace_header *h, struct bytes *b)
{
	read_clock(h, b);
	h->pointer_bytes = bytes_u32(b, "the size of a pointer");
	h->pid = bytes_u32(b, "the process");
	h->processors = bytes_u32(b, "the number of processors");
}

/* Parses a decimal number, the form of values in format 6. */
static uint32_t
number_of(const char *text, size_t len)
{
	uint64_t number = 0;

	for (size_t i = 0; i < len && i < 10; i++)
		if (text[i] >= '0' && text[i] <= '9')
			number = number * 10 + (uint64_t)(text[i] - '0');
	return (uint32_t)number;
}

void
nettrace_header_read6(struct nettrace_header *h, struct bytes *b)
{
	uint32_t count;

	read_clock(h, b);
	h->pointer_bytes = bytes_u32(b, "the size of a pointer");
	count = bytes_u32(b, "the number of values");
	for (uint32_t i = 0; i < count && bytes_ok(b); i++) {
		size_t key_len, value_len;
		const char *key = nettrace_text6(b, &key_len, "a key");
		const char *value = nettrace_text6(b, &value_len, "a value");

		if (!key || !value)
			break;
		if (key_len == 9 && !memcmp(key, "ProcessId", 9))
			h->pid = number_of(value, value_len);
		if (key_len == 19 && !memcmp(key, "HardwareThreadCount", 19))
			h->processors = number_of(value, value_len);
	}
}

int64_t
nettrace_header_time(const struct nettrace_header *h, uint64_t timestamp)
{
	int64_t ticks = (int64_t)(timestamp - h->clock_start), hz, time;

	if (!h->time || !h->clock_hz || h->clock_hz > INT64_MAX)
		return 0;
	hz = (int64_t)h->clock_hz;
	if (__builtin_add_overflow(h->time, ticks / hz, &time) ||
	    __builtin_mul_overflow(time, INT64_C(1000000000), &time))
		return 0;
	ticks = (int64_t)((double)(ticks % hz) * 1e9 / (double)hz) + h->time_ms * INT64_C(1000000);
	return __builtin_add_overflow(time, ticks, &time) ? 0 : time;
}
