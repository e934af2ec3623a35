#include "model/base/error.h"
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void
error_clear(struct error *err)
{
	*err = (struct error){ .offset = ERROR_NO_OFFSET };
}

static void error_write(struct error *err, enum error_kind kind, const char *format, va_list args)
    PRINTF_LIKE(3, 0);
static void
error_write(struct error *err, enum error_kind kind, const char *format, va_list args)
{
	err->kind = kind;
	err->is_limit = err->is_absent = false;
	err->needed_bytes = 0;
	err->offset = ERROR_NO_OFFSET;
	vsnprintf(err->message, sizeof(err->message), format, args);
}

static void
error_append(struct error *err, const char *text)
{
	size_t len = strlen(err->message);

	snprintf(err->message + len, sizeof(err->message) - len, "%s", text);
}

bool
error_set(struct error *err, enum error_kind kind, const char *format, ...)
{
	va_list args;

	if (err->kind != ERROR_NONE)
		return false;
	va_start(args, format);
	error_write(err, kind, format, args);
	va_end(args);
	return false;
}

bool
error_at(struct error *err, uint64_t offset, const char *format, ...)
{
	char where[48];
	va_list args;

	if (err->kind != ERROR_NONE)
		return false;
	va_start(args, format);
	error_write(err, ERROR_INPUT, format, args);
	va_end(args);
	err->offset = offset;
	snprintf(where, sizeof(where), " (at offset 0x%" PRIx64 ")", offset);
	/* The offset matters more than the end of a long sentence. */
	if (strlen(err->message) + strlen(where) >= sizeof(err->message))
		err->message[sizeof(err->message) - strlen(where) - 1] = '\0';
	error_append(err, where);
	return false;
}

/* Advice that applies whenever the system returns these errors. */
static const struct {
	int errnum;
	const char *text;
} advice[] = {
	{ ENOSPC, "; where there is room: df -h" },
	{ EDQUOT, "; how much may be used: quota -s" },
	{ EMFILE, "; for more open files: ulimit -n 4096" },
};

bool
error_sys(struct error *err, int errnum, const char *format, ...)
{
	char reason[128] = "unknown error";
	va_list args;

	if (err->kind != ERROR_NONE)
		return false;
	va_start(args, format);
	error_write(err, ERROR_SYSTEM, format, args);
	va_end(args);
	err->is_memory = errnum == ENOMEM || errnum == EAGAIN;
	strerror_r(errnum, reason, sizeof(reason));
	error_append(err, ": ");
	error_append(err, reason);
	for (size_t i = 0; i < sizeof(advice) / sizeof(advice[0]); i++)
		if (advice[i].errnum == errnum)
			error_append(err, advice[i].text);
	return false;
}

bool
error_no_memory(struct error *err, uint64_t bytes)
{
	bool is_first = err->kind == ERROR_NONE;

	error_set(err, ERROR_SYSTEM, "out of memory: %" PRIu64 " bytes more were needed", bytes);
	if (is_first)
		err->is_memory = true;
	return false;
}

bool
error_limit(struct error *err, uint64_t needed_bytes, uint64_t allowed_bytes)
{
	bool is_first = err->kind == ERROR_NONE;
	uint64_t mib = (needed_bytes >> 20) + 1;

	error_set(err, ERROR_SYSTEM,
		  "this needs at least %" PRIu64 " MiB, and %" PRIu64
		  " MiB may be used; --mem %" PRIu64 "M or :set mem=%" PRIu64 "M allows it",
		  mib, allowed_bytes >> 20, mib, mib);
	if (is_first) {
		err->is_limit = true;
		err->needed_bytes = needed_bytes;
	}
	return false;
}

bool
error_cancelled(struct error *err)
{
	return error_set(err, ERROR_CANCELLED, "cancelled");
}
