#ifndef MODEL_BASE_ERROR_H
#define MODEL_BASE_ERROR_H

/*
 * What went wrong, in the user's words. Whatever can fail returns bool or a
 * pointer and takes a `struct error *` last; the first error wins.
 * All setters return false, so that failing is one line.
 */
#include <stdbool.h>
#include <stdint.h>

#define MUST_USE                 __attribute__((warn_unused_result))
#define PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))
#define ERROR_NO_OFFSET          UINT64_MAX

enum error_kind {
	ERROR_NONE,
	ERROR_INPUT,     /* the input is damaged or not what it should be */
	ERROR_SYSTEM,    /* the system refused: a file, memory, a thread */
	ERROR_USAGE,     /* the user asked for something that is not there */
	ERROR_ATTACH,    /* a process that cannot be reached, or refuses */
	ERROR_CANCELLED, /* told to stop; not a failure to report */
};

struct error {
	enum error_kind kind;
	bool is_memory; /* the system had no memory, or no thread */
	bool is_limit;  /* not the system refused: more was not allowed */
	uint64_t needed_bytes; /* then: what the limit would have to be */
	uint64_t offset;       /* byte in the input, or ERROR_NO_OFFSET */
	char message[240];
};

void error_clear(struct error *err);
bool error_set(struct error *err, enum error_kind kind, const char *format, ...)
    PRINTF_LIKE(3, 4);
/* An ERROR_INPUT at a byte of the input; the offset becomes part of the text.
 */
bool error_at(struct error *err, uint64_t offset, const char *format, ...)
    PRINTF_LIKE(3, 4);
/* Appends ": " and what the system says of `errnum`. */
bool error_sys(struct error *err, int errnum, const char *format, ...)
    PRINTF_LIKE(3, 4);
bool error_no_memory(struct error *err, uint64_t bytes);
/* The same, where a limit that was set forbids to ask the system for it: what
   it would have to be at least, and what it is. */
bool error_limit(struct error *err, uint64_t needed_bytes,
		 uint64_t allowed_bytes);
bool error_cancelled(struct error *err);

#endif
