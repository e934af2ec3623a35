#ifndef MODEL_BASE_ERROR_H
#define MODEL_BASE_ERROR_H

/*
 * An error, in the user's words. Functions that can fail return bool or a pointer and take a
 * `struct error *` last; the first error is kept. All setters return false, so that failing takes
 * one line.
 */
#include <stdbool.h>
#include <stdint.h>

#define MUST_USE                 __attribute__((warn_unused_result))
#define PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))
#define ERROR_NO_OFFSET          UINT64_MAX

enum error_kind {
	ERROR_NONE,
	ERROR_INPUT,     /* the input is damaged or of an unexpected kind */
	ERROR_SYSTEM,    /* the system refused: a file, memory, a thread */
	ERROR_USAGE,     /* the user asked for something that does not exist */
	ERROR_ATTACH,    /* a process cannot be reached, or refuses */
	ERROR_CANCELLED, /* by request; not a failure to report */
};

struct error {
	enum error_kind kind;
	bool is_memory;        /* the system had no memory, or no thread */
	bool is_absent;        /* the input was recorded without that */
	bool is_limit;         /* --mem or :set mem forbids it */
	uint64_t needed_bytes; /* if is_limit: the limit that would do */
	uint64_t offset;       /* byte in the input, or ERROR_NO_OFFSET */
	char message[240];
};

void error_clear(struct error *err);
bool error_set(struct error *err, enum error_kind kind, const char *format, ...) PRINTF_LIKE(3, 4);
/* An ERROR_INPUT at a byte of the input; appends the offset to the message. */
bool error_at(struct error *err, uint64_t offset, const char *format, ...) PRINTF_LIKE(3, 4);
/* Appends ": ", the system's text for `errnum`, and advice if there is any. */
bool error_sys(struct error *err, int errnum, const char *format, ...) PRINTF_LIKE(3, 4);
bool error_no_memory(struct error *err, uint64_t bytes);
/* Not enough memory within the limit that was set: the limit that would do, at least, and the
   present one. */
bool error_limit(struct error *err, uint64_t needed_bytes, uint64_t allowed_bytes);
bool error_cancelled(struct error *err);

#endif
