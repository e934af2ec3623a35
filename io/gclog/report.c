#include "io/gclog/report.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { REPORTED_MAX = 20, SENTENCE_BYTES = 512, FILE_SHOWN = 200 };

static const char *const code_names[GCLOG_CODES_COUNT] = {
#define CODE_NAME(name, text) text,
	GCLOG_CODES(CODE_NAME)
#undef CODE_NAME
};

static void PRINTF_LIKE(6, 0)
    write_sentence(char *out, const char *file, enum gclog_code code, struct gclog_place at,
		   const char *severity, const char *format, va_list args)
{
	size_t len;

	snprintf(out, SENTENCE_BYTES, "%.*s:%" PRIu64 ":%zu: %s: ", FILE_SHOWN, file, at.line,
		 at.column + 1, severity);
	len = strlen(out);
	vsnprintf(out + len, SENTENCE_BYTES - len, format, args);
	len = strlen(out);
	snprintf(out + len, SENTENCE_BYTES - len, " [%s]", code_names[code]);
}

static void PRINTF_LIKE(5, 0)
    report(struct gclog_report *r, enum gclog_code code, struct gclog_place at,
	   const char *severity, const char *format, va_list args)
{
	char text[SENTENCE_BYTES];

	if (++r->counts[code] > REPORTED_MAX)
		return;
	write_sentence(text, r->file, code, at, severity, format, args);
	if (!heap_builder_warning(r->builder, r->err, "%s", text))
		r->has_failed = true;
}

void
gclog_error(struct gclog_report *r, enum gclog_code code, struct gclog_place at, const char *format,
	    ...)
{
	va_list args;

	va_start(args, format);
	report(r, code, at, "error", format, args);
	va_end(args);
}

void
gclog_warning(struct gclog_report *r, enum gclog_code code, struct gclog_place at,
	      const char *format, ...)
{
	va_list args;

	va_start(args, format);
	report(r, code, at, "warning", format, args);
	va_end(args);
}

bool
gclog_report_has(const struct gclog_report *r, enum gclog_code code)
{
	return r->counts[code] > 0;
}

void
gclog_report_end(struct gclog_report *r)
{
	for (int i = 0; i < GCLOG_CODES_COUNT; i++)
		if (r->counts[i] > REPORTED_MAX &&
		    !heap_builder_warning(r->builder, r->err, "%.*s: … %" PRIu64 " more [%s]",
					  FILE_SHOWN, r->file, r->counts[i] - REPORTED_MAX,
					  code_names[i]))
			r->has_failed = true;
}

bool
gclog_refuse(const char *file, enum gclog_code code, struct gclog_place at, struct error *err,
	     const char *format, ...)
{
	char text[SENTENCE_BYTES];
	va_list args;

	va_start(args, format);
	write_sentence(text, file, code, at, "error", format, args);
	va_end(args);
	return error_set(err, ERROR_INPUT, "%s", text);
}

const char *
gclog_quote(const uint8_t *bytes, size_t len, char text[GCLOG_QUOTE_BYTES])
{
	static const char cut[] = "…";
	enum { SHOWN = GCLOG_QUOTE_BYTES - sizeof(cut) };
	size_t shown = len < SHOWN ? len : SHOWN;

	for (size_t i = 0; i < shown; i++)
		text[i] = bytes[i] < 0x20 || bytes[i] > 0x7e ? '?' : (char)bytes[i];
	strcpy(text + shown, len > shown ? cut : "");
	return text;
}
