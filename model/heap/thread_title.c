#include "model/heap/thread_title.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *
thread_title(uint32_t id, uint64_t os_id, char out[THREAD_TITLE_BYTES])
{
	if (id && os_id)
		snprintf(out, THREAD_TITLE_BYTES, "thread %" PRIu32 " (OS %" PRIu64 ")", id, os_id);
	else if (os_id)
		snprintf(out, THREAD_TITLE_BYTES, "OS thread %" PRIu64, os_id);
	else
		snprintf(out, THREAD_TITLE_BYTES, "thread %" PRIu32, id);
	return out;
}

/* Returns the text after `begin`, or NULL if it begins otherwise. */
static const char *
after(const char *text, const char *begin)
{
	size_t len = strlen(begin);

	return text && !strncmp(text, begin, len) ? text + len : NULL;
}

uint64_t
thread_title_os_id(const char *text)
{
	const char *number = after(text, "OS thread ");
	const char *os_id;
	char *end;
	uint64_t id;

	if (!number)
		number = after(text, "thread ");
	if (!number)
		return 0;
	id = strtoull(number, &end, 10);
	os_id = after(end, " (OS ");
	return os_id ? strtoull(os_id, NULL, 10) : id;
}
